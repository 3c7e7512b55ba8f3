// SPDX-License-Identifier: GPL-3.0-or-later
// A contact problem that is set up, and partly solved, takes in contacts that were seen later.
#ifndef TALUS_SOLVER_PERCUSSION_EXTEND_H
#define TALUS_SOLVER_PERCUSSION_EXTEND_H

#include "solver/step/state.h"

// Whether the manifolds of `list_added` can join the problem as it is: no two islands
// become one, nothing deforms, and there is room. By the problem alone, not by what was allocated for others
// before it: a run that is resumed answers alike.
bool tal_can_extend_contacts(const tal_model *model, const tal_state *state);

// They become part of the list. What was added comes last in its island, in colors and batches of its own, without
// percussions; all else keeps its masses, laws, percussions and batches.
tal_status tal_extend_contacts(const tal_model *model, tal_state *state, double dt, double slow,
                               tal_report *report, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// What is remembered of the percussions of a step: the next one starts from them.
#ifndef TALUS_SOLVER_PERCUSSION_MEMORY_H
#define TALUS_SOLVER_PERCUSSION_MEMORY_H

#include "solver/step/state.h"

// Looks up where the memory of each listed manifold begins.
void tal_find_remembered(tal_state *state);

// Gives the contacts of a pair their last percussions, scaled when the step has another length.
void tal_recall_percussions(const tal_model *model, tal_state *state, const tal_pair *pair,
                            double dt);

// The same of the moment of a pair that resists rolling.
void tal_recall_moment(tal_state *state, const tal_pair *pair, double dt);

// Keeps the percussions for the next step, and those of the bodies at rest for when they wake.
tal_status tal_remember_percussions(tal_state *state, double dt, tal_error *err);

// Once all are recalled, and if nobody is at rest, nothing of the memory is needed before it is written anew: what is
// large goes back to the system.
void tal_forget_percussions(tal_state *state);

// Sorted by bodies, points without holes, finite: what the next step relies on.
bool tal_memory_is_valid(const tal_contact_memory *memory);

// All contacts there are, those at rest included.
void tal_count_remembered(const tal_state *state, tal_report *report);

// A bond breaks for good where its points part or slide faster than `still` after the percussions found.
// The motion judges, not the percussions: how the points of a face share a load is not determined.
void tal_break_bonds(const tal_model *model, tal_state *state, double still);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that strike something within the step go on to where they do.
#ifndef TALUS_SOLVER_STEP_MEET_H
#define TALUS_SOLVER_STEP_MEET_H

#include "solver/step/state.h"

// Moves bodies to the moment of their first impact: without it they would turn back up to a step early, in
// the air. Bodies that strike each other go on together; what stands stays. Needs the contacts listed. The
// change of potential energy is booked in `report`. True if poses have changed.
bool tal_meet(const tal_model *model, tal_state *state, double dt, tal_report *report);

// Where that was too far, because bodies turn or another corner came first, they go back by what the
// contacts found there say, or `wholly`. True if poses have changed.
bool tal_meet_earlier(const tal_model *model, tal_state *state, double dt, bool wholly,
                      tal_report *report);

#endif

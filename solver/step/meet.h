// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that strike the ground within the step go on to where they do.
#ifndef TALUS_SOLVER_STEP_MEET_H
#define TALUS_SOLVER_STEP_MEET_H

#include "solver/step/state.h"

// Moves bodies that touch nothing but the ground to the moment of their impact: without it they would
// turn back up to a step early, in the air. Needs the contacts set up. The change of potential energy
// is booked in `report`. True if poses have changed.
bool tal_meet_ground(const tal_model *model, tal_state *state, tal_report *report);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that strike the ground within the step go on to where they do.
#ifndef TALUS_SOLVER_STEP_MEET_H
#define TALUS_SOLVER_STEP_MEET_H

#include "solver/step/state.h"

// Moves blocks that touch nothing but the ground to the moment of their impact: without it they would
// turn back up to a step early, in the air. Needs the contacts set up. Returns the change of potential
// energy; `any` says whether poses have changed.
double tal_meet_ground(const tal_model *model, tal_state *state, bool *any);

#endif

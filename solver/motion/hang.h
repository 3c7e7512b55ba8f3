// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that hang: on one or two points that hold, the same ones for a while. Dry friction at points takes
// nothing from a body that swings about them; real corners do.
#ifndef TALUS_SOLVER_MOTION_HANG_H
#define TALUS_SOLVER_MOTION_HANG_H

#include "solver/step/state.h"

// docs/theory/solver.md (58): slows such bodies by the moment of a corner that is no point. Points slower than
// `still` hold. Between the percussions and the velocities that follow from them.
void tal_slow_hanging(const tal_model *model, tal_state *state, double dt, double still,
                      tal_report *report);

#endif

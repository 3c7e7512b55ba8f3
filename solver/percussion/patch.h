// SPDX-License-Identifier: GPL-3.0-or-later
// Flat patches of four points and more that ask for velocities no rigid motion has.
#ifndef TALUS_SOLVER_PERCUSSION_PATCH_H
#define TALUS_SOLVER_PERCUSSION_PATCH_H

#include "solver/percussion/contact_solver.h"

// The least normal velocities of the points of a pair that carry a percussion are those of a rigid
// motion only if they are affine over the patch. Where they are not, not all of these points can carry
// one in the solution: sweeps move percussions between them at a snail's pace until one has none left.
// This goes there at once, unless the conflict is small against the tolerance. True if it changed
// anything.
bool tal_patch_release(const tal_percussion_problem *problem, const tal_pair *pair,
                       double tolerance);

#endif

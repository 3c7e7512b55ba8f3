// SPDX-License-Identifier: GPL-3.0-or-later
// Removes penetration by moving bodies, not by giving them velocity.
#ifndef TALUS_SOLVER_PERCUSSION_CORRECTION_H
#define TALUS_SOLVER_PERCUSSION_CORRECTION_H

#include "solver/step/state.h"

// Returns the potential energy that the displacements have moved (positive: lifted).
double tal_correct_positions(const tal_model *model, tal_state *state);

#endif

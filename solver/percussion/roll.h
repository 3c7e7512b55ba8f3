// SPDX-License-Identifier: GPL-3.0-or-later
// Resistance to rolling: one moment per pair, about its tangents, bounded by a cone of its own,
// |M| <= length x sum of R_N. The points of a pair share the frame and the relative spin, so the moments of
// its points would all point the same way, and their sum is this one (docs/theory/grounds.md (1) to (3)).
#ifndef TALUS_SOLVER_PERCUSSION_ROLL_H
#define TALUS_SOLVER_PERCUSSION_ROLL_H

#include "solver/percussion/contact_solver.h"

// Of a pair that resists rolling.
struct tal_roll {
    double w[3];      // relative spin about the tangents per moment: 11 12 22
    double moment[2]; // on body i, N m s
    double last[2];   // that the sweep before the last one ended with
};

// Mobility of a pair, and no moment yet.
void tal_roll_prepare(const tal_percussion_problem *problem, const tal_pair *pair);

// Solves the moment for the percussions at hand. Returns the energy of its change.
double tal_roll_visit(const tal_percussion_problem *problem, const tal_pair *pair);

// Adds the effect of a moment to `motion`.
void tal_roll_strike(const tal_percussion_problem *problem, const tal_pair *pair,
                     const double moment[2], tal_rigid_motion *motion);

// moment += beta (moment - last).
void tal_roll_extrapolate(const tal_percussion_problem *problem, const tal_pair *pair, double beta);

// Nothing to go on by.
void tal_roll_begin(const tal_percussion_problem *problem, const tal_pair *pair);

// Square of the error of the natural map, as an energy.
double tal_roll_error(const tal_percussion_problem *problem, const tal_pair *pair);

// Spin of i against j about the tangents.
void tal_roll_spin(const tal_pair *pair, const tal_rigid_motion *motion, double spin[2]);

#endif

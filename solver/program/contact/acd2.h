// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems of the law acd2 in a file, and the two solvers of the thesis for them. With u = W r + q
// and x = (u + u_before)/2, contact by contact:
//   r_N = s + kn max(0, -x_N),  s >= 0,  u_N >= bound,  s (u_N - bound) = 0,  r_T = -kt x_T.
// A convex program: r that moves anything is unique.
#ifndef TALUS_SOLVER_PROGRAM_CONTACT_ACD2_H
#define TALUS_SOLVER_PROGRAM_CONTACT_ACD2_H

#include "solver/finish/finish_work.h"

typedef struct {
    double *kn, *kt; // kg, per contact
    double *before;  // u before, 3 per contact
    double *bound;   // least u_N, per contact; NULL: 0
} tal_acd2_law;

void tal_acd2_law_destroy(tal_acd2_law *law);

// Negative or infinite dissipations, velocities that are no numbers: all faults together.
tal_status tal_acd2_check(const tal_acd2_law *law, int32_t count, tal_error *err);

// The residuals of both definitions with, in place of the natural map, r minus what each contact alone
// would answer if its W were 1/rho: rho = 3 / trace(W_kk), and rho = 1. `u` is scratch.
tal_friction_residual tal_acd2_measure(const tal_friction_problem *problem, const tal_acd2_law *law,
                                       const double *r, double *u);

// Uzawa: projected ascent on the normal percussions, conjugate gradients for the tangential ones.
tal_status tal_acd2_uzawa(const tal_friction_problem *problem, const tal_acd2_law *law,
                          double tolerance, int iteration_max, double *r, int *iterations,
                          tal_error *err);

// A primal-dual interior point, one factor an iteration. `r` is the best that was found; a factor that
// fails or what is not a number ends it.
tal_status tal_acd2_interior_point(const tal_friction_problem *problem, const tal_acd2_law *law,
                                   double tolerance, int iteration_max, double *r, int *iterations,
                                   tal_error *err);

// The law in scaled contacts (finish_work.h): 2/kn and 2/kt, infinite where there is none.
typedef struct {
    double softness, slack, bound, before[3];
} tal_acd2_scaled;
tal_acd2_scaled tal_acd2_scale(const tal_finish_work *work, const tal_acd2_law *law, int32_t k);

// tal_friction_residual_worst of tal_acd2_measure, of scaled percussions.
double tal_acd2_measure_scaled(tal_finish_work *work, const tal_acd2_law *law,
                               const double *scaled_r);

#endif

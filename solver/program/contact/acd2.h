// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems of the law acd2 in a file, and the two solvers of the thesis for them. With u = W r + q
// and x = (u + u_before)/2, contact by contact:
//   r_N = s + kn max(0, -x_N),  s >= 0,  u_N >= bound,  s (u_N - bound) = 0,  r_T = -kt x_T.
// A convex program: r that moves anything is unique. acd2+coulomb cuts r_T at the cone |r_T| <= mu r_N;
// with an infinite kt and nothing before, that is dry friction.
#ifndef TALUS_SOLVER_PROGRAM_CONTACT_ACD2_H
#define TALUS_SOLVER_PROGRAM_CONTACT_ACD2_H

#include "solver/finish/finish_work.h"

// As it stands in files.
typedef struct {
    double *kn, *kt; // kg, per contact; INFINITY: rigid
    double *before;  // u before, 3 per contact
    double *bound;   // least u_N, per contact; NULL: 0
} tal_acd2_law;

void tal_acd2_law_destroy(tal_acd2_law *law);

// Negative dissipations or friction, velocities that are no numbers: all faults together.
tal_status tal_acd2_check(const tal_acd2_law *law, const double *friction, int32_t count,
                          tal_error *err);

// The local problem of contact k, with this friction (INFINITY: no cone), and back.
tal_local_law tal_acd2_local(const tal_acd2_law *law, const double *friction, int32_t k);
void tal_acd2_from_local(tal_acd2_law *law, int32_t k, const tal_local_law *local);

// Both solve problems with laws that have no cones, as the thesis does. `r` is what was found; NaN, or a
// factor that fails, ends them.
//
// Uzawa: projected ascent on the normal percussions, conjugate gradients for the tangential ones.
tal_status tal_acd2_uzawa(const tal_friction_problem *problem, double tolerance, int iteration_max,
                          double *r, int *iterations, tal_error *err);

// A primal-dual interior point, one factor an iteration. `r` is the best that was found.
tal_status tal_acd2_interior_point(const tal_friction_problem *problem, double tolerance,
                                   int iteration_max, double *r, int *iterations, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The acd2 contact problem as a convex program, for the reference solvers:
//   minimise 1/2 x'(2M + sum kt T'T)x - x'f + sum 1/2 kn min(0, c x)^2,  c x >= a,
// x = (u+ + u-)/2, f = 2 M u- + b. Built from the same contacts that the fast solver sweeps.
#ifndef TALUS_TESTS_REFERENCE_ACD2_PROBLEM_H
#define TALUS_TESTS_REFERENCE_ACD2_PROBLEM_H

#include "solver/percussion/contact_solver.h"

typedef struct {
    int32_t body_count, contact_count;
    double *mass;         // 36 per body: the 6x6 mass matrix, 0 for immobile bodies
    double *right;        // f, 6 per body
    double (*row)[3][12]; // H of a contact: normal and two tangents, body i then body j
    int32_t (*body)[2];   // -1: immobile
    double *bound;        // a
    double *kn, *kt;
} tal_acd2_problem;

// `before` is u-; problem->motion must hold the free velocity. Laws other than acd2 are refused.
tal_status tal_acd2_problem_create(tal_acd2_problem *acd2, const tal_percussion_problem *problem,
                                   const tal_rigid_motion *before, tal_error *err);
void tal_acd2_problem_destroy(tal_acd2_problem *acd2);

// y = H_k[axis] . x
double tal_acd2_problem_velocity(const tal_acd2_problem *acd2, int32_t k, int axis,
                                 const double *x);

// target += s H_k[axis]'
void tal_acd2_problem_add_row(const tal_acd2_problem *acd2, int32_t k, int axis, double s,
                              double *target);

// target = (2M + sum kt T'T) x
void tal_acd2_problem_apply(const tal_acd2_problem *acd2, const double *x, double *target);

typedef struct {
    int iterations;
    double residual; // of the optimality conditions, relative
} tal_reference_result;

// Projected ascent on the multipliers with conjugate gradients inside (uzawa.c). `x`: 6 per body.
tal_status tal_uzawa_solve(const tal_acd2_problem *acd2, double tolerance, int iteration_max,
                           double *x, tal_reference_result *result, tal_error *err);

// Primal-dual interior point on sparse Cholesky factors (interior_point.c).
tal_status tal_interior_point_solve(const tal_acd2_problem *acd2, double tolerance,
                                    int iteration_max, double *x, tal_reference_result *result,
                                    tal_error *err);

#endif

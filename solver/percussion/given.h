// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems that somebody gives, without bodies: u = W r + q contact by contact, or with the
// masses, M v = H r + f and u = H'v + w. Solved by the sweeps that step the solver, through the seam of
// body.h: a contact of such a problem is a body of its own, whose velocity is its row of W r + q.
//
// Contact k owns rows 3k .. 3k + 2: normal, two tangents. Its percussion r is in the cone |r_T| <= mu r_N,
// and with uhat = u + mu |u_T| e_N: uhat in the dual cone, r . uhat = 0.
#ifndef TALUS_SOLVER_PERCUSSION_GIVEN_H
#define TALUS_SOLVER_PERCUSSION_GIVEN_H

#include "core/base/status.h"
#include "solver/law/law.h"

#include <stdint.h>

typedef struct tal_given_problem tal_given_problem;

// W as blocks, both triangles, one block per place; everything is copied.
typedef struct {
    int32_t contact_count;
    const double *friction;
    const tal_local_law *law; // NULL: dry friction; else each contact's own, its friction included
    const uint8_t *is_held;   // NULL: none; 1: two-sided, u = 0 whatever r that takes
    const double *q;          // 3 per contact
    int32_t block_count;
    const int32_t *row, *column;
    const double *block; // 9 per block, row by row
} tal_local_input;

// Entries of a matrix, in any order, one per place.
typedef struct {
    int32_t count;
    const int32_t *row, *column;
    const double *value;
} tal_entries;

typedef struct {
    int32_t contact_count;
    const double *friction;
    const uint8_t *is_held;
    const double *w; // 3 per contact
    int32_t motion_count;
    const double *f;  // motion_count
    tal_entries mass; // M: motion_count x motion_count, both triangles, positive definite
    tal_entries h;    // H: motion_count x 3 contact_count
} tal_global_input;

// Checks everything first and reports all faults together. M is factored, body by body (what is
// connected in it), and W made from it.
tal_status tal_given_create(tal_given_problem **problem, const tal_local_input *input,
                            int thread_count, tal_error *err);
tal_status tal_given_create_global(tal_given_problem **problem, const tal_global_input *input,
                                   int thread_count, tal_error *err);
void tal_given_destroy(tal_given_problem *problem);

// Percussions to start from, 3 per contact; without this call they are zero, or those of the last solve.
void tal_given_start(tal_given_problem *problem, const double *percussion);

// How far r is from a solution: the natural map e = r - P_K(r - rho uhat), recomputed from r.
typedef struct {
    double by_contact; // rho = 3 / trace(W_kk), relative to |r|
    double by_unit;    // rho = 1, relative to max(|q|, |r|, |u|)
} tal_given_error;

typedef struct {
    int sweeps;
    tal_given_error error;
    bool is_solved; // both errors within the tolerance
} tal_given_result;

// Sweeps until both errors are within the tolerance or the sweeps run out.
tal_given_result tal_given_solve(tal_given_problem *problem, double tolerance, int sweeps_max);
tal_given_error tal_given_measure(const tal_given_problem *problem);

// The solution, 3 per contact; v has motion_count entries (problems with masses only).
void tal_given_percussions(const tal_given_problem *problem, double *r);
void tal_given_velocities(const tal_given_problem *problem, double *u);
void tal_given_motion(const tal_given_problem *problem, double *v);

#endif

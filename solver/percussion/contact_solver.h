// SPDX-License-Identifier: GPL-3.0-or-later
// The contact problem of one step and its solution by block Gauss-Seidel, island by island and color
// by color, accelerated by momentum. Knows no model and no detection, and of
// bodies only what body.h says.
#ifndef TALUS_SOLVER_PERCUSSION_CONTACT_SOLVER_H
#define TALUS_SOLVER_PERCUSSION_CONTACT_SOLVER_H

#include "core/base/status.h"
#include "solver/percussion/batch.h"
#include "solver/percussion/coloring.h"
#include "solver/percussion/rigid.h"

#include <stdint.h>

typedef struct tal_roll tal_roll; // roll.h

// Bodies and their contacts. Some bodies are not rigid (their places in the rigid arrays are for
// information only); behind all of them stands the ground.
typedef struct tal_percussion_problem {
    int32_t body_count;
    tal_rigid_motion *motion; // body_count + 1: free velocity plus the effect of the percussions
    const tal_rigid_motion *before; // u-
    // The free velocity alone, from which the motion is made anew after sweeps in single precision. NULL: there are
    // none.
    const tal_rigid_motion *free;
    const tal_inertia *inertia;
    int32_t general_count;
    const tal_general_body *general;
    const int32_t *general_number; // per body, -1: rigid; NULL: the last general_count are general
    int32_t pair_count;
    tal_pair *pair; // sorted by island, then color; pairs of one color share no mobile body
    tal_roll *roll; // by pair; of those with a roll_length
    int32_t contact_count;
    tal_contact *contact;
    int32_t island_count;
    const tal_island *island;
    const int32_t *island_body;
    const int32_t *color_end;
    int thread_count;
    // Whether somebody finishes the island cheaply: then its sweeps end where they stagnate. NULL: nobody.
    bool (*is_finishable)(const struct tal_percussion_problem *problem, const tal_island *island);
} tal_percussion_problem;

typedef struct {
    int iterations;
    double error; // sum over the contacts of their squared relative errors
    double worst; // largest of them
    int32_t unconverged_count;
} tal_island_result;

// Room for the batches of large islands, twice: all pairs, and the hot list, whose course is where that of all pairs
// was. Without any, pairs are visited one by one.
typedef struct {
    const tal_batch_kernel *kernel;
    int32_t batch_capacity, point_capacity;
    bool are_filled; // with the constants of all pairs, and these are still the same
    tal_batch *batch;
    tal_batch_point *point;
    tal_batch_percussion *percussion;
    tal_batch_course *course;   // once
    tal_batch_opening *opening; // of all pairs
    int32_t (
        *place)[2]; // per island: its first batch (-1: it has none) and point; as many as bodies
    int32_t (*room)[2]; // per island: how many batches and points there are for it
} tal_batches;

// Scratch of the accelerated sweeps.
typedef struct {
    double *change; // 3 per contact of pairs visited one by one, of the visit at hand
    double *last;   // 3 likewise, the percussions that the sweep before the last one ended with
    double *error;  // per contact, of the last residual
    double *
        change_sum; // 2 per pair, in order of visits: energy of the last change, and over its scale
    // 4 per pair, each island in its own places: numbers of pairs being swept, and where each has its lane.
    int32_t *listed;
    uint8_t *is_listed;
    tal_island_result *island_result; // as many as bodies
    tal_rigid_motion *motion_last;    // per body, as `last`
    // The same while batches are swept, and the motions themselves.
    tal_lane_motion *lane_motion, *lane_motion_last;
    int32_t *near_body; // per body: of the hot list, each island in its own places
    uint8_t *is_near;
    tal_batches batches;
} tal_solver_work;

typedef struct {
    int iterations; // of the island that needed most
    double residual;
    int32_t unconverged_count;
} tal_solver_result;

// Adds the effect of the percussions stored in the contacts to the motion.
void tal_warm_start(const tal_percussion_problem *problem);

// Rounding of single precision is far below this: 1e-7 of velocities, and of what percussions do to them.
#define TAL_BATCH_TOLERANCE_MIN 3e-5

// Whether sweeps to a tolerance visit pairs of large islands in batches.
static inline bool tal_sweeps_are_batched(const tal_percussion_problem *problem, double tolerance) {
    return problem->free != NULL && tolerance >= TAL_BATCH_TOLERANCE_MIN;
}

// When to stop. A few sweeps are always worth making: errors within the tolerance that have the same
// sign in every step would let a wall creep. Only where it `goes_on`, with results of the very same problem, islands
// that are far below the tolerance are left as they are.
typedef struct {
    double tolerance;
    int sweeps_min, sweeps_max;
    bool goes_on;
} tal_solver_goal;

// Sweeps each island until its measured residual is below the tolerance or the sweeps run out. Islands
// whose `is_wanted` is zero are left alone (NULL: all are wanted).
//
// The residual is the natural map e: root of the mean over contacts of W |e|^2 / energy_scale, W the
// mean inverse mass of a contact: each error against the energy of its own two bodies, so that a pile
// at rest is solved as well beside a falling body as alone. Loads that are merely carried do not
// count as size: an error in them moves bodies. Contacts above `tolerance` are counted in islands that
// did not reach it.
void tal_solve_percussions(const tal_percussion_problem *problem, const tal_solver_work *work,
                           const uint8_t *is_wanted, const tal_solver_goal *goal,
                           tal_solver_result *result);

// Calls `work` for every island: those that many threads have to share one after the other, with the number of
// threads, then the others, several at the same time, with 1.
typedef void tal_island_work(void *context, int32_t island, int thread_count);
void tal_islands_loop(const tal_percussion_problem *problem, tal_island_work *work, void *context);

// Forgets the result of an island: contacts of it have changed.
void tal_forget_result(const tal_solver_work *work, int32_t number);

// Measures an island anew, into its result (iterations stay).
void tal_measure_island(const tal_percussion_problem *problem, const tal_solver_work *work,
                        int32_t number, double tolerance);

// Likewise; true if it is within the tolerance.
bool tal_island_is_solved(const tal_percussion_problem *problem, const tal_solver_work *work,
                          int32_t number, double tolerance);

// Sums the results of the islands up.
void tal_sum_islands(const tal_percussion_problem *problem, const tal_solver_work *work,
                     const uint8_t *is_wanted, tal_solver_result *result);

// W of contact k of a pair (nn n1 n2 11 12 22), into the contact.
void tal_contact_effective_mass(const tal_percussion_problem *problem, const tal_pair *pair,
                                int32_t k);

// Relative velocity of i against j at contact k of a pair, in its frame: now, and before the step.
void tal_contact_velocity(const tal_percussion_problem *problem, const tal_pair *pair, int32_t k,
                          double d[3]);
void tal_contact_velocity_before(const tal_percussion_problem *problem, const tal_pair *pair,
                                 int32_t k, double d[3]);

static inline bool tal_is_general(const tal_percussion_problem *problem, int32_t body) {
    if (problem->general_number != NULL) {
        return body < problem->body_count && problem->general_number[body] >= 0;
    }
    return body >= problem->body_count - problem->general_count && body < problem->body_count;
}

static inline const tal_general_body *tal_general(const tal_percussion_problem *problem,
                                                  int32_t body) {
    return &problem->general[problem->general_number != NULL
                                 ? problem->general_number[body]
                                 : body - (problem->body_count - problem->general_count)];
}

// Pairs, contacts, islands and colors fit each other, and pairs of one color share no mobile body.
// `scratch`: one number per body.
bool tal_problem_is_valid(const tal_percussion_problem *problem, int32_t *scratch);

// Sets the energy scale of all pairs from the velocities before and a least speed, and which of them flow: errors below
// `tolerance` times that speed never matter.
void tal_set_energy_scales(const tal_percussion_problem *problem, double speed_min);

// (33): the contact answers the velocity d at it. Its percussion becomes the solution of its own problem,
// `step` what that adds. True if it holds without sliding.
static inline bool tal_contact_answer(tal_contact *c, const double d[3], double step[3]) {
    const double *w = c->w, *old = c->percussion;
    const double q[3] = {d[0] - (w[0] * old[0] + w[1] * old[1] + w[2] * old[2]),
                         d[1] - (w[1] * old[0] + w[3] * old[1] + w[4] * old[2]),
                         d[2] - (w[2] * old[0] + w[4] * old[1] + w[5] * old[2])};
    double r[3];
    tal_law_solve(c, q, r);
    for (int f = 0; f < 3; f++) {
        step[f] = r[f] - old[f];
        c->percussion[f] = r[f];
    }
    const double radius = c->friction * r[0];
    return r[1] * r[1] + r[2] * r[2] < 0.9999 * radius * radius;
}

// The points of a patch that holds depend on each other more than on anything else: where all stands, a second round
// saves several sweeps.
static inline bool tal_is_visited_twice(const tal_pair *pair, bool holds) {
    return holds && pair->contact_count >= 3 && !pair->flows;
}

// Immobile bodies are shared between threads and never written.
static inline void tal_store_body_motion(const tal_percussion_problem *problem, int32_t body,
                                         const tal_rigid_motion *motion) {
    if (problem->inertia[body].inverse_mass > 0.0) {
        problem->motion[body] = *motion;
    }
}

#endif

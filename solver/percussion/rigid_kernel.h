// SPDX-License-Identifier: GPL-3.0-or-later
// The sweeps at a pair of rigid bodies: both motions are loaded once, the points are visited while all is
// in registers, and the motions are stored again. No calls but that of the law.
#ifndef TALUS_SOLVER_PERCUSSION_RIGID_KERNEL_H
#define TALUS_SOLVER_PERCUSSION_RIGID_KERNEL_H

#include "solver/percussion/contact_solver.h"

// Each point in turn solves its own problem exactly. True if a point holds without sliding.
static inline bool tal_rigid_visit_points(const tal_percussion_problem *problem,
                                          const tal_pair *pair, tal_rigid_motion *i,
                                          tal_rigid_motion *j) {
    const tal_inertia *inertia_i = &problem->inertia[pair->body_i];
    const tal_inertia *inertia_j = &problem->inertia[pair->body_j];
    bool holds = false;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        tal_contact *c = &problem->contact[k];
        double d[3], step[3];
        tal_relative_velocity(pair, c, i, j, d);
        holds = tal_contact_answer(c, d, step) || holds;
        if (step[0] != 0.0 || step[1] != 0.0 || step[2] != 0.0) {
            tal_apply_percussion(pair, c, step, inertia_i, inertia_j, i, j);
        }
    }
    return holds;
}

// The same on the ground, which neither moves nor takes anything: half of the work, the same bits.
static inline bool tal_rigid_visit_points_on_ground(const tal_percussion_problem *problem,
                                                    const tal_pair *pair, tal_rigid_motion *i) {
    const tal_inertia *inertia = &problem->inertia[pair->body_i];
    bool holds = false;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        tal_contact *c = &problem->contact[k];
        double d[3], step[3];
        tal_in_frame(pair, tal_velocity_at(i, c->arm_i), d);
        holds = tal_contact_answer(c, d, step) || holds;
        if (step[0] != 0.0 || step[1] != 0.0 || step[2] != 0.0) {
            tal_push_i(inertia, c->arm_i, tal_from_frame(pair, step), i);
        }
    }
    return holds;
}

static inline void tal_rigid_visit(const tal_percussion_problem *problem, const tal_pair *pair) {
    const bool on_ground = pair->body_j == problem->body_count;
    tal_rigid_motion i = problem->motion[pair->body_i], j = problem->motion[pair->body_j];
    for (int round = 0, rounds = 1; round < rounds; round++) {
        const bool holds = on_ground ? tal_rigid_visit_points_on_ground(problem, pair, &i)
                                     : tal_rigid_visit_points(problem, pair, &i, &j);
        rounds = tal_is_visited_twice(pair, holds) ? 2 : 1;
    }
    tal_store_body_motion(problem, pair->body_i, &i);
    tal_store_body_motion(problem, pair->body_j, &j);
}

// Adds the effect of a percussion per contact, `stride` numbers from one to the next, to `motion`.
static inline void tal_rigid_strike(const tal_percussion_problem *problem, const tal_pair *pair,
                                    const double *percussion, size_t stride,
                                    tal_rigid_motion *motion) {
    const tal_inertia *inertia_i = &problem->inertia[pair->body_i];
    const tal_inertia *inertia_j = &problem->inertia[pair->body_j];
    tal_rigid_motion i = motion[pair->body_i], j = motion[pair->body_j];
    for (int32_t n = 0; n < pair->contact_count; n++) {
        tal_apply_percussion(pair, &problem->contact[pair->first_contact + n],
                             &percussion[(size_t)n * stride], inertia_i, inertia_j, &i, &j);
    }
    if (inertia_i->inverse_mass > 0.0) {
        motion[pair->body_i] = i;
    }
    if (inertia_j->inverse_mass > 0.0) {
        motion[pair->body_j] = j;
    }
}

#endif

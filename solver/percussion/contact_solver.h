// SPDX-License-Identifier: GPL-3.0-or-later
// The contact problem of one step and its solution by block Gauss-Seidel, island by island and color
// by color, accelerated by a nonlinear conjugate gradient. Knows no model and no detection.
#ifndef TALUS_SOLVER_PERCUSSION_CONTACT_SOLVER_H
#define TALUS_SOLVER_PERCUSSION_CONTACT_SOLVER_H

#include "core/base/status.h"
#include "solver/law/law.h"
#include "solver/percussion/coloring.h"

#include <stdint.h>

// One cache line per body: a contact reads and writes all of it.
typedef struct {
    tal_vec3 v;
    double unused_v;
    tal_vec3 w;
    double unused_w;
} tal_motion;

typedef struct {
    double inverse_mass;       // 0: immobile
    double inverse_inertia[6]; // world axes: xx xy xz yy yz zz
    double unused;
} tal_inertia;

// Two bodies that touch and the points where they do; all points share the frame.
typedef struct {
    int32_t body_i, body_j; // the ground is the body number body_count
    int32_t first_contact, contact_count;
    int32_t law;      // entry of the law table
    int32_t manifold; // where it came from in the detection
    int32_t island;
    int32_t unused;
    double energy_scale; // m |u-|^2 of both: what errors are measured against
    tal_vec3 normal, tangent_1, tangent_2;
} tal_pair;

typedef struct {
    int32_t body_count;
    tal_motion *motion; // body_count + 1: free velocity plus the effect of the percussions
    const tal_inertia *inertia;
    int32_t pair_count;
    tal_pair *pair; // sorted by island, then color; pairs of one color share no mobile body
    int32_t contact_count;
    tal_contact *contact;
    int32_t island_count;
    const tal_island *island;
    const int32_t *island_body;
    const int32_t *color_end;
    int thread_count;
} tal_percussion_problem;

typedef struct {
    int iterations;
    double error; // sum over the contacts of their squared relative errors
    double worst; // largest of them
    int32_t unconverged_count;
} tal_island_result;

// Scratch of the accelerated sweeps.
typedef struct {
    double *change;    // 3 per contact, of the last sweep
    double *direction; // 3 per contact
    double *error;     // per contact, of the last residual
    double *pair_sum;  // 2 per pair: energy of the last change, and relative to its scale
    int32_t *listed;   // pair numbers: those being swept, each island in its own places
    uint8_t *is_listed;
    tal_island_result *island_result; // as many as bodies
    tal_motion *motion_start;         // per body
    tal_motion *motion_direction;
} tal_solver_work;

typedef struct {
    int iterations; // of the island that needed most
    double residual;
    int32_t unconverged_count;
} tal_solver_result;

// Adds the effect of the percussions stored in the contacts to the motion.
void tal_warm_start(const tal_percussion_problem *problem);

// When to stop. A few sweeps are always worth making: errors within the tolerance that have the same
// sign in every step would let a wall creep.
typedef struct {
    double tolerance;
    int sweeps_min, sweeps_max;
} tal_solver_goal;

// Sweeps each island until its measured residual is below the tolerance or the sweeps run out. Islands
// whose `is_wanted` is zero are left alone (NULL: all are wanted).
//
// The residual is the natural map e: root of the mean over contacts of W |e|^2 / energy_scale, W the
// mean inverse mass of a contact: each error against the energy of its own two bodies, so that a pile
// at rest is solved as well beside a falling block as alone. Loads that are merely carried do not
// count as size: an error in them moves bodies. Contacts above `tolerance` are counted in islands that
// did not reach it.
void tal_solve_percussions(const tal_percussion_problem *problem, const tal_solver_work *work,
                           const uint8_t *is_wanted, const tal_solver_goal *goal,
                           tal_solver_result *result);

// W of a contact (nn n1 n2 11 12 22) from the frame of its pair and its arms.
void tal_contact_effective_mass(const tal_percussion_problem *problem, const tal_pair *pair,
                                tal_contact *contact);

static inline tal_vec3 tal_apply_inertia(const tal_inertia *inertia, tal_vec3 t) {
    const double *m = inertia->inverse_inertia;
    return (tal_vec3){m[0] * t.x + m[1] * t.y + m[2] * t.z, m[1] * t.x + m[3] * t.y + m[4] * t.z,
                      m[2] * t.x + m[4] * t.y + m[5] * t.z};
}

static inline tal_vec3 tal_arm(const double arm[3]) {
    return (tal_vec3){arm[0], arm[1], arm[2]};
}

// Sets the energy scale of all pairs from the velocities before and a least speed: errors below
// `tolerance` times that speed never matter.
void tal_set_energy_scales(const tal_percussion_problem *problem, const tal_motion *before,
                           double speed_min);

// Immobile bodies are shared between threads and never written.
static inline void tal_store_body_motion(const tal_percussion_problem *problem, int32_t body,
                                         const tal_motion *motion) {
    if (problem->inertia[body].inverse_mass > 0.0) {
        problem->motion[body] = *motion;
    }
}

// Relative velocity of i against j at the contact, in the frame of the pair.
static inline void tal_relative_velocity(const tal_pair *pair, const tal_contact *contact,
                                         const tal_motion *i, const tal_motion *j, double d[3]) {
    const tal_vec3 of_i = tal_vec3_add(i->v, tal_vec3_cross(i->w, tal_arm(contact->arm_i)));
    const tal_vec3 of_j = tal_vec3_add(j->v, tal_vec3_cross(j->w, tal_arm(contact->arm_j)));
    const tal_vec3 u = tal_vec3_subtract(of_i, of_j);
    d[0] = tal_vec3_dot(pair->normal, u);
    d[1] = tal_vec3_dot(pair->tangent_1, u);
    d[2] = tal_vec3_dot(pair->tangent_2, u);
}

static inline void tal_apply_percussion(const tal_pair *pair, const tal_contact *contact,
                                        const double r[3], const tal_inertia *inertia_i,
                                        const tal_inertia *inertia_j, tal_motion *i,
                                        tal_motion *j) {
    const tal_vec3 p = {pair->normal.x * r[0] + pair->tangent_1.x * r[1] + pair->tangent_2.x * r[2],
                        pair->normal.y * r[0] + pair->tangent_1.y * r[1] + pair->tangent_2.y * r[2],
                        pair->normal.z * r[0] + pair->tangent_1.z * r[1] +
                            pair->tangent_2.z * r[2]};
    i->v = tal_vec3_add_scaled(i->v, inertia_i->inverse_mass, p);
    j->v = tal_vec3_add_scaled(j->v, -inertia_j->inverse_mass, p);
    const tal_vec3 torque_i = tal_vec3_cross(tal_arm(contact->arm_i), p);
    const tal_vec3 torque_j = tal_vec3_cross(tal_arm(contact->arm_j), p);
    i->w = tal_vec3_add(i->w, tal_apply_inertia(inertia_i, torque_i));
    j->w = tal_vec3_subtract(j->w, tal_apply_inertia(inertia_j, torque_j));
}

#endif

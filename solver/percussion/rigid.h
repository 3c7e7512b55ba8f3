// SPDX-License-Identifier: GPL-3.0-or-later
// Rigid bodies at a contact: velocity, percussion and inertia, for kernels that inline them.
#ifndef TALUS_SOLVER_PERCUSSION_RIGID_H
#define TALUS_SOLVER_PERCUSSION_RIGID_H

#include "solver/percussion/body.h"

// One cache line per body: a contact reads and writes all of it.
typedef struct {
    tal_vec3 v;
    double unused_v;
    tal_vec3 w;
    double unused_w;
} tal_rigid_motion;

typedef struct {
    double inverse_mass;       // 0: immobile
    double inverse_inertia[6]; // world axes: xx xy xz yy yz zz
    double unused;
} tal_inertia;

extern const tal_body_kind tal_rigid_kind; // solver/motion/rigid.c

// One body goes on for a time, ahead of the others. Returns the change of its potential energy.
double tal_rigid_advance_ahead(const tal_model *model, tal_state *state, int32_t b, double time);

// Change of potential energy by what those that are ahead will not go within h.
double tal_rigid_potential_not_gone(const tal_model *model, const tal_state *state, double h);

static inline tal_vec3 tal_apply_inertia(const tal_inertia *inertia, tal_vec3 t) {
    const double *m = inertia->inverse_inertia;
    return (tal_vec3){m[0] * t.x + m[1] * t.y + m[2] * t.z, m[1] * t.x + m[3] * t.y + m[4] * t.z,
                      m[2] * t.x + m[4] * t.y + m[5] * t.z};
}

static inline tal_vec3 tal_arm(const double arm[3]) {
    return (tal_vec3){arm[0], arm[1], arm[2]};
}

static inline tal_vec3 tal_velocity_at(const tal_rigid_motion *motion, const double arm[3]) {
    return tal_vec3_add(motion->v, tal_vec3_cross(motion->w, tal_arm(arm)));
}

static inline void tal_in_frame(const tal_pair *pair, tal_vec3 u, double d[3]) {
    d[0] = tal_vec3_dot(pair->normal, u);
    d[1] = tal_vec3_dot(pair->tangent_1, u);
    d[2] = tal_vec3_dot(pair->tangent_2, u);
}

static inline tal_vec3 tal_from_frame(const tal_pair *pair, const double r[3]) {
    return (tal_vec3){pair->normal.x * r[0] + pair->tangent_1.x * r[1] + pair->tangent_2.x * r[2],
                      pair->normal.y * r[0] + pair->tangent_1.y * r[1] + pair->tangent_2.y * r[2],
                      pair->normal.z * r[0] + pair->tangent_1.z * r[1] + pair->tangent_2.z * r[2]};
}

// Relative velocity of i against j at the contact, in the frame of the pair.
static inline void tal_relative_velocity(const tal_pair *pair, const tal_contact *contact,
                                         const tal_rigid_motion *i, const tal_rigid_motion *j,
                                         double d[3]) {
    tal_in_frame(
        pair,
        tal_vec3_subtract(tal_velocity_at(i, contact->arm_i), tal_velocity_at(j, contact->arm_j)),
        d);
}

// The two bodies of a pair take p and -p.
static inline void tal_push_i(const tal_inertia *inertia, const double arm[3], tal_vec3 p,
                              tal_rigid_motion *i) {
    i->v = tal_vec3_add_scaled(i->v, inertia->inverse_mass, p);
    i->w = tal_vec3_add(i->w, tal_apply_inertia(inertia, tal_vec3_cross(tal_arm(arm), p)));
}

static inline void tal_push_j(const tal_inertia *inertia, const double arm[3], tal_vec3 p,
                              tal_rigid_motion *j) {
    j->v = tal_vec3_add_scaled(j->v, -inertia->inverse_mass, p);
    j->w = tal_vec3_subtract(j->w, tal_apply_inertia(inertia, tal_vec3_cross(tal_arm(arm), p)));
}

static inline void tal_apply_percussion(const tal_pair *pair, const tal_contact *contact,
                                        const double r[3], const tal_inertia *inertia_i,
                                        const tal_inertia *inertia_j, tal_rigid_motion *i,
                                        tal_rigid_motion *j) {
    const tal_vec3 p = tal_from_frame(pair, r);
    tal_push_i(inertia_i, contact->arm_i, p, i);
    tal_push_j(inertia_j, contact->arm_j, p, j);
}

#endif

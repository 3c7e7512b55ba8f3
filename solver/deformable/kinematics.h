// SPDX-License-Identifier: GPL-3.0-or-later
// How a body that deforms moves between contacts: one row per kinematics.
#ifndef TALUS_SOLVER_DEFORMABLE_KINEMATICS_H
#define TALUS_SOLVER_DEFORMABLE_KINEMATICS_H

#include "solver/deformable/soft_body.h"
#include "solver/step/state.h"

typedef struct {
    const char *name;
    bool has_frame;
    // The field of an undeformed body that moves as a rigid one, from its pose and velocities.
    void (*begin)(tal_state *state, tal_soft_body *soft);
    // Positions for the time h, with constant rates.
    void (*advance)(tal_state *state, tal_soft_body *soft, double h);
    // Rotation, inertia, velocities before and without contacts.
    void (*load)(const tal_model *model, tal_state *state, tal_soft_body *soft);
    // One correction of `rate_free` for percussions (in soft->force, axes of the body); its size relative
    // to the velocities. NULL: linear, nothing to correct.
    double (*settle)(const tal_model *model, tal_state *state, tal_soft_body *soft);
    // Velocities after, from the change by the percussions (axes of the body).
    void (*store)(const tal_model *model, tal_state *state, tal_soft_body *soft,
                  const double *change);
    tal_energy (*energy)(const tal_state *state, const tal_soft_body *soft);
    tal_vec3 (*node_velocity)(const tal_state *state, const tal_soft_body *soft, int32_t node);
    // Moves the body as it is by a shift and a turn about its centre.
    void (*displace)(tal_state *state, tal_soft_body *soft, tal_vec3 shift, tal_quat turn);
    // Angular velocities from momenta and fields, for a state just read.
    void (*refresh)(tal_state *state, tal_soft_body *soft);
} tal_kinematics_row;

extern const tal_kinematics_row tal_floating_frame, tal_total_lagrangian, tal_corotational,
    tal_small_deformation, tal_pseudo_rigid;

const tal_kinematics_row *tal_kinematics_of(tal_kinematics kinematics);

// q' K q / 2 (K q is left in `kq`) and a . b over all nodes.
double tal_strain_energy(const tal_solid *solid, const double *q, double *kq);
double tal_field_dot(const tal_solid *solid, const double *a, const double *b);

// K q + D l of the linear kinematics for the positions q at which contacts are found and the rates
// before and after (NULL: none); into `force`.
void tal_linear_force(const tal_soft_body *soft, const double *q, const double *before,
                      const double *after, double *force);

// (7): the free rate of a linear body with displacement q and a load per node (a percussion) in
// soft->force.
void tal_linear_free_rate(tal_soft_body *soft, const double *q);

#endif

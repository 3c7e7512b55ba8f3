// SPDX-License-Identifier: GPL-3.0-or-later
// A body that deforms, in a state: its field of displacements, and what a step keeps of it. Bodies of
// this kind are struck at nodes of their surface; how they move in between is the business of their
// kinematics (a row each: kinematics.h).
#ifndef TALUS_SOLVER_DEFORMABLE_SOFT_BODY_H
#define TALUS_SOLVER_DEFORMABLE_SOFT_BODY_H

#include "solver/deformable/solid.h"
#include "solver/deformable/solid_kernel.h"
#include "solver/percussion/rigid.h"

// Where a contact takes hold of a body: nodes with weights, and the frame of its pair in the axes of
// the body.
typedef struct {
    int32_t count;
    int32_t node[4], slot[4], active[4]; // node; its places on the surface and among those touched
    double weight[4];
    double axis[3][3];
    // What a unit percussion along each axis of the pair does to the rates of all nodes touched.
    double *response; // 3 columns (tal_soft_column)
    double
        rigid_inverse_normal; // 1/W_NN of both bodies as rigid ones, of corrections; at the first side
} tal_soft_site;

// A product with M or K that several parts of a step ask for: of what it was made, and what came out. Both begin
// as zeros, which is right.
typedef struct {
    double *of, *product;
} tal_soft_product;

typedef struct {
    const tal_solid *solid;
    const tal_solid_level *level; // of the length of the piece of a step being made
    int32_t body;
    bool
        has_frame; // its motion begins with that of a rigid body; else that is for information only

    // What moves, 3 numbers per node. Floating frame: displacement and its rate, in the axes of the frame.
    // All others: position and velocity, world axes.
    double *field, *rate;
    double *stress; // mean over time, 6 numbers per element; NULL: not watched

    // Of a step. `rate_before` and `rate_free` are in the axes of the body: before, and without contacts.
    tal_mat3 rotation; // of the axes of the body
    tal_inertia inertia;
    tal_mat3 frame_inertia; // J(d), axes of the body (floating frame)
    double *rate_before, *rate_free, *force, *scratch, *other;
    double *substitution;                                    // scratch of tal_solid_solve
    tal_soft_product mass_field, mass_rate, stiffness_field; // last ones (floating frame)
    double displacement_max;
    bool is_struck;      // in this piece (tension.c)
    double elastic_work; // done against stiffness and damping in this step

    // The contact problem: velocities of the frame (8), then of the nodes that are touched.
    int32_t active_count;
    int32_t *active_slot;    // surface places of the nodes touched
    int32_t *active_of_slot; // -1: not touched
    double *motion, *before, *last;
    const tal_soft_site *site; // of all contacts: 2 per contact
} tal_soft_body;

// Length of a column of a response: whole vectors, the rest of the last is zero.
static inline int32_t tal_soft_column(const tal_soft_body *soft) {
    return (3 * soft->active_count + TAL_SOLID_LANES - 1) / TAL_SOLID_LANES * TAL_SOLID_LANES;
}

// The row of the seam: one for all kinematics.
extern const tal_body_kind tal_soft_kind;

static inline tal_vec3 tal_node_value(const double *field, int32_t node) {
    return (tal_vec3){field[3 * node], field[3 * node + 1], field[3 * node + 2]};
}

static inline void tal_node_set(double *field, int32_t node, tal_vec3 value) {
    field[3 * node] = value.x;
    field[3 * node + 1] = value.y;
    field[3 * node + 2] = value.z;
}

// Where a node is.
tal_vec3 tal_soft_node_place(const tal_state *state, const tal_soft_body *soft, int32_t node);

// Mean stress of an element (world axes) and the middle of it (stress.c).
tal_mat3 tal_soft_element_stress(const tal_state *state, const tal_soft_body *soft,
                                 int32_t element);
tal_vec3 tal_soft_element_place(const tal_state *state, const tal_soft_body *soft, int32_t element);

tal_status tal_soft_create(const tal_model *model, tal_state *state, tal_error *err);

// Contacts of the step at nodes of the surfaces, after tal_list_contacts (soft_contacts.c).
tal_status tal_soft_list_contacts(const tal_model *model, tal_state *state, tal_error *err);

// Where the contacts laid out in the problem take hold of soft bodies (soft_contacts.c).
tal_status tal_soft_place_contacts(const tal_model *model, tal_state *state, tal_error *err);

// Moves a body as it is, and turns its velocities with it.
void tal_soft_displace(const tal_model *model, tal_state *state, int32_t body, tal_vec3 shift,
                       tal_vec3 turn);

// After the sweeps: motions of the frames for whoever asks for rigid ones; and what is not linear in a
// body. True if the percussions have to be solved again.
void tal_soft_share_motion(const tal_model *model, tal_state *state);
bool tal_soft_settle(const tal_model *model, tal_state *state);

// Of one body; of a rigid one nothing.
tal_energy tal_soft_energy(const tal_model *model, const tal_state *state, int32_t body);

// Work done against stiffness and damping in the step.
double tal_soft_elastic_work(const tal_model *model, const tal_state *state);

// Angular velocities of a state just read.
void tal_soft_refresh(const tal_model *model, tal_state *state);

// Fields and rates are finite.
bool tal_soft_is_valid(const tal_model *model, const tal_state *state);

#endif

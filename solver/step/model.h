// SPDX-License-Identifier: GPL-3.0-or-later
// The model: what is constant in a run.
#ifndef TALUS_SOLVER_STEP_MODEL_H
#define TALUS_SOLVER_STEP_MODEL_H

#include "solver/constraint/time_series.h"
#include "solver/deformable/solid.h"
#include "solver/detect/collide.h"
#include "solver/detect/shape.h"
#include "solver/detect/terrain.h"
#include "solver/include/talus_solver.h"

#include <stddef.h>

typedef struct {
    double time;
    tal_vec3 v, w;
} tal_series_entry;

typedef struct {
    int32_t body, count;
    size_t first; // entry
} tal_series;

// A row of the contact problem that a constraint makes (constraint/joint.h).
typedef struct {
    int32_t body_i, body_j; // i < j, or j = TAL_BODY_TERRAIN: space
    tal_hold hold;
    int32_t side; // of a link with a gap: +1 not shorter, -1 not longer than `length`; 0: two-sided
    int32_t constraint;
    double reaction_sign;      // -1: bodies stand the other way round than the caller gave them
    tal_vec3 point_i, point_j; // body axes; in space, world axes
    tal_vec3 direction;        // unit
    double length;             // of a link; of a direction, how far apart the points start
    tal_drive drive;
    double start_speed;
    size_t first; // entry of the drive
    int32_t count;
} tal_joint;
struct tal_ground {
    tal_terrain terrain;
    bool has_overhang;      // a triangle that faces down: "below the ground" has no meaning
    int32_t class_high;     // greatest surface class
    uint8_t *is_class_used; // class_high + 1
    uint64_t fingerprint;
};

struct tal_model {
    tal_shapes shapes;
    tal_ground *own_ground;   // NULL where the ground is shared
    const tal_ground *ground; // NULL: none
    int32_t body_count;
    int32_t *shape_of_body;
    int32_t *class_of_body;
    uint8_t *is_fixed;     // stands still
    uint8_t *is_immovable; // by percussions: fixed, or follows a series
    uint8_t *is_loaded;    // follows a series, or a point force acts on it
    double *mass;
    tal_vec3 *inertia; // principal moments
    tal_vec3 *start_position;
    tal_quat *start_orientation;
    tal_vec3 *start_velocity;
    tal_vec3 *start_spin;
    double *inner_radius;            // of the largest ball about the centroid that fits inside
    int32_t solid_count, soft_count; // soft bodies: those that deform
    tal_solid *solid;
    int32_t *solid_of_body; // -1: rigid. NULL where all are, as is the next
    int32_t *soft_of_body;  // its number among the soft bodies
    int32_t *soft_body;     // their numbers among all bodies
    int32_t weak_plane_count;
    tal_weak_plane *weak_plane; // in the order of bodies
    int32_t *weak_start;        // per soft body and one more: into weak_plane
    int32_t series_count, force_count;
    size_t series_entry_count;
    tal_series *series;
    tal_series_entry *series_entry;
    tal_point_force *force;
    int32_t gravity_count;
    tal_series_entry *gravity_entry; // v: the change against settings.gravity_mps2
    int32_t constraint_count, joint_count, excluded_count;
    size_t joint_entry_count;
    tal_joint *joint; // sorted by bodies
    tal_time_entry *joint_entry;
    uint64_t *excluded; // sorted
    int32_t class_count;
    tal_law *law;          // class_count x class_count, and behind them that of all joints
    bool needs_trails;     // a law asks how bodies came here (motion/trail.h)
    uint8_t *passes;       // the same: 1 where bodies of the two classes go through each other
    double smallest_width; // of all bodies
    tal_solver_settings settings;
    uint64_t fingerprint; // of all of the above: a checkpoint belongs to one model
};

// Faults of the terrain's arrays (model_check.c).
tal_status tal_ground_check_input(const tal_model_input *input, tal_error *err);

// All that can be wrong with the arrays, all at once (model_check.c).
tal_status tal_model_check_input(const tal_model_input *input, tal_error *err);

// One law of two classes.
tal_status tal_model_check_law(int32_t class_i, int32_t class_j, const tal_law *law,
                               tal_error *err);

// Overlaps at the start and bodies below the ground; needs the finished geometry.
tal_status tal_model_check_start(const tal_model *model, tal_error *err);

// Contacts without any reach at the start (state.c).
tal_status tal_state_find_overlaps(const tal_model *model, tal_state *state, tal_manifolds *found,
                                   tal_error *err);

static inline bool tal_is_soft(const tal_model *model, int32_t body) {
    return model->soft_count > 0 && body >= 0 && body < model->body_count &&
           model->soft_of_body[body] >= 0;
}

// Solids of the input, and which bodies are made of them (model_solids.c).
tal_status tal_model_create_solids(tal_model *model, const tal_model_input *input, tal_error *err);
void tal_model_destroy_solids(tal_model *model);
uint64_t tal_model_hash_solids(uint64_t hash, const tal_model *model);

static inline const tal_terrain *tal_model_terrain(const tal_model *model) {
    return model->ground != NULL ? &model->ground->terrain : NULL;
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The model: what is constant in a run.
#ifndef TALUS_SOLVER_STEP_MODEL_H
#define TALUS_SOLVER_STEP_MODEL_H

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
    double *inner_radius; // of the largest ball about the centroid that fits inside
    int32_t series_count, force_count;
    size_t series_entry_count;
    tal_series *series;
    tal_series_entry *series_entry;
    tal_point_force *force;
    int32_t class_count;
    tal_law *law;          // class_count x class_count
    uint8_t *passes;       // the same: 1 where bodies of the two classes go through each other
    double smallest_width; // of all bodies
    tal_solver_settings settings;
    uint64_t fingerprint; // of all of the above: a checkpoint belongs to one model
};

// Faults of the terrain's arrays (model_check.c).
tal_status tal_ground_check_input(const tal_model_input *input, tal_error *err);

// All that can be wrong with the arrays, all at once (model_check.c).
tal_status tal_model_check_input(const tal_model_input *input, tal_error *err);

// Overlaps at the start and bodies below the ground; needs the finished geometry.
tal_status tal_model_check_start(const tal_model *model, tal_error *err);

// Contacts without any reach at the start (state.c).
tal_status tal_state_find_overlaps(const tal_model *model, tal_state *state, tal_manifolds *found,
                                   tal_error *err);

static inline const tal_terrain *tal_model_terrain(const tal_model *model) {
    return model->ground != NULL ? &model->ground->terrain : NULL;
}

#endif

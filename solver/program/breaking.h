// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that break: which of them, the pieces they become, and how files speak of them. Pieces are bodies
// of their own behind all others; what they are made of is taken out. In run.nc the pieces that are left at
// the end are blocks from the beginning on, and move with the block they were part of until it breaks.
// (docs/theory/deformable.md, "Breaking".)
#ifndef TALUS_SOLVER_PROGRAM_BREAKING_H
#define TALUS_SOLVER_PROGRAM_BREAKING_H

#include "solver/program/journal.h"
#include "solver/program/scene.h"

// Pose of a body in the axes of the body that it was part of.
typedef struct {
    int32_t parent; // -1: a block of blocks.nc
    double born_s;
    tal_vec3 offset;
    tal_quat turn;
} tal_piece;

typedef struct {
    bool is_on;
    const tal_settings *settings;
    int32_t block_count, capacity; // blocks of blocks.nc; bodies at most
    int32_t solid_count;           // solids of these blocks
    int32_t weak_plane_count;      // planes of weakness of these blocks
    tal_piece *piece;              // per body
    // Arrays of the scene's input, which a piece is appended to.
    tal_shape_input *shape;
    int32_t *body_shape, *body_class, *body_solid;
    double *mass;
    tal_vec3 *inertia, *position, *velocity, *spin;
    tal_quat *orientation;
    tal_solid_input *solid;
    tal_weak_plane *weak_plane;

    int32_t broken_count, along_joints;
    double area_m2, surface_j, released_j; // sums
} tal_breaking;

// Makes room behind the blocks of the scene. Nothing where the site file does not ask for it.
tal_status tal_breaking_begin(tal_breaking *breaking, tal_solve_scene *scene,
                              const tal_settings *settings, tal_error *err);

// The blocks that break after a step: at most `capacity` of them; how many.
tal_status tal_breaking_find(const tal_breaking *breaking, const tal_solve_scene *scene,
                             const tal_model *model, const tal_state *state, tal_break *list,
                             int32_t capacity, int32_t *count, tal_error *err);

// Appends the two pieces of a block that broke to the scene.
tal_status tal_breaking_add(tal_breaking *breaking, tal_solve_scene *scene, const tal_break *b,
                            tal_error *err);

// As if nothing had broken.
void tal_breaking_reset(tal_breaking *breaking, tal_solve_scene *scene);

#endif

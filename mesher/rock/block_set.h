// SPDX-License-Identifier: GPL-3.0-or-later
// All blocks, as flat ragged arrays in the order they were made.
#ifndef TALUS_MESHER_ROCK_BLOCK_SET_H
#define TALUS_MESHER_ROCK_BLOCK_SET_H

#include "core/base/status.h"
#include "core/geometry/mass_properties.h"
#include "core/geometry/polyhedron.h"

#include <stdint.h>

// One block. Vertices are in local coordinates of the study until tal_block_set_finish, in body axes
// after it.
typedef struct {
    double volume;      // of the shape
    double rock_volume; // of the rock it stands for: its own and that of dropped slivers
    double density;     // kg/m3; 0: that of the rock
    double mass;
    double inertia[3];
    tal_vec3 position; // of the centroid, local
    double orientation[4];
    tal_vec3 velocity;
    tal_vec3 angular_velocity;
    double sphere_radius; // 0 for polyhedra
} tal_block;

typedef struct {
    int32_t block_count, block_capacity;
    tal_block *block;
    int32_t *vertex_start, *face_start; // block_count + 1
    int32_t vertex_count, vertex_capacity;
    tal_vec3 *vertex;
    int32_t face_count, face_capacity;
    int32_t *corner_start; // face_count + 1
    int32_t corner_count, corner_capacity;
    int32_t *corner; // vertex numbers local to the block
} tal_block_set;

// Starts as {0}.
void tal_block_set_destroy(tal_block_set *set);

// Copies a closed surface in local coordinates and measures it.
tal_status tal_block_set_add(tal_block_set *set, const tal_surface *surface, double rock_volume,
                             tal_error *err);
tal_status tal_block_set_add_sphere(tal_block_set *set, tal_vec3 centre, double radius,
                                    tal_error *err);

// The surface of a block; corner numbers are local to its vertices.
tal_surface tal_block_set_surface(const tal_block_set *set, int32_t block);

// Turns every block into body axes and sets its mass: density times rock, times one factor.
void tal_block_set_finish(tal_block_set *set, double density_kg_m3, double factor);

#endif

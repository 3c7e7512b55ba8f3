// SPDX-License-Identifier: GPL-3.0-or-later
// The triangles of the ground near the source, and how deep a block reaches below them, exactly.
#ifndef TALUS_MESHER_TERRAIN_NEAR_GROUND_H
#define TALUS_MESHER_TERRAIN_NEAR_GROUND_H

#include "core/base/status.h"
#include "core/geometry/polyhedron.h"
#include "mesher/terrain/terrain_mesh.h"

#include <stdint.h>

typedef struct {
    int32_t triangle_count;
    tal_vec3 *corner;         // three per triangle, counter-clockwise seen from above
    double west, south, edge; // buckets
    int32_t columns, rows;
    int32_t *start; // columns * rows + 1
    int32_t *list;
} tal_near_ground;

// Triangles that reach into the rectangle from `low` to `high`.
tal_status tal_near_ground_create(tal_near_ground *ground, const tal_terrain_mesh *mesh,
                                  tal_vec3 low, tal_vec3 high, tal_error *err);
void tal_near_ground_destroy(tal_near_ground *ground);

// A point of a block below the ground: `depth` is vertical.
typedef struct {
    double depth;
    double x, y, ground;
} tal_deep_point;

// Replaces `deepest` when the block reaches deeper than it says anywhere.
void tal_near_ground_find_deepest(const tal_near_ground *ground, const tal_polyhedron *block,
                                  tal_deep_point *deepest);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Roughness of the ground below the resolution of its terrain: triangles of rough classes are cut until no edge
// is longer than the bumps, and every corner is lifted or lowered by an amount that is drawn once for its
// place. It is geometry like any other, so blocks much larger than the bumps feel nothing of it.
#ifndef TALUS_SOLVER_DETECT_ROUGHNESS_H
#define TALUS_SOLVER_DETECT_ROUGHNESS_H

#include "core/base/math3_types.h"
#include "core/base/status.h"

#include <stdint.h>

// Of one surface class.
typedef struct {
    double height; // corners are moved by up to this, up or down; 0: smooth
    double length; // of the edges, at most
} tal_roughness;

// A terrain that owns its arrays.
typedef struct {
    int32_t vertex_count, triangle_count;
    tal_vec3 *vertex;
    int32_t *triangle;      // 3 each
    int32_t *surface_class; // per triangle
} tal_rough_terrain;

// Makes a terrain rough in place. `of_class` has one entry per class. Corners that a smooth triangle
// shares stay where they are. Neither the order of the triangles nor the numbers of the corners
// change what is drawn for a place (to a millimetre).
tal_status tal_terrain_roughen(tal_rough_terrain *terrain, const tal_roughness *of_class,
                               int32_t class_count, uint64_t seed, tal_error *err);

void tal_rough_terrain_destroy(tal_rough_terrain *terrain);

#endif

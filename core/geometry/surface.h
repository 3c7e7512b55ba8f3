// SPDX-License-Identifier: GPL-3.0-or-later
// Closed surfaces of planar faces: the one form in which a polyhedron is handed to functions.
#ifndef TALUS_CORE_GEOMETRY_SURFACE_H
#define TALUS_CORE_GEOMETRY_SURFACE_H

#include "core/base/math3.h"

#include <stdint.h>

// Face f is the loop corner[corner_start[f] .. corner_start[f+1]) of vertex numbers,
// counter-clockwise seen from outside. corner_start[0] need not be zero. Nothing is owned.
typedef struct {
    const tal_vec3 *vertex;
    int32_t vertex_count;
    const int32_t *corner_start; // face_count + 1
    int32_t face_count;
    const int32_t *corner;
} tal_surface;

static inline int32_t tal_surface_loop_size(const tal_surface *surface, int32_t face) {
    return surface->corner_start[face + 1] - surface->corner_start[face];
}

// Six times the signed volume of the tetrahedron (0, a, b, c).
static inline double tal_tetrahedron_six(tal_vec3 a, tal_vec3 b, tal_vec3 c) {
    return tal_vec3_dot(a, tal_vec3_cross(b, c));
}

// Exact for any closed surface, convex or not; negative where the faces are wound inwards.
double tal_surface_volume(const tal_surface *surface);

// The smallest box around it; without vertices `low` is +INFINITY and `high` -INFINITY.
void tal_surface_bounds(const tal_surface *surface, tal_vec3 *low, tal_vec3 *high);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// How a caller describes the shapes of bodies: convex polyhedra and spheres, in their own axes (centroid
// at the origin, principal axes of inertia).
#ifndef TALUS_SHAPE_H
#define TALUS_SHAPE_H

#include "core/base/math3_types.h"

#include <stdint.h>

// Stands where the number of a body would, and means the ground (or, for constraints, space).
enum { TAL_BODY_TERRAIN = -1 };

typedef enum { TAL_SHAPE_POLYHEDRON, TAL_SHAPE_SPHERE } tal_shape_kind;

// What a caller hands over to describe one shape in body axes; loops may be any planar polygons.
typedef struct {
    tal_shape_kind kind;
    double radius;
    int32_t vertex_count;
    const tal_vec3 *vertex;
    int32_t face_count;
    const int32_t *loop_size;   // per face
    const int32_t *loop_vertex; // all loops one after another
} tal_shape_input;

#endif

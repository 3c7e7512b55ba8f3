// SPDX-License-Identifier: GPL-3.0-or-later
// The shapes of the bodies: convex polyhedra and spheres, in their own axes (centroid at the
// origin, principal axes of inertia), as flat ragged arrays.
#ifndef TALUS_SOLVER_SHAPE_H
#define TALUS_SOLVER_SHAPE_H

#include "core/status.h"
#include "solver/math3.h"

#include <stdint.h>

typedef enum { TAL_SHAPE_POLYHEDRON, TAL_SHAPE_SPHERE } tal_shape_kind;

// Shape s owns vertices [vertex_start[s], vertex_start[s+1]), faces [face_start[s], ...), edges
// [edge_start[s], ...). Face f owns the loop face_vertex[loop_start[f] .. loop_start[f+1]) of vertex
// numbers local to the shape, counter-clockwise seen from outside. Edge e joins edge_vertex[2e] and
// edge_vertex[2e+1] (local) and separates faces edge_face[2e] and edge_face[2e+1] (local).
// A sphere owns no vertices; sphere_radius is its radius, zero for polyhedra.
typedef struct {
    int32_t shape_count;
    tal_shape_kind *kind;
    double *sphere_radius;
    double *bounding_radius; // about the centroid
    double *smallest_edge;   // shortest edge, or the diameter of a sphere
    int32_t *vertex_start;
    tal_vec3 *vertex;
    int32_t *face_start;
    int32_t *loop_start;
    int32_t *face_vertex;
    tal_vec3 *face_normal;
    double *face_offset; // normal . x = offset on the face
    int32_t *edge_start;
    int32_t *edge_vertex;
    int32_t *edge_face;
} tal_shapes;

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

// Copies and checks: closed, convex to 1e-9 of its size, outward normals, Euler 2, planar faces.
// All faults are reported together, each with the number of the shape.
tal_status tal_shapes_create(tal_shapes *shapes, const tal_shape_input *inputs, int32_t count,
                             tal_error *err);
void tal_shapes_destroy(tal_shapes *shapes);

#endif

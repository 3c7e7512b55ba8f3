// SPDX-License-Identifier: GPL-3.0-or-later
// The shapes of the bodies: convex polyhedra and spheres, in their own axes (centroid at the
// origin, principal axes of inertia), as flat ragged arrays.
#ifndef TALUS_SOLVER_DETECT_SHAPE_H
#define TALUS_SOLVER_DETECT_SHAPE_H

#include "core/base/math3.h"
#include "core/base/status.h"
#include "solver/include/talus_shape.h"

#include <stdbool.h>
#include <stdint.h>

// Number of a vertex, face, edge or edge direction within its shape: a shape with more of them is refused. Of 100,000
// irregular blocks such numbers take 0.1 GB.
typedef uint16_t tal_shape_index;
enum { TAL_SHAPE_INDEX_MAX = UINT16_MAX };

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
    double *smallest_width; // least extent across a face: the shortest edge of a box, and still the
                            // size of a body whose corner was cut off by a hair
    int32_t *vertex_start;
    tal_vec3 *vertex;
    int32_t *face_start;
    int32_t *loop_start;
    tal_shape_index *face_vertex;
    tal_vec3 *face_normal;
    double *face_offset; // normal . x = offset on the face
    int32_t *edge_start;
    tal_shape_index *edge_vertex;
    tal_shape_index *edge_face;
    // Derived once for contact detection.
    tal_shape_index *loop_edge; // per loop entry: the edge (local) from this vertex to the next one
    int32_t *vertex_face_start; // per vertex, one more than there are vertices
    tal_shape_index *vertex_face; // the faces (local) around each vertex
    double *face_area;
    int32_t *axis_start; // per shape: its distinct edge directions (opposite ones count once)
    tal_shape_index *axis_edge; // an edge (local) that has the direction
    tal_shape_index *edge_axis; // per edge: its direction (local)
    int8_t *edge_sign;          // per edge: 1 along that direction, -1 against it
    // The lowest shape with the same loops, edges and edge directions: thousands of boxes read the
    // tables of one and keep them in the nearest cache.
    int32_t *topology;
    uint8_t *is_box; // 1 for a parallelepiped about the origin: corners +-a +-b +-c
} tal_shapes;

enum { TAL_FACE_CORNERS_MAX = 64 }; // a face with more corners is refused

// edge_face[2e] walks edge e from edge_vertex[2e] to edge_vertex[2e+1], so the edge has the direction
// of (its normal) x (the normal of edge_face[2e+1]). Coplanar neighbouring faces of the input are
// joined into one, so that a triangulated cube has six faces.

// Copies and checks: closed, convex to 1e-9 of its size, outward normals, Euler 2, planar faces.
// All faults are reported together, each with the number of the shape.
tal_status tal_shapes_create(tal_shapes *shapes, const tal_shape_input *inputs, int32_t count,
                             tal_error *err);
void tal_shapes_destroy(tal_shapes *shapes);

// Whether a point that is projected onto the plane of face f (of all) of a shape, in the axes of the shape, lies in
// the face, or beyond its sides by no more than `slack`. Asked rarely: what it needs would take half of the memory of
// all shapes.
bool tal_shape_face_holds(const tal_shapes *shapes, int32_t shape, int32_t f, tal_vec3 point,
                          double slack);

#endif

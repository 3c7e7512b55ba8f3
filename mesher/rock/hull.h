// SPDX-License-Identifier: GPL-3.0-or-later
// Convex hulls, Delaunay triangulations and halfspace intersections by qhull (reentrant). Its
// longjmp stays inside hull.c.
#ifndef TALUS_MESHER_ROCK_HULL_H
#define TALUS_MESHER_ROCK_HULL_H

#include "core/base/status.h"
#include "core/geometry/halfspace.h"
#include "core/geometry/mass_properties.h"

#include <stdint.h>

// A convex polyhedron of any size.
typedef struct {
    int32_t vertex_count;
    tal_vec3 *vertex;
    int32_t face_count;
    int32_t *corner_start; // face_count + 1
    int32_t *corner;       // counter-clockwise seen from outside
} tal_hull;

// The hull of points in space. Fails with TAL_BAD_INPUT when they lie in a plane; `what` begins the
// message.
tal_status tal_hull_create(tal_hull *hull, const tal_vec3 *points, int64_t count, const char *what,
                           tal_error *err);
void tal_hull_destroy(tal_hull *hull);
tal_surface tal_hull_surface(const tal_hull *hull);

// About `vertices_max` vertices of the hull, those farthest out in evenly spread directions; their
// hull lies inside. A hull that is small enough is copied.
tal_status tal_hull_simplify(tal_hull *simple, const tal_hull *hull, int vertices_max,
                             const char *what, tal_error *err);

// Triangles (three point numbers each) of the Delaunay triangulation of points in the plane; z is
// ignored. Freed with tal_memory_destroy.
tal_status tal_hull_delaunay(const tal_vec3 *points, int64_t count, int32_t **triangles,
                             int32_t *triangle_count, tal_error *err);

// The polyhedron inside all planes; `inside` must be strictly inside each.
tal_status tal_hull_of_halfspaces(tal_hull *hull, const tal_halfspace *planes, int64_t count,
                                  tal_vec3 inside, tal_error *err);

#endif

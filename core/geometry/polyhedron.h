// SPDX-License-Identifier: GPL-3.0-or-later
// Small convex polyhedra of fixed capacity and their cutting by planes: the working form of a block.
#ifndef TALUS_CORE_GEOMETRY_POLYHEDRON_H
#define TALUS_CORE_GEOMETRY_POLYHEDRON_H

#include "core/base/status.h"
#include "core/geometry/halfspace.h"
#include "core/geometry/surface.h"

#include <stdint.h>

// A simple polyhedron of F faces has 2F - 4 vertices and 6F - 12 corners.
enum {
    TAL_POLYHEDRON_FACES = 120,
    TAL_POLYHEDRON_VERTICES = 2 * TAL_POLYHEDRON_FACES,
    TAL_POLYHEDRON_CORNERS = 6 * TAL_POLYHEDRON_FACES
};

typedef struct {
    int32_t vertex_count;
    int32_t face_count;
    tal_vec3 vertex[TAL_POLYHEDRON_VERTICES];
    int32_t corner_start[TAL_POLYHEDRON_FACES + 1];
    int32_t corner[TAL_POLYHEDRON_CORNERS]; // loops, counter-clockwise seen from outside
} tal_polyhedron;

typedef enum {
    TAL_CUT_MISSED, // the plane does not pass through: nothing changed
    TAL_CUT_DONE,
    TAL_CUT_EMPTY, // all of it is outside: nothing is left
    TAL_CUT_FAILED // the capacity is exhausted: unchanged
} tal_cut;

// From the smallest to the largest corner.
void tal_polyhedron_box(tal_polyhedron *polyhedron, tal_vec3 low, tal_vec3 high);

// Keeps the part inside the halfspace. Vertices nearer to the plane than 1e-11 of the size count as
// lying on it, so that no sliver thinner than that ever appears.
tal_cut tal_polyhedron_cut(tal_polyhedron *polyhedron, tal_halfspace plane);

// `inside` and `outside` receive the two parts; empty parts have no vertices. False: capacity.
bool tal_polyhedron_split(const tal_polyhedron *polyhedron, tal_halfspace plane,
                          tal_polyhedron *inside, tal_polyhedron *outside);

// Copies the used part only.
void tal_polyhedron_copy(tal_polyhedron *target, const tal_polyhedron *source);

tal_surface tal_polyhedron_surface(const tal_polyhedron *polyhedron);
double tal_polyhedron_volume(const tal_polyhedron *polyhedron);
void tal_polyhedron_bounds(const tal_polyhedron *polyhedron, tal_vec3 *low, tal_vec3 *high);

// Outward planes, one per face.
void tal_polyhedron_planes(const tal_polyhedron *polyhedron, tal_halfspace *planes);

// Heights at which the vertical line through (x, y) enters and leaves; false when it misses.
bool tal_halfspaces_column(const tal_halfspace *planes, int32_t count, double x, double y,
                           double *low, double *high);

// What is wrong with a surface that should be a convex polyhedron, to `tolerance` times its size;
// NULL when nothing is.
const char *tal_surface_fault(const tal_surface *surface, double tolerance);

#endif

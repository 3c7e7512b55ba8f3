// SPDX-License-Identifier: GPL-3.0-or-later
// A closed convex polyhedron over a grid: how much of it stands over each cell, exactly, and how
// high it is at a point.
#ifndef TALUS_POSTPROC_MEASURE_POLYHEDRON_H
#define TALUS_POSTPROC_MEASURE_POLYHEDRON_H

#include "core/geo/grid.h"

#include <stdint.h>

// Faces are loops of corners, counter-clockwise seen from outside. Nothing is owned.
typedef struct {
    int32_t vertex_count;
    int32_t face_count;
    const double *vertex;      // 3 per vertex, in the coordinates of the grid
    const int32_t *face_start; // first corner of each face, face_count + 1 entries
    const int32_t *corner;     // vertex numbers, corner[face_start[0]] is the first
} tal_polyhedron;

typedef struct {
    double low[3];
    double high[3];
} tal_box;

tal_box tal_polyhedron_box(const tal_polyhedron *body);
double tal_polyhedron_volume(const tal_polyhedron *body);

// Adds to `volume` (one value per cell) the part of the body that stands over each cell. Returns
// the part that stands over no cell. Exact but for rounding: every face is cut at the cell borders
// and the height under it is integrated in closed form.
double tal_polyhedron_add_columns(const tal_polyhedron *body, const tal_grid *grid, double *volume);

// Height of the upper surface on the vertical through (x, y); -INFINITY where the body is not hit.
double tal_polyhedron_top(const tal_polyhedron *body, double x, double y);
// Height of the lower surface; INFINITY where it is not hit.
double tal_polyhedron_bottom(const tal_polyhedron *body, double x, double y);

// Outline of the body seen from above, counter-clockwise: writes at most vertex_count points (x, y)
// and returns their number. `order` is scratch for 3 * vertex_count + 2 numbers.
int32_t tal_polyhedron_footprint(const tal_polyhedron *body, double *xy, int32_t *order);

#endif

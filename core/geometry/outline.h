// SPDX-License-Identifier: GPL-3.0-or-later
// Outlines of the connected parts of a grid as polygons with holes, along the sides of its cells.
#ifndef TALUS_CORE_GEOMETRY_OUTLINE_H
#define TALUS_CORE_GEOMETRY_OUTLINE_H

#include "core/geometry/components.h"

// A polygon per part, in the order of the parts' numbers. Outer rings run counter-clockwise, holes
// clockwise, each polygon's outer ring first; vertices stand at turns only and none is repeated.
typedef struct {
    int32_t polygon_count;
    int32_t ring_count;
    int32_t vertex_count;
    int32_t *polygon_start; // first ring, polygon_count + 1
    int32_t *ring_start;    // first vertex, ring_count + 1
    double *x, *y;
} tal_outline;

// Where the corners of the cells are: (west, north) is the outer corner of the first cell, columns
// run east, rows south.
typedef struct {
    double west, north, cell;
} tal_cell_frame;

// Parts must be connected over edges: those that touch only at a corner are separate polygons.
tal_status tal_outline_trace(tal_outline *outline, const tal_components *parts,
                             tal_cell_frame lattice, tal_error *err);
void tal_outline_destroy(tal_outline *outline);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Regions of a grid given by a mask: connected parts and their outlines.
#ifndef TALUS_POSTPROC_MEASURE_REGION_H
#define TALUS_POSTPROC_MEASURE_REGION_H

#include "core/geo/grid.h"

#include <stdint.h>

// Keeps the largest connected part of the mask (cells that share a side or a corner; the first in
// reading order among equals). Returns its number of cells.
tal_status tal_region_keep_largest(uint8_t *mask, const tal_grid *grid, size_t *cells,
                                   tal_error *err);

// Outlines along cell sides: outer rings counter-clockwise, holes clockwise, each polygon's outer
// ring first. Parts that touch only at a corner are separate polygons.
typedef struct {
    int32_t polygon_count;
    int32_t ring_count;
    int32_t vertex_count;
    int32_t *polygon_start; // first ring, polygon_count + 1
    int32_t *ring_start;    // first vertex, ring_count + 1
    double *x, *y;          // in the grid's coordinates
} tal_outline;

tal_status tal_outline_create(tal_outline *outline, const uint8_t *mask, const tal_grid *grid,
                              tal_error *err);
void tal_outline_destroy(tal_outline *outline);

#endif

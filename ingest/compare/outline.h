// SPDX-License-Identifier: GPL-3.0-or-later
// Outlines of connected parts of a grid as polygons with holes, along the cells' edges.
#ifndef TALUS_INGEST_COMPARE_OUTLINE_H
#define TALUS_INGEST_COMPARE_OUTLINE_H

#include "core/geo/grid.h"
#include "ingest/compare/components.h"

// Rings of one part: the outer one first, counter-clockwise, then holes, clockwise; no vertex
// repeated.
typedef struct {
    int32_t ring_count;
    int32_t *ring_start; // ring_count + 1
    double *x, *y;
} tal_outline;

tal_status tal_outline_trace(tal_outline *outline, const tal_components *parts, int32_t number,
                             const tal_grid *grid, tal_error *err);
void tal_outline_destroy(tal_outline *outline);

#endif

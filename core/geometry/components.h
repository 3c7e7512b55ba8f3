// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts of a mask on a grid, and morphology on masks.
#ifndef TALUS_CORE_GEOMETRY_COMPONENTS_H
#define TALUS_CORE_GEOMETRY_COMPONENTS_H

#include "core/base/status.h"

#include <stdint.h>

// Parts are numbered in the order of their first cells, row by row.
typedef struct {
    int32_t columns, rows;
    int32_t count;
    int32_t *label;  // per cell: 0 outside, 1 .. count inside
    int64_t *size;   // cells of each, from index 1
    uint8_t *at_rim; // 1: touches the edge of the grid, from index 1
} tal_components;

// Cells with mask != 0, connected over edges (and over corners too, where `corners`).
tal_status tal_components_find(tal_components *parts, const uint8_t *mask, int32_t columns,
                               int32_t rows, bool corners, tal_error *err);
void tal_components_destroy(tal_components *parts);

// Keeps the largest part of the mask (connected over edges or corners; the first among equals) and
// returns its number of cells.
tal_status tal_mask_keep_largest(uint8_t *mask, int32_t columns, int32_t rows, int64_t *cells,
                                 tal_error *err);

// Clears the parts of the mask that have fewer cells than `least`.
tal_status tal_mask_drop_small(uint8_t *mask, int32_t columns, int32_t rows, int64_t least,
                               tal_error *err);
// Sets enclosed gaps of the mask of at most `most` cells.
tal_status tal_mask_fill_holes(uint8_t *mask, int32_t columns, int32_t rows, int64_t most,
                               tal_error *err);
// Grows the mask by `steps` cells (alternating edges and corners, so that it grows roundly);
// negative shrinks it.
tal_status tal_mask_grow(uint8_t *mask, int32_t columns, int32_t rows, int steps, tal_error *err);

#endif

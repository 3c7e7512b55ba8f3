// SPDX-License-Identifier: GPL-3.0-or-later
// A block (a closed convex surface) over a grid: how much of it stands over each cell, exactly, and how
// high it is at a point.
#ifndef TALUS_POSTPROC_MEASURE_BLOCK_SHAPE_H
#define TALUS_POSTPROC_MEASURE_BLOCK_SHAPE_H

#include "core/geo/grid.h"
#include "core/geometry/surface.h"

#include <stdint.h>

// Adds to `volume` (one value per cell) the part of the block that stands over each cell. Returns
// the part that stands over no cell. Exact but for rounding: every face is cut at the cell borders
// and the height under it is integrated in closed form.
double tal_block_add_columns(const tal_surface *block, const tal_grid *grid, double *volume);

// Height of the upper surface on the vertical through (x, y); -INFINITY where the block is not hit.
double tal_block_top(const tal_surface *block, double x, double y);
// Height of the lower surface; INFINITY where it is not hit.
double tal_block_bottom(const tal_surface *block, double x, double y);

// Outline of the block seen from above, counter-clockwise: writes at most vertex_count points (x, y)
// and returns their number. `order` is scratch for 3 * vertex_count + 2 numbers.
int32_t tal_block_footprint(const tal_surface *block, double *xy, int32_t *order);

#endif

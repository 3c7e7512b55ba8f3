// SPDX-License-Identifier: GPL-3.0-or-later
// Regular grids and rasters of floats. Row 0 is the northernmost; NaN means no data.
#ifndef TALUS_CORE_GEO_GRID_H
#define TALUS_CORE_GEO_GRID_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

// Square cells; `west`, `north` are the outer corner of cell (0, 0) in the study's coordinates.
typedef struct {
    double west;
    double north;
    double cell;
    int32_t columns;
    int32_t rows;
} tal_grid;

typedef struct {
    double west, south, east, north;
} tal_bounds;

typedef struct {
    tal_grid grid;
    float *value; // rows * columns, row by row from the north
} tal_raster;

// The smallest grid of whole cells over `bounds`, with corners on multiples of `cell`.
tal_status tal_grid_fit(tal_grid *grid, tal_bounds bounds, double cell, tal_error *err);
bool tal_grid_equal(const tal_grid *a, const tal_grid *b);
size_t tal_grid_cell_count(const tal_grid *grid);
tal_bounds tal_grid_bounds(const tal_grid *grid);
// Cell of a point, -1 outside; a point on the east or south rim belongs to the last cell.
int64_t tal_grid_index(const tal_grid *grid, double x, double y);
void tal_grid_centre(const tal_grid *grid, int32_t column, int32_t row, double *x, double *y);

// All cells NaN.
tal_status tal_raster_create(tal_raster *raster, const tal_grid *grid, tal_error *err);
void tal_raster_destroy(tal_raster *raster);
// Bilinear between cell centres, exact at a centre; NaN outside the outermost centres or next to a
// cell without data.
double tal_raster_sample(const tal_raster *raster, double x, double y);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Regular grids and rasters in memory.
#include "core/geo/grid.h"

#include "core/base/memory.h"

#include <float.h>
#include <math.h>

// Corners and centres that differ by less than this part of a cell are the same one. Coordinates of
// 1e7 m carry 2e-9 m of rounding, a millionth of a 2 mm cell.
static const double same_cell_part = 1e-6;

// Number of the grid line at or below `position`; a position that is a multiple of the cell up to
// rounding is on its line.
static double line_below(double position, double cell) {
    const double lines = position / cell;
    const double nearest = round(lines);
    const double rounding = 1e-9 + 4.0 * DBL_EPSILON * fabs(lines);
    return fabs(lines - nearest) <= rounding ? nearest : floor(lines);
}

static double line_above(double position, double cell) {
    return -line_below(-position, cell);
}

static tal_status check_bounds(tal_bounds bounds, double cell, tal_error *err) {
    if (!(cell > 0.0) || !isfinite(cell)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "a grid cannot have cells of %g m", cell);
    }
    const bool finite = isfinite(bounds.west) && isfinite(bounds.south) && isfinite(bounds.east) &&
                        isfinite(bounds.north);
    if (!finite || bounds.west > bounds.east || bounds.south > bounds.north) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "no grid can be laid over west %.17g, east %.17g, south %.17g, north %.17g",
                        bounds.west, bounds.east, bounds.south, bounds.north);
    }
    return TAL_OK;
}

tal_status tal_grid_fit(tal_grid *grid, tal_bounds bounds, double cell, tal_error *err) {
    TAL_TRY(check_bounds(bounds, cell, err));
    const double west = line_below(bounds.west, cell);
    const double south = line_below(bounds.south, cell);
    const double columns = fmax(1.0, line_above(bounds.east, cell) - west);
    const double rows = fmax(1.0, line_above(bounds.north, cell) - south);
    if (columns > (double)INT32_MAX || rows > (double)INT32_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE,
                        "a grid of %g m cells over %g m by %g m would have %.0f columns and %.0f "
                        "rows; choose larger cells or a smaller extent",
                        cell, bounds.east - bounds.west, bounds.north - bounds.south, columns,
                        rows);
    }
    *grid = (tal_grid){.west = west * cell,
                       .north = (south + rows) * cell,
                       .cell = cell,
                       .columns = (int32_t)columns,
                       .rows = (int32_t)rows};
    return TAL_OK;
}

bool tal_grid_equal(const tal_grid *a, const tal_grid *b) {
    if (a->columns != b->columns || a->rows != b->rows) {
        return false;
    }
    const tal_bounds p = tal_grid_bounds(a);
    const tal_bounds q = tal_grid_bounds(b);
    const double tolerance = same_cell_part * fmin(a->cell, b->cell);
    return fabs(p.west - q.west) <= tolerance && fabs(p.north - q.north) <= tolerance &&
           fabs(p.east - q.east) <= tolerance && fabs(p.south - q.south) <= tolerance;
}

size_t tal_grid_cell_count(const tal_grid *grid) {
    return (size_t)grid->columns * (size_t)grid->rows;
}

tal_bounds tal_grid_bounds(const tal_grid *grid) {
    return (tal_bounds){.west = grid->west,
                        .south = grid->north - grid->rows * grid->cell,
                        .east = grid->west + grid->columns * grid->cell,
                        .north = grid->north};
}

// -1 outside; a point on the far rim belongs to the last cell.
static int32_t cell_along(double distance, double cell, int32_t count) {
    const double cells = distance / cell;
    if (!(cells >= 0.0) || cells > (double)count) {
        return -1;
    }
    const int32_t index = (int32_t)fmin(cells, (double)INT32_MAX);
    return index < count ? index : count - 1;
}

int64_t tal_grid_index(const tal_grid *grid, double x, double y) {
    const int32_t column = cell_along(x - grid->west, grid->cell, grid->columns);
    const int32_t row = cell_along(grid->north - y, grid->cell, grid->rows);
    return column < 0 || row < 0 ? -1 : (int64_t)row * grid->columns + column;
}

void tal_grid_centre(const tal_grid *grid, int32_t column, int32_t row, double *x, double *y) {
    *x = grid->west + (column + 0.5) * grid->cell;
    *y = grid->north - (row + 0.5) * grid->cell;
}

tal_status tal_raster_create(tal_raster *raster, const tal_grid *grid, tal_error *err) {
    *raster = (tal_raster){.grid = *grid};
    TAL_ASSERT(grid->columns > 0 && grid->rows > 0);
    const size_t count = tal_grid_cell_count(grid);
    TAL_CREATE(raster->value, count, "the cells of a raster", err);
    for (size_t i = 0; i < count; i++) {
        raster->value[i] = NAN;
    }
    return TAL_OK;
}

void tal_raster_destroy(tal_raster *raster) {
    if (raster != NULL) {
        tal_memory_destroy(raster->value);
        raster->value = NULL;
    }
}

// The cell whose centre is at or before `distance` from the rim, and the weight of the next one.
// False outside the outermost centres.
static bool between_centres(double distance, double cell, int32_t count, int32_t *first,
                            double *weight) {
    double centres = distance / cell - 0.5;
    const double nearest = round(centres);
    if (fabs(centres - nearest) <= same_cell_part) {
        centres = nearest;
    }
    if (!(centres >= 0.0) || centres > (double)(count - 1)) {
        return false;
    }
    *first = (int32_t)centres;
    *weight = centres - *first;
    return true;
}

double tal_raster_sample(const tal_raster *raster, double x, double y) {
    const tal_grid *grid = &raster->grid;
    int32_t column = 0;
    int32_t row = 0;
    double u = 0.0;
    double v = 0.0;
    if (!between_centres(x - grid->west, grid->cell, grid->columns, &column, &u) ||
        !between_centres(grid->north - y, grid->cell, grid->rows, &row, &v)) {
        return (double)NAN;
    }
    // A neighbour of weight zero is not read: it may not exist, and it must not spoil the sum.
    const float *upper = raster->value + (size_t)row * (size_t)grid->columns + column;
    const float *lower = v > 0.0 ? upper + grid->columns : upper;
    const int next = u > 0.0 ? 1 : 0;
    const double north = (1.0 - u) * (double)upper[0] + u * (double)upper[next];
    const double south = (1.0 - u) * (double)lower[0] + u * (double)lower[next];
    return (1.0 - v) * north + v * south;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// From sums to elevations. Each cell takes the slope of its 3 by 3 neighbourhood and the height of
// its own points, moved along that slope to the cell's centre: a plain mean is off by the slope
// times the distance between the points' mean place and the centre.
#include "ingest/ground/dem.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "core/geometry/components.h"
#include "ingest/compare/statistics.h"

#include <math.h>

tal_status tal_dem_create(tal_dem *dem, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    tal_status status = TAL_OK;
    *dem = (tal_dem){.grid = *grid};
    TAL_CREATE_OR_DONE(dem->z, cells, "elevations", err);
    TAL_CREATE_OR_DONE(dem->count, cells, "elevations", err);
    TAL_CREATE_OR_DONE(dem->deviation, cells, "elevations", err);
    TAL_CREATE_OR_DONE(dem->error, cells, "elevations", err);
    TAL_CREATE_OR_DONE(dem->mean_x, cells, "elevations", err);
    TAL_CREATE_OR_DONE(dem->mean_y, cells, "elevations", err);
    TAL_CREATE_OR_DONE(dem->kind, cells, "elevations", err);
    for (size_t i = 0; i < cells; i++) {
        dem->z[i] = dem->deviation[i] = dem->error[i] = NAN;
    }
done:
    if (status != TAL_OK) {
        tal_dem_destroy(dem);
    }
    return status;
}

void tal_dem_destroy(tal_dem *dem) {
    tal_memory_destroy(dem->z);
    tal_memory_destroy(dem->count);
    tal_memory_destroy(dem->deviation);
    tal_memory_destroy(dem->error);
    tal_memory_destroy(dem->mean_x);
    tal_memory_destroy(dem->mean_y);
    tal_memory_destroy(dem->kind);
    *dem = (tal_dem){0};
}

int tal_slope_class(double slope_x, double slope_y) {
    const double degrees = tal_degrees(atan(hypot(slope_x, slope_y)));
    const int number = (int)(degrees / 10.0);
    return number < TAL_SLOPE_CLASSES ? number : TAL_SLOPE_CLASSES - 1;
}

// docs/theory/ingest.md (1), (2).
static void fill_cell(tal_dem *dem, const tal_bins *bins, int32_t column, int32_t row,
                      uint8_t *slope_class) {
    const size_t i = (size_t)row * (size_t)dem->grid.columns + (size_t)column;
    const tal_sums *own = &bins->sums[i];
    if (own->n < 1.0) {
        return;
    }
    const tal_sums window = tal_bins_window(bins, column, row, 1);
    const tal_cell_plane plane = tal_sums_plane(&window);
    const double mean_x = own->x / own->n, mean_y = own->y / own->n;
    dem->z[i] = (float)(own->z / own->n - plane.slope_x * mean_x - plane.slope_y * mean_y);
    dem->count[i] = (float)own->n;
    dem->mean_x[i] = (float)mean_x;
    dem->mean_y[i] = (float)mean_y;
    dem->kind[i] = TAL_CELL_POINTS;
    dem->deviation[i] = (float)tal_sums_deviation(own, plane.slope_x, plane.slope_y);
    slope_class[i] = (uint8_t)tal_slope_class(plane.slope_x, plane.slope_y);
}

// Median deviation of the cells of each slope class that have points enough; classes without any
// take that of the nearest class that has.
static tal_status pool(tal_dem *dem, const uint8_t *slope_class, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    double *values;
    TAL_CREATE(values, cells, "deviations", err);
    for (int k = 0; k < TAL_SLOPE_CLASSES; k++) {
        size_t count = 0;
        for (size_t i = 0; i < cells; i++) {
            if (dem->kind[i] == TAL_CELL_POINTS && slope_class[i] == k &&
                !isnan(dem->deviation[i])) {
                values[count++] = dem->deviation[i];
            }
        }
        dem->pooled[k] = count >= 20 ? tal_median(values, count) : NAN;
    }
    tal_memory_destroy(values);
    for (int k = 1; k < TAL_SLOPE_CLASSES; k++) {
        dem->pooled[k] = isnan(dem->pooled[k]) ? dem->pooled[k - 1] : dem->pooled[k];
    }
    for (int k = TAL_SLOPE_CLASSES - 2; k >= 0; k--) {
        dem->pooled[k] = isnan(dem->pooled[k]) ? dem->pooled[k + 1] : dem->pooled[k];
    }
    return TAL_OK;
}

tal_status tal_dem_from_bins(tal_dem *dem, const tal_bins *bins, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    TAL_ASSERT(tal_grid_equal(&dem->grid, &bins->grid));
    uint8_t *slope_class;
    TAL_CREATE(slope_class, cells, "slopes", err);
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < dem->grid.rows; row++) {
        for (int32_t column = 0; column < dem->grid.columns; column++) {
            fill_cell(dem, bins, column, row, slope_class);
        }
    }
    const tal_status status = pool(dem, slope_class, err);
    dem->cells_with_points = 0;
    for (size_t i = 0; i < cells && status == TAL_OK; i++) {
        if (dem->kind[i] != TAL_CELL_POINTS) {
            continue;
        }
        dem->cells_with_points++;
        if (isnan(dem->deviation[i])) {
            dem->deviation[i] = (float)dem->pooled[slope_class[i]];
        }
        dem->error[i] = dem->deviation[i] / sqrtf(dem->count[i]);
    }
    tal_memory_destroy(slope_class);
    return status;
}

// ---- Holes -------------------------------------------------------------------------------------

typedef struct {
    int64_t *cell; // of every hole, one hole after another
    int64_t count;
} hole_cells;

static double mean_of_neighbours(const tal_dem *dem, int64_t cell) {
    const int32_t columns = dem->grid.columns;
    const int32_t row = (int32_t)(cell / columns), column = (int32_t)(cell % columns);
    static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < 4; k++) {
        const int32_t r = row + step[k][0], c = column + step[k][1];
        if (r < 0 || c < 0 || r >= dem->grid.rows || c >= columns) {
            continue;
        }
        const float z = dem->z[(int64_t)r * columns + c];
        if (!isnan(z)) {
            sum += z;
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

// Fills from the rim inwards, then relaxes to the harmonic surface: as smooth as the rim allows.
static void bridge(tal_dem *dem, const hole_cells *holes) {
    for (int64_t left = holes->count, before = -1; left > 0 && left != before;) {
        before = left;
        for (int64_t k = 0; k < holes->count; k++) {
            const int64_t cell = holes->cell[k];
            if (isnan(dem->z[cell])) {
                const double z = mean_of_neighbours(dem, cell);
                dem->z[cell] = (float)z;
                left -= !isnan(z);
            }
        }
    }
    for (int sweep = 0; sweep < 60; sweep++) {
        for (int64_t k = 0; k < holes->count; k++) {
            dem->z[holes->cell[k]] = (float)mean_of_neighbours(dem, holes->cell[k]);
        }
    }
}

// A bridged cell is as uncertain as its neighbours scatter, but at least by half of the height that the
// slope gains from its centre to its edge: a quarter of a cell times the slope.
static void set_error_of_bridge(tal_dem *dem, int64_t cell) {
    double slope_x = 0.0, slope_y = 0.0;
    const int32_t columns = dem->grid.columns;
    tal_dem_slope(dem, (int32_t)(cell % columns), (int32_t)(cell / columns), &slope_x, &slope_y);
    const double pooled = dem->pooled[tal_slope_class(slope_x, slope_y)];
    const double roughness = 0.25 * dem->grid.cell * hypot(slope_x, slope_y);
    dem->deviation[cell] = (float)fmax(isnan(pooled) ? 0.0 : pooled, roughness);
    dem->error[cell] = dem->deviation[cell];
    dem->kind[cell] = TAL_CELL_FILLED;
}

tal_status tal_dem_fill_holes(tal_dem *dem, double hole_m2, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    const int64_t most = (int64_t)(hole_m2 / (dem->grid.cell * dem->grid.cell) + 1e-9);
    if (most == 0) {
        return TAL_OK;
    }
    uint8_t *empty = NULL;
    hole_cells holes = {0};
    tal_components parts = {0};
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(empty, cells, "holes", err);
    for (size_t i = 0; i < cells; i++) {
        empty[i] = (uint8_t)(isnan(dem->z[i]) != 0);
    }
    TAL_TRY_OR_DONE(
        tal_components_find(&parts, empty, dem->grid.columns, dem->grid.rows, false, err));
    TAL_CREATE_OR_DONE(holes.cell, cells, "holes", err);
    for (size_t i = 0; i < cells; i++) {
        const int32_t part = parts.label[i];
        if (part != 0 && parts.size[part] <= most && !parts.at_rim[part]) {
            holes.cell[holes.count++] = (int64_t)i;
        }
    }
    bridge(dem, &holes);
    for (int64_t k = 0; k < holes.count; k++) {
        TAL_ASSERT(!isnan(dem->z[holes.cell[k]])); // a hole that is enclosed has a rim
        set_error_of_bridge(dem, holes.cell[k]);
    }
    dem->cells_filled = holes.count;
done:
    tal_memory_destroy(empty);
    tal_memory_destroy(holes.cell);
    tal_components_destroy(&parts);
    return status;
}

// ---- What an elevation rests on ----------------------------------------------------------------

tal_cell_basis tal_dem_basis(const tal_dem *dem, size_t cell) {
    switch (dem->kind[cell]) {
    case TAL_CELL_POINTS:
        return (tal_cell_basis){dem->count[cell], dem->deviation[cell], 0.0F};
    case TAL_CELL_FILLED:
        return (tal_cell_basis){0.0F, dem->deviation[cell], 1.0F};
    case TAL_CELL_RASTER: // a raster does not say how many points it was made of
        return (tal_cell_basis){NAN, NAN, 0.0F};
    default:
        return (tal_cell_basis){NAN, NAN, NAN};
    }
}

// ---- Slope -------------------------------------------------------------------------------------

static float height_at(const tal_dem *dem, int32_t column, int32_t row) {
    if (column < 0 || row < 0 || column >= dem->grid.columns || row >= dem->grid.rows) {
        return NAN;
    }
    return dem->z[(int64_t)row * dem->grid.columns + column];
}

static double difference(double low, double middle, double high, double cell) {
    if (!isnan(low) && !isnan(high)) {
        return (high - low) / (2.0 * cell);
    }
    if (!isnan(high)) {
        return (high - middle) / cell;
    }
    return (middle - low) / cell; // NaN without neighbours
}

bool tal_dem_slope(const tal_dem *dem, int32_t column, int32_t row, double *slope_x,
                   double *slope_y) {
    const double middle = height_at(dem, column, row), cell = dem->grid.cell;
    const double x =
        difference(height_at(dem, column - 1, row), middle, height_at(dem, column + 1, row), cell);
    const double y =
        difference(height_at(dem, column, row + 1), middle, height_at(dem, column, row - 1), cell);
    if (isnan(x) || isnan(y)) {
        return false;
    }
    *slope_x = x;
    *slope_y = y;
    return true;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A scanner that looks at a broken face askew misses what lies behind its edges. The cells there
// have fewer points than those around them, and the surface has a step; the hidden ground lies
// anywhere between the two sides of that step.
#include "ingest/volume/hidden.h"

#include "core/base/memory.h"
#include "core/geometry/components.h"
#include "ingest/compare/statistics.h"

#include <math.h>

// The range of nine normal deviates stays below this many standard deviations in 95 of 100 cases.
static const double noise_range = 4.39;
enum { NEAR = 1, WIDE = 3, WIDE_CELLS = (2 * WIDE + 1) * (2 * WIDE + 1) };

typedef struct {
    int32_t left, right, top, bottom;
} window;

static window window_around(const tal_grid *grid, int32_t column, int32_t row, int radius) {
    return (window){.left = column < radius ? 0 : column - radius,
                    .right = column + radius >= grid->columns ? grid->columns - 1 : column + radius,
                    .top = row < radius ? 0 : row - radius,
                    .bottom = row + radius >= grid->rows ? grid->rows - 1 : row + radius};
}

// Points per cell over a cell and its neighbours: single cells beat with the pattern of the scan.
static double density(const tal_dem *dem, int32_t column, int32_t row) {
    const window near = window_around(&dem->grid, column, row, NEAR);
    double sum = 0.0, cells = 0.0;
    for (int32_t r = near.top; r <= near.bottom; r++) {
        for (int32_t c = near.left; c <= near.right; c++) {
            sum += (double)dem->count[(int64_t)r * dem->grid.columns + c];
            cells += 1.0;
        }
    }
    return sum / cells;
}

// Share of the cell and its neighbours that points are missing from, against the usual density
// around. `plain` where it is more than two deviations of a Poisson count.
static double hidden_share(const tal_dem *dem, int32_t column, int32_t row, bool *plain) {
    double densities[WIDE_CELLS];
    size_t count = 0;
    const window wide = window_around(&dem->grid, column, row, WIDE);
    for (int32_t r = wide.top; r <= wide.bottom; r++) {
        for (int32_t c = wide.left; c <= wide.right; c++) {
            densities[count++] = density(dem, c, r);
        }
    }
    const double usual = tal_median(densities, count), here = density(dem, column, row);
    *plain = here + 2.0 * sqrt(usual) / (2 * NEAR + 1) < usual;
    return here < usual ? 1.0 - here / usual : 0.0;
}

// Median slope from cell to cell around a cell, in metres per cell: an edge leaves it as it is.
static double usual_slope(const tal_dem *dem, const window *wide, int32_t right, int32_t down) {
    double slopes[WIDE_CELLS];
    size_t count = 0;
    for (int32_t r = wide->top; r + down <= wide->bottom; r++) {
        for (int32_t c = wide->left; c + right <= wide->right; c++) {
            const int64_t i = (int64_t)r * dem->grid.columns + c;
            const double slope =
                (double)dem->z[i + (int64_t)down * dem->grid.columns + right] - (double)dem->z[i];
            if (!isnan(slope)) {
                slopes[count++] = slope;
            }
        }
    }
    return count > 0 ? tal_median(slopes, count) : 0.0;
}

// Height of the edge at a cell: range of the cell and its neighbours about the slope around them.
static double step_height(const tal_dem *dem, int32_t column, int32_t row) {
    const window wide = window_around(&dem->grid, column, row, WIDE);
    const window near = window_around(&dem->grid, column, row, NEAR);
    const double right = usual_slope(dem, &wide, 1, 0), down = usual_slope(dem, &wide, 0, 1);
    double low = INFINITY, high = -INFINITY;
    for (int32_t r = near.top; r <= near.bottom; r++) {
        for (int32_t c = near.left; c <= near.right; c++) {
            const double off = (double)dem->z[(int64_t)r * dem->grid.columns + c] -
                               right * (c - column) - down * (r - row);
            low = fmin(low, off); // fmin and fmax pass over NaN
            high = fmax(high, off);
        }
    }
    return high > low ? high - low : 0.0;
}

enum { NO_SHADOW = 0, CHANCE_SHADOW = 1, PLAIN_SHADOW = 2 };

// Per cell the share that is hidden times the height of the edge.
static void find_shadows(const tal_change *change, const tal_dem *dem, const uint8_t *region,
                         float *depth, uint8_t *shadow) {
    const tal_grid *grid = &dem->grid;
#pragma omp parallel for schedule(dynamic, 8)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const int64_t i = (int64_t)row * grid->columns + column;
            if (region[i] == 0 || dem->kind[i] == TAL_CELL_RASTER) {
                continue;
            }
            bool plain;
            const double share = hidden_share(dem, column, row, &plain);
            const double step = share > 0.0 ? step_height(dem, column, row) : 0.0;
            if (step > noise_range * (double)change->spread[i]) {
                shadow[i] = plain ? PLAIN_SHADOW : CHANCE_SHADOW;
                depth[i] = (float)(share * step);
            }
        }
    }
}

// One viewpoint hides the same side of every edge: plain shadows err together. Those that chance may
// have made err each by itself. The height a cell shows and the hidden one are both taken as even
// between the two sides of the edge: the standard deviation of their difference is the edge's height
// over sqrt(6).
static tal_status add_shadows(const tal_change *change, const tal_dem *dem, const uint8_t *region,
                              double *variance, tal_error *err) {
    const tal_grid *grid = &dem->grid;
    const size_t cells = tal_grid_cell_count(grid);
    tal_components parts = {0};
    float *depth = NULL;
    uint8_t *shadow = NULL, *is_plain = NULL;
    double *sum = NULL, together = 0.0;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(depth, cells, "what no scan saw", err);
    TAL_CREATE_OR_DONE(shadow, cells, "what no scan saw", err);
    find_shadows(change, dem, region, depth, shadow);
    TAL_TRY_OR_DONE(tal_components_find(&parts, shadow, grid->columns, grid->rows, true, err));
    TAL_CREATE_OR_DONE(sum, (size_t)parts.count + 1, "what no scan saw", err);
    TAL_CREATE_OR_DONE(is_plain, (size_t)parts.count + 1, "what no scan saw", err);
    for (size_t i = 0; i < cells; i++) {
        sum[parts.label[i]] += (double)depth[i] * grid->cell * grid->cell;
        is_plain[parts.label[i]] |= shadow[i] == PLAIN_SHADOW;
    }
    for (int32_t part = 1; part <= parts.count; part++) {
        together += is_plain[part] ? sum[part] : 0.0;
        *variance += is_plain[part] ? 0.0 : sum[part] * sum[part] / 6.0;
    }
    *variance += together * together / 6.0;
done:
    tal_components_destroy(&parts);
    tal_memory_destroy(depth);
    tal_memory_destroy(shadow);
    tal_memory_destroy(is_plain);
    tal_memory_destroy(sum);
    return status;
}

// Cells without a difference inside the outline or beside it: nothing is counted for them, though
// they may have lost as much as the outline did on average.
static tal_status find_gap(const tal_change *change, const uint8_t *mask, double *gap_m2,
                           tal_error *err) {
    const tal_grid *grid = &change->grid;
    const size_t cells = tal_grid_cell_count(grid);
    uint8_t *around;
    TAL_CREATE(around, cells, "what no scan saw", err);
    for (size_t i = 0; i < cells; i++) {
        around[i] = mask[i] != 0;
    }
    tal_status status = tal_mask_fill_holes(around, grid->columns, grid->rows, (int64_t)cells, err);
    if (status == TAL_OK) {
        status = tal_mask_grow(around, grid->columns, grid->rows, 1, err);
    }
    for (size_t i = 0; i < cells && status == TAL_OK; i++) {
        *gap_m2 += around[i] != 0 && isnan(change->dz[i]) ? grid->cell * grid->cell : 0.0;
    }
    tal_memory_destroy(around);
    return status;
}

// docs/theory/ingest.md (14).
tal_status tal_hidden_find(const tal_change *change, const tal_dem *before, const tal_dem *after,
                           const uint8_t *region, const uint8_t *mask, double mean_thickness_m,
                           tal_hidden *hidden, tal_error *err) {
    *hidden = (tal_hidden){0};
    TAL_ASSERT(tal_grid_equal(&change->grid, &before->grid));
    TAL_ASSERT(tal_grid_equal(&change->grid, &after->grid));
    TAL_TRY(find_gap(change, mask, &hidden->gap_m2, err));
    // Even between nothing and the mean thickness, against the nothing that was counted.
    hidden->gap_m3 = hidden->gap_m2 * fmax(mean_thickness_m, 0.0) / sqrt(3.0);
    double variance = 0.0;
    TAL_TRY(add_shadows(change, before, region, &variance, err));
    TAL_TRY(add_shadows(change, after, region, &variance, err));
    hidden->shadow_m3 = sqrt(variance);
    return TAL_OK;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// V = sum of dz times the cell. Random errors add in squares; correlated ones by the variogram of
// the standardised stable terrain, scaled by each cell's spread (Hugonnet et al. 2022); systematic
// ones are those of the co-registration: a shift moves both the surface and what lies below it.
#include "ingest/volume/volume.h"

#include "core/base/memory.h"
#include "core/geometry/components.h"
#include "ingest/volume/hidden.h"

#include <math.h>
#include <stdio.h>

tal_status tal_volume_variogram(const tal_change *change, tal_variogram *variogram,
                                tal_error *err) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    float *standard;
    TAL_CREATE(standard, cells, "a variogram", err);
    const double median = change->stable_statistics.median;
    for (size_t i = 0; i < cells; i++) {
        const double spread = fmax((double)change->spread[i], 1e-6);
        standard[i] =
            change->stable[i] != 0 ? (float)(((double)change->dz[i] - median) / spread) : NAN;
    }
    const tal_status status =
        tal_variogram_find(variogram, &change->grid, standard, change->stable, err);
    tal_memory_destroy(standard);
    return status;
}

// The outline is drawn where the change is plain, which favours cells whose noise adds to it; two
// rings of cells more, taken whatever they show, holds what was cut off and takes that bias away.
tal_status tal_volume_region(const tal_change *change, const uint8_t *mask, double sign,
                             uint8_t **region, tal_error *err) {
    const tal_grid *grid = &change->grid;
    const uint8_t *other = sign > 0.0 ? change->source : change->deposit;
    const size_t cells = tal_grid_cell_count(grid);
    TAL_CREATE(*region, cells, "a volume", err);
    for (size_t i = 0; i < cells; i++) {
        (*region)[i] = mask[i] != 0;
    }
    const tal_status status = tal_mask_grow(*region, grid->columns, grid->rows, 2, err);
    for (size_t i = 0; i < cells && status == TAL_OK; i++) {
        if (mask[i] == 0 && (other[i] != 0 || isnan(change->dz[i]))) {
            (*region)[i] = 0;
        }
    }
    if (status != TAL_OK) {
        tal_memory_destroy(*region);
        *region = NULL;
    }
    return status;
}

// Area and thickness are those of the outline.
static void measure_outline(const tal_change *change, const uint8_t *mask, double sign,
                            tal_volume_estimate *volume) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    const double cell_m2 = change->grid.cell * change->grid.cell;
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < cells; i++) {
        if (mask[i] != 0) {
            const double thickness = sign * (double)change->dz[i];
            sum += thickness;
            count += 1.0;
            volume->max_thickness_m = fmax(volume->max_thickness_m, thickness);
        }
    }
    volume->area_m2 = count * cell_m2;
    volume->mean_thickness_m = count > 0.0 ? sum / count : 0.0;
}

// Sum over the region, in the order of the cells.
// docs/theory/ingest.md (9), (10).
static void integrate(const tal_change *change, const tal_dem *before, const tal_dem *after,
                      const uint8_t *mask, double sign, tal_volume_estimate *volume,
                      double slope_sum[2]) {
    const tal_grid *grid = &change->grid;
    const double cell_m2 = grid->cell * grid->cell;
    double sum = 0.0, squares = 0.0, count = 0.0, filled = 0.0;
    slope_sum[0] = slope_sum[1] = 0.0;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            double slope_x, slope_y;
            if (mask[i] == 0) {
                continue;
            }
            const double thickness = sign * (double)change->dz[i];
            sum += thickness;
            squares += (double)change->random[i] * (double)change->random[i];
            count += 1.0;
            filled += before->kind[i] == TAL_CELL_FILLED || after->kind[i] == TAL_CELL_FILLED;
            if (tal_dem_slope(after, column, row, &slope_x, &slope_y)) {
                slope_sum[0] += slope_x;
                slope_sum[1] += slope_y;
            }
        }
    }
    volume->volume_m3 = sum * cell_m2;
    volume->area_m2 = count * cell_m2;
    volume->filled_m2 = filled * cell_m2;
    volume->random_m3 = sqrt(squares) * cell_m2;
}

// docs/theory/ingest.md (13), (15).
tal_status tal_volume_measure(const tal_change *change, const tal_dem *before, const tal_dem *after,
                              const tal_variogram *variogram, const double shift_deviation[3],
                              const uint8_t *region, const uint8_t *mask, double sign,
                              tal_volume_estimate *volume, tal_error *err) {
    const tal_grid *grid = &change->grid;
    const double cell_m2 = grid->cell * grid->cell;
    double slope_sum[2], correlated;
    tal_hidden hidden;
    *volume = (tal_volume_estimate){0};
    integrate(change, before, after, region, sign, volume, slope_sum);
    measure_outline(change, mask, sign, volume);
    TAL_TRY(tal_variogram_sum_deviation(variogram, grid, region, change->spread, &correlated, err));
    TAL_TRY(tal_hidden_find(change, before, after, region, mask, volume->mean_thickness_m, &hidden,
                            err));
    volume->correlated_m3 = correlated * cell_m2;
    volume->hidden_m3 = hypot(hidden.shadow_m3, hidden.gap_m3);
    volume->gap_m2 = hidden.gap_m2;
    const double up = shift_deviation[2] * volume->area_m2;
    const double east = shift_deviation[0] * slope_sum[0] * cell_m2;
    const double north = shift_deviation[1] * slope_sum[1] * cell_m2;
    volume->systematic_m3 = sqrt(up * up + east * east + north * north);
    const double half =
        1.96 *
        sqrt(volume->random_m3 * volume->random_m3 + volume->correlated_m3 * volume->correlated_m3 +
             volume->systematic_m3 * volume->systematic_m3 + volume->hidden_m3 * volume->hidden_m3);
    TAL_ASSERT(half >= 0.0 && volume->area_m2 >= 0.0 && (sign == 1.0 || sign == -1.0));
    volume->low_m3 = volume->volume_m3 - half;
    volume->high_m3 = volume->volume_m3 + half;
    return TAL_OK;
}

tal_status tal_volume_find(const tal_change *change, const tal_dem *before, const tal_dem *after,
                           const tal_variogram *variogram, const double shift_deviation[3],
                           const uint8_t *mask, double sign, tal_volume_estimate *volume,
                           tal_error *err) {
    tal_components parts;
    uint8_t *region;
    TAL_TRY(tal_volume_region(change, mask, sign, &region, err));
    const tal_status status = tal_volume_measure(change, before, after, variogram, shift_deviation,
                                                 region, mask, sign, volume, err);
    tal_memory_destroy(region);
    TAL_TRY(status);
    TAL_TRY(tal_components_find(&parts, mask, change->grid.columns, change->grid.rows, false, err));
    volume->part_count = parts.count;
    tal_components_destroy(&parts);
    return TAL_OK;
}

static double to_multiple(double value, double unit) {
    return unit > 0.0 ? unit * round(value / unit) : value;
}

// Two digits of the half-width say all there is to say.
void tal_volume_text(const tal_volume_estimate *volume, char *text, size_t size) {
    const double half = volume->high_m3 - volume->volume_m3;
    const double reference = half > 0.0 ? half : 1e-2 * fabs(volume->volume_m3);
    const int last = reference > 0.0 ? (int)floor(log10(reference)) - 1 : 0; // power of ten
    const double unit = last > 0 ? pow(10.0, last) : 0.0;
    const int decimals = last < 0 ? -last : 0;
    snprintf(text, size, "%.*f m3 (95 %%: %.*f to %.*f)", decimals,
             to_multiple(volume->volume_m3, unit), decimals, to_multiple(volume->low_m3, unit),
             decimals, to_multiple(volume->high_m3, unit));
}

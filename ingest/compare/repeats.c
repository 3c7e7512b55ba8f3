// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated fits.
#include "ingest/compare/repeats.h"

#include "core/base/memory.h"

#include <math.h>

enum { SQUARES = 6 }; // of the chequerboard, along each side

// Mean of four cells, where all four are there.
static tal_status widen_cells(tal_dem *wide, const tal_dem *dem, tal_error *err) {
    tal_grid grid = dem->grid;
    grid.columns /= 2;
    grid.rows /= 2;
    grid.cell *= 2.0;
    TAL_TRY(tal_dem_create(wide, &grid, err));
    for (int32_t row = 0; row < grid.rows; row++) {
        for (int32_t column = 0; column < grid.columns; column++) {
            const size_t i = (size_t)row * (size_t)grid.columns + (size_t)column;
            const size_t at = 2 * ((size_t)row * (size_t)dem->grid.columns + (size_t)column);
            const size_t below = at + (size_t)dem->grid.columns;
            wide->z[i] = 0.25F * (dem->z[at] + dem->z[at + 1] + dem->z[below] + dem->z[below + 1]);
            wide->kind[i] = isnan(wide->z[i]) ? TAL_CELL_EMPTY : dem->kind[at];
        }
    }
    return TAL_OK;
}

static tal_status widen_mask(uint8_t **wide, const uint8_t *mask, const tal_grid *grid,
                             tal_error *err) {
    const int32_t columns = grid->columns / 2, rows = grid->rows / 2;
    TAL_CREATE(*wide, (size_t)columns * (size_t)rows, "stable terrain", err);
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0; column < columns; column++) {
            const size_t at = 2 * ((size_t)row * (size_t)grid->columns + (size_t)column);
            const size_t below = at + (size_t)grid->columns;
            (*wide)[(size_t)row * (size_t)columns + (size_t)column] =
                mask[at] != 0 && mask[at + 1] != 0 && mask[below] != 0 && mask[below + 1] != 0;
        }
    }
    return TAL_OK;
}

// A fit that fails for want of terrain is no failure of the study.
static bool fit_again(const tal_dem *before, const tal_dem *after, const uint8_t *mask,
                      const tal_coregister_options *options, double shift[3]) {
    tal_coregister_result result;
    tal_error ignored;
    tal_error_reset(&ignored);
    const bool fitted = tal_coregister(before, after, mask, options, &result, &ignored) == TAL_OK;
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = fitted ? result.motion.shift[axis] : NAN;
    }
    return fitted;
}

static tal_status fit_wide(tal_repeats *repeats, const tal_dem *before, const tal_dem *after,
                           const uint8_t *stable, const tal_coregister_options *options,
                           tal_error *err) {
    tal_dem wide_before = {0}, wide_after = {0};
    uint8_t *mask = NULL;
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(widen_cells(&wide_before, before, err));
    TAL_TRY_OR_DONE(widen_cells(&wide_after, after, err));
    TAL_TRY_OR_DONE(widen_mask(&mask, stable, &before->grid, err));
    repeats->has_cell = fit_again(&wide_before, &wide_after, mask, options, repeats->by_cell);
done:
    tal_dem_destroy(&wide_before);
    tal_dem_destroy(&wide_after);
    tal_memory_destroy(mask);
    return status;
}

static tal_status fit_halves(tal_repeats *repeats, const tal_dem *before, const tal_dem *after,
                             const uint8_t *stable, const tal_coregister_options *options,
                             tal_error *err) {
    const tal_grid *grid = &before->grid;
    double shift[2][3];
    uint8_t *half;
    TAL_CREATE(half, tal_grid_cell_count(grid), "stable terrain", err);
    repeats->has_halves = true;
    for (int colour = 0; colour < 2; colour++) {
        for (int32_t row = 0; row < grid->rows; row++) {
            for (int32_t column = 0; column < grid->columns; column++) {
                const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
                const int square = (int)((int64_t)SQUARES * row / grid->rows) +
                                   (int)((int64_t)SQUARES * column / grid->columns);
                half[i] = stable[i] != 0 && square % 2 == colour;
            }
        }
        repeats->has_halves =
            fit_again(before, after, half, options, shift[colour]) && repeats->has_halves;
    }
    for (int axis = 0; axis < 3; axis++) {
        repeats->by_half[axis] = shift[0][axis] - shift[1][axis];
    }
    tal_memory_destroy(half);
    return TAL_OK;
}

tal_status tal_repeats_find(tal_repeats *repeats, const tal_dem *before, const tal_dem *after,
                            const uint8_t *stable, const tal_coregister_options *options,
                            tal_error *err) {
    *repeats = (tal_repeats){0};
    TAL_TRY(fit_wide(repeats, before, after, stable, options, err));
    return fit_halves(repeats, before, after, stable, options, err);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// LoD95 = 1.96 (sqrt(s1^2/n1 + s2^2/n2) + reg), with s, n per cell and reg by slope class: what the
// spread of the stable terrain holds beyond the scatter of points (Lague et al. 2013 for the form).
#include "ingest/compare/change.h"

#include "core/base/memory.h"
#include "core/geometry/components.h"

#include <math.h>
#include <string.h>

enum { STABLE_ROUNDS = 4 };

static const double stable_deviations = 3.0;
static const double margin_m = 4.0; // kept off what moved

tal_status tal_change_create(tal_change *change, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    tal_status status = TAL_OK;
    *change = (tal_change){.grid = *grid};
    TAL_CREATE_OR_DONE(change->dz, cells, "differences", err);
    TAL_CREATE_OR_DONE(change->random, cells, "differences", err);
    TAL_CREATE_OR_DONE(change->spread, cells, "differences", err);
    TAL_CREATE_OR_DONE(change->lod, cells, "differences", err);
    TAL_CREATE_OR_DONE(change->slope_class, cells, "differences", err);
    TAL_CREATE_OR_DONE(change->stable, cells, "differences", err);
    TAL_CREATE_OR_DONE(change->source, cells, "differences", err);
    TAL_CREATE_OR_DONE(change->deposit, cells, "differences", err);
    TAL_TRY_OR_DONE(tal_patches_create(&change->dropped, err));
done:
    if (status != TAL_OK) {
        tal_change_destroy(change);
    }
    return status;
}

void tal_change_destroy(tal_change *change) {
    tal_memory_destroy(change->dz);
    tal_memory_destroy(change->random);
    tal_memory_destroy(change->spread);
    tal_memory_destroy(change->lod);
    tal_memory_destroy(change->slope_class);
    tal_memory_destroy(change->stable);
    tal_memory_destroy(change->source);
    tal_memory_destroy(change->deposit);
    tal_patches_destroy(&change->dropped);
    *change = (tal_change){0};
}

static void find_difference(tal_change *change, const tal_dem *before, const tal_dem *after) {
    const tal_grid *grid = &change->grid;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            double slope_x = 0.0, slope_y = 0.0;
            change->dz[i] = after->z[i] - before->z[i];
            tal_dem_slope(before, column, row, &slope_x, &slope_y);
            change->slope_class[i] = (uint8_t)tal_slope_class(slope_x, slope_y);
        }
    }
}

// ---- Stable terrain ----------------------------------------------------------------------------

// Spread of the stable terrain by slope class about its overall median; thin classes borrow from
// their gentler neighbour.
static void find_spread(tal_change *change, double *work) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    size_t all = 0;
    for (size_t i = 0; i < cells; i++) {
        if (change->stable[i] != 0) {
            work[all++] = (double)change->dz[i];
        }
    }
    change->stable_statistics = tal_statistics_find(work, all);
    const double median = change->stable_statistics.median;
    for (int k = 0; k < TAL_SLOPE_CLASSES; k++) {
        size_t count = 0;
        for (size_t i = 0; i < cells; i++) {
            if (change->stable[i] != 0 && change->slope_class[i] == k) {
                work[count++] = fabs((double)change->dz[i] - median);
            }
        }
        change->stable_cells[k] = (int64_t)count;
        change->nmad[k] = count >= 50 ? 1.4826 * tal_median(work, count)
                          : k > 0     ? change->nmad[k - 1]
                                      : change->stable_statistics.nmad;
    }
}

static int margin_cells(double cell) {
    const int steps = (int)ceil(margin_m / cell);
    return steps < 2 ? 2 : steps;
}

// Means over a square of the standardised differences reveal what moved by less than the spread of
// single cells but did so together: thin deposits, settled ground.
enum { WIDE_RADIUS = 5 };
static const double wide_deviations = 4.0;

// Capped, so that one cell does not speak for all; NaN where there is no difference.
static void standardise(const tal_change *change, double *t) {
    const int64_t cells = (int64_t)tal_grid_cell_count(&change->grid);
    const double median = change->stable_statistics.median;
    double scale[TAL_SLOPE_CLASSES];
    for (int k = 0; k < TAL_SLOPE_CLASSES; k++) {
        scale[k] = 1.0 / fmax(change->nmad[k], 1e-9);
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < cells; i++) {
        const double value = ((double)change->dz[i] - median) * scale[change->slope_class[i]];
        t[i] = value > 4.0 ? 4.0 : value < -4.0 ? -4.0 : value;
    }
}

// Sums of t over the cells of a row within WIDE_RADIUS, and how many there are.
static void sum_along_rows(const tal_grid *grid, const double *t, double *sum, uint8_t *count) {
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < grid->rows; row++) {
        const int64_t first = (int64_t)row * grid->columns;
        for (int32_t column = 0; column < grid->columns; column++) {
            const int32_t left = column < WIDE_RADIUS ? 0 : column - WIDE_RADIUS;
            const int32_t right =
                grid->columns - 1 - column < WIDE_RADIUS ? grid->columns - 1 : column + WIDE_RADIUS;
            sum[first + column] = 0.0;
            count[first + column] = 0;
            for (int32_t c = left; c <= right; c++) {
                const bool known = !isnan(t[first + c]);
                sum[first + column] += known ? t[first + c] : 0.0;
                count[first + column] = (uint8_t)(count[first + column] + known);
            }
        }
    }
}

// The same up the columns, divided: means over squares.
static void mean_over_squares(const tal_grid *grid, const double *sum, const uint8_t *count,
                              double *mean) {
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < grid->rows; row++) {
        const int32_t top = row < WIDE_RADIUS ? 0 : row - WIDE_RADIUS;
        const int32_t bottom =
            grid->rows - 1 - row < WIDE_RADIUS ? grid->rows - 1 : row + WIDE_RADIUS;
        for (int32_t column = 0; column < grid->columns; column++) {
            double all = 0.0, near = 0.0;
            for (int32_t r = top; r <= bottom; r++) {
                const int64_t i = (int64_t)r * grid->columns + column;
                all += sum[i];
                near += count[i];
            }
            mean[(int64_t)row * grid->columns + column] = near > 0.0 ? all / near : 0.0;
        }
    }
}

static void mark_wide(const tal_change *change, uint8_t *moved, uint8_t *count, double *work,
                      double *mean) {
    const tal_grid *grid = &change->grid;
    const size_t cells = tal_grid_cell_count(grid);
    size_t stable = 0;
    standardise(change, mean);
    sum_along_rows(grid, mean, work, count);
    mean_over_squares(grid, work, count, mean);
    for (size_t i = 0; i < cells; i++) {
        if (change->stable[i] != 0) {
            work[stable++] = mean[i];
        }
    }
    const tal_statistics usual = tal_statistics_find(work, stable);
    for (size_t i = 0; i < cells && stable > 100; i++) {
        moved[i] |= fabs(mean[i] - usual.median) > wide_deviations * fmax(usual.nmad, 0.05);
    }
}

// Marks cells that differ by more than their slope's spread and whose neighbours mostly do.
static void mark_moved(const tal_change *change, uint8_t *moved, uint8_t *work) {
    const tal_grid *grid = &change->grid;
    const size_t cells = tal_grid_cell_count(grid);
    const double median = change->stable_statistics.median;
    for (size_t i = 0; i < cells; i++) {
        const double limit = stable_deviations * change->nmad[change->slope_class[i]];
        work[i] = fabs((double)change->dz[i] - median) > limit;
    }
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            int near = 0, marked = 0;
            for (int32_t r = row - 1; r <= row + 1; r++) {
                for (int32_t c = column - 1; c <= column + 1; c++) {
                    if (r >= 0 && c >= 0 && r < grid->rows && c < grid->columns) {
                        near++;
                        marked += work[(size_t)r * (size_t)grid->columns + (size_t)c];
                    }
                }
            }
            moved[(size_t)row * (size_t)grid->columns + (size_t)column] = 2 * marked > near;
        }
    }
}

static void reset_stable(tal_change *change, const uint8_t *given, const uint8_t *moved) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    for (size_t i = 0; i < cells; i++) {
        change->stable[i] = !isnan(change->dz[i]) && (given == NULL || given[i] != 0) &&
                            (moved == NULL || moved[i] == 0);
    }
}

tal_status tal_change_find_stable(tal_change *change, const tal_dem *before, const tal_dem *after,
                                  const uint8_t *given, double area_min_m2, tal_error *err) {
    const tal_grid *grid = &change->grid;
    const size_t cells = tal_grid_cell_count(grid);
    const int64_t least = (int64_t)fmax(4.0, area_min_m2 / (grid->cell * grid->cell));
    TAL_ASSERT(tal_grid_equal(grid, &before->grid) && tal_grid_equal(grid, &after->grid));
    double *work = NULL, *mean = NULL;
    uint8_t *moved = NULL, *marked = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(work, cells, "stable terrain", err);
    TAL_CREATE_OR_DONE(mean, cells, "stable terrain", err);
    TAL_CREATE_OR_DONE(moved, cells, "stable terrain", err);
    TAL_CREATE_OR_DONE(marked, cells, "stable terrain", err);
    find_difference(change, before, after);
    reset_stable(change, given, NULL);
    find_spread(change, work);
    for (int round = 0; round < STABLE_ROUNDS && given == NULL; round++) {
        mark_moved(change, moved, marked);
        mark_wide(change, moved, marked, work, mean);
        TAL_TRY_OR_DONE(tal_mask_drop_small(moved, grid->columns, grid->rows, least, err));
        TAL_TRY_OR_DONE(
            tal_mask_grow(moved, grid->columns, grid->rows, margin_cells(grid->cell), err));
        reset_stable(change, given, moved);
        find_spread(change, work);
    }
done:
    tal_memory_destroy(work);
    tal_memory_destroy(mean);
    tal_memory_destroy(moved);
    tal_memory_destroy(marked);
    return status;
}

// ---- Level of detection ------------------------------------------------------------------------

// Rasters carry no scatter of points: NaN, and the stable terrain speaks for them alone.
static void find_random(tal_change *change, const tal_dem *before, const tal_dem *after) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    for (size_t i = 0; i < cells; i++) {
        const double e1 = (double)before->error[i], e2 = (double)after->error[i];
        change->random[i] = isnan(change->dz[i]) ? NAN : (float)sqrt(e1 * e1 + e2 * e2);
    }
}

static void find_registration(tal_change *change, double *work) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    for (int k = 0; k < TAL_SLOPE_CLASSES; k++) {
        size_t count = 0;
        for (size_t i = 0; i < cells; i++) {
            if (change->stable[i] != 0 && change->slope_class[i] == k &&
                !isnan(change->random[i])) {
                work[count++] = (double)(change->random[i] * change->random[i]);
            }
        }
        const double explained = count >= 50 ? tal_median(work, count) : 0.0;
        const double spread = change->nmad[k] * change->nmad[k];
        change->registration[k] = count >= 50 ? sqrt(fmax(0.0, spread - explained))
                                  : k > 0     ? change->registration[k - 1]
                                              : 0.0;
    }
}

// docs/theory/ingest.md (8).
tal_status tal_change_find_lod(tal_change *change, const tal_dem *before, const tal_dem *after,
                               tal_error *err) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    double *work;
    TAL_CREATE(work, cells, "levels of detection", err);
    find_random(change, before, after);
    find_registration(change, work);
    tal_memory_destroy(work);
    for (size_t i = 0; i < cells; i++) {
        const int k = change->slope_class[i];
        const double random = (double)change->random[i];
        change->spread[i] = (float)change->nmad[k];
        change->lod[i] = isnan(change->dz[i]) ? NAN
                         : isnan(random)      ? (float)(1.96 * change->nmad[k])
                                              : (float)(1.96 * (random + change->registration[k]));
        if (!isnan(change->dz[i]) && isnan(random)) {
            change->random[i] = (float)change->nmad[k];
        }
    }
    return TAL_OK;
}

// ---- Source and deposit ------------------------------------------------------------------------

// Median of dz over the 3 by 3 neighbourhood: tells thin edges from noise without widening them.
static void smooth(const tal_change *change, float *out) {
    const tal_grid *grid = &change->grid;
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            double near[9];
            size_t count = 0;
            for (int32_t r = row - 1; r <= row + 1; r++) {
                for (int32_t c = column - 1; c <= column + 1; c++) {
                    if (r < 0 || c < 0 || r >= grid->rows || c >= grid->columns) {
                        continue;
                    }
                    const float dz = change->dz[(size_t)r * (size_t)grid->columns + (size_t)c];
                    if (!isnan(dz)) {
                        near[count++] = (double)dz;
                    }
                }
            }
            out[i] = isnan(change->dz[i]) ? NAN : (float)tal_median(near, count);
        }
    }
}

// Lone cells beyond the level of detection are noise, one in twenty of them: only those that touch
// a neighbourhood that moved are kept.
static tal_status drop_threads(uint8_t *mask, const float *middle, const float *lod, float sign,
                               const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    uint8_t *core;
    TAL_CREATE(core, cells, "source and deposit", err);
    for (size_t i = 0; i < cells; i++) {
        core[i] = sign * middle[i] > 0.5F * lod[i];
    }
    const tal_status status = tal_mask_grow(core, grid->columns, grid->rows, 1, err);
    for (size_t i = 0; i < cells && status == TAL_OK; i++) {
        mask[i] = mask[i] != 0 && core[i] != 0;
    }
    tal_memory_destroy(core);
    return status;
}

// Errors that hang together over tens of metres (strips of a survey) make patches just beyond the
// level of detection, and such patches cling to real change. Of a part that exceeds twice the level somewhere
// only these plain cells and their close surroundings are kept.
enum { CLOSE_CELLS = 3 };

static tal_status trim_to_plain(uint8_t *mask, const tal_components *parts,
                                const tal_change *change, const float *middle, float sign,
                                tal_error *err) {
    const tal_grid *grid = &change->grid;
    const size_t cells = tal_grid_cell_count(grid);
    uint8_t *plain = NULL, *has_plain = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(plain, cells, "source and deposit", err);
    TAL_CREATE_OR_DONE(has_plain, (size_t)parts->count + 1, "source and deposit", err);
    for (size_t i = 0; i < cells; i++) {
        plain[i] = mask[i] != 0 && sign * middle[i] > 2.0F * change->lod[i];
        has_plain[parts->label[i]] |= plain[i];
    }
    TAL_TRY_OR_DONE(tal_mask_drop_small(plain, grid->columns, grid->rows, 4, err));
    TAL_TRY_OR_DONE(tal_mask_grow(plain, grid->columns, grid->rows, CLOSE_CELLS, err));
    for (size_t i = 0; i < cells; i++) {
        if (has_plain[parts->label[i]] != 0) {
            mask[i] = mask[i] != 0 && plain[i] != 0;
        }
    }
done:
    tal_memory_destroy(plain);
    tal_memory_destroy(has_plain);
    return status;
}

// Lone cells are noise and nobody's patch.
enum { PATCH_CELLS_MIN = 4 };

typedef struct {
    int64_t strong;  // cells beyond the level of detection
    double dz, x, y; // sums
} part_sums;

static void keep_dropped(tal_change *change, const tal_components *parts, const part_sums *sums,
                         double sign, int64_t least) {
    const double cell_m2 = change->grid.cell * change->grid.cell;
    for (int32_t part = 1; part <= parts->count; part++) {
        const double size = (double)parts->size[part];
        const bool is_small = parts->size[part] < least;
        if (parts->size[part] < PATCH_CELLS_MIN ||
            (!is_small && 2 * sums[part].strong >= parts->size[part])) {
            continue;
        }
        const tal_patch patch = {.sign = sign,
                                 .reason = is_small ? TAL_DROPPED_SMALL : TAL_DROPPED_WEAK,
                                 .area_m2 = size * cell_m2,
                                 .volume_m3 = sign * sums[part].dz * cell_m2,
                                 .x = sums[part].x / size,
                                 .y = sums[part].y / size};
        tal_patches_add(&change->dropped, &patch);
    }
}

// A cell belongs to the change when it and its neighbourhood do beyond half the level of detection,
// or itself beyond the whole of it; a part, when most of its cells are beyond the whole.
static tal_status delineate(tal_change *change, const float *middle, float sign, int64_t least,
                            uint8_t *mask, uint8_t *strong, tal_error *err) {
    const tal_grid *grid = &change->grid;
    const size_t cells = tal_grid_cell_count(grid);
    tal_components parts;
    part_sums *sums = NULL;
    for (size_t i = 0; i < cells; i++) {
        strong[i] = sign * change->dz[i] > change->lod[i];
        mask[i] = strong[i] || (sign * middle[i] > 0.5F * change->lod[i] &&
                                sign * change->dz[i] > 0.5F * change->lod[i]);
    }
    TAL_TRY(drop_threads(mask, middle, change->lod, sign, grid, err));
    TAL_TRY(tal_components_find(&parts, mask, grid->columns, grid->rows, false, err));
    tal_status status = trim_to_plain(mask, &parts, change, middle, sign, err);
    tal_components_destroy(&parts);
    TAL_TRY(status);
    TAL_TRY(tal_components_find(&parts, mask, grid->columns, grid->rows, false, err));
    TAL_CREATE_OR_DONE(sums, (size_t)parts.count + 1, "source and deposit", err);
    for (size_t i = 0; i < cells; i++) {
        part_sums *own = &sums[parts.label[i]];
        double x, y;
        tal_grid_centre(grid, (int32_t)(i % (size_t)grid->columns),
                        (int32_t)(i / (size_t)grid->columns), &x, &y);
        own->strong += strong[i];
        own->dz += (double)change->dz[i];
        own->x += x;
        own->y += y;
    }
    keep_dropped(change, &parts, sums, (double)sign, least);
    for (size_t i = 0; i < cells; i++) {
        const int32_t part = parts.label[i];
        mask[i] =
            part != 0 && parts.size[part] >= least && 2 * sums[part].strong >= parts.size[part];
    }
    status = tal_mask_fill_holes(mask, grid->columns, grid->rows, least, err);
done:
    tal_components_destroy(&parts);
    tal_memory_destroy(sums);
    return status;
}

tal_status tal_change_delineate(tal_change *change, double source_min_m2, double deposit_min_m2,
                                tal_error *err) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    const double cell_m2 = change->grid.cell * change->grid.cell;
    float *middle = NULL;
    uint8_t *strong = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(middle, cells, "source and deposit", err);
    TAL_CREATE_OR_DONE(strong, cells, "source and deposit", err);
    smooth(change, middle);
    TAL_TRY_OR_DONE(delineate(change, middle, -1.0F, (int64_t)ceil(source_min_m2 / cell_m2),
                              change->source, strong, err));
    TAL_TRY_OR_DONE(delineate(change, middle, 1.0F, (int64_t)ceil(deposit_min_m2 / cell_m2),
                              change->deposit, strong, err));
    TAL_ASSERT(source_min_m2 >= 0.0 && deposit_min_m2 >= 0.0);
    for (size_t i = 0; i < cells; i++) { // filled holes may overlap: the sign decides
        if (change->source[i] != 0 && change->deposit[i] != 0) {
            change->source[i] = change->dz[i] < 0.0F;
            change->deposit[i] = !(change->dz[i] < 0.0F);
        }
        if (isnan(change->dz[i])) {
            change->source[i] = change->deposit[i] = 0;
        }
        TAL_VALIDATE(change->source[i] == 0 || change->deposit[i] == 0);
    }
done:
    tal_memory_destroy(middle);
    tal_memory_destroy(strong);
    return status;
}

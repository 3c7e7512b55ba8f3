// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a study on one grid.
#include "ingest/compare/comparison.h"

#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "ingest/check/kinship.h"

#include <math.h>
#include <string.h>

enum { REGISTRATION_ROUNDS = 3 };

static const double registration_slope_max_deg = 55.0;

// ---- Area of interest --------------------------------------------------------------------------

static void blank_outside(tal_dem *dem, const uint8_t *inside) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    for (size_t i = 0; i < cells; i++) {
        if (inside[i] == 0) {
            dem->z[i] = NAN;
            dem->kind[i] = TAL_CELL_EMPTY;
        }
    }
}

static tal_status crop(tal_case *site, const tal_rigid *frame, tal_dem *dem, tal_error *err) {
    uint8_t *inside;
    if (site->area.count == 0) {
        return TAL_OK;
    }
    TAL_CREATE(inside, tal_grid_cell_count(&dem->grid), "the area of interest", err);
    tal_areas_mask(&site->area, &dem->grid, frame, dem->z, inside);
    blank_outside(dem, inside);
    tal_memory_destroy(inside);
    return TAL_OK;
}

static tal_status make_dem(tal_comparison *a, tal_case *site, tal_epoch_ground *epoch,
                           const tal_rigid *motion, tal_dem *dem, tal_error *err) {
    tal_dem_destroy(dem);
    TAL_TRY(tal_epoch_make_dem(epoch, site->study.origin, &a->grid, motion,
                               site->settings->ingest.hole_m2, dem, err));
    return crop(site, &a->frame, dem, err);
}

// ---- Stable terrain and co-registration --------------------------------------------------------

static tal_status find_stable(tal_comparison *a, tal_case *site, tal_error *err) {
    const tal_ingest_settings *settings = &site->settings->ingest;
    const double least = fmin(settings->source_area_min_m2, settings->deposit_area_min_m2);
    uint8_t *given = NULL;
    if (site->stable.count > 0) {
        TAL_CREATE(given, tal_grid_cell_count(&a->grid), "stable terrain", err);
        tal_areas_mask(&site->stable, &a->grid, &a->frame, a->before.z, given);
    }
    const tal_status status =
        tal_change_find_stable(&a->change, &a->before, &a->after, given, least, err);
    tal_memory_destroy(given);
    return status;
}

static bool wants_rotation(const tal_case *site) {
    const int choice = site->settings->ingest.coregister;
    const bool clouds = site->after.survey.has_clouds && !site->after.survey.has_rasters;
    if (choice == TAL_COREGISTER_ICP && !clouds) {
        tal_log_warn("coregister = icp can rotate clouds only; the later rasters are shifted "
                     "without rotation");
    }
    return clouds && choice != TAL_COREGISTER_SHIFT;
}

// From the axes of the frame to those of the study.
static tal_rigid to_study(const tal_rigid *motion, const tal_rigid *frame) {
    const tal_rigid back = tal_rigid_inverse(frame);
    const tal_rigid moved = tal_rigid_after(motion, frame);
    const tal_rigid there = tal_rigid_after(&back, &moved);
    double centre[3] = {motion->centre[0], motion->centre[1], motion->centre[2]};
    tal_rigid_apply(&back, &centre[0], &centre[1], &centre[2]);
    return tal_rigid_about(&there, centre);
}

// The first fits work with the stable terrain as it then looks; each one sharpens it.
static tal_status coregister(tal_comparison *a, tal_case *site, tal_error *err) {
    tal_registration *r = &a->registration;
    const tal_coregister_options options = {.with_rotation = wants_rotation(site),
                                            .slope_max_deg = registration_slope_max_deg};
    r->with_rotation = options.with_rotation;
    tal_rigid motion = tal_rigid_identity(); // of the frame's axes
    for (int round = 0; round < REGISTRATION_ROUNDS; round++) {
        TAL_TRY(tal_coregister(&a->before, &a->after, round == 0 ? NULL : a->change.stable,
                               &options, &r->fit, err));
        motion = tal_rigid_after(&r->fit.motion, &motion);
        motion = tal_rigid_about(&motion, r->fit.motion.centre);
        r->motion = to_study(&motion, &a->frame);
        TAL_TRY(make_dem(a, site, &site->after, &r->motion, &a->after, err));
        TAL_TRY(find_stable(a, site, err));
    }
    TAL_ASSERT(tal_rigid_is_valid(&motion));
    r->fit.motion = motion;
    r->done = true;
    return tal_repeats_find(&r->repeats, &a->before, &a->after, a->change.stable, &options, err);
}

// dz on the stable terrain of the end, before anything was moved.
static tal_status statistics_at_first(tal_comparison *a, const float *first_z, tal_error *err) {
    tal_dem first = {.grid = a->grid, .z = (float *)first_z};
    return tal_difference_statistics(&a->before, &first, a->change.stable,
                                     &a->registration.at_first, err);
}

static void count_differences(tal_histogram *histogram, const tal_comparison *a, const float *z,
                              double step) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    *histogram = (tal_histogram){.step = step};
    for (size_t i = 0; i < cells; i++) {
        const double dz = (double)z[i] - (double)a->before.z[i];
        if (a->change.stable[i] != 0 && isfinite(dz)) {
            const double bin = round(dz / step) + TAL_HISTOGRAM_BINS / 2;
            histogram->count[(int)fmax(0.0, fmin(TAL_HISTOGRAM_BINS - 1, bin))]++;
        }
    }
}

// Both on the scale of the wider one, so that a reader sees what the fit took away.
static void count_both(tal_comparison *a, const float *first_z) {
    tal_registration *r = &a->registration;
    const double reach = fabs(r->at_first.median) + 3.5 * r->at_first.nmad;
    const double step = isfinite(reach) && reach > 0.0 ? reach / (TAL_HISTOGRAM_BINS / 2) : 0.01;
    count_differences(&r->spread_first, a, first_z, step);
    count_differences(&r->spread_last, a, a->after.z, step);
}

// Standard deviation of the mean of the stable terrain: its correlated errors do not average out over
// an area smaller than their range.
static tal_status find_mean_deviation(const tal_comparison *a, double *deviation, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    double sum_deviation = 0.0, count = 0.0;
    TAL_TRY(tal_variogram_sum_deviation(&a->variogram, &a->grid, a->change.stable, a->change.spread,
                                        &sum_deviation, err));
    for (size_t i = 0; i < cells; i++) {
        count += a->change.stable[i] != 0;
    }
    const double mean = count > 0.0 ? sum_deviation / count : 0.0;
    *deviation = hypot(mean, a->change.stable_statistics.nmad / sqrt(fmax(count, 1.0)));
    return TAL_OK;
}

enum { BLOCKS_MIN = 4 }; // fewer say nothing about a deviation

// What blocks of the terrain, wider cells, and errors that hang together over more than a block show. How
// much larger the last are along the ground than upwards is said by the covariance of the fit; where
// there are too few blocks, they stand alone.
static tal_status find_shift_deviation(tal_comparison *a, tal_error *err) {
    tal_registration *r = &a->registration;
    const tal_coregister_result *fit = &r->fit;
    double mean;
    TAL_TRY(find_mean_deviation(a, &mean, err));
    const double up = sqrt(fmax(fit->covariance[2][2], 1e-300));
    for (int axis = 0; axis < 3 && r->done; axis++) {
        const double by_cell = r->repeats.has_cell ? r->repeats.by_cell[axis] : 0.0;
        const double wide = mean * sqrt(fmax(fit->covariance[axis][axis], 0.0)) / up;
        const double block = fit->block_count >= BLOCKS_MIN ? fit->block_deviation[axis] : 0.0;
        r->deviation[axis] = hypot(hypot(block, by_cell), wide);
    }
    return TAL_OK;
}

static tal_status register_epochs(tal_comparison *a, tal_case *site, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    float *first_z;
    tal_status status = TAL_OK;
    a->registration.motion = tal_rigid_identity();
    TAL_CREATE(first_z, cells, "differences", err);
    memcpy(first_z, a->after.z, cells * sizeof *first_z);
    TAL_TRY_OR_DONE(find_stable(a, site, err));
    if (site->settings->ingest.coregister != TAL_COREGISTER_NONE) {
        TAL_TRY_OR_DONE(coregister(a, site, err));
    }
    TAL_TRY_OR_DONE(statistics_at_first(a, first_z, err));
    a->registration.at_last = a->change.stable_statistics;
    count_both(a, first_z);
done:
    tal_memory_destroy(first_z);
    return status;
}

// ---- Change ------------------------------------------------------------------------------------

static void keep_valid(uint8_t *mask, const float *dz, size_t cells) {
    for (size_t i = 0; i < cells; i++) {
        mask[i] = mask[i] != 0 && !isnan(dz[i]);
    }
}

static tal_status find_change(tal_comparison *a, tal_case *site, tal_error *err) {
    const tal_ingest_settings *settings = &site->settings->ingest;
    const size_t cells = tal_grid_cell_count(&a->grid);
    TAL_TRY(tal_change_find_lod(&a->change, &a->before, &a->after, err));
    TAL_TRY(tal_change_delineate(&a->change, settings->source_area_min_m2,
                                 settings->deposit_area_min_m2, err));
    if (site->source.count > 0) {
        tal_areas_mask(&site->source, &a->grid, &a->frame, a->before.z, a->change.source);
        keep_valid(a->change.source, a->change.dz, cells);
    }
    if (site->deposit.count > 0) {
        tal_areas_mask(&site->deposit, &a->grid, &a->frame, a->after.z, a->change.deposit);
        keep_valid(a->change.deposit, a->change.dz, cells);
    }
    return TAL_OK;
}

static tal_status find_volumes(tal_comparison *a, tal_error *err) {
    TAL_TRY(tal_volume_variogram(&a->change, &a->variogram, err));
    TAL_TRY(find_shift_deviation(a, err));
    TAL_TRY(tal_volume_find(&a->change, &a->before, &a->after, &a->variogram,
                            a->registration.deviation, a->change.source, -1.0, &a->source, err));
    return tal_volume_find(&a->change, &a->before, &a->after, &a->variogram,
                           a->registration.deviation, a->change.deposit, 1.0, &a->deposit, err);
}

static tal_status check_overlap(const tal_comparison *a, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    size_t both = 0;
    for (size_t i = 0; i < cells; i++) {
        both += !isnan(a->before.z[i]) && !isnan(a->after.z[i]);
    }
    if (both == 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "no cell of the grid has ground in both surveys; do they "
                        "show the same place, in the coordinate systems they state?");
    }
    return TAL_OK;
}

tal_status tal_comparison_run(tal_comparison *a, tal_case *site, const tal_rigid *frame,
                              const tal_grid *grid, tal_error *err) {
    const tal_settings *settings = site->settings;
    const tal_origin origin = site->study.origin;
    const bool is_upright = frame->rotation[8] == 1.0;
    *a = (tal_comparison){.frame = *frame, .grid = *grid};
    TAL_TRY(tal_epoch_prepare(&site->before, origin, frame, grid, &settings->ingest,
                              site->depth_max, err));
    TAL_TRY(make_dem(a, site, &site->before, NULL, &a->before, err));
    tal_epoch_release(&site->before);
    if (is_upright) {
        tal_check_spikes(site, &site->before.survey);
    }
    if (site->epoch_count < 2) {
        return TAL_OK;
    }
    TAL_TRY(tal_epoch_prepare(&site->after, origin, frame, grid, &settings->ingest, site->depth_max,
                              err));
    TAL_TRY(make_dem(a, site, &site->after, NULL, &a->after, err));
    TAL_TRY(check_overlap(a, err));
    if (is_upright) {
        tal_check_spikes(site, &site->after.survey);
        TAL_TRY(tal_check_kinship(site, &a->before, &a->after, err));
        if (tal_findings_refuse(&site->findings)) {
            return TAL_OK; // nothing that follows would mean anything
        }
    }
    TAL_TRY(tal_change_create(&a->change, grid, err));
    TAL_TRY(register_epochs(a, site, err));
    tal_epoch_release(&site->after);
    TAL_TRY(find_change(a, site, err));
    return find_volumes(a, err);
}

void tal_comparison_destroy(tal_comparison *comparison) {
    tal_dem_destroy(&comparison->before);
    tal_dem_destroy(&comparison->after);
    tal_change_destroy(&comparison->change);
    *comparison = (tal_comparison){0};
}

double tal_comparison_slope(const tal_comparison *comparison, const uint8_t *mask) {
    const tal_grid *grid = &comparison->grid;
    double *values = tal_memory_create(tal_grid_cell_count(grid), sizeof *values);
    size_t count = 0;
    for (int32_t row = 0; row < grid->rows && values != NULL; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            double slope_x, slope_y;
            if (mask[i] != 0 &&
                tal_dem_slope(&comparison->before, column, row, &slope_x, &slope_y)) {
                values[count++] = tal_degrees(atan(hypot(slope_x, slope_y)));
            }
        }
    }
    const double median = tal_median(values, count);
    tal_memory_destroy(values);
    return median;
}

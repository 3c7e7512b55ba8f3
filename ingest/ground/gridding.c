// SPDX-License-Identifier: GPL-3.0-or-later
// Passes over the points: the lowest ones, the ground, the ground again within its scatter. Memory
// is that of the grid.
#include "ingest/ground/gridding.h"

#include "core/base/log.h"

#include <math.h>

// Ground is cut at this many deviations about the local plane in the last pass.
static const double ground_deviations = 3.0;

typedef struct {
    tal_gridding *gridding;
    tal_lowest *lowest, *highest; // for the first pass; highest: negated, may be NULL
    tal_bins *bins;               // for the others
    const tal_rigid *motion;      // applied once the ground was told
} pass;

// Only the end of a pulse can be ground.
static bool is_candidate(const tal_gridding *gridding, const tal_points *points, size_t i) {
    switch (gridding->ground_choice) {
    case TAL_GROUND_CLASSES:
        return points->point_class[i] == TAL_CLASS_GROUND && !points->is_withheld[i];
    case TAL_GROUND_NATIVE:
        return points->is_last[i] && !tal_points_is_noise(points, i);
    default:
        return !tal_points_is_noise(points, i);
    }
}

static bool is_identity(const tal_rigid *motion) {
    const tal_rigid none = tal_rigid_identity();
    bool same = true;
    for (int i = 0; i < 9; i++) {
        same = same && motion->rotation[i] == none.rotation[i];
    }
    for (int i = 0; i < 3; i++) {
        same = same && motion->shift[i] == 0.0;
    }
    return same;
}

static void to_frame(const tal_rigid *frame, tal_points *points) {
    if (is_identity(frame)) {
        return;
    }
    for (size_t i = 0; i < points->count; i++) {
        tal_rigid_apply(frame, &points->x[i], &points->y[i], &points->z[i]);
    }
}

static tal_status lowest_sink(void *context, tal_points *points, tal_error *err) {
    (void)err;
    const pass *p = context;
    const tal_gridding *gridding = p->gridding;
    const double inverse_cell = 1.0 / gridding->grid.cell;
    to_frame(&gridding->frame, points);
    for (size_t i = 0; i < points->count; i++) {
        double dx, dy;
        const double z = points->z[i];
        const int64_t cell =
            tal_bins_locate(&gridding->grid, inverse_cell, points->x[i], points->y[i], &dx, &dy);
        if (cell < 0 || !is_candidate(gridding, points, i) || fabs(z) > gridding->depth_max) {
            continue;
        }
        tal_lowest_add(p->lowest, cell, dx, dy, z);
        if (p->highest != NULL) {
            tal_lowest_add(p->highest, cell, dx, dy, -z);
        }
    }
    return TAL_OK;
}

// The motion is stated in the study's axes; where it is applied the points are in the frame's.
static tal_rigid motion_in_frame(const tal_gridding *gridding, const tal_rigid *motion) {
    if (motion == NULL || is_identity(&gridding->frame)) {
        return motion == NULL ? tal_rigid_identity() : *motion;
    }
    const tal_rigid back = tal_rigid_inverse(&gridding->frame);
    const tal_rigid moved = tal_rigid_after(motion, &back);
    return tal_rigid_after(&gridding->frame, &moved);
}

static tal_status bin_sink(void *context, tal_points *points, tal_error *err) {
    (void)err;
    const pass *p = context;
    tal_gridding *gridding = p->gridding;
    const tal_grid *grid = &gridding->grid;
    const double inverse_cell = 1.0 / grid->cell;
    const tal_rigid motion = motion_in_frame(gridding, p->motion);
    const bool moves = !is_identity(&motion);
    to_frame(&gridding->frame, points);
    for (size_t i = 0; i < points->count; i++) {
        double x = points->x[i], y = points->y[i], z = points->z[i], dx, dy;
        int64_t cell = tal_bins_locate(grid, inverse_cell, x, y, &dx, &dy);
        if (cell < 0 || fabs(z) > gridding->depth_max) {
            continue;
        }
        if (!is_candidate(gridding, points, i) ||
            !tal_ground_accepts(&gridding->ground, cell, dx, dy, z)) {
            gridding->left_out++;
            continue;
        }
        gridding->used++;
        if (moves) {
            tal_rigid_apply(&motion, &x, &y, &z);
            cell = tal_bins_locate(grid, inverse_cell, x, y, &dx, &dy);
        }
        if (cell >= 0) {
            tal_sums_add_point(&p->bins->sums[cell], dx, dy, z);
        }
    }
    return TAL_OK;
}

static tal_status run_bin_pass(tal_gridding *gridding, tal_bins *bins, const tal_rigid *motion,
                               const char *label, tal_error *err) {
    pass p = {.gridding = gridding, .bins = bins, .motion = motion};
    gridding->used = gridding->left_out = 0;
    return tal_survey_stream(gridding->survey, gridding->origin, label, bin_sink, &p, err);
}

// The lowest points give the reference; points near it give planes; these give the final limits.
static tal_status find_ground(tal_gridding *gridding, tal_error *err) {
    tal_lowest lowest = {0};
    tal_bins bins = {0};
    tal_status status = TAL_OK;
    pass p = {.gridding = gridding, .lowest = &lowest};
    TAL_TRY_OR_DONE(tal_lowest_create(&lowest, &gridding->grid, err));
    TAL_TRY_OR_DONE(tal_survey_stream(gridding->survey, gridding->origin, "lowest points of",
                                      lowest_sink, &p, err));
    TAL_TRY_OR_DONE(tal_ground_from_lowest(&gridding->ground, &lowest, err));
    tal_lowest_destroy(&lowest);
    TAL_TRY_OR_DONE(tal_bins_create(&bins, &gridding->grid, err));
    TAL_TRY_OR_DONE(run_bin_pass(gridding, &bins, NULL, "ground of", err));
    TAL_TRY_OR_DONE(tal_ground_refine(&gridding->ground, &bins, ground_deviations, err));
done:
    tal_lowest_destroy(&lowest);
    tal_bins_destroy(&bins);
    return status;
}

// Without a filter only noise is cut: points beyond what the neighbouring cells span.
static tal_status find_noise_limits(tal_gridding *gridding, tal_error *err) {
    tal_lowest lowest = {0}, highest = {0};
    tal_status status = TAL_OK;
    pass p = {.gridding = gridding, .lowest = &lowest, .highest = &highest};
    TAL_TRY_OR_DONE(tal_lowest_create(&lowest, &gridding->grid, err));
    TAL_TRY_OR_DONE(tal_lowest_create(&highest, &gridding->grid, err));
    TAL_TRY_OR_DONE(
        tal_survey_stream(gridding->survey, gridding->origin, "span of", lowest_sink, &p, err));
    TAL_TRY_OR_DONE(tal_ground_from_span(&gridding->ground, &lowest, &highest,
                                         gridding->outlier_deviations, err));
done:
    tal_lowest_destroy(&lowest);
    tal_lowest_destroy(&highest);
    return status;
}

static int settle_choice(const tal_survey_reader *survey, int choice) {
    if (choice != TAL_GROUND_AUTO) {
        return choice;
    }
    // A few stray ground points are no classification.
    return survey->ground_count * 20 >= survey->point_count ? TAL_GROUND_CLASSES
                                                            : TAL_GROUND_NATIVE;
}

tal_status tal_gridding_create(tal_gridding *gridding, const tal_survey_reader *survey,
                               tal_origin origin, const tal_rigid *frame, const tal_grid *grid,
                               int choice, double outlier_deviations, double depth_max,
                               tal_error *err) {
    *gridding = (tal_gridding){.survey = survey,
                               .origin = origin,
                               .frame = *frame,
                               .grid = *grid,
                               .ground_choice = settle_choice(survey, choice),
                               .outlier_deviations = outlier_deviations,
                               .depth_max = depth_max};
    if (gridding->ground_choice == TAL_GROUND_CLASSES && survey->ground_count == 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "ground = classes, but the clouds from %s have no points of "
                        "class 2 (ground); use ground = native",
                        survey->name);
    }
    TAL_ASSERT(gridding->ground_choice == TAL_GROUND_CLASSES ||
               gridding->ground_choice == TAL_GROUND_NATIVE ||
               gridding->ground_choice == TAL_GROUND_NONE); // PDAL's filters ran before
    tal_status status = tal_ground_create(&gridding->ground, grid, err);
    if (status == TAL_OK) {
        status = gridding->ground_choice == TAL_GROUND_NONE ? find_noise_limits(gridding, err)
                                                            : find_ground(gridding, err);
    }
    if (status != TAL_OK) {
        tal_gridding_destroy(gridding);
    }
    return status;
}

void tal_gridding_destroy(tal_gridding *gridding) {
    tal_ground_destroy(&gridding->ground);
    *gridding = (tal_gridding){0};
}

tal_status tal_gridding_make_dem(tal_gridding *gridding, const tal_rigid *motion, double hole_m2,
                                 tal_dem *dem, tal_error *err) {
    tal_bins bins = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_bins_create(&bins, &gridding->grid, err));
    TAL_TRY_OR_DONE(run_bin_pass(gridding, &bins, motion, "binning", err));
    TAL_TRY_OR_DONE(tal_dem_create(dem, &gridding->grid, err));
    TAL_TRY_OR_DONE(tal_dem_from_bins(dem, &bins, err));
    tal_bins_destroy(&bins);
    TAL_TRY_OR_DONE(tal_dem_fill_holes(dem, hole_m2, err));
done:
    tal_bins_destroy(&bins);
    if (status != TAL_OK) {
        tal_dem_destroy(dem);
    }
    return status;
}

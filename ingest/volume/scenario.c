// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios with one epoch.
#include "ingest/volume/scenario.h"

#include "core/base/memory.h"
#include "core/geo/raster_file.h"

#include <math.h>

static bool plane_is_given(const tal_ingest_settings *s) {
    return !isnan(s->plane_dip_deg) && !isnan(s->plane_dip_direction_deg) &&
           !isnan(s->plane_depth_m);
}

bool tal_scenario_is_given(const tal_ingest_settings *s) {
    return s->thickness[0] != '\0' || s->base[0] != '\0' ||
           (s->source[0] != '\0' && plane_is_given(s));
}

// Value of the user's raster at the centre of each cell; NaN outside it.
static tal_status sample_raster(const tal_case *site, const char *files, const tal_grid *grid,
                                float *out, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_raster raster;
    tal_settings_next_file(site->settings, &files, path);
    TAL_TRY(tal_raster_read(&raster, path, err));
    const tal_origin origin = site->study.origin;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            double x, y;
            tal_grid_centre(grid, column, row, &x, &y);
            out[(size_t)row * (size_t)grid->columns + (size_t)column] = (float)tal_raster_sample(
                &raster, x + (double)origin.east, y + (double)origin.north);
        }
    }
    tal_raster_destroy(&raster);
    return TAL_OK;
}

// A plane that dips as told, as high as it can be while its greatest depth is the one asked for.
static void cut_by_plane(tal_scenario *s, const tal_case *site, const tal_dem *ground,
                         const uint8_t *inside) {
    const tal_ingest_settings *settings = &site->settings->ingest;
    const tal_grid *grid = &ground->grid;
    const double radian = 0.017453292519943295;
    const double fall = tan(settings->plane_dip_deg * radian);
    const double slope_x = -fall * sin(settings->plane_dip_direction_deg * radian);
    const double slope_y = -fall * cos(settings->plane_dip_direction_deg * radian);
    double highest = -INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t row = 0; row < grid->rows; row++) {
            for (int32_t column = 0; column < grid->columns; column++) {
                const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
                double x, y;
                if (inside[i] == 0 || isnan(ground->z[i])) {
                    continue;
                }
                tal_grid_centre(grid, column, row, &x, &y);
                const double above = (double)ground->z[i] - slope_x * x - slope_y * y;
                if (pass == 0) {
                    highest = fmax(highest, above);
                } else {
                    const double depth = above - (highest - settings->plane_depth_m);
                    s->layers.source[i] = (float)fmax(0.0, depth);
                }
            }
        }
    }
}

static tal_status find_thickness(tal_scenario *s, const tal_case *site, const tal_dem *ground,
                                 tal_error *err) {
    const tal_ingest_settings *settings = &site->settings->ingest;
    const size_t cells = tal_grid_cell_count(&ground->grid);
    const tal_rigid upright = tal_rigid_identity();
    uint8_t *inside;
    tal_status status = TAL_OK;
    TAL_CREATE(inside, cells, "the source", err);
    for (size_t i = 0; i < cells; i++) {
        inside[i] = 1;
    }
    if (site->source.count > 0) {
        tal_areas_mask(&site->source, &ground->grid, &upright, ground->z, inside);
    }
    if (settings->thickness[0] != '\0') {
        TAL_TRY_OR_DONE(
            sample_raster(site, settings->thickness, &ground->grid, s->layers.source, err));
    } else if (settings->base[0] != '\0') {
        TAL_TRY_OR_DONE(sample_raster(site, settings->base, &ground->grid, s->layers.source, err));
        const float height = (float)site->study.origin.height;
        for (size_t i = 0; i < cells; i++) {
            s->layers.source[i] = ground->z[i] - (s->layers.source[i] - height);
        }
    } else {
        cut_by_plane(s, site, ground, inside);
    }
    for (size_t i = 0; i < cells; i++) {
        const bool used = inside[i] != 0 && s->layers.source[i] > 0.0F && !isnan(ground->z[i]);
        s->layers.source[i] = isnan(ground->z[i]) ? NAN : used ? s->layers.source[i] : 0.0F;
    }
done:
    tal_memory_destroy(inside);
    return status;
}

static void find_volume(tal_scenario *s, const tal_grid *grid) {
    const size_t cells = tal_grid_cell_count(grid);
    const double cell_m2 = grid->cell * grid->cell;
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < cells; i++) {
        if (s->layers.source[i] > 0.0F) {
            sum += (double)s->layers.source[i];
            count += 1.0;
            s->source.max_thickness_m =
                fmax(s->source.max_thickness_m, (double)s->layers.source[i]);
        }
    }
    // What the user states is exact: the interval has no width.
    s->source.volume_m3 = s->source.low_m3 = s->source.high_m3 = sum * cell_m2;
    s->source.area_m2 = count * cell_m2;
    s->source.mean_thickness_m = count > 0.0 ? sum / count : 0.0;
    s->source.part_count = count > 0.0;
}

tal_status tal_scenario_make(tal_scenario *scenario, const tal_case *site,
                             const tal_comparison *ground, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&ground->grid);
    *scenario = (tal_scenario){0};
    TAL_TRY(tal_layers_create(&scenario->layers, &ground->grid, err));
    TAL_TRY(find_thickness(scenario, site, &ground->before, err));
    tal_layers *l = &scenario->layers;
    for (size_t i = 0; i < cells; i++) {
        l->source_mask[i] = l->source[i] > 0.0F;
        l->bed[i] = ground->before.z[i] - l->source[i];
        l->deposit[i] = isnan(ground->before.z[i]) ? NAN : 0.0F;
    }
    find_volume(scenario, &ground->grid);
    if (scenario->source.area_m2 <= 0.0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "the source that was given holds no rock: nowhere does its "
                        "base lie below the ground");
    }
    return TAL_OK;
}

void tal_scenario_destroy(tal_scenario *scenario) {
    tal_layers_destroy(&scenario->layers);
    *scenario = (tal_scenario){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios with one epoch.
#include "ingest/volume/scenario.h"

#include "core/app/number.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/raster_file.h"
#include "core/geometry/angle.h"
#include "ingest/volume/parts.h"

#include <math.h>

enum { SAMPLES_MAX = 16 };

// Less than this share of a polygon or of a raster in use is worth a word.
static const double used_share_min = 0.5;

bool tal_scenario_is_given(const tal_settings *s) {
    return s->ingest.thickness[0] != '\0' || s->ingest.base[0] != '\0' ||
           s->ingest.source[0] != '\0' || s->mesh.blocks == TAL_BLOCKS_IMPORT ||
           s->mesh.blocks == TAL_BLOCKS_FORMS;
}

// ---- Planes ------------------------------------------------------------------------------------

typedef struct {
    double dip_deg, direction_deg, depth_m; // NaN: not said
} plane_words;

static int32_t polygon_count(const tal_areas *areas) {
    int32_t count = 0;
    for (int i = 0; i < areas->count; i++) {
        count += areas->polygons[i].polygon_count;
    }
    return count;
}

// A field of the polygons in place of the setting, where they have it: `word` is that of the first plane,
// the others follow plane by plane.
static void read_field(const char *path, const char *field, double *word) {
    tal_polygons polygons;
    tal_error none; // a layer without the field is no mistake
    tal_error_reset(&none);
    if (tal_polygons_read(&polygons, path, NULL, field, &none) != TAL_OK) {
        return;
    }
    for (int32_t k = 0; k < polygons.polygon_count; k++) {
        double value;
        if (polygons.text[k] != NULL && tal_text_to_real(polygons.text[k], &value) &&
            isfinite(value)) {
            word[(size_t)k * (sizeof(plane_words) / sizeof *word)] = value;
        }
    }
    tal_polygons_destroy(&polygons);
}

static tal_status read_planes(const tal_case *site, plane_words **planes, tal_error *err) {
    const tal_ingest_settings *s = &site->settings->ingest;
    const int32_t count = polygon_count(&site->source);
    const char *files = s->source;
    char path[TAL_PATH_SIZE];
    TAL_CREATE(*planes, (size_t)count + 1, "basal planes", err);
    for (int32_t k = 0; k < count; k++) {
        (*planes)[k] =
            (plane_words){s->plane_dip_deg, s->plane_dip_direction_deg, s->plane_depth_m};
    }
    plane_words *first = *planes;
    for (int i = 0; i < site->source.count && tal_settings_next_file(site->settings, &files, path);
         i++) {
        read_field(path, "dip_deg", &first->dip_deg);
        read_field(path, "dipdir_deg", &first->direction_deg);
        read_field(path, "depth_m", &first->depth_m);
        first += site->source.polygons[i].polygon_count;
    }
    return TAL_OK;
}

static bool needs_planes(const tal_case *site) {
    const tal_ingest_settings *s = &site->settings->ingest;
    return site->source.count > 0 && s->thickness[0] == '\0' && s->base[0] == '\0';
}

void tal_scenario_check(const tal_case *site, tal_error *err) {
    plane_words *planes = NULL;
    if (!needs_planes(site) || read_planes(site, &planes, err) != TAL_OK) {
        return;
    }
    for (int32_t k = 0; k < polygon_count(&site->source); k++) {
        const plane_words *p = &planes[k];
        if (isnan(p->dip_deg) || isnan(p->direction_deg) || isnan(p->depth_m)) {
            tal_error_add(
                err, TAL_BAD_SETTING,
                "[ingest] source: polygon %d has no basal plane: give plane_dip_deg, "
                "plane_dip_direction_deg and plane_depth_m for all, or give the polygons the "
                "fields dip_deg, dipdir_deg and depth_m; or give thickness = or base =",
                k + 1);
        } else if (!(p->dip_deg >= 0.0 && p->dip_deg < 90.0 && p->depth_m > 0.0)) {
            tal_error_add(
                err, TAL_BAD_SETTING,
                "[ingest] source: polygon %d dips by %g degrees and is %g m deep; a dip is "
                "0 to 90, a depth more than 0",
                k + 1, p->dip_deg, p->depth_m);
        }
    }
    tal_memory_destroy(planes);
}

// A plane that dips as told, as high as it can be while its greatest depth is the one asked for.
static void cut_by_plane(tal_scenario *s, const tal_dem *ground, const plane_words *plane,
                         const int32_t *owner, int32_t number) {
    const tal_grid *grid = &ground->grid;
    const double direction = tal_radians(plane->direction_deg);
    const double fall = tan(tal_radians(plane->dip_deg));
    const double slope_x = -fall * sin(direction);
    const double slope_y = -fall * cos(direction);
    double highest = -INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t row = 0; row < grid->rows; row++) {
            for (int32_t column = 0; column < grid->columns; column++) {
                const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
                double x, y;
                if (owner[i] != number || isnan(ground->z[i])) {
                    continue;
                }
                tal_grid_centre(grid, column, row, &x, &y);
                const double above = (double)ground->z[i] - slope_x * x - slope_y * y;
                if (pass == 0) {
                    highest = fmax(highest, above);
                } else {
                    s->layers.source[i] = (float)fmax(0.0, above - (highest - plane->depth_m));
                }
            }
        }
    }
}

static void tell_use_of_polygon(tal_case *site, const tal_scenario *s, const tal_dem *ground,
                                const plane_words *plane, const int32_t *owner, int32_t number) {
    const size_t cells = tal_grid_cell_count(&ground->grid);
    const double cell_m2 = ground->grid.cell * ground->grid.cell;
    double area = 0.0, used = 0.0;
    for (size_t i = 0; i < cells; i++) {
        area += owner[i] == number ? cell_m2 : 0.0;
        used += owner[i] == number && s->layers.source[i] > 0.0F ? cell_m2 : 0.0;
    }
    if (used < used_share_min * area || area == 0.0) {
        tal_findings_add(&site->findings, "scenario", TAL_WARN, "ingest.source",
                         "polygon %d: only %.0f of its %.0f m2 hold rock. The plane (dip %g to %g "
                         "degrees, %g m deep) comes out of the ground elsewhere: make it deeper, "
                         "or let it dip as the slope does",
                         number + 1, used, area, plane->dip_deg, plane->direction_deg,
                         plane->depth_m);
    }
}

// The polygon of each cell, counted through all files; -1 outside.
static tal_status find_owners(const tal_case *site, const tal_grid *grid, int32_t *owner,
                              tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    int32_t *inside, first = 0;
    tal_status status = TAL_OK;
    TAL_CREATE(inside, cells, "the source", err);
    for (size_t i = 0; i < cells; i++) {
        owner[i] = -1;
    }
    for (int k = 0; k < site->source.count; k++) {
        TAL_TRY_OR_DONE(tal_polygons_fill(&site->source.polygons[k], grid, inside, err));
        for (size_t i = 0; i < cells; i++) {
            owner[i] = owner[i] < 0 && inside[i] >= 0 ? first + inside[i] : owner[i];
        }
        first += site->source.polygons[k].polygon_count;
    }
done:
    tal_memory_destroy(inside);
    return status;
}

static tal_status cut_by_planes(tal_scenario *s, tal_case *site, const tal_dem *ground,
                                const int32_t *owner, tal_error *err) {
    plane_words *planes = NULL;
    TAL_TRY(read_planes(site, &planes, err));
    for (int32_t k = 0; k < polygon_count(&site->source); k++) {
        cut_by_plane(s, ground, &planes[k], owner, k);
        tell_use_of_polygon(site, s, ground, &planes[k], owner, k);
    }
    tal_memory_destroy(planes);
    return TAL_OK;
}

// ---- Rasters -----------------------------------------------------------------------------------

// Mean over a cell, from as many places as the raster is finer; NaN where the raster has nothing.
static double sample_cell(const tal_raster *raster, double x, double y, double cell, int samples) {
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < samples * samples; k++) {
        const double dx = ((k % samples) + 0.5) / samples - 0.5;
        const double dy = ((k / samples) + 0.5) / samples - 0.5;
        const double value = tal_raster_sample(raster, x + dx * cell, y + dy * cell);
        if (!isnan(value)) {
            sum += value;
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

static tal_status sample_raster(const tal_case *site, const char *files, const tal_grid *grid,
                                float *out, double *raster_sum_m3, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_raster raster;
    tal_settings_next_file(site->settings, &files, path);
    TAL_TRY(tal_raster_read(&raster, path, err));
    const tal_origin origin = site->study.origin;
    const double ratio = grid->cell / raster.grid.cell;
    const int samples = ratio > 1.5 ? (int)fmin(ceil(ratio), SAMPLES_MAX) : 1;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            double x, y;
            tal_grid_centre(grid, column, row, &x, &y);
            out[(size_t)row * (size_t)grid->columns + (size_t)column] = (float)sample_cell(
                &raster, x + (double)origin.east, y + (double)origin.north, grid->cell, samples);
        }
    }
    *raster_sum_m3 = 0.0;
    for (size_t i = 0; i < tal_grid_cell_count(&raster.grid); i++) {
        const double value = (double)raster.value[i];
        *raster_sum_m3 += value > 0.0 ? value * raster.grid.cell * raster.grid.cell : 0.0;
    }
    tal_raster_destroy(&raster);
    return TAL_OK;
}

static tal_status take_thickness(tal_scenario *s, tal_case *site, const tal_dem *ground,
                                 tal_error *err) {
    const tal_grid *grid = &ground->grid;
    double all = 0.0, used = 0.0;
    TAL_TRY(
        sample_raster(site, site->settings->ingest.thickness, grid, s->layers.source, &all, err));
    for (size_t i = 0; i < tal_grid_cell_count(grid); i++) {
        const bool counts = s->layers.source[i] > 0.0F && !isnan(ground->z[i]);
        used += counts ? (double)s->layers.source[i] * grid->cell * grid->cell : 0.0;
    }
    if (fabs(used - all) > 0.02 * all) {
        char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
        tal_findings_add(&site->findings, "scenario", TAL_WARN, "ingest.thickness",
                         "the raster holds %s m3, of which %s m3 lie on the ground of the survey: "
                         "part of it lies outside, or the cells are too large for it",
                         tal_number_format(one, all), tal_number_format(two, used));
    }
    return TAL_OK;
}

static tal_status take_base(tal_scenario *s, tal_case *site, const tal_dem *ground,
                            tal_error *err) {
    const float height = (float)site->study.origin.height;
    double unused;
    TAL_TRY(sample_raster(site, site->settings->ingest.base, &ground->grid, s->layers.source,
                          &unused, err));
    for (size_t i = 0; i < tal_grid_cell_count(&ground->grid); i++) {
        s->layers.source[i] = ground->z[i] - (s->layers.source[i] - height);
    }
    return TAL_OK;
}

// ---- The whole ---------------------------------------------------------------------------------

static tal_status find_thickness(tal_scenario *s, tal_case *site, const tal_dem *ground,
                                 tal_error *err) {
    const tal_ingest_settings *settings = &site->settings->ingest;
    const size_t cells = tal_grid_cell_count(&ground->grid);
    const bool everywhere = site->source.count == 0;
    int32_t *owner;
    tal_status status = TAL_OK;
    TAL_CREATE(owner, cells, "the source", err);
    TAL_TRY_OR_DONE(find_owners(site, &ground->grid, owner, err));
    if (settings->thickness[0] != '\0') {
        TAL_TRY_OR_DONE(take_thickness(s, site, ground, err));
    } else if (settings->base[0] != '\0') {
        TAL_TRY_OR_DONE(take_base(s, site, ground, err));
    } else {
        TAL_TRY_OR_DONE(cut_by_planes(s, site, ground, owner, err));
    }
    for (size_t i = 0; i < cells; i++) {
        const bool inside = everywhere || owner[i] >= 0;
        const bool used = inside && s->layers.source[i] > 0.0F && !isnan(ground->z[i]);
        s->layers.source[i] = isnan(ground->z[i]) ? NAN : used ? s->layers.source[i] : 0.0F;
    }
done:
    tal_memory_destroy(owner);
    return status;
}

// What the user states is taken as it is; the interval holds what the cells of the grid add to it.
static tal_status find_volume(tal_scenario *s, const tal_grid *grid, tal_error *err) {
    tal_components parts;
    tal_volume_estimate *volumes = NULL, *whole = &s->source;
    tal_status status = TAL_OK;
    TAL_TRY(
        tal_components_find(&parts, s->layers.source_mask, grid->columns, grid->rows, false, err));
    TAL_CREATE_OR_DONE(volumes, (size_t)parts.count + 1, "the source", err);
    tal_parts_sum_columns(grid, &parts, s->layers.source, volumes);
    tal_parts_widen_by_rim(grid, &parts, s->layers.source, volumes);
    for (int32_t number = 1; number <= parts.count; number++) {
        whole->volume_m3 += volumes[number].volume_m3;
        whole->area_m2 += volumes[number].area_m2;
        whole->random_m3 = hypot(whole->random_m3, volumes[number].random_m3);
        whole->max_thickness_m = fmax(whole->max_thickness_m, volumes[number].max_thickness_m);
    }
    whole->low_m3 = whole->volume_m3 - 1.96 * whole->random_m3;
    whole->high_m3 = whole->volume_m3 + 1.96 * whole->random_m3;
    whole->mean_thickness_m = whole->area_m2 > 0.0 ? whole->volume_m3 / whole->area_m2 : 0.0;
    whole->part_count = parts.count;
done:
    tal_memory_destroy(volumes);
    tal_components_destroy(&parts);
    return status;
}

static void fill_layers(tal_scenario *s, tal_dem *ground, bool is_on_top) {
    tal_layers *l = &s->layers;
    for (size_t i = 0; i < tal_grid_cell_count(&ground->grid); i++) {
        l->source[i] = isnan(ground->z[i]) ? NAN : l->source[i];
        l->source_mask[i] = l->source[i] > 0.0F;
        l->bed[i] = is_on_top ? ground->z[i] : ground->z[i] - l->source[i];
        ground->z[i] = is_on_top ? l->bed[i] + l->source[i] : ground->z[i];
        l->deposit[i] = isnan(ground->z[i]) ? NAN : 0.0F;
    }
}

tal_status tal_scenario_make(tal_scenario *scenario, tal_case *site, tal_comparison *ground,
                             tal_error *err) {
    const tal_settings *settings = site->settings;
    const bool is_on_top = settings->ingest.thickness[0] != '\0' &&
                           settings->ingest.thickness_is == TAL_THICKNESS_ABOVE;
    const bool blocks_only = settings->ingest.thickness[0] == '\0' &&
                             settings->ingest.base[0] == '\0' && site->source.count == 0;
    *scenario = (tal_scenario){0};
    TAL_TRY(tal_layers_create(&scenario->layers, &ground->grid, err));
    if (!blocks_only) {
        TAL_TRY(find_thickness(scenario, site, &ground->before, err));
    }
    fill_layers(scenario, &ground->before, is_on_top);
    TAL_TRY(find_volume(scenario, &ground->grid, err));
    if (scenario->source.area_m2 <= 0.0 && !blocks_only) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "the given source holds no rock: its base is nowhere below the ground");
    }
    return TAL_OK;
}

void tal_scenario_destroy(tal_scenario *scenario) {
    tal_layers_destroy(&scenario->layers);
    *scenario = (tal_scenario){0};
}

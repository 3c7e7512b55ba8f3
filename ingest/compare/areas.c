// SPDX-License-Identifier: GPL-3.0-or-later
// Polygon layers brought to the study's coordinates and onto its cells.
#include "ingest/compare/areas.h"

#include <math.h>

static int32_t ring_count(const tal_polygons *polygons) {
    return polygons->polygon_count > 0 ? polygons->polygon_start[polygons->polygon_count] : 0;
}

static int32_t vertex_count(const tal_polygons *polygons) {
    const int32_t rings = ring_count(polygons);
    return rings > 0 ? polygons->ring_start[rings] : 0;
}

static tal_status to_study(tal_polygons *polygons, const char *path, const tal_crs *study,
                           tal_error *err) {
    tal_crs *own = NULL;
    tal_crs_transform *transform = NULL;
    tal_status status = TAL_OK;
    if (study == NULL || polygons->crs_definition == NULL || tal_crs_get_info(study)->is_local) {
        return TAL_OK;
    }
    TAL_TRY_OR_DONE(tal_crs_create(&own, polygons->crs_definition, path, err));
    TAL_TRY_OR_DONE(tal_crs_transform_create_flat(&transform, own, study, path, err));
    TAL_TRY_OR_DONE(tal_crs_transform_apply(transform, polygons->x, polygons->y, NULL,
                                            (size_t)vertex_count(polygons), err));
    for (int32_t i = 0; i < vertex_count(polygons); i++) {
        if (!isfinite(polygons->x[i]) || !isfinite(polygons->y[i])) {
            status = TAL_FAIL(err, TAL_BAD_CRS,
                              "%s: its coordinates do not fit its coordinate system "
                              "(%s); GeoJSON that states none is in degrees",
                              path, tal_crs_get_info(own)->name);
            goto done;
        }
    }
done:
    tal_crs_transform_destroy(transform);
    tal_crs_destroy(own);
    return status;
}

tal_status tal_areas_read(tal_areas *areas, const tal_settings *settings, const char *files,
                          const char *key, const tal_crs *study, tal_error *err) {
    char path[TAL_PATH_SIZE];
    *areas = (tal_areas){0};
    while (tal_settings_next_file(settings, &files, path)) {
        if (areas->count == TAL_AREA_FILES_MAX) {
            return TAL_FAIL(err, TAL_BAD_SETTING, "%s: more than %d polygon layers", key,
                            TAL_AREA_FILES_MAX);
        }
        tal_polygons *polygons = &areas->polygons[areas->count];
        TAL_TRY(tal_polygons_read(polygons, path, NULL, NULL, err));
        areas->count++;
        if (polygons->polygon_count == 0) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: holds no polygons (%s = needs them)", path,
                            key);
        }
        TAL_TRY(to_study(polygons, path, study, err));
    }
    return TAL_OK;
}

void tal_areas_destroy(tal_areas *areas) {
    for (int i = 0; i < areas->count; i++) {
        tal_polygons_destroy(&areas->polygons[i]);
    }
    *areas = (tal_areas){0};
}

void tal_areas_move(tal_areas *areas, tal_origin origin) {
    for (int i = 0; i < areas->count; i++) {
        tal_polygons *polygons = &areas->polygons[i];
        const int32_t count = vertex_count(polygons);
        for (int32_t k = 0; k < count; k++) {
            polygons->x[k] -= (double)origin.east;
            polygons->y[k] -= (double)origin.north;
        }
    }
}

tal_bounds tal_areas_bounds(const tal_areas *areas) {
    tal_bounds bounds = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < areas->count; i++) {
        const tal_polygons *polygons = &areas->polygons[i];
        const int32_t count = vertex_count(polygons);
        for (int32_t k = 0; k < count; k++) {
            bounds.west = fmin(bounds.west, polygons->x[k]);
            bounds.east = fmax(bounds.east, polygons->x[k]);
            bounds.south = fmin(bounds.south, polygons->y[k]);
            bounds.north = fmax(bounds.north, polygons->y[k]);
        }
    }
    return bounds;
}

bool tal_areas_hold(const tal_areas *areas, double x, double y) {
    for (int i = 0; i < areas->count; i++) {
        if (tal_polygons_find(&areas->polygons[i], x, y) >= 0) {
            return true;
        }
    }
    return false;
}

void tal_areas_mask(const tal_areas *areas, const tal_grid *grid, const tal_rigid *frame,
                    const float *z, uint8_t *mask) {
    const tal_rigid back = tal_rigid_inverse(frame);
    const tal_bounds bounds = tal_areas_bounds(areas);
#pragma omp parallel for schedule(dynamic, 16)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            double x, y, height = isnan(z[i]) ? 0.0 : (double)z[i];
            tal_grid_centre(grid, column, row, &x, &y);
            tal_rigid_apply(&back, &x, &y, &height);
            mask[i] = x >= bounds.west && x <= bounds.east && y >= bounds.south &&
                      y <= bounds.north && tal_areas_hold(areas, x, y);
        }
    }
}

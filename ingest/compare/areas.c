// SPDX-License-Identifier: GPL-3.0-or-later
// Polygon layers brought to the study's coordinates and onto its cells.
#include "ingest/compare/areas.h"

#include <math.h>

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
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s holds no polygons (%s = needs them)", path,
                            key);
        }
        if (study != NULL) {
            TAL_TRY(tal_polygons_to_crs(polygons, study, path, err));
        }
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
        const int32_t count = tal_polygons_vertex_count(polygons);
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
        const int32_t count = tal_polygons_vertex_count(polygons);
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

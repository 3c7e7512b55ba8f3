// SPDX-License-Identifier: GPL-3.0-or-later
// Grids of ASCII and GeoJSON from hostile bytes, as projects of Rockyfor3D, places of a release, barriers,
// forests and outlines come: read or refused, and no height that cannot be. The first byte chooses.
#define _GNU_SOURCE // RTLD_DEFAULT
#include "core/geo/features.h"
#include "core/geo/geopackage.h"
#include "core/geo/raster_file.h"
#include "tests/support/hostile.h"
#include "tests/support/sqlite_alone.h"

#include <math.h>

static tal_crs *local;
static tal_settings settings; // a megabyte that no file changes

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    sqlite_alone();
    tal_settings_init(&settings);
    tal_gdal_init();
    mutant_need(tal_crs_create(&local, "local", "here", &err), &err);
    return 0;
}

static void read_grid(const char *path, tal_error *err) {
    tal_raster_info info;
    tal_raster raster;
    if (tal_raster_info_read(&info, path, err) != TAL_OK) {
        return;
    }
    const bool is_small = (int64_t)info.columns * info.rows < 1 << 14;
    tal_raster_info_destroy(&info);
    if (is_small && tal_raster_read(&raster, path, err) == TAL_OK) {
        for (size_t i = 0; i < tal_grid_cell_count(&raster.grid); i++) {
            if (fabsf(raster.value[i]) > 1e5f) {
                abort();
            }
        }
        tal_raster_destroy(&raster);
    }
}

static void read_features(const char *path, tal_error *err) {
    tal_features features;
    const tal_features_frame frame = {.crs = local};
    if (tal_features_create(&features, &settings, path, NULL, TAL_PLACE_POLYGON, &frame, "here",
                            err) == TAL_OK) {
        (void)tal_features_hold(&features, 5, 5);
        tal_features_destroy(&features);
    }
}

static void read_polygons(const char *path, tal_error *err) {
    tal_polygons polygons;
    if (tal_polygons_read(&polygons, path, NULL, "class", err) == TAL_OK) {
        (void)tal_polygons_find(&polygons, 5, 5);
        tal_polygons_destroy(&polygons);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    if (size == 0) {
        return 0;
    }
    tal_error_reset(&err);
    switch (data[0] % 3) {
    case 0:
        read_grid(hostile_file("f.asc", data + 1, size - 1), &err);
        break;
    case 1:
        read_features(hostile_file("f.geojson", data + 1, size - 1), &err);
        break;
    default:
        read_polygons(hostile_file("p.geojson", data + 1, size - 1), &err);
    }
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of a GeoPackage with polygons and a text field.
#include "core/geo/geopackage.h"
#include "core/geo/raster_file.h"
#include "tests/support/mutate.h"

static mutant m;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    tal_geopackage *package = NULL;
    const tal_field fields[] = {{"class", TAL_FIELD_TEXT}};
    const double x[] = {0, 10, 10, 0}, y[] = {0, 0, 10, 10};
    const int32_t ring_start[] = {0, 4};
    const tal_geometry square = {.x = x, .y = y, .ring_count = 1, .ring_start = ring_start};
    const tal_field_value values[] = {{.text = "forest"}};
    tal_gdal_init();
    mutant_begin(&m, "seed.gpkg");
    mutant_need(tal_geopackage_create(&package, m.path, TAL_REPLACE, &err), &err);
    mutant_need(tal_geopackage_add_layer(package, "areas", TAL_GEOMETRY_POLYGON, NULL, fields, 1,
                                         NULL, &err),
                &err);
    mutant_need(tal_geopackage_add_feature(package, &square, values, &err), &err);
    mutant_need(tal_geopackage_commit(&package, &err), &err);
    mutant_take_seed(&m);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_polygons polygons;
    mutant_edit(&m, data, size);
    mutant_write(&m);
    if (tal_polygons_read(&polygons, m.path, NULL, "class", &err) == TAL_OK) {
        (void)tal_polygons_find(&polygons, 5, 5);
        tal_polygons_destroy(&polygons);
    }
    return 0;
}

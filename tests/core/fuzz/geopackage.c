// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of a GeoPackage with polygons and a text field.
#define _GNU_SOURCE // RTLD_NEXT
#include "core/geo/geopackage.h"
#include "core/geo/raster_file.h"
#include "tests/support/mutate.h"
#include "tests/support/sqlite_alone.h"

#include <cpl_conv.h>

static mutant m;

// GDAL registers hundreds of functions of SQL with every file that it opens, which takes most of the time. Those
// who write one need them, those who read one do not.
static bool is_reading;

typedef void init_function(void *connection, const void *cache, int verbose);
typedef int create_function(void *connection, const char *name, int arguments, int encoding,
                            void *data, void *call, void *step, void *last);

init_function spatialite_init_ex;
create_function sqlite3_create_function;

void spatialite_init_ex(void *connection, const void *cache, int verbose) {
    init_function *init = (init_function *)dlsym(RTLD_NEXT, "spatialite_init_ex");
    if (!is_reading) {
        init(connection, cache, verbose);
    }
}

int sqlite3_create_function(void *connection, const char *name, int arguments, int encoding,
                            void *data, void *call, void *step, void *last) {
    create_function *create = (create_function *)dlsym(RTLD_NEXT, "sqlite3_create_function");
    return is_reading ? 0 : create(connection, name, arguments, encoding, data, call, step, last);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    tal_geopackage *package = NULL;
    const tal_field fields[] = {{"class", TAL_FIELD_TEXT}};
    const double x[] = {0, 10, 10, 0}, y[] = {0, 0, 10, 10};
    const int32_t ring_start[] = {0, 4};
    const tal_geometry square = {.x = x, .y = y, .ring_count = 1, .ring_start = ring_start};
    const tal_field_value values[] = {{.text = "forest"}};
    sqlite_alone();
    tal_gdal_init();
    CPLSetConfigOption("OGR_SQLITE_PRAGMA", "page_size=512"); // little room that holds nothing
    mutant_begin(&m, "seed.gpkg");
    mutant_need(tal_geopackage_create(&package, m.path, TAL_REPLACE, &err), &err);
    mutant_need(tal_geopackage_add_layer(package, "areas", TAL_GEOMETRY_POLYGON, NULL, fields, 1,
                                         NULL, &err),
                &err);
    mutant_need(tal_geopackage_add_feature(package, &square, values, &err), &err);
    mutant_need(tal_geopackage_commit(&package, &err), &err);
    mutant_take_seed(&m);
    is_reading = true;
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Every allocation of the geodata code fails once: each time the status says so, and nothing is left
// behind in memory (leak checker) or on disk.
#define _POSIX_C_SOURCE 200809L
#include "core/base/fault.h"
#include "core/geo/geopackage.h"
#include "core/geo/netcdf_file.h"
#include "core/geo/raster_file.h"
#include "tests/core/unit/geo_check.h"

typedef tal_status (*operation)(void);

// Lets the first, second, ... allocation fail until one walk meets no fault.
static void walk(operation run) {
    for (int nth = 1;; nth++) {
        tal_error_reset(&check_error);
        tal_fault_arm(TAL_FAULT_ALLOCATION, nth, false);
        const tal_status status = run();
        const long struck = tal_fault_count();
        tal_fault_disarm();
        if (struck == 0) {
            check_ok(status);
            assert_true(nth > 1);
            break;
        }
        if (status != TAL_NO_MEMORY) {
            fail_msg("allocation %d: %s: %s", nth, tal_status_text(status), check_error.text);
        }
        assert_int_equal(geo_count_names("new"), 0);
    }
}

static tal_status make_crs(void) {
    tal_crs *crs = NULL;
    const tal_status status = tal_crs_create(&crs, "EPSG:5490+5756", "test", &check_error);
    tal_crs_destroy(crs);
    return status;
}

static tal_crs *from, *to;

// Longer than what a text holds at first.
static tal_status make_crs_of_wkt(void) {
    tal_crs *crs = NULL;
    const tal_status status = tal_crs_create(&crs, tal_crs_wkt(to), "test", &check_error);
    tal_crs_destroy(crs);
    return status;
}

static tal_status make_transform(void) {
    tal_crs_transform *transform = NULL;
    const tal_status status = tal_crs_transform_create(&transform, from, to, "test", &check_error);
    tal_crs_transform_destroy(transform);
    return status;
}

static tal_status write_raster(const char *path) {
    const tal_grid grid = {.west = 0, .north = 9, .cell = 1, .columns = 7, .rows = 9};
    tal_raster raster;
    tal_status status = tal_raster_create(&raster, &grid, &check_error);
    if (status == TAL_OK) {
        const tal_raster_notes notes = {.crs = to, .unit = "m"};
        status = tal_raster_write(path, &raster, &notes, TAL_REPLACE, &check_error);
    }
    tal_raster_destroy(&raster);
    return status;
}

static tal_status read_raster(void) {
    tal_raster raster;
    tal_raster_info info;
    tal_status status = tal_raster_info_read(&info, geo_path("a.tif"), &check_error);
    tal_raster_info_destroy(&info);
    if (status == TAL_OK) {
        status = tal_raster_read(&raster, geo_path("a.tif"), &check_error);
        tal_raster_destroy(&raster);
    }
    return status;
}

static tal_status write_netcdf(const char *path) {
    const tal_grid grid = {.west = 0, .north = 9, .cell = 1, .columns = 7, .rows = 9};
    tal_netcdf file;
    TAL_TRY(tal_netcdf_create(&file, path, TAL_REPLACE, "t", "{}", &check_error));
    int dimensions[2];
    tal_netcdf_raster_axes(&file, &grid, to, dimensions);
    return tal_netcdf_commit(&file, &check_error);
}

static tal_status write_new_netcdf(void) {
    return write_netcdf(geo_path("new.nc"));
}

static tal_status read_netcdf(void) {
    tal_netcdf file;
    char *text = NULL;
    TAL_TRY(tal_netcdf_open(&file, geo_path("a.nc"), &check_error));
    const tal_status status = tal_netcdf_get_text(&file, "crs", "crs_wkt", &text, &check_error);
    tal_memory_destroy(text);
    tal_netcdf_close(&file);
    return status;
}

static tal_status read_polygons(void) {
    tal_polygons polygons;
    int32_t cells[16];
    const tal_grid grid = {.west = 0, .north = 4, .cell = 1, .columns = 4, .rows = 4};
    tal_status status =
        tal_polygons_read(&polygons, geo_path("a.geojson"), NULL, "class", &check_error);
    if (status == TAL_OK) {
        status = tal_polygons_fill(&polygons, &grid, cells, &check_error);
    }
    tal_polygons_destroy(&polygons);
    return status;
}

static int make_inputs(void **state) {
    geo_make_folder(state);
    check_ok(tal_crs_create(&from, "EPSG:32620+5756", "test", &check_error));
    check_ok(tal_crs_create(&to, "EPSG:5490+5756", "test", &check_error));
    check_ok(write_raster(geo_path("a.tif")));
    check_ok(write_netcdf(geo_path("a.nc")));
    // More vertices than the arrays start with, so that they grow.
    FILE *stream = fopen(geo_path("a.geojson"), "w");
    assert_non_null(stream);
    fprintf(stream, "{\"type\":\"Feature\",\"properties\":{\"class\":\"scree\"},\"geometry\":"
                    "{\"type\":\"Polygon\",\"coordinates\":[[[0,0]");
    for (int i = 1; i < 200; i++) {
        fprintf(stream, ",[%d,%d]", i, i * i);
    }
    fprintf(stream, ",[0,0]]]}}");
    return fclose(stream);
}

static int drop_inputs(void **state) {
    tal_crs_destroy(from);
    tal_crs_destroy(to);
    return geo_remove_folder(state);
}

static void coordinate_systems_survive(void **state) {
    (void)state;
    walk(make_crs);
    walk(make_crs_of_wkt);
}

static void transformations_survive(void **state) {
    (void)state;
    walk(make_transform);
}

static void rasters_survive(void **state) {
    (void)state;
    walk(read_raster);
}

static void netcdf_files_survive(void **state) {
    (void)state;
    walk(read_netcdf);
    walk(write_new_netcdf);
    assert_int_equal(remove(geo_path("new.nc")), 0);
}

static void polygons_survive(void **state) {
    (void)state;
    walk(read_polygons);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinate_systems_survive),
        cmocka_unit_test(transformations_survive),
        cmocka_unit_test(rasters_survive),
        cmocka_unit_test(netcdf_files_survive),
        cmocka_unit_test(polygons_survive),
    };
    return cmocka_run_group_tests(tests, make_inputs, drop_inputs);
}

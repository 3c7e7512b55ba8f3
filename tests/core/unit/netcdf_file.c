// SPDX-License-Identifier: GPL-3.0-or-later
// NetCDF files: written whole or not at all, the same bytes every time, read with checks.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/netcdf_file.h"
#include "core/base/fault.h"
#include "core/geo/raster_file.h"
#include "geo_check.h"

#include <gdal.h>

static tal_crs *make_crs(const char *definition) {
    tal_crs *crs = NULL;
    check_ok(tal_crs_create(&crs, definition, "test", &check_error));
    return crs;
}

enum { NODES = 5000 };

// A file with every kind of variable and attribute.
static tal_status write_example(const char *path, tal_overwrite overwrite) {
    static double x[NODES];
    static float speed[NODES];
    static int32_t face[NODES][3];
    static const int64_t id[2] = {7, 9000000000000};
    static const char names[2][8] = {"rock", "scree"};
    for (int i = 0; i < NODES; i++) {
        x[i] = 700000 + 0.1 * i;
        speed[i] = (float)sin(i);
        for (int j = 0; j < 3; j++) {
            face[i][j] = (i + j) % NODES;
        }
    }
    tal_crs *crs = make_crs("EPSG:5490+5756");
    tal_netcdf file;
    tal_error_reset(&check_error);
    tal_status status =
        tal_netcdf_create(&file, path, overwrite, "an example", "{\"seed\": 1}", &check_error);
    if (status == TAL_OK) {
        const int node = tal_netcdf_dimension(&file, "node", NODES);
        const int three = tal_netcdf_dimension(&file, "three", 3);
        const int two = tal_netcdf_dimension(&file, "two", 2);
        const int letter = tal_netcdf_dimension(&file, "letter", 8);
        const int frame = tal_netcdf_dimension(&file, "frame", 0);
        tal_netcdf_grid_mapping(&file, crs);
        const int vx =
            tal_netcdf_variable(&file, "node_x", TAL_NC_DOUBLE, 1, &node, "m", "easting");
        const int vs =
            tal_netcdf_variable(&file, "speed", TAL_NC_FLOAT, 1, &node, "m s-1", "speed");
        const int vf = tal_netcdf_variable(&file, "face_node", TAL_NC_INT, 2,
                                           (const int[]){node, three}, "1", "nodes of a face");
        const int vi = tal_netcdf_variable(&file, "id", TAL_NC_INT64, 1, &two, "1", "identity");
        const int vn = tal_netcdf_variable(&file, "class_name", TAL_NC_CHAR, 2,
                                           (const int[]){two, letter}, NULL, "classes");
        const int vb = tal_netcdf_variable(&file, "state", TAL_NC_BYTE, 1, &two, "1", "state");
        const int vt = tal_netcdf_variable(&file, "z", TAL_NC_DOUBLE, 2, (const int[]){frame, two},
                                           "m", "height");
        tal_netcdf_real(&file, vs, "_FillValue", (double)NAN);
        tal_netcdf_integers(&file, vb, "flag_values", (const int32_t[]){0, 1}, 2);
        tal_netcdf_integer(&file, vf, "start_index", 0);
        tal_netcdf_real(&file, TAL_NC_GLOBAL, "mesh_error_m", 0.25);
        tal_netcdf_integer(&file, TAL_NC_GLOBAL, "origin_east_m", 5000000000);
        tal_netcdf_compress(&file, vs, NULL);
        tal_netcdf_compress(&file, vf, (const size_t[]){1000, 3});
        tal_netcdf_put_doubles(&file, vx, x);
        tal_netcdf_put_floats(&file, vs, speed);
        tal_netcdf_put_ints(&file, vf, &face[0][0]);
        tal_netcdf_put_int64s(&file, vi, id);
        tal_netcdf_put_text(&file, vn, &names[0][0]);
        tal_netcdf_put_ints(&file, vb, (const int32_t[]){1, 0});
        for (size_t i = 0; i < 3; i++) {
            tal_netcdf_put_slab(&file, vt, (const size_t[]){i, 0}, (const size_t[]){1, 2},
                                (const double[]){(double)i, 10.0 + (double)i});
        }
        status = tal_netcdf_commit(&file, &check_error);
        tal_netcdf_discard(&file); // harmless
    }
    tal_crs_destroy(crs);
    return status;
}

static void all_that_was_written_comes_back(void **state) {
    (void)state;
    check_ok(write_example(geo_path("a.nc"), TAL_KEEP_EXISTING));
    assert_int_equal(geo_count_names("a.nc"), 1);
    tal_netcdf file;
    check_ok(tal_netcdf_open(&file, geo_path("a.nc"), &check_error));
    size_t length = 0;
    check_ok(tal_netcdf_get_length(&file, "node", &length, &check_error));
    assert_int_equal(length, NODES);
    check_ok(tal_netcdf_get_length(&file, "frame", &length, &check_error));
    assert_int_equal(length, 3);
    static double values[NODES];
    check_ok(tal_netcdf_get_doubles(&file, "node_x", values, NODES, &check_error));
    for (int i = 0; i < NODES; i++) {
        assert_true(values[i] == 700000 + 0.1 * i);
    }
    check_ok(tal_netcdf_get_doubles(&file, "speed", values, NODES, &check_error));
    for (int i = 0; i < NODES; i++) {
        assert_true(values[i] == (double)(float)sin(i));
    }
    static int32_t face[NODES * 3];
    check_ok(tal_netcdf_get_ints(&file, "face_node", face, NODES * 3, &check_error));
    assert_int_equal(face[3 * 4999 + 2], 1);
    char names[16];
    check_ok(tal_netcdf_get_chars(&file, "class_name", names, 16, &check_error));
    assert_string_equal(names + 8, "scree");
    double slab[2];
    check_ok(tal_netcdf_get_slab(&file, "z", 2, (const size_t[]){2, 0}, (const size_t[]){1, 2},
                                 slab, &check_error));
    assert_true(slab[0] == 2.0 && slab[1] == 12.0);
    double number = 0;
    check_ok(tal_netcdf_get_real(&file, NULL, "mesh_error_m", &number, &check_error));
    assert_true(number == 0.25);
    check_ok(tal_netcdf_get_real(&file, NULL, "origin_east_m", &number, &check_error));
    assert_true(number == 5e9);
    check_ok(tal_netcdf_get_real(&file, "face_node", "start_index", &number, &check_error));
    char *text = NULL;
    check_ok(tal_netcdf_get_text(&file, NULL, "provenance", &text, &check_error));
    assert_string_equal(text, "{\"seed\": 1}");
    tal_memory_destroy(text);
    check_ok(tal_netcdf_get_text(&file, "crs", "crs_wkt", &text, &check_error));
    tal_crs *found = make_crs(text);
    tal_crs *wanted = make_crs("EPSG:5490+5756");
    assert_true(tal_crs_equal(found, wanted));
    tal_crs_destroy(found);
    tal_crs_destroy(wanted);
    tal_memory_destroy(text);
    assert_true(tal_netcdf_has(&file, "state"));
    assert_false(tal_netcdf_has(&file, "nothing"));
    tal_netcdf_close(&file);
    tal_netcdf_close(&file);
}

static void ncdump_sees_conventions_units_and_the_projection(void **state) {
    (void)state;
    check_ok(write_example(geo_path("a.nc"), TAL_KEEP_EXISTING));
    const char *text = geo_run("ncdump -h '%s'", geo_path("a.nc"));
    geo_assert_says(text, ":Conventions = \"CF-1.11\"");
    geo_assert_says(text, ":title = \"an example\"");
    geo_assert_says(text, "node_x:units = \"m\"");
    geo_assert_says(text, "speed:_FillValue = NaNf");
    geo_assert_says(text, "byte state(two)");
    geo_assert_says(text, "state:flag_values = 0b, 1b");
    geo_assert_says(text, "frame = UNLIMITED ; // (3 currently)");
    // UTM zone 20: central meridian 63 degrees west.
    geo_assert_says(text, "crs:grid_mapping_name = \"transverse_mercator\"");
    geo_assert_says(text, "crs:longitude_of_central_meridian = -63.");
    geo_assert_says(text, "crs:scale_factor_at_central_meridian = 0.9996");
    geo_assert_says(text, "crs:false_easting = 500000.");
    geo_assert_says(text, "crs:semi_major_axis = 6378137.");
    geo_assert_says(text, "crs:inverse_flattening = 298.257222101");
}

static void conic_and_oblique_projections_have_their_parameters(void **state) {
    (void)state;
    static const struct {
        const char *definition;
        const char *words[4];
    } cases[] = {
        {"EPSG:2154+5720",
         {"\"lambert_conformal_conic\"", "standard_parallel = 49., 44.",
          "longitude_of_central_meridian = 3.", "false_northing = 6600000."}},
        {"EPSG:2056+5728",
         {"\"oblique_mercator\"", "azimuth_of_central_line = 90.",
          "latitude_of_projection_origin = 46.952", "false_easting = 2600000."}},
        {"EPSG:3035+5730",
         {"\"lambert_azimuthal_equal_area\"", "latitude_of_projection_origin = 52.",
          "longitude_of_projection_origin = 10.", "false_easting = 4321000."}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tal_crs *crs = make_crs(cases[i].definition);
        tal_netcdf file;
        check_ok(tal_netcdf_create(&file, geo_path("p.nc"), TAL_REPLACE, "t", "{}", &check_error));
        tal_netcdf_grid_mapping(&file, crs);
        check_ok(tal_netcdf_commit(&file, &check_error));
        const char *text = geo_run("ncdump -h '%s'", geo_path("p.nc"));
        for (int j = 0; j < 4; j++) {
            geo_assert_says(text, cases[i].words[j]);
        }
        tal_crs_destroy(crs);
    }
}

static void two_writes_at_different_times_give_the_same_bytes(void **state) {
    (void)state;
    check_ok(write_example(geo_path("a.nc"), TAL_KEEP_EXISTING));
    sleep(1); // a stored second would differ
    check_ok(write_example(geo_path("b.nc"), TAL_KEEP_EXISTING));
    geo_assert_same_bytes(geo_path("a.nc"), geo_path("b.nc"));
}

static void check_not_flipped(const char *definition) {
    const tal_grid grid = {.west = 700000, .north = 1600000, .cell = 0.5, .columns = 6, .rows = 4};
    tal_crs *crs = make_crs(definition);
    tal_netcdf file;
    const char *path = geo_path("map.nc");
    check_ok(tal_netcdf_create(&file, path, TAL_REPLACE, "map", "{}", &check_error));
    int dimensions[2];
    tal_netcdf_raster_axes(&file, &grid, crs, dimensions);
    const int dz = tal_netcdf_variable(&file, "dz", TAL_NC_FLOAT, 2, dimensions, "m", "change");
    tal_netcdf_real(&file, dz, "_FillValue", (double)NAN);
    if (!tal_crs_get_info(crs)->is_local) {
        tal_netcdf_text(&file, dz, "grid_mapping", "crs");
    }
    float cells[24];
    for (int i = 0; i < 24; i++) {
        cells[i] = (float)i;
    }
    tal_netcdf_put_floats(&file, dz, cells);
    check_ok(tal_netcdf_commit(&file, &check_error));
    tal_raster raster;
    check_ok(tal_raster_read(&raster, path, &check_error)); // by GDAL's own NetCDF driver
    assert_true(tal_grid_equal(&raster.grid, &grid));
    for (int i = 0; i < 24; i++) {
        assert_true(raster.value[i] == (float)i);
    }
    tal_raster_destroy(&raster);
    tal_crs_destroy(crs);
}

static void gdal_reads_maps_the_right_way_up(void **state) {
    (void)state;
    check_not_flipped("EPSG:5490+5756");
    check_not_flipped("EPSG:32620+ellipsoidal");
    check_not_flipped("EPSG:31370+5710"); // Belgian Lambert, no CF form needed to place it
    check_not_flipped("local");
}

static void the_first_failure_is_kept_for_the_commit(void **state) {
    (void)state;
    tal_netcdf file;
    check_ok(tal_netcdf_create(&file, geo_path("a.nc"), TAL_REPLACE, "t", "{}", &check_error));
    const int node = tal_netcdf_dimension(&file, "node", 3);
    (void)tal_netcdf_dimension(&file, "node", 4); // the name is taken
    const int v = tal_netcdf_variable(&file, "v", TAL_NC_DOUBLE, 1, &node, "m", "v");
    tal_netcdf_put_doubles(&file, v, (const double[]){1, 2, 3});
    check_fails(tal_netcdf_commit(&file, &check_error), TAL_IO, "node");
    assert_int_equal(geo_count_names("a.nc"), 0);
}

static void numbers_that_do_not_fit_are_an_error(void **state) {
    (void)state;
    tal_netcdf file;
    check_ok(tal_netcdf_create(&file, geo_path("a.nc"), TAL_REPLACE, "t", "{}", &check_error));
    const int one = tal_netcdf_dimension(&file, "one", 1);
    const int v = tal_netcdf_variable(&file, "state", TAL_NC_BYTE, 1, &one, "1", "state");
    tal_netcdf_put_ints(&file, v, (const int32_t[]){1000});
    check_fails(tal_netcdf_commit(&file, &check_error), TAL_IO, "state");
    assert_int_equal(geo_count_names("a.nc"), 0);
}

static void every_fault_leaves_the_old_file_and_nothing_else(void **state) {
    (void)state;
    const char *path = geo_path("a.nc");
    check_ok(tal_file_write_text(path, "old", TAL_KEEP_EXISTING, &check_error));
    check_ok(tal_file_write_text(geo_path("copy"), "old", TAL_KEEP_EXISTING, &check_error));
    static const tal_fault_kind kinds[] = {TAL_FAULT_WRITE, TAL_FAULT_SYNC, TAL_FAULT_RENAME};
    int struck = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const int last = kinds[i] == TAL_FAULT_WRITE ? 11 : 1; // ten puts and the close
        for (int nth = 1; nth <= last; nth++) {
            tal_fault_arm(kinds[i], nth, false);
            const tal_status status = write_example(path, TAL_REPLACE);
            struck += (int)tal_fault_count();
            tal_fault_disarm();
            assert_int_equal(status, TAL_IO);
            geo_assert_says(check_error.text, "a.nc");
            geo_assert_same_bytes(path, geo_path("copy"));
            assert_int_equal(geo_count_names("a.nc"), 1);
        }
    }
    assert_int_equal(struck, 13);
    assert_int_equal(write_example(path, TAL_KEEP_EXISTING), TAL_EXISTS);
    geo_assert_same_bytes(path, geo_path("copy"));
}

static void a_full_disk_is_an_error_at_any_size(void **state) {
    (void)state;
    const char *path = geo_path("a.nc");
    check_ok(write_example(path, TAL_REPLACE));
    struct stat whole;
    assert_int_equal(stat(path, &whole), 0);
    check_ok(tal_file_write_text(path, "old", TAL_REPLACE, &check_error));
    check_ok(tal_file_write_text(geo_path("copy"), "old", TAL_KEEP_EXISTING, &check_error));
    const long rooms[] = {1, 100, 5000, whole.st_size / 2, whole.st_size - 1};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        geo_limit_file_size((rlim_t)rooms[i]);
        const tal_status status = write_example(path, TAL_REPLACE);
        geo_limit_file_size(0);
        assert_int_equal(status, TAL_IO);
        geo_assert_same_bytes(path, geo_path("copy"));
        assert_int_equal(geo_count_names("a.nc"), 1);
    }
    check_ok(write_example(path, TAL_REPLACE)); // and all is well with room again
}

static void a_discarded_file_leaves_nothing(void **state) {
    (void)state;
    tal_netcdf file;
    check_ok(tal_netcdf_create(&file, geo_path("a.nc"), TAL_REPLACE, "t", "{}", &check_error));
    tal_netcdf_discard(&file);
    tal_netcdf_discard(&file);
    assert_int_equal(geo_count_names("a.nc"), 0);
    tal_netcdf never = {0};
    tal_netcdf_discard(&never);
    tal_netcdf_close(&never);
}

static void wrong_shapes_and_kinds_are_named(void **state) {
    (void)state;
    check_ok(write_example(geo_path("a.nc"), TAL_KEEP_EXISTING));
    tal_netcdf file;
    check_ok(tal_netcdf_open(&file, geo_path("a.nc"), &check_error));
    static double values[NODES * 3];
    static int32_t ints[NODES * 3];
    size_t length = 0;
    check_fails(tal_netcdf_get_doubles(&file, "node_q", values, 3, &check_error), TAL_BAD_INPUT,
                "a.nc has no variable 'node_q'");
    check_fails(tal_netcdf_get_doubles(&file, "node_x", values, 3, &check_error), TAL_BAD_INPUT,
                "'node_x' is 5000, but 3 values are needed");
    check_fails(tal_netcdf_get_ints(&file, "face_node", ints, 4, &check_error), TAL_BAD_INPUT,
                "5000 x 3");
    check_fails(tal_netcdf_get_ints(&file, "node_x", ints, NODES, &check_error), TAL_BAD_INPUT,
                "whole numbers");
    check_fails(tal_netcdf_get_doubles(&file, "class_name", values, 16, &check_error),
                TAL_BAD_INPUT, "must hold numbers");
    check_fails(tal_netcdf_get_chars(&file, "node_x", (char *)ints, NODES, &check_error),
                TAL_BAD_INPUT, "must hold characters");
    check_fails(tal_netcdf_get_slab(&file, "z", 2, (const size_t[]){2, 0}, (const size_t[]){2, 2},
                                    values, &check_error),
                TAL_BAD_INPUT, "'z' has 3 values along dimension 1");
    check_fails(tal_netcdf_get_length(&file, "blocks", &length, &check_error), TAL_BAD_INPUT,
                "no dimension 'blocks'");
    char *text = NULL;
    check_fails(tal_netcdf_get_text(&file, "node_x", "colour", &text, &check_error), TAL_BAD_INPUT,
                "node_x has no attribute 'colour'");
    check_fails(tal_netcdf_get_text(&file, NULL, "mesh_error_m", &text, &check_error),
                TAL_BAD_INPUT, "must be text");
    double number = 0;
    check_fails(tal_netcdf_get_real(&file, NULL, "title", &number, &check_error), TAL_BAD_INPUT,
                "must be one number");
    tal_netcdf_close(&file);
}

static void unreadable_files_are_told_apart(void **state) {
    (void)state;
    tal_netcdf file;
    check_fails(tal_netcdf_open(&file, geo_path("none.nc"), &check_error), TAL_NOT_FOUND,
                "none.nc");
    check_ok(tal_file_write_text(geo_path("text.nc"), "hello", TAL_REPLACE, &check_error));
    check_fails(tal_netcdf_open(&file, geo_path("text.nc"), &check_error), TAL_BAD_INPUT,
                "cannot be read as NetCDF");
    const char *path = geo_path("a.nc");
    check_ok(write_example(path, TAL_KEEP_EXISTING));
    struct stat whole;
    assert_int_equal(stat(path, &whole), 0);
    for (int part = 1; part < 8; part++) {
        assert_int_equal(truncate(path, whole.st_size * (8 - part) / 8), 0);
        check_fails(tal_netcdf_open(&file, path, &check_error), TAL_BAD_INPUT, "create it again");
    }
}

// Files on which libhdf5 itself crashes: a sentence, and this program lives on.
static void files_that_crash_the_library_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"blocks.nc.29", "run.nc.4",  "run.nc.43",
                                        "run.nc.61",    "run.nc.62", "run.nc.69"};
    const char *data = check_data("files that crash the library");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[TAL_PATH_SIZE];
        tal_netcdf file = {.id = -1};
        snprintf(path, sizeof path, "%s/damaged-nc/%s", data, names[i]);
        check_fails(tal_netcdf_open(&file, path, &check_error), TAL_BAD_INPUT, "damaged");
        tal_netcdf_close(&file);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, geo_make_folder, geo_remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_that_was_written_comes_back),
        TEST(ncdump_sees_conventions_units_and_the_projection),
        TEST(conic_and_oblique_projections_have_their_parameters),
        TEST(two_writes_at_different_times_give_the_same_bytes),
        TEST(gdal_reads_maps_the_right_way_up),
        TEST(the_first_failure_is_kept_for_the_commit),
        TEST(numbers_that_do_not_fit_are_an_error),
        TEST(every_fault_leaves_the_old_file_and_nothing_else),
        TEST(a_full_disk_is_an_error_at_any_size),
        TEST(a_discarded_file_leaves_nothing),
        TEST(wrong_shapes_and_kinds_are_named),
        TEST(unreadable_files_are_told_apart),
        cmocka_unit_test(files_that_crash_the_library_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

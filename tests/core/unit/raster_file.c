// SPDX-License-Identifier: GPL-3.0-or-later
// Rasters on disk: any format in, Cloud Optimized GeoTIFF out, nothing half-written.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/raster_file.h"
#include "core/base/fault.h"
#include "geo_check.h"

#include <gdal.h>

static tal_crs *make_crs(const char *definition) {
    tal_crs *crs = NULL;
    check_ok(tal_crs_create(&crs, definition, "test", &check_error));
    return crs;
}

// Larger than one tile, so that there are overviews; with holes.
static tal_raster make_raster(int32_t columns, int32_t rows) {
    const tal_grid grid = {
        .west = 700000.5, .north = 1620400, .cell = 0.1, .columns = columns, .rows = rows};
    tal_raster raster;
    check_ok(tal_raster_create(&raster, &grid, &check_error));
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0; column < columns; column++) {
            const bool hole = (row * 7 + column * 3) % 50 == 0;
            raster.value[row * columns + column] =
                hole ? NAN : (float)(1000 + 0.01 * row + sin(column * 0.1));
        }
    }
    return raster;
}

static tal_status write_raster(const char *path, const tal_raster *raster, const char *definition,
                               tal_overwrite overwrite) {
    tal_crs *crs = make_crs(definition);
    const tal_raster_notes notes = {.crs = crs,
                                    .description = "elevation before the event",
                                    .unit = "m",
                                    .provenance = "{\"seed\": 42, \"note\": \"<&>\"}"};
    tal_error_reset(&check_error);
    const tal_status status = tal_raster_write(path, raster, &notes, overwrite, &check_error);
    tal_crs_destroy(crs);
    return status;
}

static void assert_same_cells(const tal_raster *a, const tal_raster *b) {
    assert_true(memcmp(&a->grid.west, &b->grid.west, sizeof(double)) == 0);
    assert_true(a->grid.north == b->grid.north && a->grid.cell == b->grid.cell);
    assert_int_equal(a->grid.columns, b->grid.columns);
    assert_int_equal(a->grid.rows, b->grid.rows);
    for (size_t i = 0; i < tal_grid_cell_count(&a->grid); i++) {
        assert_true(a->value[i] == b->value[i] ||
                    (isnan(a->value[i]) != 0 && isnan(b->value[i]) != 0));
    }
}

static void a_written_raster_comes_back_bit_by_bit(void **state) {
    (void)state;
    tal_raster raster = make_raster(1300, 700);
    const char *path = geo_path("a.tif");
    check_ok(write_raster(path, &raster, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    tal_raster again;
    check_ok(tal_raster_read(&again, path, &check_error));
    assert_same_cells(&raster, &again);
    tal_raster_info info;
    check_ok(tal_raster_info_read(&info, path, &check_error));
    assert_true(info.is_north_up_square);
    assert_string_equal(info.value_unit, "m");
    check_near(info.value_m, 1, 0);
    tal_crs *wanted = make_crs("EPSG:5490+5756");
    tal_crs *found = make_crs(info.crs_definition);
    assert_true(tal_crs_equal(wanted, found));
    assert_int_equal(geo_count_names("a.tif"), 1); // no .part, no .aux.xml
    tal_crs_destroy(wanted);
    tal_crs_destroy(found);
    tal_raster_info_destroy(&info);
    tal_raster_destroy(&raster);
    tal_raster_destroy(&again);
}

static void gdalinfo_sees_a_cloud_optimized_geotiff(void **state) {
    (void)state;
    tal_raster raster = make_raster(1300, 700);
    check_ok(write_raster(geo_path("a.tif"), &raster, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    const char *text = geo_run("gdalinfo '%s'", geo_path("a.tif"));
    geo_assert_says(text, "LAYOUT=COG");
    geo_assert_says(text, "COMPRESSION=DEFLATE");
    geo_assert_says(text, "PREDICTOR=3");
    geo_assert_says(text, "Overviews: 650x350");
    geo_assert_says(text, "NoData Value=nan");
    geo_assert_says(text, "Unit Type: m");
    geo_assert_says(text, "Description = elevation before the event");
    geo_assert_says(text, "TALUS_PROVENANCE={\"seed\": 42, \"note\": \"<&>\"}");
    geo_assert_says(text, "RGAF09 / UTM zone 20N + Martinique 1987 height");
    geo_assert_says(text, "Origin = (700000.5");
    tal_raster_destroy(&raster);
}

// Other readers look at the first band only; GDAL sees them all, in every size of the picture.
static void further_bands_follow_the_first(void **state) {
    (void)state;
    tal_raster raster = make_raster(600, 400);
    tal_raster count = make_raster(600, 400);
    tal_raster flag = make_raster(600, 400);
    for (size_t i = 0; i < tal_grid_cell_count(&raster.grid); i++) {
        count.value[i] = (float)(i % 1000);
        flag.value[i] = i % 7 == 0 ? NAN : (float)(i % 2);
    }
    const tal_raster_band more[] = {{count.value, "number of points", "1"},
                                    {flag.value, "filled", NULL}};
    const tal_raster_notes notes = {
        .description = "elevation", .unit = "m", .more = more, .more_count = 2};
    const char *path = geo_path("a.tif");
    check_ok(tal_raster_write(path, &raster, &notes, TAL_KEEP_EXISTING, &check_error));
    assert_int_equal(geo_count_names("a.tif"), 1);
    tal_raster again;
    check_ok(tal_raster_read(&again, path, &check_error));
    assert_same_cells(&raster, &again);
    GDALDatasetH dataset = GDALOpen(path, GA_ReadOnly);
    assert_non_null(dataset);
    assert_int_equal(GDALGetRasterCount(dataset), 3);
    const tal_raster *const wanted[] = {&raster, &count, &flag};
    static const char *const words[] = {"elevation", "number of points", "filled"};
    for (int b = 0; b < 3; b++) {
        GDALRasterBandH band = GDALGetRasterBand(dataset, b + 1);
        assert_string_equal(GDALGetDescription(band), words[b]);
        assert_true(isnan(GDALGetRasterNoDataValue(band, NULL)));
        assert_int_equal(GDALGetOverviewCount(band), 2);
        assert_int_equal(
            GDALRasterIO(band, GF_Read, 0, 0, 600, 400, again.value, 600, 400, GDT_Float32, 0, 0),
            CE_None);
        assert_same_cells(wanted[b], &again);
    }
    assert_string_equal(GDALGetRasterUnitType(GDALGetRasterBand(dataset, 2)), "1");
    GDALClose(dataset);
    geo_assert_says(geo_run("gdalinfo '%s'", path), "LAYOUT=COG");
    tal_raster_destroy(&again);
    tal_raster_destroy(&raster);
    tal_raster_destroy(&count);
    tal_raster_destroy(&flag);
}

static void two_writes_give_the_same_bytes(void **state) {
    (void)state;
    tal_raster raster = make_raster(1300, 700);
    check_ok(write_raster(geo_path("a.tif"), &raster, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    check_ok(write_raster(geo_path("b.tif"), &raster, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    geo_assert_same_bytes(geo_path("a.tif"), geo_path("b.tif"));
    tal_raster_destroy(&raster);
}

static void local_and_ellipsoidal_rasters_keep_their_meaning(void **state) {
    (void)state;
    tal_raster raster = make_raster(40, 30);
    check_ok(write_raster(geo_path("local.tif"), &raster, "local", TAL_KEEP_EXISTING));
    tal_raster_info info;
    check_ok(tal_raster_info_read(&info, geo_path("local.tif"), &check_error));
    assert_null(info.crs_definition);
    assert_true(info.is_north_up_square);
    tal_raster_info_destroy(&info);
    check_ok(
        write_raster(geo_path("ell.tif"), &raster, "EPSG:32620+ellipsoidal", TAL_KEEP_EXISTING));
    check_ok(tal_raster_info_read(&info, geo_path("ell.tif"), &check_error));
    tal_crs *found = make_crs(info.crs_definition);
    assert_true(tal_crs_get_info(found)->has_vertical);
    check_ok(tal_crs_check_site(found, "ell.tif", &check_error));
    tal_crs_destroy(found);
    tal_raster_info_destroy(&info);
    tal_raster_destroy(&raster);
}

static void an_existing_file_is_kept_unless_told_otherwise(void **state) {
    (void)state;
    tal_raster raster = make_raster(40, 30);
    const char *path = geo_path("a.tif");
    check_ok(tal_file_write_text(path, "mine", TAL_KEEP_EXISTING, &check_error));
    assert_int_equal(write_raster(path, &raster, "local", TAL_KEEP_EXISTING), TAL_EXISTS);
    geo_assert_says(check_error.text, "--overwrite");
    check_ok(write_raster(path, &raster, "local", TAL_REPLACE));
    tal_raster_destroy(&raster);
}

static void a_failed_write_leaves_the_old_file_and_nothing_else(void **state) {
    (void)state;
    tal_raster raster = make_raster(600, 600);
    const char *path = geo_path("a.tif");
    check_ok(tal_file_write_text(path, "old", TAL_KEEP_EXISTING, &check_error));
    check_ok(tal_file_write_text(geo_path("copy"), "old", TAL_KEEP_EXISTING, &check_error));
    static const tal_fault_kind kinds[] = {TAL_FAULT_WRITE, TAL_FAULT_SYNC, TAL_FAULT_RENAME};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        tal_fault_arm(kinds[i], 1, false);
        assert_int_equal(write_raster(path, &raster, "local", TAL_REPLACE), TAL_IO);
        assert_int_equal(tal_fault_count(), 1);
        tal_fault_disarm();
        geo_assert_says(check_error.text, "a.tif");
        geo_assert_same_bytes(path, geo_path("copy"));
        assert_int_equal(geo_count_names("a.tif"), 1);
    }
    tal_raster_destroy(&raster);
}

static void a_full_disk_is_an_error_at_any_size(void **state) {
    (void)state;
    tal_raster raster = make_raster(600, 600);
    const char *path = geo_path("a.tif");
    check_ok(write_raster(path, &raster, "EPSG:5490+5756", TAL_REPLACE));
    struct stat whole;
    assert_int_equal(stat(path, &whole), 0);
    check_ok(tal_file_write_text(path, "old", TAL_REPLACE, &check_error));
    check_ok(tal_file_write_text(geo_path("copy"), "old", TAL_KEEP_EXISTING, &check_error));
    for (long room = 1; room < whole.st_size; room = room * 3 + 1) {
        geo_limit_file_size((rlim_t)room);
        const tal_status status = write_raster(path, &raster, "EPSG:5490+5756", TAL_REPLACE);
        geo_limit_file_size(0);
        assert_int_equal(status, TAL_IO);
        geo_assert_same_bytes(path, geo_path("copy"));
        assert_int_equal(geo_count_names("a.tif"), 1);
    }
    geo_limit_file_size((rlim_t)whole.st_size - 1);
    const tal_status status = write_raster(path, &raster, "EPSG:5490+5756", TAL_REPLACE);
    geo_limit_file_size(0);
    assert_int_equal(status, TAL_IO);
    tal_raster_destroy(&raster);
}

static void a_folder_that_is_not_there_is_named(void **state) {
    (void)state;
    tal_raster raster = make_raster(40, 30);
    assert_int_equal(write_raster(geo_path("no/such/a.tif"), &raster, "local", TAL_REPLACE),
                     TAL_IO);
    geo_assert_says(check_error.text, "no/such/a.tif");
    geo_assert_says(check_error.text, "folder does not exist");
    tal_raster_destroy(&raster);
}

// A file made by GDAL itself, with a stored type, nodata, scale and offset of its own.
static void make_foreign(const char *path, const double transform[6], double nodata, double scale,
                         double offset, const char *unit) {
    tal_gdal_init();
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), path, 4, 3, 1, GDT_Int16, NULL);
    assert_non_null(dataset);
    double copy[6];
    if (transform != NULL) {
        memcpy(copy, transform, sizeof copy);
        GDALSetGeoTransform(dataset, copy);
    }
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    GDALSetRasterNoDataValue(band, nodata);
    if (scale != 1.0 || offset != 0.0) {
        GDALSetRasterScale(band, scale);
        GDALSetRasterOffset(band, offset);
    }
    GDALSetRasterUnitType(band, unit);
    int16_t cells[12];
    for (int i = 0; i < 12; i++) {
        cells[i] = (int16_t)(i == 5 ? -9999 : i * 10);
    }
    assert_int_equal(GDALRasterIO(band, GF_Write, 0, 0, 4, 3, cells, 4, 3, GDT_Int16, 0, 0),
                     CE_None);
    GDALClose(dataset);
}

static const double north_up[6] = {100, 2, 0, 200, 0, -2};

static void nodata_scale_and_offset_of_a_file_are_respected(void **state) {
    (void)state;
    make_foreign(geo_path("f.tif"), north_up, -9999, 0.1, 500, "m");
    tal_raster raster;
    check_ok(tal_raster_read(&raster, geo_path("f.tif"), &check_error));
    for (int i = 0; i < 12; i++) {
        if (i == 5) {
            assert_true(isnan(raster.value[i]));
        } else {
            check_near((double)raster.value[i], 500 + i, 1e-4);
        }
    }
    check_near(raster.grid.west, 100, 0);
    check_near(raster.grid.north, 200, 0);
    tal_raster_destroy(&raster);
}

static void units_of_values_are_known_or_zero(void **state) {
    (void)state;
    static const struct {
        const char *unit;
        double metres;
    } cases[] = {
        {"metre", 1},   {"ft", 0.3048}, {"US survey foot", 1200.0 / 3937.0}, {"cm", 0.01}, {"", 0},
        {"furlong", 0}, {"Meters", 1},  {"us-ft", 1200.0 / 3937.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "u%zu.tif", i);
        make_foreign(geo_path(name), north_up, -9999, 1, 0, cases[i].unit);
        tal_raster_info info;
        check_ok(tal_raster_info_read(&info, geo_path(name), &check_error));
        assert_string_equal(info.value_unit, cases[i].unit);
        check_near(info.value_m, cases[i].metres, 1e-15);
        assert_null(info.crs_definition);
        tal_raster_info_destroy(&info);
    }
}

static void rasters_of_another_shape_are_refused_with_the_way_out(void **state) {
    (void)state;
    static const double oblong[6] = {100, 2, 0, 200, 0, -3};
    static const double rotated[6] = {100, 2, 0.5, 200, 0.5, -2};
    static const double south_up[6] = {100, 2, 0, 200, 0, 2};
    const double *const transforms[] = {oblong, rotated, south_up};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "s%d.tif", i);
        make_foreign(geo_path(name), transforms[i], -9999, 1, 0, "m");
        tal_raster raster;
        check_fails(tal_raster_read(&raster, geo_path(name), &check_error), TAL_BAD_INPUT,
                    "gdalwarp");
        geo_assert_says(check_error.text, name);
        tal_raster_info info;
        check_ok(tal_raster_info_read(&info, geo_path(name), &check_error));
        assert_false(info.is_north_up_square);
        tal_raster_info_destroy(&info);
    }
    make_foreign(geo_path("none.tif"), NULL, -9999, 1, 0, "m");
    tal_raster raster;
    check_fails(tal_raster_read(&raster, geo_path("none.tif"), &check_error), TAL_BAD_INPUT,
                "no georeference");
    static const double nowhere[][6] = {{NAN, 2, 0, 200, 0, -2}, {100, 2, 0, INFINITY, 0, -2}};
    for (int i = 0; i < 2; i++) {
        char name[32]; // GDAL remembers files by their names
        snprintf(name, sizeof name, "nowhere%d.tif", i);
        make_foreign(geo_path(name), nowhere[i], -9999, 1, 0, "m");
        check_fails(tal_raster_read(&raster, geo_path(name), &check_error), TAL_BAD_INPUT,
                    "or a damaged one");
    }
}

// One flipped bit of an exponent, or "no data" that is not declared.
static void a_value_that_cannot_be_meant_is_refused_with_its_place(void **state) {
    (void)state;
    static const float nonsense[] = {2.1e38f, -3.4e38f, 1.1e5f};
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        tal_raster raster = make_raster(40, 30), again;
        raster.value[7 * 40 + 3] = nonsense[i];
        const char *path = geo_path("a.tif");
        check_ok(write_raster(path, &raster, "EPSG:5490+5756", TAL_REPLACE));
        check_fails(tal_raster_read(&again, path, &check_error), TAL_BAD_INPUT,
                    "in row 7, column 3 cannot be right");
        assert_null(again.value);
        tal_raster_destroy(&raster);
    }
}

static void unreadable_files_are_told_apart(void **state) {
    (void)state;
    tal_raster raster;
    check_fails(tal_raster_read(&raster, geo_path("missing.tif"), &check_error), TAL_NOT_FOUND,
                "missing.tif");
    check_fails(tal_raster_read(&raster, geo_folder, &check_error), TAL_BAD_INPUT, "folder");
    check_ok(tal_file_write_text(geo_path("text.tif"), "hello", TAL_REPLACE, &check_error));
    check_fails(tal_raster_read(&raster, geo_path("text.tif"), &check_error), TAL_BAD_INPUT,
                "text.tif cannot be read as a raster");
}

static void a_truncated_raster_is_an_error(void **state) {
    (void)state;
    tal_raster raster = make_raster(1300, 700);
    const char *path = geo_path("a.tif");
    check_ok(write_raster(path, &raster, "local", TAL_REPLACE));
    tal_raster_destroy(&raster);
    struct stat whole;
    assert_int_equal(stat(path, &whole), 0);
    for (int part = 1; part < 8; part++) {
        assert_int_equal(truncate(path, whole.st_size * (8 - part) / 8), 0);
        check_fails(tal_raster_read(&raster, path, &check_error), TAL_BAD_INPUT, "a.tif");
        assert_null(raster.value);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, geo_make_folder, geo_remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_written_raster_comes_back_bit_by_bit),
        TEST(gdalinfo_sees_a_cloud_optimized_geotiff),
        TEST(further_bands_follow_the_first),
        TEST(two_writes_give_the_same_bytes),
        TEST(local_and_ellipsoidal_rasters_keep_their_meaning),
        TEST(an_existing_file_is_kept_unless_told_otherwise),
        TEST(a_failed_write_leaves_the_old_file_and_nothing_else),
        TEST(a_full_disk_is_an_error_at_any_size),
        TEST(a_folder_that_is_not_there_is_named),
        TEST(nodata_scale_and_offset_of_a_file_are_respected),
        TEST(units_of_values_are_known_or_zero),
        TEST(rasters_of_another_shape_are_refused_with_the_way_out),
        TEST(a_value_that_cannot_be_meant_is_refused_with_its_place),
        TEST(unreadable_files_are_told_apart),
        TEST(a_truncated_raster_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

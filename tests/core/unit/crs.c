// SPDX-License-Identifier: GPL-3.0-or-later
// Coordinate systems: units, checks of a study's system, transformations and refusals.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/crs.h"
#include "geo_check.h"

#include <proj.h>

static tal_crs *make(const char *definition) {
    tal_crs *crs = NULL;
    check_ok(tal_crs_create(&crs, definition, "test", &check_error));
    return crs;
}

static void compound_definition_has_both_parts_in_metres(void **state) {
    (void)state;
    tal_crs *crs = make("EPSG:5490+5756");
    const tal_crs_info *info = tal_crs_get_info(crs);
    assert_true(info->is_projected && info->has_vertical);
    assert_false(info->is_geographic || info->is_local);
    assert_true(info->horizontal_m == 1.0 && info->vertical_m == 1.0);
    assert_string_equal(info->name, "RGAF09 / UTM zone 20N + Martinique 1987 height");
    geo_assert_says(tal_crs_wkt(crs), "COMPOUNDCRS[");
    assert_memory_equal(tal_crs_horizontal_wkt(crs), "PROJCRS[", 8);
    assert_null(strstr(tal_crs_horizontal_wkt(crs), "VERTCRS"));
    check_ok(tal_crs_check_site(crs, "site.ini:3", &check_error));
    tal_crs_destroy(crs);
}

static void units_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *definition;
        double horizontal_m, vertical_m;
    } cases[] = {
        {"EPSG:2277+6360", 1200.0 / 3937.0, 1200.0 / 3937.0}, // US survey feet
        {"EPSG:2222+8228", 0.3048, 0.3048},                   // international feet
        {"EPSG:26948+6360", 1.0, 1200.0 / 3937.0},            // metres with heights in feet
        {"EPSG:4326", 0.0, 0.0},
        {"EPSG:4979", 0.0, 1.0},
        {"EPSG:32620", 1.0, 0.0},
        {"EPSG:32620+ellipsoidal", 1.0, 1.0},
        {"+proj=utm +zone=20 +ellps=GRS80 +units=us-ft", 1200.0 / 3937.0, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tal_crs *crs = make(cases[i].definition);
        const tal_crs_info *info = tal_crs_get_info(crs);
        check_near(info->horizontal_m, cases[i].horizontal_m, 1e-14);
        check_near(info->vertical_m, cases[i].vertical_m, 1e-14);
        assert_int_equal(info->has_vertical, cases[i].vertical_m > 0.0);
        tal_crs_destroy(crs);
    }
}

static void local_is_metres_without_geography(void **state) {
    (void)state;
    tal_crs *crs = make(" local ");
    assert_true(tal_crs_get_info(crs)->is_local);
    assert_string_equal(tal_crs_wkt(crs), "");
    check_ok(tal_crs_check_site(crs, "site.ini:3", &check_error));
    tal_crs *other = make("ENGCRS[\"scanner\",EDATUM[\"\"],CS[Cartesian,2],AXIS[\"x\",east],"
                          "AXIS[\"y\",north],LENGTHUNIT[\"metre\",1]]");
    assert_true(tal_crs_get_info(other)->is_local);
    assert_true(tal_crs_equal(crs, other));
    tal_crs_destroy(crs);
    tal_crs_destroy(other);
}

static void what_is_no_coordinate_system_is_refused_with_the_way_out(void **state) {
    (void)state;
    static const char *const wrong[] = {"",     "Martinique", "EPSG:999999", "EPSG:5490+999999",
                                        "5490", "PROJCRS[",   "EPSG:",       "+proj=nonsense"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tal_crs *crs = NULL;
        check_fails(tal_crs_create(&crs, wrong[i], "site.ini:12", &check_error), TAL_BAD_CRS,
                    "site.ini:12");
        geo_assert_says(check_error.text, "EPSG:5490+5756");
        assert_null(crs);
    }
    tal_crs *crs = NULL;
    check_fails(tal_crs_create(&crs, "EPSG:5756", "site.ini:12", &check_error), TAL_BAD_CRS,
                "describes heights only");
}

static void a_study_needs_metres_on_stated_datums(void **state) {
    (void)state;
    static const struct {
        const char *definition;
        const char *words;
    } cases[] = {
        {"EPSG:4326", "UTM zone"},
        {"EPSG:4979", "degree"},
        {"EPSG:2277+6360", "US survey foot"},
        {"EPSG:32620", "says nothing about heights"},
        {"EPSG:26948+6360", "unit of the heights"},
        {"EPSG:5513+5705", "do not point east and north"}, // Krovak: south and west
        {"EPSG:32631+5715", "downwards"},                  // depths below mean sea level
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tal_crs *crs = make(cases[i].definition);
        check_fails(tal_crs_check_site(crs, "site.ini:7", &check_error), TAL_BAD_CRS,
                    cases[i].words);
        geo_assert_says(check_error.text, "site.ini:7");
        tal_crs_destroy(crs);
    }
}

static void equal_systems_are_recognised_in_other_words(void **state) {
    (void)state;
    tal_crs *code = make("EPSG:5490+5756");
    tal_crs *wkt = make(tal_crs_wkt(code));
    tal_crs *other_heights = make("EPSG:5490+5757");
    tal_crs *flat = make("EPSG:5490");
    tal_crs *esri = make(
        "PROJCS[\"RGAF09_UTM_Zone_20N\",GEOGCS[\"GCS_RGAF09\",DATUM["
        "\"D_Reseau_Geodesique_des_Antilles_Francaises_2009\",SPHEROID[\"GRS_1980\",6378137.0,"
        "298.257222101]],PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]],PROJECTION["
        "\"Transverse_Mercator\"],PARAMETER[\"False_Easting\",500000.0],PARAMETER[\"False_"
        "Northing\","
        "0.0],PARAMETER[\"Central_Meridian\",-63.0],PARAMETER[\"Scale_Factor\",0.9996],PARAMETER["
        "\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]");
    tal_crs *local = make("local");
    assert_true(tal_crs_equal(code, wkt));
    assert_true(tal_crs_equal(flat, esri));
    assert_false(tal_crs_equal(code, other_heights));
    assert_false(tal_crs_equal(code, flat));
    assert_false(tal_crs_equal(code, local));
    tal_crs *all[] = {code, wkt, other_heights, flat, esri, local};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tal_crs_destroy(all[i]);
    }
}

static tal_status transform(const char *from, const char *to, double point[3], bool flat) {
    tal_crs *a = make(from);
    tal_crs *b = make(to);
    tal_crs_transform *between = NULL;
    tal_error_reset(&check_error);
    tal_status status =
        flat ? tal_crs_transform_create_flat(&between, a, b, "scan.las", &check_error)
             : tal_crs_transform_create(&between, a, b, "scan.las", &check_error);
    if (status == TAL_OK) {
        status = tal_crs_transform_apply(between, &point[0], &point[1], &point[2], 1, &check_error);
    }
    tal_crs_transform_destroy(between);
    tal_crs_destroy(a);
    tal_crs_destroy(b);
    return status;
}

static void published_examples_are_met(void **state) {
    (void)state;
    // Two worked examples of IOGP Publication 373-7-2 (EPSG Guidance Note 7, part 2). It prints them to
    // a centimetre (577274.99, 69740.50; 2963503.91, 254759.80) and is off by 8 mm in the first; the
    // values here are the same formulas in 40 digits without a series: the complex meridian arc of
    // the latitude whose isometric latitude is psi + i lambda, and the closed form of the cone.
    // Transverse Mercator: OSGB 1936 / British National Grid.
    double grid[3] = {0.5, 50.5, 0};
    check_ok(transform("EPSG:4277", "EPSG:27700", grid, false));
    check_near(grid[0], 577274.9838134756, 1e-6);
    check_near(grid[1], 69740.4922666231, 1e-6);
    // Lambert Conic Conformal (2SP): NAD27 / Texas South Central, US survey feet.
    double texas[3] = {-96.0, 28.5, 0};
    check_ok(transform("EPSG:4267", "EPSG:32040", texas, false));
    check_near(texas[0], 2963503.9128192008, 1e-6);
    check_near(texas[1], 254759.8006464643, 1e-6);
}

static void feet_become_metres_in_plan_and_height(void **state) {
    (void)state;
    const double us = 1200.0 / 3937.0;
    // One projection in feet and in metres; their false eastings agree to 0.2 mm.
    double central[3] = {2300000, 10000000, 1000};
    check_ok(transform("EPSG:2277+6360", "EPSG:32139+5703", central, false));
    check_near(central[0], 2300000 * us, 1e-3);
    check_near(central[1], 10000000 * us, 1e-3);
    check_near(central[2], 1000 * us, 1e-9);
    // International feet: the false easting is a whole number in both.
    double east[3] = {700000, 1000000, 5000};
    check_ok(transform("EPSG:2222+8228", "EPSG:26948+5703", east, false));
    check_near(east[0], 700000 * 0.3048, 1e-6);
    check_near(east[1], 1000000 * 0.3048, 1e-6);
    check_near(east[2], 5000 * 0.3048, 1e-9);
    // Feet in plan only.
    double mixed[3] = {700000, 1000000, 5000};
    check_ok(transform("EPSG:2222+5703", "EPSG:26948+5703", mixed, false));
    check_near(mixed[0], 700000 * 0.3048, 1e-6);
    check_near(mixed[2], 5000, 0);
}

static void heights_stay_as_they_are_between_flat_systems(void **state) {
    (void)state;
    double point[3] = {-61.0, 14.6, 123.456};
    check_ok(transform("EPSG:4326", "EPSG:5490", point, false));
    check_near(point[2], 123.456, 0);
}

static void points_agree_with_cs2cs(void **state) {
    (void)state;
    // cs2cs takes latitude first where the authority does.
    static const struct {
        const char *from, *to;
        double x, y, z;
        bool y_first;
    } cases[] = {
        {"EPSG:4326", "EPSG:5490", -61.1, 14.7, 50, true},
        {"EPSG:32620+5756", "EPSG:5490+5756", 700000, 1620000, 55, false},
        {"EPSG:2154", "EPSG:32632", 950000, 6500000, 5, false},
        {"EPSG:4326", "EPSG:2154", 3.0, 46.0, 0, true},
        {"EPSG:2277+6360", "EPSG:32139+5703", 2300000, 10000000, 1000, false},
        {"EPSG:25832", "EPSG:3035", 600000, 5300000, 0, false},
        {"EPSG:3763", "EPSG:4258", 10000, 20000, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *output = geo_run("echo %.9f %.9f %.9f | cs2cs -f %%.9f %s %s",
                                     cases[i].y_first ? cases[i].y : cases[i].x,
                                     cases[i].y_first ? cases[i].x : cases[i].y, cases[i].z,
                                     cases[i].from, cases[i].to);
        double a = 0;
        double b = 0;
        double c = 0;
        assert_int_equal(sscanf(output, "%lf %lf %lf", &a, &b, &c), 3);
        // EPSG:3035 and geographic results come north first.
        const bool swapped =
            strcmp(cases[i].to, "EPSG:3035") == 0 || strcmp(cases[i].to, "EPSG:4258") == 0;
        double point[3] = {cases[i].x, cases[i].y, cases[i].z};
        check_ok(transform(cases[i].from, cases[i].to, point, false));
        check_near(point[0], swapped ? b : a, 1e-6);
        check_near(point[1], swapped ? a : b, 1e-6);
        check_near(point[2], c, 1e-6);
    }
}

static void the_same_system_needs_no_transformation(void **state) {
    (void)state;
    tal_crs *a = make("EPSG:5490+5756");
    tal_crs *b = make(tal_crs_wkt(a));
    tal_crs_transform *between = NULL;
    check_ok(tal_crs_transform_create(&between, a, b, "scan.las", &check_error));
    assert_true(tal_crs_transform_is_identity(between));
    check_near(tal_crs_transform_accuracy_m(between), 0, 0);
    double x = 1.25;
    double y = 2.5;
    double z = 3.75;
    check_ok(tal_crs_transform_apply(between, &x, &y, &z, 1, &check_error));
    assert_true(x == 1.25 && y == 2.5 && z == 3.75);
    tal_crs_transform_destroy(between);
    tal_crs_destroy(a);
    tal_crs_destroy(b);
}

static void a_missing_vertical_datum_is_refused(void **state) {
    (void)state;
    double point[3] = {700000, 1620000, 10};
    assert_int_equal(transform("EPSG:32620", "EPSG:5490+5756", point, false), TAL_BAD_CRS);
    geo_assert_says(check_error.text, "scan.las: WGS 84 / UTM zone 20N says nothing about heights");
    assert_int_equal(transform("EPSG:5490+5756", "EPSG:32620", point, false), TAL_BAD_CRS);
    // Outlines have no heights: their plan is enough.
    check_ok(transform("EPSG:32620", "EPSG:5490+5756", point, true));
    check_near(point[0], 700000, 0.01);
    check_near(point[2], 10, 0);
}

static void local_and_map_coordinates_do_not_mix(void **state) {
    (void)state;
    double point[3] = {0, 0, 0};
    assert_int_equal(transform("local", "EPSG:5490+5756", point, false), TAL_BAD_CRS);
    geo_assert_says(check_error.text, "local coordinates");
    assert_int_equal(transform("EPSG:5490", "local", point, true), TAL_BAD_CRS);
    check_ok(transform("local", "local", point, false));
}

static void a_ballpark_transformation_is_refused(void **state) {
    (void)state;
    double point[3] = {700000, 1620000, 10};
    assert_int_equal(transform("+proj=utm +zone=20 +ellps=intl", "EPSG:32620", point, false),
                     TAL_BAD_CRS);
    geo_assert_says(check_error.text, "ballpark");
    check_near(point[0], 700000, 0);
}

static void unusual_axes_are_refused(void **state) {
    (void)state;
    double point[3] = {1000000, 700000, 10};
    assert_int_equal(transform("EPSG:5513", "EPSG:32633", point, false), TAL_BAD_CRS);
    geo_assert_says(check_error.text, "east and north");
}

// PROJ with its database and nothing else.
static void use_proj_without_grids(void) {
    const char *database = proj_context_get_database_path(NULL);
    assert_non_null(database);
    assert_int_equal(symlink(database, geo_path("proj.db")), 0);
    assert_int_equal(setenv("PROJ_DATA", geo_folder, 1), 0);
    assert_int_equal(setenv("PROJ_LIB", geo_folder, 1), 0);
    assert_int_equal(setenv("PROJ_USER_WRITABLE_DIRECTORY", geo_folder, 1), 0);
}

static void a_missing_grid_is_named(void **state) {
    (void)state;
    use_proj_without_grids();
    // Heights above the ellipsoid to those of Martinique: no way without the geoid.
    double point[3] = {-61.0, 14.6, 10};
    assert_int_equal(transform("EPSG:4979", "EPSG:5490+5756", point, false), TAL_BAD_CRS);
    geo_assert_says(check_error.text, "fr_ign_RAMART2016.tif");
    geo_assert_says(check_error.text, "projsync");
    // PROJ would take a 4 m transformation for this point; its best one lacks a grid.
    double texas[3] = {2300000, 10000000, 1000};
    assert_int_equal(transform("EPSG:2277+6360", "EPSG:32614+5703", texas, false), TAL_BAD_CRS);
    geo_assert_says(check_error.text, "us_noaa_wthpgn.tif");
    unsetenv("PROJ_DATA");
    unsetenv("PROJ_LIB");
    unsetenv("PROJ_USER_WRITABLE_DIRECTORY");
}

static void what_cannot_be_transformed_becomes_nan_and_spoils_no_other(void **state) {
    (void)state;
    tal_crs *a = make("EPSG:4326");
    tal_crs *b = make("EPSG:5490");
    tal_crs_transform *between = NULL;
    check_ok(tal_crs_transform_create(&between, a, b, "scan.las", &check_error));
    check_near(tal_crs_transform_accuracy_m(between), 1, 0); // as the EPSG registry states it
    double x[4] = {-61, (double)NAN, 1e9, -61};
    double y[4] = {14.6, 14.6, 14.6, 14.6};
    double z[4] = {1, 2, 3, 4};
    check_ok(tal_crs_transform_apply(between, x, y, z, 4, &check_error));
    assert_true(isfinite(x[0]) && isnan(x[1]) && isnan(y[1]) && isnan(z[1]));
    assert_true(isnan(y[2]) && isnan(z[2]));
    assert_true(x[0] == x[3] && y[0] == y[3] && z[3] == 4);
    double u = -61;
    double v = 14.6;
    check_ok(tal_crs_transform_apply(between, &u, &v, NULL, 1, &check_error));
    assert_true(u == x[0] && v == y[0]);
    tal_crs_transform_destroy(between);
    tal_crs_destroy(a);
    tal_crs_destroy(b);
}

static void the_origin_is_the_nearest_whole_metre(void **state) {
    (void)state;
    const tal_origin origin = tal_origin_near(712345.678, 1634567.2, -3.5);
    assert_int_equal(origin.east, 712346);
    assert_int_equal(origin.north, 1634567);
    assert_int_equal(origin.height, -4);
    assert_int_equal(tal_origin_near((double)NAN, 0, 0).east, 0);
    assert_true(tal_origin_is_possible((const double[]){712346, 1634567, -4}));
    assert_false(tal_origin_is_possible((const double[]){1e300, 0, 0}));
    assert_false(tal_origin_is_possible((const double[]){0, -1.1e8, 0}));
    assert_false(tal_origin_is_possible((const double[]){0, 0, 0.5}));
    assert_false(tal_origin_is_possible((const double[]){0, (double)NAN, 0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compound_definition_has_both_parts_in_metres),
        cmocka_unit_test(units_are_told_apart),
        cmocka_unit_test(local_is_metres_without_geography),
        cmocka_unit_test(what_is_no_coordinate_system_is_refused_with_the_way_out),
        cmocka_unit_test(a_study_needs_metres_on_stated_datums),
        cmocka_unit_test(equal_systems_are_recognised_in_other_words),
        cmocka_unit_test(published_examples_are_met),
        cmocka_unit_test(feet_become_metres_in_plan_and_height),
        cmocka_unit_test(heights_stay_as_they_are_between_flat_systems),
        cmocka_unit_test(points_agree_with_cs2cs),
        cmocka_unit_test(the_same_system_needs_no_transformation),
        cmocka_unit_test(a_missing_vertical_datum_is_refused),
        cmocka_unit_test(local_and_map_coordinates_do_not_mix),
        cmocka_unit_test(a_ballpark_transformation_is_refused),
        cmocka_unit_test(unusual_axes_are_refused),
        cmocka_unit_test_setup_teardown(a_missing_grid_is_named, geo_make_folder,
                                        geo_remove_folder),
        cmocka_unit_test(what_cannot_be_transformed_becomes_nan_and_spoils_no_other),
        cmocka_unit_test(the_origin_is_the_nearest_whole_metre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

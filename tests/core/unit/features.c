// SPDX-License-Identifier: GPL-3.0-or-later
// Points, lines and polygons of a site.
#include "core/geo/features.h"
#include "tests/support/check.h"

static tal_settings settings;

// A file of the scratch folder as a FILES value.
static const char *written(const char *name, const char *text) {
    static char files[TAL_PATH_SIZE];
    snprintf(files, sizeof files, "%s/%s", check_scratch(), name);
    FILE *stream = fopen(files, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    strcat(files, "\n");
    return files;
}

static tal_features_frame frame_of(const char *definition, double east, double north) {
    tal_features_frame frame = {NULL, {east, north, 0}};
    check_ok(tal_crs_create((tal_crs **)&frame.crs, definition, "here", &check_error));
    return frame;
}

static const char *const COLLECTION = "{\"type\": \"FeatureCollection\", \"features\": [%s]}";
static const char *collection(const char *geometries) {
    static char text[2048];
    char features[1024];
    snprintf(features, sizeof features,
             "{\"type\": \"Feature\", \"properties\": {}, \"geometry\": {\"type\": "
             "\"GeometryCollection\", \"geometries\": [%s]}}",
             geometries);
    snprintf(text, sizeof text, COLLECTION, features);
    return text;
}

static void a_list_of_numbers_is_a_line(void **state) {
    (void)state;
    const tal_features_frame frame = frame_of("local", 100, 200);
    const tal_reals list = {6, {100, 200, 110, 200, 110, 220}};
    tal_features f;
    check_ok(tal_features_create(&f, &settings, "", &list, TAL_PLACE_LINE, &frame, "here",
                                 &check_error));
    assert_int_equal(f.part_count, 1);
    assert_int_equal(f.vertex_count, 3);
    check_near(f.y[2], 20, 0);
    const double a[2] = {5, -3}, b[2] = {5, 9}, c[2] = {11, 5};
    check_near(tal_features_first_crossing(&f, a, b), 0.25, 1e-15);
    assert_true(tal_features_first_crossing(&f, c, (const double[2]){20, 30}) > 1);
    check_near(tal_features_first_crossing(&f, (const double[2]){0, 10}, (const double[2]){20, 10}),
               0.5, 1e-15);
    assert_false(tal_features_hold(&f, 9, 1)); // a line has no inside
    tal_features_destroy(&f);
    tal_crs_destroy((tal_crs *)frame.crs);
}

static void a_polygon_has_holes(void **state) {
    (void)state;
    const tal_features_frame frame = frame_of("local", 0, 0);
    const char *files = written(
        "p.geojson", collection("{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[10,0],[10,10],"
                                "[0,10],[0,0]],[[4,4],[6,4],[6,6],[4,6],[4,4]]]}"));
    tal_features f;
    check_ok(tal_features_create(&f, &settings, files, NULL, TAL_PLACE_POLYGON, &frame, "here",
                                 &check_error));
    assert_int_equal(f.part_count, 2);
    assert_int_equal(f.vertex_count, 8); // no vertex twice
    assert_true(tal_features_hold(&f, 2, 5));
    assert_false(tal_features_hold(&f, 5, 5));
    assert_false(tal_features_hold(&f, 12, 5));
    // The closing side of a ring counts.
    check_near(tal_features_first_crossing(&f, (const double[2]){-5, 5}, (const double[2]){5, 5}),
               0.5, 1e-15);
    tal_features_destroy(&f);
    tal_crs_destroy((tal_crs *)frame.crs);
}

// On the central meridian of UTM zone 31 the easting is 500 km; on the equator the northing is 0.
static void a_layer_is_brought_to_the_system_of_the_study(void **state) {
    (void)state;
    const tal_features_frame frame = frame_of("EPSG:32631", 499000, 0);
    const char *files = written("p.geojson", collection("{\"type\": \"Point\", \"coordinates\": "
                                                        "[3, 0, 50]}"));
    tal_features f;
    check_ok(tal_features_create(&f, &settings, files, NULL, TAL_PLACE_POINTS, &frame, "here",
                                 &check_error));
    assert_int_equal(f.kind, TAL_PLACE_POINTS);
    check_near(f.x[0], 1000, 1e-4);
    check_near(f.y[0], 0, 1e-4);
    check_near(f.z[0], 50, 0);
    tal_features_destroy(&f);
    tal_crs_destroy((tal_crs *)frame.crs);
}

// Metres where GeoJSON has degrees.
static void places_beyond_the_earth_are_refused(void **state) {
    (void)state;
    const tal_features_frame frame = frame_of("EPSG:32631", 0, 0);
    const char *files = written(
        "m.geojson", collection("{\"type\": \"Point\", \"coordinates\": [700000, 1600000]}"));
    tal_features f;
    check_fails(tal_features_create(&f, &settings, files, NULL, TAL_PLACE_POINTS, &frame, "here",
                                    &check_error),
                TAL_BAD_CRS, "do not fit its coordinate system");
    tal_crs_destroy((tal_crs *)frame.crs);
}

static void what_cannot_be_used_is_named(void **state) {
    (void)state;
    const tal_features_frame frame = frame_of("local", 0, 0);
    tal_features f;
    const char *files = written(
        "mixed.geojson", collection("{\"type\": \"Point\", \"coordinates\": [3, 0]}, {\"type\": "
                                    "\"LineString\", \"coordinates\": [[0,0],[1,1]]}"));
    check_fails(tal_features_create(&f, &settings, files, NULL, TAL_PLACE_POINTS, &frame,
                                    "site.ini:4: [release]", &check_error),
                TAL_BAD_INPUT, "site.ini:4: [release]: ");
    assert_non_null(strstr(check_error.text, "keep to one kind"));
    char empty[256];
    snprintf(empty, sizeof empty, COLLECTION, "");
    files = written("empty.geojson", empty);
    check_fails(tal_features_create(&f, &settings, files, NULL, TAL_PLACE_POINTS, &frame, "here",
                                    &check_error),
                TAL_BAD_INPUT, "holds no points");
    assert_false(tal_features_are_raster(&settings, files));
    tal_crs_destroy((tal_crs *)frame.crs);
}

int main(void) {
    tal_settings_init(&settings);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_numbers_is_a_line),
        cmocka_unit_test(a_polygon_has_holes),
        cmocka_unit_test(a_layer_is_brought_to_the_system_of_the_study),
        cmocka_unit_test(places_beyond_the_earth_are_refused),
        cmocka_unit_test(what_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

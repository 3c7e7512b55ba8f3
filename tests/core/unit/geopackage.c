// SPDX-License-Identifier: GPL-3.0-or-later
// GeoPackages out, polygons in.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/geopackage.h"
#include "core/base/fault.h"
#include "core/base/random.h"
#include "core/geo/raster_file.h"
#include "geo_check.h"

#include <gdal.h>
#include <ogr_api.h>

static const char style[] =
    "<!DOCTYPE qgis><qgis styleCategories=\"Symbology\"><!-- 'é' --></qgis>";

static tal_crs *make_crs(const char *definition) {
    tal_crs *crs = NULL;
    check_ok(tal_crs_create(&crs, definition, "test", &check_error));
    return crs;
}

// Two squares, the first with a hole.
static const double square_x[] = {10, 20, 20, 10, 13, 13, 16, 16, 30, 40, 40, 30};
static const double square_y[] = {10, 10, 20, 20, 13, 16, 16, 13, 10, 10, 20, 20};
static const double square_z[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const int32_t square_rings[] = {0, 4, 8, 12};
static const int32_t square_polygons[] = {0, 2, 3};
static const tal_field fields[] = {
    {"volume_m3", TAL_FIELD_REAL}, {"block", TAL_FIELD_INTEGER}, {"name", TAL_FIELD_TEXT}};

static tal_status write_layers(tal_geopackage *package, const tal_crs *crs) {
    static const struct {
        const char *name;
        tal_geometry_kind kind;
    } layers[] = {{"outline", TAL_GEOMETRY_POLYGON}, {"parts", TAL_GEOMETRY_MULTIPOLYGON},
                  {"spot", TAL_GEOMETRY_POINT},      {"spot_z", TAL_GEOMETRY_POINT_Z},
                  {"line", TAL_GEOMETRY_LINE},       {"line_z", TAL_GEOMETRY_LINE_Z},
                  {"path", TAL_GEOMETRY_LINE_ZM},    {"scores", TAL_GEOMETRY_NONE}};
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        TAL_TRY(tal_geopackage_add_layer(package, layers[i].name, layers[i].kind, crs, fields, 3,
                                         i % 2 == 0 ? style : NULL, &check_error));
        const bool polygon = layers[i].kind == TAL_GEOMETRY_POLYGON;
        const tal_geometry geometry = {.x = square_x,
                                       .y = square_y,
                                       .z = square_z,
                                       .m = square_z,
                                       .ring_count = polygon ? 2 : 3,
                                       .ring_start = square_rings,
                                       .vertex_count = 12,
                                       .polygon_count = 2,
                                       .polygon_start = square_polygons};
        const tal_field_value values[] = {
            {.real = 12.5}, {.integer = 9000000000000}, {.text = "scar 'é'"}};
        const tal_field_value nothing[] = {{.real = (double)NAN}, {.integer = -1}, {.text = NULL}};
        TAL_TRY(tal_geopackage_add_feature(package, &geometry, values, &check_error));
        TAL_TRY(tal_geopackage_add_feature(package, NULL, nothing, &check_error));
    }
    return TAL_OK;
}

static tal_status write_example(const char *path, const char *definition, tal_overwrite overwrite) {
    tal_crs *crs = make_crs(definition);
    tal_geopackage *package = NULL;
    tal_error_reset(&check_error);
    tal_status status = tal_geopackage_create(&package, path, overwrite, &check_error);
    if (status == TAL_OK) {
        status = write_layers(package, crs);
    }
    if (status == TAL_OK) {
        status = tal_geopackage_commit(&package, &check_error);
    }
    tal_geopackage_discard(&package);
    assert_null(package);
    tal_crs_destroy(crs);
    return status;
}

// From 100,000 features on GDAL 3.6 would make the spatial index in another thread, which locks out the
// next layer.
static void layers_of_many_features_follow_one_another(void **state) {
    (void)state;
    enum { COUNT = 100100, LAYERS = 3 };
    const char *path = geo_path("many.gpkg");
    tal_crs *crs = make_crs("EPSG:5490");
    tal_geopackage *package = NULL;
    check_ok(tal_geopackage_create(&package, path, TAL_KEEP_EXISTING, &check_error));
    for (int l = 0; l < LAYERS; l++) {
        const char *const name[LAYERS] = {"start", "end", "middle"};
        check_ok(tal_geopackage_add_layer(package, name[l], TAL_GEOMETRY_POINT, crs, fields, 3,
                                          NULL, &check_error));
        for (int n = 0; n < COUNT; n++) {
            const double x = 7e5 + n % 317, y = 1.6e6 + 0.1 * n;
            const tal_geometry geometry = {.x = &x, .y = &y, .vertex_count = 1};
            const tal_field_value values[] = {{.real = n}, {.integer = n}, {.text = "block"}};
            check_ok(tal_geopackage_add_feature(package, &geometry, values, &check_error));
        }
    }
    check_ok(tal_geopackage_commit(&package, &check_error));
    tal_crs_destroy(crs);
    GDALDatasetH dataset = GDALOpenEx(path, GDAL_OF_VECTOR, NULL, NULL, NULL);
    assert_non_null(dataset);
    assert_int_equal(GDALDatasetGetLayerCount(dataset), LAYERS);
    for (int l = 0; l < LAYERS; l++) {
        OGRLayerH layer = GDALDatasetGetLayer(dataset, l);
        OGR_L_SetSpatialFilterRect(layer, 7e5 - 0.5, 0.0, 7e5 + 0.5, 1e9);
        assert_int_equal(OGR_L_GetFeatureCount(layer, 1), (COUNT + 316) / 317);
    }
    GDALClose(dataset);
}

static void ogrinfo_sees_layers_values_and_geometries(void **state) {
    (void)state;
    const char *path = geo_path("a.gpkg");
    check_ok(write_example(path, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    assert_int_equal(geo_count_names("a.gpkg"), 1); // no journal beside it
    const char *text = geo_run("ogrinfo -ro -al '%s' 2>&1", path);
    geo_assert_says(text,
                    "POLYGON ((10 10,20 10,20 20,10 20,10 10),(13 13,13 16,16 16,16 13,13 13))");
    geo_assert_says(text, "MULTIPOLYGON (((10 10,20 10,20 20,10 20,10 10),(13 13,13 16,16 16,16 13,"
                          "13 13)),((30 10,40 10,40 20,30 20,30 10)))");
    geo_assert_says(text, "POINT (10 10)");
    geo_assert_says(text, "POINT Z (10 10 1)");
    geo_assert_says(text, "LINESTRING (10 10,20 10,");
    geo_assert_says(text, "LINESTRING Z (10 10 1,20 10 2,");
    geo_assert_says(text, "LINESTRING ZM (10 10 1 1,20 10 2 2,");
    geo_assert_says(text, "volume_m3 (Real) = 12.5");
    geo_assert_says(text, "volume_m3 (Real) = (null)");
    geo_assert_says(text, "block (Integer64) = 9000000000000");
    geo_assert_says(text, "name (String) = scar 'é'");
    geo_assert_says(text, "name (String) = (null)");
    assert_null(strstr(text, "ERROR"));
    assert_null(strstr(text, "Warning"));
}

static void flat_layers_carry_the_map_code_and_raised_ones_both(void **state) {
    (void)state;
    const char *path = geo_path("a.gpkg");
    check_ok(write_example(path, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    geo_assert_says(geo_run("ogrinfo -ro -so '%s' outline", path), "ID[\"EPSG\",5490]]");
    geo_assert_says(geo_run("ogrinfo -ro -so '%s' path", path),
                    "COMPOUNDCRS[\"RGAF09 / UTM zone 20N + Martinique 1987 height\"");
}

static const char *ask(const char *path, const char *sql) {
    return geo_run("ogrinfo -ro -q '%s' -dialect SQLite -sql \"SELECT %s\"", path, sql);
}

static void dates_are_always_the_same(void **state) {
    (void)state;
    const char *path = geo_path("a.gpkg");
    check_ok(write_example(path, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    geo_assert_says(
        geo_run("ogrinfo -ro -q '%s' -sql \"SELECT count(*) AS n FROM gpkg_contents WHERE "
                "last_change <> '2000-01-01T00:00:00.000Z'\"",
                path),
        "n (Integer) = 0");
}

static void styles_are_where_qgis_looks_for_them(void **state) {
    (void)state;
    const char *path = geo_path("a.gpkg");
    check_ok(write_example(path, "EPSG:5490+5756", TAL_KEEP_EXISTING));
    const char *text =
        ask(path, "f_table_catalog, f_table_schema, f_table_name, f_geometry_column, "
                  "styleName, styleQML, styleSLD, useAsDefault, description, owner, ui, "
                  "update_time FROM layer_styles WHERE f_table_name = 'outline'");
    geo_assert_says(text, "f_geometry_column (String) = geom");
    geo_assert_says(text, "styleName (String) = outline");
    geo_assert_says(text, style);
    geo_assert_says(text, "= 2000/01/01 00:00:00");
    geo_assert_says(ask(path, "count(*) AS n FROM layer_styles WHERE useAsDefault = 1"),
                    "n (Integer) = 4");
}

static void local_layers_are_undefined_cartesian(void **state) {
    (void)state;
    const char *path = geo_path("a.gpkg");
    check_ok(write_example(path, "local", TAL_KEEP_EXISTING));
    geo_assert_says(geo_run("ogrinfo -ro -q '%s' -sql \"SELECT count(*) AS n FROM "
                            "gpkg_geometry_columns WHERE srs_id <> -1\"",
                            path),
                    "n (Integer) = 0");
    tal_polygons polygons;
    check_ok(tal_polygons_read(&polygons, path, "outline", NULL, &check_error));
    assert_null(polygons.crs_definition);
    tal_polygons_destroy(&polygons);
}

static void two_writes_at_different_times_give_the_same_bytes(void **state) {
    (void)state;
    check_ok(write_example(geo_path("a.gpkg"), "EPSG:5490+5756", TAL_KEEP_EXISTING));
    sleep(1);
    check_ok(write_example(geo_path("b.gpkg"), "EPSG:5490+5756", TAL_KEEP_EXISTING));
    geo_assert_same_bytes(geo_path("a.gpkg"), geo_path("b.gpkg"));
}

static void every_fault_leaves_the_old_file_and_nothing_else(void **state) {
    (void)state;
    const char *path = geo_path("a.gpkg");
    check_ok(tal_file_write_text(path, "old", TAL_KEEP_EXISTING, &check_error));
    check_ok(tal_file_write_text(geo_path("copy"), "old", TAL_KEEP_EXISTING, &check_error));
    static const tal_fault_kind kinds[] = {TAL_FAULT_WRITE, TAL_FAULT_SYNC, TAL_FAULT_RENAME,
                                           TAL_FAULT_ALLOCATION};
    static const int counts[] = {25, 1, 1, 13}; // 8 layers, 16 features, the commit
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int nth = 1; nth <= counts[i]; nth++) {
            // Past the allocations of the coordinate system, which are not of this file.
            tal_crs *crs = make_crs("local");
            tal_geopackage *package = NULL;
            tal_error_reset(&check_error);
            tal_fault_arm(kinds[i], nth, false);
            tal_status status = tal_geopackage_create(&package, path, TAL_REPLACE, &check_error);
            status = status == TAL_OK ? write_layers(package, crs) : status;
            status = status == TAL_OK ? tal_geopackage_commit(&package, &check_error) : status;
            assert_int_equal(tal_fault_count(), 1);
            tal_fault_disarm();
            tal_geopackage_discard(&package);
            tal_crs_destroy(crs);
            assert_int_equal(status, kinds[i] == TAL_FAULT_ALLOCATION ? TAL_NO_MEMORY : TAL_IO);
            geo_assert_same_bytes(path, geo_path("copy"));
            assert_int_equal(geo_count_names("a.gpkg"), 1);
        }
    }
    assert_int_equal(write_example(path, "local", TAL_KEEP_EXISTING), TAL_EXISTS);
}

static void a_full_disk_is_an_error_at_any_size(void **state) {
    (void)state;
    const char *path = geo_path("a.gpkg");
    check_ok(write_example(path, "EPSG:5490+5756", TAL_REPLACE));
    struct stat whole;
    assert_int_equal(stat(path, &whole), 0);
    check_ok(tal_file_write_text(path, "old", TAL_REPLACE, &check_error));
    check_ok(tal_file_write_text(geo_path("copy"), "old", TAL_KEEP_EXISTING, &check_error));
    for (long room = 4096; room < whole.st_size; room += 8192) {
        geo_limit_file_size((rlim_t)room);
        const tal_status status = write_example(path, "EPSG:5490+5756", TAL_REPLACE);
        geo_limit_file_size(0);
        assert_int_equal(status, TAL_IO);
        geo_assert_same_bytes(path, geo_path("copy"));
        assert_int_equal(geo_count_names("a.gpkg"), 1);
    }
    check_ok(write_example(path, "EPSG:5490+5756", TAL_REPLACE));
}

static void polygons_come_back_from_a_geopackage(void **state) {
    (void)state;
    check_ok(write_example(geo_path("a.gpkg"), "EPSG:5490+5756", TAL_KEEP_EXISTING));
    tal_polygons polygons;
    check_ok(tal_polygons_read(&polygons, geo_path("a.gpkg"), "parts", "name", &check_error));
    assert_int_equal(polygons.polygon_count, 2); // the multipolygon is split
    assert_int_equal(polygons.polygon_start[1], 2);
    assert_int_equal(polygons.polygon_start[2], 3);
    assert_int_equal(polygons.ring_start[3], 12); // closing vertices are not repeated
    assert_memory_equal(polygons.x, square_x, sizeof square_x);
    assert_memory_equal(polygons.y, square_y, sizeof square_y);
    assert_string_equal(polygons.text[1], "scar 'é'");
    tal_crs *found = make_crs(polygons.crs_definition);
    tal_crs *wanted = make_crs("EPSG:5490");
    assert_true(tal_crs_equal(found, wanted));
    tal_crs_destroy(found);
    tal_crs_destroy(wanted);
    assert_int_equal(tal_polygons_find(&polygons, 11, 11), 0);
    assert_int_equal(tal_polygons_find(&polygons, 14, 14), -1); // in the hole
    assert_int_equal(tal_polygons_find(&polygons, 35, 15), 1);
    assert_int_equal(tal_polygons_find(&polygons, 25, 15), -1);
    tal_polygons_destroy(&polygons);
    tal_polygons_destroy(&polygons);
}

static void polygons_come_from_geojson_and_shapefiles(void **state) {
    (void)state;
    check_ok(tal_file_write_text(
        geo_path("a.geojson"),
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{"
        "\"class\":\"scree\"},\"geometry\":{\"type\":\"GeometryCollection\",\"geometries\":[{"
        "\"type\":"
        "\"Polygon\",\"coordinates\":[[[0,0,5],[4,0,5],[4,4,5],[0,4,5],[0,0,5]]]},{\"type\":"
        "\"Point\","
        "\"coordinates\":[9,9]}]}},{\"type\":\"Feature\",\"properties\":{},\"geometry\":null}]}",
        TAL_REPLACE, &check_error));
    (void)geo_run(
        "ogr2ogr -skipfailures -nlt POLYGON -explodecollections -where \"class='scree'\" '%s' "
        "'%s' 2>&1",
        geo_path("a.shp"), geo_path("a.geojson"));
    static const char *const names[] = {"a.geojson", "a.shp"};
    for (int i = 0; i < 2; i++) {
        tal_polygons polygons;
        check_ok(tal_polygons_read(&polygons, geo_path(names[i]), NULL, "class", &check_error));
        assert_int_equal(polygons.polygon_count, 1);
        assert_int_equal(polygons.ring_start[1], 4);
        assert_string_equal(polygons.text[0], "scree");
        assert_int_equal(tal_polygons_find(&polygons, 2, 2), 0);
        geo_assert_says(polygons.crs_definition, "WGS 84");
        tal_polygons_destroy(&polygons);
    }
}

static void curves_become_straight_edges(void **state) {
    (void)state;
    tal_gdal_init();
    GDALDatasetH dataset =
        GDALCreate(GDALGetDriverByName("GPKG"), geo_path("c.gpkg"), 0, 0, 0, GDT_Unknown, NULL);
    OGRLayerH layer = GDALDatasetCreateLayer(dataset, "circle", NULL, wkbCurvePolygon, NULL);
    OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
    OGRGeometryH circle = NULL;
    char text[] = "CURVEPOLYGON (CIRCULARSTRING (10 0,-10 0,10 0))";
    char *wkt = text;
    assert_int_equal(OGR_G_CreateFromWkt(&wkt, NULL, &circle), OGRERR_NONE);
    OGR_F_SetGeometryDirectly(feature, circle);
    assert_int_equal(OGR_L_CreateFeature(layer, feature), OGRERR_NONE);
    OGR_F_Destroy(feature);
    GDALClose(dataset);
    tal_polygons polygons;
    check_ok(tal_polygons_read(&polygons, geo_path("c.gpkg"), NULL, NULL, &check_error));
    assert_int_equal(polygons.polygon_count, 1);
    const int32_t count = polygons.ring_start[1];
    double twice_area = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t next = (i + 1) % count;
        check_near(hypot(polygons.x[i], polygons.y[i]), 10, 1e-9);
        twice_area += polygons.x[i] * polygons.y[next] - polygons.x[next] * polygons.y[i];
    }
    check_near(fabs(twice_area) / 2, acos(-1.0) * 100, 0.5);
    tal_polygons_destroy(&polygons);
}

// A triangle in degrees: on the central meridian of UTM zone 20 at the equator and one degree north of it.
static void read_triangle(tal_polygons *polygons, const char *corners) {
    char text[512];
    (void)snprintf(text, sizeof text, "{\"type\":\"Polygon\",\"coordinates\":[[%s]]}", corners);
    check_ok(tal_file_write_text(geo_path("t.geojson"), text, TAL_REPLACE, &check_error));
    check_ok(tal_polygons_read(polygons, geo_path("t.geojson"), NULL, NULL, &check_error));
}

static void polygons_without_heights_reach_a_study_with_heights(void **state) {
    (void)state;
    tal_polygons polygons;
    tal_crs *study = make_crs("EPSG:32620+5773"), *local = make_crs("local");
    read_triangle(&polygons, "[-63,0],[-62,0],[-63,1],[-63,0]");
    assert_int_equal(tal_polygons_vertex_count(&polygons), 3);
    check_ok(tal_polygons_to_crs(&polygons, local, "t.geojson", &check_error));
    check_near(polygons.x[0], -63.0, 0.0); // a scanner's own frame: nobody can tell
    check_ok(tal_polygons_to_crs(&polygons, study, "t.geojson", &check_error));
    check_near(polygons.x[0], 500000.0, 1e-6);
    check_near(polygons.y[0], 0.0, 1e-6);
    // The first degree of the meridian is 110574.389 m long on this ellipsoid; the scale is 0.9996.
    check_near(polygons.x[2], 500000.0, 1e-6);
    check_near(polygons.y[2], 0.9996 * 110574.389, 0.01);
    tal_polygons_destroy(&polygons);
    read_triangle(&polygons, "[-63,0],[700000,1600000],[-63,1],[-63,0]"); // metres are no degrees
    check_fails(tal_polygons_to_crs(&polygons, study, "t.geojson", &check_error), TAL_BAD_CRS,
                "t.geojson: its coordinates do not fit");
    tal_polygons_destroy(&polygons);
    assert_int_equal(tal_polygons_vertex_count(&polygons), 0);
    tal_crs_destroy(study);
    tal_crs_destroy(local);
}

static void wrong_polygon_files_are_named(void **state) {
    (void)state;
    tal_polygons polygons;
    check_fails(tal_polygons_read(&polygons, geo_path("no.gpkg"), NULL, NULL, &check_error),
                TAL_NOT_FOUND, "no.gpkg");
    check_ok(tal_file_write_text(geo_path("text.geojson"), "hello", TAL_REPLACE, &check_error));
    check_fails(tal_polygons_read(&polygons, geo_path("text.geojson"), NULL, NULL, &check_error),
                TAL_BAD_INPUT, "text.geojson cannot be read as polygons");
    check_ok(write_example(geo_path("a.gpkg"), "local", TAL_REPLACE));
    check_fails(tal_polygons_read(&polygons, geo_path("a.gpkg"), "line", NULL, &check_error),
                TAL_BAD_INPUT, "holds no polygons");
    check_fails(tal_polygons_read(&polygons, geo_path("a.gpkg"), "lines", NULL, &check_error),
                TAL_BAD_INPUT, "no layer 'lines'");
    check_fails(tal_polygons_read(&polygons, geo_path("a.gpkg"), "outline", "colour", &check_error),
                TAL_BAD_INPUT, "no field 'colour'");
    assert_null(polygons.x);
    // All layers: the polygons among them are found.
    check_ok(tal_polygons_read(&polygons, geo_path("a.gpkg"), NULL, NULL, &check_error));
    assert_int_equal(polygons.polygon_count, 3);
    tal_polygons_destroy(&polygons);
}

enum { STARS = 6, CORNERS = 200 };

// Self-crossing stars over one another, some of their vertices on cell centres.
static void make_stars(tal_polygons *polygons, int round) {
    static int32_t starts[STARS + 1];
    static int32_t rings[STARS + 1];
    static double x[STARS * CORNERS];
    static double y[STARS * CORNERS];
    const tal_random random = tal_random_stream(5, (uint32_t)round, "test/stars");
    for (int i = 0; i < STARS; i++) {
        const double cx = 100 * tal_random_uniform(random, (uint64_t)i * 1000);
        const double cy = 100 * tal_random_uniform(random, (uint64_t)i * 1000 + 1);
        starts[i + 1] = i + 1;
        rings[i + 1] = (i + 1) * CORNERS;
        for (int j = 0; j < CORNERS; j++) {
            const uint64_t draw = (uint64_t)(i * 1000 + 2 * j + 2);
            const double radius = 40 * tal_random_uniform(random, draw);
            const double angle = 4 * acos(-1.0) * j / CORNERS; // twice around
            const bool snap = tal_random_uniform(random, draw + 1) < 0.3;
            const double px = cx + radius * cos(angle);
            const double py = cy + radius * sin(angle);
            x[i * CORNERS + j] = snap ? floor(px) + 0.5 : px;
            y[i * CORNERS + j] = snap ? floor(py) + 0.5 : py;
        }
    }
    *polygons = (tal_polygons){
        .polygon_count = STARS, .polygon_start = starts, .ring_start = rings, .x = x, .y = y};
}

// Winding parity by the angle the boundary turns about the point: another way to the same answer,
// for points that are not on the boundary.
static bool parity_by_angle(const tal_polygons *p, int32_t polygon, double x, double y) {
    double turned = 0;
    const int32_t first = p->ring_start[polygon];
    const int32_t last = p->ring_start[polygon + 1];
    for (int32_t i = first, before = last - 1; i < last; before = i++) {
        const double ax = p->x[before] - x;
        const double ay = p->y[before] - y;
        const double bx = p->x[i] - x;
        const double by = p->y[i] - y;
        turned += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return (llround(turned / (2 * acos(-1.0))) & 1) != 0;
}

static void point_in_polygon_agrees_with_the_winding_angle(void **state) {
    (void)state;
    tal_polygons polygons;
    make_stars(&polygons, 1);
    const tal_random random = tal_random_stream(5, 1, "test/points");
    for (uint64_t i = 0; i < 20000; i++) {
        const double x = 140 * tal_random_uniform(random, 2 * i) - 20;
        const double y = 140 * tal_random_uniform(random, 2 * i + 1) - 20;
        int32_t wanted = -1;
        for (int32_t k = 0; k < STARS; k++) {
            wanted = parity_by_angle(&polygons, k, x, y) ? k : wanted;
        }
        assert_int_equal(tal_polygons_find(&polygons, x, y), wanted);
    }
}

static void filling_a_grid_agrees_with_asking_for_each_centre(void **state) {
    (void)state;
    static int32_t cells[140 * 140 * 4];
    for (int round = 0; round < 20; round++) {
        tal_polygons polygons;
        make_stars(&polygons, round);
        const double cell = round % 2 == 0 ? 1.0 : 0.5;
        const tal_grid grid = {.west = -20,
                               .north = 120,
                               .cell = cell,
                               .columns = (int32_t)(140 / cell),
                               .rows = (int32_t)(140 / cell)};
        check_ok(tal_polygons_fill(&polygons, &grid, cells, &check_error));
        for (int32_t row = 0; row < grid.rows; row++) {
            for (int32_t column = 0; column < grid.columns; column++) {
                double x = 0;
                double y = 0;
                tal_grid_centre(&grid, column, row, &x, &y);
                assert_int_equal(cells[row * grid.columns + column],
                                 tal_polygons_find(&polygons, x, y));
            }
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, geo_make_folder, geo_remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ogrinfo_sees_layers_values_and_geometries),
        TEST(layers_of_many_features_follow_one_another),
        TEST(flat_layers_carry_the_map_code_and_raised_ones_both),
        TEST(dates_are_always_the_same),
        TEST(styles_are_where_qgis_looks_for_them),
        TEST(local_layers_are_undefined_cartesian),
        TEST(two_writes_at_different_times_give_the_same_bytes),
        TEST(every_fault_leaves_the_old_file_and_nothing_else),
        TEST(a_full_disk_is_an_error_at_any_size),
        TEST(polygons_come_back_from_a_geopackage),
        TEST(polygons_come_from_geojson_and_shapefiles),
        TEST(curves_become_straight_edges),
        TEST(polygons_without_heights_reach_a_study_with_heights),
        TEST(wrong_polygon_files_are_named),
        cmocka_unit_test(point_in_polygon_agrees_with_the_winding_angle),
        cmocka_unit_test(filling_a_grid_agrees_with_asking_for_each_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

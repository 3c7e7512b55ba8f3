// SPDX-License-Identifier: GPL-3.0-or-later
// Files other programs wrote (PDAL, laspy, laz-perf, laz-rs, las-rs): counts and bounds as PDAL 2.2
// states them, and LAZ twins that must give the points of their LAS.
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include "ingest/read/las_file.h"
#include "ingest/read/pdal.h"

typedef struct {
    const char *name;
    uint64_t count;
    double low[3], high[3];
} expectation;

static const expectation files[] = {
    {"las-rs/autzen.las", 106, {635616.31, 848977.79, 407.35}, {638864.6, 853362.37, 536.84}},
    {"laspy/1_4_w_evlr.las",
     1000,
     {1694038.446, 1816492.706, 5592.749917},
     {1694539.677, 1816497.976, 5599.069687}},
    {"laspy/autzen.las", 106, {635616.31, 848977.79, 407.35}, {638864.6, 853362.37, 536.84}},
    {"laspy/autzen_geo_proj.las",
     106,
     {635616.31, 848977.79, 407.35},
     {638864.6, 853362.37, 536.84}},
    {"laspy/extrabytes.las", 1065, {635619.85, 848899.7, 406.59}, {638982.55, 853535.43, 586.38}},
    {"laspy/simple.las", 1065, {635619.85, 848899.7, 406.59}, {638982.55, 853535.43, 586.38}},
    {"laspy/simple1_1.las", 1065, {635619.85, 848899.7, 406.59}, {638982.55, 853535.43, 586.38}},
    {"laspy/simple1_4.las", 22600, {1, 1, 44}, {226, 100, 254}},
    {"laspy/test1_4.las",
     1000,
     {1694038.446, 1816492.706, 5592.749917},
     {1694539.677, 1816497.976, 5599.069687}},
    {"laspy/vegetation_1_3.las",
     10683,
     {-98451.205, -55975.417, -81460.091},
     {-98447.447, -55969.405, -81455.203}},
    {"laz-perf/1815.las",
     1247,
     {2014000.418, 6493002.071, 87.9591828},
     {2014999.693, 6493999.93, 124.0741328}},
    {"laz-perf/autzen_trim.las",
     110000,
     {636001.76, 848935.2, 406.26},
     {637179.22, 849497.9, 520.51}},
    {"laz-perf/extrabytes.las",
     1065,
     {635619.85, 848899.7, 406.59},
     {638982.55, 853535.43, 586.38}},
    {"laz-perf/no-points-1.3.las", 0, {0, 0, 0}, {0, 0, 0}},
    {"laz-perf/point-color-time.las",
     1065,
     {493994.87, 4877429.62, 123.93},
     {494993.68, 4878817.02, 178.73}},
    {"laz-perf/point-color.las",
     1065,
     {493994.87, 4877429.62, 123.93},
     {494993.68, 4878817.02, 178.73}},
    {"laz-perf/point-time.las",
     1065,
     {493994.87, 4877429.62, 123.93},
     {494993.68, 4878817.02, 178.73}},
    {"laz-perf/point10-1.0.las", 1, {1, 2, 3}, {1, 2, 3}},
    {"laz-perf/point10-1.1.las", 1, {1, 2, 3}, {1, 2, 3}},
    {"laz-perf/point10.las",
     1065,
     {493994.87, 4877429.62, 123.93},
     {494993.68, 4878817.02, 178.73}},
    {"laz-perf/rand1_6.las",
     50000,
     {-2147369665, -2147429969, -2147390722},
     {2147410025, 2147382047, 2147345534}},
    {"laz-rs/extra-bytes.las", 1065, {635619.85, 848899.7, 406.59}, {638982.55, 853535.43, 586.38}},
    {"laz-rs/point-color.las",
     1065,
     {493994.87, 4877429.62, 123.93},
     {494993.68, 4878817.02, 178.73}},
    {"laz-rs/point-time-color.las",
     1065,
     {493994.87, 4877429.62, 123.93},
     {494993.68, 4878817.02, 178.73}},
    {"laz-rs/point-time.las",
     1065,
     {493994.87, 4877429.62, 123.93},
     {494993.68, 4878817.02, 178.73}},
    {"laz-rs/point10.las", 1065, {493994.87, 4877429.62, 123.93}, {494993.68, 4878817.02, 178.73}},
    {"pdal/1.2-with-color.las",
     1065,
     {635619.85, 848899.7, 406.59},
     {638982.55, 853535.43, 586.38}},
    {"pdal/bad_vlr_count.las", 10, {289814.15, 4320978.61, 170.58}, {289818.5, 4320980.59, 170.76}},
    {"pdal/epsg_4326.las",
     5380,
     {-94.6834654, 31.0367341, 39.0810002},
     {-94.6606311, 31.0473291, 78.1190002}},
    {"pdal/extrabytes.las", 1065, {635619.85, 848899.7, 406.59}, {638982.55, 853535.43, 586.38}},
    {"pdal/gps-time-nan.las", 1, {0, 0, 0}, {0, 0, 0}},
    {"pdal/interesting.las", 1065, {635619.85, 848899.7, 406.59}, {638982.55, 853535.43, 586.38}},
    {"pdal/lots_of_vlr.las", 1, {715001.346, 839349.171, 17.275}, {715001.346, 839349.171, 17.275}},
    {"pdal/no-points.las", 0, {0, 0, 0}, {0, 0, 0}},
    {"pdal/spec_3.las", 10, {289814.15, 4320978.61, 170.58}, {289818.5, 4320980.59, 170.76}},
    {"pdal/synthetic_test.las", 1, {1, 2, 3}, {1, 2, 3}},
    {"pdal/utm15.las", 1, {470692.44, 4602888.9, 16}, {470692.44, 4602888.9, 16}},
    {"pdal/utm17.las", 10, {289814.15, 4320978.61, 170.58}, {289818.5, 4320980.59, 170.76}},
};

static const char *const twins[][2] = {
    {"las-rs/autzen.las", "las-rs/autzen.laz"},
    {"laspy/1_4_w_evlr.las", "laspy/1_4_w_evlr.laz"},
    {"laspy/simple.las", "laspy/simple.laz"},
    {"laz-perf/1815.las", "laz-perf/1815.laz"},
    {"laz-perf/autzen_trim.las", "laz-perf/autzen_trim.laz"},
    {"laz-perf/extrabytes.las", "laz-perf/extrabytes.laz"},
    {"laz-perf/point-color-time.las", "laz-perf/point-color-time.las.laz"},
    {"laz-perf/point-color.las", "laz-perf/point-color.las.laz"},
    {"laz-perf/point-time.las", "laz-perf/point-time.las.laz"},
    {"laz-perf/point10-1.0.las", "laz-perf/point10-1.0.laz"},
    {"laz-perf/point10.las", "laz-perf/point10.las.laz"},
    {"laz-rs/extra-bytes.las", "laz-rs/extra-bytes.laz"},
    {"laz-rs/point-color.las", "laz-rs/point-color.laz"},
    {"laz-rs/point-time-color.las", "laz-rs/point-time-color.laz"},
    {"laz-rs/point-time.las", "laz-rs/point-time.laz"},
    {"laz-rs/point10.las", "laz-rs/point10.laz"}};

static void path_of(char path[1024], const char *name) {
    snprintf(path, 1024, "%s/las/%s", getenv("TALUS_TEST_DATA"), name);
}

static void counts_and_bounds_are_those_of_pdal(void **state) {
    (void)state;
    tal_points points;
    check_data("the corpus of LAS files");
    check_ok(tal_points_create(&points, &check_error));
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        char path[1024];
        tal_las *las = NULL;
        uint64_t count = 0;
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        path_of(path, files[k].name);
        check_ok(tal_las_open(&las, path, &check_error));
        do {
            check_ok(tal_las_read(las, &points, &check_error));
            count += points.count;
            for (size_t i = 0; i < points.count; i++) {
                const double place[3] = {points.x[i], points.y[i], points.z[i]};
                for (int axis = 0; axis < 3; axis++) {
                    low[axis] = fmin(low[axis], place[axis]);
                    high[axis] = fmax(high[axis], place[axis]);
                }
            }
        } while (points.count > 0);
        assert_int_equal(count, files[k].count);
        for (int axis = 0; axis < 3 && count > 0; axis++) {
            const double digits = 1e-9 * fmax(1.0, fabs(files[k].high[axis]));
            check_near(low[axis], files[k].low[axis], digits);
            check_near(high[axis], files[k].high[axis], digits);
        }
        tal_las_close(las);
    }
    tal_points_destroy(&points);
}

static void laz_twins_give_the_same_points(void **state) {
    (void)state;
    char program[TAL_PATH_SIZE];
    tal_points a, b;
    check_data("the corpus of LAZ files");
    if (!tal_pdal_find(program)) {
        printf("SKIPPED: LAZ twins need pdal\n");
        skip();
    }
    const char *folder = check_scratch();
    check_ok(tal_points_create(&a, &check_error));
    check_ok(tal_points_create(&b, &check_error));
    for (size_t k = 0; k < sizeof twins / sizeof twins[0]; k++) {
        char path[1024], made[TAL_PATH_SIZE];
        tal_las *plain = NULL, *twin = NULL;
        path_of(path, twins[k][1]);
        check_ok(tal_pdal_run(path, folder, "twin_1", TAL_PDAL_CONVERT, TAL_REPLACE, made,
                              &check_error));
        check_ok(tal_las_open(&twin, made, &check_error));
        path_of(path, twins[k][0]);
        check_ok(tal_las_open(&plain, path, &check_error));
        do {
            check_ok(tal_las_read(plain, &a, &check_error));
            check_ok(tal_las_read(twin, &b, &check_error));
            assert_int_equal(a.count, b.count);
            for (size_t i = 0; i < a.count; i++) {
                const double digits = 1e-9 * fmax(1.0, fabs(a.x[i]) + fabs(a.y[i]));
                check_near(a.x[i], b.x[i], digits);
                check_near(a.y[i], b.y[i], digits);
                check_near(a.z[i], b.z[i], digits);
                assert_int_equal(a.point_class[i], b.point_class[i]);
            }
        } while (a.count > 0);
        tal_las_close(plain);
        tal_las_close(twin);
    }
    tal_points_destroy(&a);
    tal_points_destroy(&b);
}

static void truncated_copies_are_refused(void **state) {
    (void)state;
    check_data("the corpus of LAS files");
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        char path[1024];
        path_of(path, files[k].name);
        FILE *stream = fopen(path, "rb");
        assert_non_null(stream);
        fseek(stream, 0, SEEK_END);
        const size_t size = (size_t)ftell(stream);
        uint8_t *bytes = malloc(size);
        rewind(stream);
        assert_int_equal(fread(bytes, 1, size, stream), size);
        fclose(stream);
        tal_las *las = NULL;
        check_ok(tal_las_open_memory(&las, bytes, size, path, &check_error));
        const tal_las_header *header = tal_las_get_header(las);
        const uint64_t points = header->point_count * header->record_length;
        tal_las_close(las);
        if (files[k].count > 0) { // a byte of the last point is missing
            const size_t tail = size - points;
            const size_t short_size = tail < 400 ? size - 1 : 300;
            check_fails(tal_las_open_memory(&las, bytes, short_size, path, &check_error),
                        TAL_BAD_INPUT, "");
        }
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_and_bounds_are_those_of_pdal),
                                       cmocka_unit_test(laz_twins_give_the_same_points),
                                       cmocka_unit_test(truncated_copies_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

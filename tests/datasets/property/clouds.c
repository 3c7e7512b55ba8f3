// SPDX-License-Identifier: GPL-3.0-or-later
// The generated clouds: what a survey of the exact ground with the stated errors must look like.
#include "tests/support/check.h"

#include "core/app/json.h"
#include "core/app/site_file.h"
#include "datasets/crs_text.h"
#include "datasets/generate.h"
#include "datasets/site_ground.h"
#include "tests/datasets/property/las.h"

static const double SCALE = 0.3; // of the density; enough for the statistics below

static char folder[512];
static tal_site_ground *surface;
static las_file before, after;
static cJSON *truth;

static void path_in(char path[600], const char *where, const char *name) {
    snprintf(path, 600, "%s/%s", where, name);
}

static void generate(const char *site, const char *where, uint64_t seed, double scale) {
    const tal_generation wanted = {.site = tal_site_find(site),
                                   .seed = seed,
                                   .density_scale = scale,
                                   .folder = where,
                                   .overwrite = TAL_KEEP_EXISTING};
    check_ok(tal_generate(&wanted, &check_error));
}

// Clouds are large: no test leaves them behind.
static void drop_folder(const char *where) {
    static const char *const names[] = {"before.las", "before.xyz",    "after.las",
                                        "truth.json", "truth.geojson", "site.ini"};
    char path[600];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        path_in(path, where, names[i]);
        (void)remove(path);
    }
    (void)remove(where);
}

static int make_clouds(void **state) {
    (void)state;
    char path[600];
    snprintf(folder, sizeof folder, "%s", check_scratch());
    generate("piton-marcel", folder, 1, SCALE);
    path_in(path, folder, "before.las");
    before = las_open(path);
    path_in(path, folder, "after.las");
    after = las_open(path);
    path_in(path, folder, "truth.json");
    check_ok(tal_json_read(path, &truth, &check_error));
    check_ok(tal_site_ground_create(&surface, TAL_SITE_PITON_MARCEL, &check_error));
    return 0;
}

static int drop_clouds(void **state) {
    (void)state;
    las_close(&before);
    las_close(&after);
    cJSON_Delete(truth);
    tal_site_ground_destroy(surface);
    drop_folder(folder);
    return 0;
}

static double told(const char *name) {
    double value = NAN;
    check_ok(tal_json_number(truth, name, "truth.json", &value, &check_error));
    return value;
}

static void densities_are_the_stated_ones(void **state) {
    (void)state;
    const double area = 700.0 * 500.0;
    printf("points per m2: before %.3f, after %.3f (times 1/%.2f)\n",
           (double)before.count / area / SCALE, (double)after.count / area / SCALE, SCALE);
    check_near((double)before.count / area, 2.0 * SCALE, 0.1 * 2.0 * SCALE);
    check_near((double)after.count / area, 6.0 * SCALE, 0.1 * 6.0 * SCALE);
    check_near(told("surveys.before.points"), (double)before.count, 0.0);
    check_near(told("surveys.after.points"), (double)after.count, 0.0);
    check_near(told("surveys.after.planned_points_per_m2"), 6.0 * SCALE, 1e-9);
}

static void headers_are_those_of_las_1_4_format_6(void **state) {
    (void)state;
    const las_file *clouds[2] = {&before, &after};
    const unsigned day[2] = {74, 134};
    for (int i = 0; i < 2; i++) {
        const las_file *las = clouds[i];
        assert_memory_equal(las->bytes, "LASF", 4);
        assert_int_equal(las_number(las, 24, 2), 0x0401);
        assert_int_equal(las_number(las, 104, 1), 6);
        assert_int_equal(las_number(las, 90, 2), day[i]);
        assert_int_equal(las_number(las, 92, 2), 2010);
        assert_int_equal(las->size, las->first + 30 * las->count);
        assert_string_equal((const char *)las->bytes + 375 + 54, TAL_DATASET_WKT);
    }
}

// Bounds and counts by return, from the points themselves.
static void headers_agree_with_the_points(void **state) {
    (void)state;
    const las_file *clouds[2] = {&before, &after};
    for (int i = 0; i < 2; i++) {
        const las_file *las = clouds[i];
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        uint64_t by_return[16] = {0};
        for (uint64_t k = 0; k < las->count; k++) {
            const las_record point = las_get(las, k);
            const double place[3] = {point.x, point.y, point.z};
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = fmin(low[axis], place[axis]);
                high[axis] = fmax(high[axis], place[axis]);
            }
            by_return[point.return_number]++;
        }
        for (size_t axis = 0; axis < 3; axis++) {
            check_near(las_real(las, 179 + 16 * axis), high[axis], 1e-9);
            check_near(las_real(las, 187 + 16 * axis), low[axis], 1e-9);
        }
        for (size_t number = 1; number <= 15; number++) {
            assert_int_equal(las_number(las, 255 + 8 * (number - 1), 8), by_return[number]);
        }
        assert_true(low[0] >= 693150.0 && high[0] <= 693850.0);
        assert_true(low[1] >= 1638250.0 && high[1] <= 1638750.0);
    }
}

static void returns_of_a_pulse_are_complete_and_in_order(void **state) {
    (void)state;
    uint64_t several = 0;
    unsigned expected = 1;
    las_record last = {0};
    for (uint64_t k = 0; k < after.count; k++) {
        const las_record point = las_get(&after, k);
        assert_int_equal(point.return_number, expected);
        if (expected > 1) {
            assert_int_equal(point.return_count, last.return_count);
            check_near(point.gps_time, last.gps_time, 0.0);
            assert_true(point.z < last.z + 0.5); // each echo comes from farther away
        }
        assert_true(point.gps_time >= last.gps_time || k == 0);
        assert_true(fabs(point.scan_angle_deg) < 28.1);
        several += point.return_count > 1 ? 1 : 0;
        expected = point.return_number == point.return_count ? 1 : point.return_number + 1;
        last = point;
    }
    const double share = (double)several / (double)after.count;
    printf("points of pulses with several returns: %.1f %%\n", 100.0 * share);
    assert_true(share > 0.10 && share < 0.45);
    check_near(told("surveys.after.points_of_several_returns"), (double)several, 0.0);
}

static void only_the_later_survey_is_classified(void **state) {
    (void)state;
    uint64_t count[256] = {0};
    for (uint64_t k = 0; k < before.count; k++) {
        assert_int_equal(las_get(&before, k).classification, 1);
    }
    uint64_t wrong = 0, ground = 0;
    for (uint64_t k = 0; k < after.count; k++) {
        const las_record point = las_get(&after, k);
        count[point.classification]++;
        if (point.classification == 2) {
            const double above = point.z - 0.18 -
                                 tal_site_ground_elevation(surface, TAL_AFTER, point.x - 693150.42,
                                                           point.y - 1638249.69);
            ground++;
            wrong += above > 1.5 ? 1 : 0; // a shrub taken for ground
        }
    }
    assert_int_equal(count[1] + count[2] + count[5] + count[7] + count[18], after.count);
    printf("classes: 1 %.1f %%, 2 %.1f %%, 5 %.1f %%, noise %d, wrong ground %.2f %%\n",
           100.0 * (double)count[1] / (double)after.count,
           100.0 * (double)count[2] / (double)after.count,
           100.0 * (double)count[5] / (double)after.count, (int)(count[7] + count[18]),
           100.0 * (double)wrong / (double)ground);
    assert_true(count[2] > after.count / 2 && count[5] > after.count / 20);
    assert_true(count[7] > 0 && count[18] > 0);
    assert_true(count[1] > after.count / 100 && count[1] < after.count / 10);
    assert_true(wrong > 0 && wrong < ground / 100);
}

// Least squares of z - ground(x, y) = dz - g_x dx - g_y dy over single returns on stable ground,
// with gross differences left out: the shift that the cloud really has.
static void fit_shift(const las_file *las, tal_site_epoch epoch, double shift[3], double *scatter) {
    double a[3][4] = {{0}};
    double squares = 0.0;
    uint64_t used = 0;
    for (uint64_t k = 0; k < las->count; k++) {
        const las_record point = las_get(las, k);
        const double x = point.x - 693150.0, y = point.y - 1638250.0;
        if (point.return_count != 1 || point.classification > 2 || x < 3.0 || y < 3.0 ||
            x > 697.0 || y > 497.0 || tal_site_ground_loss(surface, x, y) > 0.0 ||
            tal_site_ground_gain(surface, x, y) > 0.0) {
            continue;
        }
        const double difference = point.z - tal_site_ground_elevation(surface, epoch, x, y);
        const double east = (tal_site_ground_elevation(surface, epoch, x + 1.5, y) -
                             tal_site_ground_elevation(surface, epoch, x - 1.5, y)) /
                            3.0;
        const double north = (tal_site_ground_elevation(surface, epoch, x, y + 1.5) -
                              tal_site_ground_elevation(surface, epoch, x, y - 1.5)) /
                             3.0;
        if (hypot(east, north) > 1.2 || fabs(difference) > 1.5) {
            continue;
        }
        const double row[4] = {-east, -north, 1.0, difference};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 4; j++) {
                a[i][j] += row[i] * row[j];
            }
        }
        squares += difference * difference;
        used++;
    }
    assert_true(used > 20000);
    for (int i = 0; i < 3; i++) { // Gauss and Jordan; the matrix is positive definite
        for (int r = 0; r < 3; r++) {
            const double factor = a[r][i] / a[i][i];
            for (int j = 0; j < 4 && r != i; j++) {
                a[r][j] -= factor * a[i][j];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        shift[i] = a[i][3] / a[i][i];
    }
    *scatter = sqrt(squares / (double)used);
}

static void clouds_lie_where_the_truth_says(void **state) {
    (void)state;
    double first[3], second[3], scatter[2];
    fit_shift(&before, TAL_BEFORE, first, &scatter[0]);
    fit_shift(&after, TAL_AFTER, second, &scatter[1]);
    printf("shift found %.3f %.3f %.3f, told %.3f %.3f %.3f; rms %.3f and %.3f m\n",
           second[0] - first[0], second[1] - first[1], second[2] - first[2],
           told("shift_with_strips.dx_m"), told("shift_with_strips.dy_m"),
           told("shift_with_strips.dz_m"), scatter[0], scatter[1]);
    check_near(second[0] - first[0], told("shift_with_strips.dx_m"), 0.02);
    check_near(second[1] - first[1], told("shift_with_strips.dy_m"), 0.02);
    check_near(second[2] - first[2], told("shift_with_strips.dz_m"), 0.015);
    check_near(told("shift.dx_m"), 0.42, 1e-12);
    check_near(told("shift.dy_m"), -0.31, 1e-12);
    check_near(told("shift.dz_m"), 0.18, 1e-12);
    check_near(told("shift_with_strips.dx_m"), 0.42, 0.08);
}

// On nearly flat ground the scatter is that of heights; plan errors add on slopes.
static void height_errors_grow_with_slope(void **state) {
    (void)state;
    double squares[2] = {0.0, 0.0};
    uint64_t used[2] = {0, 0};
    for (uint64_t k = 0; k < after.count; k++) {
        const las_record point = las_get(&after, k);
        const double x = point.x - 693150.0 - 0.42, y = point.y - 1638250.0 + 0.31;
        if (point.classification != 2 || point.return_count != 1 || x < 2.0 || y < 2.0) {
            continue;
        }
        const double z = tal_site_ground_elevation(surface, TAL_AFTER, x, y);
        const double east = tal_site_ground_elevation(surface, TAL_AFTER, x + 1.0, y) - z;
        const double north = tal_site_ground_elevation(surface, TAL_AFTER, x, y + 1.0) - z;
        const double gradient = hypot(east, north), difference = point.z - z - 0.18;
        const int kind = gradient < 0.12 ? 0 : gradient > 0.9 && gradient < 1.1 ? 1 : -1;
        if (kind >= 0 && fabs(difference) < 2.0) {
            squares[kind] += difference * difference;
            used[kind]++;
        }
    }
    assert_true(used[0] > 500 && used[1] > 500);
    const double flat = sqrt(squares[0] / (double)used[0]);
    const double steep = sqrt(squares[1] / (double)used[1]);
    printf("rms on flat ground %.3f m, at 45 degrees %.3f m\n", flat, steep);
    // 0.05 of the echo, 0.03 of the strip, 0.02/sqrt(2) of drift, 0.2 times the gradient.
    assert_true(flat > 0.05 && flat < 0.09);
    check_near(steep, hypot(0.06, 0.2), 0.04);
}

// Steep faces that turn away from the aircraft are seen by fewer pulses than those that face it.
static void faces_turned_away_are_thinner(void **state) {
    (void)state;
    // Strips 1, 3, 5 fly up the valley and look ahead at the cliff, 2 and 4 fly down and look away.
    uint64_t on_scar[2] = {0, 0}, on_apron[2] = {0, 0};
    for (uint64_t k = 0; k < after.count; k++) {
        const las_record point = las_get(&after, k);
        const double x = point.x - 693150.42, y = point.y - 1638249.69;
        const double loss = tal_site_ground_loss(surface, x, y);
        const double fall = tal_site_ground_elevation(surface, TAL_AFTER, x + 3.0, y) -
                            tal_site_ground_elevation(surface, TAL_AFTER, x - 3.0, y);
        const int away = point.strip % 2 == 0;
        if (loss > 5.0 && fall / 6.0 > 1.7) {
            on_scar[away]++;
        } else if (fabs(fall) / 6.0 < 0.35 && point.return_count == 1) {
            on_apron[away]++;
        }
    }
    const double steep = (double)on_scar[1] / (double)on_scar[0];
    const double gentle = (double)on_apron[1] / (double)on_apron[0];
    printf("points away / towards: steep %.2f, gentle %.2f\n", steep, gentle);
    assert_true(steep < 0.75 * gentle);
}

static bool same_bytes(const char *a, const char *b, const char *name) {
    char path[600];
    path_in(path, a, name);
    las_file one = las_open(path); // any file: only its bytes are used
    path_in(path, b, name);
    las_file two = las_open(path);
    const bool same = one.size == two.size && memcmp(one.bytes, two.bytes, one.size) == 0;
    las_close(&one);
    las_close(&two);
    return same;
}

static void same_seed_gives_the_same_bytes(void **state) {
    (void)state;
    static const char *const names[] = {"before.las", "after.las", "truth.json", "truth.geojson",
                                        "site.ini"};
    char a[512], b[512], c[512];
    snprintf(a, sizeof a, "%s", check_scratch());
    snprintf(b, sizeof b, "%s", check_scratch());
    snprintf(c, sizeof c, "%s", check_scratch());
    generate("piton-marcel", a, 7, 0.02);
    generate("piton-marcel", b, 7, 0.02);
    generate("piton-marcel", c, 8, 0.02);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(same_bytes(a, b, names[i]));
    }
    assert_false(same_bytes(a, c, "before.las"));
    assert_false(same_bytes(a, c, "after.las"));
    assert_true(same_bytes(a, c, "site.ini"));
    drop_folder(a);
    drop_folder(b);
    drop_folder(c);
}

static void slope_comes_as_text_and_as_las(void **state) {
    (void)state;
    char where[512], path[600];
    snprintf(where, sizeof where, "%s", check_scratch());
    generate("slope", where, 1, 1.0);
    path_in(path, where, "after.las");
    las_file las = las_open(path);
    check_near((double)las.count / 7200.0, 8.0, 0.8);
    las_close(&las);
    path_in(path, where, "before.xyz");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    tal_site_ground *ground = NULL;
    check_ok(tal_site_ground_create(&ground, TAL_SITE_SLOPE, &check_error));
    double x = 0.0, y = 0.0, z = 0.0, mean = 0.0;
    int count = 0;
    while (fscanf(file, "%lf %lf %lf", &x, &y, &z) == 3) {
        mean += z - tal_site_ground_elevation(ground, TAL_BEFORE, x - 693600.0, y - 1639100.0);
        count++;
    }
    assert_true(feof(file));
    fclose(file);
    tal_site_ground_destroy(ground);
    check_near(count / 7200.0, 6.0, 0.6);
    check_near(mean / count, 0.0, 0.002);
    drop_folder(where);
}

// Unknown keys, bad values and clouds that are not there would all be reported.
static void site_files_are_read_without_a_complaint(void **state) {
    (void)state;
    static tal_settings settings;
    char where[512], path[600];
    path_in(path, folder, "site.ini");
    tal_settings_init(&settings);
    check_ok(tal_site_file_read(&settings, path, TAL_STAGE_ALL, &check_error));
    assert_int_equal(settings.mesh.block_count, 2000);
    snprintf(where, sizeof where, "%s", check_scratch());
    generate("slope", where, 1, 0.1);
    path_in(path, where, "site.ini");
    tal_settings_init(&settings);
    check_ok(tal_site_file_read(&settings, path, TAL_STAGE_ALL, &check_error));
    assert_string_equal(settings.site.crs, TAL_DATASET_CRS);
    drop_folder(where);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_are_the_stated_ones),
        cmocka_unit_test(headers_are_those_of_las_1_4_format_6),
        cmocka_unit_test(headers_agree_with_the_points),
        cmocka_unit_test(returns_of_a_pulse_are_complete_and_in_order),
        cmocka_unit_test(only_the_later_survey_is_classified),
        cmocka_unit_test(clouds_lie_where_the_truth_says),
        cmocka_unit_test(height_errors_grow_with_slope),
        cmocka_unit_test(faces_turned_away_are_thinner),
        cmocka_unit_test(same_seed_gives_the_same_bytes),
        cmocka_unit_test(slope_comes_as_text_and_as_las),
        cmocka_unit_test(site_files_are_read_without_a_complaint),
    };
    return cmocka_run_group_tests_name("dataset_clouds", tests, make_clouds, drop_clouds);
}

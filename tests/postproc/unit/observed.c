// SPDX-License-Identifier: GPL-3.0-or-later
// Stops of blocks against observed ones: distances worked out by hand.
#include "postproc/measure/observed.h"

#include "core/base/file.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void kolmogorov_smirnov_is_the_largest_gap_of_the_shares(void **unused) {
    (void)unused;
    double a[] = {3.0, 1.0, 2.0, 4.0}, b[] = {2.5, 3.5, 4.5, 5.5};
    check_near(tal_ks_distance(a, 4, b, 4), 0.5, 1e-15); // at 2: two of four against none
    double c[] = {1.0, 1.0, 2.0}, d[] = {1.0, 1.0, 2.0};
    check_near(tal_ks_distance(c, 3, d, 3), 0.0, 0.0);
    double e[] = {1.0, 2.0}, f[] = {10.0, 11.0, 12.0};
    check_near(tal_ks_distance(e, 2, f, 3), 1.0, 0.0);
}

static void mean_distance_counts_every_pair(void **unused) {
    (void)unused;
    const double ax[] = {0.0, 3.0}, ay[] = {0.0, 4.0};
    check_near(tal_mean_distance(ax, ay, 2, ax, ay, 2), 2.5, 1e-15); // 0, 5, 5, 0
    const double bx[] = {0.0}, by[] = {4.0};
    check_near(tal_mean_distance(ax, ay, 2, bx, by, 1), 3.5, 1e-15); // 4, 3
}

// A line along x, four blocks of which two end beside the two observed stops.
static void stops_are_seen_along_and_across_the_line(void **unused) {
    (void)unused;
    double lx[] = {0.0, 100.0}, ly[] = {0.0, 0.0}, ls[] = {0.0, 100.0};
    const tal_flow_line line = {.count = 2, .x = lx, .y = ly, .s = ls};
    float position[] = {10.0f, 5.0f, 0.0f, 10.0f, -5.0f, 0.0f,
                        30.0f, 5.0f, 0.0f, 30.0f, -5.0f, 0.0f};
    const tal_run_record motion = {.frame_count = 1, .block_count = 4, .position = position};
    double ox[] = {10.0, 10.0}, oy[] = {5.0, 6.0};
    const tal_observed observed = {
        .stops = {.count = 2, .x = ox, .y = oy}, .runout = 40.0, .fahrboeschung = 0.5};
    tal_scores scores;
    for (int k = 0; k < TAL_SCORE_COUNT; k++) {
        scores.value[k] = NAN;
    }
    scores.value[TAL_SCORE_runout_simulated_m] = 30.0;
    scores.value[TAL_SCORE_fahrboeschung_simulated] = 0.6;
    check_ok(tal_observed_score(&observed, &line, &motion, &scores, &check_error));
    check_near(scores.value[TAL_SCORE_stops_ks_along], 0.5, 1e-15);
    check_near(scores.value[TAL_SCORE_stops_ks_across], 0.5, 1e-15); // at -5: two of four, none
    check_near(scores.value[TAL_SCORE_stops_spread_m], 0.5, 1e-15);
    check_near(scores.value[TAL_SCORE_runout_error_m], -10.0, 1e-12);
    check_near(scores.value[TAL_SCORE_fahrboeschung_error], 0.1, 1e-12);
    const double across = (0.0 + 1.0 + 10.0 + 11.0 + 20.0 + hypot(20.0, 1.0) + hypot(20.0, 10.0) +
                           hypot(20.0, 11.0)) /
                          8.0;
    const double within = (4.0 * 10.0 + 4.0 * 20.0 + 4.0 * hypot(20.0, 10.0)) / 16.0;
    check_near(scores.value[TAL_SCORE_stops_distance_m], 2.0 * across - within - 0.5, 1e-12);
}

static void read(const char *text, tal_observed *observed, tal_status expected, const char *words) {
    static tal_settings settings;
    char path[TAL_PATH_SIZE];
    const tal_origin origin = {1000, 2000, 0};
    const tal_bounds ground = {-20.0, -50.0, 20.0, 50.0}; // from the origin: 40 by 100 m
    snprintf(path, sizeof path, "%s/stops.txt", check_scratch());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    tal_settings_init(&settings);
    snprintf(settings.report.stops, sizeof settings.report.stops, "%s\n", path);
    if (expected == TAL_OK) {
        check_ok(tal_observed_read(observed, &settings, &origin, ground, &check_error));
    } else {
        check_fails(tal_observed_read(observed, &settings, &origin, ground, &check_error), expected,
                    words);
    }
}

static void tables_of_stops_are_read_as_people_write_them(void **unused) {
    (void)unused;
    tal_observed o;
    read("x,y,mass\n1010.5,2020.25,800\n# a remark\n\n1011; 2021\n1012\t2022\r\n", &o, TAL_OK, "");
    assert_true(o.stops.count == 3 && o.stops.outside_count == 0);
    check_near(o.stops.x[0], 10.5, 1e-12);
    check_near(o.stops.y[0], 20.25, 1e-12);
    check_near(o.stops.y[2], 22.0, 1e-12);
    assert_true(isnan(o.runout) && isnan(o.fahrboeschung));
    tal_observed_destroy(&o);
    read("1010 2020\n1011 here\n", &o, TAL_BAD_INPUT, "stops.txt:2: '1011 here'");
    read("x y\n", &o, TAL_BAD_INPUT, "contains no stops");
}

static void stops_off_the_terrain_are_counted_and_far_ones_named(void **unused) {
    (void)unused;
    tal_observed o;
    char said[256];
    // 30 m beyond the east rim; 99 m beyond the north one, and the terrain is 100 m long.
    read("x y\n1000 2000\n1050 2000\n1000 2149\n1020 2050\n", &o, TAL_OK, "");
    assert_true(o.stops.count == 4 && o.stops.outside_count == 2);
    tal_stops_tell_outside(&o.stops, said, sizeof said);
    assert_non_null(strstr(said, "2 of 4 observed stops (50 %) lie outside the terrain"));
    tal_observed_destroy(&o);
    read("1000 2000\n", &o, TAL_OK, "");
    tal_stops_tell_outside(&o.stops, said, sizeof said);
    assert_string_equal(said, "");
    tal_observed_destroy(&o);
    // A digit too many in line 3, too few in line 5: both, each by its line.
    read("x y\n1000 2000\n10000 2000\n1001 2001\n1002 202\n", &o, TAL_BAD_INPUT,
         "stops.txt:3: the stop at 10000.00 2000.00 lies 8980 m away from the terrain");
    assert_non_null(
        strstr(check_error.text, "stops.txt:5: the stop at 1002.00 202.00 lies 1748 m"));
    // Another coordinate system: said once, not for each.
    read("x y\n5.1 45.2\n5.2 45.1\n", &o, TAL_BAD_INPUT,
         "stops.txt:2: none of its 2 stops lies on the terrain (this one, at 5.10 45.20");
    assert_null(strchr(check_error.text, '\n'));
}

static void published_figures_are_read_without_any_stops(void **unused) {
    (void)unused;
    static tal_settings settings;
    tal_observed o;
    tal_settings_init(&settings);
    settings.report.runout_m = 3080.0;
    settings.report.fahrboeschung = 0.247;
    check_ok(tal_observed_read(&o, &settings, &(tal_origin){0}, (tal_bounds){0}, &check_error));
    assert_true(o.stops.count == 0 && o.runout == 3080.0 && o.fahrboeschung == 0.247);
    tal_observed_destroy(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kolmogorov_smirnov_is_the_largest_gap_of_the_shares),
        cmocka_unit_test(mean_distance_counts_every_pair),
        cmocka_unit_test(stops_are_seen_along_and_across_the_line),
        cmocka_unit_test(tables_of_stops_are_read_as_people_write_them),
        cmocka_unit_test(stops_off_the_terrain_are_counted_and_far_ones_named),
        cmocka_unit_test(published_figures_are_read_without_any_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

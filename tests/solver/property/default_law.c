// SPDX-License-Identifier: GPL-3.0-or-later
// The law that ships, as the table of settings has it, against experiments and against itself with
// other time steps (docs/validation/default-law.md).
#include "tests/solver/scenes/tosses.h"
#include "tests/solver/studies/slopes.h"
#include "tests/support/check.h"

// Friction and rebound are the material's, and known for the cube; the rest is the law's.
static toss_error tosses_with_the_default(int steps_per_frame) {
    static toss_frame path[TOSS_FRAMES_MAX];
    char folder[1024];
    tosses t;
    snprintf(folder, sizeof folder, "%s/cube-tosses", getenv("TALUS_TEST_DATA"));
    check_ok(tosses_read(&t, folder, &check_error));
    double *number = calloc(2 * (size_t)t.toss_count, sizeof *number);
    assert_non_null(number);
    toss_settings settings = tosses_default(&t);
    settings.law = study_default_law();
    settings.law.friction = t.friction;
    settings.law.restitution = t.restitution;
    settings.steps_per_frame = steps_per_frame;
    for (int32_t k = 0; k < t.toss_count; k++) {
        const int32_t last = t.start[k + 1] - t.start[k] - 1;
        check_ok(tosses_run(&t, k, &settings, path, &check_error));
        const toss_error error = tosses_compare(&t.frame[t.start[k] + last], &path[last]);
        number[k] = error.position;
        number[t.toss_count + k] = error.angle;
    }
    const toss_error median = {tosses_median(number, t.toss_count),
                               tosses_median(&number[t.toss_count], t.toss_count)};
    print_message("default law, %d steps a frame: %.3f widths, %.1f degrees\n", steps_per_frame,
                  median.position, median.angle);
    free(number);
    tosses_destroy(&t);
    return median;
}

// The bar is that of the tests with the coefficients of the experiment; game engines with the same
// coefficients are at 0.30 and above.
static void default_law_throws_the_real_cube_as_well_as_any(void **unused) {
    (void)unused;
    check_data("the cube tosses");
    const toss_error fine = tosses_with_the_default(8), coarse = tosses_with_the_default(1);
    assert_true(fine.position <= 0.22);
    assert_true(fine.angle <= 13.5);
    assert_true(coarse.position <= 0.25);
    assert_true(coarse.angle <= 16.0);
}

static int starts = 480; // by the first argument

// Means over starts with a coarse and a fine step. They may differ by chance, 3 times the error of
// their difference, and by `share` of the mean.
static void check_steps(const char *what, slope_study study, double share) {
    static const double dt[] = {0.02, 0.0025};
    study_numbers n[2];
    for (int k = 0; k < 2; k++) {
        slope_result result;
        study.dt = dt[k];
        check_ok(slope_study_run(&study, &result, &check_error));
        assert_int_equal(result.missing, 0);
        assert_true(result.rise <= 1e-9);
        n[k] = study.flat == 0.0 ? result.arrival : result.stop;
        print_message("%s, %g ms: %.3f +- %.3f, median %.3f\n", what, 1e3 * dt[k], n[k].mean,
                      n[k].error, n[k].median);
    }
    const double chance = 3.0 * hypot(n[0].error, n[1].error);
    check_near(n[0].mean, n[1].mean, share * n[1].mean + chance);
}

static void block_comes_down_a_slope_in_the_same_time_with_every_step(void **unused) {
    (void)unused;
    check_steps("100 m at 35 degrees, s", slope_study_plane(study_default_law(), 0.0, starts),
                0.005);
}

static void block_stops_behind_a_break_of_slope_as_far_with_every_step(void **unused) {
    (void)unused;
    check_steps("behind 45 degrees, m", slope_study_break(study_default_law(), 0.0, starts), 0.005);
}

static void block_stops_behind_a_short_slope_as_far_with_every_step(void **unused) {
    (void)unused;
    check_steps("behind 10 m of 45 degrees, m",
                slope_study_short_break(study_default_law(), 0.0, 2 * starts), 0.005);
}

int main(int argc, char **argv) {
    starts = argc > 1 ? atoi(argv[1]) : starts;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_law_throws_the_real_cube_as_well_as_any),
        cmocka_unit_test(block_comes_down_a_slope_in_the_same_time_with_every_step),
        cmocka_unit_test(block_stops_behind_a_break_of_slope_as_far_with_every_step),
        cmocka_unit_test(block_stops_behind_a_short_slope_as_far_with_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

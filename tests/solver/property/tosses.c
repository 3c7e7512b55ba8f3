// SPDX-License-Identifier: GPL-3.0-or-later
// A real cube, thrown 400 times (ContactNets): runs from the first tracked frame against the last.
#include "tests/solver/scenes/tosses.h"
#include "tests/support/check.h"

static tosses t;

static int read_tosses(void **unused) {
    (void)unused;
    char path[1024];
    const char *data = getenv("TALUS_TEST_DATA");
    if (data != NULL && data[0] != '\0') {
        snprintf(path, sizeof path, "%s/cube-tosses", data);
        check_ok(tosses_read(&t, path, &check_error));
    }
    return 0;
}

static int drop_tosses(void **unused) {
    (void)unused;
    tosses_destroy(&t);
    return 0;
}

enum { QUARTERS = 5 };

// Medians over all tosses at the first frame, at each quarter of the way, and at the last frame.
static toss_error measure(const char *what, const toss_settings *settings) {
    static toss_frame path[TOSS_FRAMES_MAX];
    double *number = calloc(2 * QUARTERS * (size_t)t.toss_count, sizeof *number);
    toss_error median[QUARTERS];
    assert_non_null(number);
    for (int32_t k = 0; k < t.toss_count; k++) {
        const toss_frame *track = &t.frame[t.start[k]];
        const int32_t last = t.start[k + 1] - t.start[k] - 1;
        check_ok(tosses_run(&t, k, settings, path, &check_error));
        for (int32_t q = 0; q < QUARTERS; q++) {
            const int32_t f = last * q / (QUARTERS - 1);
            const toss_error error = tosses_compare(&track[f], &path[f]);
            number[(2 * q) * t.toss_count + k] = error.position;
            number[(2 * q + 1) * t.toss_count + k] = error.angle;
        }
    }
    print_message("%s:", what);
    for (int32_t q = 0; q < QUARTERS; q++) {
        median[q] = (toss_error){tosses_median(&number[(2 * q) * t.toss_count], t.toss_count),
                                 tosses_median(&number[(2 * q + 1) * t.toss_count], t.toss_count)};
        print_message(" %.3f/%.1f", median[q].position, median[q].angle);
    }
    print_message(" (median error in widths/degrees at 0, 25, 50, 75, 100 %% of %d tosses)\n",
                  t.toss_count);
    free(number);
    return median[QUARTERS - 1];
}

static void cube_comes_to_rest_where_it_did_with_the_coefficients_of_the_experiment(void **unused) {
    (void)unused;
    check_data("the cube tosses");
    const toss_settings settings = tosses_default(&t);
    const toss_error end = measure("coulomb", &settings);
    assert_true(end.position <= 0.22);
    assert_true(end.angle <= 13.5);
}

static void mixed_law_is_as_good(void **unused) {
    (void)unused;
    check_data("the cube tosses");
    toss_settings settings = tosses_default(&t);
    settings.law.kind = TAL_LAW_ACD2_COULOMB;
    const toss_error end = measure("acd2+coulomb", &settings);
    assert_true(end.position <= 0.22);
    assert_true(end.angle <= 13.5);
}

static void one_step_per_frame_is_nearly_as_good(void **unused) {
    (void)unused;
    check_data("the cube tosses");
    toss_settings settings = tosses_default(&t);
    settings.steps_per_frame = 1;
    const toss_error end = measure("coulomb, 148 steps per second", &settings);
    assert_true(end.position <= 0.25);
    assert_true(end.angle <= 16.0);
}

// The whole flight tells the start better than one frame does: what is left of the error then is
// smaller, so part of it was never the solver's.
static void better_known_start_gives_a_better_end(void **unused) {
    (void)unused;
    check_data("the cube tosses");
    toss_settings settings = tosses_default(&t);
    settings.start = TOSS_FLIGHT;
    const toss_error end = measure("coulomb, start fitted to the flight", &settings);
    assert_true(end.position <= 0.20);
    assert_true(end.angle <= 12.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_comes_to_rest_where_it_did_with_the_coefficients_of_the_experiment),
        cmocka_unit_test(mixed_law_is_as_good),
        cmocka_unit_test(one_step_per_frame_is_nearly_as_good),
        cmocka_unit_test(better_known_start_gives_a_better_end),
    };
    return cmocka_run_group_tests(tests, read_tosses, drop_tosses);
}

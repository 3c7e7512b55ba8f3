// SPDX-License-Identifier: GPL-3.0-or-later
// The progress line: percentage, rate and time left.
#include "core/base/progress.h"
#include "tests/support/check.h"

static const char *line_of(double total, double done, double elapsed_s) {
    static char line[256];
    const tal_progress progress = {.label = "reading", .unit = "points", .total = total};
    tal_progress_format(line, sizeof line, &progress, done, elapsed_s);
    return line;
}

static void the_line_has_share_rate_and_time_left(void **state) {
    (void)state;
    // 25 of 100 in 10 s: 2.5 per second, 30 s left.
    assert_string_equal(line_of(100, 25, 10), "reading:  25 %, 25 points, 2.5/s, 30 s left");
    assert_string_equal(line_of(8e6, 2e6, 100),
                        "reading:  25 %, 2.00 M points, 20.0 k/s, 5 min 00 s left");
    assert_string_equal(line_of(1e9, 1e8, 1000),
                        "reading:  10 %, 100.00 M points, 100.0 k/s, 2 h 30 min left");
}

static void counts_keep_their_digits(void **state) {
    (void)state;
    assert_string_equal(line_of(0, 9999, 1), "reading: 9999 points, 9999/s");
    assert_string_equal(line_of(0, 9999.7, 1), "reading: 10.0 k points, 10.0 k/s");
    assert_string_equal(line_of(0, 2.5e9, 1), "reading: 2.50 G points, 2.50 G/s");
}

static void unknown_length_shows_no_share(void **state) {
    (void)state;
    assert_string_equal(line_of(0, 50, 10), "reading: 50 points, 5/s");
}

static void the_first_moment_does_not_divide_by_zero(void **state) {
    (void)state;
    assert_string_equal(line_of(100, 0, 0), "reading:   0 %, 0 points, 0/s, ? left");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_has_share_rate_and_time_left),
        cmocka_unit_test(counts_keep_their_digits),
        cmocka_unit_test(unknown_length_shows_no_share),
        cmocka_unit_test(the_first_moment_does_not_divide_by_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

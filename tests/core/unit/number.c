// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people write them.
#include "core/app/number.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

static void numbers_have_three_digits_and_no_place_to_break(void **state) {
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } CASES[] = {{0.0, 3, "0"},
                 {0.5204, 3, "0.520"},
                 {0.9996, 3, "1.00"},
                 {1.0284, 3, "1.03"},
                 {33.25, 4, "33.25"},
                 {-105.1, 3,
                  "\xe2\x88\x92"
                  "105"},
                 {999.7, 3, "1000"},
                 {1234.0, 3, "1230"},
                 {1234.4, 4, "1234"},
                 {12345.0, 4,
                  "12\xe2\x80\xaf"
                  "350"},
                 {1002345.0, 4,
                  "1\xe2\x80\xaf"
                  "002\xe2\x80\xaf"
                  "000"},
                 {0.00123, 3, "0.0012"},
                 {NAN, 3, "\xe2\x80\x93"}};
    char text[TAL_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_string_equal(tal_number_format_digits(text, CASES[i].value, CASES[i].digits),
                            CASES[i].text);
    }
}

static void large_and_small_numbers_are_written_out(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } CASES[] = {{460.0, "460"},
                 {2.73e9, "2\xe2\x80\xaf"
                          "730\xe2\x80\xaf"
                          "000\xe2\x80\xaf"
                          "000"},
                 {4.61e-5, "0.000046"},
                 {1.5e-9, "1.5\xc2\xa0\xc3\x97\xc2\xa0"
                          "10\xe2\x81\xbb\xe2\x81\xb9"},
                 {-2e20, "\xe2\x88\x92"
                         "2.00\xc2\xa0\xc3\x97\xc2\xa0"
                         "10\xc2\xb2\xe2\x81\xb0"}};
    char text[TAL_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_string_equal(tal_number_format(text, CASES[i].value), CASES[i].text);
        assert_null(strchr(text, 'e'));
    }
}

static void an_interval_decides_how_many_digits_are_written(void **state) {
    (void)state;
    static const struct {
        double value, low, high;
        const char *text;
    } CASES[] = {{0.528731, 0.45, 0.61, "0.53"},
                 {673.218, 400.0, 890.0, "670"},
                 {673.218, 673.0, 673.4, "673.2"}, // four at most
                 {0.528731, 0.1, 9.0, "0.5"},      // and one at least
                 {-0.004, -0.5, 0.5,
                  "\xe2\x88\x92"
                  "0.004"},
                 {0.528731, 0.52, 0.52, "0.529"}, // no interval
                 {0.528731, NAN, NAN, "0.529"},
                 {NAN, 0.0, 1.0, "\xe2\x80\x93"}};
    char text[TAL_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_string_equal(
            tal_number_format_within(text, CASES[i].value, CASES[i].low, CASES[i].high),
            CASES[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_three_digits_and_no_place_to_break),
        cmocka_unit_test(large_and_small_numbers_are_written_out),
        cmocka_unit_test(an_interval_decides_how_many_digits_are_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

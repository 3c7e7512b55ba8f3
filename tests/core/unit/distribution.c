// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and distributions as a site file states them.
#include "core/base/distribution.h"
#include "core/base/quantile.h"
#include "tests/support/check.h"

enum { DRAWS = 20000 };

static tal_distribution parsed(const char *text) {
    tal_distribution d;
    check_ok(tal_distribution_parse(&d, text, 0.0, 100.0, "here", &check_error));
    return d;
}

static void moments(const char *text, double *mean, double *deviation, double *median) {
    static double value[DRAWS];
    const tal_distribution d = parsed(text);
    const tal_random random = tal_random_stream(5, 0, "test/distribution");
    double sum = 0, square = 0;
    for (int k = 0; k < DRAWS; k++) {
        value[k] = tal_distribution_draw(&d, random, (uint64_t)k);
        sum += value[k];
    }
    *mean = sum / DRAWS;
    for (int k = 0; k < DRAWS; k++) {
        square += (value[k] - *mean) * (value[k] - *mean);
    }
    *deviation = sqrt(square / (DRAWS - 1));
    *median = tal_quantile(value, DRAWS, 0.5);
}

// Tolerances: four standard errors of each estimate.
static void draws_have_the_moments_of_their_distribution(void **state) {
    (void)state;
    double mean, deviation, median;
    const double root = sqrt((double)DRAWS);
    moments("2.5", &mean, &deviation, &median);
    check_near(mean, 2.5, 1e-9);
    check_near(deviation, 0.0, 1e-9);
    moments("uniform 1 4", &mean, &deviation, &median);
    check_near(mean, 2.5, 4 * 3 / sqrt(12) / root);
    check_near(deviation, 3 / sqrt(12), 0.01);
    moments("normal 10 2", &mean, &deviation, &median);
    check_near(mean, 10, 4 * 2 / root);
    check_near(deviation, 2, 4 * 2 / root);
    moments("lognormal 3 0.5", &mean, &deviation, &median);
    check_near(median, 3, 4 * 3 * 0.5 * 1.2533 / root);
    check_near(mean, 3 * exp(0.125), 4 * 2 / root);
    moments("exponential 4", &mean, &deviation, &median);
    check_near(mean, 4, 4 * 4 / root);
    check_near(median, 4 * log(2), 4 * 4 / root);
}

static void draws_stay_in_their_range(void **state) {
    (void)state;
    const tal_distribution d = parsed("normal 1 5");
    const tal_random random = tal_random_stream(5, 0, "test/distribution");
    int at_zero = 0;
    for (int k = 0; k < 1000; k++) {
        const double value = tal_distribution_draw(&d, random, (uint64_t)k);
        assert_true(value >= 0.0 && value <= 100.0);
        at_zero += value == 0.0;
    }
    assert_true(at_zero > 300); // 42 % of this normal lie below 0
}

static void refused_above(double low, const char *text, const char *words) {
    tal_distribution d;
    check_fails(
        tal_distribution_parse(&d, text, low, 100.0, "site.ini:3: [release] size_m", &check_error),
        TAL_BAD_SETTING, words);
    assert_non_null(strstr(check_error.text, "site.ini:3: [release] size_m"));
}

static void refused(const char *text, const char *words) {
    refused_above(0.0, text, words);
}

static void what_is_no_distribution_is_refused_with_its_place(void **state) {
    (void)state;
    refused("", "neither a number nor a distribution");
    refused("big", "neither a number nor a distribution");
    refused("uniform 1", "neither a number nor a distribution");
    refused("uniform 1 2 3", "neither a number nor a distribution");
    refused("normal 1 x", "neither a number nor a distribution");
    refused("1 2", "neither a number nor a distribution");
    refused("nan", "neither a number nor a distribution");
    refused("uniform 3 2", "the lower end must come first");
    refused("normal 3 -1", "a deviation cannot be negative");
    refused("-1", "must be in [0, 100]");
    refused("uniform 0 101", "must be in [0, 100]");
}

// A third of the rocks a millimetre large is not what "normal 0.5 1" was meant to say.
static void what_its_range_cuts_off_is_refused(void **state) {
    (void)state;
    tal_distribution d;
    refused_above(0.001, "normal 0.5 1", "31 % of its values would lie outside [0.001, 100]");
    refused_above(0.1, "normal 25 15", "5 % of its values would lie outside");
    refused_above(0.1, "lognormal 0.2 1", "24 % of its values would lie outside");
    refused("lognormal 50 1", "24 % of its values would lie outside");
    refused("exponential 50", "14 % of its values would lie outside");
    refused("normal 90 10", "16 % of its values would lie outside");
    check_ok(tal_distribution_parse(&d, "normal 30 10", 0.1, 100.0, "here", &check_error)); // 0.1 %
    check_ok(tal_distribution_parse(&d, "normal 1 0", 0.1, 100.0, "here", &check_error));
    check_ok(tal_distribution_parse(&d, "lognormal 1 0", 0.1, 100.0, "here", &check_error));
    check_ok(tal_distribution_parse(&d, "exponential 0", 0.0, 100.0, "here", &check_error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_have_the_moments_of_their_distribution),
        cmocka_unit_test(draws_stay_in_their_range),
        cmocka_unit_test(what_is_no_distribution_is_refused_with_its_place),
        cmocka_unit_test(what_its_range_cuts_off_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Points, sensitivity and posterior against closed forms.
#include "pipelines/calibrate/calibrate.h"
#include "pipelines/calibrate/design.h"
#include "tests/support/check.h"

enum { POINTS = 64 };

static tal_parameters ranges(int count) {
    tal_parameters p = {.count = count};
    for (int k = 0; k < count; k++) {
        snprintf(p.parameter[k].name, sizeof p.parameter[k].name, "setting.%d", k);
        p.parameter[k].high = 1;
    }
    return p;
}

static void a_grid_holds_its_ends_and_every_combination(void **state) {
    (void)state;
    double points[30 * 3];
    int made = 0;
    check_ok(tal_design_grid(points, 30, 3, &made, &check_error));
    assert_int_equal(made, 27);
    for (int i = 0; i < made; i++) {
        check_near(points[3 * i], (i / 9) * 0.5, 0);
        check_near(points[3 * i + 1], (i / 3 % 3) * 0.5, 0);
        check_near(points[3 * i + 2], (i % 3) * 0.5, 0);
    }
    check_fails(tal_design_grid(points, 7, 3, &made, &check_error), TAL_BAD_SETTING, "at least 8");
}

static void a_latin_hypercube_has_one_point_in_every_slice(void **state) {
    (void)state;
    double points[POINTS * 4], other[POINTS * 4];
    check_ok(tal_design_lhs(points, POINTS, 4, 1, &check_error));
    for (int k = 0; k < 4; k++) {
        bool used[POINTS] = {false};
        for (int i = 0; i < POINTS; i++) {
            const int slice = (int)floor(points[4 * i + k] * POINTS);
            assert_in_range(slice, 0, POINTS - 1);
            assert_false(used[slice]);
            used[slice] = true;
        }
    }
    check_ok(tal_design_lhs(other, POINTS, 4, 2, &check_error));
    assert_memory_not_equal(points, other, sizeof points);
}

static void the_mean_over_a_sobol_sequence_is_the_integral(void **state) {
    (void)state;
    double points[1023 * 2], sum = 0;
    check_ok(tal_design_sobol(points, 1023, 2, &check_error));
    for (int i = 0; i < 1023; i++) {
        sum += points[2 * i] * points[2 * i + 1] * points[2 * i + 1];
    }
    check_near(sum / 1023, 1.0 / 6, 1e-3);
}

static void sobol_indices_of_a_sum_and_of_a_product_are_those_of_the_book(void **state) {
    (void)state;
    double points[POINTS * 2], misfit[POINTS];
    tal_sensitivity s;
    check_ok(tal_design_sobol(points, POINTS, 2, &check_error));
    for (int i = 0; i < POINTS; i++) { // variance 4/12 + 1/12
        misfit[i] = 2 * points[2 * i] - points[2 * i + 1] + 7;
    }
    check_ok(tal_sensitivity_find(&s, points, misfit, POINTS, 2, &check_error));
    check_near(s.first[0], 0.8, 1e-9);
    check_near(s.total[0], 0.8, 1e-9);
    check_near(s.first[1], 0.2, 1e-9);
    check_near(s.predicted, 1, 1e-9);
    // x y: variance 7/144, of x alone 1/48, of y alone 1/48, of both together 1/144.
    for (int i = 0; i < POINTS; i++) {
        misfit[i] = points[2 * i] * points[2 * i + 1];
    }
    check_ok(tal_sensitivity_find(&s, points, misfit, POINTS, 2, &check_error));
    check_near(s.first[0], 3.0 / 7, 1e-9);
    check_near(s.total[1], 4.0 / 7, 1e-9);
}

static void noise_is_not_taken_for_sensitivity(void **state) {
    (void)state;
    double points[POINTS * 3], misfit[POINTS];
    tal_sensitivity s;
    check_ok(tal_design_sobol(points, POINTS, 3, &check_error));
    for (int i = 0; i < POINTS; i++) {
        misfit[i] = i * 37 % 64;
    }
    check_ok(tal_sensitivity_find(&s, points, misfit, POINTS, 3, &check_error));
    assert_true(s.predicted < 0.5);
    for (int i = 0; i < POINTS; i++) {
        misfit[i] = 3;
    }
    check_ok(tal_sensitivity_find(&s, points, misfit, POINTS, 3, &check_error));
    assert_int_equal(s.degree, 0);
}

static void the_surrogate_meets_its_points_and_doubts_far_from_them(void **state) {
    (void)state;
    const tal_parameters p = ranges(1);
    double points[12], misfit[12], mean = 0, near_deviation = 0, far_deviation = 0;
    tal_surrogate s;
    for (int i = 0; i < 12; i++) {
        points[i] = 0.04 * i;
        misfit[i] = 0.2 + 0.1 * sin(10 * points[i]);
    }
    check_ok(tal_surrogate_create(&s, &p, points, misfit, 12, &check_error));
    for (int i = 0; i < 12; i++) {
        tal_surrogate_predict(&s, &points[i], &mean, &near_deviation);
        check_near(mean, misfit[i], 5e-3);
    }
    tal_surrogate_predict(&s, &(double){0.22}, &mean, &near_deviation);
    check_near(mean, 0.2 + 0.1 * sin(2.2), 5e-3);
    tal_surrogate_predict(&s, &(double){1.0}, &mean, &far_deviation);
    assert_true(far_deviation > 10 * near_deviation);
    tal_surrogate_destroy(&s);
}

static void what_explains_the_deposit_has_the_width_of_the_margin(void **state) {
    (void)state;
    const tal_parameters p = ranges(2);
    double points[POINTS * 2], misfit[POINTS];
    tal_posterior posterior;
    check_ok(tal_design_sobol(points, POINTS, 2, &check_error));
    for (int i = 0; i < POINTS; i++) { // the second setting does nothing
        misfit[i] = 2 * (points[2 * i] - 0.4) * (points[2 * i] - 0.4);
    }
    check_ok(tal_posterior_create(&posterior, &p, points, misfit, POINTS, 0.02, &check_error));
    // 2 d^2 < 0.02: d < 0.1, of which the middle 90 % are kept.
    check_near(posterior.marginal[0].low, 0.31, 0.01);
    check_near(posterior.marginal[0].median, 0.4, 0.01);
    check_near(posterior.marginal[0].high, 0.49, 0.01);
    check_near(posterior.marginal[1].spread, 1, 0.03);
    check_near(posterior.correlation[0][1], 0, 0.1);
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        sum += posterior.weight[i];
        assert_true(misfit[i] <= 0.021 || posterior.weight[i] == 0);
    }
    check_near(sum, 1, 1e-12);
    tal_posterior_destroy(&posterior);
}

// Builds as much of a calibration as the sentences need.
static void say(double (*misfit_at)(const double *), tal_text *words) {
    static tal_calibration c;
    static tal_point point[POINTS];
    double points[POINTS * 2], misfit[POINTS];
    memset(&c, 0, sizeof c);
    c.parameters = ranges(2);
    c.point = point;
    c.point_count = POINTS;
    check_ok(tal_design_sobol(points, POINTS, 2, &check_error));
    for (int i = 0; i < POINTS; i++) {
        misfit[i] = misfit_at(&points[2 * i]);
        point[i] = (tal_point){.unit = {points[2 * i], points[2 * i + 1]}, .misfit = misfit[i]};
        c.best = misfit[i] < misfit[c.best] ? i : c.best;
    }
    check_ok(tal_posterior_create(&c.posterior, &c.parameters, points, misfit, POINTS, 0.05,
                                  &check_error));
    check_ok(tal_calibration_words(&c, words, &check_error));
    tal_posterior_destroy(&c.posterior);
}

static double sum_matters(const double *x) {
    return fabs(x[0] + x[1] - 1);
}

static double both_matter(const double *x) {
    return fabs(x[0] - 0.5) + fabs(x[1] - 0.3);
}

static double neither_matters(const double *x) {
    (void)x;
    return 0.3;
}

static void a_trade_off_is_said_in_a_sentence(void **state) {
    (void)state;
    tal_text words = {0};
    say(sum_matters, &words);
    assert_non_null(
        strstr(words.bytes, "setting.0 and setting.1 trade off (rank correlation -0.9"));
    assert_non_null(strstr(words.bytes, "setting.0 cannot be identified"));
    tal_text_destroy(&words);
}

static void two_settings_that_matter_are_told_with_their_intervals(void **state) {
    (void)state;
    tal_text words = {0};
    say(both_matter, &words);
    assert_null(strstr(words.bytes, "cannot be identified"));
    assert_null(strstr(words.bytes, "trade off"));
    assert_non_null(strstr(words.bytes, "explain the observations as well"));
    tal_text_destroy(&words);
}

static void a_pair_without_influence_cannot_be_identified(void **state) {
    (void)state;
    tal_text words = {0};
    say(neither_matters, &words);
    assert_non_null(strstr(words.bytes, "setting.0 cannot be identified"));
    assert_non_null(strstr(words.bytes, "setting.1 cannot be identified"));
    assert_null(strstr(words.bytes, "trade off"));
    tal_text_destroy(&words);
}

static void people_read_as_many_digits_as_the_interval_supports(void **state) {
    (void)state;
    char text[TAL_NUMBER_SIZE];
    const tal_parameter linear = {.low = 0.2, .high = 1.2};
    tal_parameter_words(&linear, 0.3123456, 0.2, 0.5, text); // 0.5123456 in 0.4 to 0.7
    assert_string_equal(text, "0.51");
    tal_parameter_words(&linear, 0.3123456, 0.3120, 0.3131, text); // in 0.5120 to 0.5131
    assert_string_equal(text, "0.5123");
    const tal_parameter whole = {.low = 0, .high = 1000, .is_integer = true};
    tal_parameter_words(&whole, 0.4567, 0.1, 0.9, text);
    assert_string_equal(text, "457");
}

static void sensitivity_that_predicts_nothing_is_not_given(void **state) {
    (void)state;
    assert_true(tal_sensitivity_is_trusted(&(tal_sensitivity){.degree = 2, .predicted = 0.8}));
    assert_false(tal_sensitivity_is_trusted(&(tal_sensitivity){.degree = 2, .predicted = 0.3}));
    assert_false(tal_sensitivity_is_trusted(&(tal_sensitivity){.degree = 0, .predicted = 0.9}));
}

static void values_are_written_with_six_digits_and_words_by_their_place(void **state) {
    (void)state;
    char text[32];
    tal_parameter p = {.low = 1e-3, .high = 10, .is_log = true};
    tal_parameter_text(&p, 0.5, text);
    assert_string_equal(text, "0.1");
    p = (tal_parameter){.low = 1.5, .high = 4.5, .is_integer = true};
    tal_parameter_text(&p, 0, text);
    assert_string_equal(text, "2");
    tal_parameter_text(&p, 1, text);
    assert_string_equal(text, "4");
    p = (tal_parameter){.value_count = 2, .value = {"bricks", "voronoi"}};
    tal_parameter_text(&p, 0.49, text);
    assert_string_equal(text, "bricks");
    tal_parameter_text(&p, 1, text);
    assert_string_equal(text, "voronoi");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_holds_its_ends_and_every_combination),
        cmocka_unit_test(a_latin_hypercube_has_one_point_in_every_slice),
        cmocka_unit_test(the_mean_over_a_sobol_sequence_is_the_integral),
        cmocka_unit_test(sobol_indices_of_a_sum_and_of_a_product_are_those_of_the_book),
        cmocka_unit_test(noise_is_not_taken_for_sensitivity),
        cmocka_unit_test(the_surrogate_meets_its_points_and_doubts_far_from_them),
        cmocka_unit_test(what_explains_the_deposit_has_the_width_of_the_margin),
        cmocka_unit_test(a_trade_off_is_said_in_a_sentence),
        cmocka_unit_test(two_settings_that_matter_are_told_with_their_intervals),
        cmocka_unit_test(a_pair_without_influence_cannot_be_identified),
        cmocka_unit_test(people_read_as_many_digits_as_the_interval_supports),
        cmocka_unit_test(sensitivity_that_predicts_nothing_is_not_given),
        cmocka_unit_test(values_are_written_with_six_digits_and_words_by_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

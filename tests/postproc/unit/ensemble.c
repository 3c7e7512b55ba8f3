// SPDX-License-Identifier: GPL-3.0-or-later
// Maps over the runs of an ensemble against values worked out by hand, and numbers as the report
// writes them.
#include "postproc/measure/ensemble.h"
#include "postproc/report/number.h"
#include "tests/support/check.h"

enum { RUNS = 5, CELLS = 4 };
static const tal_grid GRID = {0.0, 2.0, 1.0, 2, 2};

// Five runs over four cells: reached by all, by two, by none, and a cell without ground.
static void stack_fill(tal_ensemble_stack *stack) {
    static const float THICKNESS[RUNS] = {5.0f, 1.0f, 4.0f, 2.0f, 3.0f};
    for (int run = 0; run < RUNS; run++) {
        const bool comes = run == 1 || run == 4;
        float thickness[CELLS] = {THICKNESS[run], comes ? 10.0f : 0.0f, 0.0f, NAN};
        float speed[CELLS] = {2.0f * THICKNESS[run], comes ? 8.0f : NAN, NAN, NAN};
        float arrival[CELLS] = {THICKNESS[run], comes ? (float)run : NAN, NAN, NAN};
        const tal_deposit deposit = {.thickness = {GRID, thickness}};
        const tal_passage passage = {.velocity = {GRID, speed},
                                     .energy = {GRID, speed},
                                     .jump = {GRID, speed},
                                     .arrival = {GRID, arrival}};
        check_ok(tal_ensemble_add(stack, run, &deposit, &passage, &check_error));
    }
}

static void ensemble_make(tal_ensemble *e) {
    tal_ensemble_stack stack;
    check_ok(tal_ensemble_begin(&stack, &GRID, RUNS, &check_error));
    stack_fill(&stack);
    check_ok(tal_ensemble_create(e, &stack, &check_error));
    tal_ensemble_end(&stack);
}

static void check_cells(const tal_raster *raster, double first, double second, double third) {
    check_near((double)raster->value[0], first, 1e-6);
    check_near((double)raster->value[1], second, 1e-6);
    check_near((double)raster->value[2], third, 0.0);
    assert_true(isnan(raster->value[3]));
}

static void quantiles_count_runs_that_do_not_come_as_zero(void **state) {
    (void)state;
    tal_ensemble e;
    ensemble_make(&e);
    // 1 2 3 4 5 and 0 0 0 10 10: between order statistics k - 1 = 4 p.
    check_cells(&e.thickness_mean, 3.0, 4.0, 0.0);
    check_cells(&e.thickness_low, 1.2, 0.0, 0.0);
    check_cells(&e.thickness_median, 3.0, 0.0, 0.0);
    check_cells(&e.thickness_high, 4.8, 10.0, 0.0);
    check_cells(&e.velocity_median, 6.0, 0.0, 0.0);
    check_cells(&e.velocity_high, 9.6, 8.0, 0.0);
    check_cells(&e.energy_high, 9.6, 8.0, 0.0);
    check_cells(&e.jump_median, 6.0, 0.0, 0.0);
    tal_ensemble_destroy(&e);
}

static void arrival_is_that_of_the_runs_that_come(void **state) {
    (void)state;
    tal_ensemble e;
    ensemble_make(&e);
    // Cell 1 is reached after 1 s in one run and after 4 s in another.
    check_near((double)e.arrival_median.value[1], 2.5, 1e-6);
    check_near((double)e.arrival_low.value[1], 1.15, 1e-6);
    check_near((double)e.arrival_low.value[0], 1.2, 1e-6);
    assert_true(isnan(e.arrival_median.value[2]) && isnan(e.arrival_median.value[3]));
    tal_ensemble_destroy(&e);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_count_runs_that_do_not_come_as_zero),
        cmocka_unit_test(arrival_is_that_of_the_runs_that_come),
        cmocka_unit_test(numbers_have_three_digits_and_no_place_to_break)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

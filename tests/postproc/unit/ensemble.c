// SPDX-License-Identifier: GPL-3.0-or-later
// Maps over the runs of an ensemble against values worked out by hand.
#include "postproc/measure/ensemble.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_count_runs_that_do_not_come_as_zero),
        cmocka_unit_test(arrival_is_that_of_the_runs_that_come)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

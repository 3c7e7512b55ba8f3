// SPDX-License-Identifier: GPL-3.0-or-later
// Grids and rasters in memory.
#include "core/geo/grid.h"
#include "core/base/fault.h"
#include "core/base/random.h"
#include "tests/support/check.h"

#include <float.h>

static double between(double low, double high) {
    static uint64_t draw = 0;
    return low + (high - low) * tal_random_uniform(tal_random_stream(7, 0, "test"), draw++);
}

static bool is_multiple(double position, double cell) {
    const double lines = position / cell;
    return fabs(lines - round(lines)) < 1e-9 + 4 * DBL_EPSILON * fabs(lines);
}

static void fitted_grid_is_the_smallest_that_covers_the_bounds(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const double cell = pow(10.0, between(-2, 2));
        const double west = between(-1e7, 1e7);
        const double south = between(-1e7, 1e7);
        const tal_bounds wanted = {west, south, west + cell * between(0.01, 3000),
                                   south + cell * between(0.01, 3000)};
        tal_grid grid;
        check_ok(tal_grid_fit(&grid, wanted, cell, &check_error));
        const tal_bounds got = tal_grid_bounds(&grid);
        const double slack = 1e-5 * cell;
        assert_true(is_multiple(got.west, cell) && is_multiple(got.north, cell));
        assert_true(got.west <= wanted.west + slack && got.west + cell > wanted.west - slack);
        assert_true(got.east >= wanted.east - slack && got.east - cell < wanted.east + slack);
        assert_true(got.south <= wanted.south + slack && got.south + cell > wanted.south - slack);
        assert_true(got.north >= wanted.north - slack && got.north - cell < wanted.north + slack);
    }
}

static void bounds_on_cell_lines_get_no_extra_cell(void **state) {
    (void)state;
    // 0.3 / 0.1 is not 3 in binary: a plain floor would add a column.
    static const double cells[] = {0.1, 0.05, 0.3, 0.7, 1.0, 0.001};
    for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
        for (int64_t line = -70000000; line < 70000000; line += 1234567) {
            const int32_t count = (int32_t)(1 + line % 997 + 997);
            const double low = (double)line * cells[c];
            const double high = (double)(line + count) * cells[c];
            tal_grid grid;
            check_ok(
                tal_grid_fit(&grid, (tal_bounds){low, low, high, high}, cells[c], &check_error));
            assert_int_equal(grid.columns, count);
            assert_int_equal(grid.rows, count);
        }
    }
}

static void a_single_point_gets_one_cell(void **state) {
    (void)state;
    tal_grid grid;
    check_ok(tal_grid_fit(&grid, (tal_bounds){10, 20, 10, 20}, 2.0, &check_error));
    assert_int_equal(grid.columns, 1);
    assert_int_equal(grid.rows, 1);
    assert_int_equal(tal_grid_index(&grid, 10, 20), 0);
}

static void impossible_grids_are_refused(void **state) {
    (void)state;
    tal_grid grid;
    const tal_bounds good = {0, 0, 10, 10};
    check_fails(tal_grid_fit(&grid, good, 0.0, &check_error), TAL_BAD_INPUT, "cells of 0 m");
    check_fails(tal_grid_fit(&grid, good, -1.0, &check_error), TAL_BAD_INPUT, "cells of -1 m");
    check_fails(tal_grid_fit(&grid, good, (double)NAN, &check_error), TAL_BAD_INPUT, "nan");
    check_fails(tal_grid_fit(&grid, (tal_bounds){0, 0, (double)NAN, 1}, 1.0, &check_error),
                TAL_BAD_INPUT, "no grid");
    check_fails(tal_grid_fit(&grid, (tal_bounds){5, 0, 4, 1}, 1.0, &check_error), TAL_BAD_INPUT,
                "west 5");
    check_fails(tal_grid_fit(&grid, (tal_bounds){0, 0, 1e7, 1}, 1e-3, &check_error), TAL_TOO_LARGE,
                "larger cells");
}

static void every_centre_lies_in_its_own_cell(void **state) {
    (void)state;
    const tal_grid grid = {
        .west = 712345.6, .north = 1634567.8, .cell = 0.1, .columns = 91, .rows = 57};
    for (int32_t row = 0; row < grid.rows; row++) {
        for (int32_t column = 0; column < grid.columns; column++) {
            double x = 0;
            double y = 0;
            tal_grid_centre(&grid, column, row, &x, &y);
            assert_int_equal(tal_grid_index(&grid, x, y), (int64_t)row * grid.columns + column);
        }
    }
}

static void the_rim_belongs_to_the_grid_and_nothing_beyond_does(void **state) {
    (void)state;
    const tal_grid grid = {.west = 0, .north = 10, .cell = 1, .columns = 20, .rows = 10};
    assert_int_equal(tal_grid_index(&grid, 0, 10), 0);
    assert_int_equal(tal_grid_index(&grid, 20, 0), 199);
    assert_int_equal(tal_grid_index(&grid, 20.001, 5), -1);
    assert_int_equal(tal_grid_index(&grid, -0.001, 5), -1);
    assert_int_equal(tal_grid_index(&grid, 5, 10.001), -1);
    assert_int_equal(tal_grid_index(&grid, 5, -0.001), -1);
    assert_int_equal(tal_grid_index(&grid, 1e300, 5), -1);
    assert_int_equal(tal_grid_index(&grid, (double)NAN, 5), -1);
}

static void grids_are_equal_up_to_a_millionth_of_a_cell(void **state) {
    (void)state;
    const tal_grid a = {.west = 700000, .north = 1600000, .cell = 0.5, .columns = 100, .rows = 50};
    tal_grid b = a;
    assert_true(tal_grid_equal(&a, &b));
    b.west += 1e-8;
    assert_true(tal_grid_equal(&a, &b));
    b.west += 1e-3;
    assert_false(tal_grid_equal(&a, &b));
    b = a;
    b.cell += 1e-5; // half a millimetre at the far side
    assert_false(tal_grid_equal(&a, &b));
    b = a;
    b.rows++;
    assert_false(tal_grid_equal(&a, &b));
}

static tal_raster make_plane(double a, double b, double c) {
    const tal_grid grid = {.west = 500, .north = 900, .cell = 2, .columns = 30, .rows = 20};
    tal_raster raster;
    check_ok(tal_raster_create(&raster, &grid, &check_error));
    for (int32_t row = 0; row < grid.rows; row++) {
        for (int32_t column = 0; column < grid.columns; column++) {
            double x = 0;
            double y = 0;
            tal_grid_centre(&grid, column, row, &x, &y);
            raster.value[row * grid.columns + column] = (float)(a * (x - 500) + b * (y - 900) + c);
        }
    }
    return raster;
}

static void a_new_raster_has_no_data(void **state) {
    (void)state;
    const tal_grid grid = {.west = 0, .north = 0, .cell = 1, .columns = 7, .rows = 5};
    tal_raster raster;
    check_ok(tal_raster_create(&raster, &grid, &check_error));
    for (size_t i = 0; i < tal_grid_cell_count(&grid); i++) {
        assert_true(isnan(raster.value[i]));
    }
    tal_raster_destroy(&raster);
    tal_raster_destroy(&raster);
}

static void sampling_reproduces_a_plane(void **state) {
    (void)state;
    // Steps of 1/8 are exact in float, so only the interpolation can err.
    tal_raster raster = make_plane(0.125, -0.25, 3);
    for (int i = 0; i < 10000; i++) {
        const double x = between(501, 559);
        const double y = between(861, 899);
        check_near(tal_raster_sample(&raster, x, y), 0.125 * (x - 500) - 0.25 * (y - 900) + 3,
                   2e-6);
    }
    tal_raster_destroy(&raster);
}

static void sampling_outside_the_centres_gives_nan(void **state) {
    (void)state;
    tal_raster raster = make_plane(1, 1, 0);
    assert_true(isfinite(tal_raster_sample(&raster, 501, 899)));
    assert_true(isfinite(tal_raster_sample(&raster, 559, 861)));
    assert_true(isnan(tal_raster_sample(&raster, 500.9, 880)));
    assert_true(isnan(tal_raster_sample(&raster, 559.1, 880)));
    assert_true(isnan(tal_raster_sample(&raster, 520, 899.1)));
    assert_true(isnan(tal_raster_sample(&raster, 520, 860.9)));
    assert_true(isnan(tal_raster_sample(&raster, (double)NAN, 880)));
    tal_raster_destroy(&raster);
}

static void a_hole_spoils_only_what_lies_next_to_it(void **state) {
    (void)state;
    tal_raster raster = make_plane(1, 0, 0);
    const tal_grid *grid = &raster.grid;
    raster.value[5 * grid->columns + 5] = NAN;
    double x = 0;
    double y = 0;
    tal_grid_centre(grid, 4, 5, &x, &y);
    check_near(tal_raster_sample(&raster, x, y), x - 500, 1e-6); // a neighbour's own centre is good
    assert_true(isnan(tal_raster_sample(&raster, x + 0.01, y)));
    check_near(tal_raster_sample(&raster, x - 0.5, y), x - 500.5, 1e-6);
    tal_raster_destroy(&raster);
}

static void a_centre_gives_exactly_its_cell_even_between_holes(void **state) {
    (void)state;
    // Coordinates and a cell that are not exact in binary.
    const tal_grid grid = {
        .west = 712345.6, .north = 1634567.8, .cell = 0.1, .columns = 91, .rows = 57};
    tal_raster raster;
    check_ok(tal_raster_create(&raster, &grid, &check_error));
    for (int32_t i = 0; i < 91 * 57; i += 2) {
        raster.value[i] = (float)i;
    }
    for (int32_t i = 0; i < 91 * 57; i += 2) {
        double x = 0;
        double y = 0;
        tal_grid_centre(&grid, i % 91, i / 91, &x, &y);
        check_near(tal_raster_sample(&raster, x, y), i, 0);
    }
    tal_raster_destroy(&raster);
}

static void exhausted_memory_is_an_error(void **state) {
    (void)state;
    const tal_grid grid = {.west = 0, .north = 0, .cell = 1, .columns = 7, .rows = 5};
    tal_raster raster;
    tal_fault_arm(TAL_FAULT_ALLOCATION, 1, false);
    check_fails(tal_raster_create(&raster, &grid, &check_error), TAL_NO_MEMORY, "raster");
    tal_fault_disarm();
    tal_raster_destroy(&raster);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitted_grid_is_the_smallest_that_covers_the_bounds),
        cmocka_unit_test(bounds_on_cell_lines_get_no_extra_cell),
        cmocka_unit_test(a_single_point_gets_one_cell),
        cmocka_unit_test(impossible_grids_are_refused),
        cmocka_unit_test(every_centre_lies_in_its_own_cell),
        cmocka_unit_test(the_rim_belongs_to_the_grid_and_nothing_beyond_does),
        cmocka_unit_test(grids_are_equal_up_to_a_millionth_of_a_cell),
        cmocka_unit_test(a_new_raster_has_no_data),
        cmocka_unit_test(sampling_reproduces_a_plane),
        cmocka_unit_test(sampling_outside_the_centres_gives_nan),
        cmocka_unit_test(a_hole_spoils_only_what_lies_next_to_it),
        cmocka_unit_test(a_centre_gives_exactly_its_cell_even_between_holes),
        cmocka_unit_test(exhausted_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

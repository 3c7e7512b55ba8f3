// SPDX-License-Identifier: GPL-3.0-or-later
// The flow line: straight on a plane, through a gully, around nodata; distances along it.
#include "postproc/measure/flow_line.h"
#include "tests/support/check.h"

enum { SIDE = 60 };
static const tal_grid GRID = {0.0, SIDE * 1.0, 1.0, SIDE, SIDE};
static float ground[SIDE * SIDE];

static size_t cell_at(int column, int row) {
    return (size_t)(row * SIDE + column);
}

static void plane_to_the_east(void) {
    for (int i = 0; i < SIDE * SIDE; i++) {
        ground[i] = 100.0f - 0.5f * (float)(i % SIDE);
    }
}

static void line_on_a_plane_is_straight(void **state) {
    (void)state;
    tal_flow_line line;
    const size_t stop[3] = {cell_at(5, 30), cell_at(10, 30), cell_at(50, 30)};
    plane_to_the_east();
    check_ok(tal_flow_line_create(&line, &GRID, ground, stop, 3, &check_error));
    for (int32_t i = 0; i < line.count; i++) {
        check_near(line.y[i], 29.5, 1e-9);
    }
    check_near(line.s[0], 0.0, 1e-9);
    check_near(line.s[line.count - 1], 45.0, 1e-9);
    // Beside it, behind the crown and beyond the toe.
    check_near(tal_flow_line_project(&line, 25.5, 40.0), 20.0, 1e-9);
    check_near(tal_flow_line_project(&line, 2.5, 33.0), -3.0, 1e-9);
    check_near(tal_flow_line_project(&line, 58.5, 10.0), 53.0, 1e-9);
    double x, y;
    tal_flow_line_point(&line, 12.0, &x, &y);
    check_near(x, 17.5, 1e-9);
    check_near(y, 29.5, 1e-9);
    tal_flow_line_destroy(&line);
}

static void line_avoids_a_ridge(void **state) {
    (void)state;
    tal_flow_line line;
    const size_t stop[2] = {cell_at(5, 30), cell_at(55, 30)};
    plane_to_the_east();
    for (int row = 10; row < SIDE; row++) { // a wall with a gap in the north
        ground[row * SIDE + 30] += 50.0f;
    }
    check_ok(tal_flow_line_create(&line, &GRID, ground, stop, 2, &check_error));
    double north = 0.0;
    for (int32_t i = 0; i < line.count; i++) {
        north = fmax(north, line.y[i]);
    }
    assert_true(north > 45.0);
    tal_flow_line_destroy(&line);
}

static void line_goes_around_missing_ground(void **state) {
    (void)state;
    tal_flow_line line;
    const size_t stop[2] = {cell_at(5, 30), cell_at(55, 30)};
    plane_to_the_east();
    for (int row = 20; row < 40; row++) {
        ground[row * SIDE + 30] = NAN; // one cell thick: a knight's move must not jump it
    }
    check_ok(tal_flow_line_create(&line, &GRID, ground, stop, 2, &check_error));
    double aside = 0.0;
    for (int32_t i = 0; i < line.count; i++) {
        assert_true(isfinite(line.x[i]) && isfinite(line.y[i]) && isfinite(line.s[i]));
        aside = fmax(aside, fabs(line.y[i] - 29.5));
    }
    assert_true(aside > 5.0);
    tal_flow_line_destroy(&line);
}

static void crown_and_toe_in_one_cell_still_give_a_line(void **state) {
    (void)state;
    tal_flow_line line;
    const size_t stop[3] = {cell_at(5, 30), cell_at(5, 30), cell_at(5, 30)};
    plane_to_the_east();
    check_ok(tal_flow_line_create(&line, &GRID, ground, stop, 3, &check_error));
    assert_true(line.count >= 2);
    check_near(tal_flow_line_project(&line, 5.5, 29.5), 0.0, 1e-9);
    tal_flow_line_destroy(&line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_on_a_plane_is_straight), cmocka_unit_test(line_avoids_a_ridge),
        cmocka_unit_test(line_goes_around_missing_ground),
        cmocka_unit_test(crown_and_toe_in_one_cell_still_give_a_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// How far blocks came, against values worked out by hand.
#include "core/geometry/travel.h"
#include "tests/support/check.h"

#include <math.h>

static tal_travel find(const double *distance, const double *volume, size_t count) {
    tal_travel travel;
    tal_error err = {0};
    assert_int_equal(tal_travel_find(&travel, distance, volume, count, &err), TAL_OK);
    return travel;
}

static void blocks_count_that_came_farther_than_their_own_size(void **state) {
    (void)state;
    // Sizes 1, 2, 3 and 10 m.
    const double volume[] = {1.0, 8.0, 27.0, 1000.0}, distance[] = {1.5, 2.5, 2.5, 9.0};
    const tal_travel travel = find(distance, volume, 4);
    check_near(travel.moved_share, 0.5, 0.0);
    check_near(travel.median, 2.5, 0.0);
    check_near(travel.low, 1.65, 1e-12);   // 1.5 + 0.15 * 1
    check_near(travel.high, 8.025, 1e-12); // 2.5 + 0.85 * 6.5
    assert_false(tal_travel_is_none(&travel));
    assert_false(tal_travel_is_partial(&travel));
}

static void a_few_loose_blocks_do_not_make_a_rockfall(void **state) {
    (void)state;
    double volume[100], distance[100];
    for (int i = 0; i < 100; i++) {
        volume[i] = 8.0;
        distance[i] = i < 4 ? 300.0 : 0.1;
    }
    tal_travel travel = find(distance, volume, 100);
    assert_true(tal_travel_is_none(&travel) && tal_travel_is_partial(&travel));
    for (int i = 0; i < 40; i++) {
        distance[i] = 300.0;
    }
    travel = find(distance, volume, 100);
    assert_false(tal_travel_is_none(&travel));
    assert_true(tal_travel_is_partial(&travel));
}

static void nothing_is_said_without_volumes_or_blocks(void **state) {
    (void)state;
    const double distance[] = {0.0, 0.0};
    tal_travel travel = find(distance, NULL, 2);
    assert_true(isnan(travel.moved_share));
    assert_false(tal_travel_is_none(&travel));
    travel = find(distance, distance, 0);
    assert_true(isnan(travel.median) && isnan(travel.moved_share));
}

// A quarter of 9.81 m/s2 moves 8 m3, a size of 2 m, in 1.28 s.
static void a_run_that_ends_too_early_tells_nothing_about_rock_that_has_not_moved(void **state) {
    (void)state;
    assert_true(tal_travel_ends_too_early(1.27, 9.81, 8.0));
    assert_false(tal_travel_ends_too_early(1.28, 9.81, 8.0));
    const double volume[] = {8.0, 8.0}, near[] = {0.1, 0.2}, far[] = {5.0, 5.0};
    tal_travel travel = find(near, volume, 2);
    assert_true(tal_travel_is_none(&travel) && !tal_travel_is_open(&travel));
    travel.is_too_early = true;
    assert_true(tal_travel_is_open(&travel));
    assert_false(tal_travel_is_none(&travel) || tal_travel_is_partial(&travel));
    travel = find(far, volume, 2);
    travel.is_too_early = true; // it moved all the same
    assert_false(tal_travel_is_open(&travel) || tal_travel_is_none(&travel));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_count_that_came_farther_than_their_own_size),
        cmocka_unit_test(a_few_loose_blocks_do_not_make_a_rockfall),
        cmocka_unit_test(nothing_is_said_without_volumes_or_blocks),
        cmocka_unit_test(a_run_that_ends_too_early_tells_nothing_about_rock_that_has_not_moved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

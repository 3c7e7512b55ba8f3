// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a rock between two moments that were kept.
#include "postproc/release/way.h"
#include "tests/support/check.h"

// It rises by 1 m/s from 0.1 m in the ground to 0.3 m above it: at half of the way its lowest point is 0.1 m high.
static void a_blow_that_reaches_into_the_ground_does_not_lift_what_follows(void **unused) {
    (void)unused;
    const tal_rocks_moment a = {
        .position = {0.0, 0.0, 0.4}, .velocity = {5.0, 0.0, 1.0}, .drop = 0.5};
    const tal_rocks_moment b = {
        .time = 0.4, .position = {2.0, 0.0, 0.8}, .velocity = {5.0, 0.0, 1.0}, .drop = 0.5};
    const tal_way_point from = tal_way_between(&a, &b, 1.0, 0.0),
                        to = tal_way_between(&a, &b, 1.0, 1.0);
    check_near(tal_way_mix(&from, &to, 0.5).jump, 0.1, 1e-12);
    check_near(tal_way_mix(&from, &to, 0.5).height, 0.6, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blow_that_reaches_into_the_ground_does_not_lift_what_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Rocks put onto the ground: a slope of 1 in 2 that rises to the east, 100 m by 100 m.
#include "tests/support/check.h"

#include "mesher/import/put_down.h"

#include <math.h>

static double x[4] = {0, 100, 100, 0}, y[4] = {0, 0, 100, 100}, z[4] = {0, 50, 50, 0};
static int32_t face_node[6] = {0, 1, 2, 0, 2, 3};
static const tal_terrain_mesh slope = {.node_count = 4,
                                       .grid_node_count = 4,
                                       .x = x,
                                       .y = y,
                                       .z = z,
                                       .face_count = 2,
                                       .face_node = face_node};

static void add_cube(tal_block_set *set, double east, double north, double height) {
    tal_polyhedron cube;
    tal_polyhedron_box(&cube, tal_vec3_make(east - 1, north - 1, height - 1),
                       tal_vec3_make(east + 1, north + 1, height + 1));
    const tal_surface surface = tal_polyhedron_surface(&cube);
    check_ok(tal_block_set_add(set, &surface, 8.0, &check_error));
}

static void cube_touches_with_its_uphill_edge(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tal_block_set set = {0};
        add_cube(&set, 40, 30, k == 0 ? -500.0 : 700.0); // from below and from above
        tal_block_set_finish(&set, 2600, 1);
        check_ok(tal_blocks_put_down(&set, &slope, &check_error));
        assert_float_equal(set.block[0].position.z, 0.5 * 41 + 1, 1e-9);
        assert_float_equal(set.block[0].position.x, 40, 1e-9);
        tal_block_set_destroy(&set);
    }
}

static void sphere_hardly_falls(void **state) {
    (void)state;
    tal_block_set set = {0};
    check_ok(tal_block_set_add_sphere(&set, tal_vec3_make(50, 50, 0), 2.0, &check_error));
    tal_block_set_finish(&set, 2600, 1);
    check_ok(tal_blocks_put_down(&set, &slope, &check_error));
    const double touching = 25 + 2.0 * sqrt(1.25);
    assert_true(set.block[0].position.z >= touching - 1e-9);
    // The planes around it meet at 1.128 radii at most: (1, sqrt 2 - 1, sqrt 3 - sqrt 2).
    assert_true(set.block[0].position.z < touching + 0.128 * 2.0 * sqrt(1.25));
    tal_block_set_destroy(&set);
}

static void rocks_at_one_place_are_stacked_in_their_order_of_height(void **state) {
    (void)state;
    tal_block_set set = {0};
    add_cube(&set, 40, 30, 900);
    add_cube(&set, 40.5, 30, 800);
    add_cube(&set, 60, 30, 0); // beside them
    tal_block_set_finish(&set, 2600, 1);
    check_ok(tal_blocks_put_down(&set, &slope, &check_error));
    assert_float_equal(set.block[1].position.z, 0.5 * 41.5 + 1, 1e-9);
    assert_float_equal(set.block[0].position.z, 0.5 * 41.5 + 3, 1e-9);
    assert_float_equal(set.block[2].position.z, 0.5 * 61 + 1, 1e-9);
    tal_block_set_destroy(&set);
}

static void rock_beside_the_ground_is_refused(void **state) {
    (void)state;
    tal_block_set set = {0};
    add_cube(&set, 40, 30, 0);
    add_cube(&set, 140, 30, 0);
    tal_block_set_finish(&set, 2600, 1);
    check_fails(tal_blocks_put_down(&set, &slope, &check_error), TAL_BAD_INPUT,
                "rock 2 has no ground below it");
    tal_block_set_destroy(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_touches_with_its_uphill_edge),
        cmocka_unit_test(sphere_hardly_falls),
        cmocka_unit_test(rocks_at_one_place_are_stacked_in_their_order_of_height),
        cmocka_unit_test(rock_beside_the_ground_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

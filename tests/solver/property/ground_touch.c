// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes that lie on tilted planes, lifted or sunk by a few roundings of their coordinates: all four
// corners touch, always. A corner lost for one step lets a block at rest lurch.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "solver/detect/collide.h"
#include "tests/solver/scenes/solids.h"

enum { POSES = 20000 };

static const double HALF_HEIGHT = 0.2;

// Two triangles through the origin, falling towards +x.
static void make_incline(tal_terrain *terrain, double angle) {
    static const int32_t triangle[6] = {0, 1, 2, 0, 2, 3}, surface_class[2] = {0, 0};
    const double x = 2.0 * cos(angle), z = 2.0 * sin(angle);
    const tal_vec3 vertex[4] = {{-x, -2, z}, {x, -2, -z}, {x, 2, -z}, {-x, 2, z}};
    check_ok(tal_terrain_create(terrain, vertex, 4, triangle, 2, surface_class, &check_error));
}

// The number of poses, of `count` at random, in which a corner is missing.
static int count_missing(const tal_shapes *shapes, const tal_terrain *terrain, double angle,
                         tal_random random, int count) {
    static const int32_t shape_of_body[1] = {0};
    static const double reach[1] = {1e-3};
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)}, down = {cos(angle), 0.0, -sin(angle)};
    tal_collider *collider;
    int missing = 0;
    check_ok(tal_collider_create(&collider, shapes, terrain, shape_of_body, 1, &check_error));
    for (int n = 0; n < count; n++) {
        const uint64_t draw = 8 * (uint64_t)n;
        const double heading = 3.0 * tal_random_uniform(random, draw);
        const double noise = 1e-15 * (tal_random_uniform(random, draw + 1) - 0.5);
        const tal_quat pose =
            tal_quat_multiply((tal_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0},
                              (tal_quat){cos(0.5 * heading), 0.0, 0.0, sin(0.5 * heading)});
        tal_vec3 at = tal_vec3_scale(normal, HALF_HEIGHT + noise);
        at = tal_vec3_add_scaled(at, tal_random_uniform(random, draw + 2) - 0.5, down);
        at.y = tal_random_uniform(random, draw + 3) - 0.5;
        const tal_collide_input input = {.shapes = shapes,
                                         .terrain = terrain,
                                         .body_count = 1,
                                         .shape_of_body = shape_of_body,
                                         .position = &at,
                                         .orientation = &pose,
                                         .reach = reach,
                                         .thread_count = 1};
        tal_manifolds contacts;
        check_ok(tal_collide(collider, &input, &contacts, &check_error));
        missing += contacts.point_count != 4;
    }
    tal_collider_destroy(collider);
    return missing;
}

static void box_that_lies_on_a_plane_touches_with_four_corners(void **unused) {
    (void)unused;
    tal_shapes shapes;
    solid box;
    int missing = 0;
    solid_make_box(&box, 1.0, 1.2, 2.0 * HALF_HEIGHT);
    check_ok(tal_shapes_create(&shapes, &box.shape, 1, &check_error));
    for (uint32_t k = 0; k < 10; k++) {
        tal_terrain terrain;
        const double angle = 0.07 * k;
        make_incline(&terrain, angle);
        missing += count_missing(&shapes, &terrain, angle,
                                 tal_random_stream(3, k, "tests/ground_touch"), POSES / 10);
        tal_terrain_destroy(&terrain);
    }
    tal_shapes_destroy(&shapes);
    print_message("a corner is missing in %d of %d poses\n", missing, (int)POSES);
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_that_lies_on_a_plane_touches_with_four_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

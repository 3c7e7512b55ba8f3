// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of boxes and spheres whose contact points can be written down.
#include "tests/solver/unit/geometry_fixture.h"

static const tal_vec3 UP = {0.0, 0.0, 1.0};

// Every point of every manifold: normal, gap.
static void assert_all(const tal_manifolds *c, tal_vec3 normal, double gap, double tolerance) {
    for (int32_t k = 0; k < c->point_count; k++) {
        assert_near3(c->point[k].normal, normal, tolerance);
        assert_near(c->point[k].gap, gap, tolerance);
    }
}

static void assert_distinct_identities(const tal_manifolds *c) {
    for (int32_t k = 0; k < c->point_count; k++) {
        for (int32_t m = 0; m < k; m++) {
            assert_true(c->point[k].identity != c->point[m].identity);
        }
    }
}

// The upper box is body 0, so the normal (from 1 to 0) points up.
static world *stack(const solid *upper, const solid *lower, tal_vec3 at, tal_quat turn,
                    double reach) {
    const tal_shape_input a = solid_input(upper), b = solid_input(lower);
    return make_two(&a, at, turn, &b, (tal_vec3){0, 0, 0}, NO_TURN, reach);
}

static void aligned_boxes_touch_at_four_corners(void **state) {
    (void)state;
    const solid small = make_box(1, 1, 1), large = make_box(3, 3, 1);
    const double gaps[] = {-0.01, -1e-9, 0.0, 0.001};
    for (int g = 0; g < 4; g++) {
        world *w = stack(&small, &large, (tal_vec3){0.2, -0.1, 1.0 + gaps[g]}, NO_TURN, 0.01);
        assert_int_equal(w->contacts.manifold_count, 1);
        assert_int_equal(w->contacts.point_count, 4);
        assert_int_equal(w->contacts.manifold[0].body_i, 0);
        assert_int_equal(w->contacts.manifold[0].body_j, 1);
        assert_all(&w->contacts, UP, gaps[g], 1e-14);
        assert_distinct_identities(&w->contacts);
        for (int k = 0; k < 4; k++) {
            const tal_vec3 corner = {0.2 + ((k & 1) != 0 ? 0.5 : -0.5),
                                     -0.1 + ((k & 2) != 0 ? 0.5 : -0.5), 0.5 + 0.5 * gaps[g]};
            assert_non_null(find_point(&w->contacts, corner, 1e-14));
        }
        world_destroy(w);
    }
}

static void nothing_is_reported_beyond_the_reach(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    world *w = stack(&box, &box, (tal_vec3){0, 0, 1.0101}, NO_TURN, 0.01);
    assert_int_equal(w->contacts.manifold_count, 0);
    assert_int_equal(w->contacts.point_count, 0);
    world_destroy(w);
}

static void equal_boxes_flush_keep_four_corners(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    world *w = stack(&box, &box, (tal_vec3){0, 0, 1.0}, NO_TURN, 0.01);
    assert_int_equal(w->contacts.point_count, 4);
    assert_all(&w->contacts, UP, 0.0, 1e-14);
    world_destroy(w);
}

// A square turned by 45 degrees over an equal square: the overlap is a regular octagon.
static void box_turned_by_45_degrees_meets_in_an_octagon(void **state) {
    (void)state;
    const solid box = make_box(2, 2, 2);
    world *w = stack(&box, &box, (tal_vec3){0, 0, 1.999}, turn_about(UP, 0.25 * PI), 0.01);
    assert_int_equal(w->contacts.manifold_count, 1);
    assert_int_equal(w->contacts.point_count, 8);
    assert_all(&w->contacts, UP, -0.001, 1e-13);
    assert_distinct_identities(&w->contacts);
    const double t = sqrt(2.0) - 1.0; // octagon of inradius 1: corners at (1, +-t), (+-t, 1)...
    for (int k = 0; k < 8; k++) {
        const double major = (k & 1) != 0 ? 1.0 : -1.0, minor = (k & 2) != 0 ? t : -t;
        const tal_vec3 corner = {(k & 4) != 0 ? major : minor, (k & 4) != 0 ? minor : major,
                                 0.9995};
        assert_non_null(find_point(&w->contacts, corner, 1e-5));
    }
    world_destroy(w);
}

static void offset_boxes_touch_on_their_overlap(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    world *w = stack(&box, &box, (tal_vec3){0.7, 0.4, 1.0}, NO_TURN, 0.01);
    assert_int_equal(w->contacts.point_count, 4);
    for (int k = 0; k < 4; k++) {
        const tal_vec3 corner = {(k & 1) != 0 ? 0.2 : 0.5, (k & 2) != 0 ? -0.1 : 0.5, 0.5};
        assert_non_null(find_point(&w->contacts, corner, 1e-5));
    }
    world_destroy(w);
}

// Beams across each other, no corner of one over the other: still a full manifold.
static void crossed_beams_touch_on_a_square(void **state) {
    (void)state;
    const solid along_x = make_box(4, 1, 1), along_y = make_box(1, 4, 1);
    const double gaps[] = {-0.002, 0.001};
    for (int g = 0; g < 2; g++) {
        world *w = stack(&along_x, &along_y, (tal_vec3){0, 0, 1.0 + gaps[g]}, NO_TURN, 0.01);
        assert_int_equal(w->contacts.point_count, 4);
        assert_all(&w->contacts, UP, gaps[g], 1e-14);
        world_destroy(w);
    }
}

// Two roofs: each box stands on an edge, the edges cross at a right angle.
static void crossing_edges_touch_at_one_point(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    const double gaps[] = {-0.004, 0.006};
    for (int g = 0; g < 2; g++) {
        const double height = 2.0 * sqrt(0.5) + gaps[g];
        world *w = make_two(&input, (tal_vec3){0.1, 0.2, height},
                            turn_about((tal_vec3){1, 0, 0}, 0.25 * PI), &input, (tal_vec3){0, 0, 0},
                            turn_about((tal_vec3){0, 1, 0}, 0.25 * PI), 0.02);
        assert_int_equal(w->contacts.point_count, 1);
        assert_all(&w->contacts, UP, gaps[g], 1e-13);
        assert_near3(w->contacts.point[0].point, (tal_vec3){0.0, 0.2, 0.5 * height}, 1e-13);
        world_destroy(w);
    }
}

// A beam on its edge, a little inclined, across a block: it lies on both sides of the block's face. Its
// lower end, beyond the block, is cut off aslant, so that the face below that end is not at the edge.
static void edge_across_a_face_touches_both_sides(void **state) {
    (void)state;
    const solid block = make_box(1, 2, 1);
    solid beam = make_box(4, 1, 1);
    for (int k = 1; k < 8; k += 2) {
        beam.vertex[k].x += beam.vertex[k].y + beam.vertex[k].z;
    }
    const double angle = 0.002, sunk = 0.004;
    const tal_quat turn = tal_quat_multiply(turn_about((tal_vec3){0, 1, 0}, angle),
                                            turn_about((tal_vec3){1, 0, 0}, 0.25 * PI));
    const double height = 0.5 - sunk + sqrt(0.5) / cos(angle);
    world *w = stack(&beam, &block, (tal_vec3){0, 0, height}, turn, 0.01);
    assert_int_equal(w->contacts.point_count, 2);
    for (int k = 0; k < 2; k++) {
        const double x = k == 0 ? -0.5 : 0.5, gap = -sunk - x * tan(angle);
        const tal_contact_point *point =
            find_point(&w->contacts, (tal_vec3){x, 0.0, 0.5 + 0.5 * gap}, 1e-9);
        assert_non_null(point);
        assert_near(point->gap, gap, 1e-12);
        assert_near3(point->normal, UP, 1e-12);
    }
    world_destroy(w);
}

static void corner_over_corner_is_measured_along_the_line_between_them(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    world *w = stack(&box, &box, (tal_vec3){1.003, 1.004, 1.012}, NO_TURN, 0.05);
    assert_int_equal(w->contacts.point_count, 1);
    assert_all(&w->contacts, (tal_vec3){3.0 / 13.0, 4.0 / 13.0, 12.0 / 13.0}, 0.013, 1e-12);
    assert_near3(w->contacts.point[0].point, (tal_vec3){0.5015, 0.502, 0.506}, 1e-12);
    world_destroy(w);
}

static void corner_stands_on_a_face(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1), slab = make_box(4, 4, 1);
    // The diagonal of the cube upright: its lower corner is sqrt(3)/2 below its centre.
    const tal_quat turn = turn_about((tal_vec3){1, -1, 0}, acos(1.0 / sqrt(3.0)));
    const double height = 0.5 + 0.5 * sqrt(3.0) - 0.01;
    world *w = stack(&box, &slab, (tal_vec3){0.3, 0.2, height}, turn, 0.01);
    assert_int_equal(w->contacts.point_count, 1);
    assert_all(&w->contacts, UP, -0.01, 1e-12);
    assert_near3(w->contacts.point[0].point, (tal_vec3){0.3, 0.2, 0.495}, 1e-12);
    world_destroy(w);
}

static void boxes_side_by_side_do_not_catch_on_tops(void **state) {
    (void)state;
    // Sunk into each other by 1 mm sideways while their tops are level: the normal is sideways.
    const solid box = make_box(1, 1, 1);
    world *w = stack(&box, &box, (tal_vec3){0.999, 0, 0}, NO_TURN, 0.01);
    assert_int_equal(w->contacts.manifold_count, 1);
    assert_all(&w->contacts, (tal_vec3){1, 0, 0}, -0.001, 1e-13);
    world_destroy(w);
}

static void identities_stay_when_the_pair_moves_a_little(void **state) {
    (void)state;
    const solid upper = make_box(1, 0.8, 0.6), lower = make_box(1.2, 1, 1);
    const tal_random random = tal_random_stream(11, 0, "nudges");
    for (uint64_t trial = 0; trial < 200; trial++) {
        const double yaw = 2.0 * PI * tal_random_uniform(random, 10 * trial);
        const double x = 0.3 * tal_random_uniform(random, 10 * trial + 1);
        world *a = stack(&upper, &lower, (tal_vec3){x, 0.1, 0.8}, turn_about(UP, yaw), 0.01);
        const tal_quat nudge =
            turn_about((tal_vec3){tal_random_normal(random, 10 * trial + 2),
                                  tal_random_normal(random, 10 * trial + 3), 0.3},
                       1e-5);
        world *b = stack(&upper, &lower, (tal_vec3){x + 1e-5, 0.1 - 1e-5, 0.8 - 1e-5},
                         tal_quat_multiply(nudge, turn_about(UP, yaw)), 0.01);
        int32_t kept = 0;
        for (int32_t k = 0; k < a->contacts.point_count; k++) {
            for (int32_t m = 0; m < b->contacts.point_count; m++) {
                if (a->contacts.point[k].identity == b->contacts.point[m].identity) {
                    kept++;
                    assert_near3(a->contacts.point[k].point, b->contacts.point[m].point, 1e-3);
                }
            }
        }
        // A corner may cross an edge within the nudge; more than one change would be a renaming.
        assert_true(kept >= a->contacts.point_count - 2 && kept >= 3);
        world_destroy(a);
        world_destroy(b);
    }
}

static void spheres_touch_on_the_line_of_centres(void **state) {
    (void)state;
    const tal_shape_input ball = {.kind = TAL_SHAPE_SPHERE, .radius = 0.5};
    const tal_shape_input bead = {.kind = TAL_SHAPE_SPHERE, .radius = 0.25};
    world *w = make_two(&ball, (tal_vec3){0.6, 0, 0.449}, NO_TURN, &bead, (tal_vec3){0, 0, -0.351},
                        NO_TURN, 0.3);
    // Distance 1, so the gap is 0.25; the surfaces are at 0.25 and 0.5 from the bead's centre.
    assert_int_equal(w->contacts.point_count, 1);
    assert_all(&w->contacts, (tal_vec3){0.6, 0, 0.8}, 0.25, 1e-14);
    assert_near3(w->contacts.point[0].point, (tal_vec3){0.6 * 0.375, 0, -0.351 + 0.8 * 0.375},
                 1e-14);
    world_destroy(w);
}

static void sphere_meets_face_edge_and_corner_of_a_box(void **state) {
    (void)state;
    const tal_shape_input ball = {.kind = TAL_SHAPE_SPHERE, .radius = 1.0};
    const solid box = make_box(2, 2, 2);
    const tal_shape_input input = solid_input(&box);
    const double s2 = sqrt(0.5), s3 = sqrt(1.0 / 3.0);
    const tal_vec3 directions[3] = {{0, 0, 1}, {s2, 0, s2}, {s3, s3, s3}};
    const tal_vec3 feet[3] = {{0.3, 0.2, 1}, {1, 0.2, 1}, {1, 1, 1}};
    const tal_quat turn = turn_about((tal_vec3){0.2, 0.5, -0.4}, 0.8);
    const tal_vec3 shift = {100, -200, 50};
    for (int k = 0; k < 3; k++) {
        const tal_vec3 centre = tal_vec3_add_scaled(feet[k], 1.05, directions[k]);
        const tal_vec3 moved = tal_vec3_add(shift, tal_quat_rotate(turn, centre));
        world *w = make_two(&ball, moved, NO_TURN, &input, shift, turn, 0.2);
        assert_int_equal(w->contacts.point_count, 1);
        assert_all(&w->contacts, tal_quat_rotate(turn, directions[k]), 0.05, 1e-12);
        const tal_vec3 middle = tal_vec3_add_scaled(feet[k], 0.025, directions[k]);
        assert_near3(w->contacts.point[0].point, tal_vec3_add(shift, tal_quat_rotate(turn, middle)),
                     1e-12);
        world_destroy(w);
        // The other order: the normal turns round.
        w = make_two(&input, shift, turn, &ball, moved, NO_TURN, 0.2);
        assert_all(&w->contacts, tal_vec3_scale(tal_quat_rotate(turn, directions[k]), -1.0), 0.05,
                   1e-12);
        world_destroy(w);
    }
    // Centre inside: out through the nearest face.
    world *w = make_two(&ball, (tal_vec3){0.1, 0.2, 0.9}, NO_TURN, &input, (tal_vec3){0, 0, 0},
                        NO_TURN, 0.2);
    assert_all(&w->contacts, UP, -1.1, 1e-14);
    world_destroy(w);
}

// Nothing of the last query is left where a body has gone, however far, nor missing where it came back;
// what did not move is found again, with one thread and with three.
static void a_body_that_jumps_takes_its_contacts_along(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    const int threads[5] = {1, 1, 1, 3, 3};
    const double place[5] = {1.0, 50.0, 1.0, 1.0, 50.0};
    world *w = world_create(&input, 1, NULL);
    for (int k = 0; k < 4; k++) { // a stack of two, and another one elsewhere
        world_add(w, 0, (tal_vec3){k < 2 ? 0.0 : 9.0, 0, k % 2}, NO_TURN, 0.01);
    }
    for (int n = 0; n < 5; n++) {
        w->position[1].z = place[n];
        world_collide(w, threads[n]);
        assert_int_equal(w->contacts.manifold_count, place[n] == 1.0 ? 2 : 1);
        assert_int_equal(w->contacts.manifold[w->contacts.manifold_count - 1].body_i, 2);
        assert_all(&w->contacts, (tal_vec3){0, 0, -1}, 0.0, 1e-14);
    }
    world_destroy(w);
}

static void fixed_bodies_meet_others_but_not_each_other(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    world *w = world_create(&input, 1, NULL);
    for (int k = 0; k < 3; k++) {
        world_add(w, 0, (tal_vec3){0, 0, k}, NO_TURN, 0.01);
    }
    w->is_fixed[0] = w->is_fixed[1] = 1;
    world_collide(w, 1);
    assert_int_equal(w->contacts.manifold_count, 1);
    assert_int_equal(w->contacts.manifold[0].body_i, 1);
    assert_int_equal(w->contacts.manifold[0].body_j, 2);
    assert_all(&w->contacts, (tal_vec3){0, 0, -1}, 0.0, 1e-14);
    world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_boxes_touch_at_four_corners),
        cmocka_unit_test(nothing_is_reported_beyond_the_reach),
        cmocka_unit_test(equal_boxes_flush_keep_four_corners),
        cmocka_unit_test(box_turned_by_45_degrees_meets_in_an_octagon),
        cmocka_unit_test(offset_boxes_touch_on_their_overlap),
        cmocka_unit_test(crossed_beams_touch_on_a_square),
        cmocka_unit_test(crossing_edges_touch_at_one_point),
        cmocka_unit_test(edge_across_a_face_touches_both_sides),
        cmocka_unit_test(corner_over_corner_is_measured_along_the_line_between_them),
        cmocka_unit_test(corner_stands_on_a_face),
        cmocka_unit_test(boxes_side_by_side_do_not_catch_on_tops),
        cmocka_unit_test(identities_stay_when_the_pair_moves_a_little),
        cmocka_unit_test(spheres_touch_on_the_line_of_centres),
        cmocka_unit_test(sphere_meets_face_edge_and_corner_of_a_box),
        cmocka_unit_test(a_body_that_jumps_takes_its_contacts_along),
        cmocka_unit_test(fixed_bodies_meet_others_but_not_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

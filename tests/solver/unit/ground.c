// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies on the ground: flats of any triangulation act as one plane, hollows answer with face
// normals, ridges with normals in between, and what has sunk in is pushed out.
#include "tests/solver/unit/geometry_fixture.h"

static const tal_vec3 UP = {0.0, 0.0, 1.0};

static double roof(double x, double y) {
    (void)y;
    return -fabs(x);
}

static double gentle_roof(double x, double y) {
    (void)y;
    return -0.05 * fabs(x);
}

static double sharp_roof(double x, double y) {
    (void)y;
    return -3.0 * fabs(x);
}

static double gutter(double x, double y) {
    (void)y;
    return fabs(x);
}

static double spikes(double x, double y) {
    // Peaks of height 0.1 where both coordinates are even, hollows elsewhere.
    const bool even = fmod(fabs(x) + 1e-9, 2.0) < 1e-6 && fmod(fabs(y) + 1e-9, 2.0) < 1e-6;
    return even ? 0.1 : 0.0;
}

static double bowl(double x, double y) {
    return 0.02 * (x * x + y * y);
}

static world *on_ground(const tal_terrain *t, const tal_shape_input *input, tal_vec3 at,
                        tal_quat turn, double reach) {
    world *w = world_create(input, 1, t);
    world_add(w, 0, at, turn, reach);
    world_collide(w, 1);
    return w;
}

static void flat_of_any_triangulation_acts_as_one_plane(void **state) {
    (void)state;
    const solid box = make_box(2.0, 1.5, 1.0);
    const tal_shape_input input = solid_input(&box);
    const int32_t sizes[] = {2, 11, 71}; // 2, 200 and 9800 triangles
    const tal_random random = tal_random_stream(2, 0, "plane");
    for (uint64_t trial = 0; trial < 50; trial++) {
        const tal_quat turn =
            tal_quat_multiply(turn_about((tal_vec3){tal_random_normal(random, 8 * trial),
                                                    tal_random_normal(random, 8 * trial + 1), 0.0},
                                         trial % 2 == 0 ? 0.0 : 0.004),
                              turn_about(UP, 6.28 * tal_random_uniform(random, 8 * trial + 2)));
        const tal_vec3 at = {4.0 * tal_random_uniform(random, 8 * trial + 3) - 2.0,
                             trial == 0 ? 0.0 : 4.0 * tal_random_uniform(random, 8 * trial + 4),
                             0.5 - 0.002};
        for (int s = 0; s < 3; s++) {
            tal_terrain t;
            make_ground(&t, sizes[s], 10.0, flat_ground);
            world *w = on_ground(&t, &input, at, turn, 0.02);
            assert_int_equal(w->contacts.manifold_count, 1);
            assert_int_equal(w->contacts.manifold[0].body_j, TAL_BODY_TERRAIN);
            assert_int_equal(w->contacts.point_count, 4);
            for (int32_t k = 0; k < 4; k++) {
                const tal_vec3 corner =
                    tal_vec3_add(at, tal_quat_rotate(turn, box.vertex[k])); // 0..3: the lower face
                const tal_contact_point *p =
                    find_point(&w->contacts, (tal_vec3){corner.x, corner.y, 0.5 * corner.z}, 1e-12);
                assert_non_null(p);
                assert_near(p->gap, corner.z, 1e-13);
                assert_near3(p->normal, UP, 1e-14);
                // The same names on every triangulation: body vertex on patch 0.
                assert_int_equal(p->identity, (uint64_t)(6 + 12 + k) << 32);
            }
            world_destroy(w);
            tal_terrain_destroy(&t);
        }
    }
}

static void hollow_ground_answers_with_face_normals_only(void **state) {
    (void)state;
    const solid box = make_box(1.3, 0.9, 0.7);
    const tal_shape_input inputs[2] = {solid_input(&box),
                                       {.kind = TAL_SHAPE_SPHERE, .radius = 0.5}};
    const tal_random random = tal_random_stream(7, 0, "hollow");
    tal_terrain t;
    make_ground(&t, 41, 10.0, bowl);
    int32_t points = 0;
    for (uint64_t trial = 0; trial < 2000; trial++) {
        const double x = 8.0 * (tal_random_uniform(random, 3 * trial) - 0.5);
        const double y = 8.0 * (tal_random_uniform(random, 3 * trial + 1) - 0.5);
        const double lift = 0.9 * tal_random_uniform(random, 3 * trial + 2);
        world *w = on_ground(&t, &inputs[trial % 2], (tal_vec3){x, y, bowl(x, y) + lift},
                             random_turn(random, 100000 + trial), 0.02);
        for (int32_t k = 0; k < w->contacts.point_count; k++) {
            double closest = 2.0;
            for (int32_t f = 0; f < t.triangle_count; f++) {
                const tal_vec3 d = tal_vec3_subtract(t.normal[f], w->contacts.point[k].normal);
                closest = fmin(closest, tal_vec3_length(d));
            }
            assert_true(closest < 1e-12);
            points++;
        }
        world_destroy(w);
    }
    assert_true(points > 1000);
    tal_terrain_destroy(&t);
}

static void block_in_a_gutter_touches_both_walls(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    tal_terrain t;
    make_ground(&t, 21, 10.0, gutter);
    // On its edge: the faces at 45 degrees lie on the walls, 1 mm sunk into both.
    const double height = 0.5 * sqrt(2.0) - 0.001 * sqrt(2.0);
    world *w = on_ground(&t, &input, (tal_vec3){0.0, 0.3, height},
                         turn_about((tal_vec3){0, 1, 0}, 0.25 * PI), 0.01);
    const double s = sqrt(0.5);
    int32_t left = 0, right = 0;
    assert_int_equal(w->contacts.manifold_count, 2);
    for (int32_t k = 0; k < w->contacts.point_count; k++) {
        const tal_contact_point *p = &w->contacts.point[k];
        assert_near(p->gap, -0.001, 1e-12);
        left += tal_vec3_dot(p->normal, (tal_vec3){s, 0, s}) > 1.0 - 1e-12 ? 1 : 0;
        right += tal_vec3_dot(p->normal, (tal_vec3){-s, 0, s}) > 1.0 - 1e-12 ? 1 : 0;
    }
    assert_int_equal(left, 4); // two on the wall, two at the bottom, for each wall
    assert_int_equal(right, 4);
    world_destroy(w);
    tal_terrain_destroy(&t);
}

static void block_across_a_ridge_rests_on_it(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    const height_function roofs[2] = {roof, gentle_roof};
    const double gaps[2] = {-0.002, 0.003};
    for (int r = 0; r < 4; r++) {
        tal_terrain t;
        make_ground(&t, 5, 10.0, roofs[r % 2]);
        world *w = on_ground(&t, &input, (tal_vec3){0.2, 0.3, 0.5 + gaps[r / 2]}, NO_TURN, 0.01);
        // The ridge (the y axis) enters and leaves under the lower face.
        int32_t on_ridge = 0;
        for (int32_t k = 0; k < w->contacts.point_count; k++) {
            const tal_contact_point *p = &w->contacts.point[k];
            if (fabs(p->point.x) < 1e-12) {
                on_ridge++;
                assert_near3(p->normal, UP, 1e-12);
                assert_near(p->gap, gaps[r / 2], 1e-12);
                assert_near(fabs(p->point.y - 0.3), 0.5, 1e-12);
            }
        }
        assert_int_equal(on_ridge, 2);
        world_destroy(w);
        tal_terrain_destroy(&t);
    }
}

// Straight above the acute edge of a leaning block the ridge is outside the block, though beside it,
// it is inside.
static void acute_edge_sunk_across_a_ridge_is_found(void **state) {
    (void)state;
    const double depth = 0.04, lean = 0.3, angle = 0.2;
    solid box = make_box(1, 2, 1);
    for (int32_t v = 0; v < box.vertex_count; v++) {
        box.vertex[v].x += lean * box.vertex[v].z;
    }
    const tal_shape_input input = solid_input(&box);
    tal_terrain t;
    make_ground(&t, 5, 10.0, gentle_roof);
    const tal_quat turn = turn_about(UP, angle);
    const tal_vec3 edge_middle = tal_quat_rotate(turn, (tal_vec3){-0.5 - 0.5 * lean, 0.0, -0.5});
    const tal_vec3 at = {-edge_middle.x, 0.3, 0.5 - depth};
    world *w = on_ground(&t, &input, at, turn, 0.01);
    const tal_vec3 crossing = {0.0, 0.3 + edge_middle.y, -0.5 * depth};
    const tal_contact_point *p = find_point(&w->contacts, crossing, 1e-9);
    assert_non_null(p);
    assert_near(p->gap, -depth, 1e-12);
    assert_near3(p->normal, UP, 1e-12);
    world_destroy(w);
    tal_terrain_destroy(&t);
}

// The same, leaning over a ridge as sharp as the edge: now the point of the edge is outside the ground, too.
static void acute_edge_sunk_across_an_acute_ridge_is_found(void **state) {
    (void)state;
    const double depth = 0.04, lean = 0.3, angle = 0.2;
    solid box = make_box(1, 2, 1);
    for (int32_t v = 0; v < box.vertex_count; v++) {
        box.vertex[v].x += lean * box.vertex[v].z;
    }
    const tal_shape_input input = solid_input(&box);
    tal_terrain t;
    make_ground(&t, 5, 10.0, sharp_roof);
    for (int side = 0; side < 2; side++) {
        const tal_quat tilt =
            turn_about((tal_vec3){0.0, 1.0, 0.0}, side == 0 ? 0.25 * PI : -0.25 * PI);
        const tal_quat turn = tal_quat_multiply(tilt, turn_about(UP, angle));
        const tal_vec3 normal = tal_quat_rotate(tilt, UP);
        const tal_vec3 edge_middle =
            tal_quat_rotate(turn, (tal_vec3){-0.5 - 0.5 * lean, 0.0, -0.5});
        const tal_vec3 top = {0.0, 0.3, 0.0};
        const tal_vec3 at =
            tal_vec3_subtract(tal_vec3_add_scaled(top, -depth, normal), edge_middle);
        world *w = on_ground(&t, &input, at, turn, 0.01);
        const tal_contact_point *p =
            find_point(&w->contacts, tal_vec3_add_scaled(top, -0.5 * depth, normal), 1e-9);
        assert_non_null(p);
        assert_near(p->gap, -depth, 1e-12);
        assert_near3(p->normal, normal, 1e-12);
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

static void ridge_normals_lie_between_the_two_faces(void **state) {
    (void)state;
    const solid box = make_box(1.1, 0.8, 0.6);
    const tal_shape_input input = solid_input(&box);
    const tal_random random = tal_random_stream(17, 0, "ridge");
    tal_terrain t;
    make_ground(&t, 5, 10.0, roof);
    const double s = sqrt(0.5);
    int32_t between = 0;
    for (uint64_t trial = 0; trial < 1000; trial++) {
        const tal_vec3 at = {tal_random_uniform(random, 2 * trial) - 0.5, 0.7,
                             0.2 + 0.6 * tal_random_uniform(random, 2 * trial + 1)};
        world *w = on_ground(&t, &input, at, random_turn(random, 50000 + trial), 0.05);
        for (int32_t k = 0; k < w->contacts.point_count; k++) {
            const tal_vec3 n = w->contacts.point[k].normal;
            assert_near(tal_vec3_length(n), 1.0, 1e-12);
            assert_true(fabs(n.y) < 1e-12 || fabs(n.x) < s + 1e-9);
            assert_true(n.z >= s - 1e-9);
            between += n.z > s + 1e-6 ? 1 : 0;
        }
        world_destroy(w);
    }
    assert_true(between > 100);
    tal_terrain_destroy(&t);
}

static void plate_lies_on_peaks(void **state) {
    (void)state;
    const solid plate = make_box(7, 7, 1);
    const tal_shape_input input = solid_input(&plate);
    tal_terrain t;
    make_ground(&t, 21, 10.0, spikes);
    const double gaps[2] = {-0.001, 0.002};
    for (int g = 0; g < 2; g++) {
        world *w =
            on_ground(&t, &input, (tal_vec3){0.1, 0.2, 0.6 + gaps[g]}, turn_about(UP, 0.3), 0.01);
        assert_int_equal(w->contacts.manifold_count, 1);
        // More peaks than points are kept: the kept ones span the plate.
        assert_int_equal(w->contacts.point_count, TAL_MANIFOLD_POINTS_MAX);
        double reach_out = 0.0;
        for (int32_t k = 0; k < w->contacts.point_count; k++) {
            assert_near3(w->contacts.point[k].normal, UP, 1e-12);
            assert_near(w->contacts.point[k].gap, gaps[g], 1e-12);
            reach_out = fmax(reach_out, fabs(w->contacts.point[k].point.x));
        }
        assert_true(reach_out >= 2.0 - 1e-9);
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

static void body_larger_than_the_whole_ground_rests_on_its_rim(void **state) {
    (void)state;
    const solid slab = make_box(50, 50, 10);
    const tal_shape_input input = solid_input(&slab);
    tal_terrain t;
    make_ground(&t, 4, 2.0, flat_ground);
    world *w = on_ground(&t, &input, (tal_vec3){1, 1, 4.999}, NO_TURN, 0.01);
    assert_int_equal(w->contacts.manifold_count, 1);
    for (int k = 0; k < 4; k++) {
        const tal_vec3 corner = {(k & 1) != 0 ? 2 : -2, (k & 2) != 0 ? 2 : -2, -0.0005};
        const tal_contact_point *p = find_point(&w->contacts, corner, 1e-12);
        assert_non_null(p);
        assert_near(p->gap, -0.001, 1e-12);
        assert_near3(p->normal, UP, 1e-12);
    }
    world_destroy(w);
    tal_terrain_destroy(&t);
}

static void body_across_the_rim_is_lifted_and_not_thrown_off(void **state) {
    (void)state;
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    tal_terrain t;
    make_ground(&t, 4, 10.0, flat_ground);
    for (int k = 0; k < 8; k++) {
        world *w = on_ground(&t, &input, (tal_vec3){9.6 + 0.05 * k, 1, 0.499},
                             turn_about(UP, 0.2 * k), 0.01);
        assert_true(w->contacts.point_count >= 3);
        for (int32_t n = 0; n < w->contacts.point_count; n++) {
            assert_near3(w->contacts.point[n].normal, UP, 1e-12);
            assert_near(w->contacts.point[n].gap, -0.001, 1e-12);
        }
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

static void tiny_body_on_a_huge_triangle_has_its_own_corners(void **state) {
    (void)state;
    const solid grain = make_box(0.01, 0.01, 0.01);
    const tal_shape_input input = solid_input(&grain);
    tal_terrain t;
    make_ground(&t, 2, 5000.0, flat_ground);
    world *w = on_ground(&t, &input, (tal_vec3){1234.5, -987.6, 0.005}, NO_TURN, 1e-4);
    assert_int_equal(w->contacts.point_count, 4);
    world_destroy(w);
    tal_terrain_destroy(&t);
}

static void needle_and_sliver_stand_on_the_ground(void **state) {
    (void)state;
    const solid needle = make_box(2.0, 0.001, 0.001), sliver = make_box(1.0, 1.0, 1e-4);
    const solid *solids[2] = {&needle, &sliver};
    tal_terrain t;
    make_ground(&t, 31, 5.0, flat_ground);
    for (int s = 0; s < 2; s++) {
        const tal_shape_input input = solid_input(solids[s]);
        const double half = 0.5 * (s == 0 ? 0.001 : 1e-4);
        world *w = on_ground(&t, &input, (tal_vec3){0.1, 0.2, half}, turn_about(UP, 0.4), 1e-5);
        assert_int_equal(w->contacts.manifold_count, 1);
        assert_int_equal(w->contacts.point_count, 4);
        assert_near(smallest_gap(&w->contacts), 0.0, 1e-15);
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

// Sunk until the centre is a radius below: the contacts still push up, by the true depth.
static void sunk_body_is_pushed_up_and_never_held(void **state) {
    (void)state;
    const solid box = make_box(1.0, 0.8, 0.6);
    const tal_shape_input inputs[2] = {solid_input(&box),
                                       {.kind = TAL_SHAPE_SPHERE, .radius = 0.5}};
    const double radius = 0.5 * sqrt(1.0 + 0.64 + 0.36);
    const tal_random random = tal_random_stream(23, 0, "sunk");
    const int32_t sizes[2] = {2, 41};
    for (uint64_t trial = 0; trial < 400; trial++) {
        tal_terrain t;
        make_ground(&t, sizes[trial % 2], 10.0, flat_ground);
        const bool ball = trial / 2 % 2 == 1;
        const double depth = (ball ? 0.5 : radius) * 0.999 * tal_random_uniform(random, trial);
        const tal_quat turn = random_turn(random, 1000 + trial);
        world *w = on_ground(&t, &inputs[ball ? 1 : 0], (tal_vec3){0.03, 0.2, -depth}, turn, 0.01);
        assert_true(w->contacts.point_count > 0);
        double lowest = ball ? -0.5 : INFINITY;
        for (int32_t k = 0; !ball && k < 8; k++) {
            lowest = fmin(lowest, tal_quat_rotate(turn, box.vertex[k]).z);
        }
        assert_near(smallest_gap(&w->contacts), lowest - depth, 1e-12);
        for (int32_t k = 0; k < w->contacts.point_count; k++) {
            assert_near3(w->contacts.point[k].normal, UP, 1e-12);
        }
        world_destroy(w);
        tal_terrain_destroy(&t);
    }
}

// Tunnelled through the bottom line of a gully, where no corner projects onto either wall.
static void body_below_a_gully_is_pushed_up_by_both_walls(void **state) {
    (void)state;
    const solid box = make_box(0.4, 0.4, 0.4);
    const tal_shape_input input = solid_input(&box);
    const double s = sqrt(0.5);
    tal_terrain t;
    make_ground(&t, 21, 10.0, gutter);
    for (int k = 0; k < 30; k++) {
        const double depth = 0.01 * k;
        world *w = on_ground(&t, &input, (tal_vec3){0.01, 0.3, -depth},
                             turn_about((tal_vec3){0.3, 0.2, 1.0}, 0.1 * k), 0.005);
        bool left = false, right = false;
        assert_true(w->contacts.point_count > 0);
        for (int32_t p = 0; p < w->contacts.point_count; p++) {
            const tal_vec3 n = w->contacts.point[p].normal;
            assert_near(n.z, s, 1e-12);
            assert_true(w->contacts.point[p].gap < 0.005);
            left = left || n.x > 0.0;
            right = right || n.x < 0.0;
        }
        assert_true(left && right);
        // The deepest corner is as deep as it is below the planes of the walls.
        double lowest = INFINITY;
        for (int32_t v = 0; v < 8; v++) {
            const tal_vec3 p =
                tal_vec3_add(w->position[0], tal_quat_rotate(w->orientation[0], box.vertex[v]));
            lowest = fmin(lowest, s * (p.z - fabs(p.x)));
        }
        assert_near(smallest_gap(&w->contacts), lowest, 1e-12);
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

// A thin wall (two sheets back to back) must not pull a block beside it into itself.
static void thin_wall_pushes_to_the_near_side_only(void **state) {
    (void)state;
    // A ridge 10 m high and 0.4 m wide at its foot.
    const tal_vec3 v[] = {{-20, -20, 0}, {-0.2, -20, 0}, {0, -20, 10}, {0.2, -20, 0}, {20, -20, 0},
                          {-20, 20, 0},  {-0.2, 20, 0},  {0, 20, 10},  {0.2, 20, 0},  {20, 20, 0}};
    int32_t triangles[24];
    for (int32_t k = 0; k < 4; k++) {
        const int32_t two[6] = {k, k + 1, k + 6, k, k + 6, k + 5};
        memcpy(&triangles[6 * k], two, sizeof two);
    }
    tal_terrain t;
    tal_error err;
    assert_int_equal(tal_terrain_create(&t, v, 10, triangles, 8, NULL, &err), TAL_OK);
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    const tal_vec3 left_normal = tal_vec3_normalize((tal_vec3){-10, 0, 0.2});
    for (int k = 0; k < 40; k++) {
        // From 10 mm in front of the wall to 10 mm inside it, at half height.
        const double gap = 0.01 - 0.0005 * k;
        const tal_quat turn = turn_about((tal_vec3){0, 1, 0}, asin(left_normal.z));
        const tal_vec3 at = tal_vec3_add_scaled((tal_vec3){-0.1, 0.3, 5.0}, 0.5 + gap, left_normal);
        world *w = on_ground(&t, &input, at, turn, 0.02);
        assert_int_equal(w->contacts.manifold_count, 1);
        assert_int_equal(w->contacts.point_count, 4);
        for (int32_t p = 0; p < 4; p++) {
            assert_near3(w->contacts.point[p].normal, left_normal, 1e-9);
            assert_near(w->contacts.point[p].gap, gap, 1e-9);
        }
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

// Under a roof that looks down: contacts push down, the roof's upper side stays silent.
static void overhang_pushes_down_from_below_and_up_from_above(void **state) {
    (void)state;
    const tal_vec3 v[] = {{-5, -5, 1.0}, {5, -5, 1.0}, {5, 5, 1.0}, {-5, 5, 1.0},
                          {-5, -5, 1.3}, {5, -5, 1.3}, {5, 5, 1.3}, {-5, 5, 1.3}};
    const int32_t triangles[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7};
    tal_terrain t;
    tal_error err;
    assert_int_equal(tal_terrain_create(&t, v, 8, triangles, 4, NULL, &err), TAL_OK);
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    const double heights[2] = {0.501, 1.799}; // 1 mm into the lower, 1 mm into the upper side
    for (int k = 0; k < 2; k++) {
        world *w = on_ground(&t, &input, (tal_vec3){0, 0.1, heights[k]}, NO_TURN, 0.01);
        assert_int_equal(w->contacts.point_count, 4);
        for (int32_t p = 0; p < 4; p++) {
            assert_near3(w->contacts.point[p].normal, (tal_vec3){0, 0, k == 0 ? -1 : 1}, 1e-14);
            assert_near(w->contacts.point[p].gap, -0.001, 1e-12);
        }
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

static void sphere_rolls_over_flat_edges_without_a_bump(void **state) {
    (void)state;
    const tal_shape_input ball = {.kind = TAL_SHAPE_SPHERE, .radius = 0.5};
    tal_terrain t;
    make_ground(&t, 21, 10.0, flat_ground);
    for (int k = 0; k < 200; k++) {
        world *w = on_ground(&t, &ball, (tal_vec3){-5.0 + 0.05 * k, 0.0, 0.499}, NO_TURN, 0.01);
        assert_int_equal(w->contacts.point_count, 1);
        assert_near3(w->contacts.point[0].normal, UP, 1e-14);
        assert_near(w->contacts.point[0].gap, -0.001, 1e-12);
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

static void sphere_on_a_ridge_and_on_a_peak_sees_the_nearest_point(void **state) {
    (void)state;
    const tal_shape_input ball = {.kind = TAL_SHAPE_SPHERE, .radius = 0.5};
    tal_terrain t;
    make_ground(&t, 5, 10.0, roof);
    world *w = on_ground(&t, &ball, (tal_vec3){0.15, 0.3, 0.48}, NO_TURN, 0.05);
    const double distance = hypot(0.15, 0.48);
    assert_int_equal(w->contacts.point_count, 1);
    assert_near3(w->contacts.point[0].normal, (tal_vec3){0.15 / distance, 0, 0.48 / distance},
                 1e-12);
    assert_near(w->contacts.point[0].gap, distance - 0.5, 1e-12);
    world_destroy(w);
    tal_terrain_destroy(&t);
    make_ground(&t, 21, 10.0, spikes);
    w = on_ground(&t, &ball, (tal_vec3){2.01, 4.0, 0.62}, NO_TURN, 0.05);
    const double from_peak = hypot(0.01, 0.52);
    const tal_contact_point *p = NULL;
    for (int32_t k = 0; k < w->contacts.point_count; k++) {
        p = fabs(w->contacts.point[k].gap - (from_peak - 0.5)) < 1e-12 ? &w->contacts.point[k] : p;
    }
    assert_non_null(p);
    assert_near3(p->normal, (tal_vec3){0.01 / from_peak, 0, 0.52 / from_peak}, 1e-12);
    world_destroy(w);
    tal_terrain_destroy(&t);
}

static void each_surface_class_has_its_own_manifold(void **state) {
    (void)state;
    const tal_vec3 v[] = {{-5, -5, 0}, {0, -5, 0}, {5, -5, 0}, {-5, 5, 0}, {0, 5, 0}, {5, 5, 0}};
    const int32_t triangles[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    const int32_t classes[] = {3, 3, 8, 8};
    tal_terrain t;
    tal_error err;
    assert_int_equal(tal_terrain_create(&t, v, 6, triangles, 4, classes, &err), TAL_OK);
    const solid box = make_box(1, 1, 1);
    const tal_shape_input input = solid_input(&box);
    world *w = on_ground(&t, &input, (tal_vec3){0.1, 0.3, 0.5}, NO_TURN, 0.01);
    assert_int_equal(w->contacts.manifold_count, 2);
    for (int32_t m = 0; m < 2; m++) {
        const tal_manifold *manifold = &w->contacts.manifold[m];
        assert_int_equal(manifold->surface_class_j, m == 0 ? 3 : 8);
        assert_int_equal(manifold->point_count, 2);
        for (int32_t k = 0; k < 2; k++) {
            const double x = w->contacts.point[manifold->first_point + k].point.x;
            assert_near(x, m == 0 ? -0.4 : 0.6, 1e-12);
        }
    }
    world_destroy(w);
    tal_terrain_destroy(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_of_any_triangulation_acts_as_one_plane),
        cmocka_unit_test(hollow_ground_answers_with_face_normals_only),
        cmocka_unit_test(block_in_a_gutter_touches_both_walls),
        cmocka_unit_test(block_across_a_ridge_rests_on_it),
        cmocka_unit_test(acute_edge_sunk_across_a_ridge_is_found),
        cmocka_unit_test(acute_edge_sunk_across_an_acute_ridge_is_found),
        cmocka_unit_test(ridge_normals_lie_between_the_two_faces),
        cmocka_unit_test(plate_lies_on_peaks),
        cmocka_unit_test(body_larger_than_the_whole_ground_rests_on_its_rim),
        cmocka_unit_test(body_across_the_rim_is_lifted_and_not_thrown_off),
        cmocka_unit_test(tiny_body_on_a_huge_triangle_has_its_own_corners),
        cmocka_unit_test(needle_and_sliver_stand_on_the_ground),
        cmocka_unit_test(sunk_body_is_pushed_up_and_never_held),
        cmocka_unit_test(body_below_a_gully_is_pushed_up_by_both_walls),
        cmocka_unit_test(thin_wall_pushes_to_the_near_side_only),
        cmocka_unit_test(overhang_pushes_down_from_below_and_up_from_above),
        cmocka_unit_test(sphere_rolls_over_flat_edges_without_a_bump),
        cmocka_unit_test(sphere_on_a_ridge_and_on_a_peak_sees_the_nearest_point),
        cmocka_unit_test(each_surface_class_has_its_own_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting polyhedra by planes, and hulls, against each other.
#include "tests/support/check.h"

#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/geometry/polyhedron.h"
#include "mesher/rock/hull.h"

static void check_sound(const tal_polyhedron *polyhedron) {
    const tal_surface surface = tal_polyhedron_surface(polyhedron);
    const char *fault = tal_surface_fault(&surface, 1e-9);
    if (fault != NULL) {
        fail_msg("%s", fault);
    }
}

static tal_polyhedron unit_cube(void) {
    tal_polyhedron cube;
    tal_polyhedron_box(&cube, tal_vec3_make(0, 0, 0), tal_vec3_make(1, 1, 1));
    return cube;
}

static void plane_through_the_middle_halves_a_cube(void **state) {
    (void)state;
    const tal_vec3 directions[] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {-1, 2, 5}, {0, -3, 1}};
    for (size_t k = 0; k < sizeof directions / sizeof directions[0]; k++) {
        tal_polyhedron cube = unit_cube();
        const tal_halfspace plane =
            tal_halfspace_through(tal_vec3_make(0.5, 0.5, 0.5), directions[k]);
        assert_int_equal(tal_polyhedron_cut(&cube, plane), TAL_CUT_DONE);
        check_near(tal_polyhedron_volume(&cube), 0.5, 1e-14);
        check_sound(&cube);
    }
}

static void corner_cut_leaves_the_known_volume(void **state) {
    (void)state;
    tal_polyhedron cube = unit_cube();
    const tal_halfspace plane =
        tal_halfspace_through(tal_vec3_make(0.25, 0, 0), tal_vec3_make(-1, -1, -1));
    assert_int_equal(tal_polyhedron_cut(&cube, plane), TAL_CUT_DONE);
    check_near(tal_polyhedron_volume(&cube), 1 - 0.25 * 0.25 * 0.25 / 6, 1e-15);
    assert_int_equal(cube.face_count, 7);
    assert_int_equal(cube.vertex_count, 10);
    check_sound(&cube);
}

static void touching_planes_change_nothing_or_leave_nothing(void **state) {
    (void)state;
    const tal_vec3 normals[] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    for (size_t k = 0; k < 3; k++) {
        tal_polyhedron cube = unit_cube();
        const tal_halfspace touching = tal_halfspace_through(tal_vec3_make(1, 1, 1), normals[k]);
        assert_int_equal(tal_polyhedron_cut(&cube, touching), TAL_CUT_MISSED);
        assert_int_equal(cube.vertex_count, 8);
        assert_int_equal(tal_polyhedron_cut(&cube, tal_halfspace_flip(touching)), TAL_CUT_EMPTY);
        assert_int_equal(cube.vertex_count, 0);
        assert_int_equal(tal_polyhedron_cut(&cube, touching), TAL_CUT_EMPTY);
    }
}

static void plane_through_vertices_and_edges_is_clean(void **state) {
    (void)state;
    tal_polyhedron cube = unit_cube();
    // Through four vertices (two opposite edges).
    const tal_halfspace diagonal =
        tal_halfspace_through(tal_vec3_make(0, 0, 0), tal_vec3_make(1, -1, 0));
    assert_int_equal(tal_polyhedron_cut(&cube, diagonal), TAL_CUT_DONE);
    assert_int_equal(cube.vertex_count, 6);
    assert_int_equal(cube.face_count, 5);
    check_near(tal_polyhedron_volume(&cube), 0.5, 1e-15);
    check_sound(&cube);
    // The same plane again, a hair off: nothing happens.
    tal_halfspace hair = diagonal;
    hair.offset -= 1e-13;
    assert_int_equal(tal_polyhedron_cut(&cube, hair), TAL_CUT_MISSED);
    // Through three vertices of a cube.
    cube = unit_cube();
    const tal_halfspace corner =
        tal_halfspace_through(tal_vec3_make(1, 0, 0), tal_vec3_make(1, 1, 1));
    assert_int_equal(tal_polyhedron_cut(&cube, corner), TAL_CUT_DONE);
    assert_int_equal(cube.vertex_count, 4);
    check_near(tal_polyhedron_volume(&cube), 1.0 / 6, 1e-15);
}

static tal_halfspace random_plane(tal_random random, uint64_t draw, double spread) {
    double n[3];
    tal_random_direction(random, 4 * draw, n);
    const double offset = spread * (0.2 + 0.8 * tal_random_uniform(random, 4 * draw + 3));
    return (tal_halfspace){{n[0], n[1], n[2]}, offset};
}

// The same planes by our clipper and by qhull's halfspaces.
static void cutting_agrees_with_halfspace_intersection(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(5, 0, "test/planes");
    for (uint64_t round = 0; round < 200; round++) {
        enum { BOX = 6, RANDOM = 24 };
        tal_halfspace planes[BOX + RANDOM] = {{{1, 0, 0}, 1},  {{-1, 0, 0}, 1}, {{0, 1, 0}, 1},
                                              {{0, -1, 0}, 1}, {{0, 0, 1}, 1},  {{0, 0, -1}, 1}};
        const int count = BOX + (int)(round % (RANDOM + 1));
        tal_polyhedron cut;
        tal_polyhedron_box(&cut, tal_vec3_make(-1, -1, -1), tal_vec3_make(1, 1, 1));
        for (int k = BOX; k < count; k++) {
            planes[k] = random_plane(random, round * RANDOM + (uint64_t)k, 1.2);
            assert_int_not_equal(tal_polyhedron_cut(&cut, planes[k]), TAL_CUT_FAILED);
        }
        check_sound(&cut);
        tal_hull hull;
        check_ok(
            tal_hull_of_halfspaces(&hull, planes, count, tal_vec3_make(0, 0, 0), &check_error));
        const tal_surface surface = tal_hull_surface(&hull);
        const tal_mass_properties a = tal_surface_mass(&surface);
        const tal_surface ours = tal_polyhedron_surface(&cut);
        const tal_mass_properties b = tal_surface_mass(&ours);
        check_near(b.volume, a.volume, 1e-10);
        check_near(tal_vec3_length(tal_vec3_subtract(a.centroid, b.centroid)), 0, 1e-9);
        check_near(tal_polyhedron_volume(&cut), b.volume, 1e-12);
        tal_hull_destroy(&hull);
    }
}

static void parts_of_many_splits_add_up(void **state) {
    (void)state;
    enum { LEVELS = 7 };
    static tal_polyhedron parts[1 << LEVELS];
    const tal_random random = tal_random_stream(6, 0, "test/splits");
    int count = 1;
    tal_polyhedron_box(&parts[0], tal_vec3_make(600, -20, 3), tal_vec3_make(610, -8, 9));
    for (uint64_t level = 0; level < LEVELS; level++) {
        double n[3];
        tal_random_direction(random, 2 * level, n);
        const tal_halfspace plane = tal_halfspace_through(
            tal_vec3_make(603 + 4 * tal_random_uniform(random, 2 * level + 1), -14, 6),
            tal_vec3_make(n[0], n[1], n[2]));
        const int before = count;
        for (int k = 0; k < before; k++) {
            tal_polyhedron inside, outside;
            assert_true(tal_polyhedron_split(&parts[k], plane, &inside, &outside));
            if (inside.vertex_count == 0 || outside.vertex_count == 0) {
                continue;
            }
            tal_polyhedron_copy(&parts[k], &inside);
            tal_polyhedron_copy(&parts[count++], &outside);
        }
    }
    double sum = 0;
    for (int k = 0; k < count; k++) {
        check_sound(&parts[k]);
        sum += tal_polyhedron_volume(&parts[k]);
    }
    assert_true(count > 20);
    check_near(sum, 10 * 12 * 6, 1e-8);
}

// A polyhedron with more and more faces, as of a ball, until the capacity is reached.
static void capacity_is_refused_not_overrun(void **state) {
    (void)state;
    tal_polyhedron ball;
    tal_polyhedron_box(&ball, tal_vec3_make(-2, -2, -2), tal_vec3_make(2, 2, 2));
    const tal_random random = tal_random_stream(7, 0, "test/ball");
    tal_cut last = TAL_CUT_DONE;
    for (uint64_t k = 0; k < 1000 && last != TAL_CUT_FAILED; k++) {
        double n[3];
        tal_random_direction(random, k, n);
        last = tal_polyhedron_cut(&ball, (tal_halfspace){{n[0], n[1], n[2]}, 1});
    }
    assert_int_equal(last, TAL_CUT_FAILED);
    check_sound(&ball);
    check_near(tal_polyhedron_volume(&ball), 4.0 / 3 * acos(-1), 0.3);
}

static void columns_see_the_same_volume(void **state) {
    (void)state;
    tal_polyhedron cube;
    tal_halfspace planes[TAL_POLYHEDRON_FACES];
    tal_polyhedron_box(&cube, tal_vec3_make(-1, -1, -1), tal_vec3_make(1, 1, 1));
    tal_polyhedron_cut(&cube,
                       tal_halfspace_through(tal_vec3_make(0.3, 0.2, 0.1), tal_vec3_make(1, 2, 3)));
    tal_polyhedron_cut(
        &cube, tal_halfspace_through(tal_vec3_make(0.1, 0.5, 0.1), tal_vec3_make(-1, 2, -1)));
    tal_polyhedron_planes(&cube, planes);
    double sum = 0;
    const int n = 400;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double low, high;
            if (tal_halfspaces_column(planes, cube.face_count, -1 + (i + 0.5) * 2 / n,
                                      -1 + (j + 0.5) * 2 / n, &low, &high)) {
                sum += (high - low) * 4 / n / n;
            }
        }
    }
    check_near(sum, tal_polyhedron_volume(&cube), 1e-3);
}

static void hull_of_repeated_and_inner_points_is_the_cube(void **state) {
    (void)state;
    tal_vec3 points[64];
    int count = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 4; k++) {
                points[count++] = tal_vec3_make(i == 3 ? 2 : i, j, k == 1 ? 2 : k);
            }
        }
    }
    tal_hull hull;
    check_ok(tal_hull_create(&hull, points, count, "a grid", &check_error));
    const tal_surface surface = tal_hull_surface(&hull);
    assert_null(tal_surface_fault(&surface, 1e-9));
    check_near(tal_surface_mass(&surface).volume, 2 * 3 * 3, 1e-12);
    assert_int_equal(hull.face_count, 6);
    assert_int_equal(hull.vertex_count, 8);
    tal_hull_destroy(&hull);
}

static void flat_lined_up_and_few_points_are_refused(void **state) {
    (void)state;
    tal_hull hull;
    const tal_vec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.3, 0}};
    const tal_vec3 line[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    const tal_vec3 same[] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    const tal_vec3 broken[] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {1, 1, 1}};
    check_fails(tal_hull_create(&hull, flat, 5, "plate", &check_error), TAL_BAD_INPUT,
                "plate is flat");
    check_fails(tal_hull_create(&hull, line, 4, "stick", &check_error), TAL_BAD_INPUT, "flat");
    check_fails(tal_hull_create(&hull, same, 4, "dot", &check_error), TAL_BAD_INPUT, "flat");
    check_fails(tal_hull_create(&hull, flat, 3, "corner", &check_error), TAL_BAD_INPUT,
                "3 different points");
    check_fails(tal_hull_create(&hull, broken, 4, "rock", &check_error), TAL_BAD_INPUT,
                "not a number");
}

static void simplified_hull_lies_inside_and_keeps_most(void **state) {
    (void)state;
    enum { POINTS = 2000 };
    static tal_vec3 points[POINTS];
    const tal_random random = tal_random_stream(8, 0, "test/ball");
    for (uint64_t k = 0; k < POINTS; k++) {
        double n[3];
        tal_random_direction(random, k, n);
        points[k] = tal_vec3_make(3 * n[0], 2 * n[1], n[2]);
    }
    tal_hull hull, simple;
    check_ok(tal_hull_create(&hull, points, POINTS, "a pebble", &check_error));
    check_ok(tal_hull_simplify(&simple, &hull, 60, "a pebble", &check_error));
    const tal_surface a = tal_hull_surface(&hull), b = tal_hull_surface(&simple);
    assert_true(simple.vertex_count <= 60);
    assert_null(tal_surface_fault(&b, 1e-9));
    const double share = tal_surface_mass(&b).volume / tal_surface_mass(&a).volume;
    assert_true(share > 0.8 && share < 1);
    tal_hull_destroy(&hull);
    tal_hull_destroy(&simple);
}

static void faults_of_surfaces_are_named(void **state) {
    (void)state;
    tal_polyhedron cube = unit_cube();
    tal_surface surface = tal_polyhedron_surface(&cube);
    assert_null(tal_surface_fault(&surface, 1e-12));
    surface.face_count = 5;
    assert_string_equal(tal_surface_fault(&surface, 1e-9), "it is not closed");
    cube.vertex[7] = tal_vec3_make(0.6, 0.6, 0.6); // dented
    surface = tal_polyhedron_surface(&cube);
    assert_non_null(tal_surface_fault(&surface, 1e-9));
    cube = unit_cube();
    for (int f = 0; f < 6; f++) { // turned inside out
        const int32_t kept = cube.corner[4 * f];
        cube.corner[4 * f] = cube.corner[4 * f + 2];
        cube.corner[4 * f + 2] = kept;
    }
    surface = tal_polyhedron_surface(&cube);
    assert_string_equal(tal_surface_fault(&surface, 1e-9),
                        "it is not convex, or a face looks inwards");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_through_the_middle_halves_a_cube),
        cmocka_unit_test(corner_cut_leaves_the_known_volume),
        cmocka_unit_test(touching_planes_change_nothing_or_leave_nothing),
        cmocka_unit_test(plane_through_vertices_and_edges_is_clean),
        cmocka_unit_test(cutting_agrees_with_halfspace_intersection),
        cmocka_unit_test(parts_of_many_splits_add_up),
        cmocka_unit_test(capacity_is_refused_not_overrun),
        cmocka_unit_test(columns_see_the_same_volume),
        cmocka_unit_test(hull_of_repeated_and_inner_points_is_the_cube),
        cmocka_unit_test(flat_lined_up_and_few_points_are_refused),
        cmocka_unit_test(simplified_hull_lies_inside_and_keeps_most),
        cmocka_unit_test(faults_of_surfaces_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Vertices taken off convex polyhedra: against qhull's hull of the others, and what simplified blocks
// promise.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "mesher/import/simplify.h"
#include "mesher/rock/hull.h"

// A box cut by planes near a sphere; some pass close to each other, so that edges become short.
static void make_stone(tal_polyhedron *stone, uint64_t number, int planes) {
    const tal_random random = tal_random_stream(3, (uint32_t)number, "test/stones");
    tal_polyhedron_box(stone, tal_vec3_make(-1, -1.2, -0.8), tal_vec3_make(1, 1.2, 0.8));
    for (uint64_t k = 0; k < (uint64_t)planes; k++) {
        const tal_vec3 direction = {tal_random_normal(random, 4 * k),
                                    tal_random_normal(random, 4 * k + 1),
                                    tal_random_normal(random, 4 * k + 2)};
        const tal_halfspace plane = {tal_vec3_normalize(direction),
                                     0.7 + 0.3 * tal_random_uniform(random, 4 * k + 3)};
        (void)tal_polyhedron_cut(stone, plane);
    }
}

static double hull_volume(const tal_vec3 *points, int32_t count) {
    tal_hull hull;
    check_ok(tal_hull_create(&hull, points, count, "stone", &check_error));
    const tal_surface surface = tal_hull_surface(&hull);
    const double volume = tal_surface_mass(&surface).volume;
    tal_hull_destroy(&hull);
    return volume;
}

static void removal_leaves_the_hull_of_the_other_vertices(void **state) {
    (void)state;
    int removed = 0, refused = 0;
    for (uint64_t n = 0; n < 60; n++) {
        const tal_random random = tal_random_stream(4, (uint32_t)n, "test/choice");
        tal_polyhedron stone;
        make_stone(&stone, n, 2 + (int)(n % 20));
        for (uint64_t k = 0; stone.vertex_count > 5; k++) {
            tal_vec3 others[TAL_POLYHEDRON_VERTICES];
            const int32_t v =
                (int32_t)(tal_random_uniform(random, k) * stone.vertex_count) % stone.vertex_count;
            int32_t count = 0;
            for (int32_t i = 0; i < stone.vertex_count; i++) {
                if (i != v) {
                    others[count++] = stone.vertex[i];
                }
            }
            if (!tal_polyhedron_remove_vertex(&stone, v)) {
                refused++;
                break;
            }
            removed++;
            const tal_surface surface = tal_polyhedron_surface(&stone);
            assert_null(tal_surface_fault(&surface, 1e-9));
            assert_int_equal(stone.vertex_count, count);
            check_near(tal_polyhedron_volume(&stone), hull_volume(others, count), 1e-9);
        }
    }
    print_message("%d vertices removed, %d refused\n", removed, refused);
    assert_true(removed > 800 && refused <= 6);
}

static void tetrahedron_keeps_its_four_vertices(void **state) {
    (void)state;
    tal_polyhedron shape;
    tal_polyhedron_box(&shape, tal_vec3_make(0, 0, 0), tal_vec3_make(1, 1, 1));
    const tal_halfspace corner = {tal_vec3_normalize(tal_vec3_make(1, 1, 1)), 0.9 / sqrt(3)};
    assert_int_equal(tal_polyhedron_cut(&shape, corner), TAL_CUT_DONE);
    assert_int_equal(shape.vertex_count, 4);
    for (int32_t v = 0; v < 4; v++) {
        assert_false(tal_polyhedron_remove_vertex(&shape, v));
    }
    check_near(tal_polyhedron_volume(&shape), 0.9 * 0.9 * 0.9 / 6, 1e-12);
}

// A cube whose corner is cut off by a plane loses the corner's three new vertices or gets them
// back as one; here the cut is so small that two of the three go.
static void small_cut_corner_becomes_one_vertex(void **state) {
    (void)state;
    tal_polyhedron cube;
    tal_polyhedron_box(&cube, tal_vec3_make(0, 0, 0), tal_vec3_make(1, 1, 1));
    const tal_halfspace plane = {tal_vec3_normalize(tal_vec3_make(1, 1, 1)), (3 - 0.005) / sqrt(3)};
    assert_int_equal(tal_polyhedron_cut(&cube, plane), TAL_CUT_DONE);
    assert_int_equal(cube.vertex_count, 10);
    assert_true(tal_polyhedron_simplify(&cube, &tal_simplify_blocks));
    assert_int_equal(cube.vertex_count, 8);
    // The corner moves by 0.005 along an edge, which takes off at most 0.005 / 3.
    assert_true(tal_polyhedron_volume(&cube) > 1 - 0.005 / 3);
}

static double shortest_edge(const tal_polyhedron *p) {
    double shortest = INFINITY;
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t start = p->corner_start[f], end = p->corner_start[f + 1];
        for (int32_t c = start; c < end; c++) {
            const tal_vec3 a = p->vertex[p->corner[c]];
            const tal_vec3 b = p->vertex[p->corner[c + 1 < end ? c + 1 : start]];
            shortest = fmin(shortest, tal_vec3_length(tal_vec3_subtract(a, b)));
        }
    }
    return shortest;
}

static void simplified_blocks_are_clean_and_inside(void **state) {
    (void)state;
    int dirty = 0, given_up = 0;
    double most_lost = 0;
    for (uint64_t n = 0; n < 300; n++) {
        tal_polyhedron stone, simple;
        make_stone(&stone, 1000 + n, 3 + (int)(n % 40));
        tal_polyhedron_copy(&simple, &stone);
        const double before = tal_polyhedron_volume(&stone);
        dirty += stone.vertex_count > 32 || shortest_edge(&stone) < 0.01 * cbrt(before) ? 1 : 0;
        if (!tal_polyhedron_simplify(&simple, &tal_simplify_blocks)) {
            given_up++;
            continue;
        }
        const double after = tal_polyhedron_volume(&simple);
        const tal_surface surface = tal_polyhedron_surface(&simple);
        assert_null(tal_surface_fault(&surface, 1e-9));
        assert_true(simple.vertex_count <= 32);
        assert_true(shortest_edge(&simple) >= 0.01 * cbrt(after));
        assert_true(after <= before * (1 + 1e-12));
        most_lost = fmax(most_lost, 1 - after / before);
        tal_halfspace planes[TAL_POLYHEDRON_FACES];
        tal_polyhedron_planes(&stone, planes);
        for (int32_t f = 0; f < stone.face_count; f++) {
            for (int32_t v = 0; v < simple.vertex_count; v++) {
                assert_true(tal_halfspace_distance(planes[f], simple.vertex[v]) < 1e-9);
            }
        }
    }
    print_message("%d of 300 were not clean, %d given up, at most %.2f %% lost\n", dirty, given_up,
                  100 * most_lost);
    assert_true(dirty > 150 && given_up == 0 && most_lost < 0.1);
}

// A thin plate has short edges by nature: it must not be eaten.
static void plate_stays_a_plate(void **state) {
    (void)state;
    tal_polyhedron plate;
    tal_polyhedron_box(&plate, tal_vec3_make(0, 0, 0), tal_vec3_make(100, 100, 0.01));
    assert_false(tal_polyhedron_simplify(&plate, &tal_simplify_blocks));
    assert_int_equal(plate.vertex_count, 8);
    check_near(tal_polyhedron_volume(&plate), 100, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removal_leaves_the_hull_of_the_other_vertices),
        cmocka_unit_test(tetrahedron_keeps_its_four_vertices),
        cmocka_unit_test(small_cut_corner_becomes_one_vertex),
        cmocka_unit_test(simplified_blocks_are_clean_and_inside),
        cmocka_unit_test(plate_stays_a_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

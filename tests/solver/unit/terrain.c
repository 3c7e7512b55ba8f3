// SPDX-License-Identifier: GPL-3.0-or-later
// The ground mesh: neighbours, ridges and hollows, heights, faults.
#include "tests/solver/unit/geometry_fixture.h"

#include "core/base/fault.h"

static double roof(double x, double y) {
    (void)y;
    return -fabs(x);
}

static double gutter(double x, double y) {
    (void)y;
    return fabs(x);
}

static double slope(double x, double y) {
    return 3.0 + 0.5 * x - 0.25 * y;
}

static void plane_is_one_flat_patch(void **state) {
    (void)state;
    tal_terrain t;
    make_ground(&t, 12, 50.0, slope);
    const tal_vec3 n = tal_vec3_normalize((tal_vec3){-0.5, 0.25, 1.0});
    for (int32_t k = 0; k < t.triangle_count; k++) {
        assert_near3(t.normal[k], n, 1e-14);
        assert_int_equal(t.patch[k], 0);
        for (int32_t e = 0; e < 3; e++) {
            // Only the rim ends the surface.
            assert_int_equal(t.edge_convex[3 * k + e], t.neighbour[3 * k + e] < 0 ? 1 : 0);
        }
    }
    tal_terrain_destroy(&t);
}

static void neighbours_know_each_other(void **state) {
    (void)state;
    tal_terrain t;
    make_ground(&t, 9, 4.0, slope);
    int32_t rim = 0;
    for (int32_t k = 0; k < 3 * t.triangle_count; k++) {
        const int32_t other = t.neighbour[k];
        rim += other < 0 ? 1 : 0;
        if (other >= 0) {
            const int32_t *back = &t.neighbour[3 * other];
            assert_true(back[0] == k / 3 || back[1] == k / 3 || back[2] == k / 3);
        }
    }
    assert_int_equal(rim, 4 * 8);
    tal_terrain_destroy(&t);
}

static void ridge_is_convex_and_gutter_is_not(void **state) {
    (void)state;
    const height_function shapes[2] = {roof, gutter};
    for (int s = 0; s < 2; s++) {
        tal_terrain t;
        int32_t bends = 0;
        make_ground(&t, 5, 2.0, shapes[s]);
        for (int32_t k = 0; k < 3 * t.triangle_count; k++) {
            const tal_vec3 a = t.vertex[t.triangle[k]];
            const tal_vec3 b = t.vertex[t.triangle[k - k % 3 + (k % 3 + 1) % 3]];
            if (t.neighbour[k] >= 0 && a.x == 0.0 && b.x == 0.0) {
                bends++;
                assert_int_equal(t.edge_convex[k], s == 0 ? 1 : 0);
            } else if (t.neighbour[k] >= 0) {
                assert_int_equal(t.edge_convex[k], 0);
            }
        }
        assert_true(bends > 0);
        tal_terrain_destroy(&t);
    }
}

static void height_follows_the_plane_and_is_nan_outside(void **state) {
    (void)state;
    tal_terrain t;
    make_ground(&t, 33, 10.0, slope);
    const tal_random random = tal_random_stream(3, 0, "heights");
    for (uint64_t k = 0; k < 500; k++) {
        const double x = 20.0 * tal_random_uniform(random, 2 * k) - 10.0;
        const double y = 20.0 * tal_random_uniform(random, 2 * k + 1) - 10.0;
        assert_near(tal_terrain_height(&t, x, y), slope(x, y), 1e-12);
    }
    assert_true(isnan(tal_terrain_height(&t, 10.5, 0.0)));
    assert_true(isnan(tal_terrain_height(&t, 0.0, -11.0)));
    assert_true(isnan(tal_terrain_height(&t, NAN, 0.0)));
    tal_terrain_destroy(&t);
}

// A table over a floor: two sheets, one above the other.
static void height_is_that_of_the_highest_sheet(void **state) {
    (void)state;
    const tal_vec3 v[] = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0},
                          {-1, -1, 2}, {1, -1, 2}, {1, 1, 2}, {-1, 1, 2}};
    const int32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    tal_terrain t;
    tal_error err;
    assert_int_equal(tal_terrain_create(&t, v, 8, triangles, 4, NULL, &err), TAL_OK);
    assert_near(tal_terrain_height(&t, 0.3, 0.2), 2.0, 1e-15);
    assert_near(tal_terrain_height(&t, 3.0, 0.2), 0.0, 1e-15);
    tal_terrain_destroy(&t);
}

static void refuse(const tal_vec3 *v, int32_t vertices, const int32_t *triangles, int32_t count,
                   const char *expected) {
    tal_terrain t;
    tal_error err;
    assert_int_equal(tal_terrain_create(&t, v, vertices, triangles, count, NULL, &err),
                     TAL_BAD_INPUT);
    if (strstr(err.text, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, expected);
    }
}

static void faults_are_named(void **state) {
    (void)state;
    const tal_vec3 v[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t out_of_range[] = {0, 1, 9};
    refuse(v, 5, out_of_range, 1, "names vertex 9");
    const int32_t twisted[] = {0, 1, 2, 0, 3, 2};
    refuse(v, 5, twisted, 2, "opposite ways");
    const int32_t three_sheets[] = {0, 1, 2, 1, 0, 3, 1, 0, 4};
    refuse(v, 5, three_sheets, 3, "3 triangles share the edge 0-1");
    const int32_t repeated[] = {0, 1, 1};
    refuse(v, 5, repeated, 1, "degenerate");
    refuse(v, 5, repeated, 0, "at least 3 and 1");
    const tal_vec3 bad[] = {{0, 0, 0}, {1, NAN, 0}, {1, 1, 0}};
    const int32_t one[] = {0, 1, 2};
    refuse(bad, 3, one, 1, "must be finite");
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    const tal_vec3 v[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const int32_t triangles[] = {0, 1, 2, 0, 2, 3};
    tal_error err;
    for (long nth = 1;; nth++) {
        tal_terrain t;
        tal_fault_arm(TAL_FAULT_ALLOCATION, nth, false);
        const tal_status status = tal_terrain_create(&t, v, 4, triangles, 2, NULL, &err);
        const long struck = tal_fault_count();
        tal_fault_disarm();
        if (struck == 0) {
            assert_int_equal(status, TAL_OK);
            tal_terrain_destroy(&t);
            return;
        }
        assert_int_equal(status, TAL_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_is_one_flat_patch),
        cmocka_unit_test(neighbours_know_each_other),
        cmocka_unit_test(ridge_is_convex_and_gutter_is_not),
        cmocka_unit_test(height_follows_the_plane_and_is_nan_outside),
        cmocka_unit_test(height_is_that_of_the_highest_sheet),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

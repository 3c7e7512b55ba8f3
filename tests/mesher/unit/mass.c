// SPDX-License-Identifier: GPL-3.0-or-later
// Mass properties of polyhedra against closed forms and against counting random points.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "core/geometry/mass_properties.h"
#include "core/geometry/polyhedron.h"
#include "mesher/rock/hull.h"

static tal_mass_properties mass_of(const tal_hull *hull) {
    const tal_surface surface = tal_hull_surface(hull);
    return tal_surface_mass(&surface);
}

static void make_hull(tal_hull *hull, const tal_vec3 *points, int count) {
    check_ok(tal_hull_create(hull, points, count, "a solid", &check_error));
    const tal_surface surface = tal_hull_surface(hull);
    const char *fault = tal_surface_fault(&surface, 1e-9);
    if (fault != NULL) {
        fail_msg("hull: %s", fault);
    }
}

static void box_has_the_textbook_inertia(void **state) {
    (void)state;
    tal_polyhedron box;
    tal_polyhedron_box(&box, tal_vec3_make(1, 2, 3), tal_vec3_make(3, 5, 8)); // 2 x 3 x 5
    const tal_surface surface = tal_polyhedron_surface(&box);
    const tal_mass_properties mass = tal_surface_mass(&surface);
    check_near(mass.volume, 30, 1e-12);
    check_near(mass.centroid.x, 2, 1e-13);
    check_near(mass.centroid.y, 3.5, 1e-13);
    check_near(mass.centroid.z, 5.5, 1e-13);
    check_near(mass.inertia[0][0], 30.0 / 12 * (9 + 25), 1e-11);
    check_near(mass.inertia[1][1], 30.0 / 12 * (4 + 25), 1e-11);
    check_near(mass.inertia[2][2], 30.0 / 12 * (4 + 9), 1e-11);
    check_near(mass.inertia[0][1], 0, 1e-11);
}

// Corner tetrahedron with legs a, b, c: volume abc/6; about the corner I_xx = abc (b^2 + c^2)/60 and
// the product of x and y = abc ab/120; moved to the centroid (a, b, c)/4 by Steiner.
static void corner_tetrahedron_matches_its_integrals(void **state) {
    (void)state;
    const double a = 2, b = 3, c = 7, volume = a * b * c / 6;
    const tal_vec3 points[4] = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}};
    tal_hull hull;
    make_hull(&hull, points, 4);
    const tal_mass_properties mass = mass_of(&hull);
    check_near(mass.volume, volume, 1e-13);
    check_near(mass.centroid.x, a / 4, 1e-14);
    check_near(mass.centroid.z, c / 4, 1e-14);
    check_near(mass.inertia[0][0], a * b * c * (b * b + c * c) / 60 - volume * (b * b + c * c) / 16,
               1e-12);
    check_near(mass.inertia[0][1], -(a * b * c * a * b / 120 - volume * a * b / 16), 1e-12);
    tal_hull_destroy(&hull);
}

// Edge length s. Volumes and inertia I = k m s^2 of the regular solids.
static void regular_solids_match_their_formulas(void **state) {
    (void)state;
    const double phi = (1 + sqrt(5)) / 2;
    tal_vec3 tetra[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    tal_vec3 octa[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    tal_vec3 icosa[12], dodeca[20];
    int n = 0, m = 0;
    for (int i = -1; i <= 1; i += 2) {
        for (int j = -1; j <= 1; j += 2) {
            icosa[n++] = tal_vec3_make(0, i, j * phi);
            icosa[n++] = tal_vec3_make(i, j * phi, 0);
            icosa[n++] = tal_vec3_make(j * phi, 0, i);
            dodeca[m++] = tal_vec3_make(0, i * phi, j / phi);
            dodeca[m++] = tal_vec3_make(i / phi, 0, j * phi);
            dodeca[m++] = tal_vec3_make(i * phi, j / phi, 0);
            for (int k = -1; k <= 1; k += 2) {
                dodeca[m++] = tal_vec3_make(i, j, k);
            }
        }
    }
    const struct {
        const tal_vec3 *points;
        int count, faces;
        double edge, volume, inertia;
    } solids[] = {
        {tetra, 4, 4, sqrt(8), 1 / (6 * sqrt(2)), 1.0 / 20},
        {octa, 6, 8, sqrt(2), sqrt(2) / 3, 1.0 / 10},
        {icosa, 12, 20, 2, 5.0 / 12 * (3 + sqrt(5)), phi * phi / 10},
        {dodeca, 20, 12, 2 / phi, (15 + 7 * sqrt(5)) / 4, (39 * phi + 28) / 150},
    };
    for (size_t k = 0; k < sizeof solids / sizeof solids[0]; k++) {
        tal_hull hull;
        make_hull(&hull, solids[k].points, solids[k].count);
        const tal_mass_properties mass = mass_of(&hull);
        const double s = solids[k].edge, volume = solids[k].volume * s * s * s;
        assert_int_equal(hull.face_count, solids[k].faces);
        check_near(mass.volume, volume, 1e-12 * volume);
        for (int i = 0; i < 3; i++) {
            check_near(mass.inertia[i][i], solids[k].inertia * volume * s * s, 1e-11 * volume);
            check_near(mass.inertia[i][(i + 1) % 3], 0, 1e-11 * volume);
        }
        tal_hull_destroy(&hull);
    }
}

static void random_points(tal_vec3 *points, int count, uint64_t seed) {
    const tal_random random = tal_random_stream(seed, 0, "test/points");
    for (int k = 0; k < count; k++) {
        points[k] = tal_vec3_make(3 * tal_random_uniform(random, 3 * (uint64_t)k),
                                  tal_random_uniform(random, 3 * (uint64_t)k + 1),
                                  2 * tal_random_uniform(random, 3 * (uint64_t)k + 2));
    }
}

static bool is_inside(const tal_hull *hull, tal_vec3 p) {
    for (int32_t f = 0; f < hull->face_count; f++) {
        const int32_t *loop = hull->corner + hull->corner_start[f];
        const tal_vec3 a = hull->vertex[loop[0]], b = hull->vertex[loop[1]];
        const tal_vec3 c = hull->vertex[loop[2]];
        const tal_vec3 normal = tal_vec3_cross(tal_vec3_subtract(b, a), tal_vec3_subtract(c, a));
        if (tal_vec3_dot(normal, tal_vec3_subtract(p, a)) > 0) {
            return false;
        }
    }
    return true;
}

// Four standard deviations of the count.
static void random_hulls_agree_with_counting_points(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        enum { POINTS = 14, SHOTS = 200000 };
        tal_vec3 points[POINTS];
        tal_hull hull;
        random_points(points, POINTS, seed);
        make_hull(&hull, points, POINTS);
        const tal_mass_properties mass = mass_of(&hull);
        const tal_random random = tal_random_stream(seed, 1, "test/shots");
        double hits = 0, x = 0, zz = 0, xx = 0;
        for (uint64_t k = 0; k < SHOTS; k++) {
            const tal_vec3 p = {3 * tal_random_uniform(random, 3 * k),
                                tal_random_uniform(random, 3 * k + 1),
                                2 * tal_random_uniform(random, 3 * k + 2)};
            if (is_inside(&hull, p)) {
                const tal_vec3 d = tal_vec3_subtract(p, mass.centroid);
                hits++;
                x += d.x;
                xx += d.x * d.x;
                zz += d.z * d.z;
            }
        }
        const double volume = 6 * hits / SHOTS, share = hits / SHOTS;
        check_near(mass.volume, volume, 4 * 6 * sqrt(share * (1 - share) / SHOTS));
        check_near(x / hits, 0, 4 * sqrt(xx / hits / hits));
        check_near(mass.inertia[1][1] / mass.volume, (xx + zz) / hits, 0.02 * (xx + zz) / hits);
        tal_hull_destroy(&hull);
    }
}

static void turn(tal_vec3 *points, int count, const double q[4], tal_vec3 move) {
    for (int k = 0; k < count; k++) {
        points[k] = tal_vec3_add(tal_quaternion_rotate(q, points[k]), move);
    }
}

static void inertia_turns_as_a_tensor(void **state) {
    (void)state;
    enum { POINTS = 12 };
    tal_vec3 points[POINTS], turned[POINTS];
    tal_hull hull, other;
    random_points(points, POINTS, 9);
    memcpy(turned, points, sizeof points);
    const double q[4] = {0.5, -0.1, 0.7, sqrt(1 - 0.25 - 0.01 - 0.49)};
    turn(turned, POINTS, q, tal_vec3_make(400, -300, 20));
    make_hull(&hull, points, POINTS);
    make_hull(&other, turned, POINTS);
    const tal_mass_properties a = mass_of(&hull), b = mass_of(&other);
    const tal_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double r[3][3];
    for (int column = 0; column < 3; column++) {
        const tal_vec3 v = tal_quaternion_rotate(q, e[column]);
        r[0][column] = v.x;
        r[1][column] = v.y;
        r[2][column] = v.z;
    }
    check_near(b.volume, a.volume, 1e-11);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double expected = 0;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++) {
                    expected += r[i][k] * a.inertia[k][l] * r[j][l];
                }
            }
            check_near(b.inertia[i][j], expected, 1e-10);
        }
    }
    tal_hull_destroy(&hull);
    tal_hull_destroy(&other);
}

static void check_principal(const double inertia[3][3]) {
    const tal_principal_axes p = tal_inertia_principal(inertia);
    const double scale = fabs(p.moment[2]) + 1e-300;
    const double(*r)[3] = (const double(*)[3])p.axis;
    const double determinant = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                               r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                               r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    check_near(determinant, 1, 1e-12);
    assert_true(p.moment[0] <= p.moment[1] && p.moment[1] <= p.moment[2]);
    double length = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double product = 0, back = 0;
            for (int k = 0; k < 3; k++) {
                product += r[k][i] * r[k][j];
                back += r[i][k] * p.moment[k] * r[j][k];
            }
            check_near(product, i == j ? 1 : 0, 1e-12);
            check_near(back, inertia[i][j], 1e-12 * scale);
        }
    }
    for (int k = 0; k < 4; k++) {
        length += p.quaternion[k] * p.quaternion[k];
    }
    check_near(length, 1, 1e-14);
    const tal_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int column = 0; column < 3; column++) {
        const tal_vec3 v = tal_quaternion_rotate(p.quaternion, e[column]);
        check_near(v.x, r[0][column], 1e-12);
        check_near(v.y, r[1][column], 1e-12);
        check_near(v.z, r[2][column], 1e-12);
    }
}

static void principal_axes_are_right_handed_even_when_degenerate(void **state) {
    (void)state;
    const double cases[][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{5, 0, 0}, {0, 2, 0}, {0, 0, 5}},
        {{2, 0, 0}, {0, 7, 0}, {0, 0, 2}},
        {{3, -1, -1}, {-1, 3, -1}, {-1, -1, 3}}, // moments 1, 4, 4
        {{4, 1e-17, 0}, {1e-17, 4, 1e-16}, {0, 1e-16, 4}},
        {{4, 1, -2}, {1, 6, 0.5}, {-2, 0.5, 5}},
        {{1e-9, 2e-10, 0}, {2e-10, 2e-9, 0}, {0, 0, 2.5e-9}},
        {{1e15, 1e14, 0}, {1e14, 2e15, 1e3}, {0, 1e3, 2.5e15}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        check_principal(cases[k]);
    }
    const tal_random random = tal_random_stream(3, 0, "test/tensors");
    for (uint64_t k = 0; k < 1000; k++) {
        double a[3][3], inertia[3][3] = {{0}};
        for (uint64_t i = 0; i < 9; i++) {
            a[i / 3][i % 3] = tal_random_normal(random, 9 * k + i);
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                for (int l = 0; l < 3; l++) {
                    inertia[i][j] += a[i][l] * a[j][l];
                }
            }
        }
        check_principal((const double(*)[3])inertia);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_has_the_textbook_inertia),
        cmocka_unit_test(corner_tetrahedron_matches_its_integrals),
        cmocka_unit_test(regular_solids_match_their_formulas),
        cmocka_unit_test(random_hulls_agree_with_counting_points),
        cmocka_unit_test(inertia_turns_as_a_tensor),
        cmocka_unit_test(principal_axes_are_right_handed_even_when_degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

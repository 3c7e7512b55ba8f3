// SPDX-License-Identifier: GPL-3.0-or-later
// Volume, extent, masses and principal axes of closed surfaces against closed forms; angles.
#include "core/geometry/surface.h"
#include "core/geometry/angle.h"
#include "core/geometry/mass_properties.h"
#include "tests/support/check.h"

// The corner tetrahedron with legs a, b, c, far from the origin and behind an unused face list entry.
static const tal_vec3 TETRA[4] = {
    {1e5, -2e5, 3e3}, {1e5 + 2, -2e5, 3e3}, {1e5, -2e5 + 3, 3e3}, {1e5, -2e5, 3e3 + 7}};
static const int32_t OUTWARDS[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const int32_t INWARDS[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3};
static const int32_t START[5] = {0, 3, 6, 9, 12};

static void a_corner_tetrahedron_has_a_sixth_of_the_box(void **state) {
    (void)state;
    const tal_surface solid = {TETRA, 4, START, 4, OUTWARDS}, void_ = {TETRA, 4, START, 4, INWARDS};
    check_near(tal_surface_volume(&solid), 7, 1e-12);
    check_near(tal_surface_volume(&void_), -7, 1e-12);
    const tal_surface nothing = {TETRA, 0, START, 0, OUTWARDS};
    check_near(tal_surface_volume(&nothing), 0, 0);
}

// An L of two unit squares and one, two high: not convex, its upper face a loop of six corners.
static void a_surface_that_is_not_convex_has_its_volume(void **state) {
    (void)state;
    const double xy[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    tal_vec3 vertex[12];
    int32_t start[9] = {0}, corner[36], used = 0;
    for (int k = 0; k < 6; k++) {
        vertex[k] = tal_vec3_make(xy[k][0], xy[k][1], 0);
        vertex[6 + k] = tal_vec3_make(xy[k][0], xy[k][1], 2);
        corner[used + 5 - k] = k;
        corner[used + 6 + k] = 6 + k;
    }
    used = 12;
    start[1] = 6;
    start[2] = 12;
    for (int k = 0; k < 6; k++) {
        const int next = (k + 1) % 6;
        const int32_t side[4] = {k, next, 6 + next, 6 + k};
        memcpy(&corner[used], side, sizeof side);
        used += 4;
        start[3 + k] = used;
    }
    const tal_surface solid = {vertex, 12, start, 8, corner};
    check_near(tal_surface_volume(&solid), 6, 1e-14);
    const tal_mass_properties mass = tal_surface_mass(&solid);
    check_near(mass.volume, 6, 1e-14);
    check_near(mass.centroid.x, 5.0 / 6, 1e-14); // (2 * 1/2 + 1 * 3/2) / 3
    check_near(mass.centroid.z, 1, 1e-14);
    tal_vec3 low, high;
    tal_surface_bounds(&solid, &low, &high);
    check_near(low.x + low.y + low.z, 0, 0);
    check_near(high.x, 2, 0);
    check_near(high.y, 2, 0);
    check_near(high.z, 2, 0);
}

static void a_part_of_a_shared_corner_list_is_a_surface_too(void **state) {
    (void)state;
    const int32_t start[5] = {5, 8, 11, 14, 17};
    int32_t corner[17];
    memset(corner, 0x7f, sizeof corner); // what stands before is never read
    memcpy(corner + 5, OUTWARDS, sizeof OUTWARDS);
    const tal_surface solid = {TETRA, 4, start, 4, corner};
    check_near(tal_surface_volume(&solid), 7, 1e-12);
    check_near(tal_surface_mass(&solid).volume, 7, 1e-9);
}

static void principal_axes_of_a_turned_box_are_its_edges(void **state) {
    (void)state;
    // Moments m (b^2 + c^2)/12 of a 2 x 3 x 5 box, turned by 30 degrees about z.
    const double angle = tal_radians(30), c = cos(angle), s = sin(angle), m = 30.0 / 12;
    const double a = m * 34, b = m * 29, z = m * 13;
    const double inertia[3][3] = {{c * c * a + s * s * b, c * s * (a - b), 0},
                                  {c * s * (a - b), s * s * a + c * c * b, 0},
                                  {0, 0, z}};
    const tal_principal_axes principal = tal_inertia_principal(inertia);
    check_near(principal.moment[0], z, 1e-12);
    check_near(principal.moment[1], b, 1e-12);
    check_near(principal.moment[2], a, 1e-12);
    check_near(fabs(principal.axis[2][0]), 1, 1e-14);
    check_near(fabs(principal.axis[0][1]), s, 1e-14);
    check_near(fabs(principal.axis[1][1]), c, 1e-14);
}

static void half_a_turn_is_pi(void **state) {
    (void)state;
    check_near(tal_radians(180), acos(-1), 0);
    check_near(sin(tal_radians(30)), 0.5, 1e-15);
    check_near(tal_degrees(atan(1)), 45, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_tetrahedron_has_a_sixth_of_the_box),
        cmocka_unit_test(a_surface_that_is_not_convex_has_its_volume),
        cmocka_unit_test(a_part_of_a_shared_corner_list_is_a_surface_too),
        cmocka_unit_test(principal_axes_of_a_turned_box_are_its_edges),
        cmocka_unit_test(half_a_turn_is_pi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

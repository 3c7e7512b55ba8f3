// SPDX-License-Identifier: GPL-3.0-or-later
// Polyhedra filled with tetrahedra: volume, surface and edge lengths against closed forms, and such a mesh
// as a body.
#include "tests/support/check.h"

#include "solver/deformable/solid.h"

// A pyramid cut off at half its height: square faces of 2 and 1, height 1.
static const tal_vec3 STUMP[8] = {{-1, -1, 0},     {1, -1, 0},     {1, 1, 0},     {-1, 1, 0},
                                  {-0.5, -0.5, 1}, {0.5, -0.5, 1}, {0.5, 0.5, 1}, {-0.5, 0.5, 1}};
static const int32_t SIZES[6] = {4, 4, 4, 4, 4, 4};
static const int32_t LOOPS[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4,
                                  1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};

static tal_shape_input stump(tal_vec3 vertex[8], tal_vec3 shift) {
    for (int k = 0; k < 8; k++) {
        vertex[k] = tal_vec3_add(STUMP[k], shift);
    }
    return (tal_shape_input){TAL_SHAPE_POLYHEDRON, 0.0, 8, vertex, 6, SIZES, LOOPS};
}

static double volume_of(const tal_filling *f, double *least, double *longest) {
    double sum = 0.0;
    *least = INFINITY;
    *longest = 0.0;
    for (int32_t t = 0; t < f->tetrahedron_count; t++) {
        tal_vec3 x[4];
        for (int k = 0; k < 4; k++) {
            x[k] = f->node_m[f->tetrahedron[4 * t + k]];
        }
        const tal_vec3 a = tal_vec3_subtract(x[1], x[0]), b = tal_vec3_subtract(x[2], x[0]);
        const double v = tal_vec3_dot(tal_vec3_cross(a, b), tal_vec3_subtract(x[3], x[0])) / 6.0;
        *least = fmin(*least, v);
        sum += v;
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < k; l++) {
                *longest = fmax(*longest, tal_vec3_length(tal_vec3_subtract(x[k], x[l])));
            }
        }
    }
    return sum;
}

static double surface_of(const tal_solid *s) {
    double sum = 0.0;
    for (int32_t t = 0; t < s->triangle_count; t++) {
        const int32_t *n = &s->triangle[3 * t];
        const tal_vec3 a = tal_vec3_subtract(s->node[n[1]], s->node[n[0]]);
        const tal_vec3 b = tal_vec3_subtract(s->node[n[2]], s->node[n[0]]);
        sum += 0.5 * tal_vec3_length(tal_vec3_cross(a, b));
    }
    return sum;
}

static void a_stump_is_filled_without_holes(void **unused) {
    (void)unused;
    const double size[3] = {2.0, 1.2, 0.7}, exact = 7.0 / 3.0;
    const double slant = 4.0 * 0.5 * (2.0 + 1.0) * sqrt(1.25); // four trapezoids
    const double height = 11.0 / 28.0; // of the centroid: (1 + 2 * 0.5 + 3 * 0.25) / (4 * 1.75)
    for (int k = 0; k < 3; k++) {
        tal_vec3 vertex[8];
        tal_filling f;
        tal_solid solid;
        double least, longest;
        const tal_shape_input shape = stump(vertex, (tal_vec3){0.0, 0.0, -height});
        check_ok(tal_filling_create(&f, &shape, size[k], &check_error));
        check_near(volume_of(&f, &least, &longest), exact, 1e-13);
        assert_true(least > 0.0 && longest <= size[k]);
        // Its own moments: what is tested is the surface; a hanging node would show as more of it.
        const tal_solid_input input = {.kinematics = TAL_KINEMATICS_FLOATING_FRAME,
                                       .density_kg_m3 = 1000.0,
                                       .young_pa = 1e9,
                                       .poisson = 0.2,
                                       .lumped_mass = true,
                                       .node_count = f.node_count,
                                       .node_m = f.node_m,
                                       .tetrahedron_count = f.tetrahedron_count,
                                       .tetrahedron = f.tetrahedron};
        check_ok(tal_solid_create(
            &solid, &input, "stump", 1000.0 * exact, (tal_vec3){500.0, 500.0, 800.0},
            tal_elastic_step_of(1e-3, true, TAL_ELASTIC_THETA), &check_error));
        check_near(surface_of(&solid), 4.0 + 1.0 + slant, 1e-12);
        tal_solid_destroy(&solid);
        tal_filling_destroy(&f);
    }
}

static void elements_too_small_are_refused(void **unused) {
    (void)unused;
    tal_vec3 vertex[8];
    tal_filling f;
    const tal_shape_input shape = stump(vertex, (tal_vec3){0});
    check_fails(tal_filling_create(&f, &shape, 1e-3, &check_error), TAL_TOO_LARGE,
                "use larger elements");
    check_fails(tal_filling_create(&f, &shape, 0.0, &check_error), TAL_BAD_INPUT,
                "element_m = 0 must be above 0");
    assert_null(f.node_m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stump_is_filled_without_holes),
        cmocka_unit_test(elements_too_small_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

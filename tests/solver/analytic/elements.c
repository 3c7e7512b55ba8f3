// SPDX-License-Identifier: GPL-3.0-or-later
// Elements against closed forms and independently computed digits: matrices of one element, the patch
// test, frequencies of free and of held bodies with their order of convergence.
#include "tests/solver/scenes/box_mesh.h"
#include "tests/support/check.h"

#include "solver/deformable/solid.h"

#include <lapacke.h>

static const double PI = 3.14159265358979323846;

static tal_vec3 box_inertia(double mass, const double size[3]) {
    const double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
    return (tal_vec3){mass * (y + z) / 12.0, mass * (z + x) / 12.0, mass * (x + y) / 12.0};
}

static void unit_cube(tal_vec3 x[8]) {
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int a = 0; a < 8; a++) {
        x[a] = tal_vec3_make(corner[a][0], corner[a][1], corner[a][2]);
    }
}

static void symmetric_eigenvalues(double *a, int size, double *value) {
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', size, a, size, value), 0);
}

static void a_unit_cube_has_the_stiffness_of_the_closed_form(void **unused) {
    (void)unused;
    tal_vec3 x[8];
    double k[24 * 24], value[24], trace;
    const struct {
        double nu, row[6], far, trace, largest;
    } expected[2] = {{0.2,
                      {0.216049382716, 0.057870370370, 0.057870370370, -0.077160493827,
                       -0.011574074074, -0.011574074074},
                      -0.054012345679,
                      140.0 / 27.0,
                      1.0 / (2.0 * (1.0 - 2.0 * 0.2))},
                     {0.3,
                      {55.0 / 234.0, 0.080128205128, 0.080128205128, -0.106837606838,
                       0.016025641026, 0.016025641026},
                      NAN,
                      5.641025641026,
                      1.25}};
    unit_cube(x);
    for (int n = 0; n < 2; n++) {
        tal_element_stiffness(&tal_hexahedron, x, tal_elasticity_make(1.0, expected[n].nu), k);
        for (int c = 0; c < 6; c++) {
            check_near(k[c], expected[n].row[c], 6e-13);
        }
        trace = 0.0;
        for (int c = 0; c < 24; c++) {
            trace += k[25 * c];
        }
        check_near(trace, expected[n].trace, 6e-13);
        if (!isnan(expected[n].far)) {
            check_near(k[18], expected[n].far, 6e-13);
        }
        symmetric_eigenvalues(k, 24, value);
        for (int c = 0; c < 6; c++) {
            check_near(value[c], 0.0, 1e-14);
        }
        assert_true(value[6] > 1e-2);
        check_near(value[23], expected[n].largest, 1e-13);
    }
}

static void a_unit_cube_has_the_consistent_mass(void **unused) {
    (void)unused;
    tal_vec3 x[8];
    double m[64];
    unit_cube(x);
    tal_element_mass(&tal_hexahedron, x, 1.0, m);
    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            const tal_vec3 d = tal_vec3_subtract(x[a], x[b]); // edges apart: 0, 1, 2, 3
            const int apart = (int)(fabs(d.x) + fabs(d.y) + fabs(d.z));
            check_near(m[8 * a + b], 1.0 / 27.0 / (1 << apart), 1e-16);
        }
    }
}

static void a_tetrahedron_has_the_consistent_mass(void **unused) {
    (void)unused;
    const tal_vec3 x[4] = {{0.1, 0, 0}, {1.1, 0.2, 0}, {0, 2, 0.3}, {0.3, 0.1, 1.5}};
    const tal_vec3 a = tal_vec3_subtract(x[1], x[0]), b = tal_vec3_subtract(x[2], x[0]);
    const double volume = tal_vec3_dot(tal_vec3_cross(a, b), tal_vec3_subtract(x[3], x[0])) / 6.0;
    double m[16];
    tal_element_mass(&tal_tetrahedron, x, 2.0, m);
    for (int n = 0; n < 16; n++) {
        check_near(m[n], 2.0 * volume / 20.0 * (n % 5 == 0 ? 2.0 : 1.0), 1e-15);
    }
}

// A cube of 2 x 2 x 2 cells whose inner node is out of place, in a linear field: only its surface feels
// forces, and the inner node follows the field.
static void patch_test(bool of_tetrahedra) {
    const double size[3] = {1.0, 1.0, 1.0},
                 field[3][3] = {{1e-4, 2e-5, -3e-5}, {4e-5, -1e-4, 5e-5}, {-6e-5, 7e-5, 1.5e-4}};
    const int n[3] = {2, 2, 2};
    box_mesh mesh = box_mesh_make(size, n, of_tetrahedra);
    const int32_t inner = box_mesh_node(n, 1, 1, 1);
    mesh.node[inner] = tal_vec3_make(0.11, -0.07, 0.09);
    tal_solid_input input = box_mesh_solid(&mesh, TAL_KINEMATICS_FLOATING_FRAME);
    input.density_kg_m3 = 2500.0;
    input.young_pa = 35e9;
    input.poisson = 0.2;
    tal_solid solid;
    check_ok(tal_solid_create(&solid, &input, "patch", 2500.0, box_inertia(2500.0, size),
                              tal_elastic_step_of(1e-4, true, TAL_ELASTIC_THETA), &check_error));
    double u[81], f[81], largest = 0.0;
    for (int a = 0; a < 27; a++) {
        const double x[3] = {mesh.node[a].x, mesh.node[a].y, mesh.node[a].z};
        for (int i = 0; i < 3; i++) {
            u[3 * a + i] = field[i][0] * x[0] + field[i][1] * x[1] + field[i][2] * x[2];
        }
    }
    tal_block_matrix_multiply(&solid.stiffness, u, f);
    for (int k = 0; k < 81; k++) {
        largest = fmax(largest, fabs(f[k]));
    }
    assert_true(largest > 1e3);
    for (int i = 0; i < 3; i++) {
        check_near(f[3 * inner + i], 0.0, 1e-14 * largest);
    }
    check_near(solid.total_mass, 2500.0, 1e-10);
    tal_solid_destroy(&solid);
    box_mesh_destroy(&mesh);
}

static void linear_fields_are_exact_in_distorted_hexahedra(void **unused) {
    (void)unused;
    patch_test(false);
}

static void linear_fields_are_exact_in_distorted_tetrahedra(void **unused) {
    (void)unused;
    patch_test(true);
}

// Frequencies in Hz of all modes, rising; held nodes are left out, and if wanted all motion but that along
// z. The caller frees them.
static double *frequencies(const tal_solid *s, bool axial, int *count) {
    int *place = calloc((size_t)s->node_count, sizeof *place), rows = 0;
    const int parts = axial ? 1 : 3, first = axial ? 2 : 0;
    for (int32_t a = 0; a < s->node_count; a++) {
        place[a] = s->is_held[a] ? -1 : parts * rows++;
    }
    const size_t size = (size_t)(parts * rows);
    double *k = calloc(size * size, sizeof *k), *m = calloc(size * size, sizeof *m);
    double *value = calloc(size, sizeof *value);
    for (int32_t a = 0; a < s->node_count; a++) {
        for (int64_t p = s->stiffness.start[a]; p < s->stiffness.start[a + 1]; p++) {
            const int row = place[a], column = place[s->stiffness.column[p]];
            for (int e = 0; row >= 0 && column >= 0 && e < parts * parts; e++) {
                const int i = e / parts, j = e % parts;
                const size_t at = (size_t)(row + i) * size + (size_t)(column + j);
                k[at] = s->stiffness.value[9 * p + 3 * (first + i) + first + j];
                m[at] = i == j ? s->mass[p] : 0.0;
            }
        }
    }
    const int n = (int)size;
    assert_int_equal(LAPACKE_dsygvd(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, k, n, m, n, value), 0);
    for (int v = 0; v < n; v++) {
        value[v] = sqrt(fmax(value[v], 0.0)) / (2.0 * PI);
    }
    free(place);
    free(k);
    free(m);
    *count = n;
    return value;
}

typedef struct {
    const double *size;
    const int *n;
    bool lumped, tetrahedra, held, axial; // held: at the lower end of z
    double poisson;
} bar;

static double *bar_frequencies(bar of, int *count, tal_solid *solid) {
    box_mesh mesh = box_mesh_make(of.size, of.n, of.tetrahedra);
    const double mass = 2500.0 * of.size[0] * of.size[1] * of.size[2];
    const tal_kinematics kind = of.held ? TAL_KINEMATICS_SMALL : TAL_KINEMATICS_FLOATING_FRAME;
    tal_solid_input input = box_mesh_solid(&mesh, kind);
    int32_t held[1024];
    input.density_kg_m3 = 2500.0;
    input.young_pa = 35e9;
    input.poisson = of.poisson;
    input.lumped_mass = of.lumped;
    input.held_node = held;
    for (int k = 0; of.held && k < (of.n[0] + 1) * (of.n[1] + 1); k++) {
        held[input.held_count++] = k;
    }
    check_ok(tal_solid_create(solid, &input, "bar", mass, box_inertia(mass, of.size),
                              tal_elastic_step_of(1e-4, true, TAL_ELASTIC_THETA), &check_error));
    box_mesh_destroy(&mesh);
    return frequencies(solid, of.axial, count);
}

static const double CUBOID[3] = {1.0, 1.0, 2.0};
static const int CELLS[3] = {4, 4, 8};

static void the_free_cuboid_rings_at_the_reference_frequencies(void **unused) {
    (void)unused;
    const double consistent[] = {572.671353233,  635.008102509,  635.008102509,  932.945383135,
                                 1101.126453447, 1101.126453447, 1168.340283875, 1334.347868891};
    const double lumped[] = {532.24662065, 594.659950208, 594.659950208,  919.523074992,
                             1017.6194644, 1017.6194644,  1039.601196302, 1189.562437297};
    for (int of = 0; of < 2; of++) {
        tal_solid solid;
        int count;
        double *f = bar_frequencies((bar){CUBOID, CELLS, of == 1, false, false, false, 0.2}, &count,
                                    &solid);
        assert_int_equal(count, 675);
        assert_true(f[5] < 0.05); // rigid: nothing but rounding
        for (int n = 0; n < 8; n++) {
            check_near(f[6 + n], of == 1 ? lumped[n] : consistent[n], 2e-7);
        }
        check_near(f[count - 1], of == 1 ? 5074.0284 : 11506.2163, 1e-4);
        const double moments[2][3] = {{6250.0 / 3.0, 6250.0 / 3.0, 2500.0 / 3.0},
                                      {2187.5, 2187.5, 937.5}};
        for (int i = 0; i < 3; i++) {
            check_near(solid.inertia.m[i][i], moments[of][i], 1e-9);
        }
        free(f);
        tal_solid_destroy(&solid);
    }
}

static double nearest_frequency(const double *f, int count, double wanted) {
    double nearest = f[0];
    for (int n = 1; n < count; n++) {
        nearest = fabs(f[n] - wanted) < fabs(nearest - wanted) ? f[n] : nearest;
    }
    return nearest;
}

// Axial modes of linear elements: (c/2 pi) sqrt(6/a^2 (1 - cos ka)/(2 + cos ka)), k = pi/(2 L).
static void a_held_rod_rings_at_the_discrete_closed_form(void **unused) {
    (void)unused;
    const double size[3] = {0.1, 0.1, 2.0}, c = sqrt(35e9 / 2500.0), exact = c / 8.0;
    const double digits[2] = {468.458846928, 467.895024878};
    double error[2];
    check_near(exact, 467.707173347, 1e-9);
    for (int of = 0; of < 2; of++) {
        const int n[3] = {1, 1, 8 << of};
        const double a = 2.0 / n[2], k = PI / 4.0;
        const double expected =
            c / (2.0 * PI) * sqrt(6.0 / (a * a) * (1.0 - cos(k * a)) / (2.0 + cos(k * a)));
        tal_solid solid;
        int count;
        double *f = bar_frequencies((bar){size, n, false, false, true, false, 0.0}, &count, &solid);
        check_near(expected, digits[of], 1e-9);
        check_near(nearest_frequency(f, count, expected), expected, 1e-7);
        error[of] = nearest_frequency(f, count, expected) - exact;
        free(f);
        tal_solid_destroy(&solid);
    }
    check_near(log2(error[0] / error[1]), 2.0, 0.01);
}

// One element across: shear locks the bending by sqrt(1 + (a/b)^2/2).
static void a_cantilever_of_one_row_locks_as_much_as_the_closed_form_says(void **unused) {
    (void)unused;
    const double size[3] = {0.1, 0.1, 2.0}, beam = 15.1106897;
    const double digits[3] = {30.6106, 20.1324, 16.4955};
    const double exact = 1.875104068711961 * 1.875104068711961 / (2.0 * PI * 4.0) *
                         sqrt(35e9 * 0.01 / (12.0 * 2500.0));
    check_near(exact, beam, 1e-6);
    for (int of = 0; of < 3; of++) {
        const int n[3] = {1, 1, 8 << of};
        const double ratio = 2.0 / n[2] / 0.1;
        tal_solid solid;
        int count;
        double *f = bar_frequencies((bar){size, n, false, false, true, false, 0.0}, &count, &solid);
        check_near(f[0], digits[of], 5e-5);
        check_near(f[0] / beam, sqrt(1.0 + 0.5 * ratio * ratio), 6e-3);
        free(f);
        tal_solid_destroy(&solid);
    }
}

// Tetrahedra converge to the same frequency from above, with second order.
static void tetrahedra_converge_to_the_rod(void **unused) {
    (void)unused;
    const double size[3] = {0.5, 0.5, 2.0}, exact = sqrt(35e9 / 2500.0) / 8.0;
    double error[2];
    for (int of = 0; of < 2; of++) {
        const int n[3] = {2 << of, 2 << of, 8 << of};
        tal_solid solid;
        int count;
        double *f = bar_frequencies((bar){size, n, false, true, true, true, 0.0}, &count, &solid);
        error[of] = nearest_frequency(f, count, exact) - exact;
        free(f);
        tal_solid_destroy(&solid);
    }
    assert_true(error[0] > 0.0 && error[1] > 0.0);
    check_near(log2(error[0] / error[1]), 2.0, 0.15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_cube_has_the_stiffness_of_the_closed_form),
        cmocka_unit_test(a_unit_cube_has_the_consistent_mass),
        cmocka_unit_test(a_tetrahedron_has_the_consistent_mass),
        cmocka_unit_test(linear_fields_are_exact_in_distorted_hexahedra),
        cmocka_unit_test(linear_fields_are_exact_in_distorted_tetrahedra),
        cmocka_unit_test(the_free_cuboid_rings_at_the_reference_frequencies),
        cmocka_unit_test(a_held_rod_rings_at_the_discrete_closed_form),
        cmocka_unit_test(a_cantilever_of_one_row_locks_as_much_as_the_closed_form_says),
        cmocka_unit_test(tetrahedra_converge_to_the_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of a solid against plain sums over its matrices, and the same bits whatever the processor.
#include "solver/deformable/solid.h"
#include "tests/solver/scenes/box_mesh.h"
#include "tests/support/check.h"

enum { NODES = 4 * 3 * 5, SIZE = 3 * NODES };

typedef struct {
    box_mesh mesh;
    tal_solid solid;
    double x[SIZE];
} rig;

static void begin(rig *r) {
    const double size[3] = {1.5, 1.0, 2.0}, mass = 2500.0 * 3.0;
    const int cells[3] = {3, 2, 4};
    const tal_vec3 inertia = {mass * 5.0 / 12.0, mass * 6.25 / 12.0, mass * 3.25 / 12.0};
    r->mesh = box_mesh_make(size, cells, false);
    tal_solid_input input = box_mesh_solid(&r->mesh, TAL_KINEMATICS_TOTAL_LAGRANGIAN);
    input.density_kg_m3 = 2500.0;
    input.young_pa = 1e9;
    input.poisson = 0.2;
    input.damping_stiffness_s = 1e-3;
    check_ok(tal_solid_create(&r->solid, &input, "box", mass, inertia,
                              tal_elastic_step_of(1e-3, true, TAL_ELASTIC_THETA), &check_error));
    assert_int_equal(r->solid.node_count, NODES);
    for (int k = 0; k < SIZE; k++) {
        r->x[k] = sin(3.0 * k) + 0.1 * cos(k * k);
    }
}

static void end(rig *r) {
    tal_solid_destroy(&r->solid);
    box_mesh_destroy(&r->mesh);
}

static int list_kernels(const tal_solid_kernel *kernel[2]) {
    kernel[0] = &tal_solid_kernel_plain;
    kernel[1] = tal_solid_kernel_best();
    return kernel[1] == kernel[0] ? 1 : 2;
}

static double largest_of(const double *x, int count) {
    double most = 0.0;
    for (int k = 0; k < count; k++) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

static void check_all_near(const double *found, const double *expected, int count, double share) {
    const double most = largest_of(expected, count);
    assert_true(most > 0.0);
    for (int k = 0; k < count; k++) {
        check_near(found[k], expected[k], share * most);
    }
}

// Results of both kernels one after the other.
static void check_same_bits(const double *made, int count, int kernels) {
    if (kernels == 2) {
        assert_memory_equal(made, made + count, (size_t)count * sizeof *made);
    }
}

static void products_are_those_of_the_matrices(void **unused) {
    (void)unused;
    static rig r;
    const tal_solid_kernel *kernel[2];
    const int kernels = list_kernels(kernel);
    double stiffness[2 * SIZE], mass[2 * SIZE], expected[SIZE] = {0.0};
    begin(&r);
    for (int k = 0; k < kernels; k++) {
        kernel[k]->multiply(&r.solid.stiffness, r.x, &stiffness[SIZE * k]);
        kernel[k]->multiply_mass(&r.solid.stiffness, r.solid.mass, r.x, &mass[SIZE * k]);
    }
    tal_block_matrix_multiply(&r.solid.stiffness, r.x, expected);
    check_all_near(stiffness, expected, SIZE, 1e-14);
    for (int32_t a = 0; a < NODES; a++) {
        for (int i = 0; i < 3; i++) {
            expected[3 * a + i] = 0.0;
            for (int64_t p = r.solid.stiffness.start[a]; p < r.solid.stiffness.start[a + 1]; p++) {
                expected[3 * a + i] += r.solid.mass[p] * r.x[3 * r.solid.stiffness.column[p] + i];
            }
        }
    }
    check_all_near(mass, expected, SIZE, 1e-14);
    check_same_bits(stiffness, SIZE, kernels);
    check_same_bits(mass, SIZE, kernels);
    end(&r);
}

// A x back from x, with all of b and with a percussion at one node.
static void substitution_solves_the_system(void **unused) {
    (void)unused;
    static rig r;
    const tal_solid_kernel *kernel[2];
    const int kernels = list_kernels(kernel);
    double b[SIZE], found[2 * SIZE], back[SIZE], scratch[12 * NODES], columns[2 * 9 * NODES];
    begin(&r);
    for (int trial = 0; trial < 2; trial++) {
        for (int k = 0; k < SIZE; k++) {
            b[k] = trial == 0 || k / 3 == 17 ? r.x[k] : 0.0;
        }
        for (int k = 0; k < kernels; k++) {
            kernel[k]->solve(&r.solid.level[0].factor, b, scratch, &found[SIZE * k]);
        }
        tal_block_matrix_multiply(&r.solid.system, found, back);
        check_all_near(back, b, SIZE, 1e-12);
        check_same_bits(found, SIZE, kernels);
    }
    for (int k = 0; k < kernels; k++) { // of node 17: its columns are what single percussions do
        kernel[k]->invert(&r.solid.level[0].factor, 17, scratch, &columns[9 * NODES * k]);
    }
    check_same_bits(columns, 9 * NODES, kernels);
    for (int32_t a = 0; a < NODES; a++) {
        for (int i = 0; i < 3; i++) {
            back[3 * a + i] = 0.0;
            for (int j = 0; j < 3; j++) {
                back[3 * a + i] += columns[9 * a + 3 * i + j] * b[3 * 17 + j];
            }
        }
    }
    check_all_near(back, found, SIZE, 1e-12);
    end(&r);
}

static void a_field_changes_the_second_moment(void **unused) {
    (void)unused;
    static rig r;
    const tal_solid_kernel *kernel[2];
    const int kernels = list_kernels(kernel);
    double moment[2][3][3] = {{{0.0}}}, md[SIZE], expected[9] = {0.0};
    begin(&r);
    tal_solid_multiply_mass(&r.solid, r.x, md);
    for (int k = 0; k < kernels; k++) {
        kernel[k]->add_moment(NODES, &r.solid.mass_node->x, md, r.x, moment[k]);
    }
    for (int32_t a = 0; a < NODES; a++) {
        const double m[3] = {r.solid.mass_node[a].x, r.solid.mass_node[a].y,
                             r.solid.mass_node[a].z};
        for (int e = 0; e < 9; e++) {
            const int i = e / 3, j = e % 3;
            expected[e] +=
                m[i] * r.x[3 * a + j] + r.x[3 * a + i] * m[j] + r.x[3 * a + i] * md[3 * a + j];
        }
    }
    check_all_near(&moment[0][0][0], expected, 9, 1e-13);
    check_same_bits(&moment[0][0][0], 9, kernels);
    end(&r);
}

// Answers of the nodes in `slot` to a push at one node, or between three, along axes that are askew.
static void check_answers(const rig *r, int touched, const int32_t *slot, int column, int count) {
    enum { COLUMN_MAX = 20 };
    const tal_solid_kernel *kernel[2];
    const int kernels = list_kernels(kernel);
    const double axis[3][3] = {{0.6, 0.0, 0.8}, {0.8, 0.0, -0.6}, {0.0, -1.0, 0.0}};
    const double weight[3] = {count == 1 ? 1.0 : 0.5, 0.3, 0.2}, push[3] = {2.0, -1.0, 0.5};
    const double *compliance = r->solid.level[0].compliance, *row[3];
    const int32_t surface = r->solid.surface_count, of[3] = {surface - 1, 9, 14};
    double answer[2 * 3 * COLUMN_MAX], rate[2 * COLUMN_MAX] = {0.0}, expected[COLUMN_MAX] = {0.0};
    for (int n = 0; n < 3; n++) {
        row[n] = &compliance[9 * of[n] * surface];
    }
    for (int k = 0; k < kernels; k++) {
        kernel[k]->answer(touched, slot, count, row, weight, axis, column, &answer[3 * column * k]);
        kernel[k]->strike(column, &answer[3 * column * k], push, &rate[column * k]);
    }
    for (int a = 0; a < touched; a++) {
        for (int e = 0; e < 9 * count; e++) { // G' times the push in the axes of the body
            const int n = e / 9, i = e % 3, j = e / 3 % 3;
            const double along = axis[0][j] * push[0] + axis[1][j] * push[1] + axis[2][j] * push[2];
            expected[3 * a + i] +=
                weight[n] * compliance[9 * (of[n] * surface + slot[a]) + 3 * j + i] * along;
        }
    }
    check_all_near(rate, expected, column, 1e-14);
    for (int k = 3 * touched; k < column; k++) {
        assert_true(answer[k] == 0.0 && answer[column + k] == 0.0);
    }
    check_same_bits(answer, 3 * column, kernels);
    check_same_bits(rate, column, kernels);
}

// Where columns end with the last node and where zeros follow it; the last block of all is among them.
static void answers_are_the_compliance_along_the_axes(void **unused) {
    (void)unused;
    static rig r;
    begin(&r);
    const int32_t slot[6] = {3, r.solid.surface_count - 1, 11, 12, 30, 7};
    for (int count = 1; count <= 3; count += 2) {
        check_answers(&r, 6, slot, 20, count);
        check_answers(&r, 4, slot, 12, count);
        check_answers(&r, 2, slot, 8, count);
    }
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_matrices),
                                       cmocka_unit_test(substitution_solves_the_system),
                                       cmocka_unit_test(a_field_changes_the_second_moment),
                                       cmocka_unit_test(answers_are_the_compliance_along_the_axes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

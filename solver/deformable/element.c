// SPDX-License-Identifier: GPL-3.0-or-later
// Shape functions, masses and stiffnesses of the elements.
#include "solver/deformable/element.h"

#include <math.h>

#define G   0.57735026918962576451 // 1/sqrt(3)
#define T_A 0.58541019662496845446
#define T_B 0.13819660112501051518

static const double CORNER[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static void shape_hexahedron(const double xi[3], double n[8], double slope[8][3]) {
    for (int a = 0; a < 8; a++) {
        const double x = 1.0 + CORNER[a][0] * xi[0], y = 1.0 + CORNER[a][1] * xi[1],
                     z = 1.0 + CORNER[a][2] * xi[2];
        n[a] = 0.125 * x * y * z;
        slope[a][0] = 0.125 * CORNER[a][0] * y * z;
        slope[a][1] = 0.125 * CORNER[a][1] * x * z;
        slope[a][2] = 0.125 * CORNER[a][2] * x * y;
    }
}

static void shape_tetrahedron(const double xi[3], double n[8], double slope[8][3]) {
    static const double of_node[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    n[0] = 1.0 - xi[0] - xi[1] - xi[2];
    for (int a = 0; a < 4; a++) {
        n[a] = a > 0 ? xi[a - 1] : n[0];
        for (int i = 0; i < 3; i++) {
            slope[a][i] = of_node[a][i];
        }
    }
}

#define HEXAHEDRON_POINTS                                                                          \
    {                                                                                              \
        8, {{-G, -G, -G}, {G, -G, -G}, {G, G, -G}, {-G, G, -G},                                    \
            {-G, -G, G},  {G, -G, G},  {G, G, G},  {-G, G, G}},                                    \
        {                                                                                          \
            1, 1, 1, 1, 1, 1, 1, 1                                                                 \
        }                                                                                          \
    }

const tal_element_kind tal_hexahedron = {
    .name = "hexahedron",
    .node_count = 8,
    .shape = shape_hexahedron,
    .forces = HEXAHEDRON_POINTS,
    .mass = HEXAHEDRON_POINTS,
    .middle = {0, 0, 0},
    .face_count = 6,
    .face_size = 4,
    .face = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

const tal_element_kind tal_tetrahedron = {
    .name = "tetrahedron",
    .node_count = 4,
    .shape = shape_tetrahedron,
    .forces = {1, {{0.25, 0.25, 0.25}}, {1.0 / 6.0}},
    .mass = {4,
             {{T_B, T_B, T_B}, {T_A, T_B, T_B}, {T_B, T_A, T_B}, {T_B, T_B, T_A}},
             {1.0 / 24.0, 1.0 / 24.0, 1.0 / 24.0, 1.0 / 24.0}},
    .middle = {0.25, 0.25, 0.25},
    .face_count = 4,
    .face_size = 3,
    .face = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};

static double determinant(double m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Of a matrix with a determinant other than zero.
static void invert(double m[3][3], double det, double inverse[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[i][j] = (m[r][c] * m[s][d] - m[r][d] * m[s][c]) / det;
        }
    }
}

tal_element_point tal_element_at(const tal_element_kind *kind, const tal_vec3 *x,
                                 const double xi[3]) {
    double slope[TAL_ELEMENT_NODES_MAX][3], by[3][3] = {{0}}, inverse[3][3];
    tal_element_point at = {0};
    kind->shape(xi, at.n, slope);
    for (int a = 0; a < kind->node_count; a++) {
        const double place[3] = {x[a].x, x[a].y, x[a].z};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                by[i][j] += place[i] * slope[a][j]; // dx_i / dxi_j
            }
        }
    }
    at.jacobian = determinant(by);
    if (at.jacobian == 0.0) {
        return at;
    }
    invert(by, at.jacobian, inverse);
    for (int a = 0; a < kind->node_count; a++) {
        for (int i = 0; i < 3; i++) {
            at.gradient[a][i] = slope[a][0] * inverse[0][i] + slope[a][1] * inverse[1][i] +
                                slope[a][2] * inverse[2][i];
        }
    }
    return at;
}

double tal_element_quality(const tal_element_kind *kind, const tal_vec3 *x) {
    double least = INFINITY, sum = 0.0;
    for (int p = 0; p < kind->forces.count; p++) {
        const double there = tal_element_at(kind, x, kind->forces.point[p]).jacobian;
        least = fmin(least, there);
        sum += there;
    }
    for (int a = 0; kind->node_count == 8 && a < 8; a++) {
        least = fmin(least, tal_element_at(kind, x, CORNER[a]).jacobian);
    }
    return sum > 0.0 ? least * kind->forces.count / sum : -1.0;
}

void tal_element_mass(const tal_element_kind *kind, const tal_vec3 *x, double density, double *m) {
    const int count = kind->node_count;
    for (int n = 0; n < count * count; n++) {
        m[n] = 0.0;
    }
    for (int p = 0; p < kind->mass.count; p++) {
        const tal_element_point at = tal_element_at(kind, x, kind->mass.point[p]);
        const double share = density * at.jacobian * kind->mass.weight[p];
        for (int a = 0; a < count; a++) {
            for (int b = 0; b < count; b++) {
                m[count * a + b] += share * at.n[a] * at.n[b];
            }
        }
    }
}

// lambda g_a g_b' + mu (g_b g_a' + g_a.g_b 1): what a displacement of node b does to node a
static void add_block(const double *ga, const double *gb, tal_elasticity law, double share,
                      double *k, int row_size) {
    const double dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k[row_size * i + j] += share * (law.lambda * ga[i] * gb[j] + law.mu * gb[i] * ga[j] +
                                            (i == j ? law.mu * dot : 0.0));
        }
    }
}

void tal_element_stiffness(const tal_element_kind *kind, const tal_vec3 *x, tal_elasticity law,
                           double *k) {
    const int count = kind->node_count, size = 3 * count;
    for (int n = 0; n < size * size; n++) {
        k[n] = 0.0;
    }
    for (int p = 0; p < kind->forces.count; p++) {
        const tal_element_point at = tal_element_at(kind, x, kind->forces.point[p]);
        const double share = at.jacobian * kind->forces.weight[p];
        for (int a = 0; a < count; a++) {
            for (int b = 0; b < count; b++) {
                add_block(at.gradient[a], at.gradient[b], law, share, &k[3 * a * size + 3 * b],
                          size);
            }
        }
    }
}

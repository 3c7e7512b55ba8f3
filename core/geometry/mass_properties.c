// SPDX-License-Identifier: GPL-3.0-or-later
// Exact mass properties by signed tetrahedra; principal axes by Jacobi rotations.
#include "core/geometry/mass_properties.h"

#include <string.h>

// Integrals over a solid: of 1, of the coordinates, and of their products.
typedef struct {
    double volume;
    double first[3];
    double second[3][3];
} integrals;

// Tetrahedron (0, a, b, c). With J = a . (b x c): volume J/6, first moments J/24 (a + b + c), second
// moments J/120 (sum of p_i p_j over a, b, c and a + b + c); docs/theory/mesher.md (8).
static void add_tetrahedron(integrals *sum, tal_vec3 a, tal_vec3 b, tal_vec3 c) {
    const double j = tal_tetrahedron_six(a, b, c);
    const double corner[4][3] = {{a.x, a.y, a.z},
                                 {b.x, b.y, b.z},
                                 {c.x, c.y, c.z},
                                 {a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z}};
    sum->volume += j / 6;
    for (int r = 0; r < 3; r++) {
        sum->first[r] += j / 24 * corner[3][r];
        for (int s = 0; s <= r; s++) {
            double product = 0;
            for (int k = 0; k < 4; k++) {
                product += corner[k][r] * corner[k][s];
            }
            sum->second[r][s] += j / 120 * product;
        }
    }
}

static integrals integrate(const tal_surface *surface, tal_vec3 origin) {
    integrals sum = {0};
    for (int32_t f = 0; f < surface->face_count; f++) {
        const int32_t *loop = surface->corner + surface->corner_start[f];
        const int32_t size = tal_surface_loop_size(surface, f);
        const tal_vec3 a = tal_vec3_subtract(surface->vertex[loop[0]], origin);
        for (int32_t k = 1; k + 1 < size; k++) {
            add_tetrahedron(&sum, a, tal_vec3_subtract(surface->vertex[loop[k]], origin),
                            tal_vec3_subtract(surface->vertex[loop[k + 1]], origin));
        }
    }
    return sum;
}

// Inertia from second moments about the centroid.
static void fill_inertia(double inertia[3][3], const integrals *sum, const double mean[3]) {
    double central[3][3];
    for (int r = 0; r < 3; r++) {
        for (int s = 0; s <= r; s++) {
            central[r][s] = sum->second[r][s] - sum->volume * mean[r] * mean[s];
            central[s][r] = central[r][s];
        }
    }
    const double trace = central[0][0] + central[1][1] + central[2][2];
    for (int r = 0; r < 3; r++) {
        for (int s = 0; s < 3; s++) {
            inertia[r][s] = (r == s ? trace : 0) - central[r][s];
        }
    }
}

tal_mass_properties tal_surface_mass(const tal_surface *surface) {
    tal_mass_properties mass = {0};
    if (surface->vertex_count < 4 || surface->face_count < 4) {
        return mass;
    }
    // The mean of the vertices as origin keeps the digits of small blocks far from zero.
    tal_vec3 origin = {0, 0, 0};
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        origin = tal_vec3_add(origin, surface->vertex[v]);
    }
    origin = tal_vec3_scale(origin, 1.0 / surface->vertex_count);
    const integrals sum = integrate(surface, origin);
    mass.volume = sum.volume;
    if (sum.volume == 0) {
        mass.centroid = origin;
        return mass;
    }
    double mean[3];
    for (int r = 0; r < 3; r++) {
        mean[r] = sum.first[r] / sum.volume;
    }
    mass.centroid = tal_vec3_add(origin, tal_vec3_make(mean[0], mean[1], mean[2]));
    fill_inertia(mass.inertia, &sum, mean);
    return mass;
}

// One Jacobi rotation that makes a[p][q] zero; the columns of `axis` turn along.
static void rotate_pair(double a[3][3], double axis[3][3], int p, int q) {
    if (a[p][q] == 0) {
        return;
    }
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double sign = theta >= 0 ? 1 : -1;
    const double t = sign / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1);
    const double s = t * c;
    const double apq = a[p][q];
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = a[q][p] = 0;
    const int r = 3 - p - q;
    const double arp = a[r][p], arq = a[r][q];
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int k = 0; k < 3; k++) {
        const double vp = axis[k][p], vq = axis[k][q];
        axis[k][p] = c * vp - s * vq;
        axis[k][q] = s * vp + c * vq;
    }
}

static void swap_axes(tal_principal_axes *principal, int p, int q) {
    const double moment = principal->moment[p];
    principal->moment[p] = principal->moment[q];
    principal->moment[q] = moment;
    for (int k = 0; k < 3; k++) {
        const double value = principal->axis[k][p];
        principal->axis[k][p] = principal->axis[k][q];
        principal->axis[k][q] = value;
    }
}

// Each of the first two axes points so that its largest component is positive; the third completes a
// right-handed frame, exactly orthogonal to both.
static void orient_axes(double axis[3][3]) {
    for (int column = 0; column < 2; column++) {
        int largest = 0;
        for (int k = 1; k < 3; k++) {
            if (fabs(axis[k][column]) > fabs(axis[largest][column]) + 1e-9) {
                largest = k;
            }
        }
        if (axis[largest][column] < 0) {
            for (int k = 0; k < 3; k++) {
                axis[k][column] = -axis[k][column];
            }
        }
    }
    const tal_vec3 e1 = tal_vec3_normalize(tal_vec3_make(axis[0][0], axis[1][0], axis[2][0]));
    tal_vec3 e2 = tal_vec3_make(axis[0][1], axis[1][1], axis[2][1]);
    e2 = tal_vec3_normalize(tal_vec3_subtract(e2, tal_vec3_scale(e1, tal_vec3_dot(e1, e2))));
    const tal_vec3 e3 = tal_vec3_cross(e1, e2);
    const tal_vec3 columns[3] = {e1, e2, e3};
    for (int column = 0; column < 3; column++) {
        axis[0][column] = columns[column].x;
        axis[1][column] = columns[column].y;
        axis[2][column] = columns[column].z;
    }
}

// Shepperd's choice of the largest component as pivot.
static void quaternion_from_matrix(double q[4], const double m[3][3]) {
    const double trace = m[0][0] + m[1][1] + m[2][2];
    const double four[4] = {1 + trace, 1 + 2 * m[0][0] - trace, 1 + 2 * m[1][1] - trace,
                            1 + 2 * m[2][2] - trace};
    int best = 0;
    for (int k = 1; k < 4; k++) {
        best = four[k] > four[best] ? k : best;
    }
    const double x = m[2][1] - m[1][2], y = m[0][2] - m[2][0], z = m[1][0] - m[0][1];
    const double xy = m[1][0] + m[0][1], xz = m[2][0] + m[0][2], yz = m[2][1] + m[1][2];
    const double row[4][4] = {
        {four[0], x, y, z}, {x, four[1], xy, xz}, {y, xy, four[2], yz}, {z, xz, yz, four[3]}};
    double length = 0;
    for (int k = 0; k < 4; k++) {
        length += row[best][k] * row[best][k];
    }
    length = sqrt(length) * (row[best][0] < 0 ? -1 : 1);
    for (int k = 0; k < 4; k++) {
        q[k] = row[best][k] / length;
    }
}

tal_principal_axes tal_inertia_principal(const double inertia[3][3]) {
    enum { SWEEPS_MAX = 60 };
    double a[3][3];
    memcpy(a, inertia, sizeof a);
    tal_principal_axes principal = {{0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 0, 0, 0}};
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        const double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
        const double scale = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]);
        if (off <= 1e-17 * scale) {
            break;
        }
        rotate_pair(a, principal.axis, 0, 1);
        rotate_pair(a, principal.axis, 0, 2);
        rotate_pair(a, principal.axis, 1, 2);
    }
    for (int k = 0; k < 3; k++) {
        principal.moment[k] = a[k][k];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 2; k++) {
            if (principal.moment[k] > principal.moment[k + 1]) {
                swap_axes(&principal, k, k + 1);
            }
        }
    }
    orient_axes(principal.axis);
    quaternion_from_matrix(principal.quaternion, (const double(*)[3])principal.axis);
    return principal;
}

tal_vec3 tal_quaternion_rotate(const double q[4], tal_vec3 v) {
    const tal_vec3 u = {q[1], q[2], q[3]};
    const tal_vec3 t = tal_vec3_scale(tal_vec3_cross(u, v), 2);
    return tal_vec3_add(v, tal_vec3_add(tal_vec3_scale(t, q[0]), tal_vec3_cross(u, t)));
}

tal_vec3 tal_quaternion_rotate_back(const double q[4], tal_vec3 v) {
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    return tal_quaternion_rotate(back, v);
}

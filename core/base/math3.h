// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors, quaternions and 3x3 matrices. Everything is static inline and side-effect free.
#ifndef TALUS_CORE_BASE_MATH3_H
#define TALUS_CORE_BASE_MATH3_H

#include "core/base/math3_types.h"

#include <math.h>

static inline tal_vec3 tal_vec3_make(double x, double y, double z) {
    return (tal_vec3){x, y, z};
}
static inline tal_vec3 tal_vec3_add(tal_vec3 a, tal_vec3 b) {
    return (tal_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline tal_vec3 tal_vec3_subtract(tal_vec3 a, tal_vec3 b) {
    return (tal_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline tal_vec3 tal_vec3_scale(tal_vec3 a, double s) {
    return (tal_vec3){a.x * s, a.y * s, a.z * s};
}
// a + s b
static inline tal_vec3 tal_vec3_add_scaled(tal_vec3 a, double s, tal_vec3 b) {
    return (tal_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double tal_vec3_dot(tal_vec3 a, tal_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline tal_vec3 tal_vec3_cross(tal_vec3 a, tal_vec3 b) {
    return (tal_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double tal_vec3_length(tal_vec3 a) {
    return sqrt(tal_vec3_dot(a, a));
}
// The zero vector stays zero.
static inline tal_vec3 tal_vec3_normalize(tal_vec3 a) {
    const double length = tal_vec3_length(a);
    return length > 0.0 ? tal_vec3_scale(a, 1.0 / length) : a;
}

static inline tal_vec3 tal_mat3_apply(const tal_mat3 *a, tal_vec3 v) {
    return (tal_vec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                      a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                      a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}
static inline tal_vec3 tal_mat3_apply_transposed(const tal_mat3 *a, tal_vec3 v) {
    return (tal_vec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                      a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                      a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}
static inline tal_mat3 tal_mat3_multiply(const tal_mat3 *a, const tal_mat3 *b) {
    tal_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

static inline tal_quat tal_quat_multiply(tal_quat a, tal_quat b) {
    return (tal_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline tal_quat tal_quat_conjugate(tal_quat q) {
    return (tal_quat){q.w, -q.x, -q.y, -q.z};
}
static inline tal_quat tal_quat_normalize(tal_quat q) {
    const double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (tal_quat){q.w * s, q.x * s, q.y * s, q.z * s};
}
static inline tal_mat3 tal_quat_matrix(tal_quat q) {
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (tal_mat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                       {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                       {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}
static inline tal_vec3 tal_quat_rotate(tal_quat q, tal_vec3 v) {
    const tal_mat3 r = tal_quat_matrix(q);
    return tal_mat3_apply(&r, v);
}

// Two tangents that make (normal, t1, t2) a right-handed orthonormal frame; continuous except at
// normal.z = -1 (Duff et al. 2017, Frisvad 2012).
static inline void tal_vec3_tangents(tal_vec3 n, tal_vec3 *t1, tal_vec3 *t2) {
    const double sign = n.z >= 0.0 ? 1.0 : -1.0;
    const double a = -1.0 / (sign + n.z);
    const double b = n.x * n.y * a;
    *t1 = (tal_vec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t2 = (tal_vec3){b, sign + n.y * n.y * a, -n.y};
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors, quaternions and matrices as data: what public headers need of core/base/math3.h.
#ifndef TALUS_CORE_BASE_MATH3_TYPES_H
#define TALUS_CORE_BASE_MATH3_TYPES_H

typedef struct {
    double x, y, z;
} tal_vec3;

// Rotation from body to world axes, scalar part first.
typedef struct {
    double w, x, y, z;
} tal_quat;

// Row-major.
typedef struct {
    double m[3][3];
} tal_mat3;

#endif

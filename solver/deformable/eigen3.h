// SPDX-License-Identifier: GPL-3.0-or-later
// Eigenvalues and axes of a symmetric 3 by 3 matrix, by Jacobi rotations: exact to rounding also where
// eigenvalues coincide.
#ifndef TALUS_SOLVER_DEFORMABLE_EIGEN3_H
#define TALUS_SOLVER_DEFORMABLE_EIGEN3_H

#include "core/base/math3.h"

#include <math.h>

typedef struct {
    double value[3];
    tal_mat3 axis; // columns: right-handed
} tal_eigen3;

static inline void tal_eigen3_turn(tal_mat3 *a, tal_mat3 *v, int p, int q) {
    const double off = a->m[p][q];
    if (off == 0.0) {
        return;
    }
    const double theta = 0.5 * (a->m[q][q] - a->m[p][p]) / off;
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double kp = a->m[k][p], kq = a->m[k][q];
        a->m[k][p] = c * kp - s * kq;
        a->m[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        const double pk = a->m[p][k], qk = a->m[q][k], vp = v->m[k][p], vq = v->m[k][q];
        a->m[p][k] = c * pk - s * qk;
        a->m[q][k] = s * pk + c * qk;
        v->m[k][p] = c * vp - s * vq;
        v->m[k][q] = s * vp + c * vq;
    }
    a->m[p][q] = a->m[q][p] = 0.0;
}

static inline tal_eigen3 tal_eigen3_find(const tal_mat3 *symmetric) {
    enum { SWEEPS = 12 }; // quadratic convergence: five or six are enough
    tal_mat3 a = *symmetric, v = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        tal_eigen3_turn(&a, &v, 0, 1);
        tal_eigen3_turn(&a, &v, 0, 2);
        tal_eigen3_turn(&a, &v, 1, 2);
    }
    return (tal_eigen3){{a.m[0][0], a.m[1][1], a.m[2][2]}, v};
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The Lorentz cone x_0 >= |(x_1, x_2)| and its algebra, one contact at a time.
#ifndef TALUS_SOLVER_FINISH_CONE_H
#define TALUS_SOLVER_FINISH_CONE_H

#include <math.h>

static inline double tal_cone_determinant(const double x[3]) {
    const double tangent = hypot(x[1], x[2]);
    return (x[0] - tangent) * (x[0] + tangent);
}

// x o y
static inline void tal_cone_product(const double x[3], const double y[3], double xy[3]) {
    xy[0] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    xy[1] = x[0] * y[1] + y[0] * x[1];
    xy[2] = x[0] * y[2] + y[0] * x[2];
}

// y with x o y = b
static inline void tal_cone_divide(const double x[3], const double b[3], double y[3]) {
    y[0] = (x[0] * b[0] - x[1] * b[1] - x[2] * b[2]) / tal_cone_determinant(x);
    y[1] = (b[1] - y[0] * x[1]) / x[0];
    y[2] = (b[2] - y[0] * x[2]) / x[0];
}

// The largest step, at most `length`, with x + step * d in the cone.
static inline double tal_cone_step(const double x[3], const double d[3], double length) {
    const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    const double b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    const double c = tal_cone_determinant(x), discriminant = b * b - a * c;
    if (d[0] < 0.0) {
        length = fmin(length, -x[0] / d[0]);
    }
    if (discriminant < 0.0) {
        return length;
    }
    const double s =
        -(b + copysign(sqrt(discriminant), b)); // roots s/a and c/s, without cancelling
    const double root[2] = {s / a, c / s};
    for (int i = 0; i < 2; i++) {
        if (root[i] > 0.0) { // false for NaN
            length = fmin(length, root[i]);
        }
    }
    return length;
}

// Nesterov and Todd: the symmetric S with S x = S^-1 z, both inside the cone. Fills S and S^-1.
static inline void tal_cone_scale(const double x[3], const double z[3], double s[9],
                                  double inverse[9]) {
    const double dx = sqrt(tal_cone_determinant(x)), dz = sqrt(tal_cone_determinant(z));
    const double dot = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (dx * dz);
    const double half = 0.5 / sqrt(0.5 * (1.0 + dot)), size = sqrt(dz / dx);
    const double w[3] = {half * (z[0] / dz + x[0] / dx), half * (z[1] / dz - x[1] / dx),
                         half * (z[2] / dz - x[2] / dx)};
    for (int side = 0; side < 2; side++) {
        double *m = side == 0 ? s : inverse;
        const double factor = side == 0 ? size : 1.0 / size, sign = side == 0 ? 1.0 : -1.0;
        m[0] = factor * w[0];
        m[1] = m[3] = sign * factor * w[1];
        m[2] = m[6] = sign * factor * w[2];
        m[4] = factor * (1.0 + w[1] * w[1] / (1.0 + w[0]));
        m[5] = m[7] = factor * w[1] * w[2] / (1.0 + w[0]);
        m[8] = factor * (1.0 + w[2] * w[2] / (1.0 + w[0]));
    }
}

// The square of S in its own axes: S S = Q diag(square) Q', the columns of Q are orthonormal.
static inline void tal_cone_axes(const double x[3], const double z[3], double q[9],
                                 double square[3]) {
    const double dx = sqrt(tal_cone_determinant(x)), dz = sqrt(tal_cone_determinant(z));
    const double dot = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (dx * dz);
    const double half = 0.5 / sqrt(0.5 * (1.0 + dot));
    const double w[2] = {half * (z[1] / dz - x[1] / dx), half * (z[2] / dz - x[2] / dx)};
    const double length = hypot(w[0], w[1]), root = sqrt(0.5);
    const double d[2] = {length > 0.0 ? w[0] / length : 1.0, length > 0.0 ? w[1] / length : 0.0};
    const double most = length + sqrt(1.0 + length * length);
    const double axes[9] = {root,  root,        0.0,          root * d[0], -root * d[0],
                            -d[1], root * d[1], -root * d[1], d[0]};
    for (int i = 0; i < 9; i++) {
        q[i] = axes[i];
    }
    square[0] = dz / dx * most * most;
    square[1] = dz / dx / (most * most);
    square[2] = dz / dx;
}

#endif

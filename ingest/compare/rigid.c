// SPDX-License-Identifier: GPL-3.0-or-later
// Rigid motions.
#include "ingest/compare/rigid.h"

#include <math.h>

tal_rigid tal_rigid_identity(void) {
    return (tal_rigid){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

bool tal_rigid_is_valid(const tal_rigid *motion) {
    const double *r = motion->rotation;
    double worst = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double product =
                r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
            worst = fmax(worst, fabs(product - (i == j)));
        }
    }
    const double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) -
                               r[1] * (r[3] * r[8] - r[5] * r[6]) +
                               r[2] * (r[3] * r[7] - r[4] * r[6]);
    return worst < 1e-9 && determinant > 0.0 && isfinite(motion->shift[0]) &&
           isfinite(motion->shift[1]) && isfinite(motion->shift[2]);
}

tal_rigid tal_rigid_make(const double angles[3], const double centre[3], const double shift[3]) {
    tal_rigid motion = tal_rigid_identity();
    const double angle =
        sqrt(angles[0] * angles[0] + angles[1] * angles[1] + angles[2] * angles[2]);
    for (int i = 0; i < 3; i++) {
        motion.centre[i] = centre[i];
        motion.shift[i] = shift[i];
    }
    if (angle > 0.0) { // Rodrigues
        const double x = angles[0] / angle, y = angles[1] / angle, z = angles[2] / angle;
        const double c = cos(angle), s = sin(angle), t = 1.0 - c;
        const double rotation[9] = {c + t * x * x,     t * x * y - s * z, t * x * z + s * y,
                                    t * x * y + s * z, c + t * y * y,     t * y * z - s * x,
                                    t * x * z - s * y, t * y * z + s * x, c + t * z * z};
        for (int i = 0; i < 9; i++) {
            motion.rotation[i] = rotation[i];
        }
    }
    return motion;
}

void tal_rigid_apply(const tal_rigid *motion, double *x, double *y, double *z) {
    const double *r = motion->rotation, *c = motion->centre, *t = motion->shift;
    const double px = *x - c[0], py = *y - c[1], pz = *z - c[2];
    *x = r[0] * px + r[1] * py + r[2] * pz + c[0] + t[0];
    *y = r[3] * px + r[4] * py + r[5] * pz + c[1] + t[1];
    *z = r[6] * px + r[7] * py + r[8] * pz + c[2] + t[2];
}

tal_rigid tal_rigid_after(const tal_rigid *second, const tal_rigid *first) {
    tal_rigid both = {0};
    double moved[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                both.rotation[3 * i + j] +=
                    second->rotation[3 * i + k] * first->rotation[3 * k + j];
            }
        }
        both.centre[i] = first->centre[i];
        moved[i] = first->centre[i] + first->shift[i];
    }
    tal_rigid_apply(second, &moved[0], &moved[1], &moved[2]);
    for (int i = 0; i < 3; i++) {
        both.shift[i] = moved[i] - both.centre[i];
    }
    return both;
}

tal_rigid tal_rigid_inverse(const tal_rigid *motion) {
    // x = R'(y - (c + t)) + (c + t) - t
    tal_rigid inverse = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inverse.rotation[3 * i + j] = motion->rotation[3 * j + i];
        }
        inverse.centre[i] = motion->centre[i] + motion->shift[i];
        inverse.shift[i] = -motion->shift[i];
    }
    return inverse;
}

tal_rigid tal_rigid_about(const tal_rigid *motion, const double centre[3]) {
    tal_rigid same = *motion;
    double x = centre[0], y = centre[1], z = centre[2];
    tal_rigid_apply(motion, &x, &y, &z);
    const double moved[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        same.centre[i] = centre[i];
        same.shift[i] = moved[i] - centre[i];
    }
    return same;
}

void tal_rigid_angles(const tal_rigid *motion, double angles[3]) {
    const double *r = motion->rotation;
    const double v[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    const double sine = 0.5 * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double angle = atan2(sine, 0.5 * (r[0] + r[4] + r[8] - 1.0));
    for (int i = 0; i < 3; i++) {
        angles[i] = sine > 0.0 ? 0.5 * v[i] * angle / sine : 0.0;
    }
}

void tal_rigid_matrix(const tal_rigid *motion, double matrix[16]) {
    for (int i = 0; i < 3; i++) {
        double offset = motion->centre[i] + motion->shift[i];
        for (int j = 0; j < 3; j++) {
            matrix[4 * i + j] = motion->rotation[3 * i + j];
            offset -= motion->rotation[3 * i + j] * motion->centre[j];
        }
        matrix[4 * i + 3] = offset;
        matrix[12 + i] = 0.0;
    }
    matrix[15] = 1.0;
}

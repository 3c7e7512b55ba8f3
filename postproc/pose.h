// SPDX-License-Identifier: GPL-3.0-or-later
// Rotations by unit quaternions (scalar first, body to world), as the files store them.
#ifndef TALUS_POSTPROC_POSE_H
#define TALUS_POSTPROC_POSE_H

#include <math.h>

typedef struct {
    double row[3][3];
} tal_rotation;

// The quaternion is normalised first: files may hold it in single precision, and a rotation that is
// not one would change volumes.
static inline tal_rotation tal_rotation_from(const double quaternion[4]) {
    double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    const double length = sqrt(w * w + x * x + y * y + z * z);
    if (length > 0.0) {
        w /= length;
        x /= length;
        y /= length;
        z /= length;
    } else {
        w = 1.0;
    }
    tal_rotation r = {
        {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
         {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
         {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}}};
    return r;
}

static inline void tal_rotation_apply(const tal_rotation *r, const double v[3], double out[3]) {
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++) {
        out[i] = r->row[i][0] * x + r->row[i][1] * y + r->row[i][2] * z;
    }
}

// The transpose: world to body.
static inline void tal_rotation_undo(const tal_rotation *r, const double v[3], double out[3]) {
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++) {
        out[i] = r->row[0][i] * x + r->row[1][i] * y + r->row[2][i] * z;
    }
}

#endif

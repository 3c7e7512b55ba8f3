// SPDX-License-Identifier: GPL-3.0-or-later
// Rigid motions: y = rotation (x - centre) + centre + shift. The centred form keeps full precision
// where coordinates are large.
#ifndef TALUS_INGEST_COMPARE_RIGID_H
#define TALUS_INGEST_COMPARE_RIGID_H

#include <stdbool.h>

typedef struct {
    double rotation[9]; // row by row
    double centre[3];
    double shift[3];
} tal_rigid;

tal_rigid tal_rigid_identity(void);
// Whether its rotation is one (orthonormal, not a mirror) and its shift finite.
bool tal_rigid_is_valid(const tal_rigid *motion);
// By the rotation vector `angles` (radians) about `centre`.
tal_rigid tal_rigid_make(const double angles[3], const double centre[3], const double shift[3]);
void tal_rigid_apply(const tal_rigid *motion, double *x, double *y, double *z);
// First `first`, then `second`; the centre is that of `first`.
tal_rigid tal_rigid_after(const tal_rigid *second, const tal_rigid *first);
tal_rigid tal_rigid_inverse(const tal_rigid *motion);
// The same motion, written about another centre.
tal_rigid tal_rigid_about(const tal_rigid *motion, const double centre[3]);
// Its rotation vector, radians.
void tal_rigid_angles(const tal_rigid *motion, double angles[3]);
// The 4 by 4 matrix, row by row, that acts on (x, y, z, 1).
void tal_rigid_matrix(const tal_rigid *motion, double matrix[16]);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The exact motion of a free rigid body about its centroid: orientation and angular velocity after
// any time, for any inertia. Derivation: docs/theory/solver.md, section "Free rotation".
#ifndef TALUS_SOLVER_MOTION_ROTATION_H
#define TALUS_SOLVER_MOTION_ROTATION_H

#include "core/base/math3.h"

// Turns `orientation` by the free motion of duration `t` (may be negative) of a body with principal
// moments `inertia` and the constant angular momentum `momentum` in world axes.
void tal_rotation_advance(tal_vec3 inertia, tal_vec3 momentum, double t, tal_quat *orientation);

// Angular velocity in world axes that belongs to a momentum: R I^-1 R' L.
tal_vec3 tal_rotation_velocity(tal_vec3 inertia, tal_quat orientation, tal_vec3 momentum);

// Angular momentum in world axes of an angular velocity in world axes: R I R' w.
tal_vec3 tal_rotation_momentum(tal_vec3 inertia, tal_quat orientation, tal_vec3 velocity);

// Jacobi's sn, cn, dn of argument u and parameter m = k^2 in [0, 1].
typedef struct {
    double sn, cn, dn;
} tal_jacobi;

tal_jacobi tal_jacobi_evaluate(double u, double m);

#endif

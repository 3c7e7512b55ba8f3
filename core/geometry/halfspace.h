// SPDX-License-Identifier: GPL-3.0-or-later
// Planes that bound halfspaces.
#ifndef TALUS_CORE_GEOMETRY_HALFSPACE_H
#define TALUS_CORE_GEOMETRY_HALFSPACE_H

#include "core/base/math3.h"

// The halfspace normal . p <= offset; the normal has length one.
typedef struct {
    tal_vec3 normal;
    double offset;
} tal_halfspace;

// Plain comparisons: fmin and fmax are calls, and hot loops have no NaN.
static inline double tal_lesser(double a, double b) {
    return a < b ? a : b;
}

static inline double tal_greater(double a, double b) {
    return a > b ? a : b;
}

// Positive outside the halfspace.
static inline double tal_halfspace_distance(tal_halfspace plane, tal_vec3 p) {
    return tal_vec3_dot(plane.normal, p) - plane.offset;
}

static inline tal_halfspace tal_halfspace_through(tal_vec3 point, tal_vec3 direction) {
    const tal_vec3 normal = tal_vec3_normalize(direction);
    return (tal_halfspace){normal, tal_vec3_dot(normal, point)};
}

static inline tal_halfspace tal_halfspace_flip(tal_halfspace plane) {
    return (tal_halfspace){tal_vec3_scale(plane.normal, -1), -plane.offset};
}

#endif

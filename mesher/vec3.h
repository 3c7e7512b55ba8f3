// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors and planes in three dimensions.
#ifndef TALUS_MESHER_VEC3_H
#define TALUS_MESHER_VEC3_H

#include <math.h>

typedef struct {
    double x, y, z;
} tal_vec3d;

// The halfspace normal . p <= offset; the normal has length one.
typedef struct {
    tal_vec3d normal;
    double offset;
} tal_plane;

// Plain comparisons: fmin and fmax are calls, and hot loops have no NaN.
static inline double tal_lesser(double a, double b) {
    return a < b ? a : b;
}

static inline double tal_greater(double a, double b) {
    return a > b ? a : b;
}

static inline tal_vec3d tal_v3(double x, double y, double z) {
    return (tal_vec3d){x, y, z};
}

static inline tal_vec3d tal_v3_add(tal_vec3d a, tal_vec3d b) {
    return (tal_vec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline tal_vec3d tal_v3_sub(tal_vec3d a, tal_vec3d b) {
    return (tal_vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline tal_vec3d tal_v3_scale(tal_vec3d a, double s) {
    return (tal_vec3d){a.x * s, a.y * s, a.z * s};
}

static inline double tal_v3_dot(tal_vec3d a, tal_vec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline tal_vec3d tal_v3_cross(tal_vec3d a, tal_vec3d b) {
    return (tal_vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double tal_v3_length(tal_vec3d a) {
    return sqrt(tal_v3_dot(a, a));
}

// A zero vector stays zero.
static inline tal_vec3d tal_v3_unit(tal_vec3d a) {
    const double length = tal_v3_length(a);
    return length > 0 ? tal_v3_scale(a, 1 / length) : a;
}

// Positive outside the halfspace.
static inline double tal_plane_distance(tal_plane plane, tal_vec3d p) {
    return tal_v3_dot(plane.normal, p) - plane.offset;
}

static inline tal_plane tal_plane_through(tal_vec3d point, tal_vec3d direction) {
    const tal_vec3d normal = tal_v3_unit(direction);
    return (tal_plane){normal, tal_v3_dot(normal, point)};
}

static inline tal_plane tal_plane_flip(tal_plane plane) {
    return (tal_plane){tal_v3_scale(plane.normal, -1), -plane.offset};
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Closest points: between two separated convex polyhedra (GJK), and of a polyhedron to a point.
#ifndef TALUS_SOLVER_DETECT_NARROW_DISTANCE_H
#define TALUS_SOLVER_DETECT_NARROW_DISTANCE_H

#include "solver/detect/manifold.h"

// Closest points of two polyhedra about the centre of `a`; the normal points from a to b.
typedef struct {
    double distance; // zero when they overlap
    tal_vec3 normal;
    tal_vec3 on_a, on_b;
    uint32_t feature_a, feature_b;
} tal_closest_pair;

// `guess` is a direction from a to b to start from.
tal_closest_pair tal_polyhedra_closest(const tal_posed_body *a, const tal_posed_body *b,
                                       tal_vec3 guess);

// The surface point of a polyhedron nearest to a point; in body axes.
typedef struct {
    double distance; // negative inside
    tal_vec3 point;
    tal_vec3 normal; // from the surface towards the outside
    uint32_t feature;
    bool on_face;
} tal_closest_surface;

// Exact when the point is outside; inside, the face it lies least deep under.
tal_closest_surface tal_polyhedron_closest(const tal_posed_body *body, tal_vec3 point_in_body);

// Does a point of the face's plane (body axes) lie on face `face` (local number)?
bool tal_polyhedron_face_holds(const tal_posed_body *body, int32_t face, tal_vec3 point_in_body,
                               double slack);

#endif

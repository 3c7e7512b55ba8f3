// SPDX-License-Identifier: GPL-3.0-or-later
// Posed bodies, contact points on their way out, and what all pairings share: feature numbers,
// clipping of faces, reduction to a handful of points.
#ifndef TALUS_SOLVER_DETECT_MANIFOLD_H
#define TALUS_SOLVER_DETECT_MANIFOLD_H

#include "solver/detect/collide.h"

#include <math.h>

// A face turned into world axes; normal . x = offset about the body's centre.
typedef struct {
    tal_vec3 normal;
    double offset;
} tal_posed_face;

// A body turned into world axes but still about its own centre: differences of positions stay
// exact far from the origin. What the pair search reads most comes first.
typedef struct {
    tal_vec3 centre;
    const double *x; // turned vertices, structure of arrays
    const double *y;
    const double *z;
    const tal_posed_face *face;
    tal_vec3 half_edge[3]; // of a box, by edge direction
    int32_t is_box;        // a parallelepiped about its centre
    int32_t vertex_count;
    int32_t padded_count; // multiple of 4; the last vertex is repeated
    int32_t face_count;
    int32_t edge_count;
    int32_t shape;
    int32_t topology; // the shape whose loops and edges to read: the same as the own ones
    const tal_shapes *shapes;
    double smallest_edge;
    double bounding_radius;
    double reach;
    double reach_before; // in the query before
    double reach_aside;  // the reach without the way
    double shallow;      // penetrations below this depth need not be reported; 0: all are wanted
    tal_vec3 way;        // of the centroid within the step
    double radius;       // of a sphere, zero for polyhedra
    tal_shape_kind kind;
    tal_mat3 rotation;
    tal_vec3 low, high; // bounding box without reach
} tal_posed_body;

static inline tal_vec3 tal_posed_vertex(const tal_posed_body *body, int32_t vertex) {
    return (tal_vec3){body->x[vertex], body->y[vertex], body->z[vertex]};
}

// fmin and fmax are calls; these are one instruction. No NaN gets here.
static inline double tal_smaller(double a, double b) {
    return a < b ? a : b;
}
static inline double tal_larger(double a, double b) {
    return a > b ? a : b;
}

// How far a box reaches along n from its centre.
static inline double tal_posed_half_width(const tal_posed_body *box, tal_vec3 n) {
    return fabs(tal_vec3_dot(n, box->half_edge[0])) + fabs(tal_vec3_dot(n, box->half_edge[1])) +
           fabs(tal_vec3_dot(n, box->half_edge[2]));
}

// The lowest point of a body along n, seen from its centre: four lanes, for the vector units.
static inline double tal_posed_lowest(const tal_posed_body *body, tal_vec3 n) {
    if (body->is_box != 0) {
        return -tal_posed_half_width(body, n);
    }
    double low[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int32_t k = 0; k < body->padded_count; k += 4) {
        const double *x = &body->x[k], *y = &body->y[k], *z = &body->z[k];
        for (int32_t l = 0; l < 4; l++) {
            const double d = n.x * x[l] + n.y * y[l] + n.z * z[l];
            low[l] = d < low[l] ? d : low[l];
        }
    }
    return tal_smaller(tal_smaller(low[0], low[1]), tal_smaller(low[2], low[3]));
}

// All features of a body in one numbering: faces, then edges, then vertices.
static inline uint32_t tal_feature_face(int32_t face) {
    return (uint32_t)face;
}
static inline uint32_t tal_feature_edge(const tal_posed_body *body, int32_t edge) {
    return (uint32_t)(body->face_count + edge);
}
static inline uint32_t tal_feature_vertex(const tal_posed_body *body, int32_t vertex) {
    return (uint32_t)(body->face_count + body->edge_count + vertex);
}
static inline uint64_t tal_identity(uint32_t feature_i, uint32_t feature_j) {
    return (uint64_t)feature_i << 32 | feature_j;
}

enum { TAL_CLIP_POINTS_MAX = 2 * TAL_FACE_CORNERS_MAX + 8 };

// The face of `reference` clips the face of `incident` to its prism; every corner left whose gap is
// below `reach` becomes a point. Normals point from j to i; `reference_is_i` says which body the
// reference is. Returns how many points were written (at most TAL_CLIP_POINTS_MAX); `same_below` becomes the
// least gap of the corners that are out of reach, if that is less.
int32_t tal_manifold_clip_faces(const tal_posed_body *reference, int32_t reference_face,
                                const tal_posed_body *incident, int32_t incident_face,
                                bool reference_is_i, double reach, double *same_below,
                                tal_contact_point *points);

// Keeps the deepest point and those that span the most, at most TAL_MANIFOLD_POINTS_MAX, in their
// order; returns how many.
int32_t tal_manifold_reduce(tal_contact_point *points, int32_t point_count);

#endif

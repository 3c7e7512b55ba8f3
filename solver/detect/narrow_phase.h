// SPDX-License-Identifier: GPL-3.0-or-later
// One pair at a time: from two posed bodies to the points of their manifold.
#ifndef TALUS_SOLVER_DETECT_NARROW_PHASE_H
#define TALUS_SOLVER_DETECT_NARROW_PHASE_H

#include "solver/detect/manifold.h"

// What is known of a pair from last time; all zero when nothing is. Only used to leave early, so results never
// depend on it.
typedef struct {
    float x, y, z; // a direction that separated the two, world axes, from i to j
    int32_t face;  // or a face that did: 1 + that of i, -(1 + that of j); 0: none
    // As the two lie, any reach between that of last time and this has the same answer.
    float same_below;
} tal_pair_hint;

// Scratch of one thread, sized for the largest shape.
typedef struct {
    int32_t *near[2]; // edges of bodies i and j that may touch
    tal_vec3 *axis;   // directions of those of j
    double *along;    // how far the normals of j's faces look along an edge of i
} tal_narrow_scratch;

tal_status tal_narrow_scratch_create(tal_narrow_scratch *scratch, const tal_shapes *shapes,
                                     tal_error *err);
void tal_narrow_scratch_destroy(tal_narrow_scratch *scratch);

// Writes at most TAL_CLIP_POINTS_MAX points (normals from j to i) and returns how many; a point is
// wanted when its gap is below `reach`.
int32_t tal_narrow_find(const tal_posed_body *i, const tal_posed_body *j, double reach,
                        tal_pair_hint *hint, tal_narrow_scratch *scratch,
                        tal_contact_point *points);

// The parts: polyhedron against polyhedron, and everything with a sphere in it.
int32_t tal_narrow_find_polyhedra(const tal_posed_body *i, const tal_posed_body *j, double reach,
                                  tal_pair_hint *hint, tal_narrow_scratch *scratch,
                                  tal_contact_point *points);
int32_t tal_narrow_find_spheres(const tal_posed_body *i, const tal_posed_body *j, double reach,
                                tal_contact_point *points);

#endif

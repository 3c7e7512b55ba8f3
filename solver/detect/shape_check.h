// SPDX-License-Identifier: GPL-3.0-or-later
// Is a polyhedron handed over by a caller closed, convex, planar and the right way out?
#ifndef TALUS_SOLVER_DETECT_SHAPE_CHECK_H
#define TALUS_SOLVER_DETECT_SHAPE_CHECK_H

#include "core/base/status.h"
#include "solver/detect/shape.h"

// One side of a face: from vertex `a` to vertex `b`, entry `entry` of the loops, of face `face`.
typedef struct {
    int32_t a, b;
    int32_t face;
    int32_t entry;
} tal_shape_side;

// Relative to the size of the shape: how far vertices may lie off a face's plane, how close two
// vertices may come.
#define TAL_SHAPE_TOLERANCE 1e-9

// Length of the diagonal of the vertices' bounding box.
double tal_shape_input_size(const tal_shape_input *input);

int32_t tal_shape_input_side_count(const tal_shape_input *input);

// Area vector (area times normal) of one loop, by Newell's sum; and the mean of its corners.
void tal_shape_loop_area(const tal_vec3 *vertex, const int32_t *loop, int32_t size,
                         tal_vec3 *area_vector, tal_vec3 *middle);

// Fills `sides` (as many as loop entries) sorted so that the two walks of an edge are neighbours,
// the lower-to-higher one first.
void tal_shape_sort_sides(const tal_shape_input *input, tal_shape_side *sides);

// Adds one message per fault to `err`; TAL_OK when there is none. `number` names the shape.
// `sides` is scratch with room for all loop entries.
tal_status tal_shape_input_check(const tal_shape_input *input, int32_t number,
                                 tal_shape_side *sides, tal_error *err);

#endif

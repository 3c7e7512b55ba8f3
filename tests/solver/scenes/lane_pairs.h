// SPDX-License-Identifier: GPL-3.0-or-later
// Random pairs of rigid bodies with dry friction, one per lane, and their batch.
#ifndef TALUS_TESTS_SOLVER_SCENES_LANE_PAIRS_H
#define TALUS_TESTS_SOLVER_SCENES_LANE_PAIRS_H

#include "solver/percussion/contact_solver.h"

enum { PAIRS = TAL_LANES, BODIES = 2 * PAIRS, POINTS = TAL_BATCH_POINTS_MAX * PAIRS };

typedef struct {
    tal_rigid_motion motion[BODIES + 1];
    tal_inertia inertia[BODIES + 1];
    tal_pair pair[PAIRS];
    tal_contact contact[POINTS];
    tal_percussion_problem problem;
} lane_pairs;

typedef struct {
    tal_batch batch;
    tal_batch_point point[TAL_BATCH_POINTS_MAX];
    tal_batch_percussion percussion[TAL_BATCH_POINTS_MAX];
    tal_batch_course course[TAL_BATCH_POINTS_MAX];
    tal_lane_motion motion[BODIES + 1];
} lane_batched;

// Pair p has bodies 2 p and 2 p + 1, the last one the ground for its second. `point_count` 0: any number.
void lane_pairs_make(lane_pairs *s, uint64_t seed, uint32_t run, int32_t point_count);

// The first `lanes` of them.
void lane_pairs_batch(const lane_pairs *s, int lanes, lane_batched *b);

// Percussions and motions back.
void lane_pairs_take(lane_pairs *s, const lane_batched *b);

#endif

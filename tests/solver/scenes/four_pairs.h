// SPDX-License-Identifier: GPL-3.0-or-later
// Four random pairs of rigid bodies with dry friction, and their batch.
#ifndef TALUS_TESTS_SOLVER_SCENES_FOUR_PAIRS_H
#define TALUS_TESTS_SOLVER_SCENES_FOUR_PAIRS_H

#include "solver/percussion/contact_solver.h"

enum { PAIRS = TAL_LANES, BODIES = 2 * PAIRS, POINTS = TAL_BATCH_POINTS_MAX * PAIRS };

typedef struct {
    tal_rigid_motion motion[BODIES + 1];
    tal_inertia inertia[BODIES + 1];
    tal_pair pair[PAIRS];
    tal_contact contact[POINTS];
    tal_percussion_problem problem;
} four_pairs;

typedef struct {
    tal_batch batch;
    tal_batch_point point[TAL_BATCH_POINTS_MAX];
    tal_batch_percussion percussion[TAL_BATCH_POINTS_MAX];
} four_batched;

// Pair p has bodies 2 p and 2 p + 1, the last one the ground for its second. `point_count` 0: any number.
void four_pairs_make(four_pairs *s, uint64_t seed, uint32_t run, int32_t point_count);

// The first `lanes` of them.
void four_pairs_batch(const four_pairs *s, int lanes, four_batched *b);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Which boxes overlap: cell lists with one level of cells per factor four in size, so the cost is
// linear in the number of bodies however much their sizes differ.
#ifndef TALUS_SOLVER_DETECT_BROAD_PHASE_H
#define TALUS_SOLVER_DETECT_BROAD_PHASE_H

#include "core/base/math3.h"
#include "core/base/status.h"

#include <stdint.h>

typedef struct {
    tal_vec3 low, high;
} tal_body_box;

typedef struct tal_broad_phase tal_broad_phase;

// The pairs (i, j) with i < j, sorted: j = partner[start[i]] .. partner[start[i+1]-1], rising.
typedef struct {
    const int32_t *start;
    const int32_t *partner;
    int32_t pair_count;
    const uint64_t *added; // which of them the call added, rising; only after tal_broad_phase_add
    int32_t added_count;
} tal_candidates;

tal_status tal_broad_phase_create(tal_broad_phase **broad_phase, int32_t body_count,
                                  tal_error *err);
void tal_broad_phase_destroy(tal_broad_phase *broad_phase);

// All pairs of overlapping boxes. Boxes with a coordinate that is not finite pair with nothing. `found`
// lives until the next call.
tal_status tal_broad_phase_find(tal_broad_phase *broad_phase, const tal_body_box *boxes,
                                int thread_count, tal_candidates *found, tal_error *err);

// Adds to the pairs of the call before those that `moved` boxes make now, and takes none away: `found` then
// holds all pairs that overlap, and some that did. Each is held against all others, so there should be few.
tal_status tal_broad_phase_add(tal_broad_phase *broad_phase, const tal_body_box *boxes,
                               const int32_t *moved, int32_t moved_count, tal_candidates *found,
                               tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// How far the blocks of a run came, and whether that is a motion at all.
#ifndef TALUS_CORE_GEOMETRY_TRAVEL_H
#define TALUS_CORE_GEOMETRY_TRAVEL_H

#include "core/base/status.h"

#include <stddef.h>

// Travel is the straight distance between the first and the last place of a block's centroid; the size
// of a block is the cube root of its volume.
typedef struct {
    double median, low, high; // m, over the blocks: 50 %, 5 %, 95 %
    double moved_share;       // of the blocks came farther than their own size; NaN without volumes
    bool is_too_early;        // the run ended before it could tell; false until somebody knows
} tal_travel;

// NaN everywhere without blocks. `volume` may be NULL.
tal_status tal_travel_find(tal_travel *travel, const double *distance, const double *volume,
                           size_t count, tal_error *err);

// Rock that gives way by loosening shifts by parts of a block, and a few blocks roll off any free
// face: with fewer than a twentieth of them gone farther than their size, the rock did not move.
// False where the share is not known or the run ended too early.
bool tal_travel_is_none(const tal_travel *travel);
// Fewer than half of the blocks moved.
bool tal_travel_is_partial(const tal_travel *travel);
// Fewer than half of them moved until now, and that says nothing yet.
bool tal_travel_is_open(const tal_travel *travel);
// Whether a run ends too early that was stopped after `time_s`: not even a quarter of gravity (a slope of
// 15 degrees without friction) moves a block of that volume by its size until then.
bool tal_travel_ends_too_early(double time_s, double gravity_mps2, double volume_m3);

// What "less than" is said of: never below a centimetre, which would be printed as 0.
double tal_travel_bound(double distance_m);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// How far the blocks of a run came.
#include "core/geometry/travel.h"

#include "core/base/memory.h"
#include "core/base/quantile.h"

#include <math.h>
#include <string.h>

static const double NONE = 0.05, PARTIAL = 0.5; // shares of the blocks

tal_status tal_travel_find(tal_travel *travel, const double *distance, const double *volume,
                           size_t count, tal_error *err) {
    double *room;
    size_t moved = 0;
    TAL_CREATE(room, count + 1, "the travel of the blocks", err);
    memcpy(room, distance, count * sizeof *room);
    travel->low = tal_quantile(room, count, 0.05);
    travel->median = tal_quantile(room, count, 0.5);
    travel->high = tal_quantile(room, count, 0.95);
    tal_memory_destroy(room);
    for (size_t b = 0; volume != NULL && b < count; b++) {
        moved += distance[b] > cbrt(volume[b]) ? 1 : 0;
    }
    travel->is_too_early = false;
    travel->moved_share = volume != NULL && count > 0 ? (double)moved / (double)count : NAN;
    return TAL_OK;
}

bool tal_travel_is_none(const tal_travel *travel) {
    return !travel->is_too_early && travel->moved_share < NONE;
}

bool tal_travel_is_partial(const tal_travel *travel) {
    return !travel->is_too_early && travel->moved_share < PARTIAL;
}

bool tal_travel_is_open(const tal_travel *travel) {
    return travel->is_too_early && travel->moved_share < PARTIAL;
}

bool tal_travel_ends_too_early(double time_s, double gravity_mps2, double volume_m3) {
    return 0.5 * 0.25 * gravity_mps2 * time_s * time_s < cbrt(volume_m3);
}

double tal_travel_bound(double distance_m) {
    return fmax(distance_m, 0.01);
}

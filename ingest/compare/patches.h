// SPDX-License-Identifier: GPL-3.0-or-later
// Patches of change that were seen and not taken for source or deposit, and why.
#ifndef TALUS_INGEST_COMPARE_PATCHES_H
#define TALUS_INGEST_COMPARE_PATCHES_H

#include "core/base/status.h"

#include <stdint.h>

typedef enum {
    TAL_DROPPED_SMALL, // less than the least area
    TAL_DROPPED_WEAK   // most of its cells are not beyond their level of detection
} tal_drop_reason;

typedef struct {
    double sign; // -1 loss, 1 gain
    tal_drop_reason reason;
    double area_m2, volume_m3;
    double x, y; // its middle, in the axes of the grid
} tal_patch;

enum { TAL_PATCHES_MAX = 200 };

typedef struct {
    int count;
    int64_t left_out; // smaller ones than those listed
    tal_patch *item;  // the largest volume first
} tal_patches;

tal_status tal_patches_create(tal_patches *patches, tal_error *err);
void tal_patches_destroy(tal_patches *patches);
void tal_patches_add(tal_patches *patches, const tal_patch *patch);
// The largest of a sign; NULL where there is none.
const tal_patch *tal_patches_largest(const tal_patches *patches, double sign);

#endif

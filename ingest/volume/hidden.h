// SPDX-License-Identifier: GPL-3.0-or-later
// What no scan saw: rock in the shadow of edges, and cells without ground at the edge of a change.
#ifndef TALUS_INGEST_VOLUME_HIDDEN_H
#define TALUS_INGEST_VOLUME_HIDDEN_H

#include "ingest/compare/change.h"
#include "ingest/ground/dem.h"

typedef struct {
    double shadow_m3; // standard deviation from the shadowed parts of cells, both epochs
    double gap_m2;    // cells at the change that one epoch has no ground for
    double gap_m3;    // standard deviation from these
} tal_hidden;

// `region` is what a volume was summed over, `mask` the outline whose mean thickness is given.
tal_status tal_hidden_find(const tal_change *change, const tal_dem *before, const tal_dem *after,
                           const uint8_t *region, const uint8_t *mask, double mean_thickness_m,
                           tal_hidden *hidden, tal_error *err);

#endif

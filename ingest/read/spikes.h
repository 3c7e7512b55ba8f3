// SPDX-License-Identifier: GPL-3.0-or-later
// Single cells of a raster that no cell around them supports: flipped bits, zeros for "no data", birds.
#ifndef TALUS_INGEST_READ_SPIKES_H
#define TALUS_INGEST_READ_SPIKES_H

#include "core/geo/grid.h"

typedef struct {
    int64_t count;
    int32_t row, column; // of the one that stands out farthest, from 0
    float value;         // its height
    float low, high;     // of the cells around it
} tal_spikes;

// Gives every cell that lies more than `step_max` and three times the range of the cells around it beyond all of
// them the mean of these. Units are those of the raster.
tal_spikes tal_spikes_bridge(tal_raster *raster, double step_max);

#endif

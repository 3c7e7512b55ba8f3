// SPDX-License-Identifier: GPL-3.0-or-later
// Maps and diagrams of a release for its report, as SVG.
#ifndef TALUS_POSTPROC_RELEASE_HAZARD_PICTURE_H
#define TALUS_POSTPROC_RELEASE_HAZARD_PICTURE_H

#include "postproc/release/hazard.h"

// Classes of a map: values from `from[k]` on have colour k.
typedef struct {
    const char *title, *unit, *caption;
    const tal_raster *values; // 0 and NaN: nothing there
    double scale;             // of the values in the legend: 100 for shares as per cent
    int class_count;
    double from[6];
} tal_hazard_map;

// A <figure>: the classes over the shaded ground, with targets, barriers and where rocks started.
tal_status tal_hazard_map_append(tal_text *text, const tal_hazard *hazard,
                                 const tal_hazard_map *map, tal_error *err);

// A <figure> with the distribution of one quantity over the rocks that come to a target.
void tal_hazard_histogram_append(tal_text *text, const tal_target *target,
                                 tal_at_quantity quantity);

// The same over the rocks that meet a barrier, with what it can hold: energy, or height of the centre.
void tal_hazard_barrier_histogram_append(tal_text *text, const tal_barrier_record *barrier,
                                         tal_at_quantity quantity);

// The section that puts the rocks against what was measured; nothing where nothing was.
void tal_hazard_compared_append(tal_text *text, const tal_hazard *hazard);

#endif

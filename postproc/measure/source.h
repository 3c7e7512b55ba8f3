// SPDX-License-Identifier: GPL-3.0-or-later
// The sources of an event: where rock broke out, how its base lies, which blocks come from it.
#ifndef TALUS_POSTPROC_MEASURE_SOURCE_H
#define TALUS_POSTPROC_MEASURE_SOURCE_H

#include "core/geometry/travel.h"
#include "postproc/measure/flow_line.h"
#include "postproc/measure/run_record.h"
#include "postproc/measure/surveyed.h"

enum { TAL_SOURCES_MAX = 20 }; // each has at least a twentieth of the rock

typedef struct {
    double volume; // m3 on the grid
    size_t crown;  // its highest cell
    double crown_height;
    double centroid[2];
    // Tangent of the slope of its base on the whole: the length of the mean gradient of the bed, weighted
    // by the thickness above it. Flanks that face each other cancel, as their forces do.
    double base_tangent;
    // What the shown run did with it.
    int32_t block_count;
    tal_travel travel;
    bool has_line;
    tal_flow_line line; // empty for the first: its line is that of the scores
    double runout;      // crown to toe along its line; NaN without a deposit
    double drop;        // crown to toe, vertically
} tal_source;

typedef struct {
    int count;
    tal_source source[TAL_SOURCES_MAX]; // largest first
    int8_t *of_cell;                    // -1 outside
} tal_sources;

// Pieces nearer to each other than half the side of a square as large as all of them are one source;
// crumbs of less than a twentieth of the rock belong to the largest.
tal_status tal_sources_find(tal_sources *sources, const tal_surveyed *survey, tal_error *err);
void tal_sources_destroy(tal_sources *sources);

// The source a block of the run starts in: the one below it, or the one whose centroid is nearest.
int tal_sources_of_block(const tal_sources *sources, const tal_grid *grid,
                         const tal_run_record *motion, int32_t block);

// Travel of the blocks of one source, or of all with `source` = -1.
tal_status tal_sources_travel(const tal_sources *sources, int source, const tal_grid *grid,
                              const tal_blocks *blocks, const tal_run_record *motion,
                              tal_travel *travel, int32_t *block_count, tal_error *err);

// Height of the surface before the event.
double tal_source_height(const tal_surveyed *survey, size_t cell);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// From a partition and the rock to blocks, on all cores and in the order of the cells.
#ifndef TALUS_MESHER_ROCK_DIVIDE_H
#define TALUS_MESHER_ROCK_DIVIDE_H

#include "mesher/rock/block_set.h"
#include "mesher/rock/partition.h"
#include "mesher/rock/rock.h"

typedef struct {
    bool clip_to_rock; // else a cell stays whole when its centre is inside the rock
    double depth_m;    // how far a block may reach below the ground
    double gap_m;      // free space between neighbours
    double density_kg_m3;
    int thread_count;
    int first_effort; // 0, or the effort of another division that shall not be undercut
} tal_divide_options;

typedef struct {
    int64_t cell_count;   // cells of the partition that were looked at
    int64_t sliver_count; // pieces that were dropped
    double sliver_volume; // rock in them, given to the nearest block
    double piece_volume;  // of the blocks before gaps
    double inside_volume; // the part of it that lies inside the rock
    double rock_volume;
    int64_t rough_count; // blocks that kept short edges or many corners, see simplify.h
    int effort;          // how hard the rock was to fill: 0 is easy
    double mass_factor;  // the density of every block is that of the rock times this
    double mass;
} tal_divide_report;

// `set` starts as {0}; its blocks are in body axes afterwards.
tal_status tal_divide(tal_block_set *set, const tal_partition *partition, const tal_rock *rock,
                      const tal_divide_options *options, tal_divide_report *report, tal_error *err);

#endif

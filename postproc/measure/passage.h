// SPDX-License-Identifier: GPL-3.0-or-later
// Where blocks went on their way: passages, speed, energy, jump height and arrival per cell.
#ifndef TALUS_POSTPROC_MEASURE_PASSAGE_H
#define TALUS_POSTPROC_MEASURE_PASSAGE_H

#include "core/geo/grid.h"
#include "postproc/measure/run_record.h"

// NaN where no block came, but for `count`, which is 0 there.
typedef struct {
    tal_raster count;    // blocks that passed or stopped over the cell
    tal_raster velocity; // greatest speed of a centroid, m/s
    tal_raster energy;   // greatest kinetic energy of one block, kJ
    tal_raster energy_translation;
    tal_raster energy_rotation;
    tal_raster jump;    // greatest height of a block's lowest point above the bed, m
    tal_raster arrival; // first time a block was over the cell, s
    tal_raster
        tension; // largest tensile stress of a block, where it had it, Pa; no values: all rigid
} tal_passage;

// `grid` in metres from the origin, `bed` on it with heights above `height_zero`.
tal_status tal_passage_create(tal_passage *passage, const tal_blocks *blocks,
                              const tal_run_record *motion, const tal_grid *grid, const float *bed,
                              double height_zero, tal_error *err);
void tal_passage_destroy(tal_passage *passage);

#endif

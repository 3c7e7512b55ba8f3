// SPDX-License-Identifier: GPL-3.0-or-later
// The deposit at the end of a run, on the grid of the survey: as a survey would see it and as solid
// rock.
#ifndef TALUS_POSTPROC_MEASURE_DEPOSIT_H
#define TALUS_POSTPROC_MEASURE_DEPOSIT_H

#include "core/geo/grid.h"
#include "postproc/measure/run_record.h"

typedef struct {
    tal_raster surface;    // height of what a survey would see, m; the bed where no block lies
    tal_raster thickness;  // surface - bed, m
    tal_raster solid;      // rock volume over the cell per area, m
    tal_raster count;      // blocks whose centroid lies over the cell
    double solid_volume;   // over cells, m3
    double outside_volume; // of blocks that lie on no cell, m3
    double lost_volume;    // of blocks that left over the rim, m3
    int32_t resting_count; // blocks that are not lost
} tal_deposit;

// `grid` in metres from the origin, `bed` on the same cells with heights above `height_zero`.
// `rays` looks per cell side: their mean is what a cell of points would give.
tal_status tal_deposit_create(tal_deposit *deposit, const tal_blocks *blocks,
                              const tal_run_record *motion, const tal_grid *grid, const float *bed,
                              double height_zero, int rays, tal_error *err);
void tal_deposit_destroy(tal_deposit *deposit);

// Rock lies where it is thicker than the surveys could have missed. False for NaN.
static inline bool tal_thickness_is_deposit(double thickness, double lod) {
    return thickness > 0.0 && thickness > lod;
}

#endif

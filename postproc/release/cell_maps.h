// SPDX-License-Identifier: GPL-3.0-or-later
// Rocks of a release cell by cell: passages, reach, percentiles, stops, arrival. A rock is where its
// centroid is; in each cell it counts once, with the greatest values it has there.
#ifndef TALUS_POSTPROC_RELEASE_CELL_MAPS_H
#define TALUS_POSTPROC_RELEASE_CELL_MAPS_H

#include "core/base/settings.h"
#include "core/geo/grid.h"
#include "postproc/release/way.h"

typedef enum {
    TAL_CELL_ENERGY,
    TAL_CELL_VELOCITY,
    TAL_CELL_JUMP,
    TAL_CELL_QUANTITIES
} tal_cell_quantity;

// NaN where no rock came, but for the counts, which are 0 there.
typedef struct {
    tal_raster passages;    // rocks
    tal_raster reach;       // share of all rocks
    tal_raster stops;       // rocks that came to rest or were stopped
    tal_raster starts;      // rocks that started
    tal_raster arrival;     // of the first, s
    tal_raster energy_mean; // kJ
    int percentile_count;
    double percentile[TAL_REALS_MAX];
    tal_raster value[TAL_CELL_QUANTITIES][TAL_REALS_MAX]; // kJ, m/s, m
    double reach_area_m2;                                 // of cells that a rock came to
} tal_cell_maps;

// `grid` in metres from the origin. Memory stays below `bytes_max` and what the maps take.
tal_status tal_cell_maps_create(tal_cell_maps *maps, tal_rocks *rocks, const tal_grid *grid,
                                const tal_reals *percentiles, size_t bytes_max, tal_error *err);
void tal_cell_maps_destroy(tal_cell_maps *maps);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The ground of one epoch on the study's grid: elevation, how many points it rests on, how far they
// scatter about the local plane, and the standard error that follows.
#ifndef TALUS_INGEST_GROUND_DEM_H
#define TALUS_INGEST_GROUND_DEM_H

#include "core/geo/grid.h"
#include "ingest/ground/bins.h"

#include <stdint.h>

enum {
    TAL_CELL_EMPTY = 0,
    TAL_CELL_POINTS = 1, // measured by points
    TAL_CELL_RASTER = 2, // sampled from a raster
    TAL_CELL_FILLED = 3  // bridged across a small hole
};

enum { TAL_SLOPE_CLASSES = 9 }; // of ten degrees each

typedef struct {
    tal_grid grid;    // in metres from the study's origin
    float *z;         // NaN: none
    float *count;     // points
    float *deviation; // of the points about the local plane, m
    float *error;     // standard error of z, m; NaN for rasters until their terrain has told it
    float *mean_x;    // mean place of the points, from the cell's centre; 0 without points
    float *mean_y;
    uint8_t *kind;
    double pooled[TAL_SLOPE_CLASSES]; // deviation by slope class
    int64_t cells_with_points, cells_filled;
} tal_dem;

tal_status tal_dem_create(tal_dem *dem, const tal_grid *grid, tal_error *err);
void tal_dem_destroy(tal_dem *dem);

// Elevations at the cell centres from binned points.
tal_status tal_dem_from_bins(tal_dem *dem, const tal_bins *bins, tal_error *err);
// Bridges holes of at most `hole_m2` that are enclosed by ground.
tal_status tal_dem_fill_holes(tal_dem *dem, double hole_m2, tal_error *err);

// What the elevation of a cell rests on, as the rasters of an epoch tell it; NaN: not known.
typedef struct {
    float count;     // points; 0 in a filled hole, not known for a raster
    float deviation; // as in tal_dem
    float flag;      // 0 measured, 1 hole filled; NaN where there is no ground
} tal_cell_basis;
tal_cell_basis tal_dem_basis(const tal_dem *dem, size_t cell);

// Slope (dz/dx, dz/dy) by central differences, one-sided next to gaps; false where there is none.
bool tal_dem_slope(const tal_dem *dem, int32_t column, int32_t row, double *slope_x,
                   double *slope_y);
// Class of a slope, 0 .. TAL_SLOPE_CLASSES - 1.
int tal_slope_class(double slope_x, double slope_y);

#endif

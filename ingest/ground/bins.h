// SPDX-License-Identifier: GPL-3.0-or-later
// Points binned into cells as sums, from which planes, elevations and deviations follow. Memory is
// set by the grid, not by the cloud.
#ifndef TALUS_INGEST_GROUND_BINS_H
#define TALUS_INGEST_GROUND_BINS_H

#include "core/base/status.h"
#include "core/geo/grid.h"
#include "ingest/read/points.h"

#include <stdint.h>

// Sums over the points of a cell; x and y from the cell's centre, z from the study's origin.
typedef struct {
    double n;
    double x, y, z;
    double xx, xy, yy, xz, yz, zz;
} tal_sums;

// z = height + slope_x x + slope_y y, x and y from a cell's centre; `deviation` of the points about
// it (NaN with fewer than four).
typedef struct {
    double height, slope_x, slope_y, deviation;
    double n;
} tal_cell_plane;

typedef struct {
    tal_grid grid; // in metres from the study's origin
    tal_sums *sums;
} tal_bins;

tal_status tal_bins_create(tal_bins *bins, const tal_grid *grid, tal_error *err);
void tal_bins_reset(tal_bins *bins);
void tal_bins_destroy(tal_bins *bins);

static inline void tal_sums_add_point(tal_sums *sums, double x, double y, double z) {
    sums->n += 1.0;
    sums->x += x;
    sums->y += y;
    sums->z += z;
    sums->xx += x * x;
    sums->xy += x * y;
    sums->yy += y * y;
    sums->xz += x * z;
    sums->yz += y * z;
    sums->zz += z * z;
}

// Adds `other`, whose centre lies (dx, dy) from that of `sums`.
void tal_sums_add(tal_sums *sums, const tal_sums *other, double dx, double dy);
// The least-squares plane; level where the points do not define one.
tal_cell_plane tal_sums_plane(const tal_sums *sums);
// Sums of a cell and its neighbours up to `radius` cells away.
tal_sums tal_bins_window(const tal_bins *bins, int32_t column, int32_t row, int radius);
// Standard deviation of the cell's own points about a plane of the given slopes; NaN below 4
// points.
double tal_sums_deviation(const tal_sums *sums, double slope_x, double slope_y);

// The cell of a point and its place from the cell's centre; -1 outside. Inline and without a
// division: called once per point and pass.
static inline int64_t tal_bins_locate(const tal_grid *grid, double inverse_cell, double x, double y,
                                      double *dx, double *dy) {
    const double column = (x - grid->west) * inverse_cell;
    const double row = (grid->north - y) * inverse_cell;
    if (!(column >= 0.0 && row >= 0.0 && column < (double)grid->columns &&
          row < (double)grid->rows)) {
        return -1;
    }
    const int32_t c = (int32_t)column, r = (int32_t)row;
    *dx = (column - (double)c - 0.5) * grid->cell;
    *dy = ((double)r + 0.5 - row) * grid->cell;
    return (int64_t)r * grid->columns + c;
}

#endif

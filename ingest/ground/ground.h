// SPDX-License-Identifier: GPL-3.0-or-later
// Ground told from trees, shrubs and stray points: a reference surface from the lowest points,
// fitted by local planes from coarse to fine that trust low points more than high ones (after Kraus
// and Pfeifer 1998), with distances taken along the planes' normals so that cliffs survive.
#ifndef TALUS_INGEST_GROUND_GROUND_H
#define TALUS_INGEST_GROUND_GROUND_H

#include "core/geo/grid.h"
#include "ingest/ground/bins.h"
#include "ingest/read/points.h"

// The lowest point of each cell.
typedef struct {
    tal_grid grid;
    float *z;       // NaN: none
    float *dx, *dy; // its place from the cell's centre
} tal_lowest;

tal_status tal_lowest_create(tal_lowest *lowest, const tal_grid *grid, tal_error *err);
void tal_lowest_destroy(tal_lowest *lowest);
void tal_lowest_add(tal_lowest *lowest, int64_t cell, double dx, double dy, double z);

// Where ground is expected: per cell a plane and how far below and above it points are ground.
typedef struct {
    tal_grid grid;
    float *height; // at the cell's centre; NaN: not known, nothing is ground there
    float *slope_x, *slope_y;
    float *below, *above; // vertical distances
} tal_ground_limits;

tal_status tal_ground_create(tal_ground_limits *ground, const tal_grid *grid, tal_error *err);
void tal_ground_destroy(tal_ground_limits *ground);

// From the lowest points of cells.
tal_status tal_ground_from_lowest(tal_ground_limits *ground, const tal_lowest *lowest,
                                  tal_error *err);
// From the planes through points already taken for ground, within `deviations` of their scatter.
tal_status tal_ground_refine(tal_ground_limits *ground, const tal_bins *bins, double deviations,
                             tal_error *err);
// Everything is ground but noise: points outside what the neighbouring cells span, from the lowest
// points and the highest (given with their heights negated), widened by `deviations` of their
// scatter.
tal_status tal_ground_from_span(tal_ground_limits *ground, const tal_lowest *lowest,
                                const tal_lowest *highest_negated, double deviations,
                                tal_error *err);

static inline bool tal_ground_accepts(const tal_ground_limits *ground, int64_t cell, double dx,
                                      double dy, double z) {
    const double above = z - ((double)ground->height[cell] + (double)ground->slope_x[cell] * dx +
                              (double)ground->slope_y[cell] * dy);
    return above <= (double)ground->above[cell] && above >= -(double)ground->below[cell];
}

#endif

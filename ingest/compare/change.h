// SPDX-License-Identifier: GPL-3.0-or-later
// Difference of two epochs: stable terrain, level of detection, source and deposit as masks.
#ifndef TALUS_INGEST_COMPARE_CHANGE_H
#define TALUS_INGEST_COMPARE_CHANGE_H

#include "ingest/compare/patches.h"
#include "ingest/compare/statistics.h"
#include "ingest/ground/dem.h"

typedef struct {
    tal_grid grid;
    float *dz;            // after - before
    float *random;        // standard deviation of dz from the scatter of points, m
    float *spread;        // standard deviation of dz as the stable terrain shows it, by slope, m
    float *lod;           // level of detection at 95 %, m
    uint8_t *slope_class; // of the earlier ground
    uint8_t *stable, *source, *deposit;
    // By slope class, from the stable terrain.
    double nmad[TAL_SLOPE_CLASSES];         // of dz
    double registration[TAL_SLOPE_CLASSES]; // what the scatter of points does not explain
    int64_t stable_cells[TAL_SLOPE_CLASSES];
    tal_statistics stable_statistics;
    tal_patches dropped; // change that is neither source nor deposit
} tal_change;

tal_status tal_change_create(tal_change *change, const tal_grid *grid, tal_error *err);
void tal_change_destroy(tal_change *change);

// Terrain that did not move: found robustly, or `given` (cells; may be NULL).
tal_status tal_change_find_stable(tal_change *change, const tal_dem *before, const tal_dem *after,
                                  const uint8_t *given, double area_min_m2, tal_error *err);
// Levels of detection from the two epochs and the stable terrain.
tal_status tal_change_find_lod(tal_change *change, const tal_dem *before, const tal_dem *after,
                               tal_error *err);
// Loss and gain beyond the level of detection, without islands below the least areas.
tal_status tal_change_delineate(tal_change *change, double source_min_m2, double deposit_min_m2,
                                tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Volumes of source and deposit with 95 % intervals from random, spatially correlated and
// systematic error and from what no scan saw, each listed.
#ifndef TALUS_INGEST_VOLUME_VOLUME_H
#define TALUS_INGEST_VOLUME_VOLUME_H

#include "ingest/compare/change.h"
#include "ingest/compare/variogram.h"

typedef struct {
    double volume_m3, low_m3, high_m3;              // 95 % interval
    double random_m3, correlated_m3, systematic_m3; // standard deviations
    double hidden_m3;                               // the same, of what no scan saw
    double area_m2;
    double mean_thickness_m, max_thickness_m;
    double filled_m2; // of cells bridged across holes
    double gap_m2;    // of cells at the change without ground in one epoch; not counted
    int32_t part_count;
} tal_volume_estimate;

// Standardised residuals of the stable terrain and their variogram.
tal_status tal_volume_variogram(const tal_change *change, tal_variogram *variogram, tal_error *err);

// `shift_deviation` is the standard deviation of the co-registration (east, north, up).
tal_status tal_volume_find(const tal_change *change, const tal_dem *before, const tal_dem *after,
                           const tal_variogram *variogram, const double shift_deviation[3],
                           const uint8_t *mask, double sign, tal_volume_estimate *volume,
                           tal_error *err);
// The two steps of it: the cells that are summed over, freed with tal_memory_destroy, and the
// measure of them (without the number of parts).
tal_status tal_volume_region(const tal_change *change, const uint8_t *mask, double sign,
                             uint8_t **region, tal_error *err);
tal_status tal_volume_measure(const tal_change *change, const tal_dem *before, const tal_dem *after,
                              const tal_variogram *variogram, const double shift_deviation[3],
                              const uint8_t *region, const uint8_t *mask, double sign,
                              tal_volume_estimate *volume, tal_error *err);
// "798900 m3 (95 %: 796600 to 801200)"
void tal_volume_text(const tal_volume_estimate *volume, char *text, size_t size);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that is done on one grid: both grounds, co-registration, change, volumes. Runs in the
// vertical frame and, for cliffs, once more in a frame that lies along the face.
#ifndef TALUS_INGEST_COMPARE_COMPARISON_H
#define TALUS_INGEST_COMPARE_COMPARISON_H

#include "ingest/check/findings.h"
#include "ingest/compare/areas.h"
#include "ingest/compare/change.h"
#include "ingest/compare/coregister.h"
#include "ingest/compare/repeats.h"
#include "ingest/compare/variogram.h"
#include "ingest/ground/epoch.h"
#include "ingest/volume/volume.h"

// What the site file and the surveys give.
typedef struct {
    const tal_settings *settings;
    tal_site_crs study;
    tal_epoch_ground before, after;
    int epoch_count;
    tal_areas area, stable, source, deposit;
    tal_findings findings; // of the checks so far
    double depth_max;      // in the cliff frame: points farther from the face are left out
} tal_case;

// How often dz falls into each of even steps around zero; what lies beyond counts at the ends.
enum { TAL_HISTOGRAM_BINS = 41 };
typedef struct {
    double step; // m
    int32_t count[TAL_HISTOGRAM_BINS];
} tal_histogram;

typedef struct {
    bool done;
    bool by_user; // the motion was not sought
    bool with_rotation;
    tal_coregister_result fit;
    tal_rigid motion; // in the study's axes
    tal_repeats repeats;
    double deviation[3];              // of the shift: east, north, up (in the axes of the frame)
    tal_statistics at_first, at_last; // of dz on the stable terrain
    tal_histogram spread_first, spread_last; // the same, counted
} tal_registration;

typedef struct {
    bool is_cliff;
    tal_rigid frame; // from the study's metres to the axes of the grid
    tal_grid grid;
    tal_dem before, after;
    tal_registration registration;
    tal_change change;
    tal_variogram variogram;
    tal_volume_estimate source, deposit;
} tal_comparison;

tal_status tal_comparison_run(tal_comparison *comparison, tal_case *site, const tal_rigid *frame,
                              const tal_grid *grid, tal_error *err);
void tal_comparison_destroy(tal_comparison *comparison);

// Median slope of the earlier ground under a mask, degrees; NaN where it is empty.
double tal_comparison_slope(const tal_comparison *comparison, const uint8_t *mask);

#endif

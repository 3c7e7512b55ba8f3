// SPDX-License-Identifier: GPL-3.0-or-later
// One epoch: its survey and the ground made of it, from clouds, rasters or both.
#ifndef TALUS_INGEST_GROUND_EPOCH_H
#define TALUS_INGEST_GROUND_EPOCH_H

#include "core/base/settings.h"
#include "ingest/ground/gridding.h"

typedef struct {
    tal_survey_reader survey;
    tal_gridding gridding; // of the clouds
    bool gridded;
    int ground_choice;      // as it was settled
    uint64_t ground_points; // used in the last pass
} tal_epoch_ground;

// Finds the ground of the clouds in a frame.
tal_status tal_epoch_prepare(tal_epoch_ground *epoch, tal_origin origin, const tal_rigid *frame,
                             const tal_grid *grid, const tal_ingest_settings *settings,
                             double depth_max, tal_error *err);
void tal_epoch_release(tal_epoch_ground *epoch);

// Ground on the grid, moved by `motion` (study's metres). Rasters are shifted, not turned.
tal_status tal_epoch_make_dem(tal_epoch_ground *epoch, tal_origin origin, const tal_grid *grid,
                              const tal_rigid *motion, double hole_m2, tal_dem *dem,
                              tal_error *err);

#endif

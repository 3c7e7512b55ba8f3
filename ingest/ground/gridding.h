// SPDX-License-Identifier: GPL-3.0-or-later
// From a survey to its ground on the grid: the passes over the points, in any frame.
#ifndef TALUS_INGEST_GROUND_GRIDDING_H
#define TALUS_INGEST_GROUND_GRIDDING_H

#include "ingest/compare/rigid.h"
#include "ingest/ground/bins.h"
#include "ingest/ground/dem.h"
#include "ingest/ground/ground.h"
#include "ingest/read/survey.h"

// What is kept of a survey so that its points can be binned again after co-registration.
typedef struct {
    const tal_survey_reader *survey;
    tal_origin origin;
    tal_rigid frame;   // from metres of the study to the axes of the grid
    tal_grid grid;     // in these axes
    int ground_choice; // classes, native or none; settled
    double outlier_deviations;
    double depth_max; // points farther than this from z = 0 are left out
    tal_ground_limits ground;
    uint64_t used, left_out; // points of the last pass, inside the grid
} tal_gridding;

// Finds the ground; `choice` is a tal_ground_choice (auto, classes, native or none).
tal_status tal_gridding_create(tal_gridding *gridding, const tal_survey_reader *survey,
                               tal_origin origin, const tal_rigid *frame, const tal_grid *grid,
                               int choice, double outlier_deviations, double depth_max,
                               tal_error *err);
void tal_gridding_destroy(tal_gridding *gridding);

// Ground on the grid, moved by `motion` (in the study's metres; NULL: as it is).
tal_status tal_gridding_make_dem(tal_gridding *gridding, const tal_rigid *motion, double hole_m2,
                                 tal_dem *dem, tal_error *err);

#endif

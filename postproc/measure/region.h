// SPDX-License-Identifier: GPL-3.0-or-later
// The areas that maps outline: where rock came from, where it lies in the run and in the survey.
#ifndef TALUS_POSTPROC_MEASURE_REGION_H
#define TALUS_POSTPROC_MEASURE_REGION_H

#include "core/geometry/outline.h"
#include "postproc/measure/back_analysis.h"

typedef enum {
    TAL_REGION_SOURCE,
    TAL_REGION_SIMULATED,
    TAL_REGION_SURVEYED, // empty without a surveyed deposit
    TAL_REGION_COUNT
} tal_region;

// Number of regions this study has: a scenario has nothing surveyed.
int tal_region_count(const tal_back_analysis *analysis);
bool tal_region_holds(const tal_back_analysis *analysis, tal_region region, size_t cell);

// In the coordinates of `grid`, which is the study's grid with or without its origin.
tal_status tal_region_outline(tal_outline *outline, const tal_back_analysis *analysis,
                              tal_region region, const tal_grid *grid, tal_error *err);

#endif

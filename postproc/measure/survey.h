// SPDX-License-Identifier: GPL-3.0-or-later
// What the surveys say, as ingest left it: rasters on one grid, volumes with their errors.
#ifndef TALUS_POSTPROC_MEASURE_SURVEY_H
#define TALUS_POSTPROC_MEASURE_SURVEY_H

#include "core/geo/crs.h"
#include "core/geo/grid.h"

typedef struct {
    double volume; // m3
    double low;    // 95 % interval
    double high;
} tal_volume;

// Positions are metres from `origin`; heights in rasters are those of the study.
typedef struct {
    tal_grid grid;      // from the origin
    tal_grid real_grid; // in the study's coordinates
    tal_origin origin;
    tal_crs *crs;
    int epochs; // 1: a scenario, nothing to compare with
    tal_raster before, after, bed, dz, lod, source, deposit;
    tal_volume source_volume, deposit_volume;
} tal_survey;

// Reads the outputs of ingest in `folder`.
tal_status tal_survey_read(tal_survey *survey, const char *folder, tal_error *err);
void tal_survey_destroy(tal_survey *survey);

// A cell that can be compared: both epochs, the bed and the level of detection have a value.
bool tal_survey_is_valid(const tal_survey *survey, size_t cell);
// The survey has a deposit here: inside its outline and beyond the level of detection.
bool tal_survey_has_deposit(const tal_survey *survey, size_t cell);
// Area of a cell.
double tal_survey_cell_area(const tal_survey *survey);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// What the surveys say, as ingest left it: rasters on one grid, volumes with their errors.
#ifndef TALUS_POSTPROC_MEASURE_SURVEYED_H
#define TALUS_POSTPROC_MEASURE_SURVEYED_H

#include "core/geo/crs.h"
#include "core/geo/grid.h"

typedef struct {
    double volume; // m3
    double low;    // 95 % interval
    double high;
} tal_volume_range;

// Positions are metres from `origin`; heights in rasters are those of the study.
typedef struct {
    tal_grid grid;      // from the origin
    tal_grid real_grid; // in the study's coordinates
    tal_origin origin;
    tal_crs *crs;
    int epochs; // 1: a scenario, nothing to compare with
    tal_raster before, after, bed, dz, lod, source, deposit;
    tal_volume_range source_volume, deposit_volume;
    struct cJSON *checks; // what talus-ingest warned of: objects with "text"; NULL: nothing
} tal_surveyed;

// Reads the outputs of ingest in `folder`.
tal_status tal_surveyed_read(tal_surveyed *survey, const char *folder, tal_error *err);
void tal_surveyed_destroy(tal_surveyed *survey);

// A cell that can be compared: both epochs, the bed and the level of detection have a value.
bool tal_surveyed_is_valid(const tal_surveyed *survey, size_t cell);
// The survey has a deposit here: inside its outline and beyond the level of detection.
bool tal_surveyed_has_deposit(const tal_surveyed *survey, size_t cell);
// Area of a cell.
double tal_surveyed_cell_area(const tal_surveyed *survey);

#endif

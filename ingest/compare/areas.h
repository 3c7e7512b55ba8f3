// SPDX-License-Identifier: GPL-3.0-or-later
// Areas the user gives as polygon layers, in the study's coordinates.
#ifndef TALUS_INGEST_COMPARE_AREAS_H
#define TALUS_INGEST_COMPARE_AREAS_H

#include "core/base/settings.h"
#include "core/geo/geopackage.h"
#include "core/geo/grid.h"
#include "ingest/compare/rigid.h"
#include "ingest/read/survey.h"

enum { TAL_AREA_FILES_MAX = 16 };

typedef struct {
    int count;                                 // of files; 0: the user gave none
    tal_polygons polygons[TAL_AREA_FILES_MAX]; // in metres from the study's origin
} tal_areas;

// Reads every file of a FILES setting; polygons without a coordinate system are in the study's (NULL
// while that is not known: they are only looked at).
tal_status tal_areas_read(tal_areas *areas, const tal_settings *settings, const char *files,
                          const char *key, const tal_crs *study, tal_error *err);
void tal_areas_destroy(tal_areas *areas);
// Moves them once the origin is known.
void tal_areas_move(tal_areas *areas, tal_origin origin);
tal_bounds tal_areas_bounds(const tal_areas *areas);
bool tal_areas_hold(const tal_areas *areas, double x, double y);

// Cells whose place lies inside: cell centres, or in a turned frame the points of `z` there.
void tal_areas_mask(const tal_areas *areas, const tal_grid *grid, const tal_rigid *frame,
                    const float *z, uint8_t *mask);

#endif

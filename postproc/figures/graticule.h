// SPDX-License-Identifier: GPL-3.0-or-later
// Where on Earth a map lies, and its lines of equal longitude and latitude.
#ifndef TALUS_POSTPROC_FIGURES_GRATICULE_H
#define TALUS_POSTPROC_FIGURES_GRATICULE_H

#include "core/base/text.h"
#include "core/geo/crs.h"
#include "core/geo/grid.h"

// Longitude and latitude of a place of the study; false where its coordinates are its own.
bool tal_graticule_find_place(const tal_crs *crs, double east, double north, double *longitude,
                              double *latitude);

// Lines within `sheet` (coordinates of the study) as segments for GMT, and the labels where they meet its
// west and south sides: east, north, justification, words. Both stay empty where coordinates are local.
tal_status tal_graticule_write(tal_text *line, tal_text *label, const tal_crs *crs,
                               const tal_bounds *sheet, tal_error *err);

#endif

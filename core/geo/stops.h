// SPDX-License-Identifier: GPL-3.0-or-later
// Where blocks or rocks stopped, as people measured it: the tables of report.stops, x and y per line.
#ifndef TALUS_CORE_GEO_STOPS_H
#define TALUS_CORE_GEO_STOPS_H

#include "core/base/settings.h"
#include "core/geo/crs.h"
#include "core/geo/grid.h"

typedef struct {
    size_t count;
    double *x, *y;        // metres from the origin
    int32_t *line;        // of its table
    size_t outside_count; // of those beyond the box of the ground
} tal_stops;

// `ground` is the box around the terrain, in metres from the origin. What is no point, a stop farther from the box than
// the box is wide, and a table of which no stop lies in it are named by file and line; other stops outside are counted:
// real rocks may run farther than a terrain reaches.
tal_status tal_stops_read(tal_stops *stops, const tal_settings *settings, const tal_origin *origin,
                          tal_bounds ground, tal_error *err);
void tal_stops_destroy(tal_stops *stops);

// "3 of 41 observed stops (7 %) lie outside the terrain, where no simulated rock can stop: ..."; `text` is empty without any.
void tal_stops_tell_outside(const tal_stops *stops, char *text, size_t size);

#endif

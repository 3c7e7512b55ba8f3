// SPDX-License-Identifier: GPL-3.0-or-later
// Points, lines and polygons of a site: where rocks start, barriers, roads, houses. From any OGR source
// or from numbers of the site file, in metres from the site's origin.
#ifndef TALUS_CORE_GEO_FEATURES_H
#define TALUS_CORE_GEO_FEATURES_H

#include "core/base/settings.h"
#include "core/geo/crs.h"

#include <stdint.h>

// One kind per set. A part is a point, a line or a ring; the rings of a polygon follow one another.
typedef struct {
    tal_place_choice kind;
    int32_t part_count, vertex_count;
    int32_t *part_start; // part_count + 1
    int32_t *feature;    // per part: the feature it belongs to, rising from 0
    double *x, *y;       // rings repeat no vertex
    double *z;           // NaN where a source has none
} tal_features;

// What the coordinates are to become: those of the study less its origin.
typedef struct {
    const tal_crs *crs;
    double origin_m[3];
} tal_features_frame;

// All layers of all files of a FILES setting (`files`), or `inline_m` where that is empty, as `kind`.
// `where` begins each message.
tal_status tal_features_create(tal_features *features, const tal_settings *settings,
                               const char *files, const tal_reals *inline_m, tal_place_choice kind,
                               const tal_features_frame *frame, const char *where, tal_error *err);
void tal_features_destroy(tal_features *features);

// Even-odd over all rings; false for points and lines.
bool tal_features_hold(const tal_features *features, double x, double y);

// Is the first file of a FILES setting a raster?
bool tal_features_are_raster(const tal_settings *settings, const char *files);

// Where the segment from `a` to `b` first meets a line or the rim of a polygon, 0 at a to 1 at b; above 1
// where it does not.
double tal_features_first_crossing(const tal_features *features, const double a[2],
                                   const double b[2]);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Coordinate systems by PROJ: what a definition means in metres, and transformations that are exact
// enough to be trusted or refused.
#ifndef TALUS_CORE_GEO_CRS_H
#define TALUS_CORE_GEO_CRS_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct tal_crs tal_crs;

// What matters about a coordinate system.
typedef struct {
    bool is_local;       // "local": a scanner's own metres, no geography
    bool is_projected;   // horizontal part in a map projection
    bool is_geographic;  // horizontal part in degrees
    bool has_vertical;   // heights have a stated datum
    double horizontal_m; // metres per horizontal unit; radians-based CRS: 0
    double vertical_m;   // metres per height unit; 0 where not stated
    char name[256];      // "RGAF09 / UTM zone 20N + Martinique 1987 height"
    char horizontal_unit[64];
    char vertical_unit[64];
} tal_crs_info;

// `definition`: "EPSG:5490+5756", "EPSG:32620", "EPSG:32620+ellipsoidal" (heights above the
// ellipsoid), WKT 1 or 2, PROJJSON, a PROJ string, or "local".
// `where` (file or setting) begins the message when it is not understood.
tal_status tal_crs_create(tal_crs **crs, const char *definition, const char *where, tal_error *err);
void tal_crs_destroy(tal_crs *crs);
const tal_crs_info *tal_crs_get_info(const tal_crs *crs);
const char *tal_crs_wkt(const tal_crs *crs);            // WKT2:2019; "" for local
const char *tal_crs_horizontal_wkt(const tal_crs *crs); // the same without heights
bool tal_crs_equal(const tal_crs *a, const tal_crs *b);

// Where it is meant to be used: west, south, east, north in degrees; false where that is not known.
bool tal_crs_find_area(const tal_crs *crs, double degrees[4]);

// A study's CRS must be local, or projected in metres with heights in metres on a stated datum.
tal_status tal_crs_check_site(const tal_crs *crs, const char *where, tal_error *err);

// Transformation of points. Refused when PROJ only knows a ballpark one, when one side has no
// vertical datum and the other has, or when a grid it needs is missing (named in the message; where
// only some regions need it, the refusal comes from the apply). Coordinates are x, y (east, north;
// longitude, latitude in degrees) whatever order the authority prescribes.
typedef struct tal_crs_transform tal_crs_transform;
tal_status tal_crs_transform_create(tal_crs_transform **transform, const tal_crs *from,
                                    const tal_crs *to, const char *where, tal_error *err);
// The same for outlines and other data without heights: the vertical parts are left aside.
tal_status tal_crs_transform_create_flat(tal_crs_transform **transform, const tal_crs *from,
                                         const tal_crs *to, const char *where, tal_error *err);
void tal_crs_transform_destroy(tal_crs_transform *transform);
bool tal_crs_transform_is_identity(const tal_crs_transform *transform);
// As PROJ states it, the worst over the regions; 0 for exact ones, NaN where it is not known.
double tal_crs_transform_accuracy_m(const tal_crs_transform *transform);
// In place; a point that cannot be transformed becomes NaN. `z` may be NULL. One thread at a time.
tal_status tal_crs_transform_apply(const tal_crs_transform *transform, double *x, double *y,
                                   double *z, size_t count, tal_error *err);

// Once, in place, without heights.
tal_status tal_crs_convert_flat(const tal_crs *from, const tal_crs *to, const char *where,
                                double *x, double *y, size_t count, tal_error *err);

// Whole-number origin near the centre of the study; positions inside talus are metres from it.
typedef struct {
    int64_t east;
    int64_t north;
    int64_t height;
} tal_origin;
tal_origin tal_origin_near(double x, double y, double z);

// Whether east, north and height, as read from a file, are an origin: whole metres, on Earth.
bool tal_origin_is_possible(const double place[3]);

#endif

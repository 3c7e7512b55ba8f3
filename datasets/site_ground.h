// SPDX-License-Identifier: GPL-3.0-or-later
// The ground of the embedded sites, before and after the event, as exact functions of the place.
// Positions are metres from the south-west corner of the site, elevations are metres of the study.
#ifndef TALUS_DATASETS_SITE_GROUND_H
#define TALUS_DATASETS_SITE_GROUND_H

#include "core/base/status.h"

typedef enum { TAL_SITE_PITON_MARCEL, TAL_SITE_SLOPE } tal_site_kind;
typedef enum { TAL_BEFORE, TAL_AFTER } tal_site_epoch;

// Where the site lies in the coordinate system of the study.
typedef struct {
    double west, south;   // corner, m
    double width, height; // extent to the east and to the north, m
} tal_site_frame;

// What the surfaces were made to hold.
typedef struct {
    double source_volume_m3;
    double bulking;
    double deposit_volume_m3; // source volume times bulking
} tal_site_figures;

typedef struct tal_site_ground tal_site_ground;

tal_status tal_site_ground_create(tal_site_ground **surface, tal_site_kind kind, tal_error *err);
void tal_site_ground_destroy(tal_site_ground *surface);

tal_site_frame tal_site_ground_frame(const tal_site_ground *surface);
tal_site_figures tal_site_ground_figures(const tal_site_ground *surface);

// Elevation of the ground.
double tal_site_ground_elevation(const tal_site_ground *surface, tal_site_epoch epoch, double x,
                                 double y);
// Thickness of what fell, 0 outside the source: before - after there.
double tal_site_ground_loss(const tal_site_ground *surface, double x, double y);
// Thickness of what came to rest, 0 outside the deposit: after - before there.
double tal_site_ground_gain(const tal_site_ground *surface, double x, double y);
// Share of the ground that trees cover, 0 to 1.
double tal_site_ground_cover(const tal_site_ground *surface, tal_site_epoch epoch, double x,
                             double y);

// A place inside the source and one inside the deposit from which the whole outline can be seen.
void tal_site_ground_source_centre(const tal_site_ground *surface, double *x, double *y);
void tal_site_ground_deposit_centre(const tal_site_ground *surface, double *x, double *y);

#endif

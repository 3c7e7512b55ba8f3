// SPDX-License-Identifier: GPL-3.0-or-later
// The ground of the embedded sites, before and after the event, as exact functions of the place.
// Positions are metres from the south-west corner of the site, elevations are metres of the study.
#ifndef TALUS_DATASETS_SURFACE_H
#define TALUS_DATASETS_SURFACE_H

#include "core/base/status.h"

typedef enum { TAL_SITE_PITON_MARCEL, TAL_SITE_SLOPE } tal_site_kind;
typedef enum { TAL_BEFORE, TAL_AFTER } tal_epoch;

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

typedef struct tal_surface tal_surface;

tal_status tal_surface_create(tal_surface **surface, tal_site_kind kind, tal_error *err);
void tal_surface_destroy(tal_surface *surface);

tal_site_frame tal_surface_frame(const tal_surface *surface);
tal_site_figures tal_surface_figures(const tal_surface *surface);

// Elevation of the ground.
double tal_surface_elevation(const tal_surface *surface, tal_epoch epoch, double x, double y);
// Thickness of what fell, 0 outside the source: before - after there.
double tal_surface_loss(const tal_surface *surface, double x, double y);
// Thickness of what came to rest, 0 outside the deposit: after - before there.
double tal_surface_gain(const tal_surface *surface, double x, double y);
// Share of the ground that trees cover, 0 to 1.
double tal_surface_cover(const tal_surface *surface, tal_epoch epoch, double x, double y);

// A place inside the source and one inside the deposit from which the whole outline can be seen.
void tal_surface_source_centre(const tal_surface *surface, double *x, double *y);
void tal_surface_deposit_centre(const tal_surface *surface, double *x, double *y);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Small pictures of the ground for the report: hillshade, thickness; encoded by GDAL.
#ifndef TALUS_POSTPROC_REPORT_IMAGE_H
#define TALUS_POSTPROC_REPORT_IMAGE_H

#include "core/base/text.h"
#include "core/geo/grid.h"

#include <stdint.h>

typedef struct {
    int32_t width, height;
    tal_bounds bounds; // what the picture shows
    uint8_t *rgba;     // row by row from the north
} tal_image;

// Light from the north-west, softened by two more lights, so that no slope is black; no data is
// transparent.
tal_status tal_image_shade(tal_image *image, const tal_raster *ground, tal_bounds bounds,
                           int32_t width, tal_error *err);
// An empty picture of the same size, for an overlay.
tal_status tal_image_like(tal_image *image, const tal_image *other, tal_error *err);
void tal_image_destroy(tal_image *image);

// Tints where the thickness exceeds the level of detection, from pale yellow to dark red at `full`.
void tal_image_tint_thickness(tal_image *image, const tal_raster *thickness, const tal_raster *lod,
                              double full);

// Colours of the two scales, for legends: `at` from -1 to 1 and from 0 to 1.
void tal_colour_change(double at, uint8_t rgb[3]);
void tal_colour_thickness(double at, uint8_t rgb[3]);

// Appends "data:image/png;base64,..." (or jpeg, which has no transparency).
tal_status tal_image_append_uri(const tal_image *image, bool as_jpeg, tal_text *text,
                                tal_error *err);

#endif

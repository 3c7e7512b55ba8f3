// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of bytes, encoded by GDAL.
#ifndef TALUS_CORE_GEO_PIXELS_H
#define TALUS_CORE_GEO_PIXELS_H

#include "core/base/file.h"

#include <stddef.h>
#include <stdint.h>

typedef enum {
    TAL_PIXELS_BY_BAND,      // all of red, then all of green, all of blue
    TAL_PIXELS_BY_PIXEL_OF_4 // red, green, blue, alpha of the first pixel, then of the next
} tal_pixel_order;

typedef struct {
    int32_t columns, rows;
    int bands; // 3, or 4 with alpha
    tal_pixel_order order;
    uint8_t *value; // rows from the top
} tal_pixels;

// Written aside and renamed.
tal_status tal_pixels_write_png(const tal_pixels *pixels, const char *path, tal_overwrite overwrite,
                                tal_error *err);
// A PNG, or a JPEG (which has no alpha), in memory that the caller destroys.
tal_status tal_pixels_encode(const tal_pixels *pixels, bool as_jpeg, uint8_t **bytes, size_t *count,
                             tal_error *err);

#endif

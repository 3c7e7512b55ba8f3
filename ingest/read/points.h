// SPDX-License-Identifier: GPL-3.0-or-later
// A chunk of points on its way from a file to the grid: flat arrays, filled again and again.
#ifndef TALUS_INGEST_READ_POINTS_H
#define TALUS_INGEST_READ_POINTS_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAL_POINTS_CAPACITY = 65536 };

// Classes of the LAS specification that talus gives a meaning to.
enum { TAL_CLASS_GROUND = 2, TAL_CLASS_LOW_NOISE = 7, TAL_CLASS_HIGH_NOISE = 18 };

typedef struct {
    size_t count;
    double *x, *y, *z;
    uint8_t *point_class; // LAS classification; 0 where the file has none
    uint8_t *is_last;     // 1: nothing lies behind it in the same pulse
    uint8_t *is_withheld; // 1: marked as not to be used
} tal_points;

// Marked by whoever made the cloud: withheld, or of a noise class.
static inline bool tal_points_is_noise(const tal_points *points, size_t i) {
    return points->is_withheld[i] || points->point_class[i] == TAL_CLASS_LOW_NOISE ||
           points->point_class[i] == TAL_CLASS_HIGH_NOISE;
}

tal_status tal_points_create(tal_points *points, tal_error *err);
void tal_points_destroy(tal_points *points);

#endif

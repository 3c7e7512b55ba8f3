// SPDX-License-Identifier: GPL-3.0-or-later
// What is known to be true about a generated site: truth.json for programs, truth.geojson for a
// GIS.
#ifndef TALUS_DATASETS_TRUTH_H
#define TALUS_DATASETS_TRUTH_H

#include "core/base/file.h"
#include "datasets/sites.h"

enum { TAL_OUTLINE_VERTICES = 240 };

// Thickness of the source or of the deposit, summed up.
typedef struct {
    double volume_m3, area_m2, max_thickness_m;
    double x[TAL_OUTLINE_VERTICES], y[TAL_OUTLINE_VERTICES]; // outline, m from the site's corner
} tal_extent;

typedef enum { TAL_SOURCE, TAL_DEPOSIT } tal_extent_kind;

void tal_extent_measure(tal_extent *extent, const tal_site_ground *surface, tal_extent_kind kind);

typedef struct {
    const tal_site *site;
    const tal_site_ground *surface;
    const tal_flight_summary *summary[2]; // by epoch
    uint64_t seed;
    double density_scale;
} tal_truth;

// Writes both files into `folder`, truth.json last.
tal_status tal_truth_write(const tal_truth *truth, const char *folder, tal_overwrite overwrite,
                           tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The maps as files: one Cloud Optimized GeoTIFF each, and all of them in maps.nc.
#ifndef TALUS_POSTPROC_WRITE_MAPS_H
#define TALUS_POSTPROC_WRITE_MAPS_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

typedef struct {
    const char *name; // of the file and of the variable
    const tal_raster *raster;
    const char *unit;
    const char *sentence;
} tal_map;

enum { TAL_MAPS_MAX = 32 };

// The maps that this study has; gives back their number.
int tal_maps_list(const tal_back_analysis *analysis, tal_map list[TAL_MAPS_MAX]);

tal_status tal_maps_write(const tal_back_analysis *analysis, const tal_output_place *place,
                          tal_error *err);

#endif

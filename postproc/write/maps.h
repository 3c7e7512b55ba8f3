// SPDX-License-Identifier: GPL-3.0-or-later
// The maps as files: one Cloud Optimized GeoTIFF each, and all of them in maps.nc.
#ifndef TALUS_POSTPROC_WRITE_MAPS_H
#define TALUS_POSTPROC_WRITE_MAPS_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

tal_status tal_maps_write(const tal_back_analysis *analysis, const tal_output_place *place,
                          tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Rasters on disk by GDAL: any format in, Cloud Optimized GeoTIFF out.
#ifndef TALUS_CORE_GEO_RASTER_FILE_H
#define TALUS_CORE_GEO_RASTER_FILE_H

#include "core/base/file.h"
#include "core/geo/crs.h"
#include "core/geo/grid.h"

// Registers drivers and routes GDAL's messages into tal_error; safe to call more than once.
void tal_gdal_init(void);

// What a raster says about itself before its cells are read.
typedef struct {
    int32_t columns, rows;
    double geotransform[6];
    bool is_north_up_square; // can be read as a tal_raster as it is
    double value_m;          // metres per unit of the values; 0 where the file does not say
    char value_unit[64];     // as the file spells it
    char *crs_definition;    // WKT, NULL where the file has none; freed by tal_raster_info_destroy
} tal_raster_info;

tal_status tal_raster_info_read(tal_raster_info *info, const char *path, tal_error *err);
void tal_raster_info_destroy(tal_raster_info *info);

// Band 1 as it is, whatever bands follow: north-up, square cells, values in the file's own unit
// (its scale and offset applied), nodata and non-finite as NaN. Values beyond 1e5 are refused.
tal_status tal_raster_read(tal_raster *raster, const char *path, tal_error *err);

// A band that follows the raster's own, on the same cells.
typedef struct {
    const float *value;
    const char *description;
    const char *unit; // "m"; "1" for numbers: without one GDAL takes the unit of the heights
} tal_raster_band;

// Written as Cloud Optimized GeoTIFF (float32, deflate, overviews, nodata NaN), aside and renamed.
typedef struct {
    const tal_crs *crs;          // local: none is written
    const char *description;     // of the band: "elevation before the event"
    const char *unit;            // "m"
    const char *provenance;      // JSON text, stored as metadata item TALUS_PROVENANCE; may be NULL
    const tal_raster_band *more; // bands from the second on; NULL without
    int more_count;
} tal_raster_notes;
tal_status tal_raster_write(const char *path, const tal_raster *raster,
                            const tal_raster_notes *notes, tal_overwrite overwrite, tal_error *err);

#endif

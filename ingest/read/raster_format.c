// SPDX-License-Identifier: GPL-3.0-or-later
// Rasters that GDAL opens, as a row of the formats.
#include "core/geo/raster_file.h"
#include "ingest/read/format.h"

static tal_status look(const char *path, tal_file_header *header, tal_error *err) {
    tal_raster_info info;
    tal_error reason;
    tal_error_reset(&reason);
    if (tal_raster_info_read(&info, path, &reason) != TAL_OK) {
        return tal_format_refuse(path, reason.text, err);
    }
    const double *g = info.geotransform;
    header->height_m = info.value_m;
    header->has_extent = true;
    header->low[0] = g[0];
    header->high[0] = g[0] + g[1] * info.columns;
    header->low[1] = g[3] + g[5] * info.rows;
    header->high[1] = g[3];
    tal_status status = tal_file_header_set_crs(header, info.crs_definition, err);
    if (status == TAL_OK && !info.is_north_up_square) {
        status = TAL_FAIL(err, TAL_BAD_INPUT,
                          "%s is rotated, has cells that are not square, or does not say where it "
                          "lies; make a north-up copy first (gdalwarp -tr CELL CELL IN OUT)",
                          path);
    }
    tal_raster_info_destroy(&info);
    return status;
}

const tal_format tal_format_raster = {
    .name = "raster", .meaning = "a raster GDAL can open", .is_raster = true, .look = look};

// SPDX-License-Identifier: GPL-3.0-or-later
// Further files for other programs, asked for by [report] export.
#ifndef TALUS_POSTPROC_WRITE_EXPORT_H
#define TALUS_POSTPROC_WRITE_EXPORT_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

// Every word of the setting is a format.
tal_status tal_export_check(const tal_settings *settings, tal_error *err);
// Needs result.gpkg, which was written before.
tal_status tal_export_write(const tal_back_analysis *analysis, const tal_output_place *place,
                            tal_error *err);

// An ESRI ASCII grid; NaN is -9999.
void tal_export_append_grid(tal_text *text, const tal_raster *values, const tal_grid *grid);

#endif

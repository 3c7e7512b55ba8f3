// SPDX-License-Identifier: GPL-3.0-or-later
// The result for QGIS: result.gpkg with styled layers, result.qgz that shows them in order.
#ifndef TALUS_POSTPROC_WRITE_GIS_H
#define TALUS_POSTPROC_WRITE_GIS_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

tal_status tal_gis_write(const tal_back_analysis *analysis, const tal_output_place *place,
                         tal_error *err);

#endif

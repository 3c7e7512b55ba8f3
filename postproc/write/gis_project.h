// SPDX-License-Identifier: GPL-3.0-or-later
// result.qgz: a QGIS project with hillshade, thickness and the layers of result.gpkg in order.
#ifndef TALUS_POSTPROC_WRITE_GIS_PROJECT_H
#define TALUS_POSTPROC_WRITE_GIS_PROJECT_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

tal_status tal_gis_project_write(const tal_back_analysis *analysis, const tal_output_place *place,
                                 tal_error *err);

#endif

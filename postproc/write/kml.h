// SPDX-License-Identifier: GPL-3.0-or-later
// result.kmz for Google Earth: outlines, paths, and the blocks over time.
#ifndef TALUS_POSTPROC_WRITE_KML_H
#define TALUS_POSTPROC_WRITE_KML_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

tal_status tal_kml_write(const tal_back_analysis *analysis, const tal_output_place *place,
                         tal_error *err);

#endif

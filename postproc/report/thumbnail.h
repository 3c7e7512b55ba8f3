// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of what the run did, for tables of many runs.
#ifndef TALUS_POSTPROC_REPORT_THUMBNAIL_H
#define TALUS_POSTPROC_REPORT_THUMBNAIL_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

// thumbnail.png: shaded ground, simulated thickness, outlines of source and both deposits.
tal_status tal_thumbnail_write(const tal_back_analysis *analysis, const tal_output_place *place,
                               tal_error *err);

#endif

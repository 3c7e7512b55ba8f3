// SPDX-License-Identifier: GPL-3.0-or-later
// The rasters inside the report: what its map, its replay and its sections show.
#ifndef TALUS_POSTPROC_REPORT_REPORT_FIELDS_H
#define TALUS_POSTPROC_REPORT_REPORT_FIELDS_H

#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"

// Appends one JSON object: the grid, every `stride`-th cell where it is large, and its layers, each
// packed into 16-bit numbers with runs without data left out.
tal_status tal_report_fields_append(tal_text *text, const tal_back_analysis *analysis,
                                    tal_error *err);

#endif

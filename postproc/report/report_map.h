// SPDX-License-Identifier: GPL-3.0-or-later
// The map at the top of the report: hillshade as a picture, everything else as SVG.
#ifndef TALUS_POSTPROC_REPORT_REPORT_MAP_H
#define TALUS_POSTPROC_REPORT_REPORT_MAP_H

#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"

// A <figure> with legend and caption.
tal_status tal_report_map_append(tal_text *text, const tal_back_analysis *analysis, tal_error *err);

// What a map should show: source, both deposits and the flow line with a margin, inside the grid;
// metres from the origin.
tal_bounds tal_report_map_focus(const tal_back_analysis *analysis);
// Thickness at which the colours end: a round number near the greatest of both deposits.
double tal_report_thickness_scale(const tal_back_analysis *analysis);

// The next number of few digits, not below: 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
double tal_report_round_up(double value);

#endif

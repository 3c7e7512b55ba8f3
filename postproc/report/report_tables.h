// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the report that only some studies have.
#ifndef TALUS_POSTPROC_REPORT_REPORT_TABLES_H
#define TALUS_POSTPROC_REPORT_REPORT_TABLES_H

#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"

// What became of each source, where there are several.
void tal_report_append_sources(tal_text *text, const tal_back_analysis *analysis);

// The runs with other blocks and time steps, where they were made.
void tal_report_append_variants(tal_text *text, const tal_back_analysis *analysis);

#endif

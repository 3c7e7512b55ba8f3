// SPDX-License-Identifier: GPL-3.0-or-later
// What the report says in sentences.
#ifndef TALUS_POSTPROC_REPORT_WORDS_H
#define TALUS_POSTPROC_REPORT_WORDS_H

#include "core/settings.h"
#include "core/text.h"
#include "postproc/analysis.h"

// The result in two or three sentences.
void tal_report_verdict(tal_text *text, const tal_analysis *analysis);
// Place, time, blocks, coordinate system.
void tal_report_about(tal_text *text, const tal_analysis *analysis, const tal_settings *settings);
// How to read the score sheet.
void tal_report_sheet_words(tal_text *text, const tal_analysis *analysis);

#endif

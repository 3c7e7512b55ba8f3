// SPDX-License-Identifier: GPL-3.0-or-later
// What the report says in sentences.
#ifndef TALUS_POSTPROC_REPORT_REPORT_WORDS_H
#define TALUS_POSTPROC_REPORT_REPORT_WORDS_H

#include "core/base/settings.h"
#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"

// The result in two or three sentences.
void tal_report_verdict(tal_text *text, const tal_back_analysis *analysis);
// Place, time, blocks, coordinate system.
void tal_report_about(tal_text *text, const tal_back_analysis *analysis,
                      const tal_settings *settings);
// How to read the score sheet.
void tal_report_sheet_words(tal_text *text, const tal_back_analysis *analysis);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Where the settings of a run come from: the calibrate.json that [report] calibration names.
#ifndef TALUS_POSTPROC_REPORT_REPORT_CALIBRATION_H
#define TALUS_POSTPROC_REPORT_REPORT_CALIBRATION_H

#include "core/base/text.h"
#include "postproc/measure/back_analysis.h"

#include <cjson/cJSON.h>

// *root is NULL where no calibration is named; the caller deletes it.
tal_status tal_report_calibration_read(cJSON **root, const tal_settings *settings, tal_error *err);

// Whether it can be read, before any work.
tal_status tal_report_calibration_check(const tal_settings *settings, tal_error *err);

// A sentence for the head of the page: that there was a calibration, and the scores before it.
void tal_report_calibration_sentence(tal_text *text, const cJSON *root);
// What it found, and its scores before and after beside those of this run.
void tal_report_append_calibration(tal_text *text, const cJSON *root, const tal_back_analysis *a,
                                   const tal_settings *settings);

#endif

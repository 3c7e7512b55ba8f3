// SPDX-License-Identifier: GPL-3.0-or-later
// The score sheet as scores.json and scores.csv.
#ifndef TALUS_POSTPROC_WRITE_SCORE_FILE_H
#define TALUS_POSTPROC_WRITE_SCORE_FILE_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

tal_status tal_score_file_write(const tal_back_analysis *analysis, const tal_output_place *place,
                                tal_error *err);

#endif

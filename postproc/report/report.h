// SPDX-License-Identifier: GPL-3.0-or-later
// report.html: one file that needs nothing else, with the score sheet, the figures and the replay.
#ifndef TALUS_POSTPROC_REPORT_REPORT_H
#define TALUS_POSTPROC_REPORT_REPORT_H

#include "postproc/figures/figures.h"
#include "postproc/measure/back_analysis.h"
#include "postproc/measure/ground_mesh.h"
#include "postproc/write/output.h"

tal_status tal_report_write(const tal_back_analysis *analysis, const tal_ground_mesh *ground,
                            const tal_figures *figures, const tal_output_place *place,
                            tal_error *err);

#endif

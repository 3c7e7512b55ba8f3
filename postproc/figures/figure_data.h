// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures show, as small text tables beside their scripts.
#ifndef TALUS_POSTPROC_FIGURES_FIGURE_DATA_H
#define TALUS_POSTPROC_FIGURES_FIGURE_DATA_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

tal_status tal_figure_data_write(const tal_back_analysis *analysis, const tal_output_place *place,
                                 tal_error *err);

#endif

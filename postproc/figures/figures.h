// SPDX-License-Identifier: GPL-3.0-or-later
// Figures by GMT 6: data and a script each, run when GMT is there, kept for those who want to
// change them.
#ifndef TALUS_POSTPROC_FIGURES_FIGURES_H
#define TALUS_POSTPROC_FIGURES_FIGURES_H

#include "postproc/measure/back_analysis.h"
#include "postproc/write/output.h"

enum { TAL_FIGURES_MAX = 12 };

typedef struct {
    char png[TAL_PATH_SIZE];
    const char *title;
    char caption[512];
    bool is_wide;
} tal_figure;

typedef struct {
    int count; // of those that could be drawn
    tal_figure figure[TAL_FIGURES_MAX];
} tal_figures;

tal_status tal_figures_write(tal_figures *figures, const tal_back_analysis *analysis,
                             const tal_output_place *place, tal_error *err);

#endif

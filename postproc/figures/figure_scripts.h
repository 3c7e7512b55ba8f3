// SPDX-License-Identifier: GPL-3.0-or-later
// The GMT scripts of the figures: a table with a row per figure, whose script is a file of
// figures/scripts. A new figure is one script and one row.
#ifndef TALUS_POSTPROC_FIGURES_FIGURE_SCRIPTS_H
#define TALUS_POSTPROC_FIGURES_FIGURE_SCRIPTS_H

#include "core/base/text.h"
#include "postproc/figures/figures.h"
#include "postproc/measure/back_analysis.h"

typedef struct {
    const char *name; // of the script and of the figure
    const char *title;
    bool is_wide;
    tal_text caption;
    tal_text text;
} tal_figure_script;

typedef struct {
    int count;
    tal_figure_script script[TAL_FIGURES_MAX];
} tal_figure_scripts;

tal_status tal_figure_scripts_create(tal_figure_scripts *scripts, const tal_back_analysis *analysis,
                                     const tal_settings *settings, tal_error *err);
void tal_figure_scripts_destroy(tal_figure_scripts *scripts);

#endif

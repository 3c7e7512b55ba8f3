// SPDX-License-Identifier: GPL-3.0-or-later
// A page that shows two runs of a study side by side.
#ifndef TALUS_PIPELINES_ENGINE_COMPARISON_H
#define TALUS_PIPELINES_ENGINE_COMPARISON_H

#include "core/base/status.h"
#include "core/base/text.h"

// The runs that can be chosen, as a list that grows; starts as {0}.
typedef struct {
    tal_text list; // JSON without its brackets
    int count;
} tal_run_comparison;

// `name` as a reader knows the run, `key` its folder in runs/.
void tal_run_comparison_add(tal_run_comparison *comparison, const char *name, const char *key);
// compare.html in the folder of the study, where there are two runs to compare; `comparison` is emptied.
tal_status tal_run_comparison_write(tal_run_comparison *comparison, const char *folder,
                                    tal_error *err);

// A cell of a table with the picture of a run, which leads to its report; empty in a browser where the run
// has none (releases, or report.figures = no).
void tal_run_comparison_append_thumbnail(tal_text *page, const char *name, const char *key);

#endif

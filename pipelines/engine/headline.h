// SPDX-License-Identifier: GPL-3.0-or-later
// The few scores that the pages of studies show of every run; all of them are in their tables.
#ifndef TALUS_PIPELINES_ENGINE_HEADLINE_H
#define TALUS_PIPELINES_ENGINE_HEADLINE_H

#include "pipelines/engine/runner.h"

// Which scores any of `count` runs has, as bits: those of a deposit, of stops, of passages. A page shows these.
unsigned tal_headline_columns(const tal_run_answer *answer, int count);
// Cells of the heading row.
void tal_headline_append_heads(tal_text *page, unsigned columns);
// Cells of one run; false: it failed, and one cell over all columns, that of a link included, says
// why.
bool tal_headline_append(tal_text *page, const tal_run_answer *answer, unsigned columns);

// Prediction against observation: simulated over surveyed runout, on the line where the simulation is right.
// First the farthest runout of each run (0: it failed, or nothing was surveyed), then the figure with the largest
// of these. `point` is what the page's script calls the run, -1: nothing. `attributes` go into the tag of
// the caption.
double tal_prediction_reach(const tal_run_answer *answer);
void tal_prediction_begin(tal_text *page);
void tal_prediction_mark(tal_text *page, const tal_run_answer *answer, const char *name, int point,
                         bool is_hollow, double most);
void tal_prediction_end(tal_text *page, double most, const char *attributes, const char *caption);

#endif

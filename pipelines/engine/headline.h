// SPDX-License-Identifier: GPL-3.0-or-later
// The few scores that the pages of studies show of every run; all of them are in their tables.
#ifndef TALUS_PIPELINES_ENGINE_HEADLINE_H
#define TALUS_PIPELINES_ENGINE_HEADLINE_H

#include "pipelines/engine/runner.h"

// Cells of the heading row.
void tal_headline_append_heads(tal_text *page);
// Cells of one run; false: it failed, and one cell over all columns, that of a link included, says
// why.
bool tal_headline_append(tal_text *page, const tal_run_answer *answer);

#endif

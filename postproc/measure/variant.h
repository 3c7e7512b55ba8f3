// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the same event with other blocks and another time step: what the scores owe to the way of
// computing. `make run` does them below OUT/sensitivity; they are read here.
#ifndef TALUS_POSTPROC_MEASURE_VARIANT_H
#define TALUS_POSTPROC_MEASURE_VARIANT_H

#include "core/base/settings.h"
#include "core/base/text.h"
#include "postproc/measure/score.h"

enum { TAL_VARIANTS_MAX = 5 };

typedef struct {
    const char *name;  // of its folder
    const char *label; // for people
    int32_t block_count;
    tal_scores scores;
} tal_variant;

typedef struct {
    int count; // those that were run
    tal_variant variant[TAL_VARIANTS_MAX];
} tal_variants;

// "NAME SECTION.KEY=VALUE;SECTION.KEY=VALUE", one line for each run that [report] sensitivity asks for: half
// and twice as many blocks, half the time step, two further seeds. Blocks that are not cut cannot be cut finer,
// and bricks have nothing random: those runs are left out.
void tal_variants_append(tal_text *text, const tal_settings *settings);

// The folder and the words for the variant of a number; false past the last.
bool tal_variant_at(const tal_settings *settings, int index, tal_variant *variant);

#endif

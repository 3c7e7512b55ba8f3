// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run may be believed: what the solver reported about itself, against limits.
#ifndef TALUS_POSTPROC_MEASURE_TRUST_H
#define TALUS_POSTPROC_MEASURE_TRUST_H

#include "postproc/measure/run_record.h"

typedef enum { TAL_TRUST_GOOD, TAL_TRUST_DOUBTFUL, TAL_TRUST_BAD } tal_trust_level;

enum { TAL_TRUST_CHECKS = 6, TAL_TRUST_TEXT_SIZE = 320 };

typedef struct {
    const char *key; // in scores.json
    const char *label;
    double value;
    const char *unit;
    double good_limit, bad_limit; // in the unit of `value`; NaN where the check is not a number
    tal_trust_level level;
    char text[TAL_TRUST_TEXT_SIZE]; // one sentence on what was found and what to do
} tal_trust_check;

typedef struct {
    tal_trust_level level; // the worst
    tal_trust_check check[TAL_TRUST_CHECKS];
} tal_trust;

void tal_trust_judge(tal_trust *trust, const tal_blocks *blocks, const tal_run_record *motion);
const char *tal_trust_word(tal_trust_level level); // "good", "doubtful", "bad"

#endif

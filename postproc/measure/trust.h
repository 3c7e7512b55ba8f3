// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run may be believed: did the rock move, did it come to rest, and what the solver reported
// about itself, against limits. In the order in which they should be told.
#ifndef TALUS_POSTPROC_MEASURE_TRUST_H
#define TALUS_POSTPROC_MEASURE_TRUST_H

#include "postproc/measure/source.h"

typedef enum { TAL_TRUST_GOOD, TAL_TRUST_DOUBTFUL, TAL_TRUST_BAD } tal_trust_level;

enum { TAL_TRUST_CHECKS = 8, TAL_TRUST_TEXT_SIZE = 640 };

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

void tal_trust_judge(tal_trust *trust, const tal_blocks *blocks, const tal_run_record *motion,
                     const tal_travel *travel, const tal_sources *sources);
// One score of the runs with other blocks and time steps: what is said in the last check.
void tal_trust_add_variant(tal_trust_check *check, const char *label, const char *unit, double low,
                           double high, bool is_wide, bool has_survey);
const char *tal_trust_word(tal_trust_level level); // "good", "doubtful", "bad"

#endif

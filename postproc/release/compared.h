// SPDX-License-Identifier: GPL-3.0-or-later
// Rocks of a release against what people measured: where real ones stopped, and how they passed a target.
// Definitions: docs/theory/scores.md, "Stops".
#ifndef TALUS_POSTPROC_RELEASE_COMPARED_H
#define TALUS_POSTPROC_RELEASE_COMPARED_H

#include "postproc/measure/observed.h"
#include "postproc/release/targets.h"

enum { TAL_COMPARED_QUANTILES = 3, TAL_COMPARED_MAX = 2 + TAL_REPEAT_MAX * TAL_AT_QUANTITIES };

// One quantity, simulated and observed; its values are sorted.
typedef struct {
    const char *target; // NULL: stops
    const char *name, *unit;
    size_t simulated_count, observed_count;
    double *simulated, *observed;
    double simulated_quantile[TAL_COMPARED_QUANTILES]; // 5, 50, 95 %
    double observed_quantile[TAL_COMPARED_QUANTILES];
    double low[TAL_COMPARED_QUANTILES],
        high[TAL_COMPARED_QUANTILES]; // 95 % interval of the observed
    double simulated_deviation, observed_deviation;
    double ks, ks_limit; // two samples of one distribution stay below it 19 times of 20
} tal_compared_row;

typedef struct {
    int count;
    tal_compared_row row[TAL_COMPARED_MAX];
    tal_scores scores; // NaN where nothing was observed
    char outside[256]; // how many stops lie outside the terrain; "" without any
} tal_compared;

// `ground` is the box around the terrain, from the origin.
tal_status tal_compared_create(tal_compared *compared, tal_rocks *rocks, const tal_targets *targets,
                               const tal_settings *settings, tal_bounds ground, tal_error *err);
void tal_compared_destroy(tal_compared *compared);

#endif

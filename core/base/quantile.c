// SPDX-License-Identifier: GPL-3.0-or-later
// Quantiles of a sample.
#include "core/base/quantile.h"

#include <math.h>
#include <stdlib.h>

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// docs/theory/scores.md (9).
double tal_quantile(double *values, size_t count, double p) {
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            values[finite++] = values[i];
        }
    }
    if (finite == 0) {
        return NAN;
    }
    qsort(values, finite, sizeof *values, compare_reals);
    const double at = p * (double)(finite - 1);
    const size_t low = (size_t)floor(at);
    const size_t high = low + 1 < finite ? low + 1 : low;
    return values[low] + (at - (double)low) * (values[high] - values[low]);
}

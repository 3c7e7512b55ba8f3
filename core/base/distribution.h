// SPDX-License-Identifier: GPL-3.0-or-later
// A number or a distribution, as a site file states it: "1.5", "uniform 0.5 2", "normal 1 0.2",
// "lognormal 1 0.4", "exponential 2".
#ifndef TALUS_CORE_BASE_DISTRIBUTION_H
#define TALUS_CORE_BASE_DISTRIBUTION_H

#include "core/base/random.h"
#include "core/base/status.h"

typedef enum {
    TAL_DISTRIBUTION_CONSTANT,
    TAL_DISTRIBUTION_UNIFORM,     // low, high
    TAL_DISTRIBUTION_NORMAL,      // mean, deviation
    TAL_DISTRIBUTION_LOGNORMAL,   // median, deviation of the logarithm
    TAL_DISTRIBUTION_EXPONENTIAL, // mean
    TAL_DISTRIBUTION_COUNT
} tal_distribution_kind;

// Draws below `low` or above `high` are cut to them.
typedef struct {
    tal_distribution_kind kind;
    double first, second;
    double low, high;
} tal_distribution;

// Wrong words, wrong counts and numbers that can never lie in [low, high] are one message each, which
// begins with `where` ("site.ini:12: [release] size_m").
tal_status tal_distribution_parse(tal_distribution *distribution, const char *text, double low,
                                  double high, const char *where, tal_error *err);

// The median; of an exponential one, the mean.
double tal_distribution_middle(const tal_distribution *distribution);

double tal_distribution_draw(const tal_distribution *distribution, tal_random random,
                             uint64_t draw);

#endif

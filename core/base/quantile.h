// SPDX-License-Identifier: GPL-3.0-or-later
// Quantiles of a sample.
#ifndef TALUS_CORE_BASE_QUANTILE_H
#define TALUS_CORE_BASE_QUANTILE_H

#include <stddef.h>

// Value below which the share p of the values lies (NaN left out; linear between order statistics,
// type 7 of Hyndman and Fan 1996). Sorts `values`.
double tal_quantile(double *values, size_t count, double p);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Robust statistics of samples: median, NMAD (1.4826 times the median absolute deviation), RMSE.
#ifndef TALUS_INGEST_COMPARE_STATISTICS_H
#define TALUS_INGEST_COMPARE_STATISTICS_H

#include <stddef.h>

typedef struct {
    size_t count;
    double mean, median, nmad, rmse;
} tal_statistics;

// The value of rank `rank` (0: smallest); reorders `values`. NaN when there are none.
double tal_select(double *values, size_t count, size_t rank);
double tal_median(double *values, size_t count);
// Sorts ascending.
void tal_sort(double *values, size_t count);
// Reorders `values`.
tal_statistics tal_statistics_find(double *values, size_t count);

#endif

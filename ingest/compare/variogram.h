// SPDX-License-Identifier: GPL-3.0-or-later
// How errors hang together over distance: the variogram of the stable terrain's standardised
// residuals, a nugget and two spherical models fitted to it, and what they do to a sum over an
// area.
#ifndef TALUS_INGEST_COMPARE_VARIOGRAM_H
#define TALUS_INGEST_COMPARE_VARIOGRAM_H

#include "core/base/status.h"
#include "core/geo/grid.h"

#include <stdint.h>

enum { TAL_LAGS = 18 };

// gamma(h) = nugget + sum of sill_k (1.5 h/range_k - 0.5 (h/range_k)^3 up to range_k, 1 beyond).
typedef struct {
    double nugget;
    double sill[2], range_m[2];
    int lag_count;
    double lag_m[TAL_LAGS], gamma[TAL_LAGS]; // as measured
    int64_t pairs[TAL_LAGS];
} tal_variogram;

// `value` on the cells of `mask`; NaN takes no part. Pairs are drawn at random, always the same
// ones.
tal_status tal_variogram_find(tal_variogram *variogram, const tal_grid *grid, const float *value,
                              const uint8_t *mask, tal_error *err);
double tal_variogram_gamma(const tal_variogram *variogram, double distance);
// Covariance of the correlated part (without the nugget).
double tal_variogram_covariance(const tal_variogram *variogram, double distance);

// Standard deviation of sum over the mask of scale_i e_i, where the e_i have the correlated part's
// covariance: by all pairs of cells or, of large areas, by pairs drawn at random, always the same
// ones.
tal_status tal_variogram_sum_deviation(const tal_variogram *variogram, const tal_grid *grid,
                                       const uint8_t *mask, const float *scale, double *deviation,
                                       tal_error *err);

#endif

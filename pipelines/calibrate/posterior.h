// SPDX-License-Identifier: GPL-3.0-or-later
// Which parameters explain the deposit, given misfits at some points: GLUE (Beven and Binley 1992)
// over the whole of the ranges.
//
// A Gaussian process says what the misfit is between the points (surrogate.h); a place of the
// ranges counts with the probability that its misfit is at most `margin` above the best one. Points
// of a search, which crowd near the best, count for no more than the space they stand for, and what
// nobody tried is not taken for bad.
#ifndef TALUS_PIPELINES_CALIBRATE_POSTERIOR_H
#define TALUS_PIPELINES_CALIBRATE_POSTERIOR_H

#include "core/base/status.h"
#include "pipelines/calibrate/parameter.h"
#include "pipelines/calibrate/surrogate.h"

typedef struct {
    double low, median, high; // 5, 50, 95 % of the weight, in [0, 1]
    double spread;            // (high - low) / 0.9: 1 when nothing is known
} tal_marginal;

typedef struct {
    int dimensions, point_count;
    double margin;
    double *weight;                    // by point, sum 1: for maps
    double length[TAL_PARAMETERS_MAX]; // over which the misfit changes, as a share of the range
    tal_marginal marginal[TAL_PARAMETERS_MAX];
    double correlation[TAL_PARAMETERS_MAX][TAL_PARAMETERS_MAX]; // of ranks
    // The places that count.
    int place_count;
    double *place; // place_count * dimensions
    double *place_weight;
} tal_posterior;

tal_status tal_posterior_create(tal_posterior *posterior, const tal_parameters *parameters,
                                const double *points, const double *misfit, int point_count,
                                double margin, tal_error *err);
void tal_posterior_destroy(tal_posterior *posterior);

#endif

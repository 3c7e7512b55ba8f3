// SPDX-License-Identifier: GPL-3.0-or-later
// The misfit between the points that were run: a Gaussian process with one length per setting
// (Rasmussen and Williams 2006, ch. 2, 4, 5), Matern 5/2. A setting that does not matter gets a
// long length; where nothing was run the prediction is uncertain and says so.
#ifndef TALUS_PIPELINES_CALIBRATE_SURROGATE_H
#define TALUS_PIPELINES_CALIBRATE_SURROGATE_H

#include "core/base/status.h"
#include "pipelines/calibrate/parameter.h"

typedef struct {
    const tal_parameters *parameters;
    int count; // points used: all, or the best and a choice of the others
    double *point;
    double *factor; // Cholesky, count * count
    double *alpha;  // K^-1 (misfit - mean)
    double *work;
    double mean, scale; // of the misfit
    double length[TAL_PARAMETERS_MAX], noise;
} tal_surrogate;

tal_status tal_surrogate_create(tal_surrogate *surrogate, const tal_parameters *parameters,
                                const double *points, const double *misfit, int count,
                                tal_error *err);
void tal_surrogate_destroy(tal_surrogate *surrogate);
// Mean and standard deviation of the misfit at a place.
void tal_surrogate_predict(const tal_surrogate *surrogate, const double *place, double *mean,
                           double *deviation);
// The same in parts: the mean, and the covariance with the points as a vector of `count` numbers
// whose squares add up to the share of the variance that the points take away.
void tal_surrogate_whiten(const tal_surrogate *surrogate, const double *place, double *white,
                          double *mean);
// Covariance of two places before anything was run, as a share of the variance.
double tal_surrogate_covariance(const tal_surrogate *surrogate, const double *a, const double *b);
// Squared distance of two places, each setting in units of its length.
double tal_surrogate_distance2(const tal_surrogate *surrogate, const double *a, const double *b);

#endif

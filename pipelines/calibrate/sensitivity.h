// SPDX-License-Identifier: GPL-3.0-or-later
// Which parameter moves the misfit: Sobol indices from a polynomial fitted to a sample (Sudret
// 2008, Reliab. Eng. Syst. Saf. 93, 964-979). A sample of any size gives them, together with the
// share of the variance that the polynomial predicts at points left out of its fit.
#ifndef TALUS_PIPELINES_CALIBRATE_SENSITIVITY_H
#define TALUS_PIPELINES_CALIBRATE_SENSITIVITY_H

#include "core/base/status.h"
#include "pipelines/calibrate/parameter.h"

typedef struct {
    int dimensions, degree; // degree 0: no polynomial could be fitted
    double predicted;       // 1 - leave-one-out error / variance; below about 0.5 do not trust it
    double first[TAL_PARAMETERS_MAX]; // share of the variance due to this parameter alone
    double total[TAL_PARAMETERS_MAX]; // with all that it does together with others
} tal_sensitivity;

// `points`: uniformly spread over the unit cube.
// Whether the indices say anything: the polynomial must predict half of the variance it has not seen.
bool tal_sensitivity_is_trusted(const tal_sensitivity *sensitivity);

tal_status tal_sensitivity_find(tal_sensitivity *sensitivity, const double *points,
                                const double *misfit, int count, int dimensions, tal_error *err);

#endif

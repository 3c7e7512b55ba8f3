// SPDX-License-Identifier: GPL-3.0-or-later
// Points all over the unit cube. The Sobol sequence is GSL's.
#include "pipelines/calibrate/design.h"

#include "core/base/memory.h"
#include "core/base/random.h"

#include <gsl/gsl_qrng.h>
#include <math.h>

tal_status tal_design_grid(double *points, int count, int dimensions, int *made, tal_error *err) {
    int steps = (int)floor(pow(count, 1.0 / dimensions) + 1e-9);
    if (steps < 2) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "%d points are too few for a grid over %d settings: it needs at least %.0f",
                        count, dimensions, pow(2, dimensions));
    }
    *made = 1;
    for (int k = 0; k < dimensions; k++) {
        *made *= steps;
    }
    for (int i = 0; i < *made; i++) {
        for (int k = dimensions - 1, rest = i; k >= 0; k--, rest /= steps) {
            points[i * dimensions + k] = (double)(rest % steps) / (steps - 1);
        }
    }
    return TAL_OK;
}

tal_status tal_design_lhs(double *points, int count, int dimensions, uint64_t seed,
                          tal_error *err) {
    int *order = NULL;
    TAL_CREATE(order, (size_t)count, "a sample", err);
    for (int k = 0; k < dimensions; k++) {
        const tal_random shuffle = tal_random_stream(seed, (uint32_t)k, "pipelines/lhs-order");
        const tal_random place = tal_random_stream(seed, (uint32_t)k, "pipelines/lhs-place");
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        for (int i = count - 1; i > 0; i--) {
            const int j = (int)tal_random_below(shuffle, (uint64_t)i, (uint64_t)i + 1);
            const int other = order[i];
            order[i] = order[j];
            order[j] = other;
        }
        for (int i = 0; i < count; i++) {
            points[i * dimensions + k] =
                (order[i] + tal_random_uniform(place, (uint64_t)i)) / count;
        }
    }
    tal_memory_destroy(order);
    return TAL_OK;
}

tal_status tal_design_sobol(double *points, int count, int dimensions, tal_error *err) {
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)dimensions);
    if (sequence == NULL) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no Sobol sequence of %d dimensions", dimensions);
    }
    for (int i = 0; i < count; i++) {
        gsl_qrng_get(sequence, points + (size_t)i * (size_t)dimensions);
    }
    gsl_qrng_free(sequence);
    return TAL_OK;
}

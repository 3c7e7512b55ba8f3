// SPDX-License-Identifier: GPL-3.0-or-later
// Points where the runs so far promise a better fit: expected improvement of the Gaussian process
// (Jones, Schonlau and Welch 1998). They come in batches, so that all cores have work; within one,
// each point counts as if its run had met the prediction (Ginsbourger, Le Riche and Carraro 2010),
// which leaves the means as they are and takes the doubt away around it.
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/geometry/angle.h"
#include "pipelines/calibrate/calibrate.h"
#include "pipelines/calibrate/design.h"

#include <math.h>
#include <string.h>

enum { FAR = 4096, NEAR = 1024, CANDIDATES = FAR + NEAR, BATCH = 4, ROUNDS = 4 };

typedef struct {
    double *place; // CANDIDATES * dimensions: all over the ranges, then near the best
    double *white; // CANDIDATES * width: see tal_surrogate_whiten
    double mean[CANDIDATES], doubt[CANDIDATES]; // variance, as a share of the surrogate's
    int width;
} candidates;

// Normal steps from the best point, over three scales, held inside the ranges.
static void add_near(const tal_calibration *c, double *place) {
    static const double scale[] = {0.1, 0.03, 0.01};
    const int d = c->parameters.count;
    const tal_random step = tal_random_stream((uint64_t)c->settings->random.seed,
                                              (uint32_t)c->point_count, "pipelines/improve");
    for (int i = 0; i < NEAR; i++) {
        for (int k = 0; k < d; k++) {
            const double moved = c->point[c->best].unit[k] +
                                 scale[i % 3] * tal_random_normal(step, (uint64_t)(i * d + k));
            place[i * d + k] = fmax(0, fmin(1, moved));
        }
    }
}

static tal_status create_candidates(candidates *all, const tal_calibration *c,
                                    const tal_surrogate *surrogate, int batch, tal_error *err) {
    const size_t d = (size_t)c->parameters.count;
    all->width = surrogate->count + batch;
    TAL_CREATE(all->place, CANDIDATES * d, "places", err);
    TAL_CREATE(all->white, CANDIDATES * (size_t)all->width, "places", err);
    TAL_TRY(tal_design_sobol(all->place, FAR, (int)d, err));
    add_near(c, all->place + FAR * d);
    for (size_t i = 0; i < CANDIDATES; i++) {
        double *white = all->white + i * (size_t)all->width;
        all->doubt[i] = 1;
        tal_surrogate_whiten(surrogate, all->place + i * d, white, &all->mean[i]);
        for (int k = 0; k < surrogate->count; k++) {
            all->doubt[i] -= white[k] * white[k];
        }
    }
    return TAL_OK;
}

// docs/theory/calibration.md (3).
static double expected_improvement(double gain, double deviation) {
    if (!(deviation > 0)) {
        return fmax(0, gain);
    }
    const double z = gain / deviation;
    return gain * 0.5 * erfc(-z / sqrt(2)) + deviation * exp(-0.5 * z * z) / sqrt(2 * TAL_PI);
}

// The place that promises most, or -1 where nothing is left to gain.
static int choose(const candidates *all, const tal_surrogate *surrogate, double best) {
    static const double LEAST = 1e-6; // far below what any deposit tells
    double most = LEAST;
    int chosen = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        const double deviation = surrogate->scale * sqrt(fmax(0, all->doubt[i]));
        const double promise = expected_improvement(best - all->mean[i], deviation);
        if (promise > most) {
            most = promise;
            chosen = i;
        }
    }
    return chosen;
}

// Takes the doubt away that a run at the chosen place, the `known`-th point, would.
static void believe(candidates *all, const tal_surrogate *surrogate, int chosen, int known) {
    const size_t d = (size_t)surrogate->parameters->count, width = (size_t)all->width;
    const double *at = all->place + (size_t)chosen * d, *own = all->white + (size_t)chosen * width;
    const double root = sqrt(fmax(all->doubt[chosen], 0) + surrogate->noise);
    for (size_t i = 0; i < CANDIDATES; i++) {
        double *white = all->white + i * width, shared = 0;
        for (int k = 0; k < known; k++) {
            shared += white[k] * own[k];
        }
        const double covariance =
            tal_surrogate_covariance(surrogate, all->place + i * d, at) - shared;
        white[known] = covariance / root;
    }
    for (size_t i = 0; i < CANDIDATES; i++) {
        const double taken = all->white[i * width + (size_t)known];
        all->doubt[i] -= taken * taken;
    }
    all->mean[chosen] = INFINITY; // not twice, however noisy
}

static tal_status choose_batch(const tal_calibration *c, int batch, double *units, int *made,
                               tal_error *err) {
    const size_t d = (size_t)c->parameters.count;
    tal_surrogate surrogate = {0};
    candidates *all = NULL;
    double *points = NULL, *misfit = NULL;
    tal_status status = TAL_OK;
    *made = 0;
    TAL_CREATE_OR_DONE(all, 1, "places", err);
    TAL_TRY_OR_DONE(tal_calibration_list(c, &points, &misfit, err));
    TAL_TRY_OR_DONE(
        tal_surrogate_create(&surrogate, &c->parameters, points, misfit, c->point_count, err));
    TAL_TRY_OR_DONE(create_candidates(all, c, &surrogate, batch, err));
    while (*made < batch) {
        const int chosen = choose(all, &surrogate, c->point[c->best].misfit);
        if (chosen < 0) {
            break;
        }
        memcpy(units + (size_t)*made * d, all->place + (size_t)chosen * d, d * sizeof *units);
        believe(all, &surrogate, chosen, surrogate.count + *made);
        (*made)++;
    }
done:
    tal_surrogate_destroy(&surrogate);
    if (all != NULL) {
        tal_memory_destroy(all->place);
        tal_memory_destroy(all->white);
    }
    tal_memory_destroy(all);
    tal_memory_destroy(points);
    tal_memory_destroy(misfit);
    return status;
}

tal_status tal_calibration_improve(tal_calibration *c, int count, tal_error *err) {
    // The same batches wherever it runs: their size must not depend on the cores.
    const int batch = BATCH * ((count + BATCH * ROUNDS - 1) / (BATCH * ROUNDS));
    double *units = NULL;
    TAL_CREATE(units, (size_t)batch * (size_t)c->parameters.count, "points", err);
    tal_status status = TAL_OK;
    for (int left = count, made = 1; left > 0 && made > 0 && status == TAL_OK; left -= made) {
        status = choose_batch(c, batch < left ? batch : left, units, &made, err);
        if (status == TAL_OK && made > 0) {
            status = tal_calibration_add(c, TAL_POINT_SEARCH, units, made, err);
        }
        if (status == TAL_OK && made > 0) {
            tal_log_info("%d points, best misfit %.4f", c->point_count, c->point[c->best].misfit);
        }
    }
    tal_memory_destroy(units);
    return status;
}

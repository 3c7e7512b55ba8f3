// SPDX-License-Identifier: GPL-3.0-or-later
// Which parameters explain the deposit.
#include "pipelines/calibrate/posterior.h"

#include "core/base/memory.h"
#include "pipelines/calibrate/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8192 };

// The point that stands for a place in maps.
static int nearest(const tal_surrogate *surrogate, const double *points, int count,
                   const double *place) {
    const size_t d = (size_t)surrogate->parameters->count;
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        const double distance = tal_surrogate_distance2(surrogate, points + (size_t)i * d, place);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

// --- weighted quantiles and ranks ---

typedef struct {
    double value, weight;
    int place;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value ? 1 : x->place - y->place;
}

static void sort_places(ranked *order, const tal_posterior *p, int k) {
    for (int i = 0; i < p->place_count; i++) {
        order[i] = (ranked){p->place[i * p->dimensions + k], p->place_weight[i], i};
    }
    qsort(order, (size_t)p->place_count, sizeof *order, compare_ranked);
}

static double quantile(const ranked *order, int count, double share) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += order[i].weight;
        if (sum >= share) {
            return order[i].value;
        }
    }
    return order[count - 1].value;
}

static void fill_ranks(const ranked *order, int count, double *rank) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        rank[order[i].place] = sum + 0.5 * order[i].weight;
        sum += order[i].weight;
    }
}

static double correlate(const tal_posterior *p, const double *a, const double *b) {
    double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < p->place_count; i++) {
        ma += p->place_weight[i] * a[i];
        mb += p->place_weight[i] * b[i];
    }
    for (int i = 0; i < p->place_count; i++) {
        const double w = p->place_weight[i], da = a[i] - ma, db = b[i] - mb;
        aa += w * da * da;
        bb += w * db * db;
        ab += w * da * db;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static tal_status describe(tal_posterior *p, tal_error *err) {
    const size_t count = (size_t)p->place_count;
    ranked *order = NULL;
    double *rank = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(order, count, "a posterior", err);
    TAL_CREATE_OR_DONE(rank, count * (size_t)p->dimensions, "a posterior", err);
    for (int k = 0; k < p->dimensions; k++) {
        tal_marginal *m = &p->marginal[k];
        sort_places(order, p, k);
        m->low = quantile(order, p->place_count, 0.05);
        m->median = quantile(order, p->place_count, 0.5);
        m->high = quantile(order, p->place_count, 0.95);
        m->spread = (m->high - m->low) / 0.9;
        fill_ranks(order, p->place_count, rank + (size_t)k * count);
    }
    for (int a = 0; a < p->dimensions; a++) {
        for (int b = 0; b < p->dimensions; b++) {
            p->correlation[a][b] =
                a == b ? 1 : correlate(p, rank + (size_t)a * count, rank + (size_t)b * count);
        }
    }
done:
    tal_memory_destroy(order);
    tal_memory_destroy(rank);
    return status;
}

// --- places ---

static double best_of(const double *misfit, int count) {
    double best = INFINITY;
    for (int i = 0; i < count; i++) {
        best = fmin(best, misfit[i]);
    }
    return best;
}

// The probability that the misfit at a place is at most `limit`.
// docs/theory/calibration.md (6).
static double chance(const tal_surrogate *surrogate, const double *place, double limit) {
    double mean = 0, deviation = 0;
    tal_surrogate_predict(surrogate, place, &mean, &deviation);
    if (!(deviation > 0)) {
        return mean <= limit ? 1 : 0;
    }
    return 0.5 * erfc((mean - limit) / (deviation * sqrt(2)));
}

// A run that was done is known: in maps it stands for places only if it fits itself.
static void credit_run(tal_posterior *p, const tal_surrogate *surrogate, const double *points,
                       const double *misfit, double limit, const double *place, double weight) {
    const int point = nearest(surrogate, points, p->point_count, place);
    if (misfit[point] <= limit) {
        p->weight[point] += weight;
    }
}

static tal_status keep_places(tal_posterior *p, const tal_surrogate *surrogate,
                              const double *points, const double *misfit, const double *places,
                              tal_error *err) {
    static const double LEAST = 0.02; // of a chance, to count at all
    const double limit = best_of(misfit, p->point_count) + p->margin;
    const size_t d = (size_t)p->dimensions;
    double total = 0, credited = 0;
    TAL_CREATE(p->place, (size_t)PLACES * d, "a posterior", err);
    TAL_CREATE(p->place_weight, PLACES, "a posterior", err);
    TAL_CREATE(p->weight, (size_t)p->point_count, "a posterior", err);
    for (size_t i = 0; i < PLACES; i++) {
        const double weight = chance(surrogate, places + i * d, limit);
        if (weight > LEAST) {
            memcpy(p->place + (size_t)p->place_count * d, places + i * d, d * sizeof *places);
            p->place_weight[p->place_count++] = weight;
            credit_run(p, surrogate, points, misfit, limit, places + i * d, weight);
            total += weight;
        }
    }
    for (int i = 0; i < p->place_count; i++) {
        p->place_weight[i] /= total;
    }
    for (int i = 0; i < p->point_count; i++) {
        credited += p->weight[i];
    }
    for (int i = 0; i < p->point_count && credited > 0; i++) {
        p->weight[i] /= credited;
    }
    return TAL_OK;
}

// What fits may be too small a part of the ranges for any place: then the best point is all there
// is.
static void keep_best(tal_posterior *p, const double *points, const double *misfit) {
    int best = 0;
    double credited = 0;
    for (int i = 1; i < p->point_count; i++) {
        best = misfit[i] < misfit[best] ? i : best;
    }
    for (int i = 0; i < p->point_count; i++) {
        credited += p->weight[i];
    }
    p->weight[best] = credited > 0 ? p->weight[best] : 1;
    if (p->place_count == 0) {
        memcpy(p->place, points + (size_t)best * (size_t)p->dimensions,
               (size_t)p->dimensions * sizeof *points);
        p->place_weight[0] = 1;
        p->place_count = 1;
    }
}

tal_status tal_posterior_create(tal_posterior *posterior, const tal_parameters *parameters,
                                const double *points, const double *misfit, int point_count,
                                double margin, tal_error *err) {
    *posterior = (tal_posterior){
        .dimensions = parameters->count, .point_count = point_count, .margin = margin};
    tal_surrogate surrogate = {0};
    double *places = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(places, (size_t)PLACES * (size_t)parameters->count, "a posterior", err);
    TAL_TRY_OR_DONE(tal_design_sobol(places, PLACES, parameters->count, err));
    TAL_TRY_OR_DONE(tal_surrogate_create(&surrogate, parameters, points, misfit, point_count, err));
    memcpy(posterior->length, surrogate.length, sizeof posterior->length);
    TAL_TRY_OR_DONE(keep_places(posterior, &surrogate, points, misfit, places, err));
done:
    tal_surrogate_destroy(&surrogate);
    tal_memory_destroy(places);
    TAL_TRY(status);
    keep_best(posterior, points, misfit);
    return describe(posterior, err);
}

void tal_posterior_destroy(tal_posterior *posterior) {
    tal_memory_destroy(posterior->weight);
    tal_memory_destroy(posterior->place);
    tal_memory_destroy(posterior->place_weight);
    *posterior = (tal_posterior){0};
}

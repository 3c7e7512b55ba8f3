// SPDX-License-Identifier: GPL-3.0-or-later
// Rocks of a release against what people measured.
#include "postproc/release/compared.h"

#include "core/base/memory.h"
#include "postproc/release/passages_file.h"

#include <math.h>

static const double SHARE[TAL_COMPARED_QUANTILES] = {0.05, 0.5, 0.95};

// The energy distance looks at every pair: 4000 evenly chosen rocks, well under a second.
static const size_t PAIRED_MAX = 4000;

// Starts and ends of all rocks, metres from the origin.
typedef struct {
    double *x, *y;
    size_t count;
    double start[2]; // their mean
} ends;

static tal_status look_at_rock(void *context, int64_t rock, const tal_rocks_moment *moment,
                               int32_t count, tal_error *err) {
    ends *e = context;
    (void)rock;
    (void)err;
    if (count > 0) {
        e->start[0] += moment[0].position[0];
        e->start[1] += moment[0].position[1];
        e->x[e->count] = moment[count - 1].position[0];
        e->y[e->count++] = moment[count - 1].position[1];
    }
    return TAL_OK;
}

// --- one quantity ---

static double deviation(const double *value, size_t count) {
    double mean = 0.0, sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        mean += value[k] / (double)count;
    }
    for (size_t k = 0; k < count; k++) {
        sum += (value[k] - mean) * (value[k] - mean);
    }
    return count > 1 ? sqrt(sum / (double)(count - 1)) : NAN;
}

// The order statistics whose ranks lie 1.96 standard deviations of the binomial beside that of the quantile
// (Conover 1999): no assumption about the distribution.
static void find_interval(tal_compared_row *r, int q) {
    const double n = (double)r->observed_count;
    const double half = 1.959964 * sqrt(n * SHARE[q] * (1.0 - SHARE[q]));
    const double low = fmax(ceil(n * SHARE[q] - half), 1.0);
    const double high = fmin(ceil(n * SHARE[q] + half), n);
    r->low[q] = r->observed[(size_t)low - 1];
    r->high[q] = r->observed[(size_t)high - 1];
}

// Takes both samples.
static void add_row(tal_compared *c, const char *target, const char *name, const char *unit,
                    double *simulated, size_t simulated_count, double *observed,
                    size_t observed_count) {
    tal_compared_row *r = &c->row[c->count++];
    *r = (tal_compared_row){.target = target,
                            .name = name,
                            .unit = unit,
                            .simulated = simulated,
                            .simulated_count = simulated_count,
                            .observed = observed,
                            .observed_count = observed_count};
    r->ks = simulated_count > 0
                ? tal_ks_distance(simulated, simulated_count, observed, observed_count)
                : 1.0;
    const double n = (double)simulated_count, m = (double)observed_count;
    r->ks_limit = simulated_count > 0 ? 1.358 * sqrt((n + m) / (n * m)) : NAN;
    r->simulated_deviation = deviation(simulated, simulated_count);
    r->observed_deviation = deviation(observed, observed_count);
    for (int q = 0; q < TAL_COMPARED_QUANTILES; q++) {
        r->simulated_quantile[q] =
            simulated_count > 0 ? tal_quantile(simulated, simulated_count, SHARE[q]) : NAN;
        r->observed_quantile[q] = tal_quantile(observed, observed_count, SHARE[q]);
        find_interval(r, q);
    }
}

// --- stops ---

static tal_status add_side(tal_compared *c, const tal_observed *o, const ends *e,
                           const tal_flow_line *line, bool is_across, tal_error *err) {
    double *simulated = NULL, *observed = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(simulated, e->count + 1, "stops", err);
    TAL_CREATE_OR_DONE(observed, o->stops.count + 1, "stops", err);
    for (size_t k = 0; k < e->count + o->stops.count; k++) {
        const double x = k < e->count ? e->x[k] : o->stops.x[k - e->count],
                     y = k < e->count ? e->y[k] : o->stops.y[k - e->count];
        double *to = k < e->count ? &simulated[k] : &observed[k - e->count];
        *to = is_across ? tal_flow_line_across(line, x, y) : hypot(x - line->x[0], y - line->y[0]);
    }
    add_row(c, NULL, is_across ? "Deviation across" : "Travel", "m", simulated, e->count, observed,
            o->stops.count);
    return TAL_OK;
done:
    tal_memory_destroy(simulated);
    tal_memory_destroy(observed);
    return status;
}

// Evenly chosen rocks in front: their order has no meaning, and the rows have their own copies.
static size_t thin(ends *e) {
    const size_t stride = e->count / PAIRED_MAX + 1, kept = (e->count + stride - 1) / stride;
    for (size_t k = 0; k < kept; k++) {
        e->x[k] = e->x[k * stride];
        e->y[k] = e->y[k * stride];
    }
    return kept;
}

// Along and across the straight line from the mean of the starts to that of the observed stops: which rock
// started where is seldom known.
static tal_status compare_stops(tal_compared *c, const tal_observed *o, ends *e, tal_error *err) {
    double x[2] = {e->start[0], 0.0}, y[2] = {e->start[1], 0.0};
    for (size_t k = 0; k < o->stops.count; k++) {
        x[1] += o->stops.x[k] / (double)o->stops.count;
        y[1] += o->stops.y[k] / (double)o->stops.count;
    }
    double s[2] = {0.0, hypot(x[1] - x[0], y[1] - y[0])};
    const tal_flow_line line = {.count = 2, .x = x, .y = y, .s = s};
    TAL_TRY(add_side(c, o, e, &line, false, err));
    TAL_TRY(add_side(c, o, e, &line, true, err));
    const size_t kept = thin(e);
    return tal_observed_score_stops(o, &line, e->x, e->y, kept, &c->scores, err);
}

static tal_status walk_ends(ends *e, tal_rocks *rocks, tal_error *err) {
    TAL_CREATE(e->x, (size_t)rocks->count + 1, "stops", err);
    TAL_CREATE(e->y, (size_t)rocks->count + 1, "stops", err);
    TAL_TRY(tal_rocks_walk(rocks, look_at_rock, e, err));
    e->start[0] /= (double)e->count;
    e->start[1] /= (double)e->count;
    return TAL_OK;
}

// --- passages ---

static tal_status compare_target(tal_compared *c, const tal_target *t, tal_passages *p,
                                 tal_error *err) {
    for (int q = 0; q < TAL_AT_QUANTITIES; q++) {
        if (p->count[q] == 0) {
            continue;
        }
        double *simulated;
        TAL_CREATE(simulated, (size_t)t->count + 1, "passages", err);
        for (int64_t k = 0; k < t->count; k++) {
            simulated[k] = tal_crossing_value(&t->crossing[k], (tal_at_quantity)q);
        }
        add_row(c, t->name, tal_at_quantity_notes[q].name, tal_at_quantity_notes[q].unit, simulated,
                (size_t)t->count, p->value[q], p->count[q]);
        p->value[q] = NULL; // the row's
    }
    return TAL_OK;
}

static tal_status compare_passages(tal_compared *c, const tal_targets *targets,
                                   const tal_settings *settings, tal_error *err) {
    const int first = c->count;
    double sum = 0.0;
    for (int k = 0; k < targets->target_count; k++) {
        tal_passages p;
        TAL_TRY(tal_passages_read(&p, settings, settings->target[k].observed, err));
        const tal_status status = compare_target(c, &targets->target[k], &p, err);
        tal_passages_destroy(&p);
        TAL_TRY(status);
    }
    for (int k = first; k < c->count; k++) {
        sum += c->row[k].ks / (double)(c->count - first);
    }
    c->scores.value[TAL_SCORE_passages_ks] = c->count > first ? sum : NAN;
    return TAL_OK;
}

static tal_status fill(tal_compared *c, tal_rocks *rocks, const tal_targets *targets,
                       const tal_settings *settings, tal_bounds ground, tal_error *err) {
    tal_observed observed = {0};
    ends e = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_observed_read(&observed, settings, &rocks->origin, ground, err));
    tal_stops_tell_outside(&observed.stops, c->outside, sizeof c->outside);
    if (observed.stops.count > 0) {
        TAL_TRY_OR_DONE(walk_ends(&e, rocks, err));
    }
    if (e.count > 0) {
        TAL_TRY_OR_DONE(compare_stops(c, &observed, &e, err));
    }
    TAL_TRY_OR_DONE(compare_passages(c, targets, settings, err));
done:
    tal_observed_destroy(&observed);
    tal_memory_destroy(e.x);
    tal_memory_destroy(e.y);
    return status;
}

tal_status tal_compared_create(tal_compared *c, tal_rocks *rocks, const tal_targets *targets,
                               const tal_settings *settings, tal_bounds ground, tal_error *err) {
    *c = (tal_compared){0};
    for (int k = 0; k < TAL_SCORE_COUNT; k++) {
        c->scores.value[k] = NAN;
    }
    const tal_status status = fill(c, rocks, targets, settings, ground, err);
    if (status != TAL_OK) {
        tal_compared_destroy(c);
    }
    return status;
}

void tal_compared_destroy(tal_compared *c) {
    for (int k = 0; k < c->count; k++) {
        tal_memory_destroy(c->row[k].simulated);
        tal_memory_destroy(c->row[k].observed);
    }
    c->count = 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Calibration: points, misfits, conclusions.
#include "pipelines/calibrate/calibrate.h"

#include "core/base/log.h"
#include "core/base/memory.h"
#include "pipelines/calibrate/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const tal_point_words[3] = {"start", "sample", "search"};

// A run without a result is worse than any deposit in a wrong place that is worth looking at.
static const double FAILED_MISFIT = 2.0;

enum { OVERRIDE_SIZE = 160, OVERRIDES_MAX = TAL_PARAMETERS_MAX + 3 };

// The settings of one run as text.
typedef struct {
    char text[OVERRIDES_MAX][OVERRIDE_SIZE];
    const char *list[OVERRIDES_MAX];
    int count;
} overrides;

static void add_override(overrides *o, const char *name, const char *value) {
    snprintf(o->text[o->count], OVERRIDE_SIZE, "%s=%s", name, value);
    o->list[o->count] = o->text[o->count];
    o->count++;
}

static void fill_overrides(const tal_calibration *c, const tal_point *point, int64_t seed,
                           bool report, overrides *o) {
    char text[64];
    o->count = 0;
    for (int k = 0; k < c->parameters.count && point->kind != TAL_POINT_START; k++) {
        tal_parameter_text(&c->parameters.parameter[k], point->unit[k], text);
        add_override(o, c->parameters.parameter[k].name, text);
    }
    if (seed > 0) {
        snprintf(text, sizeof text, "%lld", (long long)(c->settings->random.run + seed));
        add_override(o, "random.run", text);
    }
    if (!report) { // nobody looks at the figures of every run
        add_override(o, "report.figures", "no");
        add_override(o, "report.paraview_mb", "0");
    }
}

int tal_calibration_runs_per_point(const tal_calibration *c) {
    return c->judge_count * (int)c->how->seeds;
}

const tal_run_answer *tal_calibration_answer(const tal_calibration *c, int point, int site,
                                             int seed) {
    return &c->answer[point * tal_calibration_runs_per_point(c) + site * (int)c->how->seeds + seed];
}

// --- misfit of a point ---

// docs/theory/calibration.md (2).
static void judge_point(tal_calibration *c, int number) {
    tal_point *point = &c->point[number];
    const int runs = tal_calibration_runs_per_point(c), seeds = (int)c->how->seeds;
    double variance = 0;
    point->misfit = 0;
    point->failed = 0;
    for (int site = 0; site < c->judge_count; site++) {
        double sum = 0, sum2 = 0;
        for (int seed = 0; seed < seeds; seed++) {
            const tal_run_answer *answer = tal_calibration_answer(c, number, site, seed);
            const double misfit =
                answer->done ? tal_sheet_misfit(&answer->sheet, c->how) : FAILED_MISFIT;
            point->failed += answer->done ? 0 : 1;
            sum += misfit;
            sum2 += misfit * misfit;
        }
        point->misfit += sum / runs;
        variance +=
            seeds > 1 ? fmax(0, sum2 / seeds - (sum / seeds) * (sum / seeds)) / (seeds - 1) : 0;
    }
    point->noise = sqrt(variance) / c->judge_count;
}

static tal_status reserve(tal_calibration *c, int more, tal_error *err) {
    const int needed = c->point_count + more;
    if (needed <= c->point_capacity) {
        return TAL_OK;
    }
    const int capacity = needed > 2 * c->point_capacity ? needed : 2 * c->point_capacity;
    const size_t runs = (size_t)tal_calibration_runs_per_point(c);
    TAL_GROW(c->point, (size_t)c->point_count, (size_t)capacity, "points", err);
    tal_run_answer *answer = tal_memory_grow(c->answer, (size_t)c->point_count * runs,
                                             (size_t)capacity * runs, sizeof *answer);
    if (answer == NULL) {
        return tal_memory_failed(err, "runs", (size_t)capacity * runs, sizeof *answer);
    }
    c->answer = answer;
    c->point_capacity = capacity;
    return TAL_OK;
}

static tal_status run_points(tal_calibration *c, int first, int count, tal_error *err) {
    const int runs = tal_calibration_runs_per_point(c), seeds = (int)c->how->seeds;
    tal_run_request *request = NULL;
    overrides *list = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(request, (size_t)count * (size_t)runs, "runs", err);
    TAL_CREATE_OR_DONE(list, (size_t)count * (size_t)seeds, "runs", err);
    for (int i = 0; i < count; i++) {
        for (int seed = 0; seed < seeds; seed++) {
            overrides *o = &list[i * seeds + seed];
            fill_overrides(c, &c->point[first + i], seed, false, o);
            for (int site = 0; site < c->judge_count; site++) {
                request[i * runs + site * seeds + seed] = (tal_run_request){
                    .site = &c->sites.site[site], .overrides = o->list, .override_count = o->count};
            }
        }
    }
    TAL_TRY_OR_DONE(tal_runner_do(c->runner, request, count * runs,
                                  c->answer + (size_t)first * (size_t)runs, err));
done:
    tal_memory_destroy(request);
    tal_memory_destroy(list);
    return status;
}

tal_status tal_calibration_add(tal_calibration *c, tal_point_kind kind, const double *units,
                               int count, tal_error *err) {
    const int first = c->point_count;
    TAL_TRY(reserve(c, count, err));
    for (int i = 0; i < count; i++) {
        c->point[first + i] = (tal_point){.kind = kind};
        memcpy(c->point[first + i].unit, units + (size_t)i * (size_t)c->parameters.count,
               (size_t)c->parameters.count * sizeof *units);
    }
    const char *label = c->runner->engine.label;
    c->runner->engine.label = count > 1 ? label : NULL;
    const tal_status status = run_points(c, first, count, err);
    c->runner->engine.label = label;
    TAL_TRY(status);
    c->point_count += count;
    for (int i = first; i < c->point_count; i++) {
        judge_point(c, i);
        c->best = c->point[i].misfit < c->point[c->best].misfit ? i : c->best;
    }
    return TAL_OK;
}

// --- the plan of points ---

static bool is_search(int method) {
    return method == TAL_METHOD_BOBYQA || method == TAL_METHOD_NELDER_MEAD ||
           method == TAL_METHOD_CRS;
}

static tal_status add_start(tal_calibration *c, tal_error *err) {
    double unit[TAL_PARAMETERS_MAX];
    for (int k = 0; k < c->parameters.count; k++) {
        unit[k] = tal_parameter_unit(&c->parameters.parameter[k]);
    }
    TAL_TRY(tal_calibration_add(c, TAL_POINT_START, unit, 1, err));
    const tal_run_answer *first = tal_calibration_answer(c, 0, 0, 0);
    if (c->point[0].failed == tal_calibration_runs_per_point(c)) {
        tal_log_warn("the site as it is cannot be simulated: %s", first->reason);
    } else if (first->done && !tal_sheet_is_compared(&first->sheet, c->how)) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s has nothing to compare with: give surveys from before and after the event, or "
            "[report] stops, runout_m or fahrboeschung, or [target.NAME] observed, and a weight in "
            "[calibrate] to what you gave (weight_stops = 1, for instance)",
            c->sites.site[0].name);
    }
    return TAL_OK;
}

static tal_status add_sample(tal_calibration *c, int count, tal_error *err) {
    const int dimensions = c->parameters.count;
    double *units = NULL;
    TAL_CREATE(units, (size_t)count * (size_t)dimensions, "a sample", err);
    tal_status status = TAL_OK;
    if (c->how->method == TAL_METHOD_GRID) {
        status = tal_design_grid(units, count, dimensions, &count, err);
    } else if (c->how->method == TAL_METHOD_LHS) {
        status = tal_design_lhs(units, count, dimensions, (uint64_t)c->settings->random.seed, err);
    } else {
        status = tal_design_sobol(units, count, dimensions, err);
    }
    if (status == TAL_OK) {
        tal_log_info("%d points over the ranges of %d settings", count, dimensions);
        status = tal_calibration_add(c, TAL_POINT_SAMPLE, units, count, err);
    }
    tal_memory_destroy(units);
    return status;
}

static tal_status add_points(tal_calibration *c, tal_error *err) {
    c->budget = (int)c->how->runs / tal_calibration_runs_per_point(c);
    if (c->budget < 3) {
        return TAL_FAIL(
            err, TAL_BAD_SETTING,
            "[calibrate] runs = %lld makes %d points of %d runs each: at least 3 are needed",
            (long long)c->how->runs, c->budget, tal_calibration_runs_per_point(c));
    }
    TAL_TRY(add_start(c, err));
    if (is_search(c->how->method)) {
        return tal_calibration_search(c, (tal_method_choice)c->how->method, c->point[0].unit,
                                      c->budget - 1, err);
    }
    const int refine = (int)(c->how->refine * c->budget);
    TAL_TRY(add_sample(c, c->budget - 1 - refine, err));
    if (refine > 0) {
        tal_log_info("at most %d more where they promise a better fit", refine);
    }
    return tal_calibration_improve(c, refine, err);
}

// --- conclusions ---

tal_status tal_calibration_list(const tal_calibration *c, double **units, double **misfit,
                                tal_error *err) {
    const size_t dimensions = (size_t)c->parameters.count;
    TAL_CREATE(*units, (size_t)c->point_count * dimensions, "points", err);
    TAL_CREATE(*misfit, (size_t)c->point_count, "points", err);
    for (int i = 0; i < c->point_count; i++) {
        memcpy(*units + (size_t)i * dimensions, c->point[i].unit, dimensions * sizeof **units);
        (*misfit)[i] = c->point[i].misfit;
    }
    return TAL_OK;
}

static tal_status conclude(tal_calibration *c, tal_error *err) {
    double *units = NULL, *misfit = NULL;
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_calibration_list(c, &units, &misfit, err));
    // Samples follow the start, without a gap.
    int samples = 0;
    while (1 + samples < c->point_count && c->point[1 + samples].kind == TAL_POINT_SAMPLE) {
        samples++;
    }
    TAL_TRY_OR_DONE(tal_sensitivity_find(&c->sensitivity, units + c->parameters.count, misfit + 1,
                                         samples, c->parameters.count, err));
    const double margin = fmax(c->how->equal_misfit, 2 * c->point[c->best].noise);
    TAL_TRY_OR_DONE(tal_posterior_create(&c->posterior, &c->parameters, units, misfit,
                                         c->point_count, margin, err));
done:
    tal_memory_destroy(units);
    tal_memory_destroy(misfit);
    return status;
}

// Before and after, with everything a user wants to look at, for every site.
static tal_status run_reports(tal_calibration *c, tal_error *err) {
    const int count = 2 * c->sites.count;
    tal_run_request *request = NULL;
    overrides *list = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(request, (size_t)count, "runs", err);
    TAL_CREATE_OR_DONE(list, 2, "runs", err);
    TAL_CREATE_OR_DONE(c->report, (size_t)count, "runs", err);
    fill_overrides(c, &c->point[0], 0, true, &list[0]);
    fill_overrides(c, &c->point[c->best], 0, true, &list[1]);
    for (int i = 0; i < count; i++) {
        request[i] = (tal_run_request){.site = &c->sites.site[i / 2],
                                       .overrides = list[i % 2].list,
                                       .override_count = list[i % 2].count};
    }
    TAL_TRY_OR_DONE(tal_runner_do(c->runner, request, count, c->report, err));
done:
    tal_memory_destroy(request);
    tal_memory_destroy(list);
    return status;
}

tal_status tal_calibration_run(tal_calibration *c, tal_error *err) {
    TAL_TRY(add_points(c, err));
    if (c->point[c->best].failed == tal_calibration_runs_per_point(c)) {
        return TAL_FAIL(err, TAL_UNTRUSTED, "no run succeeded; the first one reported: %s",
                        tal_calibration_answer(c, 0, 0, 0)->reason);
    }
    TAL_TRY(conclude(c, err));
    return run_reports(c, err);
}

void tal_calibration_destroy(tal_calibration *c) {
    tal_memory_destroy(c->point);
    tal_memory_destroy(c->answer);
    tal_memory_destroy(c->report);
    tal_posterior_destroy(&c->posterior);
    tal_study_sites_destroy(&c->sites);
}

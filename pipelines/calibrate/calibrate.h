// SPDX-License-Identifier: GPL-3.0-or-later
// Calibration: points in the ranges of some settings, a misfit for each from the scores of its
// runs, and what the misfits say about the settings.
#ifndef TALUS_PIPELINES_CALIBRATE_CALIBRATE_H
#define TALUS_PIPELINES_CALIBRATE_CALIBRATE_H

#include "pipelines/calibrate/parameter.h"
#include "pipelines/calibrate/posterior.h"
#include "pipelines/calibrate/sensitivity.h"
#include "pipelines/engine/runner.h"

typedef enum {
    TAL_POINT_START,  // the site files as they are
    TAL_POINT_SAMPLE, // of a grid, a Latin hypercube, a Sobol sequence
    TAL_POINT_SEARCH
} tal_point_kind;

extern const char *const tal_point_words[3];

typedef struct {
    tal_point_kind kind;
    double unit[TAL_PARAMETERS_MAX];
    double misfit;
    double noise; // standard error of the misfit over the seeds; 0 with one seed
    int failed;   // runs without a result
} tal_point;

typedef struct {
    const tal_settings *settings; // of the first site
    const tal_calibrate_settings *how;
    tal_runner *runner;
    tal_parameters parameters;
    tal_study_sites sites; // those that judge, then those held out
    int judge_count;       // sites that take part in the misfit
    tal_point *point;
    tal_run_answer *answer; // by point, site that judges, seed
    int point_count, point_capacity;
    int budget; // points
    int best;
    tal_run_answer *report; // site by site: before and after, with full reports
    tal_posterior posterior;
    tal_sensitivity sensitivity;
} tal_calibration;

int tal_calibration_runs_per_point(const tal_calibration *c);
const tal_run_answer *tal_calibration_answer(const tal_calibration *c, int point, int site,
                                             int seed);

// Misfits of new points, added in order; already known ones cost nothing.
tal_status tal_calibration_add(tal_calibration *c, tal_point_kind kind, const double *units,
                               int count, tal_error *err);
// All points in a row, and their misfits; the caller destroys both.
tal_status tal_calibration_list(const tal_calibration *c, double **units, double **misfit,
                                tal_error *err);
// At most `count` new points, in batches, where those so far promise a better fit.
tal_status tal_calibration_improve(tal_calibration *c, int count, tal_error *err);
// A search by NLopt from `start` with at most `count` new points.
tal_status tal_calibration_search(tal_calibration *c, tal_method_choice method, const double *start,
                                  int count, tal_error *err);
// The whole of it: points, posterior, sensitivity, reports before and after.
tal_status tal_calibration_run(tal_calibration *c, tal_error *err);
void tal_calibration_destroy(tal_calibration *c);

// Sentences for people, one per line: what is known about each setting, and which trade off.
tal_status tal_calibration_words(const tal_calibration *c, tal_text *out, tal_error *err);

// Files in the study folder.
tal_status tal_calibration_write(const tal_calibration *c, tal_error *err);
tal_status tal_calibration_write_tables(const tal_calibration *c, tal_error *err);
tal_status tal_calibration_write_best(const tal_calibration *c, tal_error *err);
tal_status tal_calibration_write_json(const tal_calibration *c, tal_error *err);
tal_status tal_calibration_write_maps(const tal_calibration *c, tal_error *err);
tal_status tal_calibration_write_page(const tal_calibration *c, tal_error *err);
void tal_calibration_append_pairs(const tal_calibration *c, tal_text *svg);
// The quantiles of releases against measured ones, with the best settings; nothing where nobody measured.
void tal_calibration_append_measured(const tal_calibration *c, tal_text *page);

#endif

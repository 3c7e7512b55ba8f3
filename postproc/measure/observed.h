// SPDX-License-Identifier: GPL-3.0-or-later
// What people measured other than a survey of the deposit: where blocks stopped, how far the event ran.
// Definitions: docs/theory/scores.md, "Stops".
#ifndef TALUS_POSTPROC_MEASURE_OBSERVED_H
#define TALUS_POSTPROC_MEASURE_OBSERVED_H

#include "core/geo/stops.h"
#include "postproc/measure/run_record.h"
#include "postproc/measure/score.h"

typedef struct {
    tal_stops stops;
    double runout; // NaN: not given
    double fahrboeschung;
} tal_observed;

// `ground` is the box around the terrain that the stops are held against (core/geo/stops.h).
tal_status tal_observed_read(tal_observed *observed, const tal_settings *settings,
                             const tal_origin *origin, tal_bounds ground, tal_error *err);
void tal_observed_destroy(tal_observed *observed);

// Adds the scores of stops, runout and H/L; needs those of the deposit. Blocks that left over the rim count
// with where they left. `line` may be NULL.
tal_status tal_observed_score(const tal_observed *observed, const tal_flow_line *line,
                              const tal_run_record *motion, tal_scores *scores, tal_error *err);

// The scores of stops alone, of `count` simulated ones. `line` may be NULL.
tal_status tal_observed_score_stops(const tal_observed *observed, const tal_flow_line *line,
                                    const double *x, const double *y, size_t count,
                                    tal_scores *scores, tal_error *err);

// Distance from the line, positive to the left of the way down.
double tal_flow_line_across(const tal_flow_line *line, double x, double y);

// Largest difference of the cumulative shares of two samples; both are sorted.
double tal_ks_distance(double *a, size_t a_count, double *b, size_t b_count);

// Mean distance between a point of a and one of b.
double tal_mean_distance(const double *ax, const double *ay, size_t a_count, const double *bx,
                         const double *by, size_t b_count);

#endif

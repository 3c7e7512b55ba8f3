// SPDX-License-Identifier: GPL-3.0-or-later
// Stops of blocks against observed ones.
#include "postproc/measure/observed.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

tal_status tal_observed_read(tal_observed *o, const tal_settings *settings,
                             const tal_origin *origin, tal_bounds ground, tal_error *err) {
    *o = (tal_observed){.runout = settings->report.runout_m,
                        .fahrboeschung = settings->report.fahrboeschung};
    return tal_stops_read(&o->stops, settings, origin, ground, err);
}

void tal_observed_destroy(tal_observed *o) {
    tal_stops_destroy(&o->stops);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tal_ks_distance(double *a, size_t a_count, double *b, size_t b_count) {
    double most = 0.0;
    size_t i = 0, j = 0;
    qsort(a, a_count, sizeof *a, compare);
    qsort(b, b_count, sizeof *b, compare);
    while (i < a_count && j < b_count) {
        const double at = fmin(a[i], b[j]);
        for (; i < a_count && a[i] <= at; i++) {
        }
        for (; j < b_count && b[j] <= at; j++) {
        }
        most = fmax(most, fabs((double)i / (double)a_count - (double)j / (double)b_count));
    }
    return most;
}

double tal_mean_distance(const double *ax, const double *ay, size_t a_count, const double *bx,
                         const double *by, size_t b_count) {
    double sum = 0.0;
    for (size_t i = 0; i < a_count; i++) {
        for (size_t j = 0; j < b_count; j++) {
            sum += hypot(ax[i] - bx[j], ay[i] - by[j]);
        }
    }
    return sum / ((double)a_count * (double)b_count);
}

double tal_flow_line_across(const tal_flow_line *line, double x, double y) {
    const double s = tal_flow_line_project(line, x, y), step = 0.5;
    double px, py, qx, qy;
    tal_flow_line_point(line, s - step, &px, &py);
    tal_flow_line_point(line, s + step, &qx, &qy);
    const double length = hypot(qx - px, qy - py);
    return length > 0.0 ? ((qx - px) * (y - py) - (qy - py) * (x - px)) / length : 0.0;
}

// Stops seen from the line: `along`, `side` have room for both samples, the observed ones last.
static void score_along_line(const tal_observed *o, const tal_flow_line *line, const double *x,
                             const double *y, size_t count, double *along, double *side,
                             tal_scores *scores) {
    for (size_t k = 0; k < count + o->stops.count; k++) {
        const double px = k < count ? x[k] : o->stops.x[k - count],
                     py = k < count ? y[k] : o->stops.y[k - count];
        along[k] = tal_flow_line_project(line, px, py);
        side[k] = tal_flow_line_across(line, px, py);
    }
    scores->value[TAL_SCORE_stops_ks_along] =
        tal_ks_distance(along, count, along + count, o->stops.count);
    scores->value[TAL_SCORE_stops_ks_across] =
        tal_ks_distance(side, count, side + count, o->stops.count);
}

tal_status tal_observed_score_stops(const tal_observed *o, const tal_flow_line *line,
                                    const double *x, const double *y, size_t count,
                                    tal_scores *scores, tal_error *err) {
    double *along;
    TAL_CREATE(along, 2 * (count + o->stops.count) + 1, "stops", err);
    const double within = tal_mean_distance(o->stops.x, o->stops.y, o->stops.count, o->stops.x,
                                            o->stops.y, o->stops.count);
    scores->value[TAL_SCORE_stops_spread_m] = within;
    scores->value[TAL_SCORE_stops_distance_m] =
        2.0 * tal_mean_distance(x, y, count, o->stops.x, o->stops.y, o->stops.count) -
        tal_mean_distance(x, y, count, x, y, count) - within;
    if (line != NULL) {
        score_along_line(o, line, x, y, count, along, along + count + o->stops.count, scores);
    }
    tal_memory_destroy(along);
    return TAL_OK;
}

static tal_status score_blocks(const tal_observed *o, const tal_flow_line *line,
                               const tal_run_record *motion, tal_scores *scores, tal_error *err) {
    const size_t count = (size_t)motion->block_count;
    const int32_t last = motion->frame_count - 1;
    double *x;
    TAL_CREATE(x, 2 * count + 1, "stops", err);
    for (int32_t b = 0; b < motion->block_count; b++) {
        const float *at = &motion->position[3 * tal_run_record_index(motion, last, b)];
        x[b] = (double)at[0];
        x[count + (size_t)b] = (double)at[1];
    }
    const tal_status status = tal_observed_score_stops(o, line, x, x + count, count, scores, err);
    tal_memory_destroy(x);
    return status;
}

tal_status tal_observed_score(const tal_observed *o, const tal_flow_line *line,
                              const tal_run_record *motion, tal_scores *scores, tal_error *err) {
    double *v = scores->value;
    if (!isnan(o->runout)) {
        v[TAL_SCORE_runout_surveyed_m] = o->runout;
        v[TAL_SCORE_runout_error_m] = v[TAL_SCORE_runout_simulated_m] - o->runout;
    }
    if (!isnan(o->fahrboeschung)) {
        v[TAL_SCORE_fahrboeschung_surveyed] = o->fahrboeschung;
    }
    v[TAL_SCORE_fahrboeschung_error] =
        v[TAL_SCORE_fahrboeschung_simulated] - v[TAL_SCORE_fahrboeschung_surveyed];
    return o->stops.count > 0 && motion->frame_count > 0 && motion->block_count > 0
               ? score_blocks(o, line, motion, scores, err)
               : TAL_OK;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Stops of blocks against observed ones.
#include "postproc/measure/observed.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two numbers at the start of a line, by blanks, commas, semicolons or tabs.
static bool parse_point(const char *line, double *x, double *y) {
    char *end;
    *x = strtod(line, &end);
    if (end == line) {
        return false;
    }
    const char *second = end + strspn(end, " \t,;");
    *y = strtod(second, &end);
    return end != second && isfinite(*x) && isfinite(*y);
}

static tal_status add_point(tal_observed *o, double x, double y, tal_error *err) {
    TAL_GROW(o->x, o->count, o->count + 1, "observed stops", err);
    TAL_GROW(o->y, o->count, o->count + 1, "observed stops", err);
    o->x[o->count] = x;
    o->y[o->count++] = y;
    return TAL_OK;
}

// The first line may be a header; empty lines and remarks are left out.
static tal_status read_lines(tal_observed *o, char *text, const char *path,
                             const tal_origin *origin, tal_error *err) {
    int number = 0;
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        number++;
        double x, y;
        line += strspn(line, " \t\r");
        if (parse_point(line, &x, &y)) {
            TAL_TRY(add_point(o, x - (double)origin->east, y - (double)origin->north, err));
        } else if (*line != '\0' && *line != '#' && number > 1) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s:%d: '%.40s' does not begin with two numbers, x and y of a stop",
                            path, number, line);
        }
    }
    return TAL_OK;
}

static tal_status read_table(tal_observed *o, const char *path, const tal_origin *origin,
                             tal_error *err) {
    char *text = NULL;
    size_t length = 0;
    const size_t before = o->count;
    TAL_TRY(tal_file_read(path, &text, &length, err));
    char *ended = tal_memory_create(length + 1, 1);
    tal_status status = TAL_OK;
    if (ended == NULL) {
        status = tal_memory_failed(err, "a table of stops", length, 1);
    } else {
        memcpy(ended, text, length);
        status = read_lines(o, ended, path, origin, err);
    }
    tal_memory_destroy(text);
    tal_memory_destroy(ended);
    if (status == TAL_OK && o->count == before) {
        status = TAL_FAIL(err, TAL_BAD_INPUT,
                          "%s contains no stops: give the x and y of each on a line", path);
    }
    return status;
}

tal_status tal_observed_read(tal_observed *o, const tal_settings *settings,
                             const tal_origin *origin, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const char *cursor = settings->report.stops;
    *o = (tal_observed){.runout = settings->report.runout_m,
                        .fahrboeschung = settings->report.fahrboeschung};
    while (tal_settings_next_file(settings, &cursor, path)) {
        const tal_status status = read_table(o, path, origin, err);
        if (status != TAL_OK) {
            tal_observed_destroy(o);
            return status;
        }
    }
    return TAL_OK;
}

void tal_observed_destroy(tal_observed *o) {
    tal_memory_destroy(o->x);
    tal_memory_destroy(o->y);
    *o = (tal_observed){0};
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
    for (size_t k = 0; k < count + o->count; k++) {
        const double px = k < count ? x[k] : o->x[k - count],
                     py = k < count ? y[k] : o->y[k - count];
        along[k] = tal_flow_line_project(line, px, py);
        side[k] = tal_flow_line_across(line, px, py);
    }
    scores->value[TAL_SCORE_stops_ks_along] =
        tal_ks_distance(along, count, along + count, o->count);
    scores->value[TAL_SCORE_stops_ks_across] = tal_ks_distance(side, count, side + count, o->count);
}

tal_status tal_observed_score_stops(const tal_observed *o, const tal_flow_line *line,
                                    const double *x, const double *y, size_t count,
                                    tal_scores *scores, tal_error *err) {
    double *along;
    TAL_CREATE(along, 2 * (count + o->count) + 1, "stops", err);
    const double within = tal_mean_distance(o->x, o->y, o->count, o->x, o->y, o->count);
    scores->value[TAL_SCORE_stops_spread_m] = within;
    scores->value[TAL_SCORE_stops_distance_m] =
        2.0 * tal_mean_distance(x, y, count, o->x, o->y, o->count) -
        tal_mean_distance(x, y, count, x, y, count) - within;
    if (line != NULL) {
        score_along_line(o, line, x, y, count, along, along + count + o->count, scores);
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
    return o->count > 0 && motion->frame_count > 0 && motion->block_count > 0
               ? score_blocks(o, line, motion, scores, err)
               : TAL_OK;
}

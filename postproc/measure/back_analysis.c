// SPDX-License-Identifier: GPL-3.0-or-later
// Survey and runs put together: flow line, scores of every run, intervals, ensemble maps.
#include "postproc/measure/back_analysis.h"

#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "postproc/measure/ensemble.h"

#include <math.h>
#include <stdlib.h>

// One run, whole.
typedef struct {
    tal_blocks blocks;
    tal_run_record motion;
    tal_deposit deposit;
    tal_passage passage;
} run;

static void run_destroy(run *r) {
    tal_blocks_destroy(&r->blocks);
    tal_run_record_destroy(&r->motion);
    tal_deposit_destroy(&r->deposit);
    tal_passage_destroy(&r->passage);
}

static tal_status read_run(run *r, const tal_back_analysis *a, const char *folder, int rays,
                           tal_error *err) {
    char blocks[TAL_PATH_SIZE], motion[TAL_PATH_SIZE];
    if (!tal_path_join(blocks, folder, "blocks.nc") || !tal_path_join(motion, folder, "run.nc")) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: the path is too long", folder);
    }
    const tal_surveyed *s = &a->survey;
    const double zero = (double)s->origin.height;
    tal_log_debug("reading %s", motion);
    TAL_TRY(tal_blocks_read(&r->blocks, blocks, err));
    TAL_TRY(tal_run_record_read(&r->motion, motion, &r->blocks, &s->origin, err));
    TAL_TRY(tal_deposit_create(&r->deposit, &r->blocks, &r->motion, &s->grid, s->bed.value, zero,
                               rays, err));
    return tal_passage_create(&r->passage, &r->blocks, &r->motion, &s->grid, s->bed.value, zero,
                              err);
}

static tal_status load_run(run *r, const tal_back_analysis *a, const char *folder, int rays,
                           tal_error *err) {
    *r = (run){0};
    const tal_status status = read_run(r, a, folder, rays, err);
    if (status != TAL_OK) {
        run_destroy(r);
    }
    return status;
}

// Cells that can be compared. A scenario compares nothing but still has outlines where its bed is;
// so has a study whose surveys share no cell.
static tal_status find_valid(tal_back_analysis *a, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&a->survey.grid);
    size_t shared = 0;
    TAL_CREATE(a->valid, cells + 1, "the cells that can be compared", err);
    for (size_t i = 0; i < cells && a->survey.epochs == 2; i++) {
        a->valid[i] = tal_surveyed_is_valid(&a->survey, i);
        a->has_survey_deposit |= tal_surveyed_has_deposit(&a->survey, i);
        shared += a->valid[i];
    }
    if (shared > 0) {
        return TAL_OK;
    }
    a->surveys_are_apart = a->survey.epochs == 2;
    a->survey.epochs = 1;
    for (size_t i = 0; i < cells; i++) {
        a->valid[i] = isfinite(a->survey.bed.value[i]) != 0;
        a->survey.lod.value[i] = 0.0f; // nothing was measured, so nothing is too thin to be seen
    }
    return TAL_OK;
}

static double distance_to(const tal_grid *grid, size_t cell, double x, double y) {
    double cx, cy;
    tal_grid_centre(grid, (int32_t)(cell % (size_t)grid->columns),
                    (int32_t)(cell / (size_t)grid->columns), &cx, &cy);
    return hypot(cx - x, cy - y);
}

static double source_height(const tal_surveyed *s, size_t cell) {
    const float before = s->before.value[cell];
    return isfinite(before) ? (double)before
                            : (double)s->bed.value[cell] + (double)s->source.value[cell];
}

// Highest cell of the source, and the cell of the source nearest to its centroid.
static bool find_source(const tal_back_analysis *a, size_t *crown, double centroid[2]) {
    const tal_surveyed *s = &a->survey;
    double highest = -INFINITY, weight = 0.0;
    centroid[0] = centroid[1] = 0.0;
    for (size_t i = 0; i < tal_grid_cell_count(&s->grid); i++) {
        const double thickness = (double)s->source.value[i];
        if (!(thickness > 0.0) || !isfinite(s->bed.value[i])) {
            continue;
        }
        double x, y;
        tal_grid_centre(&s->grid, (int32_t)(i % (size_t)s->grid.columns),
                        (int32_t)(i / (size_t)s->grid.columns), &x, &y);
        centroid[0] += thickness * x;
        centroid[1] += thickness * y;
        weight += thickness;
        if (source_height(s, i) > highest) {
            highest = source_height(s, i);
            *crown = i;
        }
    }
    if (weight > 0.0) {
        centroid[0] /= weight;
        centroid[1] /= weight;
    }
    return weight > 0.0;
}

// The cell nearest to a point that has a bed and, where given, belongs to `mask`; -1 without one.
static int64_t find_nearest(const tal_back_analysis *a, const uint8_t *mask,
                            const double point[2]) {
    int64_t best = -1;
    double best_distance = INFINITY;
    for (size_t i = 0; i < tal_grid_cell_count(&a->survey.grid); i++) {
        if ((mask != NULL && mask[i] == 0) || !isfinite(a->survey.bed.value[i])) {
            continue;
        }
        const double d = distance_to(&a->survey.grid, i, point[0], point[1]);
        if (d < best_distance) {
            best_distance = d;
            best = (int64_t)i;
        }
    }
    return best;
}

// Centroid of the cells of `mask` that are at least `least` away from a point.
static bool mask_centroid(const tal_back_analysis *a, const uint8_t *mask, const double from[2],
                          double least, double centroid[2]) {
    double count = 0.0;
    centroid[0] = centroid[1] = 0.0;
    for (size_t i = 0; i < tal_grid_cell_count(&a->survey.grid); i++) {
        if (mask[i] != 0 && distance_to(&a->survey.grid, i, from[0], from[1]) >= least) {
            double x, y;
            tal_grid_centre(&a->survey.grid, (int32_t)(i % (size_t)a->survey.grid.columns),
                            (int32_t)(i / (size_t)a->survey.grid.columns), &x, &y);
            centroid[0] += x;
            centroid[1] += y;
            count += 1.0;
        }
    }
    centroid[0] /= count;
    centroid[1] /= count;
    return count > 0.0;
}

// Distance from a point that a twentieth of the cells of `mask` exceeds: what lies beyond is the
// tip of the deposit. One farthest cell would let a stray corner bend the line.
static tal_status tip_distance(const tal_back_analysis *a, const uint8_t *mask,
                               const double from[2], double *distance, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&a->survey.grid);
    double *values;
    size_t count = 0;
    TAL_CREATE(values, cells + 1, "the flow line", err);
    for (size_t i = 0; i < cells; i++) {
        if (mask[i] != 0) {
            values[count++] = distance_to(&a->survey.grid, i, from[0], from[1]);
        }
    }
    *distance = tal_quantile(values, count, 0.95);
    tal_memory_destroy(values);
    return TAL_OK;
}

tal_comparison tal_back_analysis_comparison(const tal_back_analysis *a) {
    return (tal_comparison){.grid = a->survey.grid,
                            .valid = a->valid,
                            .lod = a->survey.lod.value,
                            .simulated = a->deposit.thickness.value,
                            .solid = a->deposit.solid.value,
                            .surveyed = a->survey.epochs == 2 ? a->survey.deposit.value : NULL,
                            .ground = a->survey.bed.value,
                            .line = a->has_line ? &a->line : NULL,
                            .crown_height = a->crown_height,
                            .source_volume = a->survey.source_volume.volume,
                            .survey_factor = 1.0};
}

double tal_back_analysis_line_end(const tal_back_analysis *a) {
    return fmax(a->line.s[a->line.count - 1], fmax(a->scores.value[TAL_SCORE_runout_simulated_m],
                                                   a->scores.value[TAL_SCORE_runout_surveyed_m]));
}

static tal_status trace_line(tal_back_analysis *a, const uint8_t *deposit, const double source[2],
                             tal_error *err) {
    double centre[2], tip[2], far = 0.0;
    if (!mask_centroid(a, deposit, source, 0.0, centre)) {
        return TAL_OK; // no deposit, no line
    }
    TAL_TRY(tip_distance(a, deposit, source, &far, err));
    (void)mask_centroid(a, deposit, source, far, tip);
    const size_t stop[4] = {a->crown, (size_t)find_nearest(a, NULL, source),
                            (size_t)find_nearest(a, deposit, centre),
                            (size_t)find_nearest(a, deposit, tip)};
    TAL_TRY(tal_flow_line_create(&a->line, &a->survey.grid, a->survey.bed.value, stop, 4, err));
    a->has_line = true;
    return TAL_OK;
}

// Through the surveyed deposit, so that all runs are measured along one line; through the first
// simulated one where there is no survey of it.
static tal_status find_line(tal_back_analysis *a, const run *first, tal_error *err) {
    double centroid[2];
    if (!find_source(a, &a->crown, centroid)) {
        return TAL_OK;
    }
    a->crown_height = source_height(&a->survey, a->crown);
    tal_comparison c = tal_back_analysis_comparison(a);
    c.simulated = first->deposit.thickness.value;
    tal_deposit_mask mask;
    TAL_TRY(tal_deposit_mask_create(
        &mask, &c, a->has_survey_deposit ? a->survey.deposit.value : c.simulated, 1.0, err));
    const tal_status status = trace_line(a, mask.main, centroid, err);
    tal_deposit_mask_destroy(&mask);
    return status;
}

static tal_status score_run(tal_back_analysis *a, const run *r, double factor, double source_volume,
                            tal_scores *scores, tal_error *err) {
    tal_comparison c = tal_back_analysis_comparison(a);
    c.simulated = r->deposit.thickness.value;
    c.solid = r->deposit.solid.value;
    c.survey_factor = factor;
    c.source_volume = source_volume;
    return tal_scores_compute(scores, &c, err);
}

// A run scored again with the surveyed thickness and the source at the ends of their intervals.
static tal_status carry_survey_error(tal_back_analysis *a, const run *r, int index,
                                     tal_error *err) {
    const tal_volume_range *deposit = &a->survey.deposit_volume, *source = &a->survey.source_volume;
    tal_scores *low = &a->run_low[index], *high = &a->run_high[index];
    *low = *high = a->by_run[index];
    const double factor[2] = {deposit->low / deposit->volume, deposit->high / deposit->volume};
    const double volume[2] = {source->low, source->high};
    for (int end = 0; end < 2; end++) {
        tal_scores scores;
        const double f = isfinite(factor[end]) && factor[end] > 0.0 ? factor[end] : 1.0;
        const double v = isfinite(volume[end]) ? volume[end] : source->volume;
        TAL_TRY(score_run(a, r, f, v, &scores, err));
        for (int i = 0; i < TAL_SCORE_COUNT; i++) {
            low->value[i] = fmin(low->value[i], scores.value[i]);
            high->value[i] = fmax(high->value[i], scores.value[i]);
        }
    }
    return TAL_OK;
}

static double quantile_over_runs(const tal_scores *by_run, int count, int score, double p,
                                 double *room) {
    for (int r = 0; r < count; r++) {
        room[r] = by_run[r].value[score];
    }
    return tal_quantile(room, (size_t)count, p);
}

static tal_status spread_over_runs(tal_back_analysis *a, tal_error *err) {
    const int n = a->run_count;
    double *room;
    TAL_CREATE(room, (size_t)n, "the scores of the runs", err);
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        a->interval[i] =
            (tal_score_interval){.low = quantile_over_runs(a->by_run, n, i, 0.05, room),
                                 .median = quantile_over_runs(a->by_run, n, i, 0.5, room),
                                 .high = quantile_over_runs(a->by_run, n, i, 0.95, room),
                                 .survey_low = a->run_low[a->shown_run].value[i],
                                 .survey_high = a->run_high[a->shown_run].value[i],
                                 .all_low = quantile_over_runs(a->run_low, n, i, 0.05, room),
                                 .all_high = quantile_over_runs(a->run_high, n, i, 0.95, room)};
    }
    tal_memory_destroy(room);
    return TAL_OK;
}

// The run that is shown: the one whose overlap (or else runout) is in the middle.
static int find_middle_run(const tal_back_analysis *a) {
    const tal_score_key key =
        isfinite(a->by_run[0].value[TAL_SCORE_iou]) ? TAL_SCORE_iou : TAL_SCORE_runout_simulated_m;
    int best = 0;
    int best_miss = a->run_count;
    for (int i = 0; i < a->run_count; i++) {
        int below = 0;
        for (int k = 0; k < a->run_count; k++) {
            const double d = a->by_run[k].value[key] - a->by_run[i].value[key];
            below += d < 0.0 || (d == 0.0 && k < i) ? 1 : 0;
        }
        const int miss = abs(below - (a->run_count - 1) / 2);
        if (miss < best_miss) {
            best_miss = miss;
            best = i;
        }
    }
    return best;
}

static void show_run(tal_back_analysis *a, run *r) {
    a->blocks = r->blocks;
    a->motion = r->motion;
    a->deposit = r->deposit;
    a->passage = r->passage;
    *r = (run){0};
}

static tal_status add_reach(tal_back_analysis *a, const run *r, tal_error *err) {
    if (a->reach.value == NULL) {
        TAL_TRY(tal_raster_create(&a->reach, &a->survey.grid, err));
    }
    for (size_t i = 0; i < tal_grid_cell_count(&a->survey.grid); i++) {
        if (isfinite(a->survey.bed.value[i])) {
            const float so_far = isfinite(a->reach.value[i]) ? a->reach.value[i] : 0.0f;
            a->reach.value[i] =
                so_far + (r->passage.count.value[i] > 0.0f ? 1.0f : 0.0f) / (float)a->run_count;
        }
    }
    return TAL_OK;
}

static tal_status analyse(tal_back_analysis *a, const char *const *folder, int rays,
                          tal_ensemble_stack *stack, tal_error *err) {
    for (int i = 0; i < a->run_count; i++) {
        run r;
        TAL_TRY(tal_interrupt_check(err));
        TAL_TRY(load_run(&r, a, folder[i], rays, err));
        tal_status status = i == 0 ? find_line(a, &r, err) : TAL_OK;
        if (status == TAL_OK) {
            status = score_run(a, &r, 1.0, a->survey.source_volume.volume, &a->by_run[i], err);
        }
        if (status == TAL_OK) {
            status = carry_survey_error(a, &r, i, err);
        }
        if (status == TAL_OK) {
            status = add_reach(a, &r, err);
        }
        if (status == TAL_OK && a->run_count > 1) {
            status = tal_ensemble_add(stack, i, &r.deposit, &r.passage, err);
        }
        tal_trust trust;
        tal_trust_judge(&trust, &r.blocks, &r.motion);
        a->bad_run_count += trust.level == TAL_TRUST_BAD ? 1 : 0;
        if (status == TAL_OK && a->run_count == 1) {
            show_run(a, &r);
        }
        run_destroy(&r);
        TAL_TRY(status);
    }
    return TAL_OK;
}

static tal_status finish(tal_back_analysis *a, const char *const *folder, int rays,
                         const tal_ensemble_stack *stack, tal_error *err) {
    a->shown_run = find_middle_run(a);
    if (a->run_count > 1) {
        run r;
        TAL_TRY(load_run(&r, a, folder[a->shown_run], rays, err));
        show_run(a, &r);
        TAL_TRY(tal_ensemble_create(&a->ensemble, stack, err));
    }
    a->scores = a->by_run[a->shown_run];
    tal_sieve_read(&a->sieve, folder[a->shown_run], a->blocks.count);
    TAL_TRY(spread_over_runs(a, err));
    tal_trust_judge(&a->trust, &a->blocks, &a->motion);
    return TAL_OK;
}

tal_status tal_back_analysis_create(tal_back_analysis *a, const char *folder,
                                    const char *const *run_folder, int run_count, int rays,
                                    tal_error *err) {
    tal_status status = TAL_OK;
    tal_ensemble_stack stack = {0};
    *a = (tal_back_analysis){.run_count = run_count};
    TAL_TRY_OR_DONE(tal_surveyed_read(&a->survey, folder, err));
    TAL_TRY_OR_DONE(find_valid(a, err));
    TAL_CREATE_OR_DONE(a->by_run, (size_t)run_count, "the scores of the runs", err);
    TAL_CREATE_OR_DONE(a->run_low, (size_t)run_count, "the scores of the runs", err);
    TAL_CREATE_OR_DONE(a->run_high, (size_t)run_count, "the scores of the runs", err);
    TAL_TRY_OR_DONE(tal_ensemble_begin(&stack, &a->survey.grid, run_count, err));
    TAL_TRY_OR_DONE(analyse(a, run_folder, rays, &stack, err));
    TAL_TRY_OR_DONE(finish(a, run_folder, rays, &stack, err));
done:
    tal_ensemble_end(&stack);
    if (status != TAL_OK) {
        tal_back_analysis_destroy(a);
    }
    return status;
}

void tal_back_analysis_destroy(tal_back_analysis *a) {
    tal_surveyed_destroy(&a->survey);
    tal_memory_destroy(a->valid);
    tal_blocks_destroy(&a->blocks);
    tal_run_record_destroy(&a->motion);
    tal_deposit_destroy(&a->deposit);
    tal_passage_destroy(&a->passage);
    tal_flow_line_destroy(&a->line);
    tal_memory_destroy(a->by_run);
    tal_memory_destroy(a->run_low);
    tal_memory_destroy(a->run_high);
    tal_raster_destroy(&a->reach);
    tal_ensemble_destroy(&a->ensemble);
    *a = (tal_back_analysis){0};
}

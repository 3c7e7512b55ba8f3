// SPDX-License-Identifier: GPL-3.0-or-later
// Survey and runs put together: flow line, scores of every run, intervals, ensemble maps.
#include "postproc/measure/back_analysis.h"

#include "core/app/number.h"
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
    tal_deposit own; // of the first source alone; empty where all blocks are measured together
    tal_passage passage;
} run;

static void run_destroy(run *r) {
    tal_blocks_destroy(&r->blocks);
    tal_run_record_destroy(&r->motion);
    tal_deposit_destroy(&r->deposit);
    tal_deposit_destroy(&r->own);
    tal_passage_destroy(&r->passage);
}

// The deposit of the blocks of one source, as if the others had left.
static tal_status create_own_deposit(tal_deposit *own, const tal_back_analysis *a,
                                     const tal_blocks *blocks, const tal_run_record *motion,
                                     int source, int rays, tal_error *err) {
    const tal_surveyed *s = &a->survey;
    tal_run_record alone = *motion;
    TAL_CREATE(alone.left, (size_t)motion->block_count + 1, "the blocks of a source", err);
    for (int32_t b = 0; b < motion->block_count; b++) {
        const bool is_own = tal_sources_of_block(&a->sources, &s->grid, motion, b) == source;
        alone.left[b] = is_own ? motion->left[b] : 1;
    }
    const tal_status status = tal_deposit_create(own, blocks, &alone, &s->grid, s->bed.value,
                                                 (double)s->origin.height, rays, err);
    tal_memory_destroy(alone.left);
    return status;
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
    TAL_TRY(tal_blocks_read(&r->blocks, tal_run_record_has_blocks(motion) ? motion : blocks, err));
    TAL_TRY(tal_run_record_read(&r->motion, motion, &r->blocks, &s->origin, err));
    TAL_TRY(tal_deposit_create(&r->deposit, &r->blocks, &r->motion, &s->grid, s->bed.value, zero,
                               rays, err));
    if (a->sources.count > 1 && !a->has_survey_deposit) {
        TAL_TRY(create_own_deposit(&r->own, a, &r->blocks, &r->motion, 0, rays, err));
    }
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

tal_score_input tal_back_analysis_comparison(const tal_back_analysis *a) {
    return (tal_score_input){.grid = a->survey.grid,
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

// From the crown of a source through a deposit to its tip; no deposit, no line.
static tal_status trace_line(const tal_back_analysis *a, const uint8_t *deposit,
                             const tal_source *source, tal_flow_line *line, bool *has_line,
                             tal_error *err) {
    double centre[2], tip[2], far = 0.0;
    if (!mask_centroid(a, deposit, source->centroid, 0.0, centre)) {
        return TAL_OK;
    }
    TAL_TRY(tip_distance(a, deposit, source->centroid, &far, err));
    (void)mask_centroid(a, deposit, source->centroid, far, tip);
    const size_t stop[4] = {source->crown, (size_t)find_nearest(a, NULL, source->centroid),
                            (size_t)find_nearest(a, deposit, centre),
                            (size_t)find_nearest(a, deposit, tip)};
    TAL_TRY(tal_flow_line_create(line, &a->survey.grid, a->survey.bed.value, stop, 4, err));
    *has_line = true;
    return TAL_OK;
}

// Through the surveyed deposit, so that all runs are measured along one line; through the first
// simulated one where there is no survey of it. With several sources the line is that of the largest.
static tal_status find_line(tal_back_analysis *a, const run *first, tal_error *err) {
    if (a->sources.count == 0) {
        return TAL_OK;
    }
    a->crown_height = a->sources.source[0].crown_height;
    tal_score_input c = tal_back_analysis_comparison(a);
    c.simulated =
        (first->own.thickness.value != NULL ? first->own : first->deposit).thickness.value;
    tal_deposit_mask mask;
    TAL_TRY(tal_deposit_mask_create(
        &mask, &c, a->has_survey_deposit ? a->survey.deposit.value : c.simulated, 1.0, err));
    const tal_status status =
        trace_line(a, mask.main, &a->sources.source[0], &a->line, &a->has_line, err);
    tal_deposit_mask_destroy(&mask);
    return status;
}

static tal_status score_run(tal_back_analysis *a, const run *r, double factor, double source_volume,
                            tal_scores *scores, tal_error *err) {
    tal_score_input c = tal_back_analysis_comparison(a);
    c.simulated = r->deposit.thickness.value;
    c.solid = r->deposit.solid.value;
    c.measured = r->own.thickness.value;
    c.survey_factor = factor;
    c.source_volume = source_volume;
    TAL_TRY(tal_scores_compute(scores, &c, err));
    tal_travel travel;
    int32_t block_count;
    TAL_TRY(tal_sources_travel(&a->sources, -1, &a->survey.grid, &r->blocks, &r->motion, &travel,
                               &block_count, err));
    scores->value[TAL_SCORE_travel_median_m] = travel.median;
    scores->value[TAL_SCORE_travel_p05_m] = travel.low;
    scores->value[TAL_SCORE_travel_p95_m] = travel.high;
    scores->value[TAL_SCORE_travel_moved] = travel.moved_share;
    return tal_observed_score(&a->observed, a->has_line ? &a->line : NULL, &r->motion, scores, err);
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

static void spread_over_variants(tal_back_analysis *a, int score) {
    tal_score_interval *interval = &a->interval[score];
    double low = a->scores.value[score], high = low;
    for (int i = 0; i < a->variants.count; i++) {
        low = fmin(low, a->variants.variant[i].scores.value[score]);
        high = fmax(high, a->variants.variant[i].scores.value[score]);
    }
    interval->numeric_low = a->variants.count > 0 ? low : NAN;
    interval->numeric_high = a->variants.count > 0 ? high : NAN;
    interval->shown_low = fmin(interval->all_low, interval->numeric_low); // fmin drops a NaN
    interval->shown_high = fmax(interval->all_high, interval->numeric_high);
    const double value = a->scores.value[score], cell = a->survey.grid.cell;
    if (score == TAL_SCORE_runout_error_m &&
        !(interval->shown_high - interval->shown_low > 10.0 * cell)) {
        // A toe is found to a cell, whose digit is the second one of ten cells: the last that is told.
        interval->shown_low = value - 5.0 * cell;
        interval->shown_high = value + 5.0 * cell;
    }
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
        spread_over_variants(a, i);
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
    *r = (run){.own = r->own}; // the rest is the analysis's now
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

static tal_travel travel_of(const tal_scores *scores, const tal_run_record *motion) {
    return (tal_travel){.median = scores->value[TAL_SCORE_travel_median_m],
                        .low = scores->value[TAL_SCORE_travel_p05_m],
                        .high = scores->value[TAL_SCORE_travel_p95_m],
                        .moved_share = scores->value[TAL_SCORE_travel_moved],
                        .is_too_early = motion->ended_too_early};
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
        const tal_travel travel = travel_of(&a->by_run[i], &r.motion);
        tal_trust_judge(&trust, &r.blocks, &r.motion, &travel, &a->sources);
        a->bad_run_count += trust.level == TAL_TRUST_BAD ? 1 : 0;
        if (status == TAL_OK && a->run_count == 1) {
            show_run(a, &r);
        }
        run_destroy(&r);
        TAL_TRY(status);
    }
    return TAL_OK;
}

// How far the deposit of one source reaches along the line of its own.
static tal_status measure_runout(tal_back_analysis *a, int index, const tal_deposit *own,
                                 tal_error *err) {
    tal_source *source = &a->sources.source[index];
    tal_score_input c = tal_back_analysis_comparison(a);
    tal_deposit_mask mask;
    if (index > 0 || !a->has_line) { // the line must be there before the toe is looked for
        c.line = NULL;
        TAL_TRY(tal_deposit_mask_create(&mask, &c, own->thickness.value, 1.0, err));
        const tal_status status =
            trace_line(a, mask.main, source, &source->line, &source->has_line, err);
        tal_deposit_mask_destroy(&mask);
        TAL_TRY(status);
        c.line = source->has_line ? &source->line : NULL;
    }
    TAL_TRY(tal_deposit_mask_create(&mask, &c, own->thickness.value, 1.0, err));
    if (mask.toe >= 0) {
        source->runout = mask.toe_s;
        source->drop = source->crown_height - (double)a->survey.bed.value[mask.toe];
    }
    tal_deposit_mask_destroy(&mask);
    return TAL_OK;
}

static tal_status measure_source(tal_back_analysis *a, int index, int rays, tal_error *err) {
    tal_source *source = &a->sources.source[index];
    tal_deposit own;
    TAL_TRY(tal_sources_travel(&a->sources, index, &a->survey.grid, &a->blocks, &a->motion,
                               &source->travel, &source->block_count, err));
    TAL_TRY(create_own_deposit(&own, a, &a->blocks, &a->motion, index, rays, err));
    const tal_status status = measure_runout(a, index, &own, err);
    tal_deposit_destroy(&own);
    return status;
}

static tal_status read_variant(tal_back_analysis *a, const char *folder, tal_variant *variant,
                               int rays, tal_error *err) {
    run r;
    TAL_TRY(load_run(&r, a, folder, rays, err));
    variant->block_count = r.blocks.count;
    const tal_status status =
        score_run(a, &r, 1.0, a->survey.source_volume.volume, &variant->scores, err);
    run_destroy(&r);
    return status;
}

// Those that were run; what is missing is said, and no reason to do without a report.
static tal_status read_variants(tal_back_analysis *a, const char *folder,
                                const tal_settings *settings, tal_error *err) {
    tal_variant variant;
    int missing = 0;
    for (int i = 0; tal_variant_at(settings, i, &variant); i++) {
        char own[TAL_PATH_SIZE], place[TAL_PATH_SIZE], motion[TAL_PATH_SIZE];
        if (!tal_path_join(place, folder, "sensitivity") ||
            !tal_path_join(own, place, variant.name) || !tal_path_join(motion, own, "run.nc") ||
            !tal_file_exists(motion)) {
            missing++;
            continue;
        }
        TAL_TRY(tal_interrupt_check(err));
        TAL_TRY(read_variant(a, own, &variant, (int)settings->report.surface_rays, err));
        a->variants.variant[a->variants.count++] = variant;
    }
    if (missing > 0) {
        tal_log_warn(
            "[report] sensitivity = yes, but %d of its runs are not in %s/sensitivity: make "
            "run does them",
            missing, folder);
    }
    return TAL_OK;
}

// A runout of a scenario has no survey to be compared with: a tenth of it is taken for enough.
static const double SCENARIO_SHARE = 0.1;

// Does the result depend on how it was computed more than on what was surveyed? Overlap and runout tell.
static void judge_variants(tal_back_analysis *a) {
    tal_trust_check *check = &a->trust.check[TAL_TRUST_CHECKS - 1];
    const tal_score_key key[] = {TAL_SCORE_runout_simulated_m, TAL_SCORE_iou};
    for (int i = 0; i < (a->has_survey_deposit ? 2 : 1) && a->variants.count > 0; i++) {
        // The survey moves the error of the runout, not the simulated one.
        const tal_score_key surveyed = i == 0 ? TAL_SCORE_runout_error_m : key[i];
        const tal_score_interval *interval = &a->interval[key[i]], *known = &a->interval[surveyed];
        const double width = interval->numeric_high - interval->numeric_low;
        const double limit = a->has_survey_deposit ? known->survey_high - known->survey_low
                                                   : SCENARIO_SHARE * a->scores.value[key[i]];
        tal_trust_add_variant(check, tal_score_notes[key[i]].label,
                              tal_unit_pretty(tal_score_notes[key[i]].unit), interval->numeric_low,
                              interval->numeric_high, width > limit, a->has_survey_deposit);
        a->trust.level = check->level > a->trust.level ? check->level : a->trust.level;
    }
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
    if (a->motion.stress.cracked_count == 0) { // else the blocks are others than those asked for
        tal_sieve_read(&a->sieve, folder[a->shown_run], a->blocks.count);
    }
    TAL_TRY(spread_over_runs(a, err));
    const tal_travel travel = travel_of(&a->scores, &a->motion);
    tal_trust_judge(&a->trust, &a->blocks, &a->motion, &travel, &a->sources);
    a->no_runout = tal_travel_is_open(&travel)   ? "The run ended too early to tell"
                   : tal_travel_is_none(&travel) ? "The rock did not move"
                                                 : NULL;
    judge_variants(a);
    for (int i = 0; i < a->sources.count && a->sources.count > 1; i++) {
        TAL_TRY(measure_source(a, i, rays, err));
    }
    return TAL_OK;
}

tal_status tal_back_analysis_create(tal_back_analysis *a, const char *folder,
                                    const char *const *run_folder, int run_count,
                                    const tal_settings *settings, tal_error *err) {
    tal_status status = TAL_OK;
    const int rays = (int)settings->report.surface_rays;
    tal_ensemble_stack stack = {0};
    *a = (tal_back_analysis){.run_count = run_count};
    TAL_TRY_OR_DONE(tal_surveyed_read(&a->survey, folder, err));
    TAL_TRY_OR_DONE(tal_observed_read(&a->observed, settings, &a->survey.origin,
                                      tal_grid_bounds(&a->survey.grid), err));
    TAL_TRY_OR_DONE(find_valid(a, err));
    TAL_TRY_OR_DONE(tal_sources_find(&a->sources, &a->survey, err));
    TAL_CREATE_OR_DONE(a->by_run, (size_t)run_count, "the scores of the runs", err);
    TAL_CREATE_OR_DONE(a->run_low, (size_t)run_count, "the scores of the runs", err);
    TAL_CREATE_OR_DONE(a->run_high, (size_t)run_count, "the scores of the runs", err);
    TAL_TRY_OR_DONE(tal_ensemble_begin(&stack, &a->survey.grid, run_count, err));
    TAL_TRY_OR_DONE(analyse(a, run_folder, rays, &stack, err));
    TAL_TRY_OR_DONE(read_variants(a, folder, settings, err));
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
    tal_observed_destroy(&a->observed);
    tal_sources_destroy(&a->sources);
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

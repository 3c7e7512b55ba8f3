// SPDX-License-Identifier: GPL-3.0-or-later
// How well a simulated deposit matches a surveyed one.
#include "postproc/measure/score.h"

#include "core/base/memory.h"
#include "core/geometry/components.h"
#include "postproc/measure/deposit.h"

#include <math.h>
#include <stdlib.h>

const tal_score_note tal_score_notes[TAL_SCORE_COUNT] = {
#define SCORE(key, unit, group, best, label, sentence) {#key, unit, group, best, label, sentence},
#define SCORE_OF_RUN                                   SCORE
#include "core/app/score.def"
};

// docs/theory/scores.md (6).
double tal_mobility_scheidegger(double volume) {
    return volume > 0.0 ? pow(10.0, 0.62419 - 0.15666 * log10(volume)) : NAN;
}

double tal_mobility_corominas(double volume) {
    return volume > 0.0 ? pow(10.0, 0.210 - 0.109 * log10(volume)) : NAN;
}

typedef struct {
    double s, a, b;
    size_t index;
} load;

// Ties by index: sums are then made in one order only.
static int compare_loads(const void *left, const void *right) {
    const load *a = left, *b = right;
    if (a->s != b->s) {
        return a->s < b->s ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

// docs/theory/scores.md (8).
tal_status tal_emd_line(const double *s, const double *load_a, const double *load_b, size_t count,
                        double *distance, tal_error *err) {
    load *loads;
    double total_a = 0.0, total_b = 0.0;
    *distance = NAN;
    TAL_CREATE(loads, count + 1, "the mass along the flow line", err);
    for (size_t i = 0; i < count; i++) {
        loads[i] = (load){s[i], load_a[i], load_b[i], i};
        total_a += load_a[i];
        total_b += load_b[i];
    }
    if (total_a > 0.0 && total_b > 0.0) {
        // On a line the distance is the area between the two cumulative shares.
        qsort(loads, count, sizeof *loads, compare_loads);
        double share_a = 0.0, share_b = 0.0, area = 0.0;
        for (size_t i = 0; i + 1 < count; i++) {
            share_a += loads[i].a / total_a;
            share_b += loads[i].b / total_b;
            area += fabs(share_a - share_b) * (loads[i + 1].s - loads[i].s);
        }
        *distance = area;
    }
    tal_memory_destroy(loads);
    return TAL_OK;
}

void tal_deposit_mask_destroy(tal_deposit_mask *mask) {
    tal_memory_destroy(mask->mask);
    tal_memory_destroy(mask->main);
    *mask = (tal_deposit_mask){0};
}

static double along_line(const tal_score_input *c, size_t cell) {
    double x, y;
    tal_grid_centre(&c->grid, (int32_t)(cell % (size_t)c->grid.columns),
                    (int32_t)(cell / (size_t)c->grid.columns), &x, &y);
    return tal_flow_line_project(c->line, x, y);
}

static void find_toe(tal_deposit_mask *mask, const tal_score_input *c) {
    mask->toe = -1;
    mask->toe_s = -INFINITY;
    if (c->line == NULL) {
        return;
    }
    for (size_t cell = 0; cell < tal_grid_cell_count(&c->grid); cell++) {
        if (mask->main[cell] != 0) {
            const double s = along_line(c, cell);
            if (s > mask->toe_s) {
                mask->toe_s = s;
                mask->toe = (int64_t)cell;
            }
        }
    }
}

// docs/theory/scores.md (3).
tal_status tal_deposit_mask_create(tal_deposit_mask *mask, const tal_score_input *c,
                                   const float *thickness, double factor, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&c->grid);
    int64_t main_cells;
    *mask = (tal_deposit_mask){0};
    TAL_CREATE(mask->mask, cells + 1, "the outline of a deposit", err);
    mask->main = tal_memory_create(cells + 1, sizeof *mask->main);
    if (mask->main == NULL) {
        tal_deposit_mask_destroy(mask);
        return tal_memory_failed(err, "the outline of a deposit", cells, sizeof *mask->main);
    }
    for (size_t i = 0; i < cells; i++) {
        const double here = factor * (double)thickness[i];
        if (c->valid[i] != 0 && tal_thickness_is_deposit(here, (double)c->lod[i])) {
            mask->mask[i] = mask->main[i] = 1;
            mask->cells++;
        }
    }
    const tal_status status =
        tal_mask_keep_largest(mask->main, c->grid.columns, c->grid.rows, &main_cells, err);
    if (status != TAL_OK) {
        tal_deposit_mask_destroy(mask);
        return status;
    }
    find_toe(mask, c);
    return TAL_OK;
}

// Zero where there is no value.
static double thickness_or_zero(const float *thickness, size_t cell, double factor) {
    const double value = factor * (double)thickness[cell];
    return isfinite(value) ? value : 0.0;
}

typedef struct {
    double both, either, simulated, surveyed; // cells
    double volume_simulated, volume_surveyed, volume_solid;
    double error_sum, error_square_sum;
    double centre_simulated[2], centre_surveyed[2]; // sums of volume * position
} tally;

static void count_cell(tally *t, const tal_score_input *c, size_t cell, bool is_simulated,
                       bool is_surveyed) {
    const double area = c->grid.cell * c->grid.cell;
    double x, y;
    tal_grid_centre(&c->grid, (int32_t)(cell % (size_t)c->grid.columns),
                    (int32_t)(cell / (size_t)c->grid.columns), &x, &y);
    const double simulated = thickness_or_zero(c->simulated, cell, 1.0);
    const double surveyed =
        c->surveyed == NULL ? 0.0 : thickness_or_zero(c->surveyed, cell, c->survey_factor);
    t->volume_solid += thickness_or_zero(c->solid, cell, 1.0) * area;
    if (is_simulated) {
        t->simulated += 1.0;
        t->volume_simulated += simulated * area;
        t->centre_simulated[0] += simulated * area * x;
        t->centre_simulated[1] += simulated * area * y;
    }
    if (is_surveyed) {
        t->surveyed += 1.0;
        t->volume_surveyed += surveyed * area;
        t->centre_surveyed[0] += surveyed * area * x;
        t->centre_surveyed[1] += surveyed * area * y;
    }
    if (is_simulated || is_surveyed) {
        t->either += 1.0;
        t->error_sum += simulated - surveyed;
        t->error_square_sum += (simulated - surveyed) * (simulated - surveyed);
    }
    t->both += is_simulated && is_surveyed ? 1.0 : 0.0;
}

static double ratio(double a, double b) {
    return b > 0.0 ? a / b : NAN;
}

// docs/theory/scores.md (4), (5).
static void score_cells(tal_scores *scores, const tally *t, const tal_score_input *c) {
    double *v = scores->value;
    const double area = c->grid.cell * c->grid.cell;
    v[TAL_SCORE_area_simulated_m2] = t->simulated * area;
    v[TAL_SCORE_volume_simulated_m3] = t->volume_simulated;
    v[TAL_SCORE_volume_solid_m3] = t->volume_solid;
    if (c->surveyed == NULL) {
        return;
    }
    v[TAL_SCORE_iou] = ratio(t->both, t->either);
    v[TAL_SCORE_precision] = ratio(t->both, t->simulated);
    v[TAL_SCORE_recall] = ratio(t->both, t->surveyed);
    v[TAL_SCORE_area_surveyed_m2] = t->surveyed * area;
    v[TAL_SCORE_volume_surveyed_m3] = t->volume_surveyed;
    v[TAL_SCORE_volume_ratio] = ratio(t->volume_simulated, t->volume_surveyed);
    v[TAL_SCORE_thickness_bias_m] = ratio(t->error_sum, t->either);
    v[TAL_SCORE_thickness_rmse_m] = sqrt(ratio(t->error_square_sum, t->either));
    v[TAL_SCORE_centroid_distance_m] = hypot(ratio(t->centre_simulated[0], t->volume_simulated) -
                                                 ratio(t->centre_surveyed[0], t->volume_surveyed),
                                             ratio(t->centre_simulated[1], t->volume_simulated) -
                                                 ratio(t->centre_surveyed[1], t->volume_surveyed));
}

static void score_runout(tal_scores *scores, const tal_deposit_mask *mask, const tal_score_input *c,
                         tal_score_key runout, tal_score_key mobility) {
    if (mask->toe < 0) {
        return;
    }
    const double height = c->crown_height - (double)c->ground[mask->toe];
    scores->value[runout] = mask->toe_s;
    scores->value[mobility] = mask->toe_s > 0.0 ? height / mask->toe_s : NAN;
}

// All rock on comparable cells counts, also where it lies thinner than a survey would see.
static tal_status score_shift(tal_scores *scores, const tal_score_input *c,
                              const tal_deposit_mask *surveyed, tal_error *err) {
    tal_status status = TAL_OK;
    const size_t cells = tal_grid_cell_count(&c->grid);
    double *s = NULL, *a = NULL, *b = NULL;
    size_t count = 0;
    TAL_CREATE_OR_DONE(s, cells + 1, "the mass along the flow line", err);
    TAL_CREATE_OR_DONE(a, cells + 1, "the mass along the flow line", err);
    TAL_CREATE_OR_DONE(b, cells + 1, "the mass along the flow line", err);
    for (size_t i = 0; i < cells; i++) {
        const double solid =
            c->valid[i] != 0 ? fmax(0.0, thickness_or_zero(c->solid, i, 1.0)) : 0.0;
        const double there =
            surveyed->mask[i] != 0 ? thickness_or_zero(c->surveyed, i, c->survey_factor) : 0.0;
        if (solid > 0.0 || there > 0.0) {
            s[count] = along_line(c, i);
            a[count] = solid;
            b[count++] = there;
        }
    }
    TAL_TRY_OR_DONE(tal_emd_line(s, a, b, count, &scores->value[TAL_SCORE_emd_m], err));
done:
    tal_memory_destroy(s);
    tal_memory_destroy(a);
    tal_memory_destroy(b);
    return status;
}

// With several sources the toe is that of the first one's blocks.
static tal_status score_simulated_runout(tal_scores *scores, const tal_score_input *c,
                                         const tal_deposit_mask *simulated, tal_error *err) {
    tal_deposit_mask own = {0};
    if (c->measured != NULL) {
        TAL_TRY(tal_deposit_mask_create(&own, c, c->measured, 1.0, err));
    }
    score_runout(scores, c->measured != NULL ? &own : simulated, c, TAL_SCORE_runout_simulated_m,
                 TAL_SCORE_fahrboeschung_simulated);
    tal_deposit_mask_destroy(&own);
    return TAL_OK;
}

static tal_status score_line(tal_scores *scores, const tal_score_input *c,
                             const tal_deposit_mask *simulated, const tal_deposit_mask *surveyed,
                             tal_error *err) {
    double *v = scores->value;
    if (c->line == NULL) {
        return TAL_OK;
    }
    TAL_TRY(score_simulated_runout(scores, c, simulated, err));
    if (c->surveyed == NULL) {
        return TAL_OK;
    }
    score_runout(scores, surveyed, c, TAL_SCORE_runout_surveyed_m,
                 TAL_SCORE_fahrboeschung_surveyed);
    v[TAL_SCORE_runout_error_m] = v[TAL_SCORE_runout_simulated_m] - v[TAL_SCORE_runout_surveyed_m];
    return score_shift(scores, c, surveyed, err);
}

tal_status tal_scores_compute(tal_scores *scores, const tal_score_input *c, tal_error *err) {
    tal_status status = TAL_OK;
    tal_deposit_mask simulated = {0}, surveyed = {0};
    tally t = {0};
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        scores->value[i] = NAN;
    }
    TAL_TRY_OR_DONE(tal_deposit_mask_create(&simulated, c, c->simulated, 1.0, err));
    if (c->surveyed != NULL) {
        TAL_TRY_OR_DONE(tal_deposit_mask_create(&surveyed, c, c->surveyed, c->survey_factor, err));
    }
    for (size_t i = 0; i < tal_grid_cell_count(&c->grid); i++) {
        if (c->valid[i] != 0) {
            count_cell(&t, c, i, simulated.mask[i] != 0,
                       surveyed.mask != NULL && surveyed.mask[i] != 0);
        }
    }
    score_cells(scores, &t, c);
    scores->value[TAL_SCORE_fahrboeschung_scheidegger] = tal_mobility_scheidegger(c->source_volume);
    scores->value[TAL_SCORE_fahrboeschung_corominas] = tal_mobility_corominas(c->source_volume);
    TAL_TRY_OR_DONE(score_line(scores, c, &simulated, &surveyed, err));
done:
    tal_deposit_mask_destroy(&simulated);
    tal_deposit_mask_destroy(&surveyed);
    return status;
}

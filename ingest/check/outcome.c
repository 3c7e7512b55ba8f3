// SPDX-License-Identifier: GPL-3.0-or-later
// What was found, judged.
#include "ingest/check/outcome.h"

#include "core/app/number.h"
#include "core/base/memory.h"
#include "core/geometry/components.h"

#include <math.h>
#include <stdio.h>

// Bulking of fallen rock is 1.2 to 1.5; beyond twice that range something else was measured.
static const double bulking_low = 0.7, bulking_high = 2.2;
static const double unseen_share_max = 0.25;
static const double beyond_share_max = 0.12; // 0.02 to 0.06 in surveys without fault
static const double spread_max_m = 0.3;      // what positioning leaves, see registration.c
static const double rim_share_max = 0.1;
static const double spike_share_max = 0.001;

// ---- The same survey twice ---------------------------------------------------------------------

static void check_same(tal_case *site, const tal_comparison *v) {
    const size_t cells = tal_grid_cell_count(&v->grid);
    for (size_t i = 0; i < cells; i++) {
        if (v->change.dz[i] != 0.0F && !isnan(v->change.dz[i])) {
            return;
        }
    }
    tal_findings_add(&site->findings, "same", TAL_WARN, "site.after",
                     "the surveys from before and after are identical to the last digit; was one "
                     "file named twice?");
}

// ---- Exchanged epochs --------------------------------------------------------------------------

// Mean height of a mask, each cell by its change.
static double height_of(const tal_comparison *v, const uint8_t *mask) {
    const size_t cells = tal_grid_cell_count(&v->grid);
    double sum = 0.0, weight = 0.0;
    for (size_t i = 0; i < cells; i++) {
        if (mask[i] != 0) {
            const double w = fabs((double)v->change.dz[i]);
            sum += w * 0.5 * ((double)v->before.z[i] + (double)v->after.z[i]);
            weight += w;
        }
    }
    return weight > 0.0 ? sum / weight : NAN;
}

// Height between a twentieth and nineteen twentieths of the ground.
static tal_status find_range(const tal_comparison *v, double *range, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&v->grid);
    double *heights;
    size_t count = 0;
    TAL_CREATE(heights, cells, "heights", err);
    for (size_t i = 0; i < cells; i++) {
        if (!isnan(v->change.dz[i])) {
            heights[count++] = (double)v->before.z[i];
        }
    }
    *range = count > 0 ? tal_select(heights, count, count - 1 - count / 20) -
                             tal_select(heights, count, count / 20)
                       : 0.0;
    tal_memory_destroy(heights);
    return TAL_OK;
}

// Gain above loss. Where there is much more of it, snow or plants may have done it; not if it lies in the
// upper part of the study and the loss far below.
static tal_status check_order(tal_case *site, const tal_comparison *v, tal_error *err) {
    const double rise = height_of(v, v->change.deposit) - height_of(v, v->change.source);
    const double lost = v->source.volume_m3, gained = v->deposit.volume_m3;
    const bool drawn = site->source.count > 0 && site->deposit.count > 0;
    double range = 0.0;
    TAL_TRY(find_range(v, &range, err));
    if (!(rise > v->grid.cell) || gained < 0.1 * lost) {
        return TAL_OK;
    }
    const bool refused = !drawn && (lost >= 0.1 * gained || rise > 0.25 * range);
    tal_findings_add(
        &site->findings, "order", refused ? TAL_REFUSE : TAL_WARN, "site.before",
        "the rock would have fallen upwards: the gain lies %.0f m above the loss. Are before and "
        "after exchanged? If not, draw the outlines of both (source =, deposit =)",
        rise);
    return TAL_OK;
}

// ---- Change elsewhere --------------------------------------------------------------------------

typedef struct {
    double all, beyond;   // cells outside of source and deposit, and those beyond detection
    double high, low;     // cells in the tails of the difference there
    double spread, noise; // of gentle ground: its scatter, and what the scatter of points explains
} elsewhere;

enum { GENTLE_CLASSES = 3 }; // up to 30 degrees; steeper ground is rough by itself

static void count_cell(const tal_change *change, size_t i, elsewhere *e) {
    const double off = (double)change->dz[i] - change->stable_statistics.median;
    const double tail = 2.0 * change->nmad[change->slope_class[i]];
    e->all += 1.0;
    e->beyond += fabsf(change->dz[i]) > change->lod[i];
    e->high += off > tail;
    e->low += off < -tail;
}

static tal_status count_elsewhere(const tal_comparison *v, elsewhere *e, tal_error *err) {
    const tal_grid *grid = &v->grid;
    const size_t cells = tal_grid_cell_count(grid);
    uint8_t *near;
    *e = (elsewhere){0};
    TAL_CREATE(near, cells, "change elsewhere", err);
    for (size_t i = 0; i < cells; i++) {
        near[i] = v->change.source[i] != 0 || v->change.deposit[i] != 0;
    }
    const tal_status status = tal_mask_grow(near, grid->columns, grid->rows, 4, err);
    for (size_t i = 0; i < cells && status == TAL_OK; i++) {
        if (near[i] == 0 && !isnan(v->change.dz[i])) {
            count_cell(&v->change, i, e);
        }
    }
    tal_memory_destroy(near);
    return status;
}

// The registration term holds what the scatter of points does not explain.
static void find_spread(const tal_change *change, elsewhere *e) {
    double cells = 0.0;
    for (int k = 0; k < GENTLE_CLASSES; k++) {
        const double own = (double)change->stable_cells[k];
        e->spread += own * change->nmad[k];
        e->noise += own * sqrt(fmax(0.0, change->nmad[k] * change->nmad[k] -
                                             change->registration[k] * change->registration[k]));
        cells += own;
    }
    e->spread /= fmax(cells, 1.0);
    e->noise /= fmax(cells, 1.0);
}

static const char *cause_of(const elsewhere *e) {
    return e->high > 1.5 * e->low ? "Most of it rose: plants or snow in the later survey that were "
                                    "not filtered out (ground =), or a tilt"
           : e->low > 1.5 * e->high
               ? "Most of it sank: plants or snow in the earlier survey that were not filtered out "
                 "(ground =), or a tilt"
               : "As much rose as sank: plants, strips that do not fit, noise, "
                 "moving ground";
}

// Rasters do not tell how their points scatter, but noise differs from cell to cell.
static tal_status check_swathes(tal_case *site, const tal_comparison *v, const elsewhere *e,
                                tal_error *err) {
    const tal_grid *grid = &v->grid;
    double coarsest = grid->cell, *step;
    size_t count = 0;
    const tal_survey_reader *surveys[2] = {&site->before.survey, &site->after.survey};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < surveys[k]->file_count; i++) {
            coarsest = fmax(coarsest, surveys[k]->file[i].raster_cell_m);
        }
    }
    const size_t lag =
        (size_t)ceil(coarsest / grid->cell - 1e-9); // nearer cells share their errors
    TAL_CREATE(step, tal_grid_cell_count(grid), "neighbouring cells", err);
    for (size_t row = 0; row < (size_t)grid->rows; row++) {
        for (size_t column = 0; column + lag < (size_t)grid->columns; column++) {
            const size_t i = row * (size_t)grid->columns + column;
            if (v->change.stable[i] != 0 && v->change.stable[i + lag] != 0 &&
                v->change.slope_class[i] < GENTLE_CLASSES) {
                step[count++] =
                    ((double)v->change.dz[i + lag] - (double)v->change.dz[i]) / sqrt(2.0);
            }
        }
    }
    const double noise = tal_statistics_find(step, count).nmad;
    tal_memory_destroy(step);
    if (count > 0 && e->spread > 3.0 * noise) {
        tal_findings_add(&site->findings, "elsewhere", TAL_WARN, "ingest.stable",
                         "gentle ground that should be stable differs by %.2f m, but neighbouring "
                         "cells by %.2f m only: the difference comes in waves or swathes. Strips "
                         "that do not fit, bent pictures, snow or moving ground",
                         e->spread, noise);
    }
    return TAL_OK;
}

static tal_status check_elsewhere(tal_case *site, const tal_comparison *v, tal_error *err) {
    elsewhere e;
    if (tal_findings_have(&site->findings, "elsewhere")) {
        return TAL_OK; // hardly anything is stable: there is no ground to judge by
    }
    TAL_TRY(count_elsewhere(v, &e, err));
    find_spread(&v->change, &e);
    if (e.beyond > beyond_share_max * e.all) {
        tal_findings_add(&site->findings, "elsewhere", TAL_WARN, "ingest.ground",
                         "%.0f %% of the ground outside source and deposit changed by more than "
                         "its level of detection, where chance alone would give 5 %%. %s",
                         100.0 * e.beyond / e.all, cause_of(&e));
    } else if (site->before.survey.has_clouds && site->after.survey.has_clouds &&
               e.spread > spread_max_m && e.spread > 2.0 * e.noise) {
        tal_findings_add(&site->findings, "elsewhere", TAL_WARN, "ingest.ground",
                         "gentle ground that should be stable differs by %.2f m, where the scatter "
                         "of the points explains %.2f m. %s",
                         e.spread, e.noise, cause_of(&e));
    } else if (e.spread > spread_max_m && !tal_findings_have(&site->findings, "dome") &&
               !tal_findings_have(&site->findings, "tilt")) {
        TAL_TRY(check_swathes(site, v, &e, err));
    }
    return TAL_OK;
}

// ---- Change that no rockfall makes -------------------------------------------------------------

static const double even_share_max = 0.25; // of the height: 0.5 to 1 in scars and deposits
static const double even_area_min = 0.05;  // of the study
static const double thin_max = 2.0;        // levels of detection

// Heights of change in a mask.
static size_t heights_in(const tal_comparison *v, const uint8_t *mask, const float *value,
                         double *heights) {
    size_t count = 0;
    for (size_t i = 0; i < tal_grid_cell_count(&v->grid); i++) {
        if (mask[i] != 0 && isfinite(value[i])) {
            heights[count++] = fabs((double)value[i]);
        }
    }
    return count;
}

// A strip or a tile that lies too high changes by the same height all over.
static tal_status check_form(tal_case *site, const tal_comparison *v, const uint8_t *mask,
                             const char *what, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&v->grid);
    char height[TAL_NUMBER_SIZE], limit[TAL_NUMBER_SIZE];
    double *heights;
    TAL_CREATE(heights, cells, "heights of change", err);
    size_t count = heights_in(v, mask, v->change.lod, heights);
    const double lod = tal_median(heights, count);
    count = heights_in(v, mask, v->change.dz, heights);
    const tal_statistics s = tal_statistics_find(heights, count);
    tal_memory_destroy(heights);
    (void)tal_number_format_digits(height, s.median, 2);
    (void)tal_number_format_digits(limit, lod, 2);
    if ((double)count > even_area_min * (double)cells && s.nmad < even_share_max * s.median) {
        tal_findings_add(&site->findings, "even", TAL_WARN, "ingest.stable",
                         "the %s changed by %s m nearly all over: no rockfall does that. A strip "
                         "or a tile of one survey that lies too high or too low, snow, or a shift? "
                         "Draw the stable terrain, and the %s yourself",
                         what, height, what);
    } else if (s.median < thin_max * lod) {
        tal_findings_add(&site->findings, "thin", TAL_WARN, "ingest.cell_m",
                         "half of the %s is thinner than %s m, where change below %s m is not "
                         "seen: its rim is lost or guessed, and its volume is known less well than "
                         "its interval says",
                         what, height, limit);
    }
    return TAL_OK;
}

// Single cells far above or below all that surrounds them.
static void check_spikes(tal_case *site, const tal_comparison *v) {
    const tal_grid *grid = &v->grid;
    const size_t columns = (size_t)grid->columns;
    const float *dz = v->change.dz;
    double spikes = 0.0, all = 0.0, highest = 0.0;
    for (size_t row = 1; row + 1 < (size_t)grid->rows; row++) {
        for (size_t i = row * columns + 1; i + 1 < (row + 1) * columns; i++) {
            const float around = fmaxf(fmaxf(fabsf(dz[i - 1]), fabsf(dz[i + 1])),
                                       fmaxf(fabsf(dz[i - columns]), fabsf(dz[i + columns])));
            const float own = fabsf(dz[i]);
            const bool is_spike = own > 10.0F * v->change.lod[i] && own > 3.0F * around;
            all += isnan(dz[i]) ? 0.0 : 1.0;
            spikes += is_spike;
            highest = is_spike ? fmax(highest, (double)own) : highest;
        }
    }
    if (spikes > spike_share_max * all) {
        char number[TAL_NUMBER_SIZE];
        tal_findings_add(&site->findings, "spikes", TAL_WARN, "site.after",
                         "%.0f single cells stand up to %s m out of their surroundings: birds, "
                         "wires, points that were not filtered. Those in source and deposit count "
                         "in the volumes",
                         spikes, tal_number_format_digits(number, highest, 2));
    }
}

// ---- Noise -------------------------------------------------------------------------------------

// Noise is everywhere; what is rough besides, cliff tops among level ground for one, adds to it.
static double noise_of(const tal_dem *dem) {
    double least = NAN;
    for (int k = 0; k < GENTLE_CLASSES; k++) {
        least = fmin(least, dem->pooled[k]);
    }
    return least;
}

static void check_noise(tal_case *site, const tal_comparison *v) {
    const double before = noise_of(&v->before), after = noise_of(&v->after);
    const double larger = fmax(before, after), smaller = fmin(before, after);
    if (!(larger > 2.5 * smaller && larger > 0.3)) { // also false of NaN, of rasters
        return;
    }
    tal_findings_add(
        &site->findings, "noise", TAL_WARN, after > before ? "site.after" : "site.before",
        "the points of the survey from %s the event scatter by %.2f m about the ground, those "
        "of the other by %.2f m: noise, plants that were not filtered out, or strips "
        "that do not fit. Change below %.1f m is not seen",
        after > before ? "after" : "before", larger, smaller, 2.0 * larger);
}

// ---- Balance -----------------------------------------------------------------------------------

static void check_balance(tal_case *site, const tal_volume_estimate *source,
                          const tal_volume_estimate *deposit) {
    if (source->area_m2 <= 0.0 || deposit->area_m2 <= 0.0) {
        return;
    }
    const double ratio = deposit->volume_m3 / source->volume_m3;
    char number[TAL_NUMBER_SIZE];
    if (deposit->high_m3 < bulking_low * source->low_m3) {
        tal_findings_add(&site->findings, "balance", TAL_WARN, "ingest.deposit",
                         "the deposit has only %s times the volume of the source, where fallen "
                         "rock takes up 1.2 to 1.5 times as much: some of it lies outside the "
                         "surveys, was carried away, or was dropped (see dropped in ingest.json)",
                         tal_number_format_digits(number, ratio, 2));
    } else if (deposit->low_m3 > bulking_high * source->high_m3) {
        tal_findings_add(&site->findings, "balance", TAL_WARN, "ingest.source",
                         "the deposit has %s times the volume of the source, where fallen rock "
                         "takes up 1.2 to 1.5 times as much: part of the source was not seen, or "
                         "not all that rose belongs to this event (plants, snow, another fall). "
                         "Draw the outlines of both (source =, deposit =)",
                         tal_number_format_digits(number, ratio, 2));
    }
}

static void check_unseen(tal_case *site, const tal_volume_estimate *source) {
    const double unseen = source->filled_m2 + source->gap_m2;
    if (source->area_m2 > 0.0 && unseen > unseen_share_max * source->area_m2) {
        tal_findings_add(&site->findings, "hidden", TAL_WARN, "site.before",
                         "%.0f m2 in and around the source of %.0f m2 have no ground in one of the "
                         "surveys; the volume there is a guess",
                         unseen, source->area_m2);
    }
}

// ---- The edge of the data ----------------------------------------------------------------------

static bool is_edge(const tal_comparison *v, int32_t column, int32_t row) {
    const tal_grid *grid = &v->grid;
    return column == 0 || row == 0 || column == grid->columns - 1 || row == grid->rows - 1;
}

// Share of an outline's rim that lies on the edge of the grid, where it still holds plain change.
static double share_at_edge(const tal_comparison *v, const uint8_t *mask) {
    const tal_grid *grid = &v->grid;
    double rim = 0.0, edge = 0.0;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            const bool at_edge = is_edge(v, column, row);
            if (mask[i] == 0) {
                continue;
            }
            rim += at_edge || mask[i - 1] == 0 || mask[i + 1] == 0 ||
                   mask[i - (size_t)grid->columns] == 0 || mask[i + (size_t)grid->columns] == 0;
            edge += at_edge && fabsf(v->change.dz[i]) > 2.0F * v->change.lod[i];
        }
    }
    return rim > 0.0 ? edge / rim : 0.0;
}

static void check_edge(tal_case *site, const tal_comparison *v, const uint8_t *mask,
                       const char *what) {
    const double share = share_at_edge(v, mask);
    if (share > rim_share_max) {
        tal_findings_add(&site->findings, "edge", TAL_WARN, "site.area",
                         "the %s extends beyond the surveys: %.0f %% of its rim lies on the edge "
                         "of what both cover. Its volume is a lower bound",
                         what, 100.0 * share);
    }
}

// ---- Nothing found -----------------------------------------------------------------------------

static void tell_only_gain(tal_case *site, const tal_volume_estimate *deposit) {
    char volume[TAL_NUMBER_SIZE];
    tal_findings_add(&site->findings, "order", TAL_WARN, "site.before",
                     "%s m3 were gained and nothing was lost: are before and after exchanged?",
                     tal_number_format(volume, deposit->volume_m3));
}

static void tell_nothing(tal_case *site, const tal_comparison *v, double sign) {
    const bool is_source = sign < 0.0;
    const char *what = is_source ? "source" : "deposit", *kind = is_source ? "loss" : "gain";
    const tal_patch *patch = tal_patches_largest(&v->change.dropped, sign);
    char key[64], number[TAL_NUMBER_SIZE];
    snprintf(key, sizeof key, "ingest.%s_area_min_m2", what);
    if (patch == NULL) {
        tal_findings_add(
            &site->findings, "nothing", TAL_WARN, key,
            "no %s was found: nowhere is there %s beyond the level of detection "
            "(stable terrain scatters by %s m)%s",
            what, kind, tal_number_format_digits(number, v->change.stable_statistics.nmad, 2),
            is_source ? ". If nothing fell between the surveys, that is the answer" : "");
        return;
    }
    const tal_origin *o = &site->study.origin;
    tal_findings_add(&site->findings, "nothing", TAL_WARN, key,
                     "no %s was found. The largest patch of %s that was dropped has %.0f m2 and "
                     "%s m3, at east %.0f, north %.0f; %s",
                     what, kind, patch->area_m2, tal_number_format(number, patch->volume_m3),
                     patch->x + (double)o->east, patch->y + (double)o->north,
                     patch->reason == TAL_DROPPED_SMALL
                         ? "a smaller minimum area would keep it"
                         : "most of it is below the level of detection; draw it to keep it");
}

tal_status tal_check_outcome(tal_case *site, const tal_comparison *v,
                             const tal_volume_estimate *source, const tal_volume_estimate *deposit,
                             tal_error *err) {
    if (source->area_m2 <= 0.0) {
        tell_nothing(site, v, -1.0);
        if (deposit->area_m2 > 0.0) {
            tell_only_gain(site, deposit);
        }
    }
    if (deposit->area_m2 <= 0.0) {
        tell_nothing(site, v, 1.0);
    }
    check_same(site, v);
    TAL_TRY(check_order(site, v, err));
    TAL_TRY(check_elsewhere(site, v, err));
    if (source->area_m2 > 0.0) {
        TAL_TRY(check_form(site, v, v->change.source, "source", err));
    }
    if (deposit->area_m2 > 0.0) {
        TAL_TRY(check_form(site, v, v->change.deposit, "deposit", err));
    }
    check_spikes(site, v);
    check_noise(site, v);
    check_balance(site, source, deposit);
    check_unseen(site, source);
    check_edge(site, v, v->change.source, "source");
    check_edge(site, v, v->change.deposit, "deposit");
    return TAL_OK;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The rasters inside the report.
#include "postproc/report/report_fields.h"

#include "core/app/html.h"
#include "core/base/memory.h"
#include "core/base/quantile.h"
#include "postproc/report/report_map.h"

#include <math.h>
#include <string.h>

// 160,000 cells of a height take 0.4 MB in the page; most other layers cover a part of them.
enum { FIELD_CELLS_MAX = 160000, NO_DATA = 65535 };

typedef struct {
    const char *key, *title, *unit;
    const char *ramp; // NULL: a surface, drawn by sections only
    const tal_raster *raster;
    bool is_from_zero; // cells of zero are empty
    double from, to;   // ends of the colours; equal: taken from the values
} layer;

enum { LAYERS_MAX = 32 };

static int list_layers(const tal_back_analysis *a, const tal_raster *change, double change_scale,
                       layer list[LAYERS_MAX]) {
    const tal_surveyed *s = &a->survey;
    const tal_ensemble *e = &a->ensemble;
    const double thick = tal_report_thickness_scale(a);
    // A layer of the map is a row here.
    const layer all[] = {
        {"bed", "Ground", "m", NULL, &s->bed, false, 0, 0},
        {"before", "Before", "m", NULL, &s->before, false, 0, 0},
        {"after", "After", "m", NULL, &s->after, false, 0, 0},
        {"surface", "Simulated surface", "m", NULL, &a->deposit.surface, false, 0, 0},
        {"thickness", "Simulated thickness", "m", "warm", &a->deposit.thickness, true, 0, thick},
        {"deposit", "Surveyed thickness", "m", "warm", &s->deposit, true, 0, thick},
        {"change", "Surveyed change", "m", "change", change, true, -change_scale, change_scale},
        {"reach", "Reach: share of runs", "", "even", &a->reach, true, 0, 1},
        {"passages", "Blocks that passed", "", "even", &a->passage.count, true, 0, 0},
        {"velocity_max", "Greatest speed", "m/s", "even", &a->passage.velocity, true, 0, 0},
        {"energy_max", "Greatest energy of a block", "kJ", "even", &a->passage.energy, true, 0, 0},
        {"jump_height", "Greatest jump", "m", "even", &a->passage.jump, true, 0, 0},
        {"arrival", "Arrival", "s", "late", &a->passage.arrival, false, 0, 0},
        {"thickness_p50", "Thickness, median of runs", "m", "warm", &e->thickness_median, true, 0,
         thick},
        {"thickness_p95", "Thickness, 95 % of runs", "m", "warm", &e->thickness_high, true, 0,
         thick},
        {"velocity_max_p95", "Speed, 95 % of runs", "m/s", "even", &e->velocity_high, true, 0, 0},
        {"energy_max_p95", "Energy, 95 % of runs", "kJ", "even", &e->energy_high, true, 0, 0},
        {"jump_height_p95", "Jump, 95 % of runs", "m", "even", &e->jump_high, true, 0, 0}};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bool is_survey = strcmp(all[i].key, "before") == 0 ||
                               strcmp(all[i].key, "after") == 0 ||
                               strcmp(all[i].key, "change") == 0;
        const bool is_left_out = (is_survey && s->epochs != 2) ||
                                 (strcmp(all[i].key, "deposit") == 0 && !a->has_survey_deposit) ||
                                 (strcmp(all[i].key, "reach") == 0 && a->run_count < 2);
        if (all[i].raster->value != NULL && !is_left_out) {
            list[count++] = all[i];
        }
    }
    return count;
}

static bool exceeds_lod(const tal_surveyed *survey, int32_t column, int32_t row) {
    if (column < 0 || row < 0 || column >= survey->grid.columns || row >= survey->grid.rows) {
        return false;
    }
    const size_t cell = (size_t)row * (size_t)survey->grid.columns + (size_t)column;
    return fabsf(survey->dz.value[cell]) > survey->lod.value[cell];
}

// One stable cell in forty exceeds its level of detection by chance. A change of the ground has
// neighbours: without three of eight a cell is not painted.
static tal_status find_change(tal_raster *change, const tal_surveyed *survey, tal_error *err) {
    TAL_TRY(tal_raster_create(change, &survey->grid, err));
    for (int32_t row = 0; row < survey->grid.rows && survey->epochs == 2; row++) {
        for (int32_t column = 0; column < survey->grid.columns; column++) {
            int beside = exceeds_lod(survey, column, row) ? -1 : -9;
            for (int k = 0; k < 9; k++) {
                beside += exceeds_lod(survey, column + k % 3 - 1, row + k / 3 - 1) ? 1 : 0;
            }
            const size_t cell = (size_t)row * (size_t)survey->grid.columns + (size_t)column;
            change->value[cell] = beside >= 3 ? survey->dz.value[cell] : NAN;
        }
    }
    return TAL_OK;
}

// Largest |change| that the colours must show: the 98th percentile, so that one spike does not pale
// the rest.
static tal_status find_change_scale(const tal_raster *change, double *scale, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&change->grid);
    double *values;
    size_t count = 0;
    TAL_CREATE(values, cells, "the scale of the change", err);
    for (size_t i = 0; i < cells; i++) {
        if (isfinite(change->value[i])) {
            values[count++] = fabs((double)change->value[i]);
        }
    }
    const double most = count > 0 ? tal_quantile(values, count, 0.98) : 0.0;
    *scale = tal_report_round_up(most);
    tal_memory_destroy(values);
    return TAL_OK;
}

static double kept_value(const layer *l, int64_t cell) {
    const double value = (double)l->raster->value[cell];
    return l->is_from_zero && value == 0.0 ? NAN : value;
}

typedef struct {
    int32_t columns, rows, stride;
} thinned;

static int64_t thinned_cell(const thinned *t, const tal_grid *grid, int32_t column, int32_t row) {
    return (int64_t)row * t->stride * grid->columns + (int64_t)column * t->stride;
}

static void find_range(const layer *l, const tal_grid *grid, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t i = 0; i < (int64_t)tal_grid_cell_count(grid); i++) {
        const double value = kept_value(l, i);
        if (isfinite(value)) {
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    }
    if (!(*low <= *high)) {
        *low = *high = 0.0;
    }
}

static size_t pack(const layer *l, const tal_grid *grid, const thinned *t, double low, double step,
                   uint16_t *word) {
    size_t count = 0;
    uint16_t run = 0;
    for (int32_t row = 0; row < t->rows; row++) {
        for (int32_t column = 0; column < t->columns; column++) {
            const double value = kept_value(l, thinned_cell(t, grid, column, row));
            if (!isfinite(value)) {
                if (run == 0 || run == UINT16_MAX) {
                    word[count++] = NO_DATA;
                    word[count++] = run = 0;
                }
                word[count - 1] = ++run;
            } else {
                run = 0;
                word[count++] = (uint16_t)fmin(round((value - low) / step), NO_DATA - 1);
            }
        }
    }
    return count;
}

static tal_status append_layer(tal_text *text, const layer *l, const tal_grid *grid,
                               const thinned *t, tal_error *err) {
    double low, high;
    uint16_t *word;
    find_range(l, grid, &low, &high);
    const double step = high > low ? (high - low) / (NO_DATA - 1) : 1.0;
    TAL_CREATE(word, 2 * (size_t)t->columns * (size_t)t->rows + 2, "a layer of the report", err);
    const size_t count = pack(l, grid, t, low, step, word);
    tal_text_append(text, "{\"key\":\"%s\",\"title\":\"%s\",\"unit\":\"%s\"", l->key, l->title,
                    l->unit);
    if (l->ramp != NULL) {
        const bool is_given = l->from < l->to;
        tal_text_append(text, ",\"ramp\":\"%s\",\"from\":%.9g,\"to\":%.9g", l->ramp,
                        is_given ? l->from : 0.0, is_given ? l->to : tal_report_round_up(high));
    }
    tal_text_append(text, ",\"low\":%.9g,\"step\":%.9g,\"packed\":\"", low, step);
    tal_html_append_base64(text, word, count * sizeof *word);
    tal_text_append(text, "\"}");
    tal_memory_destroy(word);
    return TAL_OK;
}

tal_status tal_report_fields_append(tal_text *text, const tal_back_analysis *a, tal_error *err) {
    const tal_grid *grid = &a->survey.grid;
    thinned t = {.stride = 1};
    do {
        t.columns = (grid->columns + t.stride - 1) / t.stride;
        t.rows = (grid->rows + t.stride - 1) / t.stride;
    } while ((int64_t)t.columns * t.rows > FIELD_CELLS_MAX && ++t.stride > 0);
    layer list[LAYERS_MAX];
    tal_raster change;
    double change_scale = 1.0;
    TAL_TRY(find_change(&change, &a->survey, err));
    tal_status status = find_change_scale(&change, &change_scale, err);
    const int count = status == TAL_OK ? list_layers(a, &change, change_scale, list) : 0;
    // A cell of the page has the value at its centre: that of the cell of the grid that is there.
    const double shift = 0.5 * (double)(t.stride - 1) * grid->cell;
    tal_text_append(text,
                    "{\"columns\":%d,\"rows\":%d,\"cell\":%.9g,\"west\":%.9g,\"north\":%.9g,"
                    "\"east0\":%.9g,\"north0\":%.9g,\"layers\":[\n",
                    (int)t.columns, (int)t.rows, grid->cell * t.stride, grid->west - shift,
                    grid->north + shift, (double)a->survey.origin.east,
                    (double)a->survey.origin.north);
    for (int i = 0; i < count && status == TAL_OK; i++) {
        tal_text_append(text, i > 0 ? ",\n" : "");
        status = append_layer(text, &list[i], grid, &t, err);
    }
    tal_text_append(text, "]}\n");
    tal_raster_destroy(&change);
    return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of source and deposit, and the bed.
#include "ingest/compare/layers.h"

#include "core/base/memory.h"
#include "ingest/compare/cliff.h"

#include <math.h>

tal_status tal_layers_create(tal_layers *l, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    tal_status status = TAL_OK;
    *l = (tal_layers){0};
    TAL_CREATE_OR_DONE(l->bed, cells, "the bed", err);
    TAL_CREATE_OR_DONE(l->source, cells, "the source", err);
    TAL_CREATE_OR_DONE(l->deposit, cells, "the deposit", err);
    TAL_CREATE_OR_DONE(l->source_mask, cells, "the source", err);
    TAL_CREATE_OR_DONE(l->deposit_mask, cells, "the deposit", err);
done:
    if (status != TAL_OK) {
        tal_layers_destroy(l);
    }
    return status;
}

void tal_layers_destroy(tal_layers *l) {
    tal_memory_destroy(l->bed);
    tal_memory_destroy(l->source);
    tal_memory_destroy(l->deposit);
    tal_memory_destroy(l->source_mask);
    tal_memory_destroy(l->deposit_mask);
    *l = (tal_layers){0};
}

// Columns through slanting edges lose some of the volume; what follows ingest must find all of it.
static void fit_to_volume(float *thickness, const tal_grid *grid, double volume_m3) {
    const size_t cells = tal_grid_cell_count(grid);
    double sum = 0.0;
    for (size_t i = 0; i < cells; i++) {
        sum += (double)thickness[i];
    }
    const double scale = sum > 0.0 ? volume_m3 / (sum * grid->cell * grid->cell) : 1.0;
    for (size_t i = 0; i < cells; i++) {
        thickness[i] = (float)(scale * (double)thickness[i]);
    }
}

// Thickness inside the outlines: along the vertical, or as columns of what the cliff frame found.
static void fill_body(float *thickness, uint8_t *mask, const tal_comparison *v,
                      const tal_comparison *cliff, bool is_source) {
    const size_t cells = tal_grid_cell_count(&v->grid);
    const double sign = is_source ? -1.0 : 1.0;
    if (cliff != NULL) {
        tal_cliff_columns(cliff, is_source ? cliff->change.source : cliff->change.deposit, sign,
                          &v->grid, thickness);
        fit_to_volume(thickness, &v->grid,
                      is_source ? cliff->source.volume_m3 : cliff->deposit.volume_m3);
        for (size_t i = 0; i < cells; i++) {
            mask[i] = thickness[i] > 0.0F;
        }
        return;
    }
    const uint8_t *outline = is_source ? v->change.source : v->change.deposit;
    for (size_t i = 0; i < cells; i++) {
        mask[i] = outline[i];
        thickness[i] = outline[i] != 0 ? fmaxf((float)sign * v->change.dz[i], 0.0F) : 0.0F;
    }
}

static void fill_thickness(tal_layers *l, const tal_comparison *v, const tal_comparison *cliff,
                           bool deposit_on_cliff) {
    const size_t cells = tal_grid_cell_count(&v->grid);
    fill_body(l->source, l->source_mask, v, cliff, true);
    fill_body(l->deposit, l->deposit_mask, v, deposit_on_cliff ? cliff : NULL, false);
    for (size_t i = 0; i < cells; i++) {
        if (isnan(v->change.dz[i]) && !(l->source[i] > 0.0F || l->deposit[i] > 0.0F)) {
            l->source[i] = l->deposit[i] = NAN;
        }
    }
}

// The lower ground where it changed, the earlier one elsewhere: before - bed is the source.
static void fill_bed(tal_layers *l, const tal_comparison *v, bool columns, int bed_choice) {
    const size_t cells = tal_grid_cell_count(&v->grid);
    for (size_t i = 0; i < cells; i++) {
        const float before = v->before.z[i], after = v->after.z[i];
        const bool changed = l->source_mask[i] != 0 || l->deposit_mask[i] != 0;
        if (isnan(before) || isnan(after)) {
            l->bed[i] = isnan(before) ? after : before;
        } else if (bed_choice == TAL_BED_AFTER) {
            l->bed[i] = after;
        } else if (columns) {
            l->bed[i] = before - l->source[i];
        } else {
            l->bed[i] = changed ? fminf(before, after) : before;
        }
    }
}

void tal_layers_fill(tal_layers *l, const tal_comparison *vertical, const tal_comparison *cliff,
                     bool deposit_on_cliff, int bed_choice) {
    TAL_ASSERT(cliff != NULL || !deposit_on_cliff);
    fill_thickness(l, vertical, cliff, deposit_on_cliff);
    fill_bed(l, vertical, cliff != NULL, bed_choice);
}

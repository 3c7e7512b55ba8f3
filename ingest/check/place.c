// SPDX-License-Identifier: GPL-3.0-or-later
// Two valleys may have the same slopes; their ribs and gullies lie elsewhere.
#include "ingest/check/place.h"

#include "core/app/number.h"
#include "core/base/memory.h"
#include "ingest/compare/statistics.h"

#include <math.h>

static const double place_share_max = 0.1; // of the relief; 0.01 to 0.03 in surveys of one place
// What is left of ribs and gullies in the difference of two places is 1.4 times what one of them has.
static const double shape_share_max = 0.7;

enum { WIDE_CELLS = 40, LAG = 2, WIDE_MIN = 30 };

// Means of stable terrain over large cells.
typedef struct {
    int32_t columns, rows, step;
    double *before, *change; // NaN where a quarter of the cell is not stable
    double *work;
} wide;

static void take_mean(wide *w, const tal_comparison *a, int32_t column, int32_t row) {
    const tal_grid *grid = &a->grid;
    double before = 0.0, change = 0.0;
    int count = 0;
    for (int32_t r = row * w->step; r < (row + 1) * w->step && r < grid->rows; r++) {
        for (int32_t c = column * w->step; c < (column + 1) * w->step && c < grid->columns; c++) {
            const size_t i = (size_t)r * (size_t)grid->columns + (size_t)c;
            if (a->change.stable[i] != 0 && !isnan(a->change.dz[i])) {
                before += (double)a->before.z[i];
                change += (double)a->change.dz[i];
                count++;
            }
        }
    }
    const size_t at = (size_t)row * (size_t)w->columns + (size_t)column;
    const bool is_known = 4 * count >= w->step * w->step;
    w->before[at] = is_known ? before / count : NAN;
    w->change[at] = is_known ? change / count : NAN;
}

static tal_status create_wide(wide *w, const tal_comparison *a, tal_error *err) {
    const int32_t longer = a->grid.columns > a->grid.rows ? a->grid.columns : a->grid.rows;
    w->step = (longer + WIDE_CELLS - 1) / WIDE_CELLS;
    w->columns = (a->grid.columns + w->step - 1) / w->step;
    w->rows = (a->grid.rows + w->step - 1) / w->step;
    const size_t cells = (size_t)w->columns * (size_t)w->rows;
    TAL_CREATE(w->before, cells, "large cells", err);
    TAL_CREATE(w->change, cells, "large cells", err);
    TAL_CREATE(w->work, cells, "large cells", err);
    for (int32_t row = 0; row < w->rows; row++) {
        for (int32_t column = 0; column < w->columns; column++) {
            take_mean(w, a, column, row);
        }
    }
    return TAL_OK;
}

// Spread of what stands out of its surroundings: planes have none. NaN where too little is known.
static double shape_of(const wide *w, const double *value) {
    size_t count = 0;
    for (int32_t row = LAG; row < w->rows - LAG; row++) {
        for (int32_t column = LAG; column < w->columns - LAG; column++) {
            const size_t i = (size_t)row * (size_t)w->columns + (size_t)column;
            const size_t down = LAG * (size_t)w->columns;
            const double out = value[i] - 0.25 * (value[i - LAG] + value[i + LAG] +
                                                  value[i - down] + value[i + down]);
            if (!isnan(out)) {
                w->work[count++] = out;
            }
        }
    }
    return count >= WIDE_MIN ? tal_statistics_find(w->work, count).nmad : NAN;
}

static double relief_of(const wide *w) {
    size_t count = 0;
    for (size_t i = 0; i < (size_t)w->columns * (size_t)w->rows; i++) {
        if (!isnan(w->before[i])) {
            w->work[count++] = w->before[i];
        }
    }
    return tal_statistics_find(w->work, count).nmad;
}

static void judge(tal_case *site, const wide *w, const tal_comparison *a) {
    const double left = a->registration.at_last.nmad, relief = relief_of(w);
    const double shape = shape_of(w, w->before), shape_left = shape_of(w, w->change);
    const bool by_relief = left > a->grid.cell && left > place_share_max * relief;
    const bool by_shape = shape_left > 0.5 * a->grid.cell && shape_left > shape_share_max * shape;
    char off[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    if (!by_relief && !by_shape) {
        return;
    }
    tal_findings_add(&site->findings, "place",
                     site->settings->ingest.accept_shift ? TAL_WARN : TAL_REFUSE, "site.after",
                     "the surveys do not show the same place: fitted as well as they can be, half "
                     "of the ground that should be stable still differs by more than %s m, and its "
                     "%s %s m. Is the right file named?",
                     tal_number_format(off, 0.6745 * left),
                     by_relief ? "relief is" : "ribs and gullies stand out by",
                     tal_number_format(high, 0.6745 * (by_relief ? relief : shape)));
}

tal_status tal_check_place(tal_case *site, const tal_comparison *a, tal_error *err) {
    wide w = {0};
    const tal_status status = create_wide(&w, a, err);
    if (status == TAL_OK) {
        judge(site, &w, a);
    }
    tal_memory_destroy(w.before);
    tal_memory_destroy(w.change);
    tal_memory_destroy(w.work);
    return status;
}

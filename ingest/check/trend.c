// SPDX-License-Identifier: GPL-3.0-or-later
// Least squares of eight forms on the stable terrain, three times, without what is far off.
#include "ingest/check/trend.h"

#include "core/base/memory.h"

#include <math.h>

enum { FORMS = 8, PASSES = 3, CELLS_MIN = 200 };
enum { LEVEL, TILT_X, TILT_Y, DOME, EAST, NORTH, STRETCH, TURN };

static const double slope_max = 1.2; // steeper ground tells of its own roughness

typedef struct {
    double normal[FORMS][FORMS], right[FORMS];
} equations;

// The forms at a cell; false where it does not count.
static bool forms_at(const tal_comparison *a, size_t cell, double reach, double form[FORMS]) {
    const tal_grid *grid = &a->grid;
    const int32_t column = (int32_t)(cell % (size_t)grid->columns);
    const int32_t row = (int32_t)(cell / (size_t)grid->columns);
    double slope_x, slope_y;
    if (a->change.stable[cell] == 0 || isnan(a->change.dz[cell]) ||
        !tal_dem_slope(&a->before, column, row, &slope_x, &slope_y) ||
        hypot(slope_x, slope_y) > slope_max) {
        return false;
    }
    const double u = (column + 0.5 - 0.5 * grid->columns) * grid->cell / reach;
    const double v = (0.5 * grid->rows - row - 0.5) * grid->cell / reach;
    form[LEVEL] = 1.0;
    form[TILT_X] = u;
    form[TILT_Y] = v;
    form[DOME] = u * u + v * v;
    form[EAST] = -slope_x;
    form[NORTH] = -slope_y;
    form[STRETCH] = -slope_x * u - slope_y * v;
    form[TURN] = slope_x * v - slope_y * u;
    return true;
}

static void add_cell(equations *e, const double form[FORMS], double dz) {
    for (int a = 0; a < FORMS; a++) {
        for (int b = 0; b < FORMS; b++) {
            e->normal[a][b] += form[a] * form[b];
        }
        e->right[a] += form[a] * dz;
    }
}

// Elimination without pivots: the matrix is positive definite. On an even plane a turn looks like a tilt;
// a trace of stiffness on what moves the map lets the heights have it.
static void solve(equations *e, double solution[FORMS]) {
    for (int a = EAST; a < FORMS; a++) {
        e->normal[a][a] += 1e-4 * e->normal[LEVEL][LEVEL];
    }
    for (int a = 0; a < FORMS; a++) {
        for (int b = a + 1; b < FORMS; b++) {
            const double factor = e->normal[b][a] / e->normal[a][a];
            for (int c = a; c < FORMS; c++) {
                e->normal[b][c] -= factor * e->normal[a][c];
            }
            e->right[b] -= factor * e->right[a];
        }
    }
    for (int a = FORMS - 1; a >= 0; a--) {
        double sum = e->right[a];
        for (int b = a + 1; b < FORMS; b++) {
            sum -= e->normal[a][b] * solution[b];
        }
        solution[a] = sum / e->normal[a][a];
    }
}

static double left_of(const double form[FORMS], const double solution[FORMS], double dz) {
    for (int a = 0; a < FORMS; a++) {
        dz -= form[a] * solution[a];
    }
    return dz;
}

// What is left by a solution; returns its robust spread.
static double find_left(const tal_comparison *a, double reach, const double solution[FORMS],
                        double *left, size_t *count) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    double form[FORMS];
    *count = 0;
    for (size_t i = 0; i < cells; i++) {
        if (forms_at(a, i, reach, form)) {
            left[(*count)++] = left_of(form, solution, (double)a->change.dz[i]);
        }
    }
    return tal_statistics_find(left, *count).nmad;
}

tal_status tal_trend_find(const tal_comparison *a, tal_trend *trend, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&a->grid);
    const double reach = 0.5 * a->grid.cell * hypot(a->grid.columns, a->grid.rows);
    double *left, solution[FORMS] = {0}, form[FORMS];
    size_t count;
    *trend = (tal_trend){0};
    TAL_CREATE(left, cells, "a trend", err);
    trend->nmad = find_left(a, reach, solution, left, &count);
    for (int pass = 0; pass < PASSES && count >= CELLS_MIN; pass++) {
        equations e = {0};
        const double most = 3.0 * fmax(trend->nmad, 1e-6);
        for (size_t i = 0; i < cells; i++) {
            if (forms_at(a, i, reach, form) &&
                fabs(left_of(form, solution, (double)a->change.dz[i])) < most) {
                add_cell(&e, form, (double)a->change.dz[i]);
            }
        }
        if (!(e.normal[LEVEL][LEVEL] >= CELLS_MIN)) {
            break;
        }
        solve(&e, solution);
        trend->nmad = find_left(a, reach, solution, left, &count);
    }
    trend->tilt = hypot(solution[TILT_X], solution[TILT_Y]);
    trend->dome = solution[DOME];
    trend->turn = solution[TURN];
    trend->stretch = solution[STRETCH];
    tal_memory_destroy(left);
    return TAL_OK;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Both grounds are looked at in large cells. The later one is undone by each of the usual mistakes;
// the one that makes most of the difference vanish is the reason.
#include "ingest/check/kinship.h"

#include "core/app/number.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "ingest/compare/statistics.h"

#include <math.h>
#include <stdio.h>

enum {
    WIDE_CELLS = 80,
    SHARE_MIN = 4
}; // cells along the longer side; at least a quarter must meet

// A mistake explains a difference where undoing it leaves less than these shares of it and of the
// relief: another place fits better when it is turned, but never well.
static const double explained = 0.4, explained_of_relief = 0.1;
static const double foot_m = 0.3048;

typedef struct {
    int32_t columns, rows;
    double cell, west, north;
    float *before, *after;
    double *work;
    double origin_east, origin_north;
} wide_grids;

// The later ground as it would be without one mistake.
typedef struct {
    double factor;       // of heights
    double angle;        // about the middle, counter-clockwise, radians
    bool axes_exchanged; // in full coordinates
    bool mirrored;       // about the middle, east for west, before it is turned
    double east, north;  // offset
} undone;

// ---- Large cells -------------------------------------------------------------------------------

static float mean_of(const tal_dem *dem, int32_t column, int32_t row, int32_t step) {
    double sum = 0.0;
    int count = 0, all = 0;
    for (int32_t r = row * step; r < (row + 1) * step && r < dem->grid.rows; r++) {
        for (int32_t c = column * step; c < (column + 1) * step && c < dem->grid.columns; c++) {
            const float z = dem->z[(size_t)r * (size_t)dem->grid.columns + (size_t)c];
            all++;
            if (!isnan(z)) {
                sum += (double)z;
                count++;
            }
        }
    }
    return count > 0 && 4 * count >= all ? (float)(sum / count) : NAN;
}

static tal_status create_grids(wide_grids *g, const tal_dem *before, const tal_dem *after,
                               tal_origin origin, tal_error *err) {
    const tal_grid *grid = &before->grid;
    const int32_t longer = grid->columns > grid->rows ? grid->columns : grid->rows;
    const int32_t step = (longer + WIDE_CELLS - 1) / WIDE_CELLS;
    *g = (wide_grids){.columns = (grid->columns + step - 1) / step,
                      .rows = (grid->rows + step - 1) / step,
                      .cell = grid->cell * step,
                      .west = grid->west,
                      .north = grid->north,
                      .origin_east = (double)origin.east,
                      .origin_north = (double)origin.north};
    const size_t cells = (size_t)g->columns * (size_t)g->rows;
    TAL_CREATE(g->before, cells, "large cells", err);
    TAL_CREATE(g->after, cells, "large cells", err);
    TAL_CREATE(g->work, cells, "large cells", err);
    for (int32_t row = 0; row < g->rows; row++) {
        for (int32_t column = 0; column < g->columns; column++) {
            const size_t i = (size_t)row * (size_t)g->columns + (size_t)column;
            g->before[i] = mean_of(before, column, row, step);
            g->after[i] = mean_of(after, column, row, step);
        }
    }
    return TAL_OK;
}

static void destroy_grids(wide_grids *g) {
    tal_memory_destroy(g->before);
    tal_memory_destroy(g->after);
    tal_memory_destroy(g->work);
}

// ---- What is left ------------------------------------------------------------------------------

// The later height where the ground at (x, y) would be found in it.
static double later_height(const wide_grids *g, const undone *u, double x, double y) {
    const double middle_x = g->west + 0.5 * g->columns * g->cell;
    const double middle_y = g->north - 0.5 * g->rows * g->cell;
    if (u->axes_exchanged) {
        const double east = y + g->origin_north, north = x + g->origin_east;
        x = east - g->origin_east;
        y = north - g->origin_north;
    }
    const double c = cos(u->angle), s = sin(u->angle), dy = y - middle_y;
    const double dx = u->mirrored ? middle_x - x : x - middle_x;
    x = middle_x + c * dx - s * dy + u->east;
    y = middle_y + s * dx + c * dy + u->north;
    const double column = floor((x - g->west) / g->cell), row = floor((g->north - y) / g->cell);
    if (!(column >= 0.0 && row >= 0.0 && column < g->columns && row < g->rows)) {
        return NAN;
    }
    return u->factor * (double)g->after[(size_t)row * (size_t)g->columns + (size_t)column];
}

// Robust spread of the difference that is left; NaN where too few cells meet.
static double misfit(const wide_grids *g, const undone *u) {
    size_t count = 0, all = 0;
    for (int32_t row = 0; row < g->rows; row++) {
        for (int32_t column = 0; column < g->columns; column++) {
            const double before =
                (double)g->before[(size_t)row * (size_t)g->columns + (size_t)column];
            const double x = g->west + (column + 0.5) * g->cell;
            const double y = g->north - (row + 0.5) * g->cell;
            const double left = isnan(before) ? NAN : later_height(g, u, x, y) - before;
            all += isnan(before) ? 0 : 1;
            if (!isnan(left)) {
                g->work[count++] = left;
            }
        }
    }
    return count >= 30 && SHARE_MIN * count >= all ? tal_statistics_find(g->work, count).nmad : NAN;
}

static const undone nothing_undone = {.factor = 1.0};

// Spread of the earlier ground itself.
static double relief_of(const wide_grids *g) {
    const size_t cells = (size_t)g->columns * (size_t)g->rows;
    size_t count = 0;
    for (size_t i = 0; i < cells; i++) {
        if (!isnan(g->before[i]) && !isnan(g->after[i])) {
            g->work[count++] = (double)g->before[i];
        }
    }
    return tal_statistics_find(g->work, count).nmad;
}

// ---- No data -----------------------------------------------------------------------------------

enum { SAME_MIN = 10 };

// Many cells with the very same height, farther from all others than these are from each other: a value
// for no data. Lakes and seas have shores.
static void judge_extreme(tal_case *site, const tal_dem *dem, bool is_after, float extreme,
                          double *work) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    size_t count = 0, same = 0;
    for (size_t i = 0; i < cells; i++) {
        if (dem->z[i] == extreme) {
            same++;
        } else if (!isnan(dem->z[i])) {
            work[count++] = (double)dem->z[i];
        }
    }
    if (same < SAME_MIN || count < SAME_MIN) {
        return;
    }
    const double low = tal_select(work, count, count / 20);
    const double high = tal_select(work, count, count - 1 - count / 20);
    const double gap = fmax(low - (double)extreme, (double)extreme - high);
    if (gap > 2.0 * (high - low) && gap > dem->grid.cell) {
        char away[TAL_NUMBER_SIZE];
        tal_findings_add(
            &site->findings, "no_data", TAL_REFUSE, is_after ? "site.after" : "site.before",
            "%zu cells of the survey from %s the event have a height of just %.6g m, %s m from "
            "the ground around them: a value for no data that the file does not "
            "declare (gdal_edit.py -a_nodata VALUE FILE)",
            same, is_after ? "after" : "before",
            (double)extreme + (double)site->study.origin.height, tal_number_format(away, gap));
    }
}

static tal_status check_no_data(tal_case *site, const tal_dem *dem, bool is_after, tal_error *err) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    float least = INFINITY, greatest = -INFINITY;
    double *work;
    TAL_CREATE(work, cells, "heights", err);
    for (size_t i = 0; i < cells; i++) {
        least = fminf(least, dem->z[i]);
        greatest = fmaxf(greatest, dem->z[i]);
    }
    judge_extreme(site, dem, is_after, least, work);
    if (greatest > least) {
        judge_extreme(site, dem, is_after, greatest, work);
    }
    tal_memory_destroy(work);
    return TAL_OK;
}

void tal_check_spikes(tal_case *site, const tal_survey_reader *survey) {
    for (int i = 0; i < survey->file_count; i++) {
        const tal_survey_file *file = &survey->file[i];
        const tal_spikes *s = &file->spikes;
        if (s->count > 0) {
            tal_findings_add(
                &site->findings, "spike", TAL_WARN,
                survey->name[0] == 'b' ? "site.before" : "site.after",
                "%s: %lld single cell%s far from all around: in row %d, column %d (from "
                "0) the height is %.6g, around it %.6g to %.6g. Such a cell gets the mean of those "
                "around it. A flipped bit, a value for no data, a bird? If the file is "
                "damaged, get it again",
                file->path, (long long)s->count, s->count == 1 ? " lies" : "s lie", s->row,
                s->column, (double)s->value, (double)s->low, (double)s->high);
        }
    }
}

// ---- Mistakes ----------------------------------------------------------------------------------

// Heights of one survey times `factor` are those of the other.
static double misfit_times(const wide_grids *g, double factor) {
    const undone u = {.factor = factor};
    return misfit(g, &u);
}

static bool check_feet(tal_case *site, const wide_grids *g, double limit) {
    const double factors[2] = {1.0 / foot_m, foot_m};
    for (int k = 0; k < 2; k++) {
        if (!(misfit_times(g, factors[k]) < limit)) {
            continue;
        }
        const bool later_is_low = k == 0;
        const bool blame_after = site->settings->site.after_unit != TAL_HEIGHT_UNIT_AUTO ||
                                 site->settings->site.before_unit == TAL_HEIGHT_UNIT_AUTO;
        tal_findings_add(&site->findings, "unit", TAL_REFUSE,
                         blame_after ? "site.after_unit" : "site.before_unit",
                         "the relief of the later survey is %.3f times that of the earlier one: "
                         "%s. Set %s_unit = %s",
                         1.0 / factors[k],
                         later_is_low ? "metres are read as feet in the later survey, or feet as "
                                        "metres in the earlier one"
                                      : "feet are read as metres in the later survey, or metres as "
                                        "feet in the earlier one",
                         blame_after ? "after" : "before",
                         later_is_low == blame_after ? "m" : "ft (or us-ft)");
        return true;
    }
    return false;
}

// Units that no setting names, and depths: the file has to be written again.
static bool check_unit(tal_case *site, const wide_grids *g, double limit) {
    static const struct {
        double factor;
        const char *what;
    } known[] = {{10.0, "decimetres"}, {100.0, "centimetres"}, {1000.0, "millimetres"}};
    if (check_feet(site, g, limit)) {
        return true;
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const bool in_after = misfit_times(g, 1.0 / known[k].factor) < limit;
        if (in_after || misfit_times(g, known[k].factor) < limit) {
            tal_findings_add(
                &site->findings, "unit", TAL_REFUSE, in_after ? "site.after" : "site.before",
                "the heights of the survey from %s the event are %s: write it again in "
                "metres",
                in_after ? "after" : "before", known[k].what);
            return true;
        }
    }
    if (misfit_times(g, -1.0) < limit) {
        tal_findings_add(&site->findings, "unit", TAL_REFUSE, "site.after",
                         "one survey has depths where the other has heights: what is high in one "
                         "is low in the other. Write it again with the other sign");
        return true;
    }
    return false;
}

static bool check_axes(tal_case *site, const wide_grids *g, double limit) {
    const undone u = {.factor = 1.0, .axes_exchanged = true};
    if (!(misfit(g, &u) < limit)) {
        return false;
    }
    tal_findings_add(&site->findings, "axes", TAL_REFUSE, "site.after",
                     "the axes of one survey are exchanged: with x and y exchanged, the later "
                     "ground is the earlier one. Write that file again with x and y exchanged");
    return true;
}

// The best of turning about the middle.
static double best_angle(const wide_grids *g, undone *best) {
    double least = INFINITY;
    for (int degrees = -178; degrees <= 180; degrees += 2) {
        const undone u = {.factor = 1.0, .angle = tal_radians(degrees)};
        const double left = misfit(g, &u);
        if (left < least) {
            least = left;
            *best = u;
        }
    }
    return least;
}

// Rows from the wrong end, columns from the wrong end, x for y of a map that has only its own corner.
static bool check_mirror(tal_case *site, const wide_grids *g, double limit) {
    static const char *const sides[4] = {
        "east lies in the west (its columns are reversed)",
        "x and y are exchanged about its own corner, and both reversed",
        "north lies in the south (its rows are reversed)",
        "x and y are exchanged about its own corner"};
    int best = -1;
    double least = limit;
    for (int quarter = 0; quarter < 4; quarter++) {
        const undone u = {.factor = 1.0, .angle = quarter * 1.5707963267948966, .mirrored = true};
        const double left = misfit(g, &u);
        best = left < least ? quarter : best;
        least = left < least ? left : least;
    }
    undone turn = nothing_undone;
    if (best < 0 || best_angle(g, &turn) < least) {
        return false;
    }
    tal_findings_add(&site->findings, "axes", TAL_REFUSE, "site.after",
                     "the later survey is a mirror image of the earlier one: its %s. Write "
                     "that file again the right way round",
                     sides[best]);
    return true;
}

static double best_offset(const wide_grids *g, undone *best) {
    double least = INFINITY;
    for (int32_t dr = -g->rows / 2; dr <= g->rows / 2; dr += 2) {
        for (int32_t dc = -g->columns / 2; dc <= g->columns / 2; dc += 2) {
            const undone u = {.factor = 1.0, .east = dc * g->cell, .north = dr * g->cell};
            const double left = misfit(g, &u);
            if (left < least) {
                least = left;
                *best = u;
            }
        }
    }
    return least;
}

static bool check_elsewhere(tal_case *site, const wide_grids *g, double limit) {
    undone turn = nothing_undone, move = nothing_undone;
    const double turned = best_angle(g, &turn), moved = best_offset(g, &move);
    const tal_verdict verdict = site->settings->ingest.accept_shift ? TAL_WARN : TAL_REFUSE;
    if (turned < limit && turned <= moved && turn.angle != 0.0) {
        tal_findings_add(&site->findings, "rotation", verdict, "site.after",
                         "the later survey is rotated by about %.0f degrees about the vertical "
                         "relative to the earlier one; is its coordinate system right?",
                         tal_degrees(turn.angle));
        return true;
    }
    if (moved < limit && (move.east != 0.0 || move.north != 0.0)) {
        tal_findings_add(&site->findings, "shift", verdict, "site.after",
                         "the later survey shows the ground of the earlier one about %.0f m to the "
                         "east and %.0f m to the north of where it is; are the coordinate systems "
                         "right (before_crs, after_crs)? If so, set accept_shift = yes",
                         move.east, move.north);
        return true;
    }
    return false;
}

static void check_place(tal_case *site, double as_it_is, double relief) {
    if (as_it_is < 0.5 * relief) {
        return;
    }
    char off[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    tal_findings_add(&site->findings, "place", TAL_REFUSE, "site.after",
                     "the surveys do not show the same place: half of the ground differs by more "
                     "than %s m, and its relief is %s m. Is the right file named?",
                     tal_number_format(off, 0.6745 * as_it_is),
                     tal_number_format(high, 0.6745 * relief));
}

tal_status tal_check_kinship(tal_case *site, const tal_dem *before, const tal_dem *after,
                             tal_error *err) {
    wide_grids g = {0};
    tal_status status = TAL_OK;
    TAL_TRY(check_no_data(site, before, false, err));
    TAL_TRY(check_no_data(site, after, true, err));
    TAL_TRY_OR_DONE(create_grids(&g, before, after, site->study.origin, err));
    const double as_it_is = misfit(&g, &nothing_undone), relief = relief_of(&g);
    const double limit = fmin(explained * as_it_is, explained_of_relief * relief);
    // Less than a twentieth of the relief, or than a cell is wide, is for the fit to find:
    // docs/theory/ingest.md (16).
    if (as_it_is > 0.05 * relief && as_it_is > 0.5 * before->grid.cell &&
        !check_unit(site, &g, limit) && !check_axes(site, &g, limit) &&
        !check_mirror(site, &g, limit) && !check_elsewhere(site, &g, limit)) {
        check_place(site, as_it_is, relief);
    }
done:
    destroy_grids(&g);
    return status;
}

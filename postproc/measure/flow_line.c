// SPDX-License-Identifier: GPL-3.0-or-later
// The flow line: a cheapest path over the grid (Dijkstra 1959), smoothed, resampled, measured.
#include "postproc/measure/flow_line.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

// docs/theory/scores.md (7).
static const double CLIMB_COST = 20.0;

typedef struct {
    double cost;
    int32_t cell;
} entry;

typedef struct {
    const tal_grid *grid;
    const float *ground;
    double *cost;
    int32_t *from;
    entry *heap;
    size_t heap_count, heap_room;
} searcher;

// Equal costs go by cell number, so that the line never depends on the order of insertion.
static bool is_less(const entry *a, const entry *b) {
    return a->cost < b->cost || (a->cost == b->cost && a->cell < b->cell);
}

static tal_status heap_push(searcher *s, double cost, int32_t cell, tal_error *err) {
    if (s->heap_count == s->heap_room) {
        const size_t room = 2 * s->heap_room + 1024;
        TAL_GROW(s->heap, s->heap_room, room, "the flow line", err);
        s->heap_room = room;
    }
    size_t at = s->heap_count++;
    const entry fresh = {cost, cell};
    while (at > 0 && is_less(&fresh, &s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = fresh;
    return TAL_OK;
}

static entry heap_pop(searcher *s) {
    const entry first = s->heap[0];
    const entry last = s->heap[--s->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= s->heap_count) {
            break;
        }
        if (child + 1 < s->heap_count && is_less(&s->heap[child + 1], &s->heap[child])) {
            child++;
        }
        if (!is_less(&s->heap[child], &last)) {
            break;
        }
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return first;
}

// Height of the cells that a knight's move passes between: the higher of the two, NaN when one is
// missing; the start itself for other moves. Nothing is jumped over.
static double height_between(const searcher *s, int32_t column, int32_t row, int dc, int dr) {
    const int32_t columns = s->grid->columns;
    if (dc * dc + dr * dr != 5) {
        return (double)s->ground[row * columns + column];
    }
    const int c1 = dc / 2, r1 = dr / 2;   // straight on
    const int c2 = dc - c1, r2 = dr - r1; // and aside
    const double a = (double)s->ground[(row + r1) * columns + column + c1];
    const double b = (double)s->ground[(row + r2) * columns + column + c2];
    return isfinite(a) && isfinite(b) ? fmax(a, b) : NAN;
}

static tal_status relax(searcher *s, int32_t cell, int dc, int dr, tal_error *err) {
    const int32_t from_column = cell % s->grid->columns, from_row = cell / s->grid->columns;
    const int32_t column = from_column + dc, row = from_row + dr;
    if (column < 0 || row < 0 || column >= s->grid->columns || row >= s->grid->rows) {
        return TAL_OK;
    }
    const int32_t next = row * s->grid->columns + column;
    const double here = (double)s->ground[cell], there = (double)s->ground[next];
    const double between = height_between(s, from_column, from_row, dc, dr);
    if (!isfinite(there) || !isfinite(between)) {
        return TAL_OK;
    }
    const double climb = fmax(0.0, between - here) + fmax(0.0, there - between);
    const double cost =
        s->cost[cell] + s->grid->cell * sqrt((double)(dc * dc + dr * dr)) + CLIMB_COST * climb;
    if (cost < s->cost[next]) {
        s->cost[next] = cost;
        s->from[next] = cell;
        return heap_push(s, cost, next, err);
    }
    return TAL_OK;
}

// Sixteen directions (the knight's moves too) keep the path near to a straight line.
static tal_status search(searcher *s, int32_t start, int32_t goal, tal_error *err) {
    const size_t cells = tal_grid_cell_count(s->grid);
    for (size_t i = 0; i < cells; i++) {
        s->cost[i] = INFINITY;
        s->from[i] = -1;
    }
    s->heap_count = 0;
    s->cost[start] = 0.0;
    TAL_TRY(heap_push(s, 0.0, start, err));
    while (s->heap_count > 0) {
        const entry best = heap_pop(s);
        if (best.cell == goal) {
            break;
        }
        if (best.cost > s->cost[best.cell]) {
            continue;
        }
        for (int dr = -2; dr <= 2; dr++) {
            for (int dc = -2; dc <= 2; dc++) {
                const int reach = dr * dr + dc * dc;
                if (reach == 1 || reach == 2 || reach == 5) {
                    TAL_TRY(relax(s, best.cell, dc, dr, err));
                }
            }
        }
    }
    return TAL_OK;
}

// Appends the path from the start of the search to `goal`, without its first cell; a straight step
// where nodata bars the way.
static int32_t append_path(const searcher *s, int32_t start, int32_t goal, double *x, double *y,
                           int32_t count) {
    int32_t length = 0;
    for (int32_t cell = goal; cell != start && cell >= 0; cell = s->from[cell]) {
        length++;
    }
    int32_t at = count + length;
    for (int32_t cell = goal; cell != start && cell >= 0; cell = s->from[cell]) {
        at--;
        tal_grid_centre(s->grid, cell % s->grid->columns, cell / s->grid->columns, &x[at], &y[at]);
    }
    return count + length;
}

static void measure(tal_flow_line *line, double zero_x, double zero_y) {
    line->s[0] = 0.0;
    for (int32_t i = 1; i < line->count; i++) {
        line->s[i] =
            line->s[i - 1] + hypot(line->x[i] - line->x[i - 1], line->y[i] - line->y[i - 1]);
    }
    const double zero = tal_flow_line_project(line, zero_x, zero_y);
    for (int32_t i = 0; i < line->count; i++) {
        line->s[i] -= zero;
    }
}

// Mean over neighbours, with the ends held: window of a twentieth of the line on either side.
static void smooth(double *value, double *scratch, int32_t count) {
    const int32_t reach = count / 20 + 1;
    for (int pass = 0; pass < 3; pass++) {
        memcpy(scratch, value, (size_t)count * sizeof *value);
        for (int32_t i = 1; i + 1 < count; i++) {
            int32_t r = reach;
            r = i < r ? i : r;
            r = count - 1 - i < r ? count - 1 - i : r;
            double sum = 0.0;
            for (int32_t k = i - r; k <= i + r; k++) {
                sum += scratch[k];
            }
            value[i] = sum / (double)(2 * r + 1);
        }
    }
}

// Points at even distances of about two cells.
static tal_status resample(tal_flow_line *line, double cell, tal_error *err) {
    const double length = line->s[line->count - 1] - line->s[0];
    const double wanted = ceil(length / (2.0 * cell));
    const int32_t count = wanted < 2.0 ? 2 : wanted > 2000.0 ? 2000 : (int32_t)wanted + 1;
    tal_flow_line even = {.count = count};
    TAL_CREATE(even.x, (size_t)count, "the flow line", err);
    even.y = tal_memory_create((size_t)count, sizeof *even.y);
    even.s = tal_memory_create((size_t)count, sizeof *even.s);
    if (even.y == NULL || even.s == NULL) {
        tal_flow_line_destroy(&even);
        return tal_memory_failed(err, "the flow line", (size_t)count, sizeof *even.y);
    }
    for (int32_t i = 0; i < count; i++) {
        even.s[i] = line->s[0] + length * (double)i / (double)(count - 1);
        tal_flow_line_point(line, even.s[i], &even.x[i], &even.y[i]);
    }
    tal_flow_line_destroy(line);
    *line = even;
    return TAL_OK;
}

static tal_status find_path(tal_flow_line *line, searcher *s, const size_t *stop, int stop_count,
                            tal_error *err) {
    int32_t count = 1;
    tal_grid_centre(s->grid, (int32_t)(stop[0] % (size_t)s->grid->columns),
                    (int32_t)(stop[0] / (size_t)s->grid->columns), &line->x[0], &line->y[0]);
    for (int leg = 0; leg + 1 < stop_count; leg++) {
        if (stop[leg] != stop[leg + 1]) {
            TAL_TRY(search(s, (int32_t)stop[leg], (int32_t)stop[leg + 1], err));
            count =
                append_path(s, (int32_t)stop[leg], (int32_t)stop[leg + 1], line->x, line->y, count);
        }
    }
    if (count == 1) { // crown and toe in one cell: a line of one cell to the east
        line->x[1] = line->x[0] + s->grid->cell;
        line->y[1] = line->y[0];
        count = 2;
    }
    line->count = count;
    return TAL_OK;
}

tal_status tal_flow_line_create(tal_flow_line *line, const tal_grid *grid, const float *ground,
                                const size_t *stop, int stop_count, tal_error *err) {
    tal_status status = TAL_OK;
    const size_t crown = stop[0];
    const size_t cells = tal_grid_cell_count(grid);
    searcher s = {.grid = grid, .ground = ground};
    double crown_x, crown_y;
    *line = (tal_flow_line){0};
    TAL_CREATE_OR_DONE(s.cost, cells, "the flow line", err);
    TAL_CREATE_OR_DONE(s.from, cells, "the flow line", err);
    const size_t room = (size_t)stop_count * cells + 2; // a path meets no cell twice
    TAL_CREATE_OR_DONE(line->x, room, "the flow line", err);
    TAL_CREATE_OR_DONE(line->y, room, "the flow line", err);
    TAL_CREATE_OR_DONE(line->s, room, "the flow line", err);
    TAL_TRY_OR_DONE(find_path(line, &s, stop, stop_count, err));
    smooth(line->x, line->s, line->count);
    smooth(line->y, line->s, line->count);
    tal_grid_centre(grid, (int32_t)(crown % (size_t)grid->columns),
                    (int32_t)(crown / (size_t)grid->columns), &crown_x, &crown_y);
    measure(line, crown_x, crown_y);
    TAL_TRY_OR_DONE(resample(line, grid->cell, err));
    measure(line, crown_x, crown_y);
done:
    tal_memory_destroy(s.cost);
    tal_memory_destroy(s.from);
    tal_memory_destroy(s.heap);
    if (status != TAL_OK) {
        tal_flow_line_destroy(line);
    }
    return status;
}

void tal_flow_line_destroy(tal_flow_line *line) {
    tal_memory_destroy(line->x);
    tal_memory_destroy(line->y);
    tal_memory_destroy(line->s);
    *line = (tal_flow_line){0};
}

double tal_flow_line_project(const tal_flow_line *line, double x, double y) {
    double best = INFINITY, best_s = line->s[0];
    for (int32_t i = 0; i + 1 < line->count; i++) {
        const double dx = line->x[i + 1] - line->x[i], dy = line->y[i + 1] - line->y[i];
        const double length2 = dx * dx + dy * dy;
        if (!(length2 > 0.0)) {
            continue;
        }
        double t = ((x - line->x[i]) * dx + (y - line->y[i]) * dy) / length2;
        // The first and the last piece go on without end.
        t = i > 0 && t < 0.0 ? 0.0 : t;
        t = i + 2 < line->count && t > 1.0 ? 1.0 : t;
        const double ex = line->x[i] + t * dx - x, ey = line->y[i] + t * dy - y;
        const double distance2 = ex * ex + ey * ey;
        if (distance2 < best) {
            best = distance2;
            best_s = line->s[i] + t * sqrt(length2);
        }
    }
    return best_s;
}

void tal_flow_line_point(const tal_flow_line *line, double s, double *x, double *y) {
    int32_t i = 0;
    while (i + 2 < line->count && line->s[i + 1] < s) {
        i++;
    }
    const double length = line->s[i + 1] - line->s[i];
    const double t = length > 0.0 ? (s - line->s[i]) / length : 0.0;
    *x = line->x[i] + t * (line->x[i + 1] - line->x[i]);
    *y = line->y[i] + t * (line->y[i + 1] - line->y[i]);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary following on cell corners. Every edge between an inside and an outside cell is walked
// once, the inside to its left. Where two edges leave a corner, two cells of the part meet only
// there; they are joined elsewhere, around one of the two outside cells. The right turn crosses over
// to the other cell, so that what they enclose becomes a ring of its own and no ring meets itself.
#include "ingest/compare/outline.h"

#include "core/base/memory.h"

#include <string.h>

// Directions: 0 east, 1 north, 2 west, 3 south. Corner (c, r) is the north-west corner of cell (c,
// r).
static const int32_t step_column[4] = {1, 0, -1, 0};
static const int32_t step_row[4] = {0, -1, 0, 1};

typedef struct {
    const tal_components *parts;
    const tal_grid *grid;
    int32_t number;
    int32_t left, top, right, bottom; // cells of the part's extent
    uint8_t *walked;                  // per corner: a bit per direction
    int32_t *vertex_column, *vertex_row;
    size_t vertex_count, vertex_capacity;
    int32_t *ring_start;
    size_t ring_count, ring_capacity;
} tracer;

static bool inside(const tracer *t, int32_t column, int32_t row) {
    return column >= t->left && row >= t->top && column <= t->right && row <= t->bottom &&
           t->parts->label[(int64_t)row * t->grid->columns + column] == t->number;
}

// Whether an edge leaves the corner in this direction with the inside to its left.
static bool is_edge(const tracer *t, int32_t column, int32_t row, int direction) {
    switch (direction) {
    case 0: // east: north of it inside, south outside
        return inside(t, column, row - 1) && !inside(t, column, row);
    case 1: // north: west inside, east outside
        return inside(t, column - 1, row - 1) && !inside(t, column, row - 1);
    case 2: // west: south inside, north outside
        return inside(t, column - 1, row) && !inside(t, column - 1, row - 1);
    default: // south: east inside, west outside
        return inside(t, column, row) && !inside(t, column - 1, row);
    }
}

static uint8_t *walked_at(const tracer *t, int32_t column, int32_t row) {
    const int64_t width = t->right - t->left + 2;
    return &t->walked[(int64_t)(row - t->top) * width + (column - t->left)];
}

static tal_status add_vertex(tracer *t, int32_t column, int32_t row, tal_error *err) {
    if (t->vertex_count == t->vertex_capacity) {
        const size_t more = 2 * t->vertex_capacity;
        int32_t *columns =
            tal_memory_grow(t->vertex_column, t->vertex_capacity, more, sizeof *columns);
        t->vertex_column = columns != NULL ? columns : t->vertex_column;
        int32_t *rows = tal_memory_grow(t->vertex_row, t->vertex_capacity, more, sizeof *rows);
        t->vertex_row = rows != NULL ? rows : t->vertex_row;
        if (columns == NULL || rows == NULL) {
            return tal_memory_failed(err, "an outline", more, sizeof *columns);
        }
        t->vertex_capacity = more;
    }
    t->vertex_column[t->vertex_count] = column;
    t->vertex_row[t->vertex_count++] = row;
    return TAL_OK;
}

static tal_status begin_ring(tracer *t, tal_error *err) {
    if (t->ring_count + 2 > t->ring_capacity) {
        const size_t more = 2 * t->ring_capacity;
        int32_t *starts = tal_memory_grow(t->ring_start, t->ring_capacity, more, sizeof *starts);
        if (starts == NULL) {
            return tal_memory_failed(err, "an outline", more, sizeof *starts);
        }
        t->ring_start = starts;
        t->ring_capacity = more;
    }
    t->ring_start[t->ring_count++] = (int32_t)t->vertex_count;
    return TAL_OK;
}

// Right, straight, left, in this order.
static int turn(const tracer *t, int32_t column, int32_t row, int direction) {
    static const int order[3] = {3, 0, 1};
    for (int k = 0; k < 3; k++) {
        const int next = (direction + order[k]) % 4;
        if (is_edge(t, column, row, next)) {
            return next;
        }
    }
    return direction;
}

static tal_status walk(tracer *t, int32_t column, int32_t row, int direction, tal_error *err) {
    const int32_t first_column = column, first_row = row;
    const int first_direction = direction;
    TAL_TRY(begin_ring(t, err));
    do {
        *walked_at(t, column, row) |= (uint8_t)(1U << direction);
        column += step_column[direction];
        row += step_row[direction];
        const int next = turn(t, column, row, direction);
        if (next != direction) {
            TAL_TRY(add_vertex(t, column, row, err));
        }
        direction = next;
    } while (column != first_column || row != first_row || direction != first_direction);
    return TAL_OK;
}

static void find_extent(tracer *t) {
    const int32_t columns = t->grid->columns, rows = t->grid->rows;
    t->left = columns;
    t->top = rows;
    t->right = t->bottom = -1;
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t c = 0; c < columns; c++) {
            if (t->parts->label[(int64_t)r * columns + c] == t->number) {
                t->left = c < t->left ? c : t->left;
                t->right = c > t->right ? c : t->right;
                t->top = r < t->top ? r : t->top;
                t->bottom = r;
            }
        }
    }
}

// In raster order the first edge met belongs to the outer ring: it is that of the topmost row.
static tal_status walk_all(tracer *t, tal_error *err) {
    for (int32_t row = t->top; row <= t->bottom + 1; row++) {
        for (int32_t column = t->left; column <= t->right + 1; column++) {
            for (int direction = 0; direction < 4; direction++) {
                const bool fresh = (*walked_at(t, column, row) & (1U << direction)) == 0;
                if (fresh && is_edge(t, column, row, direction)) {
                    TAL_TRY(walk(t, column, row, direction, err));
                }
            }
        }
    }
    return TAL_OK;
}

static tal_status hand_over(tracer *t, tal_outline *outline, tal_error *err) {
    outline->ring_count = (int32_t)t->ring_count;
    TAL_CREATE(outline->x, t->vertex_count + 1, "an outline", err);
    TAL_CREATE(outline->y, t->vertex_count + 1, "an outline", err);
    TAL_CREATE(outline->ring_start, t->ring_count + 1, "an outline", err);
    memcpy(outline->ring_start, t->ring_start, t->ring_count * sizeof *t->ring_start);
    outline->ring_start[t->ring_count] = (int32_t)t->vertex_count;
    for (size_t i = 0; i < t->vertex_count; i++) {
        outline->x[i] = t->grid->west + t->vertex_column[i] * t->grid->cell;
        outline->y[i] = t->grid->north - t->vertex_row[i] * t->grid->cell;
    }
    return TAL_OK;
}

tal_status tal_outline_trace(tal_outline *outline, const tal_components *parts, int32_t number,
                             const tal_grid *grid, tal_error *err) {
    tracer t = {.parts = parts,
                .grid = grid,
                .number = number,
                .vertex_capacity = 256,
                .ring_capacity = 16};
    tal_status status = TAL_OK;
    *outline = (tal_outline){0};
    find_extent(&t);
    if (t.right < 0) {
        return TAL_OK;
    }
    TAL_CREATE_OR_DONE(t.walked, (size_t)(t.right - t.left + 2) * (size_t)(t.bottom - t.top + 2),
                       "an outline", err);
    TAL_CREATE_OR_DONE(t.vertex_column, t.vertex_capacity, "an outline", err);
    TAL_CREATE_OR_DONE(t.vertex_row, t.vertex_capacity, "an outline", err);
    TAL_CREATE_OR_DONE(t.ring_start, t.ring_capacity, "an outline", err);
    TAL_TRY_OR_DONE(walk_all(&t, err));
    TAL_TRY_OR_DONE(hand_over(&t, outline, err));
done:
    tal_memory_destroy(t.walked);
    tal_memory_destroy(t.vertex_column);
    tal_memory_destroy(t.vertex_row);
    tal_memory_destroy(t.ring_start);
    if (status != TAL_OK) {
        tal_outline_destroy(outline);
    }
    return status;
}

void tal_outline_destroy(tal_outline *outline) {
    tal_memory_destroy(outline->ring_start);
    tal_memory_destroy(outline->x);
    tal_memory_destroy(outline->y);
    *outline = (tal_outline){0};
}

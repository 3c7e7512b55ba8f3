// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary following on the corners of cells.
#include "core/geometry/outline.h"

#include "core/base/memory.h"

// Directions in the order east, south, west, north: a side of a cell is walked with the cell to the
// left when the top side runs west and the left side runs south.
static const int STEP_COLUMN[4] = {1, 0, -1, 0};
static const int STEP_ROW[4] = {0, 1, 0, -1};

// Corners of cells are nodes. A node's sides leave it in the four directions; side d of a node is
// part of an outline when the cell on its left belongs to the part and the one on its right does
// not.
typedef struct {
    const tal_components *parts;
    tal_cell_frame lattice;
    uint8_t *walked; // per node, bit d
    tal_outline *out;
    int32_t ring_room, vertex_room;
} tracer;

static int32_t label_at(const tracer *t, int32_t column, int32_t row) {
    const int32_t columns = t->parts->columns;
    const bool inside = column >= 0 && row >= 0 && column < columns && row < t->parts->rows;
    return inside ? t->parts->label[(int64_t)row * columns + column] : 0;
}

static uint8_t *walked_at(const tracer *t, int32_t column, int32_t row) {
    return &t->walked[(int64_t)row * (t->parts->columns + 1) + column];
}

// The cell to the left of the side that leaves node (column, row) in direction d. Rows grow to the
// south, so going east the left cell is the one to the north.
static int32_t left_of(const tracer *t, int32_t column, int32_t row, int d) {
    static const int COLUMN[4] = {0, 0, -1, -1}, ROW[4] = {-1, 0, 0, -1};
    return label_at(t, column + COLUMN[d], row + ROW[d]);
}

static int32_t right_of(const tracer *t, int32_t column, int32_t row, int d) {
    static const int COLUMN[4] = {0, -1, -1, 0}, ROW[4] = {0, 0, -1, -1};
    return label_at(t, column + COLUMN[d], row + ROW[d]);
}

static bool is_border(const tracer *t, int32_t column, int32_t row, int d, int32_t label) {
    return left_of(t, column, row, d) == label && right_of(t, column, row, d) != label;
}

static tal_status add_vertex(tracer *t, int32_t column, int32_t row, tal_error *err) {
    tal_outline *out = t->out;
    if (out->vertex_count == t->vertex_room) {
        const int32_t room = 2 * t->vertex_room + 64;
        TAL_GROW(out->x, (size_t)t->vertex_room, (size_t)room, "an outline", err);
        TAL_GROW(out->y, (size_t)t->vertex_room, (size_t)room, "an outline", err);
        t->vertex_room = room;
    }
    out->x[out->vertex_count] = t->lattice.west + (double)column * t->lattice.cell;
    out->y[out->vertex_count] = t->lattice.north - (double)row * t->lattice.cell;
    out->vertex_count++;
    return TAL_OK;
}

static tal_status begin_ring(tracer *t, tal_error *err) {
    tal_outline *out = t->out;
    if (out->ring_count + 2 > t->ring_room) {
        const int32_t room = 2 * t->ring_room + 16;
        TAL_GROW(out->ring_start, (size_t)t->ring_room, (size_t)room, "an outline", err);
        t->ring_room = room;
    }
    out->ring_start[out->ring_count++] = out->vertex_count;
    return TAL_OK;
}

// Walks one ring with the part to the left. At a node where two cells of the part touch by a corner
// the walk turns right, across the node: what is enclosed there becomes a hole that touches the
// outer ring in one point, which is valid, where a ring through the node twice would not be.
// Vertices are kept only where it turns.
static tal_status walk_ring(tracer *t, int32_t column, int32_t row, int d, int32_t label,
                            tal_error *err) {
    const int32_t start_column = column, start_row = row;
    const int start_d = d;
    TAL_TRY(begin_ring(t, err));
    do {
        *walked_at(t, column, row) |= (uint8_t)(1u << d);
        column += STEP_COLUMN[d];
        row += STEP_ROW[d];
        const int left = (d + 3) % 4, right = (d + 1) % 4;
        const int next = is_border(t, column, row, right, label) ? right
                         : is_border(t, column, row, d, label)   ? d
                                                                 : left;
        if (next != d) {
            TAL_TRY(add_vertex(t, column, row, err));
        }
        d = next;
    } while (column != start_column || row != start_row || d != start_d);
    t->out->ring_start[t->out->ring_count] = t->out->vertex_count;
    return TAL_OK;
}

// Going east along its southern side the part lies to the left and the walk is counter-clockwise,
// so outer rings are found from their lowest row; holes likewise from their northern side. The
// outer ring must come first: it is started at the southernmost, westernmost cell.
static tal_status trace_part(tracer *t, int32_t label, const int64_t *cells, int64_t count,
                             tal_error *err) {
    const int32_t columns = t->parts->columns;
    for (int64_t i = count; i-- > 0;) {
        const int32_t column = (int32_t)(cells[i] % columns), row = (int32_t)(cells[i] / columns);
        // The side below the cell leaves node (column, row + 1) to the east.
        if (is_border(t, column, row + 1, 0, label) && (*walked_at(t, column, row + 1) & 1u) == 0) {
            TAL_TRY(walk_ring(t, column, row + 1, 0, label, err));
        }
    }
    return TAL_OK;
}

// `cells` in the order of their parts, those of a part in reading order.
static void sort_cells(const tal_components *parts, int64_t *next, int64_t *cells) {
    const int64_t count = (int64_t)parts->columns * parts->rows;
    next[1] = 0;
    for (int32_t p = 1; p < parts->count; p++) {
        next[p + 1] = next[p] + parts->size[p];
    }
    for (int64_t i = 0; i < count; i++) {
        if (parts->label[i] > 0) {
            cells[next[parts->label[i]]++] = i;
        }
    }
}

static tal_status trace_all(tracer *t, tal_error *err) {
    const tal_components *parts = t->parts;
    tal_outline *out = t->out;
    const size_t count = (size_t)parts->columns * (size_t)parts->rows;
    int64_t *cells = NULL, *next = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(cells, count, "an outline", err);
    TAL_CREATE_OR_DONE(next, (size_t)parts->count + 2, "an outline", err);
    sort_cells(parts, next, cells);
    for (int32_t p = 1; p <= parts->count; p++) {
        out->polygon_start[p - 1] = out->ring_count;
        TAL_TRY_OR_DONE(trace_part(t, p, &cells[next[p] - parts->size[p]], parts->size[p], err));
    }
    out->polygon_start[parts->count] = out->ring_count;
done:
    tal_memory_destroy(cells);
    tal_memory_destroy(next);
    return status;
}

tal_status tal_outline_trace(tal_outline *outline, const tal_components *parts,
                             tal_cell_frame lattice, tal_error *err) {
    TAL_ASSERT(lattice.cell > 0 && parts->columns > 0 && parts->rows > 0);
    tracer t = {.parts = parts, .lattice = lattice, .out = outline, .ring_room = 2};
    tal_status status = TAL_OK;
    *outline = (tal_outline){.polygon_count = parts->count};
    TAL_CREATE_OR_DONE(t.walked, (size_t)(parts->columns + 1) * (size_t)(parts->rows + 1),
                       "an outline", err);
    TAL_CREATE_OR_DONE(outline->polygon_start, (size_t)parts->count + 1, "an outline", err);
    TAL_CREATE_OR_DONE(outline->ring_start, (size_t)t.ring_room, "an outline", err);
    TAL_TRY_OR_DONE(trace_all(&t, err));
done:
    tal_memory_destroy(t.walked);
    if (status != TAL_OK) {
        tal_outline_destroy(outline);
    }
    return status;
}

void tal_outline_destroy(tal_outline *outline) {
    tal_memory_destroy(outline->polygon_start);
    tal_memory_destroy(outline->ring_start);
    tal_memory_destroy(outline->x);
    tal_memory_destroy(outline->y);
    *outline = (tal_outline){0};
}

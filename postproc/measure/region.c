// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts of a mask and their outlines.
#include "postproc/measure/region.h"

#include "core/base/memory.h"

#include <stdlib.h>

// Directions in the order east, south, west, north: a side of a cell is walked with the cell to the
// left when the top side runs west and the left side runs south.
static const int STEP_COLUMN[4] = {1, 0, -1, 0};
static const int STEP_ROW[4] = {0, 1, 0, -1};

typedef struct {
    const tal_grid *grid;
    int32_t *label; // 0 outside, else 1 and up
    int32_t *stack;
} labeller;

static bool is_inside(const tal_grid *grid, int32_t column, int32_t row) {
    return column >= 0 && row >= 0 && column < grid->columns && row < grid->rows;
}

static size_t flood(labeller *l, const uint8_t *mask, int32_t seed, int32_t label, bool corners) {
    const tal_grid *grid = l->grid;
    size_t count = 0, top = 0;
    l->stack[top++] = seed;
    l->label[seed] = label;
    while (top > 0) {
        const int32_t cell = l->stack[--top];
        count++;
        const int32_t column = cell % grid->columns, row = cell / grid->columns;
        for (int dr = -1; dr <= 1; dr++) {
            for (int dc = -1; dc <= 1; dc++) {
                if ((dr != 0 && dc != 0 && !corners) || !is_inside(grid, column + dc, row + dr)) {
                    continue;
                }
                const int32_t next = (row + dr) * grid->columns + column + dc;
                if (mask[next] != 0 && l->label[next] == 0) {
                    l->label[next] = label;
                    l->stack[top++] = next;
                }
            }
        }
    }
    return count;
}

// Labels every part; `largest` gets the label of the largest and its size.
static int32_t label_parts(labeller *l, const uint8_t *mask, bool corners, int32_t *largest,
                           size_t *largest_cells) {
    int32_t parts = 0;
    *largest = 0;
    *largest_cells = 0;
    const int32_t cells = l->grid->columns * l->grid->rows;
    for (int32_t cell = 0; cell < cells; cell++) {
        if (mask[cell] != 0 && l->label[cell] == 0) {
            const size_t size = flood(l, mask, cell, ++parts, corners);
            if (size > *largest_cells) {
                *largest_cells = size;
                *largest = parts;
            }
        }
    }
    return parts;
}

static tal_status labeller_create(labeller *l, const tal_grid *grid, tal_error *err) {
    const size_t cells = tal_grid_cell_count(grid);
    *l = (labeller){.grid = grid};
    TAL_CREATE(l->label, cells + 1, "the parts of a region", err);
    TAL_CREATE(l->stack, cells + 1, "the parts of a region", err);
    return TAL_OK;
}

static void labeller_destroy(labeller *l) {
    tal_memory_destroy(l->label);
    tal_memory_destroy(l->stack);
}

tal_status tal_region_keep_largest(uint8_t *mask, const tal_grid *grid, size_t *cells,
                                   tal_error *err) {
    labeller l;
    tal_status status = labeller_create(&l, grid, err);
    *cells = 0;
    if (status == TAL_OK) {
        int32_t largest;
        (void)label_parts(&l, mask, true, &largest, cells);
        for (size_t i = 0; i < tal_grid_cell_count(grid); i++) {
            mask[i] = l.label[i] == largest && largest != 0 ? 1 : 0;
        }
    }
    labeller_destroy(&l);
    return status;
}

// Corners of cells are nodes. A node's sides leave it in the four directions; side d of a node is
// part of an outline when the cell on its left belongs to the part and the one on its right does
// not.
typedef struct {
    const tal_grid *grid;
    const int32_t *label;
    uint8_t *walked; // per node, bit d
    tal_outline *out;
    int32_t ring_room, vertex_room;
} tracer;

static int32_t label_at(const tracer *t, int32_t column, int32_t row) {
    return is_inside(t->grid, column, row) ? t->label[row * t->grid->columns + column] : 0;
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
        double *x = tal_memory_grow(out->x, (size_t)t->vertex_room, (size_t)room, sizeof *x);
        if (x == NULL) {
            return tal_memory_failed(err, "an outline", (size_t)room, sizeof *x);
        }
        out->x = x;
        double *y = tal_memory_grow(out->y, (size_t)t->vertex_room, (size_t)room, sizeof *y);
        if (y == NULL) {
            return tal_memory_failed(err, "an outline", (size_t)room, sizeof *y);
        }
        out->y = y;
        t->vertex_room = room;
    }
    out->x[out->vertex_count] = t->grid->west + (double)column * t->grid->cell;
    out->y[out->vertex_count] = t->grid->north - (double)row * t->grid->cell;
    out->vertex_count++;
    return TAL_OK;
}

static tal_status begin_ring(tracer *t, tal_error *err) {
    tal_outline *out = t->out;
    if (out->ring_count + 2 > t->ring_room) {
        const int32_t room = 2 * t->ring_room + 16;
        int32_t *start =
            tal_memory_grow(out->ring_start, (size_t)t->ring_room, (size_t)room, sizeof *start);
        if (start == NULL) {
            return tal_memory_failed(err, "an outline", (size_t)room, sizeof *start);
        }
        out->ring_start = start;
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
        t->walked[row * (t->grid->columns + 1) + column] |= (uint8_t)(1u << d);
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
static tal_status trace_part(tracer *t, int32_t label, const int32_t *cells, size_t count,
                             tal_error *err) {
    const int32_t columns = t->grid->columns;
    for (size_t i = count; i-- > 0;) {
        const int32_t column = cells[i] % columns, row = cells[i] / columns;
        // The side below the cell leaves node (column, row + 1) to the east.
        const size_t node = (size_t)(row + 1) * (size_t)(columns + 1) + (size_t)column;
        if (is_border(t, column, row + 1, 0, label) && (t->walked[node] & 1u) == 0) {
            TAL_TRY(walk_ring(t, column, row + 1, 0, label, err));
        }
    }
    return TAL_OK;
}

static tal_status trace_all(tracer *t, int32_t parts, int32_t *order, tal_error *err) {
    const size_t cells = tal_grid_cell_count(t->grid);
    int32_t *start;
    TAL_CREATE(start, (size_t)parts + 2, "the parts of a region", err);
    for (size_t i = 0; i < cells; i++) {
        if (t->label[i] > 0) {
            start[t->label[i] + 1]++;
        }
    }
    for (int32_t p = 1; p <= parts; p++) {
        start[p + 1] += start[p];
    }
    for (size_t i = 0; i < cells; i++) {
        if (t->label[i] > 0) {
            order[start[t->label[i]]++] = (int32_t)i;
        }
    }
    tal_status status = TAL_OK;
    for (int32_t p = 1; p <= parts && status == TAL_OK; p++) {
        const int32_t begin = p == 1 ? 0 : start[p - 1];
        t->out->polygon_start[p - 1] = t->out->ring_count;
        status = trace_part(t, p, &order[begin], (size_t)(start[p] - begin), err);
    }
    t->out->polygon_start[parts] = t->out->ring_count;
    tal_memory_destroy(start);
    return status;
}

tal_status tal_outline_create(tal_outline *outline, const uint8_t *mask, const tal_grid *grid,
                              tal_error *err) {
    labeller l = {0};
    tracer t = {.grid = grid, .out = outline};
    tal_status status = TAL_OK;
    int32_t largest;
    size_t largest_cells;
    *outline = (tal_outline){0};
    TAL_TRY_OR_DONE(labeller_create(&l, grid, err));
    const int32_t parts = label_parts(&l, mask, false, &largest, &largest_cells);
    t.label = l.label;
    TAL_CREATE_OR_DONE(t.walked, (size_t)(grid->columns + 1) * (size_t)(grid->rows + 1),
                       "an outline", err);
    TAL_CREATE_OR_DONE(outline->polygon_start, (size_t)parts + 1, "an outline", err);
    TAL_CREATE_OR_DONE(outline->ring_start, 2, "an outline", err);
    t.ring_room = 2;
    outline->polygon_count = parts;
    TAL_TRY_OR_DONE(trace_all(&t, parts, l.stack, err));
done:
    labeller_destroy(&l);
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

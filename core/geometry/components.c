// SPDX-License-Identifier: GPL-3.0-or-later
// Flood fill with an explicit stack; labels follow the raster order.
#include "core/geometry/components.h"

#include "core/base/memory.h"

#include <string.h>

typedef struct {
    int32_t columns, rows;
    const uint8_t *mask;
    int32_t *label;
    int64_t *stack; // room for every cell
} flood;

static int64_t push_neighbours(flood *f, int64_t cell, int32_t number, bool corners, int64_t top) {
    const int32_t row = (int32_t)(cell / f->columns), column = (int32_t)(cell % f->columns);
    for (int dr = -1; dr <= 1; dr++) {
        for (int dc = -1; dc <= 1; dc++) {
            const int32_t r = row + dr, c = column + dc;
            if ((dr != 0 && dc != 0 && !corners) || r < 0 || c < 0 || r >= f->rows ||
                c >= f->columns) {
                continue;
            }
            const int64_t next = (int64_t)r * f->columns + c;
            if (f->mask[next] != 0 && f->label[next] == 0) {
                f->label[next] = number;
                f->stack[top++] = next;
            }
        }
    }
    return top;
}

static int64_t fill(flood *f, int64_t first, int32_t number, bool corners, uint8_t *at_rim) {
    int64_t top = 0, size = 0;
    f->label[first] = number;
    f->stack[top++] = first;
    *at_rim = 0;
    while (top > 0) {
        const int64_t cell = f->stack[--top];
        const int32_t row = (int32_t)(cell / f->columns), column = (int32_t)(cell % f->columns);
        size++;
        if (row == 0 || column == 0 || row == f->rows - 1 || column == f->columns - 1) {
            *at_rim = 1;
        }
        top = push_neighbours(f, cell, number, corners, top);
    }
    return size;
}

static tal_status grow_lists(tal_components *parts, int32_t *capacity, tal_error *err) {
    const size_t old_count = (size_t)*capacity, count = 2 * old_count;
    TAL_GROW(parts->size, old_count, count, "connected parts", err);
    TAL_GROW(parts->at_rim, old_count, count, "connected parts", err);
    *capacity = (int32_t)count;
    return TAL_OK;
}

tal_status tal_components_find(tal_components *parts, const uint8_t *mask, int32_t columns,
                               int32_t rows, bool corners, tal_error *err) {
    const size_t cells = (size_t)columns * (size_t)rows;
    int32_t capacity = 256;
    flood f = {.columns = columns, .rows = rows, .mask = mask};
    tal_status status = TAL_OK;
    *parts = (tal_components){.columns = columns, .rows = rows};
    TAL_CREATE_OR_DONE(parts->label, cells, "connected parts", err);
    TAL_CREATE_OR_DONE(parts->size, (size_t)capacity, "connected parts", err);
    TAL_CREATE_OR_DONE(parts->at_rim, (size_t)capacity, "connected parts", err);
    TAL_CREATE_OR_DONE(f.stack, cells, "connected parts", err);
    f.label = parts->label;
    for (size_t cell = 0; cell < cells; cell++) {
        if (mask[cell] == 0 || parts->label[cell] != 0) {
            continue;
        }
        if (parts->count + 1 >= capacity) {
            TAL_TRY_OR_DONE(grow_lists(parts, &capacity, err));
        }
        const int32_t number = ++parts->count;
        parts->size[number] = fill(&f, (int64_t)cell, number, corners, &parts->at_rim[number]);
    }
done:
    tal_memory_destroy(f.stack);
    if (status != TAL_OK) {
        tal_components_destroy(parts);
    }
    return status;
}

void tal_components_destroy(tal_components *parts) {
    tal_memory_destroy(parts->label);
    tal_memory_destroy(parts->size);
    tal_memory_destroy(parts->at_rim);
    *parts = (tal_components){0};
}

tal_status tal_mask_keep_largest(uint8_t *mask, int32_t columns, int32_t rows, int64_t *cells,
                                 tal_error *err) {
    tal_components parts;
    *cells = 0;
    TAL_TRY(tal_components_find(&parts, mask, columns, rows, true, err));
    int32_t largest = 0;
    for (int32_t number = 1; number <= parts.count; number++) {
        if (parts.size[number] > *cells) {
            largest = number;
            *cells = parts.size[number];
        }
    }
    for (size_t i = 0; i < (size_t)columns * (size_t)rows; i++) {
        mask[i] = largest != 0 && parts.label[i] == largest;
    }
    tal_components_destroy(&parts);
    return TAL_OK;
}

tal_status tal_mask_drop_small(uint8_t *mask, int32_t columns, int32_t rows, int64_t least,
                               tal_error *err) {
    tal_components parts;
    TAL_TRY(tal_components_find(&parts, mask, columns, rows, false, err));
    const size_t cells = (size_t)columns * (size_t)rows;
    for (size_t i = 0; i < cells; i++) {
        if (mask[i] != 0 && parts.size[parts.label[i]] < least) {
            mask[i] = 0;
        }
    }
    tal_components_destroy(&parts);
    return TAL_OK;
}

static void invert(uint8_t *mask, size_t cells) {
    for (size_t i = 0; i < cells; i++) {
        mask[i] = mask[i] == 0;
    }
}

tal_status tal_mask_fill_holes(uint8_t *mask, int32_t columns, int32_t rows, int64_t most,
                               tal_error *err) {
    tal_components parts;
    const size_t cells = (size_t)columns * (size_t)rows;
    invert(mask, cells);
    const tal_status status = tal_components_find(&parts, mask, columns, rows, false, err);
    invert(mask, cells);
    TAL_TRY(status);
    for (size_t i = 0; i < cells; i++) {
        const int32_t number = parts.label[i];
        if (number != 0 && !parts.at_rim[number] && parts.size[number] <= most) {
            mask[i] = 1;
        }
    }
    tal_components_destroy(&parts);
    return TAL_OK;
}

// One step of growth of the cells that equal `value`.
static void grow_once(const uint8_t *from, uint8_t *to, int32_t columns, int32_t rows, bool corners,
                      uint8_t value) {
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0; column < columns; column++) {
            const size_t i = (size_t)row * (size_t)columns + (size_t)column;
            to[i] = from[i];
            for (int dr = -1; dr <= 1 && to[i] != value; dr++) {
                for (int dc = -1; dc <= 1; dc++) {
                    const int32_t r = row + dr, c = column + dc;
                    if ((dr != 0 && dc != 0 && !corners) || r < 0 || c < 0 || r >= rows ||
                        c >= columns) {
                        continue;
                    }
                    if (from[(size_t)r * (size_t)columns + (size_t)c] == value) {
                        to[i] = value;
                        break;
                    }
                }
            }
        }
    }
}

tal_status tal_mask_grow(uint8_t *mask, int32_t columns, int32_t rows, int steps, tal_error *err) {
    const size_t cells = (size_t)columns * (size_t)rows;
    uint8_t *copy;
    TAL_CREATE(copy, cells, "a mask", err);
    const uint8_t value = steps > 0;
    for (int step = 0; step < (steps > 0 ? steps : -steps); step++) {
        memcpy(copy, mask, cells);
        grow_once(copy, mask, columns, rows, step % 2 == 1, value);
    }
    tal_memory_destroy(copy);
    return TAL_OK;
}

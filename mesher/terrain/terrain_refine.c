// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy refinement of the terrain (Garland and Heckbert 1995), with exact cell-in-triangle tests.
#include "mesher/terrain/terrain_refine.h"

#include "core/base/interrupt.h"
#include "core/base/memory.h"

#include <math.h>

// ---- Cells of a triangle ---------------------------------------------------------------

static int64_t floor_divide(int64_t a, int64_t b) {
    const int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

// Narrows [first, last] to the side of the edge a -> b that is to its left, on row y.
static void narrow_span(const int32_t a[2], const int32_t b[2], int32_t y, int64_t *first,
                        int64_t *last) {
    // Left of the edge: dx (y - ay) - dy (x - ax) >= 0.
    const int64_t dx = b[0] - a[0], dy = b[1] - a[1];
    const int64_t rest = dx * (y - a[1]);
    if (dy > 0) {
        const int64_t limit = a[0] + floor_divide(rest, dy);
        *last = limit < *last ? limit : *last;
    } else if (dy < 0) {
        const int64_t limit = a[0] - floor_divide(rest, -dy);
        *first = limit > *first ? limit : *first;
    } else if (rest < 0) {
        *last = *first - 1;
    }
}

void tal_triangle_scan(const int32_t a[2], const int32_t b[2], const int32_t c[2],
                       tal_span_visit *visit, void *context) {
    const int32_t *corner[3] = {a, b, c};
    int32_t low[2] = {a[0], a[1]}, high[2] = {a[0], a[1]};
    for (int k = 1; k < 3; k++) {
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = corner[k][axis] < low[axis] ? corner[k][axis] : low[axis];
            high[axis] = corner[k][axis] > high[axis] ? corner[k][axis] : high[axis];
        }
    }
    for (int32_t y = low[1]; y <= high[1]; y++) {
        int64_t first = low[0], last = high[0];
        for (int k = 0; k < 3; k++) {
            narrow_span(corner[k], corner[(k + 1) % 3], y, &first, &last);
        }
        if (first <= last) {
            visit(context, y, (int32_t)first, (int32_t)last);
        }
    }
}

// ---- The worst cell of each triangle ---------------------------------------------------

typedef struct {
    float error;
    int32_t x, y;
    int32_t place; // in the heap, -1 outside
} candidate;

typedef struct {
    tal_delaunay *mesh;
    const tal_raster *bed;
    double error_m;
    uint8_t *is_vertex; // per cell
    candidate *candidates;
    int32_t candidate_capacity;
    int32_t *heap;
    int32_t heap_count;
} refinement;

static size_t cell_of(const tal_raster *bed, int32_t x, int32_t y) {
    return (size_t)(bed->grid.rows - 1 - y) * (size_t)bed->grid.columns + (size_t)x;
}

typedef struct {
    const refinement *work;
    double base, slope_x, slope_y; // height of the plane at column 0, row 0 and its slopes per cell
    candidate best;
} plane_scan;

static void scan_span(void *context, int32_t y, int32_t first, int32_t last) {
    plane_scan *scan = context;
    const tal_raster *bed = scan->work->bed;
    const float *row = bed->value + cell_of(bed, 0, y);
    const double start = scan->base + scan->slope_y * y;
    for (int32_t x = first; x <= last; x++) {
        const float error = (float)fabs(start + scan->slope_x * x - row[x]);
        // False for cells without data, whose error is NaN.
        if (error > scan->best.error && !scan->work->is_vertex[cell_of(bed, x, y)]) {
            scan->best.error = error;
            scan->best.x = x;
            scan->best.y = y;
        }
    }
}

static bool find_plane(const refinement *work, const int32_t v[3], plane_scan *scan) {
    const tal_delaunay *mesh = work->mesh;
    double z[3];
    for (int k = 0; k < 3; k++) {
        z[k] = work->bed->value[cell_of(work->bed, mesh->vertex_x[v[k]], mesh->vertex_y[v[k]])];
    }
    if (isnan(z[0] + z[1] + z[2])) {
        return false;
    }
    const double ax = mesh->vertex_x[v[0]], ay = mesh->vertex_y[v[0]];
    const double ux = mesh->vertex_x[v[1]] - ax, uy = mesh->vertex_y[v[1]] - ay;
    const double wx = mesh->vertex_x[v[2]] - ax, wy = mesh->vertex_y[v[2]] - ay;
    const double area = ux * wy - wx * uy;
    scan->slope_x = ((z[1] - z[0]) * wy - (z[2] - z[0]) * uy) / area;
    scan->slope_y = ((z[2] - z[0]) * ux - (z[1] - z[0]) * wx) / area;
    scan->base = z[0] - scan->slope_x * ax - scan->slope_y * ay;
    return true;
}

static candidate find_candidate(const refinement *work, int32_t t) {
    const tal_delaunay *mesh = work->mesh;
    const int32_t *v = mesh->triangle[t].vertex;
    plane_scan scan = {.work = work, .best = {0, 0, 0, -1}};
    if (!find_plane(work, v, &scan)) {
        return scan.best;
    }
    int32_t corner[3][2];
    for (int k = 0; k < 3; k++) {
        corner[k][0] = mesh->vertex_x[v[k]];
        corner[k][1] = mesh->vertex_y[v[k]];
    }
    tal_triangle_scan(corner[0], corner[1], corner[2], scan_span, &scan);
    return scan.best;
}

// ---- Heap of triangles, the worst first; ties by number --------------------------------

static bool is_before(const refinement *work, int32_t a, int32_t b) {
    const float ea = work->candidates[a].error, eb = work->candidates[b].error;
    return ea > eb || (ea == eb && a < b);
}

static void place_at(refinement *work, int32_t place, int32_t t) {
    work->heap[place] = t;
    work->candidates[t].place = place;
}

static void sift_up(refinement *work, int32_t place) {
    const int32_t t = work->heap[place];
    while (place > 0 && is_before(work, t, work->heap[(place - 1) / 2])) {
        place_at(work, place, work->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    place_at(work, place, t);
}

static void sift_down(refinement *work, int32_t place) {
    const int32_t t = work->heap[place];
    for (;;) {
        int32_t child = 2 * place + 1;
        if (child >= work->heap_count) {
            break;
        }
        if (child + 1 < work->heap_count &&
            is_before(work, work->heap[child + 1], work->heap[child])) {
            child++;
        }
        if (!is_before(work, work->heap[child], t)) {
            break;
        }
        place_at(work, place, work->heap[child]);
        place = child;
    }
    place_at(work, place, t);
}

static void remove_from_heap(refinement *work, int32_t t) {
    const int32_t place = work->candidates[t].place;
    if (place < 0) {
        return;
    }
    work->candidates[t].place = -1;
    const int32_t moved = work->heap[--work->heap_count];
    if (moved != t) {
        place_at(work, place, moved);
        sift_up(work, place);
        sift_down(work, work->candidates[moved].place);
    }
}

static tal_status reserve_candidates(refinement *work, tal_error *err) {
    const int32_t wanted = work->mesh->triangle_capacity;
    if (wanted <= work->candidate_capacity) {
        return TAL_OK;
    }
    const size_t old = (size_t)work->candidate_capacity, count = (size_t)wanted;
    TAL_GROW(work->candidates, old, count, "worst cells", err);
    TAL_GROW(work->heap, old, count, "a heap of triangles", err);
    for (size_t t = old; t < count; t++) {
        work->candidates[t].place = -1;
    }
    work->candidate_capacity = wanted;
    return TAL_OK;
}

static void update_triangle(refinement *work, int32_t t) {
    remove_from_heap(work, t);
    candidate found = find_candidate(work, t);
    found.place = -1;
    work->candidates[t] = found;
    if ((double)found.error > work->error_m) {
        work->heap[work->heap_count] = t;
        work->candidates[t].place = work->heap_count++;
        sift_up(work, work->candidates[t].place);
    }
}

// ---- Refinement ------------------------------------------------------------------------

static tal_status insert_cell(refinement *work, int32_t x, int32_t y, int32_t t, tal_error *err) {
    TAL_TRY(tal_delaunay_insert(work->mesh, x, y, t, err));
    work->is_vertex[cell_of(work->bed, x, y)] = 1;
    return TAL_OK;
}

// A square of four neighbouring cells of which some have data and some have none.
static bool is_mixed_square(const tal_raster *bed, int32_t x, int32_t y) {
    int empty = 0;
    for (int k = 0; k < 4; k++) {
        empty += isnan(bed->value[cell_of(bed, x + (k & 1), y + (k >> 1))]) ? 1 : 0;
    }
    return empty > 0 && empty < 4;
}

static tal_status insert_data_edges(refinement *work, tal_error *err) {
    const tal_grid *grid = &work->bed->grid;
    for (int32_t y = 0; y + 1 < grid->rows; y++) {
        for (int32_t x = 0; x + 1 < grid->columns; x++) {
            if (!is_mixed_square(work->bed, x, y)) {
                continue;
            }
            for (int k = 0; k < 4; k++) {
                const int32_t cx = x + (k & 1), cy = y + (k >> 1);
                if (!work->is_vertex[cell_of(work->bed, cx, cy)]) {
                    const int32_t t = tal_delaunay_find(work->mesh, cx, cy);
                    TAL_TRY(insert_cell(work, cx, cy, t, err));
                }
            }
        }
    }
    return TAL_OK;
}

// docs/theory/mesher.md (2).
static tal_status refine_to_error(refinement *work, tal_error *err) {
    TAL_TRY(reserve_candidates(work, err));
    for (int32_t t = 0; t < work->mesh->triangle_count; t++) {
        update_triangle(work, t);
    }
    for (int64_t step = 0; work->heap_count > 0; step++) {
        if (step % 4096 == 0) {
            TAL_TRY(tal_interrupt_check(err));
        }
        const int32_t worst = work->heap[0];
        const candidate cell = work->candidates[worst];
        TAL_TRY(insert_cell(work, cell.x, cell.y, worst, err));
        TAL_TRY(reserve_candidates(work, err));
        // The list repeats triangles that changed twice; each is scanned once, at its last mention.
        const int32_t *changed = work->mesh->changed;
        for (int32_t k = 0; k < work->mesh->changed_count; k++) {
            bool again = false;
            for (int32_t l = k + 1; l < work->mesh->changed_count && !again; l++) {
                again = changed[l] == changed[k];
            }
            if (!again) {
                update_triangle(work, changed[k]);
            }
        }
    }
    return TAL_OK;
}

tal_status tal_terrain_refine(tal_delaunay *mesh, const tal_raster *bed, double error_m,
                              tal_error *err) {
    tal_status status = TAL_OK;
    // Candidates keep single-precision errors; this keeps their rounding on the safe side.
    refinement work = {.mesh = mesh, .bed = bed, .error_m = error_m * (1 - 1e-6)};
    TAL_CREATE_OR_DONE(work.is_vertex, tal_grid_cell_count(&bed->grid), "marks of vertices", err);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        work.is_vertex[cell_of(bed, mesh->vertex_x[v], mesh->vertex_y[v])] = 1;
    }
    TAL_TRY_OR_DONE(insert_data_edges(&work, err));
    TAL_TRY_OR_DONE(refine_to_error(&work, err));
done:
    tal_memory_destroy(work.is_vertex);
    tal_memory_destroy(work.candidates);
    tal_memory_destroy(work.heap);
    return status;
}

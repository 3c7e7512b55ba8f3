// SPDX-License-Identifier: GPL-3.0-or-later
// Left-looking by columns: column j gathers from the columns before it that have a block in row j,
// kept in a list per row (link), then is divided by its pivot.
#include "solver/finish/block_factor.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

// A pivot whose volume is below this share of the product of its rows' lengths, its columns made equally
// large, counts as singular (whatever the units of rows and columns are):
// 1e-13 keeps three digits of what the block can say.
static const double SINGULAR = 1e-13;

static tal_status allocate(tal_block_factor *f, int32_t count, tal_error *err) {
    const size_t n = (size_t)count, width = (size_t)f->width, size = width * width;
    TAL_CREATE(f->order, n, "an order of elimination", err);
    TAL_CREATE(f->place, n, "an order of elimination", err);
    TAL_CREATE(f->start, n + 1, "columns of a factor", err);
    TAL_CREATE(f->inverse, size * n, "pivots", err);
    TAL_CREATE(f->sum_lower, size * n, "a column of a factor", err);
    TAL_CREATE(f->sum_upper, size * n, "a row of a factor", err);
    TAL_CREATE(f->parent, n, "an elimination tree", err);
    TAL_CREATE(f->mark, n, "an elimination tree", err);
    TAL_CREATE(f->link, 2 * n, "lists of columns", err);
    TAL_CREATE(f->cursor, n, "lists of columns", err);
    TAL_CREATE(f->scratch, width * n, "a right-hand side", err);
    TAL_CREATE(f->residual, width * n, "a right-hand side", err);
    return TAL_OK;
}

tal_status tal_block_factor_create_wide(tal_block_factor *f, int32_t count_max, int width,
                                        tal_error *err) {
    TAL_ASSERT(width == 3 || width == 6);
    *f = (tal_block_factor){.width = width, .count_max = count_max, .flops_max = INFINITY};
    const tal_status status = allocate(f, count_max, err);
    if (status != TAL_OK) {
        tal_block_factor_destroy(f);
    }
    return status;
}

tal_status tal_block_factor_create(tal_block_factor *f, int32_t count_max, tal_error *err) {
    return tal_block_factor_create_wide(f, count_max, 3, err);
}

void tal_block_factor_destroy(tal_block_factor *f) {
    void *all[] = {f->order, f->place,   f->start,     f->row,       f->lower,
                   f->upper, f->inverse, f->sum_lower, f->sum_upper, f->parent,
                   f->mark,  f->link,    f->cursor,    f->scratch,   f->residual};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tal_memory_destroy(all[i]);
    }
    *f = (tal_block_factor){0};
}

// Walks from the entries of row j up the tree: every column met has a block in row j. The first pass
// (`filled` NULL) makes the tree and counts, the second writes.
static void visit_row(tal_block_factor *f, const tal_block_matrix *m, int32_t j, int64_t *filled) {
    f->mark[j] = j;
    const int32_t i = f->order[j];
    for (int64_t p = m->start[i]; p < m->start[i + 1]; p++) {
        for (int32_t k = f->place[m->column[p]]; k < j && f->mark[k] != j; k = f->parent[k]) {
            if (filled == NULL) {
                f->parent[k] = f->parent[k] < 0 ? j : f->parent[k];
                f->start[k + 1]++;
            } else {
                f->row[f->start[k] + filled[k]++] = j;
            }
            f->mark[k] = j;
        }
    }
}

static tal_status reserve(tal_block_factor *f, int64_t blocks, tal_error *err) {
    if (blocks <= f->block_max) {
        return TAL_OK;
    }
    const int64_t wanted = blocks + blocks / 4;
    const size_t numbers = (size_t)(f->width * f->width) * (size_t)wanted;
    tal_memory_destroy(f->row);
    tal_memory_destroy(f->lower);
    tal_memory_destroy(f->upper);
    f->row = NULL;
    f->lower = f->upper = NULL;
    f->block_max = 0;
    TAL_CREATE(f->row, (size_t)wanted, "rows of a factor", err);
    TAL_CREATE(f->lower, numbers, "blocks of a factor", err);
    TAL_CREATE(f->upper, numbers, "blocks of a factor", err);
    f->block_max = wanted;
    return TAL_OK;
}

static void reset_marks(tal_block_factor *f) {
    for (int32_t j = 0; j < f->count; j++) {
        f->mark[j] = -1;
    }
}

tal_status tal_block_factor_analyse(tal_block_factor *f, const tal_block_matrix *matrix,
                                    const int32_t *order, tal_error *err) {
    TAL_ASSERT(matrix->count <= f->count_max && matrix->width == f->width);
    f->count = matrix->count;
    memset(f->start, 0, ((size_t)f->count + 1) * sizeof *f->start);
    for (int32_t j = 0; j < f->count; j++) {
        f->order[j] = order[j];
        f->place[order[j]] = j;
        f->parent[j] = -1;
    }
    reset_marks(f);
    for (int32_t j = 0; j < f->count; j++) {
        visit_row(f, matrix, j, NULL);
    }
    f->flops = 0.0;
    for (int32_t j = 0; j < f->count; j++) {
        const double length = (double)f->start[j + 1];
        f->flops += 2.0 * f->width * f->width * f->width * length * (length + 1.0);
        f->start[j + 1] += f->start[j];
    }
    if (f->flops > f->flops_max) {
        return TAL_OK;
    }
    TAL_TRY(reserve(f, f->start[f->count], err));
    memset(f->cursor, 0, (size_t)f->count * sizeof *f->cursor);
    reset_marks(f);
    for (int32_t j = 0; j < f->count; j++) { // rows in ascending order: columns come out sorted
        visit_row(f, matrix, j, f->cursor);
    }
    return TAL_OK;
}

static double length_of(const double row[3]) {
    return sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
}

static void invert(const double a[9], double determinant, double inverse[9]) {
    const double s = 1.0 / determinant;
    inverse[0] = (a[4] * a[8] - a[5] * a[7]) * s;
    inverse[1] = (a[2] * a[7] - a[1] * a[8]) * s;
    inverse[2] = (a[1] * a[5] - a[2] * a[4]) * s;
    inverse[3] = (a[5] * a[6] - a[3] * a[8]) * s;
    inverse[4] = (a[0] * a[8] - a[2] * a[6]) * s;
    inverse[5] = (a[2] * a[3] - a[0] * a[5]) * s;
    inverse[6] = (a[3] * a[7] - a[4] * a[6]) * s;
    inverse[7] = (a[1] * a[6] - a[0] * a[7]) * s;
    inverse[8] = (a[0] * a[4] - a[1] * a[3]) * s;
}

static double determinant_of(const double a[9]) {
    return a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

// The volume that the block could have with rows and columns as large as they are.
static double box_of(const double a[9]) {
    double scaled[9], columns = 1.0;
    for (int j = 0; j < 3; j++) {
        const double size = fmax(fabs(a[j]), fmax(fabs(a[3 + j]), fabs(a[6 + j])));
        const double divisor = size > 0.0 ? size : 1.0;
        columns *= size;
        for (int i = 0; i < 3; i++) {
            scaled[3 * i + j] = a[3 * i + j] / divisor;
        }
    }
    return columns * length_of(scaled) * length_of(&scaled[3]) * length_of(&scaled[6]);
}

// Of a block of 3 by 3: 0 if it is singular, -1 if it is not a number, else 1.
static int invert_three(const double a[9], double size, double inverse[9]) {
    const double determinant = determinant_of(a), volume = box_of(a), tiny = 1e-14 * size;
    if (!isfinite(determinant) || !isfinite(volume)) {
        return -1;
    }
    if (!(fabs(determinant) > SINGULAR * volume && volume > tiny * tiny * tiny)) {
        return 0;
    }
    invert(a, determinant, inverse);
    return 1;
}

// Rows of 6 numbers, each over its largest; the same divisors in the rows of `inverse`. False if a row has
// nothing in it.
static bool begin_six(const double a[36], double scaled[36], double inverse[36]) {
    memset(inverse, 0, 36 * sizeof *inverse);
    for (int i = 0; i < 6; i++) {
        double largest = 0.0;
        for (int j = 0; j < 6; j++) {
            largest = fmax(largest, fabs(a[6 * i + j]));
        }
        if (!(largest > 0.0)) {
            return false;
        }
        for (int j = 0; j < 6; j++) {
            scaled[6 * i + j] = a[6 * i + j] / largest;
        }
        inverse[7 * i] = 1.0 / largest;
    }
    return true;
}

static void swap_rows(double *a, int i, int j) {
    for (int k = 0; k < 6 && i != j; k++) {
        const double value = a[6 * i + k];
        a[6 * i + k] = a[6 * j + k];
        a[6 * j + k] = value;
    }
}

// Takes column c out of all rows but c.
static void clear_column(double a[36], double inverse[36], int c) {
    const double s = 1.0 / a[7 * c];
    for (int k = 0; k < 6; k++) {
        a[6 * c + k] *= s;
        inverse[6 * c + k] *= s;
    }
    for (int i = 0; i < 6; i++) {
        const double factor = a[6 * i + c];
        for (int k = 0; k < 6 && i != c; k++) {
            a[6 * i + k] -= factor * a[6 * c + k];
            inverse[6 * i + k] -= factor * inverse[6 * c + k];
        }
    }
}

// Gauss and Jordan, with the largest pivot of a column.
int tal_block_invert_six(const double a[36], double inverse[36]) {
    double left[36], sum = 0.0;
    for (int i = 0; i < 36; i++) {
        sum += a[i];
    }
    if (!isfinite(sum)) {
        return -1;
    }
    if (!begin_six(a, left, inverse)) {
        return 0;
    }
    for (int c = 0; c < 6; c++) {
        int best = c;
        for (int i = c + 1; i < 6; i++) {
            best = fabs(left[6 * i + c]) > fabs(left[6 * best + c]) ? i : best;
        }
        if (!(fabs(left[6 * best + c]) > SINGULAR)) {
            return 0;
        }
        swap_rows(left, c, best);
        swap_rows(inverse, c, best);
        clear_column(left, inverse, c);
    }
    return 1;
}

// Inverts a pivot, made larger until it can be. `size` is that of the block before anything was
// subtracted from it. False if it is not a number.
static bool invert_pivot(tal_block_factor *f, double *a, double size, double *inverse) {
    double larger = 1e-10 * size;
    for (int trial = 0; trial < 12; trial++) {
        const int done =
            f->width == 3 ? invert_three(a, size, inverse) : tal_block_invert_six(a, inverse);
        if (done != 0) {
            f->perturbed_count += done > 0 && trial > 0;
            return done > 0;
        }
        for (int i = 0; i < f->width; i++) {
            a[i * (f->width + 1)] += larger;
        }
        larger *= 10.0;
    }
    return false;
}

// c -= a b
static inline void subtract_product(int width, const double *a, const double *b, double *c) {
    if (width == 3) {
        tal_block_subtract_product(a, b, c);
        return;
    }
    for (int i = 0; i < 6; i++) {
        double row[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < 6; j++) {
                row[j] += a[6 * i + k] * b[6 * k + j];
            }
        }
        for (int j = 0; j < 6; j++) {
            c[6 * i + j] -= row[j];
        }
    }
}

// y -= A x
static inline void subtract_applied(int width, const double *a, const double *x, double *y) {
    for (int i = 0; i < width; i++) {
        double sum = 0.0;
        for (int j = 0; j < width; j++) {
            sum += a[width * i + j] * x[j];
        }
        y[i] -= sum;
    }
}

static double *block_at(const tal_block_factor *f, double *all, int64_t n) {
    return &all[(ptrdiff_t)(f->width * f->width) * n];
}

static void scatter_column(tal_block_factor *f, const tal_block_matrix *m, int32_t j) {
    const size_t bytes = (size_t)(f->width * f->width) * sizeof(double);
    memset(block_at(f, f->sum_lower, j), 0, bytes);
    for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
        memset(block_at(f, f->sum_lower, f->row[p]), 0, bytes);
        memset(block_at(f, f->sum_upper, f->row[p]), 0, bytes);
    }
    const int32_t i = f->order[j];
    for (int64_t p = m->start[i]; p < m->start[i + 1]; p++) {
        const int32_t k = f->place[m->column[p]];
        if (k >= j) { // block (i, k) of A belongs to U; its mirror image (k, i) to L
            memcpy(block_at(f, k == j ? f->sum_lower : f->sum_upper, k), block_at(f, m->value, p),
                   bytes);
            if (k > j) {
                const int64_t mirror = tal_block_matrix_find(m, m->column[p], i);
                TAL_VALIDATE(mirror >= 0);
                memcpy(block_at(f, f->sum_lower, k), block_at(f, m->value, mirror), bytes);
            }
        }
    }
}

// Subtracts what column k contributes to column and row j.
static void gather_from(tal_block_factor *f, int32_t k, int32_t j) {
    const int64_t first = f->cursor[k], end = f->start[k + 1];
    const int width = f->width;
    const double *l = block_at(f, f->lower, first), *u = block_at(f, f->upper, first);
    subtract_product(width, l, u, block_at(f, f->sum_lower, j)); // L(j,k), U(k,j)
    for (int64_t p = first + 1; p < end; p++) {
        const int32_t to = f->row[p];
        subtract_product(width, block_at(f, f->lower, p), u, block_at(f, f->sum_lower, to));
        subtract_product(width, l, block_at(f, f->upper, p), block_at(f, f->sum_upper, to));
    }
}

// Hands column k to the list of its next row.
static void pass_on(tal_block_factor *f, int32_t k) {
    int32_t *next = f->link, *head = &f->link[f->count];
    if (f->cursor[k] < f->start[k + 1]) {
        const int32_t row = f->row[f->cursor[k]];
        next[k] = head[row];
        head[row] = k;
    }
}

static void store_column(tal_block_factor *f, int32_t j) {
    const size_t bytes = (size_t)(f->width * f->width) * sizeof(double);
    double negative[36];
    const double *inverse = block_at(f, f->inverse, j);
    for (int i = 0; i < f->width * f->width; i++) {
        negative[i] = -inverse[i];
    }
    for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
        double *lower = block_at(f, f->lower, p);
        memset(lower, 0, bytes);
        subtract_product(f->width, block_at(f, f->sum_lower, f->row[p]), negative, lower);
        memcpy(block_at(f, f->upper, p), block_at(f, f->sum_upper, f->row[p]), bytes);
    }
}

static double size_of(const double *a, int width) {
    double largest = 0.0;
    for (int i = 0; i < width; i++) {
        double square = 0.0;
        for (int j = 0; j < width; j++) {
            square += a[width * i + j] * a[width * i + j];
        }
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

bool tal_block_factor_compute(tal_block_factor *f, const tal_block_matrix *matrix) {
    int32_t *next = f->link, *head = &f->link[f->count];
    f->perturbed_count = 0;
    if (f->flops > f->flops_max) {
        return false;
    }
    for (int32_t j = 0; j < f->count; j++) {
        head[j] = -1;
    }
    for (int32_t j = 0; j < f->count; j++) {
        double *pivot = block_at(f, f->sum_lower, j);
        scatter_column(f, matrix, j);
        const double size = size_of(pivot, f->width);
        for (int32_t k = head[j]; k >= 0;) {
            const int32_t after = next[k];
            gather_from(f, k, j);
            f->cursor[k]++;
            pass_on(f, k);
            k = after;
        }
        if (!invert_pivot(f, pivot, size, block_at(f, f->inverse, j))) {
            return false;
        }
        store_column(f, j);
        f->cursor[j] = f->start[j];
        pass_on(f, j);
    }
    return true;
}

void tal_block_factor_substitute(tal_block_factor *f, const double *b, double *x) {
    const int w = f->width;
    const size_t bytes = (size_t)w * sizeof *x;
    double *y = f->scratch;
    for (int32_t j = 0; j < f->count; j++) {
        memcpy(&y[w * j], &b[w * f->order[j]], bytes);
    }
    for (int32_t j = 0; j < f->count; j++) {
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            subtract_applied(w, block_at(f, f->lower, p), &y[w * j], &y[w * f->row[p]]);
        }
    }
    for (int32_t j = f->count - 1; j >= 0; j--) {
        double sum[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            subtract_applied(w, block_at(f, f->upper, p), &y[w * f->row[p]], &y[w * j]);
        }
        subtract_applied(w, block_at(f, f->inverse, j), &y[w * j], sum);
        for (int i = 0; i < w; i++) {
            y[w * j + i] = -sum[i];
        }
    }
    for (int32_t j = 0; j < f->count; j++) {
        memcpy(&x[w * f->order[j]], &y[w * j], bytes);
    }
}

static double square_sum(int32_t count, const double *x) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

bool tal_block_factor_solve(tal_block_factor *f, const tal_block_matrix *matrix, const double *b,
                            int refinements, double *x) {
    const int32_t size = 3 * f->count;
    double *left = f->residual, *step = f->sum_upper; // free between factorisations
    tal_block_factor_substitute(f, b, x);
    double square = INFINITY;
    for (int n = 0; n < refinements; n++) {
        tal_block_matrix_multiply(matrix, x, left);
        for (int32_t i = 0; i < size; i++) {
            left[i] = b[i] - left[i];
        }
        const double now = square_sum(size, left);
        if (!(now < 0.25 * square) || now == 0.0) { // no longer improving
            break;
        }
        square = now;
        tal_block_factor_substitute(f, left, step);
        for (int32_t i = 0; i < size; i++) {
            x[i] += step[i];
        }
    }
    return isfinite(square_sum(size, x));
}

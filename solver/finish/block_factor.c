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
    const size_t n = (size_t)count;
    TAL_CREATE(f->order, n, "an order of elimination", err);
    TAL_CREATE(f->place, n, "an order of elimination", err);
    TAL_CREATE(f->start, n + 1, "columns of a factor", err);
    TAL_CREATE(f->inverse, 9 * n, "pivots", err);
    TAL_CREATE(f->sum_lower, 9 * n, "a column of a factor", err);
    TAL_CREATE(f->sum_upper, 9 * n, "a row of a factor", err);
    TAL_CREATE(f->parent, n, "an elimination tree", err);
    TAL_CREATE(f->mark, n, "an elimination tree", err);
    TAL_CREATE(f->link, 2 * n, "lists of columns", err);
    TAL_CREATE(f->cursor, n, "lists of columns", err);
    TAL_CREATE(f->scratch, 3 * n, "a right-hand side", err);
    TAL_CREATE(f->residual, 3 * n, "a right-hand side", err);
    return TAL_OK;
}

tal_status tal_block_factor_create(tal_block_factor *f, int32_t count_max, tal_error *err) {
    *f = (tal_block_factor){.count_max = count_max, .flops_max = INFINITY};
    const tal_status status = allocate(f, count_max, err);
    if (status != TAL_OK) {
        tal_block_factor_destroy(f);
    }
    return status;
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
    tal_memory_destroy(f->row);
    tal_memory_destroy(f->lower);
    tal_memory_destroy(f->upper);
    f->row = NULL;
    f->lower = f->upper = NULL;
    f->block_max = 0;
    TAL_CREATE(f->row, (size_t)wanted, "rows of a factor", err);
    TAL_CREATE(f->lower, 9 * (size_t)wanted, "blocks of a factor", err);
    TAL_CREATE(f->upper, 9 * (size_t)wanted, "blocks of a factor", err);
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
    TAL_ASSERT(matrix->count <= f->count_max);
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
        f->flops += 54.0 * length * (length + 1.0);
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

// Inverts a pivot, made larger until it can be. `size` is that of the block before anything was
// subtracted from it. False if it is not a number.
static bool invert_pivot(tal_block_factor *f, double a[9], double size, double inverse[9]) {
    double larger = 1e-10 * size;
    bool is_perturbed = false;
    for (int trial = 0; trial < 12; trial++) {
        const double determinant = determinant_of(a);
        const double volume = box_of(a);
        const double tiny = 1e-14 * size;
        if (!isfinite(determinant) || !isfinite(volume)) {
            return false;
        }
        if (fabs(determinant) > SINGULAR * volume && volume > tiny * tiny * tiny) {
            invert(a, determinant, inverse);
            f->perturbed_count += is_perturbed;
            return true;
        }
        is_perturbed = true;
        a[0] += larger;
        a[4] += larger;
        a[8] += larger;
        larger *= 10.0;
    }
    return false;
}

static void scatter_column(tal_block_factor *f, const tal_block_matrix *m, int32_t j) {
    memset(&f->sum_lower[9 * (ptrdiff_t)j], 0, 9 * sizeof(double));
    for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
        memset(&f->sum_lower[9 * (ptrdiff_t)f->row[p]], 0, 9 * sizeof(double));
        memset(&f->sum_upper[9 * (ptrdiff_t)f->row[p]], 0, 9 * sizeof(double));
    }
    const int32_t i = f->order[j];
    for (int64_t p = m->start[i]; p < m->start[i + 1]; p++) {
        const int32_t k = f->place[m->column[p]];
        if (k >= j) { // block (i, k) of A belongs to U; its mirror image (k, i) to L
            double *to = k == j ? &f->sum_lower[9 * (ptrdiff_t)j] : &f->sum_upper[9 * (ptrdiff_t)k];
            memcpy(to, &m->value[9 * p], 9 * sizeof(double));
            if (k > j) {
                const int64_t mirror = tal_block_matrix_find(m, m->column[p], i);
                TAL_VALIDATE(mirror >= 0);
                memcpy(&f->sum_lower[9 * (ptrdiff_t)k], &m->value[9 * mirror], 9 * sizeof(double));
            }
        }
    }
}

// Subtracts what column k contributes to column and row j.
static void gather_from(tal_block_factor *f, int32_t k, int32_t j) {
    const int64_t first = f->cursor[k], end = f->start[k + 1];
    const double *l = &f->lower[9 * first], *u = &f->upper[9 * first]; // L(j,k), U(k,j)
    tal_block_subtract_product(l, u, &f->sum_lower[9 * (ptrdiff_t)j]);
    for (int64_t p = first + 1; p < end; p++) {
        const ptrdiff_t to = 9 * (ptrdiff_t)f->row[p];
        tal_block_subtract_product(&f->lower[9 * p], u, &f->sum_lower[to]);
        tal_block_subtract_product(l, &f->upper[9 * p], &f->sum_upper[to]);
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
    const double *inverse = &f->inverse[9 * (ptrdiff_t)j];
    for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
        const ptrdiff_t from = 9 * (ptrdiff_t)f->row[p];
        memset(&f->lower[9 * p], 0, 9 * sizeof(double));
        tal_block_add_product(&f->sum_lower[from], inverse, &f->lower[9 * p]);
        memcpy(&f->upper[9 * p], &f->sum_upper[from], 9 * sizeof(double));
    }
}

static double size_of(const double a[9]) {
    return fmax(length_of(a), fmax(length_of(&a[3]), length_of(&a[6])));
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
        double *pivot = &f->sum_lower[9 * (ptrdiff_t)j];
        scatter_column(f, matrix, j);
        const double size = size_of(pivot);
        for (int32_t k = head[j]; k >= 0;) {
            const int32_t after = next[k];
            gather_from(f, k, j);
            f->cursor[k]++;
            pass_on(f, k);
            k = after;
        }
        if (!invert_pivot(f, pivot, size, &f->inverse[9 * (ptrdiff_t)j])) {
            return false;
        }
        store_column(f, j);
        f->cursor[j] = f->start[j];
        pass_on(f, j);
    }
    return true;
}

static void substitute(const tal_block_factor *f, const double *b, double *x) {
    double *y = f->scratch;
    for (int32_t j = 0; j < f->count; j++) {
        memcpy(&y[3 * j], &b[3 * f->order[j]], 3 * sizeof *y);
    }
    for (int32_t j = 0; j < f->count; j++) {
        const double *a = &y[3 * j];
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            double product[3], *to = &y[3 * f->row[p]];
            tal_block_apply(&f->lower[9 * p], a, product);
            to[0] -= product[0];
            to[1] -= product[1];
            to[2] -= product[2];
        }
    }
    for (int32_t j = f->count - 1; j >= 0; j--) {
        double sum[3] = {y[3 * j], y[3 * j + 1], y[3 * j + 2]};
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            double product[3];
            tal_block_apply(&f->upper[9 * p], &y[3 * f->row[p]], product);
            sum[0] -= product[0];
            sum[1] -= product[1];
            sum[2] -= product[2];
        }
        tal_block_apply(&f->inverse[9 * (ptrdiff_t)j], sum, &y[3 * j]);
    }
    for (int32_t j = 0; j < f->count; j++) {
        memcpy(&x[3 * f->order[j]], &y[3 * j], 3 * sizeof *x);
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
    substitute(f, b, x);
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
        substitute(f, left, step);
        for (int32_t i = 0; i < size; i++) {
            x[i] += step[i];
        }
    }
    return isfinite(square_sum(size, x));
}

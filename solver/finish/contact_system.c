// SPDX-License-Identifier: GPL-3.0-or-later
// With s_k = f_k^-1 (b_k - g_k Q_k y), y = N z, z = sum of Q_k' s_k, N = Q' A Q, a row of the system reads
//   z + E N z = sum of Q_k' f_k^-1 b_k,  E = sum of Q_k' f_k^-1 g_k Q_k,
// where the columns of Q_k are a basis of the velocities that the contacts of a row can have (F9).
#include "solver/finish/contact_system.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

// With 8 the answers of a patch whose f are 1e-8 and 1e4 are as good as their residual can say (1e-15 instead of
// 1e-8), but the interior point ended earlier on a wall of rock (at 1e-6 instead of 5e-9).
enum { REFINEMENTS = 3 };
// Contacts of a patch from which on it has a basis: two have as many unknowns without.
enum { REDUCED_MIN = 3 };
// Of the largest diagonal: what is left of the squares of a patch's velocities when six are taken away. A
// patch with more has no basis (a spring on the diagonal, or bodies that nothing else touches).
static const double RANK = 1e-10, NOTHING = 1e-13;
// Patches are worth their bases from here on, of the unknowns of all contacts.
static const double WORTH = 0.8;

static bool has_same_row(const tal_block_matrix *w, int32_t a, int32_t b) {
    const int64_t length = w->start[a + 1] - w->start[a];
    return length == w->start[b + 1] - w->start[b] &&
           memcmp(&w->column[w->start[a]], &w->column[w->start[b]],
                  (size_t)length * sizeof *w->column) == 0;
}

// Contacts with equal rows, which touch each other, are a patch.
static void find_patches(tal_contact_system *s, const tal_block_matrix *w) {
    int32_t used = 0;
    for (int32_t k = 0; k < s->contact_count; k++) {
        s->patch_of[k] = -1;
    }
    for (int32_t k = 0; k < s->contact_count; k++) {
        if (s->patch_of[k] >= 0) {
            continue;
        }
        s->member_start[s->patch_count] = used;
        for (int64_t p = w->start[k]; p < w->start[k + 1]; p++) {
            const int32_t l = w->column[p];
            if (l >= k && s->patch_of[l] < 0 && has_same_row(w, k, l)) {
                s->patch_of[l] = s->patch_count;
                s->member[used++] = l;
            }
        }
        s->patch_count++;
    }
    s->member_start[s->patch_count] = used;
}

static int32_t rows_of(int32_t contacts) {
    return contacts >= REDUCED_MIN ? 1 : (contacts + 1) / 2;
}

// Patches of three contacts and more must save enough to pay for those of one.
static bool is_worth_it(const tal_contact_system *s, const uint8_t *is_in) {
    int64_t rows = 0, contacts = 0;
    for (int32_t p = 0; p < s->patch_count; p++) {
        int32_t count = 0;
        for (int32_t n = s->member_start[p]; n < s->member_start[p + 1]; n++) {
            count += is_in == NULL || is_in[s->member[n]];
        }
        contacts += count;
        rows += rows_of(count);
    }
    return 6.0 * (double)rows <= WORTH * 3.0 * (double)contacts;
}

// Blocks of the wide form where no patch has a basis, which is the most there can be.
static int64_t count_wide_blocks(const tal_contact_system *s, const tal_block_matrix *w) {
    int64_t blocks = 0;
    for (int32_t k = 0; k < s->contact_count; k++) {
        const int32_t patch = s->patch_of[k];
        if (s->member[s->member_start[patch]] != k) {
            continue;
        }
        const int64_t rows = (s->member_start[patch + 1] - s->member_start[patch] + 1) / 2;
        for (int64_t p = w->start[k]; p < w->start[k + 1]; p++) {
            const int32_t other = s->patch_of[w->column[p]];
            if (s->member[s->member_start[other]] == w->column[p]) {
                blocks += rows * ((s->member_start[other + 1] - s->member_start[other] + 1) / 2);
            }
        }
    }
    return blocks;
}

static int32_t largest_patch(const tal_contact_system *s) {
    int32_t largest = 0;
    for (int32_t p = 0; p < s->patch_count; p++) {
        const int32_t count = s->member_start[p + 1] - s->member_start[p];
        largest = count > largest ? count : largest;
    }
    return largest;
}

static tal_status allocate_wide(tal_contact_system *s, const tal_block_matrix *w, tal_error *err) {
    const size_t count = (size_t)w->count;
    const size_t largest = 3 * (size_t)largest_patch(s);
    TAL_CREATE(s->basis, 18 * count, "bases of patches", err);
    TAL_CREATE(s->inverse, 9 * count, "a system of patches", err);
    TAL_CREATE(s->core, 36 * count, "a system of patches", err);
    TAL_CREATE(s->is_inverse, count, "a system of patches", err);
    TAL_CREATE(s->diagonal, largest, "a basis of a patch", err);
    TAL_CREATE(s->cholesky, 6 * largest, "a basis of a patch", err);
    TAL_CREATE(s->column, 6 * largest, "a basis of a patch", err);
    TAL_TRY(tal_block_matrix_create_wide(&s->system[TAL_WIDE], w->count, count_wide_blocks(s, w), 6,
                                         err));
    return tal_block_factor_create_wide(&s->factor[TAL_WIDE], w->count, 6, err);
}

static tal_status allocate(tal_contact_system *s, const tal_block_matrix *w, tal_error *err) {
    const size_t count = (size_t)w->count;
    TAL_CREATE(s->patch_of, count, "patches of contacts", err);
    TAL_CREATE(s->member_start, count + 1, "patches of contacts", err);
    TAL_CREATE(s->member, count, "patches of contacts", err);
    TAL_CREATE(s->order, count, "an order of contacts", err);
    TAL_CREATE(s->row, count, "rows of contacts", err);
    TAL_CREATE(s->first_row, count, "rows of patches", err);
    TAL_CREATE(s->row_order, count, "an order of rows", err);
    TAL_CREATE(s->right, 6 * count, "a right-hand side", err);
    TAL_CREATE(s->left, 3 * count, "a right-hand side", err);
    TAL_CREATE(s->step, 3 * count, "a step", err);
    TAL_CREATE(s->sum, 3 * count, "a step", err);
    TAL_CREATE(s->moved, 3 * count, "velocities", err);
    find_patches(s, w);
    s->can_be_wide = is_worth_it(s, NULL);
    if (s->can_be_wide) {
        TAL_TRY(allocate_wide(s, w, err));
    }
    TAL_TRY(tal_block_matrix_create(&s->system[TAL_NARROW], w->count, w->start[w->count], err));
    return tal_block_factor_create(&s->factor[TAL_NARROW], w->count, err);
}

tal_status tal_contact_system_create(tal_contact_system *s, const tal_block_matrix *w,
                                     const int32_t *order, tal_error *err) {
    *s = (tal_contact_system){.contact_count = w->count};
    const tal_status status = allocate(s, w, err);
    if (status != TAL_OK) {
        tal_contact_system_destroy(s);
        return status;
    }
    memcpy(s->order, order, (size_t)w->count * sizeof *order);
    return TAL_OK;
}

void tal_contact_system_destroy(tal_contact_system *s) {
    void *all[] = {s->patch_of,  s->member_start, s->member, s->order,     s->row,
                   s->first_row, s->row_order,    s->basis,  s->inverse,   s->core,
                   s->cholesky,  s->column,       s->right,  s->diagonal,  s->left,
                   s->step,      s->sum,          s->moved,  s->is_inverse};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tal_memory_destroy(all[i]);
    }
    for (int form = 0; form < TAL_FORM_COUNT; form++) {
        tal_block_matrix_destroy(&s->system[form]);
        tal_block_factor_destroy(&s->factor[form]);
    }
    *s = (tal_contact_system){0};
}

static tal_block_matrix *system_of(tal_contact_system *s) {
    return &s->system[s->form];
}

const tal_block_factor *tal_contact_system_factor(const tal_contact_system *s) {
    return &s->factor[s->form];
}

bool tal_contact_system_factorise(tal_contact_system *s) {
    return tal_block_factor_compute(&s->factor[s->form], system_of(s));
}

void tal_contact_system_limit(tal_contact_system *s, double flops_max) {
    for (int form = 0; form < TAL_FORM_COUNT; form++) {
        s->factor[form].flops_max = flops_max;
    }
}

// The diagonal of A at the contacts of a patch that take part. Returns the largest number.
static double set_diagonal(tal_contact_system *s, const int32_t *contact, int32_t count) {
    double largest = 0.0;
    for (int32_t n = 0; n < count; n++) {
        const int64_t p = tal_block_matrix_find(s->a, contact[n], contact[n]);
        for (int i = 0; i < 3; i++) {
            s->diagonal[3 * n + i] = s->a->value[9 * p + 4 * i];
            largest = fmax(largest, s->diagonal[3 * n + i]);
        }
    }
    return largest;
}

static int32_t place_of_largest(const double *x, int32_t size) {
    int32_t at = 0;
    for (int32_t i = 1; i < size; i++) {
        at = x[i] > x[at] ? i : at;
    }
    return at;
}

// Number `at` of the contacts' row of A, symmetric whatever A is, to column c of `column`.
static void get_column(tal_contact_system *s, const int32_t *contact, int32_t count, int32_t at,
                       int c) {
    const int32_t k = contact[at / 3];
    for (int32_t n = 0; n < count; n++) {
        const double *there = &s->a->value[9 * tal_block_matrix_find(s->a, k, contact[n])];
        const double *back = &s->a->value[9 * tal_block_matrix_find(s->a, contact[n], k)];
        for (int i = 0; i < 3; i++) {
            s->column[6 * (3 * n + i) + c] = 0.5 * (there[3 * (at % 3) + i] + back[3 * i + at % 3]);
        }
    }
}

// Column c of Cholesky's factor, that of the largest remaining diagonal. False if nothing is left.
static bool take_column(tal_contact_system *s, const int32_t *contact, int32_t count, int c,
                        double whole) {
    const int32_t size = 3 * count, at = place_of_largest(s->diagonal, size);
    if (!(s->diagonal[at] > NOTHING * whole)) {
        return false;
    }
    const double scale = 1.0 / sqrt(s->diagonal[at]);
    get_column(s, contact, count, at, c);
    for (int32_t i = 0; i < size; i++) {
        double left = s->column[6 * i + c];
        for (int b = 0; b < c; b++) {
            left -= s->cholesky[6 * i + b] * s->cholesky[6 * at + b];
        }
        s->column[6 * i + c] = s->cholesky[6 * i + c] = scale * left;
    }
    for (int32_t i = 0; i < size; i++) {
        s->diagonal[i] -= s->cholesky[6 * i + c] * s->cholesky[6 * i + c];
    }
    return true;
}

// Makes column c orthogonal to those before it, twice, and of length 1 (0 if nothing is left).
static void orthogonalise(double *column, int32_t size, int c) {
    for (int twice = 0; twice < 2; twice++) {
        for (int b = 0; b < c; b++) {
            double dot = 0.0;
            for (int32_t i = 0; i < size; i++) {
                dot += column[6 * i + b] * column[6 * i + c];
            }
            for (int32_t i = 0; i < size; i++) {
                column[6 * i + c] -= dot * column[6 * i + b];
            }
        }
        double square = 0.0;
        for (int32_t i = 0; i < size; i++) {
            square += column[6 * i + c] * column[6 * i + c];
        }
        const double scale = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        for (int32_t i = 0; i < size; i++) {
            column[6 * i + c] *= scale;
        }
    }
}

// An orthonormal basis of what A can do at the contacts, by Cholesky's factor with pivots. False if six columns
// are not enough.
static bool find_basis(tal_contact_system *s, const int32_t *contact, int32_t count) {
    const int32_t size = 3 * count;
    const double whole = set_diagonal(s, contact, count);
    memset(s->column, 0, 6 * (size_t)size * sizeof *s->column);
    for (int c = 0; c < 6 && take_column(s, contact, count, c, whole); c++) {
        orthogonalise(s->column, size, c);
    }
    if (!(s->diagonal[place_of_largest(s->diagonal, size)] <= RANK * whole)) {
        return false;
    }
    for (int32_t n = 0; n < count; n++) {
        memcpy(&s->basis[18 * (ptrdiff_t)contact[n]], &s->column[18 * (ptrdiff_t)n],
               18 * sizeof *s->basis);
    }
    return true;
}

// Two contacts a row, each with three unknowns of its own.
static int32_t place_apart(tal_contact_system *s, const int32_t *contact, int32_t count,
                           int32_t first_row) {
    for (int32_t n = 0; n < count; n++) {
        double *q = &s->basis[18 * (ptrdiff_t)contact[n]];
        memset(q, 0, 18 * sizeof *q);
        for (int i = 0; i < 3; i++) {
            q[6 * i + 3 * (n % 2) + i] = 1.0;
        }
        s->row[contact[n]] = first_row + n / 2;
    }
    return first_row + (count + 1) / 2;
}

// Gives the contacts of patch p that take part their rows; returns the row after them.
static int32_t place_patch(tal_contact_system *s, int32_t p, const uint8_t *is_in,
                           int32_t first_row) {
    int32_t *contact = s->row_order; // free until the rows are ordered
    int32_t count = 0;
    for (int32_t n = s->member_start[p]; n < s->member_start[p + 1]; n++) {
        const int32_t k = s->member[n];
        s->row[k] = -1;
        if (is_in == NULL || is_in[k]) {
            contact[count++] = k;
        }
    }
    s->first_row[p] = first_row;
    if (count < REDUCED_MIN || !find_basis(s, contact, count)) {
        return place_apart(s, contact, count, first_row);
    }
    for (int32_t n = 0; n < count; n++) {
        s->row[contact[n]] = first_row;
    }
    return first_row + 1;
}

// Rows in the order in which the contacts are eliminated, each once.
static void order_rows(tal_contact_system *s) {
    int32_t placed = 0;
    double *mark = s->right;
    memset(mark, 0, (size_t)system_of(s)->count * sizeof *mark);
    for (int32_t n = 0; n < s->contact_count; n++) {
        const int32_t row = s->row[s->order[n]];
        if (row >= 0 && mark[row] == 0.0) {
            mark[row] = 1.0;
            s->row_order[placed++] = row;
        }
    }
}

// f^-1
static void invert_three(const double f[9], double inverse[9]) {
    const double minor[3] = {f[4] * f[8] - f[5] * f[7], f[5] * f[6] - f[3] * f[8],
                             f[3] * f[7] - f[4] * f[6]};
    const double scale = 1.0 / (f[0] * minor[0] + f[1] * minor[1] + f[2] * minor[2]);
    inverse[0] = scale * minor[0];
    inverse[1] = scale * (f[2] * f[7] - f[1] * f[8]);
    inverse[2] = scale * (f[1] * f[5] - f[2] * f[4]);
    inverse[3] = scale * minor[1];
    inverse[4] = scale * (f[0] * f[8] - f[2] * f[6]);
    inverse[5] = scale * (f[2] * f[3] - f[0] * f[5]);
    inverse[6] = scale * minor[2];
    inverse[7] = scale * (f[1] * f[6] - f[0] * f[7]);
    inverse[8] = scale * (f[0] * f[4] - f[1] * f[3]);
}

// to += Q' X, X 3 by 6
static void add_turned(const double q[18], const double x[18], double to[36]) {
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 6; i++) {
            const double factor = q[6 * a + i];
            for (int j = 0; j < 6; j++) {
                to[6 * i + j] += factor * x[6 * a + j];
            }
        }
    }
}

// to += B Q, B 3 by 3
static void add_widened(const double b[9], const double q[18], double to[18]) {
    for (int a = 0; a < 3; a++) {
        for (int c = 0; c < 3; c++) {
            const double factor = b[3 * a + c];
            for (int j = 0; j < 6; j++) {
                to[6 * a + j] += factor * q[6 * c + j];
            }
        }
    }
}

// g x of contact k
static void apply_given(const tal_contact_system *s, int32_t k, const double x[3], double y[3]) {
    if (s->g != NULL) {
        tal_block_apply(&s->g[9 * (ptrdiff_t)k], x, y);
    } else {
        memcpy(y, x, 3 * sizeof *y);
    }
}

// E of all rows (F9).
static void set_cores(tal_contact_system *s, int32_t row_count) {
    memset(s->core, 0, 36 * (size_t)row_count * sizeof *s->core);
    for (int32_t k = 0; k < s->contact_count; k++) {
        if (s->row[k] < 0) {
            continue;
        }
        const double *q = &s->basis[18 * (ptrdiff_t)k];
        double given[9] = {0}, widened[18] = {0};
        invert_three(&s->f[9 * (ptrdiff_t)k], &s->inverse[9 * (ptrdiff_t)k]);
        if (s->g != NULL) {
            tal_block_add_product(&s->inverse[9 * (ptrdiff_t)k], &s->g[9 * (ptrdiff_t)k], given);
        } else {
            memcpy(given, &s->inverse[9 * (ptrdiff_t)k], sizeof given);
        }
        add_widened(given, q, widened);
        add_turned(q, widened, &s->core[36 * (ptrdiff_t)s->row[k]]);
    }
    for (int32_t row = 0; row < row_count; row++) {
        double *core = &s->core[36 * (ptrdiff_t)row], inverse[36];
        for (int i = 0; s->g == NULL && i < 6; i++) { // unknowns that a row has no use for
            core[7 * i] = core[7 * i] == 0.0 ? 1.0 : core[7 * i];
        }
        s->is_inverse[row] = s->g == NULL && tal_block_invert_six(core, inverse) > 0;
        if (s->is_inverse[row]) {
            memcpy(core, inverse, sizeof inverse);
        }
    }
}

// Row of a contact: f + g A.
static void fill_narrow_row(tal_contact_system *s, int32_t k) {
    const tal_block_matrix *a = s->a;
    tal_block_matrix *system = system_of(s);
    static const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double *f = &s->f[9 * (ptrdiff_t)k], *g = s->g != NULL ? &s->g[9 * (ptrdiff_t)k] : one;
    const int32_t row = s->row[k];
    int64_t place = system->start[row];
    for (int64_t p = a->start[k]; p < a->start[k + 1]; p++) {
        const int32_t l = a->column[p];
        if (s->row[l] < 0) {
            continue;
        }
        double *to = &system->value[9 * place];
        for (int e = 0; e < 9; e++) {
            to[e] = l == k ? f[e] : 0.0;
        }
        tal_block_add_product(g, &a->value[9 * p], to);
        system->column[place++] = s->row[l];
    }
    system->start[row + 1] = place;
}

static int32_t end_of_rows(tal_contact_system *s, int32_t patch) {
    return patch + 1 < s->patch_count ? s->first_row[patch + 1] : system_of(s)->count;
}

// The columns of row `row`, whose contacts have the neighbours of k; their blocks are made zero. Rows are
// numbered like patches, and within them: that is how they come.
static void open_wide_row(tal_contact_system *s, int32_t k, int32_t row) {
    const tal_block_matrix *a = s->a;
    tal_block_matrix *system = system_of(s);
    int64_t place = system->start[row];
    int32_t *at = s->row_order; // free once more: the place of a row in this one
    for (int64_t p = a->start[k]; p < a->start[k + 1]; p++) {
        const int32_t patch = s->patch_of[a->column[p]];
        if (s->member[s->member_start[patch]] != a->column[p]) {
            continue; // a patch is met at its first contact
        }
        for (int32_t other = s->first_row[patch]; other < end_of_rows(s, patch); other++) {
            memset(&system->value[36 * place], 0, 36 * sizeof *system->value);
            at[other] = (int32_t)(place - system->start[row]);
            system->column[place++] = other;
        }
    }
    system->start[row + 1] = place;
}

// N of the row of contact k: adds Q_k' times the sums of A Q, row by row as they come.
static void add_to_wide_row(tal_contact_system *s, int32_t k) {
    const tal_block_matrix *a = s->a;
    tal_block_matrix *system = system_of(s);
    const double *q = &s->basis[18 * (ptrdiff_t)k];
    double *first = &system->value[36 * system->start[s->row[k]]], sum[18] = {0};
    int32_t row = -1;
    for (int64_t p = a->start[k]; p < a->start[k + 1]; p++) {
        const int32_t l = a->column[p];
        if (s->row[l] < 0) {
            continue;
        }
        if (s->row[l] != row && row >= 0) {
            add_turned(q, sum, &first[36 * (ptrdiff_t)s->row_order[row]]);
            memset(sum, 0, sizeof sum);
        }
        row = s->row[l];
        add_widened(&a->value[9 * p], &s->basis[18 * (ptrdiff_t)l], sum);
    }
    add_turned(q, sum, &first[36 * (ptrdiff_t)s->row_order[row]]); // its own row at least
}

// I + E N from N, or E^-1 + N.
static void close_wide_row(tal_contact_system *s, int32_t row) {
    tal_block_matrix *system = system_of(s);
    const double *core = &s->core[36 * (ptrdiff_t)row];
    for (int64_t p = system->start[row]; p < system->start[row + 1]; p++) {
        double *to = &system->value[36 * p], product[36] = {0};
        if (s->is_inverse[row]) {
            for (int i = 0; i < 36 && system->column[p] == row; i++) {
                to[i] += core[i];
            }
            continue;
        }
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < 6; k++) {
                for (int j = 0; j < 6; j++) {
                    product[6 * i + j] += core[6 * i + k] * to[6 * k + j];
                }
            }
            product[7 * i] += system->column[p] == row ? 1.0 : 0.0;
        }
        memcpy(to, product, sizeof product);
    }
}

static void fill_wide_rows(tal_contact_system *s, int32_t patch) {
    int32_t row = -1;
    for (int32_t n = s->member_start[patch]; n < s->member_start[patch + 1]; n++) {
        const int32_t k = s->member[n];
        if (s->row[k] < 0) {
            continue;
        }
        if (s->row[k] != row) {
            row = s->row[k];
            open_wide_row(s, k, row);
        }
        add_to_wide_row(s, k);
    }
    for (row = s->first_row[patch]; row < end_of_rows(s, patch); row++) {
        close_wide_row(s, row);
    }
}

static void fill_wide(tal_contact_system *s, const uint8_t *is_in) {
    for (int32_t p = 0; p < s->patch_count; p++) {
        system_of(s)->count = place_patch(s, p, is_in, system_of(s)->count);
    }
    set_cores(s, system_of(s)->count);
    for (int32_t p = 0; p < s->patch_count; p++) {
        fill_wide_rows(s, p);
    }
}

// A row per contact that takes part.
static void fill_narrow(tal_contact_system *s, const uint8_t *is_in) {
    for (int32_t k = 0; k < s->contact_count; k++) {
        s->row[k] = is_in == NULL || is_in[k] ? system_of(s)->count++ : -1;
    }
    for (int32_t k = 0; k < s->contact_count; k++) {
        if (s->row[k] >= 0) {
            fill_narrow_row(s, k);
        }
    }
}

tal_status tal_contact_system_prepare(tal_contact_system *s, const tal_block_matrix *a,
                                      const double *f, const double *g, const uint8_t *is_in,
                                      tal_error *err) {
    s->a = a;
    s->f = f;
    s->g = g;
    s->form = s->can_be_wide && is_worth_it(s, is_in) ? TAL_WIDE : TAL_NARROW;
    system_of(s)->count = 0;
    system_of(s)->start[0] = 0;
    if (s->form == TAL_WIDE) {
        fill_wide(s, is_in);
    } else {
        fill_narrow(s, is_in);
    }
    order_rows(s);
    return tal_block_factor_analyse(&s->factor[s->form], system_of(s), s->row_order, err);
}

// The step for b as the factor of the narrow form has it, in `step`: 0 of contacts that take no part.
static void find_narrow_step(tal_contact_system *s, const double *b) {
    for (int32_t k = 0; k < s->contact_count; k++) {
        if (s->row[k] >= 0) {
            memcpy(&s->right[3 * (ptrdiff_t)s->row[k]], &b[3 * (ptrdiff_t)k], 3 * sizeof *b);
        }
    }
    tal_block_factor_substitute(&s->factor[s->form], s->right, s->right);
    memset(s->step, 0, 3 * (size_t)s->contact_count * sizeof *s->step);
    for (int32_t k = 0; k < s->contact_count; k++) {
        if (s->row[k] >= 0) {
            memcpy(&s->step[3 * (ptrdiff_t)k], &s->right[3 * (ptrdiff_t)s->row[k]], 3 * sizeof *b);
        }
    }
}

// x becomes E^-1 x of a row.
static void apply_core(const tal_contact_system *s, int32_t row, double x[6]) {
    double y[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int e = 0; e < 36; e++) {
        y[e / 6] += s->core[36 * (ptrdiff_t)row + e] * x[e % 6];
    }
    memcpy(x, y, sizeof y);
}

// z of the rows, from b, in `right`.
static void find_unknowns(tal_contact_system *s, const double *b) {
    memset(s->right, 0, 6 * (size_t)system_of(s)->count * sizeof *s->right);
    for (int32_t k = 0; k < s->contact_count; k++) {
        if (s->row[k] < 0) {
            continue;
        }
        double *to = &s->right[6 * (ptrdiff_t)s->row[k]], pushed[3];
        tal_block_apply(&s->inverse[9 * (ptrdiff_t)k], &b[3 * (ptrdiff_t)k], pushed);
        for (int e = 0; e < 18; e++) {
            to[e % 6] += s->basis[18 * (ptrdiff_t)k + e] * pushed[e / 6];
        }
    }
    for (int32_t row = 0; row < system_of(s)->count; row++) {
        if (s->is_inverse[row]) {
            apply_core(s, row, &s->right[6 * (ptrdiff_t)row]);
        }
    }
    tal_block_factor_substitute(&s->factor[s->form], s->right, s->right);
}

// Q z per contact, 0 of those that take no part, in `step`.
static void widen(tal_contact_system *s) {
    memset(s->step, 0, 3 * (size_t)s->contact_count * sizeof *s->step);
    for (int32_t k = 0; k < s->contact_count; k++) {
        const double *z = &s->right[6 * (ptrdiff_t)(s->row[k] < 0 ? 0 : s->row[k])];
        for (int e = 0; s->row[k] >= 0 && e < 18; e++) {
            s->step[3 * (ptrdiff_t)k + e / 6] += s->basis[18 * (ptrdiff_t)k + e] * z[e % 6];
        }
    }
}

// Where f is small, s is large beside what it was computed from, and its rounding moves the bodies. Of rows with E^-1
// it is brought back to z = Q' s, at the price of f times that rounding.
static void restore_sums(tal_contact_system *s) {
    for (int32_t k = 0; k < s->contact_count; k++) {
        for (int e = 0; s->row[k] >= 0 && e < 18; e++) {
            s->right[6 * (ptrdiff_t)s->row[k] + e % 6] -=
                s->basis[18 * (ptrdiff_t)k + e] * s->step[3 * (ptrdiff_t)k + e / 6];
        }
    }
    for (int32_t row = 0; row < system_of(s)->count; row++) {
        if (s->is_inverse[row]) {
            apply_core(s, row, &s->right[6 * (ptrdiff_t)row]);
        }
    }
    for (int32_t k = 0; k < s->contact_count; k++) {
        double shift[3] = {0.0, 0.0, 0.0}, change[3];
        if (s->row[k] < 0 || !s->is_inverse[s->row[k]]) {
            continue;
        }
        for (int e = 0; e < 18; e++) {
            shift[e / 6] +=
                s->basis[18 * (ptrdiff_t)k + e] * s->right[6 * (ptrdiff_t)s->row[k] + e % 6];
        }
        tal_block_apply(&s->inverse[9 * (ptrdiff_t)k], shift, change);
        for (int i = 0; i < 3; i++) {
            s->step[3 * (ptrdiff_t)k + i] += change[i];
        }
    }
}

// Likewise of the wide form.
static void find_wide_step(tal_contact_system *s, const double *b) {
    find_unknowns(s, b);
    widen(s);
    tal_block_matrix_multiply(s->a, s->step, s->moved); // A s = A Q z
    for (int32_t k = 0; k < s->contact_count; k++) {
        double given[3], left[3];
        if (s->row[k] < 0) {
            continue;
        }
        apply_given(s, k, &s->moved[3 * (ptrdiff_t)k], given);
        for (int i = 0; i < 3; i++) {
            left[i] = b[3 * (ptrdiff_t)k + i] - given[i];
        }
        tal_block_apply(&s->inverse[9 * (ptrdiff_t)k], left, &s->step[3 * (ptrdiff_t)k]);
    }
    restore_sums(s);
}

static void find_step(tal_contact_system *s, const double *b) {
    if (s->form == TAL_WIDE) {
        find_wide_step(s, b);
    } else {
        find_narrow_step(s, b);
    }
}

// b - f x - g A x of the contacts that take part, in `left`; x is 0 of the others. Returns its square.
static double find_left(tal_contact_system *s, const double *b, const double *x) {
    double square = 0.0;
    tal_block_matrix_multiply(s->a, x, s->moved);
    for (int32_t k = 0; k < s->contact_count; k++) {
        double own[3], given[3];
        if (s->row[k] < 0) {
            continue;
        }
        tal_block_apply(&s->f[9 * (ptrdiff_t)k], &x[3 * (ptrdiff_t)k], own);
        apply_given(s, k, &s->moved[3 * (ptrdiff_t)k], given);
        for (int i = 0; i < 3; i++) {
            const double left = b[3 * (ptrdiff_t)k + i] - own[i] - given[i];
            s->left[3 * (ptrdiff_t)k + i] = left;
            square += left * left;
        }
    }
    return square;
}

bool tal_contact_system_solve(tal_contact_system *s, const double *b, double *x) {
    const int32_t size = 3 * s->contact_count;
    double square = INFINITY, sum = 0.0;
    find_step(s, b);
    memcpy(s->sum, s->step, (size_t)size * sizeof *s->sum);
    for (int n = 0; n < REFINEMENTS; n++) {
        const double now = find_left(s, b, s->sum);
        if (!(now < 0.25 * square) || now == 0.0) { // no longer improving
            break;
        }
        square = now;
        find_step(s, s->left);
        for (int32_t i = 0; i < size; i++) {
            s->sum[i] += s->step[i];
        }
    }
    for (int32_t i = 0; i < size; i++) {
        sum += s->sum[i] * s->sum[i];
        if (s->row[i / 3] >= 0) {
            x[i] = s->sum[i];
        }
    }
    return isfinite(sum);
}

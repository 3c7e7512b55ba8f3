// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of a solid (solid_kernel.h), included by the files that compile them; KERNEL names their row.
#include "solver/deformable/solid_kernel.h"

#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE tal_solid_lanes load(const double *from) {
    tal_solid_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void put(double *to, tal_solid_lanes v) {
    memcpy(to, &v, sizeof v);
}

INLINE tal_solid_lanes all(double value) {
    return (tal_solid_lanes){value, value, value, value};
}

// Three numbers that nothing need follow.
INLINE tal_solid_lanes load3(const double *from) {
    return (tal_solid_lanes){from[0], from[1], from[2], 0.0};
}

INLINE void put3(double *to, tal_solid_lanes v) {
    to[0] = v[0];
    to[1] = v[1];
    to[2] = v[2];
}

INLINE double sum3(tal_solid_lanes v) {
    return v[0] + v[1] + v[2];
}

// 0 a b c from a b c 0, and back.
INLINE tal_solid_lanes shift_up(tal_solid_lanes v) {
    return __builtin_shufflevector(v, v, 3, 0, 1, 2);
}

INLINE tal_solid_lanes shift_down(tal_solid_lanes v) {
    return __builtin_shufflevector(v, v, 1, 2, 3, 0);
}

// Columns of a block times three numbers.
INLINE tal_solid_lanes apply(const double *block, tal_solid_lanes x) {
    return load(block) * all(x[0]) + load(block + 4) * all(x[1]) + load(block + 8) * all(x[2]);
}

static void solve(const tal_solid_factor *f, const double *b, double *y, double *x) {
    for (int32_t j = 0; j < f->count; j++) {
        put(&y[4 * j], load3(&b[3 * f->order[j]]));
    }
    for (int32_t j = 0; j < f->count; j++) {
        const tal_solid_lanes own = load(&y[4 * j]);
        if (own[0] == 0.0 && own[1] == 0.0 && own[2] == 0.0) {
            continue; // percussions act on few nodes
        }
        const tal_solid_lanes a0 = all(own[0]), a1 = all(own[1]), a2 = all(own[2]);
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            const double *l = &f->lower[12 * p];
            double *to = &y[4 * f->row[p]];
            put(to, load(to) - (load(l) * a0 + load(l + 4) * a1 + load(l + 8) * a2));
        }
    }
    for (int32_t j = f->count - 1; j >= 0; j--) {
        tal_solid_lanes s0 = all(0.0), s1 = s0, s2 = s0;
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            const double *l = &f->lower[12 * p];
            const tal_solid_lanes from = load(&y[4 * f->row[p]]);
            s0 += load(l) * from;
            s1 += load(l + 4) * from;
            s2 += load(l + 8) * from;
        }
        const tal_solid_lanes sum = {sum3(s0), sum3(s1), sum3(s2), 0.0};
        const tal_solid_lanes made = apply(&f->inverse[12 * (ptrdiff_t)j], load(&y[4 * j])) - sum;
        put(&y[4 * j], made);
        put3(&x[3 * f->order[j]], made);
    }
}

// As solve, for three right-hand sides at once, which are zero before the place of node n.
static void invert(const tal_solid_factor *f, int32_t n, double *y, double *x) {
    memset(y, 0, 12 * (size_t)f->count * sizeof *y);
    for (int k = 0; k < 3; k++) {
        y[12 * (ptrdiff_t)f->place[n] + 5 * k] = 1.0;
    }
    for (int32_t j = f->place[n]; j < f->count; j++) {
        tal_solid_lanes own[3];
        memcpy(own, &y[12 * (ptrdiff_t)j], sizeof own);
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            const double *l = &f->lower[12 * p];
            double *to = &y[12 * (ptrdiff_t)f->row[p]];
            for (int k = 0; k < 3; k++) {
                put(to + 4 * k, load(to + 4 * k) - apply(l, own[k]));
            }
        }
    }
    for (int32_t j = f->count - 1; j >= 0; j--) {
        tal_solid_lanes s[3][3] = {{{0}}}, own[3];
        for (int64_t p = f->start[j]; p < f->start[j + 1]; p++) {
            const double *l = &f->lower[12 * p], *from = &y[12 * (ptrdiff_t)f->row[p]];
            const tal_solid_lanes l0 = load(l), l1 = load(l + 4), l2 = load(l + 8);
            for (int k = 0; k < 3; k++) {
                const tal_solid_lanes v = load(from + 4 * k);
                s[k][0] += l0 * v;
                s[k][1] += l1 * v;
                s[k][2] += l2 * v;
            }
        }
        memcpy(own, &y[12 * (ptrdiff_t)j], sizeof own);
        for (int k = 0; k < 3; k++) {
            const tal_solid_lanes sum = {sum3(s[k][0]), sum3(s[k][1]), sum3(s[k][2]), 0.0};
            const tal_solid_lanes made = apply(&f->inverse[12 * (ptrdiff_t)j], own[k]) - sum;
            put(&y[12 * (ptrdiff_t)j + 4 * k], made);
            for (int i = 0; i < 3; i++) {
                x[9 * (ptrdiff_t)f->order[j] + 3 * i + k] = made[i];
            }
        }
    }
}

// Blocks of row i whose column is not the last one: four numbers can be read of x there.
INLINE int64_t end_of_row(const tal_block_matrix *k, int32_t i) {
    const int64_t end = k->start[i + 1];
    return end > k->start[i] && k->column[end - 1] == k->count - 1 ? end - 1 : end;
}

// The last row of a block is read with the number before it, so that nothing behind the last block is: lanes 1 to 3
// of s[2] are what lanes 0 to 2 are of the others.
INLINE void add_rows(const double *block, tal_solid_lanes x, tal_solid_lanes s[3]) {
    s[0] += load(block) * x;
    s[1] += load(block + 3) * x;
    s[2] += load(block + 5) * shift_up(x);
}

static void multiply(const tal_block_matrix *k, const double *x, double *y) {
    for (int32_t i = 0; i < k->count; i++) {
        const int64_t end = end_of_row(k, i);
        tal_solid_lanes s[3] = {{0}};
        for (int64_t p = k->start[i]; p < end; p++) {
            add_rows(&k->value[9 * p], load(&x[3 * k->column[p]]), s);
        }
        if (end < k->start[i + 1]) {
            add_rows(&k->value[9 * end], load3(&x[3 * k->column[end]]), s);
        }
        y[3 * i] = sum3(s[0]);
        y[3 * i + 1] = sum3(s[1]);
        y[3 * i + 2] = sum3(shift_down(s[2]));
    }
}

static void multiply_mass(const tal_block_matrix *k, const double *mass, const double *x,
                          double *y) {
    for (int32_t i = 0; i < k->count; i++) {
        const int64_t end = end_of_row(k, i);
        tal_solid_lanes sum = all(0.0);
        for (int64_t p = k->start[i]; p < end; p++) {
            sum += all(mass[p]) * load(&x[3 * k->column[p]]);
        }
        if (end < k->start[i + 1]) {
            sum += all(mass[end]) * load3(&x[3 * k->column[end]]);
        }
        put3(&y[3 * i], sum);
    }
}

static void add_moment(int32_t count, const double *a, const double *b, const double *x,
                       double sum[3][3]) {
    tal_solid_lanes s[3] = {{0}};
    for (int32_t n = 0; n < count; n++) {
        const tal_solid_lanes of = load3(&x[3 * n]), m = load3(&a[3 * n]);
        const tal_solid_lanes both = m + load3(&b[3 * n]);
        for (int i = 0; i < 3; i++) {
            s[i] += all(m[i]) * of + all(of[i]) * both;
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum[i][j] += s[i][j];
        }
    }
}

static void strike(int32_t column, const double *of, const double r[3], double *rate) {
    const tal_solid_lanes r0 = all(r[0]), r1 = all(r[1]), r2 = all(r[2]);
    const double *second = of + column, *third = second + column;
    for (int32_t k = 0; k < column; k += TAL_SOLID_LANES) {
        put(&rate[k],
            load(&rate[k]) + (load(&of[k]) * r0 + load(&second[k]) * r1 + load(&third[k]) * r2));
    }
}

// Rows of the compliance of several nodes with their weights; the fourth number of each is none.
INLINE void mean_rows(int32_t slot, int32_t of_count, const double *const *of, const double *weight,
                      tal_solid_lanes row[3]) {
    row[0] = row[1] = row[2] = all(0.0);
    for (int32_t n = 0; n < of_count; n++) {
        const double *g = &of[n][9 * (ptrdiff_t)slot];
        const tal_solid_lanes w = all(weight[n]);
        row[0] += w * load(g);
        row[1] += w * load(g + 3);
        row[2] += w * shift_down(load(g + 5));
    }
}

// Each node writes one number too many, which the next one replaces; the last ones are put by hand.
static void answer(int32_t count, const int32_t *slot, int32_t of_count, const double *const *of,
                   const double *weight, const double axis[3][3], int32_t column, double *to) {
    const int32_t whole = count > 0 ? count - 1 : 0;
    for (int32_t a = 0; a < count; a++) {
        tal_solid_lanes row[3];
        mean_rows(slot[a], of_count, of, weight, row);
        for (int f = 0; f < 3; f++) {
            const tal_solid_lanes v =
                row[0] * all(axis[f][0]) + row[1] * all(axis[f][1]) + row[2] * all(axis[f][2]);
            if (a < whole) {
                put(&to[f * column + 3 * a], v);
            } else {
                put3(&to[f * column + 3 * a], v);
            }
        }
    }
    for (int f = 0; f < 3; f++) {
        for (int32_t k = 3 * count; k < column; k++) {
            to[f * column + k] = 0.0;
        }
    }
}

const tal_solid_kernel KERNEL = {.name = KERNEL_NAME,
                                 .solve = solve,
                                 .invert = invert,
                                 .multiply = multiply,
                                 .multiply_mass = multiply_mass,
                                 .add_moment = add_moment,
                                 .strike = strike,
                                 .answer = answer};

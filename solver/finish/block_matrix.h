// SPDX-License-Identifier: GPL-3.0-or-later
// A sparse square matrix of 3 by 3 blocks, row by row: one block row per contact. A system of patches has
// blocks of 6 by 6.
#ifndef TALUS_SOLVER_FINISH_BLOCK_MATRIX_H
#define TALUS_SOLVER_FINISH_BLOCK_MATRIX_H

#include "core/base/status.h"

#include <stdint.h>

typedef struct {
    int32_t count;   // block rows
    int64_t *start;  // count + 1: where a row begins
    int32_t *column; // ascending within a row
    double *value;   // 9 per block, row by row (36 where it is 6 wide)
    int width;       // of a block: 3 or 6
} tal_block_matrix;

tal_status tal_block_matrix_create(tal_block_matrix *matrix, int32_t count, int64_t block_count,
                                   tal_error *err);
tal_status tal_block_matrix_create_wide(tal_block_matrix *matrix, int32_t count,
                                        int64_t block_count, int width, tal_error *err);
// With the blocks of `w` at the same places, all zero.
tal_status tal_block_matrix_create_like(tal_block_matrix *matrix, const tal_block_matrix *w,
                                        tal_error *err);
// Takes {0}.
void tal_block_matrix_destroy(tal_block_matrix *matrix);

// y = A x, of blocks of 3 by 3
void tal_block_matrix_multiply(const tal_block_matrix *matrix, const double *x, double *y);

// The place of block (row, column), -1 where there is none.
int64_t tal_block_matrix_find(const tal_block_matrix *matrix, int32_t row, int32_t column);

// c += a b, all 3 by 3
static inline void tal_block_add_product(const double a[9], const double b[9], double c[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c[3 * i + j] += a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

static inline void tal_block_subtract_product(const double a[9], const double b[9], double c[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c[3 * i + j] -= a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

// y = A x, one block
static inline void tal_block_apply(const double a[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) {
        y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
    }
}

#endif

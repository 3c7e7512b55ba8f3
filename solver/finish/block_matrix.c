// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/finish/block_matrix.h"

#include "core/base/memory.h"

#include <string.h>

tal_status tal_block_matrix_create_wide(tal_block_matrix *matrix, int32_t count,
                                        int64_t block_count, int width, tal_error *err) {
    TAL_ASSERT(count >= 0 && block_count >= 0 && (width == 3 || width == 6));
    const size_t size = (size_t)(width * width);
    *matrix = (tal_block_matrix){.count = count, .width = width};
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(matrix->start, (size_t)count + 1, "rows of a block matrix", err);
    TAL_CREATE_OR_DONE(matrix->column, (size_t)block_count, "columns of a block matrix", err);
    TAL_CREATE_OR_DONE(matrix->value, size * (size_t)block_count, "blocks of a matrix", err);
done:
    if (status != TAL_OK) {
        tal_block_matrix_destroy(matrix);
    }
    return status;
}

tal_status tal_block_matrix_create(tal_block_matrix *matrix, int32_t count, int64_t block_count,
                                   tal_error *err) {
    return tal_block_matrix_create_wide(matrix, count, block_count, 3, err);
}

tal_status tal_block_matrix_create_like(tal_block_matrix *matrix, const tal_block_matrix *w,
                                        tal_error *err) {
    const int64_t blocks = w->start[w->count];
    TAL_TRY(tal_block_matrix_create(matrix, w->count, blocks, err));
    memcpy(matrix->start, w->start, ((size_t)w->count + 1) * sizeof *w->start);
    memcpy(matrix->column, w->column, (size_t)blocks * sizeof *w->column);
    return TAL_OK;
}

void tal_block_matrix_destroy(tal_block_matrix *matrix) {
    tal_memory_destroy(matrix->start);
    tal_memory_destroy(matrix->column);
    tal_memory_destroy(matrix->value);
    *matrix = (tal_block_matrix){0};
}

void tal_block_matrix_multiply(const tal_block_matrix *matrix, const double *x, double *y) {
    TAL_ASSERT(matrix->width == 3);
    for (int32_t i = 0; i < matrix->count; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int64_t p = matrix->start[i]; p < matrix->start[i + 1]; p++) {
            const double *a = &matrix->value[9 * p], *b = &x[3 * matrix->column[p]];
            sum[0] += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            sum[1] += a[3] * b[0] + a[4] * b[1] + a[5] * b[2];
            sum[2] += a[6] * b[0] + a[7] * b[1] + a[8] * b[2];
        }
        y[3 * i] = sum[0];
        y[3 * i + 1] = sum[1];
        y[3 * i + 2] = sum[2];
    }
}

int64_t tal_block_matrix_find(const tal_block_matrix *matrix, int32_t row, int32_t column) {
    int64_t low = matrix->start[row], high = matrix->start[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < matrix->start[row + 1] && matrix->column[low] == column ? low : -1;
}

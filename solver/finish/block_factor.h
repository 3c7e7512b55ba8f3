// SPDX-License-Identifier: GPL-3.0-or-later
// A = L U of a sparse matrix of 3 by 3 or 6 by 6 blocks whose pattern is symmetric (its values need not be). The
// order of elimination is fixed beforehand; a pivot block that is nearly singular is made larger and
// counted, and the solution is refined with A itself. One thread, sums in index order: same input,
// same bits.
#ifndef TALUS_SOLVER_FINISH_BLOCK_FACTOR_H
#define TALUS_SOLVER_FINISH_BLOCK_FACTOR_H

#include "solver/finish/block_matrix.h"

typedef struct {
    int width; // of a block: 3 or 6
    int32_t count_max;
    int32_t count;
    int32_t *order, *place; // order[n] is eliminated n-th; place[order[n]] = n
    int64_t *start;         // count + 1: where a column of L (a row of U) begins
    int32_t *row;           // of L, ascending, below the diagonal
    double *lower,
        *upper; // 9 per block (36 where it is 6 wide); upper[p] is the block mirrored from lower[p]
    int64_t block_max;
    double *inverse; // of the pivots, as many numbers each as a block
    double *sum_lower, *sum_upper;
    int32_t *parent, *mark, *link; // of the elimination tree; scratch; columns waiting for a row
    int64_t *cursor;               // first block of a column that is still to come
    double *scratch, *residual;    // as many per row as a block is wide
    double flops;                  // of one factorisation
    double flops_max;              // a factorisation that takes more is not begun
    int32_t perturbed_count;       // pivots made larger in the last factorisation
} tal_block_factor;

tal_status tal_block_factor_create(tal_block_factor *factor, int32_t count_max, tal_error *err);
tal_status tal_block_factor_create_wide(tal_block_factor *factor, int32_t count_max, int width,
                                        tal_error *err);
// Takes {0}.
void tal_block_factor_destroy(tal_block_factor *factor);

// The pattern, to be eliminated in `order` (matrix->count places).
tal_status tal_block_factor_analyse(tal_block_factor *factor, const tal_block_matrix *matrix,
                                    const int32_t *order, tal_error *err);

// False if a pivot is not a number or `flops_max` would not do: nothing can be solved then.
bool tal_block_factor_compute(tal_block_factor *factor, const tal_block_matrix *matrix);

// Solves A x = b as the factor has it; `b` and `x` may overlap.
void tal_block_factor_substitute(tal_block_factor *factor, const double *b, double *x);

// Likewise, of blocks of 3 by 3, refined `refinements` times; `b` and `x` may not
// overlap. False if x is not finite.
bool tal_block_factor_solve(tal_block_factor *factor, const tal_block_matrix *matrix,
                            const double *b, int refinements, double *x);

// The inverse of a block of 6 by 6: 1; 0 if it is singular, -1 if it is not a number.
int tal_block_invert_six(const double a[36], double inverse[36]);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The loops in which a body that deforms spends its time: substitutions with the factor of its mass and
// stiffness, products with both, and what percussions do to the nodes that are touched. Compiled twice, for
// every processor of the kind and for AVX2; lanes are the components of one node, so both give the same bits.
#ifndef TALUS_SOLVER_DEFORMABLE_SOLID_KERNEL_H
#define TALUS_SOLVER_DEFORMABLE_SOLID_KERNEL_H

#include "solver/finish/block_factor.h"

// The components of one node, and one number that is nothing.
enum { TAL_SOLID_LANES = 4 };
typedef double tal_solid_lanes __attribute__((vector_size(TAL_SOLID_LANES * sizeof(double))));

// A = L D L' of a symmetric matrix of 3 by 3 blocks, each column of a block being four numbers (the last is 0).
typedef struct {
    int32_t count;
    int32_t *order, *place; // as in tal_block_factor
    int64_t *start;         // count + 1
    int32_t *row;
    double *lower;   // 12 per block: its columns
    double *inverse; // 12 per pivot
} tal_solid_factor;

typedef struct {
    const char *name;
    // x = A^-1 b, 3 numbers per node; `scratch`: 4.
    void (*solve)(const tal_solid_factor *factor, const double *b, double *scratch, double *x);
    // Three columns of the inverse, those of node n: 9 numbers per node into x; `scratch`: 12.
    void (*invert)(const tal_solid_factor *factor, int32_t n, double *scratch, double *x);
    // y = K x, and y = M x where the blocks of M are `mass` times the unit matrix, in the pattern of K.
    void (*multiply)(const tal_block_matrix *k, const double *x, double *y);
    void (*multiply_mass)(const tal_block_matrix *k, const double *mass, const double *x,
                          double *y);
    // S += sum a x' + x (a + b)': what a field x adds to the second moment, a being M X and b M x.
    void (*add_moment)(int32_t count, const double *a, const double *b, const double *x,
                       double sum[3][3]);
    // rate += of[0] r[0] + of[1] r[1] + of[2] r[2]; `column` numbers each, a multiple of TAL_SOLID_LANES.
    void (*strike)(int32_t column, const double *of, const double r[3], double *rate);
    // Answers of `count` nodes to percussions along three axes: rows `of` of the compliance with their weights, of
    // the blocks in `slot`, into three columns.
    void (*answer)(int32_t count, const int32_t *slot, int32_t of_count, const double *const *of,
                   const double *weight, const double axis[3][3], int32_t column, double *answer);
} tal_solid_kernel;

extern const tal_solid_kernel tal_solid_kernel_plain;
#if defined __x86_64__
extern const tal_solid_kernel tal_solid_kernel_avx2;
#endif

// The fastest that this processor has.
const tal_solid_kernel *tal_solid_kernel_best(void);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of blocks: what was wanted (mesh.json) and what was made.
#ifndef TALUS_POSTPROC_MEASURE_SIEVE_H
#define TALUS_POSTPROC_MEASURE_SIEVE_H

#include "postproc/measure/blocks.h"

enum { TAL_SIEVE_POINTS_MAX = 64 };

// Share of the volume wanted in blocks up to a size (cube root of the volume, m), as a line through
// points of rising size. One size for all blocks is an upright step of two points.
typedef struct {
    int count; // 0: nothing was wanted, or nothing is known of it
    bool is_one_size;
    double size[TAL_SIEVE_POINTS_MAX];
    double share[TAL_SIEVE_POINTS_MAX];
} tal_sieve;

// From mesh.json in `folder`. Where it is missing, damaged or of other blocks the sieve stays empty:
// it is shown beside the result and decides nothing.
void tal_sieve_read(tal_sieve *sieve, const char *folder, int32_t block_count);

// The size up to which the share p of the volume was wanted; NaN where the line does not say.
double tal_sieve_wanted_size(const tal_sieve *sieve, double p);

// Volumes of the blocks there are, from small to large, and their sum. The caller destroys them.
tal_status tal_sieve_sort_volumes(const tal_blocks *blocks, double **volume, double *total,
                                  tal_error *err);

// The smallest size with at least the share p of such volumes up to it.
double tal_sieve_made_size(const double *volume, int32_t count, double total, double p);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// In which order to eliminate the contacts so that the factors stay sparse: minimum degree on the
// quotient graph with the approximate degrees of Amestoy, Davis and Duff (1996). Contacts with the same
// neighbours (points of one pair, mostly) are one node. Ties fall to the lower number: same input,
// same order.
#ifndef TALUS_SOLVER_FINISH_ORDERING_H
#define TALUS_SOLVER_FINISH_ORDERING_H

#include "solver/finish/block_matrix.h"

// Fills `order` (matrix->count places): order[n] is eliminated n-th. The pattern must be symmetric.
tal_status tal_ordering_find(const tal_block_matrix *matrix, int32_t *order, tal_error *err);

#endif

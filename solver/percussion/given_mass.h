// SPDX-License-Identifier: GPL-3.0-or-later
// The masses of a given contact problem: M factored body by body, and W made from it.
#ifndef TALUS_SOLVER_PERCUSSION_GIVEN_MASS_H
#define TALUS_SOLVER_PERCUSSION_GIVEN_MASS_H

#include "solver/percussion/given.h"

typedef struct tal_mass tal_mass;

// Checks and factors; `reduced` becomes W, q and the rest, its arrays belong to `mass`.
tal_status tal_mass_create(tal_mass **mass, const tal_global_input *input, tal_local_input *reduced,
                           tal_error *err);
void tal_mass_destroy(tal_mass *mass);

// v = M^-1 (f + sum of H r): begin, add contact by contact, solve.
void tal_mass_begin(const tal_mass *mass, double *v);
void tal_mass_add(const tal_mass *mass, int32_t contact, const double r[3], double *v);
void tal_mass_solve(const tal_mass *mass, double *v);

#endif

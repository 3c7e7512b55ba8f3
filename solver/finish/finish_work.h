// SPDX-License-Identifier: GPL-3.0-or-later
// What the finishing methods share: the problem scaled so that every contact weighs the same, the
// linear system and its factor. Allocated once per call.
#ifndef TALUS_SOLVER_FINISH_FINISH_WORK_H
#define TALUS_SOLVER_FINISH_FINISH_WORK_H

#include "solver/finish/contact_system.h"
#include "solver/finish/friction_problem.h"

typedef struct {
    const tal_friction_problem *given;
    tal_friction_problem scaled; // the trace of every diagonal block is 3; with laws, if only dry
    double *scale;               // per contact: r = scale * scaled r, scaled u = scale * u
    int32_t *order;              // of elimination
    tal_contact_system contacts;
    double *r, *u; // of the given problem, scratch
    int factorisation_count;
    double flops;          // of all factorisations
    int32_t perturbed_max; // most pivots made larger in one factorisation
} tal_finish_work;

tal_status tal_finish_work_create(tal_finish_work *work, const tal_friction_problem *problem,
                                  tal_error *err);
// Takes {0}.
void tal_finish_work_destroy(tal_finish_work *work);

// The residual of the given problem at a scaled reaction: tal_friction_residual_worst.
double tal_finish_work_measure(tal_finish_work *work, const double *scaled_r);

// Prepared by the caller: factorises the system of `contacts`, and counts it.
bool tal_finish_work_factorise(tal_finish_work *work);

// The place of the diagonal block of contact k in W.
int64_t tal_finish_work_diagonal(const tal_finish_work *work, int32_t k);

#endif

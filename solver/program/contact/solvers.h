// SPDX-License-Identifier: GPL-3.0-or-later
// The solvers that talus-contact offers: one row each.
#ifndef TALUS_SOLVER_PROGRAM_CONTACT_SOLVERS_H
#define TALUS_SOLVER_PROGRAM_CONTACT_SOLVERS_H

#include "solver/finish/finish.h"
#include "solver/program/contact/acd2.h"

typedef struct {
    const tal_local_input *input;
    const tal_friction_problem *friction; // with laws: acd2, with cones or without
    const double *start;                  // 3 per contact, NULL: zeros
    double tolerance;
    int sweeps_max, systems_max;
    int thread_count;
} tal_contact_task;

typedef struct {
    int sweeps, systems; // how often all contacts were swept, how many linear systems were solved
    double seconds;
    double regularisation;
    int32_t perturbed_count;
    tal_friction_residual residual;
    bool is_solved;
} tal_contact_outcome;

typedef struct {
    const char *name, *sentence;
    const char *limit; // why it does not solve the rest; NULL: there is none
    bool solves_friction, solves_acd2, solves_mixed; // mixed: acd2+coulomb
    tal_status (*solve)(const tal_contact_task *task, double *r, tal_contact_outcome *outcome,
                        tal_error *err);
} tal_contact_solver;

extern const tal_contact_solver TAL_CONTACT_SOLVERS[];
extern const int TAL_CONTACT_SOLVER_COUNT;

// Is the solver one for the law of the task?
bool tal_contact_solver_fits(const tal_contact_solver *solver, const tal_contact_task *task);

// TAL_BAD_INPUT with a sentence that says why it is none, and which solvers are.
tal_status tal_contact_solver_check(const tal_contact_solver *solver, const tal_contact_task *task,
                                    tal_error *err);

// NULL with an error that lists the names.
const tal_contact_solver *tal_contact_solver_find(const char *name, tal_error *err);

// Runs and times a solver and measures what it found: `outcome` says solved only if r is a solution.
tal_status tal_contact_solver_run(const tal_contact_solver *solver, const tal_contact_task *task,
                                  double *r, tal_contact_outcome *outcome, tal_error *err);

#endif

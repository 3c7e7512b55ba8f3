// SPDX-License-Identifier: GPL-3.0-or-later
// Newton's method on the functions of Alart and Curnier (1991), which are smooth in pieces, with a
// proximal term: W is taken a little larger in the derivative, never in the function. It makes the
// steps of hyperstatic problems unique, shrinks while things go well and grows when they do not.
#ifndef TALUS_SOLVER_FINISH_NEWTON_H
#define TALUS_SOLVER_FINISH_NEWTON_H

#include "solver/finish/finish_work.h"

// How to run. `regularisation` is in units of the mean inverse mass of a contact.
typedef struct {
    double regularisation; // to begin with
    double less, more;     // factors: when it goes well, when it does not
    int lost_max;          // steps far from the best point before going back to it
    int iteration_max;
    double flops_max; // of all factorisations of the work
    double tolerance;
} tal_newton_settings;

typedef struct {
    double *r, *step, *value; // 3 per contact
    double *by_r, *by_u;      // 9 per contact: derivatives of the value
    double *right;
    uint8_t *is_active; // per contact: it is part of the system
    double *anchor;     // 3 per contact: the reaction that an anchored problem is tied to
    bool is_anchored;
    double *best; // 3 per contact: the best reaction seen
    double best_residual, best_regularisation;
    double regularisation; // the last one used
    int iterations;
} tal_newton;

tal_status tal_newton_create(tal_newton *newton, const tal_finish_work *work, tal_error *err);
// Takes {0}.
void tal_newton_destroy(tal_newton *newton);

// From newton->best, which ends no worse than it was. TAL_NO_MEMORY is the only failure: whether it
// converged is in newton->best_residual.
tal_status tal_newton_run(tal_newton *newton, tal_finish_work *work,
                          const tal_newton_settings *settings, tal_error *err);

// Likewise by the proximal point method: a sequence of problems each of which is tied to the reaction of
// the one before (docs/theory/finisher.md, "Proximal points"). Slower where Newton gets there, and it gets
// there where Newton wanders. Of the settings, less, more and lost_max have no part in it.
tal_status tal_newton_run_proximal(tal_newton *newton, tal_finish_work *work,
                                   const tal_newton_settings *settings, tal_error *err);

#endif

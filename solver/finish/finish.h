// SPDX-License-Identifier: GPL-3.0-or-later
// Finishes a contact problem with dry friction that sweeps do not: Newton first, the interior point
// where Newton does not get there, Newton again from where that led. Reports what it took; not solved
// is a result.
#ifndef TALUS_SOLVER_FINISH_FINISH_H
#define TALUS_SOLVER_FINISH_FINISH_H

#include "solver/finish/friction_problem.h"

#define TAL_FINISH_METHOD_LIST(X)                                                                  \
    X(TAL_FINISH_AUTOMATIC, "automatic")                                                           \
    X(TAL_FINISH_NEWTON, "newton")                                                                 \
    X(TAL_FINISH_INTERIOR_POINT, "interior-point")

typedef enum {
#define X(name, text) name,
    TAL_FINISH_METHOD_LIST(X)
#undef X
        TAL_FINISH_METHOD_COUNT
} tal_finish_method;

typedef struct {
    tal_finish_method method;
    double tolerance;  // for both residuals
    double enough;     // not below it: once this is reached, nothing further is tried
    int iteration_max; // linear systems, all methods together
    double flops_max;  // of their factorisations; INFINITY: as many as it takes
    bool is_near;      // the start is nearly the answer
} tal_finish_settings;

#define TAL_FINISH_REASON_LIST(X)                                                                  \
    X(TAL_FINISH_SOLVED, "solved")                                                                 \
    X(TAL_FINISH_OUT_OF_ITERATIONS, "the iterations ran out")                                      \
    X(TAL_FINISH_NO_STEP, "no step leads on")

typedef enum {
#define X(name, text) name,
    TAL_FINISH_REASON_LIST(X)
#undef X
        TAL_FINISH_REASON_COUNT
} tal_finish_reason;

typedef struct {
    tal_finish_reason reason;
    int iterations; // linear systems solved
    double
        regularisation; // of the step that led to r, in mean inverse masses; 0: the start was the best
    int32_t perturbed_count; // most pivots made larger in one factorisation
    tal_friction_residual residual;
} tal_finish_result;

const char *tal_finish_method_name(tal_finish_method method);
const char *tal_finish_reason_text(tal_finish_reason reason);

// `r` is where to start (zeros will do) and the best that was found: never worse than the start.
// Fails for want of memory only.
tal_status tal_finish_solve(const tal_friction_problem *problem,
                            const tal_finish_settings *settings, double *r,
                            tal_finish_result *result, tal_error *err);

#endif

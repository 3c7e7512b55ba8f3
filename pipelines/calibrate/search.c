// SPDX-License-Identifier: GPL-3.0-or-later
// Searches by NLopt: BOBYQA, Nelder-Mead, controlled random search. They are deterministic, so a
// search that was killed goes the same way again, over runs that are finished, until it meets new
// ground.
#include "core/base/log.h"
#include "pipelines/calibrate/calibrate.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

typedef struct {
    tal_calibration *calibration;
    nlopt_opt solver;
    int left;
    tal_status status;
    tal_error *err;
} search;

static double misfit_at(unsigned count, const double *unit, double *gradient, void *context) {
    search *s = context;
    (void)count;
    (void)gradient; // none of the methods asks for it
    if (s->status != TAL_OK || s->left == 0) {
        nlopt_force_stop(s->solver);
        return HUGE_VAL;
    }
    s->left--;
    s->status = tal_calibration_add(s->calibration, TAL_POINT_SEARCH, unit, 1, s->err);
    if (s->status != TAL_OK) {
        nlopt_force_stop(s->solver);
        return HUGE_VAL;
    }
    const tal_point *point = &s->calibration->point[s->calibration->point_count - 1];
    tal_log_info("point %d: misfit %.4f, best so far %.4f", s->calibration->point_count,
                 point->misfit, s->calibration->point[s->calibration->best].misfit);
    return point->misfit;
}

static nlopt_algorithm algorithm(tal_method_choice method) {
    return method == TAL_METHOD_BOBYQA ? NLOPT_LN_BOBYQA
           : method == TAL_METHOD_CRS  ? NLOPT_GN_CRS2_LM
                                       : NLOPT_LN_NELDERMEAD;
}

tal_status tal_calibration_search(tal_calibration *c, tal_method_choice method, const double *start,
                                  int count, tal_error *err) {
    const unsigned dimensions = (unsigned)c->parameters.count;
    if (method == TAL_METHOD_BOBYQA && dimensions < 2) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "[calibrate] method = bobyqa needs at least two settings to vary; use "
                        "nelder-mead for one");
    }
    double unit[TAL_PARAMETERS_MAX], best = 0;
    memcpy(unit, start, dimensions * sizeof *unit);
    nlopt_opt solver = nlopt_create(algorithm(method), dimensions);
    if (solver == NULL) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for a search over %u settings", dimensions);
    }
    search s = {.calibration = c, .solver = solver, .left = count, .err = err};
    nlopt_srand((unsigned long)c->settings->random.seed);
    nlopt_set_lower_bounds1(solver, 0.0);
    nlopt_set_upper_bounds1(solver, 1.0);
    nlopt_set_initial_step1(solver, 0.15);
    nlopt_set_xtol_abs1(solver, 2e-3); // of the range: finer than any deposit tells
    nlopt_set_maxeval(solver, count);
    nlopt_set_min_objective(solver, misfit_at, &s);
    const nlopt_result result = nlopt_optimize(solver, unit, &best);
    nlopt_destroy(solver);
    TAL_TRY(s.status);
    if (result == NLOPT_INVALID_ARGS || result == NLOPT_OUT_OF_MEMORY) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "the search could not start (NLopt says %d)",
                        (int)result);
    }
    return TAL_OK;
}

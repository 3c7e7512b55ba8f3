// SPDX-License-Identifier: GPL-3.0-or-later
#define _POSIX_C_SOURCE 200809L
#include "solver/program/contact/solvers.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Sweeps between two looks at their progress, and how many more they are given on the strength of it.
enum { SWEEPS_A_LOOK = 64, SWEEPS_PROMISED_MAX = 512 };
// Operations of the finisher before the sweeps have a second turn, and blocks of W that they visit in it: some
// ten and some thirty-five seconds. Walls that fall need 10^4 to 10^5 sweeps, which stand still for long and then
// get there, where the finisher needs minutes; piles and vaults are the other way round.
static const double FIRST_FLOPS = 3e10, SECOND_VISITS = 3.5e9;

static tal_status begin_sweeps(const tal_contact_task *task, const double *r,
                               tal_given_problem **given, tal_error *err) {
    TAL_TRY(tal_given_create(given, task->input, task->thread_count, err));
    tal_given_start(*given, r);
    return TAL_OK;
}

static tal_status solve_by_sweeps(const tal_contact_task *task, double *r,
                                  tal_contact_outcome *outcome, tal_error *err) {
    tal_given_problem *given;
    TAL_TRY(begin_sweeps(task, r, &given, err));
    outcome->sweeps = tal_given_solve(given, task->tolerance, task->sweeps_max).sweeps;
    tal_given_percussions(given, r);
    tal_given_destroy(given);
    return TAL_OK;
}

static tal_status finish_within(const tal_contact_task *task, tal_finish_method method,
                                double flops_max, double *r, tal_contact_outcome *outcome,
                                tal_finish_reason *reason, tal_error *err) {
    const tal_finish_settings settings = {.method = method,
                                          .tolerance = task->tolerance,
                                          .enough = task->tolerance,
                                          .iteration_max = task->systems_max - outcome->systems,
                                          .flops_max = flops_max};
    tal_finish_result result;
    TAL_TRY(tal_finish_solve(task->friction, &settings, r, &result, err));
    outcome->systems += result.iterations;
    if (result.regularisation > 0.0) { // else r is as it was
        outcome->regularisation = result.regularisation;
    }
    if (result.perturbed_count > outcome->perturbed_count) {
        outcome->perturbed_count = result.perturbed_count;
    }
    *reason = result.reason;
    return TAL_OK;
}

static tal_status finish(const tal_contact_task *task, tal_finish_method method, double *r,
                         tal_contact_outcome *outcome, tal_error *err) {
    tal_finish_reason reason;
    return finish_within(task, method, INFINITY, r, outcome, &reason, err);
}

static tal_status solve_by_newton(const tal_contact_task *task, double *r,
                                  tal_contact_outcome *outcome, tal_error *err) {
    return finish(task, TAL_FINISH_NEWTON, r, outcome, err);
}

static tal_status solve_by_interior_point(const tal_contact_task *task, double *r,
                                          tal_contact_outcome *outcome, tal_error *err) {
    return finish(task, TAL_FINISH_INTERIOR_POINT, r, outcome, err);
}

static tal_status solve_by_finisher(const tal_contact_task *task, double *r,
                                    tal_contact_outcome *outcome, tal_error *err) {
    return finish(task, TAL_FINISH_AUTOMATIC, r, outcome, err);
}

static double worst_of(const tal_given_result *result) {
    return fmax(result->error.by_contact, result->error.by_unit);
}

// Sweeps while they promise to get there: at the rate of the last look, within SWEEPS_PROMISED_MAX.
static void sweep_while_promising(const tal_contact_task *task, tal_given_problem *given,
                                  tal_contact_outcome *outcome) {
    double before = INFINITY;
    while (outcome->sweeps < task->sweeps_max) {
        const tal_given_result result = tal_given_solve(given, task->tolerance, SWEEPS_A_LOOK);
        const double worst = worst_of(&result);
        outcome->sweeps += result.sweeps;
        if (result.is_solved) {
            return;
        }
        const double fall = isfinite(before) ? log(before / worst) : log(1.0 / worst);
        const double looks = log(worst / task->tolerance) / fall;
        if (!(fall > 0.0 && looks * SWEEPS_A_LOOK <= SWEEPS_PROMISED_MAX)) {
            return;
        }
        before = worst;
    }
}

static tal_status solve_by_uzawa(const tal_contact_task *task, double *r,
                                 tal_contact_outcome *outcome, tal_error *err) {
    return tal_acd2_uzawa(task->friction, task->tolerance, task->sweeps_max, r, &outcome->sweeps,
                          err);
}

static tal_status solve_acd2_by_interior_point(const tal_contact_task *task, double *r,
                                               tal_contact_outcome *outcome, tal_error *err) {
    return tal_acd2_interior_point(task->friction, task->tolerance, task->systems_max, r,
                                   &outcome->systems, err);
}

static double worst_at(const tal_contact_task *task, const double *r, double *u) {
    const tal_friction_residual residual = tal_friction_problem_measure(task->friction, r, u);
    return tal_friction_residual_worst(&residual);
}

// The sweeps' second turn, from where their first one led. The better of what they and the finisher found is
// kept.
static tal_status sweep_on(const tal_contact_task *task, tal_given_problem *given, double *r,
                           tal_contact_outcome *outcome, tal_error *err) {
    const size_t size = 3 * (size_t)task->input->contact_count;
    const double turn = SECOND_VISITS / task->input->block_count;
    const int left = task->sweeps_max - outcome->sweeps;
    double *swept, *u;
    tal_status status = TAL_OK;
    if (left < 1) {
        return TAL_OK;
    }
    TAL_CREATE(swept, size, "reactions", err);
    TAL_CREATE_OR_DONE(u, size, "velocities", err);
    outcome->sweeps +=
        tal_given_solve(given, task->tolerance, turn < left ? (int)turn : left).sweeps;
    tal_given_percussions(given, swept);
    if (worst_at(task, swept, u) < worst_at(task, r, u)) {
        memcpy(r, swept, size * sizeof *r);
        outcome->regularisation = 0.0;
    }
    tal_memory_destroy(u);
done:
    tal_memory_destroy(swept);
    return status;
}

static tal_status take_turns(const tal_contact_task *task, tal_given_problem *given, double *r,
                             tal_contact_outcome *outcome, tal_error *err) {
    sweep_while_promising(task, given, outcome);
    tal_given_percussions(given, r);
    tal_finish_reason reason;
    TAL_TRY(finish_within(task, TAL_FINISH_AUTOMATIC, FIRST_FLOPS, r, outcome, &reason, err));
    if (reason == TAL_FINISH_SOLVED) {
        return TAL_OK;
    }
    TAL_TRY(sweep_on(task, given, r, outcome, err));
    return reason == TAL_FINISH_NO_STEP // it has tried everything
               ? TAL_OK
               : solve_by_finisher(task, r, outcome, err); // does nothing where all is solved
}

static tal_status solve_automatically(const tal_contact_task *task, double *r,
                                      tal_contact_outcome *outcome, tal_error *err) {
    tal_given_problem *given;
    TAL_TRY(begin_sweeps(task, r, &given, err));
    const tal_status status = take_turns(task, given, r, outcome, err);
    tal_given_destroy(given);
    return status;
}

static const char CONVEX[] =
    "it solves the convex program of acd2, and the cones of Coulomb's friction are "
    "no part of a convex program";

const tal_contact_solver TAL_CONTACT_SOLVERS[] = {
    {"automatic", "sweeps while they get on, then the finisher and sweeps in turn", NULL, true,
     true, true, solve_automatically},
    {"sweeps", "accelerated block Gauss-Seidel, as in a step of talus-solve", NULL, true, true,
     true, solve_by_sweeps},
    {"finisher", "Newton, proximal points and the interior point in turn", NULL, true, true, true,
     solve_by_finisher},
    {"newton", "Newton on the functions of Alart and Curnier", NULL, true, true, true,
     solve_by_newton},
    {"interior-point", "conic interior point with the slip as an unknown",
     "it knows the cones of dry friction, and not the compliance of a blow", true, false, false,
     solve_by_interior_point},
    {"uzawa", "acd2: projected ascent, conjugate gradients inside", CONVEX, false, true, false,
     solve_by_uzawa},
    {"acd2-interior-point", "acd2: primal-dual interior point of a convex program", CONVEX, false,
     true, false, solve_acd2_by_interior_point},
};
const int TAL_CONTACT_SOLVER_COUNT = sizeof TAL_CONTACT_SOLVERS / sizeof TAL_CONTACT_SOLVERS[0];

static void add_name(char names[256], const char *name) {
    const size_t length = strlen(names);
    (void)snprintf(&names[length], 256 - length, "%s%s", length > 0 ? ", " : "", name);
}

const tal_contact_solver *tal_contact_solver_find(const char *name, tal_error *err) {
    char names[256] = "";
    for (int s = 0; s < TAL_CONTACT_SOLVER_COUNT; s++) {
        if (strcmp(name, TAL_CONTACT_SOLVERS[s].name) == 0) {
            return &TAL_CONTACT_SOLVERS[s];
        }
        add_name(names, TAL_CONTACT_SOLVERS[s].name);
    }
    tal_error_add(err, TAL_BAD_USAGE, "--solver %s is not one of %s", name, names);
    return NULL;
}

static bool has_cones(const tal_friction_problem *problem) {
    for (int32_t k = 0; k < problem->w.count; k++) {
        if (isfinite(problem->law[k].friction)) {
            return true;
        }
    }
    return false;
}

bool tal_contact_solver_fits(const tal_contact_solver *solver, const tal_contact_task *task) {
    const tal_friction_problem *problem = task->friction;
    return problem->law == NULL ? solver->solves_friction
           : has_cones(problem) ? solver->solves_mixed
                                : solver->solves_acd2;
}

tal_status tal_contact_solver_check(const tal_contact_solver *solver, const tal_contact_task *task,
                                    tal_error *err) {
    const tal_friction_problem *problem = task->friction;
    char names[256] = "";
    if (tal_contact_solver_fits(solver, task)) {
        return TAL_OK;
    }
    for (int s = 0; s < TAL_CONTACT_SOLVER_COUNT; s++) {
        if (tal_contact_solver_fits(&TAL_CONTACT_SOLVERS[s], task)) {
            add_name(names, TAL_CONTACT_SOLVERS[s].name);
        }
    }
    return TAL_FAIL(err, TAL_BAD_INPUT,
                    "%s does not solve problems with the law %s: %s. Use --solver with one of %s",
                    solver->name,
                    problem->law == NULL ? "coulomb"
                    : has_cones(problem) ? "acd2+coulomb"
                                         : "acd2",
                    solver->limit, names);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tal_status measure(const tal_contact_task *task, const double *r,
                          tal_contact_outcome *outcome, tal_error *err) {
    double *u;
    TAL_CREATE(u, 3 * (size_t)task->input->contact_count, "velocities", err);
    outcome->residual = tal_friction_problem_measure(task->friction, r, u);
    outcome->is_solved = tal_friction_residual_worst(&outcome->residual) <= task->tolerance;
    tal_memory_destroy(u);
    return TAL_OK;
}

tal_status tal_contact_solver_run(const tal_contact_solver *solver, const tal_contact_task *task,
                                  double *r, tal_contact_outcome *outcome, tal_error *err) {
    const size_t bytes = 3 * (size_t)task->input->contact_count * sizeof *r;
    *outcome = (tal_contact_outcome){0};
    if (task->start != NULL) {
        memcpy(r, task->start, bytes);
    } else {
        memset(r, 0, bytes);
    }
    const double begin = now();
    TAL_TRY(solver->solve(task, r, outcome, err));
    outcome->seconds = now() - begin;
    return measure(task, r, outcome, err);
}

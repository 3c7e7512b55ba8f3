// SPDX-License-Identifier: GPL-3.0-or-later
// talus-contact: contact problems in files, solved, measured and compared.
#include "core/app/program.h"
#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "solver/program/contact/problem.h"
#include "solver/program/contact/profile.h"
#include "solver/program/contact/solvers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tal_status check(tal_invocation *invocation, tal_error *err);
static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_option options[] = {
    {"solver", 's', "NAME",
     "automatic (default), sweeps, finisher or newton; interior-point for dry friction; uzawa or "
     "acd2-interior-point for the law acd2."},
    {"tolerance", 0, "T", "For both residuals; default 1e-8."},
    {"sweeps", 0, "N", "Maximum number of sweeps; default 100000."},
    {"systems", 0, "N", "Maximum number of linear systems; default 10000."},
    {"guess", 0, NULL, "Start from the guess in the file, where there is one."},
    {"reaction", 0, "FILE",
     "Write the reactions as text: a line per contact, normal and two tangents."},
    {"solution", 0, "FILE",
     "Write the problem with its solution: FCLIB if FILE ends in .hdf5 or .h5, else the plain "
     "form. "
     "FILE may be the problem itself."},
    {"compare", 0, NULL, "Run all solvers that fit the law and print a table."},
    {"profile", 0, "FILE.svg", "With --compare: draw performance profiles."},
};

static const tal_program program = {
    .name = "talus-contact",
    .summary = "solves contact problems with friction from files",
    .arguments = "FILE... [OPTION]...",
    .description =
        "Reads contact problems in the plain form (docs/formats.md) or in FCLIB, the HDF5 format "
        "in which codes of contact mechanics exchange them: local (W, q) or global (M, H, f, w), "
        "of "
        "two or three dimensions; both forms also with the laws acd2 and acd2+coulomb. Solves "
        "each and prints "
        "sweeps, linear systems, time, the two "
        "usual residuals, and how far reactions and velocities are outside their cones.\n\n"
        "The residuals are norms of r - P(r - rho uhat), P the projection on the friction cone "
        "and uhat De Saxce's velocity: with rho = 3/trace(W_kk) relative to |r|, and with rho = 1 "
        "relative to the largest of |q|, |r|, |u|. Everything is measured from r alone.\n\n"
        "Where more points touch than motions exist, W is singular and linear systems are "
        "regularised: 'added' is what the step that led to r had added to W, in mean inverse "
        "masses, and 'pivots' how many pivots of one system were made larger. Both act on steps "
        "only, never on what is measured.\n\n"
        "A problem that is not solved is reported as such and makes the exit status 1.",
    .examples = "  talus-contact problem.hdf5 --solution problem.hdf5 --overwrite\n"
                "  talus-contact problem.fcp --reaction r.txt\n"
                "  talus-contact *.hdf5 --compare --profile profiles.svg\n",
    .arguments_max = TAL_ARGUMENTS_MAX,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static const char *option(const tal_invocation *invocation, const char *name) {
    return tal_invocation_option(&program, invocation, name);
}

static double number_option(const tal_invocation *invocation, const char *name, double otherwise,
                            double least, double most, tal_error *err) {
    const char *text = option(invocation, name);
    char *end;
    if (text == NULL) {
        return otherwise;
    }
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most)) {
        tal_error_add(err, TAL_BAD_USAGE, "--%s %s must be a number from %g to %g", name, text,
                      least, most);
        return otherwise;
    }
    return value;
}

typedef struct {
    const tal_contact_solver *solver;
    double tolerance;
    int sweeps_max, systems_max;
} wishes;

static wishes read_wishes(const tal_invocation *invocation, tal_error *err) {
    const char *name = option(invocation, "solver");
    return (wishes){.solver = tal_contact_solver_find(name != NULL ? name : "automatic", err),
                    .tolerance = number_option(invocation, "tolerance", 1e-8, 1e-14, 1.0, err),
                    .sweeps_max = (int)number_option(invocation, "sweeps", 100000.0, 1.0, 1e9, err),
                    .systems_max =
                        (int)number_option(invocation, "systems", 10000.0, 1.0, 1e9, err)};
}

static tal_status check(tal_invocation *invocation, tal_error *err) {
    (void)read_wishes(invocation, err);
    const bool has_output =
        option(invocation, "reaction") != NULL || option(invocation, "solution") != NULL;
    if (invocation->argument_count == 0) {
        tal_error_add(err, TAL_BAD_USAGE, "say which contact problem to solve: talus-contact FILE");
    }
    if (has_output && invocation->argument_count > 1) {
        tal_error_add(err, TAL_BAD_USAGE,
                      "--reaction and --solution are for one problem, not for %d",
                      invocation->argument_count);
    }
    if (option(invocation, "profile") != NULL && option(invocation, "compare") == NULL) {
        tal_error_add(err, TAL_BAD_USAGE, "--profile needs --compare");
    }
    if (has_output && option(invocation, "compare") != NULL) {
        tal_error_add(err, TAL_BAD_USAGE,
                      "--compare writes no solution: leave out --reaction and --solution");
    }
    return err->message_count > 0 ? err->status : TAL_OK;
}

// A problem and everything to solve it with.
typedef struct {
    tal_contact_problem problem;
    tal_friction_problem friction;
    tal_contact_task task;
    double *r;
} workbench;

static void release(workbench *bench) {
    tal_contact_problem_destroy(&bench->problem);
    tal_friction_problem_destroy(&bench->friction);
    tal_memory_destroy(bench->r);
}

static tal_status prepare(workbench *bench, const tal_invocation *invocation, const wishes *wish,
                          const char *path, tal_error *err) {
    *bench = (workbench){0};
    TAL_TRY(tal_contact_problem_read(&bench->problem, path, err));
    const tal_local_input *input = &bench->problem.input;
    tal_given_problem *given; // its checks are those of the sweeps, and name the fault
    TAL_TRY(tal_given_create(&given, input, 1, err));
    tal_given_destroy(given);
    TAL_TRY(tal_friction_problem_copy(&bench->friction, input, err));
    TAL_TRY(tal_friction_problem_check(&bench->friction, err));
    TAL_CREATE(bench->r, 3 * (size_t)input->contact_count, "reactions", err);
    bench->task = (tal_contact_task){
        .input = input,
        .friction = &bench->friction,
        .start = option(invocation, "guess") != NULL ? bench->problem.guess : NULL,
        .tolerance = wish->tolerance,
        .sweeps_max = wish->sweeps_max,
        .systems_max = wish->systems_max,
        .thread_count = 1}; // for times that can be compared
    return TAL_OK;
}

static void print_head(void) {
    printf("%-40s %8s %-19s %8s %8s %10s %9s %9s %9s %9s %9s %6s\n", "problem", "contacts",
           "solver", "sweeps", "systems", "seconds", "by mass", "by unit", "r outside", "u outside",
           "added", "pivots");
}

static void print_row(const char *path, const workbench *bench, const char *solver,
                      const tal_contact_outcome *o) {
    printf("%-40.40s %8d %-19s %8d %8d %10.4g %9.1e %9.1e %9.1e %9.1e %9.1e %6d%s\n",
           tal_path_name(path), bench->problem.contact_count, solver, o->sweeps, o->systems,
           o->seconds, o->residual.by_mass, o->residual.by_unit, o->residual.outside_r,
           o->residual.outside_u, o->regularisation, o->perturbed_count,
           o->is_solved ? "" : "  NOT SOLVED");
}

static tal_status write_reactions(const workbench *bench, const char *path, tal_overwrite overwrite,
                                  tal_error *err) {
    tal_output out;
    TAL_TRY(tal_output_open(&out, path, overwrite, err));
    for (int32_t k = 0; k < bench->problem.contact_count; k++) {
        const double *r = &bench->r[3 * k];
        tal_output_print(&out, "%.17g %.17g %.17g\n", r[0], r[1], r[2]);
    }
    return tal_output_commit(&out, err);
}

static tal_status write_results(const workbench *bench, const tal_invocation *invocation,
                                tal_error *err) {
    const char *reaction = option(invocation, "reaction");
    const char *solution = option(invocation, "solution");
    if (reaction != NULL) {
        TAL_TRY(write_reactions(bench, reaction, invocation->overwrite, err));
    }
    if (solution != NULL && invocation->overwrite == TAL_KEEP_EXISTING &&
        tal_file_exists(solution)) {
        return TAL_FAIL(err, TAL_EXISTS, "%s already exists. Use --overwrite to replace it",
                        solution);
    }
    return solution != NULL ? tal_contact_problem_write(&bench->problem, bench->r, solution, err)
                            : TAL_OK;
}

// Nothing is open and nothing half written while a solver runs: a signal need not wait for its end.
static tal_status run_solver(workbench *bench, const tal_contact_solver *solver,
                             tal_contact_outcome *outcome, tal_error *err) {
    fflush(stdout);
    tal_interrupt_allow_exit(true);
    const tal_status status = tal_contact_solver_run(solver, &bench->task, bench->r, outcome, err);
    tal_interrupt_allow_exit(false);
    return status;
}

static tal_status solve_one(workbench *bench, const tal_invocation *invocation, const wishes *wish,
                            const char *path, int *solved_count, tal_error *err) {
    tal_contact_outcome outcome;
    TAL_TRY(prepare(bench, invocation, wish, path, err));
    TAL_TRY(tal_contact_solver_check(wish->solver, &bench->task, err));
    TAL_TRY(run_solver(bench, wish->solver, &outcome, err));
    print_row(path, bench, wish->solver->name, &outcome);
    *solved_count += outcome.is_solved;
    return write_results(bench, invocation, err); // the best that was found, solved or not
}

// All solvers on one problem; seconds of the solved ones.
static tal_status compare_one(workbench *bench, const tal_invocation *invocation,
                              const wishes *wish, const char *path, double *seconds,
                              int *solved_count, tal_error *err) {
    bool any = false;
    TAL_TRY(prepare(bench, invocation, wish, path, err));
    for (int s = 0; s < TAL_CONTACT_SOLVER_COUNT && !tal_interrupt_pending(); s++) {
        tal_contact_outcome outcome;
        if (!tal_contact_solver_fits(&TAL_CONTACT_SOLVERS[s], &bench->task)) {
            continue;
        }
        TAL_TRY(run_solver(bench, &TAL_CONTACT_SOLVERS[s], &outcome, err));
        print_row(path, bench, TAL_CONTACT_SOLVERS[s].name, &outcome);
        seconds[s] = outcome.is_solved ? outcome.seconds : INFINITY; // else NAN, not run
        any = any || outcome.is_solved;
    }
    *solved_count += any;
    return TAL_OK;
}

static void print_shares(int problem_count, const double *seconds) {
    static const double multiple[] = {1.0, 2.0, 10.0, 1e300};
    printf("\nshare of its problems that a solver solves within 1, 2, 10 times the best time, and "
           "at all\n");
    for (int s = 0; s < TAL_CONTACT_SOLVER_COUNT; s++) {
        if (tal_profile_tried(problem_count, TAL_CONTACT_SOLVER_COUNT, seconds, s) == 0) {
            continue;
        }
        printf("%-19s", TAL_CONTACT_SOLVERS[s].name);
        for (size_t m = 0; m < sizeof multiple / sizeof multiple[0]; m++) {
            printf(" %5.0f %%", 100.0 * tal_profile_share(problem_count, TAL_CONTACT_SOLVER_COUNT,
                                                          seconds, s, multiple[m]));
        }
        printf("\n");
    }
}

static tal_status write_profile(const tal_invocation *invocation, int problem_count,
                                const double *seconds, tal_error *err) {
    const char *name[16];
    for (int s = 0; s < TAL_CONTACT_SOLVER_COUNT; s++) {
        name[s] = TAL_CONTACT_SOLVERS[s].name;
    }
    const char *path = option(invocation, "profile");
    return path == NULL ? TAL_OK
                        : tal_profile_write(path, invocation->overwrite, problem_count,
                                            TAL_CONTACT_SOLVER_COUNT, name, seconds, err);
}

// A file that cannot be read is told, the others are solved.
static tal_status run_all(const tal_invocation *invocation, const wishes *wish, double *seconds,
                          int *solved_count, tal_error *err) {
    const bool compares = option(invocation, "compare") != NULL;
    int failed_count = 0;
    print_head();
    for (int n = 0; n < invocation->argument_count && !tal_interrupt_pending(); n++) {
        workbench bench;
        tal_error *one = tal_memory_create(1, sizeof *one);
        if (one == NULL) {
            return tal_memory_failed(err, "a message", 1, sizeof *one);
        }
        double *row = &seconds[n * TAL_CONTACT_SOLVER_COUNT];
        const char *path = invocation->argument[n];
        const tal_status status =
            compares ? compare_one(&bench, invocation, wish, path, row, solved_count, one)
                     : solve_one(&bench, invocation, wish, path, solved_count, one);
        release(&bench);
        if (status != TAL_OK) {
            failed_count++;
            tal_error_add(err, status, "%s: %s", tal_path_name(path), one->text);
        }
        tal_memory_destroy(one);
    }
    return failed_count > 0 ? err->status : TAL_OK;
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    const wishes wish = read_wishes(invocation, err);
    const int count = invocation->argument_count;
    double *seconds;
    int solved_count = 0;
    TAL_CREATE(seconds, (size_t)(count * TAL_CONTACT_SOLVER_COUNT), "times", err);
    for (int n = 0; n < count * TAL_CONTACT_SOLVER_COUNT; n++) {
        seconds[n] = NAN;
    }
    tal_error_reset(err);
    tal_status status = run_all(invocation, &wish, seconds, &solved_count, err);
    if (option(invocation, "compare") != NULL) {
        print_shares(count, seconds);
        if (status == TAL_OK) {
            status = write_profile(invocation, count, seconds, err);
        }
    }
    tal_memory_destroy(seconds);
    if (status == TAL_OK && tal_interrupt_pending()) {
        return TAL_FAIL(err, TAL_INTERRUPTED, "stopped");
    }
    if (status == TAL_OK && solved_count < count) {
        return TAL_FAIL(err, TAL_NOT_CONVERGED, "%d of %d problems not solved to %g",
                        count - solved_count, count, wish.tolerance);
    }
    return status;
}

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems in the plain form from hostile bytes: read, checked as talus-contact does, and tried with
// a few linear systems.
#include "core/base/memory.h"
#include "solver/program/contact/problem.h"
#include "solver/program/contact/solvers.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONTACTS_MAX = 30 };

static void solve(const tal_contact_problem *p, tal_error *err) {
    tal_friction_problem friction = {0};
    tal_given_problem *given = NULL;
    double r[3 * CONTACTS_MAX];
    tal_contact_outcome outcome;
    tal_status status = tal_given_create(&given, &p->input, 1, err);
    tal_given_destroy(given);
    status = status == TAL_OK ? tal_friction_problem_copy(&friction, &p->input, err) : status;
    status = status == TAL_OK ? tal_friction_problem_check(&friction, err) : status;
    const tal_contact_task task = {.input = &p->input,
                                   .friction = &friction,
                                   .tolerance = 1e-8,
                                   .sweeps_max = 10,
                                   .systems_max = 10,
                                   .thread_count = 1};
    for (int s = 0; status == TAL_OK && s < TAL_CONTACT_SOLVER_COUNT; s++) {
        if (tal_contact_solver_fits(&TAL_CONTACT_SOLVERS[s], &task)) {
            (void)tal_contact_solver_run(&TAL_CONTACT_SOLVERS[s], &task, r, &outcome, err);
        }
    }
    tal_friction_problem_destroy(&friction);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_contact_problem problem;
    char *text = tal_memory_create(size + 1, 1);
    memcpy(text, data, size);
    tal_error_reset(&err);
    if (tal_contact_problem_parse(&problem, text, "f.fcp", &err) == TAL_OK) {
        if (problem.contact_count <= CONTACTS_MAX) {
            solve(&problem, &err);
        }
        tal_contact_problem_destroy(&problem);
    }
    tal_memory_destroy(text);
    return 0;
}

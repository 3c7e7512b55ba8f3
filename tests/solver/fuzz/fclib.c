// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of a contact problem in FCLIB.
#include "solver/program/contact/problem.h"
#include "tests/support/mutate.h"
#include "tests/support/watched.h"

static mutant m;

static const char SEED[] = "FCP 1\nkind local\ndim 3\nnc 2\nmu\n0.5 0.5\nq\n-1 5 0 -1 0 2\nW 2\n"
                           "0 0 1 0 0 0 1 0 0 0 1\n1 1 1 0 0 0 1 0 0 0 1\nend\n";

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static tal_error err;
    tal_contact_problem problem;
    mutant_begin(&m, "seed.hdf5");
    mutant_need(tal_contact_problem_parse(&problem, SEED, "seed", &err), &err);
    mutant_need(tal_contact_problem_write(&problem, NULL, m.path, &err), &err);
    tal_contact_problem_destroy(&problem);
    mutant_take_seed(&m);
    watched_begin(argc, argv);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_contact_problem problem;
    watched_try(data, size);
    mutant_edit(&m, data, size);
    mutant_renew(&m);
    mutant_write(&m);
    tal_error_reset(&err);
    if (tal_contact_problem_read(&problem, m.path, &err) == TAL_OK) {
        tal_contact_problem_destroy(&problem);
    }
    watched_end_try();
    return 0;
}

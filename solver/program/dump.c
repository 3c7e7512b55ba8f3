// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/program/dump.h"

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "solver/finish/island.h"
#include "solver/program/contact/problem.h"
#include "solver/step/state.h"

#include <math.h>
#include <stdio.h>

// The laws as they stand in files.
static tal_status set_laws(tal_contact_problem *problem, const tal_friction_problem *friction,
                           tal_error *err) {
    const size_t count = (size_t)friction->w.count;
    problem->is_acd2 = true;
    TAL_CREATE(problem->acd2.kn, count, "dissipations", err);
    TAL_CREATE(problem->acd2.kt, count, "dissipations", err);
    TAL_CREATE(problem->acd2.before, 3 * count, "velocities", err);
    TAL_CREATE(problem->acd2.bound, count, "bounds", err);
    for (int32_t k = 0; k < friction->w.count; k++) {
        tal_acd2_from_local(&problem->acd2, k, &friction->law[k]);
        problem->has_cones = problem->has_cones || isfinite(friction->law[k].friction);
    }
    return TAL_OK;
}

static tal_status write(const tal_friction_problem *friction, const double *percussion,
                        const char *path, long long step, tal_error *err) {
    const tal_block_matrix *w = &friction->w;
    const int64_t blocks = w->start[w->count];
    int32_t *row;
    TAL_CREATE(row, (size_t)blocks, "rows of W", err);
    for (int32_t k = 0; k < w->count; k++) {
        for (int64_t p = w->start[k]; p < w->start[k + 1]; p++) {
            row[p] = k;
        }
    }
    tal_contact_problem problem = {.dimension = 3,
                                   .contact_count = w->count,
                                   .friction = friction->friction,
                                   .q = friction->q,
                                   .input = {.contact_count = w->count,
                                             .friction = friction->friction,
                                             .q = friction->q,
                                             .block_count = (int32_t)blocks,
                                             .row = row,
                                             .column = w->column,
                                             .block = w->value}};
    (void)snprintf(problem.title, sizeof problem.title, "step %lld of a run of talus-solve", step);
    tal_status status = friction->law != NULL ? set_laws(&problem, friction, err) : TAL_OK;
    if (status == TAL_OK) {
        status = tal_contact_problem_write(&problem, percussion, path, err);
    }
    tal_acd2_law_destroy(&problem.acd2);
    tal_memory_destroy(row);
    return status;
}

tal_status tal_dump_problem(const tal_state *state, const char *out, long long step,
                            tal_error *err) {
    tal_friction_problem friction;
    double *percussion;
    char name[64], path[TAL_PATH_SIZE];
    (void)snprintf(name, sizeof name, "contact-%lld.hdf5", step);
    if (!tal_path_join(path, out, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.100s...: path too long", out);
    }
    TAL_TRY(tal_finish_collect(&state->work.problem, &friction, &percussion, err));
    const tal_status status = write(&friction, percussion, path, step, err);
    if (status == TAL_OK) {
        tal_log_info("%d contacts of step %lld in %s", (int)friction.w.count, step, path);
    }
    tal_friction_problem_destroy(&friction);
    tal_memory_destroy(percussion);
    return status;
}

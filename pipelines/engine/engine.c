// SPDX-License-Identifier: GPL-3.0-or-later
// Who does the jobs of a plan.
#include "pipelines/engine/engine.h"

#include <string.h>

tal_status tal_engine_find(const char *name, tal_engine_kind *kind, tal_error *err) {
    if (name == NULL || strcmp(name, "local") == 0) {
        *kind = TAL_ENGINE_LOCAL;
        return TAL_OK;
    }
    if (strcmp(name, "slurm") == 0) {
        *kind = TAL_ENGINE_SLURM;
        return TAL_OK;
    }
    return tal_error_add(err, TAL_BAD_USAGE, "--engine=%s must be local or slurm", name);
}

// A parent always comes before its children.
void tal_plan_fail_children(tal_plan *plan) {
    for (int i = 0; i < plan->count; i++) {
        const int parent = plan->job[i].parent;
        if (parent >= 0 && plan->job[parent].state == TAL_JOB_FAILED) {
            plan->job[i].state = TAL_JOB_FAILED;
        }
    }
}

static void take_what_is_there(const tal_study_folder *study, tal_plan *plan) {
    for (int i = 0; i < plan->count; i++) {
        tal_job *job = &plan->job[i];
        job->state =
            tal_study_is_finished(study, job->stage, job->key) ? TAL_JOB_DONE : TAL_JOB_FAILED;
    }
}

tal_status tal_engine_run(const tal_engine *engine, const tal_study_folder *study, tal_plan *plan,
                          tal_error *err) {
    if (plan->count == 0) {
        return TAL_OK;
    }
    switch (engine->kind) {
    case TAL_ENGINE_LOCAL:
        return tal_engine_run_local(engine, study, plan, err);
    case TAL_ENGINE_SLURM:
        return tal_engine_run_slurm(engine, study, plan, err);
    case TAL_ENGINE_COLLECT:
        break;
    }
    take_what_is_there(study, plan);
    return TAL_OK;
}

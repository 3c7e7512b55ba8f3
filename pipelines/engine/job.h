// SPDX-License-Identifier: GPL-3.0-or-later
// One job of a study: a stage program, run in a folder of its own that gets its name when it is
// done.
#ifndef TALUS_PIPELINES_ENGINE_JOB_H
#define TALUS_PIPELINES_ENGINE_JOB_H

#include "pipelines/engine/plan.h"

// Does the job in this process and waits for the stage program. Whatever kills it, the next attempt
// starts from a clean folder, or from the solver's last checkpoint. A failure is also left in
// failed/.
tal_status tal_job_run(const tal_study_folder *study, const tal_job *job, tal_error *err);

// Why a job failed, from failed/; empty when nothing is known.
void tal_job_reason(const tal_study_folder *study, const tal_job *job, char *reason, size_t size);

// What the most expensive job of a stage has used so far; zero when none was done.
typedef struct {
    double seconds;
    double memory_mb;
} tal_job_cost;
tal_status tal_job_costs(const tal_study_folder *study, tal_job_cost costs[TAL_CHAIN_COUNT],
                         tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Who does the jobs of a plan: the cores of this machine, or Slurm. Results are the same bytes.
#ifndef TALUS_PIPELINES_ENGINE_ENGINE_H
#define TALUS_PIPELINES_ENGINE_ENGINE_H

#include "pipelines/engine/job.h"

// Called in this process whenever a run (its last stage) has ended, in the order of ending.
typedef void tal_engine_watch(void *context, const tal_job *job);

typedef enum { TAL_ENGINE_LOCAL, TAL_ENGINE_SLURM, TAL_ENGINE_COLLECT } tal_engine_kind;

typedef struct {
    tal_engine_kind kind; // COLLECT: do nothing, take what is there
    int worker_count;
    const char *label; // of the progress line; NULL: none
    tal_engine_watch *watch;
    void *context;
    bool detach;                  // Slurm: submit, leave, and let a last job collect
    const char *const *collector; // command of that last job, ended by NULL
} tal_engine;

// "local" or "slurm"; NULL stands for local.
tal_status tal_engine_find(const char *name, tal_engine_kind *kind, tal_error *err);

// Does every job of the plan whose turn comes; a failed one fails those that build on it, the
// others go on. Fails only when the study as a whole cannot go on, or was interrupted.
tal_status tal_engine_run(const tal_engine *engine, const tal_study_folder *study, tal_plan *plan,
                          tal_error *err);

tal_status tal_engine_run_local(const tal_engine *engine, const tal_study_folder *study,
                                tal_plan *plan, tal_error *err);
// TAL_OK with jobs left waiting when it was told to detach.
tal_status tal_engine_run_slurm(const tal_engine *engine, const tal_study_folder *study,
                                tal_plan *plan, tal_error *err);

// After the state of `job` has become FAILED: all that builds on it.
void tal_plan_fail_children(tal_plan *plan);

#endif

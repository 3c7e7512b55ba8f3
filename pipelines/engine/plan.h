// SPDX-License-Identifier: GPL-3.0-or-later
// What is to be done in a study: one job per stage and key, each after the job it builds on. Stages
// that several runs share appear once, finished ones not at all.
#ifndef TALUS_PIPELINES_ENGINE_PLAN_H
#define TALUS_PIPELINES_ENGINE_PLAN_H

#include "pipelines/engine/study.h"

typedef enum { TAL_JOB_WAITING, TAL_JOB_RUNNING, TAL_JOB_DONE, TAL_JOB_FAILED } tal_job_state;

typedef struct {
    tal_chain_stage stage;
    char key[TAL_KEY_SIZE];
    char parent_key[TAL_KEY_SIZE]; // empty for the first stage
    int parent;                    // job that must be done first, -1: none
    char *arguments;               // site file and settings, each ended by TAL_ARGUMENT_END
    tal_job_state state;
} tal_job;

enum { TAL_ARGUMENT_END = '\x1f' };

typedef struct {
    tal_job *job;
    int count, capacity;
    tal_table index; // "mesh KEY" to job
} tal_plan;          // starts as {0}

// Adds what is missing of a run. `site` is the file the study keeps; `settings` are those of the
// run, that is with the overrides ("contact.friction=0.5"), which go to the programs that read
// them.
tal_status tal_plan_add_run(tal_plan *plan, const tal_study_folder *study, const char *site,
                            const tal_settings *settings, const char *const *overrides,
                            int override_count, const tal_run_keys *keys, tal_error *err);
void tal_plan_destroy(tal_plan *plan);

// For processes elsewhere: the same plan as a file.
tal_status tal_plan_write(const tal_plan *plan, const char *path, tal_error *err);
tal_status tal_plan_read(tal_plan *plan, const char *path, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Runs asked for and runs delivered.
#include "pipelines/engine/runner.h"

#include "core/app/site_check.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "pipelines/engine/csv.h"

#include <stdio.h>
#include <string.h>

static void watch_run(void *context, const tal_job *job) {
    tal_runner *runner = context;
    tal_sheet sheet;
    if (job->state == TAL_JOB_DONE) { // what cannot be read is told when it is asked for
        (void)tal_sheet_find(&runner->store, &runner->study, job->key, &sheet, NULL);
    }
}

tal_status tal_runner_open(tal_runner *runner, const tal_engine *engine, const tal_program *program,
                           const tal_invocation *invocation, tal_study_sites *sites,
                           tal_error *err) {
    const bool resume = tal_invocation_option(program, invocation, "resume") != NULL;
    *runner = (tal_runner){.engine = *engine, .study = {.lock = -1}};
    runner->engine.worker_count = invocation->thread_count;
    runner->engine.watch = watch_run;
    runner->engine.context = runner;
    TAL_TRY(tal_engine_find(tal_invocation_option(program, invocation, "engine"),
                            &runner->engine.kind, err));
    if (tal_invocation_option(program, invocation, "collect") != NULL) {
        runner->engine.kind = TAL_ENGINE_COLLECT;
    }
    TAL_CREATE(runner->scratch, 1, "settings", err);
    TAL_TRY(tal_study_open(&runner->study, invocation->out, program->name, resume, err));
    TAL_TRY(tal_sheet_store_read(&runner->store, &runner->study, err));
    for (int i = 0; i < sites->count; i++) {
        tal_study_site *site = &sites->site[i];
        TAL_TRY(tal_study_keep_site(&runner->study, site->settings, site->kept, err));
    }
    return TAL_OK;
}

void tal_runner_close(tal_runner *runner) {
    tal_sheet_store_destroy(&runner->store);
    tal_study_close(&runner->study);
    tal_memory_destroy(runner->scratch);
    runner->scratch = NULL;
}

static tal_status plan_run(tal_runner *runner, const tal_run_request *request,
                           tal_run_answer *answer, tal_plan *plan, tal_error *err) {
    *runner->scratch = *request->site->settings;
    for (int i = 0; i < request->override_count; i++) {
        TAL_TRY(
            tal_override_apply(request->overrides[i], runner->scratch, request->site->name, err));
    }
    TAL_TRY(tal_site_check(runner->scratch, err));
    TAL_TRY(tal_study_keys(&runner->study, runner->scratch, &answer->keys, err));
    const int before = plan->count;
    TAL_TRY(tal_plan_add_run(plan, &runner->study, request->site->kept, runner->scratch,
                             request->overrides, request->override_count, &answer->keys, err));
    runner->reused += plan->count == before ? 1 : 0;
    runner->computed += plan->count > before ? 1 : 0;
    return TAL_OK;
}

// The stage that failed is the first without a result.
static void find_reason(const tal_runner *runner, tal_run_answer *answer) {
    for (int stage = 0; stage < TAL_CHAIN_COUNT; stage++) {
        tal_job job = {.stage = (tal_chain_stage)stage};
        memcpy(job.key, answer->keys.text[stage], TAL_KEY_SIZE);
        tal_job_reason(&runner->study, &job, answer->reason, sizeof answer->reason);
        if (answer->reason[0] != '\0' &&
            !tal_study_is_finished(&runner->study, job.stage, job.key)) {
            return;
        }
    }
    snprintf(answer->reason, sizeof answer->reason, "has not been run");
}

static tal_status collect_answer(tal_runner *runner, tal_run_answer *answer, tal_error *err) {
    const char *key = answer->keys.text[TAL_CHAIN_POST];
    answer->done = tal_study_is_finished(&runner->study, TAL_CHAIN_POST, key);
    answer->reason[0] = '\0';
    if (answer->done) {
        return tal_sheet_find(&runner->store, &runner->study, key, &answer->sheet, err);
    }
    find_reason(runner, answer);
    return TAL_OK;
}

tal_status tal_runner_do(tal_runner *runner, const tal_run_request *requests, int count,
                         tal_run_answer *answers, tal_error *err) {
    tal_plan plan = {0};
    tal_status status = TAL_OK;
    for (int i = 0; i < count && status == TAL_OK; i++) {
        status = plan_run(runner, &requests[i], &answers[i], &plan, err);
    }
    if (status == TAL_OK) {
        tal_log_debug("%d jobs for %d runs", plan.count, count);
        status = tal_engine_run(&runner->engine, &runner->study, &plan, err);
    }
    for (int i = 0; i < count && status == TAL_OK; i++) {
        status = collect_answer(runner, &answers[i], err);
    }
    tal_plan_destroy(&plan);
    return status;
}

const char *tal_run_answer_word(const tal_run_answer *answer) {
    return !answer->done ? "failed" : answer->sheet.trusted ? "done" : "doubtful";
}

void tal_run_answer_append(tal_text *line, const tal_run_answer *answer) {
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        tal_text_append(line, ",");
        if (answer->done) {
            tal_csv_append_real(line, answer->sheet.value[i]);
        }
    }
    tal_text_append(line, ",");
    tal_csv_append_text(line, answer->reason);
    tal_text_append(line, "\n");
}

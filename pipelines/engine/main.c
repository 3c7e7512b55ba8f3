// SPDX-License-Identifier: GPL-3.0-or-later
// talus-job: one job of a study, as the arrays that talus submits to Slurm start it.
#include "core/app/program.h"
#include "pipelines/engine/job.h"

static tal_status check(tal_invocation *invocation, tal_error *err) {
    int64_t number = 0;
    if (invocation->argument_count != 2 || !tal_text_to_integer(invocation->argument[1], &number)) {
        tal_error_add(err, TAL_BAD_USAGE, "which job? Say talus-job PLAN NUMBER --out STUDY");
    }
    return TAL_OK;
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    int64_t number = -1;
    tal_study_folder study;
    tal_plan plan = {0};
    (void)tal_text_to_integer(invocation->argument[1], &number);
    TAL_TRY(tal_study_join(&study, invocation->out, err));
    tal_status status = tal_plan_read(&plan, invocation->argument[0], err);
    if (status == TAL_OK && (number < 0 || number >= plan.count)) {
        status = TAL_FAIL(err, TAL_BAD_USAGE, "%s has no job %lld, only %d of them",
                          invocation->argument[0], (long long)number, plan.count);
    }
    if (status == TAL_OK) {
        status = tal_job_run(&study, &plan.job[number], err);
    }
    tal_plan_destroy(&plan);
    tal_study_close(&study);
    return status;
}

static const tal_program program = {
    .name = "talus-job",
    .summary = "one job of a study, for batch systems",
    .arguments = "PLAN NUMBER --out STUDY",
    .description =
        "Does one job of a plan that talus-batch or talus-calibrate has written: it runs one stage "
        "in "
        "a folder of its own, writes the SHA-256 of every output to finished.json, and then gives "
        "the "
        "folder its final name. A job that is finished is not done again, so a requeued one loses "
        "nothing.\n\nIt is started by the job arrays that --engine slurm submits; you need it only "
        "to "
        "repeat a job by hand.",
    .examples = "talus-job study/.cache/slurm/plan-1.json 0 --out study",
    .stages = 0,
    .arguments_max = 2,
    .check = check,
    .run = run};

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}

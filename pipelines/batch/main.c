// SPDX-License-Identifier: GPL-3.0-or-later
// talus-batch: many sites times many settings.
#include "core/base/log.h"
#include "core/base/memory.h"
#include "pipelines/batch/batch.h"

#include <stdio.h>
#include <string.h>

static tal_status check(tal_invocation *invocation, tal_error *err);
static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_option options[] = {
    TAL_STUDY_OPTIONS,
    {"settings", 0, "TABLE.csv",
     "Settings to combine with every site: a column each, a row per run."},
    {"detach", 0, NULL, "Slurm: submit and leave; a last job collects the results."},
};

static const tal_program program = {
    .name = "talus-batch",
    .summary = "many sites times many settings, on this machine or on Slurm",
    .arguments = "SITE.ini... --out DIR [OPTION]...",
    .description =
        "Runs all stages for every site and every row of the table given with --settings. DIR is a "
        "study folder: each run has a folder of its own in DIR/runs, named by the hash of its "
        "settings and inputs, and is never done twice; stages that runs share are done once.\n\n"
        "A study can be stopped (Ctrl-C) or killed at any moment; the same command continues where "
        "it stopped. A run that fails is listed with its reason while the others finish; it is "
        "tried again next time. A site file with mistakes is reported and left out; the others are "
        "run, and the exit status is 1.\n\n"
        "The results are results.csv (all scores), sites.gpkg (outlines of all sites, for QGIS), "
        "index.html (links to the report of every run) and manifest.json.",
    .examples = "talus-batch a.ini b.ini --out study\n"
                "talus-batch a.ini b.ini --out study --settings friction.csv --engine slurm",
    .stages = TAL_STAGE_ALL & ~(unsigned)TAL_STAGE_CALIBRATE,
    .needs_site_file = true,
    .takes_more_sites = true,
    .arguments_max = TAL_ARGUMENTS_MAX,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static char **words; // of the command line, for the job that collects

static const char *option(const tal_invocation *invocation, const char *name) {
    return tal_invocation_option(&program, invocation, name);
}

static tal_status check(tal_invocation *invocation, tal_error *err) {
    tal_engine_kind kind;
    (void)tal_engine_find(option(invocation, "engine"), &kind, err);
    const char *table = option(invocation, "settings");
    tal_error *one = tal_memory_create(1, sizeof *one);
    if (one != NULL && table != NULL && tal_file_check_readable(table, one) != TAL_OK) {
        tal_error_add(err, TAL_BAD_USAGE, "--settings %s", one->text);
    }
    tal_memory_destroy(one);
    return TAL_OK;
}

// --- the whole batch ---

typedef struct {
    tal_study_sites sites;
    tal_variations variations;
    tal_run_request *request;
    tal_run_answer *answer;
    char *text;            // all overrides, one after another
    const char **override; // variations * columns
    int *override_count;   // by variation
} batch_work;

// One list of overrides per variation, shared by the sites.
static tal_status make_overrides(batch_work *work, tal_error *err) {
    const tal_csv *csv = &work->variations.csv;
    if (csv->rows == 0) {
        return TAL_OK;
    }
    size_t size = 0;
    for (int row = 1; row < csv->rows; row++) {
        for (int column = 0; column < csv->columns; column++) {
            size +=
                strlen(tal_csv_cell(csv, 0, column)) + strlen(tal_csv_cell(csv, row, column)) + 2;
        }
    }
    TAL_CREATE(work->text, size, "settings", err);
    char *next = work->text;
    for (int row = 1; row < csv->rows; row++) {
        for (int column = 0; column < csv->columns; column++) {
            const char *value = tal_csv_cell(csv, row, column);
            if (column == work->variations.name_column || value[0] == '\0') {
                continue;
            }
            const int k = work->override_count[row - 1]++;
            work->override[(size_t)(row - 1) * (size_t)csv->columns + (size_t)k] = next;
            next += sprintf(next, "%s=%s", tal_csv_cell(csv, 0, column), value) + 1;
        }
    }
    return TAL_OK;
}

static tal_status make_requests(batch_work *work, int *count, tal_error *err) {
    const int variations = work->variations.count, columns = work->variations.csv.columns;
    *count = work->sites.count * variations;
    TAL_CREATE(work->request, (size_t)*count, "runs", err);
    TAL_CREATE(work->answer, (size_t)*count, "runs", err);
    TAL_CREATE(work->override, (size_t)variations * (size_t)(columns > 0 ? columns : 1), "runs",
               err);
    TAL_CREATE(work->override_count, (size_t)variations, "runs", err);
    TAL_TRY(make_overrides(work, err));
    for (int i = 0; i < *count; i++) {
        const int row = i % variations;
        work->request[i] =
            (tal_run_request){.site = &work->sites.site[i / variations],
                              .overrides = work->override + (size_t)row * (size_t)columns,
                              .override_count = work->override_count[row]};
    }
    return TAL_OK;
}

static void tell_result(const tal_runner *runner, const tal_batch_runs *batch, int count) {
    tal_log_info("%d runs (%d were finished before), %d failed; open %s/index.html", count,
                 runner->reused, batch->failed_count, batch->study->path);
    for (int i = 0; i < count; i++) {
        if (!batch->answer[i].done) {
            char name[TAL_SETTING_TEXT_SIZE];
            tal_variations_name(batch->variations, i % batch->variations->count, name, sizeof name);
            tal_log_warn("%s %s: %s", batch->sites->site[i / batch->variations->count].name, name,
                         batch->answer[i].reason);
        }
    }
}

static tal_status run_batch(const tal_invocation *invocation, batch_work *work, tal_runner *runner,
                            tal_error *err) {
    int count = 0;
    TAL_TRY(tal_study_sites_read(&work->sites, invocation, invocation->argument,
                                 invocation->argument_count, err));
    TAL_TRY(
        tal_variations_read(&work->variations, option(invocation, "settings"), &work->sites, err));
    TAL_TRY(make_requests(work, &count, err));
    const tal_engine engine = {.label = "batch",
                               .detach = option(invocation, "detach") != NULL,
                               .collector = (const char *const *)words};
    TAL_TRY(tal_runner_open(runner, &engine, &program, invocation, &work->sites, err));
    TAL_TRY(tal_runner_do(runner, work->request, count, work->answer, err));
    if (engine.detach && runner->engine.kind == TAL_ENGINE_SLURM && runner->computed > 0) {
        return TAL_OK; // a job collects
    }
    tal_batch_runs batch = {.sites = &work->sites,
                            .variations = &work->variations,
                            .answer = work->answer,
                            .study = &runner->study};
    for (int i = 0; i < count; i++) {
        batch.failed_count += work->answer[i].done ? 0 : 1;
    }
    TAL_TRY(tal_batch_write(&batch, err));
    tell_result(runner, &batch, count);
    return batch.failed_count == count
               ? TAL_FAIL(err, TAL_UNTRUSTED, "no run of %d was successful", count)
               : TAL_OK;
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    batch_work work = {0};
    tal_runner runner = {.study = {.lock = -1}};
    const tal_status status = run_batch(invocation, &work, &runner, err);
    tal_runner_close(&runner);
    tal_memory_destroy(work.request);
    tal_memory_destroy(work.answer);
    tal_memory_destroy(work.override);
    tal_memory_destroy(work.override_count);
    tal_memory_destroy(work.text);
    tal_variations_destroy(&work.variations);
    tal_study_sites_destroy(&work.sites);
    return status;
}

int main(int argc, char **argv) {
    words = argv;
    return tal_program_main(&program, argc, argv);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// talus-calibrate: finds the settings that explain the surveyed deposit.
#include "core/base/log.h"
#include "core/base/memory.h"
#include "pipelines/calibrate/calibrate.h"

#include <stdio.h>
#include <string.h>

static tal_status check(tal_invocation *invocation, tal_error *err);
static tal_status run(const tal_invocation *invocation, tal_error *err);

static const tal_option options[] = {
    TAL_STUDY_OPTIONS,
    {"hold-out", 0, "SITE.ini",
     "A site by which the result is judged ([calibrate] hold_out lists several)."},
};

static const tal_program program = {
    .name = "talus-calibrate",
    .summary = "finds the settings that explain the surveyed deposit",
    .arguments = "SITE.ini [FURTHER-SITE.ini]... --out DIR [OPTION]...",
    .description =
        "Varies the settings named in [vary.SECTION.KEY] of the site file within their ranges, "
        "simulates, and compares each deposit with the surveyed one. [calibrate] says how: the "
        "method, how many runs, the weights of the scores. Further sites must be explained by the "
        "same settings; sites held out take no part in the search and are used to judge its "
        "result.\n\n"
        "DIR is a study folder: each run has a folder of its own in DIR/runs, named by the hash of "
        "its settings and inputs, and is never done twice. A study can be stopped (Ctrl-C) or "
        "killed at any moment; the same command continues where it stopped.\n\n"
        "The results are calibrate.html (start here), best.ini (ready to run), runs.csv and "
        "runs.nc (all runs), calibrate.json (best values, intervals, sensitivity, conclusions), "
        "pairs.svg, reach_probability.tif and deposit_probability.tif.",
    .examples = "talus-calibrate site.ini --out study\n"
                "talus-calibrate a.ini b.ini --hold-out c.ini --out study --engine slurm",
    .stages = TAL_STAGE_ALL,
    .needs_site_file = true,
    .arguments_max = TAL_ARGUMENTS_MAX,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .check = check,
    .run = run,
};

static const char *option(const tal_invocation *invocation, const char *name) {
    return tal_invocation_option(&program, invocation, name);
}

static tal_status check(tal_invocation *invocation, tal_error *err) {
    tal_engine_kind kind;
    tal_parameters *parameters = tal_memory_create(1, sizeof *parameters);
    (void)tal_engine_find(option(invocation, "engine"), &kind, err);
    if (parameters != NULL && err->message_count == 0) {
        (void)tal_parameters_read(parameters, &invocation->settings, err);
    }
    tal_memory_destroy(parameters);
    return TAL_OK;
}

// --- sites: the first, further ones, those held out ---

typedef struct {
    char (*path)[TAL_PATH_SIZE];
    const char *list[TAL_ARGUMENTS_MAX];
    int count, judges;
} site_list;

static tal_status add_path(site_list *sites, const char *path, tal_error *err) {
    if (sites->count == TAL_ARGUMENTS_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "more than %d sites", TAL_ARGUMENTS_MAX);
    }
    tal_text_copy(sites->path[sites->count], TAL_PATH_SIZE, path);
    sites->list[sites->count] = sites->path[sites->count];
    sites->count++;
    return TAL_OK;
}

static tal_status add_listed(site_list *sites, const tal_settings *settings, const char *files,
                             tal_error *err) {
    char path[TAL_PATH_SIZE];
    while (tal_settings_next_file(settings, &files, path)) {
        TAL_TRY(add_path(sites, path, err));
    }
    return TAL_OK;
}

static tal_status list_sites(site_list *sites, const tal_invocation *invocation, tal_error *err) {
    const tal_settings *settings = &invocation->settings;
    TAL_CREATE(sites->path, TAL_ARGUMENTS_MAX, "sites", err);
    for (int i = 0; i < invocation->argument_count; i++) {
        TAL_TRY(add_path(sites, invocation->argument[i], err));
    }
    TAL_TRY(add_listed(sites, settings, settings->calibrate.fit, err));
    sites->judges = 1 + sites->count;
    if (option(invocation, "hold-out") != NULL) {
        TAL_TRY(add_path(sites, option(invocation, "hold-out"), err));
    }
    return add_listed(sites, settings, settings->calibrate.hold_out, err);
}

// --- all of it ---

static tal_status tell_result(const tal_calibration *c, tal_error *err) {
    tal_text words = {0};
    const tal_status status = tal_calibration_words(c, &words, err);
    for (char *line = words.bytes, *end = NULL; line != NULL && (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        *end = '\0';
        tal_log_info("%s", line);
    }
    tal_text_destroy(&words);
    tal_log_info("misfit %.4f before, %.4f at the best point; open %s/calibrate.html",
                 c->point[0].misfit, c->point[c->best].misfit, c->runner->study.path);
    return status;
}

static tal_status calibrate(const tal_invocation *invocation, site_list *sites, tal_calibration *c,
                            tal_error *err) {
    const tal_engine engine = {.label = "calibration"};
    TAL_TRY(list_sites(sites, invocation, err));
    c->settings = &invocation->settings;
    c->how = &invocation->settings.calibrate;
    c->judge_count = sites->judges;
    TAL_TRY(tal_parameters_read(&c->parameters, c->settings, err));
    TAL_TRY(tal_study_sites_read(&c->sites, invocation, sites->list, sites->count, err));
    TAL_TRY(tal_runner_open(c->runner, &engine, &program, invocation, &c->sites, err));
    TAL_TRY(tal_calibration_run(c, err));
    TAL_TRY(tal_calibration_write(c, err));
    return tell_result(c, err);
}

static tal_status run(const tal_invocation *invocation, tal_error *err) {
    tal_runner runner = {.study = {.lock = -1}};
    site_list sites = {0};
    tal_calibration *c = NULL;
    TAL_CREATE(c, 1, "a calibration", err);
    c->runner = &runner;
    const tal_status status = calibrate(invocation, &sites, c, err);
    tal_calibration_destroy(c);
    tal_runner_close(&runner);
    tal_memory_destroy(sites.path);
    tal_memory_destroy(c);
    return status;
}

int main(int argc, char **argv) {
    return tal_program_main(&program, argc, argv);
}

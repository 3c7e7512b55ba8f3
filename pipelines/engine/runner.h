// SPDX-License-Identifier: GPL-3.0-or-later
// Runs asked for and runs delivered: what calibration and batch share. A request is a site with
// some settings overridden; answers come back in the order of the requests, whoever did them.
#ifndef TALUS_PIPELINES_ENGINE_RUNNER_H
#define TALUS_PIPELINES_ENGINE_RUNNER_H

#include "core/app/program.h"
#include "pipelines/engine/engine.h"
#include "pipelines/engine/score_sheet.h"

typedef struct {
    char name[TAL_SETTING_TEXT_SIZE]; // of the file, or of its folder where that is site.ini
    char kept[TAL_PATH_SIZE];
    tal_settings *settings;
} tal_study_site;

typedef struct {
    tal_study_site *site;
    int count;
} tal_study_sites; // starts as {0}

// The site file of the invocation first, then `paths`. What --set changed in the first is changed
// in all. Every mistake of every file is added to `err`.
tal_status tal_study_sites_read(tal_study_sites *sites, const tal_invocation *invocation,
                                const char *const *paths, int path_count, tal_error *err);
void tal_study_sites_destroy(tal_study_sites *sites);

typedef struct {
    const tal_study_site *site;
    const char *const *overrides; // "section.key=value"
    int override_count;
} tal_run_request;

typedef struct {
    tal_run_keys keys;
    bool done;
    tal_sheet sheet;
    char reason[512]; // why it failed
} tal_run_answer;

const char *tal_run_answer_word(const tal_run_answer *answer); // done, doubtful, failed
// The end of a line of a table: all scores, and why it failed.
void tal_run_answer_append(tal_text *line, const tal_run_answer *answer);

typedef struct {
    tal_study_folder study;
    tal_engine engine;
    tal_sheet_store store;
    tal_settings *scratch;
    int reused, computed; // runs found finished, runs done now
} tal_runner;

// The options of every program that does a study.
#define TAL_STUDY_OPTIONS                                                                          \
    {"engine", 'e', "local|slurm",                                                                 \
     "Where the runs are done: local (the cores of this machine) or slurm."},                      \
        {"resume", 'r', NULL, "Go on with a study; an error when DIR holds none."}, {              \
        "collect", 0, NULL, "Start nothing: conclude from the runs that are finished."             \
    }

// Opens the study that the command line asks for and puts the settings into it that the runs of
// each site start from. `engine` brings its label, and who collects; the rest is filled in.
tal_status tal_runner_open(tal_runner *runner, const tal_engine *engine, const tal_program *program,
                           const tal_invocation *invocation, tal_study_sites *sites,
                           tal_error *err);
void tal_runner_close(tal_runner *runner);
tal_status tal_runner_do(tal_runner *runner, const tal_run_request *requests, int count,
                         tal_run_answer *answers, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Slurm does the jobs: one array per stage, each after the one before. Slurm schedules, accounts
// and requeues; talus asks for as much time and memory as a first run has used, submits, and
// watches.
#define _GNU_SOURCE
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "pipelines/engine/command.h"
#include "pipelines/engine/engine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ARRAYS_MAX = 1024, ROUNDS = 3, IDS_SIZE = 16384 };

typedef struct {
    const tal_engine *engine;
    const tal_study_folder *study;
    tal_plan *plan;
    char plan_path[TAL_PATH_SIZE];
    int array_max;   // elements an array may have
    double generous; // factor on time and memory, doubled for jobs that did not fit
    tal_job_cost costs[TAL_CHAIN_COUNT];
    char ids[IDS_SIZE];   // of all arrays under way, by commas
    char ended[IDS_SIZE]; // of those that were waited for last
    char states[256];     // in which of these Slurm ended jobs of theirs
    int file_count;
    tal_progress progress;
} slurm;

// --- asking Slurm ---

static tal_status ask(const char *const *words, bool with_errors, tal_text *out, int *code,
                      tal_error *err) {
    out->length = 0;
    TAL_TRY(tal_command_run(words, with_errors, out, code, err));
    if (*code == 127) {
        return TAL_FAIL(err, TAL_UNAVAILABLE,
                        "%s is not on this machine: --engine slurm needs Slurm's commands in PATH "
                        "(pipelines/engine/slurm-here.sh sets up a Slurm to try)",
                        words[0]);
    }
    return TAL_OK;
}

static tal_status find_array_max(slurm *s, tal_error *err) {
    tal_text out = {0};
    int code = 0;
    const tal_status status =
        ask((const char *const[]){"scontrol", "show", "config", NULL}, true, &out, &code, err);
    s->array_max = 1000;
    if (status == TAL_OK && code != 0) {
        const tal_status failed =
            TAL_FAIL(err, TAL_UNAVAILABLE, "Slurm does not answer: %.300s", tal_text_string(&out));
        tal_text_destroy(&out);
        return failed;
    }
    const char *line = status == TAL_OK ? strstr(tal_text_string(&out), "MaxArraySize") : NULL;
    if (line != NULL && strchr(line, '=') != NULL) {
        const long most = strtol(strchr(line, '=') + 1, NULL, 10);
        s->array_max = most > 1 && most < 100000 ? (int)most - 1 : s->array_max;
    }
    tal_text_destroy(&out);
    return status;
}

// Which of our arrays still wait or run. Slurm forgets ended jobs after a while: not known means
// ended.
static tal_status count_active(const char *ids, int *count, tal_error *err) {
    tal_text out = {0};
    int code = 0;
    *count = 0;
    const tal_status status =
        ids[0] == '\0'
            ? TAL_OK
            : ask((const char *const[]){"squeue", "-h", "-r", "-o", "%i", "-j", ids, NULL}, false,
                  &out, &code, err);
    for (const char *c = tal_text_string(&out); *c != '\0'; c++) {
        *count += *c == '\n' ? 1 : 0;
    }
    tal_text_destroy(&out);
    return status;
}

// --- submitting ---

static void append_quoted(tal_text *text, const char *word) {
    tal_text_append(text, "'");
    for (; *word != '\0'; word++) {
        tal_text_append(text, *word == '\'' ? "'\\''" : "%c", *word);
    }
    tal_text_append(text, "'");
}

static tal_status write_file(slurm *s, const char *kind, const tal_text *text,
                             char path[TAL_PATH_SIZE], tal_error *err) {
    char name[64];
    snprintf(name, sizeof name, "%s-%d", kind, s->file_count);
    TAL_TRY(tal_study_path(s->study, path, ".cache/slurm", name, err));
    return text->failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for a Slurm script")
                        : tal_file_write_text(path, tal_text_string(text), TAL_REPLACE, err);
}

// The script of an array: element i does the job on line i of the list.
static tal_status write_script(slurm *s, const char *list, char path[TAL_PATH_SIZE],
                               tal_error *err) {
    tal_text text = {0};
    tal_text_append(&text, "#!/bin/sh\nTALUS_BIN_DIR=");
    append_quoted(&text, s->study->programs);
    tal_text_append(&text,
                    "\nexport TALUS_BIN_DIR\nnumber=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ");
    append_quoted(&text, list);
    tal_text_append(&text, ")\nexec ");
    char self[TAL_PATH_SIZE];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char folder[TAL_PATH_SIZE], job[TAL_PATH_SIZE];
    tal_path_folder(folder, self);
    const bool fits = tal_path_join(job, folder, "talus-job");
    append_quoted(&text, job);
    tal_text_append(&text, " ");
    append_quoted(&text, s->plan_path);
    tal_text_append(&text, " \"$number\" --progress none --out ");
    append_quoted(&text, s->study->path);
    tal_text_append(&text, "\n");
    const tal_status status =
        fits ? write_file(s, "array", &text, path, err)
             : TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", folder);
    tal_text_destroy(&text);
    return status;
}

static tal_status note_active(const slurm *s, tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_study_path(s->study, path, ".cache/slurm", "active", err));
    return tal_file_write_text(path, s->ids, TAL_REPLACE, err);
}

static tal_status take_id(slurm *s, const tal_text *said, int code, char *ids, size_t size,
                          tal_error *err) {
    char id[64] = "";
    snprintf(id, sizeof id, "%.*s", (int)strcspn(tal_text_string(said), ";\n"),
             tal_text_string(said));
    if (code != 0 || id[0] < '0' || id[0] > '9') {
        return TAL_FAIL(err, TAL_UNAVAILABLE, "Slurm refused the jobs: %.500s",
                        tal_text_string(said));
    }
    const size_t all = strlen(s->ids), level = strlen(ids);
    if (all + sizeof id >= sizeof s->ids || level + sizeof id >= size) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "too many job arrays at once");
    }
    snprintf(s->ids + all, sizeof s->ids - all, "%s%s", all > 0 ? "," : "", id);
    snprintf(ids + level, size - level, "%s%s", level > 0 ? ":" : "", id);
    return note_active(s, err);
}

// Three times what the most expensive job has used, and a minute; twice the memory.
static void add_requests(const slurm *s, tal_chain_stage stage, char time_limit[48],
                         char memory[48], const char **words, int *count) {
    const tal_job_cost *cost = &s->costs[stage];
    if (cost->seconds > 0) {
        snprintf(time_limit, 48, "--time=%d",
                 (int)ceil(s->generous * (3 * cost->seconds + 60) / 60));
        snprintf(memory, 48, "--mem=%dM", (int)ceil(s->generous * (2 * cost->memory_mb + 64)));
        words[(*count)++] = time_limit;
        words[(*count)++] = memory;
    }
}

static tal_status submit_array(slurm *s, tal_chain_stage stage, const int *jobs, int job_count,
                               const char *after, char *ids, size_t ids_size, tal_error *err) {
    char list[TAL_PATH_SIZE], script[TAL_PATH_SIZE], log[TAL_PATH_SIZE + 16], array[48], name[48],
        dependency[IDS_SIZE], time_limit[48], memory[48];
    tal_text text = {0}, said = {0};
    s->file_count++;
    for (int i = 0; i < job_count; i++) {
        tal_text_append(&text, "%d\n", jobs[i]);
    }
    tal_status status = write_file(s, "list", &text, list, err);
    tal_text_destroy(&text);
    TAL_TRY(status);
    TAL_TRY(write_script(s, list, script, err));
    TAL_TRY(tal_study_path(s->study, list, "log", "slurm-%A_%a", err));
    snprintf(log, sizeof log, "--output=%s", list);
    snprintf(array, sizeof array, "--array=0-%d", job_count - 1);
    snprintf(name, sizeof name, "--job-name=talus-%s", tal_chain[stage].name);
    const char *words[20] = {"sbatch",     "--parsable",        "--requeue", "--open-mode=append",
                             "--ntasks=1", "--cpus-per-task=1", name,        array,
                             log};
    int count = 9, code = 0;
    if (after[0] != '\0') {
        snprintf(dependency, sizeof dependency, "--dependency=afterany:%.16000s", after);
        words[count++] = dependency;
    }
    add_requests(s, stage, time_limit, memory, words, &count);
    words[count++] = script;
    status = ask(words, true, &said, &code, err);
    if (status == TAL_OK) {
        status = take_id(s, &said, code, ids, ids_size, err);
    }
    tal_text_destroy(&said);
    return status;
}

// Arrays of all stages for the jobs that `wanted` marks; each stage after all of the one before.
static tal_status submit(slurm *s, const bool *wanted, char last[IDS_SIZE], tal_error *err) {
    int *jobs = NULL;
    TAL_CREATE(jobs, (size_t)s->plan->count, "jobs", err);
    tal_status status = TAL_OK;
    last[0] = '\0';
    for (int stage = 0; stage < TAL_CHAIN_COUNT && status == TAL_OK; stage++) {
        char ids[IDS_SIZE] = "";
        int count = 0;
        for (int i = 0; i < s->plan->count && status == TAL_OK; i++) {
            const tal_job *job = &s->plan->job[i];
            if (wanted[i] && job->stage == (tal_chain_stage)stage &&
                job->state == TAL_JOB_WAITING) {
                jobs[count++] = i;
            }
            if (count > 0 && (count == s->array_max || i == s->plan->count - 1)) {
                status = submit_array(s, (tal_chain_stage)stage, jobs, count, last, ids, sizeof ids,
                                      err);
                count = 0;
            }
        }
        if (ids[0] != '\0') {
            memcpy(last, ids, sizeof ids);
        }
    }
    tal_memory_destroy(jobs);
    return status;
}

// --- watching ---

static int count_ended(const slurm *s) {
    int ended = 0;
    for (int i = 0; i < s->plan->count; i++) {
        ended +=
            tal_study_is_finished(s->study, s->plan->job[i].stage, s->plan->job[i].key) ? 1 : 0;
    }
    return ended;
}

static tal_status wait_for_arrays(slurm *s, tal_error *err) {
    double pause_s = 0.5;
    for (int active = 1; active > 0;) {
        TAL_TRY(count_active(s->ids, &active, err));
        if (s->engine->label != NULL) {
            tal_progress_advance(&s->progress, count_ended(s));
        }
        if (tal_interrupt_pending()) {
            return TAL_FAIL(
                err, TAL_INTERRUPTED,
                "no longer watching; the jobs continue in Slurm. Give the same command again "
                "to watch and collect, or stop them with: scancel %s",
                s->ids);
        }
        if (active > 0) {
            const struct timespec pause = {.tv_sec = (time_t)pause_s,
                                           .tv_nsec = (long)(1e9 * (pause_s - floor(pause_s)))};
            nanosleep(&pause, NULL);
            pause_s = fmin(10, 1.2 * pause_s);
        }
    }
    memcpy(s->ended, s->ids, sizeof s->ended);
    s->ids[0] = '\0';
    return note_active(s, err);
}

// Jobs submitted by an earlier command that is gone are waited for, not submitted again.
static tal_status wait_for_earlier(slurm *s, tal_error *err) {
    char path[TAL_PATH_SIZE], *bytes = NULL;
    size_t length = 0;
    int active = 0;
    TAL_TRY(tal_study_path(s->study, path, ".cache/slurm", "active", err));
    if (!tal_file_exists(path)) {
        return TAL_OK;
    }
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    const bool fits = tal_text_copy(s->ids, sizeof s->ids, bytes);
    tal_memory_destroy(bytes);
    if (!fits || s->ids[0] == '\0') {
        return TAL_OK;
    }
    TAL_TRY(count_active(s->ids, &active, err));
    if (active > 0) {
        tal_log_info("%d jobs of this study are still in Slurm: waiting for them first", active);
    }
    return wait_for_arrays(s, err);
}

// --- what became of them ---

// Adds a state such as TIMEOUT once; one that says nothing about a loss is left out.
static void add_state(slurm *s, const char *state, size_t length) {
    static const char *const harmless[] = {"COMPLETED", "COMPLETING", "RUNNING", "PENDING"};
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), state);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (strcmp(word, harmless[i]) == 0) {
            return;
        }
    }
    const size_t used = strlen(s->states);
    if (word[0] != '\0' && strstr(s->states, word) == NULL) {
        snprintf(s->states + used, sizeof s->states - used, "%s%s", used > 0 ? ", " : "", word);
    }
}

// From the accounts; a Slurm that keeps none remembers its last jobs for some minutes.
static tal_status find_states(slurm *s, tal_error *err) {
    tal_text out = {0};
    int code = 0;
    s->states[0] = '\0';
    tal_status status = tal_command_run(
        (const char *const[]){"sacct", "-n", "-X", "-P", "-o", "State", "-j", s->ended, NULL},
        false, &out, &code, err);
    const char *line = tal_text_string(&out);
    for (; status == TAL_OK && code == 0 && *line != '\0'; line += strcspn(line, "\n")) {
        line += strspn(line, "\n");
        add_state(s, line, strcspn(line, " \n")); // "CANCELLED by 0"
    }
    for (const char *id = s->ended; status == TAL_OK && s->states[0] == '\0' && *id != '\0';) {
        static const char KEY[] = "JobState=";
        char one[64];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(id, ","), id);
        status = ask((const char *const[]){"scontrol", "show", "job", one, NULL}, false, &out,
                     &code, err);
        for (line = tal_text_string(&out); (line = strstr(line, KEY)) != NULL;) {
            line += sizeof KEY - 1;
            add_state(s, line, strcspn(line, " \n"));
        }
        id += strcspn(id, ",");
        id += *id == ',' ? 1 : 0;
    }
    tal_text_destroy(&out);
    return status;
}

static void mark_ended(slurm *s, int *lost) {
    *lost = 0;
    for (int i = 0; i < s->plan->count; i++) {
        tal_job *job = &s->plan->job[i];
        char reason[64];
        tal_job_reason(s->study, job, reason, sizeof reason);
        if (tal_study_is_finished(s->study, job->stage, job->key)) {
            job->state = TAL_JOB_DONE;
        } else if (reason[0] != '\0') {
            job->state = TAL_JOB_FAILED;
        } else {
            job->state = TAL_JOB_WAITING;
        }
    }
    tal_plan_fail_children(s->plan);
    for (int i = 0; i < s->plan->count; i++) {
        *lost += s->plan->job[i].state == TAL_JOB_WAITING ? 1 : 0;
    }
}

// Reasons of an earlier attempt must not be taken for those of this one.
static tal_status forget_failures(const slurm *s, tal_error *err) {
    for (int i = 0; i < s->plan->count; i++) {
        char path[TAL_PATH_SIZE], name[64];
        snprintf(name, sizeof name, "%s-%s", tal_chain[s->plan->job[i].stage].name,
                 s->plan->job[i].key);
        TAL_TRY(tal_study_path(s->study, path, "failed", name, err));
        unlink(path);
    }
    return TAL_OK;
}

static void give_up(slurm *s) {
    for (int i = 0; i < s->plan->count; i++) {
        tal_job *job = &s->plan->job[i];
        if (job->state == TAL_JOB_WAITING) {
            char path[TAL_PATH_SIZE], name[64];
            snprintf(name, sizeof name, "%s-%s", tal_chain[job->stage].name, job->key);
            char reason[400];
            snprintf(reason, sizeof reason,
                     "talus-%s: Slurm ended the job before it was done, several times (%s)\n",
                     tal_chain[job->stage].name,
                     s->states[0] != '\0' ? s->states : "it does not say why");
            if (tal_study_path(s->study, path, "failed", name, NULL) == TAL_OK) {
                (void)tal_file_write_text(path, reason, TAL_REPLACE, NULL);
            }
            job->state = TAL_JOB_FAILED;
        }
    }
}

// --- all of it ---

// The first run alone, where nothing is known about the cost of some stage.
static void choose_first(const slurm *s, bool *wanted) {
    for (int i = s->plan->count - 1; i >= 0; i--) {
        wanted[i] = false;
    }
    int last = -1;
    for (int i = 0; i < s->plan->count && last < 0; i++) {
        last = s->plan->job[i].stage == TAL_CHAIN_POST && s->plan->job[i].state == TAL_JOB_WAITING
                   ? i
                   : -1;
    }
    for (int i = last; i >= 0; i = s->plan->job[i].parent) {
        wanted[i] = true;
    }
}

static bool costs_are_known(const slurm *s) {
    for (int i = 0; i < s->plan->count; i++) {
        if (!(s->costs[s->plan->job[i].stage].seconds > 0)) {
            return false;
        }
    }
    return true;
}

static tal_status submit_collector(slurm *s, const char *after, tal_error *err) {
    char dependency[IDS_SIZE], script[TAL_PATH_SIZE], list[TAL_PATH_SIZE], log[TAL_PATH_SIZE + 16];
    tal_text text = {0}, said = {0};
    int code = 0;
    tal_text_append(&text, "#!/bin/sh\nTALUS_BIN_DIR=");
    append_quoted(&text, s->study->programs);
    tal_text_append(&text, "\nexport TALUS_BIN_DIR\nexec");
    for (int i = 0; s->engine->collector[i] != NULL; i++) {
        if (strcmp(s->engine->collector[i], "--detach") != 0) {
            tal_text_append(&text, " ");
            append_quoted(&text, s->engine->collector[i]);
        }
    }
    tal_text_append(&text, " --collect\n");
    tal_status status = write_file(s, "collect", &text, script, err);
    tal_text_destroy(&text);
    TAL_TRY(status);
    TAL_TRY(tal_study_path(s->study, list, "log", "slurm-collect", err));
    snprintf(log, sizeof log, "--output=%s", list);
    snprintf(dependency, sizeof dependency, "--dependency=afterany:%.16000s", after);
    const char *words[] = {"sbatch", "--parsable", "--requeue", "--job-name=talus-collect",
                           log,      "--ntasks=1", dependency,  script,
                           NULL};
    char ids[IDS_SIZE] = "";
    status = ask(words, true, &said, &code, err);
    if (status == TAL_OK) {
        status = take_id(s, &said, code, ids, sizeof ids, err);
    }
    tal_text_destroy(&said);
    if (status == TAL_OK) {
        tal_log_info("submitted; squeue shows the jobs, the last one collects the results");
    }
    return status;
}

static tal_status run_rounds(slurm *s, bool *wanted, tal_error *err) {
    int lost = s->plan->count;
    char last[IDS_SIZE];
    for (int round = 0; round < ROUNDS && lost > 0; round++) {
        TAL_TRY(tal_job_costs(s->study, s->costs, err));
        const bool measure = round == 0 && !costs_are_known(s);
        if (measure) {
            choose_first(s, wanted);
            tal_log_info("a first run measures how much time and memory to ask for");
            TAL_TRY(submit(s, wanted, last, err));
            TAL_TRY(wait_for_arrays(s, err));
            TAL_TRY(tal_job_costs(s->study, s->costs, err));
            mark_ended(s, &lost);
        }
        for (int i = 0; i < s->plan->count; i++) {
            wanted[i] = true;
        }
        if (lost == 0) {
            break;
        }
        TAL_TRY(submit(s, wanted, last, err));
        if (s->engine->detach) {
            return submit_collector(s, last, err);
        }
        TAL_TRY(wait_for_arrays(s, err));
        mark_ended(s, &lost);
        s->generous *= 2;
        if (lost > 0) {
            TAL_TRY(find_states(s, err));
        }
        if (lost > 0 && round + 1 < ROUNDS) {
            tal_log_warn("%d jobs ended without a result (Slurm says %s): submitted again with "
                         "twice the time and memory",
                         lost, s->states[0] != '\0' ? s->states : "nothing about them");
        }
    }
    give_up(s);
    return TAL_OK;
}

static void tell_ended(const slurm *s) {
    for (int i = 0; i < s->plan->count; i++) {
        const tal_job *job = &s->plan->job[i];
        if (job->stage == TAL_CHAIN_POST && s->engine->watch != NULL) {
            s->engine->watch(s->engine->context, job);
        }
    }
}

static tal_status prepare(slurm *s, tal_error *err) {
    char folder[TAL_PATH_SIZE];
    TAL_TRY(tal_study_path(s->study, folder, ".cache", "slurm", err));
    TAL_TRY(tal_folder_create(folder, err));
    TAL_TRY(tal_study_path(s->study, s->plan_path, ".cache/slurm", "plan.json", err));
    TAL_TRY(find_array_max(s, err));
    return wait_for_earlier(s, err);
}

tal_status tal_engine_run_slurm(const tal_engine *engine, const tal_study_folder *study,
                                tal_plan *plan, tal_error *err) {
    slurm *s = NULL;
    bool *wanted = NULL;
    int lost = 0;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(s, 1, "Slurm", err);
    *s = (slurm){.engine = engine, .study = study, .plan = plan, .generous = 1};
    TAL_CREATE_OR_DONE(wanted, (size_t)plan->count, "jobs", err);
    TAL_TRY_OR_DONE(prepare(s, err));
    TAL_TRY_OR_DONE(forget_failures(s, err));
    TAL_TRY_OR_DONE(tal_plan_write(plan, s->plan_path, err));
    mark_ended(s, &lost);
    if (engine->label != NULL) {
        tal_progress_begin(&s->progress, engine->label, "jobs", plan->count);
    }
    status = run_rounds(s, wanted, err);
    if (engine->label != NULL) {
        tal_progress_end(&s->progress, count_ended(s));
    }
    if (status == TAL_OK && !engine->detach) {
        tell_ended(s);
    }
done:
    tal_memory_destroy(wanted);
    tal_memory_destroy(s);
    return status;
}

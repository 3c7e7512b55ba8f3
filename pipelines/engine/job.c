// SPDX-License-Identifier: GPL-3.0-or-later
// One job of a study.
#define _GNU_SOURCE // wait4
#include "pipelines/engine/job.h"

#include "core/app/json.h"
#include "core/app/program.h"
#include "core/base/interrupt.h"
#include "core/base/memory.h"
#include "pipelines/engine/file_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const FINISHED = "finished.json";
enum { ARGUMENTS_MAX = 400 };

// Where a job works and what it leaves.
typedef struct {
    char name[64]; // "solve-KEY"
    char work[TAL_PATH_SIZE], target[TAL_PATH_SIZE], parent[TAL_PATH_SIZE], log[TAL_PATH_SIZE],
        failed[TAL_PATH_SIZE];
} job_places;

static tal_status find_places(const tal_study_folder *study, const tal_job *job, job_places *places,
                              tal_error *err) {
    snprintf(places->name, sizeof places->name, "%s-%s", tal_chain[job->stage].name, job->key);
    TAL_TRY(tal_study_path(study, places->work, "work", places->name, err));
    TAL_TRY(tal_study_path(study, places->log, "log", places->name, err));
    TAL_TRY(tal_study_path(study, places->failed, "failed", places->name, err));
    TAL_TRY(tal_study_result(study, job->stage, job->key, places->target, err));
    return job->stage > 0
               ? tal_study_result(study, job->stage - 1, job->parent_key, places->parent, err)
               : TAL_OK;
}

// --- the folder to work in ---

static bool has_file(const char *folder, const char *name) {
    char path[TAL_PATH_SIZE];
    return tal_path_join(path, folder, name) && tal_file_exists(path);
}

// A solver that was stopped goes on from its checkpoint and gives the same bits.
static bool can_resume(const tal_job *job, const job_places *places) {
    return job->stage == TAL_CHAIN_SOLVE && has_file(places->work, "run.checkpoint") &&
           has_file(places->work, "run.journal");
}

static tal_status prepare_folder(const tal_job *job, const job_places *places, tal_error *err) {
    TAL_TRY(tal_file_tree_remove(places->work, err));
    if (job->stage == 0) {
        return tal_folder_create(places->work, err);
    }
    return tal_file_tree_link(places->parent, places->work, FINISHED, err);
}

// --- the program ---

typedef struct {
    char *word[ARGUMENTS_MAX + 1];
    int count;
    char *bytes;
    char program[TAL_PATH_SIZE];
} command;

static tal_status make_command(command *c, const tal_study_folder *study, const tal_job *job,
                               job_places *places, bool resume, tal_error *err) {
    static char out[] = "--out", overwrite[] = "--overwrite", threads[] = "--threads", one[] = "1",
                progress[] = "--progress", none[] = "none", set[] = "--set", again[] = "--resume";
    const size_t length = strlen(job->arguments);
    char name[64];
    snprintf(name, sizeof name, "talus-%s", tal_chain[job->stage].name);
    if (!tal_path_join(c->program, study->programs, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", study->programs);
    }
    TAL_CREATE(c->bytes, length + 1, "the arguments of a job", err);
    memcpy(c->bytes, job->arguments, length);
    c->word[c->count++] = c->program;
    char *next = c->bytes;
    for (bool first = true; *next != '\0'; first = false) {
        char *end = strchr(next, TAL_ARGUMENT_END);
        if (end == NULL || c->count + 12 > ARGUMENTS_MAX) {
            return TAL_FAIL(err, TAL_TOO_LARGE, "a job with more than %d arguments", ARGUMENTS_MAX);
        }
        *end = '\0';
        if (!first) {
            c->word[c->count++] = set;
        }
        c->word[c->count++] = next;
        next = end + 1;
    }
    char *const rest[] = {out, places->work, overwrite, threads, one, progress, none};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        c->word[c->count++] = rest[i];
    }
    if (resume) {
        c->word[c->count++] = again;
    }
    c->word[c->count] = NULL;
    return TAL_OK;
}

// In the child: its words go to the log; it ends when its parent does, so that a killed study
// leaves nobody behind who writes.
static _Noreturn void become_program(const command *c, const char *log, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int words = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (words < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(words, 1) < 0 ||
        dup2(words, 2) < 0) {
        _exit(127);
    }
    execv(c->program, c->word);
    dprintf(2, "talus: error: %s cannot be started: %s\n", c->program, strerror(errno));
    _exit(127);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static tal_status start_and_wait(const command *c, const char *log, int *exit_status,
                                 tal_job_cost *cost, tal_error *err) {
    const double start = seconds_now();
    const pid_t self = getpid(), child = fork();
    if (child == 0) {
        become_program(c, log, self);
    }
    if (child < 0) {
        return TAL_FAIL(err, TAL_UNAVAILABLE, "no new process: %s", strerror(errno));
    }
    struct rusage usage;
    while (wait4(child, exit_status, 0, &usage) < 0) {
        if (errno != EINTR) {
            return TAL_FAIL(err, TAL_IO, "lost a process: %s", strerror(errno));
        }
    }
    cost->seconds = seconds_now() - start;
    cost->memory_mb = (double)usage.ru_maxrss / 1024;
    return TAL_OK;
}

// --- why it failed ---

// Paths of the study say nothing to a reader and differ from place to place.
static void cut_paths(char *text, const char *path) {
    const size_t length = strlen(path);
    for (char *found = NULL; (found = strstr(text, path)) != NULL;) {
        size_t cut = length + (found[length] == '/' ? 1 : 0);
        memmove(found, found + cut, strlen(found + cut) + 1);
    }
}

// The first line that says "error:", or the last line there is.
static void find_reason(const char *log, int exit_status, char *reason, size_t size) {
    char *bytes = NULL;
    size_t length = 0;
    reason[0] = '\0';
    if (tal_file_read(log, &bytes, &length, NULL) == TAL_OK) {
        const char *line = strstr(bytes, "error: ");
        if (line != NULL) {
            line += strlen("error: ");
        } else {
            while (length > 0 && bytes[length - 1] == '\n') {
                bytes[--length] = '\0';
            }
            line = strrchr(bytes, '\n') != NULL ? strrchr(bytes, '\n') + 1 : bytes;
        }
        snprintf(reason, size, "%.*s", (int)strcspn(line, "\n"), line);
    }
    tal_memory_destroy(bytes);
    if (WIFSIGNALED(exit_status)) {
        snprintf(reason, size, "ended by signal %d (%s)%s", WTERMSIG(exit_status),
                 strsignal(WTERMSIG(exit_status)),
                 WTERMSIG(exit_status) == SIGKILL ? ": out of memory, perhaps" : "");
    } else if (reason[0] == '\0') {
        snprintf(reason, size, "ended with code %d and without a message",
                 WEXITSTATUS(exit_status));
    }
}

static tal_status fail_job(const tal_study_folder *study, const tal_job *job,
                           const job_places *places, int exit_status, tal_error *err) {
    char reason[1024];
    find_reason(places->log, exit_status, reason, sizeof reason);
    cut_paths(reason, places->work);
    cut_paths(reason, study->path);
    return TAL_FAIL(err, TAL_UNTRUSTED, "talus-%s: %s", tal_chain[job->stage].name, reason);
}

void tal_job_reason(const tal_study_folder *study, const tal_job *job, char *reason, size_t size) {
    job_places *places = tal_memory_create(1, sizeof *places);
    char *bytes = NULL;
    size_t length = 0;
    reason[0] = '\0';
    if (places != NULL && find_places(study, job, places, NULL) == TAL_OK &&
        tal_file_exists(places->failed) &&
        tal_file_read(places->failed, &bytes, &length, NULL) == TAL_OK) {
        snprintf(reason, size, "%.*s", (int)strcspn(bytes, "\n"), bytes);
    }
    tal_memory_destroy(bytes);
    tal_memory_destroy(places);
}

// --- what it made ---

// A file that came from the stage before is the same file there.
static bool is_linked(const char *path, const char *parent, const char *name) {
    char other[TAL_PATH_SIZE];
    struct stat a, b;
    return parent[0] != '\0' && tal_path_join(other, parent, name) && stat(other, &b) == 0 &&
           stat(path, &a) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void add_file(cJSON *list, const char *name, const char *sha256) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddStringToObject(item, "sha256", sha256);
    cJSON_AddItemToArray(list, item);
}

static tal_status add_output(cJSON *outputs, const job_places *places, const char *name,
                             tal_error *err) {
    char path[TAL_PATH_SIZE], sha256[TAL_SHA256_TEXT_SIZE];
    if (!tal_path_join(path, places->work, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", places->work);
    }
    if (is_linked(path, places->parent, name)) {
        return TAL_OK;
    }
    TAL_TRY(tal_sha256_file(path, sha256, err));
    add_file(outputs, name, sha256);
    return TAL_OK;
}

// Settings as they were asked for, without the folders of this machine.
static tal_status add_settings(cJSON *root, const char *arguments, tal_error *err) {
    cJSON *list = cJSON_AddArrayToObject(root, "settings");
    tal_text text = {0};
    bool first = true;
    for (const char *next = arguments; *next != '\0'; first = false) {
        const size_t length = strcspn(next, (const char[]){TAL_ARGUMENT_END, '\0'});
        text.length = 0;
        tal_text_append(&text, "%.*s", (int)length, next);
        if (!first && strchr(tal_text_string(&text), '\n') == NULL) {
            cJSON_AddItemToArray(list, cJSON_CreateString(tal_text_string(&text)));
        }
        next += length + (next[length] != '\0' ? 1 : 0);
    }
    const bool failed = text.failed;
    tal_text_destroy(&text);
    return failed ? TAL_FAIL(err, TAL_NO_MEMORY, "out of memory for the manifest of a job")
                  : TAL_OK;
}

// Arguments that list files: "site.before=/clouds/march.las\n".
static tal_status add_inputs(cJSON *root, const char *arguments, tal_error *err) {
    cJSON *list = cJSON_AddArrayToObject(root, "inputs");
    const char end[] = {TAL_ARGUMENT_END, '\0'}, line_or_end[] = {'\n', TAL_ARGUMENT_END, '\0'};
    for (const char *next = arguments; *next != '\0'; next += strspn(next, end)) {
        const char *stop = next + strcspn(next, end);
        const char *line = memchr(next, '=', (size_t)(stop - next));
        if (line == NULL || memchr(next, '\n', (size_t)(stop - next)) == NULL) {
            next = stop;
            continue;
        }
        for (line++; line < stop; line++) {
            char path[TAL_PATH_SIZE], sha256[TAL_SHA256_TEXT_SIZE];
            const size_t length = strcspn(line, line_or_end);
            snprintf(path, sizeof path, "%.*s", (int)length, line);
            TAL_TRY(tal_sha256_file(path, sha256, err));
            add_file(list, tal_path_name(path), sha256);
            line += length;
        }
        next = stop;
    }
    return TAL_OK;
}

static tal_status write_manifest(const tal_job *job, const job_places *places, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_file_tree tree = {0};
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "program", tal_chain[job->stage].name);
    cJSON_AddStringToObject(root, "version", tal_version);
    cJSON_AddStringToObject(root, "key", job->key);
    cJSON_AddStringToObject(root, "made_from", job->parent_key);
    tal_status status = add_settings(root, job->arguments, err);
    if (status == TAL_OK) {
        status = add_inputs(root, job->arguments, err);
    }
    cJSON *outputs = cJSON_AddArrayToObject(root, "outputs");
    if (status == TAL_OK) {
        status = tal_file_tree_list(&tree, places->work, err);
    }
    for (size_t i = 0; status == TAL_OK && i < tree.count; i++) {
        status = add_output(outputs, places, tree.name[i], err);
    }
    if (status == TAL_OK && cJSON_GetArraySize(outputs) == 0) {
        status = TAL_FAIL(err, TAL_UNTRUSTED, "talus-%s ended without an error but wrote no file",
                          tal_chain[job->stage].name);
    }
    if (status == TAL_OK) {
        status = tal_path_join(path, places->work, FINISHED)
                     ? tal_json_write(path, root, TAL_REPLACE, err)
                     : TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", places->work);
    }
    tal_file_tree_destroy(&tree);
    cJSON_Delete(root);
    return status;
}

// The folder gets its final name when all of it is on the disk. The new name itself need not be:
// after a power cut the job would be done again, nothing worse.
static tal_status publish(const job_places *places, tal_error *err) {
    if (rename(places->work, places->target) != 0) {
        if (has_file(places->target, FINISHED)) {
            return tal_file_tree_remove(places->work,
                                        err); // somebody else was faster, with the same result
        }
        TAL_TRY(tal_file_tree_remove(places->target, err));
        if (rename(places->work, places->target) != 0) {
            return TAL_FAIL(err, TAL_IO, "%s: cannot rename: %s", places->work, strerror(errno));
        }
    }
    unlink(places->failed);
    return TAL_OK;
}

// What only a run under way needs.
static void drop_leftovers(const job_places *places) {
    static const char *const names[] = {"run.journal", "run.checkpoint"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[TAL_PATH_SIZE];
        if (tal_path_join(path, places->work, names[i])) {
            unlink(path);
        }
    }
}

static void note_cost(const tal_study_folder *study, const tal_job *job, const tal_job_cost *cost) {
    char line[128];
    snprintf(line, sizeof line, "%s\t%s\t%.3f\t%.1f\n", tal_chain[job->stage].name, job->key,
             cost->seconds, cost->memory_mb);
    (void)tal_study_note(study, "costs.tsv", line, NULL); // only a hint for later requests
}

// Whoever stops a study, or a job of it, signals all of its processes: the stage program may be gone
// before the signal is known here.
static bool is_stopped(int exit_status) {
    const int number = WIFSIGNALED(exit_status) ? WTERMSIG(exit_status)
                                                : WEXITSTATUS(exit_status) - 128; // it says so
    const bool may_be = number == SIGTERM || number == SIGINT || number == SIGHUP;
    for (int i = 0; i < 20 && may_be && !tal_interrupt_pending(); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return tal_interrupt_pending();
}

// A batch system that limits memory kills the stage program alone: the job is to be submitted again
// with more, and has not failed yet.
static bool is_out_of_memory(const tal_study_folder *study, int exit_status) {
    return study->lock < 0 && WIFSIGNALED(exit_status) && WTERMSIG(exit_status) == SIGKILL;
}

static tal_status run_program(const tal_study_folder *study, const tal_job *job, job_places *places,
                              bool resume, tal_error *err) {
    command c = {0};
    tal_job_cost cost = {0};
    int exit_status = 0;
    tal_status status = make_command(&c, study, job, places, resume, err);
    if (status == TAL_OK) {
        status = start_and_wait(&c, places->log, &exit_status, &cost, err);
    }
    tal_memory_destroy(c.bytes);
    TAL_TRY(status);
    if (exit_status != 0) {
        if (is_stopped(exit_status)) {
            return TAL_FAIL(err, TAL_INTERRUPTED, "stopped on request");
        }
        if (is_out_of_memory(study, exit_status)) {
            return TAL_FAIL(err, TAL_INTERRUPTED,
                            "talus-%s was killed, perhaps because memory ran out",
                            tal_chain[job->stage].name);
        }
        return fail_job(study, job, places, exit_status, err);
    }
    note_cost(study, job, &cost);
    return TAL_OK;
}

static tal_status do_job(const tal_study_folder *study, const tal_job *job, job_places *places,
                         tal_error *err) {
    tal_status status = TAL_UNTRUSTED;
    if (can_resume(job, places)) {
        status = run_program(study, job, places, true, err);
    }
    if (status != TAL_OK && status != TAL_INTERRUPTED) {
        TAL_TRY(prepare_folder(job, places, err));
        status = run_program(study, job, places, false, err);
    }
    TAL_TRY(status);
    drop_leftovers(places);
    TAL_TRY(write_manifest(job, places, err));
    return publish(places, err);
}

tal_status tal_job_run(const tal_study_folder *study, const tal_job *job, tal_error *err) {
    if (tal_study_is_finished(study, job->stage, job->key)) {
        return TAL_OK;
    }
    job_places *places = NULL;
    TAL_CREATE(places, 1, "the places of a job", err);
    tal_status status = find_places(study, job, places, err);
    if (status == TAL_OK && job->stage > 0 && !has_file(places->parent, FINISHED)) {
        // Its failure has its own reason, which must stay the only one.
        tal_memory_destroy(places);
        return TAL_FAIL(err, TAL_NOT_FOUND, "talus-%s has no result to continue from",
                        tal_chain[job->stage - 1].name);
    }
    if (status == TAL_OK) {
        status = do_job(study, job, places, err);
    }
    if (status != TAL_OK && status != TAL_INTERRUPTED) {
        char reason[1100];
        snprintf(reason, sizeof reason, "%.1000s\n", err->text);
        (void)tal_file_write_text(places->failed, reason, TAL_REPLACE, NULL);
        (void)tal_file_tree_remove(places->work, NULL);
    }
    tal_memory_destroy(places);
    return status;
}

tal_status tal_job_costs(const tal_study_folder *study, tal_job_cost costs[TAL_CHAIN_COUNT],
                         tal_error *err) {
    char path[TAL_PATH_SIZE];
    memset(costs, 0, TAL_CHAIN_COUNT * sizeof *costs);
    TAL_TRY(tal_study_path(study, path, ".cache", "costs.tsv", err));
    if (!tal_file_exists(path)) {
        return TAL_OK;
    }
    char *bytes = NULL;
    size_t length = 0;
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    for (const char *line = bytes; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char stage[16] = "", key[64] = "";
        double seconds = 0, memory = 0;
        if (strchr(line, '\n') == NULL) {
            break;
        }
        if (sscanf(line, "%15s %63s %lf %lf", stage, key, &seconds, &memory) == 4) {
            for (int i = 0; i < TAL_CHAIN_COUNT; i++) {
                if (strcmp(stage, tal_chain[i].name) == 0) {
                    costs[i].seconds = seconds > costs[i].seconds ? seconds : costs[i].seconds;
                    costs[i].memory_mb = memory > costs[i].memory_mb ? memory : costs[i].memory_mb;
                }
            }
        }
    }
    tal_memory_destroy(bytes);
    return TAL_OK;
}

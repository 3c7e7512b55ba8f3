// SPDX-License-Identifier: GPL-3.0-or-later
// A study folder: its lock, its places, the keys of its runs.
#define _GNU_SOURCE // flock, realpath
#include "pipelines/engine/study.h"

#include "core/app/idle_check.h"
#include "core/app/program.h"
#include "core/app/site_file.h"
#include "core/base/log.h"
#include "core/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const MARK_NAME = "talus-study.txt";
static const char *const MARK_TEXT = "This folder is a talus study: runs/ holds one folder per "
                                     "run, named by the hash of its settings\n"
                                     "and inputs. Give it to --out again and finished runs are "
                                     "reused. docs/studies.md explains the rest.\n";

tal_status tal_study_find_programs(char folder[TAL_PATH_SIZE], tal_error *err) {
    const char *given = getenv("TALUS_BIN_DIR");
    char self[TAL_PATH_SIZE];
    if (given != NULL && given[0] != '\0') {
        if (realpath(given, self) == NULL || !tal_text_copy(folder, TAL_PATH_SIZE, self)) {
            return TAL_FAIL(err, TAL_NOT_FOUND, "TALUS_BIN_DIR=%s: %s", given, strerror(errno));
        }
        return TAL_OK;
    }
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        return TAL_FAIL(err, TAL_NOT_FOUND,
                        "cannot find the folder of the talus programs; set TALUS_BIN_DIR to it");
    }
    self[length] = '\0';
    tal_path_folder(folder, self);
    return TAL_OK;
}

tal_status tal_study_path(const tal_study_folder *study, char path[TAL_PATH_SIZE],
                          const char *folder, const char *name, tal_error *err) {
    char place[TAL_PATH_SIZE];
    if (!tal_path_join(place, study->path, folder) || !tal_path_join(path, place, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", study->path);
    }
    return TAL_OK;
}

tal_status tal_study_result(const tal_study_folder *study, tal_chain_stage stage, const char *key,
                            char path[TAL_PATH_SIZE], tal_error *err) {
    return tal_study_path(study, path, tal_chain[stage].folder, key, err);
}

bool tal_study_is_finished(const tal_study_folder *study, tal_chain_stage stage, const char *key) {
    char folder[TAL_PATH_SIZE], mark[TAL_PATH_SIZE];
    return tal_study_result(study, stage, key, folder, NULL) == TAL_OK &&
           tal_path_join(mark, folder, "finished.json") && access(mark, F_OK) == 0;
}

// --- the lock ---

static void read_holder(int file, char *text, size_t size) {
    const ssize_t length = pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

// Processes that a killed study left behind still hold its lock for a moment: they end by
// themselves.
static bool holder_is_dead(const char *holder) {
    const char *number = strstr(holder, "process ");
    const char *host = strstr(holder, " on ");
    char here[256] = "";
    gethostname(here, sizeof here - 1);
    if (number == NULL || host == NULL || strcmp(host + 4, here) != 0) {
        return false;
    }
    const long process = strtol(number + 8, NULL, 10);
    return process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static tal_status take_lock(tal_study_folder *study, const char *program, tal_error *err) {
    enum { TRIES = 200 };
    char path[TAL_PATH_SIZE], holder[512] = "", host[256] = "";
    TAL_TRY(tal_study_path(study, path, ".cache", "lock", err));
    // Children inherit the open file and with it the lock: it is free when the last of them is
    // gone.
    study->lock = open(path, O_RDWR | O_CREAT, 0666);
    if (study->lock < 0) {
        return TAL_FAIL(err, TAL_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    for (int i = 0; flock(study->lock, LOCK_EX | LOCK_NB) != 0; i++) {
        read_holder(study->lock, holder, sizeof holder);
        const bool wait = errno == EINTR || (i < TRIES && (holder_is_dead(holder) || i < 2));
        if (!wait) {
            close(study->lock);
            study->lock = -1;
            return TAL_FAIL(
                err, TAL_EXISTS,
                "%s is in use by %s: wait until it ends, or give another folder with --out",
                study->path, holder[0] != '\0' ? holder : "another process");
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    gethostname(host, sizeof host - 1);
    const int length =
        snprintf(holder, sizeof holder, "%s, process %ld on %s\n", program, (long)getpid(), host);
    if (ftruncate(study->lock, 0) != 0 ||
        pwrite(study->lock, holder, (size_t)length, 0) != length) {
        tal_log_debug("the lock of %s carries no name: %s", study->path, strerror(errno));
    }
    return TAL_OK;
}

// --- the folder ---

// But for a mark that was being written when somebody pulled the plug.
static bool folder_is_empty(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return true;
    }
    int count = 0;
    for (const struct dirent *entry = NULL; (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        const bool is_begun_mark = strncmp(name, MARK_NAME, strlen(MARK_NAME)) == 0;
        count += strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !is_begun_mark ? 1 : 0;
    }
    closedir(folder);
    return count == 0;
}

static tal_status make_places(const tal_study_folder *study, tal_error *err) {
    static const char *const places[] = {"runs",         "stages/ingest", "stages/mesh",
                                         "stages/solve", "sites",         "work",
                                         "log",          "failed",        ".cache"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[TAL_PATH_SIZE];
        TAL_TRY(tal_study_path(study, path, places[i], "", err));
        TAL_TRY(tal_folder_create(path, err));
    }
    return TAL_OK;
}

static tal_status find_place(tal_study_folder *study, const char *path, tal_error *err) {
    *study = (tal_study_folder){.lock = -1};
    TAL_TRY(tal_folder_create(path, err));
    if (realpath(path, study->path) == NULL) {
        return TAL_FAIL(err, TAL_IO, "%s: %s", path, strerror(errno));
    }
    return tal_study_find_programs(study->programs, err);
}

static tal_status take_hash(void *context, char *line, tal_error *err);

tal_status tal_study_open(tal_study_folder *study, const char *path, const char *program,
                          bool must_exist, tal_error *err) {
    TAL_TRY(find_place(study, path, err));
    char mark[TAL_PATH_SIZE];
    if (!tal_path_join(mark, study->path, MARK_NAME)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", path);
    }
    const bool known = tal_file_exists(mark);
    if (!known && must_exist) {
        return TAL_FAIL(err, TAL_NOT_FOUND, "%s holds no study to continue; leave out --resume",
                        path);
    }
    if (!known && !folder_is_empty(study->path)) {
        return TAL_FAIL(err, TAL_EXISTS,
                        "%s is not empty and holds no study: give a new folder with --out", path);
    }
    if (!known) {
        TAL_TRY(tal_file_write_text(mark, MARK_TEXT, TAL_REPLACE, err));
    }
    TAL_TRY(make_places(study, err));
    TAL_TRY(take_lock(study, program, err));
    return tal_study_read_notes(study, "inputs.tsv", take_hash, study, err);
}

tal_status tal_study_join(tal_study_folder *study, const char *path, tal_error *err) {
    return find_place(study, path, err);
}

void tal_study_close(tal_study_folder *study) {
    if (study == NULL) {
        return;
    }
    if (study->lock >= 0) {
        close(study->lock);
    }
    study->lock = -1;
    tal_table_destroy(&study->hashes);
    tal_memory_destroy(study->sha256);
    study->sha256 = NULL;
}

tal_status tal_study_note(const tal_study_folder *study, const char *name, const char *line,
                          tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_study_path(study, path, ".cache", name, err));
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    const size_t length = strlen(line);
    if (file < 0 || write(file, line, length) != (ssize_t)length) {
        const int number = errno;
        if (file >= 0) {
            close(file);
        }
        return TAL_FAIL(err, TAL_IO, "%s: cannot write: %s", path, strerror(number));
    }
    close(file);
    return TAL_OK;
}

tal_status tal_study_read_notes(const tal_study_folder *study, const char *name,
                                tal_note_taker *take, void *context, tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_study_path(study, path, ".cache", name, err));
    if (!tal_file_exists(path)) {
        return TAL_OK;
    }
    char *bytes = NULL;
    size_t length = 0;
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    tal_status status = TAL_OK;
    for (char *line = bytes, *end = NULL; status == TAL_OK && (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        *end = '\0';
        status = take(context, line, err);
    }
    tal_memory_destroy(bytes);
    return status;
}

// --- hashes of inputs, remembered by path, size and date ---

static tal_status remember_hash(tal_study_folder *study, const char *name, const char *sha256,
                                tal_error *err) {
    if (study->hash_count == study->hash_capacity) {
        const size_t capacity = study->hash_capacity > 0 ? 2 * study->hash_capacity : 32;
        TAL_GROW(study->sha256, study->hash_count, capacity, "hashes of inputs", err);
        study->hash_capacity = capacity;
    }
    snprintf(study->sha256[study->hash_count], TAL_SHA256_TEXT_SIZE, "%s", sha256);
    return tal_table_set(&study->hashes, name, (int64_t)study->hash_count++, err);
}

// Lines "sha256<tab>size date path"; what does not look like one is left aside.
static tal_status take_hash(void *context, char *line, tal_error *err) {
    tal_study_folder *study = context;
    if (strcspn(line, "\t") != TAL_SHA256_TEXT_SIZE - 1 || line[TAL_SHA256_TEXT_SIZE - 1] != '\t') {
        return TAL_OK;
    }
    line[TAL_SHA256_TEXT_SIZE - 1] = '\0';
    return remember_hash(study, line + TAL_SHA256_TEXT_SIZE, line, err);
}

tal_status tal_study_hash(tal_study_folder *study, const char *path, const char **sha256,
                          tal_error *err) {
    TAL_TRY(tal_file_check_readable(path, err));
    struct stat about;
    char real[TAL_PATH_SIZE];
    if (stat(path, &about) != 0 || realpath(path, real) == NULL) {
        return TAL_FAIL(err, TAL_IO, "%s: %s", path, strerror(errno));
    }
    char name[TAL_PATH_SIZE + 96];
    snprintf(name, sizeof name, "%lld %lld.%09ld %s", (long long)about.st_size,
             (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec, real);
    const int64_t row = tal_table_find(&study->hashes, name);
    if (row >= 0) {
        *sha256 = study->sha256[row];
        return TAL_OK;
    }
    char text[TAL_SHA256_TEXT_SIZE], line[TAL_PATH_SIZE + 256];
    TAL_TRY(tal_sha256_file(path, text, err));
    TAL_TRY(remember_hash(study, name, text, err));
    *sha256 = study->sha256[study->hash_count - 1];
    snprintf(line, sizeof line, "%s\t%s\n", text, name);
    return study->lock >= 0 ? tal_study_note(study, "inputs.tsv", line, err) : TAL_OK;
}

// --- keys ---

typedef struct {
    tal_study_folder *study;
    const tal_settings *settings;
    tal_text *text;
} key_maker;

static tal_status add_inputs(void *context, const char *section, const tal_setting *setting,
                             const char *value, tal_error *err) {
    key_maker *maker = context;
    char path[TAL_PATH_SIZE];
    const char *cursor = value;
    while (tal_settings_next_file(maker->settings, &cursor, path)) {
        const char *sha256 = "";
        TAL_TRY(tal_study_hash(maker->study, path, &sha256, err));
        tal_text_append(maker->text, "%s.%s %s %s\n", section, setting->key, tal_path_name(path),
                        sha256);
    }
    return TAL_OK;
}

// A program built anew may give other results under the same version. One that is missing is told
// of when it is to be started.
static tal_status find_program_hash(tal_study_folder *study, tal_chain_stage stage,
                                    tal_error *err) {
    char path[TAL_PATH_SIZE], name[64];
    const char *sha256 = "missing";
    snprintf(name, sizeof name, "talus-%s", tal_chain[stage].name);
    if (study->program_sha256[stage][0] != '\0') {
        return TAL_OK;
    }
    if (tal_path_join(path, study->programs, name) && tal_file_exists(path)) {
        TAL_TRY(tal_study_hash(study, path, &sha256, err));
    }
    tal_text_copy(study->program_sha256[stage], TAL_SHA256_TEXT_SIZE, sha256);
    return TAL_OK;
}

static tal_status stage_key(key_maker *maker, tal_chain_stage stage, tal_run_keys *keys,
                            tal_error *err) {
    const tal_settings *settings = maker->settings;
    TAL_TRY(find_program_hash(maker->study, stage, err));
    tal_text_append(maker->text, "talus-%s %s %s\n", tal_chain[stage].name, tal_version,
                    maker->study->program_sha256[stage]);
    if (stage > 0) {
        tal_text_append(maker->text, "after %s\n", keys->text[stage - 1]);
    }
    if (stage == TAL_CHAIN_POST && settings->report.title[0] == '\0') {
        tal_text_append(maker->text, "title %s\n", tal_path_name(settings->site_file));
    }
    tal_settings_write(settings, tal_chain[stage].stages, TAL_SETTINGS_PORTABLE, maker->text);
    TAL_TRY(tal_files_walk(settings, tal_chain[stage].stages, add_inputs, maker, err));
    if (maker->text->failed) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the key of a run");
    }
    char sha256[TAL_SHA256_TEXT_SIZE];
    tal_sha256_bytes(maker->text->bytes, maker->text->length, sha256);
    snprintf(keys->text[stage], TAL_KEY_SIZE, "%.*s", TAL_KEY_SIZE - 1, sha256);
    return TAL_OK;
}

tal_status tal_study_keys(tal_study_folder *study, const tal_settings *settings, tal_run_keys *keys,
                          tal_error *err) {
    tal_text text = {0};
    key_maker maker = {.study = study, .settings = settings, .text = &text};
    tal_status status = TAL_OK;
    for (int stage = 0; status == TAL_OK && stage < TAL_CHAIN_COUNT; stage++) {
        text.length = 0;
        status = stage_key(&maker, (tal_chain_stage)stage, keys, err);
    }
    tal_text_destroy(&text);
    return status;
}

// --- the settings of a site ---

// A section that may make no sense without its file: one that repeats ([target.road] place), or that of rocks.
static bool needs_files(const char *section) {
    return strchr(section, '.') != NULL || strcmp(section, "release") == 0 ||
           strcmp(section, "forest") == 0;
}

// Where the files are is told to every job anew. Where a section needs them the whole path stays.
static tal_status drop_files(void *context, const char *section, const tal_setting *setting,
                             const char *value, tal_error *err) {
    tal_text paths = {0};
    char path[TAL_PATH_SIZE], real[TAL_PATH_SIZE];
    while (needs_files(section) && tal_settings_next_file(context, &value, path)) {
        tal_text_append(&paths, "%s\n", realpath(path, real) != NULL ? real : path);
    }
    const tal_status status =
        paths.failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the settings of a site")
                     : tal_settings_set(context, section, setting->key, tal_text_string(&paths),
                                        "study", err);
    tal_text_destroy(&paths);
    return status;
}

// A site file that would be read otherwise than it was meant (a text with a comment sign, a list
// that is too long for a line) must not begin a study.
static tal_status check_kept(const char *path, const char *text, tal_error *err) {
    tal_settings *again = NULL;
    TAL_CREATE(again, 1, "settings", err);
    tal_settings_init(again);
    tal_text read_back = {0};
    tal_status status = tal_site_file_read(again, path, 0, err);
    if (status == TAL_OK) {
        tal_settings_write(again, TAL_STAGE_ALL & ~(unsigned)TAL_STAGE_CALIBRATE,
                           TAL_SETTINGS_PLAIN, &read_back);
        if (read_back.failed) {
            status = TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the settings of a site");
        } else if (strcmp(tal_text_string(&read_back), text) != 0) {
            status =
                TAL_FAIL(err, TAL_BAD_SETTING,
                         "%s does not reproduce the settings it was written from: a text with # or "
                         "; in it, perhaps",
                         path);
        }
    }
    tal_text_destroy(&read_back);
    tal_memory_destroy(again);
    return status;
}

static tal_status write_site(tal_study_folder *study, const char *name, const char *text,
                             char path[TAL_PATH_SIZE], tal_error *err) {
    char sha256[TAL_SHA256_TEXT_SIZE], folder[TAL_PATH_SIZE];
    tal_sha256_bytes(text, strlen(text), sha256);
    sha256[TAL_KEY_SIZE - 1] = '\0';
    TAL_TRY(tal_study_path(study, folder, "sites", sha256, err));
    TAL_TRY(tal_folder_create(folder, err));
    if (!tal_path_join(path, folder, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", folder);
    }
    if (tal_file_exists(path)) {
        return TAL_OK;
    }
    TAL_TRY(tal_file_write_text(path, text, TAL_REPLACE, err));
    return check_kept(path, text, err);
}

tal_status tal_study_keep_site(tal_study_folder *study, const tal_settings *settings,
                               char path[TAL_PATH_SIZE], tal_error *err) {
    tal_settings *bare = NULL;
    TAL_CREATE(bare, 1, "settings", err);
    *bare = *settings;
    tal_idle_reset(bare); // what is tried may leave numbers without effect
    tal_text text = {0};
    tal_status status = tal_files_walk(settings, TAL_STAGE_ALL, drop_files, bare, err);
    if (status == TAL_OK) {
        tal_settings_write(bare, TAL_STAGE_ALL & ~(unsigned)TAL_STAGE_CALIBRATE, TAL_SETTINGS_PLAIN,
                           &text);
        status = text.failed ? TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the settings of a site")
                             : write_site(study, tal_path_name(settings->site_file),
                                          tal_text_string(&text), path, err);
    }
    tal_text_destroy(&text);
    tal_memory_destroy(bare);
    return status;
}

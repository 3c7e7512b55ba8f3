// SPDX-License-Identifier: GPL-3.0-or-later
// All files of a stage, or none.
#define _DEFAULT_SOURCE // flock
#include "core/app/results.h"

#include "core/app/provenance.h"
#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const STAGES[] = {"ingest", "mesh", "solve", "post"};
// A line of a list: the sum, two blanks, the name.
enum { STAGE_COUNT = sizeof STAGES / sizeof STAGES[0], SUM_LENGTH = TAL_SHA256_TEXT_SIZE - 1 + 2 };

// The one set of results this program is writing.
static struct {
    char folder[TAL_PATH_SIZE], part[TAL_PATH_SIZE], ready[TAL_PATH_SIZE];
    const char *stage;
    int lock; // of the part: it ends with us
} under_way = {.lock = -1};

static tal_status fail_here(tal_error *err, const char *path, const char *what) {
    return TAL_FAIL(err, TAL_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static bool hidden_folder(char path[TAL_PATH_SIZE], const char *folder, const char *stage,
                          const char *ending) {
    const int length = snprintf(path, TAL_PATH_SIZE, "%s/.%s.%s", folder, stage, ending);
    return length > 0 && length < TAL_PATH_SIZE - 256; // room for what lies in it
}

// --- walking over a folder ---

typedef tal_status file_visit(void *context, const char *path, const char *name, tal_error *err);

// Files of `root` and below, in the order of their names; `name` is seen from `root`.
static tal_status walk(const char *root, const char *below, file_visit *visit, void *context,
                       tal_error *err) {
    char folder[TAL_PATH_SIZE];
    struct dirent **entries = NULL;
    if (!tal_path_join(folder, root, below)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: the path is too long", root);
    }
    const int count = scandir(folder, &entries, NULL, alphasort);
    tal_status status = count >= 0 ? TAL_OK : fail_here(err, folder, "read the folder");
    for (int i = 0; i < count; i++) {
        char name[TAL_PATH_SIZE], path[TAL_PATH_SIZE];
        struct stat info;
        const char *entry = entries[i]->d_name;
        if (status == TAL_OK && strcmp(entry, ".") != 0 && strcmp(entry, "..") != 0) {
            const bool fits = below[0] == '\0' ? tal_text_copy(name, sizeof name, entry)
                                               : tal_path_join(name, below, entry);
            if (!fits || !tal_path_join(path, root, name) || lstat(path, &info) != 0) {
                status = fail_here(err, folder, "read the folder");
            } else if (S_ISDIR(info.st_mode)) {
                status = walk(root, name, visit, context, err);
            } else {
                status = visit(context, path, name, err);
            }
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static void remove_folders(const char *folder) {
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[TAL_PATH_SIZE];
        if (entries[i]->d_name[0] != '.' && tal_path_join(path, folder, entries[i]->d_name)) {
            remove_folders(path);
        }
        free(entries[i]);
    }
    free(entries);
    (void)rmdir(folder);
}

static tal_status remove_file(void *context, const char *path, const char *name, tal_error *err) {
    (void)context, (void)name, (void)err;
    (void)unlink(path);
    return TAL_OK;
}

static void remove_tree(const char *folder) {
    (void)walk(folder, "", remove_file, NULL, NULL);
    remove_folders(folder);
}

// --- moving into place ---

static tal_status move_file(void *context, const char *path, const char *name, tal_error *err) {
    const char *folder = context;
    char place[TAL_PATH_SIZE], below[TAL_PATH_SIZE];
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        (void)unlink(
            path); // a link to a file of another stage, for programs that were started here
        return TAL_OK;
    }
    if (!tal_path_join(place, folder, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s/%s: the path is too long", folder, name);
    }
    tal_path_folder(below, place);
    TAL_TRY(tal_folder_create(below, err));
    const bool strikes = tal_fault_strikes(TAL_FAULT_RENAME);
    if (strikes || rename(path, place) != 0) {
        errno = strikes ? EIO : errno;
        return TAL_FAIL(err, TAL_IO,
                        "%s: cannot rename the finished file: %s. The results are complete: run "
                        "the same command again to move them into place",
                        place, strerror(errno));
    }
    return TAL_OK;
}

static bool find_sum(const char *list, const char *name, char sha256[TAL_SHA256_TEXT_SIZE]);

// Files that an earlier run of the stage listed and this one did not write (frames of a longer series,
// figures nobody asks for any more).
static tal_status remove_older(const char *ready, const char *folder, const char *stage,
                               tal_error *err) {
    char list[64], path[TAL_PATH_SIZE];
    char *older = NULL, *newer = NULL;
    size_t length = 0;
    tal_status status = TAL_OK;
    snprintf(list, sizeof list, "%s.sha256", stage);
    if (!tal_path_join(path, folder, list) || !tal_file_exists(path)) {
        return TAL_OK;
    }
    TAL_TRY(tal_file_read(path, &older, &length, err));
    if (tal_path_join(path, ready, list) && tal_file_exists(path)) { // else it was moved before
        status = tal_file_read(path, &newer, &length, err);
    }
    for (char *line = older; newer != NULL && line != NULL && *line != '\0';) {
        char *end = line + strcspn(line, "\n"), sha256[TAL_SHA256_TEXT_SIZE];
        char *next = *end != '\0' ? end + 1 : end;
        *end = '\0';
        const char *name = strlen(line) > SUM_LENGTH ? line + SUM_LENGTH : "";
        if (name[0] != '\0' && strstr(name, "..") == NULL && !find_sum(newer, name, sha256) &&
            tal_path_join(path, folder, name)) {
            (void)unlink(path);
        }
        line = next;
    }
    tal_memory_destroy(older);
    tal_memory_destroy(newer);
    return status;
}

static tal_status move_all(const char *ready, const char *folder, const char *stage,
                           tal_error *err) {
    TAL_TRY(remove_older(ready, folder, stage, err));
    TAL_TRY(walk(ready, "", move_file, (void *)(uintptr_t)folder, err));
    remove_folders(ready);
    (void)tal_file_sync_folder(folder);
    return TAL_OK;
}

// Locked for as long as the descriptor is open; -1 where another program has it.
static int lock_folder(const char *path) {
    const int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static tal_status recover_stage(const char *folder, const char *stage, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_status status = TAL_OK;
    for (int ready = 1; ready >= 0; ready--) {
        if (!hidden_folder(path, folder, stage, ready == 1 ? "ready" : "part") ||
            !tal_file_exists(path)) {
            continue;
        }
        const int lock = lock_folder(path);
        if (lock < 0) {
            continue; // somebody is at work
        }
        if (ready == 0) {
            remove_tree(path);
        } else if (status == TAL_OK) {
            status = move_all(path, folder, stage, err);
        }
        close(lock);
    }
    return status;
}

tal_status tal_results_recover(const char *folder, tal_error *err) {
    for (int i = 0; i < STAGE_COUNT; i++) {
        TAL_TRY(recover_stage(folder, STAGES[i], err));
    }
    return TAL_OK;
}

// --- writing ---

tal_status tal_results_begin(const char *folder, const char *stage, tal_error *err) {
    TAL_ASSERT(under_way.lock < 0);
    if (!tal_text_copy(under_way.folder, sizeof under_way.folder, folder) ||
        !hidden_folder(under_way.part, folder, stage, "part") ||
        !hidden_folder(under_way.ready, folder, stage, "ready")) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.100s...: path too long", folder);
    }
    TAL_TRY(recover_stage(folder, stage, err));
    if (tal_file_exists(under_way.part) || tal_file_exists(under_way.ready)) {
        return TAL_FAIL(err, TAL_IO,
                        "%s: another program is writing the results of talus-%s there. Run one at "
                        "a time, or give each its own --out",
                        folder, stage);
    }
    TAL_TRY(tal_folder_create(under_way.part, err));
    under_way.lock = lock_folder(under_way.part);
    if (under_way.lock < 0) {
        return fail_here(err, under_way.part, "open");
    }
    under_way.stage = stage;
    tal_file_put_aside(under_way.folder, under_way.part);
    return TAL_OK;
}

static tal_status add_sum(void *context, const char *path, const char *name, tal_error *err) {
    char sha256[TAL_SHA256_TEXT_SIZE];
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        TAL_TRY(tal_sha256_file(path, sha256, err));
        tal_text_append(context, "%s  %s\n", sha256, name);
    }
    return TAL_OK;
}

static tal_status write_sums(tal_error *err) {
    char name[64], path[TAL_PATH_SIZE];
    tal_text text = {0};
    tal_status status = walk(under_way.part, "", add_sum, &text, err);
    snprintf(name, sizeof name, "%s.sha256", under_way.stage);
    if (status == TAL_OK && (text.failed || !tal_path_join(path, under_way.part, name))) {
        status = TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the list of results");
    }
    if (status == TAL_OK) {
        status = tal_file_write_text(path, tal_text_string(&text), TAL_REPLACE, err);
    }
    tal_text_destroy(&text);
    return status;
}

static tal_status publish(tal_error *err) {
    TAL_TRY(write_sums(err));
    const bool strikes = tal_fault_strikes(TAL_FAULT_RENAME);
    if (strikes || rename(under_way.part, under_way.ready) != 0) {
        errno = strikes ? EIO : errno;
        return fail_here(err, under_way.ready, "rename the finished results to");
    }
    (void)tal_file_sync_folder(under_way.folder);
    return move_all(under_way.ready, under_way.folder, under_way.stage, err);
}

tal_status tal_results_end(tal_status status, tal_error *err) {
    if (under_way.lock < 0) {
        return status;
    }
    tal_file_put_aside(NULL, NULL);
    status = status == TAL_OK ? publish(err) : status;
    if (status != TAL_OK && tal_file_exists(under_way.part)) {
        remove_tree(under_way.part);
    }
    close(under_way.lock);
    under_way.lock = -1;
    return status;
}

// --- reading ---

// The sum that a list names for `name`; false where it has none.
static bool find_sum(const char *list, const char *name, char sha256[TAL_SHA256_TEXT_SIZE]) {
    for (const char *line = list; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (length == SUM_LENGTH + strlen(name) &&
            strncmp(line + SUM_LENGTH, name, strlen(name)) == 0) {
            memcpy(sha256, line, TAL_SHA256_TEXT_SIZE - 1);
            sha256[TAL_SHA256_TEXT_SIZE - 1] = '\0';
            return true;
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    return false;
}

static tal_status compare(const char *path, const char *list, const char *stage,
                          const char *expected, tal_error *err) {
    char found[TAL_SHA256_TEXT_SIZE];
    TAL_TRY(tal_sha256_file(path, found, err));
    return strcmp(found, expected) == 0
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT,
                          "%s is not the file that talus-%s wrote (its SHA-256 is %.8s..., not "
                          "%.8s...). If it is damaged, run talus-%s again; if you changed it on "
                          "purpose, delete its line from %s",
                          path, stage, found, expected, stage, list);
}

tal_status tal_results_check_file(const char *path, bool *is_listed, tal_error *err) {
    char folder[TAL_PATH_SIZE], list[TAL_PATH_SIZE], expected[TAL_SHA256_TEXT_SIZE];
    bool ignored = false;
    is_listed = is_listed != NULL ? is_listed : &ignored;
    *is_listed = false;
    tal_path_folder(folder, path);
    for (int i = 0; i < STAGE_COUNT; i++) {
        char name[64];
        char *text = NULL;
        size_t length = 0;
        snprintf(name, sizeof name, "%s.sha256", STAGES[i]);
        if (!tal_path_join(list, folder, name) || !tal_file_exists(list)) {
            continue;
        }
        TAL_TRY(tal_file_read(list, &text, &length, err));
        *is_listed = find_sum(text, tal_path_name(path), expected);
        tal_memory_destroy(text);
        if (*is_listed) {
            return compare(path, list, STAGES[i], expected, err);
        }
    }
    return TAL_OK;
}

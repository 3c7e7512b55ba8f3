// SPDX-License-Identifier: GPL-3.0-or-later
// Files written aside, synced and renamed; whole-file reading; paths.
#define _POSIX_C_SOURCE 200809L
#include "core/base/file.h"

#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *advice_on_writing(int number) {
    switch (number) {
    case ENOSPC:
    case EDQUOT:
        return ". The disk is full: free some space or choose another folder with --out";
    case EACCES:
    case EPERM:
    case EROFS:
        return ". Choose a folder you may write to with --out";
    default:
        return "";
    }
}

static tal_status fail_writing(tal_error *err, const char *path, const char *what, int number) {
    return TAL_FAIL(err, TAL_IO, "%s: %s: %s%s", path, what, strerror(number),
                    advice_on_writing(number));
}

static tal_status fail_reading(tal_error *err, const char *path, int number) {
    return TAL_FAIL(err, TAL_IO, "%s: cannot read: %s", path, strerror(number));
}

bool tal_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static tal_status sync_descriptor(int descriptor) {
    if (tal_fault_strikes(TAL_FAULT_SYNC)) {
        errno = EIO;
        return TAL_IO;
    }
    // Some special files (pipes, some network mounts) cannot be synced and say EINVAL.
    return fsync(descriptor) == 0 || errno == EINVAL ? TAL_OK : TAL_IO;
}

static tal_status sync_path(const char *path, int flags) {
    const int descriptor = open(path, flags);
    if (descriptor < 0) {
        return TAL_IO;
    }
    const tal_status status = sync_descriptor(descriptor);
    const int kept = errno;
    close(descriptor);
    errno = kept;
    return status;
}

tal_status tal_file_sync_folder(const char *path) {
    return sync_path(path, O_RDONLY | O_DIRECTORY);
}

// --- aside ---

static char aside_folder[TAL_PATH_SIZE], aside_place[TAL_PATH_SIZE];

void tal_file_put_aside(const char *folder, const char *aside) {
    tal_text_copy(aside_folder, sizeof aside_folder, folder != NULL ? folder : "");
    tal_text_copy(aside_place, sizeof aside_place, aside != NULL ? aside : "");
}

// True where `path` is one of those; `place` is where it goes.
static bool goes_aside(const char *path, char place[TAL_PATH_SIZE]) {
    const size_t length = strlen(aside_folder);
    if (strcmp(aside_folder, ".") == 0) { // paths in it have nothing before their name
        return path[0] != '/' && path[0] != '.' && tal_path_join(place, aside_place, path);
    }
    return length > 0 && strncmp(path, aside_folder, length) == 0 && path[length] == '/' &&
           tal_path_join(place, aside_place, path + length + strspn(path + length, "/"));
}

void tal_file_written_path(const char *path, char written[TAL_PATH_SIZE]) {
    if (!goes_aside(path, written)) {
        tal_text_copy(written, TAL_PATH_SIZE, path);
    }
}

static bool part_path(const char *path, char part[TAL_PATH_SIZE]) {
    if (goes_aside(path, part)) {
        return true;
    }
    const int length = snprintf(part, TAL_PATH_SIZE, "%s.part", path);
    return length > 0 && length < TAL_PATH_SIZE;
}

tal_status tal_part_begin(const char *path, tal_overwrite overwrite, char part[TAL_PATH_SIZE],
                          tal_error *err) {
    if (!part_path(path, part)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.100s...: path longer than %d characters", path,
                        TAL_PATH_SIZE - 6);
    }
    if (overwrite == TAL_KEEP_EXISTING && tal_file_exists(path)) {
        return TAL_FAIL(
            err, TAL_EXISTS,
            "%s already exists. Use --overwrite to replace it, or choose another folder "
            "with --out",
            path);
    }
    char folder[TAL_PATH_SIZE];
    if (goes_aside(path, part)) {
        tal_path_folder(folder, part);
        TAL_TRY(tal_folder_create(folder, err));
    }
    if (unlink(part) != 0 && errno != ENOENT) {
        return fail_writing(err, part, "cannot remove the leftover of an earlier run", errno);
    }
    return TAL_OK;
}

static tal_status rename_part(const char *part, const char *path, tal_error *err) {
    char aside[TAL_PATH_SIZE];
    if (goes_aside(path, aside)) {
        return TAL_OK; // it stays there until all are complete
    }
    const bool strikes = tal_fault_strikes(TAL_FAULT_RENAME);
    if (strikes || rename(part, path) != 0) {
        const int number = strikes ? EIO : errno;
        unlink(part);
        return fail_writing(err, path, "cannot rename the finished file", number);
    }
    // The file is complete and in place; a folder that cannot be synced only delays its durability.
    char folder[TAL_PATH_SIZE];
    tal_path_folder(folder, path);
    (void)sync_path(folder, O_RDONLY | O_DIRECTORY);
    return TAL_OK;
}

tal_status tal_part_commit(const char *path, tal_error *err) {
    char part[TAL_PATH_SIZE];
    const bool fits = part_path(path, part);
    TAL_ASSERT(fits); // tal_part_begin checked it
    if (sync_path(part, O_RDONLY) != TAL_OK) {
        const int number = errno;
        unlink(part);
        return fail_writing(err, path, "cannot write", number);
    }
    return rename_part(part, path, err);
}

void tal_part_discard(const char *path) {
    char part[TAL_PATH_SIZE];
    if (part_path(path, part)) {
        unlink(part);
    }
}

tal_status tal_output_open(tal_output *output, const char *path, tal_overwrite overwrite,
                           tal_error *err) {
    *output = (tal_output){0};
    TAL_TRY(tal_part_begin(path, overwrite, output->part, err));
    tal_text_copy(output->path, sizeof output->path, path);
    output->stream = fopen(output->part, "wb");
    if (output->stream == NULL) {
        return fail_writing(err, path, "cannot write", errno);
    }
    return TAL_OK;
}

static void output_note_failure(tal_output *output, int number) {
    if (output->failed == TAL_OK) {
        output->failed = TAL_IO;
        output->error_number = number;
    }
}

void tal_output_write(tal_output *output, const void *bytes, size_t count) {
    if (output->failed != TAL_OK) {
        return;
    }
    if (tal_fault_strikes(TAL_FAULT_WRITE)) {
        output_note_failure(output, ENOSPC);
    } else if (fwrite(bytes, 1, count, output->stream) != count) {
        output_note_failure(output, errno);
    }
}

void tal_output_print(tal_output *output, const char *format, ...) {
    if (output->failed != TAL_OK) {
        return;
    }
    if (tal_fault_strikes(TAL_FAULT_WRITE)) {
        output_note_failure(output, ENOSPC);
        return;
    }
    va_list list;
    va_start(list, format);
    if (vfprintf(output->stream, format, list) < 0) {
        output_note_failure(output, errno);
    }
    va_end(list);
}

void tal_output_seek(tal_output *output, uint64_t position) {
    if (output->failed == TAL_OK && fseeko(output->stream, (off_t)position, SEEK_SET) != 0) {
        output_note_failure(output, errno);
    }
}

// Two programs that write the same file share its part: the later one has put its own in place of
// ours.
static bool part_is_ours(const tal_output *output) {
    struct stat opened, named;
    return fstat(fileno(output->stream), &opened) == 0 && stat(output->part, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

tal_status tal_output_commit(tal_output *output, tal_error *err) {
    if (output->failed == TAL_OK && fflush(output->stream) != 0) {
        output_note_failure(output, errno);
    }
    if (output->failed == TAL_OK && sync_descriptor(fileno(output->stream)) != TAL_OK) {
        output_note_failure(output, errno);
    }
    const bool ours = part_is_ours(output);
    if (fclose(output->stream) != 0) {
        output_note_failure(output, errno);
    }
    output->stream = NULL;
    if (output->failed != TAL_OK) {
        unlink(output->part);
        return fail_writing(err, output->path, "cannot write", output->error_number);
    }
    if (!ours) {
        return TAL_FAIL(
            err, TAL_IO,
            "%s: another program is already writing it. Run one at a time, or give each its "
            "own --out",
            output->path);
    }
    return rename_part(output->part, output->path, err);
}

void tal_output_discard(tal_output *output) {
    if (output->stream != NULL) {
        fclose(output->stream);
        output->stream = NULL;
        unlink(output->part);
    }
}

tal_status tal_file_write_text(const char *path, const char *text, tal_overwrite overwrite,
                               tal_error *err) {
    tal_output output;
    TAL_TRY(tal_output_open(&output, path, overwrite, err));
    tal_output_write(&output, text, strlen(text));
    return tal_output_commit(&output, err);
}

tal_status tal_file_check_readable(const char *path, tal_error *err) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return TAL_FAIL(err, errno == ENOENT || errno == ENOTDIR ? TAL_NOT_FOUND : TAL_IO, "%s: %s",
                        path, errno == ENOENT ? "no such file" : strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is a folder, but a file is needed", path);
    }
    if (!S_ISREG(info.st_mode)) { // which nobody may ever fill, or end
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is a pipe or a device: write what it holds into a file first", path);
    }
    if (access(path, R_OK) != 0) {
        return TAL_FAIL(err, TAL_IO, "%s cannot be read: %s", path, strerror(errno));
    }
    return TAL_OK;
}

static tal_status read_stream(FILE *stream, const char *path, char **bytes, size_t *length,
                              tal_error *err) {
    size_t capacity = 65536, used = 0;
    char *buffer = tal_memory_create(capacity, 1);
    while (buffer != NULL) {
        used += fread(buffer + used, 1, capacity - 1 - used, stream);
        if (ferror(stream) != 0) {
            const int number = errno;
            tal_memory_destroy(buffer);
            return fail_reading(err, path, number);
        }
        if (feof(stream) != 0) {
            buffer[used] = '\0';
            *bytes = buffer;
            *length = used;
            return TAL_OK;
        }
        if (used == capacity - 1) {
            char *larger = tal_memory_grow(buffer, used, capacity * 2, 1);
            if (larger == NULL) {
                tal_memory_destroy(buffer);
            }
            buffer = larger;
            capacity *= 2;
        }
    }
    return tal_memory_failed(err, path, capacity, 1);
}

tal_status tal_file_read(const char *path, char **bytes, size_t *length, tal_error *err) {
    TAL_TRY(tal_file_check_readable(path, err));
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return fail_reading(err, path, errno);
    }
    const tal_status status = read_stream(stream, path, bytes, length, err);
    fclose(stream);
    return status;
}

tal_status tal_folder_create(const char *path, tal_error *err) {
    char partial[TAL_PATH_SIZE];
    if (!tal_text_copy(partial, sizeof partial, path) || path[0] == '\0') {
        return TAL_FAIL(err, TAL_BAD_INPUT, "'%.100s' is not a usable folder name", path);
    }
    for (char *slash = strchr(partial + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL) {
            *slash = '\0';
        }
        // Looked at first: where nothing may be made, some systems say so even of what is there.
        struct stat info;
        const bool there = stat(partial, &info) == 0;
        if (!there && mkdir(partial, 0777) != 0 && errno != EEXIST) {
            return fail_writing(err, partial, "cannot make the folder", errno);
        }
        if (!there && stat(partial, &info) != 0) {
            return fail_writing(err, partial, "cannot make the folder", errno);
        }
        if (!S_ISDIR(info.st_mode)) {
            return TAL_FAIL(err, TAL_IO, "%s is in the way: a folder is needed there", partial);
        }
        if (slash == NULL) {
            return TAL_OK;
        }
        *slash = '/';
    }
}

bool tal_path_join(char path[TAL_PATH_SIZE], const char *folder, const char *name) {
    const int length = name[0] == '/' || folder[0] == '\0' || strcmp(folder, ".") == 0
                           ? snprintf(path, TAL_PATH_SIZE, "%s", name)
                           : snprintf(path, TAL_PATH_SIZE, "%s/%s", folder, name);
    if (length < 0 || length >= TAL_PATH_SIZE) {
        path[0] = '\0';
        return false;
    }
    return true;
}

void tal_path_folder(char folder[TAL_PATH_SIZE], const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        tal_text_copy(folder, TAL_PATH_SIZE, ".");
        return;
    }
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    const size_t kept = length < TAL_PATH_SIZE ? length : TAL_PATH_SIZE - 1;
    memcpy(folder, path, kept);
    folder[kept] = '\0';
}

const char *tal_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

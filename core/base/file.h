// SPDX-License-Identifier: GPL-3.0-or-later
// Files: written aside as NAME.part, synced, then renamed, so that a kill at any moment leaves the
// old file or none; plus whole-file reading and paths.
#ifndef TALUS_CORE_BASE_FILE_H
#define TALUS_CORE_BASE_FILE_H

#include "core/base/status.h"

#include <stdint.h>
#include <stdio.h>

enum { TAL_PATH_SIZE = 4096 };

typedef enum {
    TAL_KEEP_EXISTING, // an existing file is an error
    TAL_REPLACE        // it is replaced when the new one is complete
} tal_overwrite;

// One output file of our own writing.
typedef struct {
    FILE *stream;
    tal_status failed; // first failure of a write; kept until the commit
    int error_number;
    char path[TAL_PATH_SIZE];
    char part[TAL_PATH_SIZE];
} tal_output;

tal_status tal_output_open(tal_output *output, const char *path, tal_overwrite overwrite,
                           tal_error *err);
// Writes never need checking one by one: the commit reports the first failure.
void tal_output_write(tal_output *output, const void *bytes, size_t count);
void tal_output_print(tal_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Moves to a byte position already written (headers that are completed at the end).
void tal_output_seek(tal_output *output, uint64_t position);
// Flush, sync, close, rename, sync of the folder. On failure nothing is left.
tal_status tal_output_commit(tal_output *output, tal_error *err);
// Closes and removes the part; harmless after a commit or on {0}.
void tal_output_discard(tal_output *output);

// The same for libraries that want a path: they write to `part`, then commit syncs and renames it.
tal_status tal_part_begin(const char *path, tal_overwrite overwrite, char part[TAL_PATH_SIZE],
                          tal_error *err);
tal_status tal_part_commit(const char *path, tal_error *err);
void tal_part_discard(const char *path);

// Until it is called with NULL, files below `folder` are written to the same names below `aside`, and
// stay there (core/app/results.h).
void tal_file_put_aside(const char *folder, const char *aside);
// Where a file written just now lies: aside, or at `path` itself.
void tal_file_written_path(const char *path, char written[TAL_PATH_SIZE]);
// What happened in a folder reaches the disk.
tal_status tal_file_sync_folder(const char *path);

tal_status tal_file_write_text(const char *path, const char *text, tal_overwrite overwrite,
                               tal_error *err);
// Whole file with a '\0' added; the caller frees it with tal_memory_destroy.
tal_status tal_file_read(const char *path, char **bytes, size_t *length, tal_error *err);
// A regular file that can be opened for reading; says which of missing, folder, no right it is.
tal_status tal_file_check_readable(const char *path, tal_error *err);
bool tal_file_exists(const char *path);

// Makes the folder and those above it.
tal_status tal_folder_create(const char *path, tal_error *err);
// `name` against `folder`, unless it is absolute. False when too long.
bool tal_path_join(char path[TAL_PATH_SIZE], const char *folder, const char *name);
// The part before the last '/': "." when there is none.
void tal_path_folder(char folder[TAL_PATH_SIZE], const char *path);
const char *tal_path_name(const char *path);

#endif

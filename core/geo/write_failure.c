// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence for a write that a geodata library could not do.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/write_failure.h"

#include "core/base/file.h"

#include <sys/statvfs.h>
#include <unistd.h>

// Less room than this and a failed write is put down to it.
static const double full_bytes = 1048576.0;

static const char *find_reason(const char *path) {
    char folder[TAL_PATH_SIZE];
    tal_path_folder(folder, path);
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0) {
        return " (its folder does not exist or cannot be entered)";
    }
    if ((double)disk.f_bavail * (double)disk.f_frsize < full_bytes) {
        return ". The disk is full: free some space or choose another folder with --out";
    }
    if (access(folder, W_OK) != 0) {
        return ". Choose a folder you may write to with --out";
    }
    return "";
}

tal_status tal_write_failed(tal_error *err, const char *path, const char *what, const char *why) {
    return TAL_FAIL(err, TAL_IO, "%s: cannot write %s: %s%s", path, what, why, find_reason(path));
}

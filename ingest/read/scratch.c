// SPDX-License-Identifier: GPL-3.0-or-later
// Chunks of points one after another: their number, then each array whole.
#define _POSIX_C_SOURCE 200809L
#include "ingest/read/scratch.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Small, so that whole arrays go past it.
enum { BUFFER_BYTES = 1 << 14 };

struct tal_scratch {
    char folder[TAL_PATH_SIZE]; // for messages
    FILE *stream;
    uint8_t *flags; // of one chunk
};

static tal_status open_nameless(tal_scratch *scratch, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, scratch->folder, ".points_XXXXXX")) {
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", scratch->folder);
    }
    const int file = mkstemp(path);
    scratch->stream = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (file >= 0) {
        unlink(path);
    }
    if (scratch->stream == NULL) {
        return TAL_FAIL(err, TAL_IO, "%s: cannot create a file for the points there: %s",
                        scratch->folder, strerror(errno));
    }
    setvbuf(scratch->stream, NULL, _IOFBF, BUFFER_BYTES);
    return TAL_OK;
}

tal_status tal_scratch_create(tal_scratch **scratch, const char *folder, tal_error *err) {
    tal_status status = TAL_OK;
    TAL_CREATE(*scratch, 1, "the points aside", err);
    tal_text_copy((*scratch)->folder, TAL_PATH_SIZE, folder);
    TAL_CREATE_OR_DONE((*scratch)->flags, TAL_POINTS_CAPACITY, "the points aside", err);
    TAL_TRY_OR_DONE(open_nameless(*scratch, err));
done:
    if (status != TAL_OK) {
        tal_scratch_destroy(*scratch);
        *scratch = NULL;
    }
    return status;
}

void tal_scratch_destroy(tal_scratch *scratch) {
    if (scratch == NULL) {
        return;
    }
    if (scratch->stream != NULL) {
        fclose(scratch->stream);
    }
    tal_memory_destroy(scratch->flags);
    tal_memory_destroy(scratch);
}

static tal_status refuse(const tal_scratch *scratch, const char *what, tal_error *err) {
    return TAL_FAIL(err, TAL_IO,
                    "%s: the points kept there during the study (26 bytes each) cannot be %s: %s; "
                    "choose another folder with --out",
                    scratch->folder, what, strerror(errno));
}

static bool put(tal_scratch *scratch, const void *array, size_t size, size_t count) {
    return fwrite(array, size, count, scratch->stream) == count;
}

tal_status tal_scratch_add(tal_scratch *scratch, const tal_points *points, tal_error *err) {
    const size_t count = points->count;
    TAL_ASSERT(count > 0 && count <= TAL_POINTS_CAPACITY);
    for (size_t i = 0; i < count; i++) {
        scratch->flags[i] =
            (uint8_t)((points->is_last[i] != 0) | (points->is_withheld[i] != 0) << 1);
    }
    const bool kept = put(scratch, &count, sizeof count, 1) &&
                      put(scratch, points->x, sizeof *points->x, count) &&
                      put(scratch, points->y, sizeof *points->y, count) &&
                      put(scratch, points->z, sizeof *points->z, count) &&
                      put(scratch, points->point_class, 1, count) &&
                      put(scratch, scratch->flags, 1, count);
    return kept ? TAL_OK : refuse(scratch, "written", err);
}

tal_status tal_scratch_rewind(tal_scratch *scratch, tal_error *err) {
    const bool done = fflush(scratch->stream) == 0 && fseek(scratch->stream, 0, SEEK_SET) == 0;
    return done ? TAL_OK : refuse(scratch, "written", err);
}

static bool get(tal_scratch *scratch, void *array, size_t size, size_t count) {
    return fread(array, size, count, scratch->stream) == count;
}

tal_status tal_scratch_read(tal_scratch *scratch, tal_points *points, tal_error *err) {
    size_t count = 0;
    points->count = 0;
    if (!get(scratch, &count, sizeof count, 1)) {
        return feof(scratch->stream) ? TAL_OK : refuse(scratch, "read", err);
    }
    TAL_ASSERT(count > 0 && count <= TAL_POINTS_CAPACITY);
    const bool found = get(scratch, points->x, sizeof *points->x, count) &&
                       get(scratch, points->y, sizeof *points->y, count) &&
                       get(scratch, points->z, sizeof *points->z, count) &&
                       get(scratch, points->point_class, 1, count) &&
                       get(scratch, scratch->flags, 1, count);
    if (!found) {
        return refuse(scratch, "read", err);
    }
    for (size_t i = 0; i < count; i++) {
        points->is_last[i] = scratch->flags[i] & 1U;
        points->is_withheld[i] = scratch->flags[i] >> 1;
    }
    points->count = count;
    return TAL_OK;
}

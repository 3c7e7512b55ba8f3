// SPDX-License-Identifier: GPL-3.0-or-later
// A record is: kind, length of the payload, checksum, payload.
#define _POSIX_C_SOURCE 200809L
#include "solver/program/records.h"

#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    uint32_t kind;
    uint32_t length;
    uint64_t checksum;
} record_head;

static uint64_t checksum_of(const unsigned char *bytes, size_t count, uint32_t kind) {
    uint64_t hash = 14695981039346656037ULL ^ kind; // FNV-1a
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211ULL;
    }
    return hash;
}

static tal_status fail_io(const tal_records *r, const char *what, tal_error *err) {
    return TAL_FAIL(err, TAL_IO, "%s: cannot %s: %s", r->path, what, strerror(errno));
}

static bool reserve(tal_records *r, size_t size) {
    if (size <= r->buffer_size) {
        return true;
    }
    const size_t room = size + size / 2 + 256;
    void *larger = tal_memory_grow(r->buffer, r->buffer_size, room, 1);
    if (larger == NULL) {
        return false;
    }
    r->buffer = larger;
    r->buffer_size = room;
    return true;
}

tal_status tal_records_open(tal_records *r, const char *path, const char *mode, size_t length_max,
                            tal_error *err) {
    *r = (tal_records){.length_max = length_max};
    tal_text_copy(r->path, sizeof r->path, path);
    if (!reserve(r, 256)) {
        return tal_memory_failed(err, "the journal", 256, 1);
    }
    r->stream = fopen(path, mode);
    if (r->stream == NULL) {
        const tal_status status = fail_io(r, "open", err);
        tal_records_close(r);
        return status;
    }
    return TAL_OK;
}

void tal_records_close(tal_records *r) {
    if (r->stream != NULL) {
        fclose(r->stream);
    }
    tal_memory_destroy(r->buffer);
    *r = (tal_records){0};
}

tal_status tal_records_add(tal_records *r, uint32_t kind, const void *payload, size_t length,
                           tal_error *err) {
    const record_head head = {
        .kind = kind, .length = (uint32_t)length, .checksum = checksum_of(payload, length, kind)};
    if (tal_fault_strikes(TAL_FAULT_WRITE)) {
        errno = ENOSPC;
        return fail_io(r, "write", err);
    }
    if (fwrite(&head, sizeof head, 1, r->stream) != 1 ||
        fwrite(payload, 1, length, r->stream) != length) {
        return fail_io(r, "write", err);
    }
    return TAL_OK;
}

tal_status tal_records_sync(tal_records *r, tal_error *err) {
    if (tal_fault_strikes(TAL_FAULT_SYNC)) {
        errno = EIO;
        return fail_io(r, "sync", err);
    }
    return fflush(r->stream) == 0 && fsync(fileno(r->stream)) == 0 ? TAL_OK
                                                                   : fail_io(r, "sync", err);
}

// A torn head may promise more than the file holds: that much memory is not asked for.
static bool is_there(tal_records *r, uint32_t length) {
    struct stat info;
    return length <= r->length_max &&
           (length <= r->buffer_size || (fstat(fileno(r->stream), &info) == 0 &&
                                         (off_t)length <= info.st_size - ftello(r->stream)));
}

bool tal_records_read(tal_records *r) {
    record_head head;
    if (fread(&head, sizeof head, 1, r->stream) != 1 || !is_there(r, head.length) ||
        !reserve(r, head.length) || fread(r->buffer, 1, head.length, r->stream) != head.length ||
        head.checksum != checksum_of(r->buffer, head.length, head.kind)) {
        return false;
    }
    r->kind = head.kind;
    r->length = head.length;
    return true;
}

tal_status tal_records_rewind(tal_records *r, tal_error *err) {
    return fflush(r->stream) == 0 && fseeko(r->stream, 0, SEEK_SET) == 0 ? TAL_OK
                                                                         : fail_io(r, "read", err);
}

int64_t tal_records_place(tal_records *r) {
    return (int64_t)ftello(r->stream);
}

tal_status tal_records_cut(tal_records *r, int64_t place, tal_error *err) {
    return fflush(r->stream) == 0 && ftruncate(fileno(r->stream), (off_t)place) == 0 &&
                   fseeko(r->stream, (off_t)place, SEEK_SET) == 0
               ? TAL_OK
               : fail_io(r, "cut", err);
}

tal_status tal_records_go_to_end(tal_records *r, tal_error *err) {
    return fseeko(r->stream, 0, SEEK_END) == 0 ? TAL_OK : fail_io(r, "read", err);
}

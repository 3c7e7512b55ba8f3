// SPDX-License-Identifier: GPL-3.0-or-later
// The journal of a run under way. A record is: kind, length of the payload, checksum, payload, in the
// byte order of the machine (a journal does not travel; run.nc does).
#define _POSIX_C_SOURCE 200809L
#include "solver/program/journal.h"

#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { KIND_HEADER = 0x74616c32, KIND_FRAME, KIND_STEP };

typedef struct {
    uint32_t kind;
    uint32_t length;
    uint64_t checksum;
} record_head;

typedef struct {
    char key[TAL_JOURNAL_KEY_SIZE];
    int32_t body_count;
} header_payload;

// What a frame holds per body after its time.
enum { FRAME_BYTES_PER_BODY = sizeof(tal_vec3) + sizeof(tal_quat) + 2 * sizeof(tal_vec3) };

static uint64_t checksum_of(const unsigned char *bytes, size_t count, uint32_t kind) {
    uint64_t hash = 14695981039346656037ULL ^ kind; // FNV-1a
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211ULL;
    }
    return hash;
}

static tal_status fail_io(const tal_journal *journal, const char *what, tal_error *err) {
    return TAL_FAIL(err, TAL_IO, "%s: cannot %s: %s", journal->path, what, strerror(errno));
}

static tal_status journal_open(tal_journal *journal, const char *path, const char *mode,
                               int32_t body_count, tal_error *err) {
    *journal = (tal_journal){.body_count = body_count};
    tal_text_copy(journal->path, sizeof journal->path, path);
    journal->buffer_size = sizeof(double) + (size_t)body_count * FRAME_BYTES_PER_BODY;
    if (journal->buffer_size < 256) {
        journal->buffer_size = 256;
    }
    TAL_CREATE(journal->buffer, journal->buffer_size, "the journal", err);
    journal->stream = fopen(path, mode);
    if (journal->stream == NULL) {
        const tal_status status = fail_io(journal, "open", err);
        tal_journal_close(journal);
        return status;
    }
    return TAL_OK;
}

static tal_status write_record(tal_journal *journal, uint32_t kind, const void *payload,
                               size_t length, tal_error *err) {
    const record_head head = {
        .kind = kind, .length = (uint32_t)length, .checksum = checksum_of(payload, length, kind)};
    if (tal_fault_strikes(TAL_FAULT_WRITE)) {
        errno = ENOSPC;
        return fail_io(journal, "write", err);
    }
    if (fwrite(&head, sizeof head, 1, journal->stream) != 1 ||
        fwrite(payload, 1, length, journal->stream) != length) {
        return fail_io(journal, "write", err);
    }
    return TAL_OK;
}

// The next record into the buffer; false at the end or at a torn one.
static bool read_record(tal_journal *journal, record_head *head) {
    return fread(head, sizeof *head, 1, journal->stream) == 1 &&
           head->length <= journal->buffer_size &&
           fread(journal->buffer, 1, head->length, journal->stream) == head->length &&
           head->checksum == checksum_of(journal->buffer, head->length, head->kind);
}

tal_status tal_journal_create(tal_journal *journal, const char *path, const char *key,
                              int32_t body_count, tal_error *err) {
    TAL_TRY(journal_open(journal, path, "w+b", body_count, err));
    header_payload header = {.body_count = body_count};
    tal_text_copy(header.key, sizeof header.key, key);
    return write_record(journal, KIND_HEADER, &header, sizeof header, err);
}

static tal_status check_header(tal_journal *journal, const char *key, tal_error *err) {
    record_head head;
    header_payload header;
    if (!read_record(journal, &head) || head.kind != KIND_HEADER || head.length != sizeof header) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a journal of talus-solve", journal->path);
    }
    memcpy(&header, journal->buffer, sizeof header);
    if (header.body_count != journal->body_count || strcmp(header.key, key) != 0) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s belongs to a run with other settings or other blocks. Start afresh with "
            "--overwrite and without --resume",
            journal->path);
    }
    return TAL_OK;
}

tal_status tal_journal_resume(tal_journal *journal, const char *path, const char *key,
                              int32_t body_count, double time_s, bool frame_is_due,
                              tal_journal_step *last, tal_error *err) {
    *last = (tal_journal_step){0};
    TAL_TRY(journal_open(journal, path, "r+b", body_count, err));
    TAL_TRY(check_header(journal, key, err));
    off_t end = ftello(journal->stream);
    record_head head;
    while (read_record(journal, &head)) {
        double record_time = 0.0;
        memcpy(&record_time, journal->buffer, sizeof record_time);
        const bool at_the_end = head.kind == KIND_FRAME && record_time == time_s;
        if (record_time > time_s || (at_the_end && !frame_is_due)) {
            break;
        }
        if (head.kind == KIND_STEP) {
            memcpy(last, journal->buffer, sizeof *last);
        }
        end = ftello(journal->stream);
    }
    if (fflush(journal->stream) != 0 || ftruncate(fileno(journal->stream), end) != 0 ||
        fseeko(journal->stream, end, SEEK_SET) != 0) {
        return fail_io(journal, "cut", err);
    }
    return TAL_OK;
}

tal_status tal_journal_add_frame(tal_journal *journal, const tal_journal_frame *frame,
                                 tal_error *err) {
    const size_t n = (size_t)journal->body_count;
    unsigned char *cursor = journal->buffer;
    memcpy(cursor, &frame->time_s, sizeof frame->time_s);
    cursor += sizeof frame->time_s;
    memcpy(cursor, frame->position, n * sizeof(tal_vec3));
    cursor += n * sizeof(tal_vec3);
    memcpy(cursor, frame->orientation, n * sizeof(tal_quat));
    cursor += n * sizeof(tal_quat);
    memcpy(cursor, frame->velocity, n * sizeof(tal_vec3));
    cursor += n * sizeof(tal_vec3);
    memcpy(cursor, frame->spin, n * sizeof(tal_vec3));
    cursor += n * sizeof(tal_vec3);
    return write_record(journal, KIND_FRAME, journal->buffer, (size_t)(cursor - journal->buffer),
                        err);
}

tal_status tal_journal_add_step(tal_journal *journal, const tal_journal_step *step,
                                tal_error *err) {
    return write_record(journal, KIND_STEP, step, sizeof *step, err);
}

tal_status tal_journal_sync(tal_journal *journal, tal_error *err) {
    if (tal_fault_strikes(TAL_FAULT_SYNC)) {
        errno = EIO;
        return fail_io(journal, "sync", err);
    }
    return fflush(journal->stream) == 0 && fsync(fileno(journal->stream)) == 0
               ? TAL_OK
               : fail_io(journal, "sync", err);
}

void tal_journal_close(tal_journal *journal) {
    if (journal->stream != NULL) {
        fclose(journal->stream);
    }
    tal_memory_destroy(journal->buffer);
    *journal = (tal_journal){0};
}

static tal_status visit_frame(const tal_journal *journal, tal_journal_frame_visit *visit,
                              size_t number, void *context, tal_error *err) {
    // The arrays stand one after another behind the time, each aligned to 8 bytes.
    const size_t n = (size_t)journal->body_count;
    const double *cursor = (const double *)(const void *)journal->buffer;
    const tal_journal_frame frame = {.time_s = cursor[0],
                                     .position = (const tal_vec3 *)(cursor + 1),
                                     .orientation = (const tal_quat *)(cursor + 1 + 3 * n),
                                     .velocity = (const tal_vec3 *)(cursor + 1 + 7 * n),
                                     .spin = (const tal_vec3 *)(cursor + 1 + 10 * n)};
    return visit(context, number, &frame, err);
}

tal_status tal_journal_visit(tal_journal *journal, tal_journal_frame_visit *frame,
                             tal_journal_step_visit *step, void *context, tal_error *err) {
    size_t frame_number = 0, step_number = 0;
    record_head head;
    if (fflush(journal->stream) != 0 || fseeko(journal->stream, 0, SEEK_SET) != 0) {
        return fail_io(journal, "read", err);
    }
    while (read_record(journal, &head)) {
        if (head.kind == KIND_FRAME) {
            if (frame != NULL) {
                TAL_TRY(visit_frame(journal, frame, frame_number, context, err));
            }
            frame_number++;
        } else if (head.kind == KIND_STEP) {
            tal_journal_step record;
            memcpy(&record, journal->buffer, sizeof record);
            if (step != NULL) {
                TAL_TRY(step(context, step_number, &record, err));
            }
            step_number++;
        }
    }
    return fseeko(journal->stream, 0, SEEK_END) == 0 ? TAL_OK : fail_io(journal, "read", err);
}

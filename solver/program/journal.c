// SPDX-License-Identifier: GPL-3.0-or-later
// The journal of a run under way (records.h).
#include "solver/program/journal.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <string.h>

enum { KIND_HEADER = 0x74616c35, KIND_FRAME, KIND_STEP, KIND_BREAK };

typedef struct {
    char key[TAL_JOURNAL_KEY_SIZE];
    int32_t body_count;
    int64_t field_count;
} header_payload;

// What a frame holds per body after its time.
enum { FRAME_BYTES_PER_BODY = sizeof(tal_vec3) + sizeof(tal_quat) + 2 * sizeof(tal_vec3) };

static size_t largest_frame(const tal_journal *journal) {
    return (1 + journal->field_count) * sizeof(double) +
           (size_t)journal->body_capacity * FRAME_BYTES_PER_BODY;
}

static tal_status journal_open(tal_journal *journal, const char *path, const char *mode,
                               tal_journal_shape shape, tal_error *err) {
    *journal = (tal_journal){.body_count = shape.body_count,
                             .body_capacity = shape.body_capacity,
                             .field_count = shape.field_count};
    size_t size = largest_frame(journal);
    size = size < 256 ? 256 : size;
    TAL_CREATE(journal->frame, size, "the journal", err);
    const tal_status status = tal_records_open(&journal->records, path, mode, size, err);
    if (status != TAL_OK) {
        tal_journal_close(journal);
    }
    return status;
}

tal_status tal_journal_create(tal_journal *journal, const char *path, const char *key,
                              tal_journal_shape shape, tal_error *err) {
    TAL_TRY(journal_open(journal, path, "w+b", shape, err));
    header_payload header;
    memset(&header, 0, sizeof header); // padding is checked, too
    header.body_count = shape.body_count;
    header.field_count = (int64_t)shape.field_count;
    tal_text_copy(header.key, sizeof header.key, key);
    return tal_records_add(&journal->records, KIND_HEADER, &header, sizeof header, err);
}

static tal_status check_header(tal_journal *journal, const char *key, tal_error *err) {
    tal_records *r = &journal->records;
    header_payload header;
    if (!tal_records_read(r) || r->kind != KIND_HEADER || r->length != sizeof header) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a journal of talus-solve", r->path);
    }
    memcpy(&header, r->buffer, sizeof header);
    if (header.body_count != journal->body_count ||
        header.field_count != (int64_t)journal->field_count || strcmp(header.key, key) != 0) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s belongs to a run with other settings or other blocks. Start afresh with "
            "--overwrite and without --resume",
            r->path);
    }
    return TAL_OK;
}

tal_status tal_journal_resume(tal_journal *journal, const char *path, const char *key,
                              tal_journal_shape shape, double time_s, bool frame_is_due,
                              tal_journal_step *last, tal_error *err) {
    tal_records *r = &journal->records;
    *last = (tal_journal_step){0};
    TAL_TRY(journal_open(journal, path, "r+b", shape, err));
    TAL_TRY(check_header(journal, key, err));
    int64_t end = tal_records_place(r);
    double frame_s = -1.0;
    while (tal_records_read(r)) {
        double record_time = 0.0;
        memcpy(&record_time, r->buffer, sizeof record_time);
        const bool at_the_end = r->kind == KIND_FRAME && record_time == time_s;
        if (record_time > time_s || (at_the_end && !frame_is_due)) {
            break;
        }
        if (r->kind == KIND_STEP) {
            memcpy(last, r->buffer, sizeof *last);
        }
        frame_s = r->kind == KIND_FRAME ? record_time : frame_s;
        end = tal_records_place(r);
    }
    if (last->time_s != time_s || (frame_is_due && frame_s != time_s)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is damaged: it can be read until %g s, the checkpoint is at %g s. "
                        "Start afresh with --overwrite and without --resume",
                        r->path, last->time_s, time_s);
    }
    return tal_records_cut(r, end, err);
}

tal_status tal_journal_add_frame(tal_journal *journal, const tal_journal_frame *frame,
                                 tal_error *err) {
    const size_t n = (size_t)frame->body_count;
    unsigned char *cursor = journal->frame;
    TAL_ASSERT(frame->body_count <= journal->body_capacity);
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
    if (journal->field_count > 0) {
        memcpy(cursor, frame->field, journal->field_count * sizeof *frame->field);
        cursor += journal->field_count * sizeof *frame->field;
    }
    return tal_records_add(&journal->records, KIND_FRAME, journal->frame,
                           (size_t)(cursor - journal->frame), err);
}

tal_status tal_journal_add_step(tal_journal *journal, const tal_journal_step *step,
                                tal_error *err) {
    return tal_records_add(&journal->records, KIND_STEP, step, sizeof *step, err);
}

tal_status tal_journal_add_break(tal_journal *journal, const tal_break *b, tal_error *err) {
    return tal_records_add(&journal->records, KIND_BREAK, b, sizeof *b, err);
}

tal_status tal_journal_visit_breaks(const char *path, const char *key, tal_journal_shape shape,
                                    double time_s, tal_journal_break_visit *visit, void *context,
                                    tal_error *err) {
    tal_journal journal;
    TAL_TRY(journal_open(&journal, path, "rb", shape, err));
    tal_status status = check_header(&journal, key, err);
    while (status == TAL_OK && tal_records_read(&journal.records)) {
        tal_break b;
        if (journal.records.kind == KIND_BREAK && journal.records.length == sizeof b) {
            memcpy(&b, journal.records.buffer, sizeof b);
            status = b.time_s <= time_s ? visit(context, &b, err) : TAL_OK;
        }
    }
    tal_journal_close(&journal);
    return status;
}

tal_status tal_journal_sync(tal_journal *journal, tal_error *err) {
    return tal_records_sync(&journal->records, err);
}

void tal_journal_close(tal_journal *journal) {
    tal_records_close(&journal->records);
    tal_memory_destroy(journal->frame);
    *journal = (tal_journal){0};
}

// Whole bodies, and no more than there can be.
static bool is_frame(const tal_journal *journal) {
    const size_t fixed = (1 + journal->field_count) * sizeof(double);
    const size_t length = journal->records.length;
    return journal->records.kind == KIND_FRAME && length <= largest_frame(journal) &&
           length >= fixed + (size_t)journal->body_count * FRAME_BYTES_PER_BODY &&
           (length - fixed) % FRAME_BYTES_PER_BODY == 0;
}

static tal_status visit_frame(const tal_journal *journal, tal_journal_frame_visit *visit,
                              size_t number, void *context, tal_error *err) {
    // The arrays stand one after another behind the time, each aligned to 8 bytes.
    const size_t fixed = (1 + journal->field_count) * sizeof(double);
    const size_t n = (journal->records.length - fixed) / FRAME_BYTES_PER_BODY;
    const double *cursor = (const double *)(const void *)journal->records.buffer;
    const tal_journal_frame frame = {.time_s = cursor[0],
                                     .body_count = (int32_t)n,
                                     .position = (const tal_vec3 *)(cursor + 1),
                                     .orientation = (const tal_quat *)(cursor + 1 + 3 * n),
                                     .velocity = (const tal_vec3 *)(cursor + 1 + 7 * n),
                                     .spin = (const tal_vec3 *)(cursor + 1 + 10 * n),
                                     .field = cursor + 1 + 13 * n};
    return visit(context, number, &frame, err);
}

tal_status tal_journal_visit(tal_journal *journal, tal_journal_frame_visit *frame,
                             tal_journal_step_visit *step, void *context, tal_error *err) {
    tal_records *r = &journal->records;
    size_t frame_number = 0, step_number = 0;
    TAL_TRY(tal_records_rewind(r, err));
    while (tal_records_read(r)) {
        if (is_frame(journal)) {
            if (frame != NULL) {
                TAL_TRY(visit_frame(journal, frame, frame_number, context, err));
            }
            frame_number++;
        } else if (r->kind == KIND_STEP) {
            tal_journal_step record;
            memcpy(&record, r->buffer, sizeof record);
            if (step != NULL) {
                TAL_TRY(step(context, step_number, &record, err));
            }
            step_number++;
        }
    }
    return tal_records_go_to_end(r, err);
}

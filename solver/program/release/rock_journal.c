// SPDX-License-Identifier: GPL-3.0-or-later
// The journal of a release: summary, samples and meetings of a rock are one record.
#include "solver/program/release/rock_journal.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <string.h>

enum { KIND_HEADER = 0x74616c72, KIND_ROCK, KEY_SIZE = 65 };
enum { RECORD_MAX = 1 << 30 };

tal_status tal_rock_journal_create(tal_rock_journal *j, const char *path, const char *key,
                                   tal_error *err) {
    *j = (tal_rock_journal){0};
    char header[KEY_SIZE] = {0};
    tal_text_copy(header, sizeof header, key);
    TAL_TRY(tal_records_open(&j->records, path, "w+b", RECORD_MAX, err));
    TAL_TRY(tal_records_add(&j->records, KIND_HEADER, header, sizeof header, err));
    return tal_records_sync(&j->records, err);
}

void tal_rock_journal_close(tal_rock_journal *j) {
    tal_records_close(&j->records);
    tal_memory_destroy(j->buffer);
    *j = (tal_rock_journal){0};
}

// The rock whose record was just read, with its arrays inside the buffer; false where it is none.
static bool rock_of(const tal_records *r, tal_fallen_rock *rock) {
    *rock = (tal_fallen_rock){0};
    if (r->kind != KIND_ROCK || r->length < sizeof rock->summary) {
        return false;
    }
    memcpy(&rock->summary, r->buffer, sizeof rock->summary);
    if (rock->summary.sample_count < 0 || rock->summary.meeting_count < 0) {
        return false;
    }
    const size_t samples = (size_t)rock->summary.sample_count * sizeof *rock->sample;
    const size_t meetings = (size_t)rock->summary.meeting_count * sizeof *rock->meeting;
    if (r->length != sizeof rock->summary + samples + meetings) {
        return false;
    }
    unsigned char *behind = r->buffer + sizeof rock->summary;
    rock->sample = (tal_fall_sample *)(void *)behind;
    rock->meeting = (tal_rock_meeting *)(void *)(behind + samples);
    return true;
}

static void count_rock(tal_rock_journal *j, const tal_fallen_rock *rock) {
    j->rock_count++;
    j->sample_count += rock->summary.sample_count;
    j->meeting_count += rock->summary.meeting_count;
}

tal_status tal_rock_journal_resume(tal_rock_journal *j, const char *path, const char *key,
                                   int64_t rocks_max, tal_error *err) {
    tal_records *r = &j->records;
    tal_fallen_rock rock;
    *j = (tal_rock_journal){0};
    TAL_TRY(tal_records_open(r, path, "r+b", RECORD_MAX, err));
    if (!tal_records_read(r) || r->kind != KIND_HEADER || r->length != KEY_SIZE) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is not a journal of a release", path);
    }
    if (strncmp((const char *)r->buffer, key, KEY_SIZE) != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s belongs to a release with other settings or another terrain. Start "
                        "afresh with --overwrite and without --resume",
                        path);
    }
    int64_t end = tal_records_place(r);
    while (j->rock_count < rocks_max && tal_records_read(r) && rock_of(r, &rock) &&
           rock.summary.number == j->rock_count) {
        count_rock(j, &rock);
        end = tal_records_place(r);
    }
    return tal_records_cut(r, end, err);
}

tal_status tal_rock_journal_add(tal_rock_journal *j, const tal_fallen_rock *rock, tal_error *err) {
    const size_t samples = (size_t)rock->summary.sample_count * sizeof *rock->sample;
    const size_t meetings = (size_t)rock->summary.meeting_count * sizeof *rock->meeting;
    const size_t size = sizeof rock->summary + samples + meetings;
    if (size > j->buffer_size) {
        TAL_GROW(j->buffer, j->buffer_size, 2 * size, "a record", err);
        j->buffer_size = 2 * size;
    }
    memcpy(j->buffer, &rock->summary, sizeof rock->summary);
    memcpy(j->buffer + sizeof rock->summary, rock->sample, samples);
    if (meetings > 0) {
        memcpy(j->buffer + sizeof rock->summary + samples, rock->meeting, meetings);
    }
    TAL_TRY(tal_records_add(&j->records, KIND_ROCK, j->buffer, size, err));
    count_rock(j, rock);
    return TAL_OK;
}

tal_status tal_rock_journal_sync(tal_rock_journal *j, tal_error *err) {
    return tal_records_sync(&j->records, err);
}

tal_status tal_rock_journal_visit(tal_rock_journal *j, tal_rock_visit *visit, void *context,
                                  tal_error *err) {
    tal_fallen_rock rock;
    TAL_TRY(tal_records_rewind(&j->records, err));
    if (!tal_records_read(&j->records)) {
        return TAL_FAIL(err, TAL_IO, "%s could not be read back", j->records.path);
    }
    for (int64_t k = 0; k < j->rock_count; k++) {
        if (!tal_records_read(&j->records) || !rock_of(&j->records, &rock)) {
            return TAL_FAIL(err, TAL_IO, "%s could not be read back", j->records.path);
        }
        TAL_TRY(visit(context, &rock, err));
    }
    return TAL_OK;
}

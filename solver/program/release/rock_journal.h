// SPDX-License-Identifier: GPL-3.0-or-later
// The journal of a release under way: a record per rock, in the order of their numbers. What a kill leaves
// is whole rocks, and a resumed release goes on with the next.
#ifndef TALUS_SOLVER_PROGRAM_RELEASE_ROCK_JOURNAL_H
#define TALUS_SOLVER_PROGRAM_RELEASE_ROCK_JOURNAL_H

#include "solver/program/records.h"
#include "solver/program/release/rock.h"

typedef struct {
    tal_records records;
    int64_t rock_count; // so far
    int64_t sample_count, meeting_count;
    unsigned char *buffer; // a record being put together
    size_t buffer_size;
} tal_rock_journal;

// `key` names settings and inputs, without the number of rocks: more of them may be added.
tal_status tal_rock_journal_create(tal_rock_journal *journal, const char *path, const char *key,
                                   tal_error *err);
// Opens one, keeps its first `rocks_max` whole rocks at most and cuts off what follows.
tal_status tal_rock_journal_resume(tal_rock_journal *journal, const char *path, const char *key,
                                   int64_t rocks_max, tal_error *err);
void tal_rock_journal_close(tal_rock_journal *journal);

tal_status tal_rock_journal_add(tal_rock_journal *journal, const tal_fallen_rock *rock,
                                tal_error *err);
tal_status tal_rock_journal_sync(tal_rock_journal *journal, tal_error *err);

// The rocks in order; `rock` is valid during the call and has no start.
typedef tal_status tal_rock_visit(void *context, const tal_fallen_rock *rock, tal_error *err);
tal_status tal_rock_journal_visit(tal_rock_journal *journal, tal_rock_visit *visit, void *context,
                                  tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of the journal of a release whose checksums are right, whatever else is wrong.
#include "solver/program/release/rock_journal.h"
#include "tests/solver/fuzz/mend_records.h"

static mutant m;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    tal_rock_journal journal;
    static tal_fall_sample sample[3];
    static tal_rock_meeting meeting[2];
    mutant_begin(&m, "rocks.journal");
    mutant_need(tal_rock_journal_create(&journal, m.path, "key", &err), &err);
    for (int i = 0; i < 3; i++) {
        const tal_fallen_rock rock = {
            .summary = {.number = i, .sample_count = 3 - i, .meeting_count = i, .barrier = -1},
            .sample = sample,
            .meeting = meeting};
        mutant_need(tal_rock_journal_add(&journal, &rock, &err), &err);
    }
    tal_rock_journal_close(&journal);
    mutant_take_seed(&m);
    return 0;
}

static tal_status see_rock(void *context, const tal_fallen_rock *rock, tal_error *err) {
    (void)err;
    double *sum = context;
    for (int32_t i = 0; i < rock->summary.sample_count; i++) {
        *sum += (double)rock->sample[i].rotation;
    }
    for (int32_t i = 0; i < rock->summary.meeting_count; i++) {
        *sum += (double)rock->meeting[i].taken;
    }
    return TAL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_rock_journal journal;
    double sum = 0;
    mutant_edit(&m, data, size);
    mend_records(&m);
    mutant_write(&m);
    tal_error_reset(&err);
    if (tal_rock_journal_resume(&journal, m.path, "key", 5, &err) == TAL_OK) {
        if (journal.sample_count < 0 || journal.meeting_count < 0) {
            abort();
        }
        (void)tal_rock_journal_visit(&journal, see_rock, &sum, &err);
    }
    tal_rock_journal_close(&journal);
    return 0;
}

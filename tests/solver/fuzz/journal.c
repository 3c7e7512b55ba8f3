// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of a journal whose checksums are right, whatever else is wrong.
#include "solver/program/journal.h"
#include "tests/solver/fuzz/mend_records.h"

enum { BODIES = 2 };
#define SHAPE(count) ((tal_journal_shape){.body_count = (count), .body_capacity = (count)})

static mutant m;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    tal_journal journal;
    mutant_begin(&m, "run.journal");
    mutant_need(tal_journal_create(&journal, m.path, "key", SHAPE(BODIES), &err), &err);
    for (int i = 1; i < 5; i++) {
        const tal_vec3 zero[BODIES] = {{0}};
        const tal_quat turn[BODIES] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
        const tal_journal_step step = {.time_s = i};
        const tal_journal_frame frame = {.time_s = i,
                                         .body_count = BODIES,
                                         .position = zero,
                                         .orientation = turn,
                                         .velocity = zero,
                                         .spin = zero};
        mutant_need(tal_journal_add_step(&journal, &step, &err), &err);
        mutant_need(tal_journal_add_frame(&journal, &frame, &err), &err);
    }
    tal_journal_close(&journal);
    mutant_take_seed(&m);
    return 0;
}

static tal_status see_frame(void *context, size_t number, const tal_journal_frame *frame,
                            tal_error *err) {
    (void)number, (void)err;
    *(double *)context += frame->spin[BODIES - 1].z;
    return TAL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_journal journal;
    tal_journal_step last;
    double sum = 0;
    mutant_edit(&m, data, size);
    mend_records(&m);
    mutant_write(&m);
    if (tal_journal_resume(&journal, m.path, "key", SHAPE(BODIES), 3.0, false, &last, &err) ==
        TAL_OK) {
        (void)tal_journal_visit(&journal, see_frame, NULL, &sum, &err);
    }
    tal_journal_close(&journal);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The journal of a run: what was added comes back, torn ends are cut, strangers refused.
#define _XOPEN_SOURCE 700 // truncate
#include "solver/program/journal.h"
#include "core/base/math3.h"
#include "tests/support/check.h"

#include <unistd.h>

enum { BODIES = 3, STEPS = 10 };
#define SHAPE(count) ((tal_journal_shape){.body_count = (count), .body_capacity = (count)})

static char path[TAL_PATH_SIZE];

static void add_records(tal_journal *journal, int first, int last) {
    for (int i = first; i <= last; i++) {
        tal_vec3 position[BODIES], velocity[BODIES], spin[BODIES];
        tal_quat orientation[BODIES];
        for (int b = 0; b < BODIES; b++) {
            position[b] = tal_vec3_make(i, b, i * b + 0.125);
            velocity[b] = tal_vec3_make(-i, 0.5, b);
            spin[b] = tal_vec3_make(b, -b, i);
            orientation[b] = (tal_quat){1.0, i, b, 0.25};
        }
        const tal_journal_step step = {.time_s = i, .residual = 1e-7 * i, .contact_count = 10 * i};
        check_ok(tal_journal_add_step(journal, &step, &check_error));
        const tal_journal_frame frame = {.time_s = i,
                                         .body_count = BODIES,
                                         .position = position,
                                         .orientation = orientation,
                                         .velocity = velocity,
                                         .spin = spin};
        check_ok(tal_journal_add_frame(journal, &frame, &check_error));
    }
}

typedef struct {
    size_t frames, steps;
} counts;

static tal_status see_frame(void *context, size_t number, const tal_journal_frame *frame,
                            tal_error *err) {
    (void)err;
    const double i = (double)number + 1.0;
    assert_true(frame->time_s == i);
    assert_true(frame->position[2].x == i && frame->position[2].z == 2.0 * i + 0.125);
    assert_true(frame->velocity[1].x == -i && frame->velocity[1].z == 1.0);
    assert_true(frame->spin[2].y == -2.0 && frame->spin[2].z == i);
    assert_true(frame->orientation[1].x == i && frame->orientation[1].z == 0.25);
    ((counts *)context)->frames++;
    return TAL_OK;
}

static tal_status see_step(void *context, size_t number, const tal_journal_step *step,
                           tal_error *err) {
    (void)err;
    assert_int_equal(step->contact_count, 10 * ((int)number + 1));
    ((counts *)context)->steps++;
    return TAL_OK;
}

static counts visit(tal_journal *journal) {
    counts seen = {0};
    check_ok(tal_journal_visit(journal, see_frame, see_step, &seen, &check_error));
    return seen;
}

static int set_up(void **state) {
    (void)state;
    tal_path_join(path, check_scratch(), "run.journal");
    tal_journal journal;
    check_ok(tal_journal_create(&journal, path, "key", SHAPE(BODIES), &check_error));
    add_records(&journal, 1, STEPS);
    check_ok(tal_journal_sync(&journal, &check_error));
    tal_journal_close(&journal);
    return 0;
}

static void records_come_back_in_order(void **state) {
    (void)state;
    tal_journal journal;
    tal_journal_step last;
    check_ok(
        tal_journal_resume(&journal, path, "key", SHAPE(BODIES), STEPS, true, &last, &check_error));
    assert_true(last.time_s == STEPS);
    const counts seen = visit(&journal);
    assert_int_equal(seen.frames, STEPS);
    assert_int_equal(seen.steps, STEPS);
    tal_journal_close(&journal);
}

static void resuming_cuts_what_is_later_than_the_checkpoint(void **state) {
    (void)state;
    tal_journal journal;
    tal_journal_step last;
    check_ok(
        tal_journal_resume(&journal, path, "key", SHAPE(BODIES), 4.0, true, &last, &check_error));
    assert_true(last.time_s == 4.0);
    assert_int_equal(visit(&journal).frames, 4);
    add_records(&journal, 5, 7); // and it goes on from there
    assert_int_equal(visit(&journal).frames, 7);
    tal_journal_close(&journal);
}

// Resumes at the latest step that it can be resumed at, and returns that.
static int resume_late(tal_journal *journal, int latest) {
    tal_journal_step last;
    while (tal_journal_resume(journal, path, "key", SHAPE(BODIES), latest, true, &last,
                              &check_error) != TAL_OK) {
        assert_non_null(strstr(check_error.text, "run.journal is damaged: it can be read until"));
        tal_error_reset(&check_error);
        tal_journal_close(journal);
        latest--;
        assert_true(latest > 0);
    }
    return latest;
}

// Every possible tear: the journal cut at any byte gives back whole records only, and a checkpoint that is later
// than they are is not gone on from.
static void a_journal_cut_at_any_byte_keeps_its_whole_records(void **state) {
    (void)state;
    FILE *stream = fopen(path, "rb");
    fseek(stream, 0, SEEK_END);
    const long size = ftell(stream);
    fclose(stream);
    int latest = STEPS;
    for (long cut = size - 1; cut > size / 2; cut -= 7) {
        assert_int_equal(truncate(path, cut), 0);
        tal_journal journal;
        latest = resume_late(&journal, cut == size - 1 ? STEPS : latest);
        assert_true(latest < STEPS);
        const counts seen = visit(&journal);
        assert_true(seen.frames == (size_t)latest && seen.steps == (size_t)latest);
        tal_journal_close(&journal);
    }
    assert_true(latest < STEPS - 1);
}

// Here in the last frame: its step can be gone on from only if no frame is due then.
static void a_flipped_bit_ends_the_journal_there(void **state) {
    (void)state;
    FILE *stream = fopen(path, "r+b");
    fseek(stream, -20, SEEK_END);
    fputc(0x5a, stream);
    fclose(stream);
    tal_journal journal;
    tal_journal_step last;
    check_ok(tal_journal_resume(&journal, path, "key", SHAPE(BODIES), STEPS, false, &last,
                                &check_error));
    assert_int_equal(visit(&journal).frames, STEPS - 1);
    tal_journal_close(&journal);
    assert_int_equal(resume_late(&journal, STEPS), STEPS - 1);
    assert_int_equal(visit(&journal).steps, STEPS - 1);
    tal_journal_close(&journal);
}

// The head of a torn record may say anything: memory is asked for what the file holds, not for that.
static void a_torn_head_takes_no_memory(void **unused) {
    (void)unused;
    tal_records records;
    const uint32_t head[4] = {7, 1u << 29, 0, 0};
    check_ok(tal_records_open(&records, path, "w+b", 1u << 30, &check_error));
    check_ok(tal_records_add(&records, 7, "seven", 6, &check_error));
    assert_int_equal(fwrite(head, sizeof head, 1, records.stream), 1);
    check_ok(tal_records_rewind(&records, &check_error));
    assert_true(tal_records_read(&records));
    assert_string_equal((const char *)records.buffer, "seven");
    assert_false(tal_records_read(&records));
    assert_true(records.buffer_size < 1u << 20);
    tal_records_close(&records);
}

static void a_journal_of_another_run_is_refused(void **state) {
    (void)state;
    tal_journal journal;
    tal_journal_step last;
    check_fails(
        tal_journal_resume(&journal, path, "other", SHAPE(BODIES), 1e9, true, &last, &check_error),
        TAL_BAD_INPUT, "other settings");
    tal_journal_close(&journal);
    check_fails(tal_journal_resume(&journal, path, "key", SHAPE(BODIES + 1), 1e9, true, &last,
                                   &check_error),
                TAL_BAD_INPUT, "other blocks");
    tal_journal_close(&journal);
    check_fails(tal_journal_resume(&journal, "/dev/null", "key", SHAPE(BODIES), 1e9, true, &last,
                                   &check_error),
                TAL_BAD_INPUT, "is not a journal");
    tal_journal_close(&journal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(records_come_back_in_order, set_up),
        cmocka_unit_test_setup(resuming_cuts_what_is_later_than_the_checkpoint, set_up),
        cmocka_unit_test_setup(a_journal_cut_at_any_byte_keeps_its_whole_records, set_up),
        cmocka_unit_test_setup(a_flipped_bit_ends_the_journal_there, set_up),
        cmocka_unit_test_setup(a_torn_head_takes_no_memory, set_up),
        cmocka_unit_test_setup(a_journal_of_another_run_is_refused, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The error record.
#include "tests/support/check.h"

static void every_status_has_a_text(void **state) {
    (void)state;
    for (int status = 0; status < TAL_STATUS_COUNT; status++) {
        assert_true(strlen(tal_status_text((tal_status)status)) > 3);
    }
    assert_string_equal(tal_status_text((tal_status)9999), "unknown status");
}

static void messages_add_up_and_the_first_decides_the_status(void **state) {
    (void)state;
    tal_error err;
    tal_error_reset(&err);
    assert_int_equal(tal_error_add(&err, TAL_BAD_SETTING, "line %d", 1), TAL_BAD_SETTING);
    assert_int_equal(tal_error_add(&err, TAL_IO, "line %d", 2), TAL_BAD_SETTING);
    assert_int_equal(err.message_count, 2);
    assert_string_equal(err.text, "line 1\nline 2");
}

static void setting_replaces_what_was_there(void **state) {
    (void)state;
    tal_error err;
    tal_error_reset(&err);
    tal_error_add(&err, TAL_IO, "old");
    assert_int_equal(TAL_FAIL(&err, TAL_NOT_FOUND, "new"), TAL_NOT_FOUND);
    assert_string_equal(err.text, "new");
    assert_int_equal(err.status, TAL_NOT_FOUND);
    assert_int_equal(TAL_FAIL(NULL, TAL_NOT_FOUND, "nobody listens"), TAL_NOT_FOUND);
}

static void messages_that_do_not_fit_are_counted_not_cut(void **state) {
    (void)state;
    static tal_error err;
    char line[101];
    memset(line, 'x', 100);
    line[100] = '\0';
    tal_error_reset(&err);
    for (int i = 0; i < 200; i++) {
        tal_error_add(&err, TAL_IO, "%s", line);
    }
    assert_int_equal(err.message_count, 200);
    const size_t kept = (strlen(err.text) + 1) / 101;
    assert_int_equal((strlen(err.text) + 1) % 101, 0); // whole lines only
    assert_int_equal(kept + (size_t)err.left_out, 200);
    assert_true(err.left_out > 0);
}

static void one_message_longer_than_the_record_is_cut_not_lost(void **state) {
    (void)state;
    static tal_error err;
    static char line[2 * TAL_ERROR_TEXT_SIZE];
    memset(line, 'y', sizeof line - 1);
    TAL_FAIL(&err, TAL_IO, "%s", line);
    assert_int_equal(strlen(err.text), TAL_ERROR_TEXT_SIZE - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(messages_add_up_and_the_first_decides_the_status),
        cmocka_unit_test(setting_replaces_what_was_there),
        cmocka_unit_test(messages_that_do_not_fit_are_counted_not_cut),
        cmocka_unit_test(one_message_longer_than_the_record_is_cut_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Growing text, numbers, nearest words.
#include "core/base/text.h"
#include "core/base/fault.h"
#include "tests/support/check.h"

static void text_grows_as_it_is_appended_to(void **state) {
    (void)state;
    tal_text text = {0};
    assert_string_equal(tal_text_string(&text), "");
    for (int i = 0; i < 1000; i++) {
        tal_text_append(&text, "%03d,", i);
    }
    assert_int_equal(text.length, 4000);
    assert_int_equal(strlen(tal_text_string(&text)), 4000);
    assert_memory_equal(text.bytes + 4 * 537, "537,", 4);
    tal_text_destroy(&text);
}

static void text_without_memory_is_marked_failed_and_keeps_what_it_has(void **state) {
    (void)state;
    tal_text text = {0};
    tal_text_append(&text, "kept");
    tal_fault_arm(TAL_FAULT_ALLOCATION, 1, true);
    for (int i = 0; i < 1000; i++) {
        tal_text_append(&text, "lost");
    }
    tal_fault_disarm();
    assert_true(text.failed);
    assert_memory_equal(text.bytes, "kept", 4);
    tal_text_destroy(&text);
}

static void reals_are_printed_short_and_read_back_the_same(void **state) {
    (void)state;
    static const double values[] = {700000.0,
                                    1.2345678901234567e-4,
                                    987654321.12345678,
                                    0.1,
                                    0.1 + 0.2,
                                    1.0 / 3.0,
                                    1e300,
                                    5e-324,
                                    -0.0,
                                    123456789.0,
                                    2.5,
                                    1e22};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        tal_text text = {0};
        double back = 0.0;
        tal_text_append_real(&text, values[i]);
        assert_true(tal_text_to_real(text.bytes, &back));
        assert_memory_equal(&back, &values[i], sizeof back);
        tal_text_destroy(&text);
    }
    tal_text text = {0};
    tal_text_append_real(&text, 0.1);
    assert_string_equal(text.bytes, "0.1");
    tal_text_destroy(&text);
    tal_text_append_real(&text, 700000.0);
    tal_text_append(&text, " ");
    tal_text_append_real(&text, 1e300);
    assert_string_equal(text.bytes, "700000 1e+300");
    tal_text_destroy(&text);
}

static void numbers_must_be_the_whole_word(void **state) {
    (void)state;
    double real = 0.0;
    int64_t integer = 0;
    assert_true(tal_text_to_real(" 1.5e3 ", &real) && real == 1500.0);
    assert_true(tal_text_to_real("nan", &real) && isnan(real));
    static const char *const wrong[] = {"", " ", "1,5", "1.5m", "--2", "0x10", "one"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(tal_text_to_real(wrong[i], &real));
    }
    assert_true(tal_text_to_integer("-42", &integer) && integer == -42);
    assert_false(tal_text_to_integer("4.2", &integer));
    assert_false(tal_text_to_integer("99999999999999999999", &integer));
}

static void distance_counts_edits(void **state) {
    (void)state;
    assert_int_equal(tal_text_distance("cell_m", "cell_m"), 0);
    assert_int_equal(tal_text_distance("cel_m", "cell_m"), 1);
    assert_int_equal(tal_text_distance("clel_m", "cell_m"), 1); // swapped neighbours
    assert_int_equal(tal_text_distance("", "abc"), 3);
    assert_int_equal(tal_text_distance("kitten", "sitting"), 3);
    assert_int_equal(tal_text_distance("sitting", "kitten"), 3);
}

static void nearest_word_is_offered_only_when_near(void **state) {
    (void)state;
    static const char *const words[] = {"friction", "restitution", "law", NULL};
    assert_string_equal(tal_text_nearest("fricton", words), "friction");
    assert_string_equal(tal_text_nearest("rest", words), "restitution");
    assert_null(tal_text_nearest("re", words)); // the beginning of a word, but too little of it
    assert_null(tal_text_nearest("banana", words));
    assert_null(tal_text_nearest("x", (const char *const[]){NULL}));
}

static void copy_refuses_what_does_not_fit(void **state) {
    (void)state;
    char target[4] = "abc";
    assert_true(tal_text_copy(target, sizeof target, "xyz"));
    assert_string_equal(target, "xyz");
    assert_false(tal_text_copy(target, sizeof target, "wxyz"));
    assert_string_equal(target, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_as_it_is_appended_to),
        cmocka_unit_test(text_without_memory_is_marked_failed_and_keeps_what_it_has),
        cmocka_unit_test(reals_are_printed_short_and_read_back_the_same),
        cmocka_unit_test(numbers_must_be_the_whole_word),
        cmocka_unit_test(distance_counts_edits),
        cmocka_unit_test(nearest_word_is_offered_only_when_near),
        cmocka_unit_test(copy_refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

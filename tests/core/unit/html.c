// SPDX-License-Identifier: GPL-3.0-or-later
// Text that may stand anywhere in a page, and bytes as base64.
#include "core/app/html.h"
#include "tests/support/check.h"

static void every_letter_with_a_meaning_is_escaped(void **state) {
    (void)state;
    tal_text page = {0};
    tal_html_append(&page, "a < b & 'c' > \"d\" \xc3\xb6 &amp;");
    assert_string_equal(tal_text_string(&page),
                        "a &lt; b &amp; &#39;c&#39; &gt; &quot;d&quot; \xc3\xb6 &amp;amp;");
    tal_text_destroy(&page);
}

// The examples of RFC 4648, section 10.
static void base64_matches_the_examples_of_the_standard(void **state) {
    (void)state;
    static const char *const example[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        tal_text page = {0};
        tal_html_append_base64(&page, example[i][0], strlen(example[i][0]));
        assert_string_equal(tal_text_string(&page), example[i][1]);
        tal_text_destroy(&page);
    }
}

// 3072 bytes fill the buffer exactly; zeros are all 'A'.
static void long_bytes_are_whole(void **state) {
    (void)state;
    static const unsigned char bytes[6145];
    for (size_t count = 3070; count <= 6145; count += count == 3075 ? 3067 : 1) {
        tal_text page = {0};
        tal_html_append_base64(&page, bytes, count);
        const size_t letters = (count * 8 + 5) / 6, length = (count + 2) / 3 * 4;
        assert_int_equal(page.length, length);
        assert_int_equal(strspn(tal_text_string(&page), "A"), letters);
        assert_int_equal(strspn(tal_text_string(&page) + letters, "="), length - letters);
        tal_text_destroy(&page);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_letter_with_a_meaning_is_escaped),
        cmocka_unit_test(base64_matches_the_examples_of_the_standard),
        cmocka_unit_test(long_bytes_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

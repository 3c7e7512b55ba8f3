// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts with placeholders: what is replaced, kept and dropped, and mistakes with their line.
#include "postproc/figures/template.h"
#include "tests/support/check.h"

static tal_template_values values(void) {
    tal_template_values v = {0};
    tal_template_set(&v, "figure", "%s", "map");
    tal_template_set(&v, "width", "%.1f", 12.25);
    tal_template_set(&v, "none", "%s", "");
    return v;
}

static void check_becomes(const char *script, const char *expected) {
    const tal_template_values v = values();
    tal_text text = {0};
    check_ok(tal_template_expand(&text, script, "x.sh", &v, &check_error));
    assert_string_equal(tal_text_string(&text), expected);
    tal_text_destroy(&text);
}

static void placeholders_become_values(void **state) {
    (void)state;
    check_becomes("sh {{figure}}.sh -W{{width}}c{{none}}\n", "sh map.sh -W12.2c\n");
    check_becomes("awk '{if (n) {w=$1}}' a{b} {c\n", "awk '{if (n) {w=$1}}' a{b} {c\n");
    check_becomes("no newline {{width}}", "no newline 12.2");
}

static void lines_stay_where_their_value_is_there(void **state) {
    (void)state;
    check_becomes("{{?figure}}a {{figure}}\n{{?none}}b\n{{?unknown}}c {{unknown}}\n", "a map\n");
    check_becomes("{{!figure}}a\n{{!none}}b\n{{!unknown}}c\n", "b\nc\n");
    check_becomes("{{#}} a remark with {{unknown}}\nkept\n", "kept\n");
}

static void parts_are_put_in_with_their_own_placeholders(void **state) {
    (void)state;
    const tal_template_values v = values();
    tal_text text = {0};
    check_ok(tal_template_expand(&text, "{{+begin}}\nend\n", "x.sh", &v, &check_error));
    assert_ptr_equal(strstr(tal_text_string(&text), "#!/bin/sh\n"), tal_text_string(&text));
    assert_non_null(strstr(tal_text_string(&text), "#   sh map.sh\n"));
    assert_non_null(strstr(tal_text_string(&text), "gmt=${TALUS_GMT:-gmt}\nend\n"));
    tal_text_destroy(&text);
}

static void a_mistake_is_named_with_its_line(void **state) {
    (void)state;
    const tal_template_values v = values();
    tal_text text = {0};
    check_fails(tal_template_expand(&text, "a\n{{widht}}\n", "x.sh", &v, &check_error),
                TAL_BAD_INPUT, "x.sh:2: {{widht}} has no value");
    check_fails(tal_template_expand(&text, "{{width\n}}\n", "x.sh", &v, &check_error),
                TAL_BAD_INPUT, "x.sh:1: a placeholder does not end");
    check_fails(tal_template_expand(&text, "{{+nothing}}\n", "x.sh", &v, &check_error),
                TAL_BAD_INPUT, "nothing.part");
    tal_text_destroy(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placeholders_become_values),
        cmocka_unit_test(lines_stay_where_their_value_is_there),
        cmocka_unit_test(parts_are_put_in_with_their_own_placeholders),
        cmocka_unit_test(a_mistake_is_named_with_its_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Findings name the line to change and are told together; dropped patches are listed by volume.
#include "tests/support/check.h"

#include "core/app/site_file.h"
#include "core/base/file.h"
#include "ingest/check/findings.h"
#include "ingest/compare/patches.h"

static tal_settings settings;
static tal_findings findings;

static int set_up(void **state) {
    (void)state;
    tal_settings_init(&settings);
    assert_true(tal_path_join(settings.site_file, check_scratch(), "findings.ini"));
    check_ok(tal_file_write_text(settings.site_file,
                                 "# before = in a comment\n[site]\nbefore = a.las\n   after= "
                                 "b.las\n[ingest]\nbeforehand = 1\ncell_m : 2\n",
                                 TAL_REPLACE, &check_error));
    findings = (tal_findings){.settings = &settings};
    return 0;
}

static void the_line_of_a_key_is_found(void **state) {
    (void)state;
    assert_int_equal(tal_site_file_find_line(&settings, "site", "before"), 3);
    assert_int_equal(tal_site_file_find_line(&settings, "site", "after"), 4);
    assert_int_equal(tal_site_file_find_line(&settings, "ingest", "cell_m"), 7);
    assert_int_equal(tal_site_file_find_line(&settings, "ingest", "before"), 0);
    assert_int_equal(tal_site_file_find_line(&settings, "site", "crs"), 0);
    settings.site_file[0] = '\0';
    assert_int_equal(tal_site_file_find_line(&settings, "site", "before"), 0);
}

static void everything_is_told_at_once_and_reasons_first(void **state) {
    (void)state;
    tal_findings_add(&findings, "noise", TAL_WARN, "site.before", "it is %d times as noisy", 5);
    assert_false(tal_findings_refuse(&findings));
    check_ok(tal_findings_tell(&findings, &check_error));
    tal_findings_add(&findings, "unit", TAL_REFUSE, "site.after_unit", "it is in feet");
    assert_true(tal_findings_refuse(&findings));
    assert_true(tal_findings_have(&findings, "unit"));
    char words[2 * TAL_PATH_SIZE + 100];
    snprintf(words, sizeof words,
             "%s: [site] after_unit: it is in feet\n%s:3: [site] before: it is 5 times as noisy",
             settings.site_file, settings.site_file);
    check_fails(tal_findings_tell(&findings, &check_error), TAL_UNTRUSTED, words);
    assert_string_equal(findings.item[0].sentence, "it is 5 times as noisy");
}

static void more_findings_than_anybody_reads_do_no_harm(void **state) {
    (void)state;
    for (int i = 0; i < 3 * TAL_FINDINGS_MAX; i++) {
        tal_findings_add(&findings, "many", TAL_REFUSE, "site.before", "again");
    }
    assert_int_equal(findings.count, TAL_FINDINGS_MAX);
}

static void the_largest_patches_are_kept_in_order(void **state) {
    (void)state;
    tal_patches patches;
    check_ok(tal_patches_create(&patches, &check_error));
    assert_null(tal_patches_largest(&patches, -1.0));
    for (int i = 0; i < TAL_PATCHES_MAX + 50; i++) {
        const int volume = (i * 37) % (TAL_PATCHES_MAX + 50); // each once, in no order
        const tal_patch patch = {.sign = volume % 2 == 0 ? 1.0 : -1.0, .volume_m3 = volume};
        tal_patches_add(&patches, &patch);
    }
    assert_int_equal(patches.count, TAL_PATCHES_MAX);
    assert_int_equal(patches.left_out, 50);
    for (int i = 0; i < patches.count; i++) {
        assert_true(patches.item[i].volume_m3 == TAL_PATCHES_MAX + 49 - i);
    }
    assert_true(tal_patches_largest(&patches, 1.0)->volume_m3 == TAL_PATCHES_MAX + 48);
    tal_patches_destroy(&patches);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_line_of_a_key_is_found, set_up),
        cmocka_unit_test_setup(everything_is_told_at_once_and_reasons_first, set_up),
        cmocka_unit_test_setup(more_findings_than_anybody_reads_do_no_harm, set_up),
        cmocka_unit_test(the_largest_patches_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

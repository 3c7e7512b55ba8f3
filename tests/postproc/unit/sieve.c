// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes that were wanted, from mesh.json, and sizes that were made.
#include "postproc/measure/sieve.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

static const char *folder;

static void mesh_write(const char *text) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/mesh.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int folder_make(void **state) {
    (void)state;
    folder = check_scratch();
    return 0;
}

static void wanted_sizes_lie_on_the_line_through_the_sieves(void **state) {
    (void)state;
    tal_sieve sieve;
    mesh_write("{\"blocks\": {\"count\": 7, \"size\": {\"wanted_m\": 2, \"sieve\": ["
               "{\"size_m\": 1, \"volume_passing\": 0.1, \"wanted_passing\": 0.2},"
               "{\"size_m\": 2, \"volume_passing\": 0.3, \"wanted_passing\": 0.4},"
               "{\"size_m\": 4, \"volume_passing\": 1, \"wanted_passing\": 0.9}]}}}");
    tal_sieve_read(&sieve, folder, 7);
    assert_int_equal(sieve.count, 3);
    assert_false(sieve.is_one_size);
    check_near(tal_sieve_wanted_size(&sieve, 0.3), 1.5, 1e-14);
    check_near(tal_sieve_wanted_size(&sieve, 0.5), 2.4, 1e-14);
    check_near(tal_sieve_wanted_size(&sieve, 0.9), 4.0, 1e-14);
    // The line begins at 20 % and ends at 90 %: beyond it nothing is made up.
    assert_true(isnan(tal_sieve_wanted_size(&sieve, 0.1)));
    assert_true(isnan(tal_sieve_wanted_size(&sieve, 0.95)));
}

static void one_wanted_size_is_a_step_at_that_size(void **state) {
    (void)state;
    static const char *const SIEVES[] = {
        "{\"size_m\": 1, \"wanted_passing\": 0}, {\"size_m\": 4, \"wanted_passing\": 1}",
        // All blocks came out smaller than wanted, and all of one size.
        "{\"size_m\": 1, \"wanted_passing\": 0}, {\"size_m\": 2, \"wanted_passing\": 0}",
        "{\"size_m\": 2.5, \"wanted_passing\": 1}"};
    for (size_t i = 0; i < sizeof SIEVES / sizeof *SIEVES; i++) {
        char text[512];
        tal_sieve sieve;
        (void)snprintf(
            text, sizeof text,
            "{\"blocks\": {\"count\": 7, \"size\": {\"wanted_m\": 2.5, \"sieve\": [%s]}}}",
            SIEVES[i]);
        mesh_write(text);
        tal_sieve_read(&sieve, folder, 7);
        assert_true(sieve.is_one_size);
        for (double p = 0.1; p < 1.0; p += 0.4) {
            check_near(tal_sieve_wanted_size(&sieve, p), 2.5, 0.0);
        }
    }
}

static void nothing_wanted_or_unknown_leaves_the_sieve_empty(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "{\"blocks\": {\"count\": 7, \"size\": {\"wanted_m\": null, \"sieve\": [{\"size_m\": 1, "
        "\"volume_passing\": 1, \"wanted_passing\": null}]}}}",                   // imported rocks
        "{\"blocks\": {\"count\": 7, \"size\": {\"sieve\": [{\"size_m\": 1}]}}}", // older files
        "{\"blocks\": {\"count\": 7}}",
        "{}",
        "{\"blocks\": {\"count\": 8, \"size\": {\"wanted_m\": 2, \"sieve\": [{\"size_m\": 1, "
        "\"wanted_passing\": 0}]}}}", // other blocks
        "{\"blocks\": {\"count\": 7, \"size\": {\"wanted_m\": 2, \"sieve\": [{\"size_m\": 2, "
        "\"wanted_passing\": 0.4}, {\"size_m\": 1, \"wanted_passing\": 0.5}]}}}", // falls back
        "{\"blocks\": {\"count\": 7, \"size\": {\"wanted_m\": 2, \"sieve\": [{\"size_m\": 1, "
        "\"wanted_passing\": 1.5}]}}}",
        "{\"blocks\": {\"count\": 7, \"si"};
    tal_sieve sieve;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        mesh_write(TEXTS[i]);
        tal_sieve_read(&sieve, folder, 7);
        assert_int_equal(sieve.count, 0);
        assert_true(isnan(tal_sieve_wanted_size(&sieve, 0.5)));
    }
    tal_sieve_read(&sieve, "no/such/folder", 7);
    assert_int_equal(sieve.count, 0);
}

static void made_sizes_count_volume_not_blocks(void **state) {
    (void)state;
    double volumes[] = {27.0, 1.0, 8.0, 64.0}; // sizes 3, 1, 2, 4; in all 100
    const tal_blocks rocks = {.count = 4, .volume = volumes};
    double *sorted, total;
    check_ok(tal_sieve_sort_volumes(&rocks, &sorted, &total, &check_error));
    check_near(total, 100.0, 0.0);
    check_near(tal_sieve_made_size(sorted, 4, total, 0.01), 1.0, 1e-15);
    check_near(tal_sieve_made_size(sorted, 4, total, 0.05), 2.0, 1e-15);
    check_near(tal_sieve_made_size(sorted, 4, total, 0.3), 3.0, 1e-15);
    check_near(tal_sieve_made_size(sorted, 4, total, 0.5), 4.0, 1e-15);
    check_near(tal_sieve_made_size(sorted, 4, total, 1.0), 4.0, 1e-15);
    tal_memory_destroy(sorted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wanted_sizes_lie_on_the_line_through_the_sieves),
        cmocka_unit_test(one_wanted_size_is_a_step_at_that_size),
        cmocka_unit_test(nothing_wanted_or_unknown_leaves_the_sieve_empty),
        cmocka_unit_test(made_sizes_count_volume_not_blocks),
    };
    return cmocka_run_group_tests(tests, folder_make, NULL);
}

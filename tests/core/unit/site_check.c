// SPDX-License-Identifier: GPL-3.0-or-later
// Settings against one another: a law in kg or as ratios, and the names of surface classes.
#include "core/app/site_check.h"
#include "core/app/site_file.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

static tal_settings *settings;

static tal_status read_text(const char *text) {
    char path[TAL_PATH_SIZE];
    tal_memory_destroy(settings);
    settings = tal_memory_create(1, sizeof *settings);
    tal_settings_init(settings);
    tal_path_join(path, check_scratch(), "site.ini");
    tal_error_reset(&check_error);
    tal_file_write_text(path, text, TAL_KEEP_EXISTING, &check_error);
    return tal_site_file_read(settings, path, 0, &check_error);
}

static tal_status set_later(const char *section, const char *key, const char *value) {
    tal_error_reset(&check_error);
    (void)tal_settings_set(settings, section, key, value, "--set", &check_error);
    return tal_site_check(settings, &check_error);
}

static int finish(void **state) {
    (void)state;
    tal_memory_destroy(settings);
    settings = NULL;
    return 0;
}

static void kg_and_ratio_in_one_law_are_a_mistake_that_names_both_lines(void **state) {
    (void)state;
    static const char *const keys[2][2] = {{"kn_kg", "kt_kg"},
                                           {"restitution", "tangential_restitution"}};
    for (int section = 0; section < 2; section++) {
        for (int k = 0; k < 4; k++) {
            char text[200];
            const char *kg = keys[0][k / 2], *ratio = keys[1][k % 2];
            snprintf(text, sizeof text, "[%s]\n%s = 0.5\n\n%s = 3\n",
                     section == 0 ? "contact" : "pair.rock.ground", ratio, kg);
            check_fails(read_text(text), TAL_BAD_SETTING, "site.ini:4: [");
            assert_non_null(strstr(check_error.text, "site.ini:2) "));
            assert_non_null(strstr(check_error.text, kg));
            assert_non_null(strstr(check_error.text, ratio));
        }
    }
}

static void a_law_in_kg_has_no_ratios_and_the_other_way_round(void **state) {
    (void)state;
    assert_int_equal(read_text("[contact]\nkn_kg = 5\nkt_kg = 0\n"), TAL_OK);
    assert_true(settings->contact.kn_kg == 5 && settings->contact.kt_kg == 0);
    assert_true(isnan(settings->contact.restitution) != 0);
    assert_true(isnan(settings->contact.tangential_restitution) != 0);
    assert_int_equal(read_text("[contact]\nrestitution = 0.1\n"), TAL_OK);
    assert_true(settings->contact.restitution == 0.1);
    assert_true(isnan(settings->contact.tangential_restitution) == 0); // its default
    assert_true(isnan(settings->contact.kn_kg) != 0);
    check_fails(read_text("[contact]\nkn_kg = 5\n"), TAL_BAD_SETTING,
                "site.ini:2: [contact] has kn_kg but not kt_kg");
}

static void a_pair_may_choose_the_other_way_if_it_is_complete(void **state) {
    (void)state;
    assert_int_equal(read_text("[contact]\nrestitution = 0.1\n"
                               "[pair.rock.ground]\nkn_kg = 1\nkt_kg = 2\n"
                               "[pair.rock.rock]\nrestitution = 0.5\n"),
                     TAL_OK);
    check_fails(read_text("[pair.rock.ground]\nkn_kg = 1\n"), TAL_BAD_SETTING,
                "site.ini:2: [pair.rock.ground] has kn_kg but not kt_kg");
    check_fails(
        read_text("[contact]\nkn_kg = 1\nkt_kg = 1\n[pair.rock.ground]\nrestitution = 0.4\n"),
        TAL_BAD_SETTING, "has restitution but not tangential_restitution");
    assert_int_equal(read_text("[contact]\nkn_kg = 1\nkt_kg = 1\n[pair.rock.ground]\nkt_kg = 4\n"),
                     TAL_OK);
}

static void what_is_given_later_wins(void **state) {
    (void)state;
    assert_int_equal(read_text("[contact]\nkn_kg = 1\nkt_kg = 1\n"), TAL_OK);
    assert_int_equal(set_later("contact", "tangential_restitution", "0.25"), TAL_OK);
    assert_true(settings->contact.tangential_restitution == 0.25);
    assert_true(isnan(settings->contact.restitution) == 0);
    assert_true(isnan(settings->contact.kn_kg) != 0 && isnan(settings->contact.kt_kg) != 0);
    check_fails(set_later("contact", "kn_kg", "2"), TAL_BAD_SETTING, "has kn_kg but not kt_kg");
    assert_true(isnan(settings->contact.restitution) != 0);
}

// A study keeps its sites as written: a law in kg must come back as one.
static void a_law_in_kg_is_read_back_as_it_was_written(void **state) {
    (void)state;
    assert_int_equal(read_text("[contact]\nkn_kg = 5\nkt_kg = 1\n"
                               "[pair.rock.ground]\nlaw = coulomb\nrestitution = 0.2\n"
                               "tangential_restitution = 0\n"),
                     TAL_OK);
    tal_text once = {0}, twice = {0};
    tal_settings_write(settings, TAL_STAGE_SOLVE, TAL_SETTINGS_PLAIN, &once);
    assert_int_equal(read_text(tal_text_string(&once)), TAL_OK);
    tal_settings_write(settings, TAL_STAGE_SOLVE, TAL_SETTINGS_PLAIN, &twice);
    assert_string_equal(tal_text_string(&once), tal_text_string(&twice));
    assert_true(settings->contact.kn_kg == 5);
    assert_int_equal(settings->pair[0].law - 1, TAL_CHOICE_LAW_COULOMB);
    tal_text_destroy(&once);
    tal_text_destroy(&twice);
}

static void a_pair_names_classes_that_the_site_has(void **state) {
    (void)state;
    check_fails(read_text("[pair.rok.ground]\nfriction = 0.5\n"), TAL_BAD_SETTING,
                "site.ini:2: [pair.rok.ground] does not name two surface classes of this site, "
                "which are: ground, rock");
    // One of which nothing is right has a line as well.
    check_fails(read_text("[pair.rok.ground]\nlaw = foo\n"), TAL_BAD_SETTING,
                "site.ini:2: [pair.rok.ground] does not name two");
    check_fails(read_text("[pair.rock]\nfriction = 0.5\n"), TAL_BAD_SETTING,
                "[pair.rock] does not");
    check_fails(read_text("[pair.rock.groun]\nfriction = 0.5\n"), TAL_BAD_SETTING, "does not name");
    assert_int_equal(read_text("[pair.lava.meadow]\nfriction = 0.5\n"
                               "[mesh]\nblock_class = lava\nground_classes = a.tif\n"
                               "ground_class_names = forest meadow\n"),
                     TAL_OK);
    assert_int_equal(
        read_text("[pair.rock.rupture]\nfriction = 0.2\n[mesh]\nsource_class = rupture\n"), TAL_OK);
    check_fails(read_text("[pair.rock.ruptur]\nfriction = 0.2\n[mesh]\nsource_class = rupture\n"),
                TAL_BAD_SETTING, "which are: ground, rock, rupture");
    // Names that a layer or a table brings are known once that is read.
    assert_int_equal(
        read_text("[pair.rock.meadow]\nfriction = 0.5\n[mesh]\nground_classes = a.gpkg\n"), TAL_OK);
    assert_int_equal(read_text("[pair.lava.ground]\nfriction = 0.5\n[mesh]\nimport = a.csv\n"),
                     TAL_OK);
}

static void a_law_of_a_pair_is_a_known_word(void **state) {
    (void)state;
    check_fails(read_text("[pair.rock.ground]\nlaw = foo\n"), TAL_BAD_SETTING,
                "site.ini:2: [pair.rock.ground] law = foo is not one of contact, acd2+coulomb,");
}

static void two_surfaces_have_one_section(void **state) {
    (void)state;
    check_fails(read_text("[pair.rock.ground]\nfriction = 0.5\n[pair.rock.rock]\nfriction = 0.4\n"
                          "[pair.ground.rock]\nfriction = 0.3\n"),
                TAL_BAD_SETTING,
                "site.ini:6: [pair.ground.rock] names the surfaces of [pair.rock.ground] (at ");
    assert_int_equal(read_text("[pair.rock.ground]\nfriction = 0.5\n[pair.rock.rock]\n"
                               "friction = 0.4\n[pair.ground.ground]\nfriction = 0.3\n"),
                     TAL_OK);
}

static void a_run_lasts_a_step_at_least(void **state) {
    (void)state;
    check_fails(read_text("[solve]\ndt_s = 0.1\nuntil_s = 0.05\n"), TAL_BAD_SETTING,
                "site.ini:3: [solve] until_s = 0.05 s is shorter than a step of dt_s = 0.1 s");
    assert_int_equal(read_text("[solve]\ndt_s = 0.1\nuntil_s = 0.1\n"), TAL_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kg_and_ratio_in_one_law_are_a_mistake_that_names_both_lines),
        cmocka_unit_test(a_law_in_kg_has_no_ratios_and_the_other_way_round),
        cmocka_unit_test(a_pair_may_choose_the_other_way_if_it_is_complete),
        cmocka_unit_test(what_is_given_later_wins),
        cmocka_unit_test(a_law_in_kg_is_read_back_as_it_was_written),
        cmocka_unit_test(a_pair_names_classes_that_the_site_has),
        cmocka_unit_test(a_law_of_a_pair_is_a_known_word),
        cmocka_unit_test(two_surfaces_have_one_section),
        cmocka_unit_test(a_run_lasts_a_step_at_least),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}

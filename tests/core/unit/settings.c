// SPDX-License-Identifier: GPL-3.0-or-later
// The settings table.
#include "core/base/settings.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

static tal_settings *fresh(void) {
    tal_settings *settings = tal_memory_create(1, sizeof *settings);
    tal_settings_init(settings);
    return settings;
}

static tal_status set(tal_settings *settings, const char *section, const char *key,
                      const char *value) {
    tal_error_reset(&check_error);
    return tal_settings_set(settings, section, key, value, "x.ini:3", &check_error);
}

static void defaults_come_from_the_table(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    assert_true(settings->contact.friction == 0.55);
    assert_int_equal(settings->mesh.blocks, TAL_BLOCKS_BRICKS);
    assert_true(isnan(settings->mesh.size_m)); // not set
    assert_int_equal(settings->mesh.anisotropy.count, 3);
    assert_int_equal(settings->joint_count, 0);
    tal_memory_destroy(settings);
}

static void values_of_every_kind_are_read(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    assert_int_equal(set(settings, "ingest", "cell_m", "0.5"), TAL_OK);
    assert_int_equal(set(settings, "ingest", "ground", "smrf"), TAL_OK);
    assert_int_equal(set(settings, "mesh", "brick_m", "10.935 9.636  15.775"), TAL_OK);
    assert_int_equal(set(settings, "mesh", "block_count", "874"), TAL_OK);
    assert_int_equal(set(settings, "mesh", "full_resolution", "yes"), TAL_OK);
    assert_int_equal(set(settings, "site", "crs", "EPSG:5490+5756"), TAL_OK);
    assert_int_equal(set(settings, "site", "before", " a.las \n\n b c.laz"), TAL_OK);
    assert_int_equal(set(settings, "mesh", "size_m", ""), TAL_OK);
    assert_true(settings->ingest.cell_m == 0.5);
    assert_int_equal(settings->ingest.ground, TAL_GROUND_SMRF);
    assert_int_equal(settings->mesh.brick_m.count, 3);
    assert_true(settings->mesh.brick_m.value[2] == 15.775);
    assert_int_equal(settings->mesh.block_count, 874);
    assert_true(settings->mesh.full_resolution);
    assert_string_equal(settings->site.crs, "EPSG:5490+5756");
    assert_string_equal(settings->site.before, "a.las\nb c.laz\n");
    tal_memory_destroy(settings);
}

static void wrong_values_are_refused_with_place_value_and_range(void **state) {
    (void)state;
    static const struct {
        const char *section, *key, *value, *words;
    } cases[] = {
        {"ingest", "cell_m", "0", "x.ini:3: [ingest] cell_m = 0 must be in [0.001, 1000] m"},
        {"ingest", "cell_m", "nan", "must be in"},
        {"ingest", "cell_m", "inf", "must be in"},
        {"ingest", "cell_m", "1001", "must be in"},
        {"ingest", "cell_m", "1e-320", "must be in"},
        {"mesh", "margin_m", "1e300", "must be in"},
        {"solve", "dt_s", "1e-300", "must be in"},
        {"ingest", "cell_m", "1,5", "use a decimal point"},
        {"ingest", "cell_m", "one", "is not a number"},
        {"ingest", "cell_m", "", "is not a number"},
        {"contact", "restitution", "1", "[0, 1)"},
        {"mesh", "block_count", "1.5", "whole number"},
        {"mesh", "block_count", "0", "[1, 10000000]"},
        {"mesh", "full_resolution", "maybe", "yes or no"},
        {"mesh", "brick_m", "1 -2 3", "[0.001, 10000]"},
        {"mesh", "brick_m", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "too many"},
        {"ingest", "ground", "trees", "is not one of auto, classes,"},
        {"ingest", "cel_m", "1", "did you mean cell_m?"},
        {"ingest", "friction", "1", "it belongs to [contact]"},
        {"ingest", "dip_deg", "1", "it belongs to [joint.NAME]"},
        {"report", "title", "two\nlines", "title = two lines must be on one line"},
        {"contact", "kn_kg", "1e999", "must be in [0, 1e15] kg"},
        {"mesh", "block_count", "9223372036854775808", "must be in [1, 10000000]"},
        {"release", "rocks", "1e15", "rocks = 1e15 must be in [0, 10000000]"},
        {"release", "rocks", "1e999", "must be in [0, 10000000]"},
        {"release", "rocks", "15e-1", "whole number"},
        {"release", "rocks", "nan", "whole number"},
        {"ingst", "cell_m", "1", "did you mean [ingest]?"},
        {"joints", "dip_deg", "1", "did you mean [joint.NAME]?"},
        {"joint", "dip_deg", "1", "needs a name after a dot"},
        {"joint.a b", "dip_deg", "1", "needs a name after a dot"},
        {"ingest.1", "cell_m", "1", "is not known"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tal_settings *settings = fresh();
        const double before = settings->ingest.cell_m;
        check_fails(tal_settings_set(settings, cases[i].section, cases[i].key, cases[i].value,
                                     "x.ini:3", &check_error),
                    TAL_BAD_SETTING, cases[i].words);
        assert_true(settings->ingest.cell_m == before); // a refused value changes nothing
        tal_memory_destroy(settings);
    }
}

static void whole_numbers_may_be_written_with_a_power_of_ten(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    check_ok(tal_settings_set(settings, "release", "rocks", "1e4", "x.ini:3", &check_error));
    assert_true(settings->release.rocks == 10000);
    tal_memory_destroy(settings);
}

static void a_text_that_is_too_long_is_refused_and_the_old_one_stays(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    char longest[TAL_SETTING_TEXT_SIZE], longer[TAL_SETTING_TEXT_SIZE + 1];
    memset(longest, 'x', sizeof longest);
    memset(longer, 'y', sizeof longer);
    longest[sizeof longest - 1] = longer[sizeof longer - 1] = '\0';
    assert_int_equal(set(settings, "report", "title", longest), TAL_OK);
    assert_int_equal(set(settings, "report", "title", longer), TAL_BAD_SETTING);
    assert_string_equal(settings->report.title, longest);
    assert_non_null(strstr(check_error.text, "yyy... is too long"));
    assert_true(strlen(check_error.text) < 200); // the value is shown in part
    tal_memory_destroy(settings);
}

static void lists_are_read_up_to_their_limits(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    char number[65];
    snprintf(number, sizeof number, "1.%061d", 0); // 63 characters
    assert_int_equal(set(settings, "mesh", "brick_m", number), TAL_OK);
    snprintf(number, sizeof number, "1.%062d", 0);
    assert_int_equal(set(settings, "mesh", "brick_m", number), TAL_BAD_SETTING);
    char *path = tal_memory_create(TAL_SETTING_FILES_SIZE + 1, 1);
    memset(path, 'x', TAL_SETTING_FILES_SIZE - 2); // with its line end and the '\0': full
    assert_int_equal(set(settings, "site", "before", path), TAL_OK);
    assert_int_equal(strlen(settings->site.before), TAL_SETTING_FILES_SIZE - 1);
    path[TAL_SETTING_FILES_SIZE - 2] = 'x';
    assert_int_equal(set(settings, "site", "before", path), TAL_BAD_SETTING);
    assert_non_null(strstr(check_error.text, "names too many files"));
    tal_memory_destroy(path);
    tal_memory_destroy(settings);
}

static void notes_say_what_each_setting_takes(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    tal_text text = {0};
    tal_settings_write(settings, TAL_STAGE_INGEST, TAL_SETTINGS_NOTES, &text);
    assert_non_null(strstr(text.bytes, "# Edge of a grid cell. [0.001, 1000] m.\ncell_m = 1\n"));
    assert_non_null(strstr(text.bytes, " auto | vertical | cliff\nframe = auto\n"));
    tal_text_destroy(&text);
    tal_memory_destroy(settings);
}

static void a_path_too_long_stops_the_list_before_it(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    memset(settings->site_file, 'd', TAL_PATH_SIZE - 4);
    settings->site_file[TAL_PATH_SIZE - 6] = '/';
    set(settings, "site", "before", "/a.las\nfar too long for the rest.las\n/c.las");
    const char *cursor = settings->site.before;
    char path[TAL_PATH_SIZE];
    assert_true(tal_settings_next_file(settings, &cursor, path));
    assert_false(tal_settings_next_file(settings, &cursor, path));
    assert_memory_equal(cursor, "far too", 7);
    tal_memory_destroy(settings);
}

static void repeated_sections_are_made_on_first_mention(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    assert_int_equal(set(settings, "joint.bedding", "dip_deg", "35"), TAL_OK);
    assert_int_equal(set(settings, "joint.2", "dip_deg", "80"), TAL_OK);
    assert_int_equal(set(settings, "joint.bedding", "spacing_m", "4"), TAL_OK);
    assert_int_equal(settings->joint_count, 2);
    assert_string_equal(settings->joint[0].label, "bedding");
    assert_true(settings->joint[0].dip_deg == 35.0 && settings->joint[0].spacing_m == 4.0);
    assert_true(settings->joint[1].persistence == 1.0); // its default
    for (int i = 2; i < TAL_REPEAT_MAX; i++) {
        char name[32];
        snprintf(name, sizeof name, "joint.n%d", i);
        assert_int_equal(set(settings, name, "dip_deg", "1"), TAL_OK);
    }
    assert_int_equal(set(settings, "joint.toomany", "dip_deg", "1"), TAL_BAD_SETTING);
    tal_memory_destroy(settings);
}

// Writing, reading back and writing again gives the same text: nothing is lost.
static void written_settings_read_back_the_same(void **state) {
    (void)state;
    tal_settings *settings = fresh(), *again = fresh();
    set(settings, "ingest", "cell_m", "0.1");
    set(settings, "pair.rock.talus", "friction", "0.55");
    set(settings, "site", "before", "a.las\nsub/b.las");
    set(settings, "mesh", "brick_m", "1 2 3");
    tal_text first = {0}, second = {0};
    tal_settings_write(settings, TAL_STAGE_ALL, TAL_SETTINGS_PLAIN, &first);
    char section[128] = "", key[128] = "", value[8192] = "";
    tal_error_reset(&check_error);
    for (char *line = strtok(first.bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (line[0] == ' ') { // a list goes on
            strcat(strcat(value, "\n"), line);
        } else {
            if (key[0] != '\0') {
                tal_settings_set(again, section, key, value, "again", &check_error);
            }
            key[0] = '\0';
            if (sscanf(line, "[%127[^]]", section) != 1) {
                value[0] = '\0';
                sscanf(line, "%127s = %8191[^\n]", key, value);
            }
        }
    }
    assert_int_equal(check_error.message_count, 0);
    tal_text_destroy(&first);
    tal_settings_write(settings, TAL_STAGE_ALL, TAL_SETTINGS_PLAIN, &first);
    tal_settings_write(again, TAL_STAGE_ALL, TAL_SETTINGS_PLAIN, &second);
    assert_string_equal(tal_text_string(&first), tal_text_string(&second));
    assert_non_null(strstr(first.bytes, "[pair.rock.talus]"));
    tal_text_destroy(&first);
    tal_text_destroy(&second);
    tal_memory_destroy(settings);
    tal_memory_destroy(again);
}

static void a_stage_sees_its_own_sections_only(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    tal_text mesh = {0};
    tal_settings_write(settings, TAL_STAGE_MESH, TAL_SETTINGS_PLAIN, &mesh);
    assert_non_null(strstr(mesh.bytes, "[mesh]"));
    assert_non_null(strstr(mesh.bytes, "[random]"));
    assert_null(strstr(mesh.bytes, "[contact]"));
    assert_null(strstr(mesh.bytes, "[ingest]"));
    tal_text_destroy(&mesh);
    tal_memory_destroy(settings);
}

static void stored_settings_hold_no_folders(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    set(settings, "site", "before", "/home/someone/survey/a.las\n../b.las");
    tal_text text = {0};
    tal_settings_write(settings, TAL_STAGE_INGEST, TAL_SETTINGS_PORTABLE, &text);
    assert_non_null(strstr(text.bytes, "before = a.las\n    b.las\n"));
    tal_text_destroy(&text);
    tal_memory_destroy(settings);
}

static void files_are_seen_from_the_site_file(void **state) {
    (void)state;
    tal_settings *settings = fresh();
    strcpy(settings->site_file, "study/site.ini");
    set(settings, "site", "before", "a.las\n/abs/b.las");
    const char *cursor = settings->site.before;
    char path[TAL_PATH_SIZE];
    assert_true(tal_settings_next_file(settings, &cursor, path));
    assert_string_equal(path, "study/a.las");
    assert_true(tal_settings_next_file(settings, &cursor, path));
    assert_string_equal(path, "/abs/b.las");
    assert_false(tal_settings_next_file(settings, &cursor, path));
    tal_memory_destroy(settings);
}

// Every row is complete: a sentence that ends, a range that holds the default, a unit in the name of
// everything that has one.
static void every_row_of_the_table_is_complete(void **state) {
    (void)state;
    int count = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    for (int i = 0; i < count; i++) {
        assert_int_not_equal(sections[i].stages, 0);
        for (int k = 0; k < sections[i].setting_count; k++) {
            const tal_setting *row = &sections[i].settings[k];
            const size_t length = strlen(row->sentence);
            if (length < 10 || row->sentence[length - 1] != '.') {
                fail_msg("[%s] %s: '%s' is not a sentence", sections[i].name, row->key,
                         row->sentence);
            }
            if (row->kind <= TAL_KIND_INTEGER) {
                assert_non_null(strchr("([", row->range[0]));
                assert_true(strlen(row->unit) > 0);
                if (strcmp(row->unit, "m") == 0) {
                    assert_string_equal(row->key + strlen(row->key) - 2, "_m");
                }
                if (strcmp(row->unit, "s") == 0) {
                    assert_string_equal(row->key + strlen(row->key) - 2, "_s");
                }
            }
        }
    }
}

// A slip in the exponent is seen: nothing takes 1e300, and what must be positive not 1e-320 either.
static void no_real_takes_nonsense(void **state) {
    (void)state;
    static const char *const nonsense[] = {"1e300", "-1e300", "1e-320"};
    int count = 0, tried = 0;
    const tal_settings_section *sections = tal_settings_sections(&count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < sections[i].setting_count; k++) {
            const tal_setting *row = &sections[i].settings[k];
            if (row->kind != TAL_KIND_REAL && row->kind != TAL_KIND_REALS) {
                continue;
            }
            char section[TAL_LABEL_SIZE];
            snprintf(section, sizeof section, "%s%s", sections[i].name,
                     sections[i].repeats ? ".a.b" : "");
            tal_settings *settings = fresh();
            const bool takes_zero = set(settings, section, row->key, "0") == TAL_OK;
            for (int n = 0; n < (takes_zero ? 2 : 3); n++) {
                if (set(settings, section, row->key, nonsense[n]) == TAL_OK) {
                    fail_msg("[%s] %s = %s is taken", section, row->key, nonsense[n]);
                }
                tried++;
            }
            tal_memory_destroy(settings);
        }
    }
    assert_true(tried > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(wrong_values_are_refused_with_place_value_and_range),
        cmocka_unit_test(whole_numbers_may_be_written_with_a_power_of_ten),
        cmocka_unit_test(a_text_that_is_too_long_is_refused_and_the_old_one_stays),
        cmocka_unit_test(lists_are_read_up_to_their_limits),
        cmocka_unit_test(notes_say_what_each_setting_takes),
        cmocka_unit_test(a_path_too_long_stops_the_list_before_it),
        cmocka_unit_test(repeated_sections_are_made_on_first_mention),
        cmocka_unit_test(written_settings_read_back_the_same),
        cmocka_unit_test(a_stage_sees_its_own_sections_only),
        cmocka_unit_test(stored_settings_hold_no_folders),
        cmocka_unit_test(files_are_seen_from_the_site_file),
        cmocka_unit_test(every_row_of_the_table_is_complete),
        cmocka_unit_test(no_real_takes_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The site file.
#include "core/app/site_file.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

// Reads `text` as a site file; the settings live until the next call.
static tal_settings *settings;

static tal_status read_text(const char *text, unsigned stages) {
    static char path[TAL_PATH_SIZE];
    tal_memory_destroy(settings);
    settings = tal_memory_create(1, sizeof *settings);
    tal_settings_init(settings);
    tal_path_join(path, check_scratch(), "site.ini");
    tal_error_reset(&check_error);
    tal_file_write_text(path, text, TAL_KEEP_EXISTING, &check_error);
    return tal_site_file_read(settings, path, stages, &check_error);
}

static int finish(void **state) {
    (void)state;
    tal_memory_destroy(settings);
    settings = NULL;
    return 0;
}

static void keys_comments_and_lists_are_read(void **state) {
    (void)state;
    const tal_status status = read_text("# a site\n"
                                        "[site]\n"
                                        "before = north.las\n"
                                        "    south.las   # the other half\n"
                                        "\n"
                                        "    third file.laz\n"
                                        "crs = EPSG:5490+5756 ; both epochs\n"
                                        "[contact]\n"
                                        "  friction = 0.55   # indented on purpose\n"
                                        "  restitution = 0.2\n"
                                        "[joint.1]\n"
                                        "dip_deg: 30\n",
                                        0);
    assert_string_equal(check_error.text, "");
    assert_int_equal(status, TAL_OK);
    assert_string_equal(settings->site.before, "north.las\nsouth.las\nthird file.laz\n");
    assert_string_equal(settings->site.crs, "EPSG:5490+5756");
    assert_true(settings->contact.friction == 0.55 && settings->contact.restitution == 0.2);
    assert_true(settings->joint[0].dip_deg == 30.0);
}

// A value that begins with # would be a comment when it is printed and read again.
static void a_comment_may_stand_where_a_value_would_begin(void **state) {
    (void)state;
    assert_int_equal(read_text("[site]\nbefore =# none yet\nafter = a#1.las\ncrs:;none\n", 0),
                     TAL_OK);
    assert_string_equal(settings->site.before, "");
    assert_string_equal(settings->site.after, "a#1.las\n");
    assert_string_equal(settings->site.crs, "");
}

static void windows_line_ends_and_a_byte_order_mark_are_fine(void **state) {
    (void)state;
    assert_int_equal(read_text("\xEF\xBB\xBF[contact]\r\nfriction = 0.5\r\n", 0), TAL_OK);
    assert_true(settings->contact.friction == 0.5);
}

static void an_empty_file_is_all_defaults(void **state) {
    (void)state;
    assert_int_equal(read_text("", 0), TAL_OK);
    assert_true(settings->contact.friction == 0.55);
}

static void all_mistakes_come_at_once_with_their_lines(void **state) {
    (void)state;
    assert_int_equal(read_text("[ingest]\n"
                               "cel_m = 1\n"
                               "ground = trees\n"
                               "this line is nothing\n"
                               "[contact]\n"
                               "friction = -1\n"
                               "friction = 0.5\n"
                               "[sovle]\n"
                               "dt_s = 0.1\n"
                               "until_s = 3\n"
                               "[contact\n",
                               0),
                     TAL_BAD_SETTING);
    static const char *const expected[] = {
        "site.ini:2: [ingest] cel_m is not known; did you mean cell_m?",
        "site.ini:3: [ingest] ground = trees is not one of",
        "site.ini:4: 'this line is nothing'",
        "site.ini:6: [contact] friction = -1 must be in [0, 10]",
        "site.ini:7: [contact] friction is given twice, first on line 6",
        "site.ini:8: section [sovle] is not known; did you mean [solve]?",
        "site.ini:11: '[contact' lacks its closing ]",
    };
    assert_int_equal(check_error.message_count, 7); // the unknown section counts once
    const char *last = check_error.text;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        last = strstr(last, expected[i]); // in the order of the lines
        if (last == NULL) {
            fail_msg("'%s' is not in its place in:\n%s", expected[i], check_error.text);
        }
    }
}

static void a_key_before_any_section_is_refused(void **state) {
    (void)state;
    assert_int_equal(read_text("friction = 1\n", 0), TAL_BAD_SETTING);
    assert_non_null(
        strstr(check_error.text, "site.ini:1: friction stands before the first [section]"));
}

static void a_line_inih_would_cut_is_refused(void **state) {
    (void)state;
    char text[512];
    snprintf(text, sizeof text, "[site]\nbefore = %0190d.las\ncrs = local\n", 0);
    assert_int_equal(read_text(text, 0), TAL_BAD_SETTING);
    assert_non_null(strstr(check_error.text, "site.ini:2: the line has 203 characters"));
    snprintf(text, sizeof text, "[site]\nbefore = %0186d.las\ncrs = local\n", 0);
    assert_int_equal(read_text(text, 0), TAL_BAD_SETTING);
    snprintf(text, sizeof text, "[site]\nbefore = %0185d.las\ncrs = local\n",
             0); // 198: the longest
    assert_int_equal(read_text(text, 0), TAL_OK);
    assert_int_equal(strlen(settings->site.before), 190);
}

static void missing_files_are_found_before_work_starts(void **state) {
    (void)state;
    const char *text =
        "[site]\nbefore = gone.las\n    also gone.las\nafter = .\n[mesh]\nimport = x.obj\n";
    assert_int_equal(read_text(text, 0), TAL_OK); // nobody asked for the files
    assert_int_equal(read_text(text, TAL_STAGE_INGEST), TAL_BAD_SETTING);
    assert_int_equal(check_error.message_count, 3);
    assert_non_null(strstr(check_error.text, "gone.las: no such file"));
    assert_non_null(strstr(check_error.text, "is a folder"));
    assert_null(strstr(check_error.text, "x.obj")); // another stage's
}

static void indented_keys_after_a_list_belong_to_their_own_section(void **state) {
    (void)state;
    const char *text = "[site]\nbefore = a.las\n   b=1.las\n   after = c.las\n[contact]\n"
                       "   friction = 0.5\n";
    assert_int_equal(read_text(text, 0), TAL_OK);
    assert_string_equal(settings->site.before, "a.las\nb=1.las\n"); // no key of that name
    assert_string_equal(settings->site.after, "c.las\n");
    assert_true(settings->contact.friction == 0.5);
}

static void values_go_on_over_lines_and_comments_may_be_long(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "[report]\n; %0300d\ntitle = Piton # %0300d\n\tMarcel;2010 ; note\n[mesh]\n"
             "brick_m = 1 2\n   3\n",
             0, 0);
    assert_int_equal(read_text(text, 0), TAL_OK);
    assert_string_equal(settings->report.title, "Piton Marcel;2010");
    assert_int_equal(settings->mesh.brick_m.count, 3);
}

static void section_headers_stand_alone(void **state) {
    (void)state;
    assert_int_equal(read_text("[ contact ]\nfriction = 0.5\n", 0), TAL_OK);
    assert_true(settings->contact.friction == 0.5);
    assert_int_equal(read_text("[contact] friction = 0.5\n", 0), TAL_BAD_SETTING);
    assert_non_null(
        strstr(check_error.text, "site.ini:1: '[contact] friction = 0.5' must stand alone"));
    assert_int_equal(read_text("[contact\nfriction = 99\n", 0), TAL_BAD_SETTING);
    assert_int_equal(check_error.message_count, 2); // the keys below are looked at all the same
    assert_int_equal(read_text("[nothing]\n", 0), TAL_BAD_SETTING); // though it holds no key
}

// inih keeps 49 characters of a section's name.
static void long_section_names_stay_apart(void **state) {
    (void)state;
    assert_int_equal(read_text("[pair.a234567890123456789.b234567890123456789012345678901X]\n"
                               "friction = 0.1\n"
                               "[pair.a234567890123456789.b234567890123456789012345678901Y]\n"
                               "friction = 0.2\n"
                               "[mesh]\nground_classes = has_these.gpkg\n",
                               0),
                     TAL_OK);
    assert_int_equal(settings->pair_count, 2);
    assert_true(settings->pair[1].friction == 0.2);
    assert_string_equal(settings->pair[1].label,
                        "a234567890123456789.b234567890123456789012345678901Y");
}

static void lines_that_are_no_pair_are_refused_with_a_way_out(void **state) {
    (void)state;
    assert_int_equal(
        read_text("[site]\nbefore = a.las\nb.las\n= 3\n[contact]\n  friction 0.5\n", 0),
        TAL_BAD_SETTING);
    assert_int_equal(check_error.message_count, 3);
    assert_non_null(strstr(check_error.text, "site.ini:3: 'b.las' is neither a [section] nor key = "
                                             "value; begin the line with a space"));
    assert_non_null(strstr(check_error.text, "site.ini:4: '= 3' has no key"));
    assert_non_null(strstr(check_error.text, "site.ini:6: 'friction 0.5' is neither"));
}

static void a_mistake_in_a_list_is_one_message(void **state) {
    (void)state;
    assert_int_equal(read_text("[mesh]\nbrick_m = 1\n  x\n  3\n", 0), TAL_BAD_SETTING);
    assert_string_equal(strchr(check_error.text, '['), "[mesh] brick_m = 1 x 3 is not a number");
}

static void the_last_line_needs_no_end(void **state) {
    (void)state;
    assert_int_equal(read_text("[contact]\nfriction=0.25", 0), TAL_OK);
    assert_true(settings->contact.friction == 0.25);
}

static void bytes_that_are_not_text_are_refused(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    tal_path_join(path, check_scratch(), "site.ini");
    tal_output output;
    check_ok(tal_output_open(&output, path, TAL_KEEP_EXISTING, &check_error));
    tal_output_write(&output, "[site]\n\0\0", 9);
    check_ok(tal_output_commit(&output, &check_error));
    check_fails(tal_site_file_read(settings, path, 0, &check_error), TAL_BAD_SETTING,
                "not a text file");
}

// Not " local", which no list of names holds.
static void a_value_may_begin_on_the_line_below_its_key(void **state) {
    (void)state;
    check_ok(read_text("[site]\ncrs =\n  local\n", 0));
    assert_string_equal(settings->site.crs, "local");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_comments_and_lists_are_read),
        cmocka_unit_test(a_comment_may_stand_where_a_value_would_begin),
        cmocka_unit_test(windows_line_ends_and_a_byte_order_mark_are_fine),
        cmocka_unit_test(an_empty_file_is_all_defaults),
        cmocka_unit_test(all_mistakes_come_at_once_with_their_lines),
        cmocka_unit_test(a_key_before_any_section_is_refused),
        cmocka_unit_test(a_line_inih_would_cut_is_refused),
        cmocka_unit_test(missing_files_are_found_before_work_starts),
        cmocka_unit_test(indented_keys_after_a_list_belong_to_their_own_section),
        cmocka_unit_test(values_go_on_over_lines_and_comments_may_be_long),
        cmocka_unit_test(section_headers_stand_alone),
        cmocka_unit_test(long_section_names_stay_apart),
        cmocka_unit_test(lines_that_are_no_pair_are_refused_with_a_way_out),
        cmocka_unit_test(a_mistake_in_a_list_is_one_message),
        cmocka_unit_test(the_last_line_needs_no_end),
        cmocka_unit_test(a_value_may_begin_on_the_line_below_its_key),
        cmocka_unit_test(bytes_that_are_not_text_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}

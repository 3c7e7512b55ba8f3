// SPDX-License-Identifier: GPL-3.0-or-later
// Study folders: keys, lock, plan, scores that are remembered, tables.
#include "pipelines/engine/csv.h"
#include "pipelines/engine/file_tree.h"
#include "pipelines/engine/plan.h"
#include "pipelines/engine/score_sheet.h"
#include "tests/support/check.h"

#include "core/base/memory.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[TAL_PATH_SIZE];
static tal_settings *settings;

static void write_text(const char *name, const char *text, char path[TAL_PATH_SIZE]) {
    assert_true(tal_path_join(path, folder, name));
    check_ok(tal_file_write_text(path, text, TAL_REPLACE, &check_error));
}

static int set_up(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    tal_text_copy(folder, sizeof folder, check_scratch());
    settings = tal_memory_create(1, sizeof *settings);
    tal_settings_init(settings);
    write_text("before.xyz", "1 2 3\n", path);
    write_text("site.ini", "", settings->site_file);
    check_ok(tal_settings_set(settings, "site", "before", "before.xyz", "test", &check_error));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    (void)tal_file_tree_remove(folder, NULL);
    tal_memory_destroy(settings);
    return 0;
}

static void open_study(tal_study_folder *study) {
    char path[TAL_PATH_SIZE];
    assert_true(tal_path_join(path, folder, "study"));
    check_ok(tal_study_open(study, path, "test_study", false, &check_error));
}

static void set(const char *section, const char *key, const char *value) {
    check_ok(tal_settings_set(settings, section, key, value, "test", &check_error));
}

// How many stages of the chain keep their key, from the first on.
static int stages_kept(const tal_run_keys *a, const tal_run_keys *b) {
    int kept = 0;
    while (kept < TAL_CHAIN_COUNT && strcmp(a->text[kept], b->text[kept]) == 0) {
        kept++;
    }
    for (int i = kept; i < TAL_CHAIN_COUNT;
         i++) { // whatever follows a changed stage is another result
        assert_string_not_equal(a->text[i], b->text[i]);
    }
    return kept;
}

static void a_setting_changes_the_keys_of_its_stage_and_of_those_that_follow(void **state) {
    (void)state;
    static const struct {
        const char *section, *key, *value;
        int kept;
    } rows[] = {{"ingest", "cell_m", "2", 0},       {"site", "crs", "local", 0},
                {"mesh", "density_kg_m3", "9", 1},  {"random", "seed", "9", 1},
                {"joint.1", "dip_deg", "40", 1},    {"contact", "friction", "0.5", 2},
                {"pair.a.b", "friction", "0.5", 2}, {"solve", "dt_s", "0.02", 2},
                {"report", "title", "A", 3},        {"calibrate", "runs", "9", 4},
                {"vary.x.y", "low", "9", 4}};
    tal_study_folder study;
    open_study(&study);
    tal_run_keys before, after;
    check_ok(tal_study_keys(&study, settings, &before, &check_error));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set(rows[i].section, rows[i].key, rows[i].value);
        check_ok(tal_study_keys(&study, settings, &after, &check_error));
        assert_int_equal(stages_kept(&before, &after), rows[i].kept);
        before = after;
    }
    tal_study_close(&study);
}

static void inputs_count_by_their_bytes_not_by_their_place(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE], other[TAL_PATH_SIZE];
    tal_study_folder study;
    tal_run_keys before, after;
    open_study(&study);
    check_ok(tal_study_keys(&study, settings, &before, &check_error));
    assert_true(tal_path_join(other, folder, "elsewhere"));
    check_ok(tal_folder_create(other, &check_error));
    write_text("elsewhere/before.xyz", "1 2 3\n", path);
    set("site", "before", "elsewhere/before.xyz");
    check_ok(tal_study_keys(&study, settings, &after, &check_error));
    assert_int_equal(stages_kept(&before, &after), 4);
    write_text("elsewhere/before.xyz", "1 2 4\n", path);
    check_ok(tal_study_keys(&study, settings, &after, &check_error));
    assert_int_equal(stages_kept(&before, &after), 0);
    set("site", "before", "absent.xyz");
    check_fails(tal_study_keys(&study, settings, &after, &check_error), TAL_NOT_FOUND,
                "absent.xyz");
    tal_study_close(&study);
}

static void the_second_user_of_a_folder_is_told_who_is_there(void **state) {
    (void)state;
    tal_study_folder first, second;
    char path[TAL_PATH_SIZE], words[64];
    open_study(&first);
    assert_true(tal_path_join(path, folder, "study"));
    snprintf(words, sizeof words, "test_study, process %ld on ", (long)getpid());
    check_fails(tal_study_open(&second, path, "other", false, &check_error), TAL_EXISTS, words);
    tal_study_close(&first);
    check_ok(tal_study_open(&second, path, "other", true, &check_error));
    tal_study_close(&second);
}

static void a_kill_while_the_folder_is_marked_does_not_spoil_it(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE], part[TAL_PATH_SIZE];
    tal_study_folder study;
    assert_true(tal_path_join(path, folder, "study"));
    check_ok(tal_folder_create(path, &check_error));
    write_text("study/talus-study.txt.part", "talu", part);
    open_study(&study);
    tal_study_close(&study);
    // A folder of somebody else is left alone.
    assert_int_equal(tal_study_open(&study, folder, "test_study", false, &check_error), TAL_EXISTS);
    tal_error_reset(&check_error);
}

static void runs_share_the_stages_they_agree_in(void **state) {
    (void)state;
    tal_study_folder study;
    tal_plan plan = {0}, again = {0};
    tal_run_keys keys;
    open_study(&study);
    const char *const values[] = {"0.4", "0.5", "0.5"};
    for (int i = 0; i < 3; i++) { // the third is the second again
        char override[64];
        const char *list[1] = {override};
        snprintf(override, sizeof override, "contact.friction=%s", values[i]);
        set("contact", "friction", values[i]);
        check_ok(tal_study_keys(&study, settings, &keys, &check_error));
        check_ok(
            tal_plan_add_run(&plan, &study, "site.ini", settings, list, 1, &keys, &check_error));
    }
    assert_int_equal(plan.count, 6); // ingest, mesh, two of solve, two of post
    assert_int_equal(plan.job[4].stage, TAL_CHAIN_SOLVE);
    assert_int_equal(plan.job[4].parent, 1);
    assert_non_null(strstr(plan.job[4].arguments, "contact.friction=0.5"));
    assert_null(strstr(plan.job[0].arguments, "contact.friction")); // ingest does not read it
    char path[TAL_PATH_SIZE];
    assert_true(tal_path_join(path, folder, "plan.json"));
    check_ok(tal_plan_write(&plan, path, &check_error));
    check_ok(tal_plan_read(&again, path, &check_error));
    assert_int_equal(again.count, plan.count);
    for (int i = 0; i < plan.count; i++) {
        assert_string_equal(again.job[i].arguments, plan.job[i].arguments);
        assert_string_equal(again.job[i].key, plan.job[i].key);
        assert_int_equal(again.job[i].parent, plan.job[i].parent);
    }
    tal_plan_destroy(&again);
    tal_plan_destroy(&plan);
    // With a finished mesh only the solver and post-processing are left, and they wait for nobody.
    check_ok(
        tal_study_result(&study, TAL_CHAIN_MESH, keys.text[TAL_CHAIN_MESH], path, &check_error));
    check_ok(tal_folder_create(path, &check_error));
    assert_false(tal_study_is_finished(&study, TAL_CHAIN_MESH, keys.text[TAL_CHAIN_MESH]));
    strcat(path, "/finished.json");
    check_ok(tal_file_write_text(path, "{}", TAL_REPLACE, &check_error));
    check_ok(tal_plan_add_run(&plan, &study, "site.ini", settings, NULL, 0, &keys, &check_error));
    assert_int_equal(plan.count, 2);
    assert_int_equal(plan.job[0].stage, TAL_CHAIN_SOLVE);
    assert_int_equal(plan.job[0].parent, -1);
    tal_plan_destroy(&plan);
    tal_study_close(&study);
}

static void a_run_that_its_checks_condemn_is_not_trusted(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_trusted;
    } sheets[] = {{"{\"scores\": {}}", true},
                  {"{\"scores\": {}, \"trust\": {\"level\": \"good\"}}", true},
                  {"{\"scores\": {}, \"trust\": {\"level\": \"doubtful\"}}", true},
                  {"{\"scores\": {}, \"trust\": {\"level\": \"bad\"}}", false}};
    char path[TAL_PATH_SIZE];
    tal_sheet sheet;
    assert_true(tal_path_join(path, folder, "sheet.json"));
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        check_ok(tal_file_write_text(path, sheets[i].text, TAL_REPLACE, &check_error));
        check_ok(tal_sheet_read(path, &sheet, &check_error));
        assert_int_equal(sheet.trusted, sheets[i].is_trusted);
    }
    for (int i = 0; i < TAL_SHEET_COUNT; i++) { // each score has its place
        char text[256];
        snprintf(text, sizeof text, "{\"scores\": {\"%s\": {\"value\": 0.25}}}",
                 tal_sheet_names[i]);
        check_ok(tal_file_write_text(path, text, TAL_REPLACE, &check_error));
        check_ok(tal_sheet_read(path, &sheet, &check_error));
        for (int k = 0; k < TAL_SHEET_COUNT; k++) {
            assert_true(k == i ? sheet.value[k] == 0.25 : isnan(sheet.value[k]) != 0);
        }
    }
    check_ok(tal_file_write_text(path, "{}", TAL_REPLACE, &check_error));
    check_fails(tal_sheet_read(path, &sheet, &check_error), TAL_BAD_INPUT, "has no scores");
}

static void note_scores(const tal_study_folder *study, const char *head, const char *number,
                        const char *end) {
    tal_text line = {0};
    tal_text_append(&line, "%s", head);
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        tal_text_append(&line, "\t%s", number);
    }
    tal_text_append(&line, "%s\n", end);
    check_ok(tal_study_note(study, "scores.tsv", line.bytes, &check_error));
    tal_text_destroy(&line);
}

static void a_line_cut_by_a_kill_is_not_a_score(void **state) {
    (void)state;
    tal_study_folder study;
    tal_sheet_store store = {0};
    tal_sheet sheet;
    char path[TAL_PATH_SIZE], run[TAL_PATH_SIZE];
    open_study(&study);
    check_ok(tal_study_result(&study, TAL_CHAIN_POST, "aaaa", run, &check_error));
    check_ok(tal_folder_create(run, &check_error));
    assert_true(tal_path_join(path, run, "scores.json"));
    check_ok(tal_file_write_text(path, "{\"scores\": {\"iou\": {\"value\": 0.25}}}", TAL_REPLACE,
                                 &check_error));
    check_ok(tal_sheet_find(&store, &study, "aaaa", &sheet, &check_error));
    check_near(sheet.value[TAL_SHEET_iou], 0.25, 0);
    assert_true(isnan(sheet.value[TAL_SHEET_runout_error_m]));
    tal_sheet_store_destroy(&store);
    note_scores(&study, "cccc\t1", "0.5", ""); // all numbers, but the last one may have lost digits
    note_scores(&study, "aaaa\t0", "0.75", "\t."); // known already
    note_scores(&study, "dddd\t0", "0.75", "\t.");
    note_scores(&study, "eeee\t1", "0.125", "\t.");
    note_scores(&study, "ffff\t1", "half", "\t.");
    check_ok(tal_study_note(&study, "scores.tsv", "bbbb\t1\t0.5\t0.5", &check_error));
    check_ok(tal_sheet_store_read(&store, &study, &check_error));
    assert_int_equal(store.count, 3);
    static const struct {
        const char *key;
        double iou;
        bool is_trusted;
    } kept[3] = {{"aaaa", 0.25, true}, {"dddd", 0.75, false}, {"eeee", 0.125, true}};
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(tal_table_find(&store.index, kept[i].key), i);
        check_near(store.sheet[i].value[TAL_SHEET_iou], kept[i].iou, 0);
        assert_int_equal(store.sheet[i].trusted, kept[i].is_trusted);
    }
    tal_sheet_store_destroy(&store);
    tal_study_close(&study);
}

static void a_study_remembers_all_its_runs(void **state) {
    (void)state;
    enum { RUNS = 300 };
    tal_study_folder study;
    tal_sheet_store store = {0};
    open_study(&study);
    for (int i = 0; i < RUNS; i++) {
        char head[32], number[32];
        snprintf(head, sizeof head, "run%d\t1", i);
        snprintf(number, sizeof number, "%d", i);
        note_scores(&study, head, number, "\t.");
    }
    check_ok(tal_sheet_store_read(&store, &study, &check_error));
    assert_int_equal(store.count, RUNS);
    for (int i = 0; i < RUNS; i++) {
        char key[32];
        snprintf(key, sizeof key, "run%d", i);
        assert_int_equal(tal_table_find(&store.index, key), i);
        assert_string_equal(store.key[i], key);
        check_near(store.sheet[i].value[TAL_SHEET_iou], i, 0);
    }
    tal_sheet_store_destroy(&store);
    tal_study_close(&study);
}

static void misfit_is_the_weighted_mean_of_shares(void **state) {
    (void)state;
    tal_sheet sheet;
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        sheet.value[i] = NAN;
    }
    tal_calibrate_settings weights = {.weight_iou = 1, .weight_runout = 3};
    check_near(tal_sheet_misfit(&sheet, &weights), 1, 0); // nothing there: as bad as no overlap
    sheet.value[TAL_SHEET_iou] = 0.75;
    sheet.value[TAL_SHEET_runout_surveyed_m] = 200;
    sheet.value[TAL_SHEET_runout_error_m] = -10;
    check_near(tal_sheet_misfit(&sheet, &weights), (0.25 + 3 * 0.05) / 4, 1e-15);
    weights = (tal_calibrate_settings){.weight_thickness = 1};
    sheet.value[TAL_SHEET_volume_surveyed_m3] = 50;
    sheet.value[TAL_SHEET_area_surveyed_m2] = 100;
    sheet.value[TAL_SHEET_thickness_rmse_m] = 0.1;
    check_near(tal_sheet_misfit(&sheet, &weights), 0.2, 1e-15);
    weights =
        (tal_calibrate_settings){.weight_stops = 1, .weight_ks = 2, .weight_fahrboeschung = 1};
    check_near(tal_sheet_misfit(&sheet, &weights), 1, 0);
    sheet.value[TAL_SHEET_stops_distance_m] = 3;
    sheet.value[TAL_SHEET_stops_spread_m] = 10;
    sheet.value[TAL_SHEET_stops_ks_along] = 0.2;
    sheet.value[TAL_SHEET_stops_ks_across] = 0.6;
    sheet.value[TAL_SHEET_fahrboeschung_error] = -0.05;
    sheet.value[TAL_SHEET_fahrboeschung_surveyed] = 0.25;
    check_near(tal_sheet_misfit(&sheet, &weights), (0.3 + 2 * 0.4 + 0.2) / 4, 1e-15);
}

static void one_score_that_counts_makes_a_comparison(void **state) {
    (void)state;
    tal_sheet sheet;
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        sheet.value[i] = NAN;
    }
    const tal_calibrate_settings overlap = {.weight_iou = 1}, slope = {.weight_fahrboeschung = 1};
    assert_false(tal_sheet_is_compared(&sheet, &overlap));
    sheet.value[TAL_SHEET_iou] = 0.5; // the first of the parts of a misfit
    assert_true(tal_sheet_is_compared(&sheet, &overlap));
    assert_false(tal_sheet_is_compared(&sheet, &slope));
    sheet.value[TAL_SHEET_fahrboeschung_error] = 0.1; // the last
    sheet.value[TAL_SHEET_fahrboeschung_surveyed] = 0.5;
    assert_true(tal_sheet_is_compared(&sheet, &slope));
}

static void quoted_cells_and_short_rows_are_read(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    tal_csv csv = {0};
    write_text("t.csv", "a, b ,c\n\"x, \"\"y\"\"\",2\n# remark,,\n\n3,4,\"two\nlines\"\r\n", path);
    check_ok(tal_csv_read(&csv, path, &check_error));
    assert_int_equal(csv.rows, 3);
    assert_int_equal(csv.columns, 3);
    assert_string_equal(tal_csv_cell(&csv, 0, 1), "b");
    assert_string_equal(tal_csv_cell(&csv, 1, 0), "x, \"y\"");
    assert_string_equal(tal_csv_cell(&csv, 1, 2), "");
    assert_string_equal(tal_csv_cell(&csv, 2, 2), "two\nlines");
    tal_csv_destroy(&csv);
    tal_text out = {0};
    tal_csv_append_text(&out, "x, \"y\"");
    assert_string_equal(tal_text_string(&out), "\"x, \"\"y\"\"\"");
    tal_text_destroy(&out);
}

static void a_linked_folder_has_the_same_files(void **state) {
    (void)state;
    char source[TAL_PATH_SIZE], target[TAL_PATH_SIZE], path[TAL_PATH_SIZE];
    tal_file_tree tree = {0};
    assert_true(tal_path_join(source, folder, "source/deep"));
    check_ok(tal_folder_create(source, &check_error));
    write_text("source/b", "b", path);
    write_text("source/deep/a", "a", path);
    write_text("source/mark", "m", path);
    assert_true(tal_path_join(source, folder, "source") && tal_path_join(target, folder, "target"));
    check_ok(tal_file_tree_link(source, target, "mark", &check_error));
    check_ok(tal_file_tree_list(&tree, target, &check_error));
    assert_int_equal(tree.count, 2);
    assert_string_equal(tree.name[0], "b");
    assert_string_equal(tree.name[1], "deep/a");
    struct stat a, b;
    assert_int_equal(stat(path, &a), 0);
    assert_true(tal_path_join(path, target, "b"));
    assert_int_equal(stat(path, &a), 0);
    assert_true(tal_path_join(path, source, "b"));
    assert_int_equal(stat(path, &b), 0);
    assert_true(a.st_ino == b.st_ino);
    tal_file_tree_destroy(&tree);
    check_ok(tal_file_tree_remove(target, &check_error));
    assert_int_not_equal(access(target, F_OK), 0);
    assert_int_equal(access(path, F_OK), 0);
}

static void many_words_are_found_again(void **state) {
    (void)state;
    tal_table table = {0};
    char word[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(word, sizeof word, "word %d", i);
        check_ok(tal_table_set(&table, word, 3 * i, &check_error));
    }
    check_ok(tal_table_set(&table, "word 17", -5, &check_error));
    for (int i = 0; i < 5000; i++) {
        snprintf(word, sizeof word, "word %d", i);
        assert_int_equal(tal_table_find(&table, word), i == 17 ? -5 : 3 * i);
    }
    assert_int_equal(tal_table_find(&table, "word"), -1);
    assert_int_equal(table.count, 5000);
    tal_table_destroy(&table);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_setting_changes_the_keys_of_its_stage_and_of_those_that_follow),
        TEST(inputs_count_by_their_bytes_not_by_their_place),
        TEST(the_second_user_of_a_folder_is_told_who_is_there),
        TEST(a_kill_while_the_folder_is_marked_does_not_spoil_it),
        TEST(runs_share_the_stages_they_agree_in),
        TEST(a_run_that_its_checks_condemn_is_not_trusted),
        TEST(a_line_cut_by_a_kill_is_not_a_score),
        TEST(a_study_remembers_all_its_runs),
        TEST(misfit_is_the_weighted_mean_of_shares),
        TEST(one_score_that_counts_makes_a_comparison),
        TEST(quoted_cells_and_short_rows_are_read),
        TEST(a_linked_folder_has_the_same_files),
        TEST(many_words_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

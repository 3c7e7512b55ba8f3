// SPDX-License-Identifier: GPL-3.0-or-later
// Files written aside, and paths.
#include "core/base/file.h"
#include "core/base/fault.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *in_scratch(const char *name) {
    static char path[TAL_PATH_SIZE];
    tal_path_join(path, check_scratch(), name);
    return path;
}

static void check_content(const char *path, const char *expected) {
    char *bytes = NULL;
    size_t length = 0;
    check_ok(tal_file_read(path, &bytes, &length, &check_error));
    assert_string_equal(bytes, expected);
    assert_int_equal(length, strlen(expected));
    tal_memory_destroy(bytes);
}

static bool part_exists(const char *path) {
    char part[TAL_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return tal_file_exists(part);
}

static void a_file_appears_under_its_name_only_when_complete(void **state) {
    (void)state;
    const char *path = in_scratch("a.txt");
    tal_output output;
    check_ok(tal_output_open(&output, path, TAL_KEEP_EXISTING, &check_error));
    tal_output_print(&output, "one %d\n", 1);
    assert_false(tal_file_exists(path));
    assert_true(part_exists(path));
    check_ok(tal_output_commit(&output, &check_error));
    assert_false(part_exists(path));
    check_content(path, "one 1\n");
}

static void an_existing_file_is_kept_unless_asked(void **state) {
    (void)state;
    const char *path = in_scratch("a.txt");
    check_ok(tal_file_write_text(path, "old", TAL_KEEP_EXISTING, &check_error));
    check_fails(tal_file_write_text(path, "new", TAL_KEEP_EXISTING, &check_error), TAL_EXISTS,
                "--overwrite");
    check_content(path, "old");
    check_ok(tal_file_write_text(path, "new", TAL_REPLACE, &check_error));
    check_content(path, "new");
}

static void a_discarded_file_leaves_nothing_and_the_old_one_alone(void **state) {
    (void)state;
    const char *path = in_scratch("a.txt");
    check_ok(tal_file_write_text(path, "old", TAL_KEEP_EXISTING, &check_error));
    tal_output output;
    check_ok(tal_output_open(&output, path, TAL_REPLACE, &check_error));
    tal_output_print(&output, "half of it");
    tal_output_discard(&output);
    tal_output_discard(&output);
    assert_false(part_exists(path));
    check_content(path, "old");
}

static void a_failing_write_sync_or_rename_keeps_the_old_file(void **state) {
    (void)state;
    static const tal_fault_kind kinds[] = {TAL_FAULT_WRITE, TAL_FAULT_SYNC, TAL_FAULT_RENAME};
    const char *path = in_scratch("a.txt");
    check_ok(tal_file_write_text(path, "old", TAL_KEEP_EXISTING, &check_error));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        tal_fault_arm(kinds[i], 1, false);
        check_fails(tal_file_write_text(path, "new", TAL_REPLACE, &check_error), TAL_IO, path);
        tal_fault_disarm();
        assert_false(part_exists(path));
        check_content(path, "old");
    }
}

static void the_folder_is_synced_too(void **state) {
    (void)state;
    const char *path = in_scratch("a.txt");
    tal_fault_arm(TAL_FAULT_SYNC, 2, false); // the file's own sync is the first
    check_ok(tal_file_write_text(path, "text", TAL_KEEP_EXISTING, &check_error));
    assert_int_equal(tal_fault_count(), 1); // tried, and no reason to fail: the file is in place
    tal_fault_disarm();
    check_content(path, "text");
}

static void a_full_disk_is_reported_with_a_way_out(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        printf("SKIPPED: /dev/full is not here\n");
        skip();
    }
    // The part itself cannot be /dev/full, so a link stands in its place.
    const char *path = in_scratch("a.txt");
    tal_output output;
    check_ok(tal_output_open(&output, path, TAL_KEEP_EXISTING, &check_error));
    output.stream = freopen("/dev/full", "wb", output.stream);
    assert_non_null(output.stream);
    tal_output_print(&output, "text");
    check_fails(tal_output_commit(&output, &check_error), TAL_IO, "The disk is full");
    assert_false(tal_file_exists(path));
}

static void a_library_can_write_the_part_itself(void **state) {
    (void)state;
    const char *path = in_scratch("b.bin");
    char part[TAL_PATH_SIZE];
    check_ok(tal_part_begin(path, TAL_KEEP_EXISTING, part, &check_error));
    FILE *stream = fopen(part, "wb");
    fputs("library", stream);
    fclose(stream);
    check_ok(tal_part_commit(path, &check_error));
    check_content(path, "library");
    check_fails(tal_part_commit(path, &check_error), TAL_IO, "b.bin"); // no part any more
    check_content(path, "library");
    check_ok(tal_part_begin(path, TAL_REPLACE, part, &check_error));
    check_ok(tal_file_write_text(part, "never synced", TAL_KEEP_EXISTING, &check_error));
    tal_fault_arm(TAL_FAULT_SYNC, 1, false);
    check_fails(tal_part_commit(path, &check_error), TAL_IO, "cannot write");
    tal_fault_disarm();
    assert_false(part_exists(path));
    check_content(path, "library");
}

static void a_header_can_be_completed_at_the_end(void **state) {
    (void)state;
    const char *path = in_scratch("c.bin");
    tal_output output;
    check_ok(tal_output_open(&output, path, TAL_KEEP_EXISTING, &check_error));
    tal_output_print(&output, "____ body");
    tal_output_seek(&output, 0);
    tal_output_print(&output, "head");
    check_ok(tal_output_commit(&output, &check_error));
    check_content(path, "head body");
}

// Both write the same .part; the first to finish must not give its name to the other's half.
static void two_writers_of_one_file_do_not_mix(void **state) {
    (void)state;
    const char *path = in_scratch("a.txt");
    tal_output first, second;
    check_ok(tal_output_open(&first, path, TAL_REPLACE, &check_error));
    tal_output_print(&first, "first");
    check_ok(tal_output_open(&second, path, TAL_REPLACE, &check_error));
    check_fails(tal_output_commit(&first, &check_error), TAL_IO,
                "another program is already writing");
    assert_false(tal_file_exists(path));
    tal_output_print(&second, "second");
    check_ok(tal_output_commit(&second, &check_error));
    check_content(path, "second");
}

static void the_leftover_of_a_killed_run_is_replaced(void **state) {
    (void)state;
    const char *path = in_scratch("a.txt");
    char part[TAL_PATH_SIZE];
    check_ok(tal_part_begin(path, TAL_KEEP_EXISTING, part, &check_error));
    check_ok(tal_file_write_text(part, "half", TAL_KEEP_EXISTING, &check_error));
    check_ok(tal_part_begin(path, TAL_KEEP_EXISTING, part, &check_error));
    assert_false(tal_file_exists(part));
    check_ok(tal_file_write_text(part, "half", TAL_KEEP_EXISTING, &check_error));
    tal_part_discard(path);
    assert_false(tal_file_exists(part));
}

static void unreadable_inputs_are_told_apart(void **state) {
    (void)state;
    char *bytes = NULL;
    size_t length = 0;
    check_fails(tal_file_read("/nonexistent/file", &bytes, &length, &check_error), TAL_NOT_FOUND,
                "no such file");
    check_fails(tal_file_read("/", &bytes, &length, &check_error), TAL_BAD_INPUT, "is a folder");
    check_fails(tal_file_check_readable("/dev/zero", &check_error), TAL_BAD_INPUT,
                "is a pipe or a device");
}

static void large_files_are_read_whole(void **state) {
    (void)state;
    const char *path = in_scratch("large");
    tal_output output;
    check_ok(tal_output_open(&output, path, TAL_KEEP_EXISTING, &check_error));
    for (int i = 0; i < 50000; i++) {
        tal_output_print(&output, "%07d\n", i);
    }
    check_ok(tal_output_commit(&output, &check_error));
    char *bytes = NULL;
    size_t length = 0;
    check_ok(tal_file_read(path, &bytes, &length, &check_error));
    assert_int_equal(length, 400000);
    assert_memory_equal(bytes + 8 * 49999, "0049999\n", 8);
    tal_memory_destroy(bytes);
}

static void folders_are_made_with_those_above(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    const char *scratch = check_scratch();
    tal_path_join(path, scratch, "a/b/c");
    check_ok(tal_folder_create(path, &check_error));
    check_ok(tal_folder_create(path, &check_error));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    tal_path_join(path, scratch, "file");
    check_ok(tal_file_write_text(path, "x", TAL_KEEP_EXISTING, &check_error));
    tal_path_join(path, scratch, "file/below");
    assert_int_not_equal(tal_folder_create(path, &check_error), TAL_OK);
    tal_path_join(path, scratch, "file");
    check_fails(tal_folder_create(path, &check_error), TAL_IO, "is in the way");
    check_fails(tal_folder_create("", &check_error), TAL_BAD_INPUT, "folder name");
}

static void paths_are_joined_and_taken_apart(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    assert_true(tal_path_join(path, "a/b", "c.las"));
    assert_string_equal(path, "a/b/c.las");
    assert_true(tal_path_join(path, "a/b", "/abs/c.las"));
    assert_string_equal(path, "/abs/c.las");
    assert_true(tal_path_join(path, ".", "c.las"));
    assert_string_equal(path, "c.las");
    tal_path_folder(path, "a/b/c.las");
    assert_string_equal(path, "a/b");
    tal_path_folder(path, "c.las");
    assert_string_equal(path, ".");
    tal_path_folder(path, "/c.las");
    assert_string_equal(path, "/");
    assert_string_equal(tal_path_name("a/b/c.las"), "c.las");
    char *longer = calloc(1, 5000);
    memset(longer, 'x', 4999);
    assert_false(tal_path_join(path, "a", longer));
    check_fails(tal_part_begin(longer, TAL_REPLACE, path, &check_error), TAL_TOO_LARGE, "longer");
    free(longer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_under_its_name_only_when_complete),
        cmocka_unit_test(an_existing_file_is_kept_unless_asked),
        cmocka_unit_test(a_discarded_file_leaves_nothing_and_the_old_one_alone),
        cmocka_unit_test(a_failing_write_sync_or_rename_keeps_the_old_file),
        cmocka_unit_test(the_folder_is_synced_too),
        cmocka_unit_test(a_full_disk_is_reported_with_a_way_out),
        cmocka_unit_test(a_library_can_write_the_part_itself),
        cmocka_unit_test(a_header_can_be_completed_at_the_end),
        cmocka_unit_test(two_writers_of_one_file_do_not_mix),
        cmocka_unit_test(the_leftover_of_a_killed_run_is_replaced),
        cmocka_unit_test(unreadable_inputs_are_told_apart),
        cmocka_unit_test(large_files_are_read_whole),
        cmocka_unit_test(folders_are_made_with_those_above),
        cmocka_unit_test(paths_are_joined_and_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

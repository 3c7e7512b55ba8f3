// SPDX-License-Identifier: GPL-3.0-or-later
// The results of a stage: all of them or none, and what is there is what was written.
#define _POSIX_C_SOURCE 200809L
#include "core/app/results.h"
#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "tests/support/check.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[TAL_PATH_SIZE];

static const char *in(const char *name) {
    static char path[4][TAL_PATH_SIZE];
    static int next;
    next = (next + 1) % 4;
    tal_path_join(path[next], folder, name);
    return path[next];
}

static int make_folder(void **state) {
    (void)state;
    tal_text_copy(folder, sizeof folder, check_scratch());
    return 0;
}

static tal_status write_file(const char *name, const char *text) {
    return tal_file_write_text(in(name), text, TAL_REPLACE, &check_error);
}

// A run of a stage that writes `text` to two files and a third below a folder, and ends with `status`.
static tal_status run_stage(const char *text, tal_status status) {
    TAL_TRY(tal_results_begin(folder, "post", &check_error));
    tal_status written = write_file("a.txt", text);
    written = written == TAL_OK ? write_file("b.txt", text) : written;
    written = written == TAL_OK ? write_file("below/c.txt", text) : written;
    return tal_results_end(written == TAL_OK ? status : written, &check_error);
}

static void assert_all_hold(const char *text) {
    static const char *const names[] = {"a.txt", "b.txt", "below/c.txt"};
    for (size_t i = 0; i < 3; i++) {
        char *bytes = NULL;
        size_t length = 0;
        check_ok(tal_file_read(in(names[i]), &bytes, &length, &check_error));
        assert_string_equal(bytes, text);
        tal_memory_destroy(bytes);
    }
    assert_false(tal_file_exists(in(".post.part")));
    assert_false(tal_file_exists(in(".post.ready")));
}

static void files_appear_at_the_end_and_not_before(void **state) {
    (void)state;
    char written[TAL_PATH_SIZE];
    check_ok(tal_results_begin(folder, "post", &check_error));
    check_ok(write_file("a.txt", "one"));
    assert_false(tal_file_exists(in("a.txt")));
    tal_file_written_path(in("a.txt"), written);
    assert_true(tal_file_exists(written));
    check_ok(tal_results_end(TAL_OK, &check_error));
    assert_true(tal_file_exists(in("a.txt")));
    assert_true(tal_file_exists(in("post.sha256")));
}

static void a_run_that_fails_leaves_the_old_results(void **state) {
    (void)state;
    check_ok(run_stage("one", TAL_OK));
    assert_int_equal(run_stage("two", TAL_NOT_CONVERGED), TAL_NOT_CONVERGED);
    assert_all_hold("one");
    check_ok(run_stage("three", TAL_OK));
    assert_all_hold("three");
}

// Whichever write or rename fails: one state or the other, and the next run mends it.
static void no_fault_mixes_two_runs(void **state) {
    (void)state;
    check_ok(run_stage("one", TAL_OK));
    int struck = 0;
    for (int kind = 0; kind < 2; kind++) {
        for (int n = 1; n <= 8; n++) {
            tal_fault_arm(kind == 0 ? TAL_FAULT_WRITE : TAL_FAULT_RENAME, n, false);
            const tal_status status = run_stage("two", TAL_OK);
            tal_fault_disarm();
            struck += status != TAL_OK ? 1 : 0;
            const bool complete = tal_file_exists(in(".post.ready"));
            check_ok(tal_results_recover(folder, &check_error));
            assert_all_hold(status == TAL_OK || complete ? "two" : "one");
            check_ok(run_stage("one", TAL_OK));
        }
    }
    assert_true(struck >= 6);
}

// A child is killed with the results half moved, or half written.
static void a_kill_is_mended_by_the_next_start(void **state) {
    (void)state;
    check_ok(run_stage("one", TAL_OK));
    for (int moment = 0; moment < 2; moment++) {
        const pid_t child = fork();
        if (child == 0) {
            if (moment == 0) { // killed while writing
                (void)tal_results_begin(folder, "post", &check_error);
                (void)write_file("a.txt", "two");
            } else { // killed after the second file was moved
                tal_fault_arm(TAL_FAULT_RENAME, 5, false);
                (void)run_stage("two", TAL_OK);
            }
            _exit(0);
        }
        int outcome = 0;
        waitpid(child, &outcome, 0);
        assert_true(tal_file_exists(in(moment == 0 ? ".post.part" : ".post.ready")));
        check_ok(tal_results_recover(folder, &check_error));
        assert_all_hold(moment == 0 ? "one" : "two");
    }
}

static void two_at_once_are_told_apart(void **state) {
    (void)state;
    int ready[2], done[2];
    assert_true(pipe(ready) == 0 && pipe(done) == 0);
    const pid_t child = fork();
    char letter = 'x';
    if (child == 0) {
        (void)tal_results_begin(folder, "post", &check_error);
        (void)write_file("a.txt", "theirs");
        (void)!write(ready[1], &letter, 1);
        (void)!read(done[0], &letter, 1);
        _exit(tal_results_end(TAL_OK, &check_error) == TAL_OK ? 0 : 1);
    }
    assert_true(read(ready[0], &letter, 1) == 1);
    check_ok(tal_results_recover(folder, &check_error)); // leaves what is under way alone
    check_fails(tal_results_begin(folder, "post", &check_error), TAL_IO, "another program");
    assert_true(write(done[1], &letter, 1) == 1);
    int outcome = 0;
    waitpid(child, &outcome, 0);
    assert_int_equal(outcome, 0);
    assert_true(tal_file_exists(in("a.txt")));
}

static void a_listed_file_must_be_what_was_written(void **state) {
    (void)state;
    bool listed = true;
    check_ok(run_stage("one", TAL_OK));
    check_ok(tal_results_check_file(in("a.txt"), &listed, &check_error));
    assert_true(listed);
    check_ok(tal_file_write_text(in("a.txt"), "onf", TAL_REPLACE, &check_error));
    check_fails(tal_results_check_file(in("a.txt"), &listed, &check_error), TAL_BAD_INPUT,
                "a.txt is not the file that talus-post wrote");
    check_ok(write_file("other.txt", "x"));
    check_ok(tal_results_check_file(in("other.txt"), &listed, &check_error));
    assert_false(listed);
}

static void what_a_run_no_longer_writes_is_removed(void **state) {
    (void)state;
    check_ok(run_stage("one", TAL_OK));
    check_ok(write_file("mine.txt", "of the user"));
    check_ok(tal_results_begin(folder, "post", &check_error));
    check_ok(write_file("a.txt", "two"));
    check_ok(tal_results_end(TAL_OK, &check_error));
    assert_true(tal_file_exists(in("a.txt")) && tal_file_exists(in("mine.txt")));
    assert_false(tal_file_exists(in("b.txt")));
    assert_false(tal_file_exists(in("below/c.txt")));
}

static void any_spelling_of_the_folder_will_do(void **state) {
    (void)state;
    char here[TAL_PATH_SIZE], with_slash[TAL_PATH_SIZE];
    assert_non_null(getcwd(here, sizeof here));
    const int length = snprintf(with_slash, sizeof with_slash, "%s/", folder);
    assert_true(length < (int)sizeof with_slash && chdir(folder) == 0);
    const char *const spellings[] = {".", with_slash};
    for (size_t i = 0; i < 2; i++) {
        char path[TAL_PATH_SIZE];
        check_ok(tal_results_begin(spellings[i], "mesh", &check_error));
        tal_path_join(path, spellings[i], "d.txt");
        check_ok(tal_file_write_text(path, "x", TAL_REPLACE, &check_error));
        assert_int_equal(tal_file_exists(path), i > 0); // the first time it is not there yet
        check_ok(tal_results_end(TAL_OK, &check_error));
        assert_true(tal_file_exists(path));
    }
    assert_true(chdir(here) == 0);
}

#define TEST(name) cmocka_unit_test_setup(name, make_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(files_appear_at_the_end_and_not_before),
        TEST(a_run_that_fails_leaves_the_old_results),
        TEST(no_fault_mixes_two_runs),
        TEST(a_kill_is_mended_by_the_next_start),
        TEST(two_at_once_are_told_apart),
        TEST(a_listed_file_must_be_what_was_written),
        TEST(what_a_run_no_longer_writes_is_removed),
        TEST(any_spelling_of_the_folder_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

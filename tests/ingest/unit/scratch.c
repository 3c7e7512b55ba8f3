// SPDX-License-Identifier: GPL-3.0-or-later
// The file that keeps a survey's points: gives back what it was given, as often as it is asked;
// leaves no name behind; says so where there is no room.
#define _GNU_SOURCE
#include "ingest/read/scratch.h"

#include "tests/support/check.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static void fill(tal_points *points, size_t count, unsigned salt) {
    points->count = count;
    for (size_t i = 0; i < count; i++) {
        points->x[i] = 693000.1 + (double)(i * salt);
        points->y[i] = -1.0 / (double)(i + salt);
        points->z[i] = 1e-3 * (double)i;
        points->point_class[i] = (uint8_t)(i * 7 + salt);
        points->is_last[i] = (uint8_t)(i % 2);
        points->is_withheld[i] = (uint8_t)(i % 3 == 0);
    }
}

static void assert_same(const tal_points *a, const tal_points *b) {
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->x, b->x, a->count * sizeof *a->x);
    assert_memory_equal(a->y, b->y, a->count * sizeof *a->y);
    assert_memory_equal(a->z, b->z, a->count * sizeof *a->z);
    assert_memory_equal(a->point_class, b->point_class, a->count);
    assert_memory_equal(a->is_last, b->is_last, a->count);
    assert_memory_equal(a->is_withheld, b->is_withheld, a->count);
}

static void points_come_back_bit_by_bit(void **state) {
    (void)state;
    static const size_t counts[] = {1, TAL_POINTS_CAPACITY, 777};
    tal_scratch *scratch = NULL;
    tal_points given, found;
    check_ok(tal_points_create(&given, &check_error));
    check_ok(tal_points_create(&found, &check_error));
    check_ok(tal_scratch_create(&scratch, ".", &check_error));
    for (unsigned k = 0; k < 3; k++) {
        fill(&given, counts[k], k + 1);
        check_ok(tal_scratch_add(scratch, &given, &check_error));
    }
    for (int pass = 0; pass < 2; pass++) {
        check_ok(tal_scratch_rewind(scratch, &check_error));
        for (unsigned k = 0; k < 3; k++) {
            fill(&given, counts[k], k + 1);
            check_ok(tal_scratch_read(scratch, &found, &check_error));
            assert_same(&given, &found);
        }
        check_ok(tal_scratch_read(scratch, &found, &check_error));
        assert_int_equal(found.count, 0);
    }
    tal_scratch_destroy(scratch);
    tal_points_destroy(&given);
    tal_points_destroy(&found);
}

static void no_name_is_left_even_while_it_is_open(void **state) {
    (void)state;
    tal_scratch *scratch = NULL;
    check_ok(tal_scratch_create(&scratch, ".", &check_error));
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        assert_null(strstr(entry->d_name, "points"));
    }
    closedir(folder);
    tal_scratch_destroy(scratch);
}

static void a_full_disk_is_told(void **state) {
    (void)state;
    struct rlimit before;
    tal_scratch *scratch = NULL;
    tal_points points;
    check_ok(tal_points_create(&points, &check_error));
    check_ok(tal_scratch_create(&scratch, ".", &check_error));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {.rlim_cur = 1 << 21, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    fill(&points, TAL_POINTS_CAPACITY, 1);
    tal_status status = TAL_OK;
    for (int k = 0; k < 4 && status == TAL_OK; k++) {
        status = tal_scratch_add(scratch, &points, &check_error);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, TAL_IO);
    assert_non_null(strstr(check_error.text, "choose another folder with --out"));
    tal_scratch_destroy(scratch);
    tal_points_destroy(&points);
}

static void a_folder_that_is_not_there_is_told(void **state) {
    (void)state;
    tal_scratch *scratch = NULL;
    check_fails(tal_scratch_create(&scratch, "no/such/folder", &check_error), TAL_IO,
                "no/such/folder: cannot create a file for the points");
    assert_null(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_come_back_bit_by_bit),
        cmocka_unit_test(no_name_is_left_even_while_it_is_open),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_folder_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

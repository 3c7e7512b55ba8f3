// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems in FCLIB whose matrices have sizes that cannot be: refused, with their sizes.
#include "core/base/file.h"
#include "solver/program/contact/problem.h"
#include "tests/support/check.h"

#include <hdf5.h>

static const char GOOD[] = "FCP 1\nkind local\ndim 3\nnc 2\nmu\n0.5 0.5\nq\n-1 5 0 -1 0 2\nW 2\n"
                           "0 0 1 0 0 0 1 0 0 0 1\n1 1 1 0 0 0 1 0 0 0 1\nend\n";

// Another list of whole numbers in the place of one.
static void replace(hid_t file, const char *name, hsize_t count, const int32_t *values) {
    const hid_t space = H5Screate_simple(1, &count, NULL);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hid_t set =
        H5Dcreate2(file, name, H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (count > 0) {
        assert_true(H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    H5Dclose(set);
    H5Sclose(space);
}

// A good problem whose W has so many rows and columns, by columns whose starts are an empty list if `is_empty`.
static tal_status read_sized(int32_t rows, int32_t columns, bool is_empty) {
    char path[TAL_PATH_SIZE];
    tal_contact_problem problem;
    tal_path_join(path, check_scratch(), "sized.hdf5");
    tal_error_reset(&check_error);
    (void)remove(path);
    check_ok(tal_contact_problem_parse(&problem, GOOD, "good", &check_error));
    check_ok(tal_contact_problem_write(&problem, NULL, path, &check_error));
    tal_contact_problem_destroy(&problem);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    replace(file, "/fclib_local/W/m", 1, &rows);
    replace(file, "/fclib_local/W/n", 1, &columns);
    if (is_empty) {
        replace(file, "/fclib_local/W/p", 0, NULL);
        replace(file, "/fclib_local/W/nz", 1, &(int32_t){-1});
    }
    H5Fclose(file);
    TAL_TRY(tal_contact_problem_read(&problem, path, &check_error));
    tal_contact_problem_destroy(&problem);
    return TAL_OK;
}

static void good_sizes_are_read(void **state) {
    (void)state;
    check_ok(read_sized(6, 6, false));
}

static void sizes_below_zero_are_refused(void **state) {
    (void)state;
    check_fails(read_sized(6, -1, true), TAL_BAD_INPUT,
                "W of m = 6 rows and n = -1 columns cannot be");
    check_fails(read_sized(-6, -6, false), TAL_BAD_INPUT, "m = -6 rows");
}

static void sizes_that_cannot_be_numbered_are_refused(void **state) {
    (void)state;
    check_fails(read_sized(6, INT32_MAX, false), TAL_BAD_INPUT, "n = 2147483647 columns cannot be");
    check_fails(read_sized(INT32_MAX, 6, false), TAL_BAD_INPUT, "m = 2147483647 rows");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_sizes_are_read),
        cmocka_unit_test(sizes_below_zero_are_refused),
        cmocka_unit_test(sizes_that_cannot_be_numbered_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Points from text, as instruments and spreadsheets write them.
#include "tests/support/check.h"

#include "ingest/read/xyz_file.h"

static tal_points points;

static int set_up(void **state) {
    (void)state;
    return tal_points_create(&points, &check_error) == TAL_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    tal_points_destroy(&points);
    return 0;
}

static tal_status read_text(const char *text) {
    tal_xyz *xyz = NULL;
    tal_status status = tal_xyz_open_memory(&xyz, text, strlen(text), "cloud.xyz", &check_error);
    if (status == TAL_OK) {
        status = tal_xyz_read(xyz, &points, &check_error);
    }
    tal_xyz_close(xyz);
    return status;
}

// Every spelling below holds the points (1.5, 2, 3) and (-4, 5e2, 6.25).
static void check_two_points(const char *text) {
    check_ok(read_text(text));
    assert_int_equal(points.count, 2);
    check_near(points.x[0], 1.5, 0.0);
    check_near(points.y[0], 2.0, 0.0);
    check_near(points.z[0], 3.0, 0.0);
    check_near(points.x[1], -4.0, 0.0);
    check_near(points.y[1], 500.0, 0.0);
    check_near(points.z[1], 6.25, 0.0);
}

static void separators_and_line_ends_are_found_out(void **state) {
    (void)state;
    check_two_points("1.5 2 3\n-4 5e2 6.25\n");
    check_two_points("1.5\t2\t3\r\n-4\t5e2\t6.25\r\n");
    check_two_points("1.5,2,3\n-4,5e2,6.25");
    check_two_points("1.5, 2, 3\n-4, 5e2, 6.25\n");
    check_two_points("1.5;2;3;255;0;0\n-4;5e2;6.25;1;2;3\n");
    check_two_points("  1.5   2  3 \n\n -4  5e2 6.25\n");
}

static void headers_comments_and_counts_are_passed_over(void **state) {
    (void)state;
    check_two_points("X Y Z\n1.5 2 3\n-4 5e2 6.25\n");
    check_two_points("//X,Y,Z,Intensity\n1.5,2,3,7\n-4,5e2,6.25,8\n");
    check_two_points("# a comment\n2\n1.5 2 3\n# another\n-4 5e2 6.25\n");
    check_two_points("\"x\",\"y\",\"z\"\n1.5,2,3\n-4,5e2,6.25\n");
}

static void named_columns_are_taken_in_any_order(void **state) {
    (void)state;
    check_two_points("id,elevation,easting,northing\n1,3,1.5,2\n2,6.25,-4,5e2\n");
    check_ok(read_text("x;y;z;classification\n1;2;3;2\n1;2;3;5\n"));
    assert_int_equal(points.point_class[0], 2);
    assert_int_equal(points.point_class[1], 5);
}

static void decimal_comma_is_refused_with_a_hint(void **state) {
    (void)state;
    check_fails(read_text("1,5 2,0 3,0\n"), TAL_BAD_INPUT, "decimal comma");
    check_fails(read_text("1,5;2,0;3,0\n"), TAL_BAD_INPUT, "decimal points");
    check_fails(read_text("x;y;z\n1,5;2,0;3,0\n"), TAL_BAD_INPUT, "cloud.xyz:2");
    check_fails(read_text("1 2 3\n1 2,5 3\n"), TAL_BAD_INPUT, "decimal comma");
}

static void wrong_lines_are_named(void **state) {
    (void)state;
    check_fails(read_text("1 2 3\n4 5\n"), TAL_BAD_INPUT, "cloud.xyz:2: \"4 5\" has 2 columns");
    check_fails(read_text("1 2 3\n4 five 6\n"), TAL_BAD_INPUT, "cloud.xyz:2: \"five\"");
    check_fails(read_text("1 2 3\nnan 5 6\n"), TAL_BAD_INPUT, "not a number (x)");
    check_fails(read_text("1 2 3\n4 1e30 6\n"), TAL_BAD_INPUT, "y = 1e30 is not a coordinate");
    check_fails(read_text("1 2 3\n4 inf 6\n"), TAL_BAD_INPUT, "not a coordinate");
}

static void prose_is_not_taken_for_a_cloud(void **state) {
    (void)state;
    char text[2000] = "";
    for (int i = 0; i < 30; i++) {
        strcat(text, "once upon a time\n");
    }
    check_fails(read_text(text), TAL_BAD_INPUT, "is it a point cloud?");
}

static void line_without_end_is_refused(void **state) {
    (void)state;
    char *text = malloc(2000001);
    assert_non_null(text);
    memset(text, '7', 2000000);
    text[2000000] = '\0';
    check_fails(read_text(text), TAL_BAD_INPUT, "longer than");
    free(text);
}

static void empty_file_holds_no_points(void **state) {
    (void)state;
    check_ok(read_text(""));
    assert_int_equal(points.count, 0);
    check_ok(read_text("# nothing\n"));
    assert_int_equal(points.count, 0);
}

// Against strtod, which rounds correctly.
static void decimals_are_read_to_the_last_bit(void **state) {
    (void)state;
    static const char *const numbers[] = {
        "693150.123", "0.1",  "-0.000001", "123456789012345", "1638250.98765432", ".5",
        "5.",         "1e-5", "+7.25"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char line[128];
        snprintf(line, sizeof line, "%s 0 0\n", numbers[i]);
        if (fabs(strtod(numbers[i], NULL)) > 1e9) {
            continue;
        }
        check_ok(read_text(line));
        assert_true(points.x[0] == strtod(numbers[i], NULL));
    }
}

static void many_chunks_give_every_point_once(void **state) {
    (void)state;
    const size_t count = 150000;
    char *text = malloc(count * 24);
    assert_non_null(text);
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        length += (size_t)sprintf(text + length, "%zu %zu %zu\n", i, 2 * i, 3 * i);
    }
    tal_xyz *xyz = NULL;
    check_ok(tal_xyz_open_memory(&xyz, text, length, "cloud.xyz", &check_error));
    for (int pass = 0; pass < 2; pass++) {
        size_t seen = 0;
        do {
            check_ok(tal_xyz_read(xyz, &points, &check_error));
            for (size_t i = 0; i < points.count; i++, seen++) {
                assert_true(points.x[i] == (double)seen && points.z[i] == 3.0 * (double)seen);
            }
        } while (points.count > 0);
        assert_int_equal(seen, count);
        check_ok(tal_xyz_rewind(xyz, &check_error));
    }
    tal_xyz_close(xyz);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_and_line_ends_are_found_out),
        cmocka_unit_test(headers_comments_and_counts_are_passed_over),
        cmocka_unit_test(named_columns_are_taken_in_any_order),
        cmocka_unit_test(decimal_comma_is_refused_with_a_hint),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(prose_is_not_taken_for_a_cloud),
        cmocka_unit_test(line_without_end_is_refused),
        cmocka_unit_test(empty_file_holds_no_points),
        cmocka_unit_test(decimals_are_read_to_the_last_bit),
        cmocka_unit_test(many_chunks_give_every_point_once)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The LAS writer against an independent reading of its bytes.
#include "tests/support/check.h"

#include "core/base/fault.h"
#include "datasets/las_writer.h"
#include "tests/datasets/property/las.h"

static const tal_las_notes NOTES = {.wkt = "LOCAL_CS[\"test\"]",
                                    .creation_day = 74,
                                    .creation_year = 2010,
                                    .offset_x = 693150.0,
                                    .offset_y = 1638250.0,
                                    .offset_z = 0.0};

static const tal_las_point POINTS[] = {{.x = 693151.2344,
                                        .y = 1638260.0,
                                        .z = 612.5,
                                        .gps_time = -47303185.25,
                                        .scan_angle_deg = -17.994,
                                        .intensity = 65535,
                                        .strip = 3,
                                        .return_number = 1,
                                        .return_count = 2,
                                        .classification = TAL_LAS_HIGH_VEGETATION,
                                        .scan_direction = true},
                                       {.x = 693150.0,
                                        .y = 1638749.9996,
                                        .z = -3.25,
                                        .gps_time = 12.0,
                                        .scan_angle_deg = 28.0,
                                        .intensity = 7,
                                        .strip = 3,
                                        .return_number = 2,
                                        .return_count = 2,
                                        .classification = TAL_LAS_GROUND,
                                        .edge_of_line = true}};

static void write_points(const char *path, size_t count) {
    tal_las_writer writer;
    check_ok(tal_las_writer_open(&writer, path, &NOTES, TAL_REPLACE, &check_error));
    for (size_t i = 0; i < count; i++) {
        tal_las_writer_add(&writer, &POINTS[i]);
    }
    check_ok(tal_las_writer_commit(&writer, &check_error));
}

static void path_of(char path[512]) {
    snprintf(path, 512, "%s/points.las", check_scratch());
}

static void header_says_what_the_file_holds(void **state) {
    (void)state;
    char path[512];
    path_of(path);
    write_points(path, 2);
    las_file las = las_open(path);
    const size_t wkt_size = strlen(NOTES.wkt) + 1;
    assert_memory_equal(las.bytes, "LASF", 4);
    assert_int_equal(las_number(&las, 6, 2), 17); // adjusted GPS time, WKT
    assert_int_equal(las_number(&las, 24, 1), 1);
    assert_int_equal(las_number(&las, 25, 1), 4);
    assert_int_equal(las_number(&las, 90, 2), 74);
    assert_int_equal(las_number(&las, 92, 2), 2010);
    assert_int_equal(las_number(&las, 94, 2), 375);
    assert_int_equal(las.first, 375 + 54 + wkt_size);
    assert_int_equal(las_number(&las, 100, 4), 1);
    assert_int_equal(las_number(&las, 104, 1), 6);
    assert_int_equal(las_number(&las, 105, 2), 30);
    assert_int_equal(las_number(&las, 107, 4), 0); // legacy count
    assert_int_equal(las.count, 2);
    assert_int_equal(las_number(&las, 255, 8), 1);
    assert_int_equal(las_number(&las, 263, 8), 1);
    assert_int_equal(las_number(&las, 271, 8), 0);
    assert_int_equal(las.size, las.first + 60);
    las_close(&las);
}

static void coordinate_system_is_a_record_of_its_own(void **state) {
    (void)state;
    char path[512];
    path_of(path);
    write_points(path, 1);
    las_file las = las_open(path);
    assert_string_equal((const char *)las.bytes + 375 + 2, "LASF_Projection");
    assert_int_equal(las_number(&las, 375 + 18, 2), 2112);
    assert_int_equal(las_number(&las, 375 + 20, 2), strlen(NOTES.wkt) + 1);
    assert_string_equal((const char *)las.bytes + 375 + 54, NOTES.wkt);
    las_close(&las);
}

static void points_come_back_to_the_millimetre(void **state) {
    (void)state;
    char path[512];
    path_of(path);
    write_points(path, 2);
    las_file las = las_open(path);
    for (uint64_t i = 0; i < 2; i++) {
        const las_record record = las_get(&las, i);
        check_near(record.x, POINTS[i].x, 0.0005 + 1e-9);
        check_near(record.y, POINTS[i].y, 0.0005 + 1e-9);
        check_near(record.z, POINTS[i].z, 0.0005 + 1e-9);
        check_near(record.gps_time, POINTS[i].gps_time, 0.0);
        check_near(record.scan_angle_deg, POINTS[i].scan_angle_deg, 0.003 + 1e-9);
        assert_int_equal(record.intensity, POINTS[i].intensity);
        assert_int_equal(record.strip, POINTS[i].strip);
        assert_int_equal(record.return_number, POINTS[i].return_number);
        assert_int_equal(record.return_count, POINTS[i].return_count);
        assert_int_equal(record.classification, POINTS[i].classification);
    }
    assert_int_equal(las_number(&las, las.first + 15, 1), 1 << 6);
    assert_int_equal(las_number(&las, las.first + 30 + 15, 1), 1 << 7);
    las_close(&las);
}

static void bounds_are_those_of_the_stored_points(void **state) {
    (void)state;
    char path[512];
    path_of(path);
    write_points(path, 2);
    las_file las = las_open(path);
    const las_record a = las_get(&las, 0), b = las_get(&las, 1);
    check_near(las_real(&las, 179), a.x, 1e-9); // max, min of x, y, z in turn
    check_near(las_real(&las, 187), b.x, 1e-9);
    check_near(las_real(&las, 195), b.y, 1e-9);
    check_near(las_real(&las, 203), a.y, 1e-9);
    check_near(las_real(&las, 211), a.z, 1e-9);
    check_near(las_real(&las, 219), b.z, 1e-9);
    las_close(&las);
}

static void cloud_without_points_is_a_valid_file(void **state) {
    (void)state;
    char path[512];
    path_of(path);
    write_points(path, 0);
    las_file las = las_open(path);
    assert_int_equal(las.count, 0);
    assert_int_equal(las.size, las.first);
    check_near(las_real(&las, 179), 0.0, 0.0);
    las_close(&las);
}

static void full_disk_leaves_no_file(void **state) {
    (void)state;
    char path[512], part[520];
    path_of(path);
    snprintf(part, sizeof part, "%s.part", path);
    for (long nth = 1; nth <= 6; nth++) { // header, its text record twice, two points, header again
        tal_las_writer writer;
        check_ok(tal_las_writer_open(&writer, path, &NOTES, TAL_REPLACE, &check_error));
        tal_las_writer_discard(&writer);
        tal_fault_arm(TAL_FAULT_WRITE, nth, false);
        check_ok(tal_las_writer_open(&writer, path, &NOTES, TAL_REPLACE, &check_error));
        tal_las_writer_add(&writer, &POINTS[0]);
        tal_las_writer_add(&writer, &POINTS[1]);
        check_fails(tal_las_writer_commit(&writer, &check_error), TAL_IO, "points.las");
        tal_fault_disarm();
        tal_las_writer_discard(&writer);
        assert_null(fopen(path, "rb"));
        assert_null(fopen(part, "rb"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_says_what_the_file_holds),
        cmocka_unit_test(coordinate_system_is_a_record_of_its_own),
        cmocka_unit_test(points_come_back_to_the_millimetre),
        cmocka_unit_test(bounds_are_those_of_the_stored_points),
        cmocka_unit_test(cloud_without_points_is_a_valid_file),
        cmocka_unit_test(full_disk_leaves_no_file),
    };
    return cmocka_run_group_tests_name("dataset_las", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The LAS reader on files made byte by byte after the specification, whole and broken.
#include "tests/support/check.h"

#include "ingest/read/las_file.h"

enum { POINTS = 3 };
static const uint16_t lengths[11] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
static const char wkt[] = "PROJCRS[\"somewhere\"]";

typedef struct {
    uint8_t bytes[8192];
    size_t size;
} file;

static void put16(uint8_t *p, unsigned v) {
    p[0] = (uint8_t)(v & 255U);
    p[1] = (uint8_t)(v >> 8 & 255U);
}

static void put32(uint8_t *p, uint32_t v) {
    put16(p, v & 65535U);
    put16(p + 2, v >> 16);
}

static void put64(uint8_t *p, uint64_t v) {
    put32(p, (uint32_t)v);
    put32(p + 4, (uint32_t)(v >> 32));
}

static void put_real(uint8_t *p, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put64(p, bits);
}

static unsigned header_size(int minor) {
    return minor == 4 ? 375 : minor == 3 ? 235 : 227;
}

static void make_header(file *f, int minor, int format, unsigned extra) {
    memset(f, 0, sizeof *f);
    memcpy(f->bytes, "LASF", 4);
    f->bytes[24] = 1;
    f->bytes[25] = (uint8_t)minor;
    put16(f->bytes + 94, header_size(minor));
    put32(f->bytes + 96, header_size(minor));
    f->bytes[104] = (uint8_t)format;
    put16(f->bytes + 105, lengths[format] + extra);
    put32(f->bytes + 107, format < 6 ? POINTS : 0);
    for (int axis = 0; axis < 3; axis++) {
        put_real(f->bytes + 131 + 8 * axis, 0.01);
        put_real(f->bytes + 155 + 8 * axis, 1000.0 * (axis + 1));
    }
    if (minor == 4) {
        put64(f->bytes + 247, POINTS);
    }
    f->size = header_size(minor);
}

static void add_record(file *f, unsigned id, const void *content, unsigned length) {
    uint8_t *p = f->bytes + f->size;
    memcpy(p + 2, "LASF_Projection", 15);
    put16(p + 18, id);
    put16(p + 20, length);
    memcpy(p + 54, content, length);
    f->size += 54 + length;
    put32(f->bytes + 100, (uint32_t)f->bytes[100] + 1);
    put32(f->bytes + 96, (uint32_t)f->size);
}

// Point i: x = 1000 + i, y = 2000 - i, z = 3000 + i / 100; class i + 1; the second is the first of
// two returns; the third is withheld where `withheld`.
static void add_points(file *f, int format, unsigned extra, bool withheld) {
    for (int i = 0; i < POINTS; i++) {
        uint8_t *p = f->bytes + f->size;
        put32(p, (uint32_t)(100 * i));
        put32(p + 4, (uint32_t)(-100 * i));
        put32(p + 8, (uint32_t)i);
        const bool early = i == 1, hidden = withheld && i == 2;
        if (format >= 6) {
            p[14] = (uint8_t)(early ? 1 | 2 << 4 : 1 | 1 << 4);
            p[15] = hidden ? 4 : 0;
            p[16] = (uint8_t)(i + 1);
        } else {
            p[14] = (uint8_t)(early ? 1 | 2 << 3 : 1 | 1 << 3);
            p[15] = (uint8_t)((i + 1) | (hidden ? 128 : 0));
        }
        f->size += lengths[format] + extra;
    }
}

static tal_status open_file(tal_las **las, const file *f) {
    return tal_las_open_memory(las, f->bytes, f->size, "cloud.las", &check_error);
}

static void every_version_and_point_format_is_read(void **state) {
    (void)state;
    tal_points points;
    check_ok(tal_points_create(&points, &check_error));
    for (int minor = 0; minor <= 4; minor++) {
        for (int format = 0; format <= 10; format++) {
            for (unsigned extra = 0; extra <= 5; extra += 5) {
                if (format >= 6 && minor < 4) {
                    continue;
                }
                file f;
                tal_las *las = NULL;
                make_header(&f, minor, format, extra);
                add_points(&f, format, extra, false);
                check_ok(open_file(&las, &f));
                assert_int_equal(tal_las_get_header(las)->point_count, POINTS);
                assert_int_equal(tal_las_get_header(las)->extra_bytes, extra);
                check_ok(tal_las_read(las, &points, &check_error));
                assert_int_equal(points.count, POINTS);
                for (int i = 0; i < POINTS; i++) {
                    check_near(points.x[i], 1000.0 + i, 1e-9);
                    check_near(points.y[i], 2000.0 - i, 1e-9);
                    check_near(points.z[i], 3000.0 + 0.01 * i, 1e-9);
                    assert_int_equal(points.point_class[i], i + 1);
                    assert_int_equal(points.is_last[i], i != 1);
                }
                check_ok(tal_las_read(las, &points, &check_error));
                assert_int_equal(points.count, 0);
                tal_las_close(las);
            }
        }
    }
    tal_points_destroy(&points);
}

static void withheld_points_are_marked(void **state) {
    (void)state;
    static const int formats[] = {1, 6};
    tal_points points;
    check_ok(tal_points_create(&points, &check_error));
    for (int k = 0; k < 2; k++) {
        file f;
        tal_las *las = NULL;
        make_header(&f, 4, formats[k], 0);
        add_points(&f, formats[k], 0, true);
        check_ok(open_file(&las, &f));
        check_ok(tal_las_read(las, &points, &check_error));
        assert_int_equal(points.count, POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            assert_int_equal(tal_points_is_noise(&points, i), i == 2);
        }
        tal_las_close(las);
    }
    tal_points_destroy(&points);
}

static void coordinate_system_is_taken_from_wkt_and_from_keys(void **state) {
    (void)state;
    file f;
    tal_las *las = NULL;
    const uint8_t keys[] = {1, 0,  1, 0, 0, 0,  4,    0,    0, 4, 0,    0,
                            1, 0,  1, 0, 0, 12, 0,    0,    1, 0, 0x72, 0x15, // 3072: 5490
                            0, 16, 0, 0, 1, 0,  0x7C, 0x16,                   // 4096: 5756
                            3, 16, 0, 0, 1, 0,  0x2A, 0x23};                  // 4099: 9002
    make_header(&f, 2, 0, 0);
    add_record(&f, 34735, keys, sizeof keys);
    add_points(&f, 0, 0, false);
    check_ok(open_file(&las, &f));
    assert_string_equal(tal_las_get_header(las)->crs_definition, "EPSG:5490+5756");
    check_near(tal_las_get_header(las)->vertical_m, 0.3048, 0.0);
    tal_las_close(las);

    make_header(&f, 4, 6, 0);
    put16(f.bytes + 6, 16); // says that WKT counts
    add_record(&f, 34735, keys, sizeof keys);
    add_record(&f, 2112, wkt, sizeof wkt);
    add_points(&f, 6, 0, false);
    check_ok(open_file(&las, &f));
    assert_string_equal(tal_las_get_header(las)->crs_definition, wkt);
    assert_int_equal(tal_las_get_header(las)->vlr_count, 2);
    tal_las_close(las);
}

static void coordinate_system_after_the_points_is_found(void **state) {
    (void)state;
    file f;
    tal_las *las = NULL;
    make_header(&f, 4, 6, 0);
    put16(f.bytes + 6, 16);
    add_points(&f, 6, 0, false);
    put64(f.bytes + 235, f.size);
    put32(f.bytes + 243, 1);
    uint8_t *record = f.bytes + f.size;
    memcpy(record + 2, "LASF_Projection", 15);
    put16(record + 18, 2112);
    put64(record + 20, sizeof wkt);
    memcpy(record + 60, wkt, sizeof wkt);
    f.size += 60 + sizeof wkt;
    check_ok(open_file(&las, &f));
    assert_string_equal(tal_las_get_header(las)->crs_definition, wkt);
    assert_int_equal(tal_las_get_header(las)->evlr_count, 1);
    tal_las_close(las);
}

static void utm_spelled_out_in_keys_becomes_its_code(void **state) {
    (void)state;
    const uint16_t keys[] = {1, 1, 0, 3, 1024, 0, 1, 1, 2048, 0, 1, 4269, 3074, 0, 1, 16015};
    char definition[64], note[256] = "";
    double vertical_m;
    assert_true(tal_las_crs_from_keys(keys, 16, definition, sizeof definition, &vertical_m, note,
                                      sizeof note));
    assert_string_equal(definition, "EPSG:26915");
}

static void keys_without_a_code_are_said_not_guessed(void **state) {
    (void)state;
    const uint16_t keys[] = {1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32767};
    char definition[64], note[256] = "";
    double vertical_m;
    assert_false(tal_las_crs_from_keys(keys, 12, definition, sizeof definition, &vertical_m, note,
                                       sizeof note));
    assert_non_null(strstr(note, "without an EPSG code; name it in the site file"));
}

static void unit_of_the_map_is_read_beside_its_code(void **state) {
    (void)state;
    const uint16_t keys[] = {1, 1, 0, 2, 3072, 0, 1, 26910, 3076, 0, 1, 9003};
    check_near(tal_las_plan_unit_from_keys(keys, 12), 1200.0 / 3937.0, 0.0);
    check_near(tal_las_plan_unit_from_keys(keys, 8), 0.0, 0.0);
}

static void truncation_at_any_byte_is_refused(void **state) {
    (void)state;
    file f;
    make_header(&f, 2, 3, 0);
    add_record(&f, 2112, wkt, sizeof wkt);
    add_points(&f, 3, 0, false);
    const size_t whole = f.size;
    for (f.size = 0; f.size < whole; f.size++) {
        tal_las *las = NULL;
        tal_error_reset(&check_error);
        assert_int_not_equal(open_file(&las, &f), TAL_OK);
        assert_null(las);
        assert_int_equal(check_error.message_count, 1);
    }
}

static void wrong_count_of_records_is_noted_and_harmless(void **state) {
    (void)state;
    file f;
    tal_las *las = NULL;
    make_header(&f, 2, 0, 0);
    add_record(&f, 2112, wkt, sizeof wkt);
    put32(f.bytes + 100, 7);
    add_points(&f, 0, 0, false);
    check_ok(open_file(&las, &f));
    assert_non_null(strstr(tal_las_get_header(las)->note, "promises 7"));
    tal_las_close(las);
}

static void broken_headers_get_one_sentence_each(void **state) {
    (void)state;
    tal_las *las = NULL;
    file f;
    make_header(&f, 2, 0, 0);
    add_points(&f, 0, 0, false);
    file broken = f;
    broken.bytes[0] = 'X';
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "is not a LAS file");
    broken = f;
    broken.bytes[25] = 5;
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "talus reads 1.0 to 1.4");
    broken = f;
    broken.bytes[104] = 11;
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "point format 11");
    broken = f;
    put16(broken.bytes + 105, 12);
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "needs at least 20");
    broken = f;
    put_real(broken.bytes + 131, NAN);
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "scale of x");
    broken = f;
    put_real(broken.bytes + 163, INFINITY);
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "offset of y");
    broken = f;
    put32(broken.bytes + 96, 100);
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "inside its header");
    broken = f;
    put32(broken.bytes + 107, 1000);
    check_fails(open_file(&las, &broken), TAL_BAD_INPUT, "promises 1000 points, the file holds 3");
}

static void compressed_points_are_known_by_the_header(void **state) {
    (void)state;
    file f;
    tal_las *las = NULL;
    tal_points points;
    make_header(&f, 2, 0, 0);
    f.bytes[104] |= 0x80;
    add_points(&f, 0, 0, false);
    check_ok(open_file(&las, &f));
    assert_true(tal_las_get_header(las)->compressed);
    check_ok(tal_points_create(&points, &check_error));
    check_fails(tal_las_read(las, &points, &check_error), TAL_UNAVAILABLE, "pdal");
    tal_points_destroy(&points);
    tal_las_close(las);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_and_point_format_is_read),
        cmocka_unit_test(withheld_points_are_marked),
        cmocka_unit_test(coordinate_system_is_taken_from_wkt_and_from_keys),
        cmocka_unit_test(coordinate_system_after_the_points_is_found),
        cmocka_unit_test(utm_spelled_out_in_keys_becomes_its_code),
        cmocka_unit_test(keys_without_a_code_are_said_not_guessed),
        cmocka_unit_test(unit_of_the_map_is_read_beside_its_code),
        cmocka_unit_test(truncation_at_any_byte_is_refused),
        cmocka_unit_test(wrong_count_of_records_is_noted_and_harmless),
        cmocka_unit_test(broken_headers_get_one_sentence_each),
        cmocka_unit_test(compressed_points_are_known_by_the_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

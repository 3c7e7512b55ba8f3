// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures in both orders of bytes, read back by GDAL.
#include "core/geo/pixels.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

#include <gdal.h>

enum { COLUMNS = 5, ROWS = 3 };

static uint8_t value_of(int column, int row, int band) {
    return (uint8_t)(17 * column + 60 * row + 3 * band);
}

static void check_file(const char *path, int bands) {
    GDALDatasetH image = GDALOpen(path, GA_ReadOnly);
    assert_non_null(image);
    assert_int_equal(GDALGetRasterXSize(image), COLUMNS);
    assert_int_equal(GDALGetRasterYSize(image), ROWS);
    assert_int_equal(GDALGetRasterCount(image), bands);
    for (int band = 0; band < bands; band++) {
        uint8_t read[COLUMNS * ROWS];
        assert_int_equal(GDALRasterIO(GDALGetRasterBand(image, band + 1), GF_Read, 0, 0, COLUMNS,
                                      ROWS, read, COLUMNS, ROWS, GDT_Byte, 0, 0),
                         CE_None);
        for (int i = 0; i < COLUMNS * ROWS; i++) {
            assert_int_equal(read[i], value_of(i % COLUMNS, i / COLUMNS, band));
        }
    }
    GDALClose(image);
}

static void bands_one_after_another_become_a_file(void **state) {
    (void)state;
    uint8_t value[3 * COLUMNS * ROWS];
    for (int i = 0; i < 3 * COLUMNS * ROWS; i++) {
        const int cell = i % (COLUMNS * ROWS);
        value[i] = value_of(cell % COLUMNS, cell / COLUMNS, i / (COLUMNS * ROWS));
    }
    char path[512];
    snprintf(path, sizeof path, "%s/a.png", check_scratch());
    const tal_pixels pixels = {COLUMNS, ROWS, 3, TAL_PIXELS_BY_BAND, value};
    check_ok(tal_pixels_write_png(&pixels, path, TAL_KEEP_EXISTING, &check_error));
    check_file(path, 3);
    check_fails(tal_pixels_write_png(&pixels, path, TAL_KEEP_EXISTING, &check_error), TAL_EXISTS,
                "a.png");
    check_fails(tal_pixels_write_png(&pixels, "/nowhere/a.png", TAL_REPLACE, &check_error), TAL_IO,
                "/nowhere/a.png");
}

static void pixels_with_alpha_become_bytes(void **state) {
    (void)state;
    uint8_t value[4 * COLUMNS * ROWS];
    for (int i = 0; i < 4 * COLUMNS * ROWS; i++) {
        value[i] = value_of(i / 4 % COLUMNS, i / 4 / COLUMNS, i % 4);
    }
    const tal_pixels pixels = {COLUMNS, ROWS, 4, TAL_PIXELS_BY_PIXEL_OF_4, value};
    uint8_t *bytes = NULL;
    size_t count = 0;
    check_ok(tal_pixels_encode(&pixels, false, &bytes, &count, &check_error));
    char path[512];
    snprintf(path, sizeof path, "%s/b.png", check_scratch());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    check_file(path, 4);
    tal_memory_destroy(bytes);
    const tal_pixels opaque = {COLUMNS, ROWS, 3, TAL_PIXELS_BY_PIXEL_OF_4, value};
    check_ok(tal_pixels_encode(&opaque, true, &bytes, &count, &check_error));
    assert_true(count > 4 && bytes[0] == 0xff && bytes[1] == 0xd8); // JPEG's first marker
    tal_memory_destroy(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bands_one_after_another_become_a_file),
                                       cmocka_unit_test(pixels_with_alpha_become_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// One flipped bit of a GeoTIFF, before its cells or in deflated ones: the file is refused, or its cells are those that were written.
// Where it lies and in which system may change: that is for those to judge who compare it with others.
#define _POSIX_C_SOURCE 200809L
#include "core/geo/raster_file.h"
#include "geo_check.h"

#include <gdal.h>

enum { COLUMNS = 80, ROWS = 80, BANDS_MAX = 2 };

typedef struct {
    const char *name, *driver, *options[6];
    int bands, tile;
} kind;

static const kind KINDS[] = {
    {"strips", "GTiff", {"BLOCKYSIZE=25"}, 1, 1},
    {"two bands cell by cell", "GTiff", {"BLOCKYSIZE=25", "INTERLEAVE=PIXEL"}, 2, 1},
    {"two bands apart", "GTiff", {"BLOCKYSIZE=25", "INTERLEAVE=BAND"}, 2, 1},
    {"the other end first", "GTiff", {"BLOCKYSIZE=25", "ENDIANNESS=BIG"}, 1, 1},
    {"tiles", "GTiff", {"TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=32"}, 1, 32},
    {"BigTIFF", "GTiff", {"BLOCKYSIZE=25", "BIGTIFF=YES"}, 1, 1},
    {"deflated strips", "GTiff", {"BLOCKYSIZE=25", "COMPRESS=DEFLATE"}, 1, 1},
    {"deflated tiles",
     "GTiff",
     {"TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=32", "COMPRESS=DEFLATE", "PREDICTOR=3"},
     1,
     32},
    {"cloud optimized", "COG", {"BLOCKSIZE=128", "COMPRESS=NONE"}, 1, 128},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

// A rough slope; no two rows or columns are alike.
static GDALDatasetH make_in_memory(int bands) {
    GDALDatasetH set =
        GDALCreate(GDALGetDriverByName("MEM"), "", COLUMNS, ROWS, bands, GDT_Float32, NULL);
    double place[6] = {693000.0, 1.0, 0.0, 1638080.0, 0.0, -1.0};
    static float value[ROWS * COLUMNS];
    assert_non_null(set);
    for (int b = 0; b < bands; b++) {
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            const int row = i / COLUMNS, column = i % COLUMNS;
            value[i] = (float)(500 + 100 * b + 0.4 * row + sin(column * 0.2) * cos(row * 0.15) +
                               0.02 * sin(12.9 * column + 78.2 * row));
        }
        assert_int_equal(GDALRasterIO(GDALGetRasterBand(set, b + 1), GF_Write, 0, 0, COLUMNS, ROWS,
                                      value, COLUMNS, ROWS, GDT_Float32, 0, 0),
                         CE_None);
    }
    assert_int_equal(GDALSetGeoTransform(set, place), CE_None);
    return set;
}

// Returns where the first cells begin.
static size_t write_kind(const kind *k, const char *path) {
    GDALDatasetH memory = make_in_memory(k->bands);
    GDALDatasetH set = GDALCreateCopy(GDALGetDriverByName(k->driver), path, memory, FALSE,
                                      (char **)(uintptr_t)k->options, NULL, NULL);
    assert_non_null(set);
    GDALClose(memory);
    GDALClose(set);
    set = GDALOpen(path, GA_ReadOnly);
    const char *offset = GDALGetMetadataItem(GDALGetRasterBand(set, 1), "BLOCK_OFFSET_0_0", "TIFF");
    assert_non_null(offset);
    const size_t begin = (size_t)strtoul(offset, NULL, 10);
    GDALClose(set);
    return begin;
}

static void write_bytes(const char *path, const char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

// How far a picture goes into its last tiles is told by one number alone: there it may end elsewhere.
static bool same_cells(const tal_raster *a, const tal_raster *b, int tile) {
    const int32_t columns = b->grid.columns, rows = b->grid.rows;
    bool same = (columns + tile - 1) / tile == (COLUMNS + tile - 1) / tile &&
                (rows + tile - 1) / tile == (ROWS + tile - 1) / tile &&
                (tile > 1 || (columns == COLUMNS && rows == ROWS));
    for (int32_t row = 0; same && row < rows && row < ROWS; row++) {
        same = memcmp(a->value + row * COLUMNS, b->value + row * columns,
                      (size_t)(columns < COLUMNS ? columns : COLUMNS) * sizeof *a->value) == 0;
    }
    return same;
}

// All bits of the header, and those of every `stride`-th byte behind it; 0: none.
static void flip_bits(const kind *k, size_t stride) {
    const char *path = geo_path("whole.tif"), *flipped = geo_path("flipped.tif");
    char *bytes = NULL;
    size_t length = 0;
    int refused = 0, same = 0, wrong = 0;
    const size_t begin = write_kind(k, path);
    tal_raster whole, other;
    check_ok(tal_raster_read(&whole, path, &check_error));
    check_ok(tal_file_read(path, &bytes, &length, &check_error));
    const size_t end = stride > 0 ? length : begin;
    for (size_t bit = 0; bit < 8 * end; bit++) {
        if (bit / 8 >= begin && bit / 8 % stride != 0) {
            continue;
        }
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        write_bytes(flipped, bytes, length);
        tal_error_reset(&check_error);
        if (tal_raster_read(&other, flipped, &check_error) != TAL_OK) {
            refused++;
        } else if (same_cells(&whole, &other, k->tile)) {
            same++;
        } else {
            print_message("%s, byte %zu, bit %zu: other cells\n", k->name, bit / 8, bit % 8);
            wrong++;
        }
        tal_raster_destroy(&other);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
    print_message("%s: %zu bits of its header, %d refused, %d without effect on cells, %d wrong\n",
                  k->name, 8 * begin, refused, same, wrong);
    assert_true(begin > 150 && refused > 100);
    assert_int_equal(wrong, 0);
    tal_raster_destroy(&whole);
    tal_memory_destroy(bytes);
}

// Deflated cells carry a sum, others do not.
static void no_flipped_bit_of_a_header_or_of_deflated_cells_gives_other_cells(void **state) {
    (void)state;
    tal_gdal_init();
    for (int k = 0; k < KIND_COUNT; k++) {
        flip_bits(&KINDS[k], strncmp(KINDS[k].name, "deflated", 8) == 0 ? 37 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            no_flipped_bit_of_a_header_or_of_deflated_cells_gives_other_cells, geo_make_folder,
            geo_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

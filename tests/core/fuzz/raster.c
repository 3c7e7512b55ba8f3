// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of two GeoTIFF: read or refused, and no height that cannot be. The first byte chooses, mostly the
// small one in strips, as others write it; our own has tiles, which take ten times as long.
#include "core/geo/raster_file.h"
#include "tests/support/mutate.h"

#include <gdal.h>
#include <math.h>

enum { COLUMNS = 24, ROWS = 16, CELLS_MAX = 1 << 14 };

static mutant strips, tiles;

// libgeotiff takes a quarter of a megabyte for every file that it looks at. Pages of the system for it and back
// were half of the time: one such piece is kept.
void *_GTIFcalloc(size_t size);
void _GTIFFree(void *piece);

static struct {
    void *piece;
    size_t size;
    bool is_free;
} kept;

void *_GTIFcalloc(size_t size) {
    if (kept.is_free && size == kept.size) {
        kept.is_free = false;
        return memset(kept.piece, 0, size);
    }
    void *piece = calloc(1, size);
    if (kept.piece == NULL && size > 1 << 17) {
        kept.piece = piece;
        kept.size = size;
    }
    return piece;
}

void _GTIFFree(void *piece) {
    if (piece != NULL && piece == kept.piece) {
        kept.is_free = true;
    } else {
        free(piece);
    }
}

static void write_strips(const tal_raster *raster) {
    GDALDatasetH file =
        GDALCreate(GDALGetDriverByName("GTiff"), strips.path, COLUMNS, ROWS, 1, GDT_Float32, NULL);
    const double corner[] = {raster->grid.west, raster->grid.cell, 0, raster->grid.north, 0,
                             -raster->grid.cell};
    if (file == NULL || GDALSetGeoTransform(file, (double *)(uintptr_t)corner) != CE_None ||
        GDALRasterIO(GDALGetRasterBand(file, 1), GF_Write, 0, 0, COLUMNS, ROWS, raster->value,
                     COLUMNS, ROWS, GDT_Float32, 0, 0) != CE_None) {
        abort();
    }
    GDALClose(file);
}

// No other driver is asked whether a damaged file is one of its own.
static void keep_driver(const char *name) {
    for (int i = GDALGetDriverCount() - 1; i >= 0; i--) {
        GDALDriverH driver = GDALGetDriver(i);
        if (strcmp(GDALGetDriverShortName(driver), name) != 0) {
            GDALDeregisterDriver(driver);
            GDALDestroyDriver(driver);
        }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    tal_raster raster;
    const tal_grid grid = {
        .west = 7e5, .north = 1.6e6, .cell = 2, .columns = COLUMNS, .rows = ROWS};
    tal_gdal_init();
    mutant_begin(&strips, "strips.tif");
    mutant_begin(&tiles, "tiles.tif");
    mutant_need(tal_raster_create(&raster, &grid, &err), &err);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        raster.value[i] = i % 17 == 0 ? NAN : (float)(1000 + sin(i));
    }
    const tal_raster_notes notes = {.description = "elevation", .unit = "m", .provenance = "{}"};
    mutant_need(tal_raster_write(tiles.path, &raster, &notes, TAL_REPLACE, &err), &err);
    write_strips(&raster);
    tal_raster_destroy(&raster);
    mutant_take_seed(&tiles);
    mutant_take_seed(&strips);
    keep_driver("GTiff");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_raster raster;
    tal_raster_info info;
    if (size == 0) {
        return 0;
    }
    mutant *m = data[0] == 'T' ? &tiles : &strips;
    mutant_edit(m, data + 1, size - 1);
    mutant_write(m);
    if (tal_raster_info_read(&info, m->path, &err) == TAL_OK) {
        const bool is_small = (int64_t)info.columns * info.rows < CELLS_MAX;
        tal_raster_info_destroy(&info);
        if (is_small && tal_raster_read(&raster, m->path, &err) == TAL_OK) {
            for (size_t i = 0; i < tal_grid_cell_count(&raster.grid); i++) {
                if (fabsf(raster.value[i]) > 1e5f) {
                    abort();
                }
            }
            tal_raster_destroy(&raster);
        }
    }
    return 0;
}

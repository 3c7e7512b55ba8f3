// SPDX-License-Identifier: GPL-3.0-or-later
// Mutants of a GeoTIFF: read or refused, and no height that cannot be.
#include "core/geo/raster_file.h"
#include "tests/support/mutate.h"

#include <math.h>

static mutant m;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    tal_raster raster;
    const tal_grid grid = {.west = 7e5, .north = 1.6e6, .cell = 2, .columns = 24, .rows = 16};
    tal_gdal_init();
    mutant_begin(&m, "seed.tif");
    mutant_need(tal_raster_create(&raster, &grid, &err), &err);
    for (int i = 0; i < 24 * 16; i++) {
        raster.value[i] = i % 17 == 0 ? NAN : (float)(1000 + sin(i));
    }
    const tal_raster_notes notes = {.description = "elevation", .unit = "m", .provenance = "{}"};
    mutant_need(tal_raster_write(m.path, &raster, &notes, TAL_REPLACE, &err), &err);
    tal_raster_destroy(&raster);
    mutant_take_seed(&m);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    tal_raster raster;
    tal_raster_info info;
    mutant_edit(&m, data, size);
    mutant_write(&m);
    if (tal_raster_info_read(&info, m.path, &err) == TAL_OK) {
        const bool is_small = (int64_t)info.columns * info.rows < 1 << 22;
        tal_raster_info_destroy(&info);
        if (is_small && tal_raster_read(&raster, m.path, &err) == TAL_OK) {
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

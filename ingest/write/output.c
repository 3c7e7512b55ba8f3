// SPDX-License-Identifier: GPL-3.0-or-later
// Rasters of a study, and the check that they can be written at all.
#define _POSIX_C_SOURCE 200809L
#include "ingest/write/output.h"

#include "core/base/memory.h"
#include "core/geo/raster_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const output_names[] = {"before.tif",  "after.tif",  "bed.tif",     "dz.tif",
                                           "lod.tif",     "source.tif", "deposit.tif", "site.gpkg",
                                           "ingest.json", "ingest.png", "ingest.html", NULL};

tal_status tal_output_check(const char *folder, tal_overwrite overwrite, tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_folder_create(folder, err));
    if (access(folder, W_OK | X_OK) != 0) {
        return TAL_FAIL(err, TAL_IO,
                        "%s cannot be written to: %s; choose another folder with --out", folder,
                        strerror(errno));
    }
    for (int i = 0; output_names[i] != NULL && overwrite == TAL_KEEP_EXISTING; i++) {
        if (tal_path_join(path, folder, output_names[i]) && tal_file_exists(path)) {
            return TAL_FAIL(err, TAL_EXISTS,
                            "%s already exists. Use --overwrite to replace the "
                            "results in this folder, or choose another with --out",
                            path);
        }
    }
    return TAL_OK;
}

tal_grid tal_result_grid(const tal_ingest_result *result) {
    tal_grid grid = result->vertical->grid;
    grid.west += (double)result->site->study.origin.east;
    grid.north += (double)result->site->study.origin.north;
    return grid;
}

typedef struct {
    const char *name;
    const char *description;
    const float *value;
    double added;         // height of the origin, for elevations
    const tal_dem *basis; // what the elevations rest on, as further bands; NULL: one band
} layer;

enum { BASIS_BANDS = 3 };

static tal_status make_basis(const tal_dem *dem, tal_raster_band bands[BASIS_BANDS], float **memory,
                             tal_error *err) {
    const size_t cells = tal_grid_cell_count(&dem->grid);
    TAL_CREATE(*memory, BASIS_BANDS * cells, "the bands of a raster", err);
    float *count = *memory, *deviation = count + cells, *flag = deviation + cells;
    for (size_t i = 0; i < cells; i++) {
        const tal_cell_basis basis = tal_dem_basis(dem, i);
        count[i] = basis.count;
        deviation[i] = basis.deviation;
        flag[i] = basis.flag;
    }
    bands[0] = (tal_raster_band){count, "number of ground points in the cell", "1"};
    bands[1] = (tal_raster_band){deviation, "standard deviation about the local plane", "m"};
    bands[2] = (tal_raster_band){flag, "0 measured, 1 hole filled", "1"};
    return TAL_OK;
}

static tal_status write_layer(const tal_ingest_result *result, const layer *l, const tal_grid *grid,
                              const tal_crs *crs, const char *notes_text, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const size_t cells = tal_grid_cell_count(grid);
    tal_raster raster = {0};
    tal_raster_band bands[BASIS_BANDS];
    float *memory = NULL;
    tal_status status = TAL_OK;
    if (l->value == NULL) {
        return TAL_OK;
    }
    TAL_ASSERT(l->basis == NULL || tal_grid_cell_count(&l->basis->grid) == cells);
    if (!tal_path_join(path, result->folder, l->name)) {
        return TAL_FAIL(err, TAL_BAD_USAGE, "%s: the path is too long", result->folder);
    }
    TAL_TRY_OR_DONE(tal_raster_create(&raster, grid, err));
    for (size_t i = 0; i < cells; i++) {
        raster.value[i] = (float)((double)l->value[i] + l->added);
    }
    if (l->basis != NULL) {
        TAL_TRY_OR_DONE(make_basis(l->basis, bands, &memory, err));
    }
    const tal_raster_notes notes = {.crs = crs,
                                    .description = l->description,
                                    .unit = "m",
                                    .provenance = notes_text,
                                    .more = bands,
                                    .more_count = l->basis != NULL ? BASIS_BANDS : 0};
    TAL_TRY_OR_DONE(tal_raster_write(path, &raster, &notes, result->overwrite, err));
done:
    tal_raster_destroy(&raster);
    tal_memory_destroy(memory);
    return status;
}

// The face itself: x along it, y up it, values out of it; ingest.json holds the axes.
static tal_status write_cliff(const tal_ingest_result *result, const char *text, tal_error *err) {
    const tal_comparison *c = result->cliff;
    const layer layers[] = {
        {"cliff_before.tif", "distance from the cliff's plane before the event", c->before.z, 0.0,
         &c->before},
        {"cliff_after.tif", "distance from the cliff's plane after the event", c->after.z, 0.0,
         &c->after},
        {"cliff_dz.tif", "after minus before along the cliff's normal", c->change.dz, 0.0, NULL},
        {"cliff_lod.tif", "level of detection at 95 %", c->change.lod, 0.0, NULL}};
    tal_status status = TAL_OK;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0] && status == TAL_OK; i++) {
        status = write_layer(result, &layers[i], &c->grid, NULL, text, err);
    }
    return status;
}

tal_status tal_output_rasters(const tal_ingest_result *result, tal_error *err) {
    const tal_grid grid = tal_result_grid(result);
    const double height = (double)result->site->study.origin.height;
    const tal_comparison *v = result->vertical;
    const layer layers[] = {
        {"before.tif", "elevation of the ground before the event", v->before.z, height, &v->before},
        {"after.tif", "elevation of the ground after the event", v->after.z, height, &v->after},
        {"bed.tif", "elevation of the ground the blocks run over", result->layers->bed, height,
         NULL},
        {"dz.tif", "after minus before", v->change.dz, 0.0, NULL},
        {"lod.tif", "level of detection at 95 %", v->change.lod, 0.0, NULL},
        {"source.tif", "thickness lost in the source", result->layers->source, 0.0, NULL},
        {"deposit.tif", "thickness gained in the deposit", result->layers->deposit, 0.0, NULL}};
    char *text = tal_provenance_text(result->provenance);
    if (text == NULL) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the provenance");
    }
    tal_status status = TAL_OK;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0] && status == TAL_OK; i++) {
        status = write_layer(result, &layers[i], &grid, result->site->study.crs, text, err);
    }
    if (status == TAL_OK && result->cliff != NULL) {
        status = write_cliff(result, text, err);
    }
    cJSON_free(text);
    return status;
}

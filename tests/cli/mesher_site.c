// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the made-up site of the mesher's tests as talus-ingest would: mesher_site DIR [COLUMNS ROWS
// CELL SIZE].
#include "core/app/json.h"
#include "core/geo/raster_file.h"
#include "tests/unit/test_mesher_scene.h"

#include <stdio.h>
#include <stdlib.h>

static double source_volume(const test_site *site) {
    double sum = 0;
    const double area = site->source.grid.cell * site->source.grid.cell;
    for (size_t k = 0; k < tal_grid_cell_count(&site->source.grid); k++) {
        sum += (double)site->source.value[k] * area;
    }
    return sum;
}

static tal_status write_raster(const char *folder, const char *name, const tal_raster *raster,
                               const tal_crs *crs, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const tal_raster_notes notes = {.crs = crs, .description = name, .unit = "m"};
    (void)tal_path_join(path, folder, name);
    return tal_raster_write(path, raster, &notes, TAL_REPLACE, err);
}

static tal_status write_json(const char *folder, const test_site *site, const tal_crs *crs,
                             tal_error *err) {
    char path[TAL_PATH_SIZE];
    const tal_grid *grid = &site->bed.grid;
    cJSON *root = cJSON_CreateObject();
    cJSON *g = cJSON_AddObjectToObject(root, "grid");
    tal_json_add_number(g, "west_m", grid->west);
    tal_json_add_number(g, "north_m", grid->north);
    tal_json_add_number(g, "cell_m", grid->cell);
    tal_json_add_number(g, "columns", grid->columns);
    tal_json_add_number(g, "rows", grid->rows);
    cJSON_AddStringToObject(root, "crs", tal_crs_wkt(crs));
    cJSON *origin = cJSON_AddObjectToObject(root, "origin");
    tal_json_add_number(origin, "east_m", round(grid->west + grid->cell * grid->columns / 2));
    tal_json_add_number(origin, "north_m", round(grid->north - grid->cell * grid->rows / 2));
    tal_json_add_number(origin, "height_m", 480);
    tal_json_add_number(root, "epochs", 2);
    cJSON *source = cJSON_AddObjectToObject(root, "source");
    tal_json_add_number(source, "volume_m3", source_volume(site));
    (void)tal_path_join(path, folder, "ingest.json");
    const tal_status status = tal_json_write(path, root, TAL_REPLACE, err);
    cJSON_Delete(root);
    return status;
}

static tal_status write_site(const char *folder, const test_site *site, tal_error *err) {
    tal_crs *crs = NULL;
    tal_status status = TAL_OK;
    tal_gdal_init();
    TAL_TRY_OR_DONE(tal_folder_create(folder, err));
    TAL_TRY_OR_DONE(tal_crs_create(&crs, "local", "mesher_site", err));
    TAL_TRY_OR_DONE(write_raster(folder, "before.tif", &site->before, crs, err));
    TAL_TRY_OR_DONE(write_raster(folder, "bed.tif", &site->bed, crs, err));
    TAL_TRY_OR_DONE(write_raster(folder, "source.tif", &site->source, crs, err));
    TAL_TRY_OR_DONE(write_json(folder, site, crs, err));
done:
    tal_crs_destroy(crs);
    return status;
}

int main(int argc, char **argv) {
    tal_error err;
    test_site site = {0};
    tal_error_reset(&err);
    if (argc != 2 && argc != 6) {
        (void)fprintf(stderr, "mesher_site DIR [COLUMNS ROWS CELL SIZE]\n");
        return 2;
    }
    const bool is_sized = argc == 6;
    test_site_make(&site, is_sized ? atoi(argv[2]) : 700, is_sized ? atoi(argv[3]) : 500,
                   is_sized ? atof(argv[4]) : 1, is_sized ? atof(argv[5]) : 1);
    const tal_status status = write_site(argv[1], &site, &err);
    if (status != TAL_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    test_site_destroy(&site);
    return status == TAL_OK ? 0 : 1;
}

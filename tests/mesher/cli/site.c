// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a site as talus-ingest would: mesher_site DIR piton-marcel for the embedded one without its
// clouds, mesher_site DIR [COLUMNS ROWS CELL SIZE] for the made-up one of the mesher's tests.
#include "core/app/json.h"
#include "core/geo/raster_file.h"
#include "datasets/site_ground.h"
#include "tests/mesher/unit/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The exact surfaces on cells of 2 m, with a scatter of 5 cm as surveys leave it.
static tal_status make_piton_marcel(test_site *site, tal_error *err) {
    tal_site_ground *surface = NULL;
    const double cell = 2;
    const tal_random scatter = tal_random_stream(9, 0, "test/survey");
    TAL_TRY(tal_site_ground_create(&surface, TAL_SITE_PITON_MARCEL, err));
    const tal_site_frame frame = tal_site_ground_frame(surface);
    const tal_grid grid = {frame.west, frame.south + frame.height, cell,
                           (int32_t)(frame.width / cell), (int32_t)(frame.height / cell)};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_raster_create(&site->before, &grid, err));
    TAL_TRY_OR_DONE(tal_raster_create(&site->bed, &grid, err));
    TAL_TRY_OR_DONE(tal_raster_create(&site->source, &grid, err));
    for (size_t at = 0; at < tal_grid_cell_count(&grid); at++) {
        const double x = ((double)(at % (size_t)grid.columns) + 0.5) * cell;
        const double y = (grid.rows - (double)(at / (size_t)grid.columns) - 0.5) * cell;
        const double before = tal_site_ground_elevation(surface, TAL_BEFORE, x, y) +
                              0.05 * tal_random_normal(scatter, 2 * (uint64_t)at);
        double lost = tal_site_ground_loss(surface, x, y);
        lost = lost > 0.3 ? lost + 0.05 * tal_random_normal(scatter, 2 * (uint64_t)at + 1) : 0;
        site->before.value[at] = (float)before;
        site->bed.value[at] = (float)(before - lost);
        site->source.value[at] = site->before.value[at] - site->bed.value[at];
    }
done:
    tal_site_ground_destroy(surface);
    return status;
}

int main(int argc, char **argv) {
    tal_error err;
    test_site site = {0};
    tal_error_reset(&err);
    const bool is_demo = argc == 3 && strcmp(argv[2], "piton-marcel") == 0;
    const bool is_sized = argc == 6;
    if (argc != 2 && !is_sized && !is_demo) {
        (void)fprintf(stderr, "mesher_site DIR [piton-marcel | COLUMNS ROWS CELL SIZE]\n");
        return 2;
    }
    tal_status status = TAL_OK;
    if (is_demo) {
        status = make_piton_marcel(&site, &err);
    } else {
        test_site_make(&site, is_sized ? atoi(argv[2]) : 700, is_sized ? atoi(argv[3]) : 500,
                       is_sized ? atof(argv[4]) : 1, is_sized ? atof(argv[5]) : 1);
    }
    if (status == TAL_OK) {
        status = write_site(argv[1], &site, &err);
    }
    if (status != TAL_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    test_site_destroy(&site);
    return status == TAL_OK ? 0 : 1;
}

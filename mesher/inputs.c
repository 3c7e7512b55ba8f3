// SPDX-License-Identifier: GPL-3.0-or-later
// What talus-ingest left in the folder.
#include "mesher/stage.h"

#include "core/app/json.h"
#include "core/app/site_check.h"
#include "core/geo/raster_file.h"

#include <math.h>

static tal_status path_in(const tal_mesh_stage *stage, const char *name, char path[TAL_PATH_SIZE],
                          tal_error *err) {
    if (!tal_path_join(path, stage->folder, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s/%s: the path is too long", stage->folder, name);
    }
    return TAL_OK;
}

static tal_status missing_input(const char *path, tal_error *err) {
    return TAL_FAIL(err, TAL_NOT_FOUND,
                    "%s does not exist: run talus-ingest with the same --out first", path);
}

static tal_status read_raster(tal_mesh_stage *stage, const char *name, tal_raster *raster,
                              tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(path_in(stage, name, path, err));
    if (!tal_file_exists(path)) {
        return missing_input(path, err);
    }
    TAL_TRY(tal_provenance_add_input(&stage->provenance, path, err));
    TAL_TRY(tal_raster_read(raster, path, err));
    if (raster != &stage->bed && !tal_grid_equal(&raster->grid, &stage->bed.grid)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s and bed.tif do not share one grid; run talus-ingest again so that all "
                        "rasters come from the same study",
                        path);
    }
    return TAL_OK;
}

static tal_status take_json(tal_mesh_stage *stage, const cJSON *root, const char *path,
                            tal_error *err) {
    TAL_TRY(tal_json_number(root, "origin.east_m", path, &stage->origin[0], err));
    TAL_TRY(tal_json_number(root, "origin.north_m", path, &stage->origin[1], err));
    TAL_TRY(tal_json_number(root, "origin.height_m", path, &stage->origin[2], err));
    if (!tal_origin_is_possible(stage->origin)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its origin (%g, %g, %g) is impossible: the file is damaged; run "
                        "talus-ingest again",
                        path, stage->origin[0], stage->origin[1], stage->origin[2]);
    }
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(root, "source");
    const cJSON *volume = cJSON_GetObjectItemCaseSensitive(source, "volume_m3");
    stage->ingest_volume = cJSON_IsNumber(volume) ? volume->valuedouble : NAN;
    const cJSON *crs = cJSON_GetObjectItemCaseSensitive(root, "crs");
    if (!cJSON_IsString(crs)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: crs is missing; run talus-ingest again", path);
    }
    const char *definition = crs->valuestring[0] != '\0' ? crs->valuestring : "local";
    return tal_crs_create(&stage->crs, definition, path, err);
}

static tal_status read_json(tal_mesh_stage *stage, tal_error *err) {
    char path[TAL_PATH_SIZE];
    cJSON *root = NULL;
    TAL_TRY(path_in(stage, "ingest.json", path, err));
    if (!tal_file_exists(path)) {
        return missing_input(path, err);
    }
    TAL_TRY(tal_provenance_add_input(&stage->provenance, path, err));
    TAL_TRY(tal_json_read(path, &root, err));
    const tal_status status = take_json(stage, root, path, err);
    cJSON_Delete(root);
    return status;
}

static tal_status add_files(tal_mesh_stage *stage, const char *files, tal_error *err) {
    char path[TAL_PATH_SIZE];
    while (tal_settings_next_file(stage->settings, &files, path)) {
        TAL_TRY(tal_provenance_add_input(&stage->provenance, path, err));
    }
    return TAL_OK;
}

tal_status tal_mesh_read_inputs(tal_mesh_stage *stage, tal_error *err) {
    const tal_mesh_settings *mesh = &stage->settings->mesh;
    TAL_TRY(read_json(stage, err));
    TAL_TRY(read_raster(stage, "bed.tif", &stage->bed, err));
    stage->has_rock = tal_site_has_source(stage->settings);
    if (stage->has_rock) {
        TAL_TRY(read_raster(stage, "before.tif", &stage->before, err));
        TAL_TRY(read_raster(stage, "source.tif", &stage->source, err));
    } else if (mesh->blocks == TAL_BLOCKS_IMPORT) {
        TAL_TRY(add_files(stage, mesh->import, err));
    }
    return add_files(stage, mesh->ground_classes, err);
}

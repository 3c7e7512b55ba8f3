// SPDX-License-Identifier: GPL-3.0-or-later
// What the surveys say: reading the outputs of ingest.
#include "postproc/measure/surveyed.h"

#include "core/app/json.h"
#include "core/base/file.h"
#include "core/geo/raster_file.h"
#include "postproc/measure/deposit.h"

#include <math.h>

void tal_surveyed_destroy(tal_surveyed *survey) {
    cJSON_Delete(survey->checks);
    tal_raster *rasters[] = {&survey->before, &survey->after,  &survey->bed,    &survey->dz,
                             &survey->lod,    &survey->source, &survey->deposit};
    for (size_t i = 0; i < sizeof rasters / sizeof *rasters; i++) {
        tal_raster_destroy(rasters[i]);
    }
    tal_crs_destroy(survey->crs);
    *survey = (tal_surveyed){0};
}

static tal_status read_raster(tal_surveyed *survey, tal_raster *raster, const char *folder,
                              const char *name, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, folder, name)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s/%s: the path is too long", folder, name);
    }
    TAL_TRY(tal_raster_read(raster, path, err));
    if (survey->real_grid.columns == 0) {
        survey->real_grid = raster->grid;
    } else if (!tal_grid_equal(&survey->real_grid, &raster->grid)) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s: its grid (%d x %d cells of %g m) is not that of bed.tif (%d x %d cells "
            "of %g m); run talus-ingest again",
            path, (int)raster->grid.columns, (int)raster->grid.rows, raster->grid.cell,
            (int)survey->real_grid.columns, (int)survey->real_grid.rows, survey->real_grid.cell);
    }
    return TAL_OK;
}

// A scenario has no second epoch: its raster stays empty.
static tal_status read_or_leave_empty(tal_surveyed *survey, tal_raster *raster, const char *folder,
                                      const char *name, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (survey->epochs == 1 && tal_path_join(path, folder, name) && !tal_file_exists(path)) {
        return tal_raster_create(raster, &survey->real_grid, err);
    }
    return read_raster(survey, raster, folder, name, err);
}

static tal_status read_volume(const cJSON *root, const char *key, const char *file,
                              tal_volume_range *volume, tal_error *err) {
    *volume = (tal_volume_range){NAN, NAN, NAN};
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(root, key);
    if (!cJSON_IsObject(part)) {
        return TAL_OK;
    }
    char path[64];
    const char *const name[3] = {"volume_m3", "low_m3", "high_m3"};
    double *const value[3] = {&volume->volume, &volume->low, &volume->high};
    for (int i = 0; i < 3; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(part, name[i]);
        if (cJSON_IsNull(item)) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s.%s", key, name[i]);
        TAL_TRY(tal_json_number(root, path, file, value[i], err));
    }
    return TAL_OK;
}

static tal_status read_notes(tal_surveyed *survey, const cJSON *root, const char *file,
                             tal_error *err) {
    double epochs, origin[3];
    TAL_TRY(tal_json_number(root, "epochs", file, &epochs, err));
    TAL_TRY(tal_json_number(root, "origin.east_m", file, &origin[0], err));
    TAL_TRY(tal_json_number(root, "origin.north_m", file, &origin[1], err));
    TAL_TRY(tal_json_number(root, "origin.height_m", file, &origin[2], err));
    if (!tal_origin_is_possible(origin)) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its origin (%g, %g, %g) is impossible: the file is damaged; run "
                        "talus-ingest again",
                        file, origin[0], origin[1], origin[2]);
    }
    survey->epochs = epochs == 1.0 ? 1 : 2;
    survey->origin = tal_origin_near(origin[0], origin[1], origin[2]);
    TAL_TRY(read_volume(root, "source", file, &survey->source_volume, err));
    TAL_TRY(read_volume(root, "deposit", file, &survey->deposit_volume, err));
    const cJSON *crs = cJSON_GetObjectItemCaseSensitive(root, "crs");
    const char *definition =
        cJSON_IsString(crs) && crs->valuestring[0] != '\0' ? crs->valuestring : "local";
    return tal_crs_create(&survey->crs, definition, file, err);
}

static tal_status read_all(tal_surveyed *survey, const char *folder, tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, folder, "ingest.json")) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: the path is too long", folder);
    }
    cJSON *root = NULL;
    TAL_TRY(tal_json_read(path, &root, err));
    const tal_status status = read_notes(survey, root, path, err);
    survey->checks = cJSON_DetachItemFromObjectCaseSensitive(root, "checks");
    cJSON_Delete(root);
    TAL_TRY(status);
    TAL_TRY(read_raster(survey, &survey->bed, folder, "bed.tif", err));
    TAL_TRY(read_or_leave_empty(survey, &survey->before, folder, "before.tif", err));
    TAL_TRY(read_or_leave_empty(survey, &survey->after, folder, "after.tif", err));
    TAL_TRY(read_or_leave_empty(survey, &survey->dz, folder, "dz.tif", err));
    TAL_TRY(read_or_leave_empty(survey, &survey->lod, folder, "lod.tif", err));
    TAL_TRY(read_or_leave_empty(survey, &survey->deposit, folder, "deposit.tif", err));
    TAL_TRY(read_raster(survey, &survey->source, folder, "source.tif", err));
    survey->grid = survey->real_grid;
    survey->grid.west -= (double)survey->origin.east;
    survey->grid.north -= (double)survey->origin.north;
    return TAL_OK;
}

tal_status tal_surveyed_read(tal_surveyed *survey, const char *folder, tal_error *err) {
    *survey = (tal_surveyed){0};
    const tal_status status = read_all(survey, folder, err);
    if (status != TAL_OK) {
        tal_surveyed_destroy(survey);
    }
    return status;
}

bool tal_surveyed_is_valid(const tal_surveyed *survey, size_t cell) {
    return isfinite(survey->before.value[cell]) && isfinite(survey->after.value[cell]) &&
           isfinite(survey->bed.value[cell]) && isfinite(survey->lod.value[cell]);
}

bool tal_surveyed_has_deposit(const tal_surveyed *survey, size_t cell) {
    return tal_surveyed_is_valid(survey, cell) &&
           tal_thickness_is_deposit((double)survey->deposit.value[cell],
                                    (double)survey->lod.value[cell]);
}

double tal_surveyed_cell_area(const tal_surveyed *survey) {
    return survey->grid.cell * survey->grid.cell;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of the posterior: with which probability a place is reached, and buried, when every setting
// that explains the deposit counts with its weight.
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/geo/raster_file.h"
#include "pipelines/calibrate/calibrate.h"
#include "pipelines/engine/study_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *file;   // of each run
    const char *target; // of the study, before the name of the site
    const char *words;
    bool above_detection; // counts where it exceeds the level of detection, else where it exceeds 0
} map_kind;

static const map_kind kinds[] = {
    {"reach.tif", "reach_probability", "probability of reach over the posterior", false},
    {"thickness.tif", "deposit_probability", "probability of a deposit over the posterior", true},
};

// Adds the cells of one run; the first makes the map. A run without the raster is left out.
static tal_status add_run(const tal_calibration *c, const map_kind *kind,
                          const tal_run_answer *answer, double weight, tal_raster *map,
                          double *total, tal_error *err) {
    char folder[TAL_PATH_SIZE], path[TAL_PATH_SIZE], detection[TAL_PATH_SIZE];
    tal_raster one = {0}, lod = {0};
    TAL_TRY(tal_study_result(&c->runner->study, TAL_CHAIN_POST, answer->keys.text[TAL_CHAIN_POST],
                             folder, err));
    if (!tal_path_join(path, folder, kind->file) || !tal_path_join(detection, folder, "lod.tif") ||
        !tal_file_exists(path)) {
        return TAL_OK;
    }
    tal_status status = tal_raster_read(&one, path, err);
    if (status == TAL_OK && kind->above_detection && tal_file_exists(detection)) {
        status = tal_raster_read(&lod, detection, err);
    }
    if (status == TAL_OK && map->value == NULL) {
        status = tal_raster_create(map, &one.grid, err);
        for (size_t i = 0; status == TAL_OK && i < tal_grid_cell_count(&map->grid); i++) {
            map->value[i] = 0;
        }
    }
    if (status == TAL_OK && tal_grid_equal(&map->grid, &one.grid)) {
        const bool has_lod = lod.value != NULL && tal_grid_equal(&lod.grid, &one.grid);
        for (size_t i = 0; i < tal_grid_cell_count(&map->grid); i++) {
            const float least = has_lod && lod.value[i] > 0 ? lod.value[i] : 0;
            map->value[i] += one.value[i] > least ? (float)weight : 0; // NaN: not there
        }
        *total += weight;
    }
    tal_raster_destroy(&one);
    tal_raster_destroy(&lod);
    return status;
}

static tal_status add_runs(const tal_calibration *c, const map_kind *kind, int site,
                           tal_raster *map, double *total, tal_error *err) {
    for (int i = 0; i < c->point_count; i++) {
        for (int seed = 0; seed < c->how->seeds && c->posterior.weight[i] > 0; seed++) {
            const tal_run_answer *answer = tal_calibration_answer(c, i, site, seed);
            if (answer->done) {
                TAL_TRY(add_run(c, kind, answer, c->posterior.weight[i] / (double)c->how->seeds,
                                map, total, err));
            }
        }
    }
    return TAL_OK;
}

static tal_status write_map(const tal_calibration *c, const map_kind *kind, int site,
                            const tal_raster *map, tal_error *err) {
    char folder[TAL_PATH_SIZE], example[TAL_PATH_SIZE], path[TAL_PATH_SIZE], name[512];
    tal_raster_info info = {0};
    tal_crs *crs = NULL;
    const tal_run_answer *best = tal_calibration_answer(c, c->best, site, 0);
    snprintf(name, sizeof name, c->judge_count > 1 ? "%s-%s.tif" : "%s.tif", kind->target,
             c->sites.site[site].name);
    TAL_TRY(tal_study_path(&c->runner->study, path, ".", name, err));
    TAL_TRY(tal_study_result(&c->runner->study, TAL_CHAIN_POST, best->keys.text[TAL_CHAIN_POST],
                             folder, err));
    if (!tal_path_join(example, folder, kind->file) || !tal_file_exists(example)) {
        return TAL_OK;
    }
    tal_status status = tal_raster_info_read(&info, example, err);
    if (status == TAL_OK) {
        status = tal_crs_create(&crs, info.crs_definition != NULL ? info.crs_definition : "local",
                                example, err);
    }
    if (status == TAL_OK) {
        const tal_raster_notes notes = {.crs = crs, .description = kind->words, .unit = "1"};
        status = tal_raster_write(path, map, &notes, TAL_REPLACE, err);
    }
    tal_crs_destroy(crs);
    tal_raster_info_destroy(&info);
    return status;
}

static tal_status make_map(const tal_calibration *c, const map_kind *kind, int site,
                           tal_error *err) {
    tal_raster map = {0};
    double total = 0;
    tal_status status = add_runs(c, kind, site, &map, &total, err);
    if (status == TAL_OK && total > 0) {
        for (size_t i = 0; i < tal_grid_cell_count(&map.grid); i++) {
            map.value[i] /= (float)total;
        }
        status = write_map(c, kind, site, &map, err);
    }
    tal_raster_destroy(&map);
    return status;
}

tal_status tal_calibration_write_maps(const tal_calibration *c, tal_error *err) {
    tal_gdal_init();
    for (int site = 0; site < c->judge_count; site++) {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            TAL_TRY(make_map(c, &kinds[i], site, err));
        }
    }
    return TAL_OK;
}

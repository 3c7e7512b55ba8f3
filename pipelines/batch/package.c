// SPDX-License-Identifier: GPL-3.0-or-later
// One GeoPackage with all sites of a batch, in longitude and latitude: surveyed sources and
// deposits, simulated deposits, and the scores of all runs.
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/geo/geopackage.h"
#include "pipelines/batch/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *layer;  // in our file
    const char *file;   // in the run's folder
    const char *source; // layer there
    bool each_run;      // else once per site
} outline_kind;

static const outline_kind kinds[] = {
    {"source", "site.gpkg", "source", false},
    {"deposit", "site.gpkg", "deposit", false},
    {"simulated", "result.gpkg", "simulated_outline", true},
};
static const tal_field outline_fields[] = {
    {"site", TAL_FIELD_TEXT}, {"variation", TAL_FIELD_TEXT}, {"run", TAL_FIELD_TEXT}};

static const tal_run_answer *answer_of(const tal_batch_runs *batch, int site, int variation) {
    return &batch->answer[site * batch->variations->count + variation];
}

static tal_status add_polygons(tal_geopackage *package, const tal_polygons *polygons,
                               const tal_field_value *values, tal_error *err) {
    const tal_geometry geometry = {.x = polygons->x,
                                   .y = polygons->y,
                                   .ring_count = polygons->polygon_start[polygons->polygon_count],
                                   .ring_start = polygons->ring_start,
                                   .polygon_count = polygons->polygon_count,
                                   .polygon_start = polygons->polygon_start};
    return tal_geopackage_add_feature(package, &geometry, values, err);
}

// A site without outlines, or in a scanner's own coordinates, is no reason to lose the others.
static tal_status add_outline(tal_geopackage *package, const tal_batch_runs *batch,
                              const outline_kind *kind, int site, int variation,
                              const tal_crs *world, tal_batch_place *place, tal_error *err) {
    const char *key = answer_of(batch, site, variation)->keys.text[TAL_CHAIN_POST];
    char folder[TAL_PATH_SIZE], path[TAL_PATH_SIZE], name[TAL_SETTING_TEXT_SIZE];
    TAL_TRY(tal_study_result(batch->study, TAL_CHAIN_POST, key, folder, err));
    if (!tal_path_join(path, folder, kind->file) || !tal_file_exists(path)) {
        return TAL_OK;
    }
    tal_error *why = NULL;
    TAL_CREATE(why, 1, "messages", err);
    tal_error_reset(why);
    tal_polygons polygons = {0};
    tal_status status = tal_polygons_read(&polygons, path, kind->source, NULL, why);
    if (status == TAL_OK && polygons.polygon_count > 0 && polygons.crs_definition != NULL) {
        status = tal_polygons_to_crs(&polygons, world, path, why);
    }
    if (status != TAL_OK) {
        tal_log_debug("no %s of %s: %s", kind->layer, batch->sites->site[site].name, why->text);
        status = TAL_OK;
    } else if (polygons.polygon_count > 0 && polygons.crs_definition != NULL) {
        tal_variations_name(batch->variations, variation, name, sizeof name);
        const tal_field_value values[] = {{.text = batch->sites->site[site].name},
                                          {.text = kind->each_run ? name : NULL},
                                          {.text = kind->each_run ? key : NULL}};
        place[site] = (tal_batch_place){true, {polygons.x[0], polygons.y[0]}};
        status = add_polygons(package, &polygons, values, err);
    }
    tal_polygons_destroy(&polygons);
    tal_memory_destroy(why);
    return status;
}

static tal_status add_outlines(tal_geopackage *package, const tal_batch_runs *batch,
                               const outline_kind *kind, const tal_crs *world,
                               tal_batch_place *place, tal_error *err) {
    TAL_TRY(tal_geopackage_add_layer(package, kind->layer, TAL_GEOMETRY_MULTIPOLYGON, world,
                                     outline_fields, 3, NULL, err));
    for (int site = 0; site < batch->sites->count; site++) {
        bool found = false;
        for (int variation = 0; variation < batch->variations->count; variation++) {
            if (answer_of(batch, site, variation)->done && (kind->each_run || !found)) {
                TAL_TRY(add_outline(package, batch, kind, site, variation, world, place, err));
                found = true;
            }
        }
    }
    return TAL_OK;
}

static tal_status add_scores(tal_geopackage *package, const tal_batch_runs *batch, tal_error *err) {
    enum { WORDS = 4 };
    tal_field fields[WORDS + TAL_SHEET_COUNT] = {{"site", TAL_FIELD_TEXT},
                                                 {"variation", TAL_FIELD_TEXT},
                                                 {"run", TAL_FIELD_TEXT},
                                                 {"reason", TAL_FIELD_TEXT}};
    for (int i = 0; i < TAL_SHEET_COUNT; i++) {
        fields[WORDS + i] = (tal_field){tal_sheet_names[i], TAL_FIELD_REAL};
    }
    TAL_TRY(tal_geopackage_add_layer(package, "runs", TAL_GEOMETRY_NONE, NULL, fields,
                                     WORDS + TAL_SHEET_COUNT, NULL, err));
    for (int i = 0; i < batch->sites->count * batch->variations->count; i++) {
        const tal_run_answer *answer = &batch->answer[i];
        char name[TAL_SETTING_TEXT_SIZE];
        tal_variations_name(batch->variations, i % batch->variations->count, name, sizeof name);
        tal_field_value values[WORDS + TAL_SHEET_COUNT] = {
            {.text = batch->sites->site[i / batch->variations->count].name},
            {.text = name},
            {.text = answer->keys.text[TAL_CHAIN_POST]},
            {.text = answer->reason[0] != '\0' ? answer->reason : NULL}};
        for (int k = 0; k < TAL_SHEET_COUNT; k++) {
            values[WORDS + k].real = answer->done ? answer->sheet.value[k] : NAN;
        }
        TAL_TRY(tal_geopackage_add_feature(package, NULL, values, err));
    }
    return TAL_OK;
}

tal_status tal_batch_write_package(const tal_batch_runs *batch, const char *path,
                                   tal_batch_place *place, tal_error *err) {
    tal_crs *world = NULL;
    tal_geopackage *package = NULL;
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_crs_create(&world, "EPSG:4326", "sites.gpkg", err));
    TAL_TRY_OR_DONE(tal_geopackage_create(&package, path, TAL_REPLACE, err));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        TAL_TRY_OR_DONE(add_outlines(package, batch, &kinds[i], world, place, err));
    }
    TAL_TRY_OR_DONE(add_scores(package, batch, err));
    TAL_TRY_OR_DONE(tal_geopackage_commit(&package, err));
done:
    tal_geopackage_discard(&package);
    tal_crs_destroy(world);
    return status;
}

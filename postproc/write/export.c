// SPDX-License-Identifier: GPL-3.0-or-later
// Further files for other programs.
#include "postproc/write/export.h"

#include "core/base/log.h"
#include "core/geo/raster_file.h"
#include "postproc/write/kml.h"
#include "postproc/write/maps.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <gdal_utils.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <string.h>

typedef tal_status writer(const tal_back_analysis *a, const tal_output_place *place,
                          tal_error *err);

static tal_status written_path(const tal_output_place *place, const char *name,
                               char written[TAL_PATH_SIZE], tal_error *err) {
    char path[TAL_PATH_SIZE];
    TAL_TRY(tal_output_path(place, name, path, err));
    tal_file_written_path(path, written);
    return TAL_OK;
}

static tal_status open_layers(GDALDatasetH *layers, const tal_output_place *place, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_gdal_init();
    TAL_TRY(written_path(place, "result.gpkg", path, err));
    *layers = GDALOpenEx(path, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
    return *layers != NULL ? TAL_OK : TAL_FAIL(err, TAL_IO, "%s cannot be read", path);
}

static char *const SHAPES[] = {"source_outline", "simulated_outline", "surveyed_outline", "blocks",
                               "block_points",   "trajectories",      "flow_line"};

// shapefile/: a file a layer. Names of fields are cut to ten characters by the format.
static tal_status write_shapefiles(const tal_back_analysis *a, const tal_output_place *place,
                                   tal_error *err) {
    char path[TAL_PATH_SIZE];
    GDALDatasetH layers;
    (void)a;
    TAL_TRY(written_path(place, "shapefile", path, err));
    TAL_TRY(open_layers(&layers, place, err));
    // The format stores the day it was written on: the same results are the same bytes.
    char *arguments[16] = {"-f", "ESRI Shapefile", "-skipfailures", "-lco",
                           "DBF_DATE_LAST_UPDATE=1980-01-01"};
    int count = 5;
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        if (GDALDatasetGetLayerByName(layers, SHAPES[i]) != NULL) {
            arguments[count++] = SHAPES[i];
        }
    }
    GDALVectorTranslateOptions *options = GDALVectorTranslateOptionsNew(arguments, NULL);
    CPLPushErrorHandler(CPLQuietErrorHandler); // a word on every name that is cut
    GDALDatasetH made =
        options != NULL ? GDALVectorTranslate(path, NULL, 1, &layers, options, NULL) : NULL;
    const bool good = made != NULL;
    if (made != NULL) {
        GDALClose(made);
    }
    CPLPopErrorHandler();
    GDALVectorTranslateOptionsFree(options);
    GDALClose(layers);
    return good ? TAL_OK : TAL_FAIL(err, TAL_IO, "%s cannot be written", path);
}

static bool copy_to_drawing(OGRLayerH target, OGRLayerH source) {
    const char *name = OGR_L_GetName(source);
    OGRFeatureH feature;
    bool good = true;
    OGR_L_ResetReading(source);
    while (good && (feature = OGR_L_GetNextFeature(source)) != NULL) {
        OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
        OGRFeatureH drawn = OGR_F_Create(OGR_L_GetLayerDefn(target));
        OGR_F_SetFieldString(drawn, OGR_F_GetFieldIndex(drawn, "Layer"), name);
        if (geometry != NULL) {
            (void)OGR_F_SetGeometry(drawn, geometry);
            good = OGR_L_CreateFeature(target, drawn) == OGRERR_NONE;
        }
        OGR_F_Destroy(drawn);
        OGR_F_Destroy(feature);
    }
    return good;
}

// result.dxf: every layer of the GeoPackage with a geometry is a layer of the drawing.
static tal_status write_drawing(const tal_back_analysis *a, const tal_output_place *place,
                                tal_error *err) {
    char path[TAL_PATH_SIZE];
    GDALDatasetH layers;
    (void)a;
    TAL_TRY(written_path(place, "result.dxf", path, err));
    TAL_TRY(open_layers(&layers, place, err));
    GDALDriverH driver = GDALGetDriverByName("DXF");
    GDALDatasetH drawing =
        driver != NULL ? GDALCreate(driver, path, 0, 0, 0, GDT_Unknown, NULL) : NULL;
    OGRLayerH target = drawing != NULL
                           ? GDALDatasetCreateLayer(drawing, "entities", NULL, wkbUnknown, NULL)
                           : NULL;
    bool good = target != NULL;
    for (int i = 0; i < GDALDatasetGetLayerCount(layers) && good; i++) {
        OGRLayerH layer = GDALDatasetGetLayer(layers, i);
        good = OGR_L_GetGeomType(layer) == wkbNone || copy_to_drawing(target, layer);
    }
    if (drawing != NULL) {
        GDALClose(drawing);
    }
    GDALClose(layers);
    return good ? TAL_OK : TAL_FAIL(err, TAL_IO, "%s cannot be written", path);
}

void tal_export_append_grid(tal_text *text, const tal_raster *values, const tal_grid *grid) {
    tal_text_append(text,
                    "ncols %d\nnrows %d\nxllcorner %.6f\nyllcorner %.6f\ncellsize %.9g\n"
                    "NODATA_value -9999\n",
                    (int)grid->columns, (int)grid->rows, grid->west,
                    grid->north - grid->rows * grid->cell, grid->cell);
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const float value = values->value[(size_t)row * (size_t)grid->columns + (size_t)column];
            if (isfinite(value)) {
                tal_text_append(text, "%.7g", (double)value);
            } else {
                tal_text_append(text, "-9999");
            }
            tal_text_append(text, column + 1 < grid->columns ? " " : "\n");
        }
    }
}

// The coordinate system as ESRI writes it, beside each grid.
static tal_status write_projection(const char *name, const tal_back_analysis *a,
                                   const tal_output_place *place, tal_error *err) {
    OGRSpatialReferenceH crs = OSRNewSpatialReference(tal_crs_horizontal_wkt(a->survey.crs));
    char *words = NULL;
    tal_status status = TAL_OK;
    if (crs != NULL && OSRMorphToESRI(crs) == OGRERR_NONE &&
        OSRExportToWkt(crs, &words) == OGRERR_NONE) {
        status = tal_output_write_text(place, name, words, strlen(words), err);
    }
    CPLFree(words);
    OSRDestroySpatialReference(crs);
    return status;
}

// ascii/: the maps of the simulation as ESRI grids.
static tal_status write_grids(const tal_back_analysis *a, const tal_output_place *place,
                              tal_error *err) {
    tal_map list[TAL_MAPS_MAX];
    const int count = tal_maps_list(a, list);
    tal_gdal_init();
    for (int i = 0; i < count; i++) {
        char name[96];
        tal_text text = {0};
        tal_export_append_grid(&text, list[i].raster, &a->survey.real_grid);
        (void)snprintf(name, sizeof name, "ascii/%s.asc", list[i].name);
        TAL_TRY(tal_output_write_made(place, name, &text, TAL_OK, err));
        if (!tal_crs_get_info(a->survey.crs)->is_local) {
            (void)snprintf(name, sizeof name, "ascii/%s.prj", list[i].name);
            TAL_TRY(write_projection(name, a, place, err));
        }
    }
    return TAL_OK;
}

static const struct {
    const char *word;
    writer *write;
} FORMATS[] = {{"kml", tal_kml_write},
               {"shapefile", write_shapefiles},
               {"dxf", write_drawing},
               {"ascii", write_grids}};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

// The next word of a list parted by commas or blanks; false at its end.
static bool next_word(const char **cursor, char word[32]) {
    *cursor += strspn(*cursor, ", \t");
    const size_t length = strcspn(*cursor, ", \t");
    (void)snprintf(word, 32, "%.*s", (int)length, *cursor);
    *cursor += length;
    return length > 0;
}

static int find_format(const char *word) {
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(word, FORMATS[i].word) == 0) {
            return i;
        }
    }
    return -1;
}

tal_status tal_export_check(const tal_settings *settings, tal_error *err) {
    const char *cursor = settings->report.export;
    char word[32];
    while (next_word(&cursor, word)) {
        if (find_format(word) < 0) {
            (void)tal_error_add(err, TAL_BAD_SETTING,
                                "[report] export: %s is not a format; there are kml, shapefile, "
                                "dxf and ascii",
                                word);
        }
    }
    return err->status;
}

tal_status tal_export_write(const tal_back_analysis *a, const tal_output_place *place,
                            tal_error *err) {
    const char *cursor = place->settings->report.export;
    char word[32];
    while (next_word(&cursor, word)) {
        tal_log_info("writing %s", word);
        TAL_TRY(FORMATS[find_format(word)].write(a, place, err));
    }
    return TAL_OK;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Rasters on disk by GDAL: any format in, Cloud Optimized GeoTIFF out.
#include "core/geo/raster_file.h"

#include "core/app/results.h"
#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/gdal_log.h"
#include "core/geo/tiff_layout.h"
#include "core/geo/write_failure.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// GeoTIFF has no place for some systems (a map projection with heights above the ellipsoid): GDAL
// would put them into a second file, PATH.aux.xml, that gets lost. They go into this metadata item,
// and as much as GeoTIFF can hold is written the usual way for other programs.
static const char crs_item[] = "TALUS_CRS";

static tal_status open_raster(GDALDatasetH *dataset, const char *path, tal_tiff_extent what,
                              tal_error *err) {
    TAL_TRY(tal_results_check_file(path, NULL, err));
    TAL_TRY(tal_tiff_check(path, what, err));
    tal_gdal_log log;
    tal_gdal_log_begin(&log);
    *dataset = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL,
                          NULL, NULL);
    tal_gdal_log_end();
    if (*dataset == NULL) {
        return tal_gdal_open_failed(&log, path, "a raster", err);
    }
    const int bands = GDALGetRasterCount(*dataset);
    if (bands < 1 || GDALDataTypeIsComplex(GDALGetRasterDataType(GDALGetRasterBand(*dataset, 1)))) {
        GDALClose(*dataset);
        *dataset = NULL;
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s has no band of real numbers%s", path,
                        bands < 1 ? ". If it holds several rasters, name one of them" : "");
    }
    return TAL_OK;
}

// Metres per unit by the names that files use; 0 when there is none or it is not known.
static double metres_per_unit(const char *unit) {
    static const struct {
        const char *name;
        double metres;
    } known[] = {
        {"m", 1.0},
        {"metre", 1.0},
        {"metres", 1.0},
        {"meter", 1.0},
        {"meters", 1.0},
        {"cm", 0.01},
        {"centimetre", 0.01},
        {"centimeter", 0.01},
        {"mm", 0.001},
        {"millimetre", 0.001},
        {"millimeter", 0.001},
        {"dm", 0.1},
        {"km", 1000.0},
        {"ft", 0.3048},
        {"foot", 0.3048},
        {"feet", 0.3048},
        {"international foot", 0.3048},
        {"us survey foot", 1200.0 / 3937.0},
        {"us survey feet", 1200.0 / 3937.0},
        {"us-ft", 1200.0 / 3937.0},
        {"ftus", 1200.0 / 3937.0},
        {"us_survey_foot", 1200.0 / 3937.0},
        {"foot_us", 1200.0 / 3937.0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcasecmp(unit, known[i].name) == 0) {
            return known[i].metres;
        }
    }
    return 0.0;
}

// False where the file does not say it, or a damaged one says what is no number.
static bool get_place(GDALDatasetH dataset, double g[6]) {
    bool is_placed = GDALGetGeoTransform(dataset, g) == CE_None;
    for (int i = 0; i < 6; i++) {
        is_placed = is_placed && isfinite(g[i]);
    }
    return is_placed;
}

static bool is_north_up_square(const double g[6], int32_t rows) {
    // Cells that are square up to the rounding of their size: over the whole raster the rows drift
    // by less than a thousandth of a cell.
    return g[1] > 0.0 && g[5] < 0.0 && g[2] == 0.0 && g[4] == 0.0 &&
           fabs(g[1] + g[5]) * rows <= 1e-3 * g[1];
}

static tal_status copy_text(char **copy, const char *text, tal_error *err) {
    const size_t size = strlen(text) + 1;
    TAL_CREATE(*copy, size, "a coordinate system", err);
    memcpy(*copy, text, size);
    return TAL_OK;
}

static tal_status copy_crs(GDALDatasetH dataset, char **definition, tal_error *err) {
    static const char *const options[] = {"FORMAT=WKT2_2019", "MULTILINE=NO", NULL};
    const char *noted = GDALGetMetadataItem(dataset, crs_item, NULL);
    if (noted != NULL) {
        return copy_text(definition, noted, err);
    }
    const OGRSpatialReferenceH crs = GDALGetSpatialRef(dataset);
    char *wkt = NULL;
    tal_status status = TAL_OK;
    if (crs != NULL && OSRExportToWktEx(crs, &wkt, options) == OGRERR_NONE && wkt[0] != '\0') {
        status = copy_text(definition, wkt, err);
    }
    CPLFree(wkt);
    return status;
}

static tal_status fill_info(tal_raster_info *info, GDALDatasetH dataset, tal_error *err) {
    *info = (tal_raster_info){.columns = GDALGetRasterXSize(dataset),
                              .rows = GDALGetRasterYSize(dataset)};
    if (get_place(dataset, info->geotransform)) {
        info->is_north_up_square = is_north_up_square(info->geotransform, info->rows);
    }
    const char *unit = GDALGetRasterUnitType(GDALGetRasterBand(dataset, 1));
    snprintf(info->value_unit, sizeof info->value_unit, "%s", unit != NULL ? unit : "");
    info->value_m = metres_per_unit(info->value_unit);
    return copy_crs(dataset, &info->crs_definition, err);
}

tal_status tal_raster_info_read(tal_raster_info *info, const char *path, tal_error *err) {
    *info = (tal_raster_info){0};
    GDALDatasetH dataset = NULL;
    TAL_TRY(open_raster(&dataset, path, TAL_TIFF_HEADER, err));
    tal_gdal_log log;
    tal_gdal_log_begin(&log);
    const tal_status status = fill_info(info, dataset, err);
    GDALClose(dataset);
    tal_gdal_log_end();
    return status;
}

void tal_raster_info_destroy(tal_raster_info *info) {
    if (info != NULL) {
        tal_memory_destroy(info->crs_definition);
        info->crs_definition = NULL;
    }
}

// GDAL makes room for a whole block before it reads any of it. One much larger than the raster is that of
// a damaged header.
static tal_status check_block(GDALRasterBandH band, const tal_raster *raster, const char *path,
                              tal_error *err) {
    int columns = 0, rows = 0;
    GDALGetBlockSize(band, &columns, &rows);
    // Bands that are stored together are read together.
    const double block = (double)columns * rows * GDALGetRasterCount(GDALGetBandDataset(band));
    return block <= 4.0 * fmax((double)tal_grid_cell_count(&raster->grid), 1 << 23)
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT,
                          "%s is damaged: its tiles of %d by %d cells are larger than it is", path,
                          columns, rows);
}

// One row in file order: scale and offset as the file states them, masked cells as NaN.
static bool read_row(GDALRasterBandH band, GDALRasterBandH mask, int row, int columns,
                     double *values, unsigned char *valid, float *target) {
    if (GDALRasterIO(band, GF_Read, 0, row, columns, 1, values, columns, 1, GDT_Float64, 0, 0) !=
            CE_None ||
        GDALRasterIO(mask, GF_Read, 0, row, columns, 1, valid, columns, 1, GDT_Byte, 0, 0) !=
            CE_None) {
        return false;
    }
    int has_scale = 0;
    int has_offset = 0;
    const double scale = GDALGetRasterScale(band, &has_scale);
    const double offset = GDALGetRasterOffset(band, &has_offset);
    for (int i = 0; i < columns; i++) {
        const double stored = has_scale != 0 ? values[i] * scale : values[i];
        const float value = (float)(has_offset != 0 ? stored + offset : stored);
        target[i] = valid[i] != 0 && isfinite(value) ? value : NAN;
    }
    return true;
}

// Heights, thicknesses and classes are all far below this, in metres or feet; a flipped bit or a value
// for "no data" that the file does not declare is mostly far above.
static const float VALUE_MAX = 1e5f;

static tal_status check_row(const float *value, int32_t row, int columns, const char *path,
                            tal_error *err) {
    for (int column = 0; column < columns; column++) {
        if (fabsf(value[column]) > VALUE_MAX) {
            char text[32];
            snprintf(text, sizeof text, fabsf(value[column]) < 1e12f ? "%.0f" : "%g",
                     (double)value[column]);
            return TAL_FAIL(
                err, TAL_BAD_INPUT,
                "%s: %s in row %d, column %d cannot be right: values must be below %.0f. The file "
                "is damaged, or is in centimetres or millimetres instead of metres, or does not "
                "declare its no-data value: gdal_edit.py -a_nodata VALUE adds it",
                path, text, row, column, (double)VALUE_MAX);
        }
    }
    return TAL_OK;
}

static tal_status read_cells(tal_raster *raster, GDALDatasetH dataset, const char *path,
                             tal_error *err) {
    tal_status status = TAL_OK;
    const int columns = raster->grid.columns;
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    GDALRasterBandH mask = GDALGetMaskBand(band);
    double *values = NULL;
    unsigned char *valid = NULL;
    tal_gdal_log log;
    tal_gdal_log_begin(&log);
    TAL_TRY_OR_DONE(check_block(band, raster, path, err));
    TAL_CREATE_OR_DONE(values, (size_t)columns, "a row of a raster", err);
    TAL_CREATE_OR_DONE(valid, (size_t)columns, "a row of a raster", err);
    for (int32_t row = 0; row < raster->grid.rows; row++) {
        float *target = raster->value + (size_t)row * (size_t)columns;
        if (!read_row(band, mask, row, columns, values, valid, target)) {
            status = TAL_FAIL(err, TAL_BAD_INPUT, "%s is damaged or incomplete (row %d): %s", path,
                              row, tal_gdal_log_text(&log));
            goto done;
        }
        TAL_TRY_OR_DONE(check_row(target, row, columns, path, err));
    }
done:
    tal_gdal_log_end();
    tal_memory_destroy(values);
    tal_memory_destroy(valid);
    return status;
}

static tal_status read_grid(tal_grid *grid, GDALDatasetH dataset, const char *path,
                            tal_error *err) {
    double g[6] = {0};
    const int32_t rows = GDALGetRasterYSize(dataset);
    tal_gdal_log log;
    tal_gdal_log_begin(&log);
    const bool placed = get_place(dataset, g);
    tal_gdal_log_end();
    if (!placed) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s does not say where it lies: it has no georeference, or a damaged one. Add "
            "one with gdal_translate -a_ullr",
            path);
    }
    if (!is_north_up_square(g, rows)) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s is not north-up with square cells (%g by %g, rotation %g, %g). Bring it "
            "to such a grid with gdalwarp -tr SIZE SIZE",
            path, g[1], -g[5], g[2], g[4]);
    }
    *grid = (tal_grid){.west = g[0],
                       .north = g[3],
                       .cell = g[1],
                       .columns = GDALGetRasterXSize(dataset),
                       .rows = rows};
    return TAL_OK;
}

tal_status tal_raster_read(tal_raster *raster, const char *path, tal_error *err) {
    *raster = (tal_raster){0};
    GDALDatasetH dataset = NULL;
    TAL_TRY(open_raster(&dataset, path, TAL_TIFF_WHOLE, err));
    tal_status status = TAL_OK;
    tal_grid grid;
    TAL_TRY_OR_DONE(read_grid(&grid, dataset, path, err));
    TAL_TRY_OR_DONE(tal_raster_create(raster, &grid, err));
    TAL_TRY_OR_DONE(read_cells(raster, dataset, path, err));
done:
    if (status != TAL_OK) {
        tal_raster_destroy(raster);
    }
    GDALClose(dataset);
    return status;
}

// How much of the coordinate system is written the usual way.
typedef enum { WHOLE_CRS, HORIZONTAL_CRS, NO_CRS, CRS_FORM_COUNT } crs_form;

static bool set_crs(GDALDatasetH dataset, const tal_crs *crs, crs_form form) {
    if (crs == NULL || tal_crs_get_info(crs)->is_local) {
        return true;
    }
    if (form != WHOLE_CRS &&
        GDALSetMetadataItem(dataset, crs_item, tal_crs_wkt(crs), NULL) != CE_None) {
        return false;
    }
    if (form == NO_CRS) {
        return true;
    }
    OGRSpatialReferenceH reference =
        OSRNewSpatialReference(form == WHOLE_CRS ? tal_crs_wkt(crs) : tal_crs_horizontal_wkt(crs));
    bool good = reference != NULL;
    if (good) {
        OSRSetAxisMappingStrategy(reference, OAMS_TRADITIONAL_GIS_ORDER);
        good = GDALSetSpatialRef(dataset, reference) == CE_None;
        OSRDestroySpatialReference(reference);
    }
    return good;
}

// GDAL takes the address of the cells as text: no second copy of them is made.
static bool add_band(GDALDatasetH dataset, const tal_raster_band *band) {
    char pointer[64] = "DATAPOINTER=";
    const size_t used = strlen(pointer);
    const int length = CPLPrintPointer(pointer + used, (void *)(uintptr_t)band->value,
                                       (int)(sizeof pointer - used - 1));
    pointer[used + (size_t)length] = '\0';
    const char *const options[] = {pointer, NULL};
    if (GDALAddBand(dataset, GDT_Float32, (char **)(uintptr_t)options) != CE_None) {
        return false;
    }
    GDALRasterBandH added = GDALGetRasterBand(dataset, GDALGetRasterCount(dataset));
    if (band->description != NULL) {
        GDALSetDescription(added, band->description);
    }
    return GDALSetRasterNoDataValue(added, (double)NAN) == CE_None &&
           (band->unit == NULL || GDALSetRasterUnitType(added, band->unit) == CE_None);
}

static bool add_bands(GDALDatasetH dataset, const tal_raster *raster,
                      const tal_raster_notes *notes) {
    const tal_raster_band first = {raster->value, notes->description, notes->unit};
    bool good = add_band(dataset, &first);
    for (int i = 0; i < notes->more_count && good; i++) {
        good = add_band(dataset, &notes->more[i]);
    }
    return good;
}

static bool annotate(GDALDatasetH dataset, const tal_grid *grid, const tal_raster_notes *notes,
                     crs_form form) {
    double transform[6] = {grid->west, grid->cell, 0.0, grid->north, 0.0, -grid->cell};
    return GDALSetGeoTransform(dataset, transform) == CE_None &&
           set_crs(dataset, notes->crs, form) &&
           (notes->provenance == NULL ||
            GDALSetMetadataItem(dataset, "TALUS_PROVENANCE", notes->provenance, NULL) == CE_None);
}

static GDALDatasetH create_in_memory(const tal_raster *raster, const tal_raster_notes *notes,
                                     crs_form form) {
    GDALDriverH driver = GDALGetDriverByName("MEM");
    GDALDatasetH dataset = driver != NULL ? GDALCreate(driver, "", raster->grid.columns,
                                                       raster->grid.rows, 0, GDT_Float32, NULL)
                                          : NULL;
    if (dataset != NULL &&
        !(add_bands(dataset, raster, notes) && annotate(dataset, &raster->grid, notes, form))) {
        GDALClose(dataset);
        dataset = NULL;
    }
    return dataset;
}

// The same bytes on every machine: one thread, no date. Averages make no heights that are not
// there.
static bool write_cog(const char *part, GDALDatasetH source) {
    static const char *const options[] = {"COMPRESS=DEFLATE",
                                          "PREDICTOR=YES",
                                          "OVERVIEWS=AUTO",
                                          "BLOCKSIZE=256", // small studies get overviews, too
                                          "OVERVIEW_RESAMPLING=AVERAGE",
                                          "NUM_THREADS=1",
                                          "BIGTIFF=IF_SAFER",
                                          NULL};
    GDALDriverH driver = GDALGetDriverByName("COG");
    GDALDatasetH copy = driver != NULL ? GDALCreateCopy(driver, part, source, FALSE,
                                                        (char **)(uintptr_t)options, NULL, NULL)
                                       : NULL;
    if (copy == NULL) {
        return false;
    }
    GDALFlushCache(copy);
    GDALClose(copy);
    return true;
}

// What the COG driver may leave beside its file when it fails or has something to add. True if it
// had something to add.
static bool remove_leftovers(const char *part) {
    static const char *const suffixes[] = {".aux.xml", ".ovr.tmp", ".msk.ovr.tmp", ".ovr", ".msk"};
    char path[TAL_PATH_SIZE + 16];
    bool had_aux = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(path, sizeof path, "%s%s", part, suffixes[i]);
        const bool removed = remove(path) == 0;
        had_aux = had_aux || (i == 0 && removed);
    }
    return had_aux;
}

// Writes the part; false with the reason in the log. `complete` is false when GDAL had to put
// something into a second file.
static bool write_part(const char *part, const tal_raster *raster, const tal_raster_notes *notes,
                       crs_form form, bool *complete, tal_gdal_log *log) {
    tal_gdal_log_begin(log);
    GDALDatasetH source = create_in_memory(raster, notes, form);
    const bool written = source != NULL && write_cog(part, source);
    if (source != NULL) {
        GDALClose(source);
    }
    tal_gdal_log_end();
    *complete = !remove_leftovers(part);
    // The close of GDAL 3.6 returns nothing: a failure in it is known by its message alone.
    return written && log->failure_count == 0 && !tal_fault_strikes(TAL_FAULT_WRITE);
}

tal_status tal_raster_write(const char *path, const tal_raster *raster,
                            const tal_raster_notes *notes, tal_overwrite overwrite,
                            tal_error *err) {
    char part[TAL_PATH_SIZE];
    TAL_TRY(tal_part_begin(path, overwrite, part, err));
    bool complete = false;
    for (int form = WHOLE_CRS; !complete && form < CRS_FORM_COUNT; form++) {
        tal_gdal_log log;
        if (!write_part(part, raster, notes, (crs_form)form, &complete, &log)) {
            tal_part_discard(path);
            return tal_write_failed(err, path, "a GeoTIFF", tal_gdal_log_text(&log));
        }
    }
    if (!complete) {
        tal_part_discard(path);
        return tal_write_failed(err, path, "a GeoTIFF", "GDAL wants a second file for it");
    }
    return tal_part_commit(path, err);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Rasters whose parts are edited: sizes, places, types, units, values, masks, a call that fails. GDAL is a stand-in
// that holds one good raster as numbers; bytes of real files are edited by raster.c. What is read must be what was
// stored.
#include "core/geo/raster_file.h"
#include "tests/support/mutate.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <limits.h>
#include <math.h>
#include <ogr_srs_api.h>

enum { CELLS = 64, EDIT_BYTES = 5, EDITS_MAX = 16, MEMORY_MAX = 1 << 14, TEXT_MAX = 400 };

typedef enum { CALL_OPEN, CALL_PLACE, CALL_VALUES, CALL_MASK, CALL_EXPORT, CALLS } call;

static struct {
    int columns, rows, bands, block[2];
    GDALDataType type;
    double place[6], scale, offset;
    int has_scale, has_offset;
    const char *unit, *noted, *system; // NULL: none
    double value[CELLS];               // again and again where there are more cells
    GByte mask[CELLS];
    int calls_left[CALLS]; // until one fails; negative: none does
} file;

static char long_text[TEXT_MAX];

static void take_seed(void) {
    memset(&file, 0, sizeof file);
    file.columns = 5;
    file.rows = 4;
    file.bands = 1;
    file.block[0] = 5;
    file.block[1] = 1;
    file.type = GDT_Float32;
    memcpy(file.place, (const double[]){7e5, 2, 0, 1.6e6, 0, -2}, sizeof file.place);
    file.unit = "m";
    for (int i = 0; i < CELLS; i++) {
        file.value[i] = 1000.0 + i;
        file.mask[i] = 255;
    }
    for (int k = 0; k < CALLS; k++) {
        file.calls_left[k] = -1;
    }
}

static double pick_number(uint8_t kind, uint8_t choice) {
    static const double special[] = {0,      -0.0,  1,    -1,       1e5,       -1e5,
                                     100001, 1e38,  NAN,  INFINITY, -INFINITY, 1e300,
                                     5e-324, 1e-30, 4e38, -1e300,   2e-3,      99999.9};
    return kind % 2 == 0 ? special[choice % (sizeof special / sizeof *special)] : choice / 4.0;
}

static int pick_size(uint8_t kind, uint8_t choice) {
    static const int special[] = {1, 65535, 65536, 1 << 20, 1 << 30, INT_MAX};
    return kind % 4 == 0 ? special[choice % (sizeof special / sizeof *special)] : 1 + choice % 40;
}

static const char *pick_text(uint8_t choice) {
    static const char *const text[] = {
        NULL, "", "ft", "US survey foot", "parsec", long_text, "LOCAL_CS[\"here\"]"};
    return text[choice % (sizeof text / sizeof *text)];
}

static void edit(const uint8_t *e) {
    switch (e[0] % 14) {
    case 0:
        file.columns = pick_size(e[2], e[3]);
        break;
    case 1:
        file.rows = pick_size(e[2], e[3]);
        break;
    case 2:
        file.bands = e[2] % 4;
        break;
    case 3:
        file.block[e[1] % 2] = pick_size(e[2], e[3]);
        break;
    case 4:
        file.type = e[2] % 2 == 0 ? GDT_CFloat32 : GDT_Int16;
        break;
    case 5:
        file.place[e[1] % 6] = pick_number(e[2], e[3]);
        break;
    case 6:
        file.scale = pick_number(e[2], e[3]);
        file.has_scale = e[4] % 2;
        break;
    case 7:
        file.offset = pick_number(e[2], e[3]);
        file.has_offset = e[4] % 2;
        break;
    case 8:
        file.unit = pick_text(e[2]);
        break;
    case 9:
        file.noted = pick_text(e[2]);
        break;
    case 10:
        file.system = pick_text(e[2]);
        break;
    case 11:
        file.mask[e[1] % CELLS] = e[2];
        break;
    case 12:
        file.calls_left[e[1] % CALLS] = e[2] % 16;
        break;
    default:
        file.value[e[1] % CELLS] = pick_number(e[2], e[3]);
    }
}

// With words, as GDAL has them.
static bool fails(call c) {
    if (file.calls_left[c] < 0 || file.calls_left[c]-- > 0) {
        return false;
    }
    CPLError(CE_Failure, CPLE_AppDefined, "%s\nmore", c % 2 == 0 ? long_text : "not today");
    return true;
}

// ---- The library: as far as it is called to read -----------------------------------------------

static char dataset, band, mask, system_text; // only their addresses count
static int open_count;

GDALDatasetH __wrap_GDALOpenEx(const char *path, unsigned flags, const char *const *drivers,
                               const char *const *options, const char *const *siblings);
void __wrap_GDALClose(GDALDatasetH set);
int __wrap_GDALGetRasterCount(GDALDatasetH set);
GDALRasterBandH __wrap_GDALGetRasterBand(GDALDatasetH set, int number);
GDALDataType __wrap_GDALGetRasterDataType(GDALRasterBandH of);
int __wrap_GDALGetRasterXSize(GDALDatasetH set);
int __wrap_GDALGetRasterYSize(GDALDatasetH set);
CPLErr __wrap_GDALGetGeoTransform(GDALDatasetH set, double *place);
const char *__wrap_GDALGetRasterUnitType(GDALRasterBandH of);
const char *__wrap_GDALGetMetadataItem(GDALMajorObjectH of, const char *name, const char *domain);
OGRSpatialReferenceH __wrap_GDALGetSpatialRef(GDALDatasetH set);
OGRErr __wrap_OSRExportToWktEx(OGRSpatialReferenceH of, char **text, const char *const *options);
void __wrap_GDALGetBlockSize(GDALRasterBandH of, int *columns, int *rows);
GDALDatasetH __wrap_GDALGetBandDataset(GDALRasterBandH of);
GDALRasterBandH __wrap_GDALGetMaskBand(GDALRasterBandH of);
double __wrap_GDALGetRasterScale(GDALRasterBandH of, int *has);
double __wrap_GDALGetRasterOffset(GDALRasterBandH of, int *has);
CPLErr __wrap_GDALRasterIO(GDALRasterBandH of, GDALRWFlag flag, int x, int y, int columns, int rows,
                           void *data, int data_columns, int data_rows, GDALDataType type,
                           int pixel_space, int line_space);

static void need(bool holds) {
    if (!holds) {
        abort();
    }
}

GDALDatasetH __wrap_GDALOpenEx(const char *path, unsigned flags, const char *const *drivers,
                               const char *const *options, const char *const *siblings) {
    (void)path, (void)flags, (void)drivers, (void)options, (void)siblings;
    if (fails(CALL_OPEN)) {
        return NULL;
    }
    open_count++;
    return &dataset;
}

void __wrap_GDALClose(GDALDatasetH set) {
    need(set == &dataset);
    open_count--;
}

int __wrap_GDALGetRasterCount(GDALDatasetH set) {
    need(set == &dataset);
    return file.bands;
}

GDALRasterBandH __wrap_GDALGetRasterBand(GDALDatasetH set, int number) {
    need(set == &dataset);
    return number >= 1 && number <= file.bands ? &band : NULL;
}

GDALDataType __wrap_GDALGetRasterDataType(GDALRasterBandH of) {
    need(of == &band);
    return file.type;
}

int __wrap_GDALGetRasterXSize(GDALDatasetH set) {
    need(set == &dataset);
    return file.columns;
}

int __wrap_GDALGetRasterYSize(GDALDatasetH set) {
    need(set == &dataset);
    return file.rows;
}

CPLErr __wrap_GDALGetGeoTransform(GDALDatasetH set, double *place) {
    need(set == &dataset);
    const bool is_placed = !fails(CALL_PLACE);
    memcpy(place, is_placed ? file.place : (const double[]){0, 1, 0, 0, 0, 1}, sizeof file.place);
    return is_placed ? CE_None : CE_Failure;
}

const char *__wrap_GDALGetRasterUnitType(GDALRasterBandH of) {
    need(of == &band);
    return file.unit;
}

const char *__wrap_GDALGetMetadataItem(GDALMajorObjectH of, const char *name, const char *domain) {
    (void)name, (void)domain;
    need(of == &dataset);
    return file.noted;
}

OGRSpatialReferenceH __wrap_GDALGetSpatialRef(GDALDatasetH set) {
    need(set == &dataset);
    return file.system != NULL ? &system_text : NULL;
}

OGRErr __wrap_OSRExportToWktEx(OGRSpatialReferenceH of, char **text, const char *const *options) {
    (void)options;
    need(of == &system_text);
    *text = NULL;
    if (fails(CALL_EXPORT)) {
        return OGRERR_FAILURE;
    }
    *text = CPLStrdup(file.system);
    return OGRERR_NONE;
}

void __wrap_GDALGetBlockSize(GDALRasterBandH of, int *columns, int *rows) {
    need(of == &band);
    *columns = file.block[0];
    *rows = file.block[1];
}

GDALDatasetH __wrap_GDALGetBandDataset(GDALRasterBandH of) {
    need(of == &band);
    return &dataset;
}

GDALRasterBandH __wrap_GDALGetMaskBand(GDALRasterBandH of) {
    need(of == &band);
    return &mask;
}

double __wrap_GDALGetRasterScale(GDALRasterBandH of, int *has) {
    need(of == &band);
    *has = file.has_scale;
    return file.has_scale != 0 ? file.scale : 1.0;
}

double __wrap_GDALGetRasterOffset(GDALRasterBandH of, int *has) {
    need(of == &band);
    *has = file.has_offset;
    return file.has_offset != 0 ? file.offset : 0.0;
}

CPLErr __wrap_GDALRasterIO(GDALRasterBandH of, GDALRWFlag flag, int x, int y, int columns, int rows,
                           void *data, int data_columns, int data_rows, GDALDataType type,
                           int pixel_space, int line_space) {
    need(flag == GF_Read && x >= 0 && y >= 0 && columns > 0 && rows > 0 &&
                 columns <= file.columns - x && rows <= file.rows - y && data_columns == columns &&
                 data_rows == rows && pixel_space == 0 && line_space == 0 && of == (void *)&band
             ? type == GDT_Float64
             : type == GDT_Byte);
    for (int64_t i = 0; i < (int64_t)columns * rows; i++) {
        const int64_t cell = ((int64_t)y + i / columns) * file.columns + x + i % columns;
        if (of == (void *)&band) {
            ((double *)data)[i] = file.value[cell % CELLS];
        } else {
            ((GByte *)data)[i] = file.mask[cell % CELLS];
        }
    }
    return fails(of == (void *)&band ? CALL_VALUES : CALL_MASK) ? CE_Failure : CE_None;
}

// ---- What would look at the disk, and what a computer does not have -----------------------------

tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err);
tal_status __wrap_tal_results_check_file(const char *path, bool *is_listed, tal_error *err);
void *__real_tal_memory_create(size_t count, size_t size);
void *__wrap_tal_memory_create(size_t count, size_t size);

tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err) {
    (void)path, (void)err;
    return TAL_OK;
}

tal_status __wrap_tal_results_check_file(const char *path, bool *is_listed, tal_error *err) {
    (void)path, (void)is_listed, (void)err;
    return TAL_OK;
}

void *__wrap_tal_memory_create(size_t count, size_t size) {
    size_t bytes = 0;
    return __builtin_mul_overflow(count, size, &bytes) || bytes > MEMORY_MAX
               ? NULL
               : __real_tal_memory_create(count, size);
}

// ---- The fuzzer --------------------------------------------------------------------------------------

static float value_of(size_t cell) {
    const double stored = file.value[cell % CELLS] * (file.has_scale != 0 ? file.scale : 1.0) +
                          (file.has_offset != 0 ? file.offset : 0.0);
    return file.mask[cell % CELLS] == 0 || !isfinite((float)stored) ? NAN : (float)stored;
}

// Nothing but what the file holds, on a grid that has a place.
static void judge(const tal_raster *raster) {
    const tal_grid *grid = &raster->grid;
    need(grid->columns == file.columns && grid->rows == file.rows && file.bands > 0);
    need(isfinite(grid->west) && isfinite(grid->north) && isfinite(grid->cell) && grid->cell > 0.0);
    need(grid->west == file.place[0] && grid->north == file.place[3] &&
         grid->cell == file.place[1] && file.place[2] == 0.0 && file.place[4] == 0.0);
    for (size_t i = 0; i < tal_grid_cell_count(grid); i++) {
        const float want = value_of(i);
        need(isnan(want) ? isnan(raster->value[i]) : raster->value[i] == want);
        need(!(fabsf(raster->value[i]) > 1e5f));
    }
}

static tal_status read_raster(tal_error *err) {
    tal_raster raster;
    tal_raster_info info;
    tal_error_reset(err);
    TAL_TRY(tal_raster_info_read(&info, "seed.tif", err));
    need(info.columns == file.columns && info.rows == file.rows);
    need(strlen(info.value_unit) < sizeof info.value_unit && isfinite(info.value_m));
    need(info.crs_definition == NULL || strlen(info.crs_definition) < TEXT_MAX);
    tal_raster_info_destroy(&info);
    TAL_TRY(tal_raster_read(&raster, "seed.tif", err));
    judge(&raster);
    tal_raster_destroy(&raster);
    return TAL_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    tal_gdal_init();
    memset(long_text, 'x', sizeof long_text - 1);
    take_seed();
    mutant_need(read_raster(&err), &err);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    take_seed();
    for (int n = 0; n < EDITS_MAX && size >= EDIT_BYTES; n++) {
        edit(data);
        data += EDIT_BYTES;
        size -= EDIT_BYTES;
    }
    (void)read_raster(&err);
    need(open_count == 0);
    return 0;
}

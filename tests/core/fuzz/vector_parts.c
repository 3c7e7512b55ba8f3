// SPDX-License-Identifier: GPL-3.0-or-later
// Polygons, points and lines whose parts are edited: forms, coordinates, bytes of a geometry, texts, layers, systems,
// a call that fails. Instead of a file GDAL opens one that is put together in memory; bytes of real files are edited
// by geopackage.c. What is read must be what OGR holds.
#include "core/base/fault.h"
#include "core/geo/features.h"
#include "core/geo/geopackage.h"
#include "core/geo/raster_file.h"
#include "tests/support/mutate.h"

#include <cpl_error.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>

enum { LAYERS = 3, FEATURES = 3, EDIT_BYTES = 6, EDITS_MAX = 12, WKB_MAX = 1024, SYSTEMS = 4 };

typedef enum { CALL_OPEN, CALL_NEXT, CALL_STRAIGHTEN, CALL_SYSTEM, CALLS } call;

// Forms that a geometry may have; the first is that of the seed.
static const char *const FORMS[] = {
    "POLYGON ((0 0,10 0,10 10,0 10,0 0),(2 2,4 2,4 4,2 4,2 2))",
    "MULTIPOLYGON (((0 0,4 0,4 4,0 0)),((5 5,9 5,9 9,5 5),(6 5.5,7 5.5,7 6,6 5.5)))",
    "POINT (3 4)",
    "POINT Z (3 4 5)",
    "MULTIPOINT (1 1,2 2)",
    "LINESTRING (0 0,5 5,9 1)",
    "LINESTRING Z (0 0 1,5 5 2)",
    "MULTILINESTRING ((0 0,1 1),(2 2,3 3,4 1))",
    "GEOMETRYCOLLECTION (POINT (1 1),GEOMETRYCOLLECTION (POLYGON ((5 5,6 5,5 6,5 5))))",
    "POLYGON EMPTY",
    "POLYGON ((0 0,0 0))",
    "POLYGON Z ((0 0 1,10 0 2,10 10 3,0 0 1))",
    "CURVEPOLYGON (CIRCULARSTRING (0 0,5 5,10 0,5 -5,0 0))",
    "MULTISURFACE (((0 0,3 0,3 3,0 0)),CURVEPOLYGON (CIRCULARSTRING (0 0,1 1,2 0,1 -1,0 0)))",
    "TIN Z (((0 0 0,1 0 0,0 1 0,0 0 0)),((1 0 0,1 1 0,0 1 0,1 0 0)))",
    "TRIANGLE ((0 0,1 0,0 1,0 0))",
    "POLYHEDRALSURFACE Z (((0 0 0,1 0 0,0 1 0,0 0 0)))",
    "CIRCULARSTRING (0 0,1 1,2 0)",
    "POLYGON ((0 0,10 0,10 10,0 10))",
};
enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

// Those that are too long to be edited are shared.
typedef struct {
    const unsigned char *shared; // NULL: `bytes`
    unsigned char bytes[WKB_MAX];
    int length;
} blob;

static blob form[FORM_COUNT + 1];               // as WKB
static OGRSpatialReferenceH reference[SYSTEMS]; // the first is none
static tal_crs *system_of_study[2];
static GDALDriverH memory;
static char long_text[3000];

static struct {
    int layer_count, feature_count[LAYERS], system[LAYERS];
    bool has_no_field[LAYERS], is_table[LAYERS], is_number[LAYERS];
    blob geometry[LAYERS][FEATURES];
    const char *text[LAYERS][FEATURES];
    const char *asked_layer, *asked_field;
    int system_of_study;
    int calls_left[CALLS]; // until one fails; negative: none does
    int allocation;        // that fails; 0: none
} file;

static void take_seed(void) {
    memset(&file, 0, sizeof file);
    file.layer_count = 1;
    file.asked_field = "class";
    for (int l = 0; l < LAYERS; l++) {
        file.feature_count[l] = 1;
        for (int k = 0; k < FEATURES; k++) {
            file.geometry[l][k] = form[0];
            file.text[l][k] = "forest";
        }
    }
    for (int k = 0; k < CALLS; k++) {
        file.calls_left[k] = -1;
    }
}

static void edit_bytes(blob *b, const uint8_t *e) {
    static const double special[] = {NAN, INFINITY, -INFINITY, 1e308, 0, -1, 5e-324, 4.5, 10};
    const int at = b->length > 0 ? e[2] % b->length : 0;
    if (b->shared != NULL) {
        return;
    }
    switch (e[3] % 4) {
    case 0:
        b->bytes[at] = e[4];
        break;
    case 1:
        b->bytes[at] = (unsigned char)(b->bytes[at] ^ (1 << (e[4] & 7)));
        break;
    case 2: // a coordinate: they begin behind the head of a geometry of one part
        if (at + 8 <= b->length) {
            const double value = special[e[4] % (sizeof special / sizeof *special)];
            memcpy(&b->bytes[at - at % 8 + 13 + 8 <= b->length ? at - at % 8 + 13 : at], &value, 8);
        }
        break;
    default:
        b->length = at;
    }
}

static void edit(const uint8_t *e) {
    static const char *const texts[] = {"", "scree", long_text, NULL};
    const int l = e[1] % LAYERS, k = e[5] % FEATURES;
    switch (e[0] % 12) {
    case 0:
    case 1:
        file.geometry[l][k] = form[e[2] % (FORM_COUNT + 1)];
        break;
    case 2:
    case 3:
        edit_bytes(&file.geometry[l][k], e);
        break;
    case 4:
        file.layer_count = e[2] % (LAYERS + 1);
        break;
    case 5:
        file.feature_count[l] = e[2] % (FEATURES + 1);
        break;
    case 6:
        file.system[l] = e[2] % SYSTEMS;
        break;
    case 7:
        file.is_table[l] = (e[2] & 1) != 0;
        file.has_no_field[l] = (e[2] & 2) != 0;
        file.is_number[l] = (e[2] & 4) != 0;
        break;
    case 8:
        file.text[l][k] = texts[e[2] % 4];
        break;
    case 9:
        file.asked_layer = e[2] % 3 == 0 ? NULL : e[2] % 3 == 1 ? "layer1" : "other";
        file.asked_field = (e[3] & 1) != 0 ? NULL : "class";
        file.system_of_study = e[4] % 2;
        break;
    case 10:
        file.calls_left[e[2] % CALLS] = e[3] % 8;
        break;
    default:
        file.allocation = e[2] % 24;
    }
}

static void need(bool holds) {
    if (!holds) {
        abort();
    }
}

// With words, as GDAL has them.
static bool fails(call c) {
    if (file.calls_left[c] < 0 || file.calls_left[c]-- > 0) {
        return false;
    }
    CPLError(CE_Failure, CPLE_AppDefined, "%.200s\nmore", c % 2 == 0 ? long_text : "not today");
    return true;
}

// ---- A file in memory ------------------------------------------------------------------------------

static void add_feature(OGRLayerH layer, int l, int k) {
    const blob *b = &file.geometry[l][k];
    OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
    OGRGeometryH geometry = NULL;
    if (!file.is_table[l] && OGR_G_CreateFromWkb(b->shared != NULL ? b->shared : b->bytes, NULL,
                                                 &geometry, b->length) == OGRERR_NONE) {
        (void)OGR_F_SetGeometryDirectly(feature, geometry);
    }
    if (!file.has_no_field[l] && file.text[l][k] != NULL) {
        OGR_F_SetFieldString(feature, 0, file.text[l][k]);
    }
    need(OGR_L_CreateFeature(layer, feature) == OGRERR_NONE);
    OGR_F_Destroy(feature);
}

static GDALDatasetH make_file(void) {
    static const char *const names[LAYERS] = {"layer0", "layer1", "layer2"};
    GDALDatasetH dataset = GDALCreate(memory, "", 0, 0, 0, GDT_Unknown, NULL);
    for (int l = 0; l < file.layer_count; l++) {
        OGRLayerH layer = GDALDatasetCreateLayer(dataset, names[l], reference[file.system[l]],
                                                 file.is_table[l] ? wkbNone : wkbUnknown, NULL);
        if (!file.has_no_field[l]) {
            OGRFieldDefnH field = OGR_Fld_Create("class", file.is_number[l] ? OFTReal : OFTString);
            need(OGR_L_CreateField(layer, field, 0) == OGRERR_NONE);
            OGR_Fld_Destroy(field);
        }
        for (int k = 0; k < file.feature_count[l]; k++) {
            add_feature(layer, l, k);
        }
    }
    return dataset;
}

static int open_count;

GDALDatasetH __wrap_GDALOpenEx(const char *path, unsigned flags, const char *const *drivers,
                               const char *const *options, const char *const *siblings);
void __real_GDALClose(GDALDatasetH set);
void __wrap_GDALClose(GDALDatasetH set);
OGRFeatureH __real_OGR_L_GetNextFeature(OGRLayerH layer);
OGRFeatureH __wrap_OGR_L_GetNextFeature(OGRLayerH layer);
OGRGeometryH __real_OGR_G_GetLinearGeometry(OGRGeometryH of, double angle, char **options);
OGRGeometryH __wrap_OGR_G_GetLinearGeometry(OGRGeometryH of, double angle, char **options);
tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err);

GDALDatasetH __wrap_GDALOpenEx(const char *path, unsigned flags, const char *const *drivers,
                               const char *const *options, const char *const *siblings) {
    (void)path, (void)flags, (void)drivers, (void)options, (void)siblings;
    if (fails(CALL_OPEN)) {
        return NULL;
    }
    CPLPushErrorHandler(CPLQuietErrorHandler); // what OGR says of bytes that are no geometry
    GDALDatasetH dataset = make_file();
    CPLPopErrorHandler();
    open_count++;
    return dataset;
}

void __wrap_GDALClose(GDALDatasetH set) {
    open_count--;
    __real_GDALClose(set);
}

OGRFeatureH __wrap_OGR_L_GetNextFeature(OGRLayerH layer) {
    return fails(CALL_NEXT) ? NULL : __real_OGR_L_GetNextFeature(layer);
}

OGRGeometryH __wrap_OGR_G_GetLinearGeometry(OGRGeometryH of, double angle, char **options) {
    return fails(CALL_STRAIGHTEN) ? NULL : __real_OGR_G_GetLinearGeometry(of, angle, options);
}

tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err) {
    (void)path, (void)err;
    return TAL_OK;
}

// ---- Coordinate systems: PROJ would take nearly all of the time ------------------------------------

tal_status __real_tal_crs_create(tal_crs **crs, const char *text, const char *where,
                                 tal_error *err);
tal_status __wrap_tal_crs_create(tal_crs **crs, const char *text, const char *where,
                                 tal_error *err);
void __wrap_tal_crs_destroy(tal_crs *crs);
tal_status __wrap_tal_crs_transform_create_flat(tal_crs_transform **transform, const tal_crs *from,
                                                const tal_crs *to, const char *where,
                                                tal_error *err);
void __wrap_tal_crs_transform_destroy(tal_crs_transform *transform);
tal_status __wrap_tal_crs_transform_apply(const tal_crs_transform *transform, double *x, double *y,
                                          double *z, size_t count, tal_error *err);
tal_status __wrap_tal_crs_convert_flat(const tal_crs *from, const tal_crs *to, const char *where,
                                       double *x, double *y, size_t count, tal_error *err);

tal_status __wrap_tal_crs_create(tal_crs **crs, const char *text, const char *where,
                                 tal_error *err) {
    need(strlen(text) > 0);
    *crs = system_of_study[0];
    return fails(CALL_SYSTEM) ? TAL_FAIL(err, TAL_BAD_CRS, "%s: not today", where) : TAL_OK;
}

void __wrap_tal_crs_destroy(tal_crs *crs) {
    need(crs == NULL || crs == system_of_study[0]);
}

tal_status __wrap_tal_crs_transform_create_flat(tal_crs_transform **transform, const tal_crs *from,
                                                const tal_crs *to, const char *where,
                                                tal_error *err) {
    (void)from, (void)to;
    *transform = NULL;
    return fails(CALL_SYSTEM) ? TAL_FAIL(err, TAL_BAD_CRS, "%s: not today", where) : TAL_OK;
}

void __wrap_tal_crs_transform_destroy(tal_crs_transform *transform) {
    (void)transform;
}

// From degrees: beyond the Earth is nowhere.
tal_status __wrap_tal_crs_transform_apply(const tal_crs_transform *transform, double *x, double *y,
                                          double *z, size_t count, tal_error *err) {
    (void)transform, (void)z, (void)err;
    for (size_t i = 0; i < count; i++) {
        const bool is_on_earth = fabs(x[i]) <= 180.0 && fabs(y[i]) <= 90.0;
        x[i] = is_on_earth ? 1e5 * x[i] : INFINITY;
        y[i] = is_on_earth ? 1e5 * y[i] : INFINITY;
    }
    return TAL_OK;
}

tal_status __wrap_tal_crs_convert_flat(const tal_crs *from, const tal_crs *to, const char *where,
                                       double *x, double *y, size_t count, tal_error *err) {
    (void)from, (void)to, (void)where;
    return __wrap_tal_crs_transform_apply(NULL, x, y, NULL, count, err);
}

// ---- The fuzzer --------------------------------------------------------------------------------------

// Rings and vertices that OGR has in the polygons of a geometry, counted by another way: closing vertices left out.
typedef struct {
    int64_t polygons, rings, vertices;
    double sum; // of their coordinates
} tally;

static void count_polygon(OGRGeometryH polygon, tally *t) {
    const int rings = OGR_G_GetGeometryCount(polygon);
    t->polygons += rings > 0 ? 1 : 0;
    for (int r = 0; r < rings; r++) {
        OGRGeometryH ring = OGR_G_GetGeometryRef(polygon, r);
        const int points = OGR_G_GetPointCount(ring);
        const bool is_closed = points > 1 && OGR_G_GetX(ring, 0) == OGR_G_GetX(ring, points - 1) &&
                               OGR_G_GetY(ring, 0) == OGR_G_GetY(ring, points - 1);
        t->rings++;
        for (int i = 0; i + (is_closed ? 1 : 0) < points; i++) {
            t->vertices++;
            t->sum += OGR_G_GetX(ring, i) + 3.0 * OGR_G_GetY(ring, i);
        }
    }
}

static void count_geometry(OGRGeometryH geometry, tally *t) {
    const OGRwkbGeometryType type = wkbFlatten(OGR_G_GetGeometryType(geometry));
    if (type == wkbPolygon || type == wkbTriangle) {
        count_polygon(geometry, t);
    } else if (type != wkbPoint && type != wkbLineString) {
        for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++) {
            count_geometry(OGR_G_GetGeometryRef(geometry, i), t);
        }
    }
}

static void count_layer(OGRLayerH layer, tally *t) {
    OGRFeatureH feature = NULL;
    OGR_L_ResetReading(layer);
    while ((feature = __real_OGR_L_GetNextFeature(layer)) != NULL) {
        OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
        OGRGeometryH straight = geometry != NULL && !OGR_G_IsEmpty(geometry)
                                    ? __real_OGR_G_GetLinearGeometry(geometry, 0.0, NULL)
                                    : NULL;
        if (straight != NULL) {
            count_geometry(straight, t);
            OGR_G_DestroyGeometry(straight);
        }
        OGR_F_Destroy(feature);
    }
}

static void judge_polygons(const tal_polygons *p) {
    tally t = {0};
    CPLPushErrorHandler(CPLQuietErrorHandler);
    GDALDatasetH dataset = make_file();
    for (int l = 0; l < file.layer_count; l++) {
        OGRLayerH layer = GDALDatasetGetLayer(dataset, l);
        if (file.asked_layer == NULL || strcmp(OGR_L_GetName(layer), file.asked_layer) == 0) {
            count_layer(layer, &t);
        }
    }
    __real_GDALClose(dataset);
    CPLPopErrorHandler();
    const int32_t rings = p->polygon_count > 0 ? p->polygon_start[p->polygon_count] : 0;
    need(p->polygon_count == t.polygons && rings == t.rings);
    need(tal_polygons_vertex_count(p) == t.vertices);
    double sum = 0.0;
    for (int32_t i = 0; i < tal_polygons_vertex_count(p); i++) {
        need(isfinite(p->x[i]) && isfinite(p->y[i]));
        sum += p->x[i] + 3.0 * p->y[i];
    }
    need(sum == t.sum || (isnan(sum) && isnan(t.sum))); // in the same order
    for (int32_t i = 0; i < p->polygon_count; i++) {
        need(p->polygon_start[i] < p->polygon_start[i + 1] &&
             strlen(p->text[i]) < sizeof long_text);
    }
    for (int32_t i = 0; i < rings; i++) {
        need(p->ring_start[i] <= p->ring_start[i + 1]);
    }
}

// The centres of cells, point by point and row by row.
static void judge_places(const tal_polygons *p, tal_error *err) {
    const tal_grid grid = {.west = -1.25, .north = 11.25, .cell = 1.5, .columns = 9, .rows = 9};
    int32_t cells[81];
    if (tal_polygons_fill(p, &grid, cells, err) != TAL_OK) {
        return;
    }
    for (int32_t row = 0; row < grid.rows; row++) {
        for (int32_t column = 0; column < grid.columns; column++) {
            double x = 0.0, y = 0.0;
            tal_grid_centre(&grid, column, row, &x, &y);
            need(cells[row * grid.columns + column] == tal_polygons_find(p, x, y));
        }
    }
}

static tal_status read_polygons(tal_error *err) {
    tal_polygons polygons;
    tal_error_reset(err);
    TAL_TRY(tal_polygons_read(&polygons, "seed.gpkg", file.asked_layer, file.asked_field, err));
    judge_polygons(&polygons);
    judge_places(&polygons, err);
    const tal_status status =
        tal_polygons_to_crs(&polygons, system_of_study[file.system_of_study], "seed.gpkg", err);
    for (int32_t i = 0; status == TAL_OK && i < tal_polygons_vertex_count(&polygons); i++) {
        need(isfinite(polygons.x[i]) && isfinite(polygons.y[i]));
    }
    tal_polygons_destroy(&polygons);
    return status;
}

static tal_status read_features(tal_error *err) {
    static tal_settings settings;
    const tal_features_frame frame = {.crs = system_of_study[file.system_of_study],
                                      .origin_m = {1, 2, 3}};
    const double west[2] = {-20, 3.3}, east[2] = {20, 3.1};
    tal_features f;
    tal_error_reset(err);
    TAL_TRY(tal_features_create(&f, &settings, "/seed.gpkg", NULL, TAL_PLACE_POLYGON, &frame,
                                "here", err));
    need(f.part_count > 0 && f.part_start[0] == 0 && f.part_start[f.part_count] == f.vertex_count);
    for (int32_t i = 0; i < f.part_count; i++) {
        need(f.part_start[i] <= f.part_start[i + 1] && f.feature[i] >= 0);
        need(i == 0 || f.feature[i] >= f.feature[i - 1]);
    }
    for (int32_t i = 0; i < f.vertex_count; i++) {
        need(isfinite(f.x[i]) && isfinite(f.y[i]));
    }
    (void)tal_features_hold(&f, 5, 5);
    need(tal_features_first_crossing(&f, west, east) >= 0.0);
    tal_features_destroy(&f);
    return TAL_OK;
}

// As many polygons, each with a hole, as make every array grow twice.
static void make_large_form(blob *b) {
    enum { POLYGONS = 150 };
    OGRGeometryH all = OGR_G_CreateGeometry(wkbMultiPolygon);
    for (int i = 0; i < POLYGONS; i++) {
        char text[160], *cursor = text;
        OGRGeometryH one = NULL;
        snprintf(text, sizeof text,
                 "POLYGON ((%d 0,%d 9,%d.5 9,%d 0),(%d.1 2,%d.2 3,%d.3 2,%d.1 2))", i, i, i, i, i,
                 i, i, i);
        need(OGR_G_CreateFromWkt(&cursor, NULL, &one) == OGRERR_NONE);
        need(OGR_G_AddGeometryDirectly(all, one) == OGRERR_NONE);
    }
    b->length = OGR_G_WkbSize(all);
    unsigned char *bytes = calloc(1, (size_t)b->length);
    need(bytes != NULL && OGR_G_ExportToIsoWkb(all, wkbNDR, bytes) == OGRERR_NONE);
    b->shared = bytes;
    OGR_G_DestroyGeometry(all);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static tal_error err;
    static const char *const systems[2] = {"EPSG:5490+5756", "local"};
    tal_gdal_init();
    memory = GDALGetDriverByName("Memory");
    memset(long_text, 'x', sizeof long_text - 1);
    for (int k = 0; k < FORM_COUNT; k++) {
        OGRGeometryH geometry = NULL;
        char *text = (char *)(uintptr_t)FORMS[k];
        need(OGR_G_CreateFromWkt(&text, NULL, &geometry) == OGRERR_NONE);
        form[k].length = OGR_G_WkbSize(geometry);
        need(form[k].length <= WKB_MAX);
        need(OGR_G_ExportToIsoWkb(geometry, wkbNDR, form[k].bytes) == OGRERR_NONE);
        OGR_G_DestroyGeometry(geometry);
    }
    make_large_form(&form[FORM_COUNT]);
    static const char *const known[SYSTEMS] = {NULL, "EPSG:5490", "EPSG:4326",
                                               "LOCAL_CS[\"here\",UNIT[\"m\",1]]"};
    for (int k = 1; k < SYSTEMS; k++) {
        reference[k] = OSRNewSpatialReference(NULL);
        need(OSRSetFromUserInput(reference[k], known[k]) == OGRERR_NONE);
    }
    for (int k = 0; k < 2; k++) {
        mutant_need(__real_tal_crs_create(&system_of_study[k], systems[k], "here", &err), &err);
    }
    take_seed();
    mutant_need(read_polygons(&err), &err);
    mutant_need(read_features(&err), &err);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tal_error err;
    if (size == 0) {
        return 0;
    }
    take_seed();
    const bool as_features = (data[0] & 1) != 0;
    data++;
    size--;
    for (int n = 0; n < EDITS_MAX && size >= EDIT_BYTES; n++) {
        edit(data);
        data += EDIT_BYTES;
        size -= EDIT_BYTES;
    }
    if (file.allocation > 0) {
        tal_fault_arm(TAL_FAULT_ALLOCATION, file.allocation, false);
    }
    (void)(as_features ? read_features(&err) : read_polygons(&err));
    tal_fault_disarm();
    need(open_count == 0);
    return 0;
}

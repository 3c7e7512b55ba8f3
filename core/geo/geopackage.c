// SPDX-License-Identifier: GPL-3.0-or-later
// GeoPackages by GDAL/OGR: written aside and renamed, with QGIS styles inside and fixed dates.
#include "core/geo/geopackage.h"

#include "core/base/fault.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/gdal_log.h"
#include "core/geo/write_failure.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <string.h>

enum { STYLES_MAX = 64, NAME_SIZE = 64 };

// No output carries a date; the format wants one, so it is always the same.
static const char fixed_date[] = "2000-01-01T00:00:00.000Z";
static const char geometry_column[] = "geom";

typedef struct {
    char layer[NAME_SIZE];
    bool has_geometry;
    char *qml;
} layer_style;

struct tal_geopackage {
    GDALDatasetH dataset;
    OGRLayerH layer; // that features go to
    tal_geometry_kind kind;
    const char *layer_name; // points into the dataset
    int field_count;
    tal_field_kind *field_kinds;
    int style_count;
    layer_style styles[STYLES_MAX];
    char path[TAL_PATH_SIZE];
    char part[TAL_PATH_SIZE];
};

// Every call into OGR runs between these two: messages caught, dates fixed, no waiting for the disk
// before the one sync at the end, and no thread of its own for the index of a large layer, which
// locks out the next layer (GDAL 3.6).
static void begin(tal_gdal_log *log) {
    tal_gdal_log_begin(log);
    CPLSetThreadLocalConfigOption("OGR_CURRENT_DATE", fixed_date);
    CPLSetThreadLocalConfigOption("OGR_SQLITE_SYNCHRONOUS", "OFF");
    CPLSetThreadLocalConfigOption("OGR_SQLITE_JOURNAL", "MEMORY");
    CPLSetThreadLocalConfigOption("OGR_GPKG_ALLOW_THREADED_RTREE", "NO");
}

static void end(void) {
    CPLSetThreadLocalConfigOption("OGR_CURRENT_DATE", NULL);
    CPLSetThreadLocalConfigOption("OGR_SQLITE_SYNCHRONOUS", NULL);
    CPLSetThreadLocalConfigOption("OGR_SQLITE_JOURNAL", NULL);
    CPLSetThreadLocalConfigOption("OGR_GPKG_ALLOW_THREADED_RTREE", NULL);
    tal_gdal_log_end();
}

// SQLite's own companions of a file, left by a failure.
static void remove_companions(const char *part) {
    static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
    char path[TAL_PATH_SIZE + 16];
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(path, sizeof path, "%s%s", part, suffixes[i]);
        (void)remove(path);
    }
}

static void destroy(tal_geopackage **package) {
    for (int i = 0; i < (*package)->style_count; i++) {
        tal_memory_destroy((*package)->styles[i].qml);
    }
    tal_memory_destroy((*package)->field_kinds);
    tal_memory_destroy(*package);
    *package = NULL;
}

tal_status tal_geopackage_create(tal_geopackage **package, const char *path,
                                 tal_overwrite overwrite, tal_error *err) {
    *package = NULL;
    tal_geopackage *made = NULL;
    TAL_CREATE(made, 1, "a GeoPackage", err);
    const tal_status status = tal_part_begin(path, overwrite, made->part, err);
    if (status != TAL_OK) {
        destroy(&made);
        return status;
    }
    tal_text_copy(made->path, sizeof made->path, path);
    remove_companions(made->part);
    tal_gdal_log log;
    begin(&log);
    GDALDriverH driver = GDALGetDriverByName("GPKG");
    made->dataset =
        driver != NULL ? GDALCreate(driver, made->part, 0, 0, 0, GDT_Unknown, NULL) : NULL;
    const bool good = made->dataset != NULL && log.failure_count == 0 &&
                      GDALDatasetStartTransaction(made->dataset, FALSE) == OGRERR_NONE;
    end();
    *package = made;
    if (!good) {
        tal_geopackage_discard(package);
        return tal_write_failed(err, path, "a GeoPackage", tal_gdal_log_text(&log));
    }
    return TAL_OK;
}

static OGRwkbGeometryType ogr_type(tal_geometry_kind kind) {
    static const OGRwkbGeometryType types[] = {
        [TAL_GEOMETRY_NONE] = wkbNone,
        [TAL_GEOMETRY_POINT] = wkbPoint,
        [TAL_GEOMETRY_POINT_Z] = wkbPoint25D,
        [TAL_GEOMETRY_LINE] = wkbLineString,
        [TAL_GEOMETRY_LINE_Z] = wkbLineString25D,
        [TAL_GEOMETRY_LINE_ZM] = wkbLineStringZM,
        [TAL_GEOMETRY_POLYGON] = wkbPolygon,
        [TAL_GEOMETRY_MULTIPOLYGON] = wkbMultiPolygon,
    };
    return types[kind];
}

static bool has_z(tal_geometry_kind kind) {
    return kind == TAL_GEOMETRY_POINT_Z || kind == TAL_GEOMETRY_LINE_Z ||
           kind == TAL_GEOMETRY_LINE_ZM;
}

// Flat layers get the horizontal system alone: every GIS knows its code, few know the compound one.
static OGRSpatialReferenceH create_reference(const tal_crs *crs, tal_geometry_kind kind) {
    static const char undefined_cartesian[] =
        "LOCAL_CS[\"Undefined Cartesian SRS\",UNIT[\"metre\",1],AXIS[\"Easting\",EAST],"
        "AXIS[\"Northing\",NORTH]]";
    const char *wkt = undefined_cartesian;
    if (crs != NULL && !tal_crs_get_info(crs)->is_local) {
        wkt = has_z(kind) ? tal_crs_wkt(crs) : tal_crs_horizontal_wkt(crs);
    }
    OGRSpatialReferenceH reference = OSRNewSpatialReference(wkt);
    if (reference != NULL) {
        OSRSetAxisMappingStrategy(reference, OAMS_TRADITIONAL_GIS_ORDER);
    }
    return reference;
}

static bool create_fields(OGRLayerH layer, const tal_field *fields, int field_count) {
    static const OGRFieldType types[] = {[TAL_FIELD_REAL] = OFTReal,
                                         [TAL_FIELD_INTEGER] = OFTInteger64,
                                         [TAL_FIELD_TEXT] = OFTString};
    bool good = true;
    for (int i = 0; good && i < field_count; i++) {
        OGRFieldDefnH field = OGR_Fld_Create(fields[i].name, types[fields[i].kind]);
        good = OGR_L_CreateField(layer, field, FALSE) == OGRERR_NONE;
        OGR_Fld_Destroy(field);
    }
    return good;
}

static OGRLayerH create_layer(GDALDatasetH dataset, const char *name, tal_geometry_kind kind,
                              const tal_crs *crs) {
    static const char *const options[] = {"GEOMETRY_NAME=geom", "FID=fid", "SPATIAL_INDEX=YES",
                                          "ASPATIAL_VARIANT=GPKG_ATTRIBUTES", NULL};
    OGRSpatialReferenceH reference = NULL;
    if (kind != TAL_GEOMETRY_NONE) {
        reference = create_reference(crs, kind);
        if (reference == NULL) {
            return NULL;
        }
    }
    OGRLayerH layer = GDALDatasetCreateLayer(dataset, name, reference, ogr_type(kind),
                                             (char **)(uintptr_t)options);
    if (reference != NULL) {
        OSRRelease(reference);
    }
    return layer;
}

static tal_status keep_style(tal_geopackage *package, const char *name, tal_geometry_kind kind,
                             const char *qml, tal_error *err) {
    if (qml == NULL) {
        return TAL_OK;
    }
    TAL_ASSERT(package->style_count < STYLES_MAX && strlen(name) < NAME_SIZE);
    layer_style *style = &package->styles[package->style_count];
    const size_t size = strlen(qml) + 1;
    TAL_CREATE(style->qml, size, "a style", err);
    memcpy(style->qml, qml, size);
    tal_text_copy(style->layer, sizeof style->layer, name);
    style->has_geometry = kind != TAL_GEOMETRY_NONE;
    package->style_count++;
    return TAL_OK;
}

static tal_status keep_fields(tal_geopackage *package, const tal_field *fields, int field_count,
                              tal_error *err) {
    tal_memory_destroy(package->field_kinds);
    package->field_kinds = NULL;
    package->field_count = 0;
    TAL_CREATE(package->field_kinds, (size_t)field_count, "the fields of a layer", err);
    package->field_count = field_count;
    for (int i = 0; i < field_count; i++) {
        package->field_kinds[i] = fields[i].kind;
    }
    return TAL_OK;
}

tal_status tal_geopackage_add_layer(tal_geopackage *package, const char *name,
                                    tal_geometry_kind kind, const tal_crs *crs,
                                    const tal_field *fields, int field_count, const char *style_qml,
                                    tal_error *err) {
    TAL_TRY(keep_fields(package, fields, field_count, err));
    TAL_TRY(keep_style(package, name, kind, style_qml, err));
    package->kind = kind;
    tal_gdal_log log;
    begin(&log);
    package->layer = create_layer(package->dataset, name, kind, crs);
    const bool good = package->layer != NULL && create_fields(package->layer, fields, field_count);
    end();
    if (!good || tal_fault_strikes(TAL_FAULT_WRITE)) {
        return tal_write_failed(err, package->path, name, tal_gdal_log_text(&log));
    }
    package->layer_name = OGR_L_GetName(package->layer);
    return TAL_OK;
}

// A vertex array from `first` on, or NULL where there is none.
static const double *from(const double *values, int32_t first) {
    return values != NULL ? values + first : NULL;
}

static OGRGeometryH create_point(const tal_geometry *geometry, bool with_z) {
    OGRGeometryH point = OGR_G_CreateGeometry(with_z ? wkbPoint25D : wkbPoint);
    if (with_z) {
        OGR_G_SetPoint(point, 0, geometry->x[0], geometry->y[0], geometry->z[0]);
    } else {
        OGR_G_SetPoint_2D(point, 0, geometry->x[0], geometry->y[0]);
    }
    return point;
}

static OGRGeometryH create_line(const tal_geometry *geometry, tal_geometry_kind kind) {
    const int stride = (int)sizeof(double);
    const bool with_m = kind == TAL_GEOMETRY_LINE_ZM;
    OGRGeometryH line = OGR_G_CreateGeometry(ogr_type(kind));
    OGR_G_SetPointsZM(line, geometry->vertex_count, geometry->x, stride, geometry->y, stride,
                      has_z(kind) ? geometry->z : NULL, stride, with_m ? geometry->m : NULL,
                      stride);
    return line;
}

static OGRGeometryH create_ring(const tal_geometry *geometry, int32_t ring) {
    const int32_t first = geometry->ring_start[ring];
    const int32_t count = geometry->ring_start[ring + 1] - first;
    const int stride = (int)sizeof(double);
    OGRGeometryH line = OGR_G_CreateGeometry(wkbLinearRing);
    OGR_G_SetPoints(line, count, from(geometry->x, first), stride, from(geometry->y, first), stride,
                    NULL, 0);
    OGR_G_CloseRings(line);
    return line;
}

static OGRGeometryH create_polygon(const tal_geometry *geometry, int32_t first, int32_t last) {
    OGRGeometryH polygon = OGR_G_CreateGeometry(wkbPolygon);
    for (int32_t ring = first; ring < last; ring++) {
        OGR_G_AddGeometryDirectly(polygon, create_ring(geometry, ring));
    }
    return polygon;
}

static OGRGeometryH create_multipolygon(const tal_geometry *geometry) {
    OGRGeometryH whole = OGR_G_CreateGeometry(wkbMultiPolygon);
    for (int32_t i = 0; i < geometry->polygon_count; i++) {
        const int32_t last =
            i + 1 < geometry->polygon_count ? geometry->polygon_start[i + 1] : geometry->ring_count;
        OGR_G_AddGeometryDirectly(whole,
                                  create_polygon(geometry, geometry->polygon_start[i], last));
    }
    return whole;
}

static OGRGeometryH create_geometry(const tal_geometry *geometry, tal_geometry_kind kind) {
    switch (kind) {
    case TAL_GEOMETRY_POINT:
    case TAL_GEOMETRY_POINT_Z:
        return create_point(geometry, kind == TAL_GEOMETRY_POINT_Z);
    case TAL_GEOMETRY_LINE:
    case TAL_GEOMETRY_LINE_Z:
    case TAL_GEOMETRY_LINE_ZM:
        return create_line(geometry, kind);
    case TAL_GEOMETRY_POLYGON:
        return create_polygon(geometry, 0, geometry->ring_count);
    case TAL_GEOMETRY_MULTIPOLYGON:
        return create_multipolygon(geometry);
    case TAL_GEOMETRY_NONE:
        break;
    }
    return NULL;
}

static void set_fields(OGRFeatureH feature, const tal_geopackage *package,
                       const tal_field_value *values) {
    for (int i = 0; i < package->field_count; i++) {
        const tal_field_value *value = &values[i];
        switch (package->field_kinds[i]) {
        case TAL_FIELD_REAL: // NaN: no value
            if (!isnan(value->real)) {
                OGR_F_SetFieldDouble(feature, i, value->real);
            }
            break;
        case TAL_FIELD_INTEGER:
            OGR_F_SetFieldInteger64(feature, i, value->integer);
            break;
        case TAL_FIELD_TEXT:
            if (value->text != NULL) {
                OGR_F_SetFieldString(feature, i, value->text);
            }
            break;
        }
    }
}

tal_status tal_geopackage_add_feature(tal_geopackage *package, const tal_geometry *geometry,
                                      const tal_field_value *values, tal_error *err) {
    TAL_ASSERT(package->layer != NULL);
    tal_gdal_log log;
    begin(&log);
    OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(package->layer));
    set_fields(feature, package, values);
    if (geometry != NULL && package->kind != TAL_GEOMETRY_NONE) {
        OGR_F_SetGeometryDirectly(feature, create_geometry(geometry, package->kind));
    }
    const bool good = OGR_L_CreateFeature(package->layer, feature) == OGRERR_NONE;
    OGR_F_Destroy(feature);
    end();
    if (!good || tal_fault_strikes(TAL_FAULT_WRITE)) {
        return tal_write_failed(err, package->path, package->layer_name, tal_gdal_log_text(&log));
    }
    return TAL_OK;
}

// The table that QGIS itself makes for "save style in the database".
static OGRLayerH create_style_table(GDALDatasetH dataset) {
    static const char *const options[] = {"FID=id", "ASPATIAL_VARIANT=GPKG_ATTRIBUTES", NULL};
    static const struct {
        const char *name;
        OGRFieldType type;
        int width;
    } columns[] = {{"f_table_catalog", OFTString, 256},
                   {"f_table_schema", OFTString, 256},
                   {"f_table_name", OFTString, 256},
                   {"f_geometry_column", OFTString, 256},
                   {"styleName", OFTString, 30},
                   {"styleQML", OFTString, 0},
                   {"styleSLD", OFTString, 0},
                   {"useAsDefault", OFTInteger, 0},
                   {"description", OFTString, 0},
                   {"owner", OFTString, 30},
                   {"ui", OFTString, 30},
                   {"update_time", OFTDateTime, 0}};
    OGRLayerH layer =
        GDALDatasetCreateLayer(dataset, "layer_styles", NULL, wkbNone, (char **)(uintptr_t)options);
    for (size_t i = 0; layer != NULL && i < sizeof columns / sizeof columns[0]; i++) {
        OGRFieldDefnH field = OGR_Fld_Create(columns[i].name, columns[i].type);
        OGR_Fld_SetWidth(field, columns[i].width);
        if (strcmp(columns[i].name, "useAsDefault") == 0) {
            OGR_Fld_SetSubType(field, OFSTBoolean);
        }
        const bool good = OGR_L_CreateField(layer, field, FALSE) == OGRERR_NONE;
        OGR_Fld_Destroy(field);
        layer = good ? layer : NULL;
    }
    return layer;
}

static void set_text(OGRFeatureH feature, const char *field, const char *value) {
    OGR_F_SetFieldString(feature, OGR_F_GetFieldIndex(feature, field), value);
}

static bool write_style(OGRLayerH table, const layer_style *style) {
    OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(table));
    set_text(feature, "f_table_catalog", "");
    set_text(feature, "f_table_schema", "");
    set_text(feature, "f_table_name", style->layer);
    set_text(feature, "f_geometry_column", style->has_geometry ? geometry_column : "");
    char name[31]; // as wide as the column
    snprintf(name, sizeof name, "%.30s", style->layer);
    set_text(feature, "styleName", name);
    set_text(feature, "styleQML", style->qml);
    set_text(feature, "styleSLD", "");
    OGR_F_SetFieldInteger(feature, OGR_F_GetFieldIndex(feature, "useAsDefault"), 1);
    set_text(feature, "description", "style written by talus");
    set_text(feature, "owner", "");
    set_text(feature, "update_time", fixed_date);
    const bool good = OGR_L_CreateFeature(table, feature) == OGRERR_NONE;
    OGR_F_Destroy(feature);
    return good;
}

static bool write_styles(const tal_geopackage *package) {
    if (package->style_count == 0) {
        return true;
    }
    OGRLayerH table = create_style_table(package->dataset);
    bool good = table != NULL;
    for (int i = 0; good && i < package->style_count; i++) {
        good = write_style(table, &package->styles[i]);
    }
    return good;
}

tal_status tal_geopackage_commit(tal_geopackage **package, tal_error *err) {
    tal_gdal_log log;
    begin(&log);
    bool good = write_styles(*package);
    // Spatial indexes and extents are written by the flush: inside the transaction, so that a full
    // disk is seen at its commit.
    GDALFlushCache((*package)->dataset);
    good = GDALDatasetCommitTransaction((*package)->dataset) == OGRERR_NONE && good;
    GDALClose((*package)->dataset);
    (*package)->dataset = NULL;
    end();
    tal_status status = TAL_OK;
    // The close of GDAL 3.6 returns nothing: a failure in it is known by its message alone.
    if (!good || log.failure_count > 0 || tal_fault_strikes(TAL_FAULT_WRITE)) {
        tal_part_discard((*package)->path);
        status = tal_write_failed(err, (*package)->path, "a GeoPackage", tal_gdal_log_text(&log));
    } else {
        status = tal_part_commit((*package)->path, err);
    }
    remove_companions((*package)->part);
    destroy(package);
    return status;
}

void tal_geopackage_discard(tal_geopackage **package) {
    if (package == NULL || *package == NULL) {
        return;
    }
    if ((*package)->dataset != NULL) {
        tal_gdal_log log;
        begin(&log);
        GDALDatasetRollbackTransaction((*package)->dataset);
        GDALClose((*package)->dataset);
        end();
    }
    tal_part_discard((*package)->path);
    remove_companions((*package)->part);
    destroy(package);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Points, lines and polygons of a site.
#include "core/geo/features.h"

#include "core/base/memory.h"
#include "core/geo/gdal_log.h"
#include "core/geo/raster_file.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <string.h>

typedef struct {
    tal_features *features;
    const tal_features_frame *frame;
    const char *path;
    const char *where;
    int32_t part_room, vertex_room;
    int32_t feature_count;
    int32_t first_of_layer; // vertex
    bool has_kind;
} reader;

static tal_status reserve(reader *r, int32_t parts, int32_t vertices, tal_error *err) {
    tal_features *f = r->features;
    if (f->part_count + parts + 1 > r->part_room) {
        const int32_t room = 2 * (f->part_count + parts + 16), old = r->part_room;
        TAL_GROW(f->part_start, (size_t)old, (size_t)room, "places", err);
        TAL_GROW(f->feature, (size_t)old, (size_t)room, "places", err);
        r->part_room = room;
    }
    if (f->vertex_count + vertices > r->vertex_room) {
        const int32_t room = 2 * (f->vertex_count + vertices + 16), old = r->vertex_room;
        TAL_GROW(f->x, (size_t)old, (size_t)room, "places", err);
        TAL_GROW(f->y, (size_t)old, (size_t)room, "places", err);
        TAL_GROW(f->z, (size_t)old, (size_t)room, "places", err);
        r->vertex_room = room;
    }
    return TAL_OK;
}

static void add_vertex(reader *r, double x, double y, double z) {
    tal_features *f = r->features;
    f->x[f->vertex_count] = x;
    f->y[f->vertex_count] = y;
    f->z[f->vertex_count++] = z;
}

static void end_part(reader *r) {
    tal_features *f = r->features;
    f->feature[f->part_count++] = r->feature_count;
    f->part_start[f->part_count] = f->vertex_count;
}

static tal_status read_part(reader *r, OGRGeometryH g, bool is_ring, tal_error *err) {
    const bool has_z = OGR_G_Is3D(g) != 0;
    int count = OGR_G_GetPointCount(g);
    if (is_ring && count > 1 && OGR_G_GetX(g, 0) == OGR_G_GetX(g, count - 1) &&
        OGR_G_GetY(g, 0) == OGR_G_GetY(g, count - 1)) {
        count--;
    }
    TAL_TRY(reserve(r, 1, count, err));
    for (int i = 0; i < count; i++) {
        const double x = OGR_G_GetX(g, i), y = OGR_G_GetY(g, i);
        if (!isfinite(x) || !isfinite(y)) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s has a vertex at (%g, %g)", r->where,
                            r->path, x, y);
        }
        add_vertex(r, x, y, has_z ? OGR_G_GetZ(g, i) : NAN);
    }
    end_part(r);
    return TAL_OK;
}

static tal_status take_kind(reader *r, tal_place_choice kind, tal_error *err) {
    if (r->has_kind && r->features->kind != kind) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: %s mixes points, lines and polygons: keep to one kind per file",
                        r->where, r->path);
    }
    r->features->kind = kind;
    r->has_kind = true;
    return TAL_OK;
}

static tal_status read_geometry(reader *r, OGRGeometryH g, tal_error *err) {
    const OGRwkbGeometryType type = OGR_GT_Flatten(OGR_G_GetGeometryType(g));
    if (type == wkbPoint || type == wkbLineString) {
        TAL_TRY(take_kind(r, type == wkbPoint ? TAL_PLACE_POINTS : TAL_PLACE_LINE, err));
        return read_part(r, g, false, err);
    }
    const bool is_polygon = type == wkbPolygon || type == wkbTriangle;
    if (is_polygon) {
        TAL_TRY(take_kind(r, TAL_PLACE_POLYGON, err));
    }
    const int count = OGR_G_GetGeometryCount(g);
    for (int i = 0; i < count; i++) {
        OGRGeometryH part = OGR_G_GetGeometryRef(g, i);
        TAL_TRY(is_polygon ? read_part(r, part, true, err) : read_geometry(r, part, err));
    }
    return TAL_OK;
}

static tal_status read_feature(reader *r, OGRFeatureH feature, tal_error *err) {
    OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
    if (geometry == NULL || OGR_G_IsEmpty(geometry)) {
        return TAL_OK;
    }
    OGRGeometryH straight = OGR_G_GetLinearGeometry(geometry, 0.0, NULL);
    if (straight == NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s: feature %lld is not understood", r->where,
                        r->path, (long long)OGR_F_GetFID(feature));
    }
    const tal_status status = read_geometry(r, straight, err);
    OGR_G_DestroyGeometry(straight);
    r->feature_count++;
    return status;
}

// The vertices of a layer from its coordinate system to that of the study. Heights stay as they are.
static tal_status transform_layer(reader *r, OGRLayerH layer, tal_error *err) {
    static const char *const options[] = {"FORMAT=WKT2_2019", "MULTILINE=NO", NULL};
    tal_features *f = r->features;
    OGRSpatialReferenceH system = OGR_L_GetSpatialRef(layer);
    char *wkt = NULL;
    tal_crs *own = NULL;
    tal_crs_transform *transform = NULL;
    tal_status status = TAL_OK;
    if (system == NULL || OSRIsLocal(system) || tal_crs_get_info(r->frame->crs)->is_local ||
        OSRExportToWktEx(system, &wkt, options) != OGRERR_NONE) {
        return TAL_OK; // taken as coordinates of the study
    }
    TAL_TRY_OR_DONE(tal_crs_create(&own, wkt, r->path, err));
    TAL_TRY_OR_DONE(tal_crs_transform_create_flat(&transform, own, r->frame->crs, r->path, err));
    TAL_TRY_OR_DONE(tal_crs_transform_apply(transform, &f->x[r->first_of_layer],
                                            &f->y[r->first_of_layer], NULL,
                                            (size_t)(f->vertex_count - r->first_of_layer), err));
    for (int32_t i = r->first_of_layer; i < f->vertex_count; i++) {
        if (!isfinite(f->x[i]) || !isfinite(f->y[i])) {
            status = TAL_FAIL(err, TAL_BAD_CRS,
                              "%s: %s: its coordinates do not fit its coordinate system (%s); "
                              "GeoJSON that states none is in degrees",
                              r->where, r->path, tal_crs_get_info(own)->name);
            break;
        }
    }
done:
    CPLFree(wkt);
    tal_crs_transform_destroy(transform);
    tal_crs_destroy(own);
    return status;
}

static tal_status read_layer(reader *r, OGRLayerH layer, tal_error *err) {
    tal_status status = TAL_OK;
    r->first_of_layer = r->features->vertex_count;
    OGR_L_ResetReading(layer);
    for (OGRFeatureH feature = OGR_L_GetNextFeature(layer); feature != NULL && status == TAL_OK;
         feature = status == TAL_OK ? OGR_L_GetNextFeature(layer) : NULL) {
        status = read_feature(r, feature, err);
        OGR_F_Destroy(feature);
    }
    TAL_TRY(status);
    return transform_layer(r, layer, err);
}

static tal_status read_file(reader *r, tal_error *err) {
    tal_status status = TAL_OK;
    tal_gdal_log log;
    tal_gdal_init();
    tal_gdal_log_begin(&log);
    GDALDatasetH dataset = GDALOpenEx(
        r->path, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    if (dataset == NULL) {
        status = tal_gdal_open_failed(&log, r->path, "points, lines or polygons", err);
        goto done;
    }
    for (int i = 0; i < GDALDatasetGetLayerCount(dataset); i++) {
        OGRLayerH layer = GDALDatasetGetLayer(dataset, i);
        if (OGR_L_GetGeomType(layer) != wkbNone) {
            TAL_TRY_OR_DONE(read_layer(r, layer, err));
        }
    }
    if (log.failure_count > 0) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s is damaged or incomplete: %s", r->where,
                          r->path, tal_gdal_log_text(&log));
    }
done:
    if (dataset != NULL) {
        GDALClose(dataset);
    }
    tal_gdal_log_end();
    return status;
}

static tal_status take_inline(reader *r, const tal_reals *list, tal_place_choice kind,
                              tal_error *err) {
    TAL_TRY(reserve(r, list->count, list->count, err));
    r->features->kind = kind;
    for (int i = 0; i + 1 < list->count; i += 2) {
        add_vertex(r, list->value[i], list->value[i + 1], NAN);
        if (kind == TAL_PLACE_POINTS || i + 3 >= list->count) {
            end_part(r);
            r->feature_count++;
        }
    }
    return TAL_OK;
}

static tal_status fill(reader *r, const tal_settings *settings, const char *files,
                       const tal_reals *inline_m, tal_place_choice kind, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_features *f = r->features;
    TAL_TRY(reserve(r, 1, 1, err));
    while (tal_settings_next_file(settings, &files, path)) {
        r->path = path;
        TAL_TRY(read_file(r, err));
    }
    if (f->part_count == 0 && inline_m != NULL) {
        TAL_TRY(take_inline(r, inline_m, kind, err));
    }
    if (f->part_count == 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s holds no points, lines or polygons", r->where,
                        r->path != NULL ? r->path : "the list");
    }
    for (int32_t i = 0; i < f->vertex_count; i++) {
        f->x[i] -= r->frame->origin_m[0];
        f->y[i] -= r->frame->origin_m[1];
        f->z[i] -= r->frame->origin_m[2];
    }
    return TAL_OK;
}

tal_status tal_features_create(tal_features *features, const tal_settings *settings,
                               const char *files, const tal_reals *inline_m, tal_place_choice kind,
                               const tal_features_frame *frame, const char *where, tal_error *err) {
    reader r = {.features = features, .frame = frame, .where = where};
    *features = (tal_features){0};
    const tal_status status = fill(&r, settings, files, inline_m, kind, err);
    if (status != TAL_OK) {
        tal_features_destroy(features);
    }
    return status;
}

void tal_features_destroy(tal_features *f) {
    tal_memory_destroy(f->part_start);
    tal_memory_destroy(f->feature);
    tal_memory_destroy(f->x);
    tal_memory_destroy(f->y);
    tal_memory_destroy(f->z);
    *f = (tal_features){0};
}

bool tal_features_hold(const tal_features *f, double x, double y) {
    bool inside = false;
    for (int32_t part = 0; f->kind == TAL_PLACE_POLYGON && part < f->part_count; part++) {
        const int32_t first = f->part_start[part], end = f->part_start[part + 1];
        for (int32_t i = first, j = end - 1; i < end; j = i++) {
            if ((f->y[i] > y) != (f->y[j] > y) &&
                x < f->x[j] + (y - f->y[j]) * (f->x[i] - f->x[j]) / (f->y[i] - f->y[j])) {
                inside = !inside;
            }
        }
    }
    return inside;
}

bool tal_features_are_raster(const tal_settings *settings, const char *files) {
    char path[TAL_PATH_SIZE];
    if (!tal_settings_next_file(settings, &files, path)) {
        return false;
    }
    tal_gdal_log log;
    tal_gdal_init();
    tal_gdal_log_begin(&log);
    GDALDatasetH dataset = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
    const bool is_raster = dataset != NULL && GDALGetRasterCount(dataset) > 0;
    if (dataset != NULL) {
        GDALClose(dataset);
    }
    tal_gdal_log_end();
    return is_raster;
}

// Share of the way from a to b at which it meets the segment pq; 2 where it does not.
static double crossing(const double a[2], const double b[2], double px, double py, double qx,
                       double qy) {
    const double ux = b[0] - a[0], uy = b[1] - a[1], vx = qx - px, vy = qy - py;
    const double cross = ux * vy - uy * vx;
    if (cross == 0.0) {
        return 2.0;
    }
    const double t = ((px - a[0]) * vy - (py - a[1]) * vx) / cross;
    const double s = ((px - a[0]) * uy - (py - a[1]) * ux) / cross;
    return t >= 0.0 && t <= 1.0 && s >= 0.0 && s <= 1.0 ? t : 2.0;
}

double tal_features_first_crossing(const tal_features *f, const double a[2], const double b[2]) {
    double first = 2.0;
    for (int32_t part = 0; part < f->part_count; part++) {
        const int32_t begin = f->part_start[part], end = f->part_start[part + 1];
        const bool is_ring = f->kind == TAL_PLACE_POLYGON;
        for (int32_t i = begin + (is_ring ? 0 : 1); i < end; i++) {
            const int32_t j = i == begin ? end - 1 : i - 1;
            first = fmin(first, crossing(a, b, f->x[j], f->y[j], f->x[i], f->y[i]));
        }
    }
    return first;
}

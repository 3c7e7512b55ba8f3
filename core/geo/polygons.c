// SPDX-License-Identifier: GPL-3.0-or-later
// Polygons read by OGR, and which of them holds a point or the centre of a cell.
#include "core/geo/geopackage.h"

#include "core/base/memory.h"
#include "core/geo/gdal_log.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The arrays while they grow.
typedef struct {
    tal_polygons *polygons;
    const char *path;
    size_t polygon_room, ring_room, vertex_room;
    int32_t ring_count, vertex_count;
    int64_t other_count; // features that are no polygons
} polygon_reader;

// Room for `more` items in an array that doubles; `larger` is the array from now on.
static tal_status grow(void **larger, void *array, size_t *room, size_t used, size_t more,
                       size_t size, tal_error *err) {
    *larger = array;
    if (used + more > (size_t)INT32_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "more than %d polygon vertices", INT32_MAX);
    }
    if (used + more <= *room) {
        return TAL_OK;
    }
    size_t wanted = *room > 0 ? *room : 64;
    while (wanted < used + more) {
        wanted *= 2;
    }
    *larger = tal_memory_grow(array, used, wanted, size);
    if (*larger == NULL) {
        return tal_memory_failed(err, "polygons", wanted, size);
    }
    *room = wanted;
    return TAL_OK;
}

#define RESERVE(array, room, used, more, err)                                                      \
    do {                                                                                           \
        void *larger_ = NULL;                                                                      \
        TAL_TRY(grow(&larger_, (array), (room), (used), (more), sizeof *(array), (err)));          \
        (array) = larger_;                                                                         \
    } while (0)

static tal_status reserve_vertices(polygon_reader *r, size_t more, tal_error *err) {
    tal_polygons *p = r->polygons;
    size_t room = r->vertex_room;
    const size_t used = (size_t)r->vertex_count;
    RESERVE(p->x, &room, used, more, err);
    RESERVE(p->y, &r->vertex_room, used, more, err);
    return TAL_OK;
}

static tal_status read_ring(polygon_reader *r, OGRGeometryH ring, tal_error *err) {
    tal_polygons *p = r->polygons;
    int count = OGR_G_GetPointCount(ring);
    // OGR repeats the first vertex at the end; here each vertex stands once.
    if (count > 1 && OGR_G_GetX(ring, 0) == OGR_G_GetX(ring, count - 1) &&
        OGR_G_GetY(ring, 0) == OGR_G_GetY(ring, count - 1)) {
        count--;
    }
    TAL_TRY(reserve_vertices(r, (size_t)count, err));
    RESERVE(p->ring_start, &r->ring_room, (size_t)r->ring_count + 1, 1, err);
    for (int i = 0; i < count; i++) {
        const double x = OGR_G_GetX(ring, i);
        const double y = OGR_G_GetY(ring, i);
        if (!isfinite(x) || !isfinite(y)) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: polygon %d has a vertex at (%g, %g)", r->path,
                            p->polygon_count + 1, x, y);
        }
        p->x[r->vertex_count] = x;
        p->y[r->vertex_count] = y;
        r->vertex_count++;
    }
    r->ring_count++;
    p->ring_start[r->ring_count] = r->vertex_count;
    return TAL_OK;
}

static char *copy_string(const char *string) {
    const size_t size = strlen(string) + 1;
    char *copy = tal_memory_create(size, 1);
    if (copy != NULL) {
        memcpy(copy, string, size);
    }
    return copy;
}

static tal_status read_polygon(polygon_reader *r, OGRGeometryH polygon, const char *text,
                               tal_error *err) {
    tal_polygons *p = r->polygons;
    const int rings = OGR_G_GetGeometryCount(polygon);
    if (rings == 0) {
        return TAL_OK; // empty
    }
    for (int i = 0; i < rings; i++) {
        TAL_TRY(read_ring(r, OGR_G_GetGeometryRef(polygon, i), err));
    }
    size_t room = r->polygon_room;
    const size_t used = (size_t)p->polygon_count + 1;
    RESERVE(p->text, &room, used, 1, err);
    RESERVE(p->polygon_start, &r->polygon_room, used, 1, err);
    p->text[p->polygon_count] = copy_string(text);
    if (p->text[p->polygon_count] == NULL) {
        return tal_memory_failed(err, "the text of a polygon", strlen(text), 1);
    }
    p->polygon_count++;
    p->polygon_start[p->polygon_count] = r->ring_count;
    return TAL_OK;
}

// Polygons, and collections of them to any depth.
static tal_status read_geometry(polygon_reader *r, OGRGeometryH geometry, const char *text,
                                tal_error *err) {
    const OGRwkbGeometryType type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry));
    if (type == wkbPolygon || type == wkbTriangle) {
        return read_polygon(r, geometry, text, err);
    }
    if (OGR_GT_IsSubClassOf(type, wkbGeometryCollection) || type == wkbPolyhedralSurface ||
        type == wkbTIN) {
        const int count = OGR_G_GetGeometryCount(geometry);
        for (int i = 0; i < count; i++) {
            TAL_TRY(read_geometry(r, OGR_G_GetGeometryRef(geometry, i), text, err));
        }
        return TAL_OK;
    }
    r->other_count++;
    return TAL_OK;
}

static tal_status read_feature(polygon_reader *r, OGRFeatureH feature, const char *text_field,
                               tal_error *err) {
    OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
    if (geometry == NULL || OGR_G_IsEmpty(geometry)) {
        return TAL_OK;
    }
    const int index = text_field != NULL ? OGR_F_GetFieldIndex(feature, text_field) : -1;
    const char *text = index >= 0 ? OGR_F_GetFieldAsString(feature, index) : "";
    OGRGeometryH straight = OGR_G_GetLinearGeometry(geometry, 0.0, NULL);
    if (straight == NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: feature %lld is not understood", r->path,
                        (long long)OGR_F_GetFID(feature));
    }
    const tal_status status = read_geometry(r, straight, text, err);
    OGR_G_DestroyGeometry(straight);
    return status;
}

static tal_status read_crs(polygon_reader *r, OGRLayerH layer, tal_error *err) {
    static const char *const options[] = {"FORMAT=WKT2_2019", "MULTILINE=NO", NULL};
    OGRSpatialReferenceH crs = OGR_L_GetSpatialRef(layer);
    char *wkt = NULL;
    tal_status status = TAL_OK;
    tal_polygons *p = r->polygons;
    if (crs == NULL || OSRIsLocal(crs) || OSRExportToWktEx(crs, &wkt, options) != OGRERR_NONE) {
        return TAL_OK; // says nothing about where on Earth
    }
    if (p->crs_definition == NULL) {
        p->crs_definition = copy_string(wkt);
        status = p->crs_definition != NULL
                     ? TAL_OK
                     : tal_memory_failed(err, "a coordinate system", strlen(wkt), 1);
    } else if (strcmp(p->crs_definition, wkt) != 0) {
        status = TAL_FAIL(err, TAL_BAD_CRS,
                          "%s: its layers are in different coordinate systems. Put the polygons "
                          "into one layer",
                          r->path);
    }
    CPLFree(wkt);
    return status;
}

static tal_status read_layer(polygon_reader *r, OGRLayerH layer, const char *text_field,
                             tal_error *err) {
    if (text_field != NULL && OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(layer), text_field) < 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: layer '%s' has no field '%s'", r->path,
                        OGR_L_GetName(layer), text_field);
    }
    TAL_TRY(read_crs(r, layer, err));
    tal_status status = TAL_OK;
    OGR_L_ResetReading(layer);
    for (;;) {
        OGRFeatureH feature = OGR_L_GetNextFeature(layer);
        if (feature == NULL) {
            break;
        }
        status = read_feature(r, feature, text_field, err);
        OGR_F_Destroy(feature);
        if (status != TAL_OK) {
            break;
        }
    }
    return status;
}

static bool has_geometry(OGRLayerH layer) {
    return OGR_L_GetGeomType(layer) != wkbNone;
}

static tal_status read_layers(polygon_reader *r, GDALDatasetH dataset, const char *name,
                              const char *text_field, tal_error *err) {
    if (name != NULL) {
        OGRLayerH layer = GDALDatasetGetLayerByName(dataset, name);
        if (layer == NULL) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s has no layer '%s'", r->path, name);
        }
        return read_layer(r, layer, text_field, err);
    }
    const int count = GDALDatasetGetLayerCount(dataset);
    for (int i = 0; i < count; i++) {
        OGRLayerH layer = GDALDatasetGetLayer(dataset, i);
        if (has_geometry(layer)) {
            TAL_TRY(read_layer(r, layer, text_field, err));
        }
    }
    return TAL_OK;
}

static tal_status start_arrays(polygon_reader *r, tal_error *err) {
    tal_polygons *p = r->polygons;
    size_t room = 0;
    RESERVE(p->text, &room, 0, 1, err);
    RESERVE(p->polygon_start, &r->polygon_room, 0, 1, err);
    RESERVE(p->ring_start, &r->ring_room, 0, 1, err);
    return reserve_vertices(r, 1, err);
}

tal_status tal_polygons_read(tal_polygons *polygons, const char *path, const char *layer,
                             const char *text_field, tal_error *err) {
    *polygons = (tal_polygons){0};
    polygon_reader r = {.polygons = polygons, .path = path};
    tal_status status = TAL_OK;
    tal_gdal_log log;
    tal_gdal_log_begin(&log);
    GDALDatasetH dataset = GDALOpenEx(
        path, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    if (dataset == NULL) {
        status = tal_gdal_open_failed(&log, path, "polygons", err);
        goto done;
    }
    TAL_TRY_OR_DONE(start_arrays(&r, err));
    TAL_TRY_OR_DONE(read_layers(&r, dataset, layer, text_field, err));
    if (log.failure_count > 0) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s is damaged or incomplete: %s", path,
                          tal_gdal_log_text(&log));
    } else if (polygons->polygon_count == 0 && r.other_count > 0) {
        status =
            TAL_FAIL(err, TAL_BAD_INPUT,
                     "%s holds no polygons, only points or lines. Outlines must be polygons", path);
    }
done:
    if (dataset != NULL) {
        GDALClose(dataset);
    }
    tal_gdal_log_end();
    if (status != TAL_OK) {
        tal_polygons_destroy(polygons);
    }
    return status;
}

void tal_polygons_destroy(tal_polygons *polygons) {
    for (int32_t i = 0; polygons->text != NULL && i < polygons->polygon_count; i++) {
        tal_memory_destroy(polygons->text[i]);
    }
    tal_memory_destroy(polygons->text);
    tal_memory_destroy(polygons->polygon_start);
    tal_memory_destroy(polygons->ring_start);
    tal_memory_destroy(polygons->x);
    tal_memory_destroy(polygons->y);
    tal_memory_destroy(polygons->crs_definition);
    *polygons = (tal_polygons){0};
}

int32_t tal_polygons_vertex_count(const tal_polygons *polygons) {
    const int32_t rings =
        polygons->polygon_count > 0 ? polygons->polygon_start[polygons->polygon_count] : 0;
    return rings > 0 ? polygons->ring_start[rings] : 0;
}

static bool is_finite(const tal_polygons *polygons) {
    for (int32_t i = 0; i < tal_polygons_vertex_count(polygons); i++) {
        if (!isfinite(polygons->x[i]) || !isfinite(polygons->y[i])) {
            return false;
        }
    }
    return true;
}

tal_status tal_polygons_to_crs(tal_polygons *polygons, const tal_crs *crs, const char *path,
                               tal_error *err) {
    tal_crs *own;
    if (polygons->crs_definition == NULL || tal_crs_get_info(crs)->is_local) {
        return TAL_OK;
    }
    TAL_TRY(tal_crs_create(&own, polygons->crs_definition, path, err));
    tal_status status = tal_crs_convert_flat(own, crs, path, polygons->x, polygons->y,
                                             (size_t)tal_polygons_vertex_count(polygons), err);
    if (status == TAL_OK && !is_finite(polygons)) {
        status = TAL_FAIL(err, TAL_BAD_CRS,
                          "%s: its coordinates do not fit its coordinate system (%s); GeoJSON that "
                          "states none is in degrees",
                          path, tal_crs_get_info(own)->name);
    }
    tal_crs_destroy(own);
    return status;
}

// An edge is crossed by the line at `y` when one end is above it and the other is not: a vertex on
// the line counts once. True with the place of the crossing.
static bool crosses(const tal_polygons *p, int32_t a, int32_t b, double y, double *at) {
    if ((p->y[a] > y) == (p->y[b] > y)) {
        return false;
    }
    // The lower end first: the same crossing from both polygons that share an edge.
    const int32_t low = p->y[a] < p->y[b] ? a : b;
    const int32_t high = low == a ? b : a;
    *at = p->x[low] + (y - p->y[low]) * (p->x[high] - p->x[low]) / (p->y[high] - p->y[low]);
    return true;
}

static bool holds(const tal_polygons *p, int32_t polygon, double x, double y) {
    bool inside = false;
    for (int32_t ring = p->polygon_start[polygon]; ring < p->polygon_start[polygon + 1]; ring++) {
        const int32_t first = p->ring_start[ring];
        const int32_t last = p->ring_start[ring + 1];
        for (int32_t i = first, before = last - 1; i < last; before = i++) {
            double at = 0.0;
            if (crosses(p, before, i, y, &at) && x < at) {
                inside = !inside;
            }
        }
    }
    return inside;
}

int32_t tal_polygons_find(const tal_polygons *polygons, double x, double y) {
    for (int32_t i = polygons->polygon_count - 1; i >= 0; i--) {
        if (holds(polygons, i, x, y)) {
            return i;
        }
    }
    return -1;
}

static int compare_doubles(const void *a, const void *b) {
    const double p = *(const double *)a;
    const double q = *(const double *)b;
    return (p > q) - (p < q);
}

// First cell of the row whose centre is not west of `x`, in 0..columns.
static int32_t first_centre(const tal_grid *grid, double x) {
    const double guess = ceil((x - grid->west) / grid->cell - 0.5);
    int32_t column = (int32_t)fmin(fmax(guess, 0.0), (double)grid->columns);
    // The centres as everyone computes them decide, not the division above.
    double centre = 0.0;
    double unused = 0.0;
    for (; column > 0; column--) {
        tal_grid_centre(grid, column - 1, 0, &centre, &unused);
        if (centre < x) {
            break;
        }
    }
    for (; column < grid->columns; column++) {
        tal_grid_centre(grid, column, 0, &centre, &unused);
        if (centre >= x) {
            break;
        }
    }
    return column;
}

// Crossings of one row with one polygon, sorted from the west.
static size_t find_crossings(const tal_polygons *p, int32_t polygon, double y, double *crossings) {
    size_t count = 0;
    for (int32_t ring = p->polygon_start[polygon]; ring < p->polygon_start[polygon + 1]; ring++) {
        const int32_t first = p->ring_start[ring];
        const int32_t last = p->ring_start[ring + 1];
        for (int32_t i = first, before = last - 1; i < last; before = i++) {
            count += crosses(p, before, i, y, &crossings[count]) ? 1 : 0;
        }
    }
    qsort(crossings, count, sizeof *crossings, compare_doubles);
    return count;
}

// Lowest and highest vertex, to skip the rows a polygon does not reach.
static void find_reach(const tal_polygons *p, int32_t polygon, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    const int32_t first = p->ring_start[p->polygon_start[polygon]];
    const int32_t last = p->ring_start[p->polygon_start[polygon + 1]];
    for (int32_t i = first; i < last; i++) {
        *low = fmin(*low, p->y[i]);
        *high = fmax(*high, p->y[i]);
    }
}

static void fill_polygon(const tal_polygons *p, int32_t polygon, const tal_grid *grid,
                         double *crossings, int32_t *cells) {
    double low = 0.0;
    double high = 0.0;
    find_reach(p, polygon, &low, &high);
    for (int32_t row = 0; row < grid->rows; row++) {
        double unused = 0.0;
        double y = 0.0;
        tal_grid_centre(grid, 0, row, &unused, &y);
        if (y < low || y > high) {
            continue;
        }
        const size_t count = find_crossings(p, polygon, y, crossings);
        int32_t *line = cells + (size_t)row * (size_t)grid->columns;
        for (size_t i = 0; i + 1 < count; i += 2) {
            const int32_t end = first_centre(grid, crossings[i + 1]);
            for (int32_t column = first_centre(grid, crossings[i]); column < end; column++) {
                line[column] = polygon;
            }
        }
    }
}

tal_status tal_polygons_fill(const tal_polygons *polygons, const tal_grid *grid, int32_t *cells,
                             tal_error *err) {
    const size_t cell_count = tal_grid_cell_count(grid);
    for (size_t i = 0; i < cell_count; i++) {
        cells[i] = -1;
    }
    if (polygons->polygon_count == 0) {
        return TAL_OK;
    }
    double *crossings = NULL;
    TAL_CREATE(crossings, (size_t)tal_polygons_vertex_count(polygons) + 1, "the edges of polygons",
               err);
    for (int32_t i = 0; i < polygons->polygon_count; i++) {
        fill_polygon(polygons, i, grid, crossings, cells);
    }
    tal_memory_destroy(crossings);
    return TAL_OK;
}

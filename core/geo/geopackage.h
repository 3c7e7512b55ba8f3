// SPDX-License-Identifier: GPL-3.0-or-later
// GeoPackages by GDAL/OGR: written aside and renamed, with QGIS styles inside and fixed dates.
#ifndef TALUS_CORE_GEO_GEOPACKAGE_H
#define TALUS_CORE_GEO_GEOPACKAGE_H

#include "core/base/file.h"
#include "core/geo/crs.h"
#include "core/geo/grid.h"

#include <stdint.h>

typedef struct tal_geopackage tal_geopackage;

typedef enum {
    TAL_GEOMETRY_NONE, // a table
    TAL_GEOMETRY_POINT,
    TAL_GEOMETRY_POINT_Z,
    TAL_GEOMETRY_LINE,
    TAL_GEOMETRY_LINE_Z,
    TAL_GEOMETRY_LINE_ZM,
    TAL_GEOMETRY_POLYGON,
    TAL_GEOMETRY_MULTIPOLYGON
} tal_geometry_kind;

typedef enum { TAL_FIELD_REAL, TAL_FIELD_INTEGER, TAL_FIELD_TEXT } tal_field_kind;

typedef struct {
    const char *name; // with its unit: "volume_m3"
    tal_field_kind kind;
} tal_field;

typedef union {
    double real; // NaN: no value
    int64_t integer;
    const char *text; // NULL: no value
} tal_field_value;

// Vertices of all rings or of one line, one after another. z and m may be NULL where the kind has
// none. Rings need not repeat their first vertex. polygon_start gives the first ring of each
// polygon.
typedef struct {
    const double *x, *y, *z, *m;
    int32_t ring_count;
    const int32_t *ring_start; // ring_count + 1; NULL for points and lines (see vertex_count)
    int32_t vertex_count;      // of a line; 1 for a point
    int32_t polygon_count;     // of a multipolygon
    const int32_t *polygon_start;
} tal_geometry;

tal_status tal_geopackage_create(tal_geopackage **package, const char *path,
                                 tal_overwrite overwrite, tal_error *err);
// Later features go to this layer. `style_qml` is stored as the layer's default QGIS style; may be
// NULL.
tal_status tal_geopackage_add_layer(tal_geopackage *package, const char *name,
                                    tal_geometry_kind kind, const tal_crs *crs,
                                    const tal_field *fields, int field_count, const char *style_qml,
                                    tal_error *err);
tal_status tal_geopackage_add_feature(tal_geopackage *package, const tal_geometry *geometry,
                                      const tal_field_value *values, tal_error *err);
tal_status tal_geopackage_commit(tal_geopackage **package, tal_error *err);
void tal_geopackage_discard(tal_geopackage **package);

// Polygons read from any OGR source, in its own coordinates.
typedef struct {
    int32_t polygon_count;
    int32_t *polygon_start; // first ring of each polygon (the outer one), polygon_count + 1
    int32_t *ring_start;    // first vertex of each ring, ring count + 1; no vertex is repeated
    double *x, *y;
    char **text;          // per polygon: value of the text field asked for, "" without; may be NULL
    char *crs_definition; // WKT, NULL where the source has none
} tal_polygons;

// `text_field` may be NULL. All layers of a file are read unless `layer` names one. A file without
// features gives no polygons; one with points or lines only is an error.
tal_status tal_polygons_read(tal_polygons *polygons, const char *path, const char *layer,
                             const char *text_field, tal_error *err);
void tal_polygons_destroy(tal_polygons *polygons);
int32_t tal_polygons_vertex_count(const tal_polygons *polygons);
// From their own system to the map of `crs`; without one, or to a local system, they stay as they are.
tal_status tal_polygons_to_crs(tal_polygons *polygons, const tal_crs *crs, const char *path,
                               tal_error *err);
// Even-odd within each polygon; -1 when outside, else the number of the (last) one that holds it.
int32_t tal_polygons_find(const tal_polygons *polygons, double x, double y);
// The same for the centre of every cell of a grid, much faster; `cells` row by row from the north.
tal_status tal_polygons_fill(const tal_polygons *polygons, const tal_grid *grid, int32_t *cells,
                             tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Test helpers of ingest: a terrestrial scanner that looks at triangle meshes, and a plain LAS
// writer.
#ifndef TALUS_TESTS_INGEST_SUPPORT_SCAN_H
#define TALUS_TESTS_INGEST_SUPPORT_SCAN_H

#include <stddef.h>
#include <stdint.h>

// ---- LAS 1.2, point format 0 ----
typedef struct {
    double x, y, z;
    uint8_t point_class;
} scan_point;

// `scale` in metres; offsets are taken from the first point. `epsg` of the map and of the heights
// go into GeoTIFF keys; 0: none. False when it cannot be written.
int scan_write_las(const char *path, const scan_point *points, size_t count, double scale, int epsg,
                   int epsg_vertical);

// ---- Scanner ----
typedef struct {
    double x[3], y[3], z[3];
} scan_triangle;

typedef struct {
    scan_triangle *triangle;
    size_t count, capacity;
} scan_mesh;

// Adds the faces of a Wavefront OBJ file, read through GDAL (so that it may be inside a zip).
int scan_mesh_add_obj(scan_mesh *mesh, const char *path);
void scan_mesh_free(scan_mesh *mesh);

typedef struct {
    double place[3];
    double azimuth_from_deg, azimuth_to_deg;     // clockwise from y
    double elevation_from_deg, elevation_to_deg; // above the horizon
    double step_deg;
    double range_sigma_m;
    uint64_t seed;
} scan_position;

// First surface along each ray; the caller frees the points. Returns how many there are.
size_t scan_mesh_from(const scan_mesh *mesh, const scan_position *position, scan_point **points);

#endif

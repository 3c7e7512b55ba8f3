// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces from OBJ, STL and PLY files, as they are.
#ifndef TALUS_MESHER_IMPORT_MESH_FILE_H
#define TALUS_MESHER_IMPORT_MESH_FILE_H

#include "core/base/status.h"
#include "core/geometry/halfspace.h"

#include <stddef.h>
#include <stdint.h>

// Polygons become fans of triangles. A part is a group or object of an OBJ file; other files have
// one part.
typedef struct {
    int64_t vertex_count, vertex_capacity;
    tal_vec3 *vertex;
    int64_t triangle_count, triangle_capacity;
    int32_t *triangle; // three per triangle
    int32_t *part;     // per triangle
    int32_t part_count;
    int64_t face_count; // as the file has them
} tal_mesh_file;

// By the end of the name: .obj, .stl, .ply.
tal_status tal_mesh_file_read(tal_mesh_file *mesh, const char *path, tal_error *err);
void tal_mesh_file_destroy(tal_mesh_file *mesh);
bool tal_mesh_file_is_known(const char *path);

// From memory; `bytes` is followed by a '\0' that `length` does not count.
tal_status tal_mesh_file_parse_obj(tal_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, tal_error *err);
tal_status tal_mesh_file_parse_stl(tal_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, tal_error *err);
tal_status tal_mesh_file_parse_ply(tal_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, tal_error *err);

// For the parsers: one vertex, one polygon of vertex numbers (checked).
tal_status tal_mesh_file_add_vertex(tal_mesh_file *mesh, tal_vec3 p, tal_error *err);
tal_status tal_mesh_file_add_polygon(tal_mesh_file *mesh, const int64_t *corner, int64_t count,
                                     const char *path, int64_t line, tal_error *err);

// Makes vertices at one place one vertex (STL repeats them); keeps the order of first mention.
tal_status tal_mesh_file_weld(tal_mesh_file *mesh, tal_error *err);

// Signed volume of a part, and how many of its edges have no partner of opposite direction.
tal_status tal_mesh_file_measure(const tal_mesh_file *mesh, int32_t part, double *volume,
                                 int64_t *open_edges, tal_error *err);

// Pairs of triangles of a part that pass through each other; -1 where there are too many triangles
// to look.
tal_status tal_mesh_file_crossings(const tal_mesh_file *mesh, int32_t part, int64_t *crossings,
                                   tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The bed as triangles: greedy refinement of the grid to a vertical error, or every cell.
#ifndef TALUS_MESHER_TERRAIN_TERRAIN_MESH_H
#define TALUS_MESHER_TERRAIN_TERRAIN_MESH_H

#include "core/base/status.h"
#include "core/geo/grid.h"

#include <stdint.h>

typedef struct {
    double error_m;       // largest vertical distance allowed at any cell with data
    bool full_resolution; // every cell with data is a vertex
    double margin_m;      // width of the level ground added beyond the rim
} tal_terrain_options;

// Coordinates are metres from the local origin. Faces are counter-clockwise seen from above.
typedef struct {
    int32_t node_count;
    int32_t grid_node_count; // the first nodes are cells of the grid, the others its margin
    double *x, *y, *z;
    int32_t face_count;
    int32_t *face_node;      // three per face
    double error_m;          // largest vertical distance found at cells with data
    int32_t wall_face_count; // the last faces are a wall along the rim
    int32_t lone_cells;      // cells with data that no triangle can reach (single cells, threads)
} tal_terrain_mesh;

// `origin_x`, `origin_y`, `origin_z` are taken off the coordinates of the study.
tal_status tal_terrain_mesh_create(tal_terrain_mesh *mesh, const tal_raster *bed,
                                   const tal_terrain_options *options, const double origin[3],
                                   tal_error *err);
void tal_terrain_mesh_destroy(tal_terrain_mesh *mesh);

// A wall along every open edge: it leans outwards by `width` and stands `height` above the highest
// node.
tal_status tal_terrain_mesh_add_wall(tal_terrain_mesh *mesh, double width, double height,
                                     tal_error *err);

// Points on a lattice, row by row from the south; local coordinates of the first point.
typedef struct {
    double west, south;
    double spacing;
    int32_t columns, rows;
} tal_lattice;

// Heights of the triangles at the points of a lattice that holds every node within its bounds (cells
// of the grid or a whole-number refinement); NaN where there is none. The margin is left out.
void tal_terrain_mesh_heights(const tal_terrain_mesh *mesh, const tal_lattice *lattice,
                              float *height);

#endif

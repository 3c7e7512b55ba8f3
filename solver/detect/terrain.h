// SPDX-License-Identifier: GPL-3.0-or-later
// The ground: a triangle mesh with neighbours, edge convexity and a uniform grid of triangles.
#ifndef TALUS_SOLVER_DETECT_TERRAIN_H
#define TALUS_SOLVER_DETECT_TERRAIN_H

#include "core/base/math3.h"
#include "core/base/status.h"

#include <stdint.h>

typedef struct {
    int32_t vertex_count;
    int32_t triangle_count;
    tal_vec3 *vertex;
    int32_t *triangle;      // 3 per triangle, counter-clockwise seen from above (outside)
    int32_t *neighbour;     // 3 per triangle: across edge (k, k+1), -1 at the rim
    tal_vec3 *normal;       // unit, outward
    uint8_t *edge_convex;   // 3 per triangle: 1 where the surface bends away (a ridge or the
                            // rim), else 0
    int32_t *surface_class; // per triangle
    double grid_x0, grid_y0, grid_cell;
    int32_t grid_columns, grid_rows;
    int32_t *grid_start; // columns*rows+1
    int32_t *grid_triangle;
    tal_vec3 low, high; // bounding box
    // Derived once for contact detection.
    int32_t *patch; // per triangle: the lowest triangle of its coplanar connected patch
    int32_t *vertex_triangle_start; // per vertex, one more than there are vertices
    int32_t *vertex_triangle;       // the triangles around each vertex
    tal_vec3 *vertex_normal; // sum of the face normals weighted by angle, unit: tells in from out
    uint8_t *vertex_convex;  // 1 where ridges (or rim edges) meet at a corner: maybe a peak
    int32_t *first_column;   // per triangle: the lowest grid column and row it lies in
    int32_t *first_row;
    double *grid_low; // per cell: lowest and highest corner of its triangles
    double *grid_high;
} tal_terrain;

// An edge counts as flat below this sine of its bend: a body spanning it sinks less than a ten
// thousandth of its length.
#define TAL_TERRAIN_FLAT_SINE 1e-4

// Copies and checks: indices in range, no degenerate triangle, every edge shared by at most two
// triangles with opposite directions. Faces need not be graph-like: overhangs are allowed.
tal_status tal_terrain_create(tal_terrain *terrain, const tal_vec3 *vertices, int32_t vertex_count,
                              const int32_t *triangles, int32_t triangle_count,
                              const int32_t *surface_class, tal_error *err);
void tal_terrain_destroy(tal_terrain *terrain);

// Height of the ground below or above (x, y): the highest triangle there; NaN outside.
double tal_terrain_height(const tal_terrain *terrain, double x, double y);

// The grid cells that cover [x_low, x_high] x [y_low, y_high], both ends included and cut to the
// grid; false when the box misses the terrain.
typedef struct {
    int32_t column_low, column_high, row_low, row_high;
} tal_terrain_cells;
bool tal_terrain_cells_find(const tal_terrain *terrain, double x_low, double x_high, double y_low,
                            double y_high, tal_terrain_cells *cells);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Incremental Delaunay triangulation of cells of a grid. Cells have whole-number coordinates, so
// every decision (left of, on, inside a circle) is exact and no input is degenerate.
#ifndef TALUS_MESHER_TERRAIN_DELAUNAY_H
#define TALUS_MESHER_TERRAIN_DELAUNAY_H

#include "core/base/status.h"

#include <stdint.h>

typedef struct {
    int32_t vertex[3];    // counter-clockwise
    int32_t neighbour[3]; // across the edge from vertex k to vertex k + 1; -1 at the rim
} tal_delaunay_triangle;

typedef struct {
    int32_t columns, rows;
    int32_t vertex_count, vertex_capacity;
    int32_t *vertex_x, *vertex_y; // column, and row counted upwards
    int32_t triangle_count, triangle_capacity;
    tal_delaunay_triangle *triangle;
    int32_t changed_count, changed_capacity;
    int32_t *changed; // triangles made or altered by the last insertion, with repetitions
    int32_t stack_capacity;
    int32_t *stack; // triangle * 3 + edge, waiting for the circle test
    int32_t last;   // where a walk begins
} tal_delaunay;

enum { TAL_DELAUNAY_SIDE_MAX = 32767 };

// The rectangle of columns x rows cells, at least 2 x 2, as two triangles.
tal_status tal_delaunay_create(tal_delaunay *mesh, int32_t columns, int32_t rows, tal_error *err);
void tal_delaunay_destroy(tal_delaunay *mesh);

// The triangle that holds (x, y), by walking.
int32_t tal_delaunay_find(const tal_delaunay *mesh, int32_t x, int32_t y);

// Inserts a cell that is not a vertex yet; `triangle` holds it.
tal_status tal_delaunay_insert(tal_delaunay *mesh, int32_t x, int32_t y, int32_t triangle,
                               tal_error *err);

// Twice the signed area of (a, b, c), by numbers of vertices.
int64_t tal_delaunay_area(const tal_delaunay *mesh, int32_t a, int32_t b, int32_t c);

// Positive when d is strictly inside the circle through a, b, c (counter-clockwise), exactly.
int tal_delaunay_in_circle(const int32_t a[2], const int32_t b[2], const int32_t c[2],
                           const int32_t d[2]);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy refinement: inserts the worst cell of the worst triangle until no cell is farther than
// the allowed error from its triangle.
#ifndef TALUS_MESHER_TERRAIN_TERRAIN_REFINE_H
#define TALUS_MESHER_TERRAIN_TERRAIN_REFINE_H

#include "core/geo/grid.h"
#include "mesher/terrain/delaunay.h"

// Cells next to cells without data become vertices first, on both sides, so that no triangle
// reaches across the edge of the data.
tal_status tal_terrain_refine(tal_delaunay *mesh, const tal_raster *bed, double error_m,
                              tal_error *err);

// Calls for each cell in the closed triangle (a, b, c) given by columns and upward rows: from
// `first` to `last` column of each row.
typedef void tal_span_visit(void *context, int32_t y, int32_t first, int32_t last);
void tal_triangle_scan(const int32_t a[2], const int32_t b[2], const int32_t c[2],
                       tal_span_visit *visit, void *context);

#endif

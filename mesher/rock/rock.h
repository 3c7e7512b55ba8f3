// SPDX-License-Identifier: GPL-3.0-or-later
// The missing rock: what lies between the bed and the old surface inside the source.
#ifndef TALUS_MESHER_ROCK_ROCK_H
#define TALUS_MESHER_ROCK_ROCK_H

#include "core/base/status.h"
#include "core/geo/grid.h"
#include "core/geometry/halfspace.h"
#include "mesher/terrain/near_ground.h"
#include "mesher/terrain/terrain_mesh.h"

#include <stdint.h>

// The solid { bed(x, y) < z < bed(x, y) + thickness(x, y) } with both surfaces bilinear between the
// centres of cells and the thickness zero outside the source: closed, and its volume is the sum of
// thickness times cell area. Coordinates are metres from the local origin.
typedef struct {
    tal_grid grid;
    double west, south; // centre of the south-western cell
    double cell;
    int32_t columns, rows;
    float *bed;       // rows from the south; NaN without data
    float *thickness; // 0 outside the source
    double volume;
    double source_volume; // sum of the source raster, for comparison
    double area;
    int64_t cell_count;
    int64_t buried_cells; // source cells where the old surface lies below the bed
    double thickness_max;
    tal_vec3 low, high; // bounding box
    tal_vec3 centroid;
    double strike; // direction of the contours of the middle surface: radians from north, clockwise
    double dip;    // of the middle surface
    // The triangles on a finer lattice around the source: blocks stay above.
    tal_lattice fine;
    float *ground;
    double ground_below;       // how far the ground may lie below the bed
    tal_near_ground triangles; // the same triangles, for exact answers
    // Lowest bed and highest top of tiles, for quick answers.
    int32_t tile_cells, tile_columns, tile_rows;
    float *tile_low, *tile_high;
} tal_rock;

// `terrain` may be NULL. Fails when the source holds no rock.
tal_status tal_rock_create(tal_rock *rock, const tal_raster *bed, const tal_raster *before,
                           const tal_raster *source, const tal_terrain_mesh *terrain,
                           const double origin[3], tal_error *err);
void tal_rock_destroy(tal_rock *rock);

// Surfaces at a point; outside the grid the nearest rim counts and the thickness is zero.
typedef struct {
    double bed, ground, thickness;
} tal_rock_sample;
tal_rock_sample tal_rock_at(const tal_rock *rock, double x, double y);
bool tal_rock_holds(const tal_rock *rock, tal_vec3 p);

// False only when no rock lies in the box.
bool tal_rock_may_touch(const tal_rock *rock, tal_vec3 low, tal_vec3 high);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Vertical columns through a convex cell: how much of it is rock, and what a plane would cut off.
#ifndef TALUS_MESHER_ROCK_COLUMNS_H
#define TALUS_MESHER_ROCK_COLUMNS_H

#include "core/base/status.h"
#include "core/geometry/polyhedron.h"
#include "mesher/rock/rock.h"

#include <stdint.h>

// The cell between `low` and `high`, the rock between `bed` and `top` (equal where there is none).
typedef struct {
    double x, y;
    double low, high;
    double bed, top, ground;
} tal_column;

typedef struct {
    const tal_rock *rock;
    double spacing;    // between columns; divides the cell of the grid or is a multiple of it
    double air_weight; // what a plane pays for keeping air, where keeping rock earns one
    int32_t count, capacity;
    tal_column *column;
} tal_columns;

// Columns about `spacing_wish` apart, on a lattice that holds centres of grid cells.
void tal_columns_set_spacing(tal_columns *columns, double spacing_wish);
void tal_columns_destroy(tal_columns *columns);
tal_status tal_columns_fill(tal_columns *columns, const tal_polyhedron *cell, tal_error *err);

double tal_columns_rock(const tal_columns *columns);
// Rock beyond the plane.
double tal_columns_lost(const tal_columns *columns, tal_halfspace plane);
// Shortens every column to the inside of the plane.
void tal_columns_cut(tal_columns *columns, tal_halfspace plane);

// How good the best plane with this outward normal is: rock kept, minus air_weight times what is
// kept above the rock, minus twice what is kept below it, per column area. Sets the offset.
double tal_columns_score(const tal_columns *columns, tal_vec3 normal, double *offset);
// The same without any cut.
double tal_columns_score_uncut(const tal_columns *columns);

// Least-squares plane z = height + slope_x (x - middle_x) + slope_y (y - middle_y).
typedef struct {
    double w, x, y, z, xx, xy, yy, xz, yz;
} tal_plane_fit;
void tal_plane_fit_add(tal_plane_fit *fit, double x, double y, double z);
// False when the points lie on a line.
bool tal_plane_fit_slopes(const tal_plane_fit *fit, double *slope_x, double *slope_y);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Where a rock of a release starts and what it is: a function of the seed and of its number.
#ifndef TALUS_SOLVER_PROGRAM_RELEASE_START_H
#define TALUS_SOLVER_PROGRAM_RELEASE_START_H

#include "core/app/release_check.h"
#include "core/geo/features.h"
#include "core/geo/grid.h"
#include "core/geo/release_places.h"
#include "solver/program/scene.h"

// All that starts are drawn from.
typedef struct {
    const tal_settings *settings;
    const tal_solve_scene *scene;
    const tal_ground *ground;
    tal_release_draws draws;
    bool from_raster;
    tal_features from; // points, lines or polygons
    double *length;    // per vertex of lines: length up to it, over all lines
    tal_raster cells;  // of a raster; coordinates of the study
    int32_t *place;    // its cells above 0, or the points: in the order in which rocks take them
    int32_t place_count;
    tal_raster diameter[3];
    int diameter_count;     // 0, 1 or 3
    double low[2], high[2]; // around polygons
} tal_starts;

// One rock. Its shape owns nothing: `vertex` has room for as many as the largest block has.
typedef struct {
    int64_t number;
    int32_t block; // of blocks.nc
    double size;   // cube root of the volume
    double mass;
    double radius; // bounding
    tal_vec3 inertia, position, velocity, spin;
    tal_quat orientation;
    tal_shape_input shape;
    tal_vec3 *vertex;
} tal_rock_start;

// The triangles, for the checks of places.
tal_place_ground tal_release_ground(const tal_settings *settings, const tal_solve_scene *scene,
                                    const tal_ground *ground);

// Reads the files and finds every place that is not on the terrain or below it, with the lines of the
// site file.
tal_status tal_starts_create(tal_starts *starts, const tal_settings *settings,
                             const tal_solve_scene *scene, const tal_ground *ground,
                             tal_error *err);
void tal_starts_destroy(tal_starts *starts);

int32_t tal_starts_vertices_max(const tal_starts *starts);
// `start->vertex` must be set.
tal_status tal_starts_draw(const tal_starts *starts, int64_t number, tal_rock_start *start,
                           tal_error *err);

// Distance from the centroid down to the lowest point.
double tal_rock_drop(const tal_rock_start *start, tal_quat orientation);

#endif

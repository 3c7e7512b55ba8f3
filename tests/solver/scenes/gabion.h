// SPDX-License-Identifier: GPL-3.0-or-later
// The gabion wall of Leon (2016), section 6.1: cages of 0.5 m with 216 polyhedral grains each, packed
// by closing the cage around them, stacked to a wall between rigid sides, with springs for the nets
// and for the sand behind, and a ball that flies at it.
#ifndef TALUS_TESTS_SOLVER_SCENES_GABION_H
#define TALUS_TESTS_SOLVER_SCENES_GABION_H

#include "core/base/status.h"
#include "solver/include/talus_solver.h"

enum { GABION_GRAINS = 216, GABION_CORNERS = 10 };

// Lengths and stiffnesses of the thesis, and what its text leaves open (docs/validation/gabion.md).
static const double GABION_EDGE_M = 0.5;
static const double GABION_GRAIN_DENSITY = 2600.0; // limestone
static const double GABION_BALL_KG = 260.0;
static const double GABION_BALL_RADIUS_M = 0.254;
static const double GABION_SAND_N_M = 3e4; // per grain
static const double GABION_NET_N_M = 3e6;  // per grain: 1e11 N/m^3 over the volume outside

// A prism a x b x c with a pyramid of height d/2 on each face a x c: 12 faces.
typedef struct {
    double a, b, c, d;
} gabion_grain;

// The wall lies between x = 0 and columns * 0.5 m, z = 0 and rows * 0.5 m; its front is y = 0, the
// sand begins at y = 0.5 m. Grains of gabion g (row by row) are numbered from 216 g.
typedef struct {
    int columns, rows;
    int32_t grain_count;
    gabion_grain *grain;
    double *mass;
    tal_vec3 *inertia, *position, *velocity, *spin;
    tal_quat *orientation;
    double pack_depth_m; // deepest overlap that packing left
} gabion_wall;

// Packs every gabion from its own random numbers.
tal_status gabion_wall_create(gabion_wall *wall, int columns, int rows, tal_error *err);
void gabion_wall_destroy(gabion_wall *wall);

double gabion_wall_fill(const gabion_wall *wall); // share of the cages that is rock

// Model of the wall, with the ball (number grain_count) in front of its middle if `ball_speed` > 0.
// The ball hangs on its slings: its weight is carried. Grains meet each other and the ball by `law`.
tal_status gabion_wall_model(const gabion_wall *wall, tal_law law, double ball_speed,
                             tal_model **model, tal_error *err);

// Poses and velocities of the grains as they are in `state`.
void gabion_wall_take(gabion_wall *wall, const tal_state *state);

// How far the farthest corner of grain b stands out of its cage: towards the front, the sand, and
// the other four sides.
typedef struct {
    double front, back, aside;
} gabion_outside;

gabion_outside gabion_wall_outside(const gabion_wall *wall, const tal_state *state, int32_t b);

#endif

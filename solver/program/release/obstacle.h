// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in the way of rocks besides the ground: barriers and stems.
#ifndef TALUS_SOLVER_PROGRAM_RELEASE_OBSTACLE_H
#define TALUS_SOLVER_PROGRAM_RELEASE_OBSTACLE_H

#include "core/app/release_check.h"
#include "core/geo/features.h"
#include "solver/program/scene.h"

typedef struct {
    tal_features line;
    double height, capacity; // m, J
} tal_barrier;

// Stems in the plane, by cells of a grid.
typedef struct {
    int32_t count;
    double *x, *y, *radius; // m
    double *energy;         // that one takes before it breaks, J
    double radius_max;
    double west, south, cell;
    int32_t columns, rows;
    int32_t *cell_start; // columns * rows + 1: stems are sorted by cell
} tal_stems;

typedef struct {
    int barrier_count;
    tal_barrier barrier[TAL_REPEAT_MAX];
    tal_stems stems;
} tal_obstacles;

// Reads, draws and checks all of them, with the lines of the site file.
tal_status tal_obstacles_create(tal_obstacles *obstacles, const tal_settings *settings,
                                const tal_solve_scene *scene, const tal_ground *ground,
                                tal_error *err);
void tal_obstacles_destroy(tal_obstacles *obstacles);

// Parts of it, one per file.
tal_status tal_stems_create(tal_stems *stems, const tal_settings *settings,
                            const tal_solve_scene *scene, const tal_ground *ground, tal_error *err);
void tal_stems_destroy(tal_stems *stems);

// The first stem that a disc of `radius` touches on its way from a to b, and where on the way (0 to 1);
// -1: none. Stems for which `skip` holds are passed over.
typedef bool tal_stem_skip(const void *context, int32_t stem);
int32_t tal_stems_first_touch(const tal_stems *stems, const double a[2], const double b[2],
                              double radius, tal_stem_skip *skip, const void *context, double *at);

// Energy in joules that a stem takes at most, diameter in cm, compared with silver fir (the public code
// of RockForNET: 38.7 DBH^2.31).
double tal_stem_energy(double diameter_cm, double strength);

#endif

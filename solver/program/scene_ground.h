// SPDX-License-Identifier: GPL-3.0-or-later
// Grounds of a scene: the numbers of their laws, and roughness.
#ifndef TALUS_SOLVER_PROGRAM_SCENE_GROUND_H
#define TALUS_SOLVER_PROGRAM_SCENE_GROUND_H

#include "solver/program/scene.h"

// Numbers of a law that [contact] and [pair.A.B] name as the library does.
#define TAL_GROUND_NUMBERS(ROW)                                                                    \
    ROW(rolling_friction)                                                                          \
    ROW(friction_max)                                                                              \
    ROW(scar_growth_per_m)                                                                         \
    ROW(scar_decay_per_s)                                                                          \
    ROW(drag_per_s)                                                                                \
    ROW(plastic_energy_j_m2)                                                                       \
    ROW(friction_fast)                                                                             \
    ROW(weakening_speed_mps)                                                                       \
    ROW(friction_worn)                                                                             \
    ROW(weakening_slip_m)                                                                          \
    ROW(turbulence_mps2)

// [ground.CLASS]: finer triangles with bumps in place of those of terrain.nc.
tal_status tal_scene_roughen(tal_solve_scene *scene, const tal_settings *settings, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// What a program watches between the steps of a scene: blocks that leave, whether anything moves, and
// how far the blocks have come.
#ifndef TALUS_SOLVER_PROGRAM_WATCH_H
#define TALUS_SOLVER_PROGRAM_WATCH_H

#include "core/geometry/travel.h"
#include "solver/program/scene.h"

// Takes out the blocks that have left over the rim; `lost` is 1 for those, now and before.
void tal_watch_take_out_lost(const tal_solve_scene *scene, const tal_ground *ground,
                             tal_state *state, uint8_t *lost);
// Whether a point of a block that is still there is faster than `still_mps`.
bool tal_watch_is_moving(const tal_solve_scene *scene, const tal_state *state, const uint8_t *lost,
                         double still_mps);
// Of all blocks since the start.
tal_status tal_watch_travel(const tal_solve_scene *scene, const tal_vec3 *position,
                            tal_travel *travel, tal_error *err);
// Steps of `dt_s` in an interval, at least one.
int64_t tal_watch_steps(double interval_s, double dt_s);
// Says what a setting of [solve] becomes that is no whole number of steps.
void tal_watch_tell_steps(const char *key, double interval_s, double dt_s);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The fall of rocks in a scene of their own on the shared ground: usually one rock, all of them where they
// fall together.
#ifndef TALUS_SOLVER_PROGRAM_RELEASE_FALL_H
#define TALUS_SOLVER_PROGRAM_RELEASE_FALL_H

#include "solver/program/release/obstacle.h"
#include "solver/program/release/rock.h"

// Constant while rocks fall; threads share it.
typedef struct {
    const tal_settings *settings;
    const tal_solve_scene *scene;
    const tal_ground *ground;
    const tal_starts *starts;
    const tal_obstacles *obstacles;
    int thread_count; // within the scene
} tal_fall;

// Lets rocks `first` to `first + count - 1` fall; `rock` has `count` entries, which are written over.
tal_status tal_fall_run(const tal_fall *fall, int64_t first, int32_t count, tal_fallen_rock *rock,
                        tal_error *err);

#endif

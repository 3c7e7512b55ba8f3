// SPDX-License-Identifier: GPL-3.0-or-later
// Rock that did not move: which friction lets it go, found by trying lower ones on the same scene.
#ifndef TALUS_SOLVER_PROGRAM_ONSET_H
#define TALUS_SOLVER_PROGRAM_ONSET_H

#include "core/base/settings.h"
#include "solver/program/scene.h"

typedef struct {
    bool is_share;   // both numbers are shares of the frictions given, which differ
    double moves_at; // greatest friction tried at which half of the blocks move; NaN: none of them
    double holds_at; // least one tried above that (without one, of all): holds; NaN: not tried
} tal_onset;

extern const tal_onset tal_onset_unknown;

// `model` is that of the scene; its laws are others afterwards. Stops early, knowing less, when a user
// interrupts it.
tal_status tal_onset_find(tal_onset *onset, tal_model *model, const tal_solve_scene *scene,
                          const tal_solve_settings *solve, int thread_count, tal_error *err);

#endif

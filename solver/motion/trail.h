// SPDX-License-Identifier: GPL-3.0-or-later
// What a body carries along from its way over the ground: the scar that it digs, the drag of soft ground, and
// how far it slid in all. Part of the state: it comes from before this step (docs/theory/grounds.md).
#ifndef TALUS_SOLVER_MOTION_TRAIL_H
#define TALUS_SOLVER_MOTION_TRAIL_H

#include "solver/step/state.h"

// True if a law of the model needs trails; without, none is kept.
bool tal_model_needs_trails(const tal_model *model);

// Half of drag times step: what the drag adds to the mass of a body in translation, as a share of it.
static inline double tal_trail_drag(const tal_state *state, int32_t body, double dt) {
    return 0.5 * dt * state->trail[body].drag;
}

// After the percussions: books what the drag took, and carries all trails to the end of the piece.
void tal_advance_trails(const tal_model *model, tal_state *state, double dt, tal_report *report);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Motion between percussions, and the way of velocities into and out of the contact problem.
#ifndef TALUS_SOLVER_MOTION_INTEGRATE_H
#define TALUS_SOLVER_MOTION_INTEGRATE_H

#include "solver/step/state.h"

// Straight flight and exact free rotation for the time h.
void tal_advance_positions(const tal_model *model, tal_state *state, double h);

// u- and the inertias in world axes at the present poses.
void tal_load_motion(const tal_model *model, tal_state *state);

// u- + M^-1 b: gravity during dt, and the loads; of one body, of all.
void tal_advance_free_body(const tal_model *model, tal_state *state, int32_t b, double dt);
void tal_advance_free_velocity(const tal_model *model, tal_state *state, double dt);

// u+ back into the state. Bodies without contact and load keep their angular momentum to the last bit.
void tal_store_motion(const tal_model *model, tal_state *state);

#endif

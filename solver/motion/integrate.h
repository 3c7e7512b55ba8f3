// SPDX-License-Identifier: GPL-3.0-or-later
// Motion between percussions, and the way of velocities into and out of the contact problem.
#ifndef TALUS_SOLVER_MOTION_INTEGRATE_H
#define TALUS_SOLVER_MOTION_INTEGRATE_H

#include "solver/step/state.h"

// Straight flight and exact free rotation for the time h; bodies that are ahead go the rest of it.
void tal_advance_positions(const tal_model *model, tal_state *state, double h);

// One body goes on for a time, ahead of the others. Returns the change of its potential energy.
double tal_advance_ahead(const tal_model *model, tal_state *state, int32_t b, double time);

// Change of potential energy by what those that are ahead will not go within h.
double tal_potential_not_gone(const tal_model *model, const tal_state *state, double h);

// u- and the inertias in world axes at the present poses.
void tal_load_motion(const tal_model *model, tal_state *state);

// u- + M^-1 b: gravity during dt, and the loads; of one body, of all.
void tal_advance_free_body(const tal_model *model, tal_state *state, int32_t b, double dt);
void tal_advance_free_velocity(const tal_model *model, tal_state *state, double dt);

// u+ back into the state. Bodies without contact and load keep their angular momentum to the last bit.
void tal_store_motion(const tal_model *model, tal_state *state);

#endif

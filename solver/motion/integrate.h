// SPDX-License-Identifier: GPL-3.0-or-later
// Motion between percussions, and the way of velocities into and out of the contact problem: each of
// these asks all kinds of bodies (solver/percussion/body.h).
#ifndef TALUS_SOLVER_MOTION_INTEGRATE_H
#define TALUS_SOLVER_MOTION_INTEGRATE_H

#include "solver/step/state.h"

// The free motion for the time h: of rigid bodies straight flight and exact rotation.
void tal_advance_positions(const tal_model *model, tal_state *state, double h);

// u- and M^-1 at the present poses: of rigid bodies the inertias in world axes.
void tal_load_motion(const tal_model *model, tal_state *state);

// How far beyond the surface of each body contacts can matter within dt.
void tal_set_reaches(const tal_model *model, tal_state *state, double dt);

// u- + M^-1 b: gravity during dt, and the loads; of one body, of all.
void tal_advance_free_body(const tal_model *model, tal_state *state, int32_t b, double dt);
void tal_advance_free_velocity(const tal_model *model, tal_state *state, double dt);

// u+ back into the state. Bodies without contact and load keep their angular momentum to the last bit.
void tal_store_motion(const tal_model *model, tal_state *state);

// Energies of all that moves. `ahead` shifts the potential along the velocities: half a drift after the
// kick in scheme acd2, where the sum is constant in free fall; zero in scheme moreau.
tal_energy tal_observe_energy(const tal_model *model, const tal_state *state, double ahead);

// The arrays of the motion, for a checkpoint; returns how many.
int tal_list_motion(const tal_state *state, tal_section list[TAL_SECTIONS_MAX]);

#endif

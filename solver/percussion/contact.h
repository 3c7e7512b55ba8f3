// SPDX-License-Identifier: GPL-3.0-or-later
// From detected manifolds to the contact problem of a step.
#ifndef TALUS_SOLVER_PERCUSSION_CONTACT_H
#define TALUS_SOLVER_PERCUSSION_CONTACT_H

#include "solver/step/state.h"

// Finds the contacts at the present poses that can matter within `dt`. How far a body reaches because of its
// neighbours is kept until it is forgotten, at the beginning of each piece of a step.
tal_status tal_find_contacts(const tal_model *model, tal_state *state, double dt, tal_error *err);
void tal_forget_reaches(const tal_model *model, tal_state *state);

// How fast point k of a manifold that was found closes, before any percussion.
double tal_found_closing(const tal_state *state, const tal_manifold *manifold, int32_t k);

// Colors, frames, arms, effective masses, laws, percussions of the last step.
tal_status tal_prepare_contacts(const tal_model *model, tal_state *state, double dt,
                                tal_report *report, tal_error *err);

// Makes the contacts of one island inelastic and forgets their percussions.
void tal_soften_island(const tal_model *model, tal_state *state, int32_t island);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The list of contacts of a step, and its completion by contacts that only a look ahead shows: a
// body that is struck at one corner turns, and another corner arrives within the same step.
#ifndef TALUS_SOLVER_STEP_LOOK_AHEAD_H
#define TALUS_SOLVER_STEP_LOOK_AHEAD_H

#include "solver/step/state.h"

typedef enum { TAL_LOOK_NOTHING, TAL_LOOK_ADDED, TAL_LOOK_WOKE } tal_look_result;

// Copies what the collider found at the present poses.
tal_status tal_list_contacts(const tal_model *model, tal_state *state, tal_error *err);

// Moves all bodies a step ahead with the velocities just solved and looks for penetrations that the
// listed contacts did not prevent. They are listed apart, linearised; if one of them
// touches bodies at rest these are woken instead, and the contacts have to be found again.
tal_status tal_look_ahead(const tal_model *model, tal_state *state, double dt,
                          tal_look_result *result, tal_error *err);

// From the centroids to point k of a listed manifold, at the poses it was found at: as the bodies lie now or, if a look
// added it, a step later. Until the bodies go on.
void tal_listed_arms(const tal_model *model, const tal_state *state, const tal_manifold *manifold,
                     int32_t k, tal_vec3 arm[2]);

// What was listed apart takes its places in the list.
tal_status tal_take_added(tal_state *state, tal_error *err);

#endif

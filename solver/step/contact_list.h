// SPDX-License-Identifier: GPL-3.0-or-later
// The contacts of a step, by bodies, with their arms. Points that cannot close within the step unless percussions
// drive them to are left out: most of what comes within reach carries nothing.
#ifndef TALUS_SOLVER_STEP_CONTACT_LIST_H
#define TALUS_SOLVER_STEP_CONTACT_LIST_H

#include "solver/step/state.h"

// Penetration worth a contact of its own, and the gap that may be left out, shares of the smallest edge.
#define TAL_DEPTH_NOTICEABLE 2e-3

// Names of points that only a look ahead has found differ from all detected ones.
#define TAL_IDENTITY_AHEAD (UINT64_C(1) << 63)

// What counts as noticeable between these two bodies, the second one -1 for the ground.
double tal_noticeable_depth(const tal_model *model, int32_t body_i, int32_t body_j);

// By bodies: negative if a comes first.
int tal_manifold_compare(const tal_manifold *a, const tal_manifold *b);

// Takes over what the collider found at the present poses: to `list` and `left_out`.
tal_status tal_list_contacts(const tal_model *model, tal_state *state, double dt, tal_error *err);

// A manifold as detected at these positions, and one of another list with its arms.
void tal_list_append_found(tal_manifolds *list, const tal_manifolds *found,
                           const tal_manifold *manifold, const tal_vec3 *position);
void tal_list_append(tal_manifolds *to, const tal_manifolds *from, int32_t m);

// Normal velocity with which the bodies of a manifold part at point k, before the percussions.
double tal_list_speed_before(const tal_state *state, const tal_manifolds *list,
                             const tal_manifold *manifold, int32_t k);

// By how much point k of a manifold closes within dt at the velocities at hand.
double tal_list_closing(const tal_state *state, const tal_manifolds *list,
                        const tal_manifold *manifold, int32_t k, double dt);

// How deep manifold m of those left out gets at the velocities at hand; negative: it stays open.
double tal_left_out_depth(const tal_model *model, const tal_state *state, int32_t m, double dt);

#endif

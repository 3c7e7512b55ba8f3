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

// What decides, before the solution, which points of two bodies close and which strike (docs/theory/solver.md,
// "Gaps").
typedef struct {
    double dt, ahead; // ahead of the clock both are
    double pull;      // by which gravity brings them together in dt
    double slow;      // approaches that are no impacts
} tal_judge;

// Number of the law of a manifold.
int32_t tal_law_of(const tal_model *model, const tal_manifold *manifold);

// Gaps thinner than a skin count as closed (contact.c).
double tal_skin_gap(const tal_model *model, double gap);

// Of contact k of a pair, as laws see it.
double tal_gap_of(const tal_model *model, const tal_state *state, const tal_pair *pair, int32_t k);

// Body_j = body_count is the ground.
tal_judge tal_judge_of(const tal_model *model, const tal_state *state, int32_t body_i,
                       int32_t body_j, tal_vec3 normal, double dt);

// From gap and velocity before, with what loads add to the pull: all but joints may close.
void tal_judge_point(const tal_judge *judge, double load, bool may_close, tal_contact_data *data);

// What is known of contact k before the solution, from poses and velocities as they are then: all but what depends
// on the other contacts of its pair (kn, kt, adhesion) and on constraints. `judge`: of the pair.
tal_contact_data tal_contact_data_of(const tal_model *model, const tal_state *state,
                                     const tal_pair *pair, const tal_judge *judge, int32_t k);

// The bodies of a manifold that percussions move.
tal_edge tal_edge_of(const tal_state *state, const tal_manifold *manifold);

// Manifold m of the list as a pair of an island, with its contacts from `first_contact` on; and all that has to be
// known of these.
tal_pair tal_pair_of(const tal_model *model, const tal_state *state, int32_t m,
                     int32_t first_contact, int32_t island);
void tal_prepare_pair(const tal_model *model, tal_state *state, tal_pair *pair, double dt);

// Impacts and penetrations of all contacts.
void tal_count_contacts(const tal_model *model, const tal_state *state, tal_report *report);

// Colors, frames, arms, effective masses, laws, percussions of the last step.
tal_status tal_prepare_contacts(const tal_model *model, tal_state *state, double dt,
                                tal_report *report, tal_error *err);

// Makes the contacts of one island inelastic and forgets their percussions. `dt`: that they were prepared with.
void tal_soften_island(const tal_model *model, tal_state *state, int32_t island, double dt);

#endif

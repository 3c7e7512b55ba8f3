// SPDX-License-Identifier: GPL-3.0-or-later
// What is prescribed from outside: bodies that follow a time series of velocities, and point forces.
// Both depend on the time alone, so a checkpoint needs nothing of them.
#ifndef TALUS_SOLVER_MOTION_PRESCRIBED_H
#define TALUS_SOLVER_MOTION_PRESCRIBED_H

#include "solver/step/state.h"

// Copies series and forces and marks the bodies concerned; after the other bodies were copied.
tal_status tal_prescribed_create(tal_model *model, const tal_model_input *input, tal_error *err);
void tal_prescribed_destroy(tal_model *model);
uint64_t tal_prescribed_hash(uint64_t hash, const tal_model *model);

// Gives the bodies that follow a series their velocities at the time of the state.
void tal_prescribed_follow(const tal_model *model, tal_state *state);

// Turns a body that follows a series: constant spin during h.
tal_quat tal_prescribed_turn(tal_quat orientation, tal_vec3 spin, double h);

// What the piece of a step being made adds to velocities, into state->work.load. After tal_load_motion.
void tal_prescribed_load(const tal_model *model, tal_state *state);

// Speed that the load adds to some point of a body, at most.
double tal_prescribed_speed(const tal_model *model, const tal_state *state, int32_t body);

// Normal velocity that the loads of both bodies give a contact.
double tal_prescribed_pull(const tal_state *state, const tal_pair *pair,
                           const tal_contact *contact);

// Work of the point forces in this piece, with the velocities solved.
double tal_prescribed_force_work(const tal_model *model, const tal_state *state);

// Work that the bodies of a pair which follow a series do at contact k of it.
double tal_prescribed_contact_work(const tal_model *model, const tal_state *state,
                                   const tal_pair *pair, int32_t k);

// Energy that dry friction may feign at one body: its kick within a piece, squared, m/8. For gravity
// alone m g^2 dt^2/8 (docs/theory/solver.md, "Energy").
double tal_prescribed_kick_energy(const tal_model *model, const tal_state *state, int32_t body,
                                  double dt);

#endif

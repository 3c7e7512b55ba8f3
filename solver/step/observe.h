// SPDX-License-Identifier: GPL-3.0-or-later
// The energy book: what the bodies have, what the contacts took, whether any law was broken.
#ifndef TALUS_SOLVER_STEP_OBSERVE_H
#define TALUS_SOLVER_STEP_OBSERVE_H

#include "solver/step/state.h"

// What friction may feign in dt although no contact creates energy: sum of m kick^2/8.
double tal_observe_rise_bound(const tal_model *model, const tal_state *state, double dt);

// Work of the percussions and its sign, in sum (into the report) and per island.
void tal_observe_contacts(const tal_model *model, tal_state *state, double dt, tal_report *report);

// Islands whose energy rose beyond sum m g^2 dt^2 / 8 although some contact of them rebounds or
// dissipates at impacts are solved again without; returns how many (docs/theory/solver.md, "Energy").
int32_t tal_guard_energy(const tal_model *model, tal_state *state, double dt, tal_report *report);

#endif

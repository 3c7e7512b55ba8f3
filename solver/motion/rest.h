// SPDX-License-Identifier: GPL-3.0-or-later
// Islands at rest: bodies that touch each other and nothing that moves are left alone, with the
// percussions that carry them, until something awake comes within its reach of them.
#ifndef TALUS_SOLVER_MOTION_REST_H
#define TALUS_SOLVER_MOTION_REST_H

#include "solver/step/state.h"

enum { TAL_AWAKE = -1 };

static inline bool tal_is_at_rest(const tal_state *state, int32_t body) {
    return body >= 0 && body < state->body_count && state->rest[body].group != TAL_AWAKE;
}

// Wakes all that came to rest together with `body`.
void tal_wake(tal_state *state, int32_t body);

// Wakes all that rest on `body` or against it.
void tal_wake_touching(tal_state *state, int32_t body);

// Wakes those at rest that the contacts just found would touch. True if there were any: the contacts
// have to be found again.
bool tal_wake_reached(tal_state *state);

// Marks the islands that linger: all bodies slower than `slow` (as below) before and after the
// percussions just found, and not still. Errors that the tolerance lets pass can keep them going: in a
// column they add up from joint to joint. The marks hold until the next call of a function of this file.
const uint8_t *tal_find_lingering(const tal_model *model, tal_state *state, double slow);

// Lays islands to rest that did not move for `rest_steps` steps (or pieces of steps) beyond what errors
// within the tolerance add up to, and that dry friction holds: viscous contacts creep on. `slow` is the speed that
// errors of slow bodies are measured against. The kinetic energy left counts as dissipated by friction.
void tal_lay_to_rest(const tal_model *model, tal_state *state, double dt, double slow,
                     tal_report *report);

// The deepest penetration, if it is between bodies at rest.
void tal_observe_rest(const tal_state *state, tal_report *report);

#endif

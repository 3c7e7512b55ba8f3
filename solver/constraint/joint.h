// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints in a step. Each is one or two rows of the contact problem: a row is listed like a manifold
// of one point, takes part in sweeps and residual with the law `joint`, and is asked for the velocity
// that closes its gap at the next midpoint (docs/theory/solver.md, "Constraints").
#ifndef TALUS_SOLVER_CONSTRAINT_JOINT_H
#define TALUS_SOLVER_CONSTRAINT_JOINT_H

#include "solver/step/state.h"

// Names of rows differ from those of all detected points and of those that a look ahead adds.
#define TAL_IDENTITY_JOINT (UINT64_C(3) << 62)

static inline bool tal_is_joint_identity(uint64_t identity) {
    return (identity & TAL_IDENTITY_JOINT) == TAL_IDENTITY_JOINT;
}

// All that can be wrong with the constraints and the pairs without contact; returns how many faults.
int tal_constraints_check(const tal_model_input *input, tal_error *err);

// Copies the constraints as rows, sorted by bodies; after bodies and series were copied. Faults that
// need the start, such as links that do not fit, are reported together.
tal_status tal_joints_create(tal_model *model, const tal_model_input *input, tal_error *err);
void tal_joints_destroy(tal_model *model);
uint64_t tal_joints_hash(uint64_t hash, const tal_model *model);

// Whether row n has anything to hold: a body of it may be gone.
bool tal_joint_acts(const tal_state *state, const tal_joint *joint);

// Row n as a manifold of one point with its arms, behind the others in the list.
void tal_joint_append(const tal_model *model, const tal_state *state, int32_t n,
                      tal_manifolds *list);

// What the law of a row needs, for the first guess.
// From the centroids to the points of row n, as the bodies lie now.
void tal_joint_arms(const tal_model *model, const tal_state *state, int32_t n, tal_vec3 arm[2]);

void tal_joint_prepare(const tal_model *model, const tal_state *state, const tal_pair *pair,
                       double dt, tal_contact_data *data);

// Measures how far the rows will be open at the next midpoint with the velocities solved: the largest
// relative error of a velocity. Marks the islands that have rows in state->work.is_rising.
double tal_joints_measure(const tal_model *model, tal_state *state, double dt);

// Asks for velocities that take back what was measured.
void tal_joints_refine(const tal_model *model, tal_state *state, double dt);

// Adds the percussions of the rows to state->work.reaction.
void tal_joints_observe(const tal_model *model, tal_state *state);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The sweeps at a pair of which a body is not rigid: the same visits as in rigid_kernel.h, through the
// functions of the kinds.
#ifndef TALUS_SOLVER_PERCUSSION_GENERAL_KERNEL_H
#define TALUS_SOLVER_PERCUSSION_GENERAL_KERNEL_H

#include "solver/percussion/contact_solver.h"

// Which velocities of a general body are meant.
typedef enum {
    TAL_GENERAL_MOTION,
    TAL_GENERAL_BEFORE // never written
} tal_general_values;

// Each point in turn solves its own problem exactly; a patch that holds may be visited twice.
void tal_general_visit(const tal_percussion_problem *problem, const tal_pair *pair);

// Adds the effect of a percussion per contact, `stride` numbers from one to the next. `rigid` are the
// same values of the rigid bodies.
void tal_general_strike(const tal_percussion_problem *problem, const tal_pair *pair,
                        const double *percussion, size_t stride, tal_rigid_motion *rigid,
                        tal_general_values of_general);

// Relative velocity of i against j at contact k, in the frame of the pair.
void tal_general_velocity(const tal_percussion_problem *problem, const tal_pair *pair, int32_t k,
                          const tal_rigid_motion *rigid, tal_general_values of_general,
                          double d[3]);

// W of contact k, into the contact.
void tal_general_effective_mass(const tal_percussion_problem *problem, const tal_pair *pair,
                                int32_t k);

// What body b adds to the energy scale of its pairs.
double tal_general_energy_scale(const tal_percussion_problem *problem, int32_t b, double speed_min);

#endif

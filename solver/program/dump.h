// SPDX-License-Identifier: GPL-3.0-or-later
// The contact problem of a step as a file, to be solved again by talus-contact or by other codes.
#ifndef TALUS_SOLVER_PROGRAM_DUMP_H
#define TALUS_SOLVER_PROGRAM_DUMP_H

#include "solver/include/talus_solver.h"

// The problem of the step just made, with its percussions as the solution: FCLIB, OUT/contact-STEP.hdf5.
tal_status tal_dump_problem(const tal_state *state, const char *out, long long step,
                            tal_error *err);

#endif

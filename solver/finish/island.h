// SPDX-License-Identifier: GPL-3.0-or-later
// The finisher in a step: islands of rigid bodies that the sweeps left above the tolerance become
// problems of dry friction, are finished, and their percussions put back.
#ifndef TALUS_SOLVER_FINISH_ISLAND_H
#define TALUS_SOLVER_FINISH_ISLAND_H

#include "solver/finish/friction_problem.h"
#include "solver/percussion/contact_solver.h"

typedef struct {
    int32_t tried_count;   // islands it was tried on
    int32_t needed_count;  // of these, the ones that the sweeps left above the tolerance
    double regularisation; // most that led to an answer which is kept, in mean inverse masses
} tal_finish_count;

// After tal_solve_percussions with the same work and goal: the islands above the tolerance, and those
// marked in `lingers` (per island), which get less effort, and large ones more sweeps instead. What the finisher finds counts only if the
// measure of the sweeps finds it better; an island above the tolerance that is not finished is swept again,
// with twice the sweeps of the goal. Islands with constraints, with laws that pull or roll, or with
// bodies that are not rigid are left as they are. One thread. Allocates: such islands are rare.
tal_status tal_finish_islands(const tal_percussion_problem *problem, const tal_solver_work *work,
                              const tal_solver_goal *goal, const uint8_t *lingers,
                              tal_finish_count *count, tal_solver_result *result, tal_error *err);

// Whether an island is small and its laws and bodies are such that it can be finished.
bool tal_finish_is_cheap(const tal_percussion_problem *problem, const tal_island *island);

// All contacts of a problem, in sweep order, as one of dry friction or, where that does not do, with
// laws, and the percussions at hand (3 per contact, adhesion added; tal_memory_destroy). TAL_UNAVAILABLE
// where a law or a body does not allow it.
tal_status tal_finish_collect(const tal_percussion_problem *problem, tal_friction_problem *friction,
                              double **percussion, tal_error *err);

#endif

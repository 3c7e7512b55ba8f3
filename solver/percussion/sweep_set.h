// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of one island that are swept together, color by color: dry rigid ones of a large island in batches, all
// others one by one. Between sweeps the percussions of the batches live there and not in the contacts.
#ifndef TALUS_SOLVER_PERCUSSION_SWEEP_SET_H
#define TALUS_SOLVER_PERCUSSION_SWEEP_SET_H

#include "solver/percussion/contact_solver.h"

typedef struct {
    const tal_percussion_problem *problem;
    const tal_solver_work *work;
    const tal_island *island;
    int thread_count;
    int32_t contact_count;
    int32_t body_count;
    const int32_t *body; // whose motion is extrapolated
    int32_t single_end[TAL_COLOR_MAX + 1], batch_end[TAL_COLOR_MAX + 1];
    int32_t *single;
    // Of each pair of the island, in the set of all pairs: its lane, counted through all batches; or, of those that are
    // visited one by one, how many contacts such pairs before it have.
    int32_t *lane_of;
    tal_batch *batch; // NULL: none
    tal_batch_point *point;
    tal_batch_percussion *percussion;
    tal_batch_course *course;   // of the hot list while that is swept, of all pairs else
    tal_batch_opening *opening; // if these are all pairs
    double beta, change_before; // of the acceleration
} tal_sweep_set;

// The pairs of a color of an island, and whether they share bodies.
static inline int32_t tal_color_begin(const tal_percussion_problem *problem,
                                      const tal_island *island, int32_t color) {
    return color > 0 ? problem->color_end[island->first_color + color - 1] : island->first_pair;
}

static inline int32_t tal_color_end(const tal_percussion_problem *problem, const tal_island *island,
                                    int32_t color) {
    return problem->color_end[island->first_color + color];
}

static inline bool tal_color_is_serial(const tal_island *island, int32_t color) {
    return island->last_color_is_serial && color == island->color_count - 1;
}

// Exact ones have no batches.
typedef enum { TAL_SET_ALL, TAL_SET_ALL_EXACT, TAL_SET_HOT, TAL_SET_HOT_EXACT } tal_set_kind;

// The pairs of an island, all or those marked as listed, with the constants of their batches.
void tal_sweep_set_fill(tal_sweep_set *set, const tal_percussion_problem *problem,
                        const tal_solver_work *work, int32_t island, int thread_count,
                        tal_set_kind kind);

// How many threads may share the pairs of a color.
int tal_sweep_set_threads(const tal_sweep_set *set, int32_t color);

// Before any set with batches: the motions in these of the ground and of all that no percussion moves.
void tal_lanes_begin(const tal_percussion_problem *problem, const tal_solver_work *work);

// Percussions from the contacts, motions, and nothing to go on by; and back.
void tal_sweep_set_begin(tal_sweep_set *set);
void tal_sweep_set_store(const tal_sweep_set *set);

// The same for a hot list, whose percussions are those of all pairs as they are being swept; and back to these.
void tal_sweep_set_begin_hot(tal_sweep_set *hot, const tal_sweep_set *all);
void tal_sweep_set_end_hot(const tal_sweep_set *hot, tal_sweep_set *all);

// After batches have been stored: the motion that follows from the percussions, without their rounding.
void tal_sweep_set_settle(const tal_sweep_set *set);

// The effect of the percussions of the contacts of an island, added to the motion.
void tal_strike_island(const tal_percussion_problem *problem, const tal_island *island,
                       int thread_count);

// One accelerated sweep: goes on by a part of what the last sweep changed, then visits all. Returns the energy of the
// changes, relative to the scales of their pairs.
double tal_sweep_set_sweep(tal_sweep_set *set);

// Goes on by itself. The next sweep begins anew.
void tal_sweep_set_go_on(tal_sweep_set *set);

// Squared relative errors of its contacts, into work->error.
void tal_sweep_set_measure(const tal_sweep_set *set);

// The same of one pair, by what its contacts say.
void tal_measure_pair(const tal_percussion_problem *problem, int32_t number, double *error);

// Room for the batches of all islands, and where those of each begin; after the pairs are laid out.
tal_status tal_batches_reserve(tal_batches *batches, const tal_percussion_problem *problem,
                               tal_error *err);

// Whether an island that pairs have joined since then has room for them, too. By the problem alone.
bool tal_batches_have_room(const tal_batches *batches, const tal_percussion_problem *problem,
                           int32_t island);

// What of them is large goes back to the system: between two solutions the hot list, and percussions, which the
// contacts have; and all, which the next step fills anew.
void tal_batches_pause(const tal_batches *batches);
void tal_batches_forget(tal_batches *batches);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Nonlinear block Gauss-Seidel with the conjugate-gradient acceleration of Silcowitz-Hansen,
// Niebe and Erleben (2010): one sweep is the gradient, its decrease decides how far to go on along
// the last direction. The velocity is linear in the percussions, so both are extrapolated together.
// Islands do not know of each other: each is swept as often as it needs, while it is in the cache.
#include "solver/percussion/contact_solver.h"

#include "core/base/threads.h"
#include "solver/percussion/general_kernel.h"
#include "solver/percussion/patch.h"
#include "solver/percussion/rigid_kernel.h"
#include "solver/percussion/roll.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Errors of single contacts are at most this many tolerances: a mean over hundreds of them hides one
// that pushes what is leaving it. Piton Marcel at 10 ms: sweeps per step 26 without this, 34 with 30, 62
// with 10; most energy that a contact gave 6.7, 0.17, 0.11 MJ.
static const double WORST = 30.0;

static const double GROWTH_MAX = 1.1; // of a change from one sweep to the next, in energy

// In a large island most pairs are solved early: sweeps then visit only those that still change, and
// all of them again every LIST_AGE_MAX sweeps and before any decision to stop.
static const double LIST_SHARE_MAX = 0.5;  // a list of nearly all pairs is not worth its making
static const double LIST_NEGLIGIBLE = 0.1; // share of its part of the tolerance, in energy
enum { LIST_AGE_MAX = 12, LIST_PAIRS_MIN = 32 };

// Islands with more pairs are shared between threads color by color, the others one by one.
enum { SHARED_PAIRS_MIN = 512 };
// Some microseconds of work: less is not worth sharing.
enum { PAIRS_PER_PIECE = 8 };

// The residual is measured when the changes look small enough, and now and then anyway: percussions
// that wander change though nothing is wrong with them. A failed check is repeated after this many
// sweeps.
enum { CHECK_PAUSE = 3, CHECK_EVERY = 64, RELEASE_FIRST = 64 };

static double mean_inverse_mass(const tal_contact *c) {
    return (c->w[0] + c->w[3] + c->w[5]) / 3.0;
}

static double relative_error(double square, double scale) {
    return square == 0.0 ? 0.0 : square / scale;
}

// One visit of a pair. The sum of |change|^2 is weighted with the mean inverse mass, i.e. an energy.
static void sweep_pair(const tal_percussion_problem *problem, const tal_pair *pair, double *change,
                       double sums[2]) {
    const tal_contact *contact = &problem->contact[pair->first_contact];
    change += 3 * (ptrdiff_t)pair->first_contact;
    for (int32_t k = 0; k < pair->contact_count; k++) {
        for (int f = 0; f < 3; f++) {
            change[3 * k + f] = -contact[k].percussion[f];
        }
    }
    if (pair->is_general) {
        tal_general_visit(problem, pair);
    } else {
        tal_rigid_visit(problem, pair);
    }
    sums[0] = 0.0;
    for (int32_t k = 0; k < pair->contact_count; k++) {
        const double weight = mean_inverse_mass(&contact[k]);
        for (int f = 0; f < 3; f++) {
            const double step = change[3 * k + f] + contact[k].percussion[f];
            change[3 * k + f] = step;
            sums[0] += weight * step * step;
        }
    }
    if (pair->roll_length > 0.0) {
        sums[0] += tal_roll_visit(problem, pair);
    }
    sums[1] = relative_error(sums[0], pair->energy_scale);
}

// An island being solved, and which of its pairs are swept.
typedef struct {
    const tal_percussion_problem *problem;
    const tal_solver_work *work;
    const tal_island *island;
    int thread_count;
    int32_t *listed;
    int32_t color_end[TAL_COLOR_MAX + 1]; // places in `listed`
    int32_t listed_count;
    bool is_complete;
    int age; // sweeps since it was complete
    double change_before;
} island_solve;

// A loop over pairs or bodies of an island.
typedef struct {
    const island_solve *solve;
    int32_t first; // place of item 0 in `listed`
    double beta;
} color_loop;

static void list_all(island_solve *s) {
    const tal_island *island = s->island;
    for (int32_t n = 0; n < island->pair_count; n++) {
        s->listed[n] = island->first_pair + n;
    }
    for (int32_t c = 0; c < island->color_count; c++) {
        s->color_end[c] = s->problem->color_end[island->first_color + c] - island->first_pair;
    }
    s->listed_count = island->pair_count;
    s->is_complete = true;
    s->age = 0;
}

static void sweep_listed(const island_solve *s, int32_t n) {
    const int32_t p = s->listed[n];
    sweep_pair(s->problem, &s->problem->pair[p], s->work->change, &s->work->pair_sum[2 * p]);
}

// Pairs of one color touch no body twice: any order gives the same bits.
static void sweep_color(void *context, int64_t first, int64_t end) {
    for (int64_t n = first; n < end; n++) {
        const color_loop *l = context;
        sweep_listed(l->solve, (int32_t)(l->first + n));
    }
}

static void sweep(const island_solve *s) {
    if (s->thread_count == 1) { // the order of colors is the order of the list
        for (int32_t n = 0; n < s->listed_count; n++) {
            sweep_listed(s, n);
        }
        return;
    }
    for (int32_t c = 0; c < s->island->color_count; c++) {
        const int32_t first = c > 0 ? s->color_end[c - 1] : 0;
        const bool is_serial = s->island->last_color_is_serial && c == s->island->color_count - 1;
        tal_threads_loop(is_serial ? 1 : s->thread_count, s->color_end[c] - first, PAIRS_PER_PIECE,
                         sweep_color, &(color_loop){s, first, 0.0});
    }
}

// Adds the effect of a percussion per contact to the motion, or to the direction of the last sweeps.
static void strike_pair(const tal_percussion_problem *problem, const tal_pair *pair,
                        const double *percussion, size_t stride, tal_rigid_motion *rigid,
                        tal_general_values of_general) {
    if (pair->is_general) {
        tal_general_strike(problem, pair, percussion, stride, rigid, of_general);
    } else {
        tal_rigid_strike(problem, pair, percussion, stride, rigid);
    }
}

void tal_warm_start(const tal_percussion_problem *problem) {
    for (int32_t p = 0; p < problem->pair_count; p++) { // pairs are sorted by color already
        const tal_pair *pair = &problem->pair[p];
        const double *percussion = problem->contact[pair->first_contact].percussion;
        strike_pair(problem, pair, percussion, sizeof(tal_contact) / sizeof(double),
                    problem->motion, TAL_GENERAL_MOTION);
    }
}

// Energy of the last changes of the pairs marked as listed, to be compared with the one before; and
// relative to the scales, of all that were swept.
static double sum_changes(const island_solve *s, double *relative) {
    const int32_t first = s->island->first_pair;
    double energy = 0.0;
    *relative = 0.0;
    for (int32_t p = first; p < first + s->island->pair_count; p++) {
        energy += s->work->is_listed[p] ? s->work->pair_sum[2 * p] : 0.0;
        *relative += s->is_complete || s->work->is_listed[p] ? s->work->pair_sum[2 * p + 1] : 0.0;
    }
    return energy;
}

// A change that grows begins anew; one that stays as it is (percussions that shift among the points of
// a patch) is where going on pays most.
static double choose_beta(double change, double before) {
    const double ratio = before > 0.0 ? change / before : 0.0;
    return ratio > GROWTH_MAX ? 0.0 : (ratio < 1.0 ? ratio : 1.0);
}

static double *motion_values(tal_rigid_motion *motion) {
    return &motion->v.x;
}

// direction = beta * direction + change; percussion += beta * old direction; likewise the motion.
static void extrapolate_pair(const island_solve *s, int32_t n, double beta) {
    const tal_pair *pair = &s->problem->pair[s->listed[n]];
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        for (int f = 0; f < 3; f++) {
            const double along = beta * s->work->direction[3 * k + f];
            s->problem->contact[k].percussion[f] += along;
            s->work->direction[3 * k + f] = along + s->work->change[3 * k + f];
        }
    }
    if (pair->roll_length > 0.0) {
        tal_roll_extrapolate(s->problem, pair, beta);
    }
}

static inline void extrapolate_values(double *now, double *start, double *direction, int32_t count,
                                      double beta) {
    for (int32_t f = 0; f < count; f++) {
        const double along = beta * direction[f];
        direction[f] = along + (now[f] - start[f]);
        now[f] += along;
        start[f] = now[f];
    }
}

static void extrapolate_body(const island_solve *s, int32_t n, double beta) {
    const int32_t b = s->problem->island_body[s->island->first_body + n];
    if (tal_is_general(s->problem, b)) {
        const tal_general_body *g = tal_general(s->problem, b);
        extrapolate_values(g->motion, g->start, g->direction, g->motion_count, beta);
        return;
    }
    extrapolate_values(motion_values(&s->problem->motion[b]),
                       motion_values(&s->work->motion_start[b]),
                       motion_values(&s->work->motion_direction[b]), 8, beta);
}

static void extrapolate_pairs(void *context, int64_t first, int64_t end) {
    const color_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        extrapolate_pair(l->solve, (int32_t)n, l->beta);
    }
}

static void extrapolate_bodies(void *context, int64_t first, int64_t end) {
    const color_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        extrapolate_body(l->solve, (int32_t)n, l->beta);
    }
}

static void extrapolate(const island_solve *s, double beta) {
    color_loop l = {s, 0, beta};
    tal_threads_loop(s->thread_count, s->listed_count, 4 * PAIRS_PER_PIECE, extrapolate_pairs, &l);
    tal_threads_loop(s->thread_count, s->island->body_count, 4 * PAIRS_PER_PIECE,
                     extrapolate_bodies, &l);
}

static int32_t contacts_end(const island_solve *s) {
    const tal_pair *last = &s->problem->pair[s->island->first_pair + s->island->pair_count - 1];
    return last->first_contact + last->contact_count;
}

static void forget_direction(const island_solve *s, int32_t b) {
    if (tal_is_general(s->problem, b)) {
        const tal_general_body *g = tal_general(s->problem, b);
        memset(g->direction, 0, (size_t)g->motion_count * sizeof *g->direction);
    } else {
        s->work->motion_direction[b] = (tal_rigid_motion){0};
    }
}

static void begin(const island_solve *s) {
    const tal_island *island = s->island;
    const int32_t first = s->problem->pair[island->first_pair].first_contact;
    memset(&s->work->is_listed[island->first_pair], 1, (size_t)island->pair_count);
    for (int32_t k = 3 * first; k < 3 * contacts_end(s); k++) {
        s->work->direction[k] = 0.0;
    }
    for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
        if (s->problem->pair[p].roll_length > 0.0) {
            tal_roll_begin(s->problem, &s->problem->pair[p]);
        }
    }
    for (int32_t n = island->first_body; n < island->first_body + island->body_count; n++) {
        const int32_t b = s->problem->island_body[n];
        if (tal_is_general(s->problem, b)) {
            const tal_general_body *g = tal_general(s->problem, b);
            memcpy(g->start, g->motion, (size_t)g->motion_count * sizeof *g->start);
        } else {
            s->work->motion_start[b] = s->problem->motion[b];
        }
        forget_direction(s, b);
    }
}

// How many pairs still change by more than a negligible part of the tolerance.
static int32_t mark_changing(const island_solve *s, double negligible) {
    const int32_t first = s->island->first_pair;
    int32_t count = 0;
    for (int32_t p = first; p < first + s->island->pair_count; p++) {
        const double share = negligible * s->problem->pair[p].contact_count;
        s->work->is_listed[p] = s->work->pair_sum[2 * p + 1] > share;
        count += s->work->is_listed[p];
    }
    return count;
}

static void keep_roll_direction(const island_solve *s, const tal_pair *pair, bool is_listed) {
    if (is_listed) {
        tal_roll_strike(s->problem, pair, s->problem->roll[pair - s->problem->pair].direction,
                        s->work->motion_direction);
    } else {
        tal_roll_begin(s->problem, pair);
    }
}

// The direction of the motion has to be that of the listed pairs alone.
static void keep_direction(const island_solve *s, const tal_pair *pair, bool is_listed) {
    double *direction = &s->work->direction[3 * (ptrdiff_t)pair->first_contact];
    if (is_listed) {
        strike_pair(s->problem, pair, direction, 3, s->work->motion_direction,
                    TAL_GENERAL_DIRECTION);
    } else {
        memset(direction, 0, 3 * (size_t)pair->contact_count * sizeof *direction);
    }
    if (pair->roll_length > 0.0) {
        keep_roll_direction(s, pair, is_listed);
    }
}

// Leaves out the pairs that hardly change, and what they had in the direction of the motion.
static void shorten_list(island_solve *s, double negligible) {
    const tal_island *island = s->island;
    if (island->pair_count < LIST_PAIRS_MIN) {
        return;
    }
    if (mark_changing(s, negligible) > LIST_SHARE_MAX * island->pair_count) {
        memset(&s->work->is_listed[island->first_pair], 1, (size_t)island->pair_count);
        return;
    }
    for (int32_t n = island->first_body; n < island->first_body + island->body_count; n++) {
        forget_direction(s, s->problem->island_body[n]);
    }
    int32_t p = island->first_pair;
    s->listed_count = 0;
    for (int32_t c = 0; c < island->color_count; c++) {
        for (; p < s->problem->color_end[island->first_color + c]; p++) {
            keep_direction(s, &s->problem->pair[p], s->work->is_listed[p] != 0);
            if (s->work->is_listed[p]) {
                s->listed[s->listed_count++] = p;
            }
        }
        s->color_end[c] = s->listed_count;
    }
    s->is_complete = false;
    s->age = 0;
}

static void residual_of_pair(const tal_percussion_problem *problem, const tal_pair *pair,
                             double *error) {
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact *c = &problem->contact[k];
        double d[3], e[3];
        tal_contact_velocity(problem, pair, k, d);
        tal_law_residual(c, d, 1.0 / mean_inverse_mass(c), e);
        const double square = mean_inverse_mass(c) * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        error[k] = relative_error(square, pair->energy_scale);
    }
    if (pair->roll_length > 0.0) {
        error[pair->first_contact] +=
            relative_error(tal_roll_error(problem, pair), pair->energy_scale);
    }
}

// The mean over the island is good, and no contact is left behind.
static bool is_solved(const island_solve *s, double tolerance, const tal_island_result *result) {
    const int32_t count = contacts_end(s) - s->problem->pair[s->island->first_pair].first_contact;
    const double square = tolerance * tolerance;
    return result->error <= square * count && result->worst <= WORST * WORST * square;
}

static void residual_of_pairs(void *context, int64_t first, int64_t end) {
    const color_loop *l = context;
    const tal_percussion_problem *problem = l->solve->problem;
    for (int64_t p = first; p < end; p++) {
        residual_of_pair(problem, &problem->pair[l->first + p], l->solve->work->error);
    }
}

// Sums the squared errors; counts the contacts above the tolerance if the island is.
static void measure_residual(const island_solve *s, double tolerance, tal_island_result *result) {
    const int32_t first = s->island->first_pair;
    tal_threads_loop(s->thread_count, s->island->pair_count, PAIRS_PER_PIECE, residual_of_pairs,
                     &(color_loop){s, first, 0.0});
    const int32_t first_contact = s->problem->pair[first].first_contact;
    const int32_t count = contacts_end(s) - first_contact;
    result->error = result->worst = 0.0;
    result->unconverged_count = 0;
    for (int32_t k = first_contact; k < first_contact + count; k++) {
        result->error += s->work->error[k];
        result->worst = fmax(result->worst, s->work->error[k]);
        result->unconverged_count += s->work->error[k] > tolerance * tolerance;
    }
    if (is_solved(s, tolerance, result)) {
        result->unconverged_count = 0;
    }
}

void tal_measure_island(const tal_percussion_problem *problem, const tal_solver_work *work,
                        int32_t number, double tolerance) {
    const island_solve s = {
        .problem = problem, .work = work, .island = &problem->island[number], .thread_count = 1};
    measure_residual(&s, tolerance, &work->island_result[number]);
}

// After 64, 128, 256 .. sweeps: earlier it would do harm, see docs/theory/solver.md.
static bool is_time_to_release(int sweeps) {
    return sweeps >= RELEASE_FIRST && (sweeps & (sweeps - 1)) == 0;
}

static bool release_patches(const island_solve *s, double tolerance) {
    const int32_t first = s->island->first_pair;
    bool any = false;
    for (int32_t p = first; p < first + s->island->pair_count; p++) {
        const tal_pair *pair = &s->problem->pair[p];
        any = (!pair->is_general && tal_patch_release(s->problem, pair, tolerance)) || any;
    }
    return any;
}

static void solve_island(const tal_percussion_problem *problem, const tal_solver_work *work,
                         int32_t number, int thread_count, const tal_solver_goal *goal) {
    const tal_island *island = &problem->island[number];
    TAL_ASSERT(island->pair_count > 0 && island->color_count <= TAL_COLOR_MAX + 1);
    tal_island_result *result = &work->island_result[number];
    island_solve s = {.problem = problem,
                      .work = work,
                      .island = island,
                      .thread_count = thread_count,
                      .listed = &work->listed[island->first_pair]};
    const int32_t contact_count =
        contacts_end(&s) - problem->pair[island->first_pair].first_contact;
    const double tolerance = goal->tolerance;
    const double error_max = tolerance * tolerance * contact_count;
    int pause = 0;
    list_all(&s);
    begin(&s);
    for (result->iterations = 1;; result->iterations++) {
        double relative;
        sweep(&s);
        const double change = sum_changes(&s, &relative);
        const bool is_last = result->iterations >= goal->sweeps_max;
        const bool may_stop = result->iterations >= goal->sweeps_min && s.is_complete && pause == 0;
        const bool looks_done = relative <= error_max || result->iterations % CHECK_EVERY == 0;
        if (is_last || (looks_done && may_stop)) {
            measure_residual(&s, tolerance, result);
            if (is_last || is_solved(&s, tolerance, result)) {
                return;
            }
            pause = CHECK_PAUSE;
        }
        pause -= pause > 0;
        extrapolate(&s, choose_beta(change, s.change_before));
        s.change_before = change;
        if (s.is_complete && is_time_to_release(result->iterations) &&
            release_patches(&s, tolerance)) {
            begin(&s);
            s.change_before = 0.0;
        } else if (s.is_complete) {
            shorten_list(&s, LIST_NEGLIGIBLE * tolerance * tolerance);
            s.change_before = sum_changes(&s, &relative);
        } else if (relative <= error_max || ++s.age >= LIST_AGE_MAX) {
            list_all(&s);
        }
    }
}

static bool is_left_alone(const uint8_t *is_wanted, int32_t island) {
    return is_wanted != NULL && is_wanted[island] == 0;
}

void tal_sum_islands(const tal_percussion_problem *problem, const tal_solver_work *work,
                     const uint8_t *is_wanted, tal_solver_result *total) {
    tal_solver_result sum = {0};
    double error = 0.0;
    for (int32_t n = 0; n < problem->island_count; n++) {
        const tal_island_result *result = &work->island_result[n];
        if (is_left_alone(is_wanted, n)) {
            continue;
        }
        sum.iterations = result->iterations > sum.iterations ? result->iterations : sum.iterations;
        sum.unconverged_count += result->unconverged_count;
        error += result->error;
    }
    sum.residual = error > 0.0 ? sqrt(error / problem->contact_count) : 0.0;
    *total = sum;
}

typedef struct {
    const tal_percussion_problem *problem;
    const tal_solver_work *work;
    const uint8_t *is_wanted;
    const tal_solver_goal *goal;
} islands_loop;

// The islands that one thread solves.
static void solve_islands(void *context, int64_t first, int64_t end) {
    const islands_loop *l = context;
    for (int32_t n = (int32_t)first; n < end; n++) {
        const bool is_done =
            l->problem->thread_count > 1 && l->problem->island[n].pair_count >= SHARED_PAIRS_MIN;
        if (!is_done && !is_left_alone(l->is_wanted, n)) {
            solve_island(l->problem, l->work, n, 1, l->goal);
        }
    }
}

void tal_solve_percussions(const tal_percussion_problem *problem, const tal_solver_work *work,
                           const uint8_t *is_wanted, const tal_solver_goal *goal,
                           tal_solver_result *result) {
    const int threads = problem->thread_count;
    TAL_ASSERT(goal->tolerance > 0.0 && goal->sweeps_max >= 1 && threads >= 1);
    for (int32_t n = 0; threads > 1 && n < problem->island_count; n++) {
        if (problem->island[n].pair_count >= SHARED_PAIRS_MIN && !is_left_alone(is_wanted, n)) {
            solve_island(problem, work, n, threads, goal);
        }
    }
    tal_threads_loop(threads, problem->island_count, 1, solve_islands,
                     &(islands_loop){problem, work, is_wanted, goal});
    tal_sum_islands(problem, work, is_wanted, result);
}

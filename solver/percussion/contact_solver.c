// SPDX-License-Identifier: GPL-3.0-or-later
// Nonlinear block Gauss-Seidel that goes on from each sweep by a part of what has changed since the one before
// (Nesterov's momentum); how large a part, the decrease of the changes decides, as in the nonlinear conjugate
// gradients of Silcowitz-Hansen, Niebe and Erleben (2010). The velocity is linear in the percussions, so both are
// extrapolated together.
// Islands do not know of each other: each is swept as often as it needs, while it is in the cache.
#include "solver/percussion/contact_solver.h"

#include "core/base/threads.h"
#include "solver/percussion/general_kernel.h"
#include "solver/percussion/patch.h"
#include "solver/percussion/rigid_kernel.h"
#include "solver/percussion/roll.h"
#include "solver/percussion/sweep_set.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

// Errors of single contacts are at most this many tolerances: a mean over hundreds of them hides one
// that pushes what is leaving it. Piton Marcel at 10 ms: sweeps per step 26 without this, 34 with 30, 62
// with 10; most energy that a contact gave 6.7, 0.17, 0.11 MJ.
static const double WORST = 30.0;

// Islands that go on are left as they are where their errors are below this part of the tolerance. With 0.1
// S1_fall_3000 takes another 4 % less, but a blow of two blocks is wrong by 3e-6.
static const double LEFT = 0.01;

// In a large island a handful of contacts hold the residual. The hot list is what exceeds HOT times its part
// of the tolerance (in energy), and HOT_RINGS rings of neighbours; it is swept alone HOT_SWEEPS times whenever
// LARGE_CHECK sweeps of all were not enough. Flat around these values (docs/benchmarks.md, "What was tried").
static const double HOT = 30.0, HOT_SHARE_MAX = 0.6;
enum { HOT_RINGS = 3, HOT_SWEEPS = 12, LARGE_CHECK = 6, HOT_PAIRS_MIN = 128 };

// Where the mean is near what it has to be and single contacts hold an island back, fewer pairs are hot, and FEW_CHECK
// sweeps of all are enough to look again. In S2_10000 from 2 to 3.5 s sweeps per step fall from 33 to 26.
static const double MEAN_NEAR = 2.0, HOT_FEW = 100.0;
enum { FEW_CHECK = 3 };

// Islands with SHARED_PAIRS or more are shared between threads color by color, those with fewer than SHARED_PAIRS_MIN
// never: most of their colors are too short. Between, where they are the larger part of all there is to do.
enum { SHARED_PAIRS_MIN = 256, SHARED_PAIRS = 1024 };

// Some microseconds of looking for hot pairs, or of adding errors: less is not worth sharing.
enum { PAIRS_PER_PIECE = 256, ERRORS_PER_SLICE = 2048 };

// The residual is measured when the changes look small enough, and now and then anyway: percussions
// that wander change though nothing is wrong with them. A failed check is repeated after CHECK_PAUSE
// sweeps at the earliest.
enum { CHECK_PAUSE = 3, CHECK_EVERY = 64, RELEASE_FIRST = 64 };

// Sweeps stagnate if, at the rate of the last STAGNATION_LOOK of them, the tolerance is more than
// PROMISED_MAX sweeps away (or more than are left), twice in a row.
enum { STAGNATION_LOOK = 128, STAGNATION_LOOKS = 2, PROMISED_MAX = 1000 };

void tal_warm_start(const tal_percussion_problem *problem) {
    for (int32_t n = 0; n < problem->island_count; n++) {
        tal_strike_island(problem, &problem->island[n], problem->thread_count);
    }
}

static int32_t contacts_begin(const tal_percussion_problem *problem, const tal_island *island) {
    return problem->pair[island->first_pair].first_contact;
}

static int32_t contacts_end(const tal_percussion_problem *problem, const tal_island *island) {
    const tal_pair *last = &problem->pair[island->first_pair + island->pair_count - 1];
    return last->first_contact + last->contact_count;
}

// The mean over the island is good, and no contact is left behind.
static bool is_solved(const tal_island_result *result, int32_t count, double tolerance) {
    const double square = tolerance * tolerance;
    return result->error <= square * count && result->worst <= WORST * WORST * square;
}

// A loop over slices of the errors measured in an island.
typedef struct {
    const double *error;
    int64_t count;
    int slice_count;
    double tolerance;
    tal_island_result slice[TAL_SLICES_MAX];
} error_loop;

static void sum_slices(void *context, int64_t first, int64_t end) {
    error_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        tal_island_result sum = {0};
        const int64_t stop = tal_slice_begin(l->count, l->slice_count, n + 1);
        for (int64_t k = tal_slice_begin(l->count, l->slice_count, n); k < stop; k++) {
            sum.error += l->error[k];
            sum.worst = fmax(sum.worst, l->error[k]);
            sum.unconverged_count += l->error[k] > l->tolerance * l->tolerance;
        }
        l->slice[n] = sum;
    }
}

// Sums the squared errors measured; counts the contacts above the tolerance if the island is.
static void sum_errors(const tal_percussion_problem *problem, const tal_solver_work *work,
                       const tal_island *island, int thread_count, double tolerance,
                       tal_island_result *result) {
    const int32_t first = contacts_begin(problem, island);
    error_loop l; // small islands have one slice
    l.error = &work->error[first];
    l.count = contacts_end(problem, island) - first;
    l.slice_count = tal_slice_count(l.count, ERRORS_PER_SLICE);
    l.tolerance = tolerance;
    tal_threads_loop(thread_count, l.slice_count, 1, sum_slices, &l);
    result->error = result->worst = 0.0;
    result->unconverged_count = 0;
    for (int n = 0; n < l.slice_count; n++) {
        result->error += l.slice[n].error;
        result->worst = fmax(result->worst, l.slice[n].worst);
        result->unconverged_count += l.slice[n].unconverged_count;
    }
    if (is_solved(result, (int32_t)l.count, tolerance)) {
        result->unconverged_count = 0;
    }
}

void tal_measure_island(const tal_percussion_problem *problem, const tal_solver_work *work,
                        int32_t number, double tolerance) {
    const tal_island *island = &problem->island[number];
    for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
        tal_measure_pair(problem, p, work->error);
    }
    sum_errors(problem, work, island, 1, tolerance, &work->island_result[number]);
}

bool tal_island_is_solved(const tal_percussion_problem *problem, const tal_solver_work *work,
                          int32_t number, double tolerance) {
    const tal_island *island = &problem->island[number];
    tal_measure_island(problem, work, number, tolerance);
    return is_solved(&work->island_result[number],
                     contacts_end(problem, island) - contacts_begin(problem, island), tolerance);
}

static bool release_patches(const tal_percussion_problem *problem, const tal_island *island,
                            double tolerance) {
    bool any = false;
    for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        any = (!pair->is_general && tal_patch_release(problem, pair, tolerance)) || any;
    }
    return any;
}

// An island being solved.
typedef struct {
    const tal_percussion_problem *problem;
    const tal_solver_work *work;
    const tal_island *island;
    int32_t number, contact_count;
    double tolerance;
    int64_t visits, visits_max; // of contacts
    double hot;                 // what is: squared errors, in those of the tolerance
    tal_sweep_set all;
} island_solve;

static double error_of_pair(const island_solve *s, int32_t p) {
    const tal_pair *pair = &s->problem->pair[p];
    double sum = 0.0;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        sum += s->work->error[k];
    }
    return sum;
}

static bool is_near(const island_solve *s, int32_t body) {
    return body < s->problem->body_count && s->work->is_near[body] != 0;
}

static void mark_near(const island_solve *s, int32_t body) {
    if (body < s->problem->body_count &&
        (tal_is_general(s->problem, body) || s->problem->inertia[body].inverse_mass > 0.0)) {
        s->work->is_near[body] = 1;
    }
}

static void mark_bodies_of_listed(const island_solve *s) {
    const tal_island *island = s->island;
    for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
        if (s->work->is_listed[p]) {
            mark_near(s, s->problem->pair[p].body_i);
            mark_near(s, s->problem->pair[p].body_j);
        }
    }
}

// A loop over the pairs of an island that lists some; how many does not depend on who counts them.
typedef struct {
    const island_solve *s;
    atomic_int count;
} list_loop;

static void list_pairs_above(void *context, int64_t first, int64_t end) {
    list_loop *l = context;
    const double hot = l->s->hot * l->s->tolerance * l->s->tolerance;
    int count = 0;
    for (int32_t n = (int32_t)first; n < end; n++) {
        const int32_t p = l->s->island->first_pair + n;
        const bool is_hot = error_of_pair(l->s, p) > hot * l->s->problem->pair[p].contact_count;
        l->s->work->is_listed[p] = is_hot;
        count += is_hot;
    }
    atomic_fetch_add_explicit(&l->count, count, memory_order_relaxed);
}

static void list_pairs_near(void *context, int64_t first, int64_t end) {
    list_loop *l = context;
    int count = 0;
    for (int32_t n = (int32_t)first; n < end; n++) {
        const int32_t p = l->s->island->first_pair + n;
        const tal_pair *pair = &l->s->problem->pair[p];
        if (!l->s->work->is_listed[p] &&
            (is_near(l->s, pair->body_i) || is_near(l->s, pair->body_j))) {
            l->s->work->is_listed[p] = 1;
            count++;
        }
    }
    atomic_fetch_add_explicit(&l->count, count, memory_order_relaxed);
}

// Marks the pairs that hold the residual, and those around them. Returns how many there are.
static int32_t list_hot(const island_solve *s) {
    const tal_island *island = s->island;
    list_loop l = {.s = s};
    for (int32_t n = 0; n < island->body_count; n++) {
        s->work->is_near[s->problem->island_body[island->first_body + n]] = 0;
    }
    tal_threads_loop(s->all.thread_count, island->pair_count, PAIRS_PER_PIECE, list_pairs_above,
                     &l);
    for (int ring = 0; atomic_load(&l.count) > 0 && ring < HOT_RINGS; ring++) {
        mark_bodies_of_listed(s);
        tal_threads_loop(s->all.thread_count, island->pair_count, PAIRS_PER_PIECE, list_pairs_near,
                         &l);
    }
    return atomic_load(&l.count);
}

// Only the bodies of listed pairs move; but what is not rigid may move others.
static void take_near_bodies(const island_solve *s, tal_sweep_set *hot) {
    const tal_island *island = s->island;
    int32_t *body = &s->work->near_body[island->first_body], count = 0;
    if (s->problem->general_count > 0) {
        return;
    }
    mark_bodies_of_listed(s);
    for (int32_t n = island->first_body; n < island->first_body + island->body_count; n++) {
        if (is_near(s, s->problem->island_body[n])) {
            body[count++] = s->problem->island_body[n];
        }
    }
    hot->body = body;
    hot->body_count = count;
}

// Sweeps what holds the residual alone. False if that is nothing, or nearly everything.
static bool sweep_hot(island_solve *s) {
    const int32_t count = list_hot(s);
    if (count == 0 || count > HOT_SHARE_MAX * s->island->pair_count) {
        return false;
    }
    tal_sweep_set hot;
    tal_sweep_set_fill(&hot, s->problem, s->work, s->number, s->all.thread_count,
                       s->all.batch != NULL ? TAL_SET_HOT : TAL_SET_HOT_EXACT);
    take_near_bodies(s, &hot);
    tal_sweep_set_begin_hot(&hot, &s->all);
    for (int n = 0; n < HOT_SWEEPS && s->visits < s->visits_max; n++) {
        tal_sweep_set_sweep(&hot);
        s->visits += hot.contact_count;
    }
    tal_sweep_set_end_hot(&hot, &s->all);
    return true;
}

// Earlier than after RELEASE_FIRST sweeps it would do harm, see docs/theory/solver.md.
static void release(island_solve *s) {
    tal_sweep_set_go_on(&s->all);
    tal_sweep_set_store(&s->all);
    if (release_patches(s->problem, s->island, s->tolerance)) {
        tal_sweep_set_begin(&s->all);
    }
}

static int sweeps_made(const island_solve *s) {
    return (int)((s->visits + s->contact_count - 1) / s->contact_count);
}

// The last look at the progress of an island.
typedef struct {
    int sweeps, stagnant_count;
    double excess; // of the squared error over what is asked for
} look;

static bool is_stagnant(const island_solve *s, const tal_island_result *result, look *last) {
    const double square = s->tolerance * s->tolerance;
    const double excess =
        fmax(result->error / s->contact_count, result->worst / (WORST * WORST)) / square;
    const int since = result->iterations - last->sweeps;
    if (s->problem->is_finishable == NULL || since < STAGNATION_LOOK) {
        return false;
    }
    const int64_t left = s->visits_max / s->contact_count - result->iterations;
    const double promised = left < PROMISED_MAX ? (double)left : PROMISED_MAX;
    const bool is_slow = !(log(excess) * since <= log(last->excess / excess) * promised);
    last->stagnant_count = last->sweeps > 0 && is_slow ? last->stagnant_count + 1 : 0;
    last->sweeps = result->iterations;
    last->excess = excess;
    return last->stagnant_count >= STAGNATION_LOOKS &&
           s->problem->is_finishable(s->problem, s->island);
}

static bool is_held_by_few(const island_solve *s, const tal_island_result *result) {
    const double square = s->tolerance * s->tolerance;
    return result->worst > WORST * WORST * square &&
           result->error < MEAN_NEAR * square * s->contact_count;
}

static void sweep_island(island_solve *s, const tal_solver_goal *goal, tal_island_result *result) {
    const double error_max = s->tolerance * s->tolerance * s->contact_count;
    const bool is_large = s->island->pair_count >= HOT_PAIRS_MIN;
    const int check_every = is_large ? LARGE_CHECK : CHECK_EVERY;
    int pause = 0, since_check = 0, release_at = RELEASE_FIRST;
    look last = {0};
    for (;;) {
        const double relative = tal_sweep_set_sweep(&s->all);
        s->visits += s->contact_count;
        result->iterations = sweeps_made(s);
        const bool is_last = s->visits >= s->visits_max;
        const bool may_stop = result->iterations >= goal->sweeps_min && pause == 0;
        since_check++;
        pause -= pause > 0;
        if (is_last || (may_stop && (relative <= error_max || since_check >= check_every))) {
            tal_sweep_set_measure(&s->all);
            sum_errors(s->problem, s->work, s->island, s->all.thread_count, s->tolerance, result);
            if (is_last || is_solved(result, s->contact_count, s->tolerance) ||
                is_stagnant(s, result, &last)) {
                return;
            }
            const bool by_few = is_held_by_few(s, result);
            s->hot = by_few ? HOT_FEW : HOT;
            const bool was_hot = is_large && sweep_hot(s);
            pause = was_hot ? 0 : CHECK_PAUSE - 1;
            since_check = was_hot && by_few ? LARGE_CHECK - FEW_CHECK : 0;
        }
        if (sweeps_made(s) >= release_at) {
            release(s);
            release_at *= 2;
        }
    }
}

void tal_forget_result(const tal_solver_work *work, int32_t number) {
    work->island_result[number].error = INFINITY;
}

static void solve_island(const tal_percussion_problem *problem, const tal_solver_work *work,
                         int32_t number, int thread_count, const tal_solver_goal *goal) {
    const tal_island *island = &problem->island[number];
    island_solve s = {.problem = problem,
                      .work = work,
                      .island = island,
                      .number = number,
                      .contact_count =
                          contacts_end(problem, island) - contacts_begin(problem, island),
                      .tolerance = goal->tolerance};
    if (goal->goes_on &&
        is_solved(&work->island_result[number], s.contact_count, LEFT * goal->tolerance)) {
        TAL_VALIDATE(tal_island_is_solved(problem, work, number, goal->tolerance));
        return;
    }
    s.visits_max = (int64_t)goal->sweeps_max * s.contact_count;
    const bool is_exact = !tal_sweeps_are_batched(problem, goal->tolerance);
    tal_sweep_set_fill(&s.all, problem, work, number, thread_count,
                       is_exact ? TAL_SET_ALL_EXACT : TAL_SET_ALL);
    tal_sweep_set_begin(&s.all);
    sweep_island(&s, goal, &work->island_result[number]);
    tal_sweep_set_store(&s.all);
    tal_sweep_set_settle(&s.all);
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

// Larger ones are begun first, rank by rank, so that none is left for one thread while the others wait.
enum { RANK_COUNT = 5 };

static int rank_of(const tal_island *island) {
    static const int32_t pairs_min[RANK_COUNT - 1] = {512, 128, 64, 16};
    int rank = 0;
    while (rank < RANK_COUNT - 1 && island->pair_count < pairs_min[rank]) {
        rank++;
    }
    return rank;
}

typedef struct {
    const tal_percussion_problem *problem;
    tal_island_work *work;
    void *context;
    atomic_int next; // rank times the number of islands, plus an island
} islands_loop;

// An island that might keep one thread busy while the others have nothing left.
static bool is_shared(const tal_percussion_problem *problem, int32_t island) {
    const int64_t pairs = problem->island[island].pair_count;
    return problem->thread_count > 1 && pairs >= SHARED_PAIRS_MIN &&
           (pairs >= SHARED_PAIRS || pairs * problem->thread_count >= problem->pair_count);
}

// The islands that one thread works at: whatever the others have not taken.
static void take_islands(void *context, int64_t first, int64_t end) {
    islands_loop *l = context;
    const int32_t count = l->problem->island_count;
    (void)first;
    (void)end;
    for (int32_t n = 0; (n = atomic_fetch_add(&l->next, 1)) < RANK_COUNT * count;) {
        const int32_t island = n % count;
        if (rank_of(&l->problem->island[island]) == n / count && !is_shared(l->problem, island)) {
            l->work(l->context, island, 1);
        }
    }
}

void tal_islands_loop(const tal_percussion_problem *problem, tal_island_work *work, void *context) {
    const int threads = problem->thread_count;
    islands_loop l = {.problem = problem, .work = work, .context = context, .next = 0};
    for (int32_t n = 0; n < problem->island_count; n++) {
        if (is_shared(problem, n)) {
            work(context, n, threads);
        }
    }
    tal_threads_loop(threads, threads, 1, take_islands, &l);
}

typedef struct {
    const tal_percussion_problem *problem;
    const tal_solver_work *work;
    const uint8_t *is_wanted;
    const tal_solver_goal *goal;
} solve_loop;

static void solve_wanted(void *context, int32_t island, int thread_count) {
    const solve_loop *l = context;
    if (!is_left_alone(l->is_wanted, island)) {
        solve_island(l->problem, l->work, island, thread_count, l->goal);
    }
}

void tal_solve_percussions(const tal_percussion_problem *problem, const tal_solver_work *work,
                           const uint8_t *is_wanted, const tal_solver_goal *goal,
                           tal_solver_result *result) {
    solve_loop l = {problem, work, is_wanted, goal};
    TAL_ASSERT(goal->tolerance > 0.0 && goal->sweeps_max >= 1 && problem->thread_count >= 1);
    if (tal_sweeps_are_batched(problem, goal->tolerance) && work->batches.batch_capacity > 0) {
        tal_lanes_begin(problem, work);
    }
    tal_islands_loop(problem, solve_wanted, &l);
    tal_sum_islands(problem, work, is_wanted, result);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/percussion/sweep_set.h"

#include "core/base/threads.h"
#include "solver/percussion/general_kernel.h"
#include "solver/percussion/rigid_kernel.h"
#include "solver/percussion/roll.h"

#include <stddef.h>
#include <string.h>

// Some microseconds of work: less is not worth sharing.
enum { PAIRS_PER_PIECE = 8, BATCHES_PER_PIECE = 4, BODIES_PER_PIECE = 32 };

static const double GROWTH_MAX = 1.1; // of a change from one sweep to the next, in energy

// A loop over a part of a set.
typedef struct {
    const tal_sweep_set *set;
    int32_t first; // place of item 0
} set_loop;

static int32_t single_count(const tal_sweep_set *set) {
    return set->single_end[set->island->color_count - 1];
}

static int32_t batch_count(const tal_sweep_set *set) {
    return set->batch_end[set->island->color_count - 1];
}

// Batches have motions of their own, which the few pairs beside them share.
static bool has_lanes(const tal_sweep_set *set) {
    return set->batch != NULL;
}

static void begin_body(const tal_sweep_set *set, int32_t b) {
    if (has_lanes(set)) {
        set->work->lane_motion_last[b] = set->work->lane_motion[b];
        return;
    }
    if (tal_is_general(set->problem, b)) {
        const tal_general_body *g = tal_general(set->problem, b);
        const size_t size = (size_t)g->motion_count * sizeof *g->last;
        if (size > 0) { // a given W has bodies without a motion
            memcpy(g->last, g->motion, size);
        }
        return;
    }
    set->work->motion_last[b] = set->problem->motion[b];
}

// Where change and last percussions of a pair that is visited by itself begin. Those of an island lie side by side:
// where most pairs are in batches they take few pages.
static size_t place_of_single(const tal_sweep_set *set, int32_t number) {
    const tal_island *island = set->island;
    const int32_t first_contact = set->problem->pair[island->first_pair].first_contact;
    return 3 * (size_t)(first_contact + set->lane_of[number - island->first_pair]);
}

static void begin_single(const tal_sweep_set *set, int32_t number) {
    const tal_pair *pair = &set->problem->pair[number];
    const tal_contact *contact = &set->problem->contact[pair->first_contact];
    double *last = &set->work->last[place_of_single(set, number)];
    for (int32_t k = 0; k < pair->contact_count; k++) {
        memcpy(&last[3 * k], contact[k].percussion, sizeof contact[k].percussion);
    }
    if (pair->roll_length > 0.0) {
        tal_roll_begin(set->problem, pair);
    }
}

static void begin_bodies(void *context, int64_t first, int64_t end) {
    const set_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        begin_body(l->set, l->set->body[n]);
    }
}

static void load_batches(void *context, int64_t first, int64_t end) {
    const tal_sweep_set *set = ((const set_loop *)context)->set;
    for (int64_t n = first; n < end; n++) {
        const tal_batch *batch = &set->batch[n];
        tal_batch_load(batch, &set->percussion[batch->first_point], set->problem->contact);
    }
}

static void store_batches(void *context, int64_t first, int64_t end) {
    const tal_sweep_set *set = ((const set_loop *)context)->set;
    for (int64_t n = first; n < end; n++) {
        const tal_batch *batch = &set->batch[n];
        tal_batch_store(batch, &set->percussion[batch->first_point], set->problem->contact);
    }
}

// Nothing to go on by.
static void begin(tal_sweep_set *set) {
    for (int32_t n = 0; n < single_count(set); n++) {
        begin_single(set, set->single[n]);
    }
    tal_threads_loop(set->thread_count, set->body_count, BODIES_PER_PIECE, begin_bodies,
                     &(set_loop){set, 0});
    set->beta = set->change_before = 0.0;
}

static void motions_to_lanes(void *context, int64_t first, int64_t end) {
    const tal_sweep_set *set = ((const set_loop *)context)->set;
    for (int64_t n = first; n < end; n++) {
        const int32_t b = set->body[n];
        set->work->lane_motion[b] = tal_motion_to_lane(&set->problem->motion[b]);
    }
}

static void motions_of_lanes(void *context, int64_t first, int64_t end) {
    const tal_sweep_set *set = ((const set_loop *)context)->set;
    for (int64_t n = first; n < end; n++) {
        const int32_t b = set->body[n];
        const tal_rigid_motion motion = tal_motion_of_lane(&set->work->lane_motion[b]);
        tal_store_body_motion(set->problem, b, &motion);
    }
}

void tal_lanes_begin(const tal_percussion_problem *problem, const tal_solver_work *work) {
    for (int32_t b = 0; b <= problem->body_count; b++) {
        if (!(problem->inertia[b].inverse_mass > 0.0)) {
            work->lane_motion[b] = tal_motion_to_lane(&problem->motion[b]);
        }
    }
}

void tal_sweep_set_begin(tal_sweep_set *set) {
    if (has_lanes(set)) {
        tal_threads_loop(set->thread_count, set->body_count, BODIES_PER_PIECE, motions_to_lanes,
                         &(set_loop){set, 0});
    }
    tal_threads_loop(set->thread_count, batch_count(set), BATCHES_PER_PIECE, load_batches,
                     &(set_loop){set, 0});
    begin(set);
}

// A hot list and the set it was taken from.
typedef struct {
    const tal_sweep_set *hot, *all;
} hot_loop;

// Percussions of a hot batch from where all pairs have them, or back.
static void exchange(const hot_loop *l, const tal_batch *batch, bool is_back) {
    tal_batch_percussion *hot = &l->hot->percussion[batch->first_point];
    for (int lane = 0; lane < TAL_LANES; lane++) {
        if (batch->pair[lane] < 0) {
            continue;
        }
        const int32_t place = l->all->lane_of[batch->pair[lane] - l->all->island->first_pair];
        tal_batch_percussion *all =
            &l->all->percussion[l->all->batch[place / TAL_LANES].first_point];
        for (int32_t k = 0; k < batch->contact_count[lane]; k++) {
            tal_batch_copy_lane(is_back ? &hot[k] : &all[k], is_back ? lane : place % TAL_LANES,
                                is_back ? &all[k] : &hot[k], is_back ? place % TAL_LANES : lane);
        }
    }
}

static void take_hot(void *context, int64_t first, int64_t end) {
    const hot_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        const tal_batch *batch = &l->hot->batch[n];
        memset(&l->hot->percussion[batch->first_point], 0,
               (size_t)batch->point_count * sizeof *l->hot->percussion);
        exchange(l, batch, false);
    }
}

static void give_back(void *context, int64_t first, int64_t end) {
    const hot_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        exchange(l, &l->hot->batch[n], true);
    }
}

void tal_sweep_set_begin_hot(tal_sweep_set *hot, const tal_sweep_set *all) {
    tal_threads_loop(hot->thread_count, batch_count(hot), BATCHES_PER_PIECE, take_hot,
                     &(hot_loop){hot, all});
    begin(hot);
}

void tal_sweep_set_end_hot(const tal_sweep_set *hot, tal_sweep_set *all) {
    tal_threads_loop(hot->thread_count, batch_count(hot), BATCHES_PER_PIECE, give_back,
                     &(hot_loop){hot, all});
    begin(all);
}

static void motions_from_lanes(const tal_sweep_set *set) {
    tal_threads_loop(set->thread_count, set->body_count, BODIES_PER_PIECE, motions_of_lanes,
                     &(set_loop){set, 0});
}

void tal_sweep_set_store(const tal_sweep_set *set) {
    set_loop l = {set, 0};
    if (has_lanes(set)) {
        motions_from_lanes(set);
    }
    tal_threads_loop(set->thread_count, batch_count(set), BATCHES_PER_PIECE, store_batches, &l);
}

// The effect of the percussions of a pair, added to the motion.
static void strike_pair(const tal_percussion_problem *problem, int32_t number) {
    const tal_pair *pair = &problem->pair[number];
    const double *percussion = problem->contact[pair->first_contact].percussion;
    const size_t stride = sizeof(tal_contact) / sizeof(double);
    if (pair->is_general) {
        tal_general_strike(problem, pair, percussion, stride, problem->motion, TAL_GENERAL_MOTION);
    } else {
        tal_rigid_strike(problem, pair, percussion, stride, problem->motion);
    }
    if (pair->roll_length > 0.0) {
        tal_roll_strike(problem, pair, problem->roll[number].moment, problem->motion);
    }
}

// Pairs of a color.
typedef struct {
    const tal_percussion_problem *problem;
    int32_t first;
} strike_loop;

static void strike_pairs(void *context, int64_t first, int64_t end) {
    const strike_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        strike_pair(l->problem, l->first + (int32_t)n);
    }
}

void tal_strike_island(const tal_percussion_problem *problem, const tal_island *island,
                       int thread_count) {
    for (int32_t c = 0; c < island->color_count; c++) {
        const int32_t first = tal_color_begin(problem, island, c);
        tal_threads_loop(tal_color_is_serial(island, c) ? 1 : thread_count,
                         tal_color_end(problem, island, c) - first, 4 * PAIRS_PER_PIECE,
                         strike_pairs, &(strike_loop){problem, first});
    }
}

static void free_bodies(void *context, int64_t first, int64_t end) {
    const tal_sweep_set *set = ((const set_loop *)context)->set;
    for (int64_t n = first; n < end; n++) {
        const int32_t b = set->body[n];
        tal_store_body_motion(set->problem, b, &set->problem->free[b]);
    }
}

void tal_sweep_set_settle(const tal_sweep_set *set) {
    if (set->batch == NULL) {
        return;
    }
    tal_threads_loop(set->thread_count, set->body_count, BODIES_PER_PIECE, free_bodies,
                     &(set_loop){set, 0});
    tal_strike_island(set->problem, set->island, set->thread_count);
}

static double relative_error(double square, double scale) {
    return square == 0.0 ? 0.0 : square / scale;
}

// Energy of the last change of a batch or, behind all batches, of a single, and relative to its scale. They lie side
// by side: to collect them from the batches would bring these into the cache once more.
static double *sum_of(const tal_sweep_set *set, int64_t n) {
    return &set->work->change_sum[2 * (set->island->first_pair + n)];
}

// One visit of a pair. The sum of |change|^2 is weighted with the mean inverse mass, i.e. an energy.
static void visit_exactly(const tal_sweep_set *set, int32_t number, double sum[2]) {
    const tal_pair *pair = &set->problem->pair[number];
    const tal_contact *contact = &set->problem->contact[pair->first_contact];
    double *change = &set->work->change[place_of_single(set, number)];
    for (int32_t k = 0; k < pair->contact_count; k++) {
        for (int f = 0; f < 3; f++) {
            change[3 * k + f] = -contact[k].percussion[f];
        }
    }
    if (pair->is_general) {
        tal_general_visit(set->problem, pair);
    } else {
        tal_rigid_visit(set->problem, pair);
    }
    sum[0] = 0.0;
    for (int32_t k = 0; k < pair->contact_count; k++) {
        const double weight = tal_mean_inverse_mass(&contact[k]);
        for (int f = 0; f < 3; f++) {
            const double step = change[3 * k + f] + contact[k].percussion[f];
            sum[0] += weight * step * step;
        }
    }
    if (pair->roll_length > 0.0) {
        sum[0] += tal_roll_visit(set->problem, pair);
    }
    sum[1] = relative_error(sum[0], pair->energy_scale);
}

// The same with the motions of lanes.
static void visit_single(const tal_sweep_set *set, int32_t number, double sum[2]) {
    const tal_pair *pair = &set->problem->pair[number];
    const int32_t body[2] = {pair->body_i, pair->body_j};
    for (int side = 0; has_lanes(set) && side < 2; side++) {
        const tal_rigid_motion motion = tal_motion_of_lane(&set->work->lane_motion[body[side]]);
        tal_store_body_motion(set->problem, body[side], &motion);
    }
    visit_exactly(set, number, sum);
    for (int side = 0; has_lanes(set) && side < 2; side++) {
        if (set->problem->inertia[body[side]].inverse_mass > 0.0) {
            set->work->lane_motion[body[side]] =
                tal_motion_to_lane(&set->problem->motion[body[side]]);
        }
    }
}

// Percussions go on by a part of what the last sweep changed, and the motion, which is linear in them.
static inline void extrapolate_values(double *restrict now, double *restrict last, int32_t count,
                                      double beta) {
    for (int32_t f = 0; f < count; f++) {
        const double swept = now[f];
        now[f] = swept + beta * (swept - last[f]);
        last[f] = swept;
    }
}

static void extrapolate_single(const tal_sweep_set *set, int32_t number) {
    const tal_pair *pair = &set->problem->pair[number];
    tal_contact *contact = &set->problem->contact[pair->first_contact];
    double *last = &set->work->last[place_of_single(set, number)];
    for (int32_t k = 0; k < pair->contact_count; k++) {
        extrapolate_values(contact[k].percussion, &last[3 * k], 3, set->beta);
    }
    if (pair->roll_length > 0.0) {
        tal_roll_extrapolate(set->problem, pair, set->beta);
    }
}

static void extrapolate_lane_motion(const tal_sweep_set *set, int32_t b) {
    tal_lane_motion *now = &set->work->lane_motion[b], *last = &set->work->lane_motion_last[b];
    const tal_lane_motion swept = *now;
    const float beta = (float)set->beta;
    for (int f = 0; f < 4; f++) {
        now->v[f] += beta * (swept.v[f] - last->v[f]);
        now->w[f] += beta * (swept.w[f] - last->w[f]);
    }
    *last = swept;
}

static void extrapolate_body(const tal_sweep_set *set, int32_t b) {
    if (has_lanes(set)) {
        extrapolate_lane_motion(set, b);
        return;
    }
    if (tal_is_general(set->problem, b)) {
        const tal_general_body *g = tal_general(set->problem, b);
        extrapolate_values(g->motion, g->last, g->motion_count, set->beta);
        return;
    }
    extrapolate_values(&set->problem->motion[b].v.x, &set->work->motion_last[b].v.x, 8, set->beta);
}

static void extrapolate_singles(void *context, int64_t first, int64_t end) {
    const set_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        extrapolate_single(l->set, l->set->single[n]);
    }
}

static void extrapolate_bodies(void *context, int64_t first, int64_t end) {
    const set_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        extrapolate_body(l->set, l->set->body[n]);
    }
}

// Pairs of one color touch no body twice: any order gives the same bits.
static void visit_singles(void *context, int64_t first, int64_t end) {
    const set_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        const int64_t place = l->first + n;
        visit_single(l->set, l->set->single[place], sum_of(l->set, batch_count(l->set) + place));
    }
}

// What the visit after the present one begins with: the motions lie anywhere.
static void fetch_motions(const tal_batch *batch, const tal_lane_motion *motion) {
    for (int lane = 0; lane < TAL_LANES; lane++) {
        __builtin_prefetch(&motion[batch->body_i[lane]]);
        __builtin_prefetch(&motion[batch->body_j[lane]]);
    }
}

static void visit_batches(void *context, int64_t first, int64_t end) {
    const set_loop *l = context;
    const tal_sweep_set *set = l->set;
    const tal_batch_kernel *kernel = set->work->batches.kernel;
    const int64_t last = l->first + end;
    for (int64_t n = l->first + first; n < last;) {
        tal_batch *b = &set->batch[n];
        const bool two = n + 1 < last && b[0].point_count == b[1].point_count;
        double *sum = sum_of(set, n);
        n += two ? 2 : 1;
        if (n < last) {
            fetch_motions(&set->batch[n], set->work->lane_motion);
        }
        (two ? kernel->visit_two
             : kernel->visit)(b, &set->point[b->first_point], &set->percussion[b->first_point],
                              &set->course[b->first_point], set->work->lane_motion, set->beta);
        for (int k = 0; k < (two ? 2 : 1); k++) {
            sum[2 * k] = b[k].energy;
            sum[2 * k + 1] = b[k].relative;
        }
    }
}

int tal_sweep_set_threads(const tal_sweep_set *set, int32_t color) {
    return tal_color_is_serial(set->island, color) ? 1 : set->thread_count;
}

static void visit_color(const tal_sweep_set *set, int32_t c) {
    const int32_t single = c > 0 ? set->single_end[c - 1] : 0;
    const int32_t batch = c > 0 ? set->batch_end[c - 1] : 0;
    const int threads = tal_sweep_set_threads(set, c);
    tal_threads_loop(threads, set->batch_end[c] - batch, BATCHES_PER_PIECE, visit_batches,
                     &(set_loop){set, batch});
    tal_threads_loop(threads, set->single_end[c] - single, PAIRS_PER_PIECE, visit_singles,
                     &(set_loop){set, single});
}

// A change that grows begins anew; one that stays as it is (percussions that shift among the points of
// a patch) is where going on pays most.
static double choose_beta(double change, double before) {
    const double ratio = before > 0.0 ? change / before : 0.0;
    return ratio > GROWTH_MAX ? 0.0 : (ratio < 1.0 ? ratio : 1.0);
}

// Batches do it when they are visited.
static void extrapolate(tal_sweep_set *set) {
    set_loop l = {set, 0};
    tal_threads_loop(set->thread_count, single_count(set), 4 * PAIRS_PER_PIECE, extrapolate_singles,
                     &l);
    tal_threads_loop(set->thread_count, set->body_count, BODIES_PER_PIECE, extrapolate_bodies, &l);
}

void tal_sweep_set_go_on(tal_sweep_set *set) {
    extrapolate(set);
    for (int32_t n = 0; n < batch_count(set); n++) {
        const tal_batch *batch = &set->batch[n];
        tal_batch_go_on(batch, &set->percussion[batch->first_point],
                        &set->course[batch->first_point], set->beta);
    }
    set->beta = 0.0;
}

double tal_sweep_set_sweep(tal_sweep_set *set) {
    double change = 0.0, relative = 0.0;
    extrapolate(set);
    for (int32_t c = 0; c < set->island->color_count; c++) {
        visit_color(set, c);
    }
    for (int32_t n = 0; n < batch_count(set) + single_count(set); n++) {
        change += sum_of(set, n)[0];
        relative += sum_of(set, n)[1];
    }
    set->beta = choose_beta(change, set->change_before);
    set->change_before = change;
    return relative;
}

void tal_measure_pair(const tal_percussion_problem *problem, int32_t number, double *error) {
    const tal_pair *pair = &problem->pair[number];
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact *c = &problem->contact[k];
        const double weight = tal_mean_inverse_mass(c);
        double d[3], e[3];
        tal_contact_velocity(problem, pair, k, d);
        tal_law_residual(c, d, 1.0 / weight, e);
        const double square = weight * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        error[k] = relative_error(square, pair->energy_scale);
    }
    if (pair->roll_length > 0.0) {
        error[pair->first_contact] +=
            relative_error(tal_roll_error(problem, pair), pair->energy_scale);
    }
}

static void measure_singles(void *context, int64_t first, int64_t end) {
    const set_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        tal_measure_pair(l->set->problem, l->set->single[n], l->set->work->error);
    }
}

static void measure_batches(void *context, int64_t first, int64_t end) {
    const tal_sweep_set *set = ((const set_loop *)context)->set;
    for (int64_t n = first; n < end; n++) {
        const tal_batch *b = &set->batch[n];
        set->work->batches.kernel->residual(b, &set->point[b->first_point],
                                            &set->percussion[b->first_point],
                                            set->work->lane_motion, set->work->error);
    }
}

void tal_sweep_set_measure(const tal_sweep_set *set) {
    set_loop l = {set, 0};
    tal_threads_loop(set->thread_count, batch_count(set), BATCHES_PER_PIECE, measure_batches, &l);
    if (has_lanes(set) && single_count(set) > 0) {
        motions_from_lanes(set);
    }
    tal_threads_loop(set->thread_count, single_count(set), PAIRS_PER_PIECE, measure_singles, &l);
}

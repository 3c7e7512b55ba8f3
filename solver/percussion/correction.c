// SPDX-License-Identifier: GPL-3.0-or-later
// Removes penetration by moving bodies: the least displacement (in the metric of mass) that takes a
// share of each penetration back and opens no new one. Kinetic energy is untouched; the potential
// energy moved is returned.
#include "solver/percussion/correction.h"

#include "core/base/threads.h"
#include "solver/deformable/soft_body.h"
#include "solver/motion/rotation.h"
#include "solver/percussion/sweep_set.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Weight on top of a small body needs many sweeps; they end when no contact opens by more than SETTLED
// slops, or by more than SETTLED_DEEP of the furthest that one has to open.
enum { SWEEPS_MAX = 16 };
// Some microseconds of work: less is not worth sharing.
enum { PAIRS_PER_PIECE = 64, BATCHES_PER_PIECE = 8, PAIRS_PER_SLICE = 256, BODIES_PER_SLICE = 256 };
static const double SETTLED = 0.1, SETTLED_DEEP = 0.1;
// A pair is left alone as long as neither body has moved since its last visit by more than this share of that.
static const double NOTICED = 0.01;

// How far contact k has to open (or may close, if negative).
static double wanted_opening(const tal_model *model, const tal_pair *pair, double gap) {
    const double slop = model->settings.slop * model->smallest_width;
    const double depth = -gap - slop;
    if (depth > 0.0 && !tal_is_spring(model, pair) && !tal_is_joint(model, pair)) {
        return model->settings.correction * depth;
    }
    return gap > 0.0 ? -gap : 0.0;
}

static void mark(tal_state *state, const tal_pair *pair, int sweep) {
    const tal_edge edge = state->work.contacts.edge[pair->manifold];
    if (edge.i >= 0) {
        state->work.is_touched[edge.i] = (uint8_t)sweep;
    }
    if (edge.j >= 0) {
        state->work.is_touched[edge.j] = (uint8_t)sweep;
    }
}

// Bodies are moved as they are, so what counts is how easily a side moves as a rigid body.
static double rigid_inverse_normal(const tal_state *state, const tal_pair *pair,
                                   const tal_contact *contact) {
    double w[6] = {0.0};
    for (int side = 0; side < 2; side++) {
        const int32_t body = side == 0 ? pair->body_i : pair->body_j;
        const tal_side at = {.pair = pair, .contact = contact, .side = side};
        tal_rigid_kind.add_mobility(&state->work.inertia_world[body], at, w);
    }
    return 1.0 / w[0];
}

static bool has_moved(const tal_state *state, int32_t body, int since) {
    return body < state->body_count && state->work.is_touched[body] >= since;
}

static double opening_at(const tal_pair *pair, const tal_contact *contact,
                         const tal_rigid_motion *i, const tal_rigid_motion *j) {
    const tal_vec3 of_i = tal_vec3_add(i->v, tal_vec3_cross(i->w, tal_arm(contact->arm_i)));
    const tal_vec3 of_j = tal_vec3_add(j->v, tal_vec3_cross(j->w, tal_arm(contact->arm_j)));
    return tal_vec3_dot(pair->normal, tal_vec3_subtract(of_i, of_j));
}

// What a pseudo-percussion along the normal does.
static inline void push_apart(const tal_pair *pair, const tal_contact *contact, double push,
                              const tal_inertia *inertia_i, const tal_inertia *inertia_j,
                              tal_rigid_motion *i, tal_rigid_motion *j) {
    const tal_vec3 p = tal_vec3_scale(pair->normal, push);
    const tal_vec3 torque_i = tal_vec3_cross(tal_arm(contact->arm_i), p);
    const tal_vec3 torque_j = tal_vec3_cross(tal_arm(contact->arm_j), p);
    i->v = tal_vec3_add_scaled(i->v, inertia_i->inverse_mass, p);
    j->v = tal_vec3_add_scaled(j->v, -inertia_j->inverse_mass, p);
    i->w = tal_vec3_add(i->w, tal_apply_inertia(inertia_i, torque_i));
    j->w = tal_vec3_subtract(j->w, tal_apply_inertia(inertia_j, torque_j));
}

// What cannot be moved is shared by pairs that are visited at the same time.
static void displace(tal_state *state, const tal_pair *pair, tal_rigid_motion i,
                     tal_rigid_motion j) {
    const tal_edge edge = state->work.contacts.edge[pair->manifold];
    if (edge.i >= 0) {
        state->work.displacement[edge.i] = i;
    }
    if (edge.j >= 0) {
        state->work.displacement[edge.j] = j;
    }
}

// One visit of a pair; `push` holds the pseudo-percussion of each contact, `opening` how far it has to open.
// Returns the largest change.
static double open_pair(tal_state *state, const tal_pair *pair, const double *opening,
                        double *push) {
    double change = 0.0;
    const tal_inertia *inertia_i = &state->work.inertia_world[pair->body_i];
    const tal_inertia *inertia_j = &state->work.inertia_world[pair->body_j];
    tal_rigid_motion i = state->work.displacement[pair->body_i],
                     j = state->work.displacement[pair->body_j];
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact *contact = &state->work.contacts.contact[k];
        const double missing = opening[k] - opening_at(pair, contact, &i, &j);
        const double inverse_normal = pair->is_general
                                          ? state->work.soft_site[2 * k].rigid_inverse_normal
                                          : contact->inverse_normal;
        const double wanted = push[k] + missing * inverse_normal;
        const double new_push = wanted > 0.0 ? wanted : 0.0;
        const double step = new_push - push[k];
        push[k] = new_push;
        if (step != 0.0) {
            push_apart(pair, contact, step, inertia_i, inertia_j, &i, &j);
            const double moved = fabs(step) / inverse_normal;
            change = moved > change ? moved : change;
        }
    }
    displace(state, pair, i, j);
    return change;
}

// A joint holds still: what it misses is the business of its velocity. A link with a gap is left alone,
// for the same reason.
static double hold_pair(tal_state *state, const tal_pair *pair) {
    const int32_t k = pair->first_contact;
    tal_contact still = state->work.contacts.contact[k];
    tal_law_more more;
    double opening[3], step[3];
    tal_rigid_motion i = state->work.displacement[pair->body_i],
                     j = state->work.displacement[pair->body_j];
    if (tal_hold_is_one_sided(&still)) {
        return 0.0;
    }
    tal_contact_hold(&still, (double[3]){0.0, 0.0, 0.0}, tal_hold_has_tangents(&still), &more);
    tal_relative_velocity(pair, &still, &i, &j, opening);
    tal_law_solve(&still, opening, step);
    tal_apply_percussion(pair, &still, step, &state->work.inertia_world[pair->body_i],
                         &state->work.inertia_world[pair->body_j], &i, &j);
    displace(state, pair, i, j);
    return tal_vec3_length(tal_vec3_make(step[0], step[1], step[2])) / still.inverse_normal;
}

// A visit at a pair marks bodies that it moves with the number of the sweep, so that their pairs are visited in
// that sweep or the next; 1 is for those that are too deep.
enum { SWEEP_FIRST = 2 };

typedef struct {
    const tal_model *model;
    tal_state *state;
    tal_sweep_set set; // the island at hand
    double *opening, *push, settled;
    int sweep;
    int32_t first;         // place of item 0
    atomic_bool is_moving; // something opens by more than `settled`
} opening_loop;

static void note_change(opening_loop *l, const tal_pair *pair, double change) {
    if (change > NOTICED * l->settled) {
        mark(l->state, pair, l->sweep);
    }
    if (change > l->settled) {
        atomic_store_explicit(&l->is_moving, true, memory_order_relaxed);
    }
}

static void open_singles(void *context, int64_t first, int64_t end) {
    opening_loop *l = context;
    for (int64_t n = l->first + first; n < l->first + end; n++) {
        const tal_pair *pair = &l->state->work.problem.pair[l->set.single[n]];
        if (has_moved(l->state, pair->body_i, l->sweep - 1) ||
            has_moved(l->state, pair->body_j, l->sweep - 1)) {
            note_change(l, pair,
                        tal_is_joint(l->model, pair)
                            ? hold_pair(l->state, pair)
                            : open_pair(l->state, pair, l->opening, l->push));
        }
    }
}

static void open_batches(void *context, int64_t first, int64_t end) {
    opening_loop *l = context;
    for (int64_t n = l->first + first; n < l->first + end; n++) {
        const tal_batch *b = &l->set.batch[n];
        double moved[TAL_LANES];
        bool any = false;
        for (int lane = 0; lane < TAL_LANES; lane++) {
            any = any || has_moved(l->state, b->body_i[lane], l->sweep - 1) ||
                  has_moved(l->state, b->body_j[lane], l->sweep - 1);
        }
        if (!any) {
            continue;
        }
        l->set.work->batches.kernel->open(b, &l->set.point[b->first_point],
                                          &l->set.opening[b->first_point],
                                          l->state->work.displacement, moved);
        for (int lane = 0; lane < TAL_LANES; lane++) {
            if (b->pair[lane] >= 0) {
                note_change(l, &l->state->work.problem.pair[b->pair[lane]], moved[lane]);
            }
        }
    }
}

static void begin_batches(void *context, int64_t first, int64_t end) {
    const opening_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        const tal_batch *b = &l->set.batch[n];
        tal_batch_opening *opening = &l->set.opening[b->first_point];
        memset(opening, 0, (size_t)b->point_count * sizeof *opening);
        for (int lane = 0; lane < TAL_LANES; lane++) {
            for (int32_t k = 0; k < b->contact_count[lane]; k++) {
                opening[k].wanted[lane] = (float)l->opening[b->first_contact[lane] + k];
            }
        }
    }
}

// True if it has to be swept again. Pairs of one color touch no body twice: threads may share them.
static bool sweep_openings(opening_loop *l) {
    const tal_sweep_set *set = &l->set;
    atomic_store(&l->is_moving, false);
    for (int32_t c = 0; c < set->island->color_count; c++) {
        const int threads = tal_sweep_set_threads(set, c);
        l->first = c > 0 ? set->batch_end[c - 1] : 0;
        tal_threads_loop(threads, set->batch_end[c] - l->first, BATCHES_PER_PIECE, open_batches, l);
        l->first = c > 0 ? set->single_end[c - 1] : 0;
        tal_threads_loop(threads, set->single_end[c] - l->first, PAIRS_PER_PIECE, open_singles, l);
    }
    return atomic_load(&l->is_moving);
}

// What all islands have in common.
typedef struct {
    const tal_model *model;
    tal_state *state;
    double *opening, *push, settled;
} island_loop;

static bool is_touched(const tal_state *state, const tal_island *island) {
    bool any = false;
    for (int32_t n = island->first_body; !any && n < island->first_body + island->body_count; n++) {
        any = state->work.is_touched[state->work.problem.island_body[n]] != 0;
    }
    return any;
}

static void open_island(void *context, int32_t number, int thread_count) {
    const island_loop *of = context;
    const tal_percussion_problem *problem = &of->state->work.problem;
    if (!is_touched(of->state, &problem->island[number])) {
        return;
    }
    opening_loop l = {.model = of->model,
                      .state = of->state,
                      .opening = of->opening,
                      .push = of->push,
                      .settled = of->settled,
                      .sweep = SWEEP_FIRST};
    tal_sweep_set_fill(&l.set, problem, &of->state->work.contacts.work, number, thread_count,
                       TAL_SET_ALL);
    tal_threads_loop(thread_count, l.set.batch_end[l.set.island->color_count - 1],
                     BATCHES_PER_PIECE, begin_batches, &l);
    for (int n = 1; sweep_openings(&l) && n < SWEEPS_MAX; n++) {
        l.sweep++;
    }
}

static double displace_body(const tal_model *model, tal_state *state, int32_t b) {
    const tal_vec3 shift = state->work.displacement[b].v, turn = state->work.displacement[b].w;
    const double angle = tal_vec3_length(turn);
    if (tal_is_soft(model, b)) {
        tal_soft_displace(model, state, b, shift, turn);
        return -model->mass[b] * tal_vec3_dot(model->settings.gravity_mps2, shift);
    }
    state->position[b] = tal_vec3_add(state->position[b], shift);
    if (angle > 0.0) { // turning the momentum too keeps the rotational energy
        const double s = sin(0.5 * angle) / angle;
        const tal_quat q = {cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z};
        state->orientation[b] = tal_quat_normalize(tal_quat_multiply(q, state->orientation[b]));
        state->momentum[b] = tal_quat_rotate(q, state->momentum[b]);
        state->spin[b] =
            tal_rotation_velocity(model->inertia[b], state->orientation[b], state->momentum[b]);
    }
    return -model->mass[b] * tal_vec3_dot(model->settings.gravity_mps2, shift);
}

// A loop over slices of the pairs or bodies.
typedef struct {
    const tal_model *model;
    tal_state *state;
    double *opening, *push;
    int slice_count;
    // The furthest that a contact has to open; what the bodies were lifted by.
    double slice[TAL_SLICES_MAX];
} slice_loop;

// Openings of the contacts of a pair, and whether it is too deep.
static double want_openings(const slice_loop *l, int32_t p) {
    const tal_percussion_problem *problem = &l->state->work.problem;
    const tal_pair *pair = &problem->pair[p];
    double furthest = 0.0;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        l->opening[k] = wanted_opening(l->model, pair, tal_listed_gap(l->state, pair, k));
        l->push[k] = 0.0;
        furthest = l->opening[k] > furthest ? l->opening[k] : furthest;
        if (pair->is_general) {
            l->state->work.soft_site[2 * k].rigid_inverse_normal =
                rigid_inverse_normal(l->state, pair, &problem->contact[k]);
        }
    }
    l->state->work.contacts.work.is_listed[p] = furthest > 0.0;
    return furthest;
}

static void want_slices(void *context, int64_t first, int64_t end) {
    slice_loop *l = context;
    const int32_t count = l->state->work.problem.pair_count;
    for (int64_t n = first; n < end; n++) {
        const int64_t stop = tal_slice_begin(count, l->slice_count, n + 1);
        l->slice[n] = 0.0;
        for (int64_t p = tal_slice_begin(count, l->slice_count, n); p < stop; p++) {
            l->slice[n] = fmax(l->slice[n], want_openings(l, (int32_t)p));
        }
    }
}

static void displace_slices(void *context, int64_t first, int64_t end) {
    slice_loop *l = context;
    const int32_t count = l->model->body_count;
    for (int64_t n = first; n < end; n++) {
        const int32_t stop = (int32_t)tal_slice_begin(count, l->slice_count, n + 1);
        l->slice[n] = 0.0;
        for (int32_t b = (int32_t)tal_slice_begin(count, l->slice_count, n); b < stop; b++) {
            if (!l->state->is_fixed[b] && l->state->work.island_of_body[b] >= 0) {
                l->slice[n] += displace_body(l->model, l->state, b);
            }
        }
    }
}

// The furthest that a contact has to open; bodies of pairs that have to are marked for the first sweep.
static double want_all_openings(slice_loop *l) {
    const tal_percussion_problem *problem = &l->state->work.problem;
    double furthest = 0.0;
    l->slice_count = tal_slice_count(problem->pair_count, PAIRS_PER_SLICE);
    tal_threads_loop(problem->thread_count, l->slice_count, 1, want_slices, l);
    for (int n = 0; n < l->slice_count; n++) {
        furthest = fmax(furthest, l->slice[n]);
    }
    memset(l->state->work.is_touched, 0, (size_t)l->model->body_count);
    for (int32_t p = 0; furthest > 0.0 && p < problem->pair_count; p++) {
        if (l->state->work.contacts.work.is_listed[p]) {
            mark(l->state, &problem->pair[p], 1);
        }
    }
    return furthest;
}

static double displace_bodies(slice_loop *l) {
    double lifted = 0.0;
    l->slice_count = tal_slice_count(l->model->body_count, BODIES_PER_SLICE);
    tal_threads_loop(l->state->work.thread_count, l->slice_count, 1, displace_slices, l);
    for (int n = 0; n < l->slice_count; n++) {
        lifted += l->slice[n];
    }
    return lifted;
}

double tal_correct_positions(const tal_model *model, tal_state *state) {
    slice_loop slices; // small scenes have one slice
    slices.model = model;
    slices.state = state;
    slices.opening = state->work.contacts.work.change; // scratch
    slices.push = state->work.contacts.work.error;
    memset(state->work.displacement, 0,
           ((size_t)model->body_count + 1) * sizeof *state->work.displacement);
    const double furthest = model->settings.correction == 0.0 ? 0.0 : want_all_openings(&slices);
    if (furthest == 0.0) {
        return 0.0;
    }
    const double settled =
        fmax(SETTLED * model->settings.slop * model->smallest_width, SETTLED_DEEP * furthest);
    island_loop l = {model, state, slices.opening, slices.push, settled};
    tal_islands_loop(&state->work.problem, open_island, &l);
    return displace_bodies(&slices);
}

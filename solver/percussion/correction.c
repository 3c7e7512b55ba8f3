// SPDX-License-Identifier: GPL-3.0-or-later
// Removes penetration by moving bodies: the least displacement (in the metric of mass) that takes a
// share of each penetration back and opens no new one. Kinetic energy is untouched; the potential
// energy moved is returned.
#include "solver/percussion/correction.h"

#include "core/base/threads.h"
#include "solver/deformable/soft_body.h"
#include "solver/motion/rotation.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Weight on top of a small body needs many sweeps; they end when no contact opens by more than SETTLED
// slops, or by more than SETTLED_DEEP of the furthest that one has to open.
enum { SWEEPS_MAX = 60, PAIRS_PER_PIECE = 64 };
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

static bool is_too_deep(const tal_model *model, const tal_state *state, const tal_pair *pair) {
    const double slop = model->settings.slop * model->smallest_width;
    for (int32_t n = 0; !tal_is_spring(model, pair) && n < pair->contact_count; n++) {
        if (state->work.contacts.gap[pair->first_contact + n] < -slop) {
            return true;
        }
    }
    return false;
}

// Pairs that are too deep, and all that touch one of their bodies.
static bool flag_pairs(const tal_model *model, tal_state *state) {
    const tal_percussion_problem *problem = &state->work.problem;
    bool any = false;
    for (int32_t b = 0; b < model->body_count; b++) {
        state->work.is_touched[b] = 0;
    }
    for (int32_t p = 0; p < problem->pair_count; p++) {
        if (is_too_deep(model, state, &problem->pair[p])) {
            const tal_edge edge = state->work.contacts.edge[problem->pair[p].manifold];
            any = true;
            if (edge.i >= 0) {
                state->work.is_touched[edge.i] = 1;
            }
            if (edge.j >= 0) {
                state->work.is_touched[edge.j] = 1;
            }
        }
    }
    for (int32_t p = 0; any && p < problem->pair_count; p++) {
        const tal_edge edge = state->work.contacts.edge[problem->pair[p].manifold];
        state->work.contacts.pair_flag[p] = (edge.i >= 0 && state->work.is_touched[edge.i]) ||
                                            (edge.j >= 0 && state->work.is_touched[edge.j]);
    }
    return any;
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

// Both bodies, so that their pairs are visited in the sweep after the present one.
static void mark_moved(tal_state *state, const tal_pair *pair, int sweep) {
    const tal_edge edge = state->work.contacts.edge[pair->manifold];
    if (edge.i >= 0) {
        state->work.is_touched[edge.i] = (uint8_t)sweep;
    }
    if (edge.j >= 0) {
        state->work.is_touched[edge.j] = (uint8_t)sweep;
    }
}

static bool has_moved(const tal_state *state, const tal_pair *pair, int since) {
    const tal_edge edge = state->work.contacts.edge[pair->manifold];
    return (edge.i >= 0 && state->work.is_touched[edge.i] >= since) ||
           (edge.j >= 0 && state->work.is_touched[edge.j] >= since);
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
    const tal_contact_data *data = &state->work.contacts.data[k];
    tal_contact still = state->work.contacts.contact[k];
    double opening[3], step[3];
    tal_rigid_motion i = state->work.displacement[pair->body_i],
                     j = state->work.displacement[pair->body_j];
    if (data->is_one_sided) {
        return 0.0;
    }
    tal_contact_hold(&still, (double[3]){0.0, 0.0, 0.0}, !data->holds_normal_only);
    tal_relative_velocity(pair, &still, &i, &j, opening);
    tal_law_solve(&still, opening, step);
    tal_apply_percussion(pair, &still, step, &state->work.inertia_world[pair->body_i],
                         &state->work.inertia_world[pair->body_j], &i, &j);
    displace(state, pair, i, j);
    return tal_vec3_length(tal_vec3_make(step[0], step[1], step[2])) / still.inverse_normal;
}

// Sweeps are numbered from 1: 0 is what the marks begin with.
typedef struct {
    const tal_model *model;
    tal_state *state;
    double *opening, *push, settled;
    int sweep;
    int32_t first;         // pair of item 0
    atomic_bool is_moving; // something opens by more than `settled`
} opening_loop;

static void open_pairs(void *context, int64_t first, int64_t end) {
    opening_loop *l = context;
    for (int64_t p = l->first + first; p < l->first + end; p++) {
        const tal_pair *pair = &l->state->work.problem.pair[p];
        if (!l->state->work.contacts.pair_flag[p] || !has_moved(l->state, pair, l->sweep - 1)) {
            continue;
        }
        const double change = tal_is_joint(l->model, pair)
                                  ? hold_pair(l->state, pair)
                                  : open_pair(l->state, pair, l->opening, l->push);
        if (change > NOTICED * l->settled) {
            mark_moved(l->state, pair, l->sweep);
        }
        if (change > l->settled) {
            atomic_store_explicit(&l->is_moving, true, memory_order_relaxed);
        }
    }
}

// Pairs of one color touch no body twice: threads may share them.
static void open_island(opening_loop *l, const tal_island *island) {
    const tal_percussion_problem *problem = &l->state->work.problem;
    for (int32_t c = 0; c < island->color_count; c++) {
        const bool is_serial = island->last_color_is_serial && c == island->color_count - 1;
        const int32_t end = problem->color_end[island->first_color + c];
        l->first = c > 0 ? problem->color_end[island->first_color + c - 1] : island->first_pair;
        tal_threads_loop(is_serial ? 1 : problem->thread_count, end - l->first, PAIRS_PER_PIECE,
                         open_pairs, l);
    }
}

// True if it has to be swept again.
static bool sweep_openings(opening_loop *l) {
    const tal_percussion_problem *problem = &l->state->work.problem;
    atomic_store(&l->is_moving, false);
    for (int32_t n = 0; n < problem->island_count; n++) {
        open_island(l, &problem->island[n]);
    }
    return atomic_load(&l->is_moving);
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

double tal_correct_positions(const tal_model *model, tal_state *state) {
    const tal_percussion_problem *problem = &state->work.problem;
    for (int32_t b = 0; b <= model->body_count; b++) {
        state->work.displacement[b] = (tal_rigid_motion){0};
    }
    if (model->settings.correction == 0.0 || !flag_pairs(model, state)) {
        return 0.0;
    }
    double *push = state->work.contacts.work.error, *opening = state->work.contacts.work.change;
    double furthest = 0.0;
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            opening[k] = wanted_opening(model, pair, state->work.contacts.gap[k]);
            furthest = fmax(furthest, opening[k]);
            push[k] = 0.0;
            if (pair->is_general) {
                state->work.soft_site[2 * k].rigid_inverse_normal =
                    rigid_inverse_normal(state, pair, &state->work.contacts.contact[k]);
            }
        }
    }
    const double settled =
        fmax(SETTLED * model->settings.slop * model->smallest_width, SETTLED_DEEP * furthest);
    memset(state->work.is_touched, 0, (size_t)model->body_count);
    opening_loop l = {.model = model,
                      .state = state,
                      .opening = opening,
                      .push = push,
                      .settled = settled,
                      .sweep = 1};
    while (sweep_openings(&l) && l.sweep < SWEEPS_MAX) {
        l.sweep++;
    }
    double lifted = 0.0;
    for (int32_t b = 0; b < model->body_count; b++) {
        if (!state->is_fixed[b] && state->work.island_of_body[b] >= 0) {
            lifted += displace_body(model, state, b);
        }
    }
    return lifted;
}

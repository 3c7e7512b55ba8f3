// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that hang on one or two points.
#include "solver/motion/hang.h"

#include "core/base/threads.h"
#include "solver/motion/rest.h"
#include "solver/motion/rotation.h"

#include <math.h>
#include <string.h>

// Arm of the moment, share of the inner radius: corners of rock are crushed and ground off over about as much.
// How long the same points have to hold: what rolls has others long before.
static const double ARM = 0.01, WHILE_S = 1.0;
enum { POINTS_MAX = 2 };

// Some microseconds of work: less is not worth sharing.
enum { PAIRS_PER_PIECE = 256 };

// Soft ground brakes what swings in it by itself.
static bool is_swinging(const tal_model *model, const tal_state *state, int32_t b) {
    return b < model->body_count && !state->is_immovable[b] && !model->is_loaded[b] &&
           !tal_is_soft(model, b) && state->trail[b].drag == 0.0 &&
           model->shapes.sphere_radius[model->shape_of_body[b]] == 0.0;
}

// How many points of a pair carry a percussion, up to one more than a body can hang on.
static void count_pairs(void *context, int64_t first, int64_t end) {
    const tal_state *state = context;
    for (int64_t p = first; p < end; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        int points = 0;
        for (int32_t k = pair->first_contact;
             points <= POINTS_MAX && k < pair->first_contact + pair->contact_count; k++) {
            points += state->work.contacts.contact[k].percussion[0] != 0.0;
        }
        state->work.contacts.work.is_listed[p] = (uint8_t)points; // scratch
    }
}

static void count_points(tal_state *state) {
    const tal_percussion_problem *problem = &state->work.problem;
    memset(state->work.support, 0, ((size_t)state->body_count + 1) * sizeof *state->work.support);
    tal_threads_loop(state->work.thread_count, problem->pair_count, PAIRS_PER_PIECE, count_pairs,
                     state);
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const int32_t points = state->work.contacts.work.is_listed[p];
        state->work.support[problem->pair[p].body_i].points += points;
        state->work.support[problem->pair[p].body_j].points += points;
    }
}

static bool holds(const tal_model *model, const tal_state *state, const tal_pair *pair, int32_t k,
                  double still) {
    double d[3];
    const tal_law_traits *law = tal_traits(model, pair);
    tal_contact_velocity(&state->work.problem, pair, k, d);
    return law->has_dry_friction && !law->is_joint && !pair->is_general && !tal_strikes(state, k) &&
           fabs(d[0]) <= still && hypot(d[1], d[2]) <= still;
}

// What the points of one side of a pair bear. They have to hold, and the other side to stand.
static void add_points(const tal_model *model, tal_state *state, const tal_pair *pair, int side,
                       double still) {
    const int32_t b = side == 0 ? pair->body_i : pair->body_j;
    const int32_t other = side == 0 ? pair->body_j : pair->body_i;
    tal_support *hold = &state->work.support[b];
    if (hold->points == 0 || hold->points > POINTS_MAX || !is_swinging(model, state, b)) {
        return;
    }
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const double normal = state->work.contacts.contact[k].percussion[0];
        if (normal != 0.0) {
            const bool is_held =
                state->work.is_standing[other] && holds(model, state, pair, k, still);
            hold->borne += normal;
            hold->on ^= tal_identity(state, pair, k) + (uint64_t)other;
            hold->held += is_held;
        }
    }
}

// (58). All velocities by the same share: points that do not move stay where they are.
static void slow_body(const tal_model *model, tal_state *state, int32_t b, double dt,
                      tal_report *report) {
    tal_rigid_motion *u = &state->work.motion[b];
    const tal_vec3 momentum = tal_rotation_momentum(model->inertia[b], state->orientation[b], u->w);
    const double energy =
        0.5 * model->mass[b] * tal_vec3_dot(u->v, u->v) + 0.5 * tal_vec3_dot(momentum, u->w);
    const double taken =
        ARM * model->inner_radius[b] * state->work.support[b].borne * tal_vec3_length(u->w);
    if (!(taken > 0.0)) {
        return;
    }
    const double kept = taken < energy ? sqrt(1.0 - taken / energy) : 0.0;
    const tal_vec3 way = tal_vec3_scale(u->v, 0.5 * dt * (1.0 - kept)); // not gone any more
    report->dissipated_tangential_j += energy * (1.0 - kept * kept);
    report->correction_j += model->mass[b] * tal_vec3_dot(model->settings.gravity_mps2, way);
    u->v = tal_vec3_scale(u->v, kept);
    u->w = tal_vec3_scale(u->w, kept);
}

void tal_slow_hanging(const tal_model *model, tal_state *state, double dt, double still,
                      tal_report *report) {
    count_points(state);
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        if (state->work.contacts.work.is_listed[p] > 0) {
            add_points(model, state, &state->work.problem.pair[p], 0, still);
            add_points(model, state, &state->work.problem.pair[p], 1, still);
        }
    }
    for (int32_t b = 0; b < model->body_count; b++) {
        const tal_support *hold = &state->work.support[b];
        tal_rest *rest = &state->rest[b];
        const bool hangs = hold->held > 0 && hold->held == hold->points;
        rest->hung_s =
            hangs && (rest->hung_s == 0.0 || rest->hung_on == hold->on) ? rest->hung_s + dt : 0.0;
        rest->hung_on = hangs ? hold->on : 0;
        if (rest->hung_s > WHILE_S) {
            slow_body(model, state, b, dt, report);
        }
    }
}

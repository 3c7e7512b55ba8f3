// SPDX-License-Identifier: GPL-3.0-or-later
// Islands at rest. A body is still when its fastest point, the position correction included, is slower
// than what the tolerance lets pass as an error of slow bodies; in an island of many, such errors add up from
// body to body, over the steps watched at most.
// What is out of balance by more than the tolerance (one body: by more than a small share of it) does not stay
// that slow for as many steps, so only what stands for good is laid to rest.
#include "solver/motion/rest.h"

#include <math.h>
#include <string.h>

void tal_wake(tal_state *state, int32_t body) {
    TAL_ASSERT(body >= 0 && body < state->body_count);
    const int32_t group = state->rest[body].group;
    for (int32_t b = 0; group != TAL_AWAKE && b < state->body_count; b++) {
        if (state->rest[b].group == group) {
            state->rest[b].group = TAL_AWAKE;
            state->rest[b].still_steps = 0;
            state->is_fixed[b] = state->is_immovable[b] = state->is_gone[b];
        }
    }
}

void tal_wake_touching(tal_state *state, int32_t body) {
    for (int32_t p = 0; p < state->memory.pair_count; p++) {
        const tal_memory_pair *pair = &state->memory.pair[p];
        const int32_t other = pair->body_i == body ? pair->body_j : pair->body_i;
        if ((pair->body_i == body || pair->body_j == body) && tal_is_at_rest(state, other)) {
            tal_wake(state, other);
        }
    }
}

bool tal_wake_reached(tal_state *state) {
    bool any = false;
    for (int32_t m = 0; m < state->work.found.manifold_count; m++) {
        const tal_manifold *manifold = &state->work.found.manifold[m];
        const int32_t body[2] = {manifold->body_i, manifold->body_j};
        for (int side = 0; side < 2; side++) {
            if (tal_is_at_rest(state, body[side])) {
                tal_wake(state, body[side]);
                any = true;
            }
        }
    }
    return any;
}

static double fastest_point(const tal_model *model, int32_t b, tal_vec3 v, tal_vec3 w) {
    const double radius = model->shapes.bounding_radius[model->shape_of_body[b]];
    return tal_vec3_length(v) + radius * tal_vec3_length(w);
}

static double speed_of(const tal_model *model, const tal_state *state, int32_t b, double dt) {
    const tal_rigid_motion *moved = &state->work.displacement[b];
    return fastest_point(model, b, state->velocity[b], state->spin[b]) +
           fastest_point(model, b, moved->v, moved->w) / dt;
}

static bool can_rest(const tal_model *model, const tal_state *state, int32_t b) {
    return state->work.island_of_body[b] >= 0 && !model->is_loaded[b] && !tal_is_soft(model, b);
}

static double still_speed(const tal_model *model, const tal_state *state, int32_t island,
                          double slow) {
    const int32_t bodies = state->work.problem.island[island].body_count;
    const int32_t steps = model->settings.rest_steps;
    return (bodies < steps ? bodies : steps) * model->settings.tolerance * slow;
}

// Per island whether a body in it is restless. False if all islands are.
static bool find_quiet_islands(const tal_model *model, tal_state *state, double dt, double slow) {
    const int32_t wanted = model->settings.rest_steps;
    memset(state->work.is_restless, 0, (size_t)state->work.problem.island_count);
    bool any = false;
    for (int32_t b = 0; b < model->body_count; b++) {
        if (tal_is_at_rest(state, b)) {
            continue;
        }
        const bool is_still = can_rest(model, state, b) &&
                              speed_of(model, state, b, dt) <=
                                  still_speed(model, state, state->work.island_of_body[b], slow);
        int32_t *still_steps = &state->rest[b].still_steps; // no more than wanted are counted
        *still_steps = !is_still ? 0 : *still_steps < wanted ? *still_steps + 1 : *still_steps;
        any = any || *still_steps >= wanted;
        if (state->work.island_of_body[b] >= 0 && *still_steps < wanted) {
            state->work.is_restless[state->work.island_of_body[b]] = 1;
        }
    }
    return any;
}

// What creeps, however slowly, goes on creeping.
static void keep_viscous_awake(const tal_model *model, tal_state *state) {
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        if (!tal_traits(model, pair)->has_dry_friction) {
            state->work.is_restless[pair->island] = 1;
        }
    }
}

static bool lingers(const tal_model *model, const tal_state *state, const tal_island *island,
                    double slow) {
    const double still = model->settings.tolerance * slow;
    double before = 0.0, after = 0.0;
    for (int32_t n = island->first_body; n < island->first_body + island->body_count; n++) {
        const int32_t b = state->work.problem.island_body[n];
        const tal_rigid_motion *motion = &state->work.problem.motion[b];
        before = fmax(before, fastest_point(model, b, state->velocity[b], state->spin[b]));
        after = fmax(after, fastest_point(model, b, motion->v, motion->w));
    }
    return before <= slow && after > still && after <= slow;
}

const uint8_t *tal_find_lingering(const tal_model *model, tal_state *state, double slow) {
    for (int32_t n = 0; n < state->work.problem.island_count; n++) {
        state->work.is_restless[n] = lingers(model, state, &state->work.problem.island[n], slow);
    }
    return state->work.is_restless;
}

static double kinetic_energy(const tal_model *model, const tal_state *state, int32_t b) {
    return 0.5 * model->mass[b] * tal_vec3_dot(state->velocity[b], state->velocity[b]) +
           0.5 * tal_vec3_dot(state->momentum[b], state->spin[b]);
}

static void lay_body_to_rest(tal_state *state, int32_t b) {
    TAL_ASSERT(state->work.island_of_body[b] >= 0 && !state->is_immovable[b]);
    const tal_island *island = &state->work.island[state->work.island_of_body[b]];
    state->rest[b].group = state->work.island_body[island->first_body];
    state->rest[b].depth = 0.0;
    state->is_fixed[b] = state->is_immovable[b] = 1;
    state->lead[b] = 0.0;
    state->velocity[b] = state->momentum[b] = state->spin[b] = (tal_vec3){0};
}

static void keep_depth(tal_state *state, const tal_pair *pair) {
    const bool of_i = tal_is_at_rest(state, pair->body_i);
    const int32_t body = of_i ? pair->body_i : pair->body_j;
    const int32_t other = of_i ? pair->body_j : pair->body_i;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const double depth = -tal_listed_gap(state, pair, k);
        if (depth > state->rest[body].depth) {
            state->rest[body].depth = depth;
            state->rest[body].partner = other < state->body_count ? other : TAL_BODY_TERRAIN;
        }
    }
}

void tal_lay_to_rest(const tal_model *model, tal_state *state, double dt, double slow,
                     tal_report *report) {
    const tal_vec3 gravity = model->settings.gravity_mps2;
    if (model->settings.rest_steps == 0 || model->series_count > 0 ||
        !find_quiet_islands(model, state, dt, slow)) {
        return;
    }
    keep_viscous_awake(model, state);
    for (int32_t b = 0; b < model->body_count; b++) {
        const int32_t island = state->work.island_of_body[b];
        if (island >= 0 && !state->work.is_restless[island]) {
            const tal_vec3 way = tal_vec3_scale(state->velocity[b], 0.5 * dt); // not gone any more
            report->dissipated_tangential_j += kinetic_energy(model, state, b);
            report->correction_j += model->mass[b] * tal_vec3_dot(gravity, way);
            lay_body_to_rest(state, b);
        }
    }
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        if (!state->work.is_restless[pair->island] && !tal_is_spring(model, pair)) {
            keep_depth(state, pair);
        }
    }
}

void tal_observe_rest(const tal_state *state, tal_report *report) {
    for (int32_t b = 0; b < state->body_count; b++) {
        if (tal_is_at_rest(state, b) && state->rest[b].depth > report->penetration_m) {
            report->penetration_m = state->rest[b].depth;
            report->penetration_body_i = b;
            report->penetration_body_j = state->rest[b].partner;
        }
    }
}

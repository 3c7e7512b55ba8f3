// SPDX-License-Identifier: GPL-3.0-or-later
// Trails of bodies: advanced from the contacts that carried a percussion in this piece of a step.
#include "solver/motion/trail.h"

#include "solver/motion/rest.h"

#include <math.h>
#include <string.h>

bool tal_model_needs_trails(const tal_model *model) {
    for (int32_t k = 0; k < model->class_count * model->class_count; k++) {
        const tal_law_traits *traits = tal_law_traits_of(model->law[k].kind);
        const bool is_stirred =
            traits != NULL && traits->is_turbulent && model->law[k].turbulence_mps2 > 0.0;
        if (traits != NULL && (traits->scars || traits->wears || is_stirred)) {
            return true;
        }
    }
    return false;
}

// (5): m drag dt |x|^2, x the mean velocity.
static double drag_work(const tal_model *model, const tal_state *state, int32_t b, double dt) {
    const tal_vec3 twice = tal_vec3_add(state->work.motion_before[b].v, state->work.motion[b].v);
    return 0.25 * model->mass[b] * state->trail[b].drag * dt * tal_vec3_dot(twice, twice);
}

static bool moves(const tal_state *state, int32_t body) {
    return body < state->body_count && !state->is_immovable[body];
}

// (18): Voellmy's drag as a rate. Blocks stir each other with their differences of speed only, which
// friction takes care of; so what moves as well does not drag.
static double turbulence(const tal_model *model, const tal_state *state, const tal_pair *pair,
                         int32_t body) {
    const double xi = model->law[pair->law].turbulence_mps2;
    const bool is_ground = !moves(state, pair->body_i) || !moves(state, pair->body_j);
    if (!(xi > 0.0) || !tal_traits(model, pair)->is_turbulent || !is_ground) {
        return 0.0;
    }
    const double gravity = tal_vec3_length(model->settings.gravity_mps2);
    return gravity * tal_vec3_length(state->work.motion[body].v) /
           (xi * 2.0 * model->inner_radius[body]);
}

// Only rigid bodies have trails. A blow takes no time, so nothing drags in it.
static void touch(const tal_model *model, tal_state *state, const tal_pair *pair, int32_t body,
                  double sliding, bool is_blow) {
    if (pair->is_general || !moves(state, body)) {
        return;
    }
    const tal_law *law = &model->law[pair->law];
    const tal_law_traits *traits = tal_traits(model, pair);
    tal_trail *now = &state->work.trail_now[body];
    if (traits->scars) {
        now->scar = 1.0;
        now->decay = fmax(now->decay, law->scar_decay_per_s);
        now->drag = is_blow ? now->drag : fmax(now->drag, law->drag_per_s);
    }
    now->drag = is_blow ? now->drag : fmax(now->drag, turbulence(model, state, pair, body));
    now->slid = fmax(now->slid, sliding);
}

// Who touches what in this piece, and how fast it slides there at most.
static void touch_all(const tal_model *model, tal_state *state) {
    memset(state->work.trail_now, 0, (size_t)model->body_count * sizeof *state->work.trail_now);
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        for (int32_t n = 0; n < pair->contact_count; n++) {
            const int32_t k = pair->first_contact + n;
            if (state->work.contacts.contact[k].percussion[0] > 0.0) {
                const bool is_blow = tal_strikes(state, k);
                double d[3];
                tal_contact_velocity(&state->work.problem, pair, k, d);
                touch(model, state, pair, pair->body_i, hypot(d[1], d[2]), is_blow);
                touch(model, state, pair, pair->body_j, hypot(d[1], d[2]), is_blow);
            }
        }
    }
}

// (7): a scar grows by the way of the centre while the body touches, and is forgotten in flight.
static void advance(tal_state *state, int32_t b, double dt) {
    const tal_trail *now = &state->work.trail_now[b];
    tal_trail *trail = &state->trail[b];
    if (now->scar > 0.0) {
        trail->scar += dt * tal_vec3_length(state->work.motion[b].v);
        trail->decay = now->decay;
    } else {
        trail->scar *= exp(-trail->decay * dt);
    }
    trail->drag = now->drag;
    trail->slid += dt * now->slid;
}

void tal_advance_trails(const tal_model *model, tal_state *state, double dt, tal_report *report) {
    if (!model->needs_trails) {
        return;
    }
    touch_all(model, state);
    for (int32_t b = 0; b < model->body_count; b++) {
        if (!state->is_immovable[b]) {
            report->dissipated_tangential_j += drag_work(model, state, b, dt);
            advance(state, b, dt);
        }
    }
}

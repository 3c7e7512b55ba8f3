// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that strike the ground within the step.
#include "solver/step/meet.h"

#include "solver/percussion/rigid.h"

#include <math.h>

// How far a slow contact of a striking body may sink meanwhile, share of the inner radius: a body
// that turns about one corner until the next one strikes leans on the first.
static const double SINK = 1e-3;

static bool is_ground(const tal_model *model, const tal_state *state, int32_t body) {
    return body == model->body_count || (state->is_fixed[body] && state->is_immovable[body]);
}

// Rebounds that would have to be faster than the approach to make up for the way are left as they are:
// a nearly elastic body turns back early and loses nothing.
static bool is_slower_after(const tal_law *law, const tal_contact_data *data, double time) {
    tal_contact_data met = *data;
    met.ahead = time;
    return tal_law_rebound(&met, law->restitution) <= -data->before[0];
}

// Time until the first impact of the only body of an island; 0: none, or not to be met.
static double time_to_impact(const tal_model *model, const tal_state *state,
                             const tal_island *island) {
    const int32_t b = state->work.island_body[island->first_body];
    const double sink = SINK * model->inner_radius[b];
    double impact = INFINITY, most = INFINITY;
    for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        const tal_law *law = &model->law[pair->law];
        const bool by_ratio = tal_traits(model, pair)->rebounds && !law->dissipation_in_kg;
        if (!by_ratio ||
            !is_ground(model, state, pair->body_i == b ? pair->body_j : pair->body_i)) {
            return 0.0;
        }
        for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            const tal_contact_data *data = &state->work.contacts.data[k];
            const double speed = -data->before[0], gap = fmax(data->gap, 0.0);
            if (data->impact) {
                impact = fmin(impact, is_slower_after(law, data, gap / speed) ? gap / speed : 0.0);
            } else if (speed > 0.0) {
                most = fmin(most, (gap + sink) / speed);
            }
        }
    }
    return isfinite(impact) ? fmin(impact, most) : 0.0;
}

bool tal_meet_ground(const tal_model *model, tal_state *state, tal_report *report) {
    bool any = false;
    if (model->settings.scheme != TAL_SCHEME_MOREAU) {
        return false;
    }
    for (int32_t n = 0; n < state->work.problem.island_count; n++) {
        const tal_island *island = &state->work.island[n];
        const int32_t b = state->work.island_body[island->first_body];
        if (island->body_count != 1 || model->is_loaded[b] || tal_is_soft(model, b)) {
            continue;
        }
        const double time = time_to_impact(model, state, island);
        if (time > 0.0) {
            report->correction_j += tal_rigid_advance_ahead(model, state, b, time);
            any = true;
        }
    }
    return any;
}

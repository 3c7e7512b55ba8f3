// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that strike something within the step.
#include "solver/step/meet.h"

#include "solver/percussion/rigid.h"

#include <math.h>

// How far a body that goes on may sink into what it does not strike, share of the inner radius: a body
// that turns about one corner until the next one strikes leans on the first.
static const double SINK = 1e-3;

static bool is_free(const tal_model *model, const tal_state *state, int32_t b) {
    return b < model->body_count && !state->is_immovable[b] && !model->is_loaded[b] &&
           !tal_is_soft(model, b) && state->lead[b] == 0.0;
}

static bool can_go_on(const tal_model *model, const tal_state *state, int32_t b) {
    return is_free(model, state, b) && !state->work.is_standing[b];
}

// Rebounds that would have to be faster than the approach to make up for the way are left as they are:
// a nearly elastic body turns back early and loses nothing.
static bool is_slower_after(const tal_law *law, const tal_contact_data *data, double time) {
    tal_contact_data met = *data;
    met.gap = 0.0;
    met.ahead = time;
    return tal_law_rebound(&met, law->restitution) <= -data->before[0];
}

// Blows on bodies that give way are not met: that lets those around them come deeper (docs/theory/solver.md,
// "Gaps"). One that stands and is so much heavier is as good as the ground.
static const double HEAVIER = 8.0;

static bool can_be_met(const tal_model *model, const tal_state *state, int32_t b, int32_t other) {
    return state->work.is_standing[other] &&
           (other >= model->body_count || state->is_immovable[other] ||
            model->mass[other] > HEAVIER * model->mass[b]);
}

// Time until the first impact of a pair; INFINITY: none, 0: not to be met.
static double time_to_impact(const tal_model *model, const tal_state *state, const tal_pair *pair) {
    const tal_law *law = &model->law[pair->law];
    const bool by_ratio = tal_traits(model, pair)->rebounds && !law->dissipation_in_kg;
    double time = INFINITY;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact_data *data = &state->work.contacts.data[k];
        if (data->impact) {
            const double wait = fmin(fmax(data->gap, 0.0) / -data->before[0], data->dt);
            time = fmin(time, by_ratio && is_slower_after(law, data, wait) ? wait : 0.0);
        }
    }
    return time;
}

// How long one side of a pair may go on while the other one stays: not at all beside a body that moves.
static double time_to_sink(const tal_model *model, const tal_state *state, const tal_pair *pair,
                           int side) {
    const int32_t b = side == 0 ? pair->body_i : pair->body_j;
    const int32_t other = side == 0 ? pair->body_j : pair->body_i;
    const double sink = SINK * model->inner_radius[b];
    double time = INFINITY;
    if (tal_is_joint(model, pair) || !state->work.is_standing[other]) {
        return 0.0;
    }
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact_data *data = &state->work.contacts.data[k];
        if (data->before[0] < 0.0) {
            time = fmin(time, (fmax(data->gap, 0.0) + sink) / -data->before[0]);
        }
    }
    return time;
}

static void note(tal_meeting *meeting, int32_t pair, double impact, double sink) {
    if (impact < meeting->time) {
        meeting->time = impact;
        meeting->pair = pair;
    }
    if (sink < meeting->limit) {
        meeting->limit_next = meeting->limit;
        meeting->limit = sink;
        meeting->limit_pair = pair;
    } else {
        meeting->limit_next = fmin(meeting->limit_next, sink);
    }
}

// The pair of the blow is no limit of it.
static double limit_of(const tal_meeting *meeting) {
    return meeting->limit_pair == meeting->pair ? meeting->limit_next : meeting->limit;
}

static void find_meetings(const tal_model *model, tal_state *state) {
    const tal_percussion_problem *problem = &state->work.problem;
    for (int32_t b = 0; b < model->body_count; b++) {
        state->work.meeting[b] = (tal_meeting){.time = INFINITY,
                                               .pair = -1,
                                               .limit_pair = -1,
                                               .limit = INFINITY,
                                               .limit_next = INFINITY};
    }
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        const bool goes[2] = {can_go_on(model, state, body[0]), can_go_on(model, state, body[1])};
        const double impact = goes[0] || goes[1] ? time_to_impact(model, state, pair) : INFINITY;
        for (int side = 0; side < 2; side++) {
            if (goes[side]) {
                const bool is_met = can_be_met(model, state, body[side], body[1 - side]);
                note(&state->work.meeting[body[side]], p, is_met || isinf(impact) ? impact : 0.0,
                     time_to_sink(model, state, pair, side));
            }
        }
    }
}

bool tal_meet(const tal_model *model, tal_state *state, tal_report *report) {
    bool any = false;
    if (model->settings.scheme != TAL_SCHEME_MOREAU || report->impact_count == 0) {
        return false;
    }
    find_meetings(model, state);
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        for (int side = 0; side < 2; side++) {
            const int32_t b = body[side], other = body[1 - side];
            if (!can_go_on(model, state, b) || state->work.meeting[b].pair != p) {
                continue;
            }
            const tal_meeting *meeting = &state->work.meeting[b];
            const double time = fmin(meeting->time, limit_of(meeting));
            if (time > 0.0) {
                report->correction_j += tal_rigid_advance_ahead(model, state, b, time);
                any = true;
                if (is_free(model, state, other)) {
                    state->lead[other] = time; // it stands: the same place, and the same moment
                }
            }
        }
    }
    return any;
}

// What a pair that is ahead has sunk in, in time; 0: nothing that counts.
static double time_too_far(const tal_model *model, const tal_state *state, const tal_pair *pair) {
    const int32_t b = state->lead[pair->body_i] > 0.0 ? pair->body_i : pair->body_j;
    const double lead = state->lead[b];
    if (lead <= 0.0) { // neither is ahead, and the second may be the ground
        return 0.0;
    }
    double deepest = 2.0 * SINK * model->inner_radius[b], time = 0.0;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact_data *data = &state->work.contacts.data[k];
        if (-data->gap > deepest) {
            deepest = -data->gap;
            time = data->impact ? fmin(deepest / -data->before[0], lead) : 0.5 * lead;
        }
    }
    return time;
}

bool tal_meet_earlier(const tal_model *model, tal_state *state, bool wholly, tal_report *report) {
    bool any = false;
    for (int32_t b = 0; b < model->body_count; b++) {
        state->work.meeting[b].time = 0.0;
    }
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        const double time = time_too_far(model, state, pair);
        const int32_t body[2] = {pair->body_i, pair->body_j};
        for (int side = 0; side < 2 && time > 0.0; side++) {
            if (state->lead[body[side]] > 0.0) {
                tal_meeting *meeting = &state->work.meeting[body[side]];
                meeting->time = fmax(meeting->time, wholly ? state->lead[body[side]] : time);
            }
        }
    }
    for (int32_t b = 0; b < model->body_count; b++) {
        const double back = fmin(state->work.meeting[b].time, state->lead[b]);
        if (back > 0.0) {
            report->correction_j += tal_rigid_advance_ahead(model, state, b, -back);
            any = true;
        }
    }
    return any;
}

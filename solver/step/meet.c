// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that strike something within the step.
#include "solver/step/meet.h"

#include "solver/percussion/contact.h"
#include "solver/percussion/rigid.h"
#include "solver/step/look_ahead.h"

#include <math.h>

// How far a body that goes on may sink into what it does not strike, share of the inner radius: a body
// that turns about one corner until the next one strikes leans on the first.
static const double SINK = 1e-3;

static bool is_free(const tal_model *model, const tal_state *state, int32_t b) {
    return b < model->body_count && !state->is_immovable[b] && !model->is_loaded[b] &&
           !tal_is_soft(model, b) && state->lead[b] == 0.0;
}

static bool can_go_on(const tal_state *state, int32_t b) {
    return b < state->body_count && state->work.meeting[b].can_go_on;
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

// A manifold of the list, by its number, and its bodies: the ground comes last.
typedef struct {
    const tal_manifold *manifold;
    int32_t number;
    int32_t body[2];
} near_pair;

static near_pair near_pair_of(const tal_state *state, int32_t m) {
    const tal_manifold *manifold = &state->work.list.manifold[m];
    const int32_t j = manifold->body_j;
    return (near_pair){manifold, m, {manifold->body_i, j >= 0 ? j : state->body_count}};
}

static tal_vec3 velocity_before(const tal_state *state, int32_t body, tal_vec3 arm) {
    const tal_rigid_motion *before = &state->work.motion_before[body];
    return tal_vec3_add(before->v, tal_vec3_cross(before->w, arm));
}

// How fast point `at` of the list opens.
static double opening_before(const tal_model *model, const tal_state *state, const near_pair *of,
                             int32_t at) {
    tal_vec3 arm[2];
    tal_listed_arms(model, state, of->manifold, at, arm);
    const tal_vec3 of_i = velocity_before(state, of->body[0], arm[0]);
    const tal_vec3 of_j = velocity_before(state, of->body[1], arm[1]);
    return tal_vec3_dot(state->work.list.point[at].normal, tal_vec3_subtract(of_i, of_j));
}

// What is known of point k before the solution; needs the judge of its pair.
static tal_contact_data data_of(const tal_model *model, const tal_state *state, const near_pair *of,
                                const tal_judge *judge, int32_t k) {
    const int32_t at = of->manifold->first_point + k;
    tal_contact_data data = {.gap = tal_skin_gap(model, state->work.list.point[at].gap),
                             .before = {opening_before(model, state, of, at), 0.0, 0.0}};
    tal_judge_point(judge, 0.0, of->manifold->joint == 0, &data);
    return data;
}

static tal_judge judge_of(const tal_model *model, const tal_state *state, const near_pair *of,
                          double dt) {
    const tal_vec3 normal = state->work.list.point[of->manifold->first_point].normal;
    return tal_judge_of(model, state, of->body[0], of->body[1], normal, dt);
}

// Time until the first impact of a pair; INFINITY: none, 0: not to be met.
static double time_to_impact(const tal_model *model, const tal_state *state, const near_pair *of,
                             double dt) {
    const tal_law *law = &model->law[tal_law_of(model, of->manifold)];
    const bool by_ratio = tal_law_traits_of(law->kind)->rebounds && !law->dissipation_in_kg;
    const tal_judge judge = judge_of(model, state, of, dt);
    double time = INFINITY;
    for (int32_t k = 0; k < of->manifold->point_count; k++) {
        const tal_contact_data data = data_of(model, state, of, &judge, k);
        if (data.impact) {
            const double wait = fmin(fmax(data.gap, 0.0) / -data.before[0], data.dt);
            time = fmin(time, by_ratio && is_slower_after(law, &data, wait) ? wait : 0.0);
        }
    }
    return time;
}

// How long one side of a pair may go on while the other one stays.
static double time_to_sink(const tal_model *model, const tal_state *state, const near_pair *of,
                           int side) {
    const double sink = SINK * model->inner_radius[of->body[side]];
    double time = INFINITY;
    if (of->manifold->joint > 0) {
        return 0.0;
    }
    for (int32_t k = 0; k < of->manifold->point_count; k++) {
        const int32_t at = of->manifold->first_point + k;
        const double apart = opening_before(model, state, of, at);
        if (apart < 0.0) {
            time =
                fmin(time, (fmax(tal_skin_gap(model, state->work.list.point[at].gap), 0.0) + sink) /
                               -apart);
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

static void note_pair(const tal_model *model, tal_state *state, const near_pair *of, double dt) {
    const bool goes[2] = {can_go_on(state, of->body[0]), can_go_on(state, of->body[1])};
    for (int side = 0; side < 2; side++) {
        if (goes[side] && !state->work.is_standing[of->body[1 - side]]) {
            note(&state->work.meeting[of->body[side]], of->number, 0.0, 0.0); // beside what moves
        } else if (goes[side]) {
            const double impact = time_to_impact(model, state, of, dt);
            const bool is_met = can_be_met(model, state, of->body[side], of->body[1 - side]);
            note(&state->work.meeting[of->body[side]], of->number,
                 is_met || isinf(impact) ? impact : 0.0, time_to_sink(model, state, of, side));
        }
    }
}

static void find_meetings(const tal_model *model, tal_state *state, double dt) {
    for (int32_t b = 0; b < model->body_count; b++) {
        state->work.meeting[b] =
            (tal_meeting){.time = INFINITY,
                          .pair = -1,
                          .limit_pair = -1,
                          .limit = INFINITY,
                          .limit_next = INFINITY,
                          .can_go_on = is_free(model, state, b) && !state->work.is_standing[b]};
    }
    for (int32_t m = 0; m < state->work.list.manifold_count; m++) {
        const near_pair of = near_pair_of(state, m);
        note_pair(model, state, &of, dt);
    }
}

// One side of a pair goes on to its blow. True if it does.
static bool go_on(const tal_model *model, tal_state *state, const near_pair *of, int side,
                  tal_report *report) {
    const int32_t b = of->body[side], other = of->body[1 - side];
    // The other side of an earlier blow is ahead already.
    if (!can_go_on(state, b) || state->work.meeting[b].pair != of->number ||
        !is_free(model, state, b)) {
        return false;
    }
    const tal_meeting *meeting = &state->work.meeting[b];
    const double time = fmin(meeting->time, limit_of(meeting));
    if (time > 0.0) {
        report->correction_j += tal_rigid_advance_ahead(model, state, b, time);
        if (is_free(model, state, other)) {
            state->lead[other] = time; // it stands: the same place, and the same moment
        }
    }
    return time > 0.0;
}

bool tal_meet(const tal_model *model, tal_state *state, double dt, tal_report *report) {
    bool any = false;
    if (model->settings.scheme != TAL_SCHEME_MOREAU) {
        return false;
    }
    find_meetings(model, state, dt);
    for (int32_t m = 0; m < state->work.list.manifold_count; m++) {
        const near_pair of = near_pair_of(state, m);
        for (int side = 0; side < 2; side++) {
            any = go_on(model, state, &of, side, report) || any;
        }
    }
    return any;
}

// What a pair that is ahead has sunk in, in time; 0: nothing that counts.
static double time_too_far(const tal_model *model, const tal_state *state, const near_pair *of,
                           double dt) {
    const int32_t b = state->lead[of->body[0]] > 0.0 ? of->body[0] : of->body[1];
    const double lead = state->lead[b];
    if (lead <= 0.0) { // neither is ahead, and the second may be the ground
        return 0.0;
    }
    const tal_judge judge = judge_of(model, state, of, dt);
    double deepest = 2.0 * SINK * model->inner_radius[b], time = 0.0;
    for (int32_t k = 0; k < of->manifold->point_count; k++) {
        const tal_contact_data data = data_of(model, state, of, &judge, k);
        if (-data.gap > deepest) {
            deepest = -data.gap;
            time = data.impact ? fmin(deepest / -data.before[0], lead) : 0.5 * lead;
        }
    }
    return time;
}

bool tal_meet_earlier(const tal_model *model, tal_state *state, double dt, bool wholly,
                      tal_report *report) {
    bool any = false;
    for (int32_t b = 0; b < model->body_count; b++) {
        state->work.meeting[b].time = 0.0;
    }
    for (int32_t m = 0; m < state->work.list.manifold_count; m++) {
        const near_pair of = near_pair_of(state, m);
        const double time = time_too_far(model, state, &of, dt);
        for (int side = 0; side < 2 && time > 0.0; side++) {
            const double lead = state->lead[of.body[side]];
            if (lead > 0.0) {
                tal_meeting *meeting = &state->work.meeting[of.body[side]];
                meeting->time = fmax(meeting->time, wholly ? lead : time);
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

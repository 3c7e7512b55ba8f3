// SPDX-License-Identifier: GPL-3.0-or-later
// Rows in a step. Numbers in brackets are the equations of docs/theory/solver.md.
#include "solver/constraint/joint.h"

#include "solver/motion/prescribed.h"
#include "solver/motion/rotation.h"

#include <math.h>
#include <string.h>

// Where a body is.
typedef struct {
    tal_vec3 position;
    tal_quat orientation;
} pose;

static const pose SPACE = {.orientation = {1.0, 0.0, 0.0, 0.0}};

static pose pose_now(const tal_state *state, int32_t body) {
    return body < 0 ? SPACE : (pose){state->position[body], state->orientation[body]};
}

// After a whole step of free motion with the velocities solved: the next midpoint.
static pose pose_next(const tal_model *model, const tal_state *state, int32_t body, double dt) {
    pose at = pose_now(state, body);
    if (body < 0 || state->is_fixed[body]) {
        return at;
    }
    const tal_rigid_motion *motion = &state->work.motion[body];
    at.position = tal_vec3_add_scaled(at.position, dt, motion->v);
    if (state->is_immovable[body]) {
        at.orientation = tal_prescribed_turn(at.orientation, motion->w, dt);
    } else {
        const tal_vec3 inertia = model->inertia[body];
        tal_rotation_advance(inertia, tal_rotation_momentum(inertia, at.orientation, motion->w), dt,
                             &at.orientation);
    }
    return at;
}

static tal_vec3 arm_of(pose at, tal_vec3 point) {
    return tal_quat_rotate(at.orientation, point);
}

static tal_vec3 apart(const tal_joint *row, pose i, pose j) {
    return tal_vec3_subtract(tal_vec3_add(i.position, arm_of(i, row->point_i)),
                             tal_vec3_add(j.position, arm_of(j, row->point_j)));
}

// How far a drive has taken its point.
static double way_of(const tal_model *model, const tal_joint *row, double time) {
    if (row->drive == TAL_DRIVE_NONE) {
        return 0.0;
    }
    const tal_time_entry *entry = &model->joint_entry[row->first];
    const tal_time_values now = tal_time_series_at(entry, row->count, time);
    const tal_time_values start = tal_time_series_at(entry, row->count, 0.0);
    switch (row->drive) {
    case TAL_DRIVE_VELOCITY:
        return now.once - start.once;
    case TAL_DRIVE_ACCELERATION:
        return now.twice - start.twice + (row->start_speed - start.once) * time;
    default:
        return now.value;
    }
}

static tal_vec3 normal_of(const tal_joint *row, tal_vec3 from_j) {
    if (row->hold == TAL_HOLD_DIRECTION) {
        return row->direction;
    }
    const double distance = tal_vec3_length(from_j);
    const double sign = row->side < 0 ? -1.0 : 1.0;
    return row->hold == TAL_HOLD_LINK && distance > 0.0 ? tal_vec3_scale(from_j, sign / distance)
                                                        : (tal_vec3){0.0, 0.0, 1.0};
}

// (59): the gap of a row, which is to vanish, in the frame of its pair.
static void gap_of(const tal_model *model, const tal_joint *row, const tal_pair *pair, pose i,
                   pose j, double time, double gap[3]) {
    const tal_vec3 from_j = apart(row, i, j);
    gap[0] = gap[1] = gap[2] = 0.0;
    if (row->hold == TAL_HOLD_POINT) {
        gap[0] = tal_vec3_dot(pair->normal, from_j);
        gap[1] = tal_vec3_dot(pair->tangent_1, from_j);
        gap[2] = tal_vec3_dot(pair->tangent_2, from_j);
    } else if (row->hold == TAL_HOLD_DIRECTION) {
        gap[0] = tal_vec3_dot(row->direction, from_j) - row->length - way_of(model, row, time);
    } else {
        gap[0] = (row->side < 0 ? -1.0 : 1.0) * (tal_vec3_length(from_j) - row->length);
    }
}

bool tal_joint_acts(const tal_state *state, const tal_joint *joint) {
    const int32_t i = joint->body_i, j = joint->body_j;
    const bool are_there = state->is_gone[i] == 0 && (j < 0 || state->is_gone[j] == 0);
    return are_there && (state->is_immovable[i] == 0 || (j >= 0 && state->is_immovable[j] == 0));
}

void tal_joint_arms(const tal_model *model, const tal_state *state, int32_t n, tal_vec3 arm[2]) {
    const tal_joint *row = &model->joint[n];
    arm[0] = arm_of(pose_now(state, row->body_i), row->point_i);
    arm[1] = row->body_j < 0 ? (tal_vec3){0} : arm_of(pose_now(state, row->body_j), row->point_j);
}

void tal_joint_append(const tal_model *model, const tal_state *state, int32_t n,
                      tal_manifolds *list) {
    const tal_joint *row = &model->joint[n];
    const pose i = pose_now(state, row->body_i), j = pose_now(state, row->body_j);
    const int32_t k = list->point_count++;
    list->manifold[list->manifold_count++] = (tal_manifold){.body_i = row->body_i,
                                                            .body_j = row->body_j,
                                                            .first_point = k,
                                                            .point_count = 1,
                                                            .joint = n + 1};
    list->point[k] = (tal_contact_point){.point = tal_vec3_add(i.position, arm_of(i, row->point_i)),
                                         .normal = normal_of(row, apart(row, i, j)),
                                         .identity = TAL_IDENTITY_JOINT | (uint64_t)n};
}

// The row of a pair; NULL: a contact.
static const tal_joint *row_of(const tal_model *model, const tal_state *state,
                               const tal_pair *pair) {
    const int32_t joint = state->work.list.manifold[pair->manifold].joint;
    return joint > 0 ? &model->joint[joint - 1] : NULL;
}

static double next_midpoint(const tal_model *model, const tal_state *state, double dt) {
    const double end = state->work.piece_end;
    return model->settings.scheme == TAL_SCHEME_MOREAU ? end + 0.5 * dt : end + dt;
}

void tal_joint_prepare(const tal_model *model, const tal_state *state, const tal_pair *pair,
                       double dt, tal_contact_data *data) {
    const tal_joint *row = row_of(model, state, pair);
    double gap[3];
    gap_of(model, row, pair, pose_now(state, row->body_i), pose_now(state, row->body_j),
           next_midpoint(model, state, dt), gap);
    for (int f = 0; f < 3; f++) {
        data->hold[f] = -gap[f] / dt;
    }
    data->holds_normal_only = row->hold != TAL_HOLD_POINT;
    data->is_one_sided = row->side != 0;
}

// Velocity error that is left at a row, against the speed of its bodies.
static double error_of(const tal_state *state, const tal_pair *pair, const double gap[3],
                       double dt) {
    const tal_contact *c = &state->work.contacts.contact[pair->first_contact];
    const bool is_loose = tal_hold_is_one_sided(c) && c->percussion[0] == 0.0;
    const double normal = is_loose ? fmin(gap[0], 0.0) : gap[0];
    const double speed = sqrt(normal * normal + gap[1] * gap[1] + gap[2] * gap[2]) / dt;
    return speed == 0.0 ? 0.0 : speed / sqrt(c->w[0] * pair->energy_scale);
}

static void measure_row(const tal_model *model, const tal_state *state, const tal_pair *pair,
                        double dt, double gap[3]) {
    const tal_joint *row = row_of(model, state, pair);
    gap_of(model, row, pair, pose_next(model, state, row->body_i, dt),
           pose_next(model, state, row->body_j, dt), next_midpoint(model, state, dt), gap);
}

double tal_joints_measure(const tal_model *model, tal_state *state, double dt) {
    double worst = 0.0;
    memset(state->work.is_rising, 0, (size_t)state->work.problem.island_count);
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        if (row_of(model, state, pair) != NULL) {
            double gap[3];
            measure_row(model, state, pair, dt, gap);
            worst = fmax(worst, error_of(state, pair, gap, dt));
            state->work.is_rising[pair->island] = 1;
        }
    }
    return worst;
}

// (60): what is missing is added to what was asked for; a loose row is asked for what would just close it.
static void refine_row(const tal_model *model, tal_state *state, const tal_pair *pair, double dt) {
    const int32_t k = pair->first_contact;
    tal_contact *c = &state->work.contacts.contact[k];
    tal_contact_data data = {.dt = dt,
                             .holds_normal_only = !tal_hold_has_tangents(c),
                             .is_one_sided = tal_hold_is_one_sided(c)};
    double gap[3], wanted[3];
    measure_row(model, state, pair, dt, gap);
    if (data.is_one_sided) {
        tal_contact_velocity(&state->work.problem, pair, k, wanted);
    } else {
        tal_hold_velocity(c, wanted);
    }
    for (int f = 0; f < 3; f++) {
        data.hold[f] = wanted[f] - gap[f] / dt;
    }
    tal_law_prepare(&model->law[pair->law], &data, c, &state->work.contacts.more[k]);
}

void tal_joints_refine(const tal_model *model, tal_state *state, double dt) {
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        if (row_of(model, state, pair) != NULL) {
            refine_row(model, state, pair, dt);
        }
    }
}

void tal_joints_observe(const tal_model *model, tal_state *state) {
    for (int32_t p = 0; model->joint_count > 0 && p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        const tal_joint *row = row_of(model, state, pair);
        if (row == NULL) {
            continue;
        }
        const double *r = state->work.contacts.contact[pair->first_contact].percussion;
        const tal_vec3 sum = tal_vec3_add_scaled(
            tal_vec3_add_scaled(tal_vec3_scale(pair->normal, r[0]), r[1], pair->tangent_1), r[2],
            pair->tangent_2);
        tal_vec3 *total = &state->work.reaction[row->constraint];
        *total = tal_vec3_add_scaled(*total, row->reaction_sign, sum);
    }
}

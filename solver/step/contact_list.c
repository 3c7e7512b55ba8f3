// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/step/contact_list.h"

#include "solver/constraint/joint.h"
#include "solver/percussion/contact.h"

#include <math.h>
#include <string.h>

static double width_of(const tal_model *model, int32_t body) {
    return body >= 0 ? model->shapes.smallest_width[model->shape_of_body[body]] : INFINITY;
}

double tal_noticeable_depth(const tal_model *model, int32_t body_i, int32_t body_j) {
    return TAL_DEPTH_NOTICEABLE * fmin(width_of(model, body_i), width_of(model, body_j));
}

int tal_manifold_compare(const tal_manifold *a, const tal_manifold *b) {
    if (a->body_i != b->body_i) {
        return a->body_i < b->body_i ? -1 : 1;
    }
    return a->body_j < b->body_j ? -1 : a->body_j > b->body_j;
}

static int32_t ground_last(const tal_state *state, int32_t body) {
    return body >= 0 ? body : state->body_count;
}

// Writes a detected point with its arms behind those of the list, without counting it.
static void place_found(tal_manifolds *list, const tal_contact_point *point,
                        const tal_manifold *manifold, const tal_vec3 *position) {
    const int32_t k = list->point_count;
    list->point[k] = *point;
    list->arm_i[k] = tal_vec3_subtract(point->point, position[manifold->body_i]);
    list->arm_j[k] = manifold->body_j >= 0
                         ? tal_vec3_subtract(point->point, position[manifold->body_j])
                         : (tal_vec3){0};
}

static void begin_manifold(tal_manifolds *list, const tal_manifold *manifold) {
    list->manifold[list->manifold_count] = *manifold;
    list->manifold[list->manifold_count].first_point = list->point_count;
}

// A manifold without points is none.
static void end_manifold(tal_manifolds *list) {
    tal_manifold *manifold = &list->manifold[list->manifold_count];
    manifold->point_count = list->point_count - manifold->first_point;
    list->manifold_count += manifold->point_count > 0;
}

void tal_list_append_found(tal_manifolds *list, const tal_manifolds *found,
                           const tal_manifold *manifold, const tal_vec3 *position) {
    begin_manifold(list, manifold);
    for (int32_t k = 0; k < manifold->point_count; k++) {
        place_found(list, &found->point[manifold->first_point + k], manifold, position);
        list->point_count++;
    }
    end_manifold(list);
}

void tal_list_append(tal_manifolds *to, const tal_manifolds *from, int32_t m) {
    const tal_manifold *manifold = &from->manifold[m];
    begin_manifold(to, manifold);
    for (int32_t k = 0; k < manifold->point_count; k++) {
        const int32_t source = manifold->first_point + k;
        to->point[to->point_count] = from->point[source];
        to->arm_i[to->point_count] = from->arm_i[source];
        to->arm_j[to->point_count++] = from->arm_j[source];
    }
    end_manifold(to);
}

// Normal velocity of the first body at point k.
static double normal_speed(const tal_manifolds *list, int32_t k, const tal_rigid_motion *body,
                           const tal_vec3 *arm) {
    return tal_vec3_dot(list->point[k].normal,
                        tal_vec3_add(body->v, tal_vec3_cross(body->w, arm[k])));
}

double tal_list_speed_before(const tal_state *state, const tal_manifolds *list,
                             const tal_manifold *manifold, int32_t k) {
    const int32_t i = manifold->body_i, j = ground_last(state, manifold->body_j);
    const tal_rigid_motion *before = state->work.motion_before;
    return normal_speed(list, k, &before[i], list->arm_i) -
           normal_speed(list, k, &before[j], list->arm_j);
}

double tal_list_closing(const tal_state *state, const tal_manifolds *list,
                        const tal_manifold *manifold, int32_t k, double dt) {
    const int32_t i = manifold->body_i, j = ground_last(state, manifold->body_j);
    const tal_rigid_motion *motion = state->work.motion;
    return normal_speed(list, k, &motion[j], list->arm_j) * (dt - state->lead[j]) -
           normal_speed(list, k, &motion[i], list->arm_i) * (dt - state->lead[i]);
}

// How far a point of a body that turns gets from where its velocity takes it within dt, at most.
static double bend(const tal_model *model, const tal_rigid_motion *motion, int32_t body,
                   double dt) {
    return body < 0 ? 0.0
                    : 0.5 * dt * dt * tal_vec3_dot(motion[body].w, motion[body].w) *
                          model->shapes.bounding_radius[model->shape_of_body[body]];
}

// Springs push across open gaps and share their stiffness by points, as bonds share their area; bodies that deform or
// are driven, or are ahead of the clock by different times, close in other ways than their velocities tell.
static bool may_leave_out(const tal_model *model, const tal_state *state,
                          const tal_manifold *manifold) {
    const int32_t i = manifold->body_i, j = manifold->body_j >= 0 ? manifold->body_j : i;
    const tal_law *law = &model->law[tal_law_of(model, manifold)];
    return !tal_is_soft(model, i) && !tal_is_soft(model, j) && !model->is_loaded[i] &&
           !model->is_loaded[j] && state->lead[i] == state->lead[j] &&
           !tal_law_traits_of(law->kind)->is_spring && law->cohesion_pa == 0.0;
}

// The gap of point k of the list is open now and, without percussions, at the end of the step as well.
static bool stays_open(const tal_model *model, const tal_state *state, const tal_manifold *manifold,
                       int32_t k, double margin, double dt) {
    const tal_manifolds *list = &state->work.list;
    const double apart = tal_list_speed_before(state, list, manifold, k);
    const double fall = dt * dt * tal_vec3_length(model->settings.gravity_mps2);
    const double gap = list->point[k].gap;
    return gap > margin && gap - fall + dt * apart > margin;
}

static void copy_last(tal_manifolds *to, const tal_manifolds *from) {
    const int32_t last = from->point_count;
    to->point[to->point_count] = from->point[last];
    to->arm_i[to->point_count] = from->arm_i[last];
    to->arm_j[to->point_count++] = from->arm_j[last];
}

static void mark_close(tal_state *state, const tal_manifold *manifold) {
    state->work.is_close[manifold->body_i] = 1;
    if (manifold->body_j >= 0) {
        state->work.is_close[manifold->body_j] = 1;
    }
}

static void list_found(const tal_model *model, tal_state *state, const tal_manifold *manifold,
                       double dt) {
    tal_manifolds *list = &state->work.list, *left_out = &state->work.left_out;
    const tal_rigid_motion *before = state->work.motion_before;
    const double noticeable = tal_noticeable_depth(model, manifold->body_i, manifold->body_j);
    const double bent =
        bend(model, before, manifold->body_i, dt) + bend(model, before, manifold->body_j, dt);
    const bool may = bent <= noticeable && may_leave_out(model, state, manifold);
    const double margin = noticeable + bent;
    begin_manifold(list, manifold);
    begin_manifold(left_out, manifold);
    for (int32_t k = 0; k < manifold->point_count; k++) {
        place_found(list, &state->work.found.point[manifold->first_point + k], manifold,
                    state->position);
        if (may && stays_open(model, state, manifold, list->point_count, margin, dt)) {
            copy_last(left_out, list);
        } else {
            list->point_count++;
        }
    }
    end_manifold(list);
    if (left_out->point_count > left_out->manifold[left_out->manifold_count].first_point) {
        mark_close(state, manifold);
    }
    end_manifold(left_out);
}

// Rows of constraints up to those of the bodies of `before` (NULL: all that are left).
static int32_t append_joints(const tal_model *model, const tal_state *state, int32_t n,
                             const tal_manifold *before, tal_manifolds *list) {
    for (; n < model->joint_count; n++) {
        const tal_joint *joint = &model->joint[n];
        if (before != NULL &&
            (joint->body_i > before->body_i ||
             (joint->body_i == before->body_i && joint->body_j >= before->body_j))) {
            break;
        }
        if (tal_joint_acts(state, joint)) {
            tal_joint_append(model, state, n, list);
        }
    }
    return n;
}

tal_status tal_list_contacts(const tal_model *model, tal_state *state, double dt, tal_error *err) {
    const tal_manifolds *found = &state->work.found;
    tal_manifolds *list = &state->work.list, *left_out = &state->work.left_out;
    const int32_t joints = model->joint_count;
    TAL_TRY(tal_manifolds_reserve(list, found->manifold_count + joints, found->point_count + joints,
                                  err));
    TAL_TRY(tal_manifolds_reserve(left_out, found->manifold_count, found->point_count, err));
    list->manifold_count = list->point_count = 0;
    left_out->manifold_count = left_out->point_count = 0;
    state->work.has_origin = false;
    memset(state->work.is_close, 0, (size_t)model->body_count);
    int32_t n = 0;
    for (int32_t m = 0; m < found->manifold_count; m++) {
        n = append_joints(model, state, n, &found->manifold[m], list);
        list_found(model, state, &found->manifold[m], dt);
    }
    append_joints(model, state, n, NULL, list);
    return TAL_OK;
}

double tal_left_out_depth(const tal_model *model, const tal_state *state, int32_t m, double dt) {
    const tal_manifolds *left_out = &state->work.left_out;
    const tal_manifold *manifold = &left_out->manifold[m];
    double depth = -INFINITY;
    for (int32_t k = manifold->first_point; k < manifold->first_point + manifold->point_count;
         k++) {
        depth = fmax(depth,
                     tal_list_closing(state, left_out, manifold, k, dt) - left_out->point[k].gap);
    }
    return depth + bend(model, state->work.motion, manifold->body_i, dt) +
           bend(model, state->work.motion, manifold->body_j, dt);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The list of contacts of a step and its completion by a look ahead.
#include "solver/step/look_ahead.h"

#include "core/base/threads.h"
#include "solver/constraint/joint.h"
#include "solver/motion/rest.h"
#include "solver/percussion/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Some microseconds of work: less is not worth sharing.
enum { BODIES_PER_PIECE = 64 };

// Penetration worth a contact of its own, share of the smallest edge.
static const double DEPTH_NOTICEABLE = 2e-3;

// Names of added points differ from all detected ones.
static const uint64_t IDENTITY_AHEAD = UINT64_C(1) << 63;

static void find_arms(const tal_vec3 *position, const tal_manifold *manifold, tal_vec3 at,
                      tal_vec3 arm[2]) {
    arm[0] = tal_vec3_subtract(at, position[manifold->body_i]);
    arm[1] =
        manifold->body_j >= 0 ? tal_vec3_subtract(at, position[manifold->body_j]) : (tal_vec3){0};
}

void tal_listed_arms(const tal_model *model, const tal_state *state, const tal_manifold *manifold,
                     int32_t k, tal_vec3 arm[2]) {
    const tal_contact_point *point = &state->work.list.point[k];
    if (manifold->joint > 0) {
        tal_joint_arms(model, state, manifold->joint - 1, arm);
        return;
    }
    const bool is_ahead = (point->identity & IDENTITY_AHEAD) != 0;
    find_arms(is_ahead ? state->work.position_ahead : state->position, manifold, point->point, arm);
}

static void append_found(tal_manifolds *list, const tal_manifolds *found,
                         const tal_manifold *manifold) {
    tal_manifold *copy = &list->manifold[list->manifold_count++];
    *copy = *manifold;
    copy->first_point = list->point_count;
    memcpy(&list->point[list->point_count], &found->point[manifold->first_point],
           (size_t)manifold->point_count * sizeof *list->point);
    list->point_count += manifold->point_count;
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

tal_status tal_list_contacts(const tal_model *model, tal_state *state, tal_error *err) {
    const tal_manifolds *found = &state->work.found;
    tal_manifolds *list = &state->work.list;
    const int32_t joints = model->joint_count;
    if (joints == 0 && model->soft_count == 0) { // as found: the list of the step
        tal_collider_take_answer(state->work.collider, list);
        return TAL_OK;
    }
    TAL_TRY(tal_manifolds_reserve(list, tal_pairs_with_room(found->manifold_count + joints),
                                  tal_contacts_with_room(found->point_count + joints), err));
    list->manifold_count = list->point_count = 0;
    int32_t n = 0;
    for (int32_t m = 0; m < found->manifold_count; m++) {
        n = append_joints(model, state, n, &found->manifold[m], list);
        append_found(list, found, &found->manifold[m]);
    }
    append_joints(model, state, n, NULL, list);
    return TAL_OK;
}

static double width_of(const tal_model *model, int32_t body) {
    return body >= 0 ? model->shapes.smallest_width[model->shape_of_body[body]] : INFINITY;
}

static tal_quat turn_by(tal_vec3 turn) {
    const double angle = tal_vec3_length(turn);
    const double s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    return (tal_quat){cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z};
}

// Nobody strikes what stands between two calm bodies: neither moves noticeably.
static bool is_calm(const tal_model *model, const tal_state *state, int32_t b, double dt) {
    if (state->is_fixed[b] || state->work.island_of_body[b] < 0) {
        return true;
    }
    const tal_rigid_motion *motion = &state->work.motion[b];
    const double radius = model->shapes.bounding_radius[model->shape_of_body[b]];
    const double way = dt * (tal_vec3_length(motion->v) + tal_vec3_length(motion->w) * radius);
    return way <= DEPTH_NOTICEABLE * width_of(model, b);
}

typedef struct {
    const tal_model *model;
    tal_state *state;
    double dt;
    atomic_bool any; // is not calm
} ahead_loop;

// Poses after dt with the velocities being solved, the turn as if those were constant. False if all
// are calm.
static void move_bodies_ahead(void *context, int64_t first, int64_t end) {
    ahead_loop *l = context;
    const tal_model *model = l->model;
    tal_state *state = l->state;
    for (int32_t b = (int32_t)first; b < end; b++) {
        const tal_rigid_motion *motion = &state->work.motion[b];
        const double dt = l->dt - state->lead[b];
        state->work.is_calm[b] = is_calm(model, state, b, dt) ? 1 : 0;
        state->work.position_ahead[b] = state->position[b];
        state->work.orientation_ahead[b] = state->orientation[b];
        state->work.reach[b] = state->is_gone[b] != 0 ? -INFINITY : 0.0; // penetrations alone
        if (!state->is_fixed[b]) {
            if (state->work.is_calm[b] == 0) {
                atomic_store_explicit(&l->any, true, memory_order_relaxed);
            }
            state->work.position_ahead[b] = tal_vec3_add_scaled(state->position[b], dt, motion->v);
            state->work.orientation_ahead[b] =
                tal_quat_multiply(turn_by(tal_vec3_scale(motion->w, dt)), state->orientation[b]);
        }
    }
}

static bool move_ahead(const tal_model *model, tal_state *state, double dt) {
    ahead_loop l = {.model = model, .state = state, .dt = dt};
    tal_threads_loop(state->work.thread_count, model->body_count, BODIES_PER_PIECE,
                     move_bodies_ahead, &l);
    return atomic_load(&l.any);
}

static tal_status collide_ahead(const tal_model *model, tal_state *state, tal_error *err) {
    const tal_collide_input input = {.shapes = &model->shapes,
                                     .terrain = tal_model_terrain(model),
                                     .body_count = model->body_count,
                                     .shape_of_body = model->shape_of_body,
                                     .position = state->work.position_ahead,
                                     .orientation = state->work.orientation_ahead,
                                     .reach = state->work.reach,
                                     .shallow = 0.5 * DEPTH_NOTICEABLE,
                                     .is_fixed = state->work.is_calm,
                                     .thread_count = state->work.thread_count};
    return tal_collide(state->work.collider, &input, &state->work.found, err);
}

static int compare(const tal_manifold *a, const tal_manifold *b) {
    if (a->body_i != b->body_i) {
        return a->body_i < b->body_i ? -1 : 1;
    }
    return a->body_j < b->body_j ? -1 : a->body_j > b->body_j;
}

static double depth_of(const tal_contact_point *point, const tal_manifold *manifold) {
    double depth = 0.0;
    for (int32_t k = 0; k < manifold->point_count; k++) {
        depth = fmax(depth, -point[manifold->first_point + k].gap);
    }
    return depth;
}

// Deepest penetration of the same bodies among those listed from number `m` on.
static double listed_depth(const tal_manifolds *list, int32_t m, const tal_manifold *manifold) {
    double depth = 0.0;
    for (; m < list->manifold_count && compare(&list->manifold[m], manifold) == 0; m++) {
        depth = fmax(depth, depth_of(list->point, &list->manifold[m]));
    }
    return depth;
}

// A spring gets deeper while it is pressed: listed, it is no new contact, and listed twice it would
// be twice as stiff.
static bool is_listed_spring(const tal_model *model, const tal_manifolds *list, int32_t m,
                             const tal_manifold *manifold) {
    const int32_t class_j =
        manifold->body_j < 0 ? manifold->surface_class_j : model->class_of_body[manifold->body_j];
    const int32_t law = model->class_of_body[manifold->body_i] * model->class_count + class_j;
    while (m < list->manifold_count && compare(&list->manifold[m], manifold) == 0 &&
           list->manifold[m].joint > 0) {
        m++;
    }
    return tal_law_traits_of(model->law[law].kind)->is_spring && m < list->manifold_count &&
           compare(&list->manifold[m], manifold) == 0;
}

static bool is_new_penetration(const tal_model *model, const tal_state *state, int32_t m,
                               const tal_manifold *manifold) {
    const double edge = fmin(width_of(model, manifold->body_i), width_of(model, manifold->body_j));
    const double noticeable = DEPTH_NOTICEABLE * edge;
    const double depth = depth_of(state->work.found.point, manifold);
    return depth > noticeable &&
           depth > listed_depth(&state->work.list, m, manifold) + noticeable &&
           !is_listed_spring(model, &state->work.list, m, manifold);
}

// A gap as it looks from the present: ahead it is `gap` at the velocities at hand, so that the bound
// -gap/dt of the law closes it exactly. It is no penetration yet: those are listed already.
static void linearise(const tal_state *state, tal_manifolds *list, int32_t manifold, double dt) {
    const tal_manifold *m = &list->manifold[manifold];
    const tal_rigid_motion *i = &state->work.motion[m->body_i];
    const int32_t body_j = m->body_j >= 0 ? m->body_j : state->body_count;
    const tal_rigid_motion *j = &state->work.motion[body_j];
    const double left_j = dt - state->lead[body_j];
    for (int32_t k = m->first_point; k < m->first_point + m->point_count; k++) {
        tal_contact_point *point = &list->point[k];
        tal_vec3 arm[2];
        find_arms(state->work.position_ahead, m, point->point, arm);
        const tal_vec3 of_i = tal_vec3_add(i->v, tal_vec3_cross(i->w, arm[0]));
        const tal_vec3 of_j = tal_vec3_add(j->v, tal_vec3_cross(j->w, arm[1]));
        const double closing_i = -tal_vec3_dot(point->normal, of_i) * (dt - state->lead[m->body_i]);
        const double closing_j = tal_vec3_dot(point->normal, of_j) * left_j;
        point->gap = fmax(point->gap + closing_i + closing_j, 0.0);
        point->identity |= IDENTITY_AHEAD;
    }
}

// New contacts, each with the number of those listed that come before it: in the common order, new ones behind those
// of the same bodies.
static void list_added(const tal_model *model, tal_state *state, double dt) {
    const tal_manifolds *list = &state->work.list;
    tal_manifolds *added = &state->work.list_added;
    int32_t m = 0;
    added->manifold_count = added->point_count = 0;
    for (int32_t n = 0; n < state->work.found.manifold_count; n++) {
        const tal_manifold *manifold = &state->work.found.manifold[n];
        while (m < list->manifold_count && compare(&list->manifold[m], manifold) < 0) {
            m++;
        }
        if (!is_new_penetration(model, state, m, manifold)) {
            continue;
        }
        while (m < list->manifold_count && compare(&list->manifold[m], manifold) == 0) {
            m++;
        }
        append_found(added, &state->work.found, manifold);
        linearise(state, added, added->manifold_count - 1, dt);
        added->manifold[added->manifold_count - 1].was = m;
    }
}

static bool meets_resting(const tal_state *state) {
    for (int32_t n = 0; n < state->work.found.manifold_count; n++) {
        const tal_manifold *manifold = &state->work.found.manifold[n];
        if (tal_is_at_rest(state, manifold->body_i) || tal_is_at_rest(state, manifold->body_j)) {
            return true;
        }
    }
    return false;
}

static bool wake_struck(const tal_model *model, tal_state *state) {
    bool any = false;
    for (int32_t n = 0; n < state->work.found.manifold_count; n++) {
        const tal_manifold *manifold = &state->work.found.manifold[n];
        const int32_t i = manifold->body_i, j = manifold->body_j;
        const int32_t resting = tal_is_at_rest(state, i) ? i : j;
        // Nothing is listed between a body at rest and one that moves.
        if (tal_is_at_rest(state, resting) &&
            is_new_penetration(model, state, state->work.list.manifold_count, manifold)) {
            tal_wake(state, resting);
            any = true;
        }
    }
    return any;
}

tal_status tal_look_ahead(const tal_model *model, tal_state *state, double dt,
                          tal_look_result *result, tal_error *err) {
    *result = TAL_LOOK_NOTHING;
    if (!move_ahead(model, state, dt)) {
        return TAL_OK;
    }
    TAL_TRY(collide_ahead(model, state, err));
    if (meets_resting(state)) { // whose percussions are kept as long as they are at rest
        TAL_TRY(tal_remember_percussions(state, dt, err));
    }
    if (wake_struck(model, state)) {
        *result = TAL_LOOK_WOKE;
        return TAL_OK;
    }
    TAL_TRY(tal_manifolds_reserve(&state->work.list_added, state->work.found.manifold_count,
                                  state->work.found.point_count, err));
    list_added(model, state, dt);
    *result = state->work.list_added.manifold_count > 0 ? TAL_LOOK_ADDED : TAL_LOOK_NOTHING;
    return TAL_OK;
}

// Manifold m of a list becomes number `to` of another, or of the same one, with the last points before `end`. Returns
// the first of these.
static int32_t place(tal_manifolds *list, int32_t to, int32_t end, const tal_manifolds *from,
                     int32_t m, int32_t was) {
    const tal_manifold manifold = from->manifold[m];
    const int32_t first = end - manifold.point_count, at = manifold.first_point;
    const size_t count = (size_t)manifold.point_count;
    memmove(&list->point[first], &from->point[at], count * sizeof *list->point);
    list->manifold[to] = manifold;
    list->manifold[to].was = was;
    list->manifold[to].first_point = first;
    return first;
}

tal_status tal_take_added(tal_state *state, tal_error *err) {
    tal_manifolds *list = &state->work.list;
    const tal_manifolds *added = &state->work.list_added;
    int32_t m = list->manifold_count, to = m + added->manifold_count;
    int32_t end = list->point_count + added->point_count;
    TAL_TRY(tal_manifolds_grow(list, to, end, err));
    list->manifold_count = to;
    list->point_count = end;
    for (int32_t n = added->manifold_count; n-- > 0;) {
        while (m > added->manifold[n].was) {
            m--;
            end = place(list, --to, end, list, m, m);
        }
        end = place(list, --to, end, added, n, -1);
    }
    while (m-- > 0) {
        list->manifold[m].was = m;
    }
    TAL_VALIDATE(tal_manifolds_are_valid(list, state->body_count));
    return TAL_OK;
}

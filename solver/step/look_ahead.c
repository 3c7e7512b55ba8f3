// SPDX-License-Identifier: GPL-3.0-or-later
// The list of contacts is completed by a look ahead.
#include "solver/step/look_ahead.h"

#include "core/base/threads.h"
#include "solver/motion/rest.h"
#include "solver/percussion/memory.h"
#include "solver/step/contact_list.h"

#include <math.h>
#include <stdatomic.h>

// Some microseconds of work: less is not worth sharing.
enum { BODIES_PER_PIECE = 64 };

// How deep what is left out may get before it joins the list, in noticeable depths: at the look, when velocities are rough,
// and with those of the solution.
static const double NEAR = -0.5, DEEP = 0.5;

// Cosine of the angle between normals that are taken for one.
static const double SAME_NORMAL = 0.99;

static tal_quat turn_by(tal_vec3 turn) {
    const double angle = tal_vec3_length(turn);
    const double s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    return (tal_quat){cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z};
}

// Nobody strikes what stands between two calm bodies: neither moves noticeably.
static bool is_calm(const tal_model *model, const tal_state *state, int32_t b, double dt) {
    if (state->is_fixed[b] || (state->work.island_of_body[b] < 0 && !state->work.is_close[b])) {
        return true;
    }
    const tal_rigid_motion *motion = &state->work.motion[b];
    const double radius = model->shapes.bounding_radius[model->shape_of_body[b]];
    const double way = dt * (tal_vec3_length(motion->v) + tal_vec3_length(motion->w) * radius);
    return way <= tal_noticeable_depth(model, b, -1);
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
                                     .is_fixed = state->work.is_calm,
                                     .thread_count = state->work.thread_count};
    return tal_collide(state->work.collider, &input, &state->work.found, err);
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
    for (; m < list->manifold_count && tal_manifold_compare(&list->manifold[m], manifold) == 0;
         m++) {
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
    while (m < list->manifold_count && tal_manifold_compare(&list->manifold[m], manifold) == 0 &&
           list->manifold[m].joint > 0) {
        m++;
    }
    return tal_law_traits_of(model->law[law].kind)->is_spring && m < list->manifold_count &&
           tal_manifold_compare(&list->manifold[m], manifold) == 0;
}

static bool is_new_penetration(const tal_model *model, const tal_state *state, int32_t m,
                               const tal_manifold *manifold, double known) {
    const double noticeable = tal_noticeable_depth(model, manifold->body_i, manifold->body_j);
    const double depth = depth_of(state->work.found.point, manifold);
    return depth > noticeable &&
           depth > fmax(listed_depth(&state->work.list, m, manifold), known) + noticeable &&
           !is_listed_spring(model, &state->work.list, m, manifold);
}

// A gap as it looks from the present: ahead it is `gap` at the velocities at hand, so that the bound
// -gap/dt of the law closes it exactly. It is no penetration yet: those are listed already.
static void linearise(const tal_state *state, tal_manifolds *list, int32_t manifold, double dt) {
    const tal_manifold *m = &list->manifold[manifold];
    for (int32_t k = m->first_point; k < m->first_point + m->point_count; k++) {
        tal_contact_point *point = &list->point[k];
        point->gap = fmax(point->gap + tal_list_closing(state, list, m, k, dt), 0.0);
        point->identity |= TAL_IDENTITY_AHEAD;
    }
}

// A walk through what is listed and left out, both by bodies.
typedef struct {
    const tal_model *model;
    tal_state *state;
    double dt, slack;         // how deep what is left out may get, in noticeable depths
    int32_t listed, left_out; // the next of each
} list_walk;

// The next left out, without those that stay open.
static const tal_manifold *next_closing(list_walk *w) {
    const tal_manifolds *left_out = &w->state->work.left_out;
    for (; w->left_out < left_out->manifold_count; w->left_out++) {
        const tal_manifold *manifold = &left_out->manifold[w->left_out];
        const double noticeable =
            tal_noticeable_depth(w->model, manifold->body_i, manifold->body_j);
        if (tal_left_out_depth(w->model, w->state, w->left_out, w->dt) > w->slack * noticeable) {
            break;
        }
    }
    return w->left_out < left_out->manifold_count ? &left_out->manifold[w->left_out] : NULL;
}

static bool is_before(const tal_manifold *manifold, const tal_manifold *end, bool with_end) {
    return manifold != NULL &&
           (end == NULL || tal_manifold_compare(manifold, end) < (with_end ? 1 : 0));
}

// Appends what comes before the bodies of `end`, or is of them if `with_end` (NULL: all), to the merged list.
static void append_before(list_walk *w, const tal_manifold *end, bool with_end) {
    const tal_manifolds *list = &w->state->work.list;
    tal_manifolds *merged = &w->state->work.list_merged;
    for (;;) {
        const tal_manifold *listed =
            w->listed < list->manifold_count ? &list->manifold[w->listed] : NULL;
        const tal_manifold *closing = next_closing(w);
        if (is_before(listed, end, with_end) &&
            (closing == NULL || tal_manifold_compare(listed, closing) <= 0)) {
            w->state->work.origin[merged->manifold_count] = w->listed;
            tal_list_append(merged, list, w->listed++);
        } else if (is_before(closing, end, with_end)) {
            w->state->work.origin[merged->manifold_count] = -1;
            tal_list_append(merged, &w->state->work.left_out, w->left_out);
            w->state->work.left_out.manifold[w->left_out++].point_count = 0; // it is listed now
        } else {
            return;
        }
    }
}

static tal_vec3 normal_of(const tal_manifolds *list, const tal_manifold *manifold) {
    return list->point[manifold->first_point].normal;
}

// How deep what closes next gets if it is of the same bodies and faces the same way.
static double depth_of_next(list_walk *w, const tal_manifold *manifold) {
    const tal_manifold *closing = next_closing(w);
    const bool is_same = closing != NULL && tal_manifold_compare(closing, manifold) == 0 &&
                         tal_vec3_dot(normal_of(&w->state->work.left_out, closing),
                                      normal_of(&w->state->work.found, manifold)) > SAME_NORMAL;
    return is_same ? fmax(tal_left_out_depth(w->model, w->state, w->left_out, w->dt), 0.0) : 0.0;
}

// Listed and new contacts in the common order, new ones behind those of the same bodies. What was left out and
// closes is as good as what a look shows there.
static void merge(const tal_model *model, tal_state *state, double dt, double slack) {
    tal_manifolds *merged = &state->work.list_merged;
    list_walk w = {.model = model, .state = state, .dt = dt, .slack = slack};
    merged->manifold_count = merged->point_count = 0;
    for (int32_t n = 0; n < state->work.found.manifold_count; n++) {
        const tal_manifold *manifold = &state->work.found.manifold[n];
        append_before(&w, manifold, false);
        if (is_new_penetration(model, state, w.listed, manifold, depth_of_next(&w, manifold))) {
            append_before(&w, manifold, true);
            state->work.origin[merged->manifold_count] = -1;
            tal_list_append_found(merged, &state->work.found, manifold, state->work.position_ahead);
            linearise(state, merged, merged->manifold_count - 1, dt);
        }
    }
    append_before(&w, NULL, true);
}

// The list with what is new. False if nothing is.
static tal_status renew_list(const tal_model *model, tal_state *state, double dt, double slack,
                             bool *any, tal_error *err) {
    const tal_manifolds *list = &state->work.list, *found = &state->work.found,
                        *left_out = &state->work.left_out;
    const int32_t most = list->manifold_count + found->manifold_count + left_out->manifold_count;
    TAL_TRY(tal_manifolds_reserve(&state->work.list_merged, most,
                                  list->point_count + found->point_count + left_out->point_count,
                                  err));
    TAL_TRY(tal_origin_reserve(state, most, err));
    merge(model, state, dt, slack);
    *any = state->work.list_merged.manifold_count > list->manifold_count;
    if (*any) {
        TAL_VALIDATE(tal_manifolds_are_valid(&state->work.list_merged, state->body_count));
        state->work.has_origin = model->joint_count == 0 && state->soft_body_count == 0;
        if (!state->work.has_origin) { // set up anew, from these percussions
            TAL_TRY(tal_remember_percussions(state, dt, err));
        }
        const tal_manifolds merged = state->work.list_merged;
        state->work.list_merged = state->work.list;
        state->work.list = merged;
    }
    return TAL_OK;
}

tal_status tal_take_back_left_out(const tal_model *model, tal_state *state, double dt, bool *any,
                                  tal_error *err) {
    state->work.found.manifold_count = state->work.found.point_count = 0;
    return renew_list(model, state, dt, DEEP, any, err);
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
            is_new_penetration(model, state, state->work.list.manifold_count, manifold, 0.0)) {
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
    bool any;
    TAL_TRY(renew_list(model, state, dt, NEAR, &any, err));
    *result = any ? TAL_LOOK_ADDED : TAL_LOOK_NOTHING;
    return TAL_OK;
}

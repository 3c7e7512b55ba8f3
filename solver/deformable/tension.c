// SPDX-License-Identifier: GPL-3.0-or-later
// The largest tensile stress of each body that deforms. Numbers in brackets: docs/theory/deformable.md.
#include "solver/deformable/tension.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "solver/deformable/pieces.h"
#include "solver/deformable/soft_body.h"
#include "solver/step/state.h"

#include <math.h>
#include <string.h>

// A blow is resolved by steps of at most this share of the transit time: a wave then takes four of them
// from one side to the other.
static const double RESOLVED = 0.25;

// Radius of the bell (19) over its length: as large as a ball of that diameter.
static const double BELL = 0.8178;

static const int ROW[6] = {0, 1, 2, 0, 0, 1}, COLUMN[6] = {0, 1, 2, 1, 2, 2};

double tal_tension_length(const tal_solver_settings *settings, double width) {
    return settings->tension_length_m > 0.0 ? settings->tension_length_m : 0.25 * width;
}

double tal_model_blow_dt_s(const tal_model *model, int32_t body) {
    return RESOLVED * tal_model_transit_s(model, body);
}

static tal_vec3 middle_of(const tal_solid *s, int32_t e) {
    const int32_t count = s->node_start[e + 1] - s->node_start[e];
    tal_vec3 sum = {0};
    for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
        sum = tal_vec3_add_scaled(sum, 1.0 / count, s->node[s->element_node[n]]);
    }
    return sum;
}

static double volume_of(const tal_solid *s, int32_t e) {
    double sum = 0.0;
    for (int32_t p = s->point_start[e]; p < s->point_start[e + 1]; p++) {
        sum += s->point[p].volume;
    }
    return sum;
}

// (19): how many elements are near element e; their numbers and weights where `element` is not NULL.
static int32_t list_near(const tal_solid *s, const tal_vec3 *middle, double reach, int32_t e,
                         int32_t *element, double *share) {
    int32_t count = 0;
    for (int32_t other = 0; other < s->element_count; other++) {
        const tal_vec3 off = tal_vec3_subtract(middle[other], middle[e]);
        const double bell = 1.0 - tal_vec3_dot(off, off) / (reach * reach);
        if (bell > 0.0) {
            if (element != NULL) {
                element[count] = other;
                share[count] = bell * bell * volume_of(s, other);
            }
            count++;
        }
    }
    return count;
}

static void fill_patches(tal_solid *s, const tal_vec3 *middle, double reach) {
    for (int32_t e = 0; e < s->element_count; e++) {
        double *share = &s->patch_share[s->patch_start[e]], sum = 0.0;
        const int32_t count =
            list_near(s, middle, reach, e, &s->patch_element[s->patch_start[e]], share);
        for (int32_t k = 0; k < count; k++) {
            sum += share[k];
        }
        for (int32_t k = 0; k < count; k++) {
            share[k] /= sum;
        }
    }
}

tal_status tal_solid_make_patches(tal_solid *s, double length, tal_error *err) {
    tal_vec3 *middle;
    const double reach = BELL * length;
    int64_t total = 0;
    tal_status status = TAL_OK;
    TAL_CREATE(middle, (size_t)s->element_count, "patches of elements", err);
    TAL_CREATE_OR_DONE(s->patch_start, (size_t)s->element_count + 1, "patches of elements", err);
    for (int32_t e = 0; e < s->element_count; e++) {
        middle[e] = middle_of(s, e);
    }
    for (int32_t e = 0; e < s->element_count; e++) {
        total += list_near(s, middle, reach, e, NULL, NULL);
        if (total > INT32_MAX) {
            status =
                TAL_FAIL(err, TAL_TOO_LARGE,
                         "stresses cannot be averaged over %g m of a body of %d elements: take "
                         "larger elements or a smaller length",
                         length, s->element_count);
            goto done;
        }
        s->patch_start[e + 1] = (int32_t)total;
    }
    TAL_CREATE_OR_DONE(s->patch_element, (size_t)total, "patches of elements", err);
    TAL_CREATE_OR_DONE(s->patch_share, (size_t)total, "patches of elements", err);
    fill_patches(s, middle, reach);
done:
    tal_memory_destroy(middle);
    return status;
}

// (18): the mean over the transit time follows the stress; true if an element may be above `least`.
static bool follow_stress(const tal_state *state, tal_soft_body *soft, double share, double least) {
    double largest = 0.0;
    for (int32_t e = 0; e < soft->solid->element_count; e++) {
        const tal_mat3 now = tal_soft_element_stress(state, soft, e);
        double *mean = &soft->stress[6 * e], square = 0.0;
        for (int k = 0; k < 6; k++) {
            mean[k] += share * (now.m[ROW[k]][COLUMN[k]] - mean[k]);
            square += (k < 3 ? 1.0 : 2.0) * mean[k] * mean[k];
        }
        largest = fmax(largest, square);
    }
    return sqrt(largest) > least; // no eigenvalue is above the norm
}

// (19): the mean over the elements near e.
static tal_mat3 mean_near(const tal_soft_body *soft, int32_t e) {
    const tal_solid *s = soft->solid;
    tal_mat3 sum = {0};
    for (int32_t k = s->patch_start[e]; k < s->patch_start[e + 1]; k++) {
        const double *mean = &soft->stress[6 * s->patch_element[k]];
        for (int c = 0; c < 6; c++) {
            sum.m[ROW[c]][COLUMN[c]] += s->patch_share[k] * mean[c];
        }
    }
    sum.m[1][0] = sum.m[0][1], sum.m[2][0] = sum.m[0][2], sum.m[2][1] = sum.m[1][2];
    return sum;
}

static void raise_record(const tal_state *state, const tal_soft_body *soft, int32_t e,
                         double tension, tal_vec3 direction, tal_tension *record) {
    if (tension > record->tension_pa) {
        record->tension_pa = tension;
        record->time_s = state->work.piece_end;
        record->place_m = tal_soft_element_place(state, soft, e);
        record->direction = direction;
    }
}

// The records of a body: its own, and one for each of its planes of weakness.
typedef struct {
    tal_tension *own, *across;
    int32_t plane_count;
    const tal_weak_plane *plane;
} body_records;

static body_records records_of(const tal_model *model, tal_state *state, int32_t soft) {
    const int32_t first = model->weak_start[soft];
    return (body_records){.own = &state->soft_tension[soft],
                          .across = &state->weak_tension[first],
                          .plane_count = model->weak_start[soft + 1] - first,
                          .plane = &model->weak_plane[first]};
}

static double least_of(const body_records *r) {
    double least = r->own->tension_pa;
    for (int32_t p = 0; p < r->plane_count; p++) {
        least = fmin(least, r->across[p].tension_pa);
    }
    return least;
}

static void raise_records(const tal_state *state, const tal_soft_body *soft, body_records *r) {
    const tal_quat turned = state->orientation[soft->body];
    for (int32_t e = 0; e < soft->solid->element_count; e++) {
        const tal_mat3 mean = mean_near(soft, e);
        const tal_stress stress = tal_stress_of_tensor(&mean);
        raise_record(state, soft, e, stress.tension_pa, stress.direction, r->own);
        for (int32_t p = 0; p < r->plane_count; p++) { // (22)
            const tal_vec3 n = tal_quat_rotate(turned, r->plane[p].normal);
            const double across = tal_vec3_dot(n, tal_mat3_apply(&mean, n));
            raise_record(state, soft, e, across, n, &r->across[p]);
        }
    }
}

typedef struct {
    const tal_model *model;
    tal_state *state;
    double dt;
} watching;

static void watch_bodies(void *context, int64_t first, int64_t end) {
    const watching *w = context;
    for (int64_t n = first; n < end; n++) {
        tal_soft_body *soft = &w->state->soft[n];
        body_records records = records_of(w->model, w->state, (int32_t)n);
        const double transit = tal_model_transit_s(w->model, soft->body);
        const bool is_resolved = w->dt <= RESOLVED * transit * (1.0 + 1e-9);
        if (w->state->is_immovable[soft->body] != 0) {
            continue;
        }
        if (!is_resolved) {
            records.own->missed_dt_s =
                fmax(records.own->missed_dt_s, soft->is_struck ? w->dt : 0.0);
            memset(soft->stress, 0, 6 * (size_t)soft->solid->element_count * sizeof(double));
        } else if (follow_stress(w->state, soft, -expm1(-w->dt / transit), least_of(&records))) {
            raise_records(w->state, soft, &records);
        }
    }
}

static tal_vec3 velocity_before(const tal_state *state, int32_t body, tal_vec3 arm) {
    const tal_rigid_motion *motion = &state->work.motion_before[body];
    return tal_vec3_add(motion->v, tal_vec3_cross(motion->w, arm));
}

// How fast two bodies approached each other at a point before, their frames taken as rigid: what rings in
// contact is not struck.
static double approach_at(const tal_state *state, const tal_pair *pair, int32_t n) {
    const tal_contact *contact = &state->work.problem.contact[pair->first_contact + n];
    const int32_t first = state->work.list.manifold[pair->manifold].first_point;
    tal_vec3 u = velocity_before(state, pair->body_i, tal_arm(contact->arm_i));
    if (pair->body_j < state->body_count) {
        u = tal_vec3_subtract(u, velocity_before(state, pair->body_j, tal_arm(contact->arm_j)));
    }
    return -tal_vec3_dot(u, state->work.list.point[first + n].normal);
}

static bool is_blow(const tal_model *model, const tal_state *state, const tal_pair *pair) {
    const double least = tal_blow_speed(&model->settings);
    for (int32_t n = 0; pair->is_general && n < pair->contact_count; n++) {
        if (state->work.problem.contact[pair->first_contact + n].percussion[0] > 0.0 &&
            approach_at(state, pair, n) > least) {
            return true;
        }
    }
    return false;
}

// Who was struck in this piece: a contact that carries a percussion and approached fast.
static void mark_struck(const tal_model *model, tal_state *state) {
    for (int32_t n = 0; n < model->soft_count; n++) {
        state->soft[n].is_struck = false;
    }
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        const bool strikes = is_blow(model, state, pair);
        for (int side = 0; strikes && side < 2; side++) {
            tal_soft_body *soft = tal_soft_of(model, state, body[side]);
            if (soft != NULL) {
                soft->is_struck = true;
            }
        }
    }
}

void tal_watch_tension(const tal_model *model, tal_state *state, double dt) {
    if (model->soft_count > 0 && model->settings.watch_tension) {
        mark_struck(model, state);
        tal_threads_loop(state->work.thread_count, model->soft_count, 1, watch_bodies,
                         &(watching){model, state, dt});
    }
}

tal_tension tal_state_tension(const tal_model *model, const tal_state *state, int32_t body) {
    return tal_is_soft(model, body) && model->settings.watch_tension
               ? state->soft_tension[model->soft_of_body[body]]
               : (tal_tension){0};
}

tal_tension tal_state_tension_across(const tal_model *model, const tal_state *state, int32_t body,
                                     int32_t number) {
    TAL_ASSERT(tal_is_soft(model, body) && number >= 0);
    return state->weak_tension[model->weak_start[model->soft_of_body[body]] + number];
}

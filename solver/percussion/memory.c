// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of percussions: sorted by bodies as the manifolds are, so that both are walked together.
#include "solver/percussion/memory.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "solver/constraint/joint.h"
#include "solver/motion/rest.h"
#include "solver/percussion/contact.h"
#include "solver/percussion/roll.h"

#include <math.h>
#include <string.h>

// Some microseconds of work: less is not worth sharing.
enum { MANIFOLDS_PER_PIECE = 64 };

static int compare_bodies(const tal_memory_pair *pair, const tal_manifold *manifold) {
    if (pair->body_i != manifold->body_i) {
        return pair->body_i < manifold->body_i ? -1 : 1;
    }
    return pair->body_j < manifold->body_j ? -1 : pair->body_j > manifold->body_j;
}

void tal_find_remembered(tal_state *state) {
    const tal_contact_memory *memory = &state->memory;
    int32_t p = 0;
    for (int32_t m = 0; m < state->work.list.manifold_count; m++) {
        const tal_manifold *manifold = &state->work.list.manifold[m];
        while (p < memory->pair_count && compare_bodies(&memory->pair[p], manifold) < 0) {
            p++;
        }
        state->work.contacts.first_remembered[m] = p;
    }
}

static const tal_memory_point *find_point(const tal_contact_memory *memory, int32_t first,
                                          const tal_manifold *manifold, uint64_t identity) {
    for (int32_t p = first; p < memory->pair_count; p++) {
        const tal_memory_pair *pair = &memory->pair[p];
        if (compare_bodies(pair, manifold) != 0) {
            break;
        }
        for (int32_t k = pair->first_point; k < pair->first_point + pair->point_count; k++) {
            if (memory->point[k].identity == identity) {
                return &memory->point[k];
            }
        }
    }
    return NULL;
}

void tal_recall_percussions(const tal_model *model, tal_state *state, const tal_pair *pair,
                            double dt) {
    tal_contacts *set = &state->work.contacts;
    const tal_contact_memory *memory = &state->memory;
    const tal_manifold *manifold = &state->work.list.manifold[pair->manifold];
    const int32_t first = set->first_remembered[pair->manifold];
    TAL_ASSERT(pair->contact_count == manifold->point_count);
    const bool is_start = memory->dt == 0.0; // only what touches in the first step is bonded
    const double scale = is_start ? 0.0 : dt / memory->dt;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        tal_contact *c = &set->contact[k];
        const tal_memory_point *old =
            find_point(memory, first, manifold, tal_identity(state, pair, k));
        c->lambda = 0.0;
        set->bonded[k] =
            old != NULL ? old->bonded > 0.0 : is_start && tal_gap_of(model, state, pair, k) <= 0.0;
        c->percussion[0] = old != NULL ? scale * old->normal : 0.0;
        c->percussion[1] =
            old != NULL ? scale * tal_vec3_dot(old->tangential, pair->tangent_1) : 0.0;
        c->percussion[2] =
            old != NULL ? scale * tal_vec3_dot(old->tangential, pair->tangent_2) : 0.0;
    }
}

// The moment of the remembered pair that shares a point with this one.
void tal_recall_moment(tal_state *state, const tal_pair *pair, double dt) {
    const tal_contacts *set = &state->work.contacts;
    const tal_contact_memory *memory = &state->memory;
    const tal_manifold *manifold = &state->work.list.manifold[pair->manifold];
    const tal_memory_point *old = NULL;
    int32_t p = set->first_remembered[pair->manifold];
    for (int32_t k = pair->first_contact;
         old == NULL && k < pair->first_contact + pair->contact_count; k++) {
        old = find_point(memory, p, manifold, tal_identity(state, pair, k));
    }
    if (old == NULL) {
        return;
    }
    while (old - memory->point >= memory->pair[p].first_point + memory->pair[p].point_count) {
        p++;
    }
    const tal_vec3 moment = tal_vec3_scale(memory->pair[p].moment, dt / memory->dt);
    tal_roll *roll = &state->work.problem.roll[pair - state->work.problem.pair];
    roll->moment[0] = tal_vec3_dot(moment, pair->tangent_1);
    roll->moment[1] = tal_vec3_dot(moment, pair->tangent_2);
}

void tal_break_bonds(const tal_model *model, tal_state *state, double still) {
    const tal_percussion_problem *problem = &state->work.problem;
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        if (model->law[pair->law].cohesion_pa == 0.0) {
            continue;
        }
        for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            double d[3];
            if (problem->contact[k].more->adhesion > 0.0) {
                tal_contact_velocity(problem, pair, k, d);
                const bool holds = d[0] <= still && hypot(d[1], d[2]) <= still;
                state->work.contacts.bonded[k] &= holds;
            }
        }
    }
}

static tal_memory_point *append_pair(tal_contact_memory *memory, int32_t body_i, int32_t body_j,
                                     int32_t point_count) {
    memory->pair[memory->pair_count++] = (tal_memory_pair){.body_i = body_i,
                                                           .body_j = body_j,
                                                           .first_point = memory->point_count,
                                                           .point_count = point_count};
    memory->point_count += point_count;
    return &memory->point[memory->point_count - point_count];
}

// Into the place that has been made for it.
static void remember_manifold(const tal_state *state, int32_t m, const tal_contact_memory *memory) {
    const tal_pair *pair = &state->work.problem.pair[state->work.contacts.pair_of_manifold[m]];
    tal_memory_pair *to = &memory->pair[state->work.contacts.first_remembered[m]];
    tal_memory_point *point = &memory->point[to->first_point];
    if (pair->roll_length > 0.0) {
        const double *moment = state->work.problem.roll[pair - state->work.problem.pair].moment;
        to->moment = tal_vec3_add_scaled(tal_vec3_scale(pair->tangent_1, moment[0]), moment[1],
                                         pair->tangent_2);
    }
    for (int32_t n = 0; n < pair->contact_count; n++) {
        const int32_t k = pair->first_contact + n;
        const tal_contact *c = &state->work.contacts.contact[k];
        const tal_vec3 along = tal_vec3_scale(pair->tangent_1, c->percussion[1]);
        point[n] = (tal_memory_point){
            .identity = tal_identity(state, pair, k),
            .normal = c->percussion[0],
            .tangential = tal_vec3_add_scaled(along, c->percussion[2], pair->tangent_2),
            .bonded = state->work.contacts.bonded[k]};
    }
}

typedef struct {
    const tal_state *state;
    const tal_contact_memory *memory;
} remember_loop;

static void remember_manifolds(void *context, int64_t first, int64_t end) {
    const remember_loop *l = context;
    for (int64_t m = first; m < end; m++) {
        remember_manifold(l->state, (int32_t)m, l->memory);
    }
}

// Appends a remembered pair and its points that stand further behind.
static void append_kept(tal_contact_memory *memory, const tal_memory_pair *kept) {
    const tal_memory_pair pair = *kept; // its place may be the one that is written
    tal_memory_point *point = append_pair(memory, pair.body_i, pair.body_j, pair.point_count);
    memory->pair[memory->pair_count - 1].moment = pair.moment;
    memmove(point, &memory->point[pair.first_point], (size_t)pair.point_count * sizeof *point);
}

// Contacts of bodies at rest are not listed; what carries them stays what it was. All else is forgotten.
static void keep_those_at_rest(const tal_state *state, tal_contact_memory *memory, double dt) {
    const int32_t count = memory->pair_count;
    const double scale = dt / memory->dt;
    memory->pair_count = memory->point_count = 0;
    for (int32_t p = 0; p < count; p++) {
        const tal_memory_pair *pair = &memory->pair[p];
        if (tal_is_at_rest(state, pair->body_i) || tal_is_at_rest(state, pair->body_j)) {
            append_kept(memory, pair);
            tal_memory_pair *kept = &memory->pair[memory->pair_count - 1];
            kept->moment = tal_vec3_scale(kept->moment, scale);
            for (int32_t k = kept->first_point; k < memory->point_count; k++) {
                memory->point[k].normal *= scale;
                memory->point[k].tangential = tal_vec3_scale(memory->point[k].tangential, scale);
            }
        }
    }
    memory->dt = dt;
}

// Moves all that is remembered up, so that `pairs` and `points` fit in front of it.
static void move_up(tal_contact_memory *memory, int32_t pairs, int32_t points) {
    memmove(&memory->pair[pairs], memory->pair, (size_t)memory->pair_count * sizeof *memory->pair);
    memmove(&memory->point[points], memory->point,
            (size_t)memory->point_count * sizeof *memory->point);
    for (int32_t p = 0; p < memory->pair_count; p++) {
        memory->pair[pairs + p].first_point += points;
    }
}

// Both are sorted by bodies: what is kept from before waits at the end of the room until its turn comes.
tal_status tal_remember_percussions(tal_state *state, double dt, tal_error *err) {
    tal_contact_memory *memory = &state->memory;
    const tal_manifolds *list = &state->work.list;
    TAL_ASSERT(state->work.problem.pair_count == list->manifold_count); // solved as listed
    keep_those_at_rest(state, memory, dt);
    const int32_t kept = memory->pair_count;
    TAL_TRY(tal_contact_memory_reserve(memory, list->manifold_count + kept,
                                       list->point_count + memory->point_count, err));
    if (kept > 0) {
        move_up(memory, list->manifold_count, list->point_count);
    }
    memory->pair_count = memory->point_count = 0;
    int32_t p = list->manifold_count;
    const int32_t end = p + kept;
    for (int32_t m = 0; m < list->manifold_count; m++) {
        const tal_manifold *manifold = &list->manifold[m];
        while (p < end && compare_bodies(&memory->pair[p], manifold) < 0) {
            append_kept(memory, &memory->pair[p++]);
        }
        state->work.contacts.first_remembered[m] = memory->pair_count; // where it will be
        append_pair(memory, manifold->body_i, manifold->body_j, manifold->point_count);
    }
    while (p < end) {
        append_kept(memory, &memory->pair[p++]);
    }
    tal_threads_loop(state->work.thread_count, state->work.list.manifold_count, MANIFOLDS_PER_PIECE,
                     remember_manifolds, &(remember_loop){state, memory});
    TAL_VALIDATE(tal_memory_is_valid(memory));
    return TAL_OK;
}

void tal_forget_percussions(tal_state *state) {
    tal_contact_memory *memory = &state->memory;
    bool is_kept = !tal_is_worth_forgetting((size_t)memory->point_count, sizeof *memory->point);
    for (int32_t b = 0; !is_kept && b < state->body_count; b++) {
        is_kept = tal_is_at_rest(state, b);
    }
    if (!is_kept) {
        tal_memory_forget(memory->point, 0, (size_t)memory->point_count, sizeof *memory->point);
        tal_memory_forget(memory->pair, 0, (size_t)memory->pair_count, sizeof *memory->pair);
        memory->pair_count = memory->point_count = 0;
    }
}

static bool is_memory_pair_valid(const tal_contact_memory *memory, int32_t p) {
    const tal_memory_pair *pair = &memory->pair[p], *last = p > 0 ? pair - 1 : NULL;
    const int32_t expected = last != NULL ? last->first_point + last->point_count : 0;
    if (last != NULL && (last->body_i > pair->body_i ||
                         (last->body_i == pair->body_i && last->body_j > pair->body_j))) {
        return false;
    }
    for (int32_t k = pair->first_point; k < pair->first_point + pair->point_count; k++) {
        const tal_memory_point *point = &memory->point[k];
        if (!isfinite(point->normal) || !isfinite(tal_vec3_length(point->tangential)) ||
            !(point->bonded >= 0.0 && point->bonded <= 1.0)) {
            return false;
        }
    }
    return pair->first_point == expected && pair->point_count >= 1;
}

bool tal_memory_is_valid(const tal_contact_memory *memory) {
    for (int32_t p = 0; p < memory->pair_count; p++) {
        if (!is_memory_pair_valid(memory, p)) {
            return false;
        }
    }
    return memory->pair_count <= memory->pair_capacity &&
           memory->point_count <= memory->point_capacity && memory->dt >= 0.0;
}

void tal_count_remembered(const tal_state *state, tal_report *report) {
    const tal_contact_memory *memory = &state->memory;
    report->manifold_count = memory->pair_count;
    report->contact_count = memory->point_count;
    report->active_count = 0;
    for (int32_t k = 0; k < memory->point_count; k++) {
        const bool is_joint = tal_is_joint_identity(memory->point[k].identity);
        report->manifold_count -= is_joint; // the only point of its manifold
        report->contact_count -= is_joint;
        report->active_count += !is_joint && memory->point[k].normal > 0.0;
    }
}

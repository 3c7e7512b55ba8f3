// SPDX-License-Identifier: GPL-3.0-or-later
// Rigid bodies as a kind: at a contact, and in a step.
#include "solver/percussion/rigid.h"

#include "core/base/threads.h"
#include "solver/motion/prescribed.h"
#include "solver/motion/rest.h"
#include "solver/motion/rotation.h"
#include "solver/motion/trail.h"
#include "solver/step/state.h"

#include <math.h>

// Contacts are listed a little before they can matter, so that they keep their identity when a
// resting pair trembles: share of the inner radius.
static const double REACH_MARGIN = 2e-3;

// What moves by less within a step, share of the inner radius, may stay where it is while others go on.
static const double STANDING = 1e-3;

// Some microseconds of work: less is not worth sharing.
enum { BODIES_PER_PIECE = 64, BODIES_PER_SLICE = 512 };

typedef struct {
    const tal_model *model;
    tal_state *state;
    double h;
} bodies_loop;

static tal_vec3 arm_of(tal_side at) {
    return tal_arm(at.side == 0 ? at.contact->arm_i : at.contact->arm_j);
}

static tal_rigid_motion motion_of(const double *values) {
    return (tal_rigid_motion){.v = {values[0], values[1], values[2]},
                              .w = {values[4], values[5], values[6]}};
}

static void velocity(const void *body, const double *motion, tal_side at, double u[3]) {
    (void)body;
    const tal_rigid_motion m = motion_of(motion);
    const tal_vec3 there = tal_vec3_add(m.v, tal_vec3_cross(m.w, arm_of(at)));
    u[0] = tal_vec3_dot(at.pair->normal, there);
    u[1] = tal_vec3_dot(at.pair->tangent_1, there);
    u[2] = tal_vec3_dot(at.pair->tangent_2, there);
}

static void strike(const void *body, double *motion, tal_side at, const double r[3]) {
    const tal_inertia *inertia = body;
    const tal_vec3 p = tal_vec3_add_scaled(
        tal_vec3_add_scaled(tal_vec3_scale(at.pair->normal, r[0]), r[1], at.pair->tangent_1), r[2],
        at.pair->tangent_2);
    const tal_vec3 turn = tal_apply_inertia(inertia, tal_vec3_cross(arm_of(at), p));
    motion[0] += inertia->inverse_mass * p.x;
    motion[1] += inertia->inverse_mass * p.y;
    motion[2] += inertia->inverse_mass * p.z;
    motion[4] += turn.x;
    motion[5] += turn.y;
    motion[6] += turn.z;
}

static void add_mobility(const void *body, tal_side at, double w[6]) {
    const tal_inertia *inertia = body;
    const tal_vec3 axis[3] = {at.pair->normal, at.pair->tangent_1, at.pair->tangent_2};
    int entry = 0;
    for (int f = 0; f < 3; f++) {
        const tal_vec3 lever = tal_vec3_cross(arm_of(at), axis[f]);
        for (int g = f; g < 3; g++) {
            const tal_vec3 other = tal_vec3_cross(arm_of(at), axis[g]);
            w[entry++] += (f == g ? inertia->inverse_mass : 0.0) +
                          tal_vec3_dot(lever, tal_apply_inertia(inertia, other));
        }
    }
}

static double energy_scale(const void *body, const double *before, double speed_min) {
    const tal_inertia *inertia = body;
    const tal_vec3 v = motion_of(before).v;
    const double square = tal_vec3_dot(v, v) + speed_min * speed_min;
    return inertia->inverse_mass > 0.0 ? square / inertia->inverse_mass : 0.0;
}

// R diag(1/I) R'
static tal_inertia inertia_in_world(double mass, tal_vec3 inertia, tal_quat orientation) {
    TAL_ASSERT(mass > 0.0 && inertia.x > 0.0 && inertia.y > 0.0 && inertia.z > 0.0);
    const tal_mat3 r = tal_quat_matrix(orientation);
    const double inverse[3] = {1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z};
    tal_inertia result = {.inverse_mass = 1.0 / mass};
    int entry = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            result.inverse_inertia[entry++] = r.m[i][0] * inverse[0] * r.m[j][0] +
                                              r.m[i][1] * inverse[1] * r.m[j][1] +
                                              r.m[i][2] * inverse[2] * r.m[j][2];
        }
    }
    return result;
}

static void load_bodies(void *context, int64_t first, int64_t end) {
    const bodies_loop *l = context;
    const tal_model *model = l->model;
    tal_state *state = l->state;
    for (int32_t b = (int32_t)first; b < end; b++) {
        if (tal_is_soft(model, b)) {
            continue;
        }
        state->work.motion_before[b] =
            (tal_rigid_motion){.v = state->velocity[b], .w = state->spin[b]};
        const double drag = 1.0 + tal_trail_drag(state, b, state->work.piece_dt);
        state->work.inertia_world[b] =
            state->is_immovable[b]
                ? (tal_inertia){0}
                : inertia_in_world(model->mass[b], model->inertia[b], state->orientation[b]);
        state->work.inertia_world[b].inverse_mass /= drag; // grounds.md (4)
    }
}

static void load(const tal_model *model, tal_state *state) {
    tal_threads_loop(state->work.thread_count, model->body_count, BODIES_PER_PIECE, load_bodies,
                     &(bodies_loop){model, state, 0.0});
}

static void advance_free(const tal_model *model, tal_state *state, int32_t b, double dt) {
    tal_rigid_motion *motion = &state->work.motion[b];
    *motion = state->work.motion_before[b];
    if (!state->is_immovable[b]) {
        const double drag = tal_trail_drag(state, b, dt); // grounds.md (4)
        const tal_vec3 kept = drag > 0.0 ? tal_vec3_scale(motion->v, 1.0 - drag) : motion->v;
        motion->v = tal_vec3_scale(tal_vec3_add_scaled(kept, dt, model->settings.gravity_mps2),
                                   1.0 / (1.0 + drag));
    }
    if (model->is_loaded[b]) {
        motion->v = tal_vec3_add(motion->v, state->work.load[b].v);
        motion->w = tal_vec3_add(motion->w, state->work.load[b].w);
    }
}

static void store_bodies(void *context, int64_t first, int64_t end) {
    const bodies_loop *l = context;
    const tal_model *model = l->model;
    tal_state *state = l->state;
    for (int32_t b = (int32_t)first; b < end; b++) {
        if (state->is_fixed[b] || tal_is_soft(model, b)) {
            continue;
        }
        state->velocity[b] = state->work.motion[b].v;
        if (state->is_immovable[b]) {
            state->spin[b] = state->work.motion[b].w;
        } else if (state->work.island_of_body[b] >= 0 || model->is_loaded[b]) {
            state->momentum[b] = tal_rotation_momentum(model->inertia[b], state->orientation[b],
                                                       state->work.motion[b].w);
            state->spin[b] = // not motion.w: it has to follow from the momentum to the last bit
                tal_rotation_velocity(model->inertia[b], state->orientation[b], state->momentum[b]);
        }
    }
}

static void store(const tal_model *model, tal_state *state) {
    tal_threads_loop(state->work.thread_count, model->body_count, BODIES_PER_PIECE, store_bodies,
                     &(bodies_loop){model, state, 0.0});
}

static void advance_body(const tal_model *model, tal_state *state, int32_t b, double h) {
    state->position[b] = tal_vec3_add_scaled(state->position[b], h, state->velocity[b]);
    if (state->is_immovable[b]) { // follows a series
        state->orientation[b] = tal_prescribed_turn(state->orientation[b], state->spin[b], h);
        return;
    }
    tal_rotation_advance(model->inertia[b], state->momentum[b], h, &state->orientation[b]);
    state->spin[b] =
        tal_rotation_velocity(model->inertia[b], state->orientation[b], state->momentum[b]);
}

double tal_rigid_advance_ahead(const tal_model *model, tal_state *state, int32_t b, double time) {
    state->lead[b] += time;
    advance_body(model, state, b, time);
    return -time * model->mass[b] * tal_vec3_dot(model->settings.gravity_mps2, state->velocity[b]);
}

static double not_gone(const tal_state *state, int32_t b, double h) {
    return fmin(state->lead[b], h);
}

double tal_rigid_potential_not_gone(const tal_model *model, const tal_state *state, double h) {
    double sum = 0.0;
    for (int32_t b = 0; b < model->body_count; b++) {
        if (state->lead[b] != 0.0) {
            sum += not_gone(state, b, h) * model->mass[b] *
                   tal_vec3_dot(model->settings.gravity_mps2, state->velocity[b]);
        }
    }
    return sum;
}

static void advance_bodies(void *context, int64_t first, int64_t end) {
    const bodies_loop *l = context;
    const tal_model *model = l->model;
    tal_state *state = l->state;
    for (int32_t b = (int32_t)first; b < end; b++) {
        if (state->is_fixed[b] || tal_is_soft(model, b)) {
            continue;
        }
        const double rest = not_gone(state, b, l->h);
        advance_body(model, state, b, l->h - rest);
        state->lead[b] -= rest;
    }
}

static void advance(const tal_model *model, tal_state *state, double h) {
    tal_threads_loop(state->work.thread_count, model->body_count, BODIES_PER_PIECE, advance_bodies,
                     &(bodies_loop){model, state, h});
}

static void set_reaches(void *context, int64_t first, int64_t end) {
    const bodies_loop *l = context;
    const tal_model *model = l->model;
    tal_state *state = l->state;
    const double dt = l->h, fall = tal_vec3_length(model->settings.gravity_mps2) * dt;
    for (int32_t b = (int32_t)first; b < end; b++) {
        const double radius = model->shapes.bounding_radius[model->shape_of_body[b]];
        const double kick = model->is_loaded[b] ? tal_prescribed_speed(model, state, b) : 0.0;
        const double speed = tal_vec3_length(state->velocity[b]) +
                             tal_vec3_length(state->spin[b]) * radius + fall + kick;
        const bool is_fixed = state->is_fixed[b] != 0;
        state->work.is_standing[b] =
            is_fixed || dt * (speed - fall) <= STANDING * model->inner_radius[b];
        state->work.reach[b] = state->is_gone[b] != 0 ? -INFINITY
                                                      : (is_fixed ? 0.0 : dt * speed) +
                                                            REACH_MARGIN * model->inner_radius[b];
    }
}

static void set_reach(const tal_model *model, tal_state *state, double dt) {
    tal_threads_loop(state->work.thread_count, model->body_count, BODIES_PER_PIECE, set_reaches,
                     &(bodies_loop){model, state, dt});
}

// Energies by slices of the bodies.
typedef struct {
    const tal_model *model;
    const tal_state *state;
    double ahead;
    int slice_count;
    tal_energy slice[TAL_SLICES_MAX];
} energy_loop;

static void add_energy_of(const tal_model *model, const tal_state *state, int64_t first,
                          int64_t end, double ahead, tal_energy *sum) {
    const tal_vec3 g = model->settings.gravity_mps2;
    for (int32_t b = (int32_t)first; b < end; b++) {
        if ((state->is_immovable[b] && !tal_is_at_rest(state, b)) || tal_is_soft(model, b)) {
            continue;
        }
        const double mass = model->mass[b];
        const tal_vec3 at = tal_vec3_add_scaled(state->position[b], ahead, state->velocity[b]);
        sum->translation += 0.5 * mass * tal_vec3_dot(state->velocity[b], state->velocity[b]);
        sum->rotation += 0.5 * tal_vec3_dot(state->momentum[b], state->spin[b]);
        sum->potential -= mass * tal_vec3_dot(g, at);
    }
}

static void add_energy_slices(void *context, int64_t first, int64_t end) {
    energy_loop *l = context;
    const int32_t count = l->model->body_count;
    for (int64_t n = first; n < end; n++) {
        l->slice[n] = (tal_energy){0};
        add_energy_of(l->model, l->state, tal_slice_begin(count, l->slice_count, n),
                      tal_slice_begin(count, l->slice_count, n + 1), l->ahead, &l->slice[n]);
    }
}

static void add_energy(const tal_model *model, const tal_state *state, double ahead,
                       tal_energy *sum) {
    energy_loop l; // small scenes have one slice
    l.model = model;
    l.state = state;
    l.ahead = ahead;
    l.slice_count = tal_slice_count(model->body_count, BODIES_PER_SLICE);
    tal_threads_loop(state->work.thread_count, l.slice_count, 1, add_energy_slices, &l);
    for (int n = 0; n < l.slice_count; n++) {
        sum->translation += l.slice[n].translation;
        sum->rotation += l.slice[n].rotation;
        sum->potential += l.slice[n].potential;
    }
}

static int list_sections(const tal_state *state, tal_section *list) {
    const size_t bodies = (size_t)state->body_count;
    list[0] = (tal_section){state->position, bodies * sizeof *state->position};
    list[1] = (tal_section){state->orientation, bodies * sizeof *state->orientation};
    list[2] = (tal_section){state->velocity, bodies * sizeof *state->velocity};
    list[3] = (tal_section){state->momentum, bodies * sizeof *state->momentum};
    list[4] = (tal_section){state->lead, bodies * sizeof *state->lead};
    return 5;
}

const tal_body_kind tal_rigid_kind = {.name = "rigid",
                                      .velocity = velocity,
                                      .strike = strike,
                                      .add_mobility = add_mobility,
                                      .energy_scale = energy_scale,
                                      .load = load,
                                      .advance_free = advance_free,
                                      .store = store,
                                      .advance = advance,
                                      .set_reach = set_reach,
                                      .add_energy = add_energy,
                                      .list_sections = list_sections};

// SPDX-License-Identifier: GPL-3.0-or-later
// Motion between percussions, and the way of velocities into and out of the contact problem.
#include "solver/motion/integrate.h"

#include "core/base/threads.h"
#include "solver/motion/prescribed.h"
#include "solver/motion/rotation.h"

// Some microseconds of work: less is not worth sharing.
enum { BODIES_PER_PIECE = 64 };

typedef struct {
    const tal_model *model;
    tal_state *state;
    double h;
} bodies_loop;

static void advance_bodies(void *context, int64_t first, int64_t end) {
    const bodies_loop *l = context;
    const tal_model *model = l->model;
    tal_state *state = l->state;
    const double h = l->h;
    for (int32_t b = (int32_t)first; b < end; b++) {
        if (state->is_fixed[b]) {
            continue;
        }
        state->position[b] = tal_vec3_add_scaled(state->position[b], h, state->velocity[b]);
        if (state->is_immovable[b]) { // follows a series
            state->orientation[b] = tal_prescribed_turn(state->orientation[b], state->spin[b], h);
            continue;
        }
        tal_rotation_advance(model->inertia[b], state->momentum[b], h, &state->orientation[b]);
        state->spin[b] =
            tal_rotation_velocity(model->inertia[b], state->orientation[b], state->momentum[b]);
    }
}

void tal_advance_positions(const tal_model *model, tal_state *state, double h) {
    tal_threads_loop(state->thread_count, model->body_count, BODIES_PER_PIECE, advance_bodies,
                     &(bodies_loop){model, state, h});
}

// R diag(1/I) R'
static tal_inertia inertia_in_world(double mass, tal_vec3 inertia, tal_quat orientation) {
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
        state->motion_before[b] = (tal_motion){.v = state->velocity[b], .w = state->spin[b]};
        state->inertia_world[b] =
            state->is_immovable[b]
                ? (tal_inertia){0}
                : inertia_in_world(model->mass[b], model->inertia[b], state->orientation[b]);
    }
}

void tal_load_motion(const tal_model *model, tal_state *state) {
    tal_threads_loop(state->thread_count, model->body_count, BODIES_PER_PIECE, load_bodies,
                     &(bodies_loop){model, state, 0.0});
}

void tal_advance_free_body(const tal_model *model, tal_state *state, int32_t b, double dt) {
    tal_motion *motion = &state->motion[b];
    *motion = state->motion_before[b];
    if (!state->is_immovable[b]) {
        motion->v = tal_vec3_add_scaled(motion->v, dt, model->settings.gravity_mps2);
    }
    if (model->is_loaded[b]) {
        motion->v = tal_vec3_add(motion->v, state->load[b].v);
        motion->w = tal_vec3_add(motion->w, state->load[b].w);
    }
}

void tal_advance_free_velocity(const tal_model *model, tal_state *state, double dt) {
    for (int32_t b = 0; b < model->body_count; b++) {
        tal_advance_free_body(model, state, b, dt);
    }
}

static void store_bodies(void *context, int64_t first, int64_t end) {
    const bodies_loop *l = context;
    const tal_model *model = l->model;
    tal_state *state = l->state;
    for (int32_t b = (int32_t)first; b < end; b++) {
        if (state->is_fixed[b]) {
            continue;
        }
        state->velocity[b] = state->motion[b].v;
        if (state->is_immovable[b]) {
            state->spin[b] = state->motion[b].w;
        } else if (state->island_of_body[b] >= 0 || model->is_loaded[b]) {
            state->momentum[b] =
                tal_rotation_momentum(model->inertia[b], state->orientation[b], state->motion[b].w);
            state->spin[b] = // not motion.w: it has to follow from the momentum to the last bit
                tal_rotation_velocity(model->inertia[b], state->orientation[b], state->momentum[b]);
        }
    }
}

void tal_store_motion(const tal_model *model, tal_state *state) {
    tal_threads_loop(state->thread_count, model->body_count, BODIES_PER_PIECE, store_bodies,
                     &(bodies_loop){model, state, 0.0});
}

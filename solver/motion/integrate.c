// SPDX-License-Identifier: GPL-3.0-or-later
// Motion between percussions, kind of bodies by kind.
#include "solver/motion/integrate.h"

#include "core/base/threads.h"
#include "solver/deformable/soft_body.h"
#include "solver/percussion/rigid.h"

// The kinds of bodies a state can hold; a new one is a row here.
static const tal_body_kind *const KINDS[] = {&tal_rigid_kind, &tal_soft_kind};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

// Some microseconds of work: less is not worth sharing.
enum { BODIES_PER_PIECE = 128 };

void tal_advance_positions(const tal_model *model, tal_state *state, double h) {
    for (int k = 0; k < KIND_COUNT; k++) {
        KINDS[k]->advance(model, state, h);
    }
}

void tal_load_motion(const tal_model *model, tal_state *state) {
    for (int k = 0; k < KIND_COUNT; k++) {
        KINDS[k]->load(model, state);
    }
}

void tal_set_reaches(const tal_model *model, tal_state *state, double dt) {
    for (int k = 0; k < KIND_COUNT; k++) {
        KINDS[k]->set_reach(model, state, dt);
    }
}

void tal_advance_free_body(const tal_model *model, tal_state *state, int32_t b, double dt) {
    const tal_body_kind *kind = tal_is_soft(model, b) ? &tal_soft_kind : &tal_rigid_kind;
    kind->advance_free(model, state, b, dt);
}

typedef struct {
    const tal_model *model;
    tal_state *state;
    double dt;
} bodies_loop;

static void advance_free_bodies(void *context, int64_t first, int64_t end) {
    const bodies_loop *l = context;
    for (int64_t b = first; b < end; b++) {
        tal_advance_free_body(l->model, l->state, (int32_t)b, l->dt);
    }
}

void tal_advance_free_velocity(const tal_model *model, tal_state *state, double dt) {
    tal_threads_loop(state->work.thread_count, model->body_count, BODIES_PER_PIECE,
                     advance_free_bodies, &(bodies_loop){model, state, dt});
}

void tal_store_motion(const tal_model *model, tal_state *state) {
    for (int k = 0; k < KIND_COUNT; k++) {
        KINDS[k]->store(model, state);
    }
}

tal_energy tal_observe_energy(const tal_model *model, const tal_state *state, double ahead) {
    tal_energy sum = {0};
    for (int k = 0; k < KIND_COUNT; k++) {
        KINDS[k]->add_energy(model, state, ahead, &sum);
    }
    return sum;
}

int tal_list_motion(const tal_state *state, tal_section list[TAL_SECTIONS_MAX]) {
    int count = 0;
    for (int k = 0; k < KIND_COUNT; k++) {
        count += KINDS[k]->list_sections(state, &list[count]);
        TAL_ASSERT(count <= TAL_SECTIONS_MAX);
    }
    return count;
}

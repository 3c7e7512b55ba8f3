// SPDX-License-Identifier: GPL-3.0-or-later
// Creating, growing and reading states.
#include "solver/step/state.h"

#include "core/base/memory.h"
#include "solver/motion/prescribed.h"
#include "solver/motion/rest.h"
#include "solver/motion/rotation.h"
#include "solver/percussion/memory.h"
#include "solver/percussion/roll.h"
#include "solver/percussion/sweep_set.h"
#include "solver/step/hash.h"

#include <math.h>

// Room for contacts grows in steps of half its size, so that growing is rare.
static int32_t grown_capacity(int32_t capacity, int32_t wanted) {
    const int32_t larger = capacity + capacity / 2 + 64;
    return larger > wanted ? larger : wanted;
}

static tal_status renew(void *array, int32_t count, size_t size, const char *what, tal_error *err) {
    void **slot = array;
    tal_memory_destroy(*slot);
    *slot = tal_memory_create((size_t)count, size);
    return *slot != NULL ? TAL_OK : tal_memory_failed(err, what, (size_t)count, size);
}

#define RENEW(field, count, err)                                                                   \
    TAL_TRY(renew((void *)&(field), (count), sizeof *(field), #field, (err)))

static tal_status reserve_pairs(tal_contacts *set, int32_t count, tal_error *err) {
    set->pair_capacity = 0;
    RENEW(set->pair, count, err);
    RENEW(set->roll, count, err);
    RENEW(set->edge, count, err);
    RENEW(set->color, count, err);
    RENEW(set->by_color, count, err);
    RENEW(set->order, count, err);
    RENEW(set->color_end, count, err);
    RENEW(set->pair_of_manifold, count, err);
    RENEW(set->first_remembered, count, err);
    RENEW(set->work.change_sum, 2 * count, err);
    RENEW(set->work.listed, 4 * count, err);
    RENEW(set->work.is_listed, count, err);
    set->pair_capacity = count;
    return TAL_OK;
}

static tal_status reserve_contacts(tal_contacts *set, int32_t count, tal_error *err) {
    set->contact_capacity = 0;
    RENEW(set->contact, count, err);
    RENEW(set->more, count, err);
    RENEW(set->moment, count, err);
    RENEW(set->bonded, count, err);
    RENEW(set->work.change, 3 * count, err);
    RENEW(set->work.last, 3 * count, err);
    RENEW(set->work.error, count, err);
    set->contact_capacity = count;
    return TAL_OK;
}

tal_status tal_contacts_reserve(tal_contacts *set, int32_t pair_count, int32_t contact_count,
                                tal_error *err) {
    if (pair_count > set->pair_capacity) {
        TAL_TRY(reserve_pairs(set, grown_capacity(set->pair_capacity, pair_count), err));
    }
    if (contact_count > set->contact_capacity) {
        TAL_TRY(reserve_contacts(set, grown_capacity(set->contact_capacity, contact_count), err));
    }
    return TAL_OK;
}

void tal_contacts_forget_sweeps(tal_contacts *set) {
    const size_t count = 3 * (size_t)set->contact_capacity;
    tal_batches_forget(&set->work.batches);
    if (tal_is_worth_forgetting(count, sizeof *set->work.change)) {
        tal_memory_forget(set->work.change, 0, count, sizeof *set->work.change);
        tal_memory_forget(set->work.last, 0, count, sizeof *set->work.last);
    }
}

void tal_contacts_forget_more(tal_contacts *set) {
    const size_t count = (size_t)set->contact_capacity;
    if (tal_is_worth_forgetting(count, sizeof *set->more)) {
        tal_memory_forget(set->more, 0, count, sizeof *set->more);
    }
}

tal_status tal_manifolds_reserve(tal_manifolds *list, int32_t manifold_count, int32_t point_count,
                                 tal_error *err) {
    if (manifold_count > list->manifold_capacity) {
        const int32_t capacity = grown_capacity(list->manifold_capacity, manifold_count);
        list->manifold_capacity = list->manifold_count = 0;
        RENEW(list->manifold, capacity, err);
        list->manifold_capacity = capacity;
    }
    if (point_count > list->point_capacity) {
        const int32_t capacity = grown_capacity(list->point_capacity, point_count);
        list->point_capacity = list->point_count = 0;
        RENEW(list->point, capacity, err);
        list->point_capacity = capacity;
    }
    return TAL_OK;
}

tal_status tal_manifolds_grow(tal_manifolds *list, int32_t manifold_count, int32_t point_count,
                              tal_error *err) {
    if (manifold_count > list->manifold_capacity) {
        const int32_t capacity = grown_capacity(list->manifold_capacity, manifold_count);
        TAL_GROW(list->manifold, (size_t)list->manifold_count, (size_t)capacity, "manifolds", err);
        list->manifold_capacity = capacity;
    }
    if (point_count > list->point_capacity) {
        const size_t kept = (size_t)list->point_count;
        const int32_t capacity = grown_capacity(list->point_capacity, point_count);
        TAL_GROW(list->point, kept, (size_t)capacity, "contact points", err);
        list->point_capacity = capacity;
    }
    return TAL_OK;
}

tal_status tal_contact_memory_reserve(tal_contact_memory *memory, int32_t pair_count,
                                      int32_t point_count, tal_error *err) {
    if (pair_count > memory->pair_capacity) {
        const int32_t capacity = grown_capacity(memory->pair_capacity, pair_count);
        TAL_GROW(memory->pair, (size_t)memory->pair_count, (size_t)capacity, "percussions", err);
        memory->pair_capacity = capacity;
    }
    if (point_count > memory->point_capacity) {
        const int32_t capacity = grown_capacity(memory->point_capacity, point_count);
        TAL_GROW(memory->point, (size_t)memory->point_count, (size_t)capacity, "percussions", err);
        memory->point_capacity = capacity;
    }
    return TAL_OK;
}

static tal_status take_bodies(tal_state *state, size_t count, tal_error *err) {
    tal_arena *arena = &state->arena;
    TAL_TAKE(arena, state->position, count, "positions", err);
    TAL_TAKE(arena, state->orientation, count, "orientations", err);
    TAL_TAKE(arena, state->velocity, count, "velocities", err);
    TAL_TAKE(arena, state->momentum, count, "angular momenta", err);
    TAL_TAKE(arena, state->spin, count, "angular velocities", err);
    TAL_TAKE(arena, state->work.position_ahead, count, "positions ahead", err);
    TAL_TAKE(arena, state->work.orientation_ahead, count, "orientations ahead", err);
    TAL_TAKE(arena, state->is_fixed, count, "fixed marks", err);
    TAL_TAKE(arena, state->is_immovable, count, "immovable marks", err);
    TAL_TAKE(arena, state->is_gone, count, "gone marks", err);
    TAL_TAKE(arena, state->rest, count, "marks of rest", err);
    TAL_TAKE(arena, state->trail, count, "trails", err);
    TAL_TAKE(arena, state->work.trail_now, count, "trails", err);
    TAL_TAKE(arena, state->work.is_calm, count, "calm marks", err);
    TAL_TAKE(arena, state->lead, count + 1, "times", err);
    TAL_TAKE(arena, state->work.is_standing, count + 1, "marks of those that stand", err);
    TAL_TAKE(arena, state->work.meeting, count, "meetings", err);
    TAL_TAKE(arena, state->work.support, count + 1, "points of support", err);
    TAL_TAKE(arena, state->work.reach, count, "reaches", err);
    TAL_TAKE(arena, state->work.reach_own, count, "reaches", err);
    TAL_TAKE(arena, state->work.reach_wide, count, "reaches", err);
    TAL_TAKE(arena, state->work.is_reach_new, count, "reaches", err);
    TAL_TAKE(arena, state->work.motion, count + 1, "motions", err);
    TAL_TAKE(arena, state->work.motion_before, count + 1, "motions before", err);
    TAL_TAKE(arena, state->work.motion_free, count + 1, "free motions", err);
    TAL_TAKE(arena, state->work.load, count + 1, "loads", err);
    TAL_TAKE(arena, state->work.displacement, count + 1, "displacements", err);
    TAL_TAKE(arena, state->work.inertia_world, count + 1, "inertias", err);
    TAL_TAKE(arena, state->work.contacts.work.motion_last, count + 1, "last motions", err);
    TAL_TAKE(arena, state->work.contacts.work.lane_motion, count + 1, "motions of lanes", err);
    TAL_TAKE(arena, state->work.contacts.work.lane_motion_last, count + 1, "motions of lanes", err);
    TAL_TAKE(arena, state->work.contacts.work.island_result, count, "island results", err);
    TAL_TAKE(arena, state->work.contacts.work.near_body, count, "hot bodies", err);
    TAL_TAKE(arena, state->work.contacts.work.is_near, count, "hot marks", err);
    TAL_TAKE(arena, state->work.contacts.work.batches.place, count, "places of batches", err);
    TAL_TAKE(arena, state->work.contacts.work.batches.room, count, "places of batches", err);
    state->work.contacts.work.batches.kernel = tal_batch_kernel_best();
    TAL_TAKE(arena, state->work.is_touched, count, "touch marks", err);
    TAL_TAKE(arena, state->work.used_colors, count, "color sets", err);
    TAL_TAKE(arena, state->work.island_parent, count, "island parents", err);
    TAL_TAKE(arena, state->work.island_of_body, count, "islands of bodies", err);
    TAL_TAKE(arena, state->work.island, count, "islands", err);
    TAL_TAKE(arena, state->work.island_body, count, "bodies of islands", err);
    TAL_TAKE(arena, state->work.is_rising, count, "island marks", err);
    TAL_TAKE(arena, state->work.is_restless, count, "island marks", err);
    TAL_TAKE(arena, state->work.island_energy, 3 * count, "island energies", err);
    return TAL_OK;
}

void tal_state_refresh_spins(const tal_model *model, tal_state *state) {
    for (int32_t b = 0; b < model->body_count; b++) {
        state->spin[b] =
            tal_rotation_velocity(model->inertia[b], state->orientation[b], state->momentum[b]);
    }
    tal_prescribed_follow(model, state);
}

static void start_bodies(const tal_model *model, tal_state *state) {
    for (int32_t b = 0; b < model->body_count; b++) {
        const bool fixed = model->is_immovable[b] != 0;
        state->rest[b].group = TAL_AWAKE;
        state->is_fixed[b] = model->is_fixed[b];
        state->is_immovable[b] = model->is_immovable[b];
        state->position[b] = model->start_position[b];
        state->orientation[b] = model->start_orientation[b];
        state->velocity[b] = fixed ? (tal_vec3){0} : model->start_velocity[b];
        state->momentum[b] = fixed ? (tal_vec3){0}
                                   : tal_rotation_momentum(model->inertia[b], state->orientation[b],
                                                           model->start_spin[b]);
    }
    state->work.is_standing[model->body_count] = 1;
    tal_state_refresh_spins(model, state);
}

static tal_status fill(tal_state *state, const tal_model *model, tal_error *err) {
    const size_t count = (size_t)model->body_count;
    TAL_TRY(tal_arena_create(&state->arena, count * 1024 + 65536, err));
    TAL_TRY(take_bodies(state, count, err));
    TAL_TAKE(&state->arena, state->work.reaction, (size_t)model->constraint_count, "reactions",
             err);
    start_bodies(model, state);
    TAL_TRY(tal_soft_create(model, state, err));
    TAL_TRY(tal_collider_create(&state->work.collider, &model->shapes, tal_model_terrain(model),
                                model->shape_of_body, model->body_count, err));
    tal_collider_set_passing(state->work.collider, model->class_of_body, model->class_count,
                             model->passes);
    tal_collider_set_excluded(state->work.collider, model->excluded, model->excluded_count);
    return TAL_OK;
}

tal_status tal_state_create(tal_state **state, const tal_model *model, int thread_count,
                            tal_error *err) {
    *state = NULL;
    if (thread_count < 1 || thread_count > 1024) {
        return TAL_FAIL(err, TAL_BAD_SETTING, "threads = %d must be between 1 and 1024",
                        thread_count);
    }
    tal_state *made;
    TAL_CREATE(made, 1, "a state", err);
    made->work.thread_count = thread_count;
    made->body_count = model->body_count;
    made->dt = model->settings.dt_s;
    const tal_status status = fill(made, model, err);
    if (status != TAL_OK) {
        tal_state_destroy(made);
        return status;
    }
    *state = made;
    return TAL_OK;
}

void tal_state_remove_body(tal_state *state, int32_t body) {
    TAL_ASSERT(body >= 0 && body < state->body_count);
    tal_wake(state, body);
    tal_wake_touching(state, body);
    state->is_gone[body] = 1;
    state->is_fixed[body] = state->is_immovable[body] = 1;
    state->work.load[body] = (tal_rigid_motion){0};
    state->lead[body] = 0.0;
    state->velocity[body] = (tal_vec3){0};
    state->momentum[body] = (tal_vec3){0};
    state->spin[body] = (tal_vec3){0};
}

void tal_state_set_motion(const tal_model *model, tal_state *state, int32_t body,
                          tal_vec3 velocity_mps, tal_vec3 spin_radps) {
    TAL_ASSERT(body >= 0 && body < state->body_count && state->is_gone[body] == 0);
    TAL_ASSERT(!model->is_immovable[body]);
    tal_wake(state, body);
    state->velocity[body] = velocity_mps;
    state->momentum[body] =
        tal_rotation_momentum(model->inertia[body], state->orientation[body], spin_radps);
    state->spin[body] = spin_radps;
}

bool tal_state_has_body(const tal_state *state, int32_t body) {
    TAL_ASSERT(body >= 0 && body < state->body_count);
    return state->is_gone[body] == 0;
}

void tal_state_destroy(tal_state *state) {
    if (state == NULL) {
        return;
    }
    tal_collider_destroy(state->work.collider);
    tal_manifolds_destroy(&state->work.list);
    tal_manifolds_destroy(&state->work.list_added);
    tal_contacts *set = &state->work.contacts;
    void *const array[] = {set->pair,
                           set->roll,
                           set->edge,
                           set->color,
                           set->by_color,
                           set->order,
                           set->color_end,
                           set->pair_of_manifold,
                           set->first_remembered,
                           set->contact,
                           set->more,
                           set->moment,
                           set->bonded,
                           set->work.change,
                           set->work.last,
                           set->work.error,
                           set->work.change_sum,
                           set->work.listed,
                           set->work.is_listed,
                           set->work.batches.batch,
                           set->work.batches.point,
                           set->work.batches.percussion,
                           set->work.batches.course,
                           set->work.batches.opening,
                           state->memory.pair,
                           state->memory.point,
                           state->work.soft_site,
                           state->work.soft_response};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        tal_memory_destroy(array[k]);
    }
    tal_arena_destroy(&state->arena);
    tal_memory_destroy(state);
}

tal_collide_input tal_state_collide_input(const tal_model *model, const tal_state *state) {
    return (tal_collide_input){.shapes = &model->shapes,
                               .terrain = tal_model_terrain(model),
                               .body_count = model->body_count,
                               .shape_of_body = model->shape_of_body,
                               .position = state->position,
                               .orientation = state->orientation,
                               .reach = state->work.reach,
                               .is_fixed = state->is_immovable,
                               .thread_count = state->work.thread_count};
}

// Reaches are still zero: only what overlaps is found.
tal_status tal_state_find_overlaps(const tal_model *model, tal_state *state, tal_manifolds *found,
                                   tal_error *err) {
    tal_collide_input input = tal_state_collide_input(model, state);
    input.is_fixed = model->is_immovable;
    input.thread_count = 1;
    return tal_collide(state->work.collider, &input, found, err);
}

static bool is_finite(tal_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_body_valid(const tal_model *model, const tal_state *state, int32_t b) {
    const tal_quat q = state->orientation[b];
    const double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    const int32_t group = state->rest[b].group;
    const bool stands = state->is_gone[b] != 0 || group != TAL_AWAKE || model->is_fixed[b] != 0;
    return is_finite(state->position[b]) && is_finite(state->velocity[b]) &&
           is_finite(state->momentum[b]) && is_finite(state->spin[b]) && fabs(norm - 1.0) < 1e-9 &&
           group >= TAL_AWAKE && group < state->body_count && (state->is_fixed[b] != 0) == stands &&
           (state->is_immovable[b] != 0) == (stands || model->is_immovable[b] != 0) &&
           (!stands || tal_vec3_length(state->velocity[b]) == 0.0);
}

bool tal_state_is_valid(const tal_model *model, const tal_state *state) {
    for (int32_t b = 0; b < state->body_count; b++) {
        if (!is_body_valid(model, state, b)) {
            return false;
        }
    }
    return isfinite(state->time) && tal_memory_is_valid(&state->memory) &&
           tal_soft_is_valid(model, state);
}

double tal_state_time(const tal_state *state) {
    return state->time;
}
const tal_vec3 *tal_state_positions(const tal_state *state) {
    return state->position;
}
const tal_quat *tal_state_orientations(const tal_state *state) {
    return state->orientation;
}
const tal_vec3 *tal_state_velocities(const tal_state *state) {
    return state->velocity;
}
const tal_vec3 *tal_state_spins(const tal_state *state) {
    return state->spin;
}

tal_vec3 tal_state_reaction_n(const tal_state *state, int32_t constraint) {
    return tal_vec3_scale(state->work.reaction[constraint], 1.0 / state->dt);
}

static tal_vec3 arm_of(const tal_state *state, int32_t body, tal_vec3 point) {
    TAL_ASSERT(body >= 0 && body < state->body_count);
    return tal_quat_rotate(state->orientation[body], point);
}

tal_vec3 tal_state_point_m(const tal_state *state, int32_t body, tal_vec3 point_m) {
    return tal_vec3_add(state->position[body], arm_of(state, body, point_m));
}

tal_vec3 tal_state_point_velocity_mps(const tal_state *state, int32_t body, tal_vec3 point_m) {
    return tal_vec3_add(state->velocity[body],
                        tal_vec3_cross(state->spin[body], arm_of(state, body, point_m)));
}

tal_body_energy tal_state_body_energy(const tal_model *model, const tal_state *state,
                                      int32_t body) {
    const tal_solver_settings *s = &model->settings;
    const tal_vec3 v = state->velocity[body];
    const double ahead = s->scheme == TAL_SCHEME_MOREAU ? 0.0 : 0.5 * s->dt_s;
    const tal_vec3 at = tal_vec3_add_scaled(state->position[body], ahead, v);
    const tal_energy own = tal_soft_energy(model, state, body);
    return (tal_body_energy){.kinetic_translation_j = 0.5 * model->mass[body] * tal_vec3_dot(v, v),
                             .kinetic_rotation_j =
                                 0.5 * tal_vec3_dot(state->momentum[body], state->spin[body]),
                             .potential_j = -model->mass[body] * tal_vec3_dot(s->gravity_mps2, at),
                             .kinetic_deformation_j = own.deformation,
                             .strain_j = own.strain};
}

tal_vec3 tal_state_angular_momentum(const tal_state *state, int32_t body) {
    TAL_ASSERT(body >= 0 && body < state->body_count);
    return state->momentum[body];
}

void tal_state_wake(tal_state *state) {
    for (int32_t b = 0; b < state->body_count; b++) {
        tal_wake(state, b);
    }
}

uint64_t tal_state_hash(const tal_state *state) {
    const size_t count = (size_t)state->body_count;
    uint64_t hash = tal_hash_bytes(TAL_HASH_START, &state->time, sizeof state->time);
    hash = tal_hash_bytes(hash, state->position, count * sizeof *state->position);
    hash = tal_hash_bytes(hash, state->orientation, count * sizeof *state->orientation);
    hash = tal_hash_bytes(hash, state->velocity, count * sizeof *state->velocity);
    hash = tal_hash_bytes(hash, state->momentum, count * sizeof *state->momentum);
    hash = tal_hash_bytes(hash, state->lead, count * sizeof *state->lead);
    const size_t size = 3 * (size_t)state->soft_node_count * sizeof *state->soft_field;
    hash = size > 0 ? tal_hash_bytes(hash, state->soft_field, size) : hash;
    return size > 0 ? tal_hash_bytes(hash, state->soft_rate, size) : hash;
}

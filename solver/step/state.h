// SPDX-License-Identifier: GPL-3.0-or-later
// The state: what moves, and the memory of a step.
#ifndef TALUS_SOLVER_STEP_STATE_H
#define TALUS_SOLVER_STEP_STATE_H

#include "core/base/arena.h"
#include "solver/deformable/soft_body.h"
#include "solver/detect/collide.h"
#include "solver/percussion/coloring.h"
#include "solver/percussion/contact_solver.h"
#include "solver/step/model.h"

// Percussions of the last step by pair and feature: the next step starts from them.
typedef struct {
    uint64_t identity;
    double normal;
    tal_vec3 tangential; // world axes
    double bonded;       // 1 while the cohesion of this point holds
} tal_memory_point;

typedef struct {
    int32_t body_i, body_j;
    int32_t first_point, point_count;
    tal_vec3 moment; // world axes (percussion/roll.h)
} tal_memory_pair;

typedef struct {
    int32_t pair_count, pair_capacity;
    int32_t point_count, point_capacity;
    tal_memory_pair *pair; // sorted as the manifolds: by bodies
    tal_memory_point *point;
    double dt; // of the step they come from; 0: none yet
} tal_contact_memory;

// Whether a body moves (rest.h).
typedef struct {
    int32_t group;       // a body of the island it came to rest with, or TAL_AWAKE
    int32_t still_steps; // since it last moved
    double depth;        // deepest penetration of a body at rest, and into whom
    int32_t partner;
    int32_t unused;
    double hung_s;    // how long it hangs on the same points (hang.h)
    uint64_t hung_on; // which, folded
} tal_rest;

// What a body carries along from its way (motion/trail.h).
typedef struct {
    double scar;  // length of the scar, m
    double decay; // how fast it is forgotten in flight, 1/s
    double drag;  // of the ground that it touched last, 1/s; 0 in flight
    double slid;  // way it slid over all surfaces, m
} tal_trail;

// The first blow of a body within a step, and how long it may go on towards it (meet.h).
typedef struct {
    double time;              // until the blow; INFINITY: none
    int32_t pair, limit_pair; // of the blow; of the nearest limit
    double limit,
        limit_next; // until it would sink into something: the nearest pair, and all others
    bool can_go_on; // nothing holds it, and it moves
} tal_meeting;

// The points of a body that carry a percussion (motion/hang.h).
typedef struct {
    int32_t points, held;
    double borne; // normal percussion of all, N s
    uint64_t on;  // which, folded
} tal_support;

// Whether a contact would close within the step, and whether it strikes (tal_judge_point).
enum { TAL_CLOSES = 1, TAL_STRIKES = 2 };

// Contacts of the step, in sweep order. Grown when needed, never shrunk.
typedef struct {
    int32_t pair_capacity, contact_capacity;
    tal_pair *pair;
    tal_roll *roll;     // by pair
    tal_edge *edge;     // by manifold
    uint8_t *color;     // by manifold
    int32_t *by_color;  // manifold numbers by color
    int32_t *order;     // and by island, then color
    int32_t *color_end; // of each island
    int32_t *pair_of_manifold;
    int32_t *first_remembered; // by manifold: where its bodies begin in the memory
    tal_contact *contact;
    tal_law_more *more; // by contact: of those that have it, most pages stay unused
    uint8_t *moment;    // by contact: TAL_CLOSES, TAL_STRIKES
    uint8_t *bonded;    // 1 while the cohesion of this point holds
    tal_coloring coloring;
    tal_solver_work work;
} tal_contacts;

// Scratch of a step: nothing of it has to outlive the step.
typedef struct {
    int thread_count;
    double piece_start, piece_end; // times of the piece of a step being made
    double piece_dt;               // its length

    // Detection: by the last query (owned by the collider); listed for the step, by bodies; to be added to those.
    tal_collider *collider;
    tal_manifolds found, list, list_added;
    double *reach;
    double *reach_own, *reach_wide; // within this piece: without and with what was passed on
    uint8_t *is_reach_new;          // since the last search of contacts

    // The look ahead.
    tal_vec3 *position_ahead; // a step later, if nothing else happens
    tal_quat *orientation_ahead;
    uint8_t *is_calm;

    uint8_t *is_standing; // moves by nothing that counts within the step; the ground: 1
    tal_meeting *meeting; // of each body
    tal_support *support; // of each body and the ground

    // The contact problem. One body more than there are: the ground.
    tal_rigid_motion *motion;        // being solved
    tal_rigid_motion *motion_before; // u-
    tal_rigid_motion *motion_free;   // without percussions
    tal_rigid_motion *load;          // what series and point forces add to u-, of loaded bodies
    tal_inertia *inertia_world;
    tal_contacts contacts;
    tal_percussion_problem problem;
    tal_general_body *general; // of the soft bodies, as the next
    tal_soft_site *soft_site;  // two per contact
    int32_t soft_site_capacity;
    double *soft_response; // of all sites
    size_t soft_response_capacity;

    // Islands.
    uint64_t *used_colors;
    int32_t *island_parent;
    int32_t *island_of_body; // -1: touches nothing
    tal_island *island;
    int32_t *island_body;  // bodies by island
    uint8_t *is_rising;    // per island
    uint8_t *is_restless;  // per island
    double *island_energy; // three per island: work of contacts, bound, slack

    tal_vec3 *reaction;   // percussion of each constraint on its first body, in the step so far
    tal_trail *trail_now; // what bodies touch in this piece: scar > 0 if a ground that keeps it

    // The position correction: metres and radians, not velocities.
    tal_rigid_motion *displacement;
    uint8_t *is_touched;
} tal_workspace;

struct tal_state {
    // What moves: with the model all that the next step depends on, and what a checkpoint holds.
    double time;
    uint64_t step;
    int32_t body_count;
    double dt; // of the model
    tal_vec3 *position;
    tal_quat *orientation;
    tal_vec3 *velocity;
    tal_vec3 *momentum; // angular, world axes: constant in free flight
    tal_vec3 *spin;     // follows from momentum and orientation
    double *lead;       // time by which a body is ahead of the clock (meet.h); the ground: 0
    uint8_t *is_gone;   // taken out: touches nothing and stays where it was
    tal_rest *rest;
    tal_trail *trail;
    uint8_t *is_fixed;              // stands still: by the model, gone, or at rest
    uint8_t *is_immovable;          // by percussions: fixed, or follows a series
    int32_t soft_body_count;        // bodies that deform
    int32_t soft_node_count;        // of all of them
    double *soft_field, *soft_rate; // their nodes, one body after the other
    int32_t soft_element_count;     // of all bodies whose tension is watched
    double *soft_stress;            // their mean stresses over time, 6 numbers per element
    tal_tension *soft_tension;      // per body that deforms
    int32_t weak_plane_count;
    tal_tension *weak_tension; // per plane of weakness: across it
    double *blow_until;        // one number: until then steps are cut (deformable/pieces.h)
    tal_soft_body *soft;
    tal_contact_memory memory;

    tal_workspace work;
    tal_arena arena; // of all body arrays
};

// NULL for rigid bodies and the ground.
static inline tal_soft_body *tal_soft_of(const tal_model *model, const tal_state *state,
                                         int32_t body) {
    return tal_is_soft(model, body) ? &state->soft[model->soft_of_body[body]] : NULL;
}

static inline const tal_law_traits *tal_traits(const tal_model *model, const tal_pair *pair) {
    return tal_law_traits_of(model->law[pair->law].kind);
}

// A contact of a pair as it was detected: where, how far apart, and what it is called from step to step.
static inline const tal_contact_point *tal_listed_point(const tal_state *state,
                                                        const tal_pair *pair, int32_t contact) {
    const tal_manifolds *list = &state->work.list;
    const int32_t first = list->manifold[pair->manifold].first_point;
    return &list->point[first + contact - pair->first_contact];
}
static inline uint64_t tal_identity(const tal_state *state, const tal_pair *pair, int32_t contact) {
    return tal_listed_point(state, pair, contact)->identity;
}
static inline double tal_listed_gap(const tal_state *state, const tal_pair *pair, int32_t contact) {
    return tal_listed_point(state, pair, contact)->gap;
}

static inline bool tal_closes(const tal_state *state, int32_t contact) {
    return (state->work.contacts.moment[contact] & TAL_CLOSES) != 0;
}
static inline bool tal_strikes(const tal_state *state, int32_t contact) {
    return (state->work.contacts.moment[contact] & TAL_STRIKES) != 0;
}

// What is deep in a spring is its deflection, not a penetration.
static inline bool tal_is_spring(const tal_model *model, const tal_pair *pair) {
    return tal_traits(model, pair)->is_spring;
}

// A row of a constraint, not a contact.
static inline bool tal_is_joint(const tal_model *model, const tal_pair *pair) {
    return pair->law == model->class_count * model->class_count;
}

// How many there may be once those that a look ahead adds have joined (percussion/extend.h).
static inline int32_t tal_pairs_with_room(int32_t count) {
    return count + count / 8 + 16;
}
static inline int32_t tal_contacts_with_room(int32_t count) {
    return count + count / 8 + 8 * 16;
}

// Finite poses and velocities, unit quaternions; what is gone or at rest stands still.
bool tal_state_is_valid(const tal_model *model, const tal_state *state);

// Angular velocities from momenta and orientations.
void tal_state_refresh_spins(const tal_model *model, tal_state *state);

tal_status tal_contacts_reserve(tal_contacts *set, int32_t pair_count, int32_t contact_count,
                                tal_error *err);
// What of the sweeps and the correction is large goes back to the system; the next step begins them anew. And what
// contacts had beyond dry friction, before they are prepared: few have it, now here, now there, and their pages would
// add up from step to step.
void tal_contacts_forget_sweeps(tal_contacts *set);
void tal_contacts_forget_more(tal_contacts *set);
tal_status tal_manifolds_reserve(tal_manifolds *list, int32_t manifold_count, int32_t point_count,
                                 tal_error *err);
// The same, but what is listed stays.
tal_status tal_manifolds_grow(tal_manifolds *list, int32_t manifold_count, int32_t point_count,
                              tal_error *err);
// What is remembered stays.
tal_status tal_contact_memory_reserve(tal_contact_memory *memory, int32_t pair_count,
                                      int32_t point_count, tal_error *err);

// What detection is asked in this state.
tal_collide_input tal_state_collide_input(const tal_model *model, const tal_state *state);

#endif

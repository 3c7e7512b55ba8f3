// SPDX-License-Identifier: GPL-3.0-or-later
// The solver as a library: describe a scene by arrays, make a model of it, make a state, step it,
// read poses, velocities and the energy book. Models are constant: threads and runs may share one.
#ifndef TALUS_SOLVER_H
#define TALUS_SOLVER_H

#include "core/base/laws.h"
#include "core/base/math3_types.h"
#include "core/base/status.h"
#include "solver/include/talus_shape.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tal_model tal_model;   // all that is constant in a run
typedef struct tal_state tal_state;   // all that moves
typedef struct tal_ground tal_ground; // ground that several models share

// How two surfaces answer a percussion (docs/theory/solver.md, "Laws").
// TAL_LAW_NONE: not given, an error if two such surfaces can meet. TAL_LAW_COULOMB and the others are
// listed in core/base/laws.h.
typedef enum {
    TAL_LAW_NONE = 0,
#define TAL_LAW_ENUMERATOR(X, kind, number, id, word) TAL_LAW_##kind = (number),
    TAL_LAW_LIST(TAL_LAW_ENUMERATOR, ) TAL_LAW_LIST_OF_LIBRARY(TAL_LAW_ENUMERATOR, )
#undef TAL_LAW_ENUMERATOR
} tal_law_kind;

typedef struct {
    tal_law_kind kind;
    double friction;               // mu >= 0
    double restitution;            // normal rebound ratio of an impact, [0, 1]
    double tangential_restitution; // tangential velocity ratio of an impact, [-1, 1]; 1: no loss
    bool dissipation_in_kg;        // take kn_kg, kt_kg instead of the two ratios
    double kn_kg, kt_kg;           // per touching pair, shared by its points
    double cohesion_pa;            // tensile strength of pairs that touch at the start
    double stiffness_n_m;          // penalty, per touching pair
    double damping_n_s_m;
} tal_law;

typedef enum {
    TAL_SCHEME_MOREAU, // half drift, contacts, percussions, half drift
    TAL_SCHEME_ACD2    // drift, contacts, percussions
} tal_scheme;

typedef struct {
    double dt_s;
    tal_vec3 gravity_mps2;
    tal_scheme scheme;
    double tolerance;        // of the percussions, relative
    int iteration_max;       // sweeps per step
    double impact_speed_mps; // slower contacts neither rebound nor dissipate by kn, kt
    double correction;       // share of a penetration that is removed per step, [0, 1]
    double slop;             // penetration left alone, share of the smallest edge
    double overlap_max;      // initial overlap up to this share of the smaller width is accepted
    double ground_overlap_max_m; // and into the ground, whose surface is only so exact, this much
    int substep_max;             // a fast step is cut into at most so many pieces
    int rest_steps; // bodies that do not move for so many are left alone until touched; 0: never
} tal_solver_settings;

// What the programs take where a site file says nothing.
tal_solver_settings tal_solver_settings_default(void);

// A body whose velocity is given: linear between the entries, before the first and after the last it
// stays what these say (so one entry is a constant velocity). Times never fall; two equal ones make a
// jump, and the later of them counts from that time on. Percussions do not move such a body, and
// it meets neither the ground nor others that no percussion moves.
typedef struct {
    int32_t body, count;
    const double *time_s;
    const tal_vec3 *velocity_mps; // of the centroid; NULL: none
    const tal_vec3 *spin_radps;   // world axes; NULL: none
} tal_motion_series;

// A force, constant in world axes, at a point that moves with its body, from start_s to end_s.
typedef struct {
    int32_t body;
    tal_vec3 force_n;
    tal_vec3 torque_nm; // on top of that of the force
    tal_vec3 point_m;   // from the centroid, body axes
    double start_s, end_s;
} tal_point_force;

// Everything is copied. Positions are centroids; orientations turn principal body axes to world.
typedef struct {
    int32_t shape_count;
    const tal_shape_input *shape;

    int32_t terrain_vertex_count; // 0: no ground
    const tal_vec3 *terrain_vertex_m;
    int32_t terrain_triangle_count;
    const int32_t *terrain_triangle;
    const int32_t *terrain_class; // per triangle
    const tal_ground *ground;     // instead of the five above; it must outlive the model

    int32_t body_count;
    const int32_t *body_shape;
    const int32_t *body_class;
    const uint8_t *body_fixed; // NULL: all move
    const double *mass_kg;
    const tal_vec3 *inertia_kg_m2; // principal moments
    const tal_vec3 *position_m;
    const tal_quat *orientation;
    const tal_vec3 *velocity_mps; // NULL: at rest
    const tal_vec3 *spin_radps;   // world axes; NULL: at rest

    int32_t prescribed_count; // at most one per body; their velocities above are not used
    const tal_motion_series *prescribed;
    int32_t force_count; // any number per body
    const tal_point_force *force;

    int32_t class_count;
    const tal_law *law; // class_count x class_count, symmetric

    tal_solver_settings settings;
} tal_model_input;

// The terrain of `input`, of which nothing else is read: thousands of small models on one ground cost
// what their bodies cost.
tal_status tal_ground_create(tal_ground **ground, const tal_model_input *input, tal_error *err);
void tal_ground_destroy(tal_ground *ground);
// Of the highest triangle there; NaN beyond the rim.
double tal_ground_height(const tal_ground *ground, double x_m, double y_m);

// Checks everything first and reports all faults together.
tal_status tal_model_create(tal_model **model, const tal_model_input *input, tal_error *err);
void tal_model_destroy(tal_model *model);

// The state at the start. `thread_count` changes the time it takes, never a bit of the result.
tal_status tal_state_create(tal_state **state, const tal_model *model, int thread_count,
                            tal_error *err);
void tal_state_destroy(tal_state *state);

// What happened in one step. Energies in joules; E = kinetic + potential at the end of the step.
typedef struct {
    double time_s;
    int substeps;
    double kinetic_translation_j;
    double kinetic_rotation_j;
    double potential_j;
    double dissipated_normal_j;     // - sum of R_N x_N
    double dissipated_tangential_j; // - sum of R_T . x_T, and what bodies laid to rest had left
    double correction_j;            // potential energy moved by the position correction and by rest
    double applied_j;               // work of prescribed bodies and point forces on the others
    double energy_defect_j;         // change of E not explained by the lines above: rounding only
    double energy_rise_bound_j;     // sum of m (g dt + kick of the loads)^2 / 8
    double clausius_duhem_worst_j;  // largest R . x at a contact whose law forbids R . x > 0
    double opposed_worst_j;         // largest R_T . d_T+ at a dry-friction contact
    int32_t manifold_count;         // this and the next two: those at rest included
    int32_t contact_count;          // points
    int32_t active_count;           // points that carry a percussion
    int32_t impact_count;
    int32_t color_count; // this and the next: of what moves
    int32_t island_count;
    int32_t islands_resolved; // solved again without rebound, because energy rose
    int32_t islands_finished; // solved by the finisher, because the sweeps ran out
    int iterations;
    double residual;           // relative, measured on the percussions that were applied
    int32_t unconverged_count; // points above the tolerance when the sweeps ran out
    double penetration_m;      // deepest, springs (penalty) left out
    int32_t penetration_body_i, penetration_body_j;
} tal_report;

tal_status tal_step(const tal_model *model, tal_state *state, tal_report *report, tal_error *err);

// Read access: one entry per body, valid until the state is destroyed.
int32_t tal_model_body_count(const tal_model *model);
double tal_state_time(const tal_state *state);
const tal_vec3 *tal_state_positions(const tal_state *state);
const tal_quat *tal_state_orientations(const tal_state *state);
const tal_vec3 *tal_state_velocities(const tal_state *state);
const tal_vec3 *tal_state_spins(const tal_state *state); // world axes

// Takes a body out between two steps (it left the terrain): it keeps its place, touches nothing and no
// longer counts in the energies. There is no way back.
void tal_state_remove_body(tal_state *state, int32_t body);
bool tal_state_has_body(const tal_state *state, int32_t body);

// Gives a body another velocity and spin (world axes) between two steps: what took or gave them is not
// part of the scene, and the next report's energies begin with them. A body at rest is woken.
void tal_state_set_motion(const tal_model *model, tal_state *state, int32_t body,
                          tal_vec3 velocity_mps, tal_vec3 spin_radps);

// A number that differs when any bit of poses, velocities or time differs.
uint64_t tal_state_hash(const tal_state *state);

// The complete state in a file; going on from it gives the same bits as never having stopped.
tal_status tal_checkpoint_write(const tal_model *model, const tal_state *state, const char *path,
                                tal_error *err);
tal_status tal_checkpoint_read(const tal_model *model, tal_state *state, const char *path,
                               tal_error *err);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The solver as a library: describe a scene by arrays, make a model of it, make a state, step it,
// read poses, velocities and the energy book. Models are constant: threads and runs may share one.
#ifndef TALUS_SOLVER_H
#define TALUS_SOLVER_H

#include "core/base/laws.h"
#include "core/base/math3_types.h"
#include "core/base/status.h"
#include "solver/include/talus_shape.h"
#include "solver/include/talus_solid.h"

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
    double rolling_friction;    // moment / (R_N x inner radius of the body): resistance to rolling
    double friction_max;        // scar: that of a deep scar; `friction` is that of none
    double scar_growth_per_m;   // how fast friction rises with the way gone in contact
    double scar_decay_per_s;    // how fast a scar is forgotten in flight
    double drag_per_s;          // deceleration by soft ground over speed, while in contact
    double plastic_energy_j_m2; // energy per area that halves the rebound; 0: any energy rebounds
    double friction_fast;       // speed-weakening: that of fast sliding
    double weakening_speed_mps; // and the speed that takes half of the way to it
    double friction_worn;       // slip-weakening: that of what has slid far
    double weakening_slip_m;    // and the way that takes all but 1/e of it
    double
        turbulence_mps2; // speed-weakening: Voellmy's xi, drag with the square of the speed; 0: none
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
    tal_elastic_scheme elastic_scheme; // of bodies that deform; the next three are, too
    double blow_dt_s;   // a step in which one is struck is cut into pieces no longer; 0: not cut
    bool watch_tension; // keep their largest tensile stresses (tal_state_tension)
    double tension_length_m; // over which these are averaged; 0: a quarter of a body's width
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

// What holds a point of a body, or two points of two bodies, together or apart.
typedef enum {
    TAL_HOLD_POINT,     // the two points stay together
    TAL_HOLD_DIRECTION, // along `direction` they stay as far apart as at the start, or follow a drive
    TAL_HOLD_LINK       // their distance stays within [least_m, most_m]
} tal_hold;

// What a series of a driven direction says of the point: both are counted from the start, and of an
// acceleration the velocity from that of the start.
typedef enum {
    TAL_DRIVE_NONE,
    TAL_DRIVE_DISPLACEMENT, // m; 0 at time 0
    TAL_DRIVE_VELOCITY,     // m/s
    TAL_DRIVE_ACCELERATION  // m/s^2
} tal_drive;

typedef struct {
    tal_hold hold;
    int32_t body_i, body_j; // TAL_BODY_TERRAIN as body_j: space
    tal_vec3 point_i_m;     // from the centroid, body axes
    tal_vec3 point_j_m; // likewise; in space, world axes (links only: else where i is at the start)
    tal_vec3 direction; // of any length, world axes
    tal_drive drive;    // of a direction against space
    int32_t count;      // entries of the series: linear between them, constant outside
    const double *time_s;
    const double *value;
    double least_m, most_m; // of a link; both 0: rigid, as long as at the start
} tal_constraint;

// A set of parallel planes along which a body that deforms is weak: a joint. They run through it everywhere.
typedef struct {
    int32_t body;
    tal_vec3 normal;    // a unit vector, body axes
    double strength_pa; // tension across the planes that the body bears
} tal_weak_plane;

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

    int32_t solid_count; // 0: all bodies are rigid
    const tal_solid_input *solid;
    const int32_t *body_solid; // -1: rigid; bodies of one solid have the same mass and inertia
    int32_t weak_plane_count;  // in the order of their bodies, which deform
    const tal_weak_plane *weak_plane;

    int32_t prescribed_count; // at most one per body; their velocities above are not used
    const tal_motion_series *prescribed;
    int32_t force_count; // any number per body
    const tal_point_force *force;
    int32_t constraint_count;
    const tal_constraint *constraint;
    int32_t excluded_count;  // pairs without contact
    const int32_t *excluded; // two bodies each, or a body and TAL_BODY_TERRAIN

    // Gravity that changes with time: linear between the entries, constant outside. The potential energy
    // is that of settings.gravity_mps2, and the work of the rest is applied. 0: constant.
    int32_t gravity_count;
    const double *gravity_time_s;
    const tal_vec3 *gravity_mps2;

    int32_t class_count;
    const tal_law *law; // class_count x class_count, symmetric

    bool is_under_way; // bodies are taken as they are, also where they overlap (tal_state_continue)
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
const tal_ground *tal_model_ground(const tal_model *model); // NULL: none

// Another law for two classes, between steps and while nobody else uses the model. The new one must
// pass (go through) if and only if the old one did. States have to be woken: what rests on the old law
// would not notice. Checkpoints of before belong to the model as it was.
tal_status tal_model_set_law(tal_model *model, int32_t class_i, int32_t class_j, const tal_law *law,
                             tal_error *err);

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
    double kinetic_deformation_j; // of bodies that deform, on top of that of their frames
    double strain_j;
    double dissipated_normal_j;     // - sum of R_N x_N
    double dissipated_tangential_j; // - sum of R_T . x_T, and what bodies laid to rest had left
    double dissipated_material_j;   // damping of bodies that deform, and what their scheme loses
    double correction_j;            // potential energy moved by the position correction and by rest
    double applied_j;               // work of prescribed bodies, forces and changing gravity
    double constraint_j;        // work of constraints: of drives, and of blows on links with a gap
    double energy_defect_j;     // change of E not explained by the lines above: rounding only
    double energy_rise_bound_j; // sum of m (g dt + kick of the loads)^2 / 8
    double clausius_duhem_worst_j; // largest R . x at a contact whose law forbids R . x > 0
    double opposed_worst_j;        // largest R_T . d_T+ at a dry-friction contact
    int32_t manifold_count;        // this and the next two: those at rest included
    int32_t contact_count;         // points
    int32_t active_count;          // points that carry a percussion
    int32_t impact_count;
    int32_t color_count; // this and the next: of what moves
    int32_t island_count;
    int32_t islands_resolved; // solved again without rebound, because energy rose
    int32_t islands_finished; // solved by the finisher, because the sweeps ran out
    double regularisation;    // most that the finisher added to W in a step, in mean inverse masses
    int iterations;
    int settling_rounds;       // solutions again, because bodies deform by much
    double residual;           // relative, measured on the percussions that were applied
    int32_t unconverged_count; // points above the tolerance when the sweeps ran out
    double penetration_m;      // deepest, springs (penalty) left out
    int32_t penetration_body_i, penetration_body_j; // the latter may be TAL_BODY_TERRAIN
} tal_report;

tal_status tal_step(const tal_model *model, tal_state *state, tal_report *report, tal_error *err);

// Read access: one entry per body, valid until the state is destroyed.
int32_t tal_model_body_count(const tal_model *model);
int32_t tal_model_constraint_count(const tal_model *model);
double tal_state_time(const tal_state *state);
const tal_vec3 *tal_state_positions(const tal_state *state);
const tal_quat *tal_state_orientations(const tal_state *state);
const tal_vec3 *tal_state_velocities(const tal_state *state);
const tal_vec3 *tal_state_spins(const tal_state *state); // world axes

// Mean force of constraint n on its body i over the last step, world axes; 0 before the first.
tal_vec3 tal_state_reaction_n(const tal_state *state, int32_t constraint);

// A point of a body, given from the centroid in body axes: where it is and how fast.
tal_vec3 tal_state_point_m(const tal_state *state, int32_t body, tal_vec3 point_m);
tal_vec3 tal_state_point_velocity_mps(const tal_state *state, int32_t body, tal_vec3 point_m);

// Energies of one body; the potential one as in tal_report.
typedef struct {
    double kinetic_translation_j, kinetic_rotation_j, potential_j;
    double kinetic_deformation_j, strain_j; // of one that deforms
} tal_body_energy;
tal_body_energy tal_state_body_energy(const tal_model *model, const tal_state *state, int32_t body);

// Angular momentum of a body about its centroid, world axes.
tal_vec3 tal_state_angular_momentum(const tal_state *state, int32_t body);

// Wakes all that rests.
void tal_state_wake(tal_state *state);

// The contacts of the last step, those of constraints and of bodies at rest left out: at its midpoint.
typedef struct {
    int32_t body_i, body_j; // the latter may be TAL_BODY_TERRAIN
    tal_vec3 point_m;
    tal_vec3 normal;        // from j to i
    tal_vec3 percussion_ns; // on i
    double gap_m;           // negative: penetration
} tal_contact_record;

// Writes at most `capacity` of them; returns how many there are.
int32_t tal_state_contacts(const tal_state *state, tal_contact_record *contact, int32_t capacity);

// Time histories: a table that grows by a row per call, time first, and holds nothing else.
typedef enum {
    TAL_CHANNEL_DISPLACEMENT, // of a point of a body since the start, along an axis
    TAL_CHANNEL_VELOCITY,     // of a point of a body, along an axis
    TAL_CHANNEL_KINETIC,      // energy of a body
    TAL_CHANNEL_POTENTIAL,    // energy of a body
    TAL_CHANNEL_REACTION,     // of a constraint, along an axis
    TAL_CHANNEL_TENSION,      // largest principal stress at a point of a body that deforms
    TAL_CHANNEL_VON_MISES,    // equivalent stress at a point of a body that deforms
    TAL_CHANNEL_KINDS
} tal_channel_kind;

typedef struct {
    tal_channel_kind kind;
    int32_t number;   // of the body or constraint
    int axis;         // 0, 1, 2: x, y, z
    tal_vec3 point_m; // from the centroid, body axes
} tal_channel;

typedef struct tal_history tal_history;
tal_status tal_history_create(tal_history **history, const tal_model *model,
                              const tal_channel *channel, int32_t channel_count, tal_error *err);
void tal_history_destroy(tal_history *history);
tal_status tal_history_record(tal_history *history, const tal_model *model, const tal_state *state,
                              tal_error *err);

// 1 + channel_count numbers per row; valid until the next call of tal_history_record.
const double *tal_history_rows(const tal_history *history, int64_t *row_count);
// Nodes of a body that deforms: how many (0: it is rigid), and where one of them is.
int32_t tal_model_node_count(const tal_model *model, int32_t body);
tal_vec3 tal_state_node_position(const tal_model *model, const tal_state *state, int32_t body,
                                 int32_t node);
tal_vec3 tal_state_node_velocity(const tal_model *model, const tal_state *state, int32_t body,
                                 int32_t node);

// Mean stress of an element of a body that deforms; world axes, tension is positive.
typedef struct {
    tal_mat3 tensor_pa;
    double tension_pa;  // largest principal stress
    tal_vec3 direction; // of it, a unit vector
    double von_mises_pa;
    tal_vec3 place_m; // the middle of the element
} tal_stress;
int32_t tal_model_element_count(const tal_model *model, int32_t body); // 0: it is rigid
tal_stress tal_state_element_stress(const tal_model *model, const tal_state *state, int32_t body,
                                    int32_t element);
// The element whose middle is nearest to a point, given from the centroid in body axes; -1: it is rigid.
int32_t tal_model_element_at(const tal_model *model, int32_t body, tal_vec3 point_m);
// The element of a body with the largest principal stress; a rigid body has none (-infinity).
tal_stress tal_state_largest_tension(const tal_model *model, const tal_state *state, int32_t body);
// Time in which a pressure wave crosses a body that deforms, and the longest step that resolves a blow on
// it: a quarter of that. Stresses of blows in longer steps mean little.
double tal_model_transit_s(const tal_model *model, int32_t body);
double tal_model_blow_dt_s(const tal_model *model, int32_t body);

// The largest tensile stress of a body since the start, as mean over a length (tension_length_m) and over
// the transit time, so that it depends neither on the mesh nor on the step. Only steps that resolve a
// blow count. With settings.watch_tension.
typedef struct {
    double tension_pa; // 0: none yet
    double time_s;
    tal_vec3 place_m;   // where the middle of the element was
    tal_vec3 direction; // of the tension
    double missed_dt_s; // longest step in which a blow on it was not resolved; 0: none
} tal_tension;
tal_tension tal_state_tension(const tal_model *model, const tal_state *state, int32_t body);
// The planes of weakness of a body, and the largest tension across one of them (number 0 to count - 1).
int32_t tal_model_weak_planes(const tal_model *model, int32_t body, const tal_weak_plane **first);
tal_tension tal_state_tension_across(const tal_model *model, const tal_state *state, int32_t body,
                                     int32_t number);

// Takes a body out between two steps (it left the terrain): it keeps its place, touches nothing and no
// longer counts in the energies. There is no way back.
void tal_state_remove_body(tal_state *state, int32_t body);
bool tal_state_has_body(const tal_state *state, int32_t body);

// Gives a body another velocity and spin (world axes) between two steps: what took or gave them is not
// part of the scene, and the next report's energies begin with them. A body at rest is woken.
void tal_state_set_motion(const tal_model *model, tal_state *state, int32_t body,
                          tal_vec3 velocity_mps, tal_vec3 spin_radps);

// A state of another model that goes on where `from` is. Its model has all bodies of the model of `from`,
// in their order and as they are there, and more of them behind these, which begin as it says.
tal_status tal_state_continue(tal_state **state, const tal_model *model, const tal_state *from,
                              int thread_count, tal_error *err);

// A number that differs when any bit of poses, velocities or time differs.
uint64_t tal_state_hash(const tal_state *state);

// The complete state in a file; going on from it gives the same bits as never having stopped.
tal_status tal_checkpoint_write(const tal_model *model, const tal_state *state, const char *path,
                                tal_error *err);
tal_status tal_checkpoint_read(const tal_model *model, tal_state *state, const char *path,
                               tal_error *err);
// The time a checkpoint was written at, whichever model it belongs to.
tal_status tal_checkpoint_time(const char *path, double *time_s, tal_error *err);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The seam between contacts and bodies. A contact knows of a body only what happens at its own side: the
// velocity there, what a percussion there does to the body, and how easily the side moves. What the
// body is made of, how many velocities it has and where they live is the business of its kind.
//
// Rigid bodies are a kind like any other (the row is in solver/motion/rigid.c), but a pair of two rigid
// bodies never comes here: their functions (rigid.h) are inlined in a kernel of its own.
#ifndef TALUS_SOLVER_PERCUSSION_BODY_H
#define TALUS_SOLVER_PERCUSSION_BODY_H

#include "solver/law/law.h"

#include <stddef.h>
#include <stdint.h>

// Two bodies that touch and the points where they do; all points share the frame.
typedef struct {
    int32_t body_i, body_j; // the ground is the body number body_count
    int32_t first_contact, contact_count;
    int32_t law;      // entry of the law table
    int32_t manifold; // where it came from in the detection
    int32_t island;
    bool is_general;     // a body of it is not rigid, or this is no matter of bodies at all
    bool is_dry;         // rigid, with nothing but dry friction: what batches take
    bool flows;          // its island does: its points are visited once, whether they hold or not
    double roll_length;  // bound of the moment over R_N (roll.h); 0: none
    double energy_scale; // m |u-|^2 of both: what errors are measured against
    tal_vec3 normal, tangent_1, tangent_2;
} tal_pair;

// One side of a contact, as the body there sees it.
typedef struct {
    const tal_pair *pair;       // its frame
    const tal_contact *contact; // its arms
    int32_t number; // of the contact in the problem: a kind finds by it what it keeps per contact
    int side;       // 0: body i, 1: body j
} tal_side;

typedef struct {
    double translation, rotation, potential;
    double deformation, strain; // of bodies that deform
} tal_energy;

// An array of a checkpoint.
typedef struct {
    void *bytes;
    size_t size;
} tal_section;
enum { TAL_SECTIONS_MAX = 12 };

// What there is to know of a kind of bodies: one row per kind. `body` is what the kind keeps of one body
// (of a rigid one its tal_inertia), `motion` its velocities. Velocities u, percussions r and W of a side
// are in the frame of the pair: normal, two tangents.
typedef struct {
    const char *name;

    // At a contact. All three must be linear in motion and r, and strike the transpose of velocity
    // through M^-1: sweeps add, scale and take back percussions.
    void (*velocity)(const void *body, const double *motion, tal_side at, double u[3]);
    void (*strike)(const void *body, double *motion, tal_side at, const double r[3]);
    void (*add_mobility)(const void *body, tal_side at, double w[6]); // nn n1 n2 11 12 22
    // m |u-|^2, the speed taken as at least `speed_min`: what errors are measured against.
    double (*energy_scale)(const void *body, const double *before, double speed_min);

    // In a step, of all bodies of the kind at once. NULL: such bodies live in contact problems only.
    // (motion/integrate.h says what each does.)
    void (*load)(const tal_model *model, tal_state *state);
    void (*advance_free)(const tal_model *model, tal_state *state, int32_t body, double dt); // one
    void (*store)(const tal_model *model, tal_state *state);
    void (*advance)(const tal_model *model, tal_state *state, double h);
    void (*set_reach)(const tal_model *model, tal_state *state, double dt);
    void (*add_energy)(const tal_model *model, const tal_state *state, double ahead,
                       tal_energy *sum);
    int (*list_sections)(const tal_state *state, tal_section *list);
} tal_body_kind;

// A body that is not rigid, in a contact problem. Its velocities live in arrays of their own length.
typedef struct {
    const tal_body_kind *kind;
    const void *body;
    bool is_mobile; // false: percussions do not change it, and it is never written
    int32_t motion_count;
    double *motion;       // free velocity plus the effect of the percussions
    const double *before; // u-
    double *last;         // scratch of the accelerated sweeps
} tal_general_body;

#endif

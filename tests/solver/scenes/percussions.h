// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems put together by hand, for tests of laws and solvers without any detection.
#ifndef TALUS_TESTS_SOLVER_SCENES_PERCUSSIONS_H
#define TALUS_TESTS_SOLVER_SCENES_PERCUSSIONS_H

#include "solver/percussion/contact_solver.h"

enum { HAND_BODIES_MAX = 64, HAND_CONTACTS_MAX = 512 };

typedef struct {
    double dt;
    tal_vec3 gravity;
    int32_t body_count, contact_count;
    double mass[HAND_BODIES_MAX];
    tal_rigid_motion before[HAND_BODIES_MAX + 1], motion[HAND_BODIES_MAX + 1];
    tal_inertia inertia[HAND_BODIES_MAX + 1];
    tal_pair pair[HAND_CONTACTS_MAX];
    tal_contact contact[HAND_CONTACTS_MAX];
    tal_law_more more[HAND_CONTACTS_MAX];
    tal_contact_data data[HAND_CONTACTS_MAX];
    tal_law law[HAND_CONTACTS_MAX];
    tal_percussion_problem problem;
    tal_solver_work work;
    double change[3 * HAND_CONTACTS_MAX], last[3 * HAND_CONTACTS_MAX];
    double error[HAND_CONTACTS_MAX], change_sum[2 * HAND_CONTACTS_MAX];
    tal_island island;
    int32_t island_body[HAND_BODIES_MAX], color_end;
    tal_island_result island_result;
    int32_t listed[3 * HAND_CONTACTS_MAX], near_body[HAND_BODIES_MAX];
    uint8_t is_listed[HAND_CONTACTS_MAX], is_near[HAND_BODIES_MAX];
    tal_rigid_motion motion_last[HAND_BODIES_MAX + 1];
} hand_made;

void hand_reset(hand_made *h, double dt, tal_vec3 gravity);

// Returns its number. Principal axes are the world axes.
int32_t hand_add_body(hand_made *h, double mass, tal_vec3 inertia, tal_vec3 v, tal_vec3 w);

// `j` = -1 is the ground. kn and kt of the law are absolute.
int32_t hand_add_contact(hand_made *h, int32_t i, int32_t j, tal_vec3 arm_i, tal_vec3 arm_j,
                         tal_vec3 normal, double gap, tal_law law);

// Judges and prepares all contacts as a step does; the motion becomes the free velocity.
void hand_prepare(hand_made *h);

// Prepares and solves to `tolerance`.
tal_solver_result hand_solve(hand_made *h, double tolerance, int iteration_max);

// Relative velocity after, and the work R . x of a contact.
void hand_velocity(const hand_made *h, int32_t k, double d[3]);
double hand_work(const hand_made *h, int32_t k);

// Kinetic energy now minus before.
double hand_energy_change(const hand_made *h);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Rigid bodies and their contacts as a matrix W and a vector q, for tests of solvers that know neither.
#ifndef TESTS_SOLVER_SCENES_FRICTION_SCENE_H
#define TESTS_SOLVER_SCENES_FRICTION_SCENE_H

#include "core/base/math3.h"
#include "core/base/random.h"
#include "solver/finish/friction_problem.h"

enum { FRICTION_BODIES_MAX = 128, FRICTION_CONTACTS_MAX = 512 };

typedef struct {
    double mass, inertia; // of a ball-like body
    tal_vec3 position, v, w;
} friction_body;

typedef struct {
    int32_t i, j; // j = -1: the ground
    tal_vec3 point, normal;
    double friction;
    double opening; // added to q_N: what is left of a gap, over dt
} friction_contact;

typedef struct {
    int32_t body_count, contact_count;
    friction_body body[FRICTION_BODIES_MAX];
    friction_contact contact[FRICTION_CONTACTS_MAX];
} friction_scene;

// Cubes of edge 1 on top of each other, pressed down for dt = 0.02 s; mass[n] from the bottom up.
void friction_scene_stack(friction_scene *scene, int count, const double *mass, double friction);

// Anything: masses over `mass_decades`, up to `contacts_max` contacts, patches of points in one plane,
// friction from 0 to 2. A motion that every contact allows exists, so that there is a solution.
void friction_scene_throw(friction_scene *scene, tal_random random, int contacts_max,
                          double mass_decades);

tal_status friction_scene_build(const friction_scene *scene, tal_friction_problem *problem,
                                tal_error *err);

#endif

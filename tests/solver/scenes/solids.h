// SPDX-License-Identifier: GPL-3.0-or-later
// Solids for tests: boxes, double pyramids, tetrahedra and balls in principal axes, with volume and
// inertia by closed forms.
#ifndef TALUS_TESTS_SOLVER_SCENES_SOLIDS_H
#define TALUS_TESTS_SOLVER_SCENES_SOLIDS_H

#include "solver/detect/shape.h"

enum { SOLID_CORNERS_MAX = 8 };

typedef struct {
    tal_vec3 corner[SOLID_CORNERS_MAX];
    tal_shape_input shape; // points into `corner`: of use while the solid stays where it is
    double volume, size;   // size: of the ball around the centroid
    tal_vec3 mean_square;  // of the coordinates over the volume
} solid;

void solid_make_box(solid *s, double x, double y, double z);

// Half axes.
void solid_make_octahedron(solid *s, double x, double y, double z);

// Over an equilateral base of circumradius `radius`.
void solid_make_tetrahedron(solid *s, double radius, double height);
void solid_make_ball(solid *s, double radius);

// One of all these, edges from 0.3 m to 3 m, from uniform numbers.
void solid_make_random(solid *s, const double u[4]);

// Principal moments for a mass.
tal_vec3 solid_inertia(const solid *s, double mass);

#endif

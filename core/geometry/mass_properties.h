// SPDX-License-Identifier: GPL-3.0-or-later
// Exact volume, centroid and inertia of polyhedra, and their principal axes.
#ifndef TALUS_CORE_GEOMETRY_MASS_PROPERTIES_H
#define TALUS_CORE_GEOMETRY_MASS_PROPERTIES_H

#include "core/geometry/surface.h"

// Of a solid of density one.
typedef struct {
    double volume;
    tal_vec3 centroid;
    double inertia[3][3]; // about the centroid, in the axes of the vertices
} tal_mass_properties;

// Signed tetrahedra from one vertex of the surface: exact for any closed surface, convex or not; a
// surface that is wound inwards has a negative volume.
tal_mass_properties tal_surface_mass(const tal_surface *surface);

// The axes are the columns of a rotation (determinant +1), also when moments coincide.
typedef struct {
    double moment[3]; // ascending
    double axis[3][3];
    double quaternion
        [4]; // scalar first and not negative: turns principal axes into those of the vertices
} tal_principal_axes;

tal_principal_axes tal_inertia_principal(const double inertia[3][3]);

tal_vec3 tal_quaternion_rotate(const double quaternion[4], tal_vec3 v);
tal_vec3 tal_quaternion_rotate_back(const double quaternion[4], tal_vec3 v);

#endif

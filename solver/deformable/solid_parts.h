// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of which solid.c makes a solid.
#ifndef TALUS_SOLVER_DEFORMABLE_SOLID_PARTS_H
#define TALUS_SOLVER_DEFORMABLE_SOLID_PARTS_H

#include "solver/deformable/solid.h"

// Nodes and elements of the input; of a pseudo-rigid body, four nodes about as large as the body.
tal_status tal_solid_copy_mesh(tal_solid *solid, const tal_solid_input *input, tal_error *err);
tal_status tal_solid_make_four_nodes(tal_solid *solid, double mass, tal_vec3 inertia,
                                     tal_error *err);

// Which nodes share an element: the pattern of all matrices.
tal_status tal_solid_make_pattern(tal_solid *solid, tal_error *err);

// Faces that one element has alone. A pseudo-rigid body is touched through all of its four nodes.
tal_status tal_solid_find_surface(tal_solid *solid, tal_error *err);
tal_status tal_solid_all_nodes_are_surface(tal_solid *solid, tal_error *err);

// Mass, centre and inertia of the mesh against those of its bodies.
tal_status tal_solid_check_mass(const tal_solid *solid, const tal_solid_input *input,
                                const char *name, double mass, tal_vec3 inertia, tal_error *err);

static inline tal_mat3 tal_inertia_of_euler(const tal_mat3 *s) {
    const double trace = s->m[0][0] + s->m[1][1] + s->m[2][2];
    tal_mat3 j;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            j.m[a][b] = (a == b ? trace : 0.0) - s->m[a][b];
        }
    }
    return j;
}

// Of a symmetric matrix that has one.
static inline tal_mat3 tal_mat3_inverse_symmetric(const tal_mat3 *a) {
    tal_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int r = (j + 1) % 3, s = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
            c.m[i][j] = a->m[r][p] * a->m[s][q] - a->m[r][q] * a->m[s][p];
        }
    }
    const double det = a->m[0][0] * c.m[0][0] + a->m[0][1] * c.m[1][0] + a->m[0][2] * c.m[2][0];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] /= det;
        }
    }
    return c;
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes divided into hexahedra, or into six tetrahedra for each, about their centroid.
#ifndef TALUS_TESTS_SOLVER_SCENES_BOX_MESH_H
#define TALUS_TESTS_SOLVER_SCENES_BOX_MESH_H

#include "solver/include/talus_solid.h"

typedef struct {
    int32_t node_count, element_count, corner_count; // corners: 8 or 4 per element
    tal_vec3 *node;
    int32_t *corner;
} box_mesh;

// n[0] x n[1] x n[2] cells; nodes are numbered along x first, then y, then z.
box_mesh box_mesh_make(const double size[3], const int n[3], bool of_tetrahedra);
void box_mesh_destroy(box_mesh *mesh);

// The number of node (i, j, k).
int32_t box_mesh_node(const int n[3], int i, int j, int k);

// As a solid: density, Young's modulus and Poisson's ratio are still to be set.
tal_solid_input box_mesh_solid(const box_mesh *mesh, tal_kinematics kinematics);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes of boxes.
#include "tests/solver/scenes/box_mesh.h"

#include <stdlib.h>

int32_t box_mesh_node(const int n[3], int i, int j, int k) {
    return i + (n[0] + 1) * (j + (n[1] + 1) * k);
}

// Six tetrahedra around the diagonal from corner 0 to corner 6.
static void add_cell(box_mesh *mesh, const int32_t cell[8]) {
    static const int part[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                   {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    if (mesh->corner_count == 8) {
        for (int a = 0; a < 8; a++) {
            mesh->corner[8 * mesh->element_count + a] = cell[a];
        }
        mesh->element_count++;
        return;
    }
    for (int t = 0; t < 6; t++) {
        for (int a = 0; a < 4; a++) {
            mesh->corner[4 * mesh->element_count + a] = cell[part[t][a]];
        }
        mesh->element_count++;
    }
}

box_mesh box_mesh_make(const double size[3], const int n[3], bool of_tetrahedra) {
    const int cells = n[0] * n[1] * n[2];
    box_mesh mesh = {.node_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1),
                     .corner_count = of_tetrahedra ? 4 : 8};
    mesh.node = calloc((size_t)mesh.node_count, sizeof *mesh.node);
    mesh.corner = calloc((size_t)cells * 24, sizeof *mesh.corner);
    for (int k = 0; k <= n[2]; k++) {
        for (int j = 0; j <= n[1]; j++) {
            for (int i = 0; i <= n[0]; i++) {
                mesh.node[box_mesh_node(n, i, j, k)] = (tal_vec3){
                    size[0] * ((double)i / n[0] - 0.5), size[1] * ((double)j / n[1] - 0.5),
                    size[2] * ((double)k / n[2] - 0.5)};
            }
        }
    }
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            for (int i = 0; i < n[0]; i++) {
                const int32_t cell[8] = {box_mesh_node(n, i, j, k),
                                         box_mesh_node(n, i + 1, j, k),
                                         box_mesh_node(n, i + 1, j + 1, k),
                                         box_mesh_node(n, i, j + 1, k),
                                         box_mesh_node(n, i, j, k + 1),
                                         box_mesh_node(n, i + 1, j, k + 1),
                                         box_mesh_node(n, i + 1, j + 1, k + 1),
                                         box_mesh_node(n, i, j + 1, k + 1)};
                add_cell(&mesh, cell);
            }
        }
    }
    return mesh;
}

void box_mesh_destroy(box_mesh *mesh) {
    free(mesh->node);
    free(mesh->corner);
}

tal_solid_input box_mesh_solid(const box_mesh *mesh, tal_kinematics kinematics) {
    const bool boxes = mesh->corner_count == 8;
    return (tal_solid_input){.kinematics = kinematics,
                             .node_count = mesh->node_count,
                             .node_m = mesh->node,
                             .hexahedron_count = boxes ? mesh->element_count : 0,
                             .hexahedron = mesh->corner,
                             .tetrahedron_count = boxes ? 0 : mesh->element_count,
                             .tetrahedron = mesh->corner};
}

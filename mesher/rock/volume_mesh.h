// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks divided into finite elements.
#ifndef TALUS_MESHER_ROCK_VOLUME_MESH_H
#define TALUS_MESHER_ROCK_VOLUME_MESH_H

#include "core/base/settings.h"
#include "mesher/rock/block_set.h"
#include "mesher/rock/classes.h"

enum { TAL_VOLUME_CORNERS = 8 };

// The elements of one block; none: it has no mesh. Nodes are in the axes of the block.
typedef struct {
    int32_t node_count, element_count;
    tal_vec3 *node;
    int32_t *element; // 8 nodes each, hexahedra (---)(+--)(++-)(-+-) then z+; tetrahedra end in -1
} tal_volume_mesh;

// `count` of them, and the array itself. Takes NULL.
void tal_volume_meshes_destroy(tal_volume_mesh *mesh, int32_t count);

static inline int tal_volume_corner_count(const int32_t *element) {
    return element[4] < 0 ? 4 : 8;
}

// Elements inside out, nodes of no element, a mesh in pieces: everything that is wrong is added to `err`.
// `line_of_element` and `line_of_node` (NULL: none) say where an element or node stands in the file.
tal_status tal_volume_mesh_check(const tal_volume_mesh *mesh, const char *path,
                                 const int64_t *line_of_element, const int64_t *line_of_node,
                                 tal_error *err);
double tal_volume_mesh_volume(const tal_volume_mesh *mesh);

// Fills the blocks of the classes for which [body.CLASS] asks for finite elements, those that came with a
// mesh excepted. `mesh` holds one entry per block.
tal_status tal_blocks_fill(tal_volume_mesh *mesh, const tal_block_set *blocks,
                           const int32_t *block_class, const tal_class_names *names,
                           const tal_settings *settings, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Tetrahedra that fill a convex polyhedron.
#ifndef TALUS_CORE_GEOMETRY_TETRAHEDRA_H
#define TALUS_CORE_GEOMETRY_TETRAHEDRA_H

#include "core/base/status.h"
#include "core/geometry/surface.h"

typedef struct {
    int32_t node_count, tetrahedron_count;
    tal_vec3 *node;
    int32_t *tetrahedron; // 4 nodes each, positive volume
} tal_tetrahedra;

// No edge is longer than `element_m`; the vertices of the surface come first among the nodes.
tal_status tal_tetrahedra_fill(tal_tetrahedra *made, const tal_surface *surface, double element_m,
                               tal_error *err);
// Takes {0}.
void tal_tetrahedra_destroy(tal_tetrahedra *made);

#endif

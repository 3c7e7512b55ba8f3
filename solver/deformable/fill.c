// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a body filled with tetrahedra.
#include "core/base/memory.h"
#include "core/geometry/tetrahedra.h"
#include "solver/include/talus_solid.h"

tal_status tal_filling_create(tal_filling *filling, const tal_shape_input *shape, double element_m,
                              tal_error *err) {
    *filling = (tal_filling){0};
    if (shape->kind != TAL_SHAPE_POLYHEDRON) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "only a polyhedron can be filled with tetrahedra");
    }
    int32_t *start;
    tal_tetrahedra made;
    TAL_CREATE(start, (size_t)shape->face_count + 1, "faces of a block", err);
    for (int32_t f = 0; f < shape->face_count; f++) {
        start[f + 1] = start[f] + shape->loop_size[f];
    }
    const tal_surface surface = {shape->vertex, shape->vertex_count, start, shape->face_count,
                                 shape->loop_vertex};
    const tal_status status = tal_tetrahedra_fill(&made, &surface, element_m, err);
    tal_memory_destroy(start);
    *filling = (tal_filling){made.node_count, made.tetrahedron_count, made.node, made.tetrahedron};
    return status;
}

void tal_filling_destroy(tal_filling *filling) {
    tal_memory_destroy(filling->node_m);
    tal_memory_destroy(filling->tetrahedron);
    *filling = (tal_filling){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Clean blocks: short edges and corners that hold next to nothing are taken off.
#ifndef TALUS_MESHER_IMPORT_SIMPLIFY_H
#define TALUS_MESHER_IMPORT_SIMPLIFY_H

#include "core/geometry/polyhedron.h"

typedef struct {
    double edge_least;   // shortest edge, as a share of the size (cube root of the volume)
    double corner_least; // least volume a vertex must hold, as a share of the block's
    int vertices_most;
    double loss_most; // of the volume: a block that would lose more stays as it is
} tal_simplify_options;

// What blocks of a division are held to.
extern const tal_simplify_options tal_simplify_blocks;

// Takes off one vertex: what is left is the hull of the others, and lies inside. False: refused by
// rounding or because only four are left; unchanged.
bool tal_polyhedron_remove_vertex(tal_polyhedron *polyhedron, int32_t vertex);

// Removes vertices, the least harmful first, until the options hold. False when that would lose too
// much or cannot be done; unchanged.
bool tal_polyhedron_simplify(tal_polyhedron *polyhedron, const tal_simplify_options *options);

#endif

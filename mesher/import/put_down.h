// SPDX-License-Identifier: GPL-3.0-or-later
// Rocks of the user's own, put onto the ground where they are.
#ifndef TALUS_MESHER_IMPORT_PUT_DOWN_H
#define TALUS_MESHER_IMPORT_PUT_DOWN_H

#include "mesher/rock/block_set.h"
#include "mesher/terrain/terrain_mesh.h"

// Lifts or lowers each block, as it is turned, until it touches the triangles below it; the lowest one
// first, and none into the upright box around another. Fails where a block has no ground below it.
tal_status tal_blocks_put_down(tal_block_set *set, const tal_terrain_mesh *terrain, tal_error *err);

#endif

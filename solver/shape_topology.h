// SPDX-License-Identifier: GPL-3.0-or-later
// Which shapes share their tables of loops and edges.
#ifndef TALUS_SOLVER_SHAPE_TOPOLOGY_H
#define TALUS_SOLVER_SHAPE_TOPOLOGY_H

#include "core/status.h"
#include "solver/shape.h"

// Fills shapes->topology once all other tables are there.
tal_status tal_shapes_find_topologies(tal_shapes *shapes, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Which shapes share their tables of loops and edges.
#ifndef TALUS_SOLVER_DETECT_SHAPE_TOPOLOGY_H
#define TALUS_SOLVER_DETECT_SHAPE_TOPOLOGY_H

#include "core/base/status.h"
#include "solver/detect/shape.h"

// Fills shapes->topology once all other tables are there.
tal_status tal_shapes_find_topologies(tal_shapes *shapes, tal_error *err);

#endif

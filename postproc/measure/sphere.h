// SPDX-License-Identifier: GPL-3.0-or-later
// Spheres as polyhedra of the same volume, so that maps and pictures need one kind of body only.
#ifndef TALUS_POSTPROC_MEASURE_SPHERE_H
#define TALUS_POSTPROC_MEASURE_SPHERE_H

#include "postproc/measure/blocks.h"

// Gives every block with radius > 0 and no vertices the shape of a geodesic ball.
tal_status tal_blocks_replace_spheres(tal_blocks *blocks, const double *radius, tal_error *err);

#endif

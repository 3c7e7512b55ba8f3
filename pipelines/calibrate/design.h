// SPDX-License-Identifier: GPL-3.0-or-later
// Points all over the unit cube: grid, Latin hypercube, Sobol sequence.
#ifndef TALUS_PIPELINES_CALIBRATE_DESIGN_H
#define TALUS_PIPELINES_CALIBRATE_DESIGN_H

#include "core/base/status.h"

#include <stdint.h>

// At most `count` points, row by row of `dimensions`. A grid has the same number of steps along
// each axis (at least two, ends included), so it may have fewer: *made says how many.
tal_status tal_design_grid(double *points, int count, int dimensions, int *made, tal_error *err);
// One point in each of `count` slices of every axis, shuffled by `seed`.
tal_status tal_design_lhs(double *points, int count, int dimensions, uint64_t seed, tal_error *err);
tal_status tal_design_sobol(double *points, int count, int dimensions, tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Voronoi and power cells in stretched coordinates, for those who place seeds.
#ifndef TALUS_MESHER_ROCK_VORONOI_H
#define TALUS_MESHER_ROCK_VORONOI_H

#include "mesher/rock/partition.h"

// Sorts seeds, with their weights and wanted volumes, into lists by place; to be repeated after seeds
// have moved.
tal_status tal_voronoi_sort(tal_partition *partition, tal_error *err);

// The cell of a seed in stretched coordinates. Without vertices it is far from the rock, or, without
// faces, its neighbours left it nothing.
tal_status tal_voronoi_cell(const tal_partition *partition, int64_t index, tal_polyhedron *cell,
                            tal_error *err);

// The seed nearest to a place in stretched coordinates, the first of equal ones.
int64_t tal_voronoi_nearest(const tal_partition *partition, tal_vec3 at);

// Moves each seed to the middle of the rock that is nearest to it, in rounds, and drops seeds that have none.
tal_status tal_voronoi_relax(tal_partition *partition, int64_t rounds, tal_error *err);

// Gives the seeds lognormal volumes (mean size^3, `deviation` that of the logarithm of the size) and
// finds the weights, and better places, that make the cells so.
tal_status tal_voronoi_match_sizes(tal_partition *partition, double deviation, uint64_t random_seed,
                                   uint32_t run, tal_error *err);

#endif

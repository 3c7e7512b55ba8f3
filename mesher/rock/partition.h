// SPDX-License-Identifier: GPL-3.0-or-later
// Space around the source divided into convex cells: bricks, Voronoi cells or what joints leave.
#ifndef TALUS_MESHER_ROCK_PARTITION_H
#define TALUS_MESHER_ROCK_PARTITION_H

#include "core/base/random.h"
#include "core/base/status.h"
#include "core/geometry/polyhedron.h"
#include "mesher/rock/block_set.h"
#include "mesher/rock/rock.h"

#include <stdint.h>

// Right-handed axes: along strike, across, up.
typedef struct {
    tal_vec3 axis[3];
} tal_frame;

// `strike` in radians from north, clockwise.
tal_frame tal_frame_along(double strike);
tal_vec3 tal_frame_coordinates(const tal_frame *frame, tal_vec3 p);
tal_vec3 tal_frame_point(const tal_frame *frame, tal_vec3 coordinates);
// Box of the rock in coordinates of the frame.
void tal_frame_bounds(const tal_frame *frame, const tal_rock *rock, tal_vec3 *low, tal_vec3 *high);

typedef struct tal_partition tal_partition;
struct tal_partition {
    int64_t cell_count;
    double nominal_volume;
    // Of it: smaller pieces are slivers if the rest fills the rock; 0: as usual.
    double sliver_share;
    // Cell by number; no vertices: nothing there. May be called by several threads at once.
    tal_status (*make_cell)(const tal_partition *partition, int64_t index, tal_polyhedron *cell,
                            tal_error *err);
    // Where `clip = none` asks whether a cell belongs to the rock.
    tal_vec3 (*centre)(const tal_partition *partition, int64_t index, const tal_polyhedron *cell);
    const tal_rock *rock;
    tal_frame frame;
    // Bricks.
    tal_vec3 corner, edge;
    int64_t count[3];
    // Voronoi: seeds in stretched coordinates of the frame, sorted into cells of a grid.
    tal_vec3 stretch;
    tal_vec3 low, high;
    int64_t seed_count;
    int64_t duplicate_count;
    tal_vec3 *seed;
    double *weight; // of a power diagram; NULL: all alike
    double *target; // wanted volumes of its cells
    double weight_most;
    double seeded_volume; // where seeds are; 0: all of the box
    double list_edge;
    int64_t list_count[3];
    int32_t *list_start;
    // Joints: cells stored one after another.
    tal_block_set cells;
    int64_t plane_count;
};

void tal_partition_destroy(tal_partition *partition);

enum { TAL_CELLS_MAX = 100000000 };

// A lattice of parallelepipeds over the rock. `phase` shifts it by a share of an edge.
tal_status tal_partition_bricks(tal_partition *partition, const tal_rock *rock, double strike,
                                tal_vec3 edge, tal_vec3 phase, tal_error *err);

// Voronoi cells of one random seed per cube of edge `size` (stretched by `stretch`, whose volume
// stays that of the cube).
tal_status tal_partition_voronoi(tal_partition *partition, const tal_rock *rock, double strike,
                                 double size, tal_vec3 stretch, uint64_t random_seed, uint32_t run,
                                 tal_error *err);

// The same with seeds that move to the middle of the rock nearest to them, `rounds` times.
tal_status tal_partition_voronoi_relaxed(tal_partition *partition, const tal_rock *rock,
                                         double strike, double size, int64_t rounds,
                                         tal_vec3 stretch, uint64_t random_seed, uint32_t run,
                                         tal_error *err);

// The same with lognormal sizes: `deviation` is that of the logarithm of the size.
tal_status tal_partition_voronoi_sized(tal_partition *partition, const tal_rock *rock,
                                       double strike, double size, double deviation,
                                       tal_vec3 stretch, uint64_t random_seed, uint32_t run,
                                       tal_error *err);

// Voronoi cells of given seeds (local coordinates); of seeds at one place the first counts.
tal_status tal_partition_seeds(tal_partition *partition, const tal_rock *rock, double strike,
                               const tal_vec3 *seeds, int64_t count, tal_vec3 stretch,
                               tal_error *err);

typedef enum {
    TAL_SPACING_KIND_EXPONENTIAL,
    TAL_SPACING_KIND_NORMAL,
    TAL_SPACING_KIND_LOGNORMAL,
    TAL_SPACING_KIND_CONSTANT
} tal_spacing_kind;

// Angles in radians.
typedef struct {
    double dip, dip_direction;
    double spacing;
    double deviation; // of the spacing, as a share of it (normal and lognormal)
    tal_spacing_kind kind;
    double spread;
    double persistence;
} tal_joint_set;

tal_status tal_partition_joints(tal_partition *partition, const tal_rock *rock,
                                const tal_joint_set *sets, int set_count, uint64_t random_seed,
                                uint32_t run, tal_error *err);

#endif

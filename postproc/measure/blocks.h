// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run (blocks.nc).
#ifndef TALUS_POSTPROC_MEASURE_BLOCKS_H
#define TALUS_POSTPROC_MEASURE_BLOCKS_H

#include "postproc/measure/block_shape.h"

#include <stddef.h>
#include <stdint.h>

enum { TAL_CLASS_NAME_SIZE = 64 };

// Shapes in body axes, one after another. Spheres are replaced by polyhedra of the same volume.
typedef struct {
    int32_t count;
    int32_t *vertex_start; // count + 1
    int32_t *face_start;   // count + 1
    int32_t *corner_start; // faces + 1
    int32_t *corner;       // vertex numbers, local to their block
    double *vertex;
    double *volume;
    double *mass;
    double *inertia; // principal moments, 3 per block
    int32_t vertex_count_max;
    double smallest_size; // cube root of the smallest volume
} tal_blocks;

tal_status tal_blocks_read(tal_blocks *blocks, const char *path, tal_error *err);
void tal_blocks_destroy(tal_blocks *blocks);

// One block at a pose. `vertex` is room for vertex_count_max vertices, kept by the caller.
tal_surface tal_blocks_pose(const tal_blocks *blocks, int32_t block, const double position[3],
                            const double orientation[4], tal_vec3 *vertex);

// The axes of a block that is turned so (scalar first). Files hold quaternions in single precision:
// one that is not a unit would change volumes.
tal_mat3 tal_block_turn(const double orientation[4]);

#endif

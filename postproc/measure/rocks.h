// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run (blocks.nc) and their motion (run.nc), in metres from the study's origin.
#ifndef TALUS_POSTPROC_MEASURE_ROCKS_H
#define TALUS_POSTPROC_MEASURE_ROCKS_H

#include "core/geo/crs.h"
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
} tal_rocks;

// Frames as the solver stored them. Single precision is a tenth of a millimetre at a kilometre from
// the origin, and halves the memory of long runs.
typedef struct {
    int32_t frame_count;
    int32_t block_count;
    double *time;
    float *position;    // frame, block, 3
    float *orientation; // frame, block, 4: body to world, scalar first
    float *velocity;    // frame, block, 3
    float *spin;        // frame, block, 3: world axes, rad/s
    int32_t *left;      // per block: 1 when it left over the rim
    int32_t step_count;
    double *step_time;
    double *kinetic_translation, *kinetic_rotation, *potential;
    double *dissipated_normal, *dissipated_tangential, *correction_work;
    double *contact_count, *iterations, *residual, *penetration;
    double unconverged_steps;
    double finished_steps; // solved by the finisher, because the sweeps ran out
    double energy_drift;
    double blocks_lost;
    double dt;
    char ended_because[32];
} tal_motion;

tal_status tal_rocks_read(tal_rocks *rocks, const char *path, tal_error *err);
void tal_rocks_destroy(tal_rocks *rocks);
tal_status tal_motion_read(tal_motion *motion, const char *path, const tal_rocks *rocks,
                           const tal_origin *origin, tal_error *err);
void tal_motion_destroy(tal_motion *motion);

// One block at a pose. `vertex` is room for vertex_count_max vertices, kept by the caller.
tal_surface tal_rocks_pose(const tal_rocks *rocks, int32_t block, const double position[3],
                           const double orientation[4], tal_vec3 *vertex);
// The same at a stored frame.
tal_surface tal_rocks_pose_frame(const tal_rocks *rocks, const tal_motion *motion, int32_t block,
                                 int32_t frame, tal_vec3 *vertex);

// Kinetic energies in J of a block at a frame.
void tal_rocks_energy(const tal_rocks *rocks, const tal_motion *motion, int32_t block,
                      int32_t frame, double *translation, double *rotation);

static inline size_t tal_motion_index(const tal_motion *motion, int32_t frame, int32_t block) {
    return (size_t)frame * (size_t)motion->block_count + (size_t)block;
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// What the solver recorded of a run (run.nc): the motion of the blocks, in metres from the study's
// origin, and what was kept of every step.
#ifndef TALUS_POSTPROC_MEASURE_RUN_RECORD_H
#define TALUS_POSTPROC_MEASURE_RUN_RECORD_H

#include "core/geo/crs.h"
#include "postproc/measure/blocks.h"
#include "postproc/measure/stress_record.h"

#include <string.h>

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
    double clausius_duhem_worst; // J
    double blocks_lost;
    double ground_friction[2]; // least and greatest between blocks and ground; NaN where not said
    // Of rock that did not move: the greatest friction tried that lets half of the blocks go, and the
    // least that holds them. NaN where none was tried or none of them does.
    double onset_moves_at, onset_holds_at;
    bool onset_is_share; // both are shares of the frictions given, which differ
    double dt;
    tal_stress_record stress; // of blocks that deform
    char ended_because[32];
    bool ended_too_early; // to say whether the rock moves
} tal_run_record;

tal_status tal_run_record_read(tal_run_record *motion, const char *path, const tal_blocks *blocks,
                               const tal_origin *origin, tal_error *err);
// Blocks broke in that run: its own are in run.nc, not in blocks.nc.
bool tal_run_record_has_blocks(const char *path);
void tal_run_record_destroy(tal_run_record *motion);

// A block at a stored frame. `vertex` is room for vertex_count_max vertices, kept by the caller.
tal_surface tal_blocks_pose_frame(const tal_blocks *blocks, const tal_run_record *motion,
                                  int32_t block, int32_t frame, tal_vec3 *vertex);

// Kinetic energies in J of a block at a frame.
void tal_blocks_energy(const tal_blocks *blocks, const tal_run_record *motion, int32_t block,
                       int32_t frame, double *translation, double *rotation);

// Stopped before its end.
static inline bool tal_run_record_is_partial(const tal_run_record *motion) {
    return strcmp(motion->ended_because, "interrupted") == 0;
}

static inline size_t tal_run_record_index(const tal_run_record *motion, int32_t frame,
                                          int32_t block) {
    TAL_ASSERT(frame >= 0 && frame < motion->frame_count && block >= 0 &&
               block < motion->block_count);
    return (size_t)frame * (size_t)motion->block_count + (size_t)block;
}

#endif

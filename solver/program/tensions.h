// SPDX-License-Identifier: GPL-3.0-or-later
// The largest tensile stresses of the blocks of a run, and which of them would have broken.
#ifndef TALUS_SOLVER_PROGRAM_TENSIONS_H
#define TALUS_SOLVER_PROGRAM_TENSIONS_H

#include "core/app/json.h"
#include "core/geo/netcdf_file.h"
#include "solver/program/leaves.h"

// Per block; NaN where a block is rigid, was never strained, or was struck in steps that do not resolve a
// blow: then no stress is given.
typedef struct {
    int32_t block_count, soft_count;
    double *tension_pa, *time_s;
    double *place_m;   // 3 per block, coordinates of the study
    double *direction; // 3 per block
    double *joint_use; // largest tension across a joint over its strength; NaN: none, or not given
    int32_t plane_count; // of all blocks; 0: no block has joints
    double *blow_dt_s;   // longest step that resolves a blow on it; NaN: rigid
    int32_t *is_missed;  // 1: a blow on it was not resolved
    int32_t most;        // block with the largest; -1: none
    int32_t missed_count, broken_count;
    double needed_dt_s; // that resolves blows on all that were missed
    double strength_pa; // NaN: not asked for
    bool is_cut;        // what came above it broke
} tal_tensions;

// `leaves` and their scene, or NULL where nothing broke.
tal_status tal_tensions_create(tal_tensions *tensions, const tal_solve_scene *scene,
                               const tal_leaves *leaves, const tal_model *model,
                               const tal_state *state, double strength_pa, tal_error *err);
void tal_tensions_destroy(tal_tensions *tensions);

// Into run.nc, run.json and the log; nothing where all blocks are rigid.
void tal_tensions_put(const tal_tensions *tensions, tal_netcdf *file, int block, int three);
void tal_tensions_add_json(const tal_tensions *tensions, cJSON *root);
void tal_tensions_say(const tal_tensions *tensions);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a run in which some broke: those that are whole at the end. Where one of them was before it
// was born follows from the block that it was part of.
#ifndef TALUS_SOLVER_PROGRAM_LEAVES_H
#define TALUS_SOLVER_PROGRAM_LEAVES_H

#include "core/geo/netcdf_file.h"
#include "solver/program/breaking.h"

typedef struct {
    int32_t count;
    int32_t *body; // their numbers among all bodies
    const tal_piece *piece;
    tal_solve_scene scene; // with these blocks alone; owns nothing
    uint8_t *lost;
    tal_vec3 *start, *end; // where they were at the start, where they are
    // Of the frame posed last.
    tal_vec3 *position, *velocity, *spin;
    tal_quat *orientation;
    // Of the breaking.
    int32_t broken_count, along_joints;
    double area_m2, surface_j, released_j;
} tal_leaves;

// `lost` is per body of the state.
tal_status tal_leaves_create(tal_leaves *leaves, const tal_breaking *breaking,
                             const tal_solve_scene *scene, const tal_state *state,
                             const uint8_t *lost, tal_error *err);
// Takes {0}.
void tal_leaves_destroy(tal_leaves *leaves);

// A frame of the journal as one of these blocks; valid until the next call.
tal_journal_frame tal_leaves_pose(const tal_leaves *leaves, const tal_journal_frame *frame);

// Their shapes and masses, as blocks.nc has them, and what broke: into run.nc.
tal_status tal_leaves_put(const tal_leaves *leaves, tal_netcdf *file, int block, int three,
                          tal_error *err);

#endif

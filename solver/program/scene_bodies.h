// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that deform: the elements of blocks.nc with the materials of the site file.
#ifndef TALUS_SOLVER_PROGRAM_SCENE_BODIES_H
#define TALUS_SOLVER_PROGRAM_SCENE_BODIES_H

#include "core/geo/netcdf_file.h"
#include "solver/program/scene.h"

// Nodes and elements, where blocks.nc has any.
tal_status tal_scene_read_elements(tal_solve_scene *scene, tal_netcdf *file, tal_error *err);

// Solids of the model as [body.CLASS] says, after the blocks are read. Blocks with the same elements, mass
// and material share one.
tal_status tal_scene_make_bodies(tal_solve_scene *scene, const tal_settings *settings,
                                 tal_error *err);

// Planes along which blocks that deform are weak, as the [joint] sections say; they turn with the blocks.
tal_status tal_scene_make_joints(tal_solve_scene *scene, const tal_settings *settings,
                                 tal_error *err);

// What a piece of a block is made of, its shape being in its own axes.
tal_status tal_scene_describe_piece(tal_solve_scene *scene, const tal_settings *settings,
                                    int32_t piece, const tal_shape_input *shape,
                                    tal_solid_input *solid, tal_error *err);

#endif

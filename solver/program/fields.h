// SPDX-License-Identifier: GPL-3.0-or-later
// What a frame holds of blocks made of finite elements: displacements of their nodes and stresses of their
// elements, in the order of blocks.nc.
#ifndef TALUS_SOLVER_PROGRAM_FIELDS_H
#define TALUS_SOLVER_PROGRAM_FIELDS_H

#include "solver/program/scene.h"

enum { TAL_STRESS_NUMBERS = 4 }; // three principal stresses, the largest first; von Mises

// Numbers per frame; 0 where no block has elements that deform.
size_t tal_fields_count(const tal_solve_scene *scene);

// 3 numbers per node of blocks.nc (metres, world axes, from where a rigid block would have it), then 4 per
// element (pascals). Of rigid blocks: zeros.
void tal_fields_gather(const tal_solve_scene *scene, const tal_model *model, const tal_state *state,
                       double *field);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Into how many pieces a step is cut where bodies deform.
#ifndef TALUS_SOLVER_DEFORMABLE_PIECES_H
#define TALUS_SOLVER_DEFORMABLE_PIECES_H

#include "solver/step/model.h"

// Bodies that approach each other faster are struck: a few times what they fall by in a step, which those at
// rest on each other do.
double tal_blow_speed(const tal_solver_settings *settings);

// The numbers of pieces for which solids have a factor, rising from 1; returns how many.
int tal_soft_list_pieces(const tal_solver_settings *settings, int pieces[TAL_SOLID_LEVELS_MAX]);

// The least of these that is not below *pieces, and enough for blows if one comes. Without bodies that
// deform nothing changes.
tal_status tal_soft_choose_pieces(const tal_model *model, tal_state *state, int *pieces,
                                  tal_error *err);

#endif

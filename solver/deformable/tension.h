// SPDX-License-Identifier: GPL-3.0-or-later
// The largest tensile stress of each body that deforms, averaged so that it depends neither on the mesh nor
// on the step: over a length, and over the time in which a pressure wave crosses the body.
#ifndef TALUS_SOLVER_DEFORMABLE_TENSION_H
#define TALUS_SOLVER_DEFORMABLE_TENSION_H

#include "solver/step/model.h"

// The length over which stresses of a body of this width are averaged.
double tal_tension_length(const tal_solver_settings *settings, double width);

// The elements near the middle of each element, with weights that fall off over this length.
tal_status tal_solid_make_patches(tal_solid *solid, double length, tal_error *err);

// After a piece of a step of length dt.
void tal_watch_tension(const tal_model *model, tal_state *state, double dt);

// Tension, direction and von Mises stress of a stress tensor.
tal_stress tal_stress_of_tensor(const tal_mat3 *tensor);

#endif

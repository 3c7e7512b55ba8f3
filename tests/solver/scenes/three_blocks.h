// SPDX-License-Identifier: GPL-3.0-or-later
// Two blocks side by side and a third on both, on a floor that is shaken along x (Lozovskiy, Daridon,
// Dubois and Pagano 2016): 70 contact points, friction 0.5 on the floor and 0.3 between the blocks.
#ifndef TALUS_TESTS_SOLVER_SCENES_THREE_BLOCKS_H
#define TALUS_TESTS_SOLVER_SCENES_THREE_BLOCKS_H

#include "tests/solver/scenes/box_mesh.h"
#include "tests/solver/scenes/scene.h"

enum { THREE_BLOCKS_SERIES = 12001 };

typedef struct {
    test_scene scene;
    box_mesh mesh[2]; // of the lower blocks, of the upper one
    tal_solid_input solid[2];
    int32_t of_body[4];
    tal_law law[4];
    tal_motion_series floor;
    double time[THREE_BLOCKS_SERIES];
    tal_vec3 velocity[THREE_BLOCKS_SERIES];
    tal_model *model;
    tal_state *state;
} three_blocks;

// Theta = 1; the papers have steps of 1e-4 s. With `is_rigid` the kinematics is not used. Check failures end the test.
tal_status three_blocks_begin(three_blocks *s, tal_kinematics kinematics, bool is_rigid,
                              double dt_s, double tolerance, int threads, tal_error *err);
void three_blocks_end(three_blocks *s);

// Mean displacement of the top face of the upper block along x.
double three_blocks_top(const three_blocks *s);

#endif

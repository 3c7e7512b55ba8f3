// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmark scenes, made and not read: S1_fall_N boxes in the air above a plane, S2_N boxes in a loose
// lattice above a slope of 35 degrees that runs out onto a flat, S3_wall a dry wall of 20 courses,
// S4_layers_N boxes in four layers above a plane, as wide as it takes.
#ifndef TALUS_TESTS_SOLVER_SCENES_BENCH_SCENES_H
#define TALUS_TESTS_SOLVER_SCENES_BENCH_SCENES_H

#include "tests/solver/scenes/scene.h"

tal_status test_scene_make(test_scene *scene, const char *name, tal_error *err);

#endif

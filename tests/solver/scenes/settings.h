// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of the tests: a finer step and tighter percussions than the defaults.
#ifndef TALUS_TESTS_SOLVER_SCENES_SETTINGS_H
#define TALUS_TESTS_SOLVER_SCENES_SETTINGS_H

#include "core/base/math3.h"
#include "solver/include/talus_solver.h"

static inline tal_solver_settings test_settings(void) {
    tal_solver_settings settings = tal_solver_settings_default();
    settings.dt_s = 0.005;
    settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -9.81};
    settings.tolerance = 1e-5;
    return settings;
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A scene with its model and state, stepped with the checks that hold for every step of all scenes.
#ifndef TALUS_TESTS_SOLVER_SCENES_WORLD_H
#define TALUS_TESTS_SOLVER_SCENES_WORLD_H

#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

typedef struct {
    test_scene scene;
    tal_model *model;
    tal_state *state;
    tal_report report;
} world;

static inline void world_start(world *w) {
    check_ok(test_scene_create_model(&w->scene, &w->model, &check_error));
    check_ok(tal_state_create(&w->state, w->model, 1, &check_error));
}

// The energy book closes, no contact creates energy where its law forbids it, and no step as a whole
// gains more than gravity's share (docs/theory/solver.md, "Energy").
static inline void world_step(world *w) {
    check_ok(tal_step(w->model, w->state, &w->report, &check_error));
    const double energy = fabs(w->report.kinetic_translation_j) +
                          fabs(w->report.kinetic_rotation_j) + fabs(w->report.potential_j) + 1.0;
    const double turnover = energy + fabs(w->report.dissipated_normal_j) +
                            fabs(w->report.dissipated_tangential_j) + fabs(w->report.applied_j) +
                            fabs(w->report.constraint_j);
    if (!(fabs(w->report.energy_defect_j) < 1e-11 * turnover)) {
        fail_msg("at %g s the energy book misses %g J of %g J", w->report.time_s,
                 w->report.energy_defect_j, turnover);
    }
    assert_true(w->report.clausius_duhem_worst_j < 1e-9 * energy);
    const double gain = -w->report.dissipated_normal_j - w->report.dissipated_tangential_j;
    if (!(gain <= w->report.energy_rise_bound_j + 1e-9 * energy)) {
        fail_msg("at %g s contacts gave %g J, more than %g J", w->report.time_s, gain,
                 w->report.energy_rise_bound_j);
    }
}

static inline void world_run(world *w, double time) {
    const long steps = lround(time / w->scene.settings.dt_s);
    for (long n = 0; n < steps; n++) {
        world_step(w);
    }
}

static inline void world_end(world *w) {
    tal_state_destroy(w->state);
    tal_model_destroy(w->model);
    test_scene_destroy(&w->scene);
}

static inline tal_law law_mixed(double mu, double e, double et) {
    return (tal_law){.kind = TAL_LAW_ACD2_COULOMB,
                     .friction = mu,
                     .restitution = e,
                     .tangential_restitution = et};
}

static inline tal_law law_coulomb(double mu, double e) {
    return (tal_law){.kind = TAL_LAW_COULOMB, .friction = mu, .restitution = e};
}

// An empty scene for closed forms: percussions solved far below what is compared.
static inline void world_init(world *w, double dt, tal_law law) {
    *w = (world){0};
    test_scene_init(&w->scene);
    w->scene.settings.dt_s = dt;
    w->scene.settings.tolerance = 1e-10;
    w->scene.settings.iteration_max = 10000;
    w->scene.law = law;
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A scene whose first body is a box that deforms, with its model and state.
#ifndef TALUS_TESTS_SOLVER_SCENES_SOFT_BOX_H
#define TALUS_TESTS_SOLVER_SCENES_SOFT_BOX_H

#include "tests/solver/scenes/box_mesh.h"
#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

typedef struct {
    test_scene scene;
    box_mesh mesh;
    tal_solid_input solid;
    int32_t of_body[4];
    tal_model *model;
    tal_state *state;
} soft_box;

// The caller sets stiffness, law and settings, and may add bodies, before `start`.
static inline void soft_box_init(soft_box *s, const double size[3], const int cells[3],
                                 tal_kinematics kinematics, tal_vec3 place, tal_quat turned,
                                 double density) {
    *s = (soft_box){0};
    test_scene_init(&s->scene);
    test_scene_add_box(&s->scene, size[0], size[1], size[2], place, turned, density);
    s->scene.settings = tal_solver_settings_default();
    s->mesh = box_mesh_make(size, cells, false);
    s->solid = box_mesh_solid(&s->mesh, kinematics);
    s->solid.density_kg_m3 = density;
    s->scene.solid_count = 1;
    s->scene.solid = &s->solid;
    s->scene.body_solid = s->of_body;
}

static inline void soft_box_start(soft_box *s) {
    check_ok(test_scene_create_model(&s->scene, &s->model, &check_error));
    check_ok(tal_state_create(&s->state, s->model, 1, &check_error));
}

static inline void soft_box_end(soft_box *s) {
    tal_state_destroy(s->state);
    tal_model_destroy(s->model);
    test_scene_destroy(&s->scene);
    box_mesh_destroy(&s->mesh);
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes that deform, all divided alike, with their scene, model and state.
#ifndef TALUS_TESTS_SOLVER_SCENES_SOFT_BOX_H
#define TALUS_TESTS_SOLVER_SCENES_SOFT_BOX_H

#include "tests/solver/scenes/box_mesh.h"
#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

typedef struct {
    test_scene scene;
    box_mesh mesh;
    tal_solid_input solid;
    int32_t of_body[8];
    tal_model *model;
    tal_state *state;
} soft_box;

// All bodies are of one solid. The caller adds them, and sets stiffness, law and settings, before `start`.
static inline void soft_box_divide(soft_box *s, const double size[3], const int cells[3],
                                   bool of_tetrahedra, tal_kinematics kinematics, double density) {
    *s = (soft_box){0};
    test_scene_init(&s->scene);
    s->scene.settings = tal_solver_settings_default();
    s->mesh = box_mesh_make(size, cells, of_tetrahedra);
    s->solid = box_mesh_solid(&s->mesh, kinematics);
    s->solid.density_kg_m3 = density;
    s->scene.solid_count = 1;
    s->scene.solid = &s->solid;
    s->scene.body_solid = s->of_body;
}

// The same, with one of them in its place.
static inline void soft_box_init(soft_box *s, const double size[3], const int cells[3],
                                 tal_kinematics kinematics, tal_vec3 place, tal_quat turned,
                                 double density) {
    soft_box_divide(s, size, cells, false, kinematics, density);
    test_scene_add_box(&s->scene, size[0], size[1], size[2], place, turned, density);
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

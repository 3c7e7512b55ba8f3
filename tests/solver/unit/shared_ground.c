// SPDX-License-Identifier: GPL-3.0-or-later
// A ground that models share, and a velocity given between two steps.
#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

static void start(test_scene *scene) {
    test_scene_init(scene);
    test_scene_set_plane(scene, (tal_vec3){0}, tal_vec3_normalize(tal_vec3_make(0.4, 0.1, 1)), 80);
    test_scene_add_box(scene, 1, 0.8, 0.6, tal_vec3_make(0, 0, 2), (tal_quat){1, 0, 0, 0}, 2600);
}

static uint64_t hash_after(const tal_model_input *input, int steps) {
    tal_model *model;
    tal_state *state;
    tal_report report;
    check_ok(tal_model_create(&model, input, &check_error));
    check_ok(tal_state_create(&state, model, 1, &check_error));
    for (int k = 0; k < steps; k++) {
        check_ok(tal_step(model, state, &report, &check_error));
    }
    const uint64_t hash = tal_state_hash(state);
    tal_state_destroy(state);
    tal_model_destroy(model);
    return hash;
}

static tal_model_input without_terrain(tal_model_input input, const tal_ground *ground) {
    input.terrain_vertex_count = input.terrain_triangle_count = 0;
    input.terrain_vertex_m = NULL;
    input.terrain_triangle = input.terrain_class = NULL;
    input.ground = ground;
    return input;
}

static void a_shared_ground_gives_the_bits_of_an_own_one(void **unused) {
    (void)unused;
    test_scene scene;
    tal_ground *ground;
    start(&scene);
    const tal_model_input own = test_scene_input(&scene);
    check_ok(tal_ground_create(&ground, &own, &check_error));
    const tal_model_input shared = without_terrain(own, ground);
    const uint64_t expected = hash_after(&own, 300);
    assert_true(hash_after(&shared, 300) == expected);
    assert_true(hash_after(&shared, 300) == expected); // it outlives a model
    assert_true(hash_after(&shared, 299) != expected);
    check_near(tal_ground_height(ground, 2, -3), -0.4 * 2 + 0.1 * 3, 1e-12);
    assert_true(isnan(tal_ground_height(ground, 1000, 0)));
    tal_ground_destroy(ground);
    test_scene_destroy(&scene);
}

static void the_classes_of_a_shared_ground_need_laws(void **unused) {
    (void)unused;
    test_scene scene;
    tal_ground *ground;
    tal_model *model;
    start(&scene);
    tal_model_input input = test_scene_input(&scene);
    int32_t class[2] = {0, 3};
    input.terrain_class = class;
    check_ok(tal_ground_create(&ground, &input, &check_error));
    const tal_model_input shared = without_terrain(input, ground);
    check_fails(tal_model_create(&model, &shared, &check_error), TAL_BAD_INPUT,
                "the ground has surface class 3 of 1");
    tal_ground_destroy(ground);
    class[0] = -1;
    check_fails(tal_ground_create(&ground, &input, &check_error), TAL_BAD_INPUT,
                "surface class -1");
    test_scene_destroy(&scene);
}

static void a_given_velocity_is_the_next_steps_beginning(void **unused) {
    (void)unused;
    test_scene scene;
    tal_model *model;
    tal_state *state;
    tal_report report;
    start(&scene);
    scene.position[0].z = 60.0; // far above the ground
    const tal_model_input input = test_scene_input(&scene);
    check_ok(tal_model_create(&model, &input, &check_error));
    check_ok(tal_state_create(&state, model, 1, &check_error));
    const tal_vec3 v = {3, -2, 5}, w = {0, 0, 4}; // about a principal axis
    tal_state_set_motion(model, state, 0, v, w);
    for (int k = 0; k < 50; k++) {
        check_ok(tal_step(model, state, &report, &check_error));
    }
    const double t = tal_state_time(state), g = -scene.settings.gravity_mps2.z;
    const tal_vec3 x = tal_state_positions(state)[0];
    check_near(x.x, 3 * t, 1e-9);
    check_near(x.y, -2 * t, 1e-9);
    check_near(x.z, 60 + 5 * t - 0.5 * g * t * t, 1e-9);
    check_near(report.kinetic_rotation_j, 0.5 * scene.inertia[0].z * 16, 1e-6);
    tal_state_destroy(state);
    tal_model_destroy(model);
    test_scene_destroy(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_ground_gives_the_bits_of_an_own_one),
        cmocka_unit_test(the_classes_of_a_shared_ground_need_laws),
        cmocka_unit_test(a_given_velocity_is_the_next_steps_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

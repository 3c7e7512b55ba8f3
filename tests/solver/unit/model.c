// SPDX-License-Identifier: GPL-3.0-or-later
// Model creation: every kind of wrong scene is refused with a sentence that helps, all at once.
#include "tests/support/check.h"

#include "core/base/fault.h"
#include "tests/solver/scenes/scene.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};

static void start(test_scene *scene) {
    test_scene_init(scene);
    test_scene_set_plane(scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    test_scene_add_box(scene, 1, 1, 1, tal_vec3_make(0, 0, 0.6), UPRIGHT, 2700.0);
    test_scene_add_box(scene, 1, 1, 1, tal_vec3_make(3, 0, 0.6), UPRIGHT, 2700.0);
}

static void refused(test_scene *scene, const char *words) {
    tal_model *model = NULL;
    tal_error_reset(&check_error);
    assert_true(test_scene_create_model(scene, &model, &check_error) != TAL_OK);
    if (strstr(check_error.text, words) == NULL) {
        fail_msg("'%s' does not say '%s'", check_error.text, words);
    }
    assert_null(model);
    test_scene_destroy(scene);
}

static void good_scene_is_accepted(void **unused) {
    (void)unused;
    test_scene scene;
    tal_model *model;
    start(&scene);
    check_ok(test_scene_create_model(&scene, &model, &check_error));
    assert_int_equal(tal_model_body_count(model), 2);
    tal_model_destroy(model);
    test_scene_destroy(&scene);
}

static void each_fault_is_named(void **unused) {
    (void)unused;
    test_scene scene;
    start(&scene);
    scene.mass[1] = 0.0;
    refused(&scene, "block 1: mass = 0 kg must be positive");
    start(&scene);
    scene.orientation[0].w = 2.0;
    refused(&scene, "has length 2, not 1");
    start(&scene);
    scene.settings.dt_s = 0.0;
    refused(&scene, "dt = 0 s");
    start(&scene);
    scene.settings.dt_s = NAN;
    refused(&scene, "dt = nan s");
    start(&scene);
    scene.law.friction = -0.1;
    refused(&scene, "friction = -0.1");
    start(&scene);
    scene.law.kind = TAL_LAW_NONE;
    refused(&scene, "no law for surface classes 0 and 0");
    start(&scene);
    scene.law.kind = TAL_LAW_PENALTY;
    refused(&scene, "penalty needs stiffness_n_m above 0");
    start(&scene);
    scene.law.kind = TAL_LAW_JOINT;
    refused(&scene, "joins points of bodies");
    start(&scene);
    scene.position[0].x = 1e9;
    refused(&scene, "subtract a local origin");
    start(&scene);
    scene.velocity[1].y = INFINITY;
    refused(&scene, "block 1: its velocity");
    start(&scene);
    scene.inertia[0].z *= 10.0;
    refused(&scene, "kg m^2 is impossible");
    start(&scene);
    scene.body_count = 0;
    refused(&scene, "no blocks");
}

// One corner a million kilometres away: every check of corners and faces is relative to that.
static void block_without_thickness_is_refused(void **unused) {
    (void)unused;
    static const tal_vec3 corner[4] = {
        {-1.125, -0.5, -0.5}, {1.5, -0.5, -0.5}, {-0.5, 1.5, -1e9}, {-0.5, -0.5, 1.5}};
    static const int32_t size[4] = {3, 3, 3, 3}, loop[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    test_scene scene;
    start(&scene);
    tal_model_input input = test_scene_input(&scene);
    scene.shape[1] = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                       .vertex_count = 4,
                                       .vertex = corner,
                                       .face_count = 4,
                                       .loop_size = size,
                                       .loop_vertex = loop};
    tal_model *model = NULL;
    tal_error_reset(&check_error);
    check_fails(tal_model_create(&model, &input, &check_error), TAL_BAD_INPUT,
                "shape 1: it has no thickness, though it reaches 1e+09 m");
    test_scene_destroy(&scene);
}

static void overlap_at_the_start_is_refused_with_its_depth(void **unused) {
    (void)unused;
    test_scene scene;
    start(&scene);
    scene.position[1].x = 0.9;
    refused(&scene, "blocks 0 and 1 overlap by 0.1 m (10.0 %");
    start(&scene);
    scene.position[0].z = 0.4;
    refused(&scene, "block 0 is 0.1 m deep in the ground");
    start(&scene);
    scene.position[1].z = -3.0;
    refused(&scene, "block 1 starts below the ground");
}

static void all_faults_are_reported_at_once(void **unused) {
    (void)unused;
    test_scene scene;
    start(&scene);
    scene.mass[0] = -1.0;
    scene.settings.dt_s = -1.0;
    scene.law.friction = NAN;
    scene.orientation[1].x = 1.0;
    scene.position[1].z = NAN;
    refused(&scene, "block 0: mass");
    assert_int_equal(check_error.message_count, 5);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **unused) {
    (void)unused;
    test_scene scene;
    start(&scene);
    for (long nth = 1;; nth++) {
        tal_model *model = NULL;
        tal_state *state = NULL;
        tal_fault_arm(TAL_FAULT_ALLOCATION, nth, false);
        tal_status status = test_scene_create_model(&scene, &model, &check_error);
        if (status == TAL_OK) {
            status = tal_state_create(&state, model, 1, &check_error);
        }
        tal_report report;
        for (int n = 0; status == TAL_OK && n < 30; n++) {
            status = tal_step(model, state, &report, &check_error);
        }
        const bool struck = tal_fault_count() > 0;
        tal_fault_disarm();
        tal_state_destroy(state);
        tal_model_destroy(model);
        if (!struck) {
            assert_int_equal(status, TAL_OK);
            print_message("%ld allocations\n", nth - 1);
            break;
        }
        assert_int_equal(status, TAL_NO_MEMORY);
    }
    test_scene_destroy(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_scene_is_accepted),
        cmocka_unit_test(each_fault_is_named),
        cmocka_unit_test(block_without_thickness_is_refused),
        cmocka_unit_test(overlap_at_the_start_is_refused_with_its_depth),
        cmocka_unit_test(all_faults_are_reported_at_once),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

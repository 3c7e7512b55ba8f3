// SPDX-License-Identifier: GPL-3.0-or-later
// Prescribed bodies and point forces: stop and resume, threads, removal, wrong input.
#include "tests/solver/scenes/world.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};

// A tilting, shaken table with a heap on it, and forces that begin and end within the run.
static const double TIME[4] = {0.0, 0.31, 0.55, 1.0};
static const tal_vec3 VELOCITY[4] = {{0, 0, 0}, {1.5, 0, 0.3}, {-2.0, 0.7, 0}, {0.5, 0, 0}};
static const tal_vec3 SPIN[4] = {{0, 0, 0}, {0, 0.2, 0.4}, {0.1, -0.3, 0}, {0, 0, 0}};
static const tal_motion_series SERIES = {3, 4, TIME, VELOCITY, SPIN};
static const tal_point_force FORCE[2] = {{.body = 0,
                                          .force_n = {3000, 500, 9000},
                                          .point_m = {0.1, 0.2, 0.3},
                                          .start_s = 0.2033,
                                          .end_s = 0.7},
                                         {.body = 5, .torque_nm = {0, 50, 900}, .end_s = 0.9}};

static void heap_on_a_table(world *w, tal_scheme scheme, int threads) {
    *w = (world){0};
    test_scene_init(&w->scene);
    w->scene.law = law_mixed(0.5, 0.3, 0.8);
    w->scene.settings.scheme = scheme;
    for (int n = 0; n < 8; n++) {
        const tal_quat q = tal_quat_normalize((tal_quat){1.0, 0.1 * n, 0.2, -0.1});
        const bool is_table = n == 3;
        test_scene_add_box(&w->scene, is_table ? 8.0 : 0.5, is_table ? 8.0 : 0.6,
                           is_table ? 0.4 : 0.7,
                           is_table ? tal_vec3_make(0, 0, -0.2)
                                    : tal_vec3_make(0.1 * n, 0.05 * n, 0.6 + n - (n > 3)),
                           is_table ? UPRIGHT : q, 2700.0);
    }
    w->scene.prescribed = &SERIES;
    w->scene.prescribed_count = 1;
    w->scene.force = FORCE;
    w->scene.force_count = 2;
    check_ok(test_scene_create_model(&w->scene, &w->model, &check_error));
    check_ok(tal_state_create(&w->state, w->model, threads, &check_error));
}

static void resuming_and_threads_give_the_same_bits(void **unused) {
    (void)unused;
    for (int scheme = 0; scheme < 2; scheme++) {
        world w;
        char path[512];
        snprintf(path, sizeof path, "%s/table.checkpoint", check_scratch());
        heap_on_a_table(&w, scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU, 1);
        double applied = 0.0;
        for (int n = 0; n < 240; n++) {
            if (n <= 87) {
                check_ok(tal_checkpoint_write(w.model, w.state, path, &check_error));
                const uint64_t now = tal_state_hash(w.state);
                check_ok(tal_checkpoint_read(w.model, w.state, path, &check_error));
                assert_true(tal_state_hash(w.state) == now);
            }
            world_step(&w);
            applied += fabs(w.report.applied_j);
        }
        assert_true(applied > 1000.0);
        const uint64_t straight = tal_state_hash(w.state);
        tal_state_destroy(w.state);
        check_ok(tal_state_create(&w.state, w.model, 2, &check_error));
        check_ok(tal_checkpoint_read(w.model, w.state, path, &check_error));
        world_run(&w, 153 * 0.005);
        assert_true(tal_state_hash(w.state) == straight);
        world_end(&w);
    }
}

static void another_series_or_force_is_another_model(void **unused) {
    (void)unused;
    world w;
    char path[512];
    snprintf(path, sizeof path, "%s/table.checkpoint", check_scratch());
    heap_on_a_table(&w, TAL_SCHEME_MOREAU, 1);
    check_ok(tal_checkpoint_write(w.model, w.state, path, &check_error));
    tal_vec3 faster[4];
    memcpy(faster, VELOCITY, sizeof faster);
    faster[2].x += 1e-9;
    const tal_motion_series series = {3, 4, TIME, faster, SPIN};
    tal_point_force force[2] = {FORCE[0], FORCE[1]};
    force[1].end_s += 1e-9;
    for (int k = 0; k < 2; k++) {
        tal_model *other;
        w.scene.prescribed = k == 0 ? &series : &SERIES;
        w.scene.force = k == 0 ? FORCE : force;
        check_ok(test_scene_create_model(&w.scene, &other, &check_error));
        check_fails(tal_checkpoint_read(other, w.state, path, &check_error), TAL_BAD_INPUT,
                    "another run");
        tal_model_destroy(other);
    }
    world_end(&w);
}

static void series_holds_its_ends_and_jumps_where_two_times_are_equal(void **unused) {
    (void)unused;
    const double time[4] = {0.1, 0.2, 0.2, 0.3};
    const tal_vec3 v[4] = {{1, 0, 0}, {2, 0, 0}, {5, 0, 0}, {7, 0, 0}};
    const tal_motion_series series = {0, 4, time, v, NULL};
    world w;
    world_init(&w, 0.025, law_coulomb(0.5, 0));
    test_scene_add_box(&w.scene, 1, 1, 1, (tal_vec3){0}, UPRIGHT, 2700);
    w.scene.prescribed = &series;
    w.scene.prescribed_count = 1;
    world_start(&w);
    const double want[16] = {1, 1, 1, 1, 1, 1.25, 1.5, 1.75, 5.0, 5.5, 6, 6.5, 7, 7, 7, 7};
    for (int n = 0; n < 16; n++) {
        check_near(tal_state_velocities(w.state)[0].x, want[n], 1e-12);
        world_step(&w);
    }
    world_end(&w);
}

static void table_meets_no_ground_and_no_other_table(void **unused) {
    (void)unused;
    const double time = 0.0;
    const tal_vec3 v[2] = {{0, 0, -1}, {1, 0, 0}};
    const tal_motion_series series[2] = {{0, 1, &time, &v[0], NULL}, {1, 1, &time, &v[1], NULL}};
    world w;
    world_init(&w, 0.005, law_coulomb(0.5, 0));
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 20.0);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.8), UPRIGHT, 2700);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(-0.5, 0, 0.9), UPRIGHT, 2700);
    w.scene.prescribed = series;
    w.scene.prescribed_count = 2;
    world_start(&w);
    world_run(&w, 2.0);
    assert_int_equal(w.report.contact_count, 0);
    check_near(tal_state_positions(w.state)[0].z, -1.2, 1e-12);
    check_near(tal_state_positions(w.state)[1].x, 1.5, 1e-12);
    world_end(&w);
}

static void removed_table_stands_still_and_its_load_falls(void **unused) {
    (void)unused;
    const double time = 0.0;
    const tal_vec3 v = {0, 0, 1};
    const tal_motion_series series = {0, 1, &time, &v, NULL};
    const tal_point_force force = {.body = 1, .force_n = {10, 0, 0}, .end_s = INFINITY};
    world w;
    world_init(&w, 0.005, law_coulomb(0.5, 0));
    test_scene_add_box(&w.scene, 4, 4, 1, tal_vec3_make(0, 0, -0.5), UPRIGHT, 2700);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5), UPRIGHT, 2700);
    w.scene.prescribed = &series;
    w.scene.prescribed_count = w.scene.force_count = 1;
    w.scene.force = &force;
    world_start(&w);
    world_run(&w, 0.5);
    const double height = tal_state_positions(w.state)[0].z;
    check_near(height, 0.0, 1e-12);
    tal_state_remove_body(w.state, 0);
    world_run(&w, 0.5);
    check_near(tal_state_positions(w.state)[0].z, height, 0.0);
    check_near(tal_state_velocities(w.state)[1].z, 1.0 - 9.81 * 0.5, 1e-9);
    tal_state_remove_body(w.state, 1);
    world_run(&w, 0.1);
    check_near(w.report.applied_j, 0.0, 0.0);
    world_end(&w);
}

static void refused(const tal_motion_series *series, int32_t series_count,
                    const tal_point_force *force, const char *words) {
    test_scene scene;
    tal_model *model = NULL;
    test_scene_init(&scene);
    test_scene_add_box(&scene, 1, 1, 1, (tal_vec3){0}, UPRIGHT, 2700);
    test_scene_add_box(&scene, 1, 1, 1, tal_vec3_make(3, 0, 0), UPRIGHT, 2700);
    scene.fixed[1] = 1;
    scene.prescribed = series;
    scene.prescribed_count = series_count;
    scene.force = force;
    scene.force_count = force != NULL ? 1 : 0;
    check_fails(test_scene_create_model(&scene, &model, &check_error), TAL_BAD_INPUT, words);
    assert_null(model);
    test_scene_destroy(&scene);
}

static void wrong_series_and_forces_are_named(void **unused) {
    (void)unused;
    const double falling[2] = {0.0, -1.0}, nan_time[1] = {NAN}, good[2] = {0.0, 1.0};
    const tal_vec3 v[2] = {{0, 0, 0}, {0, NAN, 0}};
    const tal_motion_series twice[2] = {{0, 1, good, v, NULL}, {0, 1, good, v, NULL}};
    refused(&(tal_motion_series){7, 1, good, v, NULL}, 1, NULL, "block 7, but blocks are numbered");
    refused(&(tal_motion_series){1, 1, good, v, NULL}, 1, NULL, "block 1, which is fixed");
    refused(&(tal_motion_series){0, 0, good, v, NULL}, 1, NULL, "no entries");
    refused(&(tal_motion_series){0, 2, falling, v, NULL}, 1, NULL, "the time of entry 1, -1 s");
    refused(&(tal_motion_series){0, 1, nan_time, v, NULL}, 1, NULL, "the time of entry 0");
    refused(&(tal_motion_series){0, 2, good, v, NULL}, 1, NULL, "entry 1 has nan m/s");
    refused(twice, 2, NULL, "two prescribed motions, 0 and 1");
    refused(NULL, 0, &(tal_point_force){.body = -1}, "point force 0 is for block -1");
    refused(NULL, 0, &(tal_point_force){.body = 1}, "which is fixed");
    refused(NULL, 0, &(tal_point_force){.force_n = {0, INFINITY, 0}}, "must be finite");
    refused(NULL, 0, &(tal_point_force){.start_s = 2.0, .end_s = 1.0}, "from 2 s to 1 s");
    refused(&twice[0], 1, &(tal_point_force){.end_s = 1.0}, "whose motion is prescribed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resuming_and_threads_give_the_same_bits),
        cmocka_unit_test(another_series_or_force_is_another_model),
        cmocka_unit_test(series_holds_its_ends_and_jumps_where_two_times_are_equal),
        cmocka_unit_test(table_meets_no_ground_and_no_other_table),
        cmocka_unit_test(removed_table_stands_still_and_its_load_falls),
        cmocka_unit_test(wrong_series_and_forces_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

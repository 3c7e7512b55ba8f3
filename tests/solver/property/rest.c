// SPDX-License-Identifier: GPL-3.0-or-later
// Islands at rest: they stop completely, carry on as if they had never stopped when something touches
// them, and nothing that is out of balance is ever held.
#include "tests/solver/scenes/world.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const double G = 9.81;
enum { STACK = 4 };

// Boxes of one metre on a plane, one upon the other; a ball flies towards the lowest and arrives at
// about `arrival`, without touching anything before.
static void make_stack(world *w, double arrival, int rest_steps) {
    world_init(w, 0.005, law_coulomb(0.5, 0.0));
    w->scene.settings.tolerance = 1e-8;
    w->scene.settings.rest_steps = rest_steps;
    test_scene_set_plane(&w->scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    for (int n = 0; n < STACK; n++) {
        test_scene_add_box(&w->scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5 + n), UPRIGHT, 2000.0);
    }
    const double speed = 10.0, height = 0.5 * G * arrival * arrival;
    const int32_t ball = test_scene_add_ball(
        &w->scene, 0.4, tal_vec3_make(-0.9 - speed * arrival, 0, 0.5 + height), 8000.0);
    w->scene.velocity[ball] = tal_vec3_make(speed, 0, 0);
    world_start(w);
}

static bool is_at_rest(const world *w, int32_t b) {
    const tal_vec3 v = tal_state_velocities(w->state)[b], s = tal_state_spins(w->state)[b];
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0 && s.x == 0.0 && s.y == 0.0 && s.z == 0.0;
}

static void what_stands_comes_to_rest_and_keeps_its_contacts(void **unused) {
    (void)unused;
    world w, awake;
    make_stack(&w, 1.5, 16);
    make_stack(&awake, 1.5, 0);
    world_run(&w, 1.0);
    world_run(&awake, 1.0);
    for (int32_t b = 0; b < STACK; b++) {
        assert_true(is_at_rest(&w, b));
    }
    assert_false(is_at_rest(&w, STACK)); // the ball
    assert_int_equal(w.report.contact_count, awake.report.contact_count);
    assert_int_equal(w.report.contact_count, 4 * STACK);
    assert_int_equal(w.report.active_count, awake.report.active_count);
    check_near(w.report.potential_j, awake.report.potential_j, 1e-6 * awake.report.potential_j);
    check_near(w.report.penetration_m, awake.report.penetration_m, 1e-6);
    world_end(&w);
    world_end(&awake);
}

// The blow arrives while the stack rests; from then on both runs are the same but for errors of the
// size of the tolerance.
static void a_blow_wakes_all_that_stand_together(void **unused) {
    (void)unused;
    world w, awake;
    make_stack(&w, 1.5, 16);
    make_stack(&awake, 1.5, 0);
    world_run(&w, 1.45);
    world_run(&awake, 1.45);
    for (int32_t b = 0; b < STACK; b++) {
        assert_true(is_at_rest(&w, b));
    }
    world_run(&w, 0.15);
    world_run(&awake, 0.15);
    for (int32_t b = 0; b <= STACK; b++) {
        const tal_vec3 apart =
            tal_vec3_subtract(tal_state_positions(w.state)[b], tal_state_positions(awake.state)[b]);
        assert_true(tal_vec3_length(apart) < 1e-5);
    }
    assert_true(tal_state_positions(w.state)[0].x > 0.1);
    for (int32_t b = 0; b < STACK; b++) {
        assert_false(is_at_rest(&w, b));
    }
    world_end(&w);
    world_end(&awake);
}

// A row of touching boxes of a heap at rest: the last one feels the blow in the step in which it
// strikes the first.
static void a_blow_goes_through_a_row_at_rest_within_a_step(void **unused) {
    (void)unused;
    enum { ROW = 5 };
    world w;
    world_init(&w, 0.005, law_coulomb(0.1, 0.0));
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    for (int n = 0; n < ROW; n++) {
        test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(n, 0, 0.5), UPRIGHT, 2000.0);
    }
    const int32_t ball = test_scene_add_ball(&w.scene, 0.4, tal_vec3_make(-6, 0, 0.4), 8000.0);
    w.scene.velocity[ball] = tal_vec3_make(8, 0, 0);
    world_start(&w);
    bool was_at_rest = false;
    while (tal_state_velocities(w.state)[0].x < 0.1) {
        was_at_rest = is_at_rest(&w, 0) && is_at_rest(&w, ROW - 1);
        world_step(&w);
        assert_true(w.report.time_s < 1.0);
    }
    assert_true(was_at_rest);
    assert_true(tal_state_velocities(w.state)[ROW - 1].x > 0.1);
    world_end(&w);
}

static void what_loses_its_support_falls(void **unused) {
    (void)unused;
    world w;
    make_stack(&w, 3.0, 16);
    world_run(&w, 1.0);
    assert_true(is_at_rest(&w, 1));
    tal_state_remove_body(w.state, 0);
    world_run(&w, 0.4);
    check_near(tal_state_positions(w.state)[1].z, 1.5 - 0.5 * G * 0.4 * 0.4, 0.02);
    check_near(tal_state_positions(w.state)[STACK - 1].z, STACK - 0.5 - 0.5 * G * 0.16, 0.02);
    world_end(&w);
}

// A block on a plane that rises by `tangent`.
static void make_slide(world *w, double mu, double tangent) {
    const double angle = atan(tangent);
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    const tal_quat q = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
    world_init(w, 0.005, law_coulomb(mu, 0.0));
    test_scene_set_plane(&w->scene, (tal_vec3){0}, normal, 100.0);
    test_scene_add_box(&w->scene, 1, 1, 1, tal_vec3_scale(normal, 0.5), q, 2000.0);
}

// A heavy ball strikes a light one at rest, which flies on across a gap and strikes a box at rest, all
// within a step. The look ahead sees the second blow only after the first is solved.
static double box_speed_after_two_blows(int rest_steps, double *penetration) {
    world w;
    world_init(&w, 0.005, law_coulomb(0.3, 0.9));
    w.scene.settings.rest_steps = rest_steps;
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    const int32_t heavy =
        test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(-21.0, 0, 0.5 + 0.5 * G), 8000.0);
    const int32_t light = test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(0, 0, 0.5), 400.0);
    const int32_t box =
        test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(1.02, 0, 0.5), UPRIGHT, 400.0);
    w.scene.velocity[heavy] = tal_vec3_make(20, 0, 0);
    world_start(&w);
    while (tal_state_velocities(w.state)[light].x < 1.0) {
        world_step(&w);
        assert_true(w.report.time_s < 2.0);
    }
    const double speed = tal_state_velocities(w.state)[box].x;
    world_step(&w);
    *penetration = w.report.penetration_m;
    world_end(&w);
    return speed;
}

static void a_second_blow_within_the_step_wakes_and_strikes(void **unused) {
    (void)unused;
    double penetration, penetration_awake;
    const double speed = box_speed_after_two_blows(16, &penetration);
    const double speed_awake = box_speed_after_two_blows(0, &penetration_awake);
    assert_true(speed_awake > 1.0); // the scene is what it is meant to be
    check_near(speed, speed_awake, 1e-3 * speed_awake);
    check_near(penetration, penetration_awake, 1e-4);
}

// A block begins to slide so slowly that a coarse tolerance holds it after two steps.
static void energy_left_at_rest_is_booked(void **unused) {
    (void)unused;
    for (int scheme = 0; scheme < 2; scheme++) {
        world w;
        make_slide(&w, 0.5, 0.51);
        w.scene.settings.tolerance = 0.1;
        w.scene.settings.rest_steps = 2;
        w.scene.settings.scheme = scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
        world_start(&w);
        double left = 0.0;
        for (int n = 0; n < 20 && !(n > 0 && is_at_rest(&w, 0)); n++) {
            left = w.report.kinetic_translation_j;
            check_ok(tal_step(w.model, w.state, &w.report, &check_error));
            assert_true(fabs(w.report.energy_defect_j) < 1e-9);
        }
        assert_true(is_at_rest(&w, 0));
        assert_true(left > 1e-6);
        world_end(&w);
    }
}

static void a_support_that_never_moved_can_be_taken_away(void **unused) {
    (void)unused;
    world w;
    world_init(&w, 0.005, law_coulomb(0.5, 0.0));
    const int32_t slab =
        test_scene_add_box(&w.scene, 4, 4, 1, tal_vec3_make(0, 0, -0.5), UPRIGHT, 2000.0);
    w.scene.fixed[slab] = 1;
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5), UPRIGHT, 2000.0);
    world_start(&w);
    world_run(&w, 0.5);
    assert_true(is_at_rest(&w, 1));
    tal_state_remove_body(w.state, slab);
    world_run(&w, 0.5);
    check_near(tal_state_positions(w.state)[1].z, 0.5 - 0.5 * G * 0.25, 0.02);
    world_end(&w);
}

// A block on a stiff dashpot sinks slower than the tolerance resolves, and sinks on.
static void what_creeps_is_not_held(void **unused) {
    (void)unused;
    double depth[2];
    for (int rest = 0; rest < 2; rest++) {
        world w;
        world_init(&w, 0.005,
                   (tal_law){.kind = TAL_LAW_PENALTY, .stiffness_n_m = 1e5, .damping_n_s_m = 1e9});
        w.scene.settings.tolerance = 1e-3;
        w.scene.settings.rest_steps = rest ? 16 : 0;
        test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
        test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5), UPRIGHT, 2000.0);
        world_start(&w);
        world_run(&w, 10.0);
        depth[rest] = 0.5 - tal_state_positions(w.state)[0].z;
        world_end(&w);
    }
    check_near(depth[0], 2000.0 * G * 10.0 / 1e9, 1e-5); // m g t / c
    assert_true(depth[1] == depth[0]);
}

// Sunk in by half the slop from the start: reported all the while.
static void penetration_at_rest_stays_in_the_report(void **unused) {
    (void)unused;
    world w;
    world_init(&w, 0.005, law_coulomb(0.5, 0.0));
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5 - 5e-5), UPRIGHT, 2000.0);
    world_start(&w);
    world_run(&w, 1.0);
    assert_true(is_at_rest(&w, 0));
    check_near(w.report.penetration_m, 5e-5, 1e-7);
    assert_int_equal(w.report.penetration_body_i, 0);
    assert_int_equal(w.report.penetration_body_j, -1);
    world_end(&w);
}

// How far it slides in 10 s.
static double slide(double mu, double tangent, double tolerance, int rest_steps) {
    world w;
    make_slide(&w, mu, tangent);
    w.scene.settings.tolerance = tolerance;
    w.scene.settings.rest_steps = rest_steps;
    world_start(&w);
    world_run(&w, 10.0);
    const double way =
        tal_vec3_length(tal_vec3_subtract(tal_state_positions(w.state)[0], w.scene.position[0]));
    world_end(&w);
    return way;
}

// Out of balance by an eighth of the tolerance it cannot be told from a block at rest in its first
// steps, and slides nevertheless.
static void what_is_hardly_out_of_balance_is_not_held(void **unused) {
    (void)unused;
    const double mu = 0.5, tolerance = 1e-3, tangent = mu + tolerance / 8.0;
    const double way = slide(mu, tangent, tolerance, 16);
    const double a = G * cos(atan(tangent)) * (tangent - mu);
    assert_true(way == slide(mu, tangent, tolerance, 0));
    check_near(way, 0.5 * a * 100.0, 0.25 * 0.5 * a * 100.0); // as exact as the tolerance is
    assert_true(slide(mu, mu - tolerance / 8.0, tolerance, 16) < 1e-3);
}

// Fifty boxes on a slab, two tolerances out of balance: errors that add up over a heap hide no slide.
static void a_heap_out_of_balance_is_not_held(void **unused) {
    (void)unused;
    const double mu = 0.5, tolerance = 1e-3, tangent = mu + 2.0 * tolerance, angle = atan(tangent);
    const tal_vec3 up = {sin(angle), 0.0, cos(angle)}, down = {cos(angle), 0.0, -sin(angle)};
    const tal_quat q = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
    world w;
    world_init(&w, 0.005, law_coulomb(mu, 0.0));
    w.scene.settings.tolerance = tolerance;
    test_scene_set_plane(&w.scene, (tal_vec3){0}, up, 100.0);
    test_scene_add_box(&w.scene, 12, 12, 1, tal_vec3_scale(up, 0.5), q, 2000.0);
    for (int n = 0; n < 50; n++) {
        const tal_vec3 along = tal_vec3_scale(down, 1.2 * (n % 10) - 5.4);
        const tal_vec3 across = tal_vec3_make(0.0, 1.2 * (n / 10) - 2.4, 0.0);
        test_scene_add_box(&w.scene, 1, 1, 1,
                           tal_vec3_add(tal_vec3_add(tal_vec3_scale(up, 1.5), along), across), q,
                           2000.0);
    }
    world_start(&w);
    world_run(&w, 5.0);
    const double way =
        tal_vec3_length(tal_vec3_subtract(tal_state_positions(w.state)[0], w.scene.position[0]));
    const double free = 0.5 * G * cos(angle) * (tangent - mu) * 25.0;
    check_near(way, free, 0.25 * free);
    world_end(&w);
}

// A wall of twenty courses at the tolerance of a site: its errors add up to more than one block may move by.
static void check_wall(double dt) {
    enum { COURSES = 20, LENGTH = 15 };
    world w;
    world_init(&w, dt, law_coulomb(0.6, 0.0));
    w.scene.settings.tolerance = 1e-3;
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    for (int n = 0; n < COURSES * LENGTH; n++) {
        const double x = 1.001 * (n % LENGTH) + 0.25 * (n / LENGTH % 2),
                     z = 0.25 + 0.5 * (n / LENGTH);
        test_scene_add_box(&w.scene, 1.0, 0.5, 0.5, tal_vec3_make(x, 0, z), UPRIGHT, 2000.0);
    }
    world_start(&w);
    world_run(&w, 3.0);
    for (int32_t b = 0; b < COURSES * LENGTH; b++) {
        assert_true(is_at_rest(&w, b));
        assert_true(tal_vec3_length(tal_vec3_subtract(tal_state_positions(w.state)[b],
                                                      w.scene.position[b])) < 1e-3);
    }
    world_end(&w);
}

static void a_wall_comes_to_rest(void **unused) {
    (void)unused;
    check_wall(0.005);
    check_wall(0.01); // the default
}

static void a_load_that_comes_later_moves_what_stood(void **unused) {
    (void)unused;
    const double mass = 2000.0, push = 2.0 * 0.5 * 2.0 * mass * G;
    const tal_point_force force = {
        .body = 0, .force_n = {push, 0, 0}, .start_s = 1.0, .end_s = 2.0};
    world w;
    world_init(&w, 0.005, law_coulomb(0.5, 0.0));
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5), UPRIGHT, mass);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(1, 0, 0.5), UPRIGHT, mass);
    w.scene.force = &force;
    w.scene.force_count = 1;
    world_start(&w);
    world_run(&w, 2.0);
    check_near(tal_state_velocities(w.state)[1].x, 0.5 * G, 1e-6); // both, pushed by twice friction
    world_end(&w);
}

// A floor that is still for a second and then sets off carries all.
static void a_floor_that_sets_off_takes_what_stood_along(void **unused) {
    (void)unused;
    const double time[] = {0.0, 1.0, 2.0};
    const tal_vec3 velocity[] = {{0, 0, 0}, {0, 0, 0}, {2, 0, 0}};
    const tal_motion_series series = {
        .body = 0, .count = 3, .time_s = time, .velocity_mps = velocity};
    world w;
    world_init(&w, 0.005, law_coulomb(0.5, 0.0));
    test_scene_add_box(&w.scene, 20, 20, 1, tal_vec3_make(0, 0, -0.5), UPRIGHT, 2000.0);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0.5), UPRIGHT, 2000.0);
    w.scene.prescribed = &series;
    w.scene.prescribed_count = 1;
    world_start(&w);
    world_run(&w, 2.0);
    check_near(tal_state_velocities(w.state)[1].x, 2.0, 1e-6);
    world_end(&w);
}

static void resting_goes_on_after_a_checkpoint(void **unused) {
    (void)unused;
    world w;
    char path[512];
    snprintf(path, sizeof path, "%s/rest.checkpoint", check_scratch());
    make_stack(&w, 1.5, 16);
    world_run(&w, 1.0);
    check_ok(tal_checkpoint_write(w.model, w.state, path, &check_error));
    world_run(&w, 1.0);
    const uint64_t straight = tal_state_hash(w.state);
    assert_true(tal_state_positions(w.state)[0].x > 0.1); // struck meanwhile
    tal_state_destroy(w.state);
    check_ok(tal_state_create(&w.state, w.model, 2, &check_error));
    check_ok(tal_checkpoint_read(w.model, w.state, path, &check_error));
    assert_true(is_at_rest(&w, 0));
    world_run(&w, 1.0);
    assert_true(tal_state_hash(w.state) == straight);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_comes_to_rest_and_keeps_its_contacts),
        cmocka_unit_test(a_blow_wakes_all_that_stand_together),
        cmocka_unit_test(a_blow_goes_through_a_row_at_rest_within_a_step),
        cmocka_unit_test(a_second_blow_within_the_step_wakes_and_strikes),
        cmocka_unit_test(energy_left_at_rest_is_booked),
        cmocka_unit_test(what_loses_its_support_falls),
        cmocka_unit_test(a_support_that_never_moved_can_be_taken_away),
        cmocka_unit_test(what_creeps_is_not_held),
        cmocka_unit_test(penetration_at_rest_stays_in_the_report),
        cmocka_unit_test(what_is_hardly_out_of_balance_is_not_held),
        cmocka_unit_test(a_heap_out_of_balance_is_not_held),
        cmocka_unit_test(a_wall_comes_to_rest),
        cmocka_unit_test(a_load_that_comes_later_moves_what_stood),
        cmocka_unit_test(a_floor_that_sets_off_takes_what_stood_along),
        cmocka_unit_test(resting_goes_on_after_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

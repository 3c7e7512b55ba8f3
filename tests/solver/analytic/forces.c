// SPDX-License-Identifier: GPL-3.0-or-later
// Point forces: free bodies, pushed blocks, tipping, against closed forms.
#include "tests/solver/scenes/world.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const double G = 9.81, MU = 0.5;

static void on_a_plane(world *w, const tal_point_force *force, double edge, double height) {
    world_init(w, 0.005, law_coulomb(MU, 0.0));
    test_scene_set_plane(&w->scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    test_scene_add_box(&w->scene, edge, edge, height, tal_vec3_make(0, 0, 0.5 * height), UPRIGHT,
                       2700.0);
    w->scene.force = force;
    w->scene.force_count = 1;
    world_start(w);
}

static double run(world *w, double time) {
    double applied = 0.0;
    const long steps = lround(time / w->scene.settings.dt_s);
    for (long n = 0; n < steps; n++) {
        world_step(w);
        applied += w->report.applied_j;
    }
    return applied;
}

// Constant push for a time T: v = (F/m - mu g) T, then mu g brings it to rest. Between times that are
// no multiples of the step it is right to within a step.
static void block_pushed_along_a_plane_goes_as_far_as_the_formula(void **unused) {
    (void)unused;
    const double mass = 2700.0, push = 2.0 * MU * mass * G;
    const double from[2] = {0.1, 0.1013}, to[2] = {0.9, 0.9482}, late[2] = {1e-9, 0.005};
    for (int k = 0; k < 2; k++) {
        const tal_point_force force = {.force_n = {push, 0, 0}, .start_s = from[k], .end_s = to[k]};
        world w;
        on_a_plane(&w, &force, 1.0, 1.0);
        const double applied = run(&w, 3.0);
        const double length = to[k] - from[k], speed = MU * G * length;
        const double way = 0.5 * speed * length + 0.5 * speed * speed / (MU * G);
        assert_true(tal_vec3_length(tal_state_velocities(w.state)[0]) < 1e-8);
        check_near(tal_state_positions(w.state)[0].x, way, late[k] * speed);
        check_near(applied, push * 0.5 * speed * length, late[k] * push * speed);
        world_end(&w);
    }
}

static void block_pushed_by_less_than_friction_stays(void **unused) {
    (void)unused;
    const tal_point_force force = {.force_n = {0.999 * MU * 2700.0 * G, 0, 0}, .end_s = INFINITY};
    world w;
    on_a_plane(&w, &force, 1.0, 1.0);
    const double applied = run(&w, 1.0);
    check_near(tal_state_positions(w.state)[0].x, 0.0, 1e-8);
    check_near(applied, 0.0, 1e-3);
    world_end(&w);
}

// Pushed at its upper edge, a block twice as high as wide tips from F = m g/4 on, long before it would
// slide.
static void block_pushed_at_its_top_tips_at_a_quarter_of_its_weight(void **unused) {
    (void)unused;
    for (int side = -1; side <= 1; side += 2) {
        const double weight = 2.0 * 2700.0 * G;
        const tal_point_force force = {.force_n = {(1.0 + 0.005 * side) * 0.25 * weight, 0, 0},
                                       .point_m = {0.0, 0.0, 1.0},
                                       .end_s = INFINITY};
        world w;
        on_a_plane(&w, &force, 1.0, 2.0);
        run(&w, 2.0);
        const tal_quat q = tal_state_orientations(w.state)[0];
        const double lean = 2.0 * atan2(q.y, q.w);
        if (side < 0) {
            check_near(lean, 0.0, 1e-5);
        } else {
            assert_true(lean > 1e-3);
        }
        world_end(&w);
    }
}

// Without gravity only the force presses the block on: acd2 then brakes it by (2m - kt)/(2m + kt) a
// step.
static void block_pressed_on_a_plane_is_braked_by_kt(void **unused) {
    (void)unused;
    const tal_point_force force = {.force_n = {0, 0, -1e6}, .end_s = INFINITY};
    const double mass = 1.0 * 1.2 * 0.5 * 2700.0, kt = 0.02 * mass;
    world w;
    world_init(&w, 0.005, (tal_law){.kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kt_kg = kt});
    w.scene.settings.gravity_mps2 = (tal_vec3){0};
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, tal_vec3_make(0, 0, 0.25), UPRIGHT, 2700.0);
    w.scene.velocity[0].x = 1.0;
    w.scene.force = &force;
    w.scene.force_count = 1;
    world_start(&w);
    check_near(run(&w, 0.5), 0.0, 1e-3);
    check_near(tal_state_velocities(w.state)[0].x, pow((2 * mass - kt) / (2 * mass + kt), 100),
               1e-8);
    world_end(&w);
}

// A torque about a principal axis: angle M t^2/(2 I), energy (M t)^2/(2 I); and a force through the
// centroid beside it.
static void free_body_turns_and_flies_as_force_and_torque_say(void **unused) {
    (void)unused;
    for (int scheme = 0; scheme < 2; scheme++) {
        const double torque = 100.0, push = 5000.0, dt = 0.004;
        const tal_point_force force = {
            .force_n = {0, push, 0}, .torque_nm = {0, 0, torque}, .end_s = INFINITY};
        world w;
        world_init(&w, dt, law_coulomb(MU, 0.0));
        w.scene.settings.gravity_mps2 = (tal_vec3){0};
        w.scene.settings.scheme = scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
        test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, (tal_vec3){0}, UPRIGHT, 2700.0);
        w.scene.force = &force;
        w.scene.force_count = 1;
        world_start(&w);
        const double applied = run(&w, 2.0);
        const double m = w.scene.mass[0], inertia = w.scene.inertia[0].z;
        const double lag = scheme ? dt : 0.0; // scheme acd2 drifts before it kicks
        const tal_quat q = tal_state_orientations(w.state)[0];
        check_near(2.0 * atan2(q.z, q.w), torque * 2.0 * (2.0 - lag) / (2.0 * inertia), 1e-10);
        check_near(tal_state_spins(w.state)[0].z, torque * 2.0 / inertia, 1e-10);
        check_near(tal_state_positions(w.state)[0].y, push * 2.0 * (2.0 - lag) / (2.0 * m), 1e-9);
        check_near(applied, 0.5 * pow(2.0 * torque, 2) / inertia + 0.5 * pow(2.0 * push, 2) / m,
                   1e-9 * applied);
        world_end(&w);
    }
}

// A body hung from a point by a force equal to its weight swings like a rod about its centroid: the
// centroid stays, I lean'' = -F r sin(lean); quarter of a swing by energy.
static void weight_held_off_centre_swings_about_the_centroid(void **unused) {
    (void)unused;
    const double weight = 1.0 * 1.2 * 0.5 * 2700.0 * G, arm = 0.3;
    const tal_point_force force = {
        .force_n = {0, 0, weight}, .point_m = {arm, 0, 0}, .end_s = INFINITY};
    double worst[2];
    for (int k = 0; k < 2; k++) {
        world w;
        world_init(&w, k ? 0.0005 : 0.001, law_coulomb(MU, 0.0));
        test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, (tal_vec3){0}, UPRIGHT, 2700.0);
        w.scene.force = &force;
        w.scene.force_count = 1;
        world_start(&w);
        worst[k] = 0.0;
        for (long n = 0; n < (k ? 3000 : 1500); n++) {
            world_step(&w);
            const tal_vec3 out =
                tal_quat_rotate(tal_state_orientations(w.state)[0], tal_vec3_make(arm, 0, 0));
            const double spin = tal_state_spins(w.state)[0].y;
            const double held = 0.5 * w.scene.inertia[0].y * spin * spin - weight * out.z;
            worst[k] = fmax(worst[k], fabs(held) / (weight * arm));
        }
        check_near(tal_vec3_length(tal_state_positions(w.state)[0]), 0.0, 1e-9);
        world_end(&w);
    }
    assert_true(worst[0] < 2e-4);
    check_near(worst[0] / worst[1], 4.0, 0.5); // second order
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_pushed_along_a_plane_goes_as_far_as_the_formula),
        cmocka_unit_test(block_pushed_by_less_than_friction_stays),
        cmocka_unit_test(block_pressed_on_a_plane_is_braked_by_kt),
        cmocka_unit_test(block_pushed_at_its_top_tips_at_a_quarter_of_its_weight),
        cmocka_unit_test(free_body_turns_and_flies_as_force_and_torque_say),
        cmocka_unit_test(weight_held_off_centre_swings_about_the_centroid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

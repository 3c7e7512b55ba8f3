// SPDX-License-Identifier: GPL-3.0-or-later
// Whole steps against closed forms: inclines, bounces, landings, creep, stacks, free flight.
#include "tests/solver/scenes/world.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const tal_vec3 UP = {0.0, 0.0, 1.0};

// A box lying on a plane that falls towards +x at `angle`; the origin is in the plane.
static void world_incline(world *w, double degrees, double dt, tal_law law) {
    const double angle = degrees * acos(-1.0) / 180.0;
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    const tal_quat tilt = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
    test_scene_init(&w->scene);
    w->scene.settings.dt_s = dt;
    w->scene.settings.tolerance = 1e-9;
    w->scene.law = law;
    test_scene_set_plane(&w->scene, (tal_vec3){0}, normal, 100.0);
    test_scene_add_box(&w->scene, 1.0, 1.2, 0.5, tal_vec3_scale(normal, 0.25), tilt, 2700.0);
    world_start(w);
}

static double world_displacement(const world *w) {
    return tal_vec3_length(
        tal_vec3_subtract(tal_state_positions(w->state)[0], w->scene.position[0]));
}

static void block_sticks_below_the_friction_angle_and_slides_by_the_formula_above(void **unused) {
    (void)unused;
    static const double degrees[] = {20.0, 26.5, 26.63, 27.0, 35.0}, dt[] = {0.02, 0.01, 0.005};
    for (int law = 0; law < 2; law++) {
        for (int a = 0; a < 5; a++) {
            for (int d = 0; d < 3; d++) {
                world w = {0};
                const double angle = degrees[a] * acos(-1.0) / 180.0;
                world_incline(&w, degrees[a], dt[d],
                              law ? law_mixed(0.5, 0.3, 0.5) : law_coulomb(0.5, 0.0));
                world_run(&w, 5.0);
                const double pull = 9.81 * (sin(angle) - 0.5 * cos(angle));
                const double want = pull > 0.0 ? 0.5 * pull * 25.0 : 0.0;
                check_near(world_displacement(&w), want, 2e-5 + 1e-5 * want);
                world_end(&w);
            }
        }
    }
}

static void acd2_creeps_on_an_incline_at_the_viscous_rate(void **unused) {
    (void)unused;
    for (double dt = 0.005; dt < 0.011; dt += 0.005) {
        world w = {0};
        const double mass = 2700.0 * 0.6, angle = 20.0 * acos(-1.0) / 180.0;
        const tal_law law = {
            .kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kn_kg = mass, .kt_kg = 2.0 * mass};
        world_incline(&w, 20.0, dt, law);
        w.report = (tal_report){0};
        world_run(&w, 5.0);
        check_near(world_displacement(&w), 9.81 * sin(angle) * dt / 2.0 * 5.0, 5e-4);
        world_end(&w);
    }
}

// Apex of the rebound of a body dropped from `drop` over the ground, by the parabola through the last
// step of its rise.
static double rebound_height(world *w, double drop, double rest) {
    bool has_struck = false;
    world_start(w);
    for (double before = 0.0, after = 0.0;; before = after) {
        world_step(w);
        after = tal_state_velocities(w->state)[0].z;
        has_struck = has_struck || after > before;
        if (has_struck && after <= 0.0) {
            break; // the rise is over
        }
        assert_true(w->report.time_s < 10.0 * sqrt(drop));
    }
    const double v = tal_state_velocities(w->state)[0].z;
    return tal_state_positions(w->state)[0].z - rest + v * v / (2.0 * 9.81);
}

// The height of the rebound must not depend on where within a step the body meets the ground, nor on
// the step, and is e^2 of the drop.
static void check_rebounds(tal_law law, bool is_ball, double dt, double tolerance) {
    enum { PHASES = 40 };
    double low = INFINITY, high = 0.0;
    for (int phase = 0; phase < PHASES; phase++) {
        const double drop = 1.0 + 4.43 * dt * phase / PHASES;
        world w = {0};
        test_scene_init(&w.scene);
        w.scene.settings.dt_s = dt;
        w.scene.settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -9.81};
        w.scene.law = law;
        test_scene_set_plane(&w.scene, (tal_vec3){0}, UP, 10.0);
        if (is_ball) {
            test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(0.3, 0.2, 0.1 + drop), 2700.0);
        } else {
            test_scene_add_box(&w.scene, 0.4, 0.3, 0.2, tal_vec3_make(0.3, 0.2, 0.1 + drop),
                               (tal_quat){1.0, 0.0, 0.0, 0.0}, 2700.0);
        }
        const double ratio = rebound_height(&w, drop, 0.1) / drop;
        low = fmin(low, ratio);
        high = fmax(high, ratio);
        world_end(&w);
    }
    const double want = law.restitution * law.restitution;
    print_message("%s, e %g, %g ms: rebound %.4f to %.4f of the drop\n",
                  law.kind == TAL_LAW_COULOMB ? "coulomb" : "acd2+coulomb", law.restitution,
                  1e3 * dt, low, high);
    check_near(low, want, tolerance * want);
    check_near(high, want, tolerance * want);
}

static void rebound_is_as_high_as_asked_at_every_phase_of_the_step(void **unused) {
    (void)unused;
    static const double ratio[] = {0.15, 0.3, 0.5, 0.8};
    for (int k = 0; k < 4; k++) {
        for (int is_ball = 0; is_ball < 2; is_ball++) {
            check_rebounds(law_coulomb(0.5, ratio[k]), is_ball, 0.01, 0.01);
            check_rebounds(law_mixed(0.5, ratio[k], 0.0), is_ball, 0.01, 0.01);
        }
        check_rebounds(law_mixed(0.5, ratio[k], 0.0), false, 0.02, 0.02);
    }
    check_rebounds(law_coulomb(0.5, 1.0), true, 0.01, 0.01);
}

// Lowest corner of a box, and how fast it moves upwards.
static double lowest_corner_speed(const world *w) {
    const tal_vec3 v = tal_state_velocities(w->state)[0], s = tal_state_spins(w->state)[0];
    double lowest = INFINITY, speed = 0.0;
    for (int k = 0; k < 8; k++) {
        const double *e = w->scene.edge[0];
        const tal_vec3 corner = {(k & 1 ? 0.5 : -0.5) * e[0], (k & 2 ? 0.5 : -0.5) * e[1],
                                 (k & 4 ? 0.5 : -0.5) * e[2]};
        const tal_vec3 arm = tal_quat_rotate(w->scene.orientation[0], corner);
        if (arm.z < lowest - 1e-9) {
            lowest = arm.z;
            speed = tal_vec3_add(v, tal_vec3_cross(s, arm)).z;
        }
    }
    return speed;
}

static double lowest_height(const double e[3], tal_quat q) {
    const tal_mat3 r = tal_quat_matrix(q);
    return 0.5 * (fabs(r.m[2][0]) * e[0] + fabs(r.m[2][1]) * e[1] + fabs(r.m[2][2]) * e[2]);
}

// However many points share the blow: flat on four, edge on two, corner on one.
static void landing_rebounds_as_asked_on_face_edge_and_corner(void **unused) {
    (void)unused;
    static const double edge[3][3] = {{1, 1, 1}, {2, 2, 0.5}, {1, 2, 3}};
    const tal_quat pose[3] = {UPRIGHT,
                              {cos(0.4), sin(0.4), 0.0, 0.0},
                              tal_quat_multiply((tal_quat){cos(0.4), sin(0.4), 0.0, 0.0},
                                                (tal_quat){cos(0.3), 0.0, sin(0.3), 0.0})};
    for (int box = 0; box < 3; box++) {
        for (int p = 0; p < 3; p++) {
            world w = {0};
            test_scene_init(&w.scene);
            w.scene.settings.dt_s = 0.001;
            w.scene.settings.gravity_mps2 = (tal_vec3){0};
            w.scene.settings.tolerance = 1e-12;
            w.scene.settings.iteration_max = 100000;
            w.scene.law =
                (tal_law){.kind = TAL_LAW_ACD2, .restitution = 0.5, .tangential_restitution = 1.0};
            test_scene_set_plane(&w.scene, (tal_vec3){0}, UP, 10.0);
            const double *e = edge[box];
            const double height = lowest_height(e, pose[p]) + 1e-4;
            test_scene_add_box(&w.scene, e[0], e[1], e[2], tal_vec3_make(0.1, 0.2, height), pose[p],
                               1000.0);
            w.scene.velocity[0] = tal_vec3_make(0.0, 0.0, -1.0);
            world_start(&w);
            world_step(&w);
            check_near(lowest_corner_speed(&w), 0.5, 2e-3); // turned a little since the blow
            world_end(&w);
        }
    }
}

static void world_stack(world *w, int count, double gap, tal_law law) {
    test_scene_init(&w->scene);
    w->scene.law = law;
    test_scene_set_plane(&w->scene, (tal_vec3){0}, UP, 20.0);
    for (int k = 0; k < count; k++) {
        test_scene_add_box(&w->scene, 1.0, 1.0, 1.0, tal_vec3_make(0, 0, 0.5 + k * (1.0 + gap)),
                           UPRIGHT, 2700.0);
    }
    world_start(w);
}

static void check_stack(world *w, int count, double gap, double time) {
    world_run(w, time);
    double sideways = 0.0, sunk = 0.0;
    for (int k = 0; k < count; k++) {
        const tal_vec3 x = tal_state_positions(w->state)[k];
        sideways = fmax(sideways, hypot(x.x, x.y));
        sunk = fmax(sunk, fabs(x.z - (0.5 + k)));
    }
    const double kinetic = w->report.kinetic_translation_j + w->report.kinetic_rotation_j;
    const double speed = sqrt(2.0 * kinetic / (2700.0 * count));
    print_message("stack of %d, gaps %.3g: sideways %.2e m, height off by %.2e m, penetration "
                  "%.2e m, mean speed %.2e m/s\n",
                  count, gap, sideways, sunk, w->report.penetration_m, speed);
    assert_true(sideways < 1e-3);
    assert_true(sunk < 1e-3);
    assert_true(w->report.penetration_m < 1e-4);
    assert_true(speed < 1e-3);
}

static void stack_of_ten_stands_with_every_law(void **unused) {
    (void)unused;
    const tal_law law[3] = {law_coulomb(0.6, 0.0), law_coulomb(0.6, 0.5), law_mixed(0.6, 0.5, 0.5)};
    for (int k = 0; k < 3; k++) {
        for (int open = 0; open < 2; open++) {
            world w = {0};
            world_stack(&w, 10, open ? 0.002 : 0.0, law[k]);
            check_stack(&w, 10, open ? 0.002 : 0.0, 3.0);
            world_end(&w);
        }
    }
}

static void column_of_thirty_stands(void **unused) {
    (void)unused;
    world w = {0};
    world_stack(&w, 30, 0.0, law_coulomb(0.6, 0.0));
    check_stack(&w, 30, 0.0, 5.0);
    world_end(&w);
}

static void free_flight_keeps_energy_in_both_schemes(void **unused) {
    (void)unused;
    for (int scheme = 0; scheme < 2; scheme++) {
        world w = {0};
        test_scene_init(&w.scene);
        w.scene.settings.scheme = scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
        test_scene_add_box(&w.scene, 1.0, 2.0, 3.0, tal_vec3_make(0, 0, 100), UPRIGHT, 1000.0);
        w.scene.velocity[0] = tal_vec3_make(1, 2, 20);
        w.scene.spin[0] = tal_vec3_make(3, 1, -2);
        world_start(&w);
        world_step(&w);
        const double start =
            w.report.kinetic_translation_j + w.report.kinetic_rotation_j + w.report.potential_j;
        world_run(&w, 2.0);
        const double end =
            w.report.kinetic_translation_j + w.report.kinetic_rotation_j + w.report.potential_j;
        check_near(end / start, 1.0, 1e-12);
        // x = v t + g t^2/2 at the end of moreau steps, exactly
        const double t = tal_state_time(w.state);
        const double z = scheme ? 100.0 + 20.0 * t - 0.5 * 9.81 * t * (t - 0.005)
                                : 100.0 + 20.0 * t - 0.5 * 9.81 * t * t;
        check_near(tal_state_positions(w.state)[0].z, z, 1e-9);
        world_end(&w);
    }
}

static void fast_block_does_not_pass_through_the_ground(void **unused) {
    (void)unused;
    for (double speed = 50.0; speed < 2000.0; speed *= 2.0) {
        world w = {0};
        test_scene_init(&w.scene);
        w.scene.settings.dt_s = 0.01;
        test_scene_set_plane(&w.scene, (tal_vec3){0}, UP, 1000.0);
        test_scene_add_box(&w.scene, 0.3, 0.3, 0.3, tal_vec3_make(0, 0, 5), UPRIGHT, 2700.0);
        w.scene.velocity[0] = tal_vec3_make(0.3 * speed, 0, -speed);
        w.scene.spin[0] = tal_vec3_make(5, 6, 7);
        world_start(&w);
        world_run(&w, 1.0);
        assert_true(tal_state_positions(w.state)[0].z > 0.14);
        world_end(&w);
    }
}

static void slider_on_the_benchmark_slope_goes_8_245_m(void **unused) {
    (void)unused;
    check_data("the benchmark slider");
    world w = {0};
    check_ok(test_scene_read(&w.scene, test_scene_bench_directory(), "S0_slider", &check_error));
    world_start(&w);
    world_run(&w, 5.0);
    check_near(tal_state_positions(w.state)[0].x - w.scene.position[0].x, 8.245, 0.005);
    world_end(&w);
}

// 20 courses of 50 blocks for 5 s.
static void dry_wall_of_the_benchmark_stands(void **unused) {
    (void)unused;
    check_data("the dry wall");
    world w = {0};
    check_ok(test_scene_read(&w.scene, test_scene_bench_directory(), "S3_wall", &check_error));
    world_start(&w);
    double deepest = 0.0, drift = 0.0;
    for (int n = 0; n < 1000; n++) {
        world_step(&w);
        deepest = fmax(deepest, w.report.penetration_m);
    }
    for (int32_t b = 0; b < w.scene.body_count; b++) {
        drift = fmax(drift, tal_vec3_length(tal_vec3_subtract(tal_state_positions(w.state)[b],
                                                              w.scene.position[b])));
    }
    print_message("wall after 5 s: drift %.3f mm, deepest penetration %.4f mm\n", 1e3 * drift,
                  1e3 * deepest);
    assert_true(drift < 1e-3);
    assert_true(deepest < 1e-4);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_sticks_below_the_friction_angle_and_slides_by_the_formula_above),
        cmocka_unit_test(acd2_creeps_on_an_incline_at_the_viscous_rate),
        cmocka_unit_test(rebound_is_as_high_as_asked_at_every_phase_of_the_step),
        cmocka_unit_test(landing_rebounds_as_asked_on_face_edge_and_corner),
        cmocka_unit_test(stack_of_ten_stands_with_every_law),
        cmocka_unit_test(column_of_thirty_stands),
        cmocka_unit_test(free_flight_keeps_energy_in_both_schemes),
        cmocka_unit_test(fast_block_does_not_pass_through_the_ground),
        cmocka_unit_test(slider_on_the_benchmark_slope_goes_8_245_m),
        cmocka_unit_test(dry_wall_of_the_benchmark_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of grounds and avalanches against closed forms (docs/theory/grounds.md). Every step is taken with
// the checks of world_step: the energy book closes and nothing gains energy.
#include "tests/solver/scenes/world.h"

#include <stdio.h>

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const tal_vec3 UP = {0.0, 0.0, 1.0}, ORIGIN = {0.0, 0.0, 0.0};
static const double G = 9.81, DENSITY = 2700.0;

static void check_share(double got, double want, double share) {
    check_near(got, want, share * fabs(want));
}

static void on_a_plane(world *w, double dt, tal_law law) {
    world_init(w, dt, law);
    w->scene.settings.gravity_mps2 = tal_vec3_make(0.0, 0.0, -G);
    test_scene_set_plane(&w->scene, ORIGIN, UP, 200.0);
}

// A plane that falls along x, and the turn that lays a box on it.
static tal_quat on_a_slope(world *w, double dt, tal_law law, double angle) {
    on_a_plane(w, dt, law);
    test_scene_set_plane(&w->scene, ORIGIN, tal_vec3_make(sin(angle), 0.0, cos(angle)), 2000.0);
    return (tal_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
}

static void add_sliding_box(world *w, double speed) {
    test_scene_add_box(&w->scene, 1.0, 1.2, 0.5, tal_vec3_make(0, 0, 0.25), UPRIGHT, DENSITY);
    w->scene.velocity[0].x = speed;
}

// Where a box that is pushed off at `speed` comes to a stop.
static double stopping_way(tal_law law, double speed, double dt, double time) {
    world w;
    on_a_plane(&w, dt, law);
    add_sliding_box(&w, speed);
    world_start(&w);
    world_run(&w, time);
    const double way = tal_state_positions(w.state)[0].x;
    assert_true(tal_vec3_length(tal_state_velocities(w.state)[0]) < 1e-6);
    world_end(&w);
    return way;
}

// ---- rolling -------------------------------------------------------------------------------

static tal_law law_rolling(double mu, double rolling) {
    return (tal_law){.kind = TAL_LAW_ROLLING, .friction = mu, .rolling_friction = rolling};
}

// A ball that rolls at v: the moment c R N brakes it by 5/7 c g.
static void a_rolling_ball_stops_after_its_closed_form(void **unused) {
    (void)unused;
    const double v = 5.0, c = 0.3, radius = 0.4;
    double error[2];
    for (int n = 0; n < 2; n++) {
        world w;
        on_a_plane(&w, n == 0 ? 0.01 : 0.0025, law_rolling(0.8, c));
        test_scene_add_ball(&w.scene, radius, tal_vec3_make(0, 0, radius), DENSITY);
        w.scene.velocity[0].x = v;
        w.scene.spin[0].y = v / radius;
        world_start(&w);
        world_run(&w, 4.0);
        const double want = v * v / (2.0 * 5.0 / 7.0 * c * G);
        error[n] = fabs(tal_state_positions(w.state)[0].x - want) / want;
        assert_true(tal_vec3_length(tal_state_velocities(w.state)[0]) < 1e-6);
        assert_true(tal_vec3_length(tal_state_spins(w.state)[0]) < 1e-6);
        world_end(&w);
    }
    assert_true(error[0] < 2e-3);
    assert_true(error[1] < 5e-4);
}

// Down a slope it rolls with 5/7 g cos(a) (tan a - c), whatever the heading of the frame.
static void a_ball_rolls_down_with_the_acceleration_of_its_slope(void **unused) {
    (void)unused;
    const double angle = 0.5, c = 0.2, radius = 0.4, time = 2.0;
    world w;
    on_a_slope(&w, 0.005, law_rolling(0.9, c), angle);
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    test_scene_add_ball(&w.scene, radius, tal_vec3_scale(normal, radius), DENSITY);
    world_start(&w);
    world_run(&w, time);
    const double way =
        tal_vec3_length(tal_vec3_subtract(tal_state_positions(w.state)[0], w.scene.position[0]));
    world_end(&w);
    check_share(way, 0.5 * 5.0 / 7.0 * G * cos(angle) * (tan(angle) - c) * time * time, 1e-3);
}

// It stays on every slope below the angle of rolling, and on none above.
static void a_ball_holds_below_the_angle_of_rolling(void **unused) {
    (void)unused;
    for (int above = 0; above < 2; above++) {
        const double angle = atan(0.3) + (above ? 2e-3 : -2e-3);
        world w;
        on_a_slope(&w, 0.01, law_rolling(0.9, 0.3), angle);
        const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
        test_scene_add_ball(&w.scene, 0.4, tal_vec3_scale(normal, 0.4), DENSITY);
        world_start(&w);
        world_run(&w, 5.0);
        const double way = tal_vec3_length(
            tal_vec3_subtract(tal_state_positions(w.state)[0], w.scene.position[0]));
        world_end(&w);
        if (above) {
            check_share(way, 0.5 * 5.0 / 7.0 * G * cos(angle) * (tan(angle) - 0.3) * 25.0, 2e-2);
        } else {
            assert_true(way < 1e-6);
        }
    }
}

// What a moment holds is laid to rest at the tolerance of a site file: the moment is remembered.
static void a_ball_held_by_its_moment_comes_to_rest(void **unused) {
    (void)unused;
    const double angle = atan(0.2);
    world w;
    on_a_slope(&w, 0.01, law_rolling(0.9, 0.3), angle);
    w.scene.settings.tolerance = 1e-3;
    w.scene.settings.iteration_max = 1000;
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    test_scene_add_ball(&w.scene, 0.4, tal_vec3_scale(normal, 0.4), DENSITY);
    world_start(&w);
    world_run(&w, 1.0);
    assert_true(tal_vec3_length(tal_state_velocities(w.state)[0]) == 0.0);
    world_end(&w);
}

// Two balls pressed together between walls resist rolling on each other too: their relative spin ends.
static void rolling_resistance_acts_between_bodies(void **unused) {
    (void)unused;
    world w;
    on_a_plane(&w, 0.005, law_rolling(0.0, 0.5));
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(0, 0, 0.5), DENSITY);
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(0, 0, 1.5), DENSITY);
    w.scene.spin[1].y = 2.0;
    world_start(&w);
    world_run(&w, 0.05);
    // without friction only moments turn: mu_r R m g slows the upper, the lower is braked by twice that
    const double rate = 0.5 * 0.5 * w.scene.mass[0] * G / w.scene.inertia[0].x;
    check_share(tal_state_spins(w.state)[1].y, 2.0 - 0.05 * rate, 2e-2);
    assert_true(fabs(tal_state_spins(w.state)[0].y) < 1e-9);
    world_end(&w);
}

// ---- scar ----------------------------------------------------------------------------------

static tal_law law_scar(double mu, double most, double growth, double drag) {
    return (tal_law){.kind = TAL_LAW_SCAR,
                     .friction = mu,
                     .friction_max = most,
                     .scar_growth_per_m = growth,
                     .scar_decay_per_s = 100.0,
                     .drag_per_s = drag};
}

// v0 exp(-nu t), v0/nu (1 - exp(-nu t)); drag begins a step after the first touch.
static void drag_brings_a_body_to_rest_exponentially(void **unused) {
    (void)unused;
    const double v = 6.0, nu = 0.8, time = 3.0;
    double error[2];
    for (int n = 0; n < 2; n++) {
        world w;
        on_a_plane(&w, n == 0 ? 0.01 : 0.0025, law_scar(0.0, 0.0, 0.0, nu));
        add_sliding_box(&w, v);
        world_start(&w);
        world_run(&w, time);
        check_share(tal_state_velocities(w.state)[0].x, v * exp(-nu * time), 1e-2);
        const double want = v / nu * (1.0 - exp(-nu * time));
        error[n] = fabs(tal_state_positions(w.state)[0].x - want) / want;
        world_end(&w);
    }
    // the way of the one step in which it first touches, and which the drag does not know of yet
    assert_true(error[0] < 1.1 * v * 0.01 / (v / nu * (1.0 - exp(-nu * time))));
    assert_true(error[1] < 0.3 * error[0]);
}

static tal_law law_voellmy(double mu, double xi) {
    return (tal_law){.kind = TAL_LAW_SPEED_WEAKENING,
                     .friction = mu,
                     .friction_fast = mu,
                     .weakening_speed_mps = 1.0,
                     .turbulence_mps2 = xi};
}

// A ball that hops touches for no time at all: without friction it keeps its speed, whatever the step.
static void check_hops(tal_law law) {
    law.restitution = 1.0;
    for (int n = 0; n < 2; n++) {
        world w;
        on_a_plane(&w, n == 0 ? 0.01 : 0.0025, law);
        test_scene_add_ball(&w.scene, 0.4, tal_vec3_make(0, 0, 1.4), DENSITY);
        w.scene.velocity[0].x = 6.0;
        world_start(&w);
        world_run(&w, 5.0); // falls every 0.9 s
        check_share(tal_state_velocities(w.state)[0].x, 6.0, 1e-9);
        assert_true(tal_state_positions(w.state)[0].z > 0.4 - 1e-3);
        world_end(&w);
    }
}

static void hops_are_not_dragged(void **unused) {
    (void)unused;
    check_hops(law_scar(0.0, 0.0, 0.0, 5.0));
}

static void hops_are_not_stirred(void **unused) {
    (void)unused;
    check_hops(law_voellmy(0.0, 10.0));
}

// g (sin - mu cos)/nu
static void a_body_on_a_slope_reaches_its_terminal_speed(void **unused) {
    (void)unused;
    const double angle = 0.6, mu = 0.35, nu = 0.6;
    world w;
    const tal_quat turn = on_a_slope(&w, 0.01, law_scar(mu, mu, 0.0, nu), angle);
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, tal_vec3_scale(normal, 0.25), turn, DENSITY);
    world_start(&w);
    world_run(&w, 20.0);
    check_share(tal_vec3_length(tal_state_velocities(w.state)[0]),
                G * (sin(angle) - mu * cos(angle)) / nu, 1e-4);
    world_end(&w);
}

// v^2/2 = g times the integral of friction along the scar.
static void a_scar_stops_a_body_where_its_friction_says(void **unused) {
    (void)unused;
    const double low = 0.3, high = 1.2, k = 0.5, v = 5.0;
    const double way = stopping_way(law_scar(low, high, k, 0.0), v, 0.001, 3.0);
    const double turn = 2.0 / acos(-1.0) * (high - low);
    const double work =
        low * way + turn * (way * atan(k * way) - 0.5 / k * log1p(k * k * way * way));
    check_share(G * work, 0.5 * v * v, 2e-3);
}

// In flight the scar is forgotten: with decay 0 a body that hops stops earlier than with a fast one.
static double way_after_a_hop(double decay) {
    tal_law law = law_scar(0.2, 1.5, 2.0, 0.0);
    world w;
    law.scar_decay_per_s = decay;
    on_a_plane(&w, 0.005, law);
    add_sliding_box(&w, 9.0);
    const tal_point_force lift = {.body = 0,
                                  .force_n = {0.0, 0.0, 12.0 * w.scene.mass[0] * G},
                                  .start_s = 0.3,
                                  .end_s = 0.35};
    w.scene.force_count = 1;
    w.scene.force = &lift;
    world_start(&w);
    world_run(&w, 6.0);
    const double way = tal_state_positions(w.state)[0].x;
    world_end(&w);
    return way;
}

static void a_scar_is_forgotten_in_flight(void **unused) {
    (void)unused;
    const double kept = way_after_a_hop(0.0), forgotten = way_after_a_hop(100.0);
    assert_true(forgotten > kept + 0.05);
}

// ---- plastic -------------------------------------------------------------------------------

// E' / E = (e / (1 + E/(pi R^2 E_p)))^2
static void a_plastic_impact_loses_what_its_energy_says(void **unused) {
    (void)unused;
    const double e = 0.6, radius = 0.5, yield = 20000.0;
    for (double height = 0.5; height < 10.0; height *= 2.0) {
        const tal_law law = {.kind = TAL_LAW_PLASTIC,
                             .friction = 0.5,
                             .restitution = e,
                             .plastic_energy_j_m2 = yield};
        world w;
        on_a_plane(&w, 0.0005, law);
        test_scene_add_ball(&w.scene, radius, tal_vec3_make(0, 0, radius + height), DENSITY);
        world_start(&w);
        double highest = 0.0, lowest = height;
        bool rises = false;
        for (int n = 0; n < 8000 && !(rises && tal_state_velocities(w.state)[0].z < 0.0); n++) {
            world_step(&w);
            const double z = tal_state_positions(w.state)[0].z - radius;
            rises = rises || tal_state_velocities(w.state)[0].z > 0.0;
            lowest = fmin(lowest, z);
            highest = rises ? fmax(highest, z) : highest;
        }
        const double energy = w.scene.mass[0] * G * height / (acos(-1.0) * radius * radius);
        const double ratio = e / (1.0 + energy / yield);
        check_share(highest, ratio * ratio * height, 5e-3);
        world_end(&w);
    }
}

// ---- avalanches ----------------------------------------------------------------------------

// ds = v dv/(g mu(v)), by Simpson's rule.
static void speed_weakening_stops_a_body_where_its_integral_says(void **unused) {
    (void)unused;
    const tal_law law = {.kind = TAL_LAW_SPEED_WEAKENING,
                         .friction = 0.84,
                         .friction_fast = 0.11,
                         .weakening_speed_mps = 4.0};
    const double v = 20.0;
    double way = 0.0;
    enum { PIECES = 1000 };
    for (int k = 0; k <= PIECES; k++) {
        const double at = v * k / PIECES, mu = 0.11 + 0.73 / (1.0 + at / 4.0);
        way += (k == 0 || k == PIECES ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) * at / (G * mu);
    }
    check_share(stopping_way(law, v, 0.0025, 12.0), way * v / PIECES / 3.0, 1e-3);
}

// (15): on a slope below its friction at rest a slide dies below the critical speed and runs away above it.
static void speed_weakening_keeps_a_slide_going_above_its_critical_speed(void **unused) {
    (void)unused;
    const tal_law law = {.kind = TAL_LAW_SPEED_WEAKENING,
                         .friction = 0.84,
                         .friction_fast = 0.11,
                         .weakening_speed_mps = 4.0};
    const double angle = acos(-1.0) / 12.0; // 15 degrees
    const double critical = 4.0 * (0.84 - tan(angle)) / (tan(angle) - 0.11);
    for (int n = 0; n < 2; n++) {
        const double start = (n == 0 ? 0.98 : 1.02) * critical;
        world w;
        const tal_quat turn = on_a_slope(&w, 0.01, law, angle);
        const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
        test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, tal_vec3_scale(normal, 0.25), turn, DENSITY);
        w.scene.velocity[0] = tal_vec3_make(start * cos(angle), 0.0, -start * sin(angle));
        world_start(&w);
        world_run(&w, 5.0);
        double expected = start; // dv/dt = g (sin - mu(v) cos)
        for (int k = 0; k < 50000; k++) {
            const double mu = 0.11 + 0.73 / (1.0 + expected / 4.0);
            expected += 1e-4 * G * (sin(angle) - mu * cos(angle));
        }
        const double speed = tal_vec3_length(tal_state_velocities(w.state)[0]);
        assert_true(n == 0 ? expected < 0.99 * start : expected > 1.009 * start);
        check_share(speed, expected, 1e-4);
        world_end(&w);
    }
}

// (19): v dv/ds = -g (mu + v^2/(xi h)), h = 0.5 m, so s = xi h/(2 g) ln(1 + v^2/(mu xi h)).
static void turbulence_stops_a_body_where_its_closed_form_says(void **unused) {
    (void)unused;
    const double mu = 0.2, xi = 100.0, v = 12.0, h = 0.5;
    const double want = xi * h / (2.0 * G) * log1p(v * v / (mu * xi * h));
    double error[2];
    for (int n = 0; n < 2; n++) {
        const double dt = n == 0 ? 0.005 : 0.00125;
        error[n] = fabs(stopping_way(law_voellmy(mu, xi), v, dt, 6.0) - want) / want;
    }
    assert_true(error[0] < 1e-2);
    assert_true(error[1] < 0.3 * error[0]);
}

// (19): v^2 = xi h (sin - mu cos)
static void turbulence_bounds_the_speed_on_a_slope(void **unused) {
    (void)unused;
    const double angle = 0.6, mu = 0.1, xi = 200.0, h = 0.5;
    world w;
    const tal_quat turn = on_a_slope(&w, 0.01, law_voellmy(mu, xi), angle);
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    test_scene_add_box(&w.scene, 1.0, 1.2, h, tal_vec3_scale(normal, 0.5 * h), turn, DENSITY);
    world_start(&w);
    world_run(&w, 20.0);
    check_share(tal_vec3_length(tal_state_velocities(w.state)[0]),
                sqrt(xi * h * (sin(angle) - mu * cos(angle))), 1e-4);
    world_end(&w);
}

// Without friction only the ground brakes: what rides on another body keeps its speed.
static void turbulence_is_of_the_ground_and_not_of_other_blocks(void **unused) {
    (void)unused;
    const double v = 6.0, xi = 50.0, time = 0.05;
    world w;
    on_a_plane(&w, 0.001, law_voellmy(0.0, xi));
    add_sliding_box(&w, v);
    test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, tal_vec3_make(0, 0, 0.75), UPRIGHT, DENSITY);
    w.scene.velocity[1].x = v;
    world_start(&w);
    world_run(&w, time);
    check_share(tal_state_velocities(w.state)[0].x, v / (1.0 + G * v * time / (xi * 0.5)), 5e-3);
    check_share(tal_state_velocities(w.state)[1].x, v, 1e-9);
    world_end(&w);
}

// v^2/2 = g (mu' s + (mu - mu') L (1 - exp(-s/L)))
static void slip_weakening_stops_a_body_where_its_energy_says(void **unused) {
    (void)unused;
    const tal_law law = {.kind = TAL_LAW_SLIP_WEAKENING,
                         .friction = 0.7,
                         .friction_worn = 0.2,
                         .weakening_slip_m = 3.0};
    const double v = 8.0, way = stopping_way(law, v, 0.0025, 6.0);
    const double work = 0.2 * way + 0.5 * 3.0 * (1.0 - exp(-way / 3.0));
    check_share(G * work, 0.5 * v * v, 2e-3);
}

// ---- the neutral laws, resume, threads -----------------------------------------------------

static tal_law law_of_all(void) {
    return (tal_law){.kind = TAL_LAW_GROUND,
                     .friction = 0.4,
                     .restitution = 0.3,
                     .rolling_friction = 0.1,
                     .friction_max = 1.5,
                     .scar_growth_per_m = 2.0,
                     .scar_decay_per_s = 20.0,
                     .drag_per_s = 0.5,
                     .plastic_energy_j_m2 = 5e4};
}

static void start_heap(world *w, tal_law law, int threads) {
    const double angle = 0.5;
    on_a_slope(w, 0.01, law, angle);
    w->scene.settings.tolerance = 1e-4;
    w->scene.settings.iteration_max = 1000;
    for (int k = 0; k < 27; k++) {
        const tal_vec3 at = {1.5 * (k % 3), 1.5 * (k / 3 % 3), 1.5 + 1.5 * (k / 9)};
        if (k % 4 == 0) {
            test_scene_add_ball(&w->scene, 0.45, at, DENSITY);
        } else {
            test_scene_add_box(&w->scene, 0.8, 0.9, 0.7, at,
                               tal_quat_normalize((tal_quat){1.0, 0.1 * k, 0.2, 0.05 * k}),
                               DENSITY);
        }
    }
    check_ok(test_scene_create_model(&w->scene, &w->model, &check_error));
    check_ok(tal_state_create(&w->state, w->model, threads, &check_error));
}

static uint64_t hash_after(tal_law law, int threads, int resume_at, int steps) {
    world w;
    start_heap(&w, law, threads);
    for (int n = 0; n < steps; n++) {
        if (n == resume_at) {
            char path[300];
            snprintf(path, sizeof path, "%s/state", check_scratch());
            check_ok(tal_checkpoint_write(w.model, w.state, path, &check_error));
            tal_state_destroy(w.state);
            check_ok(tal_state_create(&w.state, w.model, threads, &check_error));
            check_ok(tal_checkpoint_read(w.model, w.state, path, &check_error));
        }
        world_step(&w);
    }
    const uint64_t hash = tal_state_hash(w.state);
    world_end(&w);
    return hash;
}

static void threads_and_resuming_change_no_bit(void **unused) {
    (void)unused;
    tal_law worn = law_of_all();
    worn.kind = TAL_LAW_SLIP_WEAKENING;
    worn.friction_worn = 0.1;
    worn.weakening_slip_m = 0.5;
    const tal_law law[] = {law_of_all(), worn};
    for (int k = 0; k < 2; k++) {
        const uint64_t whole = hash_after(law[k], 1, -1, 250);
        assert_true(hash_after(law[k], 3, -1, 250) == whole);
        assert_true(hash_after(law[k], 2, 120, 250) == whole);
    }
}

// With all of its own numbers at 0 each law is acd2+coulomb to the last bit.
static void laws_without_their_numbers_are_the_default_law(void **unused) {
    (void)unused;
    tal_law law = {.kind = TAL_LAW_ACD2_COULOMB, .friction = 0.5, .restitution = 0.2};
    const uint64_t want = hash_after(law, 1, -1, 150);
    const tal_law_kind kind[] = {TAL_LAW_ROLLING, TAL_LAW_SCAR, TAL_LAW_PLASTIC, TAL_LAW_GROUND};
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++) {
        law.kind = kind[k];
        assert_true(hash_after(law, 1, -1, 150) == want);
    }
}

static void a_weakening_law_without_its_scale_is_refused(void **unused) {
    (void)unused;
    world w;
    on_a_plane(&w, 0.01, (tal_law){.kind = TAL_LAW_SPEED_WEAKENING, .friction = 0.8});
    add_sliding_box(&w, 1.0);
    tal_error err = {0};
    assert_true(test_scene_create_model(&w.scene, &w.model, &err) == TAL_BAD_SETTING);
    assert_non_null(strstr(err.text, "weakening_speed_mps"));
    test_scene_destroy(&w.scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rolling_ball_stops_after_its_closed_form),
        cmocka_unit_test(a_ball_rolls_down_with_the_acceleration_of_its_slope),
        cmocka_unit_test(a_ball_holds_below_the_angle_of_rolling),
        cmocka_unit_test(a_ball_held_by_its_moment_comes_to_rest),
        cmocka_unit_test(rolling_resistance_acts_between_bodies),
        cmocka_unit_test(drag_brings_a_body_to_rest_exponentially),
        cmocka_unit_test(hops_are_not_dragged),
        cmocka_unit_test(hops_are_not_stirred),
        cmocka_unit_test(a_body_on_a_slope_reaches_its_terminal_speed),
        cmocka_unit_test(a_scar_stops_a_body_where_its_friction_says),
        cmocka_unit_test(a_scar_is_forgotten_in_flight),
        cmocka_unit_test(a_plastic_impact_loses_what_its_energy_says),
        cmocka_unit_test(speed_weakening_stops_a_body_where_its_integral_says),
        cmocka_unit_test(speed_weakening_keeps_a_slide_going_above_its_critical_speed),
        cmocka_unit_test(turbulence_stops_a_body_where_its_closed_form_says),
        cmocka_unit_test(turbulence_bounds_the_speed_on_a_slope),
        cmocka_unit_test(turbulence_is_of_the_ground_and_not_of_other_blocks),
        cmocka_unit_test(slip_weakening_stops_a_body_where_its_energy_says),
        cmocka_unit_test(threads_and_resuming_change_no_bit),
        cmocka_unit_test(laws_without_their_numbers_are_the_default_law),
        cmocka_unit_test(a_weakening_law_without_its_scale_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

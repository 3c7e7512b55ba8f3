// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that follow a time series: floors, belts, turntables, and what stands on them, against closed
// forms; the rigid cases among the reference figures.
#include "tests/solver/scenes/world.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const double G = 9.81, MU = 0.4;

// What a run added up; the book of each step is checked by world_step.
typedef struct {
    double applied, dissipated, deepest;
} turnover;

static turnover run(world *w, double time) {
    turnover sum = {0};
    const long steps = lround(time / w->scene.settings.dt_s);
    for (long n = 0; n < steps; n++) {
        world_step(w);
        sum.applied += w->report.applied_j;
        sum.deepest = fmax(sum.deepest, w->report.penetration_m);
        sum.dissipated += w->report.dissipated_normal_j + w->report.dissipated_tangential_j;
    }
    return sum;
}

// Body 0: a slab whose upper face is z = 0, moved by one series.
static void add_floor(world *w, const tal_motion_series *series) {
    test_scene_add_box(&w->scene, 40.0, 40.0, 1.0, tal_vec3_make(0, 0, -0.5), UPRIGHT, 2700.0);
    w->scene.prescribed = series;
    w->scene.prescribed_count = 1;
}

static int32_t add_block(world *w, tal_vec3 at) {
    return test_scene_add_box(&w->scene, 1.0, 1.2, 0.5, at, UPRIGHT, 2700.0);
}

static tal_vec3 position(const world *w, int32_t body) {
    return tal_state_positions(w->state)[body];
}

static tal_vec3 velocity(const world *w, int32_t body) {
    return tal_state_velocities(w->state)[body];
}

// The floor reaches a T at T = 1 s and keeps it: below mu g the block rides along, above it slips by
// a T (t1 - T)/2 until it has that velocity too, at t1 = a T/(mu g).
static void block_rides_on_a_floor_below_mu_g_and_slips_by_the_formula_above(void **unused) {
    (void)unused;
    const tal_law law[2] = {law_coulomb(MU, 0.0), law_mixed(MU, 0.3, 0.8)};
    for (int k = 0; k < 8; k++) {
        const double ratio[4] = {0.99, 1.01, 1.5, 2.5};
        const double a = ratio[k % 4] * MU * G, m = 1.0 * 1.2 * 0.5 * 2700.0;
        const double time[2] = {0.0, 1.0};
        const tal_vec3 v[2] = {{0.0, 0.0, 0.0}, {a, 0.0, 0.0}};
        const tal_motion_series series = {0, 2, time, v, NULL};
        world w;
        world_init(&w, 0.005, law[k / 4]);
        add_floor(&w, &series);
        const int32_t block = add_block(&w, tal_vec3_make(0, 0, 0.25));
        world_start(&w);
        const turnover sum = run(&w, 3.0);
        const double t1 = fmax(1.0, a / (MU * G)), slip = 0.5 * a * (t1 - 1.0);
        const double way = 0.5 * a + 2.0 * a;
        check_near(position(&w, 0).x, way, 1e-9);
        check_near(velocity(&w, block).x, a, 1e-8);
        check_near(position(&w, 0).x - position(&w, block).x, slip, 1e-9);
        check_near(sum.applied, 0.5 * m * a * a + MU * m * G * slip, 1e-9 * sum.applied);
        check_near(sum.dissipated, MU * m * G * slip, 1e-9 * sum.applied);
        check_near(sum.applied - sum.dissipated, 0.5 * m * a * a, 1e-9 * sum.applied);
        world_end(&w);
    }
}

// Up at 4 m/s^2 for 0.5 s, then down at 30 m/s^2: the block goes on alone from there.
static void block_leaves_a_floor_that_drops_away_faster_than_it_can_fall(void **unused) {
    (void)unused;
    const double time[4] = {0.0, 0.5, 0.7, 0.7}, speed = 2.0;
    const tal_vec3 v[4] = {{0, 0, 0}, {0, 0, speed}, {0, 0, -4.0}, {0, 0, 0}};
    const tal_motion_series series = {0, 4, time, v, NULL};
    world w;
    world_init(&w, 0.005, law_coulomb(MU, 0.0));
    add_floor(&w, &series);
    const int32_t block = add_block(&w, tal_vec3_make(0, 0, 0.25));
    world_start(&w);
    const turnover lift = run(&w, 0.5);
    check_near(position(&w, block).z, 0.25 + 0.5, 1e-9);
    const double mass = w.scene.mass[block];
    check_near(lift.applied, mass * (0.5 * speed * speed + G * 0.5), 1e-6 * lift.applied);
    const turnover flight = run(&w, 0.4);
    check_near(velocity(&w, block).z, speed - G * 0.4, 1e-9);
    check_near(position(&w, block).z, 0.25 + 0.5 + speed * 0.4 - 0.5 * G * 0.16, 1e-9);
    check_near(flight.applied, 0.0, 1e-9);
    run(&w, 0.6); // and lands on the floor, which stands still 0.2 m lower than it had been
    check_near(velocity(&w, block).z, 0.0, 1e-9);
    check_near(position(&w, block).z - position(&w, 0).z, 0.75, 1e-4);
    world_end(&w);
}

// A floor that goes up and down fast enough to matter, never faster than the block can follow.
static void block_stays_on_a_floor_that_sinks_and_rises(void **unused) {
    (void)unused;
    for (int scheme = 0; scheme < 2; scheme++) {
        const double time[5] = {0.0, 1.0, 2.0, 3.0, 4.0};
        const tal_vec3 v[5] = {{0, 0, 0}, {0, 0, -5.0}, {0, 0, 5.0}, {0, 0, -4.0}, {0, 0, 0}};
        const tal_motion_series series = {0, 5, time, v, NULL};
        world w;
        world_init(&w, 0.005, law_coulomb(MU, 0.0));
        w.scene.settings.scheme = scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
        add_floor(&w, &series);
        const int32_t block = add_block(&w, tal_vec3_make(0, 0, 0.25));
        world_start(&w);
        for (int n = 0; n < 1000; n++) {
            world_step(&w);
            const tal_vec3 apart = tal_vec3_subtract(position(&w, block), position(&w, 0));
            check_near(apart.z, 0.75, 1e-12);
            assert_true(fabs(w.report.correction_j) < 1e-6);
            assert_true(w.report.penetration_m < 1e-12);
        }
        world_end(&w);
    }
}

// A ball laid on a belt: v = mu g t until 3.5 v = V, then it rolls at 2/7 of the belt.
static void ball_on_a_belt_ends_at_two_sevenths_of_its_speed(void **unused) {
    (void)unused;
    const double zero = 0.0, belt = 3.5, radius = 0.4;
    const tal_vec3 v = {belt, 0, 0};
    const tal_motion_series series = {0, 1, &zero, &v, NULL};
    world w;
    world_init(&w, 0.002, law_coulomb(MU, 0.0));
    add_floor(&w, &series);
    const int32_t ball = test_scene_add_ball(&w.scene, radius, tal_vec3_make(-5, 0, radius), 2700);
    world_start(&w);
    const turnover sum = run(&w, 2.0);
    const double end = 2.0 / 7.0 * belt, rolls = end / (MU * G), m = w.scene.mass[ball];
    check_near(velocity(&w, ball).x, end, 1e-6);
    check_near(tal_state_spins(w.state)[ball].y, -2.5 * end / radius, 1e-5);
    check_near(position(&w, ball).x, -5.0 + end * (2.0 - 0.5 * rolls), 1e-5);
    check_near(sum.applied, MU * m * G * belt * rolls, 1e-6 * sum.applied);
    check_near(sum.applied - sum.dissipated,
               0.5 * m * end * end + 0.2 * m * radius * radius * pow(2.5 * end / radius, 2),
               1e-5 * sum.applied);
    world_end(&w);
}

// Distance of a block from the axis of a turntable after 2 s, of 2 m at the start.
static double radius_on_a_turntable(double dt, double *angle) {
    const double time[2] = {0.0, 1.0};
    const tal_vec3 spin[2] = {{0, 0, 0}, {0, 0, 1.2}};
    const tal_motion_series series = {0, 2, time, NULL, spin};
    world w;
    world_init(&w, dt, law_coulomb(MU, 0.0));
    add_floor(&w, &series);
    const int32_t block = add_block(&w, tal_vec3_make(2.0, 0, 0.25));
    world_start(&w);
    run(&w, 2.0);
    const tal_vec3 x = position(&w, block);
    *angle = atan2(x.y, x.x);
    const tal_quat table = tal_state_orientations(w.state)[0];
    check_near(2.0 * atan2(table.z, table.w), 1.8, 1e-9);
    world_end(&w);
    return hypot(x.x, x.y);
}

// 1.2^2 * 2 m < mu g: it rides along. A step moves it along the tangent, so it creeps outward by
// (w dt)^2/2 of the radius: first order in dt.
static void block_rides_on_a_turntable(void **unused) {
    (void)unused;
    double angle;
    const double coarse = radius_on_a_turntable(0.004, &angle);
    check_near(angle, 1.8, 0.01);
    check_near(coarse, 2.0, 0.02);
    const double fine = radius_on_a_turntable(0.001, &angle);
    check_near(angle, 1.8, 0.0025);
    check_near((coarse - 2.0) / (fine - 2.0), 4.0, 0.1);
}

// A wall sweeps a ball away: it leaves at (1 + e) V, and the wall gave it all that energy.
static void wall_strikes_a_ball(void **unused) {
    (void)unused;
    const double time[3] = {0.0, 0.1, 0.1}, e = 0.5, speed = 4.0; // starts by a jump
    const tal_vec3 v[3] = {{0, 0, 0}, {0, 0, 0}, {speed, 0, 0}};
    const tal_motion_series series = {0, 3, time, v, NULL};
    world w;
    world_init(&w, 0.001, law_coulomb(0.0, e));
    w.scene.settings.gravity_mps2 = (tal_vec3){0};
    test_scene_add_box(&w.scene, 0.2, 4, 4, tal_vec3_make(0, 0, 0), UPRIGHT, 2700);
    w.scene.prescribed = &series;
    w.scene.prescribed_count = 1;
    const int32_t ball = test_scene_add_ball(&w.scene, 0.3, tal_vec3_make(0.7013, 0, 0), 2700);
    world_start(&w);
    const turnover sum = run(&w, 0.4);
    assert_true(sum.deepest < 1e-9);
    const double m = w.scene.mass[ball], out = (1.0 + e) * speed;
    check_near(velocity(&w, ball).x, out, 1e-9);
    check_near(sum.applied - sum.dissipated, 0.5 * m * out * out, 1e-9 * sum.applied);
    check_near(sum.applied, m * out * speed, 1e-9 * sum.applied); // percussion times way
    world_end(&w);
}

// ---- Rigid cases among the reference figures ------------------------------------------------

enum { SHAKES = 1501 };

// v = 0.9 sin(5/3 pi (t - 0.1)) from 0.1 s on, as in the floating-frame paper.
static double shaken(double t) {
    return t < 0.1 ? 0.0 : 0.9 * sin(5.0 / 3.0 * acos(-1.0) * (t - 0.1));
}

// Way of what slides with friction mu on the shaken floor: tiny steps of dry friction in one
// dimension.
static double slid(double mu, double time) {
    const double h = 1e-6;
    double v = 0.0, way = 0.0;
    for (long n = 1; n <= lround(time / h); n++) {
        const double before = v;
        v += fmax(-mu * G * h, fmin(mu * G * h, shaken((double)n * h) - v));
        way += 0.5 * h * (before + v);
    }
    return way;
}

// Three blocks on a shaken floor, friction 0.5 below the lowest and 0.3 between them, 1.5 s. The floor
// reaches 0.48 g: the lowest rides along, the other two slide on it, together.
static void three_blocks_on_a_shaken_floor_go_as_dry_friction_says(void **unused) {
    (void)unused;
    static double time[SHAKES];
    static tal_vec3 v[SHAKES];
    for (int n = 0; n < SHAKES; n++) {
        time[n] = 0.001 * n;
        v[n] = tal_vec3_make(shaken(time[n]), 0, 0);
    }
    const tal_motion_series series = {0, SHAKES, time, v, NULL};
    const tal_law table[4] = {law_coulomb(0.5, 0), law_coulomb(0.5, 0), law_coulomb(0.5, 0),
                              law_coulomb(0.3, 0)};
    world w;
    world_init(&w, 0.001, table[0]);
    w.scene.class_count = 2;
    w.scene.law_table = table;
    add_floor(&w, &series);
    for (int n = 0; n < 3; n++) {
        const int32_t block = add_block(&w, tal_vec3_make(0, 0, 0.25 + 0.5 * n));
        w.scene.body_class[block] = 1; // the array has grown only now
    }
    world_start(&w);
    turnover sum = {0};
    double potential = 0.0;
    for (int32_t b = 1; b <= 3; b++) {
        potential += tal_state_body_energy(w.model, w.state, b).potential_j;
    }
    for (int n = 1; n <= 15; n++) {
        const turnover part = run(&w, 0.1);
        sum.applied += part.applied;
        sum.dissipated += part.dissipated;
        const double floor_way = slid(1e9, 0.1 * n), way = slid(0.3, 0.1 * n);
        check_near(position(&w, 0).x, floor_way, 1e-6);
        check_near(position(&w, 1).x, floor_way, 1e-6);
        check_near(position(&w, 2).x, way, 2e-5);
        check_near(position(&w, 3).x, way, 2e-5);
        assert_true(n != 5 || floor_way - way > 0.03);
        // Blocks settle by less than a nanometre, which is more than the book leaves open.
        const double sunk = potential - w.report.potential_j;
        check_near(sum.applied - sum.dissipated + sunk,
                   w.report.kinetic_translation_j + w.report.kinetic_rotation_j, 1e-6);
        check_near(sunk, 0.0, 1e-4);
    }
    world_end(&w);
}

// d_x = t + sin(w0 t) for w0 = 1 and 4 pi, over 1 s.
static void prescribed_cuboid_follows_t_plus_sin(void **unused) {
    (void)unused;
    enum { ENTRIES = 2001 };
    static double time[ENTRIES];
    static tal_vec3 v[ENTRIES];
    const double rate[2] = {1.0, 4.0 * acos(-1.0)};
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < ENTRIES; n++) {
            time[n] = 0.0005 * n;
            v[n] = tal_vec3_make(1.0 + rate[k] * cos(rate[k] * time[n]), 0, 0);
        }
        const tal_motion_series series = {0, ENTRIES, time, v, NULL};
        world w;
        world_init(&w, 0.0005, law_coulomb(MU, 0.0));
        test_scene_add_box(&w.scene, 1, 1, 2, (tal_vec3){0}, UPRIGHT, 2500);
        w.scene.prescribed = &series;
        w.scene.prescribed_count = 1;
        world_start(&w);
        for (int n = 1; n < ENTRIES; n++) {
            world_step(&w);
            check_near(position(&w, 0).x, time[n] + sin(rate[k] * time[n]),
                       rate[k] * rate[k] * 2.5e-7 / 12.0 * 2.0); // of the trapezoidal rule
        }
        world_end(&w);
    }
}

// Rebound of a linear spring and dashpot that cannot pull (Schwager and Poeschel, Granular Matter 9,
// 2007).
static double spring_rebound(double mass, double spring, double dashpot) {
    const double b = 0.5 * dashpot / mass, square = spring / mass - b * b;
    if (b == 0.0) {
        return 1.0;
    }
    if (square < 0.0) {
        const double root = sqrt(-square);
        return exp(-b / root * log((b + root) / (b - root)));
    }
    const double root = sqrt(square);
    return exp(-b / root * (acos(-1.0) - atan2(2.0 * b * root, square - b * b)));
}

// The ball impact of the Solfec manual: dashpots 0, 1e6, 1e7 N s/m.
static void ball_on_spring_and_dashpot_rebounds_by_the_formula(void **unused) {
    (void)unused;
    const double dashpot[3] = {0.0, 1e6, 1e7}, spring = 1e9;
    for (int k = 0; k < 3; k++) {
        const tal_law law = {
            .kind = TAL_LAW_PENALTY, .stiffness_n_m = spring, .damping_n_s_m = dashpot[k]};
        world w;
        world_init(&w, 2e-6, law);
        w.scene.settings.gravity_mps2 = (tal_vec3){0};
        w.scene.settings.correction = 0.0;
        test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 10.0);
        test_scene_add_ball(&w.scene, 1.0, tal_vec3_make(0, 0, 1.0), 1000.0);
        w.scene.velocity[0].z = -1.0;
        world_start(&w);
        for (int n = 0; n < 10000;
             n++) { // a spring gives energy back: not the checks of world_step
            check_ok(tal_step(w.model, w.state, &w.report, &check_error));
            assert_true(fabs(w.report.energy_defect_j) < 1e-8);
        }
        const double want = spring_rebound(w.scene.mass[0], spring, dashpot[k]);
        check_near(velocity(&w, 0).z, want, 2e-3);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_rides_on_a_floor_below_mu_g_and_slips_by_the_formula_above),
        cmocka_unit_test(block_leaves_a_floor_that_drops_away_faster_than_it_can_fall),
        cmocka_unit_test(block_stays_on_a_floor_that_sinks_and_rises),
        cmocka_unit_test(ball_on_a_belt_ends_at_two_sevenths_of_its_speed),
        cmocka_unit_test(block_rides_on_a_turntable),
        cmocka_unit_test(wall_strikes_a_ball),
        cmocka_unit_test(three_blocks_on_a_shaken_floor_go_as_dry_friction_says),
        cmocka_unit_test(prescribed_cuboid_follows_t_plus_sin),
        cmocka_unit_test(ball_on_spring_and_dashpot_rebounds_by_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

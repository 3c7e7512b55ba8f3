// SPDX-License-Identifier: GPL-3.0-or-later
// Held points, driven points and links against closed forms.
#include "tests/solver/scenes/world.h"

#include <float.h>

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const double G = 9.81, PI = 3.14159265358979323846;

static const tal_law DRY = {.kind = TAL_LAW_COULOMB, .friction = 0.5};

static void begin(world *w, double dt) {
    world_init(w, dt, DRY);
    w->scene.settings.gravity_mps2 = tal_vec3_make(0.0, 0.0, -G);
    w->scene.settings.tolerance = 1e-13;
    w->scene.settings.substep_max = 1;
}

static tal_vec3 position(const world *w, int32_t body) {
    return tal_state_positions(w->state)[body];
}

// Where a body will be at the next midpoint, where constraints hold (scheme moreau).
static tal_vec3 point_at_midpoint(const world *w, int32_t body, tal_vec3 point) {
    const double half = 0.5 * w->scene.settings.dt_s;
    const tal_vec3 at = tal_state_point_m(w->state, body, point);
    return tal_vec3_add_scaled(at, half, tal_state_point_velocity_mps(w->state, body, point));
}

static double energy(const world *w) {
    return w->report.kinetic_translation_j + w->report.kinetic_rotation_j + w->report.potential_j;
}

// A rod that hangs from one end, pulled aside by `angle`.
static int32_t add_rod(world *w, double length, double angle, tal_vec3 pivot) {
    const tal_quat q = {cos(0.5 * angle), 0.0, -sin(0.5 * angle), 0.0}; // towards +x
    const tal_vec3 to_pivot = tal_quat_rotate(q, tal_vec3_make(0.0, 0.0, 0.5 * length));
    return test_scene_add_box(&w->scene, 0.1, 0.1, length, tal_vec3_subtract(pivot, to_pivot), q,
                              1000.0);
}

// Complete elliptic integral of the first kind of the modulus k, by the arithmetic-geometric mean.
static double elliptic_k(double k) {
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int n = 0; n < 40; n++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * PI / a;
}

typedef struct {
    double period;
    double drift;  // of the mean energy, last tenth of the periods against the first
    double spread; // of the energy within a period
} swing;

static swing swing_rod(double dt, double angle, int periods, tal_scheme scheme) {
    const double length = 1.2, end = 0.5 * length;
    world w;
    begin(&w, dt);
    w.scene.settings.scheme = scheme;
    const int32_t rod = add_rod(&w, length, angle, (tal_vec3){0});
    const tal_constraint pin = {
        .hold = TAL_HOLD_POINT, .body_i = rod, .body_j = -1, .point_i_m = {0.0, 0.0, end}};
    w.scene.constraint = &pin;
    w.scene.constraint_count = 1;
    world_start(&w);
    double last = 0.0, first_zero = -1.0, zero = 0.0, low = DBL_MAX, high = -DBL_MAX;
    double sum[2] = {0.0, 0.0};
    long counted[2] = {0, 0};
    for (int crossings = 0; crossings < periods;) {
        const double before = tal_state_time(w.state);
        world_step(&w);
        const double x = position(&w, rod).x, e = energy(&w);
        if (last > 0.0 && x <= 0.0) {
            zero = before + dt * last / (last - x);
            crossings += first_zero >= 0.0;
            first_zero = first_zero < 0.0 ? zero : first_zero;
        }
        const int part = crossings < periods / 10 ? 0 : crossings >= 9 * periods / 10 ? 1 : -1;
        if (part >= 0) {
            sum[part] += e;
            counted[part]++;
        }
        low = fmin(low, e);
        high = fmax(high, e);
        last = x;
    }
    world_end(&w);
    const double mass = 1000.0 * 0.1 * 0.1 * length, swung = mass * G * end * (1.0 - cos(angle));
    return (swing){
        .period = (zero - first_zero) / periods,
        .drift = periods >= 10 ? (sum[1] / (double)counted[1] - sum[0] / (double)counted[0]) / swung
                               : 0.0,
        .spread = (high - low) / swung};
}

static double exact_period(double angle) {
    const double length = 1.2, end = 0.5 * length, mass = 12.0;
    const double moment = mass * (length * length + 0.01) / 12.0 + mass * end * end;
    return 4.0 * sqrt(moment / (mass * G * end)) * elliptic_k(sin(0.5 * angle));
}

// Second order in the step, at any amplitude, in both schemes.
static void pendulum_has_its_period(void **unused) {
    (void)unused;
    const double angle[3] = {0.05, 1.0, 2.5};
    const tal_scheme scheme[2] = {TAL_SCHEME_MOREAU, TAL_SCHEME_ACD2};
    for (int k = 0; k < 6; k++) {
        const double exact = exact_period(angle[k / 2]);
        const double coarse = swing_rod(0.01, angle[k / 2], 5, scheme[k % 2]).period - exact;
        const double fine = swing_rod(0.005, angle[k / 2], 5, scheme[k % 2]).period - exact;
        check_near(fine, 0.0, 2e-4 * exact);
        check_near(coarse / fine, 4.0, 0.1);
    }
}

static void pendulum_keeps_its_energy_over_1000_periods(void **unused) {
    (void)unused;
    const swing coarse = swing_rod(0.01, 1.0, 1000, TAL_SCHEME_MOREAU);
    check_near(coarse.period, exact_period(1.0), 1e-3);
    assert_true(fabs(coarse.drift) < 1e-7); // a mean over 19,000 steps of what swings by the spread
    assert_true(coarse.spread < 1.5e-3);    // (omega dt)^2 of the fastest: the chord inside the arc
}

// The reaction carries the rod: its mean over whole periods is the weight, and at the lowest point it
// is weight and centripetal force.
static void reaction_of_a_pendulum_is_weight_and_centripetal_force(void **unused) {
    (void)unused;
    const double length = 1.2, angle = 1.0, mass = 12.0, end = 0.6;
    world w;
    begin(&w, 1e-3);
    const int32_t rod = add_rod(&w, length, angle, (tal_vec3){0});
    const tal_constraint pin = {
        .hold = TAL_HOLD_POINT, .body_i = rod, .body_j = -1, .point_i_m = {0.0, 0.0, end}};
    w.scene.constraint = &pin;
    w.scene.constraint_count = 1;
    world_start(&w);
    const double moment = mass * (length * length + 0.01) / 12.0 + mass * end * end;
    const double spin2 = 2.0 * mass * G * end * (1.0 - cos(angle)) / moment;
    double most = 0.0;
    tal_vec3 sum = {0};
    for (int n = 0; n < 3000; n++) {
        world_step(&w);
        const tal_vec3 force = tal_state_reaction_n(w.state, 0);
        sum = tal_vec3_add_scaled(sum, 1e-3, force);
        most = fmax(most, force.z);
    }
    check_near(most, mass * (G + spin2 * end), 1e-4 * most);
    const tal_vec3 v = tal_state_velocities(w.state)[rod]; // momentum: all that acted
    check_near(sum.z - mass * G * 3.0, mass * v.z, 1e-9 * mass);
    check_near(sum.x, mass * v.x, 1e-9 * mass);
    check_near(sum.y, 0.0, 1e-9 * mass);
    world_end(&w);
}

// Two rods, end to end: angles and their speeds by the equations of Lagrange.
typedef struct {
    double a, b, u, v; // angles from the vertical, angular velocities
} double_pendulum;

static double_pendulum rate_of(double_pendulum s, double length, double mass, double moment) {
    const double h = 0.5 * length, c = cos(s.a - s.b), si = sin(s.a - s.b);
    const double m11 = moment + mass * h * h + mass * length * length, m12 = mass * length * h * c,
                 m22 = moment + mass * h * h;
    const double f1 = -mass * length * h * si * s.v * s.v - 1.5 * mass * G * length * sin(s.a);
    const double f2 = mass * length * h * si * s.u * s.u - mass * G * h * sin(s.b);
    const double det = m11 * m22 - m12 * m12;
    return (double_pendulum){s.u, s.v, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det};
}

static double_pendulum go(double_pendulum s, double h, double_pendulum r) {
    return (double_pendulum){s.a + h * r.a, s.b + h * r.b, s.u + h * r.u, s.v + h * r.v};
}

// Runge-Kutta with a step so small that its error is far below what is compared.
static double_pendulum reference_double_pendulum(double_pendulum s, double time, double length,
                                                 double mass, double moment) {
    const int steps = 20000;
    const double h = time / steps;
    for (int n = 0; n < steps; n++) {
        const double_pendulum k1 = rate_of(s, length, mass, moment);
        const double_pendulum k2 = rate_of(go(s, 0.5 * h, k1), length, mass, moment);
        const double_pendulum k3 = rate_of(go(s, 0.5 * h, k2), length, mass, moment);
        const double_pendulum k4 = rate_of(go(s, h, k3), length, mass, moment);
        s = go(go(go(go(s, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4);
    }
    return s;
}

static double run_double_pendulum(double dt, double time) {
    const double length = 1.0, mass = 10.0, moment = mass * (length * length + 0.01) / 12.0;
    const double_pendulum start = {0.7, -0.4, 0.0, 0.0};
    world w;
    begin(&w, dt);
    const int32_t upper = add_rod(&w, length, start.a, (tal_vec3){0});
    const tal_vec3 elbow = {length * sin(start.a), 0.0, -length * cos(start.a)};
    const int32_t lower = add_rod(&w, length, start.b, elbow);
    const tal_constraint pin[2] = {
        {.hold = TAL_HOLD_POINT, .body_i = upper, .body_j = -1, .point_i_m = {0.0, 0.0, 0.5}},
        {.hold = TAL_HOLD_POINT, // the other way round than the rows stand
         .body_i = lower,
         .body_j = upper,
         .point_i_m = {0.0, 0.0, 0.5},
         .point_j_m = {0.0, 0.0, -0.5}}};
    const int32_t apart[2] = {lower, upper};
    w.scene.constraint = pin;
    w.scene.constraint_count = 2;
    w.scene.excluded = apart;
    w.scene.excluded_count = 1;
    world_start(&w);
    world_run(&w, time);
    const double_pendulum end = reference_double_pendulum(start, time, length, mass, moment);
    const tal_vec3 tip = tal_state_point_m(w.state, lower, tal_vec3_make(0.0, 0.0, -0.5));
    const double x = length * (sin(end.a) + sin(end.b)), z = -length * (cos(end.a) + cos(end.b));
    const tal_vec3 elbow_of_upper = point_at_midpoint(&w, upper, tal_vec3_make(0.0, 0.0, -0.5));
    const tal_vec3 elbow_of_lower = point_at_midpoint(&w, lower, tal_vec3_make(0.0, 0.0, 0.5));
    check_near(tal_vec3_length(tal_vec3_subtract(elbow_of_upper, elbow_of_lower)), 0.0, 3e-4);
    const double error = hypot(tip.x - x, tip.z - z);
    world_end(&w);
    return error;
}

static void double_pendulum_follows_its_reference_to_second_order(void **unused) {
    (void)unused;
    const double coarse = run_double_pendulum(2e-3, 3.0), fine = run_double_pendulum(1e-3, 3.0);
    assert_true(fine < 2e-5);
    check_near(coarse / fine, 4.0, 0.2);
}

// A wheel turns at a constant speed; a rigid link drives a block that can only slide along x.
static void check_slider_crank(tal_scheme scheme) {
    const double r = 0.3, l = 1.0, spin = 2.0 * PI, dt = 2e-3;
    world w;
    begin(&w, dt);
    w.scene.settings.scheme = scheme;
    const int32_t wheel =
        test_scene_add_box(&w.scene, 1.0, 0.1, 1.0, (tal_vec3){0}, UPRIGHT, 1000.0);
    const int32_t slider = test_scene_add_box(&w.scene, 0.2, 0.2, 0.2,
                                              tal_vec3_make(r + l, 0.0, 0.0), UPRIGHT, 1000.0);
    const double time = 0.0;
    const tal_vec3 turn = {0.0, -spin, 0.0}; // from +x to +z
    const tal_motion_series series = {wheel, 1, &time, NULL, &turn};
    w.scene.prescribed = &series;
    w.scene.prescribed_count = 1;
    const tal_vec3 y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    const tal_vec3 point[5] = {{0, 0, 0}, {0, 0, 0}, {0.1, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};
    const tal_vec3 axis[5] = {y, z, y, z, z};
    tal_constraint hold[6] = {{.hold = TAL_HOLD_LINK,
                               .body_i = wheel,
                               .body_j = slider,
                               .point_i_m = {r, 0.0, 0.0},
                               .least_m = l,
                               .most_m = l}};
    for (int k = 0; k < 5; k++) {
        hold[k + 1] = (tal_constraint){.hold = TAL_HOLD_DIRECTION,
                                       .body_i = slider,
                                       .body_j = -1,
                                       .point_i_m = point[k],
                                       .direction = axis[k]};
    }
    const int32_t apart[2] = {wheel, slider};
    w.scene.constraint = hold;
    w.scene.constraint_count = 6;
    w.scene.excluded = apart;
    w.scene.excluded_count = 1;
    world_start(&w);
    for (int n = 0; n < 2000; n++) {
        world_step(&w);
        const double later = scheme == TAL_SCHEME_MOREAU ? 0.5 * dt : 0.0;
        const double angle = spin * (tal_state_time(w.state) + later);
        const double exact = r * cos(angle) + sqrt(l * l - r * r * sin(angle) * sin(angle));
        const tal_vec3 at =
            later > 0.0 ? point_at_midpoint(&w, slider, (tal_vec3){0}) : position(&w, slider);
        if (scheme == TAL_SCHEME_ACD2 && n == 0) {
            continue; // its first drift comes before the first percussion
        }
        check_near(at.x, exact, 1e-8);
        check_near(at.y, 0.0, 1e-8);
        check_near(at.z, 0.0, 1e-8);
    }
    world_end(&w);
}

static void slider_crank_is_where_geometry_says(void **unused) {
    (void)unused;
    check_slider_crank(TAL_SCHEME_MOREAU);
    check_slider_crank(TAL_SCHEME_ACD2);
}

// One point of a free block driven along x by an accelerogram, its kinks on steps: the centroid is the
// point, so the way is the double integral.
static void point_follows_an_accelerogram(void **unused) {
    (void)unused;
    const double dt = 1e-3, time[5] = {0.0, 0.1, 0.3, 0.5, 0.6}, a[5] = {0.0, 4.0, -6.0, 3.0, 0.0};
    world w;
    begin(&w, dt);
    const int32_t b = test_scene_add_box(&w.scene, 0.5, 0.5, 0.5, (tal_vec3){0}, UPRIGHT, 1000.0);
    const tal_constraint drive = {.hold = TAL_HOLD_DIRECTION,
                                  .body_i = b,
                                  .body_j = -1,
                                  .direction = {2.0, 0.0, 0.0},
                                  .drive = TAL_DRIVE_ACCELERATION,
                                  .count = 5,
                                  .time_s = time,
                                  .value = a};
    w.scene.constraint = &drive;
    w.scene.constraint_count = 1;
    world_start(&w);
    double work = 0.0, way = 0.0, speed = 0.0;
    for (int n = 0; n < 1000; n++) {
        world_step(&w);
        work += w.report.constraint_j;
        const double half = 0.5 * dt; // exact integrals of a line over a step
        for (int part = 0; part < 2; part++) {
            const double from = n * dt + part * half;
            double low = 0.0, high = 0.0;
            for (int k = 0; k + 1 < 5; k++) {
                if (from >= time[k] - 1e-9 && from < time[k + 1] - 1e-9) {
                    const double slope = (a[k + 1] - a[k]) / (time[k + 1] - time[k]);
                    low = a[k] + slope * (from - time[k]);
                    high = low + slope * half;
                }
            }
            way += speed * half + half * half * (2.0 * low + high) / 6.0;
            speed += 0.5 * half * (low + high);
        }
        check_near(tal_state_velocities(w.state)[b].x, speed, 1e-5);
        check_near(position(&w, b).x, way, 1e-6);
        check_near(position(&w, b).z, -0.5 * G * (n + 1) * (n + 1) * dt * dt, 1e-9);
    }
    const double mass = 125.0, v = tal_state_velocities(w.state)[b].x;
    check_near(work, 0.5 * mass * v * v, 1e-9);
    world_end(&w);
}

// A displacement and the velocity that belongs to it drive two blocks alike.
static void displacement_and_velocity_drive_alike(void **unused) {
    (void)unused;
    const double time[3] = {0.0, 0.25, 1.0}, way[3] = {0.0, 0.5, -1.0};
    const double jump[5] = {0.0, 0.25, 0.25, 1.0, 1.0}, speed[5] = {2.0, 2.0, -2.0, -2.0, 0.0};
    world w;
    begin(&w, 1e-3);
    tal_constraint drive[2] = {{.hold = TAL_HOLD_DIRECTION,
                                .body_j = -1,
                                .point_i_m = {0.1, 0.0, 0.0},
                                .direction = {1.0, 0.0, 0.0},
                                .drive = TAL_DRIVE_DISPLACEMENT,
                                .count = 3,
                                .time_s = time,
                                .value = way},
                               {.hold = TAL_HOLD_DIRECTION,
                                .body_j = -1,
                                .point_i_m = {0.1, 0.0, 0.0},
                                .direction = {1.0, 0.0, 0.0},
                                .drive = TAL_DRIVE_VELOCITY,
                                .count = 5,
                                .time_s = jump,
                                .value = speed}};
    for (int k = 0; k < 2; k++) {
        drive[k].body_i = test_scene_add_box(&w.scene, 0.5, 0.5, 0.5,
                                             tal_vec3_make(0.0, 2.0 * k, 0.0), UPRIGHT, 1000.0);
    }
    w.scene.constraint = drive;
    w.scene.constraint_count = 2;
    world_start(&w);
    for (int n = 0; n < 1200; n++) {
        world_step(&w);
        check_near(position(&w, 0).x, position(&w, 1).x, 1e-12);
    }
    check_near(position(&w, 0).x, -1.0, 1e-12);
    world_end(&w);
}

// A ball hangs on a link and swings against a wall: it keeps e of its speed, and the link its length.
static void ball_on_a_link_strikes_a_wall_and_rebounds(void **unused) {
    (void)unused;
    const double length = 2.0, radius = 0.2, e = 0.5, angle = 0.3, dt = 1e-4;
    world w;
    world_init(&w, dt, law_coulomb(0.0, e));
    w.scene.settings.gravity_mps2 = tal_vec3_make(0.0, 0.0, -G);
    w.scene.settings.substep_max = 1;
    const int32_t wall = test_scene_add_box(
        &w.scene, 1.0, 4.0, 4.0, tal_vec3_make(-0.5 - radius, 0.0, 0.0), UPRIGHT, 2000.0);
    w.scene.fixed[wall] = 1;
    const int32_t ball = test_scene_add_ball(
        &w.scene, radius, tal_vec3_make(length * sin(angle), 0.0, -length * cos(angle)), 2000.0);
    const tal_constraint link = {.hold = TAL_HOLD_LINK, .body_i = ball, .body_j = -1};
    w.scene.constraint = &link;
    w.scene.constraint_count = 1;
    world_start(&w);
    double most = 0.0;
    bool has_struck = false;
    for (int n = 0; n < 20000; n++) {
        world_step(&w);
        has_struck = has_struck || w.report.active_count > 0;
        most = has_struck ? fmax(most, asin(position(&w, ball).x / length)) : most;
        check_near(tal_vec3_length(point_at_midpoint(&w, ball, (tal_vec3){0})), length, 1e-6);
        if (has_struck && position(&w, ball).x > 0.02 &&
            tal_state_velocities(w.state)[ball].x < 0) {
            break; // on its way back
        }
    }
    assert_true(has_struck);
    check_near(1.0 - cos(most), e * e * (1.0 - cos(angle)), 2e-3 * (1.0 - cos(angle)));
    world_end(&w);
}

// A rope of 1 m: the ball falls freely, is stopped inelastically, and hangs.
static void ball_on_a_rope_falls_and_hangs(void **unused) {
    (void)unused;
    world w;
    begin(&w, 1e-3);
    const int32_t ball = test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(0.0, 0.0, -0.2), 2000.0);
    const tal_constraint rope = {
        .hold = TAL_HOLD_LINK, .body_i = ball, .body_j = -1, .most_m = 1.0};
    w.scene.constraint = &rope;
    w.scene.constraint_count = 1;
    world_start(&w);
    const double fall = sqrt(2.0 * 0.8 / G), mass = 2000.0 * 4.0 / 3.0 * PI * 1e-3;
    double lost = 0.0;
    for (int n = 0; n < 1000; n++) {
        world_step(&w);
        lost -= w.report.constraint_j;
        const double t = tal_state_time(w.state);
        if (t < fall - 2e-3) {
            check_near(position(&w, ball).z, -0.2 - 0.5 * G * t * t, 1e-9);
            check_near(tal_state_reaction_n(w.state, 0).z, 0.0, 0.0);
        }
        assert_true(position(&w, ball).z > -1.0 - 1e-9);
    }
    check_near(position(&w, ball).z, -1.0, 1e-9);
    check_near(lost, mass * G * 0.8, 1e-6 * lost);
    check_near(tal_state_reaction_n(w.state, 0).z, mass * G, 1e-9 * mass * G);
    world_end(&w);
}

// A link of 1 m that may be 0.5 m longer, between two free balls thrown apart without gravity: they fly
// until it is taut, and then on together; thrown at each other they stop at 1 m.
static void link_with_a_gap_stops_at_both_ends(void **unused) {
    (void)unused;
    for (int side = -1; side <= 1; side += 2) {
        world w;
        begin(&w, 1e-3);
        w.scene.settings.gravity_mps2 = (tal_vec3){0};
        const int32_t a = test_scene_add_ball(&w.scene, 0.1, (tal_vec3){0}, 1000.0);
        const int32_t b = test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(1.2, 0.0, 0.0), 3000.0);
        w.scene.velocity[b].x = side;
        const tal_constraint link = {
            .hold = TAL_HOLD_LINK, .body_i = b, .body_j = a, .least_m = 1.0, .most_m = 1.5};
        w.scene.constraint = &link;
        w.scene.constraint_count = 1;
        world_start(&w);
        world_run(&w, 1.0);
        check_near(tal_state_velocities(w.state)[a].x, 0.75 * side, 1e-9);
        check_near(tal_state_velocities(w.state)[b].x, 0.75 * side, 1e-9);
        check_near(position(&w, b).x - position(&w, a).x, side > 0 ? 1.5 : 1.0, 1e-9);
        world_end(&w);
    }
}

// Gravity that turns: a free ball follows its double integral, and the book closes (world_step).
static void ball_falls_by_a_gravity_that_changes(void **unused) {
    (void)unused;
    const double time[3] = {0.0, 0.5, 1.0};
    const tal_vec3 g[3] = {{0.0, 0.0, -10.0}, {4.0, 0.0, -2.0}, {0.0, 0.0, -10.0}};
    world w;
    begin(&w, 1e-3);
    const int32_t ball = test_scene_add_ball(&w.scene, 0.1, (tal_vec3){0}, 2000.0);
    w.scene.gravity = g;
    w.scene.gravity_time = time;
    w.scene.gravity_count = 3;
    world_start(&w);
    world_run(&w, 1.0);
    check_near(tal_state_velocities(w.state)[ball].x, 2.0, 1e-12);
    check_near(tal_state_velocities(w.state)[ball].z, -6.0, 1e-12);
    check_near(position(&w, ball).x, 1.0, 1e-6); // symmetric: mean velocity 1 m/s
    check_near(position(&w, ball).z, -3.0, 1e-6);
    world_end(&w);
}

// Two balls on a line: excluded, one flies through the other and both through the ground.
static void excluded_bodies_go_through_each_other_and_the_ground(void **unused) {
    (void)unused;
    world w;
    begin(&w, 1e-2);
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0.0, 0.0, 1.0), 10.0);
    const int32_t a = test_scene_add_ball(&w.scene, 0.2, tal_vec3_make(0.0, 0.0, 0.5), 1000.0);
    const int32_t b = test_scene_add_ball(&w.scene, 0.2, tal_vec3_make(0.0, 0.0, 1.5), 1000.0);
    w.scene.velocity[b].z = -3.0;
    const int32_t apart[6] = {b, a, -1, b, a, -1};
    w.scene.excluded = apart;
    w.scene.excluded_count = 3;
    world_start(&w);
    world_run(&w, 1.0);
    check_near(position(&w, a).z, 0.5 - 0.5 * G, 1e-9);
    check_near(position(&w, b).z, 1.5 - 3.0 - 0.5 * G, 1e-9);
    world_end(&w);
}

// A ball that bounces with e = 1 gets another law in flight, and a pile that rests notices it.
static void laws_change_between_steps(void **unused) {
    (void)unused;
    world w;
    world_init(&w, 1e-3, law_coulomb(0.9, 1.0));
    w.scene.settings.gravity_mps2 = tal_vec3_make(0.0, 0.0, -G);
    const double tilt = 0.3;
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(sin(tilt), 0.0, cos(tilt)), 50.0);
    const tal_quat q = {cos(0.5 * tilt), 0.0, sin(0.5 * tilt), 0.0};
    const int32_t block = test_scene_add_box(
        &w.scene, 1.0, 1.0, 0.2, tal_vec3_make(0.1 * sin(tilt), 0.0, 0.1 * cos(tilt)), q, 2000.0);
    world_start(&w);
    world_run(&w, 0.5);
    const tal_vec3 rests = position(&w, block);
    tal_law law = law_coulomb(0.1, 0.0);
    check_ok(tal_model_set_law(w.model, 0, 0, &law, &check_error));
    tal_state_wake(w.state);
    world_run(&w, 1.0);
    const double way = tal_vec3_length(tal_vec3_subtract(position(&w, block), rests));
    check_near(way, 0.5 * G * (sin(tilt) - 0.1 * cos(tilt)), 1e-3);
    law.kind = TAL_LAW_PASS;
    assert_int_equal(tal_model_set_law(w.model, 0, 0, &law, &check_error), TAL_BAD_SETTING);
    law = law_coulomb(-1.0, 0.0);
    assert_int_equal(tal_model_set_law(w.model, 0, 0, &law, &check_error), TAL_BAD_SETTING);
    assert_int_equal(tal_model_set_law(w.model, 0, 1, &law, &check_error), TAL_BAD_SETTING);
    world_end(&w);
}

// A block glued under a fixed plate hangs until its cohesion is taken away, and then falls freely.
static void cohesion_changes_between_steps(void **unused) {
    (void)unused;
    world w;
    tal_law law = law_coulomb(0.5, 0.0);
    law.cohesion_pa = 1e5;
    world_init(&w, 1e-3, law);
    w.scene.settings.gravity_mps2 = tal_vec3_make(0.0, 0.0, -G);
    const int32_t plate =
        test_scene_add_box(&w.scene, 2.0, 2.0, 0.5, tal_vec3_make(0.0, 0.0, 0.25), UPRIGHT, 2000.0);
    w.scene.fixed[plate] = 1;
    const int32_t block =
        test_scene_add_box(&w.scene, 1.0, 1.0, 1.0, tal_vec3_make(0.0, 0.0, -0.5), UPRIGHT, 2000.0);
    world_start(&w);
    world_run(&w, 0.3);
    check_near(position(&w, block).z, -0.5, 1e-6);
    law.cohesion_pa = 0.0;
    check_ok(tal_model_set_law(w.model, 0, 0, &law, &check_error));
    tal_state_wake(w.state);
    world_run(&w, 0.5);
    check_near(position(&w, block).z, -0.5 - 0.5 * G * 0.25, 1e-3);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_has_its_period),
        cmocka_unit_test(pendulum_keeps_its_energy_over_1000_periods),
        cmocka_unit_test(reaction_of_a_pendulum_is_weight_and_centripetal_force),
        cmocka_unit_test(double_pendulum_follows_its_reference_to_second_order),
        cmocka_unit_test(slider_crank_is_where_geometry_says),
        cmocka_unit_test(point_follows_an_accelerogram),
        cmocka_unit_test(displacement_and_velocity_drive_alike),
        cmocka_unit_test(ball_on_a_link_strikes_a_wall_and_rebounds),
        cmocka_unit_test(ball_on_a_rope_falls_and_hangs),
        cmocka_unit_test(link_with_a_gap_stops_at_both_ends),
        cmocka_unit_test(ball_falls_by_a_gravity_that_changes),
        cmocka_unit_test(excluded_bodies_go_through_each_other_and_the_ground),
        cmocka_unit_test(laws_change_between_steps),
        cmocka_unit_test(cohesion_changes_between_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

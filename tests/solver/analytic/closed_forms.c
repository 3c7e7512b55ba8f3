// SPDX-License-Identifier: GPL-3.0-or-later
// Motions with a closed form, each at a ladder of time steps: how far off, and with which order the
// error falls. `ladders`, `bounce DT` and `cradle GAP` print tables for the figures of
// docs/validation.
#include "tests/solver/scenes/world.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const tal_vec3 UP = {0.0, 0.0, 1.0}, ORIGIN = {0.0, 0.0, 0.0};
static const double G = 9.81;

static void on_a_plane(world *w, double dt, tal_law law) {
    world_init(w, dt, law);
    test_scene_set_plane(&w->scene, ORIGIN, UP, 100.0);
}

static double turned_about_y(const world *w) {
    const tal_quat q = tal_state_orientations(w->state)[0];
    return 2.0 * atan2(q.y, q.w);
}

// ---- The cases: each returns its relative error -------------------------------------------

// v^2/(2 mu g), from 7 m/s.
static double sliding_to_a_stop(double dt, tal_law law) {
    world w;
    on_a_plane(&w, dt, law);
    test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, tal_vec3_make(0, 0, 0.25), UPRIGHT, 2700.0);
    w.scene.velocity[0].x = 7.0;
    world_start(&w);
    world_run(&w, 3.0);
    const double way = tal_state_positions(w.state)[0].x;
    assert_true(tal_vec3_length(tal_state_velocities(w.state)[0]) < 1e-9);
    world_end(&w);
    const double want = 7.0 * 7.0 / (2.0 * law.friction * G);
    return fabs(way - want) / want;
}

// g (sin - mu cos) t^2/2 after 3 s on 35 degrees.
static double sliding_down(double dt, tal_law law) {
    world w;
    const double angle = 35.0 * acos(-1.0) / 180.0;
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    world_init(&w, dt, law);
    test_scene_set_plane(&w.scene, ORIGIN, normal, 100.0);
    test_scene_add_box(&w.scene, 1.0, 1.2, 0.5, tal_vec3_scale(normal, 0.25),
                       (tal_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0}, 2700.0);
    world_start(&w);
    world_run(&w, 3.0);
    const double way =
        tal_vec3_length(tal_vec3_subtract(tal_state_positions(w.state)[0], w.scene.position[0]));
    world_end(&w);
    const double want = 0.5 * G * (sin(angle) - law.friction * cos(angle)) * 9.0;
    return fabs(way - want) / want;
}

// Four corners at one distance r: the turning is braked by mu m g r however they share the load.
static double spinning_to_a_stop(double dt, tal_law law) {
    world w;
    on_a_plane(&w, dt, law);
    test_scene_add_box(&w.scene, 1.0, 1.2, 0.4, tal_vec3_make(0, 0, 0.2), UPRIGHT, 2700.0);
    w.scene.spin[0].z = 6.0;
    world_start(&w);
    world_run(&w, 2.0);
    const tal_quat q = tal_state_orientations(w.state)[0];
    const double brake = law.friction * w.scene.mass[0] * G * 0.5 * hypot(1.0, 1.2);
    const double want = w.scene.inertia[0].z * 36.0 / (2.0 * brake);
    world_end(&w);
    return fabs(2.0 * atan2(q.z, q.w) - want) / want;
}

// A ball pushed off at 7 m/s without turning rolls at 5/7 of that from 2 v/(7 mu g) on.
static double sliding_into_rolling(double dt, tal_law law) {
    world w;
    on_a_plane(&w, dt, law);
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(0, 0, 0.5), 2700.0);
    w.scene.velocity[0].x = 7.0;
    world_start(&w);
    world_run(&w, 2.0);
    const double x = tal_state_positions(w.state)[0].x;
    check_near(tal_state_velocities(w.state)[0].x, 5.0, 1e-6);
    world_end(&w);
    const double rolls = 2.0 / (law.friction * G);
    const double want = 7.0 * rolls - 0.5 * law.friction * G * rolls * rolls + 5.0 * (2.0 - rolls);
    return fabs(x - want) / want;
}

// Height of a ball dropped from 1 m at time t, rebounds e.
static double bounced(double t, double e) {
    const double first = sqrt(2.0 / G);
    if (t < first) {
        return 1.0 - 0.5 * G * t * t;
    }
    double speed = e * sqrt(2.0 * G);
    for (t -= first; t > 2.0 * speed / G && speed > 1e-9; speed *= e) {
        t -= 2.0 * speed / G;
    }
    return fmax(0.0, speed * t - 0.5 * G * t * t);
}

// Mean distance from the closed form over all bounces, until after the last.
static double bouncing(double dt, tal_law law) {
    world w;
    on_a_plane(&w, dt, law);
    test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(0, 0, 1.1), 2700.0);
    world_start(&w);
    const long steps = lround(2.4 / dt);
    double sum = 0.0;
    for (long n = 1; n <= steps; n++) {
        world_step(&w);
        const double height = tal_state_positions(w.state)[0].z - 0.1;
        sum += fabs(height - bounced((double)n * dt, law.restitution));
    }
    check_near(tal_state_velocities(w.state)[0].z, 0.0, 1e-9);
    world_end(&w);
    return sum / (double)steps;
}

// A cube on one edge, its centre `lean` beyond (positive) or before the edge, seen along +y.
static void cube_on_an_edge(world *w, double lean, double spin) {
    const double angle = lean + 0.25 * acos(-1.0);
    const tal_quat pose = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
    const tal_vec3 edge = tal_quat_rotate(pose, tal_vec3_make(0.5, 0.0, -0.5));
    test_scene_add_box(&w->scene, 1.0, 1.0, 1.0, tal_vec3_scale(edge, -1.0), pose, 2700.0);
    w->scene.spin[0] = tal_vec3_make(0.0, spin, 0.0);
    w->scene.velocity[0] = tal_vec3_cross(w->scene.spin[0], w->scene.position[0]);
}

// lean'' = (m g l/I_edge) sin(lean), l = sqrt(1/2), I_edge = 2/3 m: by Runge and Kutta, fine steps.
static double pendulum(double lean, double spin, double time) {
    const double k = 1.5 * G * sqrt(0.5), h = time / 20000.0;
    for (int n = 0; n < 20000; n++) {
        const double a1 = k * sin(lean), s2 = spin + 0.5 * h * a1;
        const double a2 = k * sin(lean + 0.5 * h * spin), s3 = spin + 0.5 * h * a2;
        const double a3 = k * sin(lean + 0.5 * h * s2), s4 = spin + h * a3;
        const double a4 = k * sin(lean + h * s3);
        lean += h / 6.0 * (spin + 2.0 * s2 + 2.0 * s3 + s4);
        spin += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return lean;
}

// The cube falls over its edge; compared at 0.6 s, before it lands.
static double tipping_over(double dt, tal_law law) {
    world w;
    on_a_plane(&w, dt, law);
    cube_on_an_edge(&w, 0.02, 0.3);
    world_start(&w);
    world_run(&w, 0.6);
    const double lean = turned_about_y(&w) - 0.25 * acos(-1.0);
    world_end(&w);
    const double want = pendulum(0.02, 0.3, 0.6);
    assert_true(want < 0.25 * acos(-1.0));
    return fabs(lean - want) / want;
}

// Housner (1963): landing flat and going on over the other edge leaves 1 - 3/2 sin^2 = 1/4 of the
// spin of a cube, hence 1/16 of its energy, which lifts the centre again. It presumes a landing
// that takes the blow at once: acd2, whose kn shares it between two steps, is another law.
static double rocking(double dt, tal_law law) {
    world w;
    on_a_plane(&w, dt, law);
    cube_on_an_edge(&w, -0.4, -1.0);
    const double start = w.scene.position[0].z;
    const double energy = 0.5 * 2.0 / 3.0 / G + start - 0.5; // per weight, above the flat
    world_start(&w);
    double highest = 0.0;
    bool landed = false;
    for (long n = 0; n < lround(1.0 / dt); n++) {
        world_step(&w);
        landed = landed || turned_about_y(&w) < 0.0;
        highest = fmax(highest, landed ? tal_state_positions(w.state)[0].z - 0.5 : 0.0);
    }
    world_end(&w);
    return fabs(highest - energy / 16.0) / (energy / 16.0);
}

// ---- Ladders --------------------------------------------------------------------------------

typedef struct {
    const char *name;
    double (*error)(double dt, tal_law law);
    tal_law law;
    double bound; // of the error at the finest step
    double order; // least order stated in docs/validation
} ladder;

enum { RUNGS = 6 };
static const double COARSEST = 0.01;

enum { LADDERS = 11 };

static void set_ladders(ladder all[LADDERS]) {
    const tal_law dry = law_coulomb(0.4, 0.0), mixed = law_mixed(0.4, 0.3, 0.5);
    const tal_law rough = law_coulomb(5.0, 0.0);
    const ladder list[LADDERS] = {
        {"sliding to a stop, coulomb", sliding_to_a_stop, dry, 1e-7, 1.7},
        {"sliding to a stop, acd2+coulomb", sliding_to_a_stop, mixed, 1e-7, 1.7},
        {"sliding down, coulomb", sliding_down, dry, 1e-11, 0.0},
        {"sliding down, acd2+coulomb", sliding_down, mixed, 1e-11, 0.0},
        {"spinning to a stop, coulomb", spinning_to_a_stop, dry, 1e-6, 1.7},
        {"spinning to a stop, acd2+coulomb", spinning_to_a_stop, mixed, 1e-6, 1.7},
        {"sliding into rolling, coulomb", sliding_into_rolling, dry, 1e-8, 1.7},
        {"bouncing, coulomb", bouncing, law_coulomb(0.4, 0.6), 1e-3, 0.8},
        {"bouncing, acd2+coulomb", bouncing, law_mixed(0.4, 0.6, 0.5), 1e-3, 0.8},
        {"tipping over, coulomb", tipping_over, rough, 1e-4, 0.9},
        {"rocking, coulomb", rocking, rough, 0.05, 0.5},
    };
    memcpy(all, list, sizeof list);
}

// Least squares of log(error) over log(dt).
static double order_of(const double *error) {
    double xx = 0.0, xy = 0.0, mean = 0.0;
    for (int r = 0; r < RUNGS; r++) {
        mean += log(fmax(error[r], 1e-16)) / RUNGS;
    }
    for (int r = 0; r < RUNGS; r++) {
        const double x = (0.5 * (RUNGS - 1) - r) * log(2.0);
        xx += x * x;
        xy += x * (log(fmax(error[r], 1e-16)) - mean);
    }
    return xy / xx;
}

static void climb(const ladder *l, double error[RUNGS]) {
    for (int r = 0; r < RUNGS; r++) {
        error[r] = l->error(ldexp(COARSEST, -r), l->law);
    }
}

static void closed_forms_are_met_with_the_stated_orders(void **unused) {
    (void)unused;
    ladder all[LADDERS];
    int failures = 0;
    set_ladders(all);
    for (int k = 0; k < LADDERS; k++) {
        double error[RUNGS];
        climb(&all[k], error);
        const double order = order_of(error);
        const bool good =
            error[RUNGS - 1] <= all[k].bound && (all[k].order == 0.0 || order >= all[k].order);
        print_message("%s: error %.2e at %g s, %.2e at %g s, order %.2f%s\n", all[k].name, error[0],
                      COARSEST, error[RUNGS - 1], ldexp(COARSEST, 1 - RUNGS), order,
                      good ? "" : "  <-- too large");
        failures += !good;
    }
    assert_int_equal(failures, 0);
}

// ---- Thresholds -------------------------------------------------------------------------------

// How far a box on an incline has gone, and how far it has turned, after `time`.
static void leave_on_incline(double angle, tal_law law, double heading, double height, double time,
                             double *way, double *turn) {
    world w;
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    const tal_quat pose =
        tal_quat_multiply((tal_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0},
                          (tal_quat){cos(0.5 * heading), 0.0, 0.0, sin(0.5 * heading)});
    world_init(&w, 0.005, law);
    test_scene_set_plane(&w.scene, ORIGIN, normal, 100.0);
    test_scene_add_box(&w.scene, 1.0, 1.2, height, tal_vec3_scale(normal, 0.5 * height), pose,
                       2700.0);
    world_start(&w);
    world_run(&w, time);
    const tal_quat now = tal_state_orientations(w.state)[0];
    const tal_quat change = tal_quat_multiply(tal_quat_conjugate(pose), now);
    *turn = 2.0 * sqrt(change.x * change.x + change.y * change.y + change.z * change.z);
    *way = tal_vec3_length(tal_vec3_subtract(tal_state_positions(w.state)[0], w.scene.position[0]));
    world_end(&w);
}

static void box_begins_to_slide_at_the_friction_angle_to_a_thousandth(void **unused) {
    (void)unused;
    static const double mu[3] = {0.2, 0.5, 0.9}, heading[3] = {0.0, 0.6, 1.2};
    for (int k = 0; k < 18; k++) {
        const double m = mu[k % 3], threshold = atan(m);
        const tal_law law = k < 9 ? law_coulomb(m, 0.0) : law_mixed(m, 0.3, 0.5);
        double held, slid, turn;
        leave_on_incline((1.0 - 5e-4) * threshold, law, heading[k / 3 % 3], 0.4, 5.0, &held, &turn);
        leave_on_incline((1.0 + 5e-4) * threshold, law, heading[k / 3 % 3], 0.4, 5.0, &slid, &turn);
        const double angle = (1.0 + 5e-4) * threshold;
        const double want = 0.5 * G * (sin(angle) - m * cos(angle)) * 25.0;
        check_near(held, 0.0, 1e-6);
        check_near(slid, want, 1e-3 * want);
    }
}

// Its centre stands above the lower edge when tan = width/height.
static void tall_box_begins_to_tip_at_the_angle_of_its_diagonal_to_a_thousandth(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const double height = k ? 3.0 : 2.0, threshold = atan(1.0 / height);
        double way, held, tipped;
        leave_on_incline((1.0 - 5e-4) * threshold, law_coulomb(2.0, 0.0), 0.0, height, 5.0, &way,
                         &held);
        leave_on_incline((1.0 + 5e-4) * threshold, law_coulomb(2.0, 0.0), 0.0, height, 5.0, &way,
                         &tipped);
        check_near(held, 0.0, 1e-6);
        assert_true(tipped > 0.1);
    }
}

// ---- Chains -----------------------------------------------------------------------------------

// `count` bodies in a row along x, `gap` apart, weightless; the first runs into the second at
// 1 m/s.
static void set_row(test_scene *s, int count, bool balls, double gap) {
    s->settings.gravity_mps2 = ORIGIN;
    for (int k = 0; k < count; k++) {
        const tal_vec3 at = {k * (1.0 + gap) - (k == 0 ? 0.0203 : 0.0), 0.0, 0.0};
        if (balls) {
            test_scene_add_ball(s, 0.5, at, 1000.0);
        } else {
            test_scene_add_box(s, 1.0, 1.0, 1.0, at, UPRIGHT, 1000.0);
        }
    }
    s->velocity[0].x = 1.0;
}

// Velocities after `time`.
static void strike_row(int count, bool balls, double gap, tal_law law, double time, double *v) {
    world w;
    world_init(&w, 0.001, law);
    set_row(&w.scene, count, balls, gap);
    world_start(&w);
    world_run(&w, time);
    for (int k = 0; k < count; k++) {
        v[k] = tal_state_velocities(w.state)[k].x;
        assert_true(tal_vec3_length(tal_state_spins(w.state)[k]) < 1e-9);
    }
    world_end(&w);
}

static void two_bodies_exchange_momentum_by_the_rebound_ratio(void **unused) {
    (void)unused;
    for (int k = 0; k < 12; k++) {
        const double e = 0.25 * (k % 3) + (k % 3 == 2 ? 0.5 : 0.0); // 0, 0.25, 1
        const tal_law law =
            k / 3 % 2 ? law_mixed(0.3, fmin(e, 0.999999), 0.5) : law_coulomb(0.3, e);
        double v[2];
        strike_row(2, k < 6, 0.0, law, 0.1, v);
        check_near(v[0], 0.5 * (1.0 - e), 1e-6);
        check_near(v[1], 0.5 * (1.0 + e), 1e-6);
    }
}

// Apart, the blow runs through the cradle one pair after another: the last leaves, the rest stand.
static void cradle_of_separate_bodies_hands_the_blow_on(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double v[5];
        strike_row(5, k == 0, 0.01, law_coulomb(0.3, 1.0), 0.2, v);
        for (int b = 0; b < 5; b++) {
            check_near(v[b], b == 4 ? 1.0 : 0.0, 1e-9);
        }
    }
}

// Touching, the blow is one percussion on all: the struck n - 1 leave together. Newton's ratio
// holds for the pair that was struck; kn of acd2 was made for two free bodies, W = 2/m, and meets
// W = n/((n - 1) m).
static void cradle_of_touching_bodies_answers_as_the_law_says(void **unused) {
    (void)unused;
    for (int n = 3; n <= 6; n++) {
        double v[6];
        strike_row(n, n % 2 == 0, 0.0, law_coulomb(0.3, 0.8), 0.1, v);
        check_near(v[0], (1.0 - 0.8 * (n - 1)) / n, 1e-6);
        check_near(v[1], 1.8 / n, 1e-6);
        check_near(v[n - 1], 1.8 / n, 1e-6);
        strike_row(n, n % 2 == 0, 0.0, law_mixed(0.3, 0.8, 0.5), 0.1, v);
        const double stiff = 9.0 * n / (n - 1); // kn W = 2 K/(2/m) n/((n - 1) m), K = 1.8/0.2
        const double e = (stiff - 2.0) / (stiff + 2.0);
        check_near(v[0], (1.0 - e * (n - 1)) / n, 1e-6);
        check_near(v[n - 1], (1.0 + e) / n, 1e-6);
    }
}

// ---- Tables for figures -------------------------------------------------------------------

static void print_ladders(void) {
    ladder all[LADDERS];
    set_ladders(all);
    for (int k = 0; k < LADDERS; k++) {
        double error[RUNGS];
        climb(&all[k], error);
        printf("> %s\n", all[k].name);
        for (int r = 0; r < RUNGS; r++) {
            printf("%.7g %.4e\n", ldexp(COARSEST, -r), fmax(error[r], 1e-16));
        }
    }
}

// Time, height, height of the closed form.
static void print_bounce(double dt) {
    world w;
    on_a_plane(&w, dt, law_coulomb(0.4, 0.6));
    test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(0, 0, 1.1), 2700.0);
    world_start(&w);
    for (long n = 1; n <= lround(2.0 / dt); n++) {
        world_step(&w);
        const double t = (double)n * dt;
        printf("%.5f %.5f %.5f\n", t, tal_state_positions(w.state)[0].z - 0.1, bounced(t, 0.6));
    }
    world_end(&w);
}

// Time and the places of five balls.
static void print_cradle(double gap) {
    world w;
    world_init(&w, 0.001, law_coulomb(0.3, 1.0));
    set_row(&w.scene, 5, true, gap);
    world_start(&w);
    for (int n = 1; n <= 400; n++) {
        world_step(&w);
        printf("%.4f", n * 0.001);
        for (int b = 0; b < 5; b++) {
            printf(" %.5f", tal_state_positions(w.state)[b].x);
        }
        printf("\n");
    }
    world_end(&w);
}

static int print_table(const char *what, const char *number) {
    if (strcmp(what, "ladders") == 0) {
        print_ladders();
    } else if (strcmp(what, "bounce") == 0 && number != NULL) {
        print_bounce(strtod(number, NULL));
    } else if (strcmp(what, "cradle") == 0 && number != NULL) {
        print_cradle(strtod(number, NULL));
    } else {
        fprintf(stderr, "ladders, bounce DT or cradle GAP\n");
        return 2;
    }
    return 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_are_met_with_the_stated_orders),
        cmocka_unit_test(box_begins_to_slide_at_the_friction_angle_to_a_thousandth),
        cmocka_unit_test(tall_box_begins_to_tip_at_the_angle_of_its_diagonal_to_a_thousandth),
        cmocka_unit_test(two_bodies_exchange_momentum_by_the_rebound_ratio),
        cmocka_unit_test(cradle_of_separate_bodies_hands_the_blow_on),
        cmocka_unit_test(cradle_of_touching_bodies_answers_as_the_law_says),
    };
    if (argc > 1) {
        return print_table(argv[1], argc > 2 ? argv[2] : NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

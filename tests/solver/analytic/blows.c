// SPDX-License-Identifier: GPL-3.0-or-later
// Blows fall at their moment, whatever a block strikes that does not give way: heights and times of
// rebounds at every phase of the step (docs/theory/solver.md, "Gaps").
#include "tests/solver/scenes/world.h"

#include <string.h>
#include <unistd.h>

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
static const double GRAVITY = 9.81;
enum { PHASES = 40, BRICK = 0 };

typedef enum {
    ON_GROUND,
    ON_FIXED_BLOCK,
    ON_HEAVY_BLOCK,
    ON_HEAVY_PILE,
    ON_EQUAL_BLOCK,
    ALONG_A_WALL,
    PLACES
} place;

static const char *const PLACE[PLACES] = {"the ground",    "a fixed block",
                                          "a heavy block", "a heavy pile",
                                          "its like",      "the ground along a wall"};

static void add_box(world *w, double a, double b, double c, double x, double z, double density) {
    test_scene_add_box(&w->scene, a, b, c, tal_vec3_make(x, 0.02, z), UPRIGHT, density);
}

// A brick of 40 x 30 x 20 cm, `drop` above what it will strike; all else stands or is fixed. Returns the
// height of its centre there.
static double set_up(world *w, place where, double drop, double dt, tal_law law) {
    static const double top[PLACES] = {0.0, 1.0, 1.0, 2.0, 0.2, 0.0};
    test_scene_init(&w->scene);
    w->scene.settings.dt_s = dt;
    w->scene.settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -GRAVITY};
    w->scene.law = law;
    test_scene_set_plane(&w->scene, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 20.0);
    add_box(w, 0.4, 0.3, 0.2, 0.03, top[where] + 0.1 + drop, 2700.0);
    if (where == ON_FIXED_BLOCK || where == ON_HEAVY_BLOCK || where == ON_HEAVY_PILE) {
        add_box(w, 4.0, 4.0, 1.0, 0.0, 0.5, 27000.0);
        w->scene.fixed[1] = where == ON_FIXED_BLOCK;
    }
    if (where == ON_HEAVY_PILE) {
        add_box(w, 4.0, 4.0, 1.0, 0.0, 1.5, 27000.0);
    }
    if (where == ON_EQUAL_BLOCK) {
        add_box(w, 0.4, 0.3, 0.2, 0.0, 0.1, 2700.0);
    }
    if (where == ALONG_A_WALL) {
        add_box(w, 1.0, 1.0, 6.0, 0.03 + 0.2 + 0.5, 3.0, 2700.0);
        w->scene.fixed[1] = 1;
    }
    return top[where] + 0.1;
}

typedef struct {
    double height, time; // of the apex behind the blow
} rebound;

static rebound drop_brick(place where, double drop, double dt, tal_law law) {
    world w = {0};
    const double rest = set_up(&w, where, drop, dt, law);
    bool has_struck = false;
    double before = 0.0, after = 0.0;
    world_start(&w);
    for (; !has_struck || after > 0.0; before = after) {
        world_step(&w);
        after = tal_state_velocities(w.state)[BRICK].z;
        has_struck = has_struck || after > before;
        assert_true(w.report.time_s < 5.0);
    }
    const double z = tal_state_positions(w.state)[BRICK].z;
    const rebound r = {z - rest + after * after / (2.0 * GRAVITY),
                       w.report.time_s + after / GRAVITY};
    world_end(&w);
    return r;
}

// From 1 m with ratio e to e^2 m, wherever within a step the blow falls.
static void check_heights(place where, double dt, tal_law law) {
    double low = INFINITY, high = -INFINITY;
    for (int phase = 0; phase < PHASES; phase++) {
        const double drop = 1.0 + 4.43 * dt * phase / PHASES;
        const double share = drop_brick(where, drop, dt, law).height / drop;
        low = fmin(low, share);
        high = fmax(high, share);
    }
    const double want = law.restitution * law.restitution;
    print_message("%s, e %g, %g ms, on %s: %.4f to %.4f of the drop\n",
                  law.kind == TAL_LAW_COULOMB ? "coulomb" : "acd2+coulomb", law.restitution,
                  1e3 * dt, PLACE[where], low, high);
    check_near(low, want, 0.02 * want);
    check_near(high, want, 0.02 * want);
}

// A block that lies on the ground can not give way. What acd2 leaves there is asked for below.
static void a_block_rises_as_high_whatever_it_strikes(void **unused) {
    (void)unused;
    for (int where = 0; where < PLACES; where++) {
        for (double dt = 0.01; dt < 0.03; dt += 0.01) {
            check_heights((place)where, dt, law_coulomb(0.5, 0.3));
            if (where != ON_EQUAL_BLOCK) {
                check_heights((place)where, dt, law_mixed(0.5, 0.3, 0.0));
            }
        }
    }
}

// Two equal bricks fly at each other, weightless, at 3 m/s together: they part with e of that. Sweeps leave an island
// alone within a hundredth of the tolerance of 1e-3, relative to the speed of its bodies.
static void equal_blocks_that_meet_in_flight_part_with_e(void **unused) {
    (void)unused;
    static const double ratio[] = {0.1, 0.3, 0.7};
    const double dt = 0.01;
    for (int k = 0; k < 3 * PHASES; k++) {
        const double e = ratio[k % 3], gap = 0.1 + 3.0 * dt * k / (3 * PHASES);
        world w = {0};
        test_scene_init(&w.scene);
        w.scene.settings.dt_s = dt;
        w.scene.settings.gravity_mps2 = (tal_vec3){0};
        w.scene.law = law_mixed(0.5, e, 0.0);
        test_scene_set_plane(&w.scene, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 20.0);
        add_box(&w, 0.4, 0.3, 0.2, 0.0, 9.0, 2700.0);
        add_box(&w, 0.4, 0.3, 0.2, 0.4 + gap, 9.0, 2700.0);
        w.scene.velocity[0].x = 2.0;
        w.scene.velocity[1].x = -1.0;
        world_start(&w);
        for (int n = 0; n < 8; n++) {
            world_step(&w);
        }
        const tal_vec3 *v = tal_state_velocities(w.state);
        check_near(v[1].x - v[0].x, 3.0 * e, 1e-5 * 3.0);
        check_near(v[0].x + v[1].x, 1.0, 1e-9);
        world_end(&w);
    }
}

// A brick on its like that lies on the ground, blow after blow: between the two, on the ground, and again
// until nothing closes, each by e. What the upper one leaves with, as a share of what it came with.
static double rebound_blow_by_blow(double e) {
    double upper = -1.0, lower = 0.0;
    while (upper - lower < -1e-9 || lower < -1e-9) {
        const double mean = 0.5 * (upper + lower),
                     parting = fmax(e * (lower - upper), upper - lower);
        upper = mean + 0.5 * parting;
        lower = mean - 0.5 * parting;
        lower = lower < 0.0 ? -e * lower : lower;
    }
    return upper;
}

// The fastest that a brick which fell onto its like rises again, as a share of what it came with.
static double rebound_from_its_like(double e, double dt) {
    world w = {0};
    double fastest = 0.0, slowest = 0.0;
    (void)set_up(&w, ON_EQUAL_BLOCK, 4.0, dt, law_mixed(0.5, e, 0.0));
    world_start(&w);
    while (w.report.time_s < 1.2) { // strikes after 0.9 s
        world_step(&w);
        const double v = tal_state_velocities(w.state)[BRICK].z;
        slowest = fmin(slowest, v);
        fastest = fmax(fastest, v);
    }
    world_end(&w);
    return fastest / -slowest;
}

// acd2 takes them all in one step. It may differ by a thirtieth of the velocity, and by gravity in two steps.
static void an_equal_block_on_the_ground_gives_back_what_blow_after_blow_would(void **unused) {
    (void)unused;
    const double dt = 0.005, tolerance = 1.0 / 30.0 + 2.0 * GRAVITY * dt / sqrt(8.0 * GRAVITY);
    for (double e = 0.1; e < 0.95; e += 0.1) {
        const double share = rebound_from_its_like(e, dt), want = rebound_blow_by_blow(e);
        print_message("e %.1f on its like: %.3f, blow by blow %.3f\n", e, share, want);
        check_near(share, want, tolerance);
    }
}

// It falls for t = sqrt(2 h / g) and rises for e t: a body that strikes late in a step must not win the time by
// which it went on, an eighth of a step in the mean. What is left is of second order: the way to the blow is gone
// at the velocity of the midpoint, while gravity adds up to 3/2 g dt on it; g dt^2 / v is 4 % of a step here.
static void a_block_is_at_its_apex_when_it_should(void **unused) {
    (void)unused;
    const double dt = 0.02, e = 0.3, second_order = GRAVITY * dt * dt / 4.43;
    for (int where = 0; where < 2; where++) {
        double mean = 0.0, worst = 0.0;
        for (int phase = 0; phase < PHASES; phase++) {
            const double drop = 1.0 + 4.43 * dt * phase / PHASES;
            const double want = (1.0 + e) * sqrt(2.0 * drop / GRAVITY);
            const rebound r = drop_brick(where == 0 ? ON_GROUND : ON_HEAVY_BLOCK, drop, dt,
                                         law_mixed(0.5, e, 0.0));
            mean += (r.time - want) / PHASES;
            worst = fmax(worst, fabs(r.time - want));
        }
        print_message("apex on %s: %.3f of a step late in the mean, %.3f at worst\n",
                      PLACE[where == 0 ? ON_GROUND : ON_HEAVY_BLOCK], mean / dt, worst / dt);
        assert_true(fabs(mean) < second_order);
        assert_true(worst < 2.5 * second_order);
    }
}

// A body that struck in the second half of a step is ahead of the clock when the step ends. A run that is
// taken up there must go on with the same bits.
static void a_body_ahead_of_the_clock_goes_on_from_a_checkpoint(void **unused) {
    (void)unused;
    for (int phase = 0; phase < 8; phase++) {
        world w = {0};
        char path[64];
        set_up(&w, ON_HEAVY_BLOCK, 1.0 + 0.011 * phase, 0.02, law_mixed(0.5, 0.3, 0.0));
        snprintf(path, sizeof path, "blows.%ld.checkpoint", (long)getpid());
        world_start(&w);
        for (int n = 0; n < 30; n++) {
            tal_state *again = NULL;
            check_ok(tal_checkpoint_write(w.model, w.state, path, &check_error));
            check_ok(tal_state_create(&again, w.model, 1, &check_error));
            check_ok(tal_checkpoint_read(w.model, again, path, &check_error));
            world_step(&w);
            check_ok(tal_step(w.model, again, &w.report, &check_error));
            assert_true(tal_state_hash(again) == tal_state_hash(w.state));
            tal_state_destroy(again);
        }
        remove(path);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_rises_as_high_whatever_it_strikes),
        cmocka_unit_test(equal_blocks_that_meet_in_flight_part_with_e),
        cmocka_unit_test(an_equal_block_on_the_ground_gives_back_what_blow_after_blow_would),
        cmocka_unit_test(a_block_is_at_its_apex_when_it_should),
        cmocka_unit_test(a_body_ahead_of_the_clock_goes_on_from_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A block caught between two tips, its centroid below them, swings about the line between them. Dry friction takes
// nothing from that motion, a corner that is no point does (docs/theory/solver.md, "Rest").
#include "tests/solver/scenes/world.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};
enum { BLOCK = 0 };

// A fixed cube whose corner points from `side` towards the middle, at `corner`.
static void add_tip(world *w, double side, tal_vec3 corner) {
    const double edge = 0.3, share = 1.0 / sqrt(3.0);
    const tal_vec3 diagonal = {share, share, share}, inwards = {-side, 0.0, 0.0};
    const tal_vec3 axis = tal_vec3_cross(diagonal, inwards);
    const tal_quat q = tal_quat_normalize(
        (tal_quat){1.0 + tal_vec3_dot(diagonal, inwards), axis.x, axis.y, axis.z});
    const tal_vec3 middle = tal_vec3_add_scaled(corner, -0.5 * edge / share, inwards);
    const int32_t tip = test_scene_add_box(&w->scene, edge, edge, edge, middle, q, 2700.0);
    w->scene.fixed[tip] = 1;
}

// The block is 0.6 m wide below and 1 m above, and hangs at 0.3 m above its middle.
static void hang_block(world *w, double dt, tal_law law, double spin) {
    test_scene_init(&w->scene);
    w->scene.settings.dt_s = dt;
    w->scene.settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -9.81};
    w->scene.law = law;
    test_scene_add_wedge(&w->scene, 0.6, 1.0, 0.5, 1.0, (tal_vec3){0}, UPRIGHT, 2700.0);
    add_tip(w, 1.0, tal_vec3_make(0.46, 0.0, 0.3));
    add_tip(w, -1.0, tal_vec3_make(-0.46, 0.0, 0.3));
    w->scene.spin[BLOCK] = tal_vec3_make(spin, 0.0, 0.0);
    world_start(w);
}

static double run_peak(world *w, double time) {
    double peak = 0.0;
    const double end = w->report.time_s + time;
    while (w->report.time_s < end) {
        world_step(w);
        peak = fmax(peak, w->report.kinetic_translation_j + w->report.kinetic_rotation_j);
    }
    return peak;
}

static void a_block_hung_on_two_corners_comes_to_rest(void **unused) {
    (void)unused;
    for (int n = 0; n < 4; n++) {
        world w = {0};
        const double dt = n % 2 ? 0.02 : 0.01, spin = n < 2 ? 0.5 : 1.5;
        hang_block(&w, dt, n % 2 ? law_coulomb(0.55, 0.1) : law_mixed(0.55, 0.1, 0.0), spin);
        const double first = run_peak(&w, 2.0);
        run_peak(&w, 28.0);
        const double last = run_peak(&w, 5.0), y = tal_state_positions(w.state)[BLOCK].y;
        print_message("spin %g, %g ms: %.3g J at first, %.3g J after 30 s, %.4f m aside\n", spin,
                      1e3 * dt, first, last, y);
        assert_true(first > 5.0 * spin * spin / 0.25); // it does swing
        assert_true(last == 0.0);
        // The arm of the corners is 2.5 mm. Faces that lean by 0.2 press with 5 weights, and friction lets them
        // press with some more: the moment may hold the block that much aside, and no more.
        assert_true(fabs(y) < 8.0 * 0.0025);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_hung_on_two_corners_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

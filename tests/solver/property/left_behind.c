// SPDX-License-Identifier: GPL-3.0-or-later
// A step that calls itself solved has no single contact that is far from it.
#include "solver/step/model.h"
#include "solver/step/state.h"
#include "tests/solver/scenes/world.h"

#include "core/base/random.h"

// The largest velocity error of a contact, against the speeds of its two bodies
// (docs/theory/solver.md, "Sweeps"), of the percussions that were applied.
static double worst_error(const tal_state *state) {
    double worst = 0.0;
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            const tal_contact *c = &state->work.problem.contact[k];
            const double w = (c->w[0] + c->w[3] + c->w[5]) / 3.0;
            double d[3], e[3];
            tal_relative_velocity(pair, c, &state->work.motion[pair->body_i],
                                  &state->work.motion[pair->body_j], d);
            tal_law_residual(c, d, 1.0 / w, e);
            const double square = w * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
            worst = fmax(worst, sqrt(square / pair->energy_scale));
        }
    }
    return worst;
}

// A heap of bricks of several sizes that falls, spinning, into a slow pile.
static void make_heap(world *w) {
    *w = (world){0};
    test_scene_init(&w->scene);
    w->scene.settings.dt_s = 0.02;
    w->scene.settings.tolerance = 1e-3; // as the program has them
    w->scene.settings.iteration_max = 1000;
    w->scene.law = law_mixed(0.6, 0.3, 0.8);
    test_scene_set_plane(&w->scene, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 100.0);
    for (int n = 0; n < 180; n++) {
        const tal_random random = tal_random_stream(5, (uint32_t)n, "tests/left_behind");
        const double size = 0.4 + 0.5 * tal_random_uniform(random, 0);
        const tal_vec3 at = {1.7 * (n % 6), 1.7 * (n / 6 % 6), 1.0 + 1.7 * (n / 36)};
        const tal_quat q = tal_quat_normalize(
            (tal_quat){1.0, tal_random_normal(random, 1), tal_random_normal(random, 2), 0.3});
        const int32_t b =
            test_scene_add_box(&w->scene, size, 0.8 * size, 1.2 * size, at, q, 2700.0);
        w->scene.velocity[b] = (tal_vec3){4.25 - at.x, 4.25 - at.y, -6.0};
    }
    world_start(w);
}

static void no_contact_of_a_solved_step_is_left_behind(void **unused) {
    (void)unused;
    world w;
    double worst = 0.0;
    int above = 0;
    make_heap(&w);
    for (int n = 0; n < 150; n++) {
        check_ok(tal_step(w.model, w.state, &w.report, &check_error));
        above += w.report.unconverged_count > 0;
        if (w.report.unconverged_count == 0 && w.report.islands_resolved == 0) {
            worst = fmax(worst, worst_error(w.state));
        }
    }
    print_message("worst error of a contact %.1f tolerances; %d steps were not solved\n",
                  worst / w.scene.settings.tolerance, above);
    assert_true(worst <= 31.0 * w.scene.settings.tolerance);
    assert_true(above <= 3);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_contact_of_a_solved_step_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks that sweeps alone do not hold, with long steps: heavy on light at the default tolerance; tall
// with the weight on top at 1e-5 (at 1e-3 it leans by centimetres: what the sweeps call solved is not good
// enough for a block 10^4 times as heavy as those it stands on).
#include "tests/solver/scenes/world.h"

static void init_default(world *w, double dt, double friction) {
    *w = (world){0};
    test_scene_init(&w->scene);
    w->scene.settings.dt_s = dt;
    w->scene.law = law_coulomb(friction, 0.0);
    test_scene_set_plane(&w->scene, tal_vec3_make(0, 0, 0), tal_vec3_make(0, 0, 1), 50.0);
}

typedef struct {
    double moved; // farthest, of any block
    int finished_steps, unconverged_steps;
} stand;

// Lets it stand for `time` and says how far a block moved from where it was laid.
static stand let_stand(world *w, double time) {
    stand s = {0};
    const int32_t count = w->scene.body_count;
    world_start(w);
    const long steps = lround(time / w->scene.settings.dt_s);
    for (long n = 0; n < steps; n++) {
        check_ok(tal_step(w->model, w->state, &w->report, &check_error));
        s.finished_steps += w->report.islands_finished > 0;
        s.unconverged_steps += w->report.unconverged_count > 0;
    }
    for (int32_t b = 0; b < count; b++) {
        const tal_vec3 way =
            tal_vec3_subtract(tal_state_positions(w->state)[b], w->scene.position[b]);
        s.moved = fmax(s.moved, tal_vec3_length(way));
    }
    printf("moved %.3g mm; %d of %ld steps finished, %d not converged\n", 1e3 * s.moved,
           s.finished_steps, steps, s.unconverged_steps);
    return s;
}

static void check_stack(int count, const double *density, double tolerance) {
    world w;
    init_default(&w, 0.02, 0.5);
    w.scene.settings.tolerance = tolerance;
    for (int n = 0; n < count; n++) {
        test_scene_add_box(&w.scene, 1.0, 1.0, 1.0, tal_vec3_make(0, 0, n + 0.5),
                           (tal_quat){1, 0, 0, 0}, density[n]);
    }
    const stand s = let_stand(&w, 5.0);
    world_end(&w);
    assert_true(s.moved < 0.5e-3);
    assert_int_equal(s.unconverged_steps, 0);
}

static void ten_thousand_on_one_stands(void **unused) {
    (void)unused;
    check_stack(2, (const double[]){1.0, 1e4}, 1e-3);
}

static void a_million_on_one_stands(void **unused) {
    (void)unused;
    check_stack(2, (const double[]){1.0, 1e6}, 1e-3);
}

static void column_of_thirty_carries_a_heavy_block(void **unused) {
    (void)unused;
    double density[30];
    for (int n = 0; n < 30; n++) {
        density[n] = n == 29 ? 1e4 : 1.0;
    }
    check_stack(30, density, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_on_one_stands),
        cmocka_unit_test(a_million_on_one_stands),
        cmocka_unit_test(column_of_thirty_carries_a_heavy_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

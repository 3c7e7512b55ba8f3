// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of rock in steps far longer than a wave needs to cross them: they come to rest where rigid ones do.
#include "tests/solver/scenes/soft_box.h"

#include "solver/step/state.h"

enum { BLOCKS_MAX = 6 };
static const double EDGE[3] = {10.0, 9.0, 8.0};

// Turned blocks one above the other over a slope of 11 degrees, where friction holds up to 29.
static void begin(soft_box *s, int count) {
    const int cells[3] = {1, 1, 1};
    soft_box_divide(s, EDGE, cells, true, TAL_KINEMATICS_FLOATING_FRAME, 2600.0);
    test_scene_set_plane(&s->scene, (tal_vec3){0}, tal_vec3_normalize(tal_vec3_make(0.2, 0.0, 1.0)),
                         500.0);
    for (int b = 0; b < count; b++) {
        const tal_quat turned = {1.0, 0.1 * ((b * 7) % 5 - 2), 0.2 * ((b * 3) % 5 - 2), -0.1 * b};
        test_scene_add_box(&s->scene, EDGE[0], EDGE[1], EDGE[2],
                           tal_vec3_make(3.0 * (b % 3), 2.1 * (b % 2), 8.0 + 14.0 * b),
                           tal_quat_normalize(turned), 2600.0);
        s->scene.velocity[b] = tal_vec3_make(0.0, 0.0, -2.0);
    }
    s->solid.young_pa = 50e9;
    s->solid.poisson = 0.25;
    s->solid.damping_stiffness_s = 1e-4;
    s->scene.law = (tal_law){.kind = TAL_LAW_ACD2_COULOMB, .friction = 0.55, .restitution = 0.1};
    s->scene.settings.dt_s = 0.02;
    soft_box_start(s);
}

static void advance(soft_box *s, double until) {
    tal_report report;
    while (tal_state_time(s->state) < until - 1e-9) {
        check_ok(tal_step(s->model, s->state, &report, &check_error));
    }
}

static double fastest(const soft_box *s, int count) {
    double most = 0.0;
    for (int b = 0; b < count; b++) {
        most = fmax(most, tal_vec3_length(tal_state_velocities(s->state)[b]));
    }
    return most;
}

// Below the angle of friction nothing creeps: what is left after two more seconds is rounding.
static void check_rest(int count, double until) {
    soft_box s;
    tal_vec3 then[BLOCKS_MAX];
    begin(&s, count);
    advance(&s, until);
    memcpy(then, tal_state_positions(s.state), (size_t)count * sizeof *then);
    assert_true(fastest(&s, count) < 1e-6);
    advance(&s, until + 2.0);
    for (int b = 0; b < count; b++) {
        const tal_vec3 way = tal_vec3_subtract(tal_state_positions(s.state)[b], then[b]);
        assert_true(tal_vec3_length(way) < 1e-6);
    }
    soft_box_end(&s);
}

static void a_block_lies_still_below_the_angle_of_friction(void **unused) {
    (void)unused;
    check_rest(1, 6.0);
}

static void a_heap_lies_still(void **unused) {
    (void)unused;
    check_rest(6, 14.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_lies_still_below_the_angle_of_friction),
        cmocka_unit_test(a_heap_lies_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

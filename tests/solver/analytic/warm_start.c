// SPDX-License-Identifier: GPL-3.0-or-later
// A pile that stands starts each step from the percussions that carried it in the last: then the sweeps that
// are always made suffice, three before the look ahead and three after it (docs/theory/solver.md, "Sweeps").
#include "solver/motion/rest.h"
#include "solver/percussion/memory.h"
#include "tests/solver/scenes/world.h"

#include <string.h>

enum { SWEEPS_ALWAYS = 6, STORIES = 6 };

// Two towers beside each other on an incline that needs friction along both tangents.
static void make_towers(world *w, double dt) {
    const tal_vec3 normal = tal_vec3_normalize(tal_vec3_make(0.15, 0.1, 1.0));
    const tal_vec3 axis = tal_vec3_cross(tal_vec3_make(0, 0, 1), normal);
    const double angle = asin(tal_vec3_length(axis));
    const tal_vec3 unit = tal_vec3_normalize(axis);
    const double s = sin(0.5 * angle);
    const tal_quat pose = {cos(0.5 * angle), s * unit.x, s * unit.y, s * unit.z};
    world_init(w, dt, law_coulomb(0.6, 0.0));
    w->scene.settings.tolerance = 1e-5;
    w->scene.settings.rest_steps = 0;
    test_scene_set_plane(&w->scene, (tal_vec3){0}, normal, 50.0);
    for (int k = 0; k < 2 * STORIES; k++) {
        const tal_vec3 in_frame = {0.1 * (k % 3), k % 2 ? 3.0 : 0.0, 0.5 + k / 2};
        test_scene_add_box(&w->scene, 1, 1, 1, tal_quat_rotate(pose, in_frame), pose, 2000.0);
    }
}

static void a_standing_pile_needs_no_more_than_the_sweeps_always_made(void **unused) {
    (void)unused;
    world w;
    make_towers(&w, 0.005);
    world_start(&w);
    world_run(&w, 0.1);
    for (int n = 0; n < 5; n++) {
        world_step(&w);
        assert_in_range(w.report.iterations, 1, SWEEPS_ALWAYS);
        assert_int_equal(w.report.unconverged_count, 0);
    }
    assert_int_equal(w.report.manifold_count, 2 * STORIES);
    // it stands: a thousandth of what gravity gives in one step
    check_near(tal_vec3_length(tal_state_velocities(w.state)[2 * STORIES - 1]), 0.0, 1e-3 * 0.049);
    world_end(&w);
}

// A ball that is numbered first flies off: in the step in which its contact is gone, the others find theirs.
static void percussions_are_found_when_an_earlier_pair_is_gone(void **unused) {
    (void)unused;
    world w;
    world_init(&w, 0.005, law_coulomb(0.6, 0.0));
    w.scene.settings.tolerance = 1e-5;
    w.scene.settings.rest_steps = 0;
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(-5, 0, 0.1), 2000.0);
    for (int k = 0; k < STORIES; k++) {
        test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0.1 * (k % 3), 0, 0.5 + k),
                           (tal_quat){1, 0, 0, 0}, 2000.0);
    }
    const tal_point_force pull = {
        .body = 0, .force_n = {0, 0, 400.0}, .start_s = 0.1, .end_s = 10.0};
    w.scene.force = &pull;
    w.scene.force_count = 1;
    world_start(&w);
    world_run(&w, 0.1);
    assert_int_equal(w.report.manifold_count, 1 + STORIES);
    for (int n = 0; n < 100 && w.report.manifold_count > STORIES; n++) {
        world_step(&w);
    }
    assert_int_equal(w.report.manifold_count, STORIES);
    assert_in_range(w.report.iterations, 1, SWEEPS_ALWAYS);
    world_end(&w);
}

// Light bodies press as well: a point that carries is counted however little, one that does not is not.
static void points_that_carry_are_counted(void **unused) {
    (void)unused;
    world w;
    world_init(&w, 0.001, law_coulomb(0.5, 0.0));
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(0, 0, 0.1), 100.0);
    test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(1, 0, 0.1), 100.0);
    w.scene.velocity[1] = tal_vec3_make(0, 0, 0.05); // lifts off
    world_start(&w);
    world_step(&w);
    assert_int_equal(w.report.contact_count, 2);
    assert_int_equal(w.report.active_count, 1);
    tal_contact_record record[3];
    assert_int_equal(tal_state_contacts(w.state, record, 3), 2);
    assert_int_equal(record[0].body_i, 0);
    assert_int_equal(record[1].body_i, 1);
    world_end(&w);
}

static const tal_memory_pair *remembered(const world *w, int32_t body) {
    for (int32_t p = 0; p < w->state->memory.pair_count; p++) {
        if (w->state->memory.pair[p].body_i == body) {
            return &w->state->memory.pair[p];
        }
    }
    fail_msg("nothing is remembered of body %d", body);
    return NULL;
}

static void assert_scaled(tal_vec3 now, double scale, tal_vec3 before) {
    assert_true(now.x == scale * before.x && now.y == scale * before.y &&
                now.z == scale * before.z);
}

// A box and a ball at rest on an incline, between two balls that roll on: what carries them is kept for the step
// that wakes them, in the measure of the present step, whatever stood in the older of the two memories.
static void what_carries_bodies_at_rest_is_kept(void **unused) {
    (void)unused;
    enum { BOX = 1, BALL = 2, POINTS_MAX = 8 };
    const double dt = 0.005, r = 0.5;
    const tal_vec3 normal = tal_vec3_normalize(tal_vec3_make(0.05, 0.03, 1.0));
    const tal_vec3 axis = tal_vec3_cross(tal_vec3_make(0, 0, 1), normal);
    const double half = 0.5 * asin(tal_vec3_length(axis)), k = sin(half) / tal_vec3_length(axis);
    const tal_quat pose = {cos(half), k * axis.x, k * axis.y, k * axis.z};
    world w;
    world_init(&w, dt,
               (tal_law){.kind = TAL_LAW_ROLLING, .friction = 0.6, .rolling_friction = 0.3});
    w.scene.settings.rest_steps = 2;
    test_scene_set_plane(&w.scene, (tal_vec3){0}, normal, 50.0);
    for (int b = 0; b < 4; b++) {
        const tal_vec3 at = tal_quat_rotate(pose, tal_vec3_make(3.0 * b, 0, r));
        (void)(b == BOX ? test_scene_add_box(&w.scene, 1, 1, 1, at, pose, 2000.0)
                        : test_scene_add_ball(&w.scene, r, at, 2000.0));
        w.scene.velocity[b] = b == BOX || b == BALL ? (tal_vec3){0} : tal_vec3_make(0, 3, 0);
    }
    world_start(&w);
    for (int n = 0; n < 100 && !(tal_is_at_rest(w.state, BOX) && tal_is_at_rest(w.state, BALL));
         n++) {
        world_step(&w);
    }
    world_step(&w);
    for (int b = 0; b < 4; b++) {
        assert_true(tal_is_at_rest(w.state, b) == (b == BOX || b == BALL));
    }
    const tal_memory_pair box = *remembered(&w, BOX), ball = *remembered(&w, BALL);
    tal_memory_point point[POINTS_MAX];
    assert_int_equal(box.point_count, 4);
    memcpy(point, &w.state->memory.point[box.first_point], 4 * sizeof *point);
    double carried = 0.0;
    for (int n = 0; n < 4; n++) {
        carried += point[n].normal;
    }
    const double weight = 2000.0 * dt * tal_vec3_length(w.scene.settings.gravity_mps2);
    check_near(carried, weight * normal.z, 1e-4 * weight); // to what rest lets pass
    assert_true(tal_vec3_length(ball.moment) > 0.0);
    check_ok(tal_remember_percussions(w.state, 2.0 * dt, &check_error));
    assert_int_equal(w.state->memory.pair_count, 4);
    const tal_memory_point *now = &w.state->memory.point[remembered(&w, BOX)->first_point];
    for (int n = 0; n < 4; n++) {
        assert_true(now[n].identity == point[n].identity && now[n].bonded == point[n].bonded);
        assert_true(now[n].normal == 2.0 * point[n].normal);
        assert_scaled(now[n].tangential, 2.0, point[n].tangential);
    }
    assert_scaled(remembered(&w, BALL)->moment, 2.0, ball.moment);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_standing_pile_needs_no_more_than_the_sweeps_always_made),
        cmocka_unit_test(percussions_are_found_when_an_earlier_pair_is_gone),
        cmocka_unit_test(points_that_carry_are_counted),
        cmocka_unit_test(what_carries_bodies_at_rest_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

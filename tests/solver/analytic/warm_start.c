// SPDX-License-Identifier: GPL-3.0-or-later
// A pile that stands starts each step from the percussions that carried it in the last: then the sweeps that
// are always made suffice, three before the look ahead and three after it (docs/theory/solver.md, "Sweeps").
#include "tests/solver/scenes/world.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_standing_pile_needs_no_more_than_the_sweeps_always_made),
        cmocka_unit_test(percussions_are_found_when_an_earlier_pair_is_gone),
        cmocka_unit_test(points_that_carry_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

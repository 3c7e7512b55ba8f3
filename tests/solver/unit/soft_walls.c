// SPDX-License-Identifier: GPL-3.0-or-later
// Walls that are not simply hard: surfaces that go through each other, and springs at steps so coarse
// that look ahead and position correction could meddle.
#include "tests/solver/scenes/world.h"

enum { WALL, FIRST, SECOND, CLASSES };

static tal_law law[CLASSES * CLASSES];

static void set_law(int i, int j, tal_law given) {
    law[CLASSES * i + j] = law[CLASSES * j + i] = given;
}

// Two boxes that approach each other above a floor slab, one of class FIRST, one SECOND.
static void make_boxes(world *w) {
    const tal_quat upright = {1, 0, 0, 0};
    world_init(w, 1e-3, (tal_law){0});
    w->scene.class_count = CLASSES;
    w->scene.law_table = law;
    for (int i = 0; i < CLASSES; i++) {
        for (int j = i; j < CLASSES; j++) {
            set_law(i, j, law_coulomb(0.5, 0.0));
        }
    }
    for (int k = 0; k < 2; k++) {
        const int32_t b = test_scene_add_box(&w->scene, 1, 1, 1,
                                             tal_vec3_make(2.0 * k - 1.0, 0, 0.5), upright, 1000.0);
        w->scene.body_class[b] = k == 0 ? FIRST : SECOND;
        w->scene.velocity[b] = tal_vec3_make(k == 0 ? 5.0 : -5.0, 0, 0);
    }
    const int32_t slab =
        test_scene_add_box(&w->scene, 20, 20, 1, tal_vec3_make(0, 0, -0.5), upright, 1000.0);
    w->scene.body_class[slab] = WALL;
    w->scene.fixed[slab] = 1;
    w->scene.settings.gravity_mps2 = (tal_vec3){0};
}

static void surfaces_that_pass_do_not_meet(void **unused) {
    (void)unused;
    world w;
    make_boxes(&w);
    set_law(FIRST, SECOND, (tal_law){.kind = TAL_LAW_PASS});
    world_start(&w);
    world_run(&w, 0.4);
    check_near(tal_state_positions(w.state)[0].x, 1.0, 1e-12);
    check_near(tal_state_positions(w.state)[1].x, -1.0, 1e-12);
    world_end(&w);
}

static void the_same_surfaces_meet_without_it(void **unused) {
    (void)unused;
    world w;
    make_boxes(&w);
    world_start(&w);
    world_run(&w, 0.4);
    check_near(tal_state_positions(w.state)[0].x, -0.5, 0.005); // to the way of a step
    check_near(tal_state_positions(w.state)[1].x, 0.5, 0.005);
    world_end(&w);
}

// The first falls through the slab, the second lands on it; both may begin inside one another.
static void only_the_pair_of_classes_named_passes(void **unused) {
    (void)unused;
    world w;
    make_boxes(&w);
    set_law(FIRST, SECOND, (tal_law){.kind = TAL_LAW_PASS});
    set_law(FIRST, WALL, (tal_law){.kind = TAL_LAW_PASS});
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -10);
    for (int k = 0; k < 2; k++) {
        w.scene.position[k] = tal_vec3_make(0.1 * k, 0, 0.6);
        w.scene.velocity[k] = (tal_vec3){0};
    }
    world_start(&w);
    world_run(&w, 1.0);
    check_near(tal_state_positions(w.state)[0].z, 0.6 - 5.0, 1e-9);
    check_near(tal_state_positions(w.state)[1].z, 0.5, 1e-4);
    world_end(&w);
}

static void passing_through_the_ground_is_refused(void **unused) {
    (void)unused;
    world w;
    make_boxes(&w);
    test_scene_set_plane(&w.scene, tal_vec3_make(0, 0, -2), tal_vec3_make(0, 0, 1), 10.0);
    set_law(FIRST, WALL, (tal_law){.kind = TAL_LAW_PASS}); // WALL is the class of the ground too
    check_fails(test_scene_create_model(&w.scene, &w.model, &check_error), TAL_BAD_SETTING,
                "surface classes 0 and 1: pass is for bodies among themselves");
    world_end(&w);
}

// A box thrown flat at a slab behind a spring: x = v sqrt(m/k) sin(t sqrt(k/m)). It moves 5 mm in a
// step, far beyond what the look ahead takes for a new contact, and sinks in by half its width, which
// the position correction must leave to the spring.
static void spring_takes_a_fast_box_as_deep_as_the_formula_says(void **unused) {
    (void)unused;
    const double mass = 1000.0, spring = 1e5, speed = 5.0;
    world w;
    make_boxes(&w);
    set_law(FIRST, WALL, (tal_law){.kind = TAL_LAW_PENALTY, .stiffness_n_m = spring});
    w.scene.position[0] = tal_vec3_make(0, 0, 0.5);
    w.scene.position[1] = tal_vec3_make(9, 0, 0.5);
    w.scene.velocity[0] = tal_vec3_make(0, 0, -speed);
    world_start(&w);
    double lowest = INFINITY;
    for (int n = 0; n < 500; n++) {
        check_ok(tal_step(w.model, w.state, &w.report, &check_error));
        assert_true(fabs(w.report.energy_defect_j) < 1e-9 * 0.5 * mass * speed * speed);
        lowest = fmin(lowest, tal_state_positions(w.state)[0].z - 0.5);
    }
    check_near(lowest, -speed * sqrt(mass / spring), 0.005);
    check_near(tal_state_velocities(w.state)[0].z, speed, 0.02 * speed); // implicit: loses a little
    world_end(&w);
}

// Two boxes, one on the other, thrown at the spring: it throws both back, although they also strike
// each other by a law whose energy is guarded.
static void energy_of_a_spring_is_no_reason_for_the_guard(void **unused) {
    (void)unused;
    const double mass = 2000.0, spring = 1e5, speed = 5.0;
    world w;
    make_boxes(&w);
    set_law(FIRST, SECOND, law_mixed(0.5, 0.3, 0.8));
    set_law(FIRST, WALL, (tal_law){.kind = TAL_LAW_PENALTY, .stiffness_n_m = spring});
    for (int k = 0; k < 2; k++) {
        w.scene.position[k] = tal_vec3_make(0, 0, 0.5 + k);
        w.scene.velocity[k] = tal_vec3_make(0, 0, -speed);
    }
    world_start(&w);
    double lowest = INFINITY;
    for (int n = 0; n < 600; n++) {
        check_ok(tal_step(w.model, w.state, &w.report, &check_error));
        lowest = fmin(lowest, tal_state_positions(w.state)[0].z - 0.5);
    }
    check_near(lowest, -speed * sqrt(mass / spring), 0.01);
    for (int k = 0; k < 2; k++) {
        check_near(tal_state_velocities(w.state)[k].z, speed, 0.03 * speed);
    }
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_that_pass_do_not_meet),
        cmocka_unit_test(the_same_surfaces_meet_without_it),
        cmocka_unit_test(only_the_pair_of_classes_named_passes),
        cmocka_unit_test(passing_through_the_ground_is_refused),
        cmocka_unit_test(spring_takes_a_fast_box_as_deep_as_the_formula_says),
        cmocka_unit_test(energy_of_a_spring_is_no_reason_for_the_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

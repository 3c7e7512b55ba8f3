// SPDX-License-Identifier: GPL-3.0-or-later
// Bonds of pairs that touch at the start: A = dt cohesion area holds against pull, shifts the cone
// against shear, and is gone for good once it tore (docs/theory/solver.md, "Laws").
#include "tests/solver/scenes/world.h"

static const tal_vec3 UP = {0, 0, 1}, ORIGIN = {0, 0, 0};
static const tal_quat UPRIGHT = {1, 0, 0, 0};
static const double DT = 0.001, MU = 0.5, G = 10.0, STRENGTH_PA = 5000.0;

// A box of 1.5 m x 0.8 m x 0.4 m and 480 kg on the ground: the patch has 1.2 m2, the bond holds
// 6000 N.
static const double AREA = 1.2, MASS = 480.0;

static tal_law_kind kind = TAL_LAW_COULOMB; // each test runs for both laws of dry friction

static tal_law glue(double pa) {
    return (tal_law){.kind = kind, .friction = MU, .cohesion_pa = pa};
}

static void put_box(world *w, double gravity, const tal_point_force *force) {
    world_init(w, DT, glue(STRENGTH_PA));
    w->scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -gravity);
    test_scene_set_plane(&w->scene, ORIGIN, UP, 50.0);
    test_scene_add_box(&w->scene, 1.5, 0.8, 0.4, tal_vec3_make(0, 0, 0.2), UPRIGHT, 1000.0);
    w->scene.force_count = force != NULL;
    w->scene.force = force;
}

static tal_vec3 velocity_after(world *w, int steps) {
    world_start(w);
    for (int n = 0; n < steps; n++) {
        world_step(w);
    }
    return tal_state_velocities(w->state)[0];
}

// Gravity that points up: m g against the bond, which holds up to its strength, for good. How the points of
// a patch share the load is not determined and must not matter.
static void a_bond_carries_its_area_times_its_strength(void **unused) {
    (void)unused;
    static const double share[3] = {0.999, 1.001, 0.499};
    const double most = STRENGTH_PA * AREA / MASS;
    for (int k = 0; k < 3; k++) {
        const double g = share[k] * most;
        world w;
        put_box(&w, -g, NULL);
        check_near(velocity_after(&w, 1).z, k == 1 ? DT * (g - most) : 0.0, 1e-9);
        for (int n = 0; n < 9; n++) {
            world_step(&w);
        }
        const double up = tal_state_velocities(w.state)[0].z;
        check_near(up, k == 1 ? DT * (g - most) + 9.0 * DT * g : 0.0, 1e-9); // torn at once
        world_end(&w);
    }
}

// The points of a patch come in another order for another heading; its area is the same.
static void a_bond_has_its_area_whatever_its_heading(void **unused) {
    (void)unused;
    const double most = STRENGTH_PA * AREA / MASS;
    for (int k = 0; k < 16; k++) {
        const double half = 0.2 * k, g = (k % 2 == 0 ? 0.999 : 1.001) * most;
        world w;
        put_box(&w, -g, NULL);
        w.scene.orientation[0] = (tal_quat){cos(half), 0, 0, sin(half)};
        check_near(velocity_after(&w, 1).z, k % 2 == 0 ? 0.0 : DT * (g - most), 1e-9);
        world_end(&w);
    }
}

static void without_cohesion_nothing_holds(void **unused) {
    (void)unused;
    world w;
    put_box(&w, -G, NULL);
    w.scene.law = glue(0.0);
    check_near(velocity_after(&w, 10).z, 10.0 * DT * G, 1e-12);
    world_end(&w);
}

// A pull that comes later finds the bond as strong, under weight and without.
static void a_bond_lasts_while_it_holds(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const double pull = (k ? 1.001 : 0.999) * (STRENGTH_PA * AREA + MASS * G);
        const tal_point_force force = {.force_n = {0, 0, pull}, .start_s = 0.1, .end_s = 1.0};
        world w;
        put_box(&w, G, &force);
        check_near(velocity_after(&w, 99).z, 0.0, 1e-9);
        world_step(&w); // ends when the pull begins
        world_step(&w);
        const double first = DT * (pull - MASS * G - STRENGTH_PA * AREA) / MASS;
        check_near(tal_state_velocities(w.state)[0].z, k ? first : 0.0, 1e-8);
        world_end(&w);
    }
}

// Weight presses the box down again after the bond tore; then a pull below the old strength lifts it.
static void what_tore_does_not_heal(void **unused) {
    (void)unused;
    const double strong = 1.01 * (STRENGTH_PA * AREA + MASS * G), weak = 1.5 * MASS * G;
    const tal_point_force force[2] = {{.force_n = {0, 0, strong}, .start_s = 0.0, .end_s = DT},
                                      {.force_n = {0, 0, weak}, .start_s = 0.5, .end_s = 1.0}};
    world w;
    put_box(&w, G, force);
    w.scene.force_count = 2;
    check_near(velocity_after(&w, 499).z, 0.0, 1e-6);
    for (int n = 0; n < 11; n++) {
        world_step(&w);
    }
    check_near(tal_state_velocities(w.state)[0].z, 10.0 * DT * 0.5 * G, 1e-6);
    world_end(&w);
}

// Along the ground, at its level: |R_T| <= mu (m g + c area). Sliding breaks the bond, and from the
// second step on dry friction alone is left.
static void shear_is_held_by_the_shifted_cone_until_it_slides(void **unused) {
    (void)unused;
    const double most = MU * (MASS * G + STRENGTH_PA * AREA);
    static const double share[3] = {0.999, 1.001, 0.499};
    for (int k = 0; k < 6; k++) {
        const double push = share[k / 2] * most;
        const bool slides = k / 2 == 1;
        const tal_vec3 along = k % 2 ? tal_vec3_make(push, 0, 0) : tal_vec3_make(0, push, 0);
        const tal_point_force force = {
            .force_n = along, .point_m = {0, 0, -0.2}, .start_s = 0.0, .end_s = 1.0};
        world w;
        put_box(&w, G, &force);
        tal_vec3 v = velocity_after(&w, 1);
        const double first = DT * (push - most) / MASS, then = DT * (push - MU * MASS * G) / MASS;
        check_near(k % 2 ? v.x : v.y, slides ? first : 0.0, 1e-7);
        for (int n = 0; n < 9; n++) {
            world_step(&w);
        }
        v = tal_state_velocities(w.state)[0];
        check_near(k % 2 ? v.x : v.y, slides ? first + 9.0 * then : 0.0, 1e-7);
        check_near(k % 2 ? v.y : v.x, 0.0, 1e-9);
        world_end(&w);
    }
}

// The upper of two free boxes covers 0.5 m2 of the lower one; each is drawn away with F, and the bond
// passes F on as long as F <= c area.
static void two_bodies_are_bonded_by_the_area_they_share(void **unused) {
    (void)unused;
    static const double share[3] = {0.999, 1.001, 0.499};
    for (int k = 0; k < 3; k++) {
        const double pull = share[k] * STRENGTH_PA * 0.5;
        const tal_point_force force[2] = {
            {.body = 0, .force_n = {0, 0, -pull}, .start_s = 0.0, .end_s = 1.0},
            {.body = 1, .force_n = {0, 0, pull}, .start_s = 0.0, .end_s = 1.0}};
        world w;
        world_init(&w, DT, glue(STRENGTH_PA));
        w.scene.settings.gravity_mps2 = ORIGIN;
        test_scene_add_box(&w.scene, 2, 2, 1, tal_vec3_make(0, 0, 0), UPRIGHT, 1000.0);
        test_scene_add_box(&w.scene, 1, 0.5, 1, tal_vec3_make(0, 0, 1), UPRIGHT, 1000.0);
        w.scene.force_count = 2;
        w.scene.force = force;
        world_start(&w);
        for (int n = 0; n < 10; n++) {
            world_step(&w);
        }
        const tal_vec3 *v = tal_state_velocities(w.state);
        const double first = pull - STRENGTH_PA * 0.5;
        check_near(v[1].z, k == 1 ? DT * (first + 9.0 * pull) / 500.0 : 0.0, 1e-8);
        check_near(v[0].z, k == 1 ? -DT * (first + 9.0 * pull) / 4000.0 : 0.0, 1e-8);
        world_end(&w);
    }
}

// A corner of the box, 0.1 m x 0.1 m far from its middle, lies on a fixed one; the pull acts above it.
static void a_patch_far_from_the_middle_has_its_own_area(void **unused) {
    (void)unused;
    const double strong_pa = 5e6, most = strong_pa * 0.01;
    for (int k = 0; k < 2; k++) {
        const double pull = (k ? 1.5 : 0.9) * most;
        const tal_point_force force = {
            .force_n = {0, 0, pull}, .point_m = {0.7, 0.35, 0}, .start_s = 0.0, .end_s = 1.0};
        world w;
        put_box(&w, 0.0, &force);
        w.scene.law = glue(strong_pa);
        w.scene.position[0].z = 5.2;
        const int32_t below = test_scene_add_box(&w.scene, 0.5, 0.5, 0.5,
                                                 tal_vec3_make(0.9, 0.55, 4.75), UPRIGHT, 1000.0);
        w.scene.fixed[below] = 1;
        check_near(velocity_after(&w, 1).z, k ? DT * (pull - most) / MASS : 0.0, 1e-7);
        world_end(&w);
    }
}

// What lands later is not bonded: it is lifted off by any pull above its weight.
static void what_comes_to_touch_later_is_not_bonded(void **unused) {
    (void)unused;
    const tal_point_force force = {.force_n = {0, 0, 1.5 * MASS * G}, .start_s = 0.5, .end_s = 1.0};
    world w;
    put_box(&w, G, &force);
    w.scene.position[0].z = 0.3; // falls 0.1 m, which takes 0.14 s
    check_near(velocity_after(&w, 499).z, 0.0, 1e-6);
    for (int n = 0; n < 11; n++) {
        world_step(&w);
    }
    check_near(tal_state_velocities(w.state)[0].z, 10.0 * DT * 0.5 * G, 1e-6);
    world_end(&w);
}

// A ceiling 2 mm above the box is in the reach of its first step. It touches nothing.
static void what_is_near_is_not_bonded(void **unused) {
    (void)unused;
    world w;
    world_init(&w, 0.02, glue(1e9));
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -G);
    test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(0, 0, 0), UPRIGHT, 1000.0);
    test_scene_add_box(&w.scene, 3, 3, 1, tal_vec3_make(0, 0, 1.002), UPRIGHT, 1000.0);
    w.scene.fixed[1] = 1;
    check_near(velocity_after(&w, 1).z, -0.02 * G, 1e-12);
    world_end(&w);
}

static int run_with(tal_law_kind law) {
    kind = law;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bond_carries_its_area_times_its_strength),
        cmocka_unit_test(a_bond_has_its_area_whatever_its_heading),
        cmocka_unit_test(without_cohesion_nothing_holds),
        cmocka_unit_test(a_bond_lasts_while_it_holds),
        cmocka_unit_test(what_tore_does_not_heal),
        cmocka_unit_test(shear_is_held_by_the_shifted_cone_until_it_slides),
        cmocka_unit_test(two_bodies_are_bonded_by_the_area_they_share),
        cmocka_unit_test(a_patch_far_from_the_middle_has_its_own_area),
        cmocka_unit_test(what_comes_to_touch_later_is_not_bonded),
        cmocka_unit_test(what_is_near_is_not_bonded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
    return run_with(TAL_LAW_COULOMB) + run_with(TAL_LAW_ACD2_COULOMB);
}

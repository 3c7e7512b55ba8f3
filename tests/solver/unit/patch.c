// SPDX-License-Identifier: GPL-3.0-or-later
// A block on four points whose least velocities no rigid motion has: one of them carries nothing in the
// solution.
#include "tests/support/check.h"

#include "solver/percussion/patch.h"

enum { POINTS = 4 };

typedef struct {
    tal_rigid_motion motion[2];
    tal_inertia inertia[2];
    tal_contact contact[POINTS];
    tal_pair pair;
    tal_percussion_problem problem;
} patch_scene;

// The pair is an island.
static const tal_island ISLAND = {.pair_count = 1, .body_count = 1, .color_count = 1};
static const int32_t ISLAND_BODY[1] = {0}, COLOR_END[1] = {1};

// A cube of one metre and one kilogram on the ground, pressed down; point k may sink at -bound[k].
static void make(patch_scene *s, const double bound[POINTS], double friction) {
    static const double corner[POINTS][2] = {{-0.5, -0.5}, {0.5, -0.5}, {-0.5, 0.5}, {0.5, 0.5}};
    *s = (patch_scene){0};
    s->motion[0].v = tal_vec3_make(0.3, 0.0, -1.0);
    s->inertia[0] = (tal_inertia){1.0, {6.0, 0.0, 0.0, 6.0, 0.0, 6.0}, 0.0};
    s->pair = (tal_pair){.body_i = 0,
                         .body_j = 1,
                         .contact_count = POINTS,
                         .energy_scale = 1.0,
                         .normal = {0, 0, 1},
                         .tangent_1 = {1, 0, 0},
                         .tangent_2 = {0, 1, 0}};
    s->problem = (tal_percussion_problem){.body_count = 1,
                                          .motion = s->motion,
                                          .inertia = s->inertia,
                                          .pair_count = 1,
                                          .pair = &s->pair,
                                          .contact_count = POINTS,
                                          .contact = s->contact,
                                          .island_count = 1,
                                          .island = &ISLAND,
                                          .island_body = ISLAND_BODY,
                                          .color_end = COLOR_END,
                                          .thread_count = 1};
    const tal_law law = {.kind = TAL_LAW_COULOMB, .friction = friction};
    for (int k = 0; k < POINTS; k++) {
        tal_contact *c = &s->contact[k];
        c->arm_i[0] = corner[k][0];
        c->arm_i[1] = corner[k][1];
        c->arm_i[2] = -0.5;
        tal_contact_effective_mass(&s->problem, &s->pair, k);
        const tal_contact_data data = {
            .gap = -bound[k], .dt = 1.0, .before = {-1.0, 0.3, 0.0}, .closing = true};
        tal_law_prepare(&law, &data, c, NULL); // dry friction, and nothing more
        check_near(c->bound, bound[k], 1e-15);
    }
}

static void press(patch_scene *s, const double normal[POINTS]) {
    for (int k = 0; k < POINTS; k++) {
        s->contact[k].percussion[0] = normal[k];
    }
    tal_warm_start(&s->problem);
}

static void bounds_of_a_rigid_motion_are_left_alone(void **unused) {
    (void)unused;
    const double bound[POINTS] = {-0.01, -0.02, -0.03, -0.04},
                 normal[POINTS] = {0.2, 0.3, 0.1, 0.2};
    patch_scene s;
    make(&s, bound, 0.0);
    press(&s, normal);
    assert_false(tal_patch_release(&s.problem, &s.pair, 1e-6));
    check_near(s.contact[0].percussion[0], 0.2, 0.0);
}

// The diagonal 0-3 may sink deeper than the diagonal 1-2, so the cube stands on 1, 2 and one of 0, 3:
// the one with less to carry goes free. Force and torque stay what they were.
static void the_lower_of_the_deeper_diagonal_goes_free(void **unused) {
    (void)unused;
    const double bound[POINTS] = {-1e-3, 0.0, 0.0, -1e-3}, normal[POINTS] = {0.2, 0.3, 0.4, 0.1};
    patch_scene s;
    make(&s, bound, 0.0);
    press(&s, normal);
    const tal_rigid_motion before = s.motion[0];
    assert_true(tal_patch_release(&s.problem, &s.pair, 1e-6));
    const double expected[POINTS] = {0.1, 0.4, 0.5, 0.0};
    for (int k = 0; k < POINTS; k++) {
        check_near(s.contact[k].percussion[0], expected[k], 1e-15);
    }
    check_near(s.motion[0].v.z, before.v.z, 1e-15);
    check_near(s.motion[0].w.x, before.w.x, 1e-14);
    check_near(s.motion[0].w.y, before.w.y, 1e-14);
    assert_false(tal_patch_release(&s.problem, &s.pair, 1e-6));
}

static void conflict_within_the_tolerance_is_left_alone(void **unused) {
    (void)unused;
    const double bound[POINTS] = {-1e-7, 0.0, 0.0, -1e-7}, normal[POINTS] = {0.2, 0.3, 0.4, 0.1};
    patch_scene s;
    make(&s, bound, 0.0);
    press(&s, normal);
    assert_false(tal_patch_release(&s.problem, &s.pair, 1e-5));
    assert_true(tal_patch_release(&s.problem, &s.pair, 1e-9));
}

// Friction shrinks and grows with the normal percussion, so all stay in their cones, and the motion is
// that of the percussions.
static void percussions_stay_in_their_cones_and_the_motion_follows(void **unused) {
    (void)unused;
    const double bound[POINTS] = {-1e-3, 0.0, 0.0, -1e-3}, normal[POINTS] = {0.2, 0.3, 0.4, 0.1};
    patch_scene s;
    make(&s, bound, 0.5);
    for (int k = 0; k < POINTS; k++) {
        s.contact[k].percussion[1] = -0.5 * normal[k];
    }
    press(&s, normal);
    assert_true(tal_patch_release(&s.problem, &s.pair, 1e-6));
    tal_vec3 v = {0.3, 0.0, -1.0};
    for (int k = 0; k < POINTS; k++) {
        const double *r = s.contact[k].percussion;
        assert_true(hypot(r[1], r[2]) <= 0.5 * r[0] * (1.0 + 1e-15));
        v = tal_vec3_add(v, tal_vec3_make(r[1], r[2], r[0]));
    }
    check_near(s.motion[0].v.x, v.x, 1e-15);
    check_near(s.motion[0].v.z, v.z, 1e-15);
}

// Left to themselves, sweeps take percussions from one point to the next by the size of the conflict:
// ten thousand of them would not do here.
static void sweeps_end_where_a_conflict_is_resolved(void **unused) {
    (void)unused;
    const double bound[POINTS] = {-1e-6, 0.0, 0.0, -1e-6}, normal[POINTS] = {0.2, 0.3, 0.3, 0.2};
    double change[3 * POINTS], last[3 * POINTS], error[POINTS], change_sum[2];
    int32_t listed[4];
    uint8_t is_listed[1];
    tal_island_result island_result[1];
    tal_rigid_motion motion_last[2];
    const tal_solver_work work = {.change = change,
                                  .last = last,
                                  .error = error,
                                  .change_sum = change_sum,
                                  .listed = listed,
                                  .is_listed = is_listed,
                                  .island_result = island_result,
                                  .motion_last = motion_last};
    const tal_solver_goal goal = {.tolerance = 1e-8, .sweeps_min = 1, .sweeps_max = 1000};
    tal_solver_result result;
    patch_scene s;
    make(&s, bound, 0.6);
    press(&s, normal);
    tal_solve_percussions(&s.problem, &work, NULL, &goal, &result);
    assert_int_equal(result.unconverged_count, 0);
    assert_true(result.residual <= 1e-8);
    assert_true(s.contact[0].percussion[0] == 0.0 || s.contact[3].percussion[0] == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_a_rigid_motion_are_left_alone),
        cmocka_unit_test(the_lower_of_the_deeper_diagonal_goes_free),
        cmocka_unit_test(conflict_within_the_tolerance_is_left_alone),
        cmocka_unit_test(sweeps_end_where_a_conflict_is_resolved),
        cmocka_unit_test(percussions_stay_in_their_cones_and_the_motion_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

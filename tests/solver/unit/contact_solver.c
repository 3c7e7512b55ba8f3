// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of an island as a whole.
#include "tests/support/check.h"

#include "solver/percussion/contact_solver.h"
#include "tests/solver/scenes/percussions.h"

// More contacts than one slice of a sum has.
enum { CUBES = 1500, POINTS = 4, CONTACTS = POINTS * CUBES };

typedef struct {
    tal_rigid_motion motion[CUBES + 1];
    tal_inertia inertia[CUBES + 1];
    tal_contact contact[CONTACTS];
    tal_pair pair[CUBES];
    double error[CONTACTS];
    tal_island island;
    tal_island_result result;
    tal_percussion_problem problem;
} large_island;

// Cube b of one metre and one kilogram sinks into the ground at speed[b]; nothing pushes yet.
static void make(large_island *s, const double *speed) {
    const tal_law law = {.kind = TAL_LAW_COULOMB, .friction = 0.5};
    *s = (large_island){.island = {.pair_count = CUBES, .body_count = CUBES, .color_count = 1}};
    s->problem = (tal_percussion_problem){.body_count = CUBES,
                                          .motion = s->motion,
                                          .inertia = s->inertia,
                                          .pair_count = CUBES,
                                          .pair = s->pair,
                                          .contact_count = CONTACTS,
                                          .contact = s->contact,
                                          .island_count = 1,
                                          .island = &s->island,
                                          .thread_count = 1};
    for (int32_t b = 0; b < CUBES; b++) {
        s->motion[b].v.z = -speed[b];
        s->inertia[b] = (tal_inertia){1.0, {6.0, 0.0, 0.0, 6.0, 0.0, 6.0}, 0.0};
        s->pair[b] = (tal_pair){.body_i = b,
                                .body_j = CUBES,
                                .first_contact = POINTS * b,
                                .contact_count = POINTS,
                                .energy_scale = 1.0,
                                .normal = {0, 0, 1},
                                .tangent_1 = {1, 0, 0},
                                .tangent_2 = {0, 1, 0}};
        for (int32_t k = POINTS * b; k < POINTS * (b + 1); k++) {
            const tal_contact_data data = {.dt = 1.0, .before = {-speed[b], 0.0, 0.0}};
            s->contact[k].arm_i[0] = (k & 1) != 0 ? 0.5 : -0.5;
            s->contact[k].arm_i[1] = (k & 2) != 0 ? 0.5 : -0.5;
            s->contact[k].arm_i[2] = -0.5;
            tal_contact_effective_mass(&s->problem, &s->pair[b], k);
            tal_law_prepare(&law, &data, &s->contact[k], NULL); // dry friction, and nothing more
        }
    }
}

static void measure(large_island *s, double tolerance) {
    const tal_solver_work work = {.error = s->error, .island_result = &s->result};
    tal_measure_island(&s->problem, &work, 0, tolerance);
}

// A contact that sinks at v has the squared error v^2 / W against an energy of 1 J. W is the mean of its diagonal:
// with arms of half a metre 1 + 6 (1/4 + 1/4) = 4 along each axis.
static double squared_error(double speed) {
    return speed * speed / 4.0;
}

static void errors_of_all_contacts_are_summed(void **unused) {
    (void)unused;
    static large_island s;
    static double speed[CUBES];
    double sum = 0.0;
    for (int32_t b = 0; b < CUBES; b++) {
        speed[b] = 0.01 * (1 + b % 7);
        sum += POINTS * squared_error(speed[b]);
    }
    make(&s, speed);
    measure(&s, 0.01);
    check_near(s.result.error, sum, 1e-12 * sum);
    check_near(s.result.worst, squared_error(0.07), 1e-16);
}

// One contact that is more than 30 tolerances off, wherever it is, keeps an island from being solved whose mean is good.
static void the_worst_contact_is_found_anywhere(void **unused) {
    (void)unused;
    static large_island s;
    for (int32_t at = 0; at < CUBES; at += CUBES - 1) {
        static double speed[CUBES];
        for (int32_t b = 0; b < CUBES; b++) {
            speed[b] = b == at ? 1.0 : 0.0;
        }
        make(&s, speed);
        measure(&s, 0.0145); // mean 0.0129, worst 0.5
        check_near(s.result.worst, squared_error(1.0), 1e-15);
        assert_int_equal(s.result.unconverged_count, POINTS);
    }
}

// A cube that lands on a plane with four corners, solved; then a corner is given another push.
static void an_island_that_goes_on_is_left_until_its_result_is_forgotten(void **unused) {
    (void)unused;
    static hand_made h;
    const tal_law law = {.kind = TAL_LAW_COULOMB, .friction = 0.5};
    hand_reset(&h, 0.01, tal_vec3_make(0, 0, -9.81));
    hand_add_body(&h, 1.0, tal_vec3_make(1, 1, 1), tal_vec3_make(0.1, 0, -1), (tal_vec3){0});
    for (int k = 0; k < POINTS; k++) {
        const tal_vec3 arm = tal_vec3_make(k % 2 - 0.5, k / 2 - 0.5, -0.5);
        hand_add_contact(&h, 0, -1, arm, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 0.0, law);
    }
    hand_solve(&h, 1e-10, 1000);
    const tal_rigid_motion solved = h.motion[0];
    tal_solver_goal goal = {.tolerance = 1e-6, .sweeps_min = 3, .sweeps_max = 1000};
    tal_solver_result result;
    goal.goes_on = true;
    tal_solve_percussions(&h.problem, &h.work, NULL, &goal, &result);
    assert_memory_equal(&h.motion[0], &solved, sizeof solved);
    h.motion[0].v.z -= 1.0;
    tal_forget_result(&h.work, 0);
    tal_solve_percussions(&h.problem, &h.work, NULL, &goal, &result);
    check_near(h.motion[0].v.z, solved.v.z, 1e-5);
    goal.goes_on = false; // three sweeps at least, whatever is known
    h.motion[0].v.z -= 1.0;
    tal_solve_percussions(&h.problem, &h.work, NULL, &goal, &result);
    check_near(h.motion[0].v.z, solved.v.z, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_all_contacts_are_summed),
        cmocka_unit_test(the_worst_contact_is_found_anywhere),
        cmocka_unit_test(an_island_that_goes_on_is_left_until_its_result_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

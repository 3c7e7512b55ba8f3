// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems with a given W: held rows, faults of the input, threads. That they are solved as the
// bodies they come from is in seam.c, problems of other codes are in property/exchange.c.
#include "tests/support/check.h"

#include "solver/percussion/given.h"

static void a_held_row_of_a_given_problem_has_no_velocity(void **unused) {
    (void)unused;
    const double friction[2] = {0.0, 0.5}, q[6] = {1.0, -0.5, 0.25, -1.0, 0.0, 0.0};
    const uint8_t held[2] = {1, 0};
    const int32_t row[4] = {0, 0, 1, 1}, column[4] = {0, 1, 0, 1};
    const double block[36] = {2.0, 0.1, 0.0, 0.1, 2.0, 0.2, 0.0, 0.2, 3.0, 0.5, 0.0, 0.0,
                              0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.5, 0.0, 0.0, 0.0, 0.1, 0.0,
                              0.0, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0};
    const tal_local_input input = {.contact_count = 2,
                                   .friction = friction,
                                   .is_held = held,
                                   .q = q,
                                   .block_count = 4,
                                   .row = row,
                                   .column = column,
                                   .block = block};
    tal_given_problem *problem = NULL;
    double u[6], r[6];
    check_ok(tal_given_create(&problem, &input, 1, &check_error));
    assert_true(tal_given_solve(problem, 1e-13, 10000).is_solved);
    tal_given_velocities(problem, u);
    tal_given_percussions(problem, r);
    for (int f = 0; f < 3; f++) {
        check_near(u[f], 0.0, 1e-12);
    }
    assert_true(r[0] < -0.4);
    check_near(u[3], 0.0, 1e-12);
    tal_given_destroy(problem);
}

static void faults_of_a_given_problem_are_named_together(void **unused) {
    (void)unused;
    const double friction[2] = {-1.0, 0.5}, q[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const int32_t row[3] = {0, 1, 0}, column[3] = {0, 1, 7};
    const double block[27] = {1.0, 0.0, 0.0, 0.0, 1.0,  0.0, 0.0, 0.0, 1.0,
                              1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0};
    tal_local_input input = {.contact_count = 2,
                             .friction = friction,
                             .q = q,
                             .block_count = 3,
                             .row = row,
                             .column = column,
                             .block = block};
    tal_given_problem *problem = NULL;
    assert_int_equal(tal_given_create(&problem, &input, 1, &check_error), TAL_BAD_INPUT);
    assert_null(problem);
    assert_non_null(strstr(check_error.text, "contact 0: friction"));
    assert_non_null(strstr(check_error.text, "at (0, 7)"));
    assert_non_null(strstr(check_error.text, "contact 1: the diagonal"));
    const int32_t one_sided[3] = {0, 1, 1};
    const double good[2] = {0.1, 0.5};
    double fine[27];
    memcpy(fine, block, sizeof fine);
    fine[13] = 1.0;
    input.friction = good;
    input.block = fine;
    input.column = one_sided;
    assert_int_equal(tal_given_create(&problem, &input, 1, &check_error), TAL_BAD_INPUT);
    assert_non_null(strstr(check_error.text, "give both triangles"));
}

// Many contacts of few bodies: colors, islands and the list of what still changes are all at work.
static void threads_change_no_bit_of_a_given_problem(void **unused) {
    (void)unused;
    enum { SIDE = 30, COUNT = SIDE * SIDE };
    static double friction[COUNT], q[3 * COUNT], block[9 * 5 * COUNT], r[2][3 * COUNT];
    static int32_t row[5 * COUNT], column[5 * COUNT];
    int32_t blocks_made = 0;
    for (int k = 0; k < COUNT; k++) {
        const int x = k % SIDE, y = k / SIDE;
        const int beside[5] = {k, x > 0 ? k - 1 : -1, x < SIDE - 1 ? k + 1 : -1,
                               y > 0 ? k - SIDE : -1, y < SIDE - 1 ? k + SIDE : -1};
        friction[k] = 0.1 + 0.001 * (k % 300);
        q[3 * k] = -1.0 + 0.002 * ((37 * k) % 1000);
        q[3 * k + 1] = 0.3 - 0.001 * ((91 * k) % 600);
        for (int n = 0; n < 5; n++) {
            if (beside[n] < 0) {
                continue;
            }
            for (int f = 0; f < 3; f++) {
                block[9 * blocks_made + 4 * f] = n == 0 ? 1.0 : -0.24;
            }
            row[blocks_made] = k;
            column[blocks_made++] = beside[n];
        }
    }
    const tal_local_input input = {.contact_count = COUNT,
                                   .friction = friction,
                                   .q = q,
                                   .block_count = blocks_made,
                                   .row = row,
                                   .column = column,
                                   .block = block};
    for (int threads = 1; threads <= 2; threads++) {
        tal_given_problem *problem = NULL;
        check_ok(tal_given_create(&problem, &input, threads, &check_error));
        assert_true(tal_given_solve(problem, 1e-10, 20000).is_solved);
        tal_given_percussions(problem, r[threads - 1]);
        tal_given_destroy(problem);
    }
    assert_memory_equal(r[0], r[1], sizeof r[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_row_of_a_given_problem_has_no_velocity),
        cmocka_unit_test(faults_of_a_given_problem_are_named_together),
        cmocka_unit_test(threads_change_no_bit_of_a_given_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Random problems of dry friction: what the finisher calls solved obeys Coulomb's law, written here once
// more in its plainest form; what it does not solve it reports. 300 problems, or as many as the first
// argument says, from the one that the second says.
#include "solver/finish/finish.h"
#include "tests/solver/scenes/friction_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double TOLERANCE = 1e-8;
static int problem_count = 300, first_problem = 0;
static friction_scene scene;
static tal_error err;

// The largest violation of Coulomb's law, in units of |r| and of the larger of |q| and |u|.
static double violation_of_coulomb(const tal_friction_problem *problem, const double *r) {
    const tal_block_matrix *w = &problem->w;
    double *u = calloc(3 * (size_t)w->count + 1, sizeof *u);
    double force = 0.0, slip_u = 0.0, slip_q = 0.0, worst = 0.0;
    for (int32_t i = 0; i < w->count; i++) {
        for (int a = 0; a < 3; a++) {
            double sum = problem->q[3 * i + a];
            for (int64_t p = w->start[i]; p < w->start[i + 1]; p++) {
                for (int b = 0; b < 3; b++) {
                    sum += w->value[9 * p + 3 * a + b] * r[3 * w->column[p] + b];
                }
            }
            u[3 * i + a] = sum;
            slip_u += sum * sum;
            slip_q += problem->q[3 * i + a] * problem->q[3 * i + a];
            force += r[3 * i + a] * r[3 * i + a];
        }
    }
    const double speed = sqrt(fmax(slip_u, slip_q));
    force = sqrt(force);
    for (int32_t i = 0; i < w->count && force > 0.0; i++) {
        const double *ri = &r[3 * i], *ui = &u[3 * i], mu = problem->friction[i];
        const double drag = hypot(ri[1], ri[2]), slip = hypot(ui[1], ui[2]);
        worst = fmax(worst, -ri[0] / force);                // pushes only
        worst = fmax(worst, -ui[0] / speed);                // does not enter
        worst = fmax(worst, ri[0] / force * ui[0] / speed); // pushes where it touches
        worst = fmax(worst, (drag - mu * ri[0]) / force);   // inside the cone
        const double power = (ri[1] * ui[1] + ri[2] * ui[2] + mu * ri[0] * slip) / (force * speed);
        worst = fmax(worst, fabs(power)); // sliding: against the velocity, with all it has
    }
    for (int32_t i = 0; i < w->count && force == 0.0; i++) {
        worst = fmax(worst, -u[3 * i] / speed);
    }
    free(u);
    return worst;
}

static void what_is_called_solved_obeys_coulomb(void **unused) {
    (void)unused;
    int solved = 0, longest = 0;
    for (int n = first_problem; n < first_problem + problem_count; n++) {
        const tal_random random = tal_random_stream(7, (uint32_t)n, "tests/friction");
        tal_friction_problem problem;
        tal_finish_result result;
        friction_scene_throw(&scene, random, n % 3 == 0 ? 200 : 30, 6.0);
        assert_int_equal(friction_scene_build(&scene, &problem, &err), TAL_OK);
        assert_int_equal(tal_friction_problem_check(&problem, &err), TAL_OK);
        double *r = calloc(3 * (size_t)problem.w.count, sizeof *r);
        const tal_finish_settings settings = {
            TAL_FINISH_AUTOMATIC, TOLERANCE, TOLERANCE, 3000, INFINITY, false};
        assert_int_equal(tal_finish_solve(&problem, &settings, r, &result, &err), TAL_OK);
        const double violation = violation_of_coulomb(&problem, r);
        longest = result.iterations > longest ? result.iterations : longest;
        if (result.reason == TAL_FINISH_SOLVED) {
            solved++;
            // Velocities are right to 1e3 times the tolerance (tal_friction_residual_worst).
            if (!(violation <= 2e3 * TOLERANCE)) {
                fail_msg("problem %d: called solved, violates by %g", n, violation);
            }
        } else {
            assert_true(tal_friction_residual_worst(&result.residual) > TOLERANCE);
            printf("problem %d, %d contacts: not solved, %.1e %.1e after %d systems (%s)\n", n,
                   (int)problem.w.count, result.residual.by_mass, result.residual.by_unit,
                   result.iterations, tal_finish_reason_text(result.reason));
        }
        free(r);
        tal_friction_problem_destroy(&problem);
    }
    printf("%d of %d solved, at most %d linear systems\n", solved, problem_count, longest);
    assert_true(solved >= problem_count - problem_count / 50);
}

int main(int argc, char **argv) {
    problem_count = argc > 1 ? atoi(argv[1]) : problem_count;
    first_problem = argc > 2 ? atoi(argv[2]) : 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_called_solved_obeys_coulomb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

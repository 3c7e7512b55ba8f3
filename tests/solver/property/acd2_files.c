// SPDX-License-Identifier: GPL-3.0-or-later
// The solvers of talus-contact for the laws acd2 and acd2+coulomb against the sweeps of the step, on random
// bodies that meet at random points. Velocities after acd2 are unique, percussions need not be; with cones
// neither need be, and what is called solved is held against the law as it is written down.
#include "core/base/memory.h"
#include "core/base/random.h"
#include "solver/finish/finish.h"
#include "solver/program/contact/acd2.h"
#include "tests/solver/scenes/percussions.h"
#include "tests/support/check.h"

#include <string.h>

enum { CONTACTS_MAX = 12, PROBLEMS = 200 };

typedef struct {
    tal_friction_problem problem;
    tal_acd2_law law;
    double kn[CONTACTS_MAX], kt[CONTACTS_MAX], before[3 * CONTACTS_MAX], bound[CONTACTS_MAX];
    double friction[CONTACTS_MAX];
} acd2_case;

static hand_made h;

static double uniform(tal_random random, uint64_t *draw, double low, double high) {
    return low + (high - low) * tal_random_uniform(random, (*draw)++);
}

static tal_vec3 vector(tal_random random, uint64_t *draw) {
    const double x = uniform(random, draw, -1, 1), y = uniform(random, draw, -1, 1);
    return tal_vec3_make(x, y, uniform(random, draw, -1, 1));
}

static void throw_bodies(uint32_t number, tal_law_kind kind) {
    const tal_random random = tal_random_stream(77, number, "tests/acd2_files");
    uint64_t draw = 0;
    hand_reset(&h, 0.01, tal_vec3_make(0, 0, -9.81));
    const int bodies = 1 + (int)uniform(random, &draw, 0, 4);
    const int contacts = 1 + (int)uniform(random, &draw, 0, CONTACTS_MAX);
    for (int b = 0; b < bodies; b++) {
        const double m = exp(uniform(random, &draw, -3, 3)), i = 0.4 * m;
        const tal_vec3 v = vector(random, &draw);
        hand_add_body(&h, m, tal_vec3_make(i, i, i), v, vector(random, &draw));
    }
    for (int k = 0; k < contacts; k++) {
        const int32_t i = k % bodies, j = (int32_t)uniform(random, &draw, -1, bodies);
        const tal_vec3 arm_i = vector(random, &draw), arm_j = vector(random, &draw);
        const tal_vec3 normal = tal_vec3_normalize(vector(random, &draw));
        const bool none = uniform(random, &draw, 0, 1) < 0.3;
        const tal_law law = {.kind = kind,
                             .friction = 0.2 * (number % 6),
                             .dissipation_in_kg = true,
                             .kn_kg = none ? 0.0 : uniform(random, &draw, 0, 8),
                             .kt_kg = k % 3 == 0 ? 0.0 : uniform(random, &draw, 0, 3)};
        hand_add_contact(&h, i, j == i ? -1 : j, arm_i, arm_j, normal,
                         uniform(random, &draw, -0.002, 0.01), law);
    }
    hand_prepare(&h);
}

// What a unit percussion at l along b changes at k, through the bodies themselves.
static void set_block(int32_t k, int32_t l, double block[9]) {
    const tal_pair *of_k = &h.pair[k], *of_l = &h.pair[l];
    for (int b = 0; b < 3; b++) {
        tal_rigid_motion motion[HAND_BODIES_MAX + 1] = {0};
        double step[3] = {0}, u[3];
        step[b] = 1.0;
        tal_rigid_motion i = {0}, j = {0};
        tal_apply_percussion(of_l, &h.contact[l], step, &h.inertia[of_l->body_i],
                             &h.inertia[of_l->body_j], &i, &j);
        motion[of_l->body_i] = i;
        if (of_l->body_j < h.body_count) {
            motion[of_l->body_j] = j;
        }
        tal_relative_velocity(of_k, &h.contact[k], &motion[of_k->body_i], &motion[of_k->body_j], u);
        for (int a = 0; a < 3; a++) {
            block[3 * a + b] = u[a];
        }
    }
}

static void set_law(acd2_case *c, int32_t k) {
    const tal_contact *from = &h.contact[k];
    const tal_pair *pair = &h.pair[k];
    c->kn[k] = isinf(from->more->softness) ? 0.0 : 2.0 / from->more->softness;
    c->kt[k] = isinf(from->more->slack) ? 0.0 : 2.0 / from->more->slack;
    c->bound[k] = from->bound;
    c->friction[k] = from->friction;
    tal_relative_velocity(pair, from, &h.before[pair->body_i], &h.before[pair->body_j],
                          &c->before[3 * k]);
    if (isfinite(from->friction) && isinf(from->more->softness) && from->more->slack == 0.0) {
        memset(&c->before[3 * k], 0, 3 * sizeof *c->before); // no blow: dry friction
    }
}

// What the solvers are given, from what a file has.
static void give_laws(acd2_case *c) {
    tal_local_law law[CONTACTS_MAX];
    for (int32_t k = 0; k < h.contact_count; k++) {
        law[k] = tal_acd2_local(&c->law, c->friction, k);
    }
    tal_memory_destroy(c->problem.law);
    check_ok(tal_friction_problem_set_laws(&c->problem, law, &check_error));
}

static void write_case(acd2_case *c) {
    const int32_t n = h.contact_count;
    check_ok(tal_friction_problem_create(&c->problem, n, (int64_t)n * n, &check_error));
    for (int32_t k = 0; k < n; k++) {
        const tal_pair *pair = &h.pair[k];
        for (int32_t l = 0; l < n; l++) {
            c->problem.w.column[k * n + l] = l;
            set_block(k, l, &c->problem.w.value[9 * (k * n + l)]);
        }
        c->problem.w.start[k + 1] = (int64_t)(k + 1) * n;
        tal_relative_velocity(pair, &h.contact[k], &h.motion[pair->body_i], &h.motion[pair->body_j],
                              &c->problem.q[3 * k]);
        set_law(c, k);
    }
    c->law = (tal_acd2_law){c->kn, c->kt, c->before, c->bound};
    give_laws(c);
}

static double farthest(const acd2_case *c, const double *r) {
    double u[3 * CONTACTS_MAX], d[3], worst = 0.0;
    tal_block_matrix_multiply(&c->problem.w, r, u);
    for (int32_t k = 0; k < h.contact_count; k++) {
        hand_velocity(&h, k, d);
        for (int a = 0; a < 3; a++) {
            assert_true(isfinite(r[3 * k + a]));
            worst = fmax(worst, fabs(u[3 * k + a] + c->problem.q[3 * k + a] - d[a]));
        }
    }
    return worst;
}

typedef tal_status (*solver)(const tal_friction_problem *, double, int, double *, int *,
                             tal_error *);

static tal_status by_newton(const tal_friction_problem *problem, double tolerance, int iterations,
                            double *r, int *systems, tal_error *err) {
    const tal_finish_settings settings = {TAL_FINISH_AUTOMATIC, tolerance, tolerance,
                                          iterations,           INFINITY,  false};
    tal_finish_result result;
    memset(r, 0, 3 * (size_t)problem->w.count * sizeof *r);
    TAL_TRY(tal_finish_solve(problem, &settings, r, &result, err));
    *systems = result.iterations;
    return TAL_OK;
}

static const struct {
    const char *name;
    solver solve;
    int iterations_max;
    uint32_t every; // of the problems
} SOLVERS[] = {{"interior point", tal_acd2_interior_point, 200, 1},
               {"Uzawa", tal_acd2_uzawa, 300000, 10},
               {"finisher", by_newton, 2000, 1}};
enum { SOLVER_COUNT = 3 };

static double residual_of(const tal_friction_problem *problem, const double *r) {
    double u[3 * CONTACTS_MAX];
    const tal_friction_residual residual = tal_friction_problem_measure(problem, r, u);
    return tal_friction_residual_worst(&residual);
}

static void all_solvers_find_what_the_sweeps_find(void **unused) {
    (void)unused;
    double worst[SOLVER_COUNT] = {0};
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        acd2_case c;
        throw_bodies(n, TAL_LAW_ACD2);
        write_case(&c);
        assert_int_equal(hand_solve(&h, 1e-12, 200000).unconverged_count, 0);
        for (int s = 0; s < SOLVER_COUNT; s++) {
            double r[3 * CONTACTS_MAX];
            int iterations;
            if (n % SOLVERS[s].every == 0) {
                check_ok(SOLVERS[s].solve(&c.problem, 1e-9, SOLVERS[s].iterations_max, r,
                                          &iterations, &check_error));
                assert_true(residual_of(&c.problem, r) <= 1e-8);
                worst[s] = fmax(worst[s], farthest(&c, r));
            }
        }
        tal_friction_problem_destroy(&c.problem);
    }
    for (int s = 0; s < SOLVER_COUNT; s++) {
        print_message("%s: largest difference in velocity %.2e m/s\n", SOLVERS[s].name, worst[s]);
        assert_true(worst[s] < 1e-6);
    }
}

// Units of mass and of speed, and back.
static void scale(acd2_case *c, double mass, double speed) {
    const int32_t n = h.contact_count;
    for (int32_t i = 0; i < 9 * n * n; i++) {
        c->problem.w.value[i] /= mass;
    }
    for (int32_t i = 0; i < 3 * n; i++) {
        c->problem.q[i] *= speed;
        c->before[i] *= speed;
    }
    for (int32_t k = 0; k < n; k++) {
        c->kn[k] *= mass;
        c->kt[k] *= mass;
        c->bound[k] *= speed;
    }
    give_laws(c);
}

// Picograms or teratons, picometres or terametres per second: the same numbers, scaled. 1e-8: what is
// solved to 1e-9 in other units.
static void units_do_not_matter(void **unused) {
    (void)unused;
    static const double unit[] = {1e-12, 1e-6, 1e6, 1e12};
    for (uint32_t n = 0; n < 20; n++) {
        acd2_case c;
        throw_bodies(n, TAL_LAW_ACD2);
        write_case(&c);
        hand_solve(&h, 1e-12, 200000);
        for (int m = 0; m < 16; m++) {
            const double mass = unit[m / 4], speed = unit[m % 4];
            for (int s = 0; s < SOLVER_COUNT; s++) {
                double r[3 * CONTACTS_MAX];
                int iterations;
                if (n % SOLVERS[s].every != 0) {
                    continue;
                }
                scale(&c, mass, speed);
                check_ok(SOLVERS[s].solve(&c.problem, 1e-9, SOLVERS[s].iterations_max, r,
                                          &iterations, &check_error));
                assert_true(residual_of(&c.problem, r) <= 1e-8);
                scale(&c, 1.0 / mass, 1.0 / speed);
                for (int32_t i = 0; i < 3 * h.contact_count; i++) {
                    r[i] /= mass * speed;
                }
                assert_true(farthest(&c, r) < 1e-6);
            }
        }
        tal_friction_problem_destroy(&c.problem);
    }
}

// What is not a number is no solution, and no solver runs for ever on it.
static void what_is_not_a_number_is_not_solved(void **unused) {
    (void)unused;
    acd2_case c;
    throw_bodies(3, TAL_LAW_ACD2);
    write_case(&c);
    for (int fault = 0; fault < 2; fault++) {
        double *at = fault == 0 ? &c.problem.q[0] : &c.problem.w.value[0];
        const double was = *at;
        *at = NAN;
        for (int s = 0; s < SOLVER_COUNT; s++) {
            double r[3 * CONTACTS_MAX];
            int iterations;
            check_ok(SOLVERS[s].solve(&c.problem, 1e-9, 1000, r, &iterations, &check_error));
            assert_false(residual_of(&c.problem, r) <= 1e-8);
        }
        *at = was;
    }
    tal_friction_problem_destroy(&c.problem);
}

// W of rank 0 in all but its diagonal has no factor where a contact is struck that nothing can stop: two
// contacts that push the same body apart.
static void no_answer_is_called_one(void **unused) {
    (void)unused;
    tal_friction_problem problem;
    const tal_local_law law[2] = {{.bound = 1.0, .softness = INFINITY, .slack = INFINITY},
                                  {.bound = 1.0, .softness = INFINITY, .slack = INFINITY}};
    check_ok(tal_friction_problem_create(&problem, 2, 4, &check_error));
    check_ok(tal_friction_problem_set_laws(&problem, law, &check_error));
    for (int32_t i = 0; i < 2; i++) {
        problem.w.start[i + 1] = 2 * (i + 1);
        for (int32_t j = 0; j < 2; j++) {
            problem.w.column[2 * i + j] = j;
            for (int a = 0; a < 3; a++) {
                problem.w.value[9 * (2 * i + j) + 4 * a] = i == j ? 1.0 : -1.0;
            }
        }
    }
    for (int s = 0; s < SOLVER_COUNT; s++) {
        double r[6] = {0};
        int iterations;
        check_ok(SOLVERS[s].solve(&problem, 1e-9, 1000, r, &iterations, &check_error));
        assert_false(residual_of(&problem, r) <= 1e-8);
    }
    tal_friction_problem_destroy(&problem);
}

// acd2+coulomb as docs/theory/solver.md has it: r_N = max(0, what keeps u_N at the bound, (pull - u_N) over
// the softness), r_T against u_T + slide with a slack of at least that of the law, cut at the cone.
static void check_law(const acd2_case *c, const double *r) {
    double u[3 * CONTACTS_MAX], size = 0.0;
    tal_block_matrix_multiply(&c->problem.w, r, u);
    for (int32_t i = 0; i < 3 * h.contact_count; i++) {
        u[i] += c->problem.q[i];
        size = fmax(size, fmax(fabs(r[i]), fabs(u[i])));
    }
    const double small = 1e-6 * size;
    for (int32_t k = 0; k < h.contact_count; k++) {
        const tal_local_law *law = &c->problem.law[k];
        const double *rk = &r[3 * k], *uk = &u[3 * k];
        const double soft =
            isinf(law->softness) ? 0.0 : fmax(0.0, (law->pull - uk[0]) / law->softness);
        const double slid[2] = {uk[1] + law->slide[0], uk[2] + law->slide[1]};
        const double held = hypot(rk[1], rk[2]), slip = hypot(slid[0], slid[1]);
        assert_true(rk[0] > -small && uk[0] > law->bound - small);
        assert_true(rk[0] > soft - small);
        assert_true(rk[0] < soft + small || uk[0] < law->bound + small);
        assert_true(held < law->friction * rk[0] + small);
        if (isinf(law->slack)) {
            assert_true(held < small);
            continue;
        }
        assert_true(fabs(rk[1] * slid[0] + rk[2] * slid[1] + held * slip) < small * size);
        assert_true(held * law->slack < slip + small);
        assert_true(held * law->slack > slip - small || held > law->friction * rk[0] - small);
    }
}

static void finisher_and_sweeps_obey_the_mixed_law(void **unused) {
    (void)unused;
    int solved = 0, swept = 0;
    for (uint32_t n = 0; n < 5 * PROBLEMS; n++) {
        acd2_case c;
        double r[3 * CONTACTS_MAX];
        int iterations;
        throw_bodies(n, TAL_LAW_ACD2_COULOMB);
        write_case(&c);
        check_ok(by_newton(&c.problem, 1e-9, 2000, r, &iterations, &check_error));
        if (residual_of(&c.problem, r) <= 1e-8) {
            solved++;
            check_law(&c, r);
        }
        if (hand_solve(&h, 1e-12, 100000).unconverged_count == 0) {
            swept++;
            for (int32_t k = 0; k < h.contact_count; k++) {
                memcpy(&r[3 * k], h.contact[k].percussion, sizeof h.contact[k].percussion);
            }
            check_law(&c, r); // the sweeps of a step solve the problem in the file
        }
        tal_friction_problem_destroy(&c.problem);
    }
    print_message("of %d problems the finisher solves %d, the sweeps %d\n", 5 * PROBLEMS, solved,
                  swept);
    assert_true(solved >= 5 * PROBLEMS * 99 / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_solvers_find_what_the_sweeps_find),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(what_is_not_a_number_is_not_solved),
        cmocka_unit_test(no_answer_is_called_one),
        cmocka_unit_test(finisher_and_sweeps_obey_the_mixed_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

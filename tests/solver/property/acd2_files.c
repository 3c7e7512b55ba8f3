// SPDX-License-Identifier: GPL-3.0-or-later
// The two solvers of talus-contact for the law acd2 against the sweeps of the step, on random bodies that
// meet at random points: the velocities after are unique, the percussions need not be.
#include "core/base/random.h"
#include "solver/program/contact/acd2.h"
#include "tests/solver/scenes/percussions.h"
#include "tests/support/check.h"

#include <string.h>

enum { CONTACTS_MAX = 12, PROBLEMS = 200 };

typedef struct {
    tal_friction_problem problem;
    tal_acd2_law law;
    double kn[CONTACTS_MAX], kt[CONTACTS_MAX], before[3 * CONTACTS_MAX], bound[CONTACTS_MAX];
} acd2_case;

static hand_made h;

static double uniform(tal_random random, uint64_t *draw, double low, double high) {
    return low + (high - low) * tal_random_uniform(random, (*draw)++);
}

static tal_vec3 vector(tal_random random, uint64_t *draw) {
    const double x = uniform(random, draw, -1, 1), y = uniform(random, draw, -1, 1);
    return tal_vec3_make(x, y, uniform(random, draw, -1, 1));
}

static void throw_bodies(uint32_t number) {
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
        const tal_law law = {.kind = TAL_LAW_ACD2,
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
    c->kn[k] = isinf(from->softness) ? 0.0 : 2.0 / from->softness;
    c->kt[k] = isinf(from->slack) ? 0.0 : 2.0 / from->slack;
    c->bound[k] = from->bound;
    tal_relative_velocity(pair, from, &h.before[pair->body_i], &h.before[pair->body_j],
                          &c->before[3 * k]);
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

static void both_solvers_find_what_the_sweeps_find(void **unused) {
    (void)unused;
    double worst = 0.0, worst_uzawa = 0.0;
    for (uint32_t n = 0; n < PROBLEMS; n++) {
        acd2_case c;
        double r[3 * CONTACTS_MAX], u[3 * CONTACTS_MAX];
        int iterations;
        throw_bodies(n);
        write_case(&c);
        assert_int_equal(hand_solve(&h, 1e-12, 200000).unconverged_count, 0);
        check_ok(
            tal_acd2_interior_point(&c.problem, &c.law, 1e-9, 200, r, &iterations, &check_error));
        const tal_friction_residual residual = tal_acd2_measure(&c.problem, &c.law, r, u);
        assert_true(tal_friction_residual_worst(&residual) <= 1e-8);
        worst = fmax(worst, farthest(&c, r));
        if (n % 10 == 0) {
            check_ok(
                tal_acd2_uzawa(&c.problem, &c.law, 1e-9, 300000, r, &iterations, &check_error));
            worst_uzawa = fmax(worst_uzawa, farthest(&c, r));
        }
        tal_friction_problem_destroy(&c.problem);
    }
    print_message("largest difference in velocity: interior point %.2e, Uzawa %.2e m/s\n", worst,
                  worst_uzawa);
    assert_true(worst < 1e-6);
    assert_true(worst_uzawa < 1e-6);
}

// Grams or tons, millimetres or kilometres per second: the same numbers, scaled.
static void units_do_not_matter(void **unused) {
    (void)unused;
    static const double unit[][2] = {{1e-9, 1e-6}, {1e9, 1e-6}, {1e-6, 1e6}};
    for (uint32_t n = 0; n < 20; n++) {
        for (int m = 0; m < 3; m++) {
            const double mass = unit[m][0], speed = unit[m][1];
            acd2_case c;
            double r[3 * CONTACTS_MAX];
            int iterations;
            throw_bodies(n);
            write_case(&c);
            hand_solve(&h, 1e-12, 200000);
            for (int32_t i = 0; i < 9 * h.contact_count * h.contact_count; i++) {
                c.problem.w.value[i] /= mass;
            }
            for (int32_t i = 0; i < 3 * h.contact_count; i++) {
                c.problem.q[i] *= speed;
                c.before[i] *= speed;
                c.kn[i / 3] *= i % 3 == 0 ? mass : 1.0;
                c.kt[i / 3] *= i % 3 == 0 ? mass : 1.0;
                c.bound[i / 3] *= i % 3 == 0 ? speed : 1.0;
            }
            check_ok(tal_acd2_interior_point(&c.problem, &c.law, 1e-9, 200, r, &iterations,
                                             &check_error));
            for (int32_t i = 0; i < 3 * h.contact_count; i++) {
                r[i] /= mass * speed;
                c.problem.q[i] /= speed;
            }
            for (int32_t i = 0; i < 9 * h.contact_count * h.contact_count; i++) {
                c.problem.w.value[i] *= mass;
            }
            assert_true(farthest(&c, r) < 1e-6);
            tal_friction_problem_destroy(&c.problem);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_solvers_find_what_the_sweeps_find),
        cmocka_unit_test(units_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

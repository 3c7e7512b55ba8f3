// SPDX-License-Identifier: GPL-3.0-or-later
// Random contact problems: the sweeps against the reference solvers, laws of thermodynamics at each
// contact, independence of the order, dry friction against its own definition.
#include "core/base/random.h"
#include "tests/reference/acd2_problem.h"
#include "tests/solver/scenes/percussions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static hand_made h, other;
static tal_error err;

typedef struct {
    tal_random random;
    uint64_t draw;
} dice;

static double uniform(dice *d, double low, double high) {
    return low + (high - low) * tal_random_uniform(d->random, d->draw++);
}

static tal_vec3 vector(dice *d, double size) {
    const double x = uniform(d, -size, size), y = uniform(d, -size, size);
    return tal_vec3_make(x, y, uniform(d, -size, size));
}

static tal_vec3 direction(dice *d) {
    double u[3];
    tal_random_direction(d->random, d->draw, u);
    d->draw += 8;
    return tal_vec3_make(u[0], u[1], u[2]);
}

// Shuffles nothing: the same dice give the same problem.
static void throw_problem(hand_made *to, dice d, tal_law_kind kind, int32_t *order) {
    const double dt = 0.01;
    hand_reset(to, dt, tal_vec3_make(0, 0, -9.81));
    const int bodies = 1 + (int)uniform(&d, 0, 5), contacts = 1 + (int)uniform(&d, 0, 12);
    for (int b = 0; b < bodies; b++) {
        const double m = exp(uniform(&d, -1.5, 1.5)), a = m * uniform(&d, 0.2, 1.0);
        const double c = m * uniform(&d, 0.2, 1.0);
        const tal_vec3 inertia = {a, c, uniform(&d, fabs(a - c), a + c)};
        const tal_vec3 v = vector(&d, 2.0);
        hand_add_body(to, m, inertia, v, vector(&d, 2.0));
    }
    static struct {
        int32_t i, j;
        tal_vec3 arm_i, arm_j, normal;
        double gap;
        tal_law law;
    } made[32];
    for (int k = 0; k < contacts; k++) {
        made[k].i = (int32_t)uniform(&d, 0, bodies);
        made[k].j = (int32_t)uniform(&d, -1, bodies);
        made[k].j = made[k].j == made[k].i ? -1 : made[k].j;
        made[k].arm_i = vector(&d, 1.0);
        made[k].arm_j = vector(&d, 1.0);
        made[k].normal = direction(&d);
        made[k].gap = uniform(&d, -0.002, 0.01);
        made[k].law = (tal_law){.kind = kind,
                                .dissipation_in_kg = true,
                                .kn_kg = uniform(&d, 0, 1) < 0.3 ? 0.0 : uniform(&d, 0, 8),
                                .kt_kg = uniform(&d, 0, 1) < 0.3 ? 0.0 : uniform(&d, 0, 3)};
        made[k].law.friction = uniform(&d, 0.0, 1.0);
    }
    for (int n = 0; n < contacts; n++) {
        const int k = order != NULL ? contacts - 1 - n : n;
        hand_add_contact(to, made[k].i, made[k].j, made[k].arm_i, made[k].arm_j, made[k].normal,
                         made[k].gap, made[k].law);
    }
}

static dice dice_number(uint32_t number) {
    return (dice){.random = tal_random_stream(20240, number, "tests/percussions")};
}

static double difference(const double *x, double scale) {
    double worst = 0.0;
    for (int32_t b = 0; b < h.body_count; b++) {
        const double now[6] = {h.motion[b].v.x, h.motion[b].v.y, h.motion[b].v.z,
                               h.motion[b].w.x, h.motion[b].w.y, h.motion[b].w.z};
        const double old[6] = {h.before[b].v.x, h.before[b].v.y, h.before[b].v.z,
                               h.before[b].w.x, h.before[b].w.y, h.before[b].w.z};
        for (int f = 0; f < 6; f++) {
            assert_true(isfinite(x[6 * b + f]));
            worst = fmax(worst, fabs(2.0 * x[6 * b + f] - old[f] - now[f]) / scale);
        }
    }
    return worst;
}

static void sweeps_agree_with_the_interior_point_and_with_uzawa(void **unused) {
    (void)unused;
    double worst_interior = 0.0, worst_uzawa = 0.0;
    int uzawa_count = 0;
    for (uint32_t n = 0; n < 300; n++) {
        static double x[6 * HAND_BODIES_MAX];
        tal_acd2_problem acd2;
        tal_reference_result reference;
        throw_problem(&h, dice_number(n), TAL_LAW_ACD2, NULL);
        hand_prepare(&h);
        assert_int_equal(tal_acd2_problem_create(&acd2, &h.problem, h.before, &err), TAL_OK);
        const tal_solver_result result = hand_solve(&h, 1e-12, 200000);
        assert_int_equal(result.unconverged_count, 0);
        if (tal_interior_point_solve(&acd2, 1e-13, 200, x, &reference, &err) != TAL_OK) {
            print_message("problem %u: %s\n", n, err.text);
            assert_true(reference.residual < 1e-10);
        }
        worst_interior = fmax(worst_interior, difference(x, 1.0));
        if (n % 10 == 0 && tal_uzawa_solve(&acd2, 1e-13, 300000, x, &reference, &err) == TAL_OK) {
            uzawa_count++;
            worst_uzawa = fmax(worst_uzawa, difference(x, 1.0));
        }
        tal_acd2_problem_destroy(&acd2);
    }
    print_message("largest difference in velocity: interior point %.2e, Uzawa %.2e (%d runs)\n",
                  worst_interior, worst_uzawa, uzawa_count);
    assert_true(worst_interior < 1e-7);
    assert_true(worst_uzawa < 1e-6);
    assert_true(uzawa_count >= 20);
}

// The same problem in other units of mass and speed.
static void scale_problem(tal_acd2_problem *acd2, double mass, double speed) {
    for (int32_t n = 0; n < 36 * acd2->body_count; n++) {
        acd2->mass[n] *= mass;
    }
    for (int32_t n = 0; n < 6 * acd2->body_count; n++) {
        acd2->right[n] *= mass * speed;
    }
    for (int32_t k = 0; k < acd2->contact_count; k++) {
        acd2->bound[k] *= speed;
        acd2->kn[k] *= mass;
        acd2->kt[k] *= mass;
    }
}

static void references_do_not_depend_on_units(void **unused) {
    (void)unused;
    static const double unit[][2] = {{1e-9, 1.0}, {1.0, 1e-9}, {1e9, 1e-9}, {1e12, 1e3}};
    for (uint32_t n = 0; n < 20; n++) {
        for (int u = 0; u < 4; u++) {
            static double x[6 * HAND_BODIES_MAX], scaled[6 * HAND_BODIES_MAX];
            tal_acd2_problem acd2;
            tal_reference_result reference;
            throw_problem(&h, dice_number(n), TAL_LAW_ACD2, NULL);
            hand_prepare(&h);
            assert_int_equal(tal_acd2_problem_create(&acd2, &h.problem, h.before, &err), TAL_OK);
            assert_int_equal(tal_interior_point_solve(&acd2, 1e-10, 200, x, &reference, &err),
                             TAL_OK);
            scale_problem(&acd2, unit[u][0], unit[u][1]);
            assert_int_equal(tal_interior_point_solve(&acd2, 1e-10, 200, scaled, &reference, &err),
                             TAL_OK);
            for (int32_t i = 0; i < 6 * h.body_count; i++) {
                assert_true(fabs(scaled[i] / unit[u][1] - x[i]) < 1e-6);
            }
            tal_acd2_problem_destroy(&acd2);
        }
    }
}

static void what_is_not_a_number_is_no_solution(void **unused) {
    (void)unused;
    static double x[6 * HAND_BODIES_MAX];
    tal_acd2_problem acd2;
    tal_reference_result reference;
    throw_problem(&h, dice_number(1), TAL_LAW_ACD2, NULL);
    hand_prepare(&h);
    assert_int_equal(tal_acd2_problem_create(&acd2, &h.problem, h.before, &err), TAL_OK);
    const double right = acd2.right[0];
    acd2.right[0] = NAN;
    assert_int_equal(tal_interior_point_solve(&acd2, 1e-10, 200, x, &reference, &err),
                     TAL_NOT_CONVERGED);
    assert_int_equal(tal_uzawa_solve(&acd2, 1e-10, 200, x, &reference, &err), TAL_NOT_CONVERGED);
    acd2.right[0] = right;
    acd2.mass[7] = -acd2.mass[7]; // not positive definite: there is no factor
    assert_int_equal(tal_interior_point_solve(&acd2, 1e-10, 200, x, &reference, &err),
                     TAL_NOT_CONVERGED);
    tal_acd2_problem_destroy(&acd2);
}

static void acd2_dissipates_at_each_contact_and_balances_energy(void **unused) {
    (void)unused;
    double worst = -INFINITY, defect = 0.0;
    for (uint32_t n = 0; n < 300; n++) {
        throw_problem(&h, dice_number(n), TAL_LAW_ACD2, NULL);
        hand_solve(&h, 1e-12, 200000);
        double sum = 0.0;
        for (int32_t k = 0; k < h.contact_count; k++) {
            const double work = hand_work(&h, k);
            worst = fmax(worst, work);
            sum += work;
            assert_true(h.contact[k].percussion[0] >= 0.0);
        }
        for (int32_t b = 0; b < h.body_count; b++) { // gravity: b . x
            sum -= 9.81 * h.dt * h.mass[b] * 0.5 * (h.motion[b].v.z + h.before[b].v.z);
        }
        defect = fmax(defect, fabs(hand_energy_change(&h) - sum));
    }
    print_message("largest R.x %.2e J, largest defect of the energy balance %.2e J\n", worst,
                  defect);
    assert_true(worst < 1e-10);
    assert_true(defect < 1e-11);
}

static void acd2_does_not_depend_on_the_order_of_contacts(void **unused) {
    (void)unused;
    int32_t reversed = 1;
    double worst = 0.0;
    for (uint32_t n = 0; n < 300; n++) {
        throw_problem(&h, dice_number(n), TAL_LAW_ACD2, NULL);
        throw_problem(&other, dice_number(n), TAL_LAW_ACD2, &reversed);
        hand_solve(&h, 1e-13, 200000);
        hand_solve(&other, 1e-13, 200000);
        for (int32_t b = 0; b < h.body_count; b++) {
            const tal_vec3 dv = tal_vec3_subtract(h.motion[b].v, other.motion[b].v);
            const tal_vec3 dw = tal_vec3_subtract(h.motion[b].w, other.motion[b].w);
            worst = fmax(worst, tal_vec3_length(dv) + tal_vec3_length(dw));
        }
    }
    print_message("largest difference in velocity between two orders: %.2e\n", worst);
    assert_true(worst < 1e-8);
}

// A solved contact obeys: R in the cone, d_N >= bound, R_N (d_N - bound) = 0, and stick or slide.
static void check_dry_friction(const hand_made *p, int32_t k, double scale) {
    const tal_contact *c = &p->contact[k];
    double d[3];
    hand_velocity(p, k, d);
    const double *r = c->percussion, mu = c->friction;
    const double along = hypot(r[1], r[2]), sliding = hypot(d[1], d[2]);
    assert_true(along <= mu * r[0] * (1.0 + 1e-12));
    assert_true(d[0] - c->bound > -1e-8 * scale);
    assert_true(fabs(r[0] * (d[0] - c->bound)) < 1e-7 * scale);
    if (sliding > 1e-6 * scale && r[0] > 1e-6 * scale) { // sliding: opposed and on the cone
        assert_true(fabs(along - mu * r[0]) < 1e-6 * scale);
        assert_true(fabs(r[1] * d[1] + r[2] * d[2] + along * sliding) < 1e-6 * scale);
    }
}

static void dry_friction_obeys_its_definition(void **unused) {
    (void)unused;
    int converged = 0, sliding = 0;
    for (uint32_t n = 0; n < 300; n++) {
        throw_problem(&h, dice_number(n), TAL_LAW_COULOMB, NULL);
        const tal_solver_result result = hand_solve(&h, 1e-11, 20000);
        if (result.residual > 1e-11) {
            continue; // dry friction need not have a solution
        }
        converged++;
        double work = 0.0, bound = 0.0;
        for (int32_t k = 0; k < h.contact_count; k++) {
            double d[3];
            check_dry_friction(&h, k, 10.0);
            hand_velocity(&h, k, d);
            sliding += h.contact[k].percussion[0] > 0.0 && hypot(d[1], d[2]) > 1e-6;
            work += hand_work(&h, k);
        }
        for (int32_t b = 0; b < h.body_count; b++) {
            bound += h.mass[b] * 9.81 * 9.81 * h.dt * h.dt / 8.0;
        }
        assert_true(work <= bound + 1e-9);
    }
    print_message("%d of 300 problems solved, %d sliding contacts\n", converged, sliding);
    assert_true(converged >= 295);
    assert_true(sliding >= 100);
}

static void mixed_law_dissipates_at_each_impact(void **unused) {
    (void)unused;
    double worst = -INFINITY;
    int converged = 0;
    for (uint32_t n = 0; n < 300; n++) {
        throw_problem(&h, dice_number(n), TAL_LAW_ACD2_COULOMB, NULL);
        const tal_solver_result result = hand_solve(&h, 1e-11, 20000);
        if (result.residual > 1e-11) {
            continue;
        }
        converged++;
        for (int32_t k = 0; k < h.contact_count; k++) {
            if (h.data[k].impact) {
                worst = fmax(worst, hand_work(&h, k));
            }
            const double *r = h.contact[k].percussion;
            assert_true(hypot(r[1], r[2]) <= h.contact[k].friction * r[0] * (1.0 + 1e-12));
        }
    }
    print_message("%d of 300 problems solved, largest R.x at an impact %.2e J\n", converged, worst);
    assert_true(converged >= 295);
    assert_true(worst < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_agree_with_the_interior_point_and_with_uzawa),
        cmocka_unit_test(references_do_not_depend_on_units),
        cmocka_unit_test(what_is_not_a_number_is_no_solution),
        cmocka_unit_test(acd2_dissipates_at_each_contact_and_balances_energy),
        cmocka_unit_test(acd2_does_not_depend_on_the_order_of_contacts),
        cmocka_unit_test(dry_friction_obeys_its_definition),
        cmocka_unit_test(mixed_law_dissipates_at_each_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

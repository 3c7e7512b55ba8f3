// SPDX-License-Identifier: GPL-3.0-or-later
// The moment that resists rolling against its definition (docs/theory/grounds.md (1) to (3)): it stops the
// relative spin where the disk |M| <= length x R_N allows, and else lies on its rim, against the spin.
#include "solver/percussion/roll.h"

#include "core/base/math3.h"
#include "core/base/random.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

enum { CASES = 200 };

// Two bodies, one pair of two points that press with 3 and 5 N s (and a third that pulls).
typedef struct {
    tal_rigid_motion motion[2];
    tal_inertia inertia[2];
    tal_contact contact[3];
    tal_pair pair;
    tal_roll roll;
    tal_percussion_problem problem;
} bench;

static const double PRESSED = 8.0;

static double draw(tal_random random, uint64_t n) {
    return 2.0 * tal_random_uniform(random, n) - 1.0;
}

// M M' of a random matrix, and a little more on the diagonal.
static void draw_inertia(tal_inertia *inertia, tal_random random, uint64_t n) {
    double m[3][3], *out = inertia->inverse_inertia;
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = draw(random, n + (uint64_t)i);
    }
    inertia->inverse_mass = 1.0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            *out++ =
                m[i][0] * m[j][0] + m[i][1] * m[j][1] + m[i][2] * m[j][2] + (i == j ? 0.05 : 0.0);
        }
    }
}

static void begin(bench *b, uint64_t n, double length) {
    const tal_random random = tal_random_stream(5, 0, "tests/roll");
    memset(b, 0, sizeof *b);
    for (uint64_t k = 0; k < 2; k++) {
        draw_inertia(&b->inertia[k], random, 100 * n + 20 * k);
        b->motion[k].w =
            tal_vec3_make(draw(random, 100 * n + 50 + 3 * k), draw(random, 100 * n + 51 + 3 * k),
                          draw(random, 100 * n + 52 + 3 * k));
    }
    b->contact[0].percussion[0] = 3.0;
    b->contact[1].percussion[0] = 5.0;
    b->contact[2].percussion[0] = -2.0;
    const double c = cos(0.7), s = sin(0.7);
    b->pair = (tal_pair){.body_i = 0,
                         .body_j = 1,
                         .normal = {0, 0, 1},
                         .tangent_1 = {c, s, 0},
                         .tangent_2 = {-s, c, 0},
                         .first_contact = 0,
                         .contact_count = 3,
                         .roll_length = length};
    b->problem = (tal_percussion_problem){.body_count = 2,
                                          .motion = b->motion,
                                          .inertia = b->inertia,
                                          .pair_count = 1,
                                          .pair = &b->pair,
                                          .roll = &b->roll,
                                          .contact = b->contact};
    tal_roll_prepare(&b->problem, &b->pair);
}

static void the_moment_stops_the_spin_or_lies_on_the_rim_against_it(void **unused) {
    (void)unused;
    int inside = 0, on_rim = 0;
    for (uint64_t n = 0; n < CASES; n++) {
        bench b;
        begin(&b, n, n % 2 == 0 ? 10.0 : 0.02);
        const double radius = b.pair.roll_length * PRESSED;
        const double trace = b.roll.w[0] + b.roll.w[2];
        const double change = tal_roll_visit(&b.problem, &b.pair);
        const double *m = b.roll.moment, length = hypot(m[0], m[1]);
        double spin[2];
        tal_roll_spin(&b.pair, b.motion, spin);
        check_near(change, 0.5 * trace * length * length, 1e-12 * change);
        if (length < radius * (1.0 - 1e-5)) {
            inside++;
            check_near(hypot(spin[0], spin[1]), 0.0, 1e-12);
        } else {
            on_rim++;
            check_near(length, radius, 2e-6 * radius);
            const double against = -(spin[0] * m[0] + spin[1] * m[1]);
            check_near(against, length * hypot(spin[0], spin[1]), 1e-5 * fabs(against));
        }
        assert_true(tal_roll_error(&b.problem, &b.pair) < 1e-9 * change);
    }
    assert_true(inside > CASES / 4 && on_rim > CASES / 4);
}

// Error: w |m - P(m - spin/w)|^2 with the mean mobility w, P onto the disk.
static void the_error_is_that_of_the_natural_map(void **unused) {
    (void)unused;
    int cut_count = 0;
    for (uint64_t n = 0; n < CASES; n++) {
        bench b;
        begin(&b, n, 0.1);
        b.roll.moment[0] = 0.3 * (double)(n % 5);
        b.roll.moment[1] = -0.2 * (double)(n % 3);
        const double w = 0.5 * (b.roll.w[0] + b.roll.w[2]), radius = 0.1 * PRESSED;
        double spin[2], back[2];
        tal_roll_spin(&b.pair, b.motion, spin);
        for (int f = 0; f < 2; f++) {
            back[f] = b.roll.moment[f] - spin[f] / w;
        }
        const double length = hypot(back[0], back[1]), cut = fmin(1.0, radius / length);
        const double e0 = b.roll.moment[0] - cut * back[0], e1 = b.roll.moment[1] - cut * back[1];
        const double want = w * (e0 * e0 + e1 * e1);
        check_near(tal_roll_error(&b.problem, &b.pair), want, 1e-12 * want);
        cut_count += cut < 1.0 ? 1 : 0;
    }
    assert_true(cut_count > CASES / 4 && cut_count < CASES);
}

// W is what a unit moment does to the spin; both bodies take it, with opposite signs.
static void a_moment_turns_both_bodies_as_their_inertia_says(void **unused) {
    (void)unused;
    bench b;
    begin(&b, 3, 1.0);
    double before[2], after[2];
    tal_roll_spin(&b.pair, b.motion, before);
    const tal_vec3 w_i = b.motion[0].w, w_j = b.motion[1].w;
    tal_roll_strike(&b.problem, &b.pair, (const double[2]){2.0, -3.0}, b.motion);
    tal_roll_spin(&b.pair, b.motion, after);
    check_near(after[0] - before[0], 2.0 * b.roll.w[0] - 3.0 * b.roll.w[1], 1e-12);
    check_near(after[1] - before[1], 2.0 * b.roll.w[1] - 3.0 * b.roll.w[2], 1e-12);
    const tal_vec3 m =
        tal_vec3_add_scaled(tal_vec3_scale(b.pair.tangent_1, 2.0), -3.0, b.pair.tangent_2);
    const tal_vec3 i = tal_vec3_add(w_i, tal_apply_inertia(&b.inertia[0], m));
    const tal_vec3 j = tal_vec3_subtract(w_j, tal_apply_inertia(&b.inertia[1], m));
    check_near(tal_vec3_length(tal_vec3_subtract(b.motion[0].w, i)), 0.0, 1e-12);
    check_near(tal_vec3_length(tal_vec3_subtract(b.motion[1].w, j)), 0.0, 1e-12);
    b.inertia[1] = (tal_inertia){0}; // immobile
    const tal_vec3 still = b.motion[1].w;
    tal_roll_strike(&b.problem, &b.pair, (const double[2]){1.0, 1.0}, b.motion);
    assert_true(memcmp(&still, &b.motion[1].w, sizeof still) == 0);
}

// Nothing presses, or nothing turns: no moment, whatever it was before.
static void without_pressure_or_spin_there_is_no_moment(void **unused) {
    (void)unused;
    bench b;
    begin(&b, 2, 1.0);
    (void)tal_roll_visit(&b.problem, &b.pair);
    assert_true(b.roll.moment[0] != 0.0 && b.roll.moment[1] != 0.0);
    b.contact[0].percussion[0] = b.contact[1].percussion[0] = 0.0;
    (void)tal_roll_visit(&b.problem, &b.pair);
    assert_true(b.roll.moment[0] == 0.0 && b.roll.moment[1] == 0.0);
    begin(&b, 2, 1.0); // about one tangent only
    b.inertia[0] = (tal_inertia){.inverse_mass = 1.0, .inverse_inertia = {1, 0, 0, 1, 0, 1}};
    b.inertia[1] = (tal_inertia){0};
    b.pair.tangent_1 = (tal_vec3){1, 0, 0};
    b.pair.tangent_2 = (tal_vec3){0, 1, 0};
    b.motion[0].w = (tal_vec3){0.5, 0, 0};
    b.motion[1].w = (tal_vec3){0};
    tal_roll_prepare(&b.problem, &b.pair);
    (void)tal_roll_visit(&b.problem, &b.pair);
    assert_true(b.roll.moment[0] == -0.5 && b.roll.moment[1] == 0.0);
    begin(&b, 2, 1.0);
    b.motion[0].w = b.motion[1].w;
    (void)tal_roll_visit(&b.problem, &b.pair);
    assert_true(b.roll.moment[0] == 0.0 && b.roll.moment[1] == 0.0);
}

// docs/theory/solver.md (34) for moments.
static void moments_go_on_by_what_changed_last(void **unused) {
    (void)unused;
    bench b;
    begin(&b, 1, 1.0);
    for (int f = 0; f < 2; f++) {
        b.roll.moment[f] = 1.0 + f;
        b.roll.last[f] = 0.5 + 2.0 * f;
    }
    tal_roll_extrapolate(&b.problem, &b.pair, 0.5);
    check_near(b.roll.moment[0], 1.25, 1e-15);
    check_near(b.roll.moment[1], 1.75, 1e-15);
    assert_true(b.roll.last[0] == 1.0 && b.roll.last[1] == 2.0);
    tal_roll_begin(&b.problem, &b.pair);
    assert_true(b.roll.last[0] == b.roll.moment[0] && b.roll.last[1] == b.roll.moment[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_moment_stops_the_spin_or_lies_on_the_rim_against_it),
        cmocka_unit_test(the_error_is_that_of_the_natural_map),
        cmocka_unit_test(a_moment_turns_both_bodies_as_their_inertia_says),
        cmocka_unit_test(without_pressure_or_spin_there_is_no_moment),
        cmocka_unit_test(moments_go_on_by_what_changed_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

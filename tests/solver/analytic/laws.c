// SPDX-License-Identifier: GPL-3.0-or-later
// The laws against closed forms of one contact, and the counter-example that the one-sided form of
// acd2 cures.
#include "tests/solver/scenes/percussions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static hand_made h;
static const tal_vec3 ZERO = {0, 0, 0}, UP = {0, 0, 1};

static void near(double have, double want, double bound) {
    if (!(fabs(have - want) <= bound)) {
        print_message("have %.15g, want %.15g\n", have, want);
    }
    assert_true(fabs(have - want) <= bound);
}

static tal_law acd2(double kn, double kt) {
    return (tal_law){.kind = TAL_LAW_ACD2, .dissipation_in_kg = true, .kn_kg = kn, .kt_kg = kt};
}

static tal_law coulomb(double mu, double e) {
    return (tal_law){.kind = TAL_LAW_COULOMB, .friction = mu, .restitution = e};
}

static void ball_on_ground(double mass, tal_vec3 v, double dt, double g, tal_law law) {
    hand_reset(&h, dt, tal_vec3_make(0, 0, -g));
    hand_add_body(&h, mass, tal_vec3_make(1, 1, 1), v, ZERO);
    hand_add_contact(&h, 0, -1, ZERO, ZERO, UP, 0.0, law);
    hand_solve(&h, 1e-14, 100);
}

static void point_mass_rebounds_by_the_cayley_ratio(void **unused) {
    (void)unused;
    static const double kn[] = {0.0, 1.0, 4.0, 6.0, 12.0, 1e4};
    for (int k = 0; k < 6; k++) {
        for (double kt = 0.0; kt < 7.0; kt += 1.5) {
            ball_on_ground(2.0, tal_vec3_make(0.7, -0.3, -1.0), 0.01, 0.0, acd2(kn[k], kt));
            const double e = fmax(0.0, (0.5 * kn[k] - 2.0) / (0.5 * kn[k] + 2.0));
            const double ratio = (2.0 - 0.5 * kt) / (2.0 + 0.5 * kt);
            near(h.motion[0].v.z, e, 1e-13);
            near(h.motion[0].v.x, 0.7 * ratio, 1e-13);
            near(h.motion[0].v.y, -0.3 * ratio, 1e-13);
        }
    }
}

static void gravity_in_the_same_percussion_shortens_the_rebound(void **unused) {
    (void)unused;
    const double dt = 0.01, g = 9.81, v = 4.43, e = 0.5, kn = 2.0 * (1.0 + e) / (1.0 - e);
    ball_on_ground(1.0, tal_vec3_make(0, 0, -v), dt, g, acd2(kn, 0.0));
    near(h.motion[0].v.z, e * v - (1.0 - e) * g * dt / 2.0, 1e-13);
}

// Block m = 2, edges (1, 2, 3), struck at the corner (0.5, 1, -1.5); numbers computed independently.
static void corner(double kn, double kt) {
    const double m = 2.0;
    hand_reset(&h, 0.01, ZERO);
    hand_add_body(&h, m, tal_vec3_make(m * 13.0 / 12.0, m * 10.0 / 12.0, m * 5.0 / 12.0),
                  tal_vec3_make(0, 0, -1), ZERO);
    hand_add_contact(&h, 0, -1, tal_vec3_make(0.5, 1.0, -1.5), ZERO, UP, 0.0, acd2(kn, kt));
    hand_solve(&h, 1e-15, 100);
}

static void corner_impact_meets_the_reference_numbers(void **unused) {
    (void)unused;
    double d[3];
    corner(4.0, 0.0);
    const double *w = h.contact[0].w; // normal z, tangents x, y
    near(w[3], 3.05, 1e-14);
    near(w[4], -0.6, 1e-14);
    near(w[1], 0.45, 1e-14);
    near(w[5], 1.8384615384615384, 1e-14);
    near(w[2], 0.6923076923076923, 1e-14);
    near(w[0], 1.1115384615384616, 1e-14);
    hand_velocity(&h, 0, d);
    near(d[0], 0.379475, 5e-7);
    near(d[1], 0.55847255, 5e-9);
    near(d[2], 0.85918854, 5e-9);
    corner(4.0, 0.7);
    hand_velocity(&h, 0, d);
    near(d[0], 0.314945, 5e-7);
    near(d[1], 0.36152519, 5e-9);
    near(d[2], 0.62335342, 5e-9);
    corner(1.0, 0.7);
    hand_velocity(&h, 0, d);
    near(d[0], 0.0, 1e-14);
    near(d[1], 0.2749355, 5e-8);
    near(d[2], 0.47405269, 5e-9);
}

// Free branch in full: d+ = (1 + W K/2)^-1 (1 - W K/2) d-, i.e. (1 + W K/2) d+ = (1 - W K/2) d-.
static void coupled_corner_obeys_the_cayley_transform(void **unused) {
    (void)unused;
    for (double kn = 2.5; kn < 30.0; kn *= 1.7) {
        for (double kt = 0.1; kt < 3.0; kt *= 2.0) {
            corner(kn, kt);
            double d[3];
            hand_velocity(&h, 0, d);
            if (d[0] <= 0.0) {
                continue;
            }
            const double *w = h.contact[0].w, *b = h.data[0].before;
            const double full[3][3] = {{w[0], w[1], w[2]}, {w[1], w[3], w[4]}, {w[2], w[4], w[5]}};
            const double k[3] = {kn, kt, kt};
            for (int i = 0; i < 3; i++) {
                double sum = d[i] - b[i];
                for (int j = 0; j < 3; j++) {
                    sum += 0.5 * full[i][j] * k[j] * (d[j] + b[j]);
                }
                near(sum, 0.0, 1e-13);
            }
        }
    }
}

static void three_masses(tal_law opening, tal_law closing) {
    const tal_vec3 one = {1, 1, 1}, x = {1, 0, 0};
    hand_reset(&h, 0.01, ZERO);
    hand_add_body(&h, 1.0, one, tal_vec3_make(-0.3, 0, 0), ZERO);
    hand_add_body(&h, 1.0, one, ZERO, ZERO);
    hand_add_body(&h, 1.0, one, tal_vec3_make(-1.0, 0, 0), ZERO);
    hand_add_contact(&h, 1, 0, ZERO, ZERO, x, 0.0, opening); // opens at 0.3
    hand_add_contact(&h, 2, 1, ZERO, ZERO, x, 0.0, closing); // closes at 1
    hand_solve(&h, 1e-14, 10000);
}

// u- = (0.3, 0, 1) towards each other, kn -> infinity: the published law gains 0.07 m v^2.
static void published_acd2_creates_energy_where_the_one_sided_form_does_not(void **unused) {
    (void)unused;
    tal_law rigid = acd2(1e8, 0.0), soft = acd2(0.0, 0.0);
    three_masses(soft, rigid);
    near(hand_energy_change(&h), 0.0, 1e-7);
    assert_true(hand_work(&h, 0) <= 1e-14 && hand_work(&h, 1) <= 1e-14);
    // The published law lists only what closes; the counter-example needs the opening contact too,
    // with its bound d_N+ >= 0.
    hand_prepare(&h);
    h.contact[0].bound = 0.0;
    const tal_solver_goal goal = {.tolerance = 1e-14, .sweeps_min = 1, .sweeps_max = 10000};
    tal_solver_result result;
    tal_solve_percussions(&h.problem, &h.work, NULL, &goal, &result);
    near(hand_energy_change(&h), 0.3 * 0.7 / 3.0, 1e-7);
}

static void newton_restitution_reverses_the_normal_velocity(void **unused) {
    (void)unused;
    for (double e = 0.0; e <= 1.0; e += 0.25) {
        ball_on_ground(3.0, tal_vec3_make(0, 0, -2.0), 0.01, 9.81, coulomb(0.5, e));
        near(h.motion[0].v.z, 2.0 * e, 1e-14);
    }
}

static void sliding_loses_mu_times_the_normal_percussion(void **unused) {
    (void)unused;
    ball_on_ground(3.0, tal_vec3_make(3.0, 4.0, -2.0), 0.01, 0.0, coulomb(0.5, 0.0));
    near(h.motion[0].v.x, 3.0 * (1.0 - 0.5 * 2.0 / 5.0), 1e-12);
    near(h.motion[0].v.y, 4.0 * (1.0 - 0.5 * 2.0 / 5.0), 1e-12);
    ball_on_ground(3.0, tal_vec3_make(0.3, 0.4, -2.0), 0.01, 0.0, coulomb(0.5, 0.0));
    near(h.motion[0].v.x, 0.0, 1e-14);
    near(h.motion[0].v.y, 0.0, 1e-14);
}

static void mixed_law_cuts_the_tangential_percussion_at_the_cone(void **unused) {
    (void)unused;
    tal_law law = acd2(6.0, 2.0);
    law.kind = TAL_LAW_ACD2_COULOMB;
    law.friction = 0.1;
    ball_on_ground(1.0, tal_vec3_make(3.0, 4.0, -1.0), 0.01, 0.0, law);
    near(h.motion[0].v.z, 0.5, 1e-13); // e = (6 - 2)/(6 + 2)
    const double loss = 0.1 * 1.5;     // mu R_N, R_N = m (1 + e) v
    near(h.motion[0].v.x, 3.0 - 0.6 * loss, 1e-12);
    near(h.motion[0].v.y, 4.0 - 0.8 * loss, 1e-12);
    law.friction = 100.0;
    ball_on_ground(1.0, tal_vec3_make(3.0, 4.0, -1.0), 0.01, 0.0, law);
    near(h.motion[0].v.x, 0.0, 1e-13); // kt W = 2: sticks
}

static void mixed_law_without_impact_is_dry_friction(void **unused) {
    (void)unused;
    tal_law law = acd2(6.0, 0.001);
    law.kind = TAL_LAW_ACD2_COULOMB;
    law.friction = 0.5;
    ball_on_ground(1.0, tal_vec3_make(0.01, 0.0, 0.0), 0.01, 9.81, law);
    near(h.motion[0].v.x, 0.0, 1e-14);
    near(h.motion[0].v.z, 0.0, 1e-14);
}

static void open_gap_may_close_but_not_more(void **unused) {
    (void)unused;
    hand_reset(&h, 0.01, ZERO);
    hand_add_body(&h, 1.0, tal_vec3_make(1, 1, 1), tal_vec3_make(0, 0, -1.0), ZERO);
    hand_add_contact(&h, 0, -1, ZERO, ZERO, UP, 0.004, coulomb(0.5, 0.0));
    h.gravity = tal_vec3_make(0, 0, -100.0); // slow enough to be no impact
    hand_solve(&h, 1e-14, 100);
    near(h.motion[0].v.z, -0.4, 1e-14);
}

static void penetration_gives_no_velocity(void **unused) {
    (void)unused;
    hand_reset(&h, 0.01, ZERO);
    hand_add_body(&h, 1.0, tal_vec3_make(1, 1, 1), ZERO, ZERO);
    hand_add_contact(&h, 0, -1, ZERO, ZERO, UP, -0.1, coulomb(0.5, 0.5));
    hand_solve(&h, 1e-14, 100);
    near(h.motion[0].v.z, 0.0, 0.0);
}

// m (v+ - v-) = -dt (k (gap + dt v+) + c v+), solved by hand.
static void penalty_is_the_implicit_spring_and_dashpot(void **unused) {
    (void)unused;
    const double m = 3.0, k = 1e5, c = 200.0, dt = 0.002, gap = -0.001, v = -0.4;
    const tal_law law = {.kind = TAL_LAW_PENALTY, .stiffness_n_m = k, .damping_n_s_m = c};
    hand_reset(&h, dt, ZERO);
    hand_add_body(&h, m, tal_vec3_make(1, 1, 1), tal_vec3_make(0, 0, v), ZERO);
    hand_add_contact(&h, 0, -1, ZERO, ZERO, UP, gap, law);
    hand_solve(&h, 1e-14, 100);
    near(h.motion[0].v.z, (m * v - dt * k * gap) / (m + dt * dt * k + dt * c), 1e-14);
}

static void adhesion_holds_up_to_its_strength(void **unused) {
    (void)unused;
    const double g = 10.0, dt = 0.01;
    for (int strong = 0; strong < 2; strong++) {
        hand_reset(&h, dt, tal_vec3_make(0, 0, g)); // gravity pulls the ball off the ground
        hand_add_body(&h, 1.0, tal_vec3_make(1, 1, 1), ZERO, ZERO);
        hand_add_contact(&h, 0, -1, ZERO, ZERO, UP, 0.0, coulomb(0.5, 0.0));
        h.data[0].adhesion = strong ? 0.11 : 0.04; // the pull is m g dt = 0.1
        hand_solve(&h, 1e-14, 100);
        near(h.motion[0].v.z, strong ? 0.0 : 0.06, 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_mass_rebounds_by_the_cayley_ratio),
        cmocka_unit_test(gravity_in_the_same_percussion_shortens_the_rebound),
        cmocka_unit_test(corner_impact_meets_the_reference_numbers),
        cmocka_unit_test(coupled_corner_obeys_the_cayley_transform),
        cmocka_unit_test(published_acd2_creates_energy_where_the_one_sided_form_does_not),
        cmocka_unit_test(newton_restitution_reverses_the_normal_velocity),
        cmocka_unit_test(sliding_loses_mu_times_the_normal_percussion),
        cmocka_unit_test(mixed_law_cuts_the_tangential_percussion_at_the_cone),
        cmocka_unit_test(mixed_law_without_impact_is_dry_friction),
        cmocka_unit_test(open_gap_may_close_but_not_more),
        cmocka_unit_test(penetration_gives_no_velocity),
        cmocka_unit_test(penalty_is_the_implicit_spring_and_dashpot),
        cmocka_unit_test(adhesion_holds_up_to_its_strength),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

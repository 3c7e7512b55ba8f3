// SPDX-License-Identifier: GPL-3.0-or-later
// Free rotation against references computed with 45 digits (Taylor series, two step sizes), the
// separatrix in closed form, symmetric bodies by sines and cosines, and conservation over 1e6 steps.
#include "solver/motion/rotation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    tal_vec3 inertia, spin;
    double t;
    tal_vec3 spin_end;
    double r[3][3];
} reference;

static const reference CASE_A = {
    {5, 10, 12},
    {1, 10, 2},
    5.0,
    {7.59480456676385973, -0.898972350609259088, 7.93994754963634682},
    {{-0.0207649783965185116, 0.98785903123011096, 0.153958923383150408},
     {0.143308012039737834, -0.149461024591726239, 0.978327253945840845},
     {0.989460271742837826, 0.0423784915387282584, -0.138464558994319777}}};
static const reference CASE_B = {
    {5, 10, 12},
    {1, 10, -2},
    5.0,
    {-4.64627896582209673, 7.99819733443596075, -5.04437684335249563},
    {{-0.364517389346758703, -0.589140127372900901, -0.721138671257384191},
     {0.00938774341370804525, 0.772057205415536437, -0.635483706981973343},
     {0.931149259322812277, -0.238414726652936179, -0.275897580593929488}}};
static const reference CASE_V = {
    {10, 20, 26},
    {1, 15, 1},
    5.0,
    {-1.00898813307182509, 14.9991974428554113, 1.00577086544057411},
    {{-0.857756555437878404, -0.0401891714439436789, 0.512482704197902794},
     {0.0393795618207255839, 0.988872531573659045, 0.143458587787243842},
     {-0.512545550867582386, 0.143233888440382704, -0.846629264488355918}}};
static const reference CASE_S1 = {
    {5, 10, 12},
    {1, 10, 1.0206207261596576},
    2.0,
    {0.000266064540122961851, 10.0871204947753502, 0.000271550984145632663},
    {{0.246265470413324881, 0.0495336430547647533, 0.967935812070111891},
     {0.105694645682419817, 0.991364308471822309, -0.0776237706005916518},
     {-0.96342200512349288, 0.121421687082286493, 0.238903356924761021}}};
static const reference CASE_S2 = {
    {5, 10, 12},
    {1, -3, 1.0206207261596576},
    2.0,
    {1.46208873136964353, 2.64745518334179477, 1.49223806272033804},
    {{0.920747156319544833, 0.171611548676498588, -0.350391424681491638},
     {-0.221381763132153828, -0.509705401143918493, -0.831378685676518934},
     {-0.321270585460248147, 0.843059832043711408, -0.431318131444133129}}};

static double largest(double a, double b) {
    return a > b ? a : b;
}

static tal_vec3 scale_axes(tal_vec3 v, tal_vec3 s) {
    return tal_vec3_make(v.x * s.x, v.y * s.y, v.z * s.z);
}

// Largest error in velocity (relative) and in the entries of R; `sign` mirrors the reference by the
// proper rotation D: w -> D w, R -> D R D.
static double error_of(const reference *ref, tal_vec3 sign, int steps) {
    const tal_vec3 spin = scale_axes(ref->spin, sign);
    const tal_vec3 momentum = scale_axes(ref->inertia, spin);
    tal_quat q = {1.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < steps; k++) {
        tal_rotation_advance(ref->inertia, momentum, ref->t / steps, &q);
    }
    const tal_mat3 r = tal_quat_matrix(q);
    const tal_vec3 world = tal_rotation_velocity(ref->inertia, q, momentum);
    const tal_vec3 body = tal_mat3_apply_transposed(&r, world);
    const tal_vec3 difference = tal_vec3_subtract(body, scale_axes(ref->spin_end, sign));
    double error = tal_vec3_length(difference) / tal_vec3_length(ref->spin);
    const double d[3] = {sign.x, sign.y, sign.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            error = largest(error, fabs(r.m[i][j] - d[i] * d[j] * ref->r[i][j]));
        }
    }
    return error;
}

static void check_case(const reference *ref, double bound) {
    static const tal_vec3 sign[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const int steps[] = {1, 7, 100, 5000};
    for (int s = 0; s < 4; s++) {
        for (int k = 0; k < 4; k++) {
            const double error = error_of(ref, sign[s], steps[k]);
            if (!(error < bound)) {
                print_message("sign case %d, %d steps: error %g\n", s, steps[k], error);
            }
            assert_true(error < bound);
        }
    }
}

static void tumbling_body_meets_the_45_digit_reference_in_all_sign_cases(void **unused) {
    (void)unused;
    check_case(&CASE_A, 1e-10);
    check_case(&CASE_B, 1e-10);
}

static void body_spinning_near_its_middle_axis_meets_the_reference(void **unused) {
    (void)unused;
    check_case(&CASE_V, 1e-10);
}

static void body_on_the_separatrix_meets_the_reference(void **unused) {
    (void)unused;
    check_case(&CASE_S1, 1e-10);
    check_case(&CASE_S2, 1e-10);
}

// Renaming the axes of the body must not change the motion: all six inertia orders.
static void order_of_the_inertia_axes_does_not_matter(void **unused) {
    (void)unused;
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const double inertia[3] = {5, 10, 12}, spin[3] = {1, 10, 2};
    const double end[3] = {CASE_A.spin_end.x, CASE_A.spin_end.y, CASE_A.spin_end.z};
    for (int p = 0; p < 6; p++) {
        // An odd order is a mirror image: there w is an axial vector and changes sign.
        const double sign = p < 3 ? 1.0 : -1.0;
        const int *o = order[p];
        const tal_vec3 i = {inertia[o[0]], inertia[o[1]], inertia[o[2]]};
        const tal_vec3 w = {sign * spin[o[0]], sign * spin[o[1]], sign * spin[o[2]]};
        tal_quat q = {1.0, 0.0, 0.0, 0.0};
        const tal_vec3 momentum = scale_axes(i, w);
        tal_rotation_advance(i, momentum, 5.0, &q);
        const tal_mat3 r = tal_quat_matrix(q);
        const tal_vec3 body = tal_mat3_apply_transposed(&r, tal_rotation_velocity(i, q, momentum));
        assert_true(fabs(body.x - sign * end[o[0]]) < 1e-10);
        assert_true(fabs(body.y - sign * end[o[1]]) < 1e-10);
        assert_true(fabs(body.z - sign * end[o[2]]) < 1e-10);
    }
}

// A symmetric top precesses about L at L/I1 while it spins about its axis at (1/I3 - 1/I1) L3.
static tal_mat3 symmetric_top(double i1, double i3, tal_vec3 spin, double t) {
    const tal_vec3 l = {i1 * spin.x, i1 * spin.y, i3 * spin.z};
    const double length = tal_vec3_length(l);
    const double precession = length / i1 * t, own = (1.0 - i3 / i1) * spin.z * t;
    const double s = sin(0.5 * precession) / length;
    const tal_quat about_l = {cos(0.5 * precession), l.x * s, l.y * s, l.z * s};
    const tal_quat about_axis = {cos(0.5 * own), 0.0, 0.0, sin(0.5 * own)};
    return tal_quat_matrix(tal_quat_multiply(about_l, about_axis));
}

static void symmetric_body_precesses_by_sines_and_cosines(void **unused) {
    (void)unused;
    static const double axis_inertia[] = {2.0, 5.0, 9.9, 10.0, 10.1, 19.0};
    for (int k = 0; k < 6; k++) {
        const tal_vec3 inertia = {10.0, 10.0, axis_inertia[k]};
        const tal_vec3 spin = {1.0, -2.0, k % 2 == 0 ? 3.0 : -0.2};
        const tal_mat3 want = symmetric_top(10.0, axis_inertia[k], spin, 5.0);
        for (int steps = 1; steps <= 1000; steps *= 10) {
            tal_quat q = {1.0, 0.0, 0.0, 0.0};
            for (int n = 0; n < steps; n++) {
                tal_rotation_advance(inertia, scale_axes(inertia, spin), 5.0 / steps, &q);
            }
            const tal_mat3 r = tal_quat_matrix(q);
            for (int i = 0; i < 9; i++) {
                assert_true(fabs(r.m[i / 3][i % 3] - want.m[i / 3][i % 3]) < 1e-11);
            }
        }
    }
}

static void spherical_body_turns_about_a_fixed_axis(void **unused) {
    (void)unused;
    const tal_vec3 inertia = {7.0, 7.0, 7.0}, spin = {3.0, 4.0, -12.0};
    tal_quat q = {1.0, 0.0, 0.0, 0.0};
    tal_rotation_advance(inertia, scale_axes(inertia, spin), 0.7, &q);
    const double half = 0.5 * 13.0 * 0.7, s = sin(half) / 13.0;
    const double sign = q.w * cos(half) < 0.0 ? -1.0 : 1.0;
    assert_true(fabs(sign * q.w - cos(half)) < 1e-13);
    assert_true(fabs(sign * q.x - 3.0 * s) < 1e-13);
    assert_true(fabs(sign * q.y - 4.0 * s) < 1e-13);
    assert_true(fabs(sign * q.z + 12.0 * s) < 1e-13);
}

static void body_at_rest_and_zero_time_change_nothing(void **unused) {
    (void)unused;
    tal_quat q = {0.5, 0.5, -0.5, 0.5};
    tal_rotation_advance(tal_vec3_make(1, 2, 3), tal_vec3_make(0, 0, 0), 5.0, &q);
    assert_true(q.w == 0.5 && q.x == 0.5 && q.y == -0.5 && q.z == 0.5);
    tal_rotation_advance(tal_vec3_make(1, 2, 3), tal_vec3_make(1, 1, 1), 0.0, &q);
    assert_true(fabs(q.w - 0.5) < 1e-15 && fabs(q.y + 0.5) < 1e-15);
}

static double energy_of(tal_vec3 inertia, tal_quat q, tal_vec3 momentum) {
    return 0.5 * tal_vec3_dot(momentum, tal_rotation_velocity(inertia, q, momentum));
}

static void energy_drifts_less_than_1e_12_over_a_million_steps(void **unused) {
    (void)unused;
    static const tal_vec3 inertia[3] = {{5, 10, 12}, {4, 4, 9}, {7, 7, 7}};
    const tal_vec3 momentum = {5, 100, 24};
    for (int b = 0; b < 3; b++) {
        tal_quat q = {1.0, 0.0, 0.0, 0.0};
        const double start = energy_of(inertia[b], q, momentum);
        double worst = 0.0;
        for (int n = 0; n < 1000000; n++) {
            tal_rotation_advance(inertia[b], momentum, 1e-3, &q);
            if (n % 1000 == 999) {
                worst = largest(worst, fabs(energy_of(inertia[b], q, momentum) / start - 1.0));
            }
        }
        const tal_vec3 w = tal_rotation_velocity(inertia[b], q, momentum);
        const tal_vec3 back = tal_rotation_momentum(inertia[b], q, w);
        const double turned = tal_vec3_length(tal_vec3_subtract(back, momentum));
        print_message("inertia %d: energy drift %.2e, momentum %.2e\n", b, worst,
                      turned / tal_vec3_length(momentum));
        assert_true(worst < 1e-12);
        assert_true(turned < 1e-12 * tal_vec3_length(momentum));
    }
}

static void jacobi_functions_satisfy_their_identities_and_addition_theorem(void **unused) {
    (void)unused;
    for (int km = 0; km <= 20; km++) {
        const double m = km / 20.0;
        for (int ku = -40; ku <= 40; ku++) {
            const double u = 0.0731 * ku, v = 0.021;
            const tal_jacobi a = tal_jacobi_evaluate(u, m), b = tal_jacobi_evaluate(v, m);
            const tal_jacobi sum = tal_jacobi_evaluate(u + v, m);
            assert_true(fabs(a.sn * a.sn + a.cn * a.cn - 1.0) < 1e-14);
            assert_true(fabs(a.dn * a.dn + m * a.sn * a.sn - 1.0) < 1e-14);
            const double d = 1.0 - m * a.sn * a.sn * b.sn * b.sn;
            assert_true(fabs(sum.sn - (a.sn * b.cn * b.dn + b.sn * a.cn * a.dn) / d) < 2e-14);
            assert_true(fabs(sum.cn - (a.cn * b.cn - a.sn * b.sn * a.dn * b.dn) / d) < 2e-14);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tumbling_body_meets_the_45_digit_reference_in_all_sign_cases),
        cmocka_unit_test(body_spinning_near_its_middle_axis_meets_the_reference),
        cmocka_unit_test(body_on_the_separatrix_meets_the_reference),
        cmocka_unit_test(order_of_the_inertia_axes_does_not_matter),
        cmocka_unit_test(symmetric_body_precesses_by_sines_and_cosines),
        cmocka_unit_test(spherical_body_turns_about_a_fixed_axis),
        cmocka_unit_test(body_at_rest_and_zero_time_change_nothing),
        cmocka_unit_test(energy_drifts_less_than_1e_12_over_a_million_steps),
        cmocka_unit_test(jacobi_functions_satisfy_their_identities_and_addition_theorem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

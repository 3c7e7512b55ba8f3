// SPDX-License-Identifier: GPL-3.0-or-later
// The exact motion of a free rigid body: angular velocity by Jacobi elliptic functions in a form
// without case distinctions, orientation from the angular-momentum frame with one quadrature.
#include "solver/motion/rotation.h"

#include <stdbool.h>

// Gauss-Legendre nodes and weights on [0, 1].
static const double NODE_3[] = {0.11270166537925831, 0.5, 0.8872983346207417};
static const double WEIGHT_3[] = {0.27777777777777779, 0.44444444444444442, 0.27777777777777779};
static const double NODE_5[] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.7692346550528415,
                                0.95308992296933204};
static const double WEIGHT_5[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                  0.23931433524968324, 0.11846344252809454};
static const double NODE_10[] = {0.01304673574141414, 0.067468316655507746, 0.16029521585048781,
                                 0.28330230293537639, 0.42556283050918442,  0.57443716949081558,
                                 0.71669769706462361, 0.83970478414951222,  0.93253168334449221,
                                 0.98695326425858587};
static const double WEIGHT_10[] = {0.033335672154344069, 0.074725674575290293, 0.10954318125799102,
                                   0.13463335965499817,  0.14776211235737644,  0.14776211235737644,
                                   0.13463335965499817,  0.10954318125799102,  0.074725674575290293,
                                   0.033335672154344069};

// Turning angle up to which each rule is exact to rounding; longer steps are split.
static const double ANGLE_3_NODES = 0.1;
static const double ANGLE_5_NODES = 0.5;
static const double ANGLE_10_NODES = 2.0;

// Up to this angle two terms of the Magnus series are exact to rounding.
static const double ANGLE_TINY = 1e-5;

// Below this argument five terms of the Maclaurin series of sn are exact to rounding.
static const double SERIES_ARGUMENT = 0.03;

static double sn_series(double u, double m) {
    const double u2 = u * u;
    const double c3 = -(1.0 + m) / 6.0;
    const double c5 = (1.0 + m * (14.0 + m)) / 120.0;
    const double c7 = -(1.0 + m * (135.0 + m * (135.0 + m))) / 5040.0;
    const double c9 = (1.0 + m * (1228.0 + m * (5478.0 + m * (1228.0 + m)))) / 362880.0;
    return u * (1.0 + u2 * (c3 + u2 * (c5 + u2 * (c7 + u2 * c9))));
}

// Amplitude by the arithmetic-geometric mean, descending (Abramowitz and Stegun 16.4).
static double jacobi_amplitude(double u, double m) {
    enum { LEVEL_MAX = 12 };
    double ratio[LEVEL_MAX]; // c_n / a_n
    double a = 1.0, b = sqrt(1.0 - m), scale = 1.0;
    int level = 0;
    while (level < LEVEL_MAX && fabs(a - b) > 1e-16 * a) {
        const double mean = 0.5 * (a + b);
        ratio[level] = 0.5 * (a - b) / mean;
        b = sqrt(a * b);
        a = mean;
        scale *= 2.0;
        level++;
    }
    double phi = scale * a * u;
    while (level > 0) {
        level--;
        phi = 0.5 * (phi + asin(ratio[level] * sin(phi)));
    }
    return phi;
}

tal_jacobi tal_jacobi_evaluate(double u, double m) {
    if (fabs(u) < SERIES_ARGUMENT) {
        const double sn = sn_series(u, m);
        return (tal_jacobi){sn, sqrt(1.0 - sn * sn), sqrt(1.0 - m * sn * sn)};
    }
    if (m >= 1.0) { // the separatrix
        const double sech = 1.0 / cosh(u);
        return (tal_jacobi){tanh(u), sech, sech};
    }
    const double phi = jacobi_amplitude(u, m);
    const double cn = cos(phi);
    return (tal_jacobi){sin(phi), cn, sqrt((1.0 - m) + m * cn * cn)};
}

// A body in axes renamed (a proper rotation: axis k of the frame is sign[k] times body axis
// from[k]) so that the third axis is the one the momentum circles around, on its positive side.
typedef struct {
    int from[3];
    double sign[3];
    double inertia[3];
    double spin[3]; // angular velocity at the start
} top;

static void swap_axes(top *body, int a, int b) {
    const int from = body->from[a];
    const double inertia = body->inertia[a], spin = body->spin[a], sign = body->sign[a];
    body->from[a] = body->from[b];
    body->inertia[a] = body->inertia[b];
    body->spin[a] = body->spin[b];
    body->sign[a] = body->sign[b];
    body->from[b] = from;
    body->inertia[b] = inertia;
    body->spin[b] = spin;
    body->sign[b] = sign;
}

static void flip_axis(top *body, int a) {
    body->sign[a] = -body->sign[a];
    body->spin[a] = -body->spin[a];
}

// Each exchange of two axes is made proper by turning the middle one round.
static void exchange(top *body, int a, int b) {
    swap_axes(body, a, b);
    flip_axis(body, 1);
}

static top top_make(tal_vec3 inertia, tal_vec3 spin) {
    top body = {.from = {0, 1, 2},
                .sign = {1.0, 1.0, 1.0},
                .inertia = {inertia.x, inertia.y, inertia.z},
                .spin = {spin.x, spin.y, spin.z}};
    if (body.inertia[0] > body.inertia[1]) {
        exchange(&body, 0, 1);
    }
    if (body.inertia[1] > body.inertia[2]) {
        exchange(&body, 1, 2);
    }
    if (body.inertia[0] > body.inertia[1]) {
        exchange(&body, 0, 1);
    }
    const double *moment = body.inertia, *w = body.spin;
    const double side = moment[2] * (moment[2] - moment[1]) * w[2] * w[2] -
                        moment[0] * (moment[1] - moment[0]) * w[0] * w[0]; // L^2 - 2 T I2
    if (side < 0.0) {
        exchange(&body, 0, 2);
    }
    if (body.spin[2] < 0.0) {
        flip_axis(&body, 1);
        flip_axis(&body, 2);
    }
    return body;
}

// What stays constant during one free motion; letters as in docs/theory/solver.md.
typedef struct {
    double lambda, m, mu;
    double rate[3]; // Euler's right-hand side at the start
} top_motion;

static top_motion top_motion_make(const top *body) {
    const double *i = body->inertia, *w = body->spin;
    const double d21 = i[1] - i[0], d31 = i[2] - i[0], d32 = i[2] - i[1];
    const double a = i[1] * d21 * w[1] * w[1] + i[2] * d31 * w[2] * w[2];
    const double b = i[0] * d31 * w[0] * w[0] + i[1] * d32 * w[1] * w[1];
    const double product = d32 * a;
    double m = product != 0.0 ? d21 * b / product : 0.0;
    m = m > 1.0 ? 1.0 : m;
    m = m > 0.0 ? m : 0.0; // also catches the NaN of an underflow
    return (top_motion){
        .lambda = sqrt(product / (i[0] * i[1] * i[2])),
        .m = m,
        .mu = a != 0.0 ? i[1] * d21 * w[1] * w[1] / a : 0.0,
        .rate = {-d32 / i[0] * w[1] * w[2], d31 / i[1] * w[2] * w[0], -d21 / i[2] * w[0] * w[1]}};
}

typedef struct {
    tal_jacobi j;
    double q, denominator, sn_by_lambda;
} top_instant;

static top_instant top_instant_at(const top_motion *motion, double t) {
    const tal_jacobi j = tal_jacobi_evaluate(motion->lambda * t, motion->m);
    const double s2 = j.sn * j.sn;
    return (top_instant){.j = j,
                         .q = motion->mu * s2,
                         .denominator = j.cn * j.cn + s2 * (1.0 - motion->mu),
                         .sn_by_lambda = motion->lambda > 0.0 ? j.sn / motion->lambda : t};
}

static double spin_3_at(const top *body, const top_motion *motion, double t) {
    const top_instant at = top_instant_at(motion, t);
    const double dn_1 = -motion->m * at.j.sn * at.j.sn / (1.0 + at.j.dn);
    return body->spin[2] +
           (body->spin[2] * (dn_1 + at.q) + motion->rate[2] * at.sn_by_lambda * at.j.cn) /
               at.denominator;
}

static void spin_at(const top *body, const top_motion *motion, double t, double spin[3]) {
    const top_instant at = top_instant_at(motion, t);
    const double s2 = at.j.sn * at.j.sn, cn = at.j.cn, dn = at.j.dn;
    const double cn_1 = cn > -0.5 ? -s2 / (1.0 + cn) : cn - 1.0;
    const double dn_1 = -motion->m * s2 / (1.0 + dn);
    const double cd_1 = cn_1 + dn_1 + cn_1 * dn_1; // cn dn - 1
    const double *w = body->spin, *rate = motion->rate;
    const double scale = 1.0 / at.denominator, sl = at.sn_by_lambda;
    spin[0] = w[0] + (w[0] * (cn_1 + at.q) + rate[0] * sl * dn) * scale;
    spin[1] = w[1] + (w[1] * (cd_1 + at.q) + rate[1] * sl) * scale;
    spin[2] = w[2] + (w[2] * (dn_1 + at.q) + rate[2] * sl * cn) * scale;
}

// Angle of the minimal frame about the momentum: integral of (2T/L + w3) / (1 + I3 w3 / L).
static double precession(const top *body, const top_motion *motion, double momentum,
                         double energy_2, double t, double angle) {
    const bool short_step = angle <= ANGLE_3_NODES, middle_step = angle <= ANGLE_5_NODES;
    const double *node = short_step ? NODE_3 : middle_step ? NODE_5 : NODE_10;
    const double *weight = short_step ? WEIGHT_3 : middle_step ? WEIGHT_5 : WEIGHT_10;
    const int count = short_step ? 3 : middle_step ? 5 : 10;
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        const double w3 = spin_3_at(body, motion, node[k] * t);
        sum += weight[k] * (energy_2 / momentum + w3) / (1.0 + body->inertia[2] * w3 / momentum);
    }
    return sum * t;
}

// Minimal rotation that takes the momentum l (body axes) to the third axis. Its length is measured
// anew: a unit vector that is long by rounding would tilt the result, always the same way.
static tal_quat align(const double l[3]) {
    const double sum = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) + l[2];
    const double s = 1.0 / sqrt(sum * sum + l[0] * l[0] + l[1] * l[1]);
    return (tal_quat){sum * s, l[1] * s, -l[0] * s, 0.0};
}

static tal_quat turn_in_frame(const top *body, double t, double angle) {
    const top_motion motion = top_motion_make(body);
    double start[3], end[3], momentum_2 = 0.0, energy_2 = 0.0;
    for (int k = 0; k < 3; k++) {
        start[k] = body->inertia[k] * body->spin[k];
        momentum_2 += start[k] * start[k];
        energy_2 += start[k] * body->spin[k];
    }
    const double momentum = sqrt(momentum_2);
    spin_at(body, &motion, t, end);
    for (int k = 0; k < 3; k++) {
        end[k] *= body->inertia[k];
    }
    const double half = 0.5 * precession(body, &motion, momentum, energy_2, t, angle);
    const tal_quat about_momentum = {cos(half), 0.0, 0.0, sin(half)};
    return tal_quat_multiply(tal_quat_multiply(tal_quat_conjugate(align(start)), about_momentum),
                             align(end));
}

static tal_quat turn(tal_vec3 inertia, tal_vec3 spin, double t, double angle) {
    const top body = top_make(inertia, spin);
    const tal_quat q = turn_in_frame(&body, t, angle);
    const double in_frame[3] = {q.x, q.y, q.z};
    double axis[3];
    for (int k = 0; k < 3; k++) {
        axis[body.from[k]] = body.sign[k] * in_frame[k];
    }
    return (tal_quat){q.w, axis[0], axis[1], axis[2]};
}

// R' v from the homogeneous form of R: a norm of q that is off by rounding must not bend the
// direction, or the energy drifts by 1e-11 in a million steps.
static tal_vec3 to_body_axes(tal_quat q, tal_vec3 v) {
    const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = 2.0 * q.x * q.y, xz = 2.0 * q.x * q.z, yz = 2.0 * q.y * q.z;
    const double wx = 2.0 * q.w * q.x, wy = 2.0 * q.w * q.y, wz = 2.0 * q.w * q.z;
    const double s = 1.0 / (ww + xx + yy + zz);
    return (tal_vec3){s * ((ww + xx - yy - zz) * v.x + (xy + wz) * v.y + (xz - wy) * v.z),
                      s * ((xy - wz) * v.x + (ww - xx + yy - zz) * v.y + (yz + wx) * v.z),
                      s * ((xz + wy) * v.x + (yz - wx) * v.y + (ww - xx - yy + zz) * v.z)};
}

static tal_vec3 body_velocity(tal_vec3 inertia, tal_quat orientation, tal_vec3 momentum) {
    const tal_vec3 l = to_body_axes(orientation, momentum);
    return (tal_vec3){l.x / inertia.x, l.y / inertia.y, l.z / inertia.z};
}

// The turn of a body that all but rests: exp(w t + w' t^2 / 2) in body axes, w' from Euler's equations.
static tal_quat turn_little(tal_vec3 inertia, tal_vec3 w, double t) {
    const double h = 0.5 * t, hh = 0.5 * h * t;
    const tal_vec3 half = {h * w.x + hh * (inertia.y - inertia.z) * w.y * w.z / inertia.x,
                           h * w.y + hh * (inertia.z - inertia.x) * w.z * w.x / inertia.y,
                           h * w.z + hh * (inertia.x - inertia.y) * w.x * w.y / inertia.z};
    return (tal_quat){1.0 - 0.5 * tal_vec3_dot(half, half), half.x, half.y, half.z};
}

void tal_rotation_advance(tal_vec3 inertia, tal_vec3 momentum, double t, tal_quat *orientation) {
    tal_vec3 spin = body_velocity(inertia, *orientation, momentum);
    const double energy_2 =
        inertia.x * spin.x * spin.x + inertia.y * spin.y * spin.y + inertia.z * spin.z * spin.z;
    if (energy_2 == 0.0) {
        return;
    }
    const double smallest = fmin(inertia.x, fmin(inertia.y, inertia.z));
    const double angle = sqrt(energy_2 / smallest) * fabs(t); // no motion turns faster
    if (angle < ANGLE_TINY) {
        *orientation =
            tal_quat_normalize(tal_quat_multiply(*orientation, turn_little(inertia, spin, t)));
        return;
    }
    const double pieces = angle > ANGLE_10_NODES ? ceil(angle / ANGLE_10_NODES) : 1.0;
    for (double piece = 0.0; piece < pieces; piece += 1.0) {
        const tal_quat step = turn(inertia, spin, t / pieces, angle / pieces);
        *orientation = tal_quat_normalize(tal_quat_multiply(*orientation, step));
        spin = body_velocity(inertia, *orientation, momentum);
    }
}

tal_vec3 tal_rotation_velocity(tal_vec3 inertia, tal_quat orientation, tal_vec3 momentum) {
    return tal_quat_rotate(orientation, body_velocity(inertia, orientation, momentum));
}

tal_vec3 tal_rotation_momentum(tal_vec3 inertia, tal_quat orientation, tal_vec3 velocity) {
    const tal_mat3 r = tal_quat_matrix(orientation);
    const tal_vec3 w = tal_mat3_apply_transposed(&r, velocity);
    return tal_mat3_apply(&r, (tal_vec3){inertia.x * w.x, inertia.y * w.y, inertia.z * w.z});
}

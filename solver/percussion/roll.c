// SPDX-License-Identifier: GPL-3.0-or-later
// The moment of a pair: a disk whose radius follows the normal percussions.
#include "solver/percussion/roll.h"

#include <math.h>
#include <string.h>

// Relative accuracy of one visit: sweeps go on anyway.
static const double ACCURACY = 1e-6;
enum { TRIALS_MAX = 50 };

static tal_roll *roll_of(const tal_percussion_problem *problem, const tal_pair *pair) {
    TAL_ASSERT(pair->roll_length > 0.0 && !pair->is_general);
    return &problem->roll[pair - problem->pair];
}

void tal_roll_spin(const tal_pair *pair, const tal_rigid_motion *motion, double spin[2]) {
    const tal_vec3 w = tal_vec3_subtract(motion[pair->body_i].w, motion[pair->body_j].w);
    spin[0] = tal_vec3_dot(pair->tangent_1, w);
    spin[1] = tal_vec3_dot(pair->tangent_2, w);
}

static double mobility(const tal_percussion_problem *problem, const tal_pair *pair, tal_vec3 a,
                       tal_vec3 b) {
    const tal_inertia *i = &problem->inertia[pair->body_i], *j = &problem->inertia[pair->body_j];
    return tal_vec3_dot(a, tal_apply_inertia(i, b)) + tal_vec3_dot(a, tal_apply_inertia(j, b));
}

void tal_roll_prepare(const tal_percussion_problem *problem, const tal_pair *pair) {
    tal_roll *roll = roll_of(problem, pair);
    *roll = (tal_roll){.w = {mobility(problem, pair, pair->tangent_1, pair->tangent_1),
                             mobility(problem, pair, pair->tangent_1, pair->tangent_2),
                             mobility(problem, pair, pair->tangent_2, pair->tangent_2)}};
}

static double radius_of(const tal_percussion_problem *problem, const tal_pair *pair) {
    double sum = 0.0;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        sum += fmax(problem->contact[k].percussion[0], 0.0);
    }
    return pair->roll_length * sum;
}

// (W + lambda) m = -q with |m| = radius: 1/|m| is nearly linear in lambda, so Newton on it needs few
// trials and never overshoots from below.
static void solve(const double w[3], const double q[2], double radius, double m[2]) {
    double lambda = 0.0;
    for (int trial = 0; trial < TRIALS_MAX; trial++) {
        const double a = w[0] + lambda, b = w[1], c = w[2] + lambda;
        const double s = 1.0 / (a * c - b * b);
        m[0] = -(c * q[0] - b * q[1]) * s;
        m[1] = -(a * q[1] - b * q[0]) * s;
        const double length = sqrt(m[0] * m[0] + m[1] * m[1]);
        if (length <= radius * (1.0 + ACCURACY) &&
            (lambda == 0.0 || length >= radius * (1.0 - ACCURACY))) {
            break;
        }
        // d|m|/dlambda = -m' (W + lambda)^-1 m / |m|
        const double fall =
            (m[0] * (c * m[0] - b * m[1]) + m[1] * (a * m[1] - b * m[0])) * s / length;
        lambda = fmax(0.0, lambda + (length / radius - 1.0) * length / fall);
    }
    const double length = sqrt(m[0] * m[0] + m[1] * m[1]);
    const double cut = length > radius ? radius / length : 1.0;
    m[0] *= cut;
    m[1] *= cut;
}

static double energy(const tal_roll *roll, const double change[2]) {
    return 0.5 * (roll->w[0] + roll->w[2]) * (change[0] * change[0] + change[1] * change[1]);
}

double tal_roll_visit(const tal_percussion_problem *problem, const tal_pair *pair) {
    tal_roll *roll = roll_of(problem, pair);
    const double *w = roll->w, *old = roll->moment, radius = radius_of(problem, pair);
    double spin[2], m[2] = {0.0, 0.0};
    tal_roll_spin(pair, problem->motion, spin);
    const double q[2] = {spin[0] - w[0] * old[0] - w[1] * old[1],
                         spin[1] - w[1] * old[0] - w[2] * old[1]};
    if (radius > 0.0 && (q[0] != 0.0 || q[1] != 0.0)) {
        solve(w, q, radius, m);
    }
    const double change[2] = {m[0] - old[0], m[1] - old[1]};
    memcpy(roll->moment, m, sizeof m);
    tal_roll_strike(problem, pair, change, problem->motion);
    return energy(roll, change);
}

void tal_roll_strike(const tal_percussion_problem *problem, const tal_pair *pair,
                     const double moment[2], tal_rigid_motion *motion) {
    const tal_vec3 m =
        tal_vec3_add_scaled(tal_vec3_scale(pair->tangent_1, moment[0]), moment[1], pair->tangent_2);
    const tal_inertia *i = &problem->inertia[pair->body_i], *j = &problem->inertia[pair->body_j];
    if (i->inverse_mass > 0.0) { // what is immobile is shared between threads
        motion[pair->body_i].w = tal_vec3_add(motion[pair->body_i].w, tal_apply_inertia(i, m));
    }
    if (j->inverse_mass > 0.0) {
        motion[pair->body_j].w = tal_vec3_subtract(motion[pair->body_j].w, tal_apply_inertia(j, m));
    }
}

void tal_roll_extrapolate(const tal_percussion_problem *problem, const tal_pair *pair,
                          double beta) {
    tal_roll *roll = roll_of(problem, pair);
    for (int f = 0; f < 2; f++) {
        const double swept = roll->moment[f];
        roll->moment[f] = swept + beta * (swept - roll->last[f]);
        roll->last[f] = swept;
    }
}

void tal_roll_begin(const tal_percussion_problem *problem, const tal_pair *pair) {
    tal_roll *roll = roll_of(problem, pair);
    memcpy(roll->last, roll->moment, sizeof roll->last);
}

// (3): m - P(m - rho w), P onto the disk.
double tal_roll_error(const tal_percussion_problem *problem, const tal_pair *pair) {
    const tal_roll *roll = roll_of(problem, pair);
    const double radius = radius_of(problem, pair), rho = 2.0 / (roll->w[0] + roll->w[2]);
    double spin[2];
    tal_roll_spin(pair, problem->motion, spin);
    const double y[2] = {roll->moment[0] - rho * spin[0], roll->moment[1] - rho * spin[1]};
    const double length = sqrt(y[0] * y[0] + y[1] * y[1]);
    const double cut = length > radius ? radius / length : 1.0;
    return energy(roll, (double[2]){roll->moment[0] - cut * y[0], roll->moment[1] - cut * y[1]});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// In the normal problem min R'WR/2 + R'(q - bound) the deviation z of the bounds from the best affine
// fit has W z = 0 and q'z = 0: along z the value falls without end, until a percussion is zero.
#include "solver/percussion/patch.h"

#include <math.h>

static const double NEGLIGIBLE = 0.2; // conflict, in tolerances
enum { POINTS_MAX = 16, POINTS_MIN = 4 };

typedef struct {
    int count;
    int32_t contact[POINTS_MAX];
    double x[POINTS_MAX], y[POINTS_MAX]; // in the plane of the patch, from the mean
    double bound[POINTS_MAX];
    double z[POINTS_MAX];
} patch;

static bool takes_part(const tal_contact *c) {
    return c->percussion[0] > 0.0 && isinf(c->more->softness) && c->more->adhesion == 0.0;
}

static void collect(const tal_percussion_problem *problem, const tal_pair *pair, patch *p) {
    double x = 0.0, y = 0.0;
    p->count = 0;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact *c = &problem->contact[k];
        if (takes_part(c) && p->count < POINTS_MAX) {
            const int n = p->count++;
            p->contact[n] = k;
            p->x[n] = tal_vec3_dot(tal_arm(c->arm_i), pair->tangent_1);
            p->y[n] = tal_vec3_dot(tal_arm(c->arm_i), pair->tangent_2);
            p->bound[n] = c->bound;
            x += p->x[n];
            y += p->y[n];
        }
    }
    for (int n = 0; n < p->count; n++) {
        p->x[n] -= x / p->count;
        p->y[n] -= y / p->count;
    }
}

// z: bounds minus their best affine fit. False if that is nowhere more than `negligible`.
static bool find_conflict(patch *p, double negligible) {
    double xx = 0.0, xy = 0.0, yy = 0.0, xb = 0.0, yb = 0.0, mean = 0.0;
    for (int n = 0; n < p->count; n++) {
        xx += p->x[n] * p->x[n];
        xy += p->x[n] * p->y[n];
        yy += p->y[n] * p->y[n];
        xb += p->x[n] * p->bound[n];
        yb += p->y[n] * p->bound[n];
        mean += p->bound[n] / p->count;
    }
    const double determinant = xx * yy - xy * xy;
    if (determinant <= 1e-9 * xx * yy) { // all on a line
        return false;
    }
    const double a = (yy * xb - xy * yb) / determinant, b = (xx * yb - xy * xb) / determinant;
    double worst = 0.0;
    for (int n = 0; n < p->count; n++) {
        p->z[n] = p->bound[n] - mean - a * p->x[n] - b * p->y[n];
        worst = fmax(worst, fabs(p->z[n]));
    }
    return worst > negligible;
}

// Along z until the first percussion is zero; tangential ones shrink and grow with their normal.
static bool go(const tal_percussion_problem *problem, const tal_pair *pair, const patch *p) {
    double way = INFINITY;
    int first = 0;
    for (int n = 0; n < p->count; n++) {
        const double left = problem->contact[p->contact[n]].percussion[0];
        if (p->z[n] < 0.0 && left < -p->z[n] * way) {
            way = left / -p->z[n];
            first = n;
        }
    }
    if (!isfinite(way)) { // nothing but rounding
        return false;
    }
    tal_rigid_motion i = problem->motion[pair->body_i], j = problem->motion[pair->body_j];
    for (int n = 0; n < p->count; n++) {
        tal_contact *c = &problem->contact[p->contact[n]];
        const double share = n == first ? -1.0 : way * p->z[n] / c->percussion[0];
        double step[3];
        for (int f = 0; f < 3; f++) {
            step[f] = share * c->percussion[f];
            c->percussion[f] += step[f];
        }
        tal_apply_percussion(pair, c, step, &problem->inertia[pair->body_i],
                             &problem->inertia[pair->body_j], &i, &j);
    }
    tal_store_body_motion(problem, pair->body_i, &i);
    tal_store_body_motion(problem, pair->body_j, &j);
    return true;
}

bool tal_patch_release(const tal_percussion_problem *problem, const tal_pair *pair,
                       double tolerance) {
    TAL_ASSERT(!pair->is_general); // the affine fit holds for rigid motions only
    const double w = problem->contact[pair->first_contact].w[0];
    const double negligible = NEGLIGIBLE * tolerance * sqrt(w * pair->energy_scale);
    patch p;
    bool changed = false;
    collect(problem, pair, &p);
    while (p.count >= POINTS_MIN && find_conflict(&p, negligible) && go(problem, pair, &p)) {
        changed = true;
        collect(problem, pair, &p);
    }
    return changed;
}

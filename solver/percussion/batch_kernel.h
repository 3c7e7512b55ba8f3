// SPDX-License-Identifier: GPL-3.0-or-later
// The sweeps at a batch, compiled once per width of vectors: KERNEL is the row that this file makes. Read beside
// rigid_kernel.h and law/local_problem.c, which do the same to one pair.
#include "solver/law/slide.h"
#include "solver/percussion/lanes.h"

#include <math.h>
#include <string.h>

// Four bodies, lane by lane.
typedef struct {
    lanes3 v, w;
} batch_motion;

INLINE lanes3 gather3(const double *const from[TAL_LANES]) {
    tal_lanes row[TAL_LANES];
    for (int lane = 0; lane < TAL_LANES; lane++) {
        memcpy(&row[lane], from[lane], sizeof row[lane]);
    }
    transpose(row);
    return (lanes3){row[0], row[1], row[2]};
}

INLINE batch_motion gather(const tal_rigid_motion *motion, const int32_t body[TAL_LANES]) {
    const tal_rigid_motion *m[TAL_LANES] = {&motion[body[0]], &motion[body[1]], &motion[body[2]],
                                            &motion[body[3]]};
    const double *const v[TAL_LANES] = {&m[0]->v.x, &m[1]->v.x, &m[2]->v.x, &m[3]->v.x};
    const double *const w[TAL_LANES] = {&m[0]->w.x, &m[1]->w.x, &m[2]->w.x, &m[3]->w.x};
    return (batch_motion){gather3(v), gather3(w)};
}

// Immobile bodies are shared between threads and never written.
INLINE void scatter(const batch_motion *from, const int32_t body[TAL_LANES], tal_lanes inverse_mass,
                    tal_rigid_motion *motion) {
    const tal_lanes zero = lanes_of(0.0);
    tal_lanes v[4] = {from->v.x, from->v.y, from->v.z, zero};
    tal_lanes w[4] = {from->w.x, from->w.y, from->w.z, zero};
    transpose(v);
    transpose(w);
    for (int lane = 0; lane < TAL_LANES; lane++) {
        if (inverse_mass[lane] > 0.0) {
            memcpy(&motion[body[lane]].v.x, &v[lane], sizeof v[lane]);
            memcpy(&motion[body[lane]].w.x, &w[lane], sizeof w[lane]);
        }
    }
}

// Relative velocity of i against j at a point, in the frame of the pair.
INLINE void relative_velocity(const tal_batch *b, const tal_batch_point *c, const batch_motion *i,
                              const batch_motion *j, tal_lanes d[3]) {
    const lanes3 of_i = add3(i->v, cross3(i->w, lanes3_of(c->arm_i)));
    const lanes3 of_j = add3(j->v, cross3(j->w, lanes3_of(c->arm_j)));
    const lanes3 u = subtract3(of_i, of_j);
    d[0] = dot3(lanes3_of(b->normal), u);
    d[1] = dot3(lanes3_of(b->tangent_1), u);
    d[2] = dot3(lanes3_of(b->tangent_2), u);
}

INLINE void apply_percussion(const tal_batch *b, const tal_batch_point *c, const tal_lanes r[3],
                             batch_motion *i, batch_motion *j) {
    const lanes3 p = {b->normal[0] * r[0] + b->tangent_1[0] * r[1] + b->tangent_2[0] * r[2],
                      b->normal[1] * r[0] + b->tangent_1[1] * r[1] + b->tangent_2[1] * r[2],
                      b->normal[2] * r[0] + b->tangent_1[2] * r[1] + b->tangent_2[2] * r[2]};
    const lanes3 torque_i = cross3(lanes3_of(c->arm_i), p);
    const lanes3 torque_j = cross3(lanes3_of(c->arm_j), p);
    i->v = add_scaled3(i->v, b->inertia_i[0], p);
    j->v = add_scaled3(j->v, -b->inertia_j[0], p);
    i->w = add3(i->w, apply_symmetric(&b->inertia_i[1], torque_i));
    j->w = subtract3(j->w, apply_symmetric(&b->inertia_j[1], torque_j));
}

// slide_rigid of law/local_problem.c in the lanes of `open`: each goes on until its own search is done.
INLINE void slide(const tal_batch_point *c, const tal_lanes q[3], lane_mask open,
                  tal_lanes *lambda_kept, tal_lanes r[3]) {
    const tal_lanes n1 = c->w[1] * c->inverse_normal, n2 = c->w[2] * c->inverse_normal;
    const tal_lanes s11 = c->w[3] - n1 * c->w[1], s12 = c->w[4] - n1 * c->w[2];
    const tal_lanes s22 = c->w[5] - n2 * c->w[2], unit = c->w[3] + c->w[5];
    const tal_lanes push = c->bound - q[0], base = push * c->inverse_normal;
    const tal_lanes b1 = -(q[1] + n1 * push), b2 = -(q[2] + n2 * push);
    const tal_lanes zero = lanes_of(0.0), one = lanes_of(1.0);
    tal_lanes low = zero, high = lanes_of(INFINITY), lambda = larger_lanes(*lambda_kept, zero);
    for (int n = 0; n < TAL_SLIDE_TRIALS_MAX && is_any(open); n++) {
        const tal_lanes m11 = s11 + lambda, m22 = s22 + lambda;
        const tal_lanes inverse = one / (m11 * m22 - s12 * s12);
        const tal_lanes r1 = (m22 * b1 - s12 * b2) * inverse;
        const tal_lanes r2 = (m11 * b2 - s12 * b1) * inverse;
        const tal_lanes normal = base - n1 * r1 - n2 * r2;
        const tal_lanes p1 = -(m22 * r1 - s12 * r2) * inverse;
        const tal_lanes p2 = -(m11 * r2 - s12 * r1) * inverse;
        const tal_lanes per_length = one / square_root(r1 * r1 + r2 * r2);
        const tal_lanes ratio = c->friction * normal * per_length;
        const tal_lanes rise = -per_length * (c->friction * (n1 * p1 + n2 * p2) +
                                              ratio * per_length * (r1 * p1 + r2 * p2));
        const tal_lanes excess = ratio - one;
        low = choose(is_less(excess, zero), lambda, low);
        high = choose(is_less(excess, zero), high, lambda);
        const tal_lanes newton = lambda - excess / rise;
        const tal_lanes safe = choose(is_less(high, lanes_of(INFINITY)),
                                      lanes_of(0.5) * (low + high), lanes_of(2.0) * low + unit);
        const tal_lanes next =
            choose(is_at_most(low, newton) & is_at_most(newton, high), newton, safe);
        const lane_mask done =
            is_at_most(absolute(excess), lanes_of(TAL_SLIDE_ACCURACY)) | is_equal(next, lambda);
        r[0] = choose(open, larger_lanes(normal, zero), r[0]);
        r[1] = choose(open, choose(is_less(zero, normal), r1 * ratio, zero), r[1]);
        r[2] = choose(open, choose(is_less(zero, normal), r2 * ratio, zero), r[2]);
        *lambda_kept = choose(open, next, *lambda_kept);
        open &= ~done;
        lambda = next;
    }
}

// Dry friction by masks: open, holding, sliding.
INLINE void solve_dry(const tal_batch_point *c, const tal_lanes q[3], tal_lanes *lambda,
                      tal_lanes r[3]) {
    const tal_lanes zero = lanes_of(0.0);
    const lanes3 push = {c->bound - q[0], -q[1], -q[2]};
    const lanes3 hold = apply_symmetric(c->inverse, push);
    const tal_lanes radius = c->friction * hold.x;
    const lane_mask pushed = is_less(lanes_of(TAL_PUSH_NOTHING), push.x);
    const lane_mask beyond =
        is_less(hold.x, zero) | is_less(radius * radius, hold.y * hold.y + hold.z * hold.z);
    r[0] = choose(pushed, hold.x, zero);
    r[1] = choose(pushed, hold.y, zero);
    r[2] = choose(pushed, hold.z, zero);
    if (is_any(pushed & beyond)) {
        slide(c, q, pushed & beyond, lambda, r);
    }
}

// One round over the points in the lanes of `takes_part`. Where a point holds without sliding.
INLINE lane_mask visit_points(const tal_batch *b, const tal_batch_point *point,
                              tal_batch_percussion *percussion, lane_mask takes_part,
                              batch_motion *i, batch_motion *j) {
    lane_mask holds = {0};
    for (int32_t k = 0; k < b->point_count; k++) {
        const tal_batch_point *c = &point[k];
        tal_lanes *old = percussion[k].percussion, lambda = percussion[k].lambda;
        const tal_lanes *w = c->w;
        tal_lanes d[3], r[3];
        relative_velocity(b, c, i, j, d);
        const tal_lanes q[3] = {d[0] - (w[0] * old[0] + w[1] * old[1] + w[2] * old[2]),
                                d[1] - (w[1] * old[0] + w[3] * old[1] + w[4] * old[2]),
                                d[2] - (w[2] * old[0] + w[4] * old[1] + w[5] * old[2])};
        solve_dry(c, q, &lambda, r);
        for (int f = 0; f < 3; f++) {
            r[f] = choose(takes_part, r[f], old[f]);
        }
        const tal_lanes step[3] = {r[0] - old[0], r[1] - old[1], r[2] - old[2]};
        apply_percussion(b, c, step, i, j);
        const tal_lanes radius = c->friction * r[0];
        holds |= is_less(r[1] * r[1] + r[2] * r[2], lanes_of(0.9999) * radius * radius);
        memcpy(old, r, sizeof r);
        percussion[k].lambda = choose(takes_part, lambda, percussion[k].lambda);
    }
    return holds;
}

// direction = beta * direction + change; percussion += beta * old direction. The change begins anew.
INLINE void extrapolate(tal_batch_percussion *p, tal_lanes beta) {
    for (int f = 0; f < 3; f++) {
        const tal_lanes along = beta * p->direction[f];
        p->direction[f] = along + p->change[f];
        p->percussion[f] += along;
        p->change[f] = -p->percussion[f];
    }
}

INLINE void sum_changes(tal_batch *b, const tal_batch_point *point,
                        tal_batch_percussion *percussion) {
    tal_lanes energy = lanes_of(0.0);
    for (int32_t k = 0; k < b->point_count; k++) {
        for (int f = 0; f < 3; f++) {
            const tal_lanes step = percussion[k].change[f] + percussion[k].percussion[f];
            percussion[k].change[f] = step;
            energy += point[k].weight * step * step;
        }
    }
    b->energy = sum_of(energy);
    b->relative = sum_of(choose(is_equal(energy, lanes_of(0.0)), energy, energy / b->energy_scale));
}

static void visit(tal_batch *b, const tal_batch_point *point, tal_batch_percussion *percussion,
                  tal_rigid_motion *motion, double beta) {
    const lane_mask is_patch = {
        -(long long)(b->contact_count[0] >= 3), -(long long)(b->contact_count[1] >= 3),
        -(long long)(b->contact_count[2] >= 3), -(long long)(b->contact_count[3] >= 3)};
    batch_motion i = gather(motion, b->body_i), j = gather(motion, b->body_j);
    for (int32_t k = 0; k < b->point_count; k++) {
        extrapolate(&percussion[k], lanes_of(beta));
    }
    const lane_mask all = {-1, -1, -1, -1};
    const lane_mask again = is_patch & visit_points(b, point, percussion, all, &i, &j);
    if (is_any(again)) { // the points of a patch that holds: see tal_rigid_visit
        visit_points(b, point, percussion, again, &i, &j);
    }
    scatter(&i, b->body_i, b->inertia_i[0], motion);
    scatter(&j, b->body_j, b->inertia_j[0], motion);
    sum_changes(b, point, percussion);
}

// De Saxce's form of dry friction, as residual_dry of law/local_problem.c.
INLINE tal_lanes squared_residual(const tal_batch_point *c, const tal_lanes r[3],
                                  const tal_lanes d[3]) {
    const tal_lanes zero = lanes_of(0.0), mu = c->friction, rho = lanes_of(1.0) / c->weight;
    const tal_lanes sliding = square_root(d[1] * d[1] + d[2] * d[2]);
    const tal_lanes y0 = r[0] - rho * (d[0] - c->bound + mu * sliding);
    const tal_lanes y1 = r[1] - rho * d[1], y2 = r[2] - rho * d[2];
    const tal_lanes length = square_root(y1 * y1 + y2 * y2);
    const lane_mask inside = is_at_most(length, mu * y0), opposite = is_at_most(mu * length, -y0);
    const tal_lanes normal = (y0 + mu * length) / (lanes_of(1.0) + mu * mu);
    const tal_lanes scale = mu * normal / length;
    const tal_lanes e0 = r[0] - choose(inside, y0, choose(opposite, zero, normal));
    const tal_lanes e1 = r[1] - choose(inside, y1, choose(opposite, zero, y1 * scale));
    const tal_lanes e2 = r[2] - choose(inside, y2, choose(opposite, zero, y2 * scale));
    return c->weight * (e0 * e0 + e1 * e1 + e2 * e2);
}

static void residual(const tal_batch *b, const tal_batch_point *point,
                     const tal_batch_percussion *percussion, const tal_rigid_motion *motion,
                     double *error) {
    const batch_motion i = gather(motion, b->body_i), j = gather(motion, b->body_j);
    for (int32_t k = 0; k < b->point_count; k++) {
        tal_lanes d[3];
        relative_velocity(b, &point[k], &i, &j, d);
        const tal_lanes square = squared_residual(&point[k], percussion[k].percussion, d);
        const tal_lanes relative =
            choose(is_equal(square, lanes_of(0.0)), square, square / b->energy_scale);
        for (int lane = 0; lane < TAL_LANES; lane++) {
            if (k < b->contact_count[lane]) {
                error[b->first_contact[lane] + k] = relative[lane];
            }
        }
    }
}

// open_pair of correction.c. Nothing pushes an empty point: its inverse_normal is 0.
static void open(const tal_batch *b, const tal_batch_point *point, tal_batch_opening *opening,
                 tal_rigid_motion *displacement, double moved[TAL_LANES]) {
    batch_motion i = gather(displacement, b->body_i), j = gather(displacement, b->body_j);
    const lanes3 normal = lanes3_of(b->normal);
    const tal_lanes zero = lanes_of(0.0);
    tal_lanes furthest = zero;
    for (int32_t k = 0; k < b->point_count; k++) {
        const lanes3 arm_i = lanes3_of(point[k].arm_i), arm_j = lanes3_of(point[k].arm_j);
        const lanes3 of_i = add3(i.v, cross3(i.w, arm_i)), of_j = add3(j.v, cross3(j.w, arm_j));
        const tal_lanes missing = opening[k].wanted - dot3(normal, subtract3(of_i, of_j));
        const tal_lanes push =
            larger_lanes(opening[k].push + missing * point[k].inverse_normal, zero);
        const tal_lanes step = push - opening[k].push;
        const lanes3 p = {normal.x * step, normal.y * step, normal.z * step};
        opening[k].push = push;
        i.v = add_scaled3(i.v, b->inertia_i[0], p);
        j.v = add_scaled3(j.v, -b->inertia_j[0], p);
        i.w = add3(i.w, apply_symmetric(&b->inertia_i[1], cross3(arm_i, p)));
        j.w = subtract3(j.w, apply_symmetric(&b->inertia_j[1], cross3(arm_j, p)));
        const tal_lanes opened = absolute(step) / point[k].inverse_normal;
        furthest = larger_lanes(furthest, choose(is_equal(step, zero), zero, opened));
    }
    scatter(&i, b->body_i, b->inertia_i[0], displacement);
    scatter(&j, b->body_j, b->inertia_j[0], displacement);
    memcpy(moved, &furthest, sizeof furthest);
}

const tal_batch_kernel KERNEL = {
    .name = KERNEL_NAME, .visit = visit, .residual = residual, .open = open};

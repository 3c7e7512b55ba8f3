// SPDX-License-Identifier: GPL-3.0-or-later
// The sweeps at a batch, compiled once per width of vectors: KERNEL is the row that this file makes. Read beside
// rigid_kernel.h and law/local_problem.c, which do the same to one pair.
#include "solver/law/slide.h"
#include "solver/percussion/lanes.h"

#include <math.h>
#include <string.h>

// As TAL_PUSH_NOTHING, for numbers of single precision.
#define PUSH_NOTHING 1e-10f

// As far as Newton may go at once where nothing is known to be too far: what a trial multiplies has cubes of lambda.
#define FAR 1e10f

// Eight bodies, lane by lane.
typedef struct {
    lanes3 v, w;
} batch_motion;

typedef double motion_half __attribute__((vector_size(4 * sizeof(double))));
typedef float lanes_half __attribute__((vector_size(4 * sizeof(float))));

INLINE batch_motion motion_of_rows(tal_lanes row[TAL_LANES]) {
    transpose(row);
    return (batch_motion){{row[0], row[1], row[2]}, {row[4], row[5], row[6]}};
}

INLINE void rows_of_motion(const batch_motion *from, tal_lanes row[TAL_LANES]) {
    const tal_lanes zero = lanes_of(0.0f);
    const tal_lanes column[TAL_LANES] = {from->v.x, from->v.y, from->v.z, zero,
                                         from->w.x, from->w.y, from->w.z, zero};
    memcpy(row, column, sizeof column);
    transpose(row);
}

INLINE batch_motion gather(const tal_lane_motion *motion, const int32_t body[TAL_LANES]) {
    tal_lanes row[TAL_LANES];
    _Pragma("GCC unroll 8") for (int lane = 0; lane < TAL_LANES; lane++) {
        memcpy(&row[lane], &motion[body[lane]], sizeof row[lane]);
    }
    return motion_of_rows(row);
}

// Immobile bodies are shared between threads and never written.
INLINE void scatter(const batch_motion *from, const int32_t body[TAL_LANES], tal_lanes inverse_mass,
                    tal_lane_motion *motion) {
    tal_lanes row[TAL_LANES];
    rows_of_motion(from, row);
    _Pragma("GCC unroll 8") for (int lane = 0; lane < TAL_LANES; lane++) {
        if (inverse_mass[lane] > 0.0f) {
            memcpy(&motion[body[lane]], &row[lane], sizeof row[lane]);
        }
    }
}

// The same for displacements, which are kept in double precision.
INLINE batch_motion gather_wide(const tal_rigid_motion *motion, const int32_t body[TAL_LANES]) {
    tal_lanes row[TAL_LANES];
    _Pragma("GCC unroll 8") for (int lane = 0; lane < TAL_LANES; lane++) {
        motion_half v, w;
        memcpy(&v, &motion[body[lane]].v.x, sizeof v);
        memcpy(&w, &motion[body[lane]].w.x, sizeof w);
        row[lane] =
            __builtin_shufflevector(__builtin_convertvector(v, lanes_half),
                                    __builtin_convertvector(w, lanes_half), 0, 1, 2, 3, 4, 5, 6, 7);
    }
    return motion_of_rows(row);
}

INLINE void scatter_wide(const batch_motion *from, const int32_t body[TAL_LANES],
                         tal_lanes inverse_mass, tal_rigid_motion *motion) {
    tal_lanes row[TAL_LANES];
    rows_of_motion(from, row);
    _Pragma("GCC unroll 8") for (int lane = 0; lane < TAL_LANES; lane++) {
        if (inverse_mass[lane] > 0.0f) {
            const motion_half v = __builtin_convertvector(
                __builtin_shufflevector(row[lane], row[lane], 0, 1, 2, 3), motion_half);
            const motion_half w = __builtin_convertvector(
                __builtin_shufflevector(row[lane], row[lane], 4, 5, 6, 7), motion_half);
            memcpy(&motion[body[lane]].v.x, &v, sizeof v);
            memcpy(&motion[body[lane]].w.x, &w, sizeof w);
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

// What the search of a slide changes of one point: slide_rigid of law/local_problem.c.
typedef struct {
    tal_lanes n1, n2, s11, s12, s22, base, b1, b2, turn; // constants
    tal_lanes low, high, lambda, next;
    tal_lanes normal, r1, r2, determinant, length;
    lane_mask open;
} slide_search;

INLINE slide_search search_begin(const tal_batch_point *c, const tal_lanes q[3], tal_lanes lambda,
                                 lane_mask open) {
    const tal_lanes push = c->bound - q[0];
    const tal_lanes n1 = c->w[1] * c->inverse_normal, n2 = c->w[2] * c->inverse_normal;
    const tal_lanes b1 = -(q[1] + n1 * push), b2 = -(q[2] + n2 * push);
    return (slide_search){.n1 = n1,
                          .n2 = n2,
                          .s11 = c->w[3] - n1 * c->w[1],
                          .s12 = c->w[4] - n1 * c->w[2],
                          .s22 = c->w[5] - n2 * c->w[2],
                          .base = push * c->inverse_normal,
                          .b1 = b1,
                          .b2 = b2,
                          .turn = n1 * b1 + n2 * b2,
                          .high = lanes_of(INFINITY),
                          .next = lambda,
                          .lambda = larger_lanes(lambda, lanes_of(0.0f)),
                          .open = open};
}

// One trial. Lanes whose search is done stay where they are.
INLINE void search_advance(slide_search *s, const tal_batch_point *c) {
    const tal_lanes m11 = s->s11 + s->lambda, m22 = s->s22 + s->lambda;
    s->determinant = m11 * m22 - s->s12 * s->s12;
    s->r1 = m22 * s->b1 - s->s12 * s->b2;
    s->r2 = m11 * s->b2 - s->s12 * s->b1;
    s->normal = s->base * s->determinant - (s->n1 * s->r1 + s->n2 * s->r2);
    const tal_lanes square = s->r1 * s->r1 + s->r2 * s->r2;
    s->length = square_root(square);
    const tal_lanes normal_rise = s->base * (m11 + m22) - s->turn;
    const tal_lanes rise =
        c->friction * (normal_rise * square - s->normal * (s->r1 * s->b1 + s->r2 * s->b2));
    const tal_lanes excess = c->friction * s->normal - s->length;
    const lane_mask is_below = is_less(excess, lanes_of(0.0f));
    s->low = choose(is_below, s->lambda, s->low);
    s->high = choose(is_below, s->high, s->lambda);
    const tal_lanes newton = s->lambda - excess * (square / rise);
    const lane_mask is_bounded = is_less(s->high, lanes_of(INFINITY));
    const tal_lanes further = lanes_of(2.0f) * s->low + (c->w[3] + c->w[5]);
    const tal_lanes most = choose(is_bounded, s->high, lanes_of(FAR) * further);
    const tal_lanes safe = choose(is_bounded, lanes_of(0.5f) * (s->low + s->high), further);
    const tal_lanes next = // safe also instead of NaN and infinity
        choose(is_at_most(s->low, newton) & is_at_most(newton, most), newton, safe);
    const lane_mask done =
        is_at_most(absolute(excess), lanes_of((float)TAL_SLIDE_ACCURACY) * s->length) |
        is_equal(next, s->lambda);
    s->next = choose(s->open, next, s->next);
    s->open &= ~done;
    s->lambda = choose(s->open, next, s->lambda);
}

// Where `slid`, the percussion that the search has found.
INLINE void search_end(const slide_search *s, const tal_batch_point *c, lane_mask slid,
                       tal_lanes r[3]) {
    const tal_lanes zero = lanes_of(0.0f);
    const tal_lanes inverse = lanes_of(1.0f) / (s->determinant * s->length);
    const tal_lanes along = c->friction * s->normal * inverse;
    const lane_mask is_pressed = is_less(zero, s->normal);
    r[0] = choose(slid, choose(is_pressed, s->normal * s->length * inverse, zero), r[0]);
    r[1] = choose(slid, choose(is_pressed, s->r1 * along, zero), r[1]);
    r[2] = choose(slid, choose(is_pressed, s->r2 * along, zero), r[2]);
}

// Unrolled before all else, so that nothing of what is visited need lie in memory.
#define EACH(n, count) _Pragma("GCC unroll 2") for (int n = 0; n < (count); n++)

// A batch being visited. Two of them are visited at once, point by point: what one has to wait for, a division or
// the last point of its pair, is time for the other.
typedef struct {
    const tal_batch *batch;
    const tal_batch_point *point;
    tal_batch_percussion *percussion;
    tal_lanes (*start)[3]; // the percussions of all points, as the visit began
    batch_motion i, j;
    lane_mask takes_part, holds;
    tal_lanes q[3], r[3];
    lane_mask slides;
} visited;

// Dry friction by masks: what is open or holds; what slides is left to the search.
INLINE void hold_point(visited *v, int32_t k) {
    const tal_batch_point *c = &v->point[k];
    const tal_lanes *old = v->percussion[k].percussion, *w = c->w, zero = lanes_of(0.0f);
    tal_lanes d[3];
    relative_velocity(v->batch, c, &v->i, &v->j, d);
    v->q[0] = d[0] - (w[0] * old[0] + w[1] * old[1] + w[2] * old[2]);
    v->q[1] = d[1] - (w[1] * old[0] + w[3] * old[1] + w[4] * old[2]);
    v->q[2] = d[2] - (w[2] * old[0] + w[4] * old[1] + w[5] * old[2]);
    const lanes3 push = {c->bound - v->q[0], -v->q[1], -v->q[2]};
    const lanes3 hold = apply_symmetric(c->inverse, push);
    const tal_lanes radius = c->friction * hold.x;
    const lane_mask pushed = is_less(lanes_of(PUSH_NOTHING), push.x);
    v->slides = pushed & (is_less(hold.x, zero) |
                          is_less(radius * radius, hold.y * hold.y + hold.z * hold.z));
    v->r[0] = choose(pushed, hold.x, zero);
    v->r[1] = choose(pushed, hold.y, zero);
    v->r[2] = choose(pushed, hold.z, zero);
}

INLINE void slide_points(visited *v, int count, int32_t k) {
    slide_search search[2] = {0};
    lane_mask any = {0};
    EACH(n, count) {
        any |= v[n].slides;
    }
    if (!is_any(any)) {
        return;
    }
    EACH(n, count) {
        search[n] = search_begin(&v[n].point[k], v[n].q, v[n].percussion[k].lambda, v[n].slides);
    }
    int trial = 0;
    do {
        any = (lane_mask){0};
        EACH(n, count) {
            search_advance(&search[n], &v[n].point[k]);
            any |= search[n].open;
        }
    } while (is_any(any) && ++trial < TAL_SLIDE_TRIALS_MAX);
    EACH(n, count) {
        tal_lanes *lambda = &v[n].percussion[k].lambda;
        search_end(&search[n], &v[n].point[k], v[n].slides, v[n].r);
        *lambda = choose(v[n].takes_part, search[n].next, *lambda);
    }
}

INLINE void strike_point(visited *v, int32_t k) {
    const tal_batch_point *c = &v->point[k];
    tal_lanes *old = v->percussion[k].percussion, step[3];
    for (int f = 0; f < 3; f++) {
        v->r[f] = choose(v->takes_part, v->r[f], old[f]);
        step[f] = v->r[f] - old[f];
    }
    apply_percussion(v->batch, c, step, &v->i, &v->j);
    const tal_lanes radius = c->friction * v->r[0];
    v->holds |= is_less(v->r[1] * v->r[1] + v->r[2] * v->r[2], lanes_of(0.9999f) * radius * radius);
    memcpy(old, v->r, sizeof v->r);
}

// One round over the points in the lanes that take part. Both batches have as many.
INLINE void visit_points(visited *v, int count) {
    for (int32_t k = 0; k < v[0].batch->point_count; k++) {
        EACH(n, count) {
            hold_point(&v[n], k);
        }
        slide_points(v, count, k);
        EACH(n, count) {
            strike_point(&v[n], k);
        }
    }
}

// percussion += beta * (percussion - last); `start` is what the visit begins with. Without a beta there may be no last.
INLINE void extrapolate(tal_batch_percussion *p, tal_batch_course *c, double beta,
                        tal_lanes start[3]) {
    for (int f = 0; f < 3; f++) {
        const tal_lanes now = p->percussion[f];
        start[f] = beta != 0.0 ? now + lanes_of((float)beta) * (now - c->last[f]) : now;
        c->last[f] = now;
        p->percussion[f] = start[f];
    }
}

INLINE void sum_changes(const visited *v, tal_batch *b) {
    tal_lanes energy = lanes_of(0.0f);
    for (int32_t k = 0; k < b->point_count; k++) {
        for (int f = 0; f < 3; f++) {
            const tal_lanes step = v->percussion[k].percussion[f] - v->start[k][f];
            energy += v->point[k].weight * step * step;
        }
    }
    b->energy = sum_of(energy * b->mass);
    b->relative =
        sum_of(choose(is_equal(energy, lanes_of(0.0f)), energy, energy / b->energy_scale));
}

// The points of a patch that holds are visited twice: see tal_rigid_visit.
INLINE lane_mask again_of(const visited *v) {
    lane_mask count;
    memcpy(&count, v->batch->contact_count, sizeof count);
    return v->batch->flows ? (lane_mask){0} : (lane_mask)(count >= 3) & v->holds;
}

INLINE void visit_batches(tal_batch *b, int count, const tal_batch_point *point,
                          tal_batch_percussion *percussion, tal_batch_course *course,
                          tal_lane_motion *motion, double beta) {
    visited v[2] = {0};
    tal_lanes start[2][TAL_BATCH_POINTS_MAX][3];
    bool is_again[2] = {false, false};
    EACH(n, count) {
        const int32_t first = b[n].first_point - b[0].first_point;
        v[n] = (visited){.batch = &b[n],
                         .point = &point[first],
                         .percussion = &percussion[first],
                         .start = start[n],
                         .i = gather(motion, b[n].body_i),
                         .j = gather(motion, b[n].body_j),
                         .takes_part = ~(lane_mask){0}};
        for (int32_t k = 0; k < b[n].point_count; k++) {
            extrapolate(&v[n].percussion[k], &course[first + k], beta, start[n][k]);
        }
    }
    visit_points(v, count);
    EACH(n, count) {
        v[n].takes_part = again_of(&v[n]);
        is_again[n] = is_any(v[n].takes_part);
    }
    if (count == 2 && is_again[0] && is_again[1]) {
        visit_points(v, 2);
    } else {
        EACH(n, count) {
            if (is_again[n]) {
                visit_points(&v[n], 1);
            }
        }
    }
    EACH(n, count) {
        scatter(&v[n].i, b[n].body_i, b[n].inertia_i[0], motion);
        scatter(&v[n].j, b[n].body_j, b[n].inertia_j[0], motion);
        sum_changes(&v[n], &b[n]);
    }
}

static void visit(tal_batch *b, const tal_batch_point *point, tal_batch_percussion *percussion,
                  tal_batch_course *course, tal_lane_motion *motion, double beta) {
    visit_batches(b, 1, point, percussion, course, motion, beta);
}

static void visit_two(tal_batch b[2], const tal_batch_point *point,
                      tal_batch_percussion *percussion, tal_batch_course *course,
                      tal_lane_motion *motion, double beta) {
    visit_batches(b, 2, point, percussion, course, motion, beta);
}

// De Saxce's form of dry friction, as residual_dry of law/local_problem.c.
INLINE tal_lanes squared_residual(const tal_batch_point *c, const tal_lanes r[3],
                                  const tal_lanes d[3]) {
    const tal_lanes zero = lanes_of(0.0f), mu = c->friction, rho = lanes_of(1.0f) / c->weight;
    const tal_lanes sliding = square_root(d[1] * d[1] + d[2] * d[2]);
    const tal_lanes y0 = r[0] - rho * (d[0] - c->bound + mu * sliding);
    const tal_lanes y1 = r[1] - rho * d[1], y2 = r[2] - rho * d[2];
    const tal_lanes length = square_root(y1 * y1 + y2 * y2);
    const lane_mask inside = is_at_most(length, mu * y0), opposite = is_at_most(mu * length, -y0);
    const tal_lanes normal = (y0 + mu * length) / (lanes_of(1.0f) + mu * mu);
    const tal_lanes scale = mu * normal / length;
    const tal_lanes e0 = r[0] - choose(inside, y0, choose(opposite, zero, normal));
    const tal_lanes e1 = r[1] - choose(inside, y1, choose(opposite, zero, y1 * scale));
    const tal_lanes e2 = r[2] - choose(inside, y2, choose(opposite, zero, y2 * scale));
    return c->weight * (e0 * e0 + e1 * e1 + e2 * e2);
}

static void residual(const tal_batch *b, const tal_batch_point *point,
                     const tal_batch_percussion *percussion, const tal_lane_motion *motion,
                     double *error) {
    const batch_motion i = gather(motion, b->body_i), j = gather(motion, b->body_j);
    for (int32_t k = 0; k < b->point_count; k++) {
        tal_lanes d[3];
        relative_velocity(b, &point[k], &i, &j, d);
        const tal_lanes square = squared_residual(&point[k], percussion[k].percussion, d);
        const tal_lanes relative =
            choose(is_equal(square, lanes_of(0.0f)), square, square / b->energy_scale);
        for (int lane = 0; lane < TAL_LANES; lane++) {
            if (k < b->contact_count[lane]) {
                error[b->first_contact[lane] + k] = (double)relative[lane];
            }
        }
    }
}

// open_pair of correction.c. Nothing pushes an empty point: its inverse_normal is 0.
static void open(const tal_batch *b, const tal_batch_point *point, tal_batch_opening *opening,
                 tal_rigid_motion *displacement, double moved[TAL_LANES]) {
    batch_motion i = gather_wide(displacement, b->body_i), j = gather_wide(displacement, b->body_j);
    const lanes3 normal = lanes3_of(b->normal);
    const tal_lanes zero = lanes_of(0.0f);
    tal_lanes furthest = zero;
    bool any = false;
    for (int32_t k = 0; k < b->point_count; k++) {
        const lanes3 arm_i = lanes3_of(point[k].arm_i), arm_j = lanes3_of(point[k].arm_j);
        const lanes3 of_i = add3(i.v, cross3(i.w, arm_i)), of_j = add3(j.v, cross3(j.w, arm_j));
        const tal_lanes missing = opening[k].wanted - dot3(normal, subtract3(of_i, of_j));
        const tal_lanes push =
            larger_lanes(opening[k].push + missing * point[k].inverse_normal, zero);
        const tal_lanes step = push - opening[k].push;
        if (!is_any(~is_equal(step, zero))) {
            continue;
        }
        const lanes3 p = {normal.x * step, normal.y * step, normal.z * step};
        opening[k].push = push;
        i.v = add_scaled3(i.v, b->inertia_i[0], p);
        j.v = add_scaled3(j.v, -b->inertia_j[0], p);
        i.w = add3(i.w, apply_symmetric(&b->inertia_i[1], cross3(arm_i, p)));
        j.w = subtract3(j.w, apply_symmetric(&b->inertia_j[1], cross3(arm_j, p)));
        furthest = larger_lanes(furthest, absolute(step) * point[k].w[0]);
        any = true;
    }
    for (int lane = 0; lane < TAL_LANES; lane++) {
        moved[lane] = (double)furthest[lane];
    }
    if (!any) {
        return;
    }
    scatter_wide(&i, b->body_i, b->inertia_i[0], displacement);
    scatter_wide(&j, b->body_j, b->inertia_j[0], displacement);
}

const tal_batch_kernel KERNEL = {.name = KERNEL_NAME,
                                 .visit = visit,
                                 .visit_two = visit_two,
                                 .residual = residual,
                                 .open = open};

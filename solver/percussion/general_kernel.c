// SPDX-License-Identifier: GPL-3.0-or-later
// The sweeps at a pair of which a body is not rigid.
#include "solver/percussion/general_kernel.h"

// A body of a pair as its kind sees it. The ground has no kind: it stands still.
typedef struct {
    const tal_body_kind *kind;
    const void *body;
    double *values;
    bool is_mobile;
} partner;

static double *values_of(const tal_general_body *g, tal_general_values wanted) {
    // What was before is read only: see the header.
    return wanted == TAL_GENERAL_BEFORE ? (double *)(uintptr_t)g->before : g->motion;
}

static partner partner_of(const tal_percussion_problem *problem, int32_t b,
                          const tal_rigid_motion *rigid, tal_general_values wanted) {
    if (b == problem->body_count) {
        return (partner){0};
    }
    if (tal_is_general(problem, b)) {
        const tal_general_body *g = tal_general(problem, b);
        return (partner){g->kind, g->body, values_of(g, wanted), g->is_mobile};
    }
    return (partner){&tal_rigid_kind, &problem->inertia[b], (double *)(uintptr_t)&rigid[b].v.x,
                     problem->inertia[b].inverse_mass > 0.0};
}

static void relative_velocity(const partner side[2], tal_side at, double d[3]) {
    double of_i[3] = {0}, of_j[3] = {0};
    if (side[0].kind != NULL) {
        at.side = 0;
        side[0].kind->velocity(side[0].body, side[0].values, at, of_i);
    }
    if (side[1].kind != NULL) {
        at.side = 1;
        side[1].kind->velocity(side[1].body, side[1].values, at, of_j);
    }
    for (int f = 0; f < 3; f++) {
        d[f] = of_i[f] - of_j[f];
    }
}

// Immobile bodies are shared between threads and never written.
static void strike(const partner side[2], tal_side at, const double r[3]) {
    if (side[0].is_mobile) {
        at.side = 0;
        side[0].kind->strike(side[0].body, side[0].values, at, r);
    }
    if (side[1].is_mobile) {
        const double against[3] = {-r[0], -r[1], -r[2]};
        at.side = 1;
        side[1].kind->strike(side[1].body, side[1].values, at, against);
    }
}

static tal_side side_of(const tal_percussion_problem *problem, const tal_pair *pair, int32_t k) {
    return (tal_side){.pair = pair, .contact = &problem->contact[k], .number = k};
}

static bool visit_points(const tal_percussion_problem *problem, const tal_pair *pair,
                         const partner side[2]) {
    bool holds = false;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        tal_contact *c = &problem->contact[k];
        const tal_side at = side_of(problem, pair, k);
        double d[3], step[3];
        relative_velocity(side, at, d);
        holds = tal_contact_answer(c, d, step) || holds;
        if (step[0] != 0.0 || step[1] != 0.0 || step[2] != 0.0) {
            strike(side, at, step);
        }
    }
    return holds;
}

void tal_general_visit(const tal_percussion_problem *problem, const tal_pair *pair) {
    const partner side[2] = {
        partner_of(problem, pair->body_i, problem->motion, TAL_GENERAL_MOTION),
        partner_of(problem, pair->body_j, problem->motion, TAL_GENERAL_MOTION)};
    const bool holds = visit_points(problem, pair, side);
    if (tal_is_visited_twice(pair, holds)) {
        visit_points(problem, pair, side);
    }
}

void tal_general_strike(const tal_percussion_problem *problem, const tal_pair *pair,
                        const double *percussion, size_t stride, tal_rigid_motion *rigid,
                        tal_general_values of_general) {
    TAL_ASSERT(of_general != TAL_GENERAL_BEFORE);
    const partner side[2] = {partner_of(problem, pair->body_i, rigid, of_general),
                             partner_of(problem, pair->body_j, rigid, of_general)};
    for (int32_t n = 0; n < pair->contact_count; n++) {
        strike(side, side_of(problem, pair, pair->first_contact + n),
               &percussion[(size_t)n * stride]);
    }
}

void tal_general_velocity(const tal_percussion_problem *problem, const tal_pair *pair, int32_t k,
                          const tal_rigid_motion *rigid, tal_general_values of_general,
                          double d[3]) {
    const partner side[2] = {partner_of(problem, pair->body_i, rigid, of_general),
                             partner_of(problem, pair->body_j, rigid, of_general)};
    relative_velocity(side, side_of(problem, pair, k), d);
}

static void add_mobility(const partner *side, tal_side at, int number, double w[6]) {
    if (side->is_mobile) {
        at.side = number;
        side->kind->add_mobility(side->body, at, w);
    }
}

void tal_general_effective_mass(const tal_percussion_problem *problem, const tal_pair *pair,
                                int32_t k) {
    const partner i = partner_of(problem, pair->body_i, problem->motion, TAL_GENERAL_MOTION);
    const partner j = partner_of(problem, pair->body_j, problem->motion, TAL_GENERAL_MOTION);
    double *w = problem->contact[k].w;
    for (int entry = 0; entry < 6; entry++) {
        w[entry] = 0.0;
    }
    add_mobility(&i, side_of(problem, pair, k), 0, w);
    add_mobility(&j, side_of(problem, pair, k), 1, w);
}

double tal_general_energy_scale(const tal_percussion_problem *problem, int32_t b,
                                double speed_min) {
    const partner side = partner_of(problem, b, problem->before, TAL_GENERAL_BEFORE);
    return side.is_mobile ? side.kind->energy_scale(side.body, side.values, speed_min) : 0.0;
}

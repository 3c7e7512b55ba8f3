// SPDX-License-Identifier: GPL-3.0-or-later
// Nonlinear block Gauss-Seidel with the conjugate-gradient acceleration of Silcowitz-Hansen,
// Niebe and Erleben (2010): one sweep is the gradient, its decrease decides how far to go on along
// the last direction. The velocity is linear in the percussions, so both are extrapolated together.
#include "solver/contact_solver.h"

#include "solver/coloring.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Most pairs are solved early: sweeps then visit only those that still change, and all of them
// again every LIST_AGE_MAX sweeps and before any decision to stop.
static const double GROWTH_MAX = 1.1; // of a change from one sweep to the next, in energy

static const double LIST_SHARE_MAX = 0.5;  // a list of nearly all pairs is not worth its making
static const double LIST_NEGLIGIBLE = 0.1; // share of its part of the tolerance, in energy
enum { LIST_AGE_MAX = 12 };

// A failed residual check is repeated after this many sweeps.
enum { CHECK_PAUSE = 3 };

void tal_contact_effective_mass(const tal_percussion_problem *problem, const tal_pair *pair,
                                tal_contact *contact) {
    const tal_inertia *i = &problem->inertia[pair->body_i], *j = &problem->inertia[pair->body_j];
    const tal_vec3 axis[3] = {pair->normal, pair->tangent_1, pair->tangent_2};
    tal_vec3 lever_i[3], lever_j[3], turn_i[3], turn_j[3];
    for (int f = 0; f < 3; f++) {
        lever_i[f] = tal_vec3_cross(tal_arm(contact->arm_i), axis[f]);
        lever_j[f] = tal_vec3_cross(tal_arm(contact->arm_j), axis[f]);
        turn_i[f] = tal_apply_inertia(i, lever_i[f]);
        turn_j[f] = tal_apply_inertia(j, lever_j[f]);
    }
    const double inverse_mass = i->inverse_mass + j->inverse_mass;
    int entry = 0;
    for (int f = 0; f < 3; f++) {
        for (int g = f; g < 3; g++) {
            contact->w[entry++] = (f == g ? inverse_mass : 0.0) +
                                  tal_vec3_dot(lever_i[f], turn_i[g]) +
                                  tal_vec3_dot(lever_j[f], turn_j[g]);
        }
    }
}

static double mean_inverse_mass(const tal_contact *c) {
    return (c->w[0] + c->w[3] + c->w[5]) / 3.0;
}

static void store_motion(const tal_percussion_problem *problem, int32_t body,
                         const tal_motion *motion) {
    if (problem->inertia[body].inverse_mass > 0.0) { // immobile bodies are shared between threads
        problem->motion[body] = *motion;
    }
}

static double relative_error(double square, double scale) {
    return square == 0.0 ? 0.0 : square / scale;
}

void tal_set_energy_scales(const tal_percussion_problem *problem, const tal_motion *before,
                           double speed_min) {
    for (int32_t p = 0; p < problem->pair_count; p++) {
        tal_pair *pair = &problem->pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        pair->energy_scale = 0.0;
        for (int side = 0; side < 2; side++) {
            const double inverse_mass = problem->inertia[body[side]].inverse_mass;
            const tal_vec3 v = before[body[side]].v;
            const double square = tal_vec3_dot(v, v) + speed_min * speed_min;
            pair->energy_scale += inverse_mass > 0.0 ? square / inverse_mass : 0.0;
        }
    }
}

// Each point in turn solves its own problem exactly. True if a point holds without sliding.
static bool visit_points(const tal_percussion_problem *problem, const tal_pair *pair, tal_motion *i,
                         tal_motion *j) {
    const tal_inertia *inertia_i = &problem->inertia[pair->body_i];
    const tal_inertia *inertia_j = &problem->inertia[pair->body_j];
    bool holds = false;
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        tal_contact *c = &problem->contact[k];
        const double *w = c->w, *old = c->percussion;
        double d[3], r[3];
        tal_relative_velocity(pair, c, i, j, d);
        const double q[3] = {d[0] - (w[0] * old[0] + w[1] * old[1] + w[2] * old[2]),
                             d[1] - (w[1] * old[0] + w[3] * old[1] + w[4] * old[2]),
                             d[2] - (w[2] * old[0] + w[4] * old[1] + w[5] * old[2])};
        tal_law_solve(c, q, r);
        const double step[3] = {r[0] - old[0], r[1] - old[1], r[2] - old[2]};
        if (step[0] != 0.0 || step[1] != 0.0 || step[2] != 0.0) {
            tal_apply_percussion(pair, c, step, inertia_i, inertia_j, i, j);
        }
        const double radius = c->friction * r[0];
        holds = holds || r[1] * r[1] + r[2] * r[2] < 0.9999 * radius * radius;
        c->percussion[0] = r[0];
        c->percussion[1] = r[1];
        c->percussion[2] = r[2];
    }
    return holds;
}

// One visit of a pair. The points of a patch that holds depend on each other more than on anything
// else: a second round while all is in registers saves several sweeps. The sum of |change|^2 is
// weighted with the mean inverse mass, i.e. an energy.
static void sweep_pair(const tal_percussion_problem *problem, const tal_pair *pair, double *change,
                       double sums[2]) {
    const tal_contact *contact = &problem->contact[pair->first_contact];
    tal_motion i = problem->motion[pair->body_i], j = problem->motion[pair->body_j];
    change += 3 * (ptrdiff_t)pair->first_contact;
    for (int32_t k = 0; k < pair->contact_count; k++) {
        for (int f = 0; f < 3; f++) {
            change[3 * k + f] = -contact[k].percussion[f];
        }
    }
    const bool holds = visit_points(problem, pair, &i, &j);
    if (holds && pair->contact_count >= 3) {
        visit_points(problem, pair, &i, &j);
    }
    store_motion(problem, pair->body_i, &i);
    store_motion(problem, pair->body_j, &j);
    sums[0] = 0.0;
    for (int32_t k = 0; k < pair->contact_count; k++) {
        const double weight = mean_inverse_mass(&contact[k]);
        for (int f = 0; f < 3; f++) {
            const double step = change[3 * k + f] + contact[k].percussion[f];
            change[3 * k + f] = step;
            sums[0] += weight * step * step;
        }
    }
    sums[1] = relative_error(sums[0], pair->energy_scale);
}

// The pairs that are swept, by color.
typedef struct {
    const int32_t *pair;
    int32_t color_start[TAL_COLOR_MAX + 2];
    bool is_complete;
    int age; // sweeps since it was complete
} sweep_list;

static void list_all(const tal_percussion_problem *problem, const tal_solver_work *work,
                     sweep_list *list) {
    for (int32_t p = 0; p < problem->pair_count; p++) {
        work->listed[p] = p;
    }
    memcpy(list->color_start, problem->color_start,
           (size_t)(problem->color_count + 1) * sizeof *list->color_start);
    list->pair = work->listed;
    list->is_complete = true;
    list->age = 0;
}

static void sweep(const tal_percussion_problem *problem, const tal_solver_work *work,
                  const sweep_list *list) {
    const int threads = problem->thread_count;
#pragma omp parallel num_threads(threads) if (threads > 1)
    for (int32_t color = 0; color < problem->color_count; color++) {
        const int32_t first = list->color_start[color], end = list->color_start[color + 1];
        if (problem->last_color_is_serial && color == problem->color_count - 1) {
#pragma omp single
            for (int32_t n = first; n < end; n++) {
                const int32_t p = list->pair[n];
                sweep_pair(problem, &problem->pair[p], work->change, &work->pair_sum[2 * p]);
            }
        } else {
#pragma omp for schedule(static)
            for (int32_t n = first; n < end; n++) {
                const int32_t p = list->pair[n];
                sweep_pair(problem, &problem->pair[p], work->change, &work->pair_sum[2 * p]);
            }
        }
    }
}

static void warm_start_pair(const tal_percussion_problem *problem, const tal_pair *pair) {
    tal_motion i = problem->motion[pair->body_i], j = problem->motion[pair->body_j];
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact *c = &problem->contact[k];
        tal_apply_percussion(pair, c, c->percussion, &problem->inertia[pair->body_i],
                             &problem->inertia[pair->body_j], &i, &j);
    }
    store_motion(problem, pair->body_i, &i);
    store_motion(problem, pair->body_j, &j);
}

void tal_warm_start(const tal_percussion_problem *problem) {
    for (int32_t p = 0; p < problem->pair_count; p++) { // pairs are sorted by color already
        warm_start_pair(problem, &problem->pair[p]);
    }
}

// Adds up the last changes: energies per island (of the listed pairs alone, if not all were swept),
// returned relative to the scales.
static double sum_changes(const tal_percussion_problem *problem, const tal_solver_work *work,
                          bool all) {
    double relative = 0.0;
    for (int32_t n = 0; n < problem->island_count; n++) {
        work->island_change[n] = 0.0;
    }
    for (int32_t p = 0; p < problem->pair_count; p++) {
        if (work->is_listed[p]) {
            work->island_change[problem->pair[p].island] += work->pair_sum[2 * p];
        }
        relative += all || work->is_listed[p] ? work->pair_sum[2 * p + 1] : 0.0;
    }
    return relative;
}

// Islands do not know of each other: each has its own rate of convergence. A change that grows
// begins anew; one that stays as it is (percussions that shift among the points of a patch) is where
// going on pays most.
static void choose_betas(const tal_percussion_problem *problem, const tal_solver_work *work) {
    for (int32_t n = 0; n < problem->island_count; n++) {
        const double before = work->island_before[n];
        const double ratio = before > 0.0 ? work->island_change[n] / before : 0.0;
        work->island_beta[n] = ratio > GROWTH_MAX ? 0.0 : (ratio < 1.0 ? ratio : 1.0);
    }
}

static void keep_changes(const tal_percussion_problem *problem, const tal_solver_work *work) {
    memcpy(work->island_before, work->island_change,
           (size_t)problem->island_count * sizeof *work->island_before);
}

static double *motion_values(tal_motion *motion) {
    return &motion->v.x;
}

// direction = beta * direction + change; percussion += beta * old direction; likewise the motion.
static void extrapolate(const tal_percussion_problem *problem, const tal_solver_work *work,
                        const sweep_list *list) {
    const int threads = problem->thread_count;
    const int32_t listed_count = list->color_start[problem->color_count];
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int32_t n = 0; n < listed_count; n++) {
        const tal_pair *pair = &problem->pair[list->pair[n]];
        const double beta = work->island_beta[pair->island];
        for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            for (int f = 0; f < 3; f++) {
                const double along = beta * work->direction[3 * k + f];
                problem->contact[k].percussion[f] += along;
                work->direction[3 * k + f] = along + work->change[3 * k + f];
            }
        }
    }
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int32_t b = 0; b < problem->body_count; b++) {
        if (problem->island_of_body[b] < 0) {
            continue;
        }
        const double beta = work->island_beta[problem->island_of_body[b]];
        double *now = motion_values(&problem->motion[b]);
        double *start = motion_values(&work->motion_start[b]);
        double *direction = motion_values(&work->motion_direction[b]);
        for (int f = 0; f < 8; f++) {
            const double along = beta * direction[f];
            direction[f] = along + (now[f] - start[f]);
            now[f] += along;
            start[f] = now[f];
        }
    }
}

static void begin(const tal_percussion_problem *problem, const tal_solver_work *work) {
    memset(work->is_listed, 1, (size_t)problem->pair_count);
    for (int32_t n = 0; n < problem->island_count; n++) {
        work->island_before[n] = 0.0;
    }
    for (int32_t k = 0; k < 3 * problem->contact_count; k++) {
        work->direction[k] = 0.0;
    }
    for (int32_t b = 0; b < problem->body_count; b++) {
        work->motion_start[b] = problem->motion[b];
        work->motion_direction[b] = (tal_motion){0};
    }
}

// Leaves out the pairs that hardly change, and what they had in the direction of the motion.
static void shorten_list(const tal_percussion_problem *problem, const tal_solver_work *work,
                         sweep_list *list, double negligible) {
    int32_t count = 0;
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const double share = negligible * problem->pair[p].contact_count;
        work->is_listed[p] = work->pair_sum[2 * p + 1] > share;
        count += work->is_listed[p];
    }
    if (count > LIST_SHARE_MAX * problem->pair_count) {
        memset(work->is_listed, 1, (size_t)problem->pair_count);
        return;
    }
    count = 0;
    for (int32_t b = 0; b <= problem->body_count; b++) {
        work->motion_direction[b] = (tal_motion){0};
    }
    for (int32_t color = 0; color < problem->color_count; color++) {
        list->color_start[color] = count;
        for (int32_t p = problem->color_start[color]; p < problem->color_start[color + 1]; p++) {
            const tal_pair *pair = &problem->pair[p];
            for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count;
                 k++) {
                double *direction = &work->direction[3 * k];
                if (work->is_listed[p]) {
                    tal_apply_percussion(
                        pair, &problem->contact[k], direction, &problem->inertia[pair->body_i],
                        &problem->inertia[pair->body_j], &work->motion_direction[pair->body_i],
                        &work->motion_direction[pair->body_j]);
                } else {
                    direction[0] = direction[1] = direction[2] = 0.0;
                }
            }
            if (work->is_listed[p]) {
                work->listed[count++] = p;
            }
        }
    }
    list->color_start[problem->color_count] = count;
    list->is_complete = false;
    list->age = 0;
}

static void residual_of_pair(const tal_percussion_problem *problem, const tal_pair *pair,
                             double *error) {
    const tal_motion *i = &problem->motion[pair->body_i], *j = &problem->motion[pair->body_j];
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact *c = &problem->contact[k];
        double d[3], e[3];
        tal_relative_velocity(pair, c, i, j, d);
        tal_law_residual(c, d, 1.0 / mean_inverse_mass(c), e);
        const double square = mean_inverse_mass(c) * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        error[k] = relative_error(square, pair->energy_scale);
    }
}

double tal_measure_residual(const tal_percussion_problem *problem, const tal_solver_work *work,
                            double tolerance, int32_t *unconverged_count) {
    const int threads = problem->thread_count;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int32_t p = 0; p < problem->pair_count; p++) {
        residual_of_pair(problem, &problem->pair[p], work->error);
    }
    double sum = 0.0;
    *unconverged_count = 0;
    for (int32_t p = 0; p < problem->pair_count; p++) { // by pair: a part of the contacts, perhaps
        const tal_pair *pair = &problem->pair[p];
        for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            sum += work->error[k];
            *unconverged_count += work->error[k] > tolerance * tolerance;
        }
    }
    const double residual = sqrt(sum / problem->contact_count);
    *unconverged_count = residual > tolerance ? *unconverged_count : 0;
    return residual;
}

void tal_solve_percussions(const tal_percussion_problem *problem, const tal_solver_work *work,
                           double tolerance, int iteration_max, tal_solver_result *result) {
    *result = (tal_solver_result){0};
    if (problem->contact_count == 0) {
        return;
    }
    const double goal = tolerance * tolerance * problem->contact_count;
    sweep_list list;
    int pause = 0;
    list_all(problem, work, &list);
    begin(problem, work);
    for (;;) {
        sweep(problem, work, &list);
        const double change = sum_changes(problem, work, list.is_complete);
        const bool is_last = ++result->iterations >= iteration_max;
        if (is_last || (change <= goal && list.is_complete && pause == 0)) {
            result->residual =
                tal_measure_residual(problem, work, tolerance, &result->unconverged_count);
            if (is_last || result->residual <= tolerance) {
                return;
            }
            pause = CHECK_PAUSE;
        }
        pause -= pause > 0;
        choose_betas(problem, work);
        extrapolate(problem, work, &list);
        if (list.is_complete) {
            shorten_list(problem, work, &list, LIST_NEGLIGIBLE * tolerance * tolerance);
            sum_changes(problem, work, false);
        } else if (change <= goal || ++list.age >= LIST_AGE_MAX) {
            list_all(problem, work, &list);
        }
        keep_changes(problem, work);
    }
}

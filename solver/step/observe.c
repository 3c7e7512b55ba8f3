// SPDX-License-Identifier: GPL-3.0-or-later
// The energy book.
#include "solver/step/observe.h"

#include "core/base/threads.h"
#include "solver/motion/integrate.h"
#include "solver/motion/prescribed.h"
#include "solver/percussion/contact.h"
#include "solver/percussion/roll.h"

#include <math.h>
#include <string.h>

enum { WORK, BOUND, SLACK, ISLAND_NUMBERS };

// Some microseconds of work: less is not worth sharing.
enum { PAIRS_PER_SLICE = 64 };

double tal_observe_rise_bound(const tal_model *model, const tal_state *state, double dt) {
    double sum = 0.0;
    for (int32_t b = 0; b < model->body_count; b++) {
        sum += state->is_immovable[b] ? 0.0 : tal_prescribed_kick_energy(model, state, b, dt);
    }
    return sum;
}

// Work R . x of one contact, split, with x = (d- + d+)/2.
typedef struct {
    double normal, tangential;
    double opposed;   // R_T . d_T+
    double driven;    // R . d+
    double exchanged; // the same without signs: what rounding is measured against
} contact_work;

static contact_work work_of(const tal_state *state, const tal_pair *pair, int32_t k) {
    const tal_contact *c = &state->work.contacts.contact[k];
    const double *r = c->percussion;
    double before[3], after[3];
    tal_contact_velocity_before(&state->work.problem, pair, k, before);
    tal_contact_velocity(&state->work.problem, pair, k, after);
    return (contact_work){.normal = 0.5 * r[0] * (before[0] + after[0]),
                          .tangential =
                              0.5 * (r[1] * (before[1] + after[1]) + r[2] * (before[2] + after[2])),
                          .opposed = r[1] * after[1] + r[2] * after[2],
                          .driven = r[0] * after[0] + r[1] * after[1] + r[2] * after[2],
                          .exchanged = 0.5 * (fabs(r[0]) * (fabs(before[0]) + fabs(after[0])) +
                                              fabs(r[1]) * (fabs(before[1]) + fabs(after[1])) +
                                              fabs(r[2]) * (fabs(before[2]) + fabs(after[2])))};
}

// Work of the moment of a pair, M . (spin before + spin after)/2.
static contact_work roll_work_of(const tal_state *state, const tal_pair *pair) {
    const tal_percussion_problem *problem = &state->work.problem;
    const double *m = problem->roll[pair - problem->pair].moment;
    double before[2], after[2];
    tal_roll_spin(pair, problem->before, before);
    tal_roll_spin(pair, problem->motion, after);
    return (contact_work){.tangential =
                              0.5 * (m[0] * (before[0] + after[0]) + m[1] * (before[1] + after[1])),
                          .exchanged = 0.5 * (fabs(m[0]) * (fabs(before[0]) + fabs(after[0])) +
                                              fabs(m[1]) * (fabs(before[1]) + fabs(after[1])))};
}

static void reset_islands(const tal_model *model, tal_state *state, double dt,
                          const tal_report *report) {
    for (int32_t n = 0; n < ISLAND_NUMBERS * report->island_count; n++) {
        state->work.island_energy[n] = 0.0;
    }
    for (int32_t b = 0; b < model->body_count; b++) {
        if (state->work.island_of_body[b] >= 0) {
            state->work.island_energy[ISLAND_NUMBERS * state->work.island_of_body[b] + BOUND] +=
                tal_prescribed_kick_energy(model, state, b, dt);
        }
    }
}

// What the contacts of some pairs do, as in a report.
typedef struct {
    double dissipated_normal, dissipated_tangential, constraint, applied;
    double clausius_duhem_worst, opposed_worst;
} contact_sums;

// Pairs by slices; and of each what its island is told: its work, and what rounding is measured against.
typedef struct {
    const tal_model *model;
    const tal_state *state;
    double (*of_pair)[2];
    int slice_count;
    contact_sums slice[TAL_SLICES_MAX];
} pairs_loop;

static void add_contact_work(const pairs_loop *l, const tal_pair *pair, int32_t k,
                             contact_sums *sum, double of_pair[2]) {
    const contact_work work = work_of(l->state, pair, k);
    const double both = work.normal + work.tangential;
    const tal_law_traits *law = tal_traits(l->model, pair);
    sum->applied += tal_prescribed_contact_work(l->model, l->state, pair, k);
    of_pair[1] += work.exchanged;
    if (law->is_joint) { // what a drive gives is R . d+, the rest obeys (48)
        sum->constraint += both;
        of_pair[0] += both - work.driven;
        return;
    }
    sum->dissipated_normal -= work.normal;
    sum->dissipated_tangential -= work.tangential;
    of_pair[0] += law->is_spring ? 0.0 : both; // a spring gives back what it took
    if (tal_law_acts(law->clausius_duhem, tal_closes(l->state, k), tal_strikes(l->state, k))) {
        sum->clausius_duhem_worst = fmax(sum->clausius_duhem_worst, both);
    } else if (law->has_dry_friction) {
        sum->opposed_worst = fmax(sum->opposed_worst, work.opposed);
    }
}

static void observe_pair(const pairs_loop *l, int32_t p, contact_sums *sum) {
    const tal_pair *pair = &l->state->work.problem.pair[p];
    double *of_pair = l->of_pair[p];
    of_pair[0] = of_pair[1] = 0.0;
    if (pair->roll_length > 0.0) {
        const contact_work work = roll_work_of(l->state, pair);
        sum->dissipated_tangential -= work.tangential;
        of_pair[0] += work.tangential;
        of_pair[1] += work.exchanged;
    }
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        add_contact_work(l, pair, k, sum, of_pair);
    }
}

static void observe_slices(void *context, int64_t first, int64_t end) {
    pairs_loop *l = context;
    const int32_t count = l->state->work.problem.pair_count;
    for (int64_t n = first; n < end; n++) {
        contact_sums sum = {.clausius_duhem_worst = -INFINITY, .opposed_worst = -INFINITY};
        const int64_t stop = tal_slice_begin(count, l->slice_count, n + 1);
        for (int64_t p = tal_slice_begin(count, l->slice_count, n); p < stop; p++) {
            observe_pair(l, (int32_t)p, &sum);
        }
        l->slice[n] = sum;
    }
}

void tal_observe_contacts(const tal_model *model, tal_state *state, double dt, tal_report *report) {
    const tal_percussion_problem *problem = &state->work.problem;
    pairs_loop l; // small scenes have one slice
    l.model = model;
    l.state = state;
    l.of_pair = (double(*)[2])state->work.contacts.work.change_sum; // scratch
    l.slice_count = tal_slice_count(problem->pair_count, PAIRS_PER_SLICE);
    reset_islands(model, state, dt, report);
    tal_threads_loop(state->work.thread_count, l.slice_count, 1, observe_slices, &l);
    report->dissipated_normal_j = report->dissipated_tangential_j = report->constraint_j = 0.0;
    report->applied_j = tal_prescribed_force_work(model, state);
    report->clausius_duhem_worst_j = report->opposed_worst_j = -INFINITY;
    for (int n = 0; n < l.slice_count; n++) {
        const contact_sums *slice = &l.slice[n];
        report->dissipated_normal_j += slice->dissipated_normal;
        report->dissipated_tangential_j += slice->dissipated_tangential;
        report->constraint_j += slice->constraint;
        report->applied_j += slice->applied;
        report->clausius_duhem_worst_j =
            fmax(report->clausius_duhem_worst_j, slice->clausius_duhem_worst);
        report->opposed_worst_j = fmax(report->opposed_worst_j, slice->opposed_worst);
    }
    for (int32_t p = 0; p < problem->pair_count; p++) {
        double *island = &state->work.island_energy[ISLAND_NUMBERS * problem->pair[p].island];
        island[WORK] += l.of_pair[p][0];
        island[SLACK] += l.of_pair[p][1];
    }
}

static tal_contact_record record_of(const tal_state *state, const tal_pair *pair, int32_t n) {
    const tal_manifold *manifold = &state->work.list.manifold[pair->manifold];
    const tal_contact_point *point = tal_listed_point(state, pair, pair->first_contact + n);
    const double *r = state->work.contacts.contact[pair->first_contact + n].percussion;
    const tal_vec3 along = tal_vec3_scale(pair->tangent_1, r[1]);
    return (tal_contact_record){
        .body_i = manifold->body_i,
        .body_j = manifold->body_j,
        .point_m = point->point,
        .normal = pair->normal,
        .percussion_ns = tal_vec3_add_scaled(tal_vec3_add_scaled(along, r[2], pair->tangent_2),
                                             r[0], pair->normal),
        .gap_m = point->gap};
}

int32_t tal_state_contacts(const tal_state *state, tal_contact_record *contact, int32_t capacity) {
    int32_t count = 0;
    for (int32_t m = 0; m < state->work.problem.pair_count; m++) {
        const tal_pair *pair = &state->work.problem.pair[state->work.contacts.pair_of_manifold[m]];
        if (state->work.list.manifold[m].joint > 0) {
            continue;
        }
        for (int32_t n = 0; n < pair->contact_count; n++, count++) {
            if (count < capacity) {
                contact[count] = record_of(state, pair, n);
            }
        }
    }
    return count;
}

// What the guard can change: rebound and dissipation at impacts.
static bool can_raise_energy(const tal_model *model, const tal_state *state, const tal_pair *pair) {
    const tal_law *law = &model->law[pair->law];
    const tal_law_traits *traits = tal_traits(model, pair);
    if (traits->can_raise_energy == NULL || !traits->can_raise_energy(law)) {
        return false;
    }
    for (int32_t n = 0; n < pair->contact_count; n++) {
        if (tal_strikes(state, pair->first_contact + n)) {
            return true;
        }
    }
    return false;
}

// Marks and softens them.
static int32_t find_rising_islands(const tal_model *model, tal_state *state, double dt,
                                   const tal_report *report) {
    const double rounding = 1e-12;
    int32_t count = 0;
    memset(state->work.is_rising, 0, (size_t)report->island_count);
    for (int32_t p = 0; p < state->work.problem.pair_count; p++) {
        const tal_pair *pair = &state->work.problem.pair[p];
        const double *island = &state->work.island_energy[ISLAND_NUMBERS * pair->island];
        const double slack = (2.0 * report->residual + rounding) * island[SLACK];
        if (island[WORK] > island[BOUND] + slack && state->work.is_rising[pair->island] == 0 &&
            can_raise_energy(model, state, pair)) {
            state->work.is_rising[pair->island] = 1;
            tal_soften_island(model, state, pair->island, dt);
            count++;
        }
    }
    return count;
}

static bool is_rising(const tal_state *state, int32_t island) {
    return island >= 0 && state->work.is_rising[island] != 0;
}

static void free_bodies_again(const tal_model *model, tal_state *state, double dt) {
    for (int32_t b = 0; b < model->body_count; b++) {
        if (is_rising(state, state->work.island_of_body[b])) {
            tal_advance_free_body(model, state, b, dt);
        }
    }
}

int32_t tal_guard_energy(const tal_model *model, tal_state *state, double dt, tal_report *report) {
    const int32_t count = find_rising_islands(model, state, dt, report);
    if (count == 0) {
        return 0;
    }
    const tal_solver_goal goal = {.tolerance = model->settings.tolerance,
                                  .sweeps_min = 1,
                                  .sweeps_max = model->settings.iteration_max};
    tal_solver_result result;
    free_bodies_again(model, state, dt);
    tal_solve_percussions(&state->work.problem, &state->work.contacts.work, state->work.is_rising,
                          &goal, &result);
    report->iterations += result.iterations;
    report->residual = fmax(report->residual, result.residual);
    report->unconverged_count += result.unconverged_count;
    tal_observe_contacts(model, state, dt, report);
    return count;
}

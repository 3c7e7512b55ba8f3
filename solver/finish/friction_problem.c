// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/finish/friction_problem.h"

#include "core/base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

tal_status tal_friction_problem_create(tal_friction_problem *problem, int32_t count,
                                       int64_t block_count, tal_error *err) {
    *problem = (tal_friction_problem){0};
    tal_status status;
    TAL_TRY_OR_DONE(tal_block_matrix_create(&problem->w, count, block_count, err));
    TAL_CREATE_OR_DONE(problem->q, 3 * (size_t)count, "velocities of contacts", err);
    TAL_CREATE_OR_DONE(problem->friction, (size_t)count, "friction of contacts", err);
done:
    if (status != TAL_OK) {
        tal_friction_problem_destroy(problem);
    }
    return status;
}

void tal_friction_problem_destroy(tal_friction_problem *problem) {
    tal_block_matrix_destroy(&problem->w);
    tal_memory_destroy(problem->q);
    tal_memory_destroy(problem->friction);
    tal_memory_destroy(problem->law);
    *problem = (tal_friction_problem){0};
}

tal_status tal_friction_problem_set_laws(tal_friction_problem *problem, const tal_local_law *law,
                                         tal_error *err) {
    TAL_CREATE(problem->law, (size_t)problem->w.count, "laws of contacts", err);
    for (int32_t k = 0; k < problem->w.count; k++) {
        problem->law[k] = law[k];
        problem->friction[k] = law[k].friction;
    }
    return TAL_OK;
}

static const double *diagonal_block(const tal_friction_problem *problem, int32_t k) {
    const int64_t place = tal_block_matrix_find(&problem->w, k, k);
    return place >= 0 ? &problem->w.value[9 * place] : NULL;
}

static void check_contact(const tal_friction_problem *problem, int32_t k, tal_error *err) {
    const double mu = problem->friction[k], *q = &problem->q[3 * k];
    const double *own = diagonal_block(problem, k);
    if (!(mu >= 0.0 && (isfinite(mu) || problem->law != NULL))) {
        tal_error_add(err, TAL_BAD_INPUT, "contact %d: friction %g must be 0 or more", k, mu);
    }
    if (!isfinite(q[0] + q[1] + q[2])) {
        tal_error_add(err, TAL_BAD_INPUT, "contact %d: q is not a number", k);
    }
    if (own == NULL || !(own[0] > 0.0 && own[4] >= 0.0 && own[8] >= 0.0)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "contact %d: the diagonal of W must be positive; is the contact between two "
                      "immobile bodies?",
                      k);
    }
}

static void check_row(const tal_friction_problem *problem, int32_t i, tal_error *err) {
    const tal_block_matrix *w = &problem->w;
    for (int64_t p = w->start[i]; p < w->start[i + 1]; p++) {
        const int32_t j = w->column[p];
        double sum = 0.0;
        for (int e = 0; e < 9; e++) {
            sum += w->value[9 * p + e];
        }
        if (!isfinite(sum)) {
            tal_error_add(err, TAL_BAD_INPUT, "block %d %d of W is not a number", i, j);
        }
        if (tal_block_matrix_find(w, j, i) < 0) {
            tal_error_add(err, TAL_BAD_INPUT, "block %d %d of W is given, %d %d is not", i, j, j,
                          i);
        }
    }
}

tal_status tal_friction_problem_check(const tal_friction_problem *problem, tal_error *err) {
    tal_error_reset(err);
    for (int32_t k = 0; k < problem->w.count; k++) {
        check_contact(problem, k, err);
        check_row(problem, k, err);
    }
    return err->message_count > 0 ? err->status : TAL_OK;
}

// Sorts the blocks of a row by column; rows are short.
static void sort_row(tal_block_matrix *w, int32_t row) {
    for (int64_t n = w->start[row] + 1; n < w->start[row + 1]; n++) {
        for (int64_t m = n; m > w->start[row] && w->column[m - 1] > w->column[m]; m--) {
            double block[9];
            const int32_t column = w->column[m];
            w->column[m] = w->column[m - 1];
            w->column[m - 1] = column;
            memcpy(block, &w->value[9 * m], sizeof block);
            memcpy(&w->value[9 * m], &w->value[9 * (m - 1)], sizeof block);
            memcpy(&w->value[9 * (m - 1)], block, sizeof block);
        }
    }
}

tal_status tal_friction_problem_copy(tal_friction_problem *problem, const tal_local_input *input,
                                     tal_error *err) {
    const int32_t count = input->contact_count;
    TAL_TRY(tal_friction_problem_create(problem, count, input->block_count, err));
    tal_block_matrix *w = &problem->w;
    for (int32_t n = 0; n < input->block_count; n++) {
        w->start[input->row[n] + 1]++;
    }
    for (int32_t k = 0; k < count; k++) {
        w->start[k + 1] += w->start[k];
        TAL_ASSERT(input->is_held == NULL || !input->is_held[k]);
    }
    for (int32_t n = input->block_count - 1; n >= 0;
         n--) { // start[row + 1] moves down to start[row]
        const int64_t to = --w->start[input->row[n] + 1];
        w->column[to] = input->column[n];
        memcpy(&w->value[9 * to], &input->block[9 * (ptrdiff_t)n], 9 * sizeof(double));
    }
    memmove(&w->start[0], &w->start[1], (size_t)count * sizeof *w->start);
    w->start[count] = input->block_count;
    for (int32_t k = 0; k < count; k++) {
        sort_row(w, k);
    }
    memcpy(problem->q, input->q, 3 * (size_t)count * sizeof *problem->q);
    if (input->law != NULL) {
        return tal_friction_problem_set_laws(problem, input->law, err);
    }
    memcpy(problem->friction, input->friction, (size_t)count * sizeof *problem->friction);
    return TAL_OK;
}

// Projection on |y_T| <= mu y_N.
static void project(double mu, double y[3]) {
    const double length = hypot(y[1], y[2]);
    if (length <= mu * y[0]) {
        return;
    }
    if (mu * length <= -y[0]) {
        y[0] = y[1] = y[2] = 0.0;
        return;
    }
    const double normal = (y[0] + mu * length) / (1.0 + mu * mu), scale = mu * normal / length;
    y[0] = normal;
    y[1] *= scale;
    y[2] *= scale;
}

// |r - P_K(r - rho uhat)|^2
static double natural_map(double mu, const double r[3], const double uhat[3], double rho) {
    double y[3] = {r[0] - rho * uhat[0], r[1] - rho * uhat[1], r[2] - rho * uhat[2]};
    project(mu, y);
    const double e[3] = {r[0] - y[0], r[1] - y[1], r[2] - y[2]};
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}

// Likewise of a law: r minus what the contact alone would answer if its W were 1 / rho.
static double law_map(const tal_local_law *law, const double r[3], const double u[3], double rho) {
    const tal_law_more more = {.pull = law->pull,
                               .softness = law->softness,
                               .slack = law->slack,
                               .slide = {law->slide[0], law->slide[1]}};
    const tal_contact c = {.bound = law->bound,
                           .friction = law->friction,
                           .percussion = {r[0], r[1], r[2]},
                           .more = &more};
    double e[3];
    tal_law_residual(&c, u, rho, e);
    // A law that takes the larger of two numbers does not see that one is none.
    return isnan(u[0] + u[1] + u[2]) ? NAN : e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}

// What one contact adds to the sums; largest distances where they are larger.
static void measure_contact(const tal_friction_problem *problem, int32_t k, const double r[3],
                            const double u[3], double mass, tal_friction_residual *sum) {
    const double mu = problem->friction[k], sliding = hypot(u[1], u[2]), held = hypot(r[1], r[2]);
    const double uhat[3] = {u[0] + mu * sliding, u[1], u[2]};
    const tal_local_law *law = problem->law != NULL ? &problem->law[k] : NULL;
    const double square = law != NULL ? law_map(law, r, u, mass) : natural_map(mu, r, uhat, mass);
    sum->by_mass += square;
    sum->by_velocity += square / (mass * mass);
    sum->by_unit += law != NULL ? law_map(law, r, u, 1.0) : natural_map(mu, r, uhat, 1.0);
    sum->outside_r = fmax(sum->outside_r, fmax(isinf(mu) ? 0.0 : held - mu * r[0], -r[0]));
    sum->outside_u = fmax(sum->outside_u, (law != NULL ? law->bound : 0.0) - u[0]);
    if (law == NULL) {
        sum->largest_gap = fmax(sum->largest_gap, fabs(r[0] * uhat[0] + r[1] * u[1] + r[2] * u[2]));
    }
}

static double length_of(int32_t count, const double *x) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static double ratio(double value, double scale) {
    return value == 0.0 ? 0.0 : value / scale;
}

tal_friction_residual tal_friction_problem_measure(const tal_friction_problem *problem,
                                                   const double *r, double *u) {
    const int32_t count = problem->w.count;
    tal_friction_residual sum = {0};
    double hidden = 0.0;
    tal_block_matrix_multiply(&problem->w, r, u);
    for (int32_t i = 0; i < 3 * count; i++) {
        u[i] += problem->q[i];
    }
    for (int32_t k = 0; k < count; k++) {
        const double *own = diagonal_block(problem, k), *rk = &r[3 * k];
        const double mass = 3.0 / (own[0] + own[4] + own[8]);
        measure_contact(problem, k, rk, &u[3 * k], mass, &sum);
        hidden += (rk[0] * rk[0] + rk[1] * rk[1] + rk[2] * rk[2]) / (mass * mass);
    }
    // What rounding hides behind large reactions counts as an error.
    const double velocity = sqrt(sum.by_velocity) + DBL_EPSILON * sqrt(hidden);
    const double length_r = length_of(3 * count, r), length_u = length_of(3 * count, u);
    const double speed = fmax(length_of(3 * count, problem->q), length_u);
    return (tal_friction_residual){ratio(sqrt(sum.by_mass), length_r),
                                   ratio(sqrt(sum.by_unit), fmax(speed, length_r)),
                                   ratio(velocity, speed),
                                   ratio(sum.outside_r, length_r),
                                   ratio(sum.outside_u, speed),
                                   ratio(sum.largest_gap, length_r * speed)};
}

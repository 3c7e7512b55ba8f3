// SPDX-License-Identifier: GPL-3.0-or-later
// A primal-dual interior point for the acd2 problem, one sparse Cholesky factor per iteration
// (CHOLMOD). The square of min(0, c x) is written with a slack s >= 0, s >= -c x. A reference.
#include "tests/reference/acd2_problem.h"

#include "core/base/memory.h"

#include <cholmod.h>
#include <math.h>
#include <string.h>

// Per contact: slacks p1 = c x - a, p3 = s + c x with multipliers r, z; s itself with multiplier y.
typedef struct {
    double p1, r;
    double s, y;
    double p3, z;
    double e1, e2, e3;   // complementarity errors
    double f1, f3, fs;   // linear errors
    double weight, push; // what elimination adds to matrix and right-hand side
    double stiffness, h; // of the slack s
    double dp1, dr, ds, dy, dp3, dz;
} cell;

typedef struct {
    const tal_acd2_problem *acd2;
    int32_t size;
    cell *cell;
    double *gradient, *step;
    double speed,
        push; // sizes of velocities and percussions: nothing is measured in absolute units
    cholmod_common common;
    cholmod_triplet *triplet;
    cholmod_factor *factor;
} interior;

static void set_sizes(interior *in) {
    const tal_acd2_problem *acd2 = in->acd2;
    for (int32_t n = 0; n < in->size; n++) {
        const double mass = acd2->mass[36 * (n / 6) + 7 * (n % 6)];
        in->push = fmax(in->push, fabs(acd2->right[n]));
        in->speed = mass > 0.0 ? fmax(in->speed, fabs(acd2->right[n]) / (2.0 * mass)) : in->speed;
    }
    in->push = in->push > 0.0 ? in->push : 1.0;
    in->speed = in->speed > 0.0 ? in->speed : 1.0;
}

static void start(interior *in, double *x) {
    const double v = in->speed, r = in->push;
    memset(x, 0, (size_t)in->size * sizeof *x);
    for (int32_t k = 0; k < in->acd2->contact_count; k++) {
        in->cell[k] = (cell){.p1 = v, .r = r, .s = v, .y = r, .p3 = v, .z = r};
    }
}

// fmax would pass over what is not a number.
static double larger(double a, double b) {
    return b > a || isnan(b) ? b : a;
}

static bool is_soft(const interior *in, int32_t k) {
    return in->acd2->kn[k] > 0.0;
}

// Mean complementarity.
static double measure_mu(const interior *in) {
    double sum = 0.0, count = 0.0;
    for (int32_t k = 0; k < in->acd2->contact_count; k++) {
        const cell *c = &in->cell[k];
        sum += c->p1 * c->r;
        count += 1.0;
        if (is_soft(in, k)) {
            sum += c->s * c->y + c->p3 * c->z;
            count += 2.0;
        }
    }
    return count > 0.0 ? sum / count : 0.0;
}

// Errors of all conditions at the present point; the centre of the complementarities is `target`.
static double set_errors(interior *in, const double *x, double target) {
    const tal_acd2_problem *acd2 = in->acd2;
    double worst = 0.0;
    tal_acd2_problem_apply(acd2, x, in->gradient);
    for (int32_t n = 0; n < in->size; n++) {
        in->gradient[n] -= acd2->right[n];
    }
    for (int32_t k = 0; k < acd2->contact_count; k++) {
        cell *c = &in->cell[k];
        const double d = tal_acd2_problem_velocity(acd2, k, 0, x);
        const bool soft = is_soft(in, k);
        c->f1 = c->p1 - (d - acd2->bound[k]);
        c->f3 = soft ? c->p3 - (c->s + d) : 0.0;
        c->fs = soft ? acd2->kn[k] * c->s - c->y - c->z : 0.0;
        c->e1 = c->p1 * c->r - target;
        c->e2 = c->s * c->y - target;
        c->e3 = c->p3 * c->z - target;
        tal_acd2_problem_add_row(acd2, k, 0, -(c->r + (soft ? c->z : 0.0)), in->gradient);
        worst = larger(worst, fabs(c->f1) / in->speed);
        worst = larger(worst, fabs(c->f3) / in->speed);
        worst = larger(worst, fabs(c->fs) / in->push);
    }
    for (int32_t n = 0; n < in->size; n++) {
        worst = larger(worst, fabs(in->gradient[n]) / in->push);
    }
    return worst;
}

// Eliminates everything but x: matrix weight and right-hand side of each contact.
static void eliminate(interior *in) {
    for (int32_t k = 0; k < in->acd2->contact_count; k++) {
        cell *c = &in->cell[k];
        c->weight = c->r / c->p1;
        c->push = (c->e1 - c->r * c->f1) / c->p1;
        if (is_soft(in, k)) {
            const double q = c->z / c->p3;
            c->stiffness = in->acd2->kn[k] + c->y / c->s + q;
            c->h = -c->fs - c->e2 / c->s - (c->e3 - c->z * c->f3) / c->p3;
            c->weight += q - q * q / c->stiffness;
            c->push += (c->e3 - c->z * c->f3) / c->p3 + q * c->h / c->stiffness;
        }
    }
}

static void add_entry(cholmod_triplet *t, int32_t row, int32_t column, double value) {
    if (row < column) { // the lower triangle is stored
        return;
    }
    ((int *)t->i)[t->nnz] = row;
    ((int *)t->j)[t->nnz] = column;
    ((double *)t->x)[t->nnz] = value;
    t->nnz++;
}

static void add_outer(interior *in, int32_t k, int axis, double weight) {
    const tal_acd2_problem *acd2 = in->acd2;
    for (int a = 0; a < 12; a++) {
        for (int b = 0; b < 12; b++) {
            const int32_t body_a = acd2->body[k][a / 6], body_b = acd2->body[k][b / 6];
            if (body_a >= 0 && body_b >= 0) {
                add_entry(in->triplet, 6 * body_a + a % 6, 6 * body_b + b % 6,
                          weight * acd2->row[k][axis][a] * acd2->row[k][axis][b]);
            }
        }
    }
}

static void assemble(interior *in) {
    const tal_acd2_problem *acd2 = in->acd2;
    in->triplet->nnz = 0;
    for (int32_t b = 0; b < acd2->body_count; b++) {
        const bool mobile = acd2->mass[36 * b] > 0.0;
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j <= i; j++) {
                const double value = mobile ? 2.0 * acd2->mass[36 * b + 6 * i + j] : i == j;
                add_entry(in->triplet, 6 * b + i, 6 * b + j, value);
            }
        }
    }
    for (int32_t k = 0; k < acd2->contact_count; k++) {
        add_outer(in, k, 0, in->cell[k].weight);
        add_outer(in, k, 1, acd2->kt[k]);
        add_outer(in, k, 2, acd2->kt[k]);
    }
}

static tal_status solve_newton(interior *in, tal_error *err) {
    assemble(in);
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(in->triplet, 0, &in->common);
    cholmod_dense *right = cholmod_zeros((size_t)in->size, 1, CHOLMOD_REAL, &in->common);
    tal_status status = TAL_FAIL(err, TAL_NOT_CONVERGED, "interior point: no Cholesky factor");
    if (matrix != NULL && right != NULL) {
        if (in->factor == NULL) {
            in->factor = cholmod_analyze(matrix, &in->common);
        }
        double *b = right->x;
        for (int32_t n = 0; n < in->size; n++) {
            b[n] = -in->gradient[n];
        }
        for (int32_t k = 0; k < in->acd2->contact_count; k++) {
            tal_acd2_problem_add_row(in->acd2, k, 0, -in->cell[k].push, b);
        }
        cholmod_factorize(matrix, in->factor, &in->common);
        const bool is_factored = in->factor != NULL && in->common.status == CHOLMOD_OK &&
                                 in->factor->minor == in->factor->n;
        cholmod_dense *solution =
            is_factored ? cholmod_solve(CHOLMOD_A, in->factor, right, &in->common) : NULL;
        if (solution != NULL) {
            memcpy(in->step, solution->x, (size_t)in->size * sizeof *in->step);
            cholmod_free_dense(&solution, &in->common);
            status = TAL_OK;
        }
    }
    cholmod_free_dense(&right, &in->common);
    cholmod_free_sparse(&matrix, &in->common);
    return status;
}

static double step_to_wall(double value, double change, double length) {
    return change < 0.0 ? fmin(length, -value / change) : length;
}

// The steps of the eliminated unknowns and how far one may go.
static double back_substitute(interior *in) {
    double length = 1.0;
    for (int32_t k = 0; k < in->acd2->contact_count; k++) {
        cell *c = &in->cell[k];
        const double d = tal_acd2_problem_velocity(in->acd2, k, 0, in->step);
        c->dp1 = d - c->f1;
        c->dr = (-c->e1 - c->r * c->dp1) / c->p1;
        length = step_to_wall(c->p1, c->dp1, step_to_wall(c->r, c->dr, length));
        if (is_soft(in, k)) {
            c->ds = (c->h - c->z / c->p3 * d) / c->stiffness;
            c->dy = (-c->e2 - c->y * c->ds) / c->s;
            c->dp3 = c->ds + d - c->f3;
            c->dz = (-c->e3 - c->z * c->dp3) / c->p3;
            length = step_to_wall(c->s, c->ds, step_to_wall(c->y, c->dy, length));
            length = step_to_wall(c->p3, c->dp3, step_to_wall(c->z, c->dz, length));
        }
    }
    return length;
}

static void take_step(interior *in, double length, double *x) {
    for (int32_t n = 0; n < in->size; n++) {
        x[n] += length * in->step[n];
    }
    for (int32_t k = 0; k < in->acd2->contact_count; k++) {
        cell *c = &in->cell[k];
        c->p1 += length * c->dp1;
        c->r += length * c->dr;
        if (is_soft(in, k)) {
            c->s += length * c->ds;
            c->y += length * c->dy;
            c->p3 += length * c->dp3;
            c->z += length * c->dz;
        }
    }
}

static tal_status run(interior *in, double tolerance, int iteration_max, double *x,
                      tal_reference_result *result, tal_error *err) {
    const double centering = 0.1, keep_off = 0.995;
    set_sizes(in);
    start(in, x);
    while (result->iterations < iteration_max) {
        const double mu = measure_mu(in);
        result->residual = larger(set_errors(in, x, centering * mu), mu / (in->speed * in->push));
        if (result->residual <= tolerance) {
            return TAL_OK;
        }
        if (isnan(result->residual)) {
            break;
        }
        eliminate(in);
        TAL_TRY(solve_newton(in, err));
        const double length = back_substitute(in);
        take_step(in, length < 1.0 ? keep_off * length : 1.0, x);
        result->iterations++;
    }
    return TAL_FAIL(err, TAL_NOT_CONVERGED, "interior point: residual %g after %d iterations",
                    result->residual, result->iterations);
}

static tal_status allocate(interior *in, tal_error *err) {
    const size_t size = (size_t)in->size, contacts = (size_t)in->acd2->contact_count;
    const size_t entries = 21 * (size_t)in->acd2->body_count + 3 * 144 * contacts;
    TAL_CREATE(in->cell, contacts, "interior-point cells", err);
    TAL_CREATE(in->gradient, size, "a gradient", err);
    TAL_CREATE(in->step, size, "a step", err);
    in->triplet = cholmod_allocate_triplet(size, size, entries, -1, CHOLMOD_REAL, &in->common);
    return in->triplet != NULL ? TAL_OK : tal_memory_failed(err, "a sparse matrix", entries, 16);
}

tal_status tal_interior_point_solve(const tal_acd2_problem *acd2, double tolerance,
                                    int iteration_max, double *x, tal_reference_result *result,
                                    tal_error *err) {
    interior in = {.acd2 = acd2, .size = 6 * acd2->body_count};
    *result = (tal_reference_result){0};
    cholmod_start(&in.common);
    in.common.print = 0;
    in.common.final_ll = 1; // L L', which a matrix that is not positive definite does not have
    tal_status status = allocate(&in, err);
    if (status == TAL_OK) {
        status = run(&in, tolerance, iteration_max, x, result, err);
    }
    cholmod_free_factor(&in.factor, &in.common);
    cholmod_free_triplet(&in.triplet, &in.common);
    cholmod_finish(&in.common);
    tal_memory_destroy(in.cell);
    tal_memory_destroy(in.gradient);
    tal_memory_destroy(in.step);
    return status;
}

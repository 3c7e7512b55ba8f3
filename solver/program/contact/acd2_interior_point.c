// SPDX-License-Identifier: GPL-3.0-or-later
// Two kinds of normal percussion, each at a wall of its own: s of the bound, with p = u_N - bound, and z of
// the dissipation, with y = u_N - pull + softness z; s p = 0 and z y = 0. All but r is eliminated:
//   (W + diag(1/g, slack, slack)) dr = right,  g = s/p + z/(y + softness z).
#include "core/base/memory.h"
#include "solver/program/contact/acd2.h"

#include <string.h>

static const double CENTRING = 0.1, KEEP_OFF = 0.995;
enum { REFINEMENTS = 3, STAGNATION_MAX = 50 };

typedef struct {
    double p, s, y, z;
    double p_error, y_error, push; // errors of the linear conditions; what elimination leaves
    double dp, ds, dy, dz;
} cell;

typedef struct {
    tal_finish_work work;
    tal_block_matrix system; // the pattern of W
    tal_block_factor factor;
    const tal_local_law *of; // scaled
    cell *cell;
    double *r, *best, *u, *right, *step;
    double best_residual;
} interior;

static bool is_soft(const interior *in, int32_t k) {
    return isfinite(in->of[k].softness);
}

// Contacts with a spring alone have no bound.
static bool is_bounded(const interior *in, int32_t k) {
    return isfinite(in->of[k].bound);
}

static void start(interior *in) {
    const int32_t count = in->work.scaled.w.count;
    double size = 0.0;
    for (int32_t i = 0; i < 3 * count; i++) {
        const tal_local_law *of = &in->of[i / 3];
        const double shift = i % 3 > 0 ? of->slide[i % 3 - 1] : is_soft(in, i / 3) ? of->pull : 0.0;
        size = fmax(size, fmax(fabs(in->work.scaled.q[i]), fabs(shift)));
    }
    size = size > 0.0 ? size : 1.0;
    for (int32_t k = 0; k < count; k++) {
        const bool soft = is_soft(in, k);
        in->cell[k] = (cell){
            .p = size, .s = is_bounded(in, k) ? size : 0.0, .y = size, .z = soft ? size : 0.0};
        in->r[3 * k] = in->cell[k].s + in->cell[k].z;
    }
}

static double centre_of(const interior *in) {
    double sum = 0.0;
    int32_t walls = 0;
    for (int32_t k = 0; k < in->work.scaled.w.count; k++) {
        sum += in->cell[k].p * in->cell[k].s + in->cell[k].y * in->cell[k].z;
        walls += is_soft(in, k) + is_bounded(in, k);
    }
    return sum / walls;
}

// g, and what elimination leaves on the right.
static double eliminate(const interior *in, int32_t k, double target, cell *c) {
    const tal_local_law *of = &in->of[k];
    const double *u = &in->u[3 * k];
    double g = 0.0;
    c->push = 0.0;
    if (is_bounded(in, k)) {
        c->p_error = c->p - (u[0] - of->bound);
        c->push = (target - c->p * c->s + c->s * c->p_error) / c->p;
        g = c->s / c->p;
    }
    if (is_soft(in, k)) {
        const double stiff = c->y + of->softness * c->z;
        c->y_error = c->y - (u[0] - of->pull + of->softness * c->z);
        c->push += (target - c->y * c->z + c->z * c->y_error) / stiff;
        g += c->z / stiff;
    }
    return g;
}

// Rows and columns of tangents without dissipation leave the system.
static void assemble(interior *in, double target) {
    const tal_block_matrix *w = &in->work.scaled.w;
    for (int32_t i = 0; i < w->count; i++) {
        for (int64_t n = w->start[i]; n < w->start[i + 1]; n++) {
            const bool row = isfinite(in->of[i].slack);
            const bool column = isfinite(in->of[w->column[n]].slack);
            for (int a = 0; a < 9; a++) {
                const bool is_in = (a / 3 == 0 || row) && (a % 3 == 0 || column);
                in->system.value[9 * n + a] = is_in ? w->value[9 * n + a] : 0.0;
            }
        }
        const double g = eliminate(in, i, target, &in->cell[i]);
        double *own = &in->system.value[9 * tal_finish_work_diagonal(&in->work, i)];
        own[0] += 1.0 / g;
        in->right[3 * i] = in->cell[i].push / g;
        for (int a = 1; a < 3; a++) {
            const double slack = in->of[i].slack;
            own[4 * a] += isfinite(slack) ? slack : 1.0;
            in->right[3 * i + a] =
                isfinite(slack)
                    ? -(in->u[3 * i + a] + in->of[i].slide[a - 1] + slack * in->r[3 * i + a])
                    : 0.0;
        }
    }
}

static double to_wall(double value, double change, double length) {
    return change < 0.0 ? fmin(length, -value / change) : length;
}

// The steps of what was eliminated, from the change of the normal velocity, and how far one may go.
static double substitute_back(interior *in, double target) {
    double length = 1.0;
    tal_block_matrix_multiply(&in->work.scaled.w, in->step, in->right);
    for (int32_t k = 0; k < in->work.scaled.w.count; k++) {
        cell *c = &in->cell[k];
        const double change = in->right[3 * k];
        if (is_bounded(in, k)) {
            c->dp = change - c->p_error;
            c->ds = (target - c->p * c->s - c->s * c->dp) / c->p;
            length = to_wall(c->p, c->dp, to_wall(c->s, c->ds, length));
        }
        if (is_soft(in, k)) {
            const double softness = in->of[k].softness, stiff = c->y + softness * c->z;
            c->dz = (target - c->y * c->z - c->z * (change - c->y_error)) / stiff;
            c->dy = change + softness * c->dz - c->y_error;
            length = to_wall(c->y, c->dy, to_wall(c->z, c->dz, length));
        }
    }
    return length < 1.0 ? KEEP_OFF * length : 1.0;
}

static void take_step(interior *in, double length) {
    for (int32_t k = 0; k < in->work.scaled.w.count; k++) {
        cell *c = &in->cell[k];
        c->p += length * c->dp;
        c->s += length * c->ds;
        c->y += length * c->dy;
        c->z += length * c->dz;
        in->r[3 * k] = c->s + c->z;
        in->r[3 * k + 1] += length * in->step[3 * k + 1];
        in->r[3 * k + 2] += length * in->step[3 * k + 2];
    }
}

static void set_velocities(interior *in) {
    tal_block_matrix_multiply(&in->work.scaled.w, in->r, in->u);
    for (int32_t i = 0; i < 3 * in->work.scaled.w.count; i++) {
        in->u[i] += in->work.scaled.q[i];
    }
}

static void run(interior *in, double tolerance, int iteration_max, int *iterations) {
    const size_t bytes = 3 * (size_t)in->work.scaled.w.count * sizeof *in->r;
    in->best_residual = tal_finish_work_measure(&in->work, in->best); // nothing may do
    if (in->best_residual <= tolerance) {
        return;
    }
    start(in);
    for (int idle = 0; *iterations < iteration_max && idle < STAGNATION_MAX; idle++) {
        const double target = CENTRING * centre_of(in);
        set_velocities(in);
        assemble(in, target);
        if (!tal_block_factor_compute(&in->factor, &in->system) ||
            !tal_block_factor_solve(&in->factor, &in->system, in->right, REFINEMENTS, in->step)) {
            return;
        }
        take_step(in, substitute_back(in, target));
        ++*iterations;
        const double residual = tal_finish_work_measure(&in->work, in->r);
        if (residual < in->best_residual) {
            idle = residual < 0.9 * in->best_residual ? 0 : idle;
            in->best_residual = residual;
            memcpy(in->best, in->r, bytes);
        }
        if (in->best_residual <= tolerance || !isfinite(residual)) {
            return;
        }
    }
}

static tal_status create_system(interior *in, tal_error *err) {
    const tal_block_matrix *w = &in->work.scaled.w;
    TAL_TRY(tal_block_matrix_create_like(&in->system, w, err));
    TAL_TRY(tal_block_factor_create(&in->factor, w->count, err));
    return tal_block_factor_analyse(&in->factor, &in->system, in->work.order, err);
}

static tal_status prepare(interior *in, const tal_friction_problem *problem, tal_error *err) {
    const size_t count = (size_t)problem->w.count;
    double **triple[] = {&in->r, &in->best, &in->u, &in->right, &in->step};
    TAL_TRY(tal_finish_work_create(&in->work, problem, err));
    in->of = in->work.scaled.law;
    TAL_CREATE(in->cell, count, "an interior point", err);
    for (size_t i = 0; i < sizeof triple / sizeof triple[0]; i++) {
        TAL_CREATE(*triple[i], 3 * count, "an interior point", err);
    }
    return create_system(in, err);
}

tal_status tal_acd2_interior_point(const tal_friction_problem *problem, double tolerance,
                                   int iteration_max, double *r, int *iterations, tal_error *err) {
    interior in = {.best_residual = INFINITY};
    tal_status status;
    *iterations = 0;
    TAL_TRY_OR_DONE(prepare(&in, problem, err));
    run(&in, tolerance, iteration_max, iterations);
    for (int32_t i = 0; i < 3 * problem->w.count; i++) {
        r[i] = in.work.scale[i / 3] * in.best[i];
    }
done:
    tal_finish_work_destroy(&in.work);
    tal_block_matrix_destroy(&in.system);
    tal_block_factor_destroy(&in.factor);
    tal_memory_destroy(in.cell);
    tal_memory_destroy(in.r);
    tal_memory_destroy(in.best);
    tal_memory_destroy(in.u);
    tal_memory_destroy(in.right);
    tal_memory_destroy(in.step);
    return status;
}

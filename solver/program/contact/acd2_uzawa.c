// SPDX-License-Identifier: GPL-3.0-or-later
// Normal percussions ascend: s by bound - u_N, z by -(u_N + before_N), each kept from becoming negative.
// Between two ascents the tangential ones are solved for: (W_TT + slack) r_T = -(q_T + slide + W_TN r_N).
#include "core/base/memory.h"
#include "solver/program/contact/acd2.h"

#include <string.h>

enum { LOOK_EVERY = 16 };
static const double INNER = 1e-30; // of the square of the right-hand side

typedef struct {
    tal_finish_work work;
    const tal_local_law *of;                      // scaled
    double *s, *z;                                // per contact
    double *r, *u, *residual, *direction, *along; // 3 per contact
} uzawa;

static bool has_tangent(const uzawa *u, int32_t i) {
    return i % 3 > 0 && isfinite(u->of[i / 3].slack);
}

static double dot(const uzawa *u, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < 3 * u->work.scaled.w.count; i++) {
        sum += has_tangent(u, i) ? a[i] * b[i] : 0.0;
    }
    return sum;
}

// Conjugate gradients, from the tangential percussions at hand.
static void solve_tangents(uzawa *u) {
    const tal_block_matrix *w = &u->work.scaled.w;
    const int32_t size = 3 * w->count;
    double scale = 0.0;
    tal_block_matrix_multiply(w, u->r, u->u);
    memset(u->direction, 0, (size_t)size * sizeof *u->direction);
    for (int32_t i = 0; i < size; i++) {
        if (has_tangent(u, i)) {
            const double free = u->work.scaled.q[i] + u->of[i / 3].slide[i % 3 - 1];
            u->residual[i] = -(free + u->u[i] + u->of[i / 3].slack * u->r[i]);
            u->direction[i] = u->residual[i];
            scale += free * free + u->u[i] * u->u[i];
        }
    }
    double square = dot(u, u->residual, u->residual);
    for (int32_t n = 0; n < 2 * size && !(square <= INNER * scale); n++) {
        tal_block_matrix_multiply(w, u->direction, u->along);
        for (int32_t i = 0; i < size; i++) {
            u->along[i] += has_tangent(u, i) ? u->of[i / 3].slack * u->direction[i] : 0.0;
        }
        const double length = square / dot(u, u->direction, u->along);
        for (int32_t i = 0; i < size; i++) {
            if (has_tangent(u, i)) {
                u->r[i] += length * u->direction[i];
                u->residual[i] -= length * u->along[i];
            }
        }
        const double next = dot(u, u->residual, u->residual);
        for (int32_t i = 0; i < size; i++) {
            u->direction[i] =
                has_tangent(u, i) ? u->residual[i] + next / square * u->direction[i] : 0.0;
        }
        square = next;
    }
}

// Half of 1 over a bound of the largest eigenvalue: s and z push at the same place.
static double ascent_of(const uzawa *u) {
    const tal_block_matrix *w = &u->work.scaled.w;
    double most = 0.0;
    for (int32_t i = 0; i < w->count; i++) {
        double sum = 0.0;
        for (int64_t n = w->start[i]; n < w->start[i + 1]; n++) {
            sum += fabs(w->value[9 * n]);
        }
        most = fmax(most, sum);
    }
    return 0.5 / most;
}

static double kept(double value) {
    return value < 0.0 ? 0.0 : value; // what is not a number stays that
}

static void ascend(uzawa *u, double length) {
    tal_block_matrix_multiply(&u->work.scaled.w, u->r, u->u);
    for (int32_t k = 0; k < u->work.scaled.w.count; k++) {
        const tal_local_law *of = &u->of[k];
        const double normal = u->u[3 * k] + u->work.scaled.q[3 * k];
        u->s[k] = kept(u->s[k] + length * (of->bound - normal));
        u->z[k] =
            isfinite(of->softness)
                ? kept((u->z[k] - length * (normal - of->pull)) / (1.0 + length * of->softness))
                : 0.0;
        u->r[3 * k] = u->s[k] + u->z[k];
    }
}

static tal_status prepare(uzawa *u, const tal_friction_problem *problem, tal_error *err) {
    const size_t count = (size_t)problem->w.count;
    double **triple[] = {&u->r, &u->u, &u->residual, &u->direction, &u->along};
    TAL_TRY(tal_finish_work_create(&u->work, problem, err));
    u->of = u->work.scaled.law;
    TAL_CREATE(u->s, count, "multipliers", err);
    TAL_CREATE(u->z, count, "multipliers", err);
    for (size_t i = 0; i < sizeof triple / sizeof triple[0]; i++) {
        TAL_CREATE(*triple[i], 3 * count, "percussions", err);
    }
    return TAL_OK;
}

tal_status tal_acd2_uzawa(const tal_friction_problem *problem, double tolerance, int iteration_max,
                          double *r, int *iterations, tal_error *err) {
    uzawa u = {0};
    tal_status status;
    *iterations = 0;
    TAL_TRY_OR_DONE(prepare(&u, problem, err));
    const double length = ascent_of(&u);
    while (*iterations < iteration_max) {
        ascend(&u, length);
        solve_tangents(&u);
        const bool is_look = ++*iterations % LOOK_EVERY == 0 || *iterations == iteration_max;
        if (is_look) {
            const double residual = tal_finish_work_measure(&u.work, u.r);
            if (residual <= tolerance || !isfinite(residual)) {
                break;
            }
        }
    }
    for (int32_t i = 0; i < 3 * problem->w.count; i++) {
        r[i] = u.work.scale[i / 3] * u.r[i];
    }
done:
    tal_finish_work_destroy(&u.work);
    tal_memory_destroy(u.s);
    tal_memory_destroy(u.z);
    tal_memory_destroy(u.r);
    tal_memory_destroy(u.u);
    tal_memory_destroy(u.residual);
    tal_memory_destroy(u.direction);
    tal_memory_destroy(u.along);
    return status;
}

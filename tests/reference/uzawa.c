// SPDX-License-Identifier: GPL-3.0-or-later
// Uzawa's method: projected ascent on the multipliers, conjugate gradients for the velocities.
// Slow and simple: a reference.
#include "tests/reference/acd2_problem.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

typedef struct {
    int32_t size;
    double *load, *residual, *direction, *product;
    double *bound_multiplier;    // of c x >= a
    double *softness_multiplier; // kn max(0, -c x)
} uzawa;

static double dot(int32_t size, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t n = 0; n < size; n++) {
        sum += a[n] * b[n];
    }
    return sum;
}

// (2M + sum kt T'T) x = load, from the x at hand.
static void solve_linear(const tal_acd2_problem *acd2, uzawa *u, double *x) {
    tal_acd2_problem_apply(acd2, x, u->product);
    for (int32_t n = 0; n < u->size; n++) {
        u->residual[n] = u->load[n] - u->product[n];
        u->direction[n] = u->residual[n];
    }
    double square = dot(u->size, u->residual, u->residual);
    const double goal = 1e-30 * dot(u->size, u->load, u->load);
    for (int32_t n = 0; n < 4 * u->size && !(square <= goal); n++) {
        tal_acd2_problem_apply(acd2, u->direction, u->product);
        const double step = square / dot(u->size, u->direction, u->product);
        for (int32_t m = 0; m < u->size; m++) {
            x[m] += step * u->direction[m];
            u->residual[m] -= step * u->product[m];
        }
        const double next = dot(u->size, u->residual, u->residual);
        for (int32_t m = 0; m < u->size; m++) {
            u->direction[m] = u->residual[m] + next / square * u->direction[m];
        }
        square = next;
    }
}

static void set_load(const tal_acd2_problem *acd2, uzawa *u) {
    memcpy(u->load, acd2->right, (size_t)u->size * sizeof *u->load);
    for (int32_t k = 0; k < acd2->contact_count; k++) {
        tal_acd2_problem_add_row(acd2, k, 0, u->bound_multiplier[k] + u->softness_multiplier[k],
                                 u->load);
    }
}

// 1 / (sum of c (2M)^-1 c'): below 2 / (largest eigenvalue of the dual), so the ascent converges.
static double ascent_step(const tal_acd2_problem *acd2, uzawa *u) {
    double sum = 0.0;
    for (int32_t k = 0; k < acd2->contact_count; k++) {
        double *x = u->residual; // scratch
        memset(u->load, 0, (size_t)u->size * sizeof *u->load);
        tal_acd2_problem_add_row(acd2, k, 0, 1.0, u->load);
        memset(x, 0, (size_t)u->size * sizeof *x);
        for (int32_t b = 0; b < acd2->body_count; b++) {
            const double *mass = &acd2->mass[36 * b];
            if (mass[0] > 0.0) { // a lower bound of the mass matrix is enough
                for (int f = 0; f < 6; f++) {
                    double off = 0.0;
                    for (int g = 0; g < 6; g++) {
                        off += f == g ? 0.0 : fabs(mass[6 * f + g]);
                    }
                    const double least = fmax(mass[7 * f] - off, 1e-3 * mass[7 * f]);
                    x[6 * b + f] = u->load[6 * b + f] / (2.0 * least);
                }
            }
        }
        sum += dot(u->size, u->load, x);
    }
    return 1.0 / sum;
}

static double ascend(const tal_acd2_problem *acd2, uzawa *u, double step, const double *x) {
    double change = 0.0, size = 0.0;
    for (int32_t k = 0; k < acd2->contact_count; k++) {
        const double d = tal_acd2_problem_velocity(acd2, k, 0, x);
        const double kn = acd2->kn[k];
        if (isnan(d)) { // fmax would make it a zero
            return NAN;
        }
        const double r = fmax(0.0, u->bound_multiplier[k] + step * (acd2->bound[k] - d));
        const double z = u->softness_multiplier[k];
        const double soft = kn > 0.0 ? fmax(0.0, (z - step * d) / (1.0 + step / kn)) : 0.0;
        change += fabs(r - u->bound_multiplier[k]) + fabs(soft - z);
        size += r + soft;
        u->bound_multiplier[k] = r;
        u->softness_multiplier[k] = soft;
    }
    return size == 0.0 ? 0.0 : change / size;
}

static tal_status run(const tal_acd2_problem *acd2, double tolerance, int iteration_max, uzawa *u,
                      double *x, tal_reference_result *result, tal_error *err) {
    const double step = acd2->contact_count > 0 ? ascent_step(acd2, u) : 1.0;
    memset(x, 0, (size_t)u->size * sizeof *x);
    do {
        set_load(acd2, u);
        solve_linear(acd2, u, x);
        result->residual = ascend(acd2, u, step, x);
        result->iterations++;
    } while (result->residual > tolerance && result->iterations < iteration_max);
    return result->residual <= tolerance
               ? TAL_OK
               : TAL_FAIL(err, TAL_NOT_CONVERGED, "Uzawa: residual %g after %d iterations",
                          result->residual, result->iterations);
}

static tal_status allocate(const tal_acd2_problem *acd2, uzawa *u, tal_error *err) {
    const size_t size = 6 * (size_t)acd2->body_count;
    const size_t contacts = (size_t)acd2->contact_count;
    u->size = 6 * acd2->body_count;
    TAL_CREATE(u->load, size, "a load", err);
    TAL_CREATE(u->residual, size, "a residual", err);
    TAL_CREATE(u->direction, size, "a direction", err);
    TAL_CREATE(u->product, size, "a product", err);
    TAL_CREATE(u->bound_multiplier, contacts, "multipliers", err);
    TAL_CREATE(u->softness_multiplier, contacts, "multipliers", err);
    return TAL_OK;
}

tal_status tal_uzawa_solve(const tal_acd2_problem *acd2, double tolerance, int iteration_max,
                           double *x, tal_reference_result *result, tal_error *err) {
    uzawa u = {0};
    *result = (tal_reference_result){0};
    tal_status status = allocate(acd2, &u, err);
    if (status == TAL_OK) {
        status = run(acd2, tolerance, iteration_max, &u, x, result, err);
    }
    tal_memory_destroy(u.load);
    tal_memory_destroy(u.residual);
    tal_memory_destroy(u.direction);
    tal_memory_destroy(u.product);
    tal_memory_destroy(u.bound_multiplier);
    tal_memory_destroy(u.softness_multiplier);
    return status;
}

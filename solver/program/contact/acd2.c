// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/program/contact/acd2.h"

#include "core/base/memory.h"

void tal_acd2_law_destroy(tal_acd2_law *law) {
    tal_memory_destroy(law->kn);
    tal_memory_destroy(law->kt);
    tal_memory_destroy(law->before);
    tal_memory_destroy(law->bound);
    *law = (tal_acd2_law){0};
}

tal_status tal_acd2_check(const tal_acd2_law *law, int32_t count, tal_error *err) {
    tal_error_reset(err);
    for (int32_t k = 0; k < count; k++) {
        const double *before = &law->before[3 * k];
        if (!(law->kn[k] >= 0.0 && isfinite(law->kn[k]) && law->kt[k] >= 0.0 &&
              isfinite(law->kt[k]))) {
            tal_error_add(err, TAL_BAD_INPUT, "contact %d: kn = %g and kt = %g must be 0 or more",
                          k, law->kn[k], law->kt[k]);
        }
        if (!isfinite(before[0] + before[1] + before[2] +
                      (law->bound != NULL ? law->bound[k] : 0.0))) {
            tal_error_add(err, TAL_BAD_INPUT, "contact %d: before or bound is not a number", k);
        }
    }
    return err->message_count > 0 ? err->status : TAL_OK;
}

static double over(double k) {
    return k > 0.0 ? 2.0 / k : INFINITY;
}

tal_acd2_scaled tal_acd2_scale(const tal_finish_work *work, const tal_acd2_law *law, int32_t k) {
    const double s = work->scale[k];
    return (tal_acd2_scaled){
        .softness = s * s * over(law->kn[k]),
        .slack = s * s * over(law->kt[k]),
        .bound = law->bound != NULL ? s * law->bound[k] : 0.0,
        .before = {s * law->before[3 * k], s * law->before[3 * k + 1], s * law->before[3 * k + 2]}};
}

// |r - answer|^2: what the contact alone, of inverse mass 1/rho, would make of the velocity without it.
static double error_square(const tal_acd2_law *law, int32_t k, const double r[3], const double u[3],
                           double rho) {
    const double *before = &law->before[3 * k];
    const double bound = law->bound != NULL ? law->bound[k] : 0.0, alone = u[0] - r[0] / rho;
    const double rigid = rho * (bound - alone);
    const double soft = -(alone + before[0]) / (over(law->kn[k]) + 1.0 / rho);
    double answer = rigid > soft ? rigid : soft, sum = 0.0;
    answer = answer > 0.0 ? answer : (isnan(answer) ? NAN : 0.0);
    sum += (r[0] - answer) * (r[0] - answer);
    for (int a = 1; a < 3; a++) {
        const double held = -(u[a] - r[a] / rho + before[a]) / (over(law->kt[k]) + 1.0 / rho);
        sum += (r[a] - held) * (r[a] - held);
    }
    return sum;
}

static double ratio(double square, double scale) {
    return square == 0.0 ? 0.0 : sqrt(square) / sqrt(scale);
}

tal_friction_residual tal_acd2_measure(const tal_friction_problem *problem, const tal_acd2_law *law,
                                       const double *r, double *u) {
    double by_mass = 0.0, by_unit = 0.0, by_velocity = 0.0, size_r = 0.0, size_u = 0.0,
           size_q = 0.0;
    tal_block_matrix_multiply(&problem->w, r, u);
    for (int32_t k = 0; k < problem->w.count; k++) {
        const double *own = &problem->w.value[9 * tal_block_matrix_find(&problem->w, k, k)];
        const double rho = 3.0 / (own[0] + own[4] + own[8]);
        for (int a = 0; a < 3; a++) {
            const double q = problem->q[3 * k + a];
            u[3 * k + a] += q;
            size_r += r[3 * k + a] * r[3 * k + a];
            size_u += u[3 * k + a] * u[3 * k + a];
            size_q += q * q;
        }
        const double square = error_square(law, k, &r[3 * k], &u[3 * k], rho);
        by_mass += square;
        by_velocity += square / (rho * rho);
        by_unit += error_square(law, k, &r[3 * k], &u[3 * k], 1.0);
    }
    const double speed = size_u > size_q ? size_u : size_q;
    return (tal_friction_residual){.by_mass = ratio(by_mass, size_r),
                                   .by_unit = ratio(by_unit, speed > size_r ? speed : size_r),
                                   .by_velocity = ratio(by_velocity, speed)};
}

double tal_acd2_measure_scaled(tal_finish_work *work, const tal_acd2_law *law,
                               const double *scaled_r) {
    for (int32_t i = 0; i < 3 * work->given->w.count; i++) {
        work->r[i] = work->scale[i / 3] * scaled_r[i];
    }
    const tal_friction_residual residual = tal_acd2_measure(work->given, law, work->r, work->u);
    return tal_friction_residual_worst(&residual);
}

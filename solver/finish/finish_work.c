// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/finish/finish_work.h"

#include "core/base/memory.h"
#include "solver/finish/ordering.h"

#include <math.h>
#include <string.h>

int64_t tal_finish_work_diagonal(const tal_finish_work *work, int32_t k) {
    return tal_block_matrix_find(&work->scaled.w, k, k);
}

// Velocities times `s`, percussions over it.
static tal_local_law scale_law(const tal_friction_problem *given, int32_t k, double s) {
    const tal_local_law law = given->law != NULL ? given->law[k] : tal_dry_law(given->friction[k]);
    return (tal_local_law){s * law.bound,
                           s * law.pull,
                           s * s * law.softness,
                           s * s * law.slack,
                           {s * law.slide[0], s * law.slide[1]},
                           law.friction};
}

// Reactions and velocities of heavy and light contacts become comparable; cones keep their shape.
static void scale_problem(tal_finish_work *work) {
    const tal_friction_problem *given = work->given;
    tal_friction_problem *scaled = &work->scaled;
    const int32_t count = given->w.count;
    for (int32_t k = 0; k < count; k++) {
        const double *own = &given->w.value[9 * tal_block_matrix_find(&given->w, k, k)];
        work->scale[k] = sqrt(3.0 / (own[0] + own[4] + own[8]));
        scaled->friction[k] = given->friction[k];
        scaled->law[k] = scale_law(given, k, work->scale[k]);
        for (int a = 0; a < 3; a++) {
            scaled->q[3 * k + a] = work->scale[k] * given->q[3 * k + a];
        }
    }
    memcpy(scaled->w.start, given->w.start, ((size_t)count + 1) * sizeof *scaled->w.start);
    for (int32_t i = 0; i < count; i++) {
        for (int64_t p = given->w.start[i]; p < given->w.start[i + 1]; p++) {
            const int32_t j = given->w.column[p];
            scaled->w.column[p] = j;
            for (int a = 0; a < 9; a++) {
                scaled->w.value[9 * p + a] =
                    work->scale[i] * given->w.value[9 * p + a] * work->scale[j];
            }
        }
    }
}

static tal_status prepare(tal_finish_work *work, tal_error *err) {
    const int32_t count = work->given->w.count;
    const int64_t blocks = work->given->w.start[count];
    TAL_TRY(tal_friction_problem_create(&work->scaled, count, blocks, err));
    TAL_CREATE(work->scaled.law, (size_t)count, "laws of contacts", err);
    TAL_CREATE(work->scale, (size_t)count, "scales of contacts", err);
    TAL_CREATE(work->order, (size_t)count, "an order of contacts", err);
    TAL_CREATE(work->r, 3 * (size_t)count, "reactions", err);
    TAL_CREATE(work->u, 3 * (size_t)count, "velocities", err);
    scale_problem(work);
    TAL_TRY(tal_ordering_find(&work->scaled.w, work->order, err));
    return tal_contact_system_create(&work->contacts, &work->scaled.w, work->order, err);
}

tal_status tal_finish_work_create(tal_finish_work *work, const tal_friction_problem *problem,
                                  tal_error *err) {
    *work = (tal_finish_work){.given = problem};
    const tal_status status = prepare(work, err);
    if (status != TAL_OK) {
        tal_finish_work_destroy(work);
    }
    return status;
}

void tal_finish_work_destroy(tal_finish_work *work) {
    tal_friction_problem_destroy(&work->scaled);
    tal_memory_destroy(work->scale);
    tal_memory_destroy(work->order);
    tal_memory_destroy(work->r);
    tal_memory_destroy(work->u);
    tal_contact_system_destroy(&work->contacts);
    *work = (tal_finish_work){0};
}

double tal_finish_work_measure(tal_finish_work *work, const double *scaled_r) {
    for (int32_t k = 0; k < work->given->w.count; k++) {
        for (int a = 0; a < 3; a++) {
            work->r[3 * k + a] = work->scale[k] * scaled_r[3 * k + a];
        }
    }
    const tal_friction_residual residual =
        tal_friction_problem_measure(work->given, work->r, work->u);
    return tal_friction_residual_worst(&residual);
}

bool tal_finish_work_factorise(tal_finish_work *work) {
    const tal_block_factor *factor = tal_contact_system_factor(&work->contacts);
    work->factorisation_count++;
    // One system beyond its limit is the end: the next would be no smaller.
    work->flops += factor->flops > factor->flops_max ? INFINITY : factor->flops;
    const bool done = tal_contact_system_factorise(&work->contacts);
    if (factor->perturbed_count > work->perturbed_max) {
        work->perturbed_max = factor->perturbed_count;
    }
    return done;
}

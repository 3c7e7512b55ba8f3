// SPDX-License-Identifier: GPL-3.0-or-later
// The acd2 contact problem as a convex program.
#include "tests/reference/acd2_problem.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

static tal_mat3 invert_symmetric(const double m[6]) {
    const double c00 = m[3] * m[5] - m[4] * m[4], c01 = m[2] * m[4] - m[1] * m[5];
    const double c02 = m[1] * m[4] - m[2] * m[3], c11 = m[0] * m[5] - m[2] * m[2];
    const double c12 = m[1] * m[2] - m[0] * m[4], c22 = m[0] * m[3] - m[1] * m[1];
    const double s = 1.0 / (m[0] * c00 + m[1] * c01 + m[2] * c02);
    return (tal_mat3){
        {{c00 * s, c01 * s, c02 * s}, {c01 * s, c11 * s, c12 * s}, {c02 * s, c12 * s, c22 * s}}};
}

static void set_body(tal_acd2_problem *acd2, const tal_percussion_problem *problem,
                     const tal_rigid_motion *before, int32_t b) {
    const tal_inertia *inertia = &problem->inertia[b];
    if (inertia->inverse_mass == 0.0) {
        return;
    }
    double *mass = &acd2->mass[36 * b];
    const tal_mat3 moment = invert_symmetric(inertia->inverse_inertia);
    for (int i = 0; i < 3; i++) {
        mass[7 * i] = 1.0 / inertia->inverse_mass;
        for (int j = 0; j < 3; j++) {
            mass[6 * (i + 3) + j + 3] = moment.m[i][j];
        }
    }
    const tal_vec3 v = tal_vec3_add(before[b].v, problem->motion[b].v);
    const tal_vec3 w = tal_vec3_add(before[b].w, problem->motion[b].w);
    const double sum[6] = {v.x, v.y, v.z, w.x, w.y, w.z}; // 2 M u- + b = M (u- + u_free)
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            acd2->right[6 * b + i] += mass[6 * i + j] * sum[j];
        }
    }
}

static void set_row(double row[6], tal_vec3 axis, tal_vec3 arm, double sign) {
    const tal_vec3 lever = tal_vec3_cross(arm, axis);
    const double full[6] = {axis.x, axis.y, axis.z, lever.x, lever.y, lever.z};
    for (int f = 0; f < 6; f++) {
        row[f] = sign * full[f];
    }
}

static tal_status set_contact(tal_acd2_problem *acd2, const tal_percussion_problem *problem,
                              const tal_rigid_motion *before, const tal_pair *pair, int32_t k,
                              tal_error *err) {
    const tal_contact *c = &problem->contact[k];
    const tal_vec3 axis[3] = {pair->normal, pair->tangent_1, pair->tangent_2};
    double d[3];
    if (isfinite(c->friction) || c->more->floor != 0.0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "contact %d: the reference solvers know acd2 only", k);
    }
    for (int f = 0; f < 3; f++) {
        set_row(&acd2->row[k][f][0], axis[f], tal_arm(c->arm_i), 1.0);
        set_row(&acd2->row[k][f][6], axis[f], tal_arm(c->arm_j), -1.0);
    }
    const int32_t i = pair->body_i, j = pair->body_j;
    acd2->body[k][0] = problem->inertia[i].inverse_mass > 0.0 ? i : -1;
    acd2->body[k][1] = problem->inertia[j].inverse_mass > 0.0 ? j : -1;
    tal_relative_velocity(pair, c, &before[i], &before[j], d);
    acd2->bound[k] = 0.5 * (c->bound + d[0]);
    acd2->kn[k] = isinf(c->more->softness) ? 0.0 : 2.0 / c->more->softness;
    acd2->kt[k] = isinf(c->more->slack) ? 0.0 : 2.0 / c->more->slack;
    return TAL_OK;
}

static tal_status fill(tal_acd2_problem *acd2, const tal_percussion_problem *problem,
                       const tal_rigid_motion *before, tal_error *err) {
    const size_t bodies = (size_t)problem->body_count, contacts = (size_t)problem->contact_count;
    TAL_CREATE(acd2->mass, 36 * bodies, "mass matrices", err);
    TAL_CREATE(acd2->right, 6 * bodies, "a right-hand side", err);
    TAL_CREATE(acd2->row, contacts, "contact rows", err);
    TAL_CREATE(acd2->body, contacts, "contact bodies", err);
    TAL_CREATE(acd2->bound, contacts, "bounds", err);
    TAL_CREATE(acd2->kn, contacts, "kn", err);
    TAL_CREATE(acd2->kt, contacts, "kt", err);
    for (int32_t b = 0; b < problem->body_count; b++) {
        set_body(acd2, problem, before, b);
    }
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        for (int32_t n = 0; n < pair->contact_count; n++) {
            TAL_TRY(set_contact(acd2, problem, before, pair, pair->first_contact + n, err));
        }
    }
    return TAL_OK;
}

tal_status tal_acd2_problem_create(tal_acd2_problem *acd2, const tal_percussion_problem *problem,
                                   const tal_rigid_motion *before, tal_error *err) {
    *acd2 = (tal_acd2_problem){.body_count = problem->body_count,
                               .contact_count = problem->contact_count};
    const tal_status status = fill(acd2, problem, before, err);
    if (status != TAL_OK) {
        tal_acd2_problem_destroy(acd2);
    }
    return status;
}

void tal_acd2_problem_destroy(tal_acd2_problem *acd2) {
    if (acd2 == NULL) {
        return;
    }
    tal_memory_destroy(acd2->mass);
    tal_memory_destroy(acd2->right);
    tal_memory_destroy(acd2->row);
    tal_memory_destroy(acd2->body);
    tal_memory_destroy(acd2->bound);
    tal_memory_destroy(acd2->kn);
    tal_memory_destroy(acd2->kt);
    *acd2 = (tal_acd2_problem){0};
}

double tal_acd2_problem_velocity(const tal_acd2_problem *acd2, int32_t k, int axis,
                                 const double *x) {
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        const int32_t b = acd2->body[k][side];
        for (int f = 0; b >= 0 && f < 6; f++) {
            sum += acd2->row[k][axis][6 * side + f] * x[6 * b + f];
        }
    }
    return sum;
}

void tal_acd2_problem_add_row(const tal_acd2_problem *acd2, int32_t k, int axis, double s,
                              double *target) {
    for (int side = 0; side < 2; side++) {
        const int32_t b = acd2->body[k][side];
        for (int f = 0; b >= 0 && f < 6; f++) {
            target[6 * b + f] += s * acd2->row[k][axis][6 * side + f];
        }
    }
}

void tal_acd2_problem_apply(const tal_acd2_problem *acd2, const double *x, double *target) {
    for (int32_t b = 0; b < acd2->body_count; b++) {
        for (int i = 0; i < 6; i++) {
            double sum = 0.0;
            for (int j = 0; j < 6; j++) {
                sum += acd2->mass[36 * b + 6 * i + j] * x[6 * b + j];
            }
            target[6 * b + i] = 2.0 * sum;
        }
    }
    for (int32_t k = 0; k < acd2->contact_count; k++) {
        for (int axis = 1; acd2->kt[k] > 0.0 && axis < 3; axis++) {
            const double d = tal_acd2_problem_velocity(acd2, k, axis, x);
            tal_acd2_problem_add_row(acd2, k, axis, acd2->kt[k] * d, target);
        }
    }
}

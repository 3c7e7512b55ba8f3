// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a contact problem before and after the sweeps: masses, velocities, scales.
#include "solver/percussion/general_kernel.h"

void tal_contact_effective_mass(const tal_percussion_problem *problem, const tal_pair *pair,
                                int32_t k) {
    if (pair->is_general) {
        tal_general_effective_mass(problem, pair, k);
        return;
    }
    tal_contact *contact = &problem->contact[k];
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

void tal_contact_velocity(const tal_percussion_problem *problem, const tal_pair *pair, int32_t k,
                          double d[3]) {
    if (pair->is_general) {
        tal_general_velocity(problem, pair, k, problem->motion, TAL_GENERAL_MOTION, d);
    } else {
        tal_relative_velocity(pair, &problem->contact[k], &problem->motion[pair->body_i],
                              &problem->motion[pair->body_j], d);
    }
}

void tal_contact_velocity_before(const tal_percussion_problem *problem, const tal_pair *pair,
                                 int32_t k, double d[3]) {
    if (pair->is_general) {
        tal_general_velocity(problem, pair, k, problem->before, TAL_GENERAL_BEFORE, d);
    } else {
        tal_relative_velocity(pair, &problem->contact[k], &problem->before[pair->body_i],
                              &problem->before[pair->body_j], d);
    }
}

void tal_set_energy_scales(const tal_percussion_problem *problem, double speed_min) {
    for (int32_t p = 0; p < problem->pair_count; p++) {
        tal_pair *pair = &problem->pair[p];
        pair->energy_scale = tal_general_energy_scale(problem, pair->body_i, speed_min) +
                             tal_general_energy_scale(problem, pair->body_j, speed_min);
    }
}

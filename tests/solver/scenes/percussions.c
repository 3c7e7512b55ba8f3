// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems put together by hand.
#include "tests/solver/scenes/percussions.h"

#include <math.h>
#include <string.h>

void hand_reset(hand_made *h, double dt, tal_vec3 gravity) {
    memset(h, 0, sizeof *h);
    h->dt = dt;
    h->gravity = gravity;
}

int32_t hand_add_body(hand_made *h, double mass, tal_vec3 inertia, tal_vec3 v, tal_vec3 w) {
    const int32_t b = h->body_count++;
    h->mass[b] = mass;
    h->before[b] = (tal_rigid_motion){.v = v, .w = w};
    h->inertia[b] = (tal_inertia){
        .inverse_mass = 1.0 / mass,
        .inverse_inertia = {1.0 / inertia.x, 0.0, 0.0, 1.0 / inertia.y, 0.0, 1.0 / inertia.z}};
    return b;
}

int32_t hand_add_contact(hand_made *h, int32_t i, int32_t j, tal_vec3 arm_i, tal_vec3 arm_j,
                         tal_vec3 normal, double gap, tal_law law) {
    const int32_t k = h->contact_count++;
    h->law[k] = law;
    h->pair[k] = (tal_pair){
        .body_i = i, .body_j = j, .first_contact = k, .contact_count = 1, .normal = normal};
    tal_vec3_tangents(normal, &h->pair[k].tangent_1, &h->pair[k].tangent_2);
    h->contact[k] =
        (tal_contact){.arm_i = {arm_i.x, arm_i.y, arm_i.z}, .arm_j = {arm_j.x, arm_j.y, arm_j.z}};
    h->data[k].gap = gap;
    return k;
}

static void judge(hand_made *h, int32_t k) {
    tal_pair *pair = &h->pair[k];
    tal_contact_data *data = &h->data[k];
    if (pair->body_j < 0) {
        pair->body_j = h->body_count; // known only now
    }
    double free[3];
    tal_contact_effective_mass(&h->problem, pair, k);
    tal_relative_velocity(pair, &h->contact[k], &h->before[pair->body_i], &h->before[pair->body_j],
                          data->before);
    tal_relative_velocity(pair, &h->contact[k], &h->motion[pair->body_i], &h->motion[pair->body_j],
                          free);
    data->dt = h->dt;
    data->kn = h->law[k].kn_kg;
    data->kt = h->law[k].kt_kg;
    data->stiffness = h->law[k].stiffness_n_m;
    data->damping = h->law[k].damping_n_s_m;
    data->closing = data->gap + h->dt * free[0] < 0.0;
    data->impact = data->closing && -data->before[0] > 2.0 * tal_vec3_length(h->gravity) * h->dt;
    tal_law_prepare(&h->law[k], data, &h->contact[k], &h->more[k]);
    for (int f = 0; f < 3; f++) {
        h->contact[k].percussion[f] = 0.0;
    }
}

static double kinetic_energy(const hand_made *h, const tal_rigid_motion *motion) {
    double sum = 0.0;
    for (int32_t b = 0; b < h->body_count; b++) {
        const double *inverse = h->inertia[b].inverse_inertia;
        const tal_vec3 v = motion[b].v, w = motion[b].w;
        sum += 0.5 * h->mass[b] * tal_vec3_dot(v, v);
        sum += 0.5 * (w.x * w.x / inverse[0] + w.y * w.y / inverse[3] + w.z * w.z / inverse[5]);
    }
    return sum;
}

void hand_prepare(hand_made *h) {
    const int32_t count = h->contact_count;
    h->color_end = count;
    h->island = (tal_island){.pair_count = count,
                             .body_count = h->body_count,
                             .color_count = 1,
                             .last_color_is_serial = true};
    for (int32_t b = 0; b < h->body_count; b++) {
        h->island_body[b] = b;
    }
    h->problem = (tal_percussion_problem){.body_count = h->body_count,
                                          .motion = h->motion,
                                          .before = h->before,
                                          .inertia = h->inertia,
                                          .pair_count = count,
                                          .pair = h->pair,
                                          .contact_count = count,
                                          .contact = h->contact,
                                          .island_count = 1,
                                          .island = &h->island,
                                          .island_body = h->island_body,
                                          .color_end = &h->color_end,
                                          .thread_count = 1};
    h->work = (tal_solver_work){.change = h->change,
                                .last = h->last,
                                .error = h->error,
                                .change_sum = h->change_sum,
                                .listed = h->listed,
                                .island_result = &h->island_result,
                                .is_listed = h->is_listed,
                                .motion_last = h->motion_last,
                                .near_body = h->near_body,
                                .is_near = h->is_near};
    for (int32_t b = 0; b < h->body_count; b++) {
        h->motion[b] = h->before[b];
        h->motion[b].v = tal_vec3_add_scaled(h->before[b].v, h->dt, h->gravity);
    }
    for (int32_t k = 0; k < count; k++) {
        judge(h, k);
    }
    tal_set_energy_scales(&h->problem, h->dt * tal_vec3_length(h->gravity));
}

tal_solver_result hand_solve(hand_made *h, double tolerance, int iteration_max) {
    const tal_solver_goal goal = {
        .tolerance = tolerance, .sweeps_min = 1, .sweeps_max = iteration_max};
    tal_solver_result result;
    hand_prepare(h);
    tal_solve_percussions(&h->problem, &h->work, NULL, &goal, &result);
    return result;
}

void hand_velocity(const hand_made *h, int32_t k, double d[3]) {
    const tal_pair *pair = &h->pair[k];
    tal_relative_velocity(pair, &h->contact[k], &h->motion[pair->body_i], &h->motion[pair->body_j],
                          d);
}

double hand_work(const hand_made *h, int32_t k) {
    double d[3], sum = 0.0;
    hand_velocity(h, k, d);
    for (int f = 0; f < 3; f++) {
        sum += 0.5 * h->contact[k].percussion[f] * (d[f] + h->data[k].before[f]);
    }
    return sum;
}

double hand_energy_change(const hand_made *h) {
    return kinetic_energy(h, h->motion) - kinetic_energy(h, h->before);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/percussion/batch.h"

#include <float.h>
#include <math.h>
#include <string.h>

const tal_batch_kernel *tal_batch_kernel_best(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        return &tal_batch_kernel_avx2;
    }
#endif
    return &tal_batch_kernel_plain;
}

void tal_batch_clear(tal_batch *batch, tal_batch_point *point, int32_t ground) {
    const int32_t count = batch->point_count, first = batch->first_point;
    const tal_lanes one = (tal_lanes){0} + 1.0f;
    memset(batch, 0, sizeof *batch);
    memset(point, 0, (size_t)count * sizeof *point);
    batch->point_count = count;
    batch->first_point = first;
    batch->energy_scale = batch->mass = one;
    for (int lane = 0; lane < TAL_LANES; lane++) {
        batch->pair[lane] = -1;
        batch->body_i[lane] = batch->body_j[lane] = ground;
    }
    for (int32_t k = 0; k < count; k++) {
        point[k].bound = -FLT_MAX * one;
        point[k].friction = one;
    }
}

static void set_values(tal_lanes *to, int lane, const double *from, int count, double unit) {
    for (int f = 0; f < count; f++) {
        to[f][lane] = (float)(from[f] * unit);
    }
}

static void set_vector(tal_lanes to[3], int lane, tal_vec3 from) {
    set_values(to, lane, (const double[3]){from.x, from.y, from.z}, 3, 1.0);
}

static void set_inertia(tal_lanes to[7], int lane, const tal_inertia *from, double mass) {
    set_values(to, lane, &from->inverse_mass, 1, mass);
    set_values(&to[1], lane, from->inverse_inertia, 6, mass);
}

static void set_point(tal_batch_point *to, int lane, const tal_contact *c, double mass) {
    double inverse[6];
    tal_sticking_inverse(c, inverse);
    set_values(to->w, lane, c->w, 6, mass);
    set_values(to->inverse, lane, inverse, 6, 1.0 / mass);
    set_values(to->arm_i, lane, c->arm_i, 3, 1.0);
    set_values(to->arm_j, lane, c->arm_j, 3, 1.0);
    to->bound[lane] = (float)fmax(c->bound, -(double)FLT_MAX);
    to->friction[lane] = (float)c->friction;
    to->inverse_normal[lane] = (float)(c->inverse_normal / mass);
    to->weight[lane] = (float)(tal_mean_inverse_mass(c) * mass);
}

void tal_batch_set_lane(tal_batch *batch, tal_batch_point *point, int lane, int32_t number,
                        const tal_pair *pair, const tal_contact *contact,
                        const tal_inertia *inertia) {
    const float unit = (float)(1.0 / tal_mean_inverse_mass(&contact[pair->first_contact]));
    const double mass = (double)unit;
    batch->pair[lane] = number;
    batch->body_i[lane] = pair->body_i;
    batch->body_j[lane] = pair->body_j;
    batch->first_contact[lane] = pair->first_contact;
    batch->contact_count[lane] = pair->contact_count;
    batch->flows = pair->flows; // all of them, or none
    batch->mass[lane] = unit;
    set_vector(batch->normal, lane, pair->normal);
    set_vector(batch->tangent_1, lane, pair->tangent_1);
    set_vector(batch->tangent_2, lane, pair->tangent_2);
    set_inertia(batch->inertia_i, lane, &inertia[pair->body_i], mass);
    set_inertia(batch->inertia_j, lane, &inertia[pair->body_j], mass);
    batch->energy_scale[lane] = (float)(pair->energy_scale / mass);
    for (int32_t k = 0; k < pair->contact_count; k++) {
        set_point(&point[k], lane, &contact[pair->first_contact + k], mass);
    }
}

void tal_batch_load(const tal_batch *batch, tal_batch_percussion *percussion,
                    const tal_contact *contact) {
    memset(percussion, 0, (size_t)batch->point_count * sizeof *percussion);
    for (int lane = 0; lane < TAL_LANES; lane++) {
        const double mass = (double)batch->mass[lane];
        for (int32_t k = 0; k < batch->contact_count[lane]; k++) {
            const tal_contact *c = &contact[batch->first_contact[lane] + k];
            set_values(percussion[k].percussion, lane, c->percussion, 3, 1.0 / mass);
            percussion[k].lambda[lane] = (float)(c->lambda * mass);
        }
    }
}

void tal_batch_store(const tal_batch *batch, const tal_batch_percussion *percussion,
                     tal_contact *contact) {
    for (int lane = 0; lane < TAL_LANES; lane++) {
        const double mass = (double)batch->mass[lane];
        for (int32_t k = 0; k < batch->contact_count[lane]; k++) {
            tal_contact *c = &contact[batch->first_contact[lane] + k];
            for (int f = 0; f < 3; f++) {
                c->percussion[f] = (double)percussion[k].percussion[f][lane] * mass;
            }
            c->lambda = (double)percussion[k].lambda[lane] / mass;
        }
    }
}

void tal_batch_go_on(const tal_batch *batch, tal_batch_percussion *percussion,
                     const tal_batch_course *course, double beta) {
    for (int32_t k = 0; beta != 0.0 && k < batch->point_count; k++) {
        for (int f = 0; f < 3; f++) {
            tal_lanes *now = &percussion[k].percussion[f];
            *now += (float)beta * (*now - course[k].last[f]);
        }
    }
}

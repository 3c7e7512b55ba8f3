// SPDX-License-Identifier: GPL-3.0-or-later
// The floating frame of reference, projected: the frame moves as a rigid body whose inertia follows the
// deformation, the field in it has no rigid part. Numbers in brackets: docs/theory/deformable.md.
#include "solver/deformable/kinematics.h"

#include "solver/deformable/eigen3.h"
#include "solver/deformable/solid_parts.h"
#include "solver/motion/rotation.h"

#include <math.h>
#include <string.h>

// A product that was made of the same numbers before is not made again: the end of a step and the beginning of
// the next ask for the same ones.
static const double *product_of(const tal_solid *s, const tal_soft_product *memo, const double *x,
                                void (*multiply)(const tal_solid *, const double *, double *)) {
    const size_t size = 3 * (size_t)s->node_count * sizeof *x;
    if (memcmp(memo->of, x, size) != 0) {
        memcpy(memo->of, x, size);
        multiply(s, x, memo->product);
    }
    return memo->product;
}

static const double *mass_field(const tal_soft_body *soft) {
    return product_of(soft->solid, &soft->mass_field, soft->field, tal_solid_multiply_mass);
}

static const double *mass_rate(const tal_soft_body *soft) {
    return product_of(soft->solid, &soft->mass_rate, soft->rate, tal_solid_multiply_mass);
}

static const double *stiffness_field(const tal_soft_body *soft) {
    return product_of(soft->solid, &soft->stiffness_field, soft->field,
                      tal_solid_multiply_stiffness);
}

// (11): S = sum M (X + d)(X + d)', from M d
static tal_mat3 inertia_of(const tal_soft_body *soft, const double *md) {
    const tal_solid *s = soft->solid;
    tal_mat3 euler = s->euler;
    s->kernel->add_moment(s->node_count, &s->mass_node->x, md, soft->field, euler.m);
    return tal_inertia_of_euler(&euler);
}

// int rho d x v', with M d at hand
static tal_vec3 inner_momentum(const tal_soft_body *soft, const double *md) {
    tal_vec3 sum = {0};
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        sum =
            tal_vec3_add(sum, tal_vec3_cross(tal_node_value(md, a), tal_node_value(soft->rate, a)));
    }
    return sum;
}

static tal_quat quat_of(const tal_mat3 *r) {
    const double(*m)[3] = r->m;
    const double trace = m[0][0] + m[1][1] + m[2][2];
    tal_quat q;
    if (trace > 0.0) {
        q = (tal_quat){1.0 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
        q = (tal_quat){m[2][1] - m[1][2], 1.0 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0],
                       m[0][2] + m[2][0]};
    } else if (m[1][1] >= m[2][2]) {
        q = (tal_quat){m[0][2] - m[2][0], m[0][1] + m[1][0], 1.0 + m[1][1] - m[0][0] - m[2][2],
                       m[1][2] + m[2][1]};
    } else {
        q = (tal_quat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1],
                       1.0 + m[2][2] - m[0][0] - m[1][1]};
    }
    return tal_quat_normalize(q);
}

// M d for the field half a step on: M d and M l are there already.
static const double *mass_field_at(const tal_soft_body *soft, double h) {
    const double *md = mass_field(soft), *ml = mass_rate(soft);
    for (int32_t k = 0; k < 3 * soft->solid->node_count; k++) {
        soft->other[k] = md[k] + h * ml[k];
    }
    return soft->other;
}

// (12): the exact motion of a rigid body with the inertia of the moment; what the field turns in itself
// turns the frame back.
static void turn_frame(tal_state *state, tal_soft_body *soft, double h, const double *md) {
    const int32_t b = soft->body;
    const tal_mat3 inertia = inertia_of(soft, md);
    const tal_eigen3 principal = tal_eigen3_find(&inertia);
    const tal_quat axes = quat_of(&principal.axis);
    const tal_vec3 moments = {principal.value[0], principal.value[1], principal.value[2]};
    tal_quat q = tal_quat_multiply(state->orientation[b], axes);
    tal_rotation_advance(moments, state->momentum[b], h, &q);
    const tal_mat3 inverse = tal_mat3_inverse_symmetric(&inertia);
    const tal_vec3 back =
        tal_vec3_scale(tal_mat3_apply(&inverse, inner_momentum(soft, md)), -0.5 * h);
    q = tal_quat_multiply(q, tal_quat_conjugate(axes));
    q = tal_quat_multiply(q, (tal_quat){1.0, back.x, back.y, back.z});
    state->orientation[b] = tal_quat_normalize(q);
}

static void advance_field(tal_soft_body *soft, double h) {
    for (int32_t k = 0; k < 3 * soft->solid->node_count; k++) {
        soft->field[k] += h * soft->rate[k];
    }
}

static tal_vec3 spin_of(const tal_state *state, const tal_soft_body *soft) {
    const tal_mat3 inertia = inertia_of(soft, mass_field(soft));
    const tal_mat3 inverse = tal_mat3_inverse_symmetric(&inertia);
    const tal_mat3 r = tal_quat_matrix(state->orientation[soft->body]);
    const tal_vec3 l = tal_mat3_apply_transposed(&r, state->momentum[soft->body]);
    return tal_mat3_apply(&r, tal_mat3_apply(&inverse, l));
}

static void advance(tal_state *state, tal_soft_body *soft, double h) {
    const int32_t b = soft->body;
    state->position[b] = tal_vec3_add_scaled(state->position[b], h, state->velocity[b]);
    const double *half_way = mass_field_at(soft, 0.5 * h);
    advance_field(soft, 0.5 * h);
    turn_frame(state, soft, h, half_way);
    advance_field(soft, 0.5 * h);
    state->spin[b] = spin_of(state, soft);
}

static void begin(tal_state *state, tal_soft_body *soft) {
    const size_t size = 3 * (size_t)soft->solid->node_count * sizeof *soft->field;
    const tal_mat3 r = tal_quat_matrix(state->orientation[soft->body]);
    const tal_vec3 w = tal_mat3_apply_transposed(&r, state->spin[soft->body]);
    memset(soft->field, 0, size);
    memset(soft->rate, 0, size);
    state->momentum[soft->body] = tal_mat3_apply(
        &r, tal_mat3_apply(&soft->solid->inertia, w)); // of the masses in use, to the last bit
}

// (10): h (|w|^2 x - w (w.x)) per node
static void add_centrifugal(const tal_soft_body *soft, const double *md, tal_vec3 w,
                            double *force) {
    const double h = soft->level->step.h, square = tal_vec3_dot(w, w);
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        const tal_vec3 mx = tal_vec3_add(soft->solid->mass_node[a], tal_node_value(md, a));
        const double along = tal_vec3_dot(w, mx);
        force[3 * a] += h * (square * mx.x - along * w.x);
        force[3 * a + 1] += h * (square * mx.y - along * w.y);
        force[3 * a + 2] += h * (square * mx.z - along * w.z);
    }
}

static void set_inertia(const tal_mat3 *r, const tal_mat3 *inverse, tal_inertia *inertia) {
    int entry = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++) {
                    sum += r->m[i][k] * inverse->m[k][l] * r->m[j][l];
                }
            }
            inertia->inverse_inertia[entry++] = sum;
        }
    }
}

// (7), with the products at hand. Forces that are those at the beginning of the step alone are, too.
static void set_free_rate(tal_soft_body *soft) {
    const tal_solid *s = soft->solid;
    const tal_elastic_step *t = &soft->level->step;
    const double *inner = stiffness_field(soft), *momentum = mass_rate(soft);
    double *load = soft->scratch;
    if (t->h * t->p0 + s->beta * t->r0 != 0.0 || s->alpha * t->r0 != 0.0) {
        tal_linear_force(soft, soft->field, soft->rate_before, NULL, soft->other);
        inner = soft->other;
    }
    for (int32_t k = 0; k < 3 * s->node_count; k++) {
        load[k] = momentum[k] + soft->force[k] - t->h * inner[k];
    }
    tal_solid_solve(s, soft->level, load, soft->substitution, soft->rate_free);
}

static void load(const tal_model *model, tal_state *state, tal_soft_body *soft) {
    (void)model;
    const int32_t b = soft->body;
    const tal_solid *s = soft->solid;
    const size_t size = 3 * (size_t)s->node_count * sizeof *soft->field;
    const double *md = mass_field(soft);
    soft->frame_inertia = inertia_of(soft, md);
    const tal_mat3 inverse = tal_mat3_inverse_symmetric(&soft->frame_inertia);
    soft->rotation = tal_quat_matrix(state->orientation[b]);
    soft->inertia.inverse_mass = 1.0 / s->total_mass;
    set_inertia(&soft->rotation, &inverse, &soft->inertia);
    const tal_vec3 w =
        tal_mat3_apply(&inverse, tal_mat3_apply_transposed(&soft->rotation, state->momentum[b]));
    state->spin[b] = tal_mat3_apply(&soft->rotation, w);
    memcpy(soft->rate_before, soft->rate, size);
    memset(soft->force, 0, size);
    add_centrifugal(soft, md, w, soft->force);
    set_free_rate(soft);
    tal_solid_project(s, soft->rate_free);
}

static void store(const tal_model *model, tal_state *state, tal_soft_body *soft,
                  const double *change) {
    (void)model;
    const int32_t b = soft->body;
    const tal_solid *s = soft->solid;
    const double *now = soft->motion, *then = soft->before;
    for (int32_t k = 0; k < 3 * s->node_count; k++) {
        soft->rate[k] = soft->rate_free[k] + change[k];
    }
    tal_solid_project(s, soft->rate);
    state->velocity[b] = (tal_vec3){now[0], now[1], now[2]};
    const tal_vec3 turned = {now[4] - then[4], now[5] - then[5], now[6] - then[6]};
    const tal_vec3 gained =
        tal_mat3_apply(&soft->frame_inertia, tal_mat3_apply_transposed(&soft->rotation, turned));
    state->momentum[b] = tal_vec3_add(state->momentum[b], tal_mat3_apply(&soft->rotation, gained));
    state->spin[b] = (tal_vec3){now[4], now[5], now[6]};
    tal_linear_force(soft, soft->field, soft->rate_before, soft->rate, soft->force);
    soft->elastic_work = 0.5 * soft->level->step.h *
                         (tal_field_dot(s, soft->force, soft->rate_before) +
                          tal_field_dot(s, soft->force, soft->rate));
}

static tal_energy energy(const tal_state *state, const tal_soft_body *soft) {
    const int32_t b = soft->body;
    const tal_solid *s = soft->solid;
    return (tal_energy){.translation = 0.5 * s->total_mass *
                                       tal_vec3_dot(state->velocity[b], state->velocity[b]),
                        .rotation = 0.5 * tal_vec3_dot(state->momentum[b], state->spin[b]),
                        .deformation = 0.5 * tal_field_dot(s, soft->rate, mass_rate(soft)),
                        .strain = 0.5 * tal_field_dot(s, soft->field, stiffness_field(soft))};
}

// (11): the momentum that the field has in itself turns with no frame.
static tal_vec3 true_spin(const tal_state *state, const tal_soft_body *soft) {
    const double *md = mass_field(soft);
    const tal_mat3 inertia = inertia_of(soft, md);
    const tal_mat3 inverse = tal_mat3_inverse_symmetric(&inertia);
    const tal_mat3 r = tal_quat_matrix(state->orientation[soft->body]);
    const tal_vec3 l = tal_mat3_apply_transposed(&r, state->momentum[soft->body]);
    const tal_vec3 own = tal_vec3_subtract(l, inner_momentum(soft, md));
    return tal_mat3_apply(&r, tal_mat3_apply(&inverse, own));
}

static tal_vec3 node_velocity(const tal_state *state, const tal_soft_body *soft, int32_t node) {
    const int32_t b = soft->body;
    const tal_vec3 x = tal_vec3_add(soft->solid->node[node], tal_node_value(soft->field, node));
    const tal_vec3 arm = tal_quat_rotate(state->orientation[b], x);
    const tal_vec3 own = tal_quat_rotate(state->orientation[b], tal_node_value(soft->rate, node));
    return tal_vec3_add(state->velocity[b],
                        tal_vec3_add(tal_vec3_cross(true_spin(state, soft), arm), own));
}

static void displace(tal_state *state, tal_soft_body *soft, tal_vec3 shift, tal_quat turn) {
    const int32_t b = soft->body;
    state->position[b] = tal_vec3_add(state->position[b], shift);
    state->orientation[b] = tal_quat_normalize(tal_quat_multiply(turn, state->orientation[b]));
    state->momentum[b] = tal_quat_rotate(turn, state->momentum[b]);
    state->spin[b] = tal_quat_rotate(turn, state->spin[b]);
}

static void refresh(tal_state *state, tal_soft_body *soft) {
    state->spin[soft->body] = spin_of(state, soft);
}

const tal_kinematics_row tal_floating_frame = {.name = "floating-frame",
                                               .has_frame = true,
                                               .begin = begin,
                                               .advance = advance,
                                               .load = load,
                                               .store = store,
                                               .energy = energy,
                                               .node_velocity = node_velocity,
                                               .displace = displace,
                                               .refresh = refresh};

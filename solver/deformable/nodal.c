// SPDX-License-Identifier: GPL-3.0-or-later
// Kinematics whose unknowns are the positions of the nodes: total Lagrangian with the Saint
// Venant-Kirchhoff law, corotational, small deformation; pseudo-rigid bodies are total Lagrangian with
// four nodes. Numbers in brackets: docs/theory/deformable.md.
#include "solver/deformable/kinematics.h"

#include "solver/deformable/solid_parts.h"

#include <math.h>
#include <string.h>

// Newton steps of a motion without contacts, and the size of the last one relative to the velocities: to
// rounding at the end, roughly before contacts are known.
enum { STEPS_MAX = 30 };
static const double SETTLED = 1e-13, ROUGHLY = 1e-4;

static size_t field_size(const tal_soft_body *soft) {
    return 3 * (size_t)soft->solid->node_count * sizeof *soft->field;
}

// Turns a field from the axes of the body to world axes, or back.
static void turn(const tal_soft_body *soft, const double *from, bool to_world, double *to) {
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        const tal_vec3 v = tal_node_value(from, a);
        tal_node_set(to, a,
                     to_world ? tal_mat3_apply(&soft->rotation, v)
                              : tal_mat3_apply_transposed(&soft->rotation, v));
    }
}

static tal_vec3 mean_of(const tal_solid *s, const double *field) {
    tal_vec3 sum = {0};
    for (int32_t a = 0; a < s->node_count; a++) {
        sum = tal_vec3_add_scaled(sum, s->row_mass[a], tal_node_value(field, a));
    }
    return tal_vec3_scale(sum, 1.0 / s->total_mass);
}

// (13): the rotation for which sum m X x (R'x) = 0, from the one before.
static tal_quat mean_rotation(const tal_soft_body *soft, tal_vec3 centre, tal_quat q) {
    const tal_solid *s = soft->solid;
    double moment[3][3] = {{0}}; // sum m x X'
    for (int32_t a = 0; a < s->node_count; a++) {
        const tal_vec3 from = tal_vec3_subtract(tal_node_value(soft->field, a), centre);
        const double x[3] = {from.x, from.y, from.z};
        const double y[3] = {s->mass_node[a].x, s->mass_node[a].y, s->mass_node[a].z};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                moment[i][j] += x[i] * y[j];
            }
        }
    }
    for (int round = 0; round < 50; round++) {
        const tal_mat3 r = tal_quat_matrix(q);
        double c[3][3]; // (R'x) X'
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                c[i][j] =
                    r.m[0][i] * moment[0][j] + r.m[1][i] * moment[1][j] + r.m[2][i] * moment[2][j];
            }
        }
        const tal_vec3 twist = {c[2][1] - c[1][2], c[0][2] - c[2][0], c[1][0] - c[0][1]};
        const tal_vec3 half = tal_vec3_scale(tal_mat3_apply(&s->inverse, twist), 0.5);
        q = tal_quat_normalize(tal_quat_multiply(q, (tal_quat){1.0, half.x, half.y, half.z}));
        if (tal_vec3_length(half) < 1e-15) {
            break;
        }
    }
    return q;
}

static tal_vec3 momentum_of(const tal_state *state, const tal_soft_body *soft) {
    const tal_solid *s = soft->solid;
    tal_vec3 sum = {0};
    tal_solid_multiply_mass(s, soft->rate, soft->other);
    for (int32_t a = 0; a < s->node_count; a++) {
        const tal_vec3 arm =
            tal_vec3_subtract(tal_node_value(soft->field, a), state->position[soft->body]);
        sum = tal_vec3_add(sum, tal_vec3_cross(arm, tal_node_value(soft->other, a)));
    }
    return sum;
}

static void refresh(tal_state *state, tal_soft_body *soft) {
    const int32_t b = soft->body;
    const tal_mat3 r = tal_quat_matrix(state->orientation[b]);
    state->spin[b] =
        tal_mat3_apply(&r, tal_mat3_apply(&soft->solid->inverse,
                                          tal_mat3_apply_transposed(&r, state->momentum[b])));
}

// What others ask of a body: where it is as a whole and how it moves.
static void follow(tal_state *state, tal_soft_body *soft) {
    const int32_t b = soft->body;
    const tal_solid *s = soft->solid;
    state->position[b] = mean_of(s, soft->field);
    state->velocity[b] = mean_of(s, soft->rate);
    state->orientation[b] = mean_rotation(soft, state->position[b], state->orientation[b]);
    state->momentum[b] = momentum_of(state, soft);
    refresh(state, soft);
}

static void begin(tal_state *state, tal_soft_body *soft) {
    const int32_t b = soft->body;
    const tal_mat3 r = tal_quat_matrix(state->orientation[b]);
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        const bool held = soft->solid->is_held[a] != 0;
        const tal_vec3 arm = tal_mat3_apply(&r, soft->solid->node[a]);
        const tal_vec3 v = tal_vec3_add(state->velocity[b], tal_vec3_cross(state->spin[b], arm));
        tal_node_set(soft->field, a, tal_vec3_add(state->position[b], arm));
        tal_node_set(soft->rate, a, tal_vec3_scale(v, held ? 0.0 : 1.0));
    }
    follow(state, soft);
}

static void advance(tal_state *state, tal_soft_body *soft, double h) {
    for (int32_t k = 0; k < 3 * soft->solid->node_count; k++) {
        soft->field[k] += h * soft->rate[k];
    }
    follow(state, soft);
}

// Displacement in the axes of the body; rigid parts do not matter to K.
static void displacement_of(const tal_state *state, const tal_soft_body *soft, double *d) {
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        const tal_vec3 arm =
            tal_vec3_subtract(tal_node_value(soft->field, a), state->position[soft->body]);
        tal_node_set(d, a,
                     tal_vec3_subtract(tal_mat3_apply_transposed(&soft->rotation, arm),
                                       soft->solid->node[a]));
    }
}

static void set_rotation(const tal_model *model, tal_state *state, tal_soft_body *soft) {
    const bool is_small = soft->solid->kinematics == TAL_KINEMATICS_SMALL;
    const tal_quat q =
        is_small ? model->start_orientation[soft->body] : state->orientation[soft->body];
    soft->rotation = tal_quat_matrix(q);
    turn(soft, soft->rate, false, soft->rate_before);
    soft->inertia.inverse_mass = 1.0 / soft->solid->total_mass;
    int entry = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 9; k++) {
                sum += soft->rotation.m[i][k / 3] * soft->solid->inverse.m[k / 3][k % 3] *
                       soft->rotation.m[j][k % 3];
            }
            soft->inertia.inverse_inertia[entry++] = sum;
        }
    }
}

// h M g in the axes of the body
static void add_weight(const tal_model *model, const tal_soft_body *soft, double *force) {
    const tal_vec3 g = tal_mat3_apply_transposed(&soft->rotation, model->settings.gravity_mps2);
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        const double share = soft->level->step.h * soft->solid->row_mass[a];
        force[3 * a] += share * g.x;
        force[3 * a + 1] += share * g.y;
        force[3 * a + 2] += share * g.z;
    }
}

static void load_linear(const tal_model *model, tal_state *state, tal_soft_body *soft) {
    set_rotation(model, state, soft);
    memset(soft->force, 0, field_size(soft));
    add_weight(model, soft, soft->force);
    displacement_of(state, soft, soft->other);
    tal_linear_free_rate(soft, soft->other);
}

// Gradient of the positions x + h (c0 before + c1 after) at a point of an element (world axes).
static tal_mat3 deformation(const tal_soft_body *soft, int32_t e, const tal_solid_point *point,
                            const double *x) {
    const tal_solid *s = soft->solid;
    tal_mat3 f = {0};
    for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
        const double *at = &x[3 * s->element_node[n]];
        const double *slope = point->gradient[n - s->node_start[e]];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                f.m[i][j] += at[i] * slope[j];
            }
        }
    }
    return f;
}

// (15): adds -share int (F S) grad N for the positions from and to, world axes. The mean of F with the
// mean of S keeps energy and angular momentum.
static void add_inner_force(const tal_soft_body *soft, const double *from, const double *to,
                            double share, double *force) {
    const tal_solid *s = soft->solid;
    for (int32_t e = 0; e < s->element_count; e++) {
        for (int32_t p = s->point_start[e]; p < s->point_start[e + 1]; p++) {
            const tal_solid_point *point = &s->point[p];
            tal_mat3 f = deformation(soft, e, point, to), strain = tal_green_strain(&f);
            if (from != to) {
                const tal_mat3 g = deformation(soft, e, point, from), other = tal_green_strain(&g);
                for (int k = 0; k < 9; k++) {
                    f.m[k / 3][k % 3] = 0.5 * (f.m[k / 3][k % 3] + g.m[k / 3][k % 3]);
                    strain.m[k / 3][k % 3] = 0.5 * (strain.m[k / 3][k % 3] + other.m[k / 3][k % 3]);
                }
            }
            const tal_mat3 stress = tal_elasticity_stress(s->law, &strain);
            const tal_mat3 pk = tal_mat3_multiply(&f, &stress);
            for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
                const double *slope = point->gradient[n - s->node_start[e]];
                const tal_vec3 pull = tal_mat3_apply(&pk, (tal_vec3){slope[0], slope[1], slope[2]});
                double *at = &force[3 * s->element_node[n]];
                at[0] -= share * point->volume * pull.x;
                at[1] -= share * point->volume * pull.y;
                at[2] -= share * point->volume * pull.z;
            }
        }
    }
}

// Inner force of the step, world axes, into `force`, for rates after in the axes of the body.
static void inner_force_of_step(const tal_soft_body *soft, const double *after, double *from,
                                double *to, double *force) {
    const tal_elastic_step *t = &soft->level->step;
    const bool is_mean = t->p0 < 0.0; // scheme moreau: the field is half a step on
    turn(soft, after, true, to);
    for (int32_t k = 0; k < 3 * soft->solid->node_count; k++) {
        const double reach = is_mean ? 0.5 : t->p1;
        to[k] = soft->field[k] + reach * t->h * to[k];
        from[k] = soft->field[k] - 0.5 * t->h * soft->rate[k];
    }
    memset(force, 0, field_size(soft));
    add_inner_force(soft, is_mean ? from : to, to, 1.0, force);
}

// beta K (and alpha M) times the rates of the step, axes of the body; negative.
static void add_damping(const tal_soft_body *soft, const double *after, double *work,
                        double *force) {
    const tal_solid *s = soft->solid;
    const tal_elastic_step *t = &soft->level->step;
    if (s->alpha == 0.0 && s->beta == 0.0) {
        return;
    }
    double *rate = work, *product = work + 3 * s->node_count;
    for (int32_t k = 0; k < 3 * s->node_count; k++) {
        rate[k] = t->r0 * soft->rate_before[k] + t->r1 * after[k];
    }
    tal_solid_multiply_mass(s, rate, product);
    for (int32_t k = 0; k < 3 * s->node_count; k++) {
        force[k] -= s->alpha * product[k];
    }
    tal_solid_multiply_stiffness(s, rate, product);
    for (int32_t k = 0; k < 3 * s->node_count; k++) {
        force[k] -= s->beta * product[k];
    }
}

// All inner forces of the step in the axes of the body, into soft->other. Uses soft->scratch.
static void all_inner_forces(const tal_soft_body *soft, const double *after) {
    double *from = soft->scratch, *to = from + 3 * soft->solid->node_count,
           *world = to + 3 * soft->solid->node_count;
    inner_force_of_step(soft, after, from, to, world);
    turn(soft, world, false, soft->other);
    add_damping(soft, after, soft->scratch, soft->other);
}

// (14): one step of Newton's method with the constant factor, turned: the change of `rate` that takes
// M (rate - before) - h f - percussions away, percussions and weight in soft->force. Returns its size.
static double correct(const tal_model *model, tal_soft_body *soft, double *rate, double *change) {
    const tal_solid *s = soft->solid;
    const int32_t size = 3 * s->node_count;
    double *left = soft->scratch + size, largest = 0.0;
    double fastest = soft->level->step.h * tal_vec3_length(model->settings.gravity_mps2) + 1e-300;
    all_inner_forces(soft, rate);
    for (int32_t k = 0; k < size; k++) {
        left[k] = rate[k] - soft->rate_before[k];
    }
    tal_solid_multiply_mass(s, left, soft->scratch);
    for (int32_t k = 0; k < size; k++) {
        const bool held = s->is_held[k / 3] != 0;
        left[k] =
            held ? 0.0 : soft->level->step.h * soft->other[k] + soft->force[k] - soft->scratch[k];
    }
    tal_solid_solve(s, soft->level, left, soft->substitution, change);
    for (int32_t k = 0; k < size; k++) {
        rate[k] += change[k];
        largest = fmax(largest, fabs(change[k]));
        fastest = fmax(fastest, fabs(rate[k]));
    }
    return largest / fastest;
}

static void load_lagrangian(const tal_model *model, tal_state *state, tal_soft_body *soft) {
    double *change = soft->scratch + 2 * 3 * soft->solid->node_count;
    set_rotation(model, state, soft);
    memset(soft->force, 0, field_size(soft));
    add_weight(model, soft, soft->force);
    memcpy(soft->rate_free, soft->rate_before, field_size(soft));
    for (int step = 0; step < STEPS_MAX; step++) {
        if (correct(model, soft, soft->rate_free, change) <= ROUGHLY) {
            break;
        }
    }
}

// Without contacts there is nothing to wait for.
static double settle_alone(const tal_model *model, tal_soft_body *soft, double *change) {
    double last = INFINITY;
    memset(soft->force, 0, field_size(soft));
    add_weight(model, soft, soft->force);
    for (int step = 0; step < STEPS_MAX; step++) {
        const double size = correct(model, soft, soft->rate_free, change);
        if (size <= SETTLED || (size < 1e-11 && size > 0.5 * last)) { // rounding
            break;
        }
        last = size;
    }
    return 0.0;
}

static double settle(const tal_model *model, tal_state *state, tal_soft_body *soft) {
    (void)state;
    const int32_t size = 3 * soft->solid->node_count;
    double *rate = soft->scratch + 3 * size, *change = soft->scratch + 2 * size;
    if (soft->active_count == 0) {
        return settle_alone(model, soft, change);
    }
    tal_solid_solve(soft->solid, soft->level, soft->force, soft->substitution, rate);
    for (int32_t k = 0; k < size; k++) {
        rate[k] += soft->rate_free[k];
    }
    add_weight(model, soft, soft->force);
    const double moved = correct(model, soft, rate, change);
    for (int32_t k = 0; k < size; k++) {
        soft->rate_free[k] += change[k];
    }
    for (int32_t n = 0; n < soft->active_count; n++) {
        const int32_t node = soft->solid->surface_node[soft->active_slot[n]];
        for (int i = 0; i < 3; i++) {
            soft->motion[8 + 3 * n + i] += change[3 * node + i];
        }
    }
    return moved;
}

static void store_rates(tal_state *state, tal_soft_body *soft, const double *change) {
    for (int32_t k = 0; k < 3 * soft->solid->node_count; k++) {
        soft->force[k] = soft->rate_free[k] + change[k]; // after, axes of the body
    }
    turn(soft, soft->force, true, soft->rate);
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        if (soft->solid->is_held[a] != 0) {
            tal_node_set(soft->rate, a, (tal_vec3){0});
        }
    }
    follow(state, soft);
}

static double mean_work(const tal_soft_body *soft, const double *force, const double *after) {
    return 0.5 * soft->level->step.h *
           (tal_field_dot(soft->solid, force, soft->rate_before) +
            tal_field_dot(soft->solid, force, after));
}

static void store_linear(const tal_model *model, tal_state *state, tal_soft_body *soft,
                         const double *change) {
    (void)model;
    double *displacement = soft->scratch, *force = displacement + 3 * soft->solid->node_count;
    displacement_of(state, soft, displacement);
    store_rates(state, soft, change);
    tal_linear_force(soft, displacement, soft->rate_before, soft->force, force);
    soft->elastic_work = mean_work(soft, force, soft->force);
}

static void store_lagrangian(const tal_model *model, tal_state *state, tal_soft_body *soft,
                             const double *change) {
    (void)model;
    for (int32_t k = 0; k < 3 * soft->solid->node_count; k++) {
        soft->force[k] = soft->rate_free[k] + change[k];
    }
    all_inner_forces(soft, soft->force); // needs the rates before
    soft->elastic_work = -mean_work(soft, soft->other, soft->force);
    store_rates(state, soft, change);
}

static tal_energy kinetic(const tal_state *state, const tal_soft_body *soft) {
    const tal_solid *s = soft->solid;
    const tal_vec3 v = mean_of(s, soft->rate);
    tal_solid_multiply_mass(s, soft->rate, soft->other);
    tal_energy sum = {.translation = 0.5 * s->total_mass * tal_vec3_dot(v, v),
                      .rotation =
                          0.5 * tal_vec3_dot(state->momentum[soft->body], state->spin[soft->body])};
    sum.deformation =
        0.5 * tal_field_dot(s, soft->rate, soft->other) - sum.translation - sum.rotation;
    return sum;
}

static tal_energy energy_linear(const tal_state *state, const tal_soft_body *soft) {
    tal_energy sum = kinetic(state, soft);
    tal_soft_body at = *soft;
    if (soft->solid->kinematics != TAL_KINEMATICS_SMALL) {
        at.rotation = tal_quat_matrix(state->orientation[soft->body]);
    }
    displacement_of(state, &at, soft->other);
    sum.strain = tal_strain_energy(soft->solid, soft->other, soft->scratch);
    return sum;
}

static tal_energy energy_lagrangian(const tal_state *state, const tal_soft_body *soft) {
    const tal_solid *s = soft->solid;
    tal_energy sum = kinetic(state, soft);
    for (int32_t e = 0; e < s->element_count; e++) {
        for (int32_t p = s->point_start[e]; p < s->point_start[e + 1]; p++) {
            const tal_mat3 f = deformation(soft, e, &s->point[p], soft->field);
            const tal_mat3 strain = tal_green_strain(&f);
            sum.strain += s->point[p].volume * tal_elasticity_energy(s->law, &strain);
        }
    }
    return sum;
}

static tal_vec3 node_velocity(const tal_state *state, const tal_soft_body *soft, int32_t node) {
    (void)state;
    return tal_node_value(soft->rate, node);
}

static void displace(tal_state *state, tal_soft_body *soft, tal_vec3 shift, tal_quat turn_by) {
    const tal_vec3 centre = state->position[soft->body], to = tal_vec3_add(centre, shift);
    const tal_mat3 r = tal_quat_matrix(turn_by);
    for (int32_t a = 0; a < soft->solid->node_count; a++) {
        const tal_vec3 arm = tal_vec3_subtract(tal_node_value(soft->field, a), centre);
        if (soft->solid->is_held[a] == 0) {
            tal_node_set(soft->field, a, tal_vec3_add(to, tal_mat3_apply(&r, arm)));
            tal_node_set(soft->rate, a, tal_mat3_apply(&r, tal_node_value(soft->rate, a)));
        }
    }
    follow(state, soft);
}

const tal_kinematics_row tal_total_lagrangian = {.name = "total-lagrangian",
                                                 .begin = begin,
                                                 .advance = advance,
                                                 .load = load_lagrangian,
                                                 .settle = settle,
                                                 .store = store_lagrangian,
                                                 .energy = energy_lagrangian,
                                                 .node_velocity = node_velocity,
                                                 .displace = displace,
                                                 .refresh = refresh};
const tal_kinematics_row tal_pseudo_rigid = {.name = "pseudo-rigid",
                                             .begin = begin,
                                             .advance = advance,
                                             .load = load_lagrangian,
                                             .settle = settle,
                                             .store = store_lagrangian,
                                             .energy = energy_lagrangian,
                                             .node_velocity = node_velocity,
                                             .displace = displace,
                                             .refresh = refresh};
const tal_kinematics_row tal_corotational = {.name = "corotational",
                                             .begin = begin,
                                             .advance = advance,
                                             .load = load_linear,
                                             .store = store_linear,
                                             .energy = energy_linear,
                                             .node_velocity = node_velocity,
                                             .displace = displace,
                                             .refresh = refresh};
const tal_kinematics_row tal_small_deformation = {.name = "small",
                                                  .begin = begin,
                                                  .advance = advance,
                                                  .load = load_linear,
                                                  .store = store_linear,
                                                  .energy = energy_linear,
                                                  .node_velocity = node_velocity,
                                                  .displace = displace,
                                                  .refresh = refresh};

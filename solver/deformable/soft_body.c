// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that deform as a kind: at a contact, and in a step. Numbers in brackets:
// docs/theory/deformable.md.
#include "solver/deformable/soft_body.h"

#include "core/base/threads.h"
#include "solver/deformable/kinematics.h"

#include <math.h>
#include <string.h>

// Changes of velocities below this share of the tolerance are not worth another solution.
static const double SETTLED = 0.1;

static const tal_kinematics_row *const KINEMATICS[TAL_KINEMATICS_COUNT] = {
    [TAL_KINEMATICS_FLOATING_FRAME] = &tal_floating_frame,
    [TAL_KINEMATICS_TOTAL_LAGRANGIAN] = &tal_total_lagrangian,
    [TAL_KINEMATICS_COROTATIONAL] = &tal_corotational,
    [TAL_KINEMATICS_SMALL] = &tal_small_deformation,
    [TAL_KINEMATICS_PSEUDO_RIGID] = &tal_pseudo_rigid};

const tal_kinematics_row *tal_kinematics_of(tal_kinematics kinematics) {
    TAL_ASSERT(kinematics >= 0 && kinematics < TAL_KINEMATICS_COUNT);
    return KINEMATICS[kinematics];
}

static const tal_kinematics_row *row_of(const tal_soft_body *soft) {
    return KINEMATICS[soft->solid->kinematics];
}

// At a contact: the frame as a rigid body, and the nodes touched.

static const tal_soft_site *site_of(const tal_soft_body *soft, tal_side at) {
    return &soft->site[2 * at.number + at.side];
}

static void velocity(const void *body, const double *motion, tal_side at, double u[3]) {
    const tal_soft_body *soft = body;
    const tal_soft_site *site = site_of(soft, at);
    const double *rate = &motion[8 + 3 * site->active[0]];
    double mean[3] = {0.0, 0.0, 0.0};
    u[0] = u[1] = u[2] = 0.0;
    if (soft->has_frame) {
        tal_rigid_kind.velocity(&soft->inertia, motion, at, u);
    }
    for (int32_t n = 0; site->count > 1 && n < site->count; n++) { // else at a node
        const double *of = &motion[8 + 3 * site->active[n]];
        for (int i = 0; i < 3; i++) {
            mean[i] += site->weight[n] * of[i];
        }
        rate = mean;
    }
    for (int f = 0; f < 3; f++) {
        u[f] +=
            site->axis[f][0] * rate[0] + site->axis[f][1] * rate[1] + site->axis[f][2] * rate[2];
    }
}

static void strike(const void *body, double *motion, tal_side at, const double r[3]) {
    const tal_soft_body *soft = body;
    const int32_t column = tal_soft_column(soft);
    tal_rigid_kind.strike(&soft->inertia, motion, at, r);
    soft->solid->kernel->strike(column, site_of(soft, at)->response, r, &motion[8]);
}

static void add_mobility(const void *body, tal_side at, double w[6]) {
    const tal_soft_body *soft = body;
    const tal_soft_site *site = site_of(soft, at);
    int entry = 0;
    if (soft->has_frame) {
        tal_rigid_kind.add_mobility(&soft->inertia, at, w);
    }
    for (int f = 0; f < 3; f++) {
        for (int g = f; g < 3; g++, entry++) {
            for (int32_t n = 0; n < site->count; n++) {
                const double *of = &site->response[g * tal_soft_column(soft) + 3 * site->active[n]];
                w[entry] += site->weight[n] * (site->axis[f][0] * of[0] + site->axis[f][1] * of[1] +
                                               site->axis[f][2] * of[2]);
            }
        }
    }
}

static double energy_scale(const void *body, const double *before, double speed_min) {
    return tal_rigid_kind.energy_scale(&((const tal_soft_body *)body)->inertia, before, speed_min);
}

// In a step. Bodies are independent of each other until they touch.

typedef struct {
    const tal_model *model;
    tal_state *state;
    double h;
} soft_loop;

static void for_all(const tal_model *model, tal_state *state, double h,
                    void (*work)(void *, int64_t, int64_t)) {
    tal_threads_loop(state->work.thread_count, model->soft_count, 1, work,
                     &(soft_loop){model, state, h});
}

static bool is_moving(const tal_state *state, const tal_soft_body *soft) {
    return state->is_immovable[soft->body] == 0;
}

static double largest_displacement(const tal_state *state, const tal_soft_body *soft) {
    const tal_mat3 r = tal_quat_matrix(state->orientation[soft->body]);
    double most = 0.0;
    for (int32_t n = 0; n < soft->solid->surface_count; n++) {
        const int32_t node = soft->solid->surface_node[n];
        if (soft->has_frame) {
            const tal_vec3 d = tal_node_value(soft->field, node);
            most = fmax(most, tal_vec3_dot(d, d));
            continue;
        }
        const tal_vec3 rigid =
            tal_vec3_add(state->position[soft->body], tal_mat3_apply(&r, soft->solid->node[node]));
        const tal_vec3 off = tal_vec3_subtract(tal_soft_node_place(state, soft, node), rigid);
        most = fmax(most, tal_vec3_dot(off, off));
    }
    return sqrt(most);
}

static void load_bodies(void *context, int64_t first, int64_t end) {
    const soft_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        tal_soft_body *soft = &l->state->soft[n];
        if (is_moving(l->state, soft)) {
            row_of(soft)->load(l->model, l->state, soft);
            soft->displacement_max = largest_displacement(l->state, soft);
        }
        const int32_t b = soft->body;
        l->state->work.inertia_world[b] =
            is_moving(l->state, soft) ? soft->inertia : (tal_inertia){0};
        l->state->work.motion_before[b] =
            (tal_rigid_motion){.v = l->state->velocity[b], .w = l->state->spin[b]};
    }
}

static void load(const tal_model *model, tal_state *state) {
    for_all(model, state, 0.0, load_bodies);
}

static void advance_free(const tal_model *model, tal_state *state, int32_t b, double dt) {
    tal_soft_body *soft = &state->soft[model->soft_of_body[b]];
    tal_rigid_motion *rigid = &state->work.motion[b];
    *rigid = state->work.motion_before[b];
    if (is_moving(state, soft)) {
        rigid->v = tal_vec3_add_scaled(rigid->v, dt, model->settings.gravity_mps2);
    }
    memcpy(soft->motion, rigid, sizeof *rigid);
    for (int32_t n = 0; n < soft->active_count; n++) {
        const int32_t node = soft->solid->surface_node[soft->active_slot[n]];
        memcpy(&soft->motion[8 + 3 * n], &soft->rate_free[3 * node], 3 * sizeof *soft->motion);
    }
}

// The percussions of the problem as solved, per node in the axes of the bodies.
static void collect_percussions(const tal_model *model, tal_state *state) {
    const tal_percussion_problem *problem = &state->work.problem;
    for (int32_t n = 0; n < model->soft_count; n++) {
        memset(state->soft[n].force, 0,
               3 * (size_t)state->soft[n].solid->node_count * sizeof(double));
    }
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        const int32_t body[2] = {pair->body_i, pair->body_j};
        for (int side = 0; pair->is_general && side < 2; side++) {
            tal_soft_body *soft = tal_soft_of(model, state, body[side]);
            for (int32_t k = 0; soft != NULL && k < pair->contact_count; k++) {
                const tal_contact *c = &problem->contact[pair->first_contact + k];
                const tal_soft_site *site = &soft->site[2 * (pair->first_contact + k) + side];
                for (int32_t m = 0; m < 3 * site->count; m++) {
                    if (soft->solid->is_held[site->node[m / 3]] != 0) {
                        continue;
                    }
                    const double along = site->axis[0][m % 3] * c->percussion[0] +
                                         site->axis[1][m % 3] * c->percussion[1] +
                                         site->axis[2][m % 3] * c->percussion[2];
                    soft->force[3 * site->node[m / 3] + m % 3] +=
                        (side == 0 ? 1.0 : -1.0) * site->weight[m / 3] * along;
                }
            }
        }
    }
}

static void store_bodies(void *context, int64_t first, int64_t end) {
    const soft_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        tal_soft_body *soft = &l->state->soft[n];
        soft->elastic_work = 0.0;
        if (is_moving(l->state, soft)) {
            double *change = soft->scratch + 3 * 3 * soft->solid->node_count;
            if (soft->active_count > 0) {
                tal_solid_solve(soft->solid, soft->level, soft->force, soft->substitution, change);
            } else {
                memset(change, 0, 3 * (size_t)soft->solid->node_count * sizeof *change);
            }
            row_of(soft)->store(l->model, l->state, soft, change);
        }
    }
}

static void store(const tal_model *model, tal_state *state) {
    if (model->soft_count > 0) {
        collect_percussions(model, state);
        for_all(model, state, 0.0, store_bodies);
    }
}

static void advance_bodies(void *context, int64_t first, int64_t end) {
    const soft_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        tal_soft_body *soft = &l->state->soft[n];
        if (is_moving(l->state, soft)) {
            row_of(soft)->advance(l->state, soft, l->h);
        }
    }
}

static void advance(const tal_model *model, tal_state *state, double h) {
    for_all(model, state, h, advance_bodies);
}

// What is deformed reaches further than its shape.
static void set_reach(const tal_model *model, tal_state *state, double dt) {
    (void)dt;
    for (int32_t n = 0; n < model->soft_count; n++) {
        state->work.reach[state->soft[n].body] += 2.0 * state->soft[n].displacement_max;
    }
}

static void add_energy(const tal_model *model, const tal_state *state, double ahead,
                       tal_energy *sum) {
    for (int32_t n = 0; n < model->soft_count; n++) {
        const tal_soft_body *soft = &state->soft[n];
        const int32_t b = soft->body;
        if (!is_moving(state, soft)) {
            continue;
        }
        const tal_energy own = row_of(soft)->energy(state, soft);
        const tal_vec3 at = tal_vec3_add_scaled(state->position[b], ahead, state->velocity[b]);
        sum->translation += own.translation;
        sum->rotation += own.rotation;
        sum->deformation += own.deformation;
        sum->strain += own.strain;
        sum->potential -= soft->solid->total_mass * tal_vec3_dot(model->settings.gravity_mps2, at);
    }
}

tal_energy tal_soft_energy(const tal_model *model, const tal_state *state, int32_t body) {
    const tal_soft_body *soft = tal_soft_of(model, state, body);
    return soft != NULL ? row_of(soft)->energy(state, soft) : (tal_energy){0};
}

static int list_sections(const tal_state *state, tal_section *list) {
    const size_t size = 3 * (size_t)state->soft_node_count * sizeof *state->soft_field;
    list[0] = (tal_section){state->soft_field, size};
    list[1] = (tal_section){state->soft_rate, size};
    list[2] = (tal_section){state->soft_stress,
                            6 * (size_t)state->soft_element_count * sizeof *state->soft_stress};
    list[3] = (tal_section){state->soft_tension,
                            (size_t)state->soft_body_count * sizeof *state->soft_tension};
    list[4] = (tal_section){state->blow_until,
                            state->soft_body_count > 0 ? sizeof *state->blow_until : 0};
    list[5] = (tal_section){state->weak_tension,
                            (size_t)state->weak_plane_count * sizeof *state->weak_tension};
    return 6;
}

const tal_body_kind tal_soft_kind = {.name = "deformable",
                                     .velocity = velocity,
                                     .strike = strike,
                                     .add_mobility = add_mobility,
                                     .energy_scale = energy_scale,
                                     .load = load,
                                     .advance_free = advance_free,
                                     .store = store,
                                     .advance = advance,
                                     .set_reach = set_reach,
                                     .add_energy = add_energy,
                                     .list_sections = list_sections};

void tal_soft_displace(const tal_model *model, tal_state *state, int32_t body, tal_vec3 shift,
                       tal_vec3 turn) {
    tal_soft_body *soft = tal_soft_of(model, state, body);
    const double angle = tal_vec3_length(turn);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    if (angle > 0.0 || tal_vec3_length(shift) > 0.0) {
        row_of(soft)->displace(state, soft, shift,
                               (tal_quat){cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z});
    }
}

void tal_soft_share_motion(const tal_model *model, tal_state *state) {
    for (int32_t n = 0; n < model->soft_count; n++) {
        const tal_soft_body *soft = &state->soft[n];
        memcpy(&state->work.motion[soft->body], soft->motion, sizeof(tal_rigid_motion));
    }
}

bool tal_soft_settle(const tal_model *model, tal_state *state) {
    bool again = false, is_collected = false;
    for (int32_t n = 0; n < model->soft_count; n++) {
        tal_soft_body *soft = &state->soft[n];
        if (row_of(soft)->settle == NULL || !is_moving(state, soft)) {
            continue;
        }
        if (!is_collected) {
            collect_percussions(model, state);
            is_collected = true;
        }
        again =
            row_of(soft)->settle(model, state, soft) > SETTLED * model->settings.tolerance || again;
    }
    return again;
}

double tal_soft_elastic_work(const tal_model *model, const tal_state *state) {
    double sum = 0.0;
    for (int32_t n = 0; n < model->soft_count; n++) {
        sum += state->soft[n].elastic_work;
    }
    return sum;
}

void tal_soft_refresh(const tal_model *model, tal_state *state) {
    for (int32_t n = 0; n < model->soft_count; n++) {
        row_of(&state->soft[n])->refresh(state, &state->soft[n]);
    }
}

bool tal_soft_is_valid(const tal_model *model, const tal_state *state) {
    (void)model;
    for (int32_t k = 0; k < 3 * state->soft_node_count; k++) {
        if (!(fabs(state->soft_field[k]) <= 1e7 && fabs(state->soft_rate[k]) <= 1e5)) {
            return false;
        }
    }
    return true;
}

tal_vec3 tal_soft_node_place(const tal_state *state, const tal_soft_body *soft, int32_t node) {
    if (!soft->has_frame) {
        return tal_node_value(soft->field, node);
    }
    const tal_vec3 x = tal_vec3_add(soft->solid->node[node], tal_node_value(soft->field, node));
    return tal_vec3_add(state->position[soft->body],
                        tal_quat_rotate(state->orientation[soft->body], x));
}

static tal_status take_product(tal_arena *arena, size_t nodes, tal_soft_product *product,
                               tal_error *err) {
    TAL_TAKE(arena, product->of, 3 * nodes, "forces of nodes", err);
    TAL_TAKE(arena, product->product, 3 * nodes, "forces of nodes", err);
    return TAL_OK;
}

static tal_status take_scratch(tal_state *state, tal_soft_body *soft, tal_error *err) {
    const size_t nodes = (size_t)soft->solid->node_count;
    const size_t surface = (size_t)soft->solid->surface_count;
    const size_t room = 8 + 3 * surface + TAL_SOLID_LANES;
    tal_arena *arena = &state->arena;
    TAL_TAKE(arena, soft->rate_before, 3 * nodes, "rates of nodes", err);
    TAL_TAKE(arena, soft->rate_free, 3 * nodes, "rates of nodes", err);
    TAL_TAKE(arena, soft->force, 3 * nodes, "forces of nodes", err);
    TAL_TAKE(arena, soft->scratch, 12 * nodes, "forces of nodes", err);
    if (soft->has_frame) {
        TAL_TRY(take_product(arena, nodes, &soft->mass_field, err));
        TAL_TRY(take_product(arena, nodes, &soft->mass_rate, err));
        TAL_TRY(take_product(arena, nodes, &soft->stiffness_field, err));
    }
    TAL_TAKE(arena, soft->substitution, 4 * nodes, "forces of nodes", err);
    TAL_TAKE(arena, soft->other, 3 * nodes, "forces of nodes", err);
    TAL_TAKE(arena, soft->active_slot, surface, "nodes touched", err);
    TAL_TAKE(arena, soft->active_of_slot, surface, "nodes touched", err);
    TAL_TAKE(arena, soft->motion, room, "velocities of nodes", err);
    TAL_TAKE(arena, soft->before, room, "velocities of nodes", err);
    TAL_TAKE(arena, soft->last, room, "velocities of nodes", err);
    for (size_t n = 0; n < surface; n++) {
        soft->active_of_slot[n] = -1;
    }
    return TAL_OK;
}

static tal_status begin_body(const tal_model *model, tal_state *state, int32_t n, double *field,
                             double *rate, double *stress, tal_error *err) {
    tal_soft_body *soft = &state->soft[n];
    const int32_t b = model->soft_body[n];
    *soft = (tal_soft_body){.solid = &model->solid[model->solid_of_body[b]],
                            .level = &model->solid[model->solid_of_body[b]].level[0],
                            .body = b,
                            .field = field,
                            .rate = rate,
                            .stress = stress,
                            .rotation = tal_quat_matrix(state->orientation[b])};
    soft->has_frame = row_of(soft)->has_frame;
    TAL_TRY(take_scratch(state, soft, err));
    row_of(soft)->begin(state, soft);
    state->work.general[n] = (tal_general_body){.kind = &tal_soft_kind,
                                                .body = soft,
                                                .motion = soft->motion,
                                                .before = soft->before,
                                                .last = soft->last};
    return TAL_OK;
}

tal_status tal_soft_create(const tal_model *model, tal_state *state, tal_error *err) {
    const size_t count = (size_t)model->soft_count;
    state->soft_body_count = model->soft_count;
    state->soft_node_count = state->soft_element_count = 0;
    for (int32_t n = 0; n < model->soft_count; n++) {
        const tal_solid *solid = &model->solid[model->solid_of_body[model->soft_body[n]]];
        state->soft_node_count += solid->node_count;
        state->soft_element_count += model->settings.watch_tension ? solid->element_count : 0;
    }
    if (count == 0) {
        return TAL_OK;
    }
    TAL_TAKE(&state->arena, state->soft, count, "deformable bodies", err);
    TAL_TAKE(&state->arena, state->work.general, count, "deformable bodies", err);
    TAL_TAKE(&state->arena, state->soft_field, 3 * (size_t)state->soft_node_count, "nodes", err);
    TAL_TAKE(&state->arena, state->soft_rate, 3 * (size_t)state->soft_node_count, "nodes", err);
    TAL_TAKE(&state->arena, state->soft_stress, 6 * (size_t)state->soft_element_count + 1,
             "stresses", err);
    TAL_TAKE(&state->arena, state->soft_tension, count, "stresses", err);
    state->weak_plane_count = model->weak_plane_count;
    TAL_TAKE(&state->arena, state->weak_tension, (size_t)model->weak_plane_count + 1, "stresses",
             err);
    TAL_TAKE(&state->arena, state->blow_until, 1, "stresses", err);
    double *field = state->soft_field, *rate = state->soft_rate, *stress = state->soft_stress;
    for (int32_t n = 0; n < model->soft_count; n++) {
        TAL_TRY(begin_body(model, state, n, field, rate,
                           model->settings.watch_tension ? stress : NULL, err));
        field += 3 * state->soft[n].solid->node_count;
        rate += 3 * state->soft[n].solid->node_count;
        stress += model->settings.watch_tension ? 6 * state->soft[n].solid->element_count : 0;
    }
    return TAL_OK;
}

tal_vec3 tal_state_node_position(const tal_model *model, const tal_state *state, int32_t body,
                                 int32_t node) {
    const tal_soft_body *soft = tal_soft_of(model, state, body);
    TAL_ASSERT(soft != NULL && node >= 0 && node < soft->solid->node_count);
    return tal_soft_node_place(state, soft, node);
}

// Of the frame and in it; the turning of the field in itself belongs to neither twice.
tal_vec3 tal_state_node_velocity(const tal_model *model, const tal_state *state, int32_t body,
                                 int32_t node) {
    const tal_soft_body *soft = tal_soft_of(model, state, body);
    TAL_ASSERT(soft != NULL && node >= 0 && node < soft->solid->node_count);
    return row_of(soft)->node_velocity(state, soft, node);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// From detected manifolds to the contact problem of a step.
#include "solver/percussion/contact.h"

#include "core/base/threads.h"
#include "solver/constraint/joint.h"
#include "solver/motion/integrate.h"
#include "solver/motion/prescribed.h"
#include "solver/percussion/memory.h"
#include "solver/percussion/roll.h"
#include "solver/percussion/sweep_set.h"
#include "solver/step/look_ahead.h"

#include <math.h>
#include <string.h>

// Thickness of the skin, share of the smallest edge.
static const double SKIN = 2e-5;

// How much deeper than listed a struck body may get, share of its smallest edge.
static const double REACH_NOTICEABLE = 5e-3;

// Some microseconds of work: less is not worth sharing.
enum { PAIRS_PER_PIECE = 16, PAIRS_PER_SLICE = 256 };

static bool is_mobile(const tal_state *state, int32_t body) {
    return body >= 0 && state->is_immovable[body] == 0;
}

static tal_status collide(const tal_model *model, tal_state *state, double dt, tal_error *err) {
    tal_collide_input input = tal_state_collide_input(model, state);
    input.velocity = state->velocity;
    input.dt = dt;
    tal_collider_give_back(state->work.collider, &state->work.list); // which is made anew
    return tal_collide(state->work.collider, &input, &state->work.found, err);
}

// Reaches as they were within this step, with what was passed on, for bodies whose own has not changed since:
// a query that is repeated because some woke or moved finds most of its answers at hand.
static void take_reaches(const tal_model *model, tal_state *state, double dt) {
    tal_set_reaches(model, state, dt);
    for (int32_t b = 0; b < model->body_count; b++) {
        double *reach = &state->work.reach[b];
        state->work.is_reach_new[b] = *reach != state->work.reach_own[b];
        state->work.reach_own[b] = *reach;
        *reach = state->work.is_reach_new[b] ? *reach : state->work.reach_wide[b];
    }
}

static tal_vec3 velocity_at(const tal_state *state, int32_t body, tal_vec3 point) {
    const tal_vec3 arm = tal_vec3_subtract(point, state->position[body]);
    return tal_vec3_add(state->velocity[body], tal_vec3_cross(state->spin[body], arm));
}

double tal_found_closing(const tal_state *state, const tal_manifold *manifold, int32_t k) {
    const tal_contact_point *at = &state->work.found.point[k];
    tal_vec3 u = velocity_at(state, manifold->body_i, at->point);
    if (manifold->body_j >= 0) {
        u = tal_vec3_subtract(u, velocity_at(state, manifold->body_j, at->point));
    }
    return -tal_vec3_dot(u, at->normal);
}

// By how much what closes within dt would go on closing, were there no percussions.
static double way_of_blow(const tal_state *state, const tal_manifold *manifold, double dt) {
    double most = 0.0;
    for (int32_t k = manifold->first_point; k < manifold->first_point + manifold->point_count;
         k++) {
        const double way = dt * tal_found_closing(state, manifold, k);
        most = way > state->work.found.point[k].gap ? fmax(most, way) : most;
    }
    return most;
}

static double widened_by(const tal_state *state, int32_t body) {
    return state->work.reach[body] - state->work.reach_own[body];
}

static bool widen(const tal_model *model, tal_state *state, int32_t body, double way) {
    if (!is_mobile(state, body) ||
        way - widened_by(state, body) <=
            REACH_NOTICEABLE * model->shapes.smallest_width[model->shape_of_body[body]]) {
        return false;
    }
    state->work.reach[body] = state->work.reach_own[body] + way;
    state->work.is_reach_new[body] = 1;
    return true;
}

static bool is_reach_new(const tal_state *state, int32_t body) {
    return is_mobile(state, body) && state->work.is_reach_new[body] != 0;
}

// The part of a blow that body b takes, by mass.
static double share_of_blow(const tal_model *model, const tal_state *state, int32_t b,
                            int32_t other) {
    return !is_mobile(state, b)       ? 0.0
           : !is_mobile(state, other) ? 1.0
                                      : model->mass[other] / (model->mass[b] + model->mass[other]);
}

// A body that is struck changes its velocity by its share of the blow, within the same step, and so does what
// it strikes in turn: their own contacts must be listed already. True if that widens any reach noticeably.
static bool pass_on_blows(const tal_model *model, tal_state *state, double dt) {
    bool is_wider = false;
    for (int round = 0; round < 2; round++) {
        for (int32_t m = 0; m < state->work.found.manifold_count; m++) {
            const tal_manifold *manifold = &state->work.found.manifold[m];
            const int32_t i = manifold->body_i, j = manifold->body_j;
            if (!is_reach_new(state, i) && !is_reach_new(state, j)) {
                continue;
            }
            const double way = round == 0 ? way_of_blow(state, manifold, dt)
                               : j >= 0   ? fmax(widened_by(state, i), widened_by(state, j))
                                          : 0.0;
            const double of_i = round == 0 ? share_of_blow(model, state, i, j) : 1.0;
            const double of_j = round == 0 ? share_of_blow(model, state, j, i) : 1.0;
            is_wider = widen(model, state, i, of_i * way) || is_wider;
            is_wider = widen(model, state, j, of_j * way) || is_wider;
        }
    }
    return is_wider;
}

tal_status tal_find_contacts(const tal_model *model, tal_state *state, double dt, tal_error *err) {
    take_reaches(model, state, dt);
    TAL_TRY(collide(model, state, dt, err));
    if (pass_on_blows(model, state, dt)) {
        TAL_TRY(collide(model, state, dt, err));
    }
    memcpy(state->work.reach_wide, state->work.reach,
           (size_t)model->body_count * sizeof *state->work.reach);
    return TAL_OK;
}

void tal_forget_reaches(const tal_model *model, tal_state *state) {
    for (int32_t b = 0; b < model->body_count; b++) {
        state->work.reach_own[b] = NAN; // equal to none
    }
}

tal_edge tal_edge_of(const tal_state *state, const tal_manifold *manifold) {
    return (tal_edge){.i = is_mobile(state, manifold->body_i) ? manifold->body_i : -1,
                      .j = is_mobile(state, manifold->body_j) ? manifold->body_j : -1};
}

static void color_manifolds(const tal_model *model, tal_state *state) {
    tal_contacts *set = &state->work.contacts;
    const tal_manifolds *list = &state->work.list;
    for (int32_t m = 0; m < list->manifold_count; m++) {
        set->edge[m] = tal_edge_of(state, &list->manifold[m]);
    }
    tal_color_edges(set->edge, list->manifold_count, state->work.used_colors, model->body_count,
                    set->color, set->by_color, &set->coloring);
}

// The island with most bodies becomes the first: what a look adds to others does not move it (extend.h).
static void put_largest_first(const tal_model *model, tal_state *state, int32_t island_count) {
    int32_t *of_body = state->work.island_of_body, *size = state->work.island_parent; // scratch
    int32_t largest = 0;
    memset(size, 0, (size_t)island_count * sizeof *size);
    for (int32_t b = 0; b < model->body_count; b++) {
        if (of_body[b] >= 0 && ++size[of_body[b]] > size[largest]) {
            largest = of_body[b];
        }
    }
    for (int32_t b = 0; largest > 0 && b < model->body_count; b++) {
        of_body[b] = of_body[b] == largest ? 0 : of_body[b] == 0 ? largest : of_body[b];
    }
}

static void number_islands(const tal_model *model, tal_state *state, tal_report *report) {
    tal_contacts *set = &state->work.contacts;
    const int32_t count = state->work.list.manifold_count;
    report->island_count = tal_find_islands(set->edge, count, model->body_count,
                                            state->work.island_parent, state->work.island_of_body);
    put_largest_first(model, state, report->island_count);
    tal_sort_by_island(set->edge, set->color, count, set->by_color, state->work.island_of_body,
                       model->body_count, report->island_count, state->work.island, set->order,
                       state->work.island_body, set->color_end);
}

int32_t tal_law_of(const tal_model *model, const tal_manifold *manifold) {
    if (manifold->joint > 0) {
        return model->class_count * model->class_count;
    }
    const int32_t class_j =
        manifold->body_j < 0 ? manifold->surface_class_j : model->class_of_body[manifold->body_j];
    TAL_ASSERT(class_j >= 0 && class_j < model->class_count);
    return model->class_of_body[manifold->body_i] * model->class_count + class_j;
}

tal_pair tal_pair_of(const tal_model *model, const tal_state *state, int32_t m,
                     int32_t first_contact, int32_t island) {
    const tal_manifold *manifold = &state->work.list.manifold[m];
    return (tal_pair){.body_i = manifold->body_i,
                      .body_j = manifold->body_j < 0 ? model->body_count : manifold->body_j,
                      .first_contact = first_contact,
                      .contact_count = manifold->point_count,
                      .law = tal_law_of(model, manifold),
                      .manifold = m,
                      .island = island,
                      .is_general = tal_is_soft(model, manifold->body_i) ||
                                    tal_is_soft(model, manifold->body_j)};
}

// Pairs by island and color, each with room for its points.
static void lay_out_pairs(const tal_model *model, tal_state *state, int32_t island_count) {
    tal_contacts *set = &state->work.contacts;
    int32_t next = 0;
    for (int32_t n = 0; n < island_count; n++) {
        const tal_island *island = &state->work.island[n];
        for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
            set->pair[p] = tal_pair_of(model, state, set->order[p], next, n);
            set->pair_of_manifold[set->order[p]] = p;
            next += set->pair[p].contact_count;
        }
    }
}

static void set_arms(const tal_model *model, const tal_state *state, const tal_manifold *manifold,
                     int32_t point, tal_contact *contact) {
    tal_vec3 arm[2];
    tal_listed_arms(model, state, manifold, point, arm);
    contact->arm_i[0] = arm[0].x;
    contact->arm_i[1] = arm[0].y;
    contact->arm_i[2] = arm[0].z;
    contact->arm_j[0] = arm[1].x;
    contact->arm_j[1] = arm[1].y;
    contact->arm_j[2] = arm[1].z;
}

// Gaps thinner than a skin count as closed. Without it micrometres of noise ask the points of a flat
// patch for velocities that no rigid motion has, and percussions wander between them for thousands of
// sweeps.
double tal_skin_gap(const tal_model *model, double gap) {
    const double skin = SKIN * model->smallest_width;
    return gap > skin ? gap - skin : fmin(gap, 0.0);
}

double tal_gap_of(const tal_model *model, const tal_state *state, const tal_pair *pair, int32_t k) {
    const double gap = tal_listed_gap(state, pair, k);
    return pair->is_general ? gap : tal_skin_gap(model, gap);
}

static void place_pair(const tal_model *model, tal_state *state, tal_pair *pair) {
    tal_contacts *set = &state->work.contacts;
    const tal_manifold *manifold = &state->work.list.manifold[pair->manifold];
    pair->normal = state->work.list.point[manifold->first_point].normal;
    tal_vec3_tangents(pair->normal, &pair->tangent_1, &pair->tangent_2);
    for (int32_t k = 0; k < pair->contact_count; k++) {
        tal_contact *contact = &set->contact[pair->first_contact + k];
        set_arms(model, state, manifold, manifold->first_point + k, contact);
        tal_contact_effective_mass(&state->work.problem, pair, pair->first_contact + k);
        TAL_ASSERT(contact->w[0] > 0.0); // one of the two moves
    }
}

// Share of gravity by which the first body falls towards or away from the second. A slow one beside a
// fast one is taken to be carried by something: what flies is that slow for some steps only.
static double fall_apart(const tal_model *model, const tal_state *state, int32_t body_i,
                         int32_t body_j, double slow) {
    const bool ij[2] = {is_mobile(state, body_i),
                        body_j < model->body_count && is_mobile(state, body_j)};
    if (!ij[0] || !ij[1]) {
        return (double)ij[0] - (double)ij[1];
    }
    const bool i_slow = tal_vec3_length(state->velocity[body_i]) <= slow;
    const bool j_slow = tal_vec3_length(state->velocity[body_j]) <= slow;
    return (double)j_slow - (double)i_slow;
}

// By what both are ahead. What cannot be moved is where the other one is.
static double ahead_of(const tal_state *state, int32_t body_i, int32_t body_j) {
    const double i = state->lead[body_i], j = state->lead[body_j];
    return body_j == state->body_count || state->is_immovable[body_j] ? i
           : state->is_immovable[body_i]                              ? j
                                                                      : fmin(i, j);
}

tal_judge tal_judge_of(const tal_model *model, const tal_state *state, int32_t body_i,
                       int32_t body_j, tal_vec3 normal, double dt) {
    const tal_vec3 g = model->settings.gravity_mps2;
    const double kick = 2.0 * tal_vec3_length(g) * dt;
    return (tal_judge){.dt = dt,
                       .ahead = ahead_of(state, body_i, body_j),
                       .pull = dt * fall_apart(model, state, body_i, body_j, kick) *
                               tal_vec3_dot(normal, g),
                       .slow = fmax(model->settings.impact_speed_mps, kick)};
}

void tal_judge_point(const tal_judge *judge, double load, bool may_close, tal_contact_data *data) {
    data->dt = judge->dt;
    data->ahead = judge->ahead;
    data->pull = judge->pull + load;
    data->closing =
        may_close && data->gap + tal_time_left(data) * (data->before[0] + data->pull) < 0.0;
    data->impact = data->closing && -data->before[0] > judge->slow;
}

tal_contact_data tal_contact_data_of(const tal_model *model, const tal_state *state,
                                     const tal_pair *pair, const tal_judge *judge, int32_t k) {
    const tal_law *law = &model->law[pair->law];
    const int32_t i = pair->body_i, j = pair->body_j < model->body_count ? pair->body_j : i;
    const int32_t sharers = pair->contact_count;
    tal_contact_data data = {.gap = tal_gap_of(model, state, pair, k),
                             .stiffness = pair->is_general ? 0.0 : law->stiffness_n_m / sharers,
                             .damping = pair->is_general ? 0.0 : law->damping_n_s_m / sharers,
                             .scar = fmax(state->trail[i].scar, state->trail[j].scar),
                             .slid = fmax(state->trail[i].slid, state->trail[j].slid),
                             .radius = fmin(model->inner_radius[i], model->inner_radius[j])};
    tal_contact_velocity_before(&state->work.problem, pair, k, data.before);
    const bool is_loaded = model->is_loaded[i] || model->is_loaded[j];
    const double load =
        is_loaded ? tal_prescribed_pull(state, pair, &state->work.contacts.contact[k]) : 0.0;
    tal_judge_point(judge, load, !tal_is_joint(model, pair), &data);
    return data;
}

static tal_judge judge_of(const tal_model *model, const tal_state *state, const tal_pair *pair,
                          double dt) {
    return tal_judge_of(model, state, pair->body_i, pair->body_j, pair->normal, dt);
}

// Normal velocity at contact k per unit normal percussion at contact l of the same pair.
static double coupling(const tal_state *state, const tal_pair *pair, tal_vec3 axis, int32_t k,
                       int32_t l) {
    TAL_ASSERT(!pair->is_general); // kn and kt of other bodies are not shared by points yet
    const tal_contact *a = &state->work.contacts.contact[k], *b = &state->work.contacts.contact[l];
    const tal_inertia *i = &state->work.inertia_world[pair->body_i];
    const tal_inertia *j = &state->work.inertia_world[pair->body_j];
    const tal_vec3 ai = tal_vec3_cross(tal_arm(a->arm_i), axis);
    const tal_vec3 bi = tal_vec3_cross(tal_arm(b->arm_i), axis);
    const tal_vec3 aj = tal_vec3_cross(tal_arm(a->arm_j), axis);
    const tal_vec3 bj = tal_vec3_cross(tal_arm(b->arm_j), axis);
    return i->inverse_mass + j->inverse_mass + tal_vec3_dot(ai, tal_apply_inertia(i, bi)) +
           tal_vec3_dot(aj, tal_apply_inertia(j, bj));
}

// Dissipation in kg of one point so that the pair as a whole has the wanted ratio, however many
// points share it: 2 K / max(sum over closing points of W_kl, W_kk / n).
static double shared_kg(const tal_state *state, const tal_pair *pair, tal_vec3 axis, int32_t k,
                        int closing, double ratio_kg) {
    double sum = 0.0;
    for (int32_t l = pair->first_contact; l < pair->first_contact + pair->contact_count; l++) {
        sum += tal_closes(state, l) ? coupling(state, pair, axis, k, l) : 0.0;
    }
    return 2.0 * ratio_kg / fmax(sum, coupling(state, pair, axis, k, k) / closing);
}

static double ratio_or_infinity(double above, double below) {
    return below > 0.0 ? above / below : INFINITY;
}

static void set_dissipation(const tal_state *state, const tal_law *law, const tal_pair *pair,
                            int32_t k, int closing, tal_contact_data *data) {
    if (!tal_law_acts(tal_law_traits_of(law->kind)->kn_acts, data->closing, data->impact)) {
        return;
    }
    if (law->dissipation_in_kg) {
        data->kn = law->kn_kg / closing;
        data->kt = law->kt_kg / closing;
        return;
    }
    const tal_law now = tal_law_now(law, data, state->work.contacts.contact[k].w[0]);
    const double e = now.restitution, et = law->tangential_restitution;
    const double along = 0.5 * shared_kg(state, pair, pair->tangent_1, k, closing, 1.0) +
                         0.5 * shared_kg(state, pair, pair->tangent_2, k, closing, 1.0);
    data->kn =
        shared_kg(state, pair, pair->normal, k, closing, ratio_or_infinity(1.0 + e, 1.0 - e));
    data->kt = et < 1.0 ? along * ratio_or_infinity(1.0 - et, 1.0 + et) : 0.0;
}

// Area of the convex polygon that a pair's points span, which detection lists in any order: the points
// are sorted by their direction from the mean.
static double patch_area(const tal_state *state, const tal_pair *pair) {
    const tal_contact *c = &state->work.contacts.contact[pair->first_contact];
    const int32_t count = pair->contact_count;
    TAL_ASSERT(count <= TAL_MANIFOLD_POINTS_MAX);
    double x[TAL_MANIFOLD_POINTS_MAX], y[TAL_MANIFOLD_POINTS_MAX];
    tal_vec3 mean = {0};
    for (int32_t k = 0; k < count; k++) {
        mean = tal_vec3_add_scaled(mean, 1.0 / count, tal_arm(c[k].arm_i));
    }
    for (int32_t k = 0; k < count; k++) {
        const tal_vec3 from_mean = tal_vec3_subtract(tal_arm(c[k].arm_i), mean);
        const double u = tal_vec3_dot(pair->tangent_1, from_mean);
        const double v = tal_vec3_dot(pair->tangent_2, from_mean);
        int32_t place = k;
        for (; place > 0 && atan2(y[place - 1], x[place - 1]) > atan2(v, u); place--) {
            x[place] = x[place - 1];
            y[place] = y[place - 1];
        }
        x[place] = u;
        y[place] = v;
    }
    double twice = 0.0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t next = k + 1 < count ? k + 1 : 0;
        twice += x[k] * y[next] - x[next] * y[k];
    }
    return 0.5 * twice;
}

static void prepare_roll(const tal_model *model, tal_state *state, tal_pair *pair, double dt) {
    const tal_law *law = &model->law[pair->law];
    const int32_t i = pair->body_i, j = pair->body_j < model->body_count ? pair->body_j : i;
    if (tal_law_traits_of(law->kind)->rolls && !pair->is_general) {
        pair->roll_length =
            law->rolling_friction * fmin(model->inner_radius[i], model->inner_radius[j]);
    }
    if (pair->roll_length > 0.0) {
        tal_roll_prepare(&state->work.problem, pair);
        tal_recall_moment(state, pair, dt);
    }
}

// What is known of a contact, and when it acts, for all who ask later.
static tal_contact_data judge_contact(const tal_model *model, tal_state *state,
                                      const tal_pair *pair, const tal_judge *judge, int32_t k) {
    tal_contact_data data = tal_contact_data_of(model, state, pair, judge, k);
    if (tal_is_joint(model, pair)) {
        tal_joint_prepare(model, state, pair, judge->dt, &data);
    }
    state->work.contacts.moment[k] =
        (uint8_t)((data.closing ? TAL_CLOSES : 0) | (data.impact ? TAL_STRIKES : 0));
    return data;
}

// Deformation rebounds and dissipates: the law adds no more of it.
static void prepare_general(const tal_model *model, tal_state *state, const tal_pair *pair,
                            double dt) {
    const tal_judge judge = judge_of(model, state, pair, dt);
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact_data data = judge_contact(model, state, pair, &judge, k);
        tal_law_prepare_inelastic(&model->law[pair->law], &data, &state->work.contacts.contact[k],
                                  &state->work.contacts.more[k]);
    }
}

static void prepare_rigid(const tal_model *model, tal_state *state, const tal_pair *pair,
                          double dt) {
    tal_contacts *set = &state->work.contacts;
    const tal_law *law = &model->law[pair->law];
    const tal_judge judge = judge_of(model, state, pair, dt);
    const int32_t first = pair->first_contact, count = pair->contact_count;
    tal_contact_data data[TAL_MANIFOLD_POINTS_MAX];
    TAL_ASSERT(count <= TAL_MANIFOLD_POINTS_MAX);
    int closing = 0;
    for (int32_t n = 0; n < count; n++) {
        data[n] = judge_contact(model, state, pair, &judge, first + n);
        closing += data[n].closing;
    }
    const double tear =
        law->cohesion_pa > 0.0 ? dt * law->cohesion_pa * patch_area(state, pair) / count : 0.0;
    for (int32_t n = 0; n < count; n++) {
        set_dissipation(state, law, pair, first + n, closing, &data[n]);
        data[n].adhesion = tear * set->bonded[first + n];
        tal_law_prepare(law, &data[n], &set->contact[first + n], &set->more[first + n]);
    }
}

static bool is_dry(const tal_state *state, const tal_pair *pair) {
    bool dry = !pair->is_general && pair->roll_length == 0.0;
    for (int32_t k = 0; dry && k < pair->contact_count; k++) {
        dry = tal_is_dry(&state->work.contacts.contact[pair->first_contact + k]);
    }
    return dry;
}

void tal_prepare_pair(const tal_model *model, tal_state *state, tal_pair *pair, double dt) {
    place_pair(model, state, pair);
    tal_recall_percussions(model, state, pair, dt);
    prepare_roll(model, state, pair, dt);
    if (pair->is_general) {
        prepare_general(model, state, pair, dt);
    } else {
        prepare_rigid(model, state, pair, dt);
    }
    pair->is_dry = is_dry(state, pair);
}

// Constraints hold to the last digits of a velocity, and what deforms moves more than can be made anew.
static bool is_swept_in_batches(const tal_model *model) {
    return model->joint_count == 0 && model->soft_count == 0;
}

static void set_problem(const tal_model *model, tal_state *state, int32_t island_count) {
    const tal_contacts *set = &state->work.contacts;
    const tal_rigid_motion *free = is_swept_in_batches(model) ? state->work.motion_free : NULL;
    state->work.problem = (tal_percussion_problem){.body_count = model->body_count,
                                                   .motion = state->work.motion,
                                                   .before = state->work.motion_before,
                                                   .free = free,
                                                   .inertia = state->work.inertia_world,
                                                   .pair_count = state->work.list.manifold_count,
                                                   .pair = set->pair,
                                                   .roll = set->roll,
                                                   .contact_count = state->work.list.point_count,
                                                   .contact = set->contact,
                                                   .island_count = island_count,
                                                   .island = state->work.island,
                                                   .island_body = state->work.island_body,
                                                   .color_end = set->color_end,
                                                   .thread_count = state->work.thread_count};
}

// Of some pairs.
typedef struct {
    int32_t impact_count;
    double depth;
    const tal_pair *deepest;
} contact_count;

typedef struct {
    const tal_model *model;
    const tal_state *state;
    int slice_count;
    contact_count slice[TAL_SLICES_MAX];
} count_loop;

static void count_pair(const count_loop *l, const tal_pair *pair, contact_count *count) {
    const bool is_spring = tal_is_spring(l->model, pair);
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        count->impact_count += tal_strikes(l->state, k);
        const double depth = -tal_listed_gap(l->state, pair, k);
        if (!is_spring && depth > count->depth) {
            count->depth = depth;
            count->deepest = pair;
        }
    }
}

static void count_slices(void *context, int64_t first, int64_t end) {
    count_loop *l = context;
    const tal_percussion_problem *problem = &l->state->work.problem;
    for (int64_t n = first; n < end; n++) {
        l->slice[n] = (contact_count){0};
        const int64_t stop = tal_slice_begin(problem->pair_count, l->slice_count, n + 1);
        for (int64_t p = tal_slice_begin(problem->pair_count, l->slice_count, n); p < stop; p++) {
            count_pair(l, &problem->pair[p], &l->slice[n]);
        }
    }
}

void tal_count_contacts(const tal_model *model, const tal_state *state, tal_report *report) {
    count_loop l; // small scenes have one slice
    l.model = model;
    l.state = state;
    l.slice_count = tal_slice_count(state->work.problem.pair_count, PAIRS_PER_SLICE);
    tal_threads_loop(state->work.thread_count, l.slice_count, 1, count_slices, &l);
    report->color_count = state->work.contacts.coloring.color_count;
    report->impact_count = 0;
    report->penetration_m = 0.0; // of these poses: bodies may have been elsewhere before
    report->penetration_body_i = report->penetration_body_j = -1;
    for (int n = 0; n < l.slice_count; n++) {
        report->impact_count += l.slice[n].impact_count;
        if (l.slice[n].depth > report->penetration_m) {
            const tal_pair *pair = l.slice[n].deepest;
            report->penetration_m = l.slice[n].depth;
            report->penetration_body_i = pair->body_i;
            report->penetration_body_j =
                pair->body_j < state->body_count ? pair->body_j : TAL_BODY_TERRAIN;
        }
    }
}

typedef struct {
    const tal_model *model;
    tal_state *state;
    double dt;
} pairs_loop;

static void prepare_pairs(void *context, int64_t first, int64_t end) {
    const pairs_loop *l = context;
    for (int64_t p = first; p < end; p++) {
        tal_prepare_pair(l->model, l->state, &l->state->work.problem.pair[p], l->dt);
    }
}

tal_status tal_prepare_contacts(const tal_model *model, tal_state *state, double dt,
                                tal_report *report, tal_error *err) {
    TAL_TRY(tal_contacts_reserve(&state->work.contacts,
                                 tal_pairs_with_room(state->work.list.manifold_count),
                                 tal_contacts_with_room(state->work.list.point_count), err));
    tal_contacts_forget_more(&state->work.contacts);
    color_manifolds(model, state);
    number_islands(model, state, report);
    lay_out_pairs(model, state, report->island_count);
    set_problem(model, state, report->island_count);
    TAL_TRY(tal_batches_reserve(&state->work.contacts.work.batches, &state->work.problem, err));
    TAL_TRY(tal_soft_place_contacts(model, state, err));
    tal_find_remembered(state);
    tal_threads_loop(state->work.thread_count, state->work.problem.pair_count, PAIRS_PER_PIECE,
                     prepare_pairs, &(pairs_loop){model, state, dt});
    tal_count_contacts(model, state, report);
    return TAL_OK;
}

void tal_soften_island(const tal_model *model, tal_state *state, int32_t island, double dt) {
    TAL_ASSERT(island >= 0 && island < state->work.problem.island_count);
    const tal_island *of = &state->work.island[island];
    state->work.contacts.work.batches.are_filled = false;
    for (int32_t p = of->first_pair; p < of->first_pair + of->pair_count; p++) {
        tal_pair *pair = &state->work.problem.pair[p];
        const tal_judge judge = judge_of(model, state, pair, dt);
        for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            tal_contact *c = &state->work.contacts.contact[k];
            if (!tal_is_joint(model, pair)) { // which are no different
                tal_contact_data data = tal_contact_data_of(model, state, pair, &judge, k);
                data.adhesion = c->more->adhesion;
                tal_law_prepare_inelastic(&model->law[pair->law], &data, c,
                                          &state->work.contacts.more[k]);
            }
            c->percussion[0] = c->percussion[1] = c->percussion[2] = 0.0;
        }
        pair->is_dry = is_dry(state, pair);
        if (pair->roll_length > 0.0) {
            tal_roll_prepare(&state->work.problem, pair);
        }
    }
}

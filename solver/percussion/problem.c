// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a contact problem before and after the sweeps: masses, velocities, scales.
#include "core/base/threads.h"
#include "solver/percussion/general_kernel.h"

#include <math.h>

// Some microseconds of work: less is not worth sharing.
enum { PAIRS_PER_PIECE = 256 };

// An island flows if its mean speed is above this many times the least one. 1 to 20 are the same to heaps that fall, but
// with 3 a column that closes its gaps leans by 2 mm.
static const double FLOWING = 20.0;

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

// Mean square speed of the bodies of an island, by mass.
static double square_speed(const tal_percussion_problem *problem, const tal_island *island) {
    double energy = 0.0, mass = 0.0;
    for (int32_t n = island->first_body; n < island->first_body + island->body_count; n++) {
        const int32_t b = problem->island_body[n];
        const double moving = tal_general_energy_scale(problem, b, 0.0);
        energy += moving;
        mass += tal_general_energy_scale(problem, b, 1.0) - moving; // m (v^2 + 1) - m v^2
    }
    return mass > 0.0 ? energy / mass : 0.0;
}

typedef struct {
    const tal_percussion_problem *problem;
    int32_t first_pair;
    double slow;
    bool flows;
} scale_loop;

static void set_scales(void *context, int64_t first, int64_t end) {
    const scale_loop *l = context;
    for (int64_t n = first; n < end; n++) {
        tal_pair *pair = &l->problem->pair[l->first_pair + n];
        pair->flows = l->flows;
        pair->energy_scale = tal_general_energy_scale(l->problem, pair->body_i, l->slow) +
                             tal_general_energy_scale(l->problem, pair->body_j, l->slow);
    }
}

void tal_set_energy_scales(const tal_percussion_problem *problem, double speed_min) {
    for (int32_t n = 0; n < problem->island_count; n++) {
        const tal_island *island = &problem->island[n];
        const double least = speed_min * speed_min, mean = square_speed(problem, island);
        scale_loop l = {problem, island->first_pair, sqrt(least + mean),
                        mean > FLOWING * FLOWING * least};
        tal_threads_loop(problem->thread_count, island->pair_count, PAIRS_PER_PIECE, set_scales,
                         &l);
    }
}

static bool is_mobile(const tal_percussion_problem *problem, int32_t body) {
    if (body == problem->body_count) {
        return false;
    }
    return tal_is_general(problem, body) ? tal_general(problem, body)->is_mobile
                                         : problem->inertia[body].inverse_mass > 0.0;
}

static bool is_pair_valid(const tal_percussion_problem *problem, int32_t p, int32_t island) {
    const tal_pair *pair = &problem->pair[p];
    const int32_t bodies = problem->body_count;
    const int32_t expected = p > 0 ? pair[-1].first_contact + pair[-1].contact_count : 0;
    if (pair->body_i < 0 || pair->body_i >= bodies || pair->body_j < 0 || pair->body_j > bodies ||
        pair->first_contact != expected || pair->contact_count < 1 || pair->island != island ||
        !(is_mobile(problem, pair->body_i) || is_mobile(problem, pair->body_j))) {
        return false;
    }
    for (int32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
        const tal_contact *c = &problem->contact[k];
        if (!(c->w[0] > 0.0 && c->w[3] > 0.0 && c->w[5] > 0.0 && isfinite(c->percussion[0]) &&
              isfinite(c->percussion[1]) && isfinite(c->percussion[2]))) {
            return false;
        }
    }
    return (pair->is_general != 0) ==
           (tal_is_general(problem, pair->body_i) || tal_is_general(problem, pair->body_j));
}

// `last_color` holds for each body the last color that used it.
static bool is_island_valid(const tal_percussion_problem *problem, int32_t number,
                            int32_t *last_color) {
    const tal_island *island = &problem->island[number];
    int32_t p = island->first_pair;
    for (int32_t c = island->first_color; c < island->first_color + island->color_count; c++) {
        const bool is_serial =
            island->last_color_is_serial && c == island->first_color + island->color_count - 1;
        for (; p < problem->color_end[c]; p++) {
            const int32_t body[2] = {problem->pair[p].body_i, problem->pair[p].body_j};
            if (!is_pair_valid(problem, p, number)) {
                return false;
            }
            for (int side = 0; side < 2 && !is_serial; side++) {
                if (is_mobile(problem, body[side])) {
                    if (last_color[body[side]] == c + 1) {
                        return false;
                    }
                    last_color[body[side]] = c + 1;
                }
            }
        }
    }
    return p == island->first_pair + island->pair_count;
}

bool tal_problem_is_valid(const tal_percussion_problem *problem, int32_t *scratch) {
    int32_t pairs = 0;
    for (int32_t b = 0; b < problem->body_count; b++) {
        scratch[b] = 0;
    }
    for (int32_t n = 0; n < problem->island_count; n++) {
        if (problem->island[n].first_pair != pairs || !is_island_valid(problem, n, scratch)) {
            return false;
        }
        pairs += problem->island[n].pair_count;
    }
    return pairs == problem->pair_count;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/percussion/extend.h"

#include "solver/percussion/contact.h"
#include "solver/percussion/roll.h"
#include "solver/step/look_ahead.h"

#include <string.h>

static bool is_added(const tal_manifold *manifold) {
    return manifold->was < 0;
}

// The island of the mobile bodies of a manifold; -1: there is none, or there are two.
static int32_t island_of(const tal_state *state, const tal_manifold *manifold) {
    const tal_edge edge = tal_edge_of(state, manifold);
    const int32_t i = edge.i >= 0 ? edge.i : edge.j, j = edge.j >= 0 ? edge.j : edge.i;
    const int32_t island = state->work.island_of_body[i];
    return island == state->work.island_of_body[j] ? island : -1;
}

bool tal_can_extend_contacts(const tal_model *model, const tal_state *state) {
    const tal_manifolds *list = &state->work.list, *added = &state->work.list_added;
    const int32_t pairs = list->manifold_count, contacts = list->point_count;
    bool can = model->soft_count == 0 &&
               state->memory.dt > 0.0 && // in the first step some are bonded
               pairs + added->manifold_count <= tal_pairs_with_room(pairs) &&
               contacts + added->point_count <= tal_contacts_with_room(contacts);
    for (int32_t m = 0; can && m < added->manifold_count; m++) {
        can = island_of(state, &added->manifold[m]) >= 0;
    }
    return can;
}

// By how much an island moves up, or what joins it.
typedef struct {
    int32_t pairs, contacts, colors;
} places;

#define MOVE(array, first, count, by)                                                              \
    memmove(&(array)[(first) + (by)], &(array)[first], (size_t)(count) * sizeof *(array))

static void move_pairs(tal_contacts *set, const tal_island *island, places up) {
    MOVE(set->pair, island->first_pair, island->pair_count, up.pairs);
    MOVE(set->roll, island->first_pair, island->pair_count, up.pairs);
    tal_pair *pair = &set->pair[island->first_pair + up.pairs];
    for (int32_t p = 0; p < island->pair_count; p++) {
        pair[p].first_contact += up.contacts;
    }
}

// From the last one down, so that none is overwritten; pages that nobody uses stay so.
static void move_more(tal_contacts *set, int32_t first, int32_t count, int32_t up) {
    for (int32_t k = first + count - 1; k >= first; k--) {
        if (set->contact[k].more == &set->more[k]) {
            set->more[k + up] = set->more[k];
            set->contact[k].more = &set->more[k + up];
        }
    }
}

static void move_contacts(tal_contacts *set, int32_t first, int32_t count, int32_t up) {
    move_more(set, first, count, up);
    MOVE(set->contact, first, count, up);
    MOVE(set->moment, first, count, up);
    MOVE(set->bonded, first, count, up);
}

static void move_colors(tal_contacts *set, const tal_island *island, places up) {
    MOVE(set->color_end, island->first_color, island->color_count, up.colors);
    int32_t *end = &set->color_end[island->first_color + up.colors];
    for (int32_t c = 0; c < island->color_count; c++) {
        end[c] += up.pairs;
    }
}

static void move_island(tal_contacts *set, tal_island *island, places up) {
    const tal_pair *first = &set->pair[island->first_pair];
    const tal_pair *last = first + island->pair_count - 1;
    if (up.pairs == 0) {
        return;
    }
    move_contacts(set, first->first_contact,
                  last->first_contact + last->contact_count - first->first_contact, up.contacts);
    move_pairs(set, island, up);
    move_colors(set, island, up);
    island->first_pair += up.pairs;
    island->first_color += up.colors;
}

// Room for what joins behind the last pair, which is of the last color.
static void widen_island(tal_contacts *set, tal_island *island, int32_t pairs) {
    if (pairs == 0) {
        return;
    }
    if (!island->last_color_is_serial) {
        island->color_count++;
        island->last_color_is_serial = true;
    }
    set->color_end[island->first_color + island->color_count - 1] =
        island->first_pair + island->pair_count + pairs;
}

static int32_t colors_added(const tal_island *island, int32_t pairs) {
    return pairs > 0 && !island->last_color_is_serial ? 1 : 0;
}

// From the last island down, so that each finds its new place empty.
static void make_room(tal_state *state, const int32_t *pairs_added, const int32_t *points_added) {
    tal_contacts *set = &state->work.contacts;
    places up = {0};
    for (int32_t n = 0; n < state->work.problem.island_count; n++) {
        up.pairs += pairs_added[n];
        up.contacts += points_added[n];
        up.colors += colors_added(&state->work.island[n], pairs_added[n]);
    }
    for (int32_t n = state->work.problem.island_count - 1; n >= 0; n--) {
        tal_island *island = &state->work.island[n];
        up.pairs -= pairs_added[n];
        up.contacts -= points_added[n];
        up.colors -= colors_added(island, pairs_added[n]);
        move_island(set, island, up);
        widen_island(set, island, pairs_added[n]);
    }
}

static void count_added(const tal_state *state, int32_t *pairs_added, int32_t *points_added) {
    const tal_manifolds *added = &state->work.list_added;
    const size_t size = (size_t)state->work.problem.island_count * sizeof *pairs_added;
    memset(pairs_added, 0, size);
    memset(points_added, 0, size);
    for (int32_t m = 0; m < added->manifold_count; m++) {
        const int32_t island = island_of(state, &added->manifold[m]);
        pairs_added[island]++;
        points_added[island] += added->manifold[m].point_count;
    }
}

// Pairs that were there have other manifolds' numbers now, and behind those of their island are the added ones.
static void number_pairs(const tal_model *model, tal_state *state) {
    tal_contacts *set = &state->work.contacts;
    const tal_manifolds *list = &state->work.list;
    int32_t *number = set->by_color; // in the list, of manifolds as they were
    for (int32_t m = 0; m < list->manifold_count; m++) {
        if (!is_added(&list->manifold[m])) {
            number[list->manifold[m].was] = m;
        }
        set->edge[m] = tal_edge_of(state, &list->manifold[m]);
        set->first_remembered[m] = state->memory.pair_count; // nothing to recall
    }
    for (int32_t n = 0; n < state->work.problem.island_count; n++) {
        const tal_island *island = &state->work.island[n];
        for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
            set->pair[p].manifold = number[set->pair[p].manifold];
            set->pair_of_manifold[set->pair[p].manifold] = p;
        }
    }
    for (int32_t m = 0; m < list->manifold_count; m++) {
        if (is_added(&list->manifold[m])) {
            const int32_t n = island_of(state, &list->manifold[m]);
            tal_island *island = &state->work.island[n];
            const int32_t p = island->first_pair + island->pair_count++;
            const tal_pair *last = &set->pair[p - 1];
            set->pair[p] =
                tal_pair_of(model, state, m, last->first_contact + last->contact_count, n);
            set->pair_of_manifold[m] = p;
        }
    }
}

tal_status tal_extend_contacts(const tal_model *model, tal_state *state, double dt, double slow,
                               tal_report *report, tal_error *err) {
    int32_t *pairs_added = state->work.island_parent; // scratch
    int32_t *points_added = state->work.contacts.work.near_body;
    tal_percussion_problem *problem = &state->work.problem;
    TAL_VALIDATE(tal_can_extend_contacts(model, state));
    count_added(state, pairs_added, points_added);
    TAL_TRY(tal_take_added(state, err));
    make_room(state, pairs_added, points_added);
    for (int32_t n = 0; n < problem->island_count; n++) {
        if (pairs_added[n] > 0) {
            tal_forget_result(&state->work.contacts.work, n);
        }
    }
    number_pairs(model, state);
    problem->pair_count = state->work.list.manifold_count;
    problem->contact_count = state->work.list.point_count;
    for (int32_t m = 0; m < state->work.list.manifold_count; m++) {
        if (is_added(&state->work.list.manifold[m])) {
            tal_prepare_pair(model, state, &problem->pair[state->work.contacts.pair_of_manifold[m]],
                             dt);
        }
    }
    tal_count_contacts(model, state, report);
    tal_set_energy_scales(problem, slow);
    TAL_VALIDATE(tal_problem_is_valid(problem, state->work.island_parent));
    return TAL_OK;
}

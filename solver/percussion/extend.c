// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/percussion/extend.h"

#include "solver/percussion/contact.h"
#include "solver/percussion/roll.h"
#include "solver/percussion/sweep_set.h"
#include "solver/step/look_ahead.h"

#include <string.h>

// Colors for what joins, which is sparse: in heaps of boxes two or three are needed. The rest is visited one by one.
enum { ADDED_COLORS_MAX = 8 };
static const uint64_t COLORED = (UINT64_C(1) << ADDED_COLORS_MAX) - 1;
enum { ALL_SERIAL = -1 }; // colors of what joins an island that has none left

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

// What joins: its manifolds in the list, and per island how much it is.
typedef struct {
    int32_t count;
    int32_t *manifold;
    uint8_t *color; // of each; those above ADDED_COLORS_MAX - 1 are visited one by one
    int32_t *pairs, *points, *colors;
} joining;

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

static int32_t colors_added(const tal_island *island, int32_t colors) {
    return colors == ALL_SERIAL ? !island->last_color_is_serial : colors;
}

// Colors for what joins behind the last pair, which is of the last color. Their ends follow with the pairs.
static void widen_island(tal_island *island, int32_t colors) {
    const int32_t added = colors_added(island, colors);
    if (colors != 0) {
        island->last_color_is_serial = colors == ALL_SERIAL || colors > ADDED_COLORS_MAX;
        island->color_count += added;
        island->added_color_count += added;
    }
}

// From the last island down, so that each finds its new place empty.
static void make_room(tal_state *state, const joining *j) {
    tal_contacts *set = &state->work.contacts;
    places up = {0};
    for (int32_t n = 0; n < state->work.problem.island_count; n++) {
        up.pairs += j->pairs[n];
        up.contacts += j->points[n];
        up.colors += colors_added(&state->work.island[n], j->colors[n]);
    }
    for (int32_t n = state->work.problem.island_count - 1; n >= 0; n--) {
        tal_island *island = &state->work.island[n];
        up.pairs -= j->pairs[n];
        up.contacts -= j->points[n];
        up.colors -= colors_added(island, j->colors[n]);
        move_island(set, island, up);
        widen_island(island, j->colors[n]);
    }
}

static uint64_t *used_by(tal_state *state, int32_t body, uint64_t *nobody) {
    return body >= 0 ? &state->work.used_colors[body] : nobody;
}

// Lists what the list has taken in and counts it, island by island. No two manifolds of a color share a body that can
// move; each is of the first color that is free, so an island has none of a color only if it has none of those above.
static void list_added(tal_state *state, joining *j) {
    const tal_manifolds *list = &state->work.list;
    const size_t size = (size_t)state->work.problem.island_count * sizeof *j->pairs;
    uint64_t nobody = 0;
    memset(j->pairs, 0, size);
    memset(j->points, 0, size);
    memset(j->colors, 0, size);
    memset(state->work.used_colors, 0, (size_t)state->body_count * sizeof *state->work.used_colors);
    for (int32_t m = 0; m < list->manifold_count; m++) {
        if (!is_added(&list->manifold[m])) {
            continue;
        }
        const tal_edge edge = tal_edge_of(state, &list->manifold[m]);
        const int32_t island = island_of(state, &list->manifold[m]);
        uint64_t *of_i = used_by(state, edge.i, &nobody), *of_j = used_by(state, edge.j, &nobody);
        const int32_t color = __builtin_ctzll(~((*of_i | *of_j) & COLORED));
        *of_i |= UINT64_C(1) << color;
        *of_j |= UINT64_C(1) << color;
        nobody = 0;
        j->color[j->count] = (uint8_t)color;
        j->manifold[j->count++] = m;
        j->pairs[island]++;
        j->points[island] += list->manifold[m].point_count;
        j->colors[island] = color < j->colors[island] ? j->colors[island] : color + 1;
    }
    for (int32_t n = 0; n < state->work.problem.island_count; n++) {
        const tal_island *island = &state->work.island[n];
        if (j->colors[n] > 0 &&
            (island->last_color_is_serial || island->color_count + j->colors[n] > TAL_COLOR_MAX)) {
            j->colors[n] = ALL_SERIAL;
        }
    }
}

// Pairs that were there have other manifolds' numbers now, and behind those of their island are the added ones.
static void number_pairs(tal_state *state) {
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
}

// Behind those of its island, in the color that it has there.
static void place_added(const tal_model *model, tal_state *state, const joining *j, int32_t k) {
    tal_contacts *set = &state->work.contacts;
    const int32_t m = j->manifold[k], n = island_of(state, &state->work.list.manifold[m]);
    tal_island *island = &state->work.island[n];
    const int32_t p = island->first_pair + island->pair_count++;
    const tal_pair *last = &set->pair[p - 1];
    const int32_t from_end = j->colors[n] == ALL_SERIAL ? 1 : j->colors[n] - j->color[k];
    set->pair[p] = tal_pair_of(model, state, m, last->first_contact + last->contact_count, n);
    set->pair_of_manifold[m] = p;
    set->color_end[island->first_color + island->color_count - from_end] = p + 1;
}

static void place_all_added(const tal_model *model, tal_state *state, const joining *j) {
    for (int color = 0; color <= ADDED_COLORS_MAX; color++) {
        for (int32_t k = 0; k < j->count; k++) {
            if (j->color[k] == color) {
                place_added(model, state, j, k);
            }
        }
    }
}

tal_status tal_extend_contacts(const tal_model *model, tal_state *state, double dt, double slow,
                               tal_report *report, tal_error *err) {
    tal_contacts *set = &state->work.contacts;
    tal_percussion_problem *problem = &state->work.problem;
    joining j = {.manifold = set->order, // scratch, all of it
                 .color = set->color,
                 .pairs = state->work.island_parent,
                 .points = set->work.near_body,
                 .colors = set->work.listed};
    TAL_VALIDATE(tal_can_extend_contacts(model, state));
    TAL_TRY(tal_take_added(state, err));
    list_added(state, &j);
    make_room(state, &j);
    number_pairs(state);
    place_all_added(model, state, &j);
    problem->pair_count = state->work.list.manifold_count;
    problem->contact_count = state->work.list.point_count;
    for (int32_t k = 0; k < j.count; k++) {
        tal_prepare_pair(model, state, &problem->pair[set->pair_of_manifold[j.manifold[k]]], dt);
    }
    for (int32_t n = 0; n < problem->island_count; n++) {
        if (j.pairs[n] > 0) {
            tal_forget_result(&set->work, n);
            state->work.island[n].added_are_batched =
                tal_batches_have_room(&set->work.batches, problem, n);
        }
    }
    tal_count_contacts(model, state, report);
    tal_set_energy_scales(problem, slow);
    TAL_VALIDATE(tal_problem_is_valid(problem, state->work.island_parent));
    return TAL_OK;
}

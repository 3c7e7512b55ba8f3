// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy coloring by bit sets, and islands by union-find.
#include "solver/percussion/coloring.h"

#include "core/base/status.h"

#include <string.h>

static uint64_t used_of(const uint64_t *used, int32_t body) {
    return body >= 0 ? used[body] : 0;
}

static uint8_t first_free_color(uint64_t used) {
    return ~used != 0 ? (uint8_t)__builtin_ctzll(~used) : TAL_COLOR_MAX;
}

static void sort_by_color(const uint8_t *color, int32_t edge_count, int32_t *order,
                          tal_coloring *coloring) {
    int32_t *start = coloring->color_start;
    for (int32_t e = 0; e < edge_count; e++) {
        start[color[e] + 1]++;
    }
    for (int c = 0; c <= TAL_COLOR_MAX; c++) {
        start[c + 1] += start[c];
    }
    int32_t next[TAL_COLOR_MAX + 1];
    memcpy(next, start, sizeof next);
    for (int32_t e = 0; e < edge_count; e++) {
        order[next[color[e]]++] = e;
    }
}

void tal_color_edges(const tal_edge *edge, int32_t edge_count, uint64_t *used, int32_t body_count,
                     uint8_t *color, int32_t *order, tal_coloring *coloring) {
    *coloring = (tal_coloring){0};
    memset(used, 0, (size_t)body_count * sizeof *used);
    for (int32_t e = 0; e < edge_count; e++) {
        TAL_ASSERT(edge[e].i < body_count && edge[e].j < body_count);
        TAL_ASSERT(edge[e].i >= 0 || edge[e].j >= 0); // two that nothing moves do not pair
        color[e] = first_free_color(used_of(used, edge[e].i) | used_of(used, edge[e].j));
        const uint64_t bit = color[e] < TAL_COLOR_MAX ? UINT64_C(1) << color[e] : 0;
        if (edge[e].i >= 0) {
            used[edge[e].i] |= bit;
        }
        if (edge[e].j >= 0) {
            used[edge[e].j] |= bit;
        }
        if (color[e] >= coloring->color_count) {
            coloring->color_count = color[e] + 1;
        }
    }
    coloring->last_color_is_serial = coloring->color_count > TAL_COLOR_MAX;
    sort_by_color(color, edge_count, order, coloring);
}

void tal_color_rows(const int32_t *start, const int32_t *neighbour, int32_t count, uint8_t *color,
                    int32_t *order, tal_coloring *coloring) {
    *coloring = (tal_coloring){0};
    for (int32_t p = 0; p < count; p++) {
        uint64_t used = 0;
        for (int32_t n = start[p]; n < start[p + 1]; n++) {
            const bool is_colored = neighbour[n] < p && color[neighbour[n]] < TAL_COLOR_MAX;
            used |= is_colored ? UINT64_C(1) << color[neighbour[n]] : 0;
        }
        color[p] = first_free_color(used);
        if (color[p] >= coloring->color_count) {
            coloring->color_count = color[p] + 1;
        }
    }
    coloring->last_color_is_serial = coloring->color_count > TAL_COLOR_MAX;
    sort_by_color(color, count, order, coloring);
}

static int32_t root_of(int32_t *parent, int32_t body) {
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

static void join(int32_t *parent, int32_t a, int32_t b) {
    const int32_t root_a = root_of(parent, a), root_b = root_of(parent, b);
    if (root_a < root_b) {
        parent[root_b] = root_a;
    } else {
        parent[root_a] = root_b;
    }
}

int32_t tal_find_islands(const tal_edge *edge, int32_t edge_count, int32_t body_count,
                         int32_t *parent, int32_t *island_of_body) {
    for (int32_t b = 0; b < body_count; b++) {
        parent[b] = b;
        island_of_body[b] = -1;
    }
    for (int32_t e = 0; e < edge_count; e++) {
        const int32_t i = edge[e].i >= 0 ? edge[e].i : edge[e].j;
        const int32_t j = edge[e].j >= 0 ? edge[e].j : edge[e].i;
        join(parent, i, j);
        island_of_body[i] = island_of_body[j] = 0; // touched
    }
    int32_t count = 0;
    for (int32_t b = 0; b < body_count; b++) {
        if (island_of_body[b] >= 0) { // roots are the smallest bodies of their islands
            const int32_t root = root_of(parent, b);
            island_of_body[b] = root == b ? count++ : island_of_body[root];
        }
    }
    return count;
}

static int32_t island_of(const tal_edge *edge, const int32_t *island_of_body) {
    return island_of_body[edge->i >= 0 ? edge->i : edge->j];
}

static void place_islands(tal_island *island, int32_t island_count) {
    int32_t pair = 0, body = 0;
    for (int32_t n = 0; n < island_count; n++) {
        island[n].first_pair = pair;
        island[n].first_body = body;
        pair += island[n].pair_count;
        body += island[n].body_count;
        island[n].pair_count = island[n].body_count = 0; // counted again while they are filled
    }
}

static void find_color_ends(const uint8_t *color, const int32_t *order, tal_island *island,
                            int32_t *color_end, int32_t *color_total) {
    island->first_color = *color_total;
    for (int32_t p = island->first_pair; p < island->first_pair + island->pair_count; p++) {
        const bool is_last = p + 1 == island->first_pair + island->pair_count;
        if (is_last || color[order[p + 1]] != color[order[p]]) {
            color_end[(*color_total)++] = p + 1;
            island->last_color_is_serial = color[order[p]] == TAL_COLOR_MAX;
        }
    }
    island->color_count = *color_total - island->first_color;
}

void tal_sort_by_island(const tal_edge *edge, const uint8_t *color, int32_t edge_count,
                        const int32_t *by_color, const int32_t *island_of_body, int32_t body_count,
                        int32_t island_count, tal_island *island, int32_t *order, int32_t *body,
                        int32_t *color_end) {
    memset(island, 0, (size_t)island_count * sizeof *island);
    for (int32_t e = 0; e < edge_count; e++) {
        island[island_of(&edge[e], island_of_body)].pair_count++;
    }
    for (int32_t b = 0; b < body_count; b++) {
        if (island_of_body[b] >= 0) {
            island[island_of_body[b]].body_count++;
        }
    }
    place_islands(island, island_count);
    for (int32_t e = 0; e < edge_count; e++) {
        tal_island *home = &island[island_of(&edge[by_color[e]], island_of_body)];
        order[home->first_pair + home->pair_count++] = by_color[e];
    }
    for (int32_t b = 0; b < body_count; b++) {
        if (island_of_body[b] >= 0) {
            tal_island *home = &island[island_of_body[b]];
            body[home->first_body + home->body_count++] = b;
        }
    }
    int32_t color_total = 0;
    for (int32_t n = 0; n < island_count; n++) {
        find_color_ends(color, order, &island[n], color_end, &color_total);
    }
}

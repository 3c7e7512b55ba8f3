// SPDX-License-Identifier: GPL-3.0-or-later
// Two groupings of touching pairs: colors (no two pairs of a color share a mobile body, so they may
// be solved at once) and islands (bodies connected by contacts).
#ifndef TALUS_SOLVER_PERCUSSION_COLORING_H
#define TALUS_SOLVER_PERCUSSION_COLORING_H

#include <stdbool.h>
#include <stdint.h>

enum { TAL_COLOR_MAX = 64 };

// The mobile bodies of a pair; -1 where the partner is immobile.
typedef struct {
    int32_t i, j;
} tal_edge;

typedef struct {
    int32_t color_count;
    int32_t color_start[TAL_COLOR_MAX + 2];
    bool last_color_is_serial; // more colors needed than there are: the rest shares the last one
} tal_coloring;

// Pairs and bodies of an island, as places in their lists; color by color.
typedef struct {
    int32_t first_pair, pair_count;
    int32_t first_body, body_count;
    int32_t first_color, color_count; // places in the list of color ends
    int32_t added_color_count;        // of those, the last ones: what has joined since (extend.h)
    bool added_are_batched;
    bool last_color_is_serial;
} tal_island;

// Greedy in the order given, so the result depends on that order alone. `order` receives the edge
// numbers sorted by color, in order within a color. `used` is scratch, one word per body.
void tal_color_edges(const tal_edge *edge, int32_t edge_count, uint64_t *used, int32_t body_count,
                     uint8_t *color, int32_t *order, tal_coloring *coloring);

// The same for pairs that disturb each other without sharing a body: pair p and those in
// neighbour[start[p]] .. neighbour[start[p + 1] - 1] (itself may be among them) get different colors.
void tal_color_rows(const int32_t *start, const int32_t *neighbour, int32_t count, uint8_t *color,
                    int32_t *order, tal_coloring *coloring);

// Numbers the islands in order of their first body; bodies without contact get -1.
int32_t tal_find_islands(const tal_edge *edge, int32_t edge_count, int32_t body_count,
                         int32_t *parent, int32_t *island_of_body);

// Sorts `by_color` by island, keeping its order within: into `order`. Lists the mobile bodies of each
// island in `body` and, for each color an island has, the place after its last pair in `color_end` (at
// most one entry per edge).
void tal_sort_by_island(const tal_edge *edge, const uint8_t *color, int32_t edge_count,
                        const int32_t *by_color, const int32_t *island_of_body, int32_t body_count,
                        int32_t island_count, tal_island *island, int32_t *order, int32_t *body,
                        int32_t *color_end);

#endif

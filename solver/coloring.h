// SPDX-License-Identifier: GPL-3.0-or-later
// Two groupings of touching pairs: colors (no two pairs of a color share a mobile body, so they may
// be solved at once) and islands (bodies connected by contacts).
#ifndef TALUS_SOLVER_COLORING_H
#define TALUS_SOLVER_COLORING_H

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

// Greedy in the order given, so the result depends on that order alone. `order` receives the edge
// numbers sorted by color, in order within a color. `used` is scratch, one word per body.
void tal_color_edges(const tal_edge *edge, int32_t edge_count, uint64_t *used, int32_t body_count,
                     uint8_t *color, int32_t *order, tal_coloring *coloring);

// Numbers the islands in order of their first body; bodies without contact get -1.
int32_t tal_find_islands(const tal_edge *edge, int32_t edge_count, int32_t body_count,
                         int32_t *parent, int32_t *island_of_body);

#endif

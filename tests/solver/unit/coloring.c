// SPDX-License-Identifier: GPL-3.0-or-later
// Colors never share a mobile body, except the last when colors run out; islands are connected sets.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "solver/percussion/coloring.h"

enum { BODIES = 200, EDGES = 2000 };

static tal_edge edge[EDGES];
static uint64_t used[BODIES];
static uint8_t color[EDGES];
static int32_t order[EDGES], parent[BODIES], island[BODIES];

static void throw_edges(int bodies, int edges, uint32_t run) {
    const tal_random random = tal_random_stream(3, run, "tests/coloring");
    for (int e = 0; e < edges; e++) {
        edge[e].i = (int32_t)tal_random_below(random, 2 * (uint64_t)e, (uint64_t)bodies);
        edge[e].j = (int32_t)tal_random_below(random, 2 * (uint64_t)e + 1, (uint64_t)bodies);
        edge[e].j = edge[e].j == edge[e].i ? -1 : edge[e].j;
    }
}

static void check_coloring(const tal_coloring *c, int edges) {
    bool seen[EDGES] = {false};
    assert_int_equal(c->color_start[c->color_count], edges);
    for (int32_t k = 0; k < c->color_count; k++) {
        bool taken[BODIES] = {false};
        for (int32_t n = c->color_start[k]; n < c->color_start[k + 1]; n++) {
            const tal_edge e = edge[order[n]];
            assert_false(seen[order[n]]);
            seen[order[n]] = true;
            if (c->last_color_is_serial && k == c->color_count - 1) {
                continue;
            }
            assert_false(taken[e.i] || (e.j >= 0 && taken[e.j]));
            taken[e.i] = true;
            if (e.j >= 0) {
                taken[e.j] = true;
            }
        }
    }
}

static void pairs_of_one_color_share_no_body(void **unused) {
    (void)unused;
    for (uint32_t run = 0; run < 50; run++) {
        tal_coloring c;
        throw_edges(BODIES, 600, run);
        tal_color_edges(edge, 600, used, BODIES, color, order, &c);
        assert_false(c.last_color_is_serial);
        check_coloring(&c, 600);
    }
}

static void too_many_neighbours_share_a_serial_color(void **unused) {
    (void)unused;
    tal_coloring c;
    throw_edges(5, EDGES, 1);
    tal_color_edges(edge, EDGES, used, BODIES, color, order, &c);
    assert_true(c.last_color_is_serial);
    check_coloring(&c, EDGES);
}

static void islands_are_the_connected_bodies(void **unused) {
    (void)unused;
    static const tal_edge few[] = {{0, 3}, {5, -1}, {3, 7}, {-1, 8}, {9, 10}};
    static const int32_t want[12] = {0, -1, -1, 0, -1, 1, -1, 0, 2, 3, 3, -1};
    assert_int_equal(tal_find_islands(few, 5, 12, parent, island), 4);
    for (int b = 0; b < 12; b++) {
        assert_int_equal(island[b], want[b]);
    }
}

static void check_island(const tal_island *one, int number, const int32_t *by_island,
                         const int32_t *body, const int32_t *color_end) {
    for (int32_t n = 0; n < one->body_count; n++) {
        assert_int_equal(island[body[one->first_body + n]], number);
    }
    int32_t first = one->first_pair;
    for (int32_t c = one->first_color; c < one->first_color + one->color_count; c++) {
        for (int32_t p = first; p < color_end[c]; p++) {
            assert_int_equal(island[edge[by_island[p]].i], number);
            assert_int_equal(color[by_island[p]], color[by_island[first]]);
            assert_true(p == first || by_island[p] > by_island[p - 1]);
        }
        assert_true(first == one->first_pair ||
                    color[by_island[first]] > color[by_island[first - 1]]);
        first = color_end[c];
    }
    assert_int_equal(first, one->first_pair + one->pair_count);
}

static void each_island_has_its_pairs_by_color_and_its_bodies(void **unused) {
    (void)unused;
    static tal_island found[BODIES];
    static int32_t by_island[EDGES], body[BODIES], color_end[EDGES];
    for (uint32_t run = 0; run < 50; run++) {
        const int edges = run == 0 ? EDGES : 90; // one island and a serial color, or many islands
        tal_coloring c;
        int32_t pairs = 0;
        throw_edges(run == 0 ? 5 : BODIES, edges, run);
        tal_color_edges(edge, edges, used, BODIES, color, order, &c);
        const int32_t count = tal_find_islands(edge, edges, BODIES, parent, island);
        tal_sort_by_island(edge, color, edges, order, island, BODIES, count, found, by_island, body,
                           color_end);
        for (int32_t n = 0; n < count; n++) {
            assert_int_equal(found[n].first_pair, pairs);
            assert_int_equal(found[n].last_color_is_serial, run == 0);
            check_island(&found[n], n, by_island, body, color_end);
            pairs += found[n].pair_count;
        }
        assert_int_equal(pairs, edges);
        assert_true(run == 0 ? count == 1 : count > 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_one_color_share_no_body),
        cmocka_unit_test(too_many_neighbours_share_a_serial_color),
        cmocka_unit_test(islands_are_the_connected_bodies),
        cmocka_unit_test(each_island_has_its_pairs_by_color_and_its_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

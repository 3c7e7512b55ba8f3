// SPDX-License-Identifier: GPL-3.0-or-later
// The graph after some eliminations is kept as elements: an eliminated node e stands for the clique of
// its remaining neighbours. A node keeps two lists in the places of its first neighbours: elements it
// belongs to, then nodes it touches directly.
#include "solver/finish/ordering.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t hash;
    int64_t degree;
    int32_t node;
} signature;

typedef struct {
    int32_t count;
    int64_t *start; // of the list of a node
    int32_t *list;
    int32_t *element_count, *node_count; // of the list of a node
    int32_t *weight;                     // contacts in a node; 0: merged or eliminated
    int64_t *degree;
    int32_t *next, *previous, *head; // nodes of one degree
    int64_t lowest;                  // no list below it has a node
    int64_t *member_start, *member_end;
    int32_t *member; // of the elements
    int64_t member_used, member_max;
    int64_t *outside; // weight of an element outside the present clique; -1: not weighed
    uint8_t *is_element, *is_in_clique;
    int32_t *twin; // next contact of the same node, -1 at the end
    int32_t *last_twin;
} graph;

static int compare_signatures(const void *a, const void *b) {
    const signature *x = a, *y = b;
    if (x->hash != y->hash) {
        return x->hash < y->hash ? -1 : 1;
    }
    if (x->degree != y->degree) {
        return x->degree < y->degree ? -1 : 1;
    }
    return (x->node > y->node) - (x->node < y->node);
}

static uint64_t scatter(uint64_t n) { // splitmix64: neighbours get unlike hashes
    n += 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

// Both have themselves among their neighbours, so equal lists mean that they touch each other too.
static bool has_same_row(const tal_block_matrix *m, int32_t a, int32_t b) {
    const int64_t length = m->start[a + 1] - m->start[a];
    return length == m->start[b + 1] - m->start[b] &&
           memcmp(&m->column[m->start[a]], &m->column[m->start[b]],
                  (size_t)length * sizeof *m->column) == 0;
}

// Contacts with equal rows become one node, the lowest of them.
static tal_status merge_twins(const tal_block_matrix *m, graph *g, tal_error *err) {
    signature *all;
    TAL_CREATE(all, (size_t)m->count, "signatures of contacts", err);
    for (int32_t i = 0; i < m->count; i++) {
        all[i] = (signature){.degree = m->start[i + 1] - m->start[i], .node = i};
        for (int64_t p = m->start[i]; p < m->start[i + 1]; p++) {
            all[i].hash += scatter((uint64_t)m->column[p]);
        }
        g->weight[i] = 1;
        g->twin[i] = -1;
        g->last_twin[i] = i;
    }
    qsort(all, (size_t)m->count, sizeof *all, compare_signatures);
    for (int32_t n = 1, first = 0; n < m->count; n++) {
        const int32_t a = all[first].node, b = all[n].node;
        if (all[n].hash == all[first].hash && has_same_row(m, a, b)) {
            g->twin[g->last_twin[a]] = b;
            g->last_twin[a] = b;
            g->weight[a]++;
            g->weight[b] = 0;
        } else {
            first = n;
        }
    }
    tal_memory_destroy(all);
    return TAL_OK;
}

static void enlist(graph *g, int32_t i) {
    const int64_t d = g->degree[i];
    g->previous[i] = -1;
    g->next[i] = g->head[d];
    if (g->head[d] >= 0) {
        g->previous[g->head[d]] = i;
    }
    g->head[d] = i;
    g->lowest = d < g->lowest ? d : g->lowest;
}

static void delist(graph *g, int32_t i) {
    if (g->previous[i] >= 0) {
        g->next[g->previous[i]] = g->next[i];
    } else {
        g->head[g->degree[i]] = g->next[i];
    }
    if (g->next[i] >= 0) {
        g->previous[g->next[i]] = g->previous[i];
    }
}

static void build(const tal_block_matrix *m, graph *g) {
    int64_t used = 0;
    for (int32_t i = 0; i < g->count; i++) {
        g->head[i] = -1;
    }
    for (int32_t i = g->count - 1; i >= 0; i--) { // backwards: the lower number comes first
        g->start[i] = used;
        if (g->weight[i] == 0) {
            continue;
        }
        int64_t degree = 0;
        for (int64_t p = m->start[i]; p < m->start[i + 1]; p++) {
            const int32_t j = m->column[p];
            if (j != i && g->weight[j] > 0) {
                g->list[used++] = j;
                degree += g->weight[j];
            }
        }
        g->node_count[i] = (int32_t)(used - g->start[i]);
        g->degree[i] = degree;
        enlist(g, i);
    }
}

static tal_status reserve_members(graph *g, tal_error *err) {
    if (g->member_used + g->count <= g->member_max) {
        return TAL_OK;
    }
    const int64_t wanted = 2 * g->member_max + g->count;
    int32_t *grown =
        tal_memory_grow(g->member, (size_t)g->member_max, (size_t)wanted, sizeof *g->member);
    if (grown == NULL) {
        return tal_memory_failed(err, "cliques of the ordering", (size_t)wanted, sizeof *grown);
    }
    g->member = grown;
    g->member_max = wanted;
    return TAL_OK;
}

static void add_member(graph *g, int32_t i, int64_t *weight) {
    if (g->weight[i] > 0 && !g->is_in_clique[i]) {
        g->is_in_clique[i] = 1;
        g->member[g->member_used++] = i;
        *weight += g->weight[i];
    }
}

// The clique that the elimination of `pivot` makes; the elements it had are absorbed.
static int64_t make_element(graph *g, int32_t pivot) {
    int64_t weight = 0;
    g->weight[pivot] = 0;
    g->member_start[pivot] = g->member_used;
    const int32_t *list = &g->list[g->start[pivot]];
    for (int32_t n = 0; n < g->element_count[pivot]; n++) {
        const int32_t e = list[n];
        for (int64_t p = g->member_start[e]; p < g->member_end[e]; p++) {
            add_member(g, g->member[p], &weight);
        }
        g->is_element[e] = 0;
    }
    for (int32_t n = 0; n < g->node_count[pivot]; n++) {
        add_member(g, list[g->element_count[pivot] + n], &weight);
    }
    g->member_end[pivot] = g->member_used;
    g->is_element[pivot] = 1;
    return weight;
}

// outside[e] = weight of e outside the clique of `pivot`; -1 for elements that do not touch it.
static void weigh_neighbours(graph *g, int32_t pivot) {
    for (int64_t p = g->member_start[pivot]; p < g->member_end[pivot]; p++) {
        const int32_t i = g->member[p];
        for (int32_t n = 0; n < g->element_count[i]; n++) {
            const int32_t e = g->list[g->start[i] + n];
            if (!g->is_element[e]) {
                continue;
            }
            if (g->outside[e] < 0) {
                g->outside[e] = 0;
                for (int64_t k = g->member_start[e]; k < g->member_end[e]; k++) {
                    g->outside[e] += g->weight[g->member[k]];
                }
            }
            g->outside[e] -= g->weight[i];
        }
    }
}

// Rewrites the list of i (elements that still count, the new one, nodes not in the clique) and returns
// its degree outside the clique.
static int64_t shorten_list(graph *g, int32_t i, int32_t pivot) {
    int32_t *list = &g->list[g->start[i]];
    const int32_t elements = g->element_count[i], nodes = g->node_count[i];
    int32_t kept = 0;
    int64_t degree = 0;
    // The clique replaces at least one entry, so that there is room for the pivot in front.
    for (int32_t n = 0; n < elements; n++) {
        const int32_t e = list[n];
        if (g->is_element[e] && g->outside[e] > 0) {
            list[kept++] = e;
            degree += g->outside[e];
        }
    }
    int32_t kept_nodes = 0;
    int32_t *to =
        &list[kept];   // nodes move down behind the elements; one place is left for the pivot
    int32_t held = -1; // the entry that waits for a place
    for (int32_t n = 0; n < nodes; n++) {
        const int32_t j = list[elements + n];
        if (g->weight[j] > 0 && !g->is_in_clique[j]) {
            degree += g->weight[j];
            if (held >= 0) {
                to[1 + kept_nodes++] = held;
            }
            held = j;
        }
    }
    to[0] = pivot;
    if (held >= 0) {
        to[1 + kept_nodes++] = held;
    }
    g->element_count[i] = kept + 1;
    g->node_count[i] = kept_nodes;
    return degree;
}

static void update_members(graph *g, int32_t pivot, int64_t clique_weight, int64_t left) {
    for (int64_t p = g->member_start[pivot]; p < g->member_end[pivot]; p++) {
        const int32_t i = g->member[p];
        delist(g, i);
        const int64_t grown = g->degree[i] + clique_weight - g->weight[i];
        int64_t degree = shorten_list(g, i, pivot) + clique_weight - g->weight[i];
        degree = degree < grown ? degree : grown;
        degree = degree < left - g->weight[i] ? degree : left - g->weight[i];
        g->degree[i] = degree > 0 ? degree : 0;
    }
}

static void forget_weights(graph *g, int32_t pivot) {
    for (int64_t p = g->member_start[pivot]; p < g->member_end[pivot]; p++) {
        const int32_t i = g->member[p];
        for (int32_t n = 0; n < g->element_count[i]; n++) {
            g->outside[g->list[g->start[i] + n]] = -1;
        }
        g->is_in_clique[i] = 0;
        enlist(g, i);
    }
}

// Elements wholly inside the new clique are absorbed.
static void absorb(graph *g, int32_t pivot) {
    for (int64_t p = g->member_start[pivot]; p < g->member_end[pivot]; p++) {
        const int32_t i = g->member[p];
        for (int32_t n = 0; n < g->element_count[i]; n++) {
            const int32_t e = g->list[g->start[i] + n];
            if (g->is_element[e] && g->outside[e] == 0) {
                g->is_element[e] = 0;
                g->outside[e] = -1;
            }
        }
    }
}

static tal_status eliminate_all(graph *g, int32_t *order, tal_error *err) {
    int32_t placed = 0;
    int64_t left = g->count;
    while (placed < g->count) {
        while (g->head[g->lowest] < 0) {
            g->lowest++;
        }
        const int32_t pivot = g->head[g->lowest];
        delist(g, pivot);
        left -= g->weight[pivot];
        for (int32_t i = pivot; i >= 0; i = g->twin[i]) {
            order[placed++] = i;
        }
        TAL_TRY(reserve_members(g, err));
        const int64_t weight = make_element(g, pivot);
        weigh_neighbours(g, pivot);
        absorb(g, pivot);
        update_members(g, pivot, weight, left);
        forget_weights(g, pivot);
    }
    return TAL_OK;
}

static tal_status allocate(const tal_block_matrix *m, graph *g, tal_error *err) {
    const size_t count = (size_t)m->count, blocks = (size_t)m->start[m->count];
    TAL_CREATE(g->start, count + 1, "an ordering", err);
    TAL_CREATE(g->list, blocks + count, "an ordering", err);
    TAL_CREATE(g->element_count, count, "an ordering", err);
    TAL_CREATE(g->node_count, count, "an ordering", err);
    TAL_CREATE(g->weight, count, "an ordering", err);
    TAL_CREATE(g->degree, count, "an ordering", err);
    TAL_CREATE(g->next, count, "an ordering", err);
    TAL_CREATE(g->previous, count, "an ordering", err);
    TAL_CREATE(g->head, count + 1, "an ordering", err);
    TAL_CREATE(g->member_start, count, "an ordering", err);
    TAL_CREATE(g->member_end, count, "an ordering", err);
    TAL_CREATE(g->outside, count, "an ordering", err);
    TAL_CREATE(g->is_element, count, "an ordering", err);
    TAL_CREATE(g->is_in_clique, count, "an ordering", err);
    TAL_CREATE(g->twin, count, "an ordering", err);
    TAL_CREATE(g->last_twin, count, "an ordering", err);
    return TAL_OK;
}

static void release(graph *g) {
    void *all[] = {g->start,      g->list,     g->element_count, g->node_count, g->weight,
                   g->degree,     g->next,     g->previous,      g->head,       g->member_start,
                   g->member_end, g->member,   g->outside,       g->is_element, g->is_in_clique,
                   g->twin,       g->last_twin};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tal_memory_destroy(all[i]);
    }
}

tal_status tal_ordering_find(const tal_block_matrix *matrix, int32_t *order, tal_error *err) {
    graph g = {.count = matrix->count};
    tal_status status;
    TAL_TRY_OR_DONE(allocate(matrix, &g, err));
    TAL_TRY_OR_DONE(merge_twins(matrix, &g, err));
    for (int32_t i = 0; i < g.count; i++) {
        g.outside[i] = -1;
    }
    build(matrix, &g);
    status = eliminate_all(&g, order, err);
done:
    release(&g);
    return status;
}

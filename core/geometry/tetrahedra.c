// SPDX-License-Identifier: GPL-3.0-or-later
// Fills a convex polyhedron with tetrahedra: a fan about its middle and the middles of its faces, each
// tetrahedron then cut into eight, all of them, until no edge is longer than wanted. So the mesh has no
// hanging nodes, and its surface is that of the polyhedron.
#include "core/geometry/tetrahedra.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TETRAHEDRA_MAX = 1000000 };

static tal_vec3 mean_of(const tal_vec3 *vertex, const int32_t *number, int32_t count) {
    tal_vec3 sum = {0};
    for (int32_t k = 0; k < count; k++) {
        sum = tal_vec3_add_scaled(sum, 1.0 / count, vertex[number != NULL ? number[k] : k]);
    }
    return sum;
}

static tal_status make_fan(const tal_surface *shape, tal_tetrahedra *f, tal_error *err) {
    const int32_t vertices = shape->vertex_count, middle = vertices + shape->face_count;
    const int32_t corners = shape->corner_start[shape->face_count] - shape->corner_start[0];
    TAL_CREATE(f->node, (size_t)middle + 1, "nodes", err);
    TAL_CREATE(f->tetrahedron, 4 * (size_t)corners, "tetrahedra", err);
    memcpy(f->node, shape->vertex, (size_t)vertices * sizeof *f->node);
    f->node[middle] = mean_of(shape->vertex, NULL, vertices);
    f->node_count = middle + 1;
    for (int32_t face = 0; face < shape->face_count; face++) {
        const int32_t *loop = &shape->corner[shape->corner_start[face]];
        const int32_t size = tal_surface_loop_size(shape, face);
        f->node[vertices + face] = mean_of(shape->vertex, loop, size);
        for (int32_t k = 0; k < size; k++) {
            const int32_t corner[4] = {middle, vertices + face, loop[k], loop[(k + 1) % size]};
            memcpy(&f->tetrahedron[4 * f->tetrahedron_count++], corner, sizeof corner);
        }
    }
    return TAL_OK;
}

// Edges of a tetrahedron: pairs of its corners.
static const int EDGE[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static double longest_edge(const tal_tetrahedra *f) {
    double most = 0.0;
    for (int32_t t = 0; t < f->tetrahedron_count; t++) {
        const int32_t *corner = &f->tetrahedron[4 * t];
        for (int e = 0; e < 6; e++) {
            const tal_vec3 along =
                tal_vec3_subtract(f->node[corner[EDGE[e][0]]], f->node[corner[EDGE[e][1]]]);
            most = fmax(most, tal_vec3_dot(along, along));
        }
    }
    return sqrt(most);
}

typedef struct {
    int32_t low, high; // its nodes
    int32_t place;     // 6 t + e
} edge;

static int compare_edges(const void *left, const void *right) {
    const edge *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return a->place < b->place ? -1 : a->place > b->place;
}

static void list_edges(const tal_tetrahedra *f, edge *list) {
    for (int32_t t = 0; t < f->tetrahedron_count; t++) {
        for (int e = 0; e < 6; e++) {
            const int32_t a = f->tetrahedron[4 * t + EDGE[e][0]];
            const int32_t b = f->tetrahedron[4 * t + EDGE[e][1]];
            list[6 * t + e] = (edge){a < b ? a : b, a < b ? b : a, 6 * t + e};
        }
    }
}

// Eight tetrahedra: one at each corner, and four around the shortest of the three diagonals within.
static void cut(const int32_t c[4], const int32_t m[6], const tal_vec3 *node, int32_t *to) {
    static const int around[3][6] = {
        {0, 5, 1, 2, 4, 3}, {1, 4, 0, 3, 5, 2}, {2, 3, 0, 1, 5, 4}}; // ends, then the ring
    const int32_t corner[4][4] = {{c[0], m[0], m[1], m[2]},
                                  {m[0], c[1], m[3], m[4]},
                                  {m[1], m[3], c[2], m[5]},
                                  {m[2], m[4], m[5], c[3]}};
    int best = 0;
    double least = INFINITY;
    for (int d = 0; d < 3; d++) {
        const double length =
            tal_vec3_length(tal_vec3_subtract(node[m[around[d][0]]], node[m[around[d][1]]]));
        best = length < (1.0 - 1e-9) * least ? d : best;
        least = fmin(least, length);
    }
    memcpy(to, corner, sizeof corner);
    const int *r = around[best];
    for (int k = 0; k < 4; k++) {
        int32_t *inner = &to[16 + 4 * k];
        inner[0] = m[r[0]];
        inner[1] = m[r[2 + k]];
        inner[2] = m[r[2 + (k + 1) % 4]];
        inner[3] = m[r[1]];
        const tal_vec3 a = tal_vec3_subtract(node[inner[1]], node[inner[0]]);
        const tal_vec3 b = tal_vec3_subtract(node[inner[2]], node[inner[0]]);
        const tal_vec3 h = tal_vec3_subtract(node[inner[3]], node[inner[0]]);
        if (tal_vec3_dot(tal_vec3_cross(a, b), h) < 0.0) {
            const int32_t kept = inner[1];
            inner[1] = inner[2];
            inner[2] = kept;
        }
    }
}

// Numbers the middles of the edges, as new nodes.
static tal_status halve_edges(tal_tetrahedra *f, edge *list, int32_t *middle, tal_error *err) {
    const int32_t count = 6 * f->tetrahedron_count, nodes = f->node_count;
    qsort(list, (size_t)count, sizeof *list, compare_edges);
    int32_t made = 0;
    for (int32_t k = 0; k < count; k++) {
        made += k == 0 || list[k].low != list[k - 1].low || list[k].high != list[k - 1].high;
        middle[list[k].place] = nodes + made - 1;
    }
    TAL_GROW(f->node, (size_t)nodes, (size_t)(nodes + made), "nodes", err);
    for (int32_t k = 0; k < count; k++) {
        f->node[middle[list[k].place]] =
            tal_vec3_scale(tal_vec3_add(f->node[list[k].low], f->node[list[k].high]), 0.5);
    }
    f->node_count = nodes + made;
    return TAL_OK;
}

static tal_status refine(tal_tetrahedra *f, tal_error *err) {
    const size_t count = (size_t)f->tetrahedron_count;
    edge *list = NULL;
    int32_t *middle = NULL, *cut_up = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(list, 6 * count, "edges", err);
    TAL_CREATE_OR_DONE(middle, 6 * count, "edges", err);
    TAL_CREATE_OR_DONE(cut_up, 32 * count, "tetrahedra", err);
    list_edges(f, list);
    TAL_TRY_OR_DONE(halve_edges(f, list, middle, err));
    for (size_t t = 0; t < count; t++) {
        cut(&f->tetrahedron[4 * t], &middle[6 * t], f->node, &cut_up[32 * t]);
    }
    tal_memory_destroy(f->tetrahedron);
    f->tetrahedron = cut_up;
    f->tetrahedron_count *= 8;
    cut_up = NULL;
done:
    tal_memory_destroy(list);
    tal_memory_destroy(middle);
    tal_memory_destroy(cut_up);
    return status;
}

tal_status tal_tetrahedra_fill(tal_tetrahedra *made, const tal_surface *surface, double element_m,
                               tal_error *err) {
    *made = (tal_tetrahedra){0};
    if (!(element_m > 0.0)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "element_m = %g must be above 0", element_m);
    }
    tal_status status = make_fan(surface, made, err);
    while (status == TAL_OK && longest_edge(made) > element_m) {
        if (made->tetrahedron_count > TETRAHEDRA_MAX / 8) {
            status = TAL_FAIL(err, TAL_TOO_LARGE,
                              "element_m = %g makes more than %d tetrahedra of a block: use larger "
                              "elements",
                              element_m, TETRAHEDRA_MAX);
        } else {
            status = refine(made, err);
        }
    }
    if (status != TAL_OK) {
        tal_tetrahedra_destroy(made);
    }
    return status;
}

void tal_tetrahedra_destroy(tal_tetrahedra *made) {
    tal_memory_destroy(made->node);
    tal_memory_destroy(made->tetrahedron);
    *made = (tal_tetrahedra){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting edges in half and drawing heights for places.
#include "solver/detect/roughness.h"

#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/base/random.h"

#include <math.h>

// More triangles than this are a mistake in the length, and gigabytes.
enum { TRIANGLES_MAX = 40000000 };

// Edges that are cut, by their two corners: where the new corner is. Open addressing.
typedef struct {
    uint64_t key; // 0: free
    int32_t middle;
} cut_edge;

typedef struct {
    size_t size; // a power of two
    cut_edge *edge;
} cut_table;

static uint64_t key_of(int32_t a, int32_t b) {
    const uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
    return ((uint64_t)low << 32 | high) + 1;
}

static cut_edge *find(const cut_table *table, uint64_t key) {
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 20) & (table->size - 1);
    while (table->edge[at].key != 0 && table->edge[at].key != key) {
        at = (at + 1) & (table->size - 1);
    }
    return &table->edge[at];
}

static double edge_length(const tal_rough_terrain *t, int32_t a, int32_t b) {
    return tal_vec3_length(tal_vec3_subtract(t->vertex[a], t->vertex[b]));
}

// Enters the edges of rough triangles that are too long. Each new corner is numbered when it is met.
static int32_t mark_long_edges(const tal_rough_terrain *t, const tal_roughness *of_class,
                               cut_table *table) {
    int32_t next = t->vertex_count;
    for (int32_t n = 0; n < t->triangle_count; n++) {
        const tal_roughness *rough = &of_class[t->surface_class[n]];
        for (int k = 0; k < 3 && rough->height > 0.0; k++) {
            const int32_t a = t->triangle[3 * n + k], b = t->triangle[3 * n + (k + 1) % 3];
            cut_edge *edge = find(table, key_of(a, b));
            if (edge->key == 0 && edge_length(t, a, b) > rough->length) {
                *edge = (cut_edge){key_of(a, b), next++};
            }
        }
    }
    return next - t->vertex_count;
}

static int32_t middle_of(const cut_table *table, int32_t a, int32_t b) {
    const cut_edge *edge = find(table, key_of(a, b));
    return edge->key != 0 ? edge->middle : -1;
}

typedef struct {
    tal_rough_terrain *to;
    int32_t surface_class;
} triangle_list;

static void add(triangle_list *list, int32_t a, int32_t b, int32_t c) {
    tal_rough_terrain *to = list->to;
    to->surface_class[to->triangle_count] = list->surface_class;
    int32_t *corner = &to->triangle[3 * (size_t)to->triangle_count++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

// A triangle with its corners turned so that the cut edges come first: one, two or three of them.
static void cut_triangle(const int32_t corner[3], const cut_table *table, triangle_list *list) {
    int32_t m[3];
    int count = 0, first = 0;
    for (int k = 0; k < 3; k++) {
        m[k] = middle_of(table, corner[k], corner[(k + 1) % 3]);
        count += m[k] >= 0;
    }
    for (int k = 0; k < 3; k++) { // the edge after the last that is whole
        first = count < 3 && m[k] >= 0 && m[(k + 2) % 3] < 0 ? k : first;
    }
    const int32_t a = corner[first], b = corner[(first + 1) % 3], c = corner[(first + 2) % 3];
    const int32_t ab = m[first], bc = m[(first + 1) % 3], ca = m[(first + 2) % 3];
    if (count == 0) {
        add(list, a, b, c);
    } else if (count == 1) {
        add(list, a, ab, c);
        add(list, ab, b, c);
    } else {
        add(list, ab, b, bc);
        if (count == 2) {
            add(list, a, ab, c);
            add(list, ab, bc, c);
        } else {
            add(list, a, ab, ca);
            add(list, ca, bc, c);
            add(list, ab, bc, ca);
        }
    }
}

static void place_middles(tal_rough_terrain *t, const cut_table *table) {
    for (size_t k = 0; k < table->size; k++) {
        if (table->edge[k].key != 0) {
            const uint64_t key = table->edge[k].key - 1;
            const tal_vec3 a = t->vertex[key >> 32], b = t->vertex[key & 0xFFFFFFFFu];
            t->vertex[table->edge[k].middle] = tal_vec3_scale(tal_vec3_add(a, b), 0.5);
        }
    }
}

static tal_status apply_cuts(tal_rough_terrain *t, const cut_table *table, int32_t new_count,
                             tal_error *err) {
    const size_t old = (size_t)t->vertex_count, most = 4 * (size_t)t->triangle_count;
    tal_rough_terrain cut = {0};
    TAL_CREATE(cut.triangle, 3 * most, "triangles of rough ground", err);
    cut.surface_class = tal_memory_create(most, sizeof *cut.surface_class);
    void *vertex = tal_memory_grow(t->vertex, old, old + (size_t)new_count, sizeof *t->vertex);
    if (cut.surface_class == NULL || vertex == NULL) {
        t->vertex = vertex != NULL ? vertex : t->vertex;
        tal_memory_destroy(cut.triangle);
        tal_memory_destroy(cut.surface_class);
        return tal_memory_failed(err, "triangles of rough ground", most, sizeof(int32_t));
    }
    t->vertex = vertex;
    t->vertex_count += new_count;
    place_middles(t, table);
    for (int32_t n = 0; n < t->triangle_count; n++) {
        cut_triangle(&t->triangle[3 * (size_t)n], table,
                     &(triangle_list){&cut, t->surface_class[n]});
    }
    tal_memory_destroy(t->triangle);
    tal_memory_destroy(t->surface_class);
    t->triangle = cut.triangle;
    t->surface_class = cut.surface_class;
    t->triangle_count = cut.triangle_count;
    return TAL_OK;
}

// All edges that are too long, once. 0 in `new_count`: there are none any more.
static tal_status cut_once(tal_rough_terrain *t, const tal_roughness *of_class, int32_t *new_count,
                           tal_error *err) {
    cut_table table = {.size = 64};
    while (table.size < 4 * (size_t)t->triangle_count) {
        table.size *= 2;
    }
    TAL_CREATE(table.edge, table.size, "edges of rough ground", err);
    *new_count = mark_long_edges(t, of_class, &table);
    const tal_status status = *new_count > 0 ? apply_cuts(t, &table, *new_count, err) : TAL_OK;
    tal_memory_destroy(table.edge);
    return status;
}

// A number for a place: the same whatever corner it is, and in whatever mesh.
static uint64_t draw_of(tal_vec3 at) {
    const int64_t x = llround(1000.0 * at.x), y = llround(1000.0 * at.y),
                  z = llround(1000.0 * at.z);
    return (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu ^
           (uint64_t)z * 0x165667B19E3779F9u;
}

static tal_status move_corners(tal_rough_terrain *t, const tal_roughness *of_class, uint64_t seed,
                               tal_error *err) {
    const tal_random random = tal_random_stream(seed, 0, "solver/roughness");
    double *height;
    TAL_CREATE(height, (size_t)t->vertex_count, "heights of rough ground", err);
    for (int32_t v = 0; v < t->vertex_count; v++) {
        height[v] = INFINITY;
    }
    for (int32_t k = 0; k < 3 * t->triangle_count; k++) {
        double *at = &height[t->triangle[k]];
        *at = fmin(*at, of_class[t->surface_class[k / 3]].height);
    }
    for (int32_t v = 0; v < t->vertex_count; v++) {
        if (height[v] > 0.0 && isfinite(height[v])) {
            const double share = 2.0 * tal_random_uniform(random, draw_of(t->vertex[v])) - 1.0;
            t->vertex[v].z += share * height[v];
        }
    }
    tal_memory_destroy(height);
    return TAL_OK;
}

// How many triangles there will be, from the area: the shortest edges are half as long as the longest.
static double count_ahead(const tal_rough_terrain *t, const tal_roughness *of_class) {
    double sum = 0.0;
    for (int32_t n = 0; n < t->triangle_count; n++) {
        const int32_t *corner = &t->triangle[3 * (size_t)n];
        const tal_vec3 a = t->vertex[corner[0]], b = t->vertex[corner[1]], c = t->vertex[corner[2]];
        const tal_vec3 twice = tal_vec3_cross(tal_vec3_subtract(b, a), tal_vec3_subtract(c, a));
        const tal_roughness *rough = &of_class[t->surface_class[n]];
        const double cuts = 0.5 * tal_vec3_length(twice) / (0.2 * rough->length * rough->length);
        sum += rough->height > 0.0 && cuts > 1.0 ? cuts : 1.0;
    }
    return sum;
}

tal_status tal_terrain_roughen(tal_rough_terrain *t, const tal_roughness *of_class,
                               int32_t class_count, uint64_t seed, tal_error *err) {
    bool any = false;
    for (int32_t k = 0; k < class_count; k++) {
        TAL_ASSERT(of_class[k].height >= 0.0 &&
                   (of_class[k].height == 0.0 || of_class[k].length > 0.0));
        any = any || of_class[k].height > 0.0;
    }
    if (any && count_ahead(t, of_class) > TRIANGLES_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE,
                        "rough ground needs about %.2g triangles, but at most %d are possible: "
                        "give a larger roughness_length_m, or a smaller study area",
                        count_ahead(t, of_class), TRIANGLES_MAX);
    }
    for (int32_t cuts = any; cuts > 0;) {
        TAL_TRY(cut_once(t, of_class, &cuts, err));
    }
    return any ? move_corners(t, of_class, seed, err) : TAL_OK;
}

void tal_rough_terrain_destroy(tal_rough_terrain *t) {
    tal_memory_destroy(t->vertex);
    tal_memory_destroy(t->triangle);
    tal_memory_destroy(t->surface_class);
}

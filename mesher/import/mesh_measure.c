// SPDX-License-Identifier: GPL-3.0-or-later
// What a surface from a file is like: vertices that coincide, edges without a partner, volume.
#include "mesher/import/mesh_file.h"

#include "core/base/memory.h"
#include "core/geometry/surface.h"

#include <stdlib.h>

// ---- Welding ---------------------------------------------------------------------------

typedef struct {
    tal_vec3 p;
    int64_t number;
} placed_vertex;

static int compare_places(const void *left, const void *right) {
    const placed_vertex *a = left, *b = right;
    const double da[3] = {a->p.x, a->p.y, a->p.z}, db[3] = {b->p.x, b->p.y, b->p.z};
    for (int k = 0; k < 3; k++) {
        if (da[k] != db[k]) {
            return da[k] < db[k] ? -1 : 1;
        }
    }
    return a->number < b->number ? -1 : (a->number > b->number ? 1 : 0);
}

static bool same_place(tal_vec3 a, tal_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

tal_status tal_mesh_file_weld(tal_mesh_file *mesh, tal_error *err) {
    if (mesh->vertex_count == 0) {
        return TAL_OK;
    }
    const size_t count = (size_t)mesh->vertex_count;
    placed_vertex *placed = NULL;
    int32_t *twin = NULL, *number = NULL;
    tal_status status = TAL_OK;
    TAL_CREATE_OR_DONE(placed, count, "vertices to weld", err);
    TAL_CREATE_OR_DONE(twin, count, "vertices to weld", err);
    TAL_CREATE_OR_DONE(number, count, "vertices to weld", err);
    for (size_t v = 0; v < count; v++) {
        placed[v] = (placed_vertex){mesh->vertex[v], (int64_t)v};
    }
    qsort(placed, count, sizeof *placed, compare_places);
    for (size_t v = 0; v < count; v++) {
        const bool again = v > 0 && same_place(placed[v].p, placed[v - 1].p);
        twin[placed[v].number] = again ? twin[placed[v - 1].number] : (int32_t)placed[v].number;
    }
    int32_t kept = 0;
    for (size_t v = 0; v < count; v++) {
        if (twin[v] == (int32_t)v) {
            mesh->vertex[kept] = mesh->vertex[v];
            number[v] = kept++;
        }
    }
    for (int64_t k = 0; k < 3 * mesh->triangle_count; k++) {
        mesh->triangle[k] = number[twin[mesh->triangle[k]]];
    }
    mesh->vertex_count = kept;
done:
    tal_memory_destroy(placed);
    tal_memory_destroy(twin);
    tal_memory_destroy(number);
    return status;
}

// ---- Edges and volume ------------------------------------------------------------------

// An edge and its direction: +1 from the smaller number to the larger.
typedef struct {
    int32_t from, to;
    int32_t direction;
} edge_use;

static int compare_uses(const void *left, const void *right) {
    const edge_use *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return a->to < b->to ? -1 : (a->to > b->to ? 1 : 0);
}

// An edge is closed when its uses in both directions balance.
static int64_t count_open(edge_use *uses, size_t count) {
    qsort(uses, count, sizeof *uses, compare_uses);
    int64_t open = 0;
    for (size_t k = 0; k < count;) {
        int64_t balance = 0;
        size_t next = k;
        for (; next < count && compare_uses(&uses[k], &uses[next]) == 0; next++) {
            balance += uses[next].direction;
        }
        open += balance < 0 ? -balance : balance;
        k = next;
    }
    return open;
}

tal_status tal_mesh_file_measure(const tal_mesh_file *mesh, int32_t part, double *volume,
                                 int64_t *open_edges, tal_error *err) {
    edge_use *uses;
    size_t count = 0;
    TAL_CREATE(uses, 3 * (size_t)mesh->triangle_count + 1, "edges of a file", err);
    *volume = 0;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        if (mesh->part[t] != part) {
            continue;
        }
        const int32_t *v = mesh->triangle + 3 * t;
        const tal_vec3 origin = mesh->vertex[mesh->triangle[0]];
        *volume += tal_tetrahedron_six(tal_vec3_subtract(mesh->vertex[v[0]], origin),
                                       tal_vec3_subtract(mesh->vertex[v[1]], origin),
                                       tal_vec3_subtract(mesh->vertex[v[2]], origin)) /
                   6;
        for (int k = 0; k < 3; k++) {
            const int32_t a = v[k], b = v[(k + 1) % 3];
            if (a != b) {
                uses[count++] = a < b ? (edge_use){a, b, 1} : (edge_use){b, a, -1};
            }
        }
    }
    *open_edges = count_open(uses, count);
    tal_memory_destroy(uses);
    return TAL_OK;
}

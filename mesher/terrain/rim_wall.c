// SPDX-License-Identifier: GPL-3.0-or-later
// A wall along every open edge of the ground, so that no block leaves.
#include "mesher/terrain/terrain_mesh.h"

#include "core/base/math3.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

// An edge of one face, its ground on the left.
typedef struct {
    int32_t from, to;
} open_edge;

static int compare_undirected(const void *left, const void *right) {
    const open_edge *a = left, *b = right;
    const int32_t a0 = a->from < a->to ? a->from : a->to, a1 = a->from < a->to ? a->to : a->from;
    const int32_t b0 = b->from < b->to ? b->from : b->to, b1 = b->from < b->to ? b->to : b->from;
    if (a0 != b0) {
        return a0 < b0 ? -1 : 1;
    }
    return a1 < b1 ? -1 : (a1 > b1 ? 1 : 0);
}

// Keeps the edges that only one face has.
static int32_t find_open(const tal_terrain_mesh *mesh, open_edge *edge) {
    const size_t count = 3 * (size_t)mesh->face_count;
    for (size_t k = 0; k < count; k++) {
        edge[k] = (open_edge){mesh->face_node[k], mesh->face_node[k % 3 == 2 ? k - 2 : k + 1]};
    }
    qsort(edge, count, sizeof *edge, compare_undirected);
    int32_t open = 0;
    for (size_t k = 0; k < count;) {
        const bool has_partner = k + 1 < count && compare_undirected(&edge[k], &edge[k + 1]) == 0;
        if (!has_partner) {
            edge[open++] = edge[k];
        }
        k += has_partner ? 2 : 1;
    }
    return open;
}

static tal_vec3 outward(const tal_terrain_mesh *mesh, open_edge edge) {
    const double dx = mesh->x[edge.to] - mesh->x[edge.from];
    const double dy = mesh->y[edge.to] - mesh->y[edge.from];
    return tal_vec3_normalize(tal_vec3_make(dy, -dx, 0));
}

// What the edges of a rim node add up to.
typedef struct {
    tal_vec3 normal; // sum of outward normals
    int32_t edges;   // 2, or more where the rim touches itself
    int32_t copy;    // the top of the wall there, -1 while there is none
} rim_corner;

static int32_t add_top(tal_terrain_mesh *mesh, int32_t node, tal_vec3 shift, double top) {
    const int32_t copy = mesh->node_count++;
    mesh->x[copy] = mesh->x[node] + shift.x;
    mesh->y[copy] = mesh->y[node] + shift.y;
    mesh->z[copy] = top;
    return copy;
}

// The top above a node: one for both its edges, where they meet; one per edge where more do.
static int32_t top_of(tal_terrain_mesh *mesh, rim_corner *corner, int32_t node, tal_vec3 normal,
                      double width, double top) {
    if (corner->edges != 2) {
        return add_top(mesh, node, tal_vec3_scale(normal, width), top);
    }
    if (corner->copy < 0) {
        // |n1 + n2|^2 = 2 (1 + n1 . n2): half of it is what a mitred corner divides by.
        const double half = 0.5 * tal_vec3_dot(corner->normal, corner->normal);
        corner->copy =
            add_top(mesh, node, tal_vec3_scale(corner->normal, width / fmax(0.3, half)), top);
    }
    return corner->copy;
}

static void add_face(tal_terrain_mesh *mesh, int32_t a, int32_t b, int32_t c) {
    int32_t *face = mesh->face_node + 3 * (size_t)mesh->face_count++;
    face[0] = a;
    face[1] = b;
    face[2] = c;
    mesh->wall_face_count++;
}

static void build(tal_terrain_mesh *mesh, const open_edge *edge, int32_t open, rim_corner *corner,
                  double width, double top) {
    for (int32_t k = 0; k < open; k++) {
        const tal_vec3 normal = outward(mesh, edge[k]);
        const int32_t ends[2] = {edge[k].from, edge[k].to};
        for (int e = 0; e < 2; e++) {
            corner[ends[e]].normal = tal_vec3_add(corner[ends[e]].normal, normal);
            corner[ends[e]].edges++;
            corner[ends[e]].copy = -1;
        }
    }
    for (int32_t k = 0; k < open; k++) {
        const int32_t a = edge[k].from, b = edge[k].to;
        const tal_vec3 normal = outward(mesh, edge[k]);
        const int32_t over_a = top_of(mesh, &corner[a], a, normal, width, top);
        const int32_t over_b = top_of(mesh, &corner[b], b, normal, width, top);
        add_face(mesh, a, over_a, over_b);
        add_face(mesh, a, over_b, b);
    }
}

static tal_status grow_nodes(double **values, int32_t count, int32_t more, tal_error *err) {
    const size_t wanted = (size_t)count + (size_t)more;
    TAL_GROW(*values, (size_t)count, wanted, "nodes of the wall", err);
    return TAL_OK;
}

static tal_status reserve(tal_terrain_mesh *mesh, int32_t open, tal_error *err) {
    TAL_TRY(grow_nodes(&mesh->x, mesh->node_count, 2 * open, err));
    TAL_TRY(grow_nodes(&mesh->y, mesh->node_count, 2 * open, err));
    TAL_TRY(grow_nodes(&mesh->z, mesh->node_count, 2 * open, err));
    const size_t corners = 3 * (size_t)mesh->face_count, wanted = corners + 6 * (size_t)open;
    TAL_GROW(mesh->face_node, corners, wanted, "faces of the wall", err);
    return TAL_OK;
}

tal_status tal_terrain_mesh_add_wall(tal_terrain_mesh *mesh, double width, double height,
                                     tal_error *err) {
    open_edge *edge = NULL;
    rim_corner *corner = NULL;
    tal_status status = TAL_OK;
    double top = -INFINITY;
    for (int32_t v = 0; v < mesh->node_count; v++) {
        top = fmax(top, mesh->z[v]);
    }
    TAL_CREATE_OR_DONE(edge, 3 * (size_t)mesh->face_count, "edges of the rim", err);
    TAL_CREATE_OR_DONE(corner, (size_t)mesh->node_count, "corners of the rim", err);
    const int32_t open = find_open(mesh, edge);
    TAL_TRY_OR_DONE(reserve(mesh, open, err));
    build(mesh, edge, open, corner, width, top + height);
done:
    tal_memory_destroy(edge);
    tal_memory_destroy(corner);
    return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Looks whether a surface is a closed convex polyhedron with outward faces.
#include "core/geometry/polyhedron.h"

#include "core/base/memory.h"

#include <stdlib.h>

typedef struct {
    int32_t from, to;
} directed_edge;

static int compare_edges(const void *left, const void *right) {
    const directed_edge *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return a->to < b->to ? -1 : (a->to > b->to ? 1 : 0);
}

// Every directed edge occurs once and its reverse occurs once.
static const char *closed_fault(const tal_surface *surface, directed_edge *edges) {
    int32_t count = 0;
    for (int32_t f = 0; f < surface->face_count; f++) {
        const int32_t start = surface->corner_start[f], end = surface->corner_start[f + 1];
        for (int32_t k = start; k < end; k++) {
            edges[count++] =
                (directed_edge){surface->corner[k], surface->corner[k + 1 < end ? k + 1 : start]};
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int32_t k = 0; k < count; k++) {
        if (k > 0 && compare_edges(&edges[k - 1], &edges[k]) == 0) {
            return "an edge is used twice in the same direction";
        }
        const directed_edge reverse = {edges[k].to, edges[k].from};
        if (bsearch(&reverse, edges, (size_t)count, sizeof *edges, compare_edges) == NULL) {
            return "it is not closed";
        }
    }
    return surface->vertex_count - count / 2 + surface->face_count == 2
               ? NULL
               : "its Euler number is not 2";
}

static double surface_size(const tal_surface *surface) {
    double size = 0;
    for (int32_t v = 1; v < surface->vertex_count; v++) {
        size =
            fmax(size, tal_vec3_length(tal_vec3_subtract(surface->vertex[v], surface->vertex[0])));
    }
    return size;
}

static const char *face_fault(const tal_surface *surface, int32_t f, double margin) {
    const int32_t start = surface->corner_start[f], end = surface->corner_start[f + 1];
    if (end - start < 3) {
        return "a face has fewer than three corners";
    }
    tal_vec3 area = {0, 0, 0};
    const tal_vec3 origin = surface->vertex[surface->corner[start]];
    for (int32_t k = start + 1; k + 1 < end; k++) {
        area = tal_vec3_add(
            area,
            tal_vec3_cross(tal_vec3_subtract(surface->vertex[surface->corner[k]], origin),
                           tal_vec3_subtract(surface->vertex[surface->corner[k + 1]], origin)));
    }
    if (tal_vec3_length(area) <= margin * margin) {
        return "a face has no area";
    }
    const tal_halfspace plane = tal_halfspace_through(origin, area);
    for (int32_t k = start; k < end; k++) {
        if (fabs(tal_halfspace_distance(plane, surface->vertex[surface->corner[k]])) > margin) {
            return "a face is not flat";
        }
    }
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        if (tal_halfspace_distance(plane, surface->vertex[v]) > margin) {
            return "it is not convex, or a face looks inwards";
        }
    }
    return NULL;
}

const char *tal_surface_fault(const tal_surface *surface, double tolerance) {
    if (surface->vertex_count < 4 || surface->face_count < 4) {
        return "it has fewer than four vertices or faces";
    }
    const int32_t corners = surface->corner_start[surface->face_count] - surface->corner_start[0];
    directed_edge *edges = tal_memory_create((size_t)corners, sizeof *edges);
    if (edges == NULL) {
        return "there is no memory to check it";
    }
    const char *fault = closed_fault(surface, edges);
    tal_memory_destroy(edges);
    const double margin = tolerance * surface_size(surface);
    for (int32_t f = 0; f < surface->face_count && fault == NULL; f++) {
        fault = face_fault(surface, f, margin);
    }
    return fault;
}

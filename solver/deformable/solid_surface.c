// SPDX-License-Identifier: GPL-3.0-or-later
// The surface of a solid: which faces it has, and which nodes move a point of it.
#include "solver/deformable/solid_parts.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A face of an element: its nodes in order, and the same sorted.
typedef struct {
    int32_t size;
    int32_t node[4], sorted[4];
} face;

static void sort_four(int32_t *list, int32_t count) {
    for (int32_t k = 1; k < count; k++) {
        const int32_t moving = list[k];
        int32_t m = k;
        for (; m > 0 && list[m - 1] > moving; m--) {
            list[m] = list[m - 1];
        }
        list[m] = moving;
    }
}

static int compare_faces(const void *left, const void *right) {
    const face *a = left, *b = right;
    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    for (int32_t k = 0; k < a->size; k++) {
        if (a->sorted[k] != b->sorted[k]) {
            return a->sorted[k] < b->sorted[k] ? -1 : 1;
        }
    }
    return 0;
}

static int32_t list_faces(const tal_solid *s, face *list) {
    int32_t count = 0;
    for (int32_t e = 0; e < s->element_count; e++) {
        const int32_t *corner = &s->element_node[s->node_start[e]];
        const tal_element_kind *kind =
            s->node_start[e + 1] - s->node_start[e] == 8 ? &tal_hexahedron : &tal_tetrahedron;
        for (int f = 0; f < kind->face_count; f++) {
            face *to = &list[count++];
            to->size = kind->face_size;
            for (int k = 0; k < kind->face_size; k++) {
                to->node[k] = to->sorted[k] = corner[kind->face[f][k]];
            }
            sort_four(to->sorted, to->size);
        }
    }
    return count;
}

static void add_triangle(tal_solid *s, int32_t a, int32_t b, int32_t c) {
    int32_t *to = &s->triangle[3 * s->triangle_count++];
    to[0] = a;
    to[1] = b;
    to[2] = c;
    s->surface_slot[a] = s->surface_slot[b] = s->surface_slot[c] = 0;
    s->edge += tal_vec3_length(tal_vec3_subtract(s->node[a], s->node[b]));
}

static tal_status number_surface(tal_solid *s, tal_error *err) {
    TAL_CREATE(s->surface_node, (size_t)s->node_count, "surface nodes", err);
    for (int32_t a = 0; a < s->node_count; a++) {
        if (s->surface_slot[a] >= 0) {
            s->surface_slot[a] = s->surface_count;
            s->surface_node[s->surface_count++] = a;
        }
    }
    s->edge /= s->triangle_count;
    return TAL_OK;
}

static tal_status no_surface_yet(tal_solid *s, size_t triangle_max, tal_error *err) {
    TAL_CREATE(s->triangle, 3 * triangle_max, "surface triangles", err);
    TAL_CREATE(s->surface_slot, (size_t)s->node_count, "surface nodes", err);
    for (int32_t a = 0; a < s->node_count; a++) {
        s->surface_slot[a] = -1;
    }
    return TAL_OK;
}

tal_status tal_solid_find_surface(tal_solid *s, tal_error *err) {
    face *list;
    TAL_CREATE(list, 6 * (size_t)s->element_count, "faces of elements", err);
    const int32_t count = list_faces(s, list);
    qsort(list, (size_t)count, sizeof *list, compare_faces);
    tal_status status = no_surface_yet(s, 2 * (size_t)count, err);
    for (int32_t first = 0, next; status == TAL_OK && first < count; first = next) {
        for (next = first + 1; next < count && compare_faces(&list[first], &list[next]) == 0;) {
            next++;
        }
        const face *f = &list[first];
        if (next == first + 1) {
            add_triangle(s, f->node[0], f->node[1], f->node[2]);
        }
        if (next == first + 1 && f->size == 4) {
            add_triangle(s, f->node[0], f->node[2], f->node[3]);
        }
    }
    tal_memory_destroy(list);
    return status == TAL_OK ? number_surface(s, err) : status;
}

tal_status tal_solid_all_nodes_are_surface(tal_solid *s, tal_error *err) {
    TAL_TRY(no_surface_yet(s, 4, err));
    for (int f = 0; f < 4; f++) {
        add_triangle(s, (f + 1) % 4, (f + 2) % 4, (f + 3) % 4);
    }
    return number_surface(s, err);
}

// Weights of the point of a triangle nearest to x; returns the square of their distance.
static double nearest(const tal_vec3 corner[3], tal_vec3 x, double weight[3]) {
    const tal_vec3 a = corner[0], ab = tal_vec3_subtract(corner[1], a),
                   ac = tal_vec3_subtract(corner[2], a), ax = tal_vec3_subtract(x, a);
    const double bb = tal_vec3_dot(ab, ab), bc = tal_vec3_dot(ab, ac), cc = tal_vec3_dot(ac, ac);
    const double xb = tal_vec3_dot(ax, ab), xc = tal_vec3_dot(ax, ac);
    const double area = bb * cc - bc * bc;
    double v = (cc * xb - bc * xc) / area, w = (bb * xc - bc * xb) / area;
    if (w < 0.0) { // beyond a side: the nearest point of that side, then of its ends
        w = 0.0;
        v = xb / bb;
    } else if (v < 0.0) {
        v = 0.0;
        w = xc / cc;
    } else if (v + w > 1.0) {
        w = (bb - bc + xc - xb) / (bb - 2.0 * bc + cc);
        w = fmin(fmax(w, 0.0), 1.0);
        v = 1.0 - w;
    }
    v = fmin(fmax(v, 0.0), 1.0);
    w = fmin(fmax(w, 0.0), 1.0 - v);
    weight[0] = 1.0 - v - w;
    weight[1] = v;
    weight[2] = w;
    const tal_vec3 off = tal_vec3_subtract(ax, tal_vec3_add_scaled(tal_vec3_scale(ab, v), w, ac));
    return tal_vec3_dot(off, off);
}

// Four nodes and a linear field: weights hold everywhere, not only on the surface.
static tal_solid_site site_in_gradient(const tal_solid *s, tal_vec3 x) {
    tal_solid_site site = {.count = 4};
    for (int a = 0; a < 4; a++) {
        const double *g = s->point[0].gradient[a];
        const tal_vec3 from = tal_vec3_subtract(x, s->node[a]);
        site.node[a] = a;
        site.weight[a] = 1.0 + g[0] * from.x + g[1] * from.y + g[2] * from.z;
    }
    return site;
}

tal_solid_site tal_solid_find_site(const tal_solid *s, tal_vec3 x) {
    if (s->kinematics == TAL_KINEMATICS_PSEUDO_RIGID) {
        return site_in_gradient(s, x);
    }
    tal_solid_site site = {.count = 3};
    double least = INFINITY;
    for (int32_t t = 0; t < s->triangle_count; t++) {
        const int32_t *node = &s->triangle[3 * t];
        const tal_vec3 corner[3] = {s->node[node[0]], s->node[node[1]], s->node[node[2]]};
        double weight[3];
        const double square = nearest(corner, x, weight);
        if (square < least) {
            least = square;
            memcpy(site.node, node, 3 * sizeof *node);
            memcpy(site.weight, weight, sizeof weight);
        }
    }
    return site;
}

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

static tal_solid_ball ball_about(tal_vec3 a, tal_vec3 b, tal_vec3 c) {
    const tal_vec3 middle = tal_vec3_scale(tal_vec3_add(a, tal_vec3_add(b, c)), 1.0 / 3.0);
    double radius = 0.0;
    radius = fmax(radius, tal_vec3_length(tal_vec3_subtract(a, middle)));
    radius = fmax(radius, tal_vec3_length(tal_vec3_subtract(b, middle)));
    radius = fmax(radius, tal_vec3_length(tal_vec3_subtract(c, middle)));
    return (tal_solid_ball){middle, (1.0 + 1e-12) * radius};
}

static void add_triangle(tal_solid *s, int32_t a, int32_t b, int32_t c, int32_t fourth) {
    s->fourth[s->triangle_count] = fourth;
    s->ball[s->triangle_count] = ball_about(s->node[a], s->node[b], s->node[c]);
    int32_t *to = &s->triangle[3 * s->triangle_count++];
    to[0] = a;
    to[1] = b;
    to[2] = c;
    s->surface_slot[a] = s->surface_slot[b] = s->surface_slot[c] = 0;
    s->edge += tal_vec3_length(tal_vec3_subtract(s->node[a], s->node[b]));
}

// Triangles are sorted by their nodes, so that those that follow each other are near each other as a rule.
static void enclose_group(tal_solid *s, int32_t first) {
    const int32_t end =
        first + TAL_SOLID_GROUP < s->triangle_count ? first + TAL_SOLID_GROUP : s->triangle_count;
    tal_solid_ball *group = &s->group[first / TAL_SOLID_GROUP];
    group->middle = (tal_vec3){0};
    for (int32_t t = first; t < end; t++) {
        group->middle = tal_vec3_add_scaled(group->middle, 1.0 / (end - first), s->ball[t].middle);
    }
    for (int32_t t = first; t < end; t++) {
        const double far = tal_vec3_length(tal_vec3_subtract(s->ball[t].middle, group->middle)) +
                           s->ball[t].radius;
        group->radius = fmax(group->radius, (1.0 + 1e-12) * far);
    }
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
    for (int32_t first = 0; first < s->triangle_count; first += TAL_SOLID_GROUP) {
        enclose_group(s, first);
    }
    return TAL_OK;
}

static tal_status no_surface_yet(tal_solid *s, size_t triangle_max, tal_error *err) {
    TAL_CREATE(s->triangle, 3 * triangle_max, "surface triangles", err);
    TAL_CREATE(s->fourth, triangle_max, "surface triangles", err);
    TAL_CREATE(s->ball, triangle_max, "surface triangles", err);
    TAL_CREATE(s->group, triangle_max / TAL_SOLID_GROUP + 1, "surface triangles", err);
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
            add_triangle(s, f->node[0], f->node[1], f->node[2], f->size == 4 ? f->node[3] : -1);
        }
        if (next == first + 1 && f->size == 4) {
            add_triangle(s, f->node[2], f->node[3], f->node[0], f->node[1]);
        }
    }
    tal_memory_destroy(list);
    return status == TAL_OK ? number_surface(s, err) : status;
}

tal_status tal_solid_all_nodes_are_surface(tal_solid *s, tal_error *err) {
    TAL_TRY(no_surface_yet(s, 4, err));
    for (int f = 0; f < 4; f++) {
        add_triangle(s, (f + 1) % 4, (f + 2) % 4, (f + 3) % 4, -1);
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

// Bilinear weights of the point u, v of a face of four nodes.
static void bilinear(double u, double v, double weight[4]) {
    weight[0] = (1.0 - u) * (1.0 - v);
    weight[1] = u * (1.0 - v);
    weight[2] = u * v;
    weight[3] = (1.0 - u) * v;
}

// Those of the point nearest to x, by Newton's method from its weights in the triangle of the first three.
static void spread(const tal_solid *s, const int32_t node[4], tal_vec3 x, const double start[3],
                   double weight[4]) {
    const tal_vec3 a = s->node[node[0]], b = s->node[node[1]], c = s->node[node[2]],
                   d = s->node[node[3]];
    double u = start[1] + start[2], v = start[2], moved = 1.0;
    bilinear(u, v, weight);
    for (int round = 0; round < 20 && moved > 1e-14; round++) {
        tal_vec3 left = x;
        for (int n = 0; n < 4; n++) {
            left = tal_vec3_add_scaled(left, -weight[n], s->node[node[n]]);
        }
        const tal_vec3 by_u = tal_vec3_add_scaled(tal_vec3_scale(tal_vec3_subtract(b, a), 1.0 - v),
                                                  v, tal_vec3_subtract(c, d));
        const tal_vec3 by_v = tal_vec3_add_scaled(tal_vec3_scale(tal_vec3_subtract(d, a), 1.0 - u),
                                                  u, tal_vec3_subtract(c, b));
        const double uu = tal_vec3_dot(by_u, by_u), uv = tal_vec3_dot(by_u, by_v),
                     vv = tal_vec3_dot(by_v, by_v), det = uu * vv - uv * uv;
        const double lu = tal_vec3_dot(left, by_u), lv = tal_vec3_dot(left, by_v);
        const double to_u = fmin(fmax(u + (vv * lu - uv * lv) / det, 0.0), 1.0);
        const double to_v = fmin(fmax(v + (uu * lv - uv * lu) / det, 0.0), 1.0);
        moved = fabs(to_u - u) + fabs(to_v - v);
        u = to_u;
        v = to_v;
        bilinear(u, v, weight);
    }
}

// Whether a point of what is in the ball may be within reach of x.
static bool is_near(const tal_solid_ball *ball, tal_vec3 x, double reach) {
    const tal_vec3 from = tal_vec3_subtract(x, ball->middle);
    const double far = reach + ball->radius;
    return tal_vec3_dot(from, from) <= far * far;
}

// The nearest triangle so far, and how far it is.
typedef struct {
    tal_solid_site site;
    double least, reach;
} nearest_site;

static void look_at(const tal_solid *s, int32_t t, tal_vec3 x, nearest_site *best) {
    const int32_t *node = &s->triangle[3 * t];
    const tal_vec3 corner[3] = {s->node[node[0]], s->node[node[1]], s->node[node[2]]};
    double weight[3];
    const double square = nearest(corner, x, weight);
    if (square < best->least) {
        best->least = square;
        best->reach = (1.0 + 1e-9) * sqrt(square); // equally near ones are still looked at
        memcpy(best->site.node, node, 3 * sizeof *node);
        memcpy(best->site.weight, weight, sizeof weight);
        best->site.node[3] = s->fourth[t];
    }
}

// Distance of the nearest triangle of the group whose middle is nearest: a first bound.
static double first_reach(const tal_solid *s, tal_vec3 x) {
    int32_t first = 0;
    double least = INFINITY;
    for (int32_t t = 0; t < s->triangle_count; t += TAL_SOLID_GROUP) {
        const tal_vec3 off = tal_vec3_subtract(x, s->group[t / TAL_SOLID_GROUP].middle);
        const double square = tal_vec3_dot(off, off);
        first = square < least ? t : first;
        least = square < least ? square : least;
    }
    nearest_site best = {.least = INFINITY};
    for (int32_t t = first; t < first + TAL_SOLID_GROUP && t < s->triangle_count; t++) {
        look_at(s, t, x, &best);
    }
    return best.reach;
}

tal_solid_site tal_solid_find_site(const tal_solid *s, tal_vec3 x) {
    if (s->kinematics == TAL_KINEMATICS_PSEUDO_RIGID) {
        return site_in_gradient(s, x);
    }
    nearest_site best = {
        .site = {.count = 3, .weight = {1.0}}, .least = INFINITY, .reach = first_reach(s, x)};
    for (int32_t first = 0; first < s->triangle_count; first += TAL_SOLID_GROUP) {
        if (!is_near(&s->group[first / TAL_SOLID_GROUP], x, best.reach)) {
            continue;
        }
        for (int32_t t = first; t < first + TAL_SOLID_GROUP && t < s->triangle_count; t++) {
            if (is_near(&s->ball[t], x, best.reach)) {
                look_at(s, t, x, &best);
            }
        }
    }
    if (best.site.node[3] >= 0) {
        const double start[3] = {best.site.weight[0], best.site.weight[1], best.site.weight[2]};
        best.site.count = 4;
        spread(s, best.site.node, x, start, best.site.weight);
    }
    return best.site;
}

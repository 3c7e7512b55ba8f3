// SPDX-License-Identifier: GPL-3.0-or-later
// GJK distance of convex polyhedra (Gilbert, Johnson, Keerthi 1988; closest points of simplices by
// Voronoi regions, Ericson 2005, 5.1) and the distance of a point to one polyhedron.
#include "solver/detect/narrow_distance.h"

#include <math.h>

// A corner of the Minkowski difference b - a.
typedef struct {
    tal_vec3 w;
    int32_t vertex_a, vertex_b;
} difference_corner;

typedef struct {
    difference_corner corner[4];
    double weight[4];
    int32_t count;
} simplex;

enum { GJK_ROUNDS_MAX = 64 };

static int32_t support_vertex(const tal_posed_body *body, tal_vec3 direction) {
    int32_t best = 0;
    double best_value = -INFINITY;
    for (int32_t k = 0; k < body->vertex_count; k++) {
        const double d =
            direction.x * body->x[k] + direction.y * body->y[k] + direction.z * body->z[k];
        if (d > best_value) {
            best_value = d;
            best = k;
        }
    }
    return best;
}

static void keep_corners(simplex *s, const int32_t *which, const double *weight, int32_t count) {
    const simplex old = *s;
    for (int32_t k = 0; k < count; k++) {
        s->corner[k] = old.corner[which[k]];
        s->weight[k] = weight[k];
    }
    s->count = count;
}

// Reduces to the part of corners (i, j) nearest to the origin.
static void reduce_segment(simplex *s, int32_t i, int32_t j) {
    const tal_vec3 a = s->corner[i].w, ab = tal_vec3_subtract(s->corner[j].w, a);
    const double length2 = tal_vec3_dot(ab, ab);
    const double t = length2 > 0.0 ? -tal_vec3_dot(a, ab) / length2 : 0.0;
    if (t <= 0.0) {
        keep_corners(s, (int32_t[]){i}, (double[]){1.0}, 1);
    } else if (t >= 1.0) {
        keep_corners(s, (int32_t[]){j}, (double[]){1.0}, 1);
    } else {
        keep_corners(s, (int32_t[]){i, j}, (double[]){1.0 - t, t}, 2);
    }
}

static void reduce_triangle(simplex *s, int32_t i, int32_t j, int32_t k) {
    const tal_vec3 a = s->corner[i].w, b = s->corner[j].w, c = s->corner[k].w;
    const tal_vec3 ab = tal_vec3_subtract(b, a), ac = tal_vec3_subtract(c, a);
    const double d1 = -tal_vec3_dot(ab, a), d2 = -tal_vec3_dot(ac, a);
    const double d3 = -tal_vec3_dot(ab, b), d4 = -tal_vec3_dot(ac, b);
    const double d5 = -tal_vec3_dot(ab, c), d6 = -tal_vec3_dot(ac, c);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0.0 && d2 <= 0.0) {
        keep_corners(s, (int32_t[]){i}, (double[]){1.0}, 1);
    } else if (d3 >= 0.0 && d4 <= d3) {
        keep_corners(s, (int32_t[]){j}, (double[]){1.0}, 1);
    } else if (d6 >= 0.0 && d5 <= d6) {
        keep_corners(s, (int32_t[]){k}, (double[]){1.0}, 1);
    } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        reduce_segment(s, i, j);
    } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        reduce_segment(s, i, k);
    } else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        reduce_segment(s, j, k);
    } else {
        const double sum = va + vb + vc;
        keep_corners(s, (int32_t[]){i, j, k}, (double[]){va / sum, vb / sum, vc / sum}, 3);
    }
}

static tal_vec3 simplex_point(const simplex *s) {
    tal_vec3 p = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < s->count; k++) {
        p = tal_vec3_add_scaled(p, s->weight[k], s->corner[k].w);
    }
    return p;
}

// Is the origin on the far side of face (i, j, k) from corner l?
static bool origin_beyond(const simplex *s, int32_t i, int32_t j, int32_t k, int32_t l) {
    const tal_vec3 a = s->corner[i].w;
    const tal_vec3 n =
        tal_vec3_cross(tal_vec3_subtract(s->corner[j].w, a), tal_vec3_subtract(s->corner[k].w, a));
    const double origin = -tal_vec3_dot(n, a);
    const double inner = tal_vec3_dot(n, tal_vec3_subtract(s->corner[l].w, a));
    return origin * inner <= 0.0;
}

// False when the origin lies inside.
static bool reduce_tetrahedron(simplex *s) {
    static const int32_t faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    simplex best = *s;
    double best_length2 = INFINITY;
    for (int f = 0; f < 4; f++) {
        if (!origin_beyond(s, faces[f][0], faces[f][1], faces[f][2], faces[f][3])) {
            continue;
        }
        simplex candidate = *s;
        reduce_triangle(&candidate, faces[f][0], faces[f][1], faces[f][2]);
        const tal_vec3 p = simplex_point(&candidate);
        if (tal_vec3_dot(p, p) < best_length2) {
            best_length2 = tal_vec3_dot(p, p);
            best = candidate;
        }
    }
    *s = best;
    return best_length2 < INFINITY;
}

static bool reduce_simplex(simplex *s) {
    switch (s->count) {
    case 1:
        s->weight[0] = 1.0;
        return true;
    case 2:
        reduce_segment(s, 0, 1);
        return true;
    case 3:
        reduce_triangle(s, 0, 1, 2);
        return true;
    default:
        return reduce_tetrahedron(s);
    }
}

static bool simplex_has(const simplex *s, int32_t vertex_a, int32_t vertex_b) {
    for (int32_t k = 0; k < s->count; k++) {
        if (s->corner[k].vertex_a == vertex_a && s->corner[k].vertex_b == vertex_b) {
            return true;
        }
    }
    return false;
}

static bool face_has_all(const tal_shapes *s, int32_t face, const int32_t *vertices,
                         int32_t count) {
    int32_t found = 0;
    for (int32_t k = s->loop_start[face]; k < s->loop_start[face + 1]; k++) {
        for (int32_t m = 0; m < count; m++) {
            found += s->face_vertex[k] == vertices[m] ? 1 : 0;
        }
    }
    return found == count;
}

// The lowest feature that holds the given vertices.
static uint32_t spanned_feature(const tal_posed_body *body, const int32_t *vertices,
                                int32_t count) {
    const tal_shapes *s = body->shapes;
    if (count == 1) {
        return tal_feature_vertex(body, vertices[0]);
    }
    const int32_t first_edge = s->edge_start[body->shape];
    for (int32_t e = 0; count == 2 && e < body->edge_count; e++) {
        const int32_t p = s->edge_vertex[2 * (first_edge + e)];
        const int32_t q = s->edge_vertex[2 * (first_edge + e) + 1];
        if ((p == vertices[0] && q == vertices[1]) || (p == vertices[1] && q == vertices[0])) {
            return tal_feature_edge(body, e);
        }
    }
    for (int32_t f = 0; f < body->face_count; f++) {
        if (face_has_all(s, s->face_start[body->shape] + f, vertices, count)) {
            return tal_feature_face(f);
        }
    }
    return tal_feature_vertex(body, vertices[0]);
}

static int32_t add_distinct(int32_t *list, int32_t count, int32_t value) {
    for (int32_t k = 0; k < count; k++) {
        if (list[k] == value) {
            return count;
        }
    }
    list[count] = value;
    return count + 1;
}

static tal_closest_pair describe_simplex(const tal_posed_body *a, const tal_posed_body *b,
                                         tal_vec3 shift, const simplex *s) {
    tal_closest_pair pair = {0};
    int32_t of_a[4], of_b[4], count_a = 0, count_b = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const difference_corner *c = &s->corner[k];
        pair.on_a = tal_vec3_add_scaled(pair.on_a, s->weight[k], tal_posed_vertex(a, c->vertex_a));
        pair.on_b = tal_vec3_add_scaled(pair.on_b, s->weight[k], tal_posed_vertex(b, c->vertex_b));
        count_a = add_distinct(of_a, count_a, c->vertex_a);
        count_b = add_distinct(of_b, count_b, c->vertex_b);
    }
    pair.on_b = tal_vec3_add(pair.on_b, shift);
    const tal_vec3 between = tal_vec3_subtract(pair.on_b, pair.on_a);
    pair.distance = tal_vec3_length(between);
    pair.normal = tal_vec3_normalize(between);
    pair.feature_a = spanned_feature(a, of_a, count_a);
    pair.feature_b = spanned_feature(b, of_b, count_b);
    return pair;
}

tal_closest_pair tal_polyhedra_closest(const tal_posed_body *a, const tal_posed_body *b,
                                       tal_vec3 guess) {
    const tal_vec3 shift = tal_vec3_subtract(b->centre, a->centre);
    tal_vec3 v = guess; // points from a to b; the search looks against it
    simplex s = {.count = 0};
    for (int round = 0; round < GJK_ROUNDS_MAX; round++) {
        const int32_t ka = support_vertex(a, v);
        const int32_t kb = support_vertex(b, tal_vec3_scale(v, -1.0));
        const tal_vec3 w = tal_vec3_subtract(tal_vec3_add(tal_posed_vertex(b, kb), shift),
                                             tal_posed_vertex(a, ka));
        const double length2 = tal_vec3_dot(v, v);
        if (s.count > 0 &&
            (simplex_has(&s, ka, kb) || length2 - tal_vec3_dot(v, w) <= 1e-14 * length2)) {
            break;
        }
        const simplex before = s;
        s.corner[s.count++] = (difference_corner){w, ka, kb};
        if (!reduce_simplex(&s)) {
            tal_closest_pair overlap = describe_simplex(a, b, shift, &before);
            overlap.distance = 0.0;
            return overlap;
        }
        const tal_vec3 closer = simplex_point(&s);
        const double closer2 = tal_vec3_dot(closer, closer);
        if (before.count > 0 && closer2 >= length2) {
            s = before; // rounding: no progress any more
            break;
        }
        v = closer;
        if (closer2 <= 0.0) {
            break;
        }
    }
    return describe_simplex(a, b, shift, &s);
}

bool tal_polyhedron_face_holds(const tal_posed_body *body, int32_t face, tal_vec3 point_in_body,
                               double slack) {
    return tal_shape_face_holds(body->shapes, body->shape,
                                body->shapes->face_start[body->shape] + face, point_in_body, slack);
}

static void try_edge(const tal_posed_body *body, int32_t edge, tal_vec3 p,
                     tal_closest_surface *best, double *best_distance2) {
    const tal_shapes *s = body->shapes;
    const int32_t e = s->edge_start[body->shape] + edge;
    const int32_t first = s->edge_vertex[2 * e], second = s->edge_vertex[2 * e + 1];
    const tal_vec3 *vertex = &s->vertex[s->vertex_start[body->shape]];
    const tal_vec3 a = vertex[first], ab = tal_vec3_subtract(vertex[second], a);
    double t = tal_vec3_dot(tal_vec3_subtract(p, a), ab) / tal_vec3_dot(ab, ab);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const tal_vec3 q = tal_vec3_add_scaled(a, t, ab), d = tal_vec3_subtract(p, q);
    const double distance2 = tal_vec3_dot(d, d);
    if (distance2 < *best_distance2) {
        *best_distance2 = distance2;
        best->point = q;
        best->feature = t <= 0.0   ? tal_feature_vertex(body, first)
                        : t >= 1.0 ? tal_feature_vertex(body, second)
                                   : tal_feature_edge(body, edge);
        best->on_face = false;
    }
}

tal_closest_surface tal_polyhedron_closest(const tal_posed_body *body, tal_vec3 p) {
    const tal_shapes *s = body->shapes;
    const int32_t first = s->face_start[body->shape];
    tal_closest_surface best = {.distance = -INFINITY, .on_face = true};
    double best_distance2 = INFINITY;
    int32_t face = 0;
    for (int32_t f = 0; f < body->face_count; f++) {
        const double d = tal_vec3_dot(s->face_normal[first + f], p) - s->face_offset[first + f];
        if (d > best.distance) {
            best.distance = d;
            face = f;
        }
        if (d > 0.0 && tal_polyhedron_face_holds(body, f, p, 0.0)) {
            face = f;
            best.distance = d;
            best_distance2 = 0.0; // nothing is nearer than the foot on a face
            break;
        }
    }
    best.normal = s->face_normal[first + face];
    best.point = tal_vec3_add_scaled(p, -best.distance, best.normal);
    best.feature = tal_feature_face(face);
    if (best.distance <= 0.0 || best_distance2 <= 0.0) {
        return best;
    }
    for (int32_t f = first; f < first + body->face_count; f++) {
        const double d = tal_vec3_dot(s->face_normal[f], p) - s->face_offset[f];
        for (int32_t k = s->loop_start[f]; d > 0.0 && k < s->loop_start[f + 1]; k++) {
            try_edge(body, s->loop_edge[k], p, &best, &best_distance2);
        }
    }
    best.distance = sqrt(best_distance2);
    if (best.distance > 0.0) {
        best.normal = tal_vec3_scale(tal_vec3_subtract(p, best.point), 1.0 / best.distance);
    }
    return best;
}

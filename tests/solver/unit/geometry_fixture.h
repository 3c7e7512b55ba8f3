// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of shapes, terrain and contacts share: simple solids, simple grounds, random
// convex hulls, and slow references that use none of the code under test.
#ifndef TALUS_TESTS_SOLVER_UNIT_GEOMETRY_FIXTURE_H
#define TALUS_TESTS_SOLVER_UNIT_GEOMETRY_FIXTURE_H

#include "core/base/random.h"
#include "solver/detect/collide.h"
#include "tests/support/check.h"

enum { FIXTURE_VERTICES = 16, FIXTURE_FACES = 40, FIXTURE_BODIES = 512 };

// A solid with its own memory.
typedef struct {
    tal_vec3 vertex[FIXTURE_VERTICES];
    int32_t loop_size[FIXTURE_FACES];
    int32_t loop_vertex[4 * FIXTURE_FACES];
    int32_t vertex_count, face_count;
} solid;

static const double PI __attribute__((unused)) = 3.14159265358979323846;
static const tal_quat NO_TURN __attribute__((unused)) = {1.0, 0.0, 0.0, 0.0};

static inline tal_quat turn_about(tal_vec3 axis, double angle) {
    const tal_vec3 a = tal_vec3_scale(tal_vec3_normalize(axis), sin(0.5 * angle));
    return (tal_quat){cos(0.5 * angle), a.x, a.y, a.z};
}

static inline solid make_box(double a, double b, double c) {
    static const int32_t loops[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                      2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    solid s = {.vertex_count = 8, .face_count = 6};
    for (int k = 0; k < 8; k++) {
        s.vertex[k] = (tal_vec3){((k & 1) != 0 ? 0.5 : -0.5) * a, ((k & 2) != 0 ? 0.5 : -0.5) * b,
                                 ((k & 4) != 0 ? 0.5 : -0.5) * c};
    }
    for (int f = 0; f < 6; f++) {
        s.loop_size[f] = 4;
    }
    memcpy(s.loop_vertex, loops, sizeof loops);
    return s;
}

static inline tal_shape_input solid_input(const solid *s) {
    return (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                             .vertex_count = s->vertex_count,
                             .vertex = s->vertex,
                             .face_count = s->face_count,
                             .loop_size = s->loop_size,
                             .loop_vertex = s->loop_vertex};
}

// Hull of the solid's vertices by trying all triples: fits points in general position.
static inline void make_hull(solid *s) {
    s->face_count = 0;
    for (int32_t i = 0; i < s->vertex_count; i++) {
        for (int32_t j = 0; j < s->vertex_count; j++) {
            for (int32_t k = 0; k < s->vertex_count; k++) {
                if (j <= i || k <= i || k == j) {
                    continue; // each face once, beginning at its lowest vertex
                }
                const tal_vec3 n = tal_vec3_cross(tal_vec3_subtract(s->vertex[j], s->vertex[i]),
                                                  tal_vec3_subtract(s->vertex[k], s->vertex[i]));
                bool outside = true;
                for (int32_t m = 0; m < s->vertex_count; m++) {
                    outside =
                        outside &&
                        (m == i || m == j || m == k ||
                         tal_vec3_dot(n, tal_vec3_subtract(s->vertex[m], s->vertex[i])) < 0.0);
                }
                if (outside) {
                    int32_t *loop = &s->loop_vertex[3 * s->face_count];
                    loop[0] = i, loop[1] = j, loop[2] = k;
                    s->loop_size[s->face_count++] = 3;
                }
            }
        }
    }
}

// Random points on an ellipsoid, so that all of them are corners of their hull; centroid about 0.
static inline solid make_rock(tal_random random, uint64_t draw, int32_t vertex_count,
                              tal_vec3 half_axes) {
    solid s = {.vertex_count = vertex_count};
    for (int32_t k = 0; k < vertex_count; k++) {
        double d[3];
        tal_random_direction(random, draw * 64 + (uint64_t)k, d);
        // Every second point opposite to the one before, tilted a little: the origin stays inside.
        if (k % 2 == 1) {
            const tal_vec3 before = s.vertex[k - 1];
            d[0] = -before.x / half_axes.x + 0.3 * d[0];
            d[1] = -before.y / half_axes.y + 0.3 * d[1];
            d[2] = -before.z / half_axes.z + 0.3 * d[2];
        }
        const tal_vec3 u = tal_vec3_normalize((tal_vec3){d[0], d[1], d[2]});
        s.vertex[k] = (tal_vec3){half_axes.x * u.x, half_axes.y * u.y, half_axes.z * u.z};
    }
    make_hull(&s);
    return s;
}

static inline bool holds_origin(const solid *s) {
    for (int32_t f = 0; f < s->face_count; f++) {
        const int32_t *l = &s->loop_vertex[3 * f];
        const tal_vec3 a = s->vertex[l[0]];
        const tal_vec3 n = tal_vec3_normalize(tal_vec3_cross(
            tal_vec3_subtract(s->vertex[l[1]], a), tal_vec3_subtract(s->vertex[l[2]], a)));
        if (tal_vec3_dot(n, a) < 0.02) {
            return false;
        }
    }
    return s->face_count == 2 * s->vertex_count - 4;
}

static inline tal_quat random_turn(tal_random random, uint64_t draw) {
    tal_quat q = {tal_random_normal(random, 4 * draw), tal_random_normal(random, 4 * draw + 1),
                  tal_random_normal(random, 4 * draw + 2), tal_random_normal(random, 4 * draw + 3)};
    return tal_quat_normalize(q);
}

// A ground of (n-1) x (n-1) cells over [-half, half]^2, two triangles each, height by a function.
typedef double (*height_function)(double x, double y);

static inline double flat_ground(double x, double y) {
    return 0.0 * (x + y);
}

static inline void make_ground(tal_terrain *terrain, int32_t n, double half,
                               height_function height) {
    tal_vec3 *vertices = test_malloc((size_t)(n * n) * sizeof *vertices);
    int32_t *triangles = test_malloc((size_t)(6 * (n - 1) * (n - 1)) * sizeof *triangles);
    int32_t *t = triangles;
    for (int32_t k = 0; k < n * n; k++) {
        const double x = -half + 2.0 * half * (k % n) / (n - 1);
        const double y = -half + 2.0 * half * (k / n) / (n - 1);
        vertices[k] = (tal_vec3){x, y, height(x, y)};
        if (k % n < n - 1 && k / n < n - 1) {
            const int32_t corners[6] = {k, k + 1, k + n + 1, k, k + n + 1, k + n};
            memcpy(t, corners, sizeof corners);
            t += 6;
        }
    }
    tal_error err;
    assert_int_equal(
        tal_terrain_create(terrain, vertices, n * n, triangles, 2 * (n - 1) * (n - 1), NULL, &err),
        TAL_OK);
    test_free(vertices);
    test_free(triangles);
}

// A handful of bodies and everything a query needs.
typedef struct {
    tal_shapes shapes;
    const tal_terrain *terrain;
    int32_t body_count;
    int32_t shape_of_body[FIXTURE_BODIES];
    tal_vec3 position[FIXTURE_BODIES];
    tal_quat orientation[FIXTURE_BODIES];
    double reach[FIXTURE_BODIES];
    uint8_t is_fixed[FIXTURE_BODIES];
    tal_collider *collider;
    tal_manifolds contacts;
} world;

static inline world *world_create(const tal_shape_input *inputs, int32_t count,
                                  const tal_terrain *terrain) {
    world *w = test_calloc(1, sizeof *w);
    tal_error err;
    if (tal_shapes_create(&w->shapes, inputs, count, &err) != TAL_OK) {
        fail_msg("%s", err.text);
    }
    w->terrain = terrain;
    return w;
}

static inline int32_t world_add(world *w, int32_t shape, tal_vec3 position, tal_quat orientation,
                                double reach) {
    const int32_t b = w->body_count++;
    w->shape_of_body[b] = shape;
    w->position[b] = position;
    w->orientation[b] = orientation;
    w->reach[b] = reach;
    return b;
}

static inline void world_collide(world *w, int thread_count) {
    tal_error err;
    if (w->collider == NULL) {
        assert_int_equal(tal_collider_create(&w->collider, &w->shapes, w->terrain, w->shape_of_body,
                                             w->body_count, &err),
                         TAL_OK);
    }
    const tal_collide_input input = {.shapes = &w->shapes,
                                     .terrain = w->terrain,
                                     .body_count = w->body_count,
                                     .shape_of_body = w->shape_of_body,
                                     .position = w->position,
                                     .orientation = w->orientation,
                                     .reach = w->reach,
                                     .is_fixed = w->is_fixed,
                                     .thread_count = thread_count};
    assert_int_equal(tal_collide(w->collider, &input, &w->contacts, &err), TAL_OK);
}

static inline void world_destroy(world *w) {
    tal_collider_destroy(w->collider);
    tal_shapes_destroy(&w->shapes);
    test_free(w);
}

// The two-body worlds of most tests.
static inline world *make_two(const tal_shape_input *first, tal_vec3 p, tal_quat q,
                              const tal_shape_input *second, tal_vec3 r, tal_quat s, double reach) {
    const tal_shape_input inputs[2] = {*first, *second};
    world *w = world_create(inputs, 2, NULL);
    world_add(w, 0, p, q, 0.5 * reach);
    world_add(w, 1, r, s, 0.5 * reach);
    world_collide(w, 1);
    return w;
}

static inline double smallest_gap(const tal_manifolds *c) {
    double gap = INFINITY;
    for (int32_t k = 0; k < c->point_count; k++) {
        gap = fmin(gap, c->point[k].gap);
    }
    return gap;
}

static inline void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g to within %g", value, expected, tolerance);
    }
}

static inline void assert_near3(tal_vec3 value, tal_vec3 expected, double tolerance) {
    const double distance = tal_vec3_length(tal_vec3_subtract(value, expected));
    if (!(distance <= tolerance)) {
        fail_msg("(%.15g, %.15g, %.15g) is not (%.15g, %.15g, %.15g) to within %g", value.x,
                 value.y, value.z, expected.x, expected.y, expected.z, tolerance);
    }
}

// Is there a contact point at p?
static inline const tal_contact_point *find_point(const tal_manifolds *c, tal_vec3 p,
                                                  double tolerance) {
    for (int32_t k = 0; k < c->point_count; k++) {
        if (tal_vec3_length(tal_vec3_subtract(c->point[k].point, p)) <= tolerance) {
            return &c->point[k];
        }
    }
    return NULL;
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Random convex polyhedra against slow references written for this file alone: separating axes over
// all faces and all edge pairs, and the distance over all pairs of features.
#include "tests/solver/unit/geometry_fixture.h"

enum { TRIALS = 3000 };

// A solid in the world: vertices only.
typedef struct {
    const solid *shape;
    tal_vec3 vertex[FIXTURE_VERTICES];
    double smallest_edge;
} placed;

static placed place(const solid *s, tal_vec3 at, tal_quat turn) {
    placed p = {.shape = s, .smallest_edge = INFINITY};
    for (int32_t k = 0; k < s->vertex_count; k++) {
        p.vertex[k] = tal_vec3_add(at, tal_quat_rotate(turn, s->vertex[k]));
    }
    for (int32_t f = 0; f < s->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            const tal_vec3 d = tal_vec3_subtract(s->vertex[s->loop_vertex[3 * f + k]],
                                                 s->vertex[s->loop_vertex[3 * f + (k + 1) % 3]]);
            p.smallest_edge = fmin(p.smallest_edge, tal_vec3_length(d));
        }
    }
    return p;
}

// Separation of b from a along n: negative when they overlap there.
static double separation(const placed *a, const placed *b, tal_vec3 n) {
    double top = -INFINITY, bottom = INFINITY;
    for (int32_t k = 0; k < a->shape->vertex_count; k++) {
        top = fmax(top, tal_vec3_dot(n, a->vertex[k]));
    }
    for (int32_t k = 0; k < b->shape->vertex_count; k++) {
        bottom = fmin(bottom, tal_vec3_dot(n, b->vertex[k]));
    }
    return bottom - top;
}

static tal_vec3 corner(const placed *p, int32_t face, int k) {
    return p->vertex[p->shape->loop_vertex[3 * face + k % 3]];
}

static double separation_both_ways(const placed *a, const placed *b, tal_vec3 n) {
    const double length = tal_vec3_length(n);
    if (length < 1e-12) {
        return -INFINITY;
    }
    const tal_vec3 unit = tal_vec3_scale(n, 1.0 / length);
    return fmax(separation(a, b, unit), separation(a, b, tal_vec3_scale(unit, -1.0)));
}

// Largest separation over all candidate axes; minus the penetration depth where bodies overlap.
static double all_axes(const placed *a, const placed *b) {
    double best = -INFINITY;
    const placed *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        for (int32_t f = 0; f < both[side]->shape->face_count; f++) {
            const tal_vec3 p = corner(both[side], f, 0);
            const tal_vec3 n = tal_vec3_cross(tal_vec3_subtract(corner(both[side], f, 1), p),
                                              tal_vec3_subtract(corner(both[side], f, 2), p));
            best = fmax(best, separation_both_ways(a, b, n));
        }
    }
    for (int32_t f = 0; f < 3 * a->shape->face_count; f++) {
        const tal_vec3 u = tal_vec3_subtract(corner(a, f / 3, f % 3 + 1), corner(a, f / 3, f % 3));
        for (int32_t g = 0; g < 3 * b->shape->face_count; g++) {
            const tal_vec3 v =
                tal_vec3_subtract(corner(b, g / 3, g % 3 + 1), corner(b, g / 3, g % 3));
            best = fmax(best, separation_both_ways(a, b, tal_vec3_cross(u, v)));
        }
    }
    return best;
}

static double clamp01(double t) {
    return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

// Distance of two segments: the inner optimum if there is one, else the best of the four ends.
static double segment_distance(tal_vec3 p, tal_vec3 p2, tal_vec3 q, tal_vec3 q2) {
    const tal_vec3 u = tal_vec3_subtract(p2, p), v = tal_vec3_subtract(q2, q);
    const tal_vec3 w = tal_vec3_subtract(p, q);
    const double uu = tal_vec3_dot(u, u), uv = tal_vec3_dot(u, v), vv = tal_vec3_dot(v, v);
    const double uw = tal_vec3_dot(u, w), vw = tal_vec3_dot(v, w), det = uu * vv - uv * uv;
    double pairs[5][2] = {{0, clamp01(vw / vv)},
                          {1, clamp01((vw + uv) / vv)},
                          {clamp01(-uw / uu), 0},
                          {clamp01((uv - uw) / uu), 1},
                          {0, clamp01(vw / vv)}};
    if (det > 1e-14 * uu * vv) {
        const double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
            pairs[4][0] = s;
            pairs[4][1] = t;
        }
    }
    double best = INFINITY;
    for (int k = 0; k < 5; k++) {
        const tal_vec3 d = tal_vec3_subtract(tal_vec3_add_scaled(p, pairs[k][0], u),
                                             tal_vec3_add_scaled(q, pairs[k][1], v));
        best = fmin(best, tal_vec3_length(d));
    }
    return best;
}

// Distance of a point to the inside of a triangle, infinite when it projects outside.
static double face_distance(tal_vec3 p, tal_vec3 a, tal_vec3 b, tal_vec3 c) {
    const tal_vec3 ab = tal_vec3_subtract(b, a), ac = tal_vec3_subtract(c, a);
    const tal_vec3 n = tal_vec3_normalize(tal_vec3_cross(ab, ac)), ap = tal_vec3_subtract(p, a);
    const tal_vec3 corners[4] = {a, b, c, a};
    for (int k = 0; k < 3; k++) {
        const tal_vec3 along = tal_vec3_subtract(corners[k + 1], corners[k]);
        if (tal_vec3_dot(tal_vec3_cross(n, along), tal_vec3_subtract(p, corners[k])) < 0.0) {
            return INFINITY;
        }
    }
    return fabs(tal_vec3_dot(n, ap));
}

// Distance of two disjoint polyhedra over all pairs of features.
static double all_features(const placed *a, const placed *b) {
    double best = INFINITY;
    const placed *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const placed *x = both[side], *y = both[1 - side];
        for (int32_t k = 0; k < x->shape->vertex_count; k++) {
            for (int32_t f = 0; f < y->shape->face_count; f++) {
                best = fmin(best, face_distance(x->vertex[k], corner(y, f, 0), corner(y, f, 1),
                                                corner(y, f, 2)));
            }
        }
    }
    for (int32_t f = 0; f < 3 * a->shape->face_count; f++) {
        for (int32_t g = 0; g < 3 * b->shape->face_count; g++) {
            best =
                fmin(best, segment_distance(corner(a, f / 3, f % 3), corner(a, f / 3, f % 3 + 1),
                                            corner(b, g / 3, g % 3), corner(b, g / 3, g % 3 + 1)));
        }
    }
    return best;
}

// One random pair: two rocks near each other, the second at the origin of a shifted frame.
typedef struct {
    solid rock[2];
    tal_vec3 at[2];
    tal_quat turn[2];
    double reach;
} trial;

static solid cut_into_triangles(solid box) {
    solid cut = box;
    cut.face_count = 0;
    for (int32_t f = 0; f < box.face_count; f++) {
        const int32_t *l = &box.loop_vertex[4 * f];
        const int32_t two[6] = {l[0], l[1], l[2], l[0], l[2], l[3]};
        memcpy(&cut.loop_vertex[3 * cut.face_count], two, sizeof two);
        cut.loop_size[cut.face_count] = cut.loop_size[cut.face_count + 1] = 3;
        cut.face_count += 2;
    }
    return cut;
}

// False when the hull is not fit for use (the origin too near its surface).
static bool make_trial(uint64_t number, trial *t) {
    const tal_random random = tal_random_stream(2024, (uint32_t)number, "pairs");
    for (uint64_t k = 0; k < 2; k++) {
        const int32_t vertices = 6 + 2 * (int32_t)tal_random_below(random, 500 + k, 4);
        const tal_vec3 axes = {0.5 + tal_random_uniform(random, 600 + 3 * k),
                               0.5 + tal_random_uniform(random, 601 + 3 * k),
                               0.5 + 0.5 * tal_random_uniform(random, 602 + 3 * k)};
        // Every second trial has a box in it, every fourth two, in triangles like everything here.
        const bool is_box = k == 0 ? number % 2 == 1 : number % 4 == 1;
        t->rock[k] = is_box ? cut_into_triangles(make_box(axes.x, axes.y, axes.z))
                            : make_rock(random, k, vertices, axes);
        t->turn[k] = random_turn(random, 200 + k);
        if (!is_box && !holds_origin(&t->rock[k])) {
            return false;
        }
    }
    double d[3];
    tal_random_direction(random, 700, d);
    const double distance = 0.4 + 2.0 * tal_random_uniform(random, 701);
    t->at[0] = (tal_vec3){0.3, -0.2, 0.1};
    t->at[1] = tal_vec3_add_scaled(t->at[0], distance, (tal_vec3){d[0], d[1], d[2]});
    t->reach = 0.3;
    return true;
}

static world *run_trial(const trial *t, bool swapped) {
    const int first = swapped ? 1 : 0, second = 1 - first;
    const tal_shape_input a = solid_input(&t->rock[first]), b = solid_input(&t->rock[second]);
    return make_two(&a, t->at[first], t->turn[first], &b, t->at[second], t->turn[second], t->reach);
}

static void gap_agrees_with_all_axes_and_all_features(void **state) {
    (void)state;
    int32_t apart = 0, overlapping = 0, out_of_reach = 0;
    for (uint64_t k = 0; k < TRIALS; k++) {
        trial t;
        if (!make_trial(k, &t)) {
            continue;
        }
        const placed a = place(&t.rock[0], t.at[0], t.turn[0]);
        const placed b = place(&t.rock[1], t.at[1], t.turn[1]);
        // Faces may stand for edges of nearly the same depth, within a thousandth of an edge.
        const double tolerance = 1e-3 * fmin(a.smallest_edge, b.smallest_edge) + 1e-12;
        const double axes = all_axes(&a, &b);
        const double truth = axes > 0.0 ? all_features(&a, &b) : axes;
        world *w = run_trial(&t, false);
        const double gap = smallest_gap(&w->contacts);
        if (truth >= t.reach + tolerance) {
            assert_int_equal(w->contacts.point_count, 0);
            out_of_reach++;
        } else if (truth < t.reach - tolerance) {
            assert_true(w->contacts.point_count > 0);
            assert_near(gap, truth, tolerance);
            apart += truth > 0.0 ? 1 : 0;
            overlapping += truth <= 0.0 ? 1 : 0;
        }
        world_destroy(w);
    }
    assert_true(apart > 200 && overlapping > 500 && out_of_reach > 100);
}

// Moving i out along the reported normal by the reported depth parts the bodies.
static void normal_and_depth_part_the_bodies(void **state) {
    (void)state;
    for (uint64_t k = 0; k < TRIALS; k++) {
        trial t;
        if (!make_trial(k, &t)) {
            continue;
        }
        world *w = run_trial(&t, false);
        const double gap = smallest_gap(&w->contacts);
        if (gap < 0.0) {
            const tal_vec3 n = w->contacts.point[0].normal;
            const placed a = place(&t.rock[0], tal_vec3_add_scaled(t.at[0], -gap, n), t.turn[0]);
            const placed b = place(&t.rock[1], t.at[1], t.turn[1]);
            const double left = all_axes(&a, &b);
            assert_true(left > -1e-3 * fmin(a.smallest_edge, b.smallest_edge) - 1e-12);
        }
        world_destroy(w);
    }
}

// Points lie between the bodies: on each surface once moved by half the gap.
static void points_lie_midway_between_the_surfaces(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 1000; k++) {
        trial t;
        if (!make_trial(k, &t)) {
            continue;
        }
        world *w = run_trial(&t, false);
        for (int32_t p = 0; p < w->contacts.point_count; p++) {
            const tal_contact_point *c = &w->contacts.point[p];
            assert_near(tal_vec3_length(c->normal), 1.0, 1e-12);
            for (int side = 0; side < 2; side++) {
                const tal_vec3 on_surface =
                    tal_vec3_add_scaled(c->point, (side == 0 ? 0.5 : -0.5) * c->gap, c->normal);
                const placed b = place(&t.rock[side], t.at[side], t.turn[side]);
                double outside = -INFINITY;
                for (int32_t f = 0; f < b.shape->face_count; f++) {
                    const tal_vec3 o = corner(&b, f, 0);
                    const tal_vec3 n =
                        tal_vec3_normalize(tal_vec3_cross(tal_vec3_subtract(corner(&b, f, 1), o),
                                                          tal_vec3_subtract(corner(&b, f, 2), o)));
                    outside = fmax(outside, tal_vec3_dot(n, tal_vec3_subtract(on_surface, o)));
                }
                // Never beyond a surface, up to the slack for flush corners.
                assert_true(outside < 1e-3 * b.smallest_edge + 1e-9);
            }
        }
        world_destroy(w);
    }
}

static void swapping_the_bodies_turns_the_normals_round(void **state) {
    (void)state;
    for (uint64_t k = 0; k < TRIALS; k++) {
        trial t;
        if (!make_trial(k, &t)) {
            continue;
        }
        world *w = run_trial(&t, false), *v = run_trial(&t, true);
        assert_int_equal(w->contacts.point_count, v->contacts.point_count);
        for (int32_t p = 0; p < w->contacts.point_count; p++) {
            const tal_contact_point *a = &w->contacts.point[p];
            const tal_contact_point *b = find_point(&v->contacts, a->point, 1e-9);
            assert_non_null(b);
            assert_near(a->gap, b->gap, 1e-9);
            assert_near3(a->normal, tal_vec3_scale(b->normal, -1.0), 1e-9);
            assert_true(a->identity == (b->identity << 32 | b->identity >> 32));
        }
        world_destroy(w);
        world_destroy(v);
    }
}

static void rigid_motion_of_both_bodies_moves_the_contacts_along(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(8, 0, "motion");
    for (uint64_t k = 0; k < TRIALS; k++) {
        trial t;
        if (!make_trial(k, &t)) {
            continue;
        }
        const tal_quat turn = random_turn(random, k);
        const tal_vec3 shift = {1000.0 * tal_random_normal(random, 90000 + 3 * k),
                                1000.0 * tal_random_normal(random, 90001 + 3 * k), 250.0};
        trial moved = t;
        for (int b = 0; b < 2; b++) {
            moved.at[b] = tal_vec3_add(shift, tal_quat_rotate(turn, t.at[b]));
            moved.turn[b] = tal_quat_multiply(turn, t.turn[b]);
        }
        world *w = run_trial(&t, false), *v = run_trial(&moved, false);
        assert_int_equal(w->contacts.point_count, v->contacts.point_count);
        for (int32_t p = 0; p < w->contacts.point_count; p++) {
            const tal_contact_point *a = &w->contacts.point[p], *b = &v->contacts.point[p];
            assert_int_equal(a->identity, b->identity);
            assert_near(a->gap, b->gap, 1e-9);
            assert_near3(tal_quat_rotate(turn, a->normal), b->normal, 1e-9);
            assert_near3(tal_vec3_add(shift, tal_quat_rotate(turn, a->point)), b->point, 1e-9);
        }
        world_destroy(w);
        world_destroy(v);
    }
}

static double bumps(double x, double y) {
    return 0.4 * sin(1.3 * x) * cos(0.9 * y) + 0.1 * x;
}

// A heap of rocks, boxes and balls of many sizes over bumpy ground.
static world *make_heap(const tal_terrain *terrain, tal_shape_input *inputs, solid *solids) {
    const tal_random random = tal_random_stream(77, 0, "heap");
    for (uint64_t s = 0; s < 8; s++) {
        const double size = pow(2.0, -(double)(s % 4));
        solids[s] =
            s < 4 ? make_box(size, 0.8 * size, 0.7 * size)
                  : make_rock(random, 100 + s, 10, (tal_vec3){0.6 * size, 0.5 * size, 0.45 * size});
        inputs[s] = solid_input(&solids[s]);
    }
    inputs[8] = (tal_shape_input){.kind = TAL_SHAPE_SPHERE, .radius = 0.3};
    world *w = world_create(inputs, 9, terrain);
    for (uint64_t b = 0; b < 400; b++) {
        const double x = 6.0 * (tal_random_uniform(random, 4000 + 3 * b) - 0.5);
        const double y = 6.0 * (tal_random_uniform(random, 4001 + 3 * b) - 0.5);
        const double z = bumps(x, y) + 2.0 * tal_random_uniform(random, 4002 + 3 * b);
        world_add(w, (int32_t)(b % 9), (tal_vec3){x, y, z}, random_turn(random, 3000 + b), 0.02);
    }
    return w;
}

// Over bumpy ground, apart from it: the smallest gap is the distance to the nearest triangle.
static void gap_to_the_ground_is_the_distance_to_its_triangles(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(404, 0, "hover");
    tal_terrain t;
    make_ground(&t, 13, 3.0, bumps);
    int32_t checked = 0;
    for (uint64_t k = 0; k < 3000; k++) {
        const double size = k % 3 == 0 ? 1.5 : k % 3 == 1 ? 0.4 : 0.1;
        const solid rock = k % 2 == 0
                               ? make_rock(random, k, 10, (tal_vec3){size, 0.8 * size, 0.7 * size})
                               : cut_into_triangles(make_box(size, 0.8 * size, 0.7 * size));
        if (k % 2 == 0 && !holds_origin(&rock)) {
            continue;
        }
        const double x = 2.0 * tal_random_uniform(random, 300000 + 4 * k) - 1.0;
        const double y = 2.0 * tal_random_uniform(random, 300001 + 4 * k) - 1.0;
        const double lift = size * (0.6 + 0.8 * tal_random_uniform(random, 300002 + 4 * k));
        const tal_vec3 at = {x, y, bumps(x, y) + lift};
        const tal_quat turn = random_turn(random, 200000 + k);
        const placed body = place(&rock, at, turn);
        double truth = INFINITY;
        for (int32_t f = 0; f < t.triangle_count && truth > 0.0; f++) {
            solid sheet = {
                .vertex_count = 3, .face_count = 1, .loop_size = {3}, .loop_vertex = {0, 1, 2}};
            for (int c = 0; c < 3; c++) {
                sheet.vertex[c] = t.vertex[t.triangle[3 * f + c]];
            }
            const placed triangle = place(&sheet, (tal_vec3){0, 0, 0}, NO_TURN);
            truth = all_axes(&body, &triangle) <= 0.0 ? 0.0
                                                      : fmin(truth, all_features(&body, &triangle));
        }
        const double reach = 0.1 * size;
        if (truth <= 0.0 || at.z < tal_terrain_height(&t, x, y)) {
            continue; // touching, or wholly below the surface
        }
        const tal_shape_input input = solid_input(&rock);
        world *w = world_create(&input, 1, &t);
        world_add(w, 0, at, turn, reach);
        world_collide(w, 1);
        // Normals may be turned by up to the slack of a fan (0.02): 1 - cos = 2e-4 of the gap.
        if (truth < reach * 0.999) {
            assert_near(smallest_gap(&w->contacts), truth, 1e-3 * truth + 1e-12);
            checked++;
        } else if (truth > reach * 1.001) {
            assert_int_equal(w->contacts.point_count, 0);
        }
        world_destroy(w);
    }
    assert_true(checked > 150);
    tal_terrain_destroy(&t);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t k = 0; k < count; k++) {
        hash = (hash ^ b[k]) * 1099511628211u;
    }
    return hash;
}

static uint64_t hash_contacts(const tal_manifolds *c) {
    uint64_t hash = 14695981039346656037u;
    for (int32_t k = 0; k < c->manifold_count; k++) {
        hash = hash_bytes(hash, &c->manifold[k], sizeof c->manifold[k]);
    }
    for (int32_t k = 0; k < c->point_count; k++) {
        hash = hash_bytes(hash, &c->point[k], sizeof c->point[k]);
    }
    return hash;
}

// Moves every body a little, the same way each time it is called with the same step.
static void stir(world *w, uint64_t step) {
    const tal_random random = tal_random_stream(78, (uint32_t)step, "stir");
    for (int32_t b = 0; b < w->body_count; b++) {
        const uint64_t draw = 8 * (uint64_t)b;
        const tal_vec3 d = {tal_random_normal(random, draw), tal_random_normal(random, draw + 1),
                            tal_random_normal(random, draw + 2)};
        w->position[b] = tal_vec3_add_scaled(w->position[b], 0.01, d);
        w->orientation[b] =
            tal_quat_normalize(tal_quat_multiply(turn_about(d, 0.02), w->orientation[b]));
    }
}

static void contacts_are_the_same_bytes_for_any_number_of_threads(void **state) {
    (void)state;
    tal_terrain t;
    tal_shape_input inputs[9];
    static solid solids[8];
    make_ground(&t, 41, 6.0, bumps);
    const int threads[] = {1, 2, 4, 7};
    uint64_t expected[6] = {0};
    for (int k = 0; k < 4; k++) {
        world *w = make_heap(&t, inputs, solids);
        for (uint64_t step = 0; step < 6; step++) {
            world_collide(w, threads[k]);
            assert_true(w->contacts.manifold_count > 300);
            const uint64_t hash = hash_contacts(&w->contacts);
            expected[step] = k == 0 ? hash : expected[step];
            assert_true(hash == expected[step]);
            stir(w, step);
        }
        world_destroy(w);
    }
    tal_terrain_destroy(&t);
}

// A collider that has seen other poses before answers like a new one: checkpoints can be continued.
static void contacts_do_not_depend_on_earlier_calls(void **state) {
    (void)state;
    tal_terrain t;
    tal_shape_input inputs[9];
    static solid solids[8];
    make_ground(&t, 41, 6.0, bumps);
    world *w = make_heap(&t, inputs, solids);
    for (uint64_t step = 0; step < 20; step++) {
        world_collide(w, 1);
        const uint64_t hash = hash_contacts(&w->contacts);
        tal_collider *old = w->collider;
        w->collider = NULL;
        world_collide(w, 1);
        assert_true(hash == hash_contacts(&w->contacts));
        tal_collider_destroy(w->collider);
        w->collider = old;
        stir(w, step);
    }
    world_destroy(w);
    tal_terrain_destroy(&t);
}

static void manifolds_are_sorted_and_identities_unique_in_a_pair(void **state) {
    (void)state;
    tal_terrain t;
    tal_shape_input inputs[9];
    static solid solids[8];
    make_ground(&t, 41, 6.0, bumps);
    world *w = make_heap(&t, inputs, solids);
    world_collide(w, 1);
    const tal_manifolds *c = &w->contacts;
    int32_t next_point = 0;
    for (int32_t m = 0; m < c->manifold_count; m++) {
        const tal_manifold *a = &c->manifold[m];
        assert_int_equal(a->first_point, next_point);
        assert_in_range(a->point_count, 1, TAL_MANIFOLD_POINTS_MAX);
        next_point += a->point_count;
        if (m > 0) {
            const tal_manifold *b = a - 1;
            assert_true(b->body_i < a->body_i ||
                        (b->body_i == a->body_i &&
                         (b->body_j < a->body_j ||
                          (b->body_j == a->body_j && a->body_j == TAL_BODY_TERRAIN))));
        }
        for (int32_t n = m; n < c->manifold_count && c->manifold[n].body_i == a->body_i &&
                            c->manifold[n].body_j == a->body_j;
             n++) {
            for (int32_t p = 0; p < a->point_count; p++) {
                for (int32_t q = n == m ? p + 1 : 0; q < c->manifold[n].point_count; q++) {
                    assert_true(c->point[a->first_point + p].identity !=
                                c->point[c->manifold[n].first_point + q].identity);
                }
            }
        }
    }
    assert_int_equal(next_point, c->point_count);
    world_destroy(w);
    tal_terrain_destroy(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gap_agrees_with_all_axes_and_all_features),
        cmocka_unit_test(normal_and_depth_part_the_bodies),
        cmocka_unit_test(points_lie_midway_between_the_surfaces),
        cmocka_unit_test(swapping_the_bodies_turns_the_normals_round),
        cmocka_unit_test(rigid_motion_of_both_bodies_moves_the_contacts_along),
        cmocka_unit_test(gap_to_the_ground_is_the_distance_to_its_triangles),
        cmocka_unit_test(contacts_are_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(contacts_do_not_depend_on_earlier_calls),
        cmocka_unit_test(manifolds_are_sorted_and_identities_unique_in_a_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

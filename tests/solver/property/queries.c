// SPDX-License-Identifier: GPL-3.0-or-later
// A collider that is asked again and again: what it remembers saves time and changes no answer, and what it may
// leave out is shallow.
#include "tests/solver/unit/geometry_fixture.h"

enum { BODIES = 200, QUERIES = 120, SHAPES = 6 };

typedef struct {
    world *w;
    tal_random random;
    uint64_t draw;
    tal_vec3 velocity[BODIES];
    double dt;
} crowd;

static double draw(crowd *c, double low, double high) {
    return low + (high - low) * tal_random_uniform(c->random, c->draw++);
}

static tal_vec3 draw_vector(crowd *c, double size) {
    const double x = draw(c, -size, size), y = draw(c, -size, size);
    return (tal_vec3){x, y, draw(c, -size, size)};
}

static double hills(double x, double y) {
    return 0.4 * sin(2.0 * x) * cos(1.5 * y);
}

static tal_shapes make_shapes(tal_random random) {
    static solid solids[SHAPES];
    static tal_shape_input inputs[SHAPES];
    tal_shapes shapes;
    solids[0] = make_box(0.4, 0.5, 0.6);
    solids[1] = make_box(0.2, 0.7, 0.3);
    for (uint64_t k = 2, n = 0; k < SHAPES - 1; n++) {
        solids[k] = make_rock(random, n, 12, (tal_vec3){0.4, 0.3, 0.25});
        k += holds_origin(&solids[k]) ? 1 : 0;
    }
    for (int k = 0; k < SHAPES - 1; k++) {
        inputs[k] = solid_input(&solids[k]);
    }
    inputs[SHAPES - 1] = (tal_shape_input){.kind = TAL_SHAPE_SPHERE, .radius = 0.25};
    check_ok(tal_shapes_create(&shapes, inputs, SHAPES, &check_error));
    return shapes;
}

static tal_vec3 draw_place(crowd *c) {
    tal_vec3 at = draw_vector(c, 1.6);
    at.z = 1.2 + 0.7 * at.z;
    return at;
}

static crowd make_crowd(const tal_terrain *terrain, uint64_t seed) {
    crowd c = {.random = tal_random_stream(seed, 0, "crowd"), .dt = 0.01};
    c.w = test_calloc(1, sizeof *c.w);
    c.w->shapes = make_shapes(c.random);
    c.w->terrain = terrain;
    for (int32_t b = 0; b < BODIES; b++) {
        const tal_vec3 at = draw_place(&c);
        world_add(c.w, b % SHAPES, at, random_turn(c.random, 1000 + (uint64_t)b),
                  draw(&c, 0.001, 0.05));
        c.velocity[b] = draw_vector(&c, 2.0);
    }
    return c;
}

static tal_collide_input input_of(const crowd *c, double shallow, int threads) {
    const world *w = c->w;
    return (tal_collide_input){.shapes = &w->shapes,
                               .terrain = w->terrain,
                               .body_count = w->body_count,
                               .shape_of_body = w->shape_of_body,
                               .position = w->position,
                               .orientation = w->orientation,
                               .reach = w->reach,
                               .velocity = shallow > 0.0 ? NULL : c->velocity,
                               .dt = c->dt,
                               .shallow = shallow,
                               .is_fixed = w->is_fixed,
                               .thread_count = threads};
}

static void move(crowd *c, int32_t b, double size) {
    c->w->position[b] = tal_vec3_add(c->w->position[b], draw_vector(c, size));
    c->w->orientation[b] = tal_quat_normalize(tal_quat_multiply(
        turn_about(draw_vector(c, 1.0), draw(c, 0.0, size)), c->w->orientation[b]));
}

// One body in `share`, at random, changes in a way of its own; the kinds of change follow each other.
static void change(crowd *c, int query) {
    const double share = query % 3 == 0 ? 1.0 : query % 3 == 1 ? 0.3 : 0.05;
    for (int32_t b = 0; b < BODIES; b++) {
        if (draw(c, 0.0, 1.0) >= share) {
            continue;
        }
        switch (query / 3 % 5) {
        case 0:
            move(c, b, 0.02);
            break;
        case 1:
        case 2:
            c->w->reach[b] *= draw(c, 1.0, 2.5); // as blows do
            break;
        case 3:
            c->w->reach[b] = draw(c, 0.001, 0.05);
            c->w->is_fixed[b] = draw(c, 0.0, 1.0) < 0.1;
            break;
        default:
            c->velocity[b] = draw_vector(c, 2.0);
            move(c, b, draw(c, 0.0, 1.0) < 0.1 ? 0.5 : 0.005); // some leave their boxes
            if (query % 3 == 1) {                              // so many that all are paired anew
                c->w->position[b] = draw_place(c);
            }
        }
    }
}

static void assert_same(const tal_manifolds *a, const tal_manifolds *b) {
    assert_int_equal(a->manifold_count, b->manifold_count);
    assert_int_equal(a->point_count, b->point_count);
    assert_memory_equal(a->manifold, b->manifold, (size_t)a->manifold_count * sizeof *a->manifold);
    assert_memory_equal(a->point, b->point, (size_t)a->point_count * sizeof *a->point);
}

static void answers_depend_on_the_query_alone(void **state) {
    (void)state;
    tal_terrain ground;
    make_ground(&ground, 12, 4.0, hills);
    for (uint64_t seed = 0; seed < 4; seed++) {
        crowd c = make_crowd(&ground, seed);
        tal_collider *old;
        tal_manifolds of_old, of_new;
        check_ok(tal_collider_create(&old, &c.w->shapes, &ground, c.w->shape_of_body, BODIES,
                                     &check_error));
        int64_t points = 0;
        for (int query = 0; query < QUERIES; query++) {
            tal_collider *new;
            change(&c, query);
            const double shallow = query % 7 == 6 ? 1e-3 : 0.0;
            const tal_collide_input input = input_of(&c, shallow, seed == 3 ? 2 : 1);
            check_ok(tal_collider_create(&new, &c.w->shapes, &ground, c.w->shape_of_body, BODIES,
                                         &check_error));
            check_ok(tal_collide(old, &input, &of_old, &check_error));
            check_ok(tal_collide(new, &input, &of_new, &check_error));
            assert_same(&of_old, &of_new);
            points += of_old.point_count;
            tal_collider_destroy(new);
        }
        assert_true(points > QUERIES * BODIES);
        tal_collider_destroy(old);
        world_destroy(c.w);
    }
    tal_terrain_destroy(&ground);
}

// A caller that takes answers, writes to its list once it has asked again, lays lists aside, and gives back what it
// has at hand. `list` and `aside` exchange their room as those of a step with bodies that deform do.
typedef struct {
    tal_manifolds list, aside, as_taken; // the last by `witness`, which nobody takes from
    tal_collider *witness;
    bool is_untouched; // the list, since it was taken
} taker;

static void write_to(const tal_manifolds *list) {
    if (list->point_capacity > 0) {
        memset(list->point, 0xff, (size_t)list->point_capacity * sizeof *list->point);
        memset(list->manifold, 0xff, (size_t)list->manifold_capacity * sizeof *list->manifold);
    }
}

static void take(taker *t, tal_collider *collider, tal_collider *witness,
                 const tal_manifolds *answer) {
    tal_collider_take_answer(collider, &t->list);
    tal_collider_destroy(t->witness);
    t->witness = witness;
    t->as_taken = *answer;
    t->is_untouched = true;
    assert_same(&t->list, answer);
}

// Whatever it does before a query. True if it gave its list back.
static bool give(taker *t, crowd *c, tal_collider *collider) {
    if (draw(c, 0.0, 1.0) < 0.2) {
        const tal_manifolds list = t->list;
        t->list = t->aside;
        t->aside = list;
        t->is_untouched = false;
    }
    if (draw(c, 0.0, 1.0) < 0.4) {
        return false;
    }
    tal_collider_give_back(collider, &t->list);
    t->is_untouched = false;
    return true;
}

static void lists_taken_stay_and_no_answer_depends_on_them(void **state) {
    (void)state;
    tal_terrain ground;
    make_ground(&ground, 12, 4.0, hills);
    for (uint64_t seed = 50; seed < 56; seed++) {
        crowd c = make_crowd(&ground, seed);
        taker t = {0};
        tal_collider *old;
        check_ok(tal_collider_create(&old, &c.w->shapes, &ground, c.w->shape_of_body, BODIES,
                                     &check_error));
        for (int query = 0; query < QUERIES; query++) {
            tal_collider *new;
            tal_manifolds of_old, of_new;
            change(&c, query);
            check_ok(tal_collider_create(&new, &c.w->shapes, &ground, c.w->shape_of_body, BODIES,
                                         &check_error));
            const bool is_given = give(&t, &c, old);
            const tal_collide_input input =
                input_of(&c, query % 7 == 6 ? 1e-3 : 0.0, draw(&c, 0.0, 1.0) < 0.3 ? 2 : 1);
            check_ok(tal_collide(old, &input, &of_old, &check_error));
            check_ok(tal_collide(new, &input, &of_new, &check_error));
            assert_same(&of_old, &of_new);
            if (!is_given) {
                if (t.is_untouched) {
                    assert_same(&t.list, &t.as_taken);
                }
                write_to(&t.list);
                t.is_untouched = false;
            }
            const bool is_taken = draw(&c, 0.0, 1.0) < 0.7;
            if (is_taken) {
                take(&t, old, new, &of_new);
            }
            if (draw(&c, 0.0, 1.0) < 0.5) {
                tal_collider_pause(old);
                assert_same(is_taken ? &t.list : &of_old, &of_new);
            }
            if (!is_taken) {
                tal_collider_destroy(new);
            }
        }
        tal_manifolds_destroy(&t.list);
        tal_manifolds_destroy(&t.aside);
        tal_collider_destroy(t.witness);
        tal_collider_destroy(old);
        world_destroy(c.w);
    }
    tal_terrain_destroy(&ground);
}

static double depth_of(const tal_manifolds *all, const tal_manifold *m) {
    double depth = 0.0;
    for (int32_t k = m->first_point; k < m->first_point + m->point_count; k++) {
        depth = fmax(depth, -all->point[k].gap);
    }
    return depth;
}

static double width_of(const world *w, int32_t body) {
    return body < 0 ? INFINITY : w->shapes.smallest_width[w->shape_of_body[body]];
}

// `some` is `all` without manifolds that are not deeper than twice what is asked for; returns how many those are.
static int32_t count_left_out(const world *w, const tal_manifolds *all, const tal_manifolds *some,
                              double shallow) {
    int32_t n = 0;
    for (int32_t m = 0; m < all->manifold_count; m++) {
        const tal_manifold *full = &all->manifold[m], *kept = &some->manifold[n];
        if (n < some->manifold_count && full->body_i == kept->body_i &&
            full->body_j == kept->body_j && full->point_count == kept->point_count &&
            memcmp(&all->point[full->first_point], &some->point[kept->first_point],
                   (size_t)full->point_count * sizeof *all->point) == 0) {
            n++;
            continue;
        }
        const double width = fmin(width_of(w, full->body_i), width_of(w, full->body_j));
        assert_true(depth_of(all, full) <= 2.0 * shallow * width);
    }
    assert_int_equal(n, some->manifold_count);
    return all->manifold_count - n;
}

static void only_what_is_shallow_is_left_out(void **state) {
    (void)state;
    static const double shallow = 1e-2;
    tal_terrain ground;
    int32_t left_out = 0, kept = 0;
    make_ground(&ground, 12, 4.0, hills);
    for (uint64_t seed = 10; seed < 40; seed++) {
        crowd c = make_crowd(&ground, seed);
        tal_collider *collider[2];
        tal_manifolds all, some;
        for (int k = 0; k < 2; k++) {
            check_ok(tal_collider_create(&collider[k], &c.w->shapes, &ground, c.w->shape_of_body,
                                         BODIES, &check_error));
        }
        memset(c.w->reach, 0, sizeof c.w->reach);
        tal_collide_input input = input_of(&c, shallow, 1);
        check_ok(tal_collide(collider[0], &input, &some, &check_error));
        input.shallow = 0.0;
        check_ok(tal_collide(collider[1], &input, &all, &check_error));
        left_out += count_left_out(c.w, &all, &some, shallow);
        kept += some.manifold_count;
        tal_collider_destroy(collider[0]);
        tal_collider_destroy(collider[1]);
        world_destroy(c.w);
    }
    assert_true(left_out > 100 && kept > 1000);
    tal_terrain_destroy(&ground);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_depend_on_the_query_alone),
        cmocka_unit_test(lists_taken_stay_and_no_answer_depends_on_them),
        cmocka_unit_test(only_what_is_shallow_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

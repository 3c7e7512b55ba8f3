// SPDX-License-Identifier: GPL-3.0-or-later
// A flat made of 10,000 triangles is a flat: bodies slide over it as over two triangles, stop at
// the same place, and never hop at the edges between them.
#include "core/base/random.h"
#include "tests/solver/scenes/world.h"

enum { COLUMNS = 100, ROWS = 50 };

static const double CELL = 0.37, SPEED = 8.0, MU = 0.4, G = 9.81;

typedef enum { BOX, SPHERE, PLATE } body_kind;

// Places in the plane through the origin that falls towards +x by `angle`.
static tal_vec3 place(double angle, double along, double across, double above) {
    return tal_vec3_make(along * cos(angle) + above * sin(angle), across,
                         -along * sin(angle) + above * cos(angle));
}

// Corners of the cells are moved at random within the plane, diagonals run either way.
static void set_many_triangles(test_scene *s, double angle) {
    const tal_random random = tal_random_stream(5, 0, "tests/flat");
    s->vertex_count = (COLUMNS + 1) * (ROWS + 1);
    s->triangle_count = 2 * COLUMNS * ROWS;
    s->vertex = realloc(s->vertex, (size_t)s->vertex_count * sizeof *s->vertex);
    s->triangle = realloc(s->triangle, 3 * (size_t)s->triangle_count * sizeof *s->triangle);
    free(s->triangle_class);
    s->triangle_class = calloc((size_t)s->triangle_count, sizeof *s->triangle_class);
    assert_true(s->vertex != NULL && s->triangle != NULL && s->triangle_class != NULL);
    for (int32_t v = 0; v < s->vertex_count; v++) {
        const uint64_t draw = 2 * (uint64_t)v;
        const double x = v % (COLUMNS + 1) + 0.6 * (tal_random_uniform(random, draw) - 0.5);
        const double y = v / (COLUMNS + 1) + 0.6 * (tal_random_uniform(random, draw + 1) - 0.5);
        s->vertex[v] = place(angle, CELL * (x - 20.0), CELL * (y - 0.5 * ROWS), 0.0);
    }
    int32_t *corner = s->triangle;
    for (int32_t j = 0; j < ROWS; j++) {
        for (int32_t i = 0; i < COLUMNS; i++) {
            const int32_t a = j * (COLUMNS + 1) + i, b = a + 1, c = b + COLUMNS + 1, d = c - 1;
            const bool other = tal_random_uniform(random, 100000 + (uint64_t)a) < 0.5;
            const int32_t split[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
            memcpy(corner, split[other], sizeof split[other]);
            corner += 6;
        }
    }
}

static void add_body(test_scene *s, body_kind kind, double angle) {
    const tal_quat tilt = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
    const tal_quat heading = {cos(0.2), 0.0, 0.0, sin(0.2)}; // corners cross edges one by one
    const tal_quat pose = tal_quat_multiply(tilt, heading);
    if (kind == BOX) {
        test_scene_add_box(s, 1.0, 0.8, 0.5, place(angle, 0.0, 0.1, 0.25), pose, 2700.0);
    } else if (kind == PLATE) { // smaller than a triangle and thin: it would catch on any lip
        test_scene_add_box(s, 0.2, 0.16, 0.02, place(angle, 0.0, 0.1, 0.01), pose, 2700.0);
    } else {
        test_scene_add_ball(s, 0.15, place(angle, 0.0, 0.1, 0.15), 2700.0);
    }
    s->velocity[0] = tal_vec3_scale(place(angle, 1.0, 0.0, 0.0), SPEED);
}

typedef struct {
    double along, across, hop, turn; // hop: highest rise of the centre above where it started
} slide;

static slide slide_over(bool many, body_kind kind, double angle, tal_law law) {
    world w;
    world_init(&w, 0.005, law);
    const tal_vec3 normal = place(angle, 0.0, 0.0, 1.0);
    if (many) {
        set_many_triangles(&w.scene, angle);
    } else {
        test_scene_set_plane(&w.scene, (tal_vec3){0}, normal, 100.0);
    }
    add_body(&w.scene, kind, angle);
    world_start(&w);
    slide s = {0};
    for (int n = 0; n < 800; n++) {
        world_step(&w);
        const tal_vec3 way =
            tal_vec3_subtract(tal_state_positions(w.state)[0], w.scene.position[0]);
        s.hop = fmax(s.hop, fabs(tal_vec3_dot(normal, way)));
        s.along = tal_vec3_dot(place(angle, 1.0, 0.0, 0.0), way);
        s.across = way.y;
        if (kind == SPHERE && s.along > 15.0) {
            break; // it rolls on
        }
    }
    const tal_quat turn = tal_quat_multiply(tal_quat_conjugate(w.scene.orientation[0]),
                                            tal_state_orientations(w.state)[0]);
    s.turn = 2.0 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    world_end(&w);
    return s;
}

static void check_flat(body_kind kind, double angle, tal_law law) {
    static const char *const name[] = {"box", "ball", "plate"};
    const slide one = slide_over(false, kind, angle, law),
                many = slide_over(true, kind, angle, law);
    print_message("%s at %.2f rad: %.6f m over two triangles, %.6f m over 10,000, sideways %.1e m, "
                  "hop %.1e m\n",
                  name[kind], angle, one.along, many.along, many.across - one.across, many.hop);
    check_near(many.along, one.along, 1e-4 * one.along); // asked: 0.5 %
    check_near(many.across, one.across, 1e-4 * one.along);
    assert_true(many.hop < 1e-6);
    if (kind != SPHERE) {
        const double brake = G * (MU * cos(angle) - sin(angle));
        check_near(many.along, SPEED * SPEED / (2.0 * brake), 1e-3 * many.along);
        check_near(many.turn, one.turn, 1e-4);
    }
}

static void bodies_slide_over_many_triangles_as_over_one_plane(void **unused) {
    (void)unused;
    for (int kind = BOX; kind <= PLATE; kind++) {
        for (int k = 0; k < 4; k++) {
            check_flat((body_kind)kind, k % 2 ? 0.13 : 0.0,
                       k < 2 ? law_coulomb(MU, 0.0) : law_mixed(MU, 0.5, 0.5));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_slide_over_many_triangles_as_over_one_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

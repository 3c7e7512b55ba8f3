// SPDX-License-Identifier: GPL-3.0-or-later
// The gabion wall. Test code: it stops at the first failed allocation.
#include "tests/solver/scenes/gabion.h"
#include "tests/solver/scenes/settings.h"

#include "core/base/random.h"

#include <math.h>
#include <stdlib.h>

enum { LATTICE = 6, SLABS_MAX = 16, SLAB_CORNERS = 8 };

static const double STEP_S = 1e-3;
static const double PACKING_S = 0.5;    // the cage closes in this time
static const double SLAB_WIDTH_M = 6.0; // half-spaces are slabs that reach far beyond the wall
static const double SLAB_THICKNESS_M = 1.0;

// Corners by sign bits (x: 1, y: 2, z: 4), then the two apexes; loops counter-clockwise from outside.
static const int32_t GRAIN_LOOP[40] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 2, 3, 1, 4, 5, 7, 6, // four sides
                                       0, 1, 8, 1, 5, 8, 5, 4, 8, 4, 0, 8,             // y < 0
                                       2, 6, 9, 6, 7, 9, 7, 3, 9, 3, 2, 9};
static const int32_t GRAIN_LOOP_SIZE[12] = {4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3};
static const int32_t SLAB_LOOP[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                      2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const int32_t SLAB_LOOP_SIZE[6] = {4, 4, 4, 4, 4, 4};

static void set_box_corners(tal_vec3 *corner, double x, double y, double z) {
    for (int k = 0; k < 8; k++) {
        corner[k] = tal_vec3_make((k & 1 ? 0.5 : -0.5) * x, (k & 2 ? 0.5 : -0.5) * y,
                                  (k & 4 ? 0.5 : -0.5) * z);
    }
}

static void set_corners(const gabion_grain *g, tal_vec3 corner[GABION_CORNERS]) {
    set_box_corners(corner, g->a, g->b, g->c);
    corner[8] = tal_vec3_make(0.0, -0.5 * (g->b + g->d), 0.0);
    corner[9] = tal_vec3_make(0.0, 0.5 * (g->b + g->d), 0.0);
}

static double volume_of(const gabion_grain *g) {
    return g->a * g->b * g->c + g->a * g->c * g->d / 3.0;
}

// Mean squares of prism and pyramids; a pyramid of height h above y0 = b/2 has <x^2> = a^2/20 and
// <y^2> = y0^2 + y0 h/2 + h^2/10.
static tal_vec3 inertia_of(const gabion_grain *g) {
    const double prism = g->a * g->b * g->c, tips = g->a * g->c * g->d / 3.0;
    const double foot = 0.5 * g->b, high = 0.5 * g->d;
    const double xx = g->a * g->a * (prism / 12.0 + tips / 20.0);
    const double zz = g->c * g->c * (prism / 12.0 + tips / 20.0);
    const double yy =
        prism * g->b * g->b / 12.0 + tips * (foot * foot + 0.5 * foot * high + high * high / 10.0);
    return tal_vec3_scale(tal_vec3_make(yy + zz, xx + zz, xx + yy), GABION_GRAIN_DENSITY);
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

#define ROOM(array, count) ((array) = room((size_t)(count), sizeof *(array)))

static void create_grains(gabion_wall *w, int columns, int rows) {
    *w = (gabion_wall){.columns = columns, .rows = rows};
    w->grain_count = columns * rows * GABION_GRAINS;
    ROOM(w->grain, w->grain_count);
    ROOM(w->mass, w->grain_count);
    ROOM(w->inertia, w->grain_count);
    ROOM(w->position, w->grain_count);
    ROOM(w->velocity, w->grain_count);
    ROOM(w->spin, w->grain_count);
    ROOM(w->orientation, w->grain_count);
}

void gabion_wall_destroy(gabion_wall *w) {
    void *const array[] = {w->grain,    w->mass, w->inertia,    w->position,
                           w->velocity, w->spin, w->orientation};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        free(array[k]);
    }
    *w = (gabion_wall){0};
}

// Bodies of a model under construction: grains, perhaps the ball, slabs.
typedef struct {
    int32_t body_count, slab_count;
    tal_shape_input *shape;
    tal_vec3 (*grain_corner)[GABION_CORNERS];
    tal_vec3 slab_corner[SLABS_MAX][SLAB_CORNERS];
    int32_t *body_shape, *body_class;
    uint8_t *fixed;
    double *mass;
    tal_vec3 *inertia, *position, *velocity, *spin;
    tal_quat *orientation;
} bodies;

static void create_bodies(bodies *s, int32_t grain_count) {
    const int32_t most = grain_count + 1 + SLABS_MAX;
    *s = (bodies){0};
    ROOM(s->shape, most);
    ROOM(s->grain_corner, grain_count);
    ROOM(s->body_shape, most);
    ROOM(s->body_class, most);
    ROOM(s->fixed, most);
    ROOM(s->mass, most);
    ROOM(s->inertia, most);
    ROOM(s->position, most);
    ROOM(s->velocity, most);
    ROOM(s->spin, most);
    ROOM(s->orientation, most);
}

static void destroy_bodies(bodies *s) {
    void *const array[] = {s->shape,    s->grain_corner, s->body_shape, s->body_class,
                           s->fixed,    s->mass,         s->inertia,    s->position,
                           s->velocity, s->spin,         s->orientation};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        free(array[k]);
    }
}

static int32_t add_body(bodies *s, int32_t surface_class, double mass, tal_vec3 inertia,
                        tal_vec3 position) {
    const int32_t b = s->body_count++;
    s->body_shape[b] = b;
    s->body_class[b] = surface_class;
    s->mass[b] = mass;
    s->inertia[b] = inertia;
    s->position[b] = position;
    s->orientation[b] = (tal_quat){1.0, 0.0, 0.0, 0.0};
    return b;
}

static void add_grain(bodies *s, const gabion_wall *w, int32_t g, int32_t surface_class) {
    const int32_t b = add_body(s, surface_class, w->mass[g], w->inertia[g], w->position[g]);
    set_corners(&w->grain[g], s->grain_corner[b]);
    s->shape[b] = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                    .vertex_count = GABION_CORNERS,
                                    .vertex = s->grain_corner[b],
                                    .face_count = 12,
                                    .loop_size = GRAIN_LOOP_SIZE,
                                    .loop_vertex = GRAIN_LOOP};
    s->orientation[b] = w->orientation[g];
    s->velocity[b] = w->velocity[g];
    s->spin[b] = w->spin[g];
}

// The half-space beyond the plane through `at`: `axis` 0, 1, 2, on the side of `sign`.
static int32_t add_slab(bodies *s, int32_t surface_class, double at, int axis, double sign) {
    double centre[3] = {0.0, 0.0, 0.0}, edge[3] = {SLAB_WIDTH_M, SLAB_WIDTH_M, SLAB_WIDTH_M};
    centre[axis] = at + 0.5 * sign * SLAB_THICKNESS_M;
    edge[axis] = SLAB_THICKNESS_M;
    tal_vec3 *corner = s->slab_corner[s->slab_count++];
    set_box_corners(corner, edge[0], edge[1], edge[2]);
    const int32_t b = add_body(s, surface_class, 1.0, tal_vec3_make(1.0, 1.0, 1.0),
                               tal_vec3_make(centre[0], centre[1], centre[2]));
    s->shape[b] = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                    .vertex_count = SLAB_CORNERS,
                                    .vertex = corner,
                                    .face_count = 6,
                                    .loop_size = SLAB_LOOP_SIZE,
                                    .loop_vertex = SLAB_LOOP};
    s->fixed[b] = 1;
    return b;
}

static tal_model_input input_of(const bodies *s) {
    tal_model_input input = {.shape_count = s->body_count,
                             .shape = s->shape,
                             .body_count = s->body_count,
                             .body_shape = s->body_shape,
                             .body_class = s->body_class,
                             .body_fixed = s->fixed,
                             .mass_kg = s->mass,
                             .inertia_kg_m2 = s->inertia,
                             .position_m = s->position,
                             .orientation = s->orientation,
                             .velocity_mps = s->velocity,
                             .spin_radps = s->spin,
                             .settings = test_settings()};
    input.settings.dt_s = STEP_S;
    input.settings.rest_steps = 0; // every grain is solved in every step, as in the thesis
    return input;
}

// Uniform over all rotations, from three uniform numbers (Shoemake 1992).
static tal_quat random_turn(tal_random random, uint64_t draw) {
    const double pi = acos(-1.0), u = tal_random_uniform(random, draw);
    const double p = 2.0 * pi * tal_random_uniform(random, draw + 1);
    const double q = 2.0 * pi * tal_random_uniform(random, draw + 2);
    return tal_quat_normalize((tal_quat){sqrt(u) * cos(q), sqrt(1.0 - u) * sin(p),
                                         sqrt(1.0 - u) * cos(p), sqrt(u) * sin(q)});
}

static double around(tal_random random, uint64_t draw, double mean) {
    return mean * (1.0 + 0.23 * (2.0 * tal_random_uniform(random, draw) - 1.0));
}

// Lattice on which grains of any size and turn leave each other free.
static double lattice_spacing(void) {
    const double a = 1.23 * 0.078, b = 1.23 * (0.053 + 0.038), c = 1.23 * 0.065;
    return fmax(sqrt(a * a + 1.23 * 1.23 * 0.053 * 0.053 + c * c), b) + 1e-3;
}

static void lay_out_gabion(gabion_wall *w, int32_t gabion) {
    const tal_random random = tal_random_stream(2016, (uint32_t)gabion, "tests/gabion");
    const double spacing = lattice_spacing();
    for (int32_t n = 0; n < GABION_GRAINS; n++) {
        const int32_t g = GABION_GRAINS * gabion + n;
        const uint64_t draw = 8 * (uint64_t)n;
        w->grain[g] =
            (gabion_grain){around(random, draw, 0.078), around(random, draw + 1, 0.053),
                           around(random, draw + 2, 0.065), around(random, draw + 3, 0.038)};
        w->mass[g] = GABION_GRAIN_DENSITY * volume_of(&w->grain[g]);
        w->inertia[g] = inertia_of(&w->grain[g]);
        const double middle = 0.5 * (LATTICE - 1);
        w->position[g] = tal_vec3_make(spacing * (n % LATTICE - middle),
                                       spacing * (n / LATTICE % LATTICE - middle),
                                       spacing * (n / (LATTICE * LATTICE) - middle));
        w->orientation[g] = random_turn(random, draw + 4);
    }
}

static void take(gabion_wall *w, int32_t first, int32_t count, const tal_state *state) {
    for (int32_t n = 0; n < count; n++) {
        w->position[first + n] = tal_state_positions(state)[n];
        w->orientation[first + n] = tal_state_orientations(state)[n];
        w->velocity[first + n] = tal_state_velocities(state)[n];
        w->spin[first + n] = tal_state_spins(state)[n];
    }
}

void gabion_wall_take(gabion_wall *w, const tal_state *state) {
    take(w, 0, w->grain_count, state);
}

static tal_status run(const tal_model *model, tal_state *state, long steps, tal_report *report,
                      tal_error *err) {
    for (long n = 0; n < steps; n++) {
        TAL_TRY(tal_step(model, state, report, err));
    }
    return TAL_OK;
}

// Six slabs close around the grains without gravity or friction, ever slower, up to the cage.
static tal_status pack_gabion(gabion_wall *w, int32_t gabion, tal_error *err) {
    const double wide = LATTICE * lattice_spacing(), time[2] = {0.0, PACKING_S};
    const double speed = (wide - GABION_EDGE_M) / PACKING_S;
    const tal_law slippery = {.kind = TAL_LAW_COULOMB};
    tal_vec3 velocity[6][2] = {{{0}}};
    tal_motion_series series[6];
    bodies s;
    create_bodies(&s, GABION_GRAINS);
    for (int32_t n = 0; n < GABION_GRAINS; n++) {
        add_grain(&s, w, GABION_GRAINS * gabion + n, 0);
    }
    for (int k = 0; k < 6; k++) {
        const double sign = k % 2 == 0 ? 1.0 : -1.0;
        const int32_t b = add_slab(&s, 0, 0.5 * sign * wide, k / 2, sign);
        const double inwards = -sign * speed;
        s.fixed[b] = 0;
        velocity[k][0] = tal_vec3_make(k / 2 == 0 ? inwards : 0.0, k / 2 == 1 ? inwards : 0.0,
                                       k / 2 == 2 ? inwards : 0.0);
        series[k] =
            (tal_motion_series){.body = b, .count = 2, .time_s = time, .velocity_mps = velocity[k]};
    }
    tal_model_input input = input_of(&s);
    input.class_count = 1;
    input.law = &slippery;
    input.prescribed_count = 6;
    input.prescribed = series;
    input.settings.gravity_mps2 = (tal_vec3){0};
    tal_model *model = NULL;
    tal_state *state = NULL;
    tal_report report = {0};
    tal_status status = tal_model_create(&model, &input, err);
    if (status == TAL_OK) {
        status = tal_state_create(&state, model, 1, err);
    }
    if (status == TAL_OK) {
        status = run(model, state, lround(PACKING_S / STEP_S), &report, err);
    }
    if (status == TAL_OK) {
        take(w, GABION_GRAINS * gabion, GABION_GRAINS, state);
        w->pack_depth_m = fmax(w->pack_depth_m, report.penetration_m);
    }
    tal_state_destroy(state);
    tal_model_destroy(model);
    destroy_bodies(&s);
    return status;
}

// From its own middle to its place in the wall, and at rest.
static void place_gabion(gabion_wall *w, int32_t gabion) {
    const tal_vec3 middle = {(gabion % w->columns + 0.5) * GABION_EDGE_M, 0.5 * GABION_EDGE_M,
                             (gabion / w->columns + 0.5) * GABION_EDGE_M};
    for (int32_t g = GABION_GRAINS * gabion; g < GABION_GRAINS * (gabion + 1); g++) {
        w->position[g] = tal_vec3_add(w->position[g], middle);
        w->velocity[g] = w->spin[g] = (tal_vec3){0};
    }
}

tal_status gabion_wall_create(gabion_wall *w, int columns, int rows, tal_error *err) {
    create_grains(w, columns, rows);
    for (int32_t gabion = 0; gabion < columns * rows; gabion++) {
        lay_out_gabion(w, gabion);
        TAL_TRY(pack_gabion(w, gabion, err));
        place_gabion(w, gabion);
    }
    return TAL_OK;
}

double gabion_wall_fill(const gabion_wall *w) {
    double rock = 0.0;
    for (int32_t g = 0; g < w->grain_count; g++) {
        rock += volume_of(&w->grain[g]);
    }
    return rock / (w->columns * w->rows * pow(GABION_EDGE_M, 3.0));
}

// Surface classes: one per gabion, then the ball and the slabs.
enum {
    GABIONS_MAX = 9,
    BALL = GABIONS_MAX,
    RIGID,
    NET_OUTSIDE,
    NET_COLUMN,
    NET_ROW = NET_COLUMN + 3,
    SAND = NET_ROW + 3,
    CLASSES
};

static void set_law(tal_law *table, int i, int j, tal_law law) {
    table[CLASSES * i + j] = table[CLASSES * j + i] = law;
}

// All pass each other, but: grains meet grains, the ball and the rigid sides; each is held by the
// nets of its own gabion, and by the sand.
static void set_laws(const gabion_wall *w, tal_law law, tal_law *table) {
    const tal_law pass = {.kind = TAL_LAW_PASS};
    const tal_law net = {.kind = TAL_LAW_PENALTY, .stiffness_n_m = GABION_NET_N_M};
    const tal_law sand = {.kind = TAL_LAW_PENALTY, .stiffness_n_m = GABION_SAND_N_M};
    for (int k = 0; k < CLASSES * CLASSES; k++) {
        table[k] = pass;
    }
    for (int g = 0; g < w->columns * w->rows; g++) {
        for (int other = 0; other <= g; other++) {
            set_law(table, g, other, law);
        }
        set_law(table, g, BALL, law);
        set_law(table, g, RIGID, law);
        set_law(table, g, NET_OUTSIDE, net);
        set_law(table, g, NET_COLUMN + g % w->columns, net);
        set_law(table, g, NET_ROW + g / w->columns, net);
        set_law(table, g, SAND, sand);
    }
}

// The nets between neighbours along an axis: each keeps its own gabions on their side.
static void add_nets_between(bodies *s, int count, int first_class, int axis) {
    for (int k = 1; k < count; k++) {
        add_slab(s, first_class + k - 1, k * GABION_EDGE_M, axis, 1.0);
        add_slab(s, first_class + k, k * GABION_EDGE_M, axis, -1.0);
    }
}

static void add_slabs(bodies *s, const gabion_wall *w) {
    add_slab(s, RIGID, 0.0, 0, -1.0);
    add_slab(s, RIGID, w->columns * GABION_EDGE_M, 0, 1.0);
    add_slab(s, RIGID, 0.0, 2, -1.0);
    add_slab(s, NET_OUTSIDE, w->rows * GABION_EDGE_M, 2, 1.0);
    add_slab(s, NET_OUTSIDE, 0.0, 1, -1.0);
    add_slab(s, SAND, GABION_EDGE_M, 1, 1.0);
    add_nets_between(s, w->columns, NET_COLUMN, 0);
    add_nets_between(s, w->rows, NET_ROW, 2);
}

static int32_t add_ball(bodies *s, const gabion_wall *w, double speed) {
    const double r = GABION_BALL_RADIUS_M, i = 0.4 * GABION_BALL_KG * r * r;
    const tal_vec3 at = {0.5 * w->columns * GABION_EDGE_M, -r - speed * STEP_S,
                         0.5 * w->rows * GABION_EDGE_M}; // it arrives with the first step
    const int32_t b = add_body(s, BALL, GABION_BALL_KG, tal_vec3_make(i, i, i), at);
    s->shape[b] = (tal_shape_input){.kind = TAL_SHAPE_SPHERE, .radius = r};
    s->velocity[b] = tal_vec3_make(0.0, speed, 0.0);
    return b;
}

tal_status gabion_wall_model(const gabion_wall *w, tal_law law, double ball_speed,
                             tal_model **model, tal_error *err) {
    tal_law table[CLASSES * CLASSES];
    bodies s;
    create_bodies(&s, w->grain_count);
    for (int32_t g = 0; g < w->grain_count; g++) {
        add_grain(&s, w, g, g / GABION_GRAINS);
    }
    const int32_t ball = ball_speed > 0.0 ? add_ball(&s, w, ball_speed) : -1;
    add_slabs(&s, w);
    set_laws(w, law, table);
    tal_model_input input = input_of(&s);
    input.class_count = CLASSES;
    input.law = table;
    input.settings.tolerance = 1e-4; // ten times better than the programs ask for
    input.settings.iteration_max = 10000;
    input.settings.overlap_max = 1.0; // springs may be deflected at the start
    const tal_point_force slings = {
        .body = ball,
        .force_n = tal_vec3_scale(input.settings.gravity_mps2, -GABION_BALL_KG),
        .end_s = INFINITY};
    input.force_count = ball >= 0;
    input.force = &slings;
    const tal_status status = tal_model_create(model, &input, err);
    destroy_bodies(&s);
    return status;
}

gabion_outside gabion_wall_outside(const gabion_wall *w, const tal_state *state, int32_t b) {
    const int32_t gabion = b / GABION_GRAINS;
    const double left = gabion % w->columns * GABION_EDGE_M;
    const double low = gabion / w->columns * GABION_EDGE_M;
    gabion_outside out = {-INFINITY, -INFINITY, -INFINITY};
    tal_vec3 corner[GABION_CORNERS];
    set_corners(&w->grain[b], corner);
    for (int k = 0; k < GABION_CORNERS; k++) {
        const tal_vec3 at =
            tal_vec3_add(tal_state_positions(state)[b],
                         tal_quat_rotate(tal_state_orientations(state)[b], corner[k]));
        const double x = fmax(left - at.x, at.x - left - GABION_EDGE_M);
        const double z = fmax(low - at.z, at.z - low - GABION_EDGE_M);
        out.front = fmax(out.front, -at.y);
        out.back = fmax(out.back, at.y - GABION_EDGE_M);
        out.aside = fmax(out.aside, fmax(x, z));
    }
    return out;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing falls through: blocks of many shapes thrown at the bed of Piton Marcel, and at a bed of
// spikes, from all sides at up to 150 m/s are watched at every step by a height lookup of the same
// triangles. With the argument `all` ten times as many.
#include "tests/solver/scenes/settings.h"
#include "tests/support/check.h"

#include "core/base/random.h"
#include "datasets/site_ground.h"
#include "mesher/terrain/terrain_mesh.h"
#include "solver/detect/terrain.h"
#include "solver/include/talus_solver.h"
#include "tests/solver/scenes/solids.h"

enum { SCENE_BLOCKS = 100 };

static const double SPEED_MAX = 150.0, DENSITY = 2700.0, MARGIN = 300.0;

static int32_t random_block_count = 1000;

static tal_terrain_mesh mesh;
static tal_terrain ground; // the judge's copy
static tal_vec3 *ground_vertex;
static int32_t *ground_class;

// ---- The bed: what the demo meshes, without its files -----------------------------------

static tal_raster sample_bed(double cell, double noise) {
    const tal_random random = tal_random_stream(2010, 0, "tests/thrown/bed");
    tal_site_ground *surface;
    tal_raster bed;
    check_ok(tal_site_ground_create(&surface, TAL_SITE_PITON_MARCEL, &check_error));
    const tal_site_frame frame = tal_site_ground_frame(surface);
    const tal_grid grid = {0.0, frame.height, cell, (int32_t)(frame.width / cell),
                           (int32_t)(frame.height / cell)};
    check_ok(tal_raster_create(&bed, &grid, &check_error));
    for (int32_t row = 0; row < grid.rows; row++) {
        for (int32_t column = 0; column < grid.columns; column++) {
            double x, y;
            tal_grid_centre(&grid, column, row, &x, &y);
            const size_t k = (size_t)row * (size_t)grid.columns + (size_t)column;
            const double height = fmin(tal_site_ground_elevation(surface, TAL_BEFORE, x, y),
                                       tal_site_ground_elevation(surface, TAL_AFTER, x, y));
            bed.value[k] = (float)(height + noise * (2.0 * tal_random_uniform(random, k) - 1.0));
        }
    }
    tal_site_ground_destroy(surface);
    return bed;
}

static void make_ground(double cell, double noise, bool full) {
    const double origin[3] = {0.0, 0.0, 0.0};
    const tal_terrain_options options = {
        .error_m = 1.0, .full_resolution = full, .margin_m = MARGIN};
    tal_raster bed = sample_bed(cell, noise);
    check_ok(tal_terrain_mesh_create(&mesh, &bed, &options, origin, &check_error));
    tal_raster_destroy(&bed);
    ground_vertex = calloc((size_t)mesh.node_count, sizeof *ground_vertex);
    ground_class = calloc((size_t)mesh.face_count, sizeof *ground_class);
    assert_true(ground_vertex != NULL && ground_class != NULL);
    for (int32_t v = 0; v < mesh.node_count; v++) {
        ground_vertex[v] = tal_vec3_make(mesh.x[v], mesh.y[v], mesh.z[v]);
    }
    check_ok(tal_terrain_create(&ground, ground_vertex, mesh.node_count, mesh.face_node,
                                mesh.face_count, ground_class, &check_error));
    print_message("bed of %d triangles\n", mesh.face_count);
}

static int make_demo_bed(void **unused) {
    (void)unused;
    make_ground(2.0, 0.0, false);
    return 0;
}

// Every cell of 5 m up or down by 3 m: slopes of 50 degrees to all sides.
static int make_spiky_bed(void **unused) {
    (void)unused;
    make_ground(5.0, 3.0, true);
    return 0;
}

static int drop_ground(void **unused) {
    (void)unused;
    tal_terrain_destroy(&ground);
    tal_terrain_mesh_destroy(&mesh);
    free(ground_vertex);
    free(ground_class);
    return 0;
}

// ---- Blocks -------------------------------------------------------------------------------

typedef void (*block_maker)(solid *s, const double u[4]);

static void make_beam(solid *s, const double u[4]) {
    (void)u;
    solid_make_box(s, 20.0, 0.2, 0.2);
}

static void make_needle(solid *s, const double u[4]) {
    (void)u;
    solid_make_tetrahedron(s, 0.1, 5.0);
}

// The triangles of the bed are some 8 m wide.
static void make_giant(solid *s, const double u[4]) {
    solid_make_box(s, 80.0, 60.0 + 20.0 * u[1], 70.0);
}

static void make_pebble(solid *s, const double u[4]) {
    solid_make_box(s, 0.8, 0.5 + 0.3 * u[1], 0.6);
}

// ---- Throwing -----------------------------------------------------------------------------

typedef struct {
    int32_t count;
    solid body[SCENE_BLOCKS];
    tal_shape_input shape[SCENE_BLOCKS];
    int32_t number[SCENE_BLOCKS], surface[SCENE_BLOCKS];
    double mass[SCENE_BLOCKS];
    tal_vec3 inertia[SCENE_BLOCKS], position[SCENE_BLOCKS], velocity[SCENE_BLOCKS],
        spin[SCENE_BLOCKS];
    tal_quat pose[SCENE_BLOCKS];
} throw_scene;

typedef struct {
    int32_t thrown, left, worst_scene, worst_block;
    double deepest;        // vertical depth of a centroid below the surface, negative: above
    double corner_deepest; // of a corner, in sizes of its block
    double penetration;    // reported
} throw_result;

static const double TIME = 2.0; // s, of each scene

// Clear of the ground within `radius` around `x`, by samples; the model refuses what slips through.
static bool is_clear(tal_vec3 x, double radius) {
    for (int i = -4; i <= 4; i++) {
        for (int j = -4; j <= 4; j++) {
            const double z =
                tal_terrain_height(&ground, x.x + 0.25 * i * radius, x.y + 0.25 * j * radius);
            if (!(x.z - radius > z + 0.3)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_apart(const throw_scene *s, tal_vec3 x, double radius) {
    for (int32_t b = 0; b < s->count; b++) {
        const double between = tal_vec3_length(tal_vec3_subtract(s->position[b], x));
        if (between < radius + s->body[b].size + 0.1) {
            return false;
        }
    }
    return true;
}

static double inside(double low, double high, double share) {
    return low + MARGIN + share * (high - low - 2.0 * MARGIN);
}

// Aims at a random place of the site from a random direction; false if the start is not free.
static bool aim(throw_scene *s, tal_random random, uint64_t draw) {
    const int32_t b = s->count;
    const double radius = s->body[b].size;
    double direction[3], axis[3], turn[3];
    const double x = inside(ground.low.x, ground.high.x, tal_random_uniform(random, draw));
    const double y = inside(ground.low.y, ground.high.y, tal_random_uniform(random, draw + 1));
    tal_random_direction(random, draw + 2, direction);
    const double away = 1.5 * radius + 1.0 + 20.0 * tal_random_uniform(random, draw + 5);
    const tal_vec3 from = {direction[0], direction[1], direction[2]};
    const tal_vec3 target = {x, y, tal_terrain_height(&ground, x, y)};
    s->position[b] = tal_vec3_add_scaled(target, away, from);
    if (!is_clear(s->position[b], radius) || !is_apart(s, s->position[b], radius)) {
        return false;
    }
    const double speed = SPEED_MAX * tal_random_uniform(random, draw + 6);
    s->velocity[b] = tal_vec3_scale(from, -speed);
    tal_random_direction(random, draw + 7, axis);
    const double spin = 20.0 * tal_random_uniform(random, draw + 10) / fmax(1.0, radius);
    s->spin[b] = tal_vec3_scale((tal_vec3){axis[0], axis[1], axis[2]}, spin);
    tal_random_direction(random, draw + 11, turn);
    s->pose[b] = tal_quat_normalize((tal_quat){0.3 + turn[2], turn[0], turn[1], axis[0]});
    return true;
}

static void fill_scene(throw_scene *s, uint32_t run, int32_t count, block_maker make) {
    const tal_random random = tal_random_stream(2010, run, "tests/thrown");
    s->count = 0;
    for (uint64_t n = 0; s->count < count; n++) {
        const uint64_t draw = 64 * n;
        double u[4];
        for (uint64_t k = 0; k < 4; k++) {
            u[k] = tal_random_uniform(random, draw + 40 + k);
        }
        const int32_t b = s->count;
        make(&s->body[b], u);
        if (!aim(s, random, draw)) {
            continue;
        }
        s->mass[b] = DENSITY * s->body[b].volume;
        s->inertia[b] = solid_inertia(&s->body[b], s->mass[b]);
        s->shape[b] = s->body[b].shape;
        s->number[b] = b;
        s->surface[b] = 0;
        s->count++;
    }
}

static void create_model(const throw_scene *s, tal_law law, double dt, tal_model **model) {
    tal_model_input input = {.shape_count = s->count,
                             .shape = s->shape,
                             .terrain_vertex_count = mesh.node_count,
                             .terrain_vertex_m = ground_vertex,
                             .terrain_triangle_count = mesh.face_count,
                             .terrain_triangle = mesh.face_node,
                             .terrain_class = ground_class,
                             .body_count = s->count,
                             .body_shape = s->number,
                             .body_class = s->surface,
                             .mass_kg = s->mass,
                             .inertia_kg_m2 = s->inertia,
                             .position_m = s->position,
                             .orientation = s->pose,
                             .velocity_mps = s->velocity,
                             .spin_radps = s->spin,
                             .class_count = 1,
                             .law = &law,
                             .settings = test_settings()};
    input.settings.dt_s = dt;
    check_ok(tal_model_create(model, &input, &check_error));
}

// Depth of the centroid and of the corners of block b below the surface; NaN when it left the site.
static double depth_of(const throw_scene *s, const tal_state *state, int32_t b, double *corners) {
    const tal_vec3 x = tal_state_positions(state)[b];
    const tal_quat q = tal_state_orientations(state)[b];
    *corners = -INFINITY;
    for (int32_t k = 0; k < s->body[b].shape.vertex_count; k++) {
        const tal_vec3 c = tal_vec3_add(x, tal_quat_rotate(q, s->body[b].corner[k]));
        *corners = fmax(*corners, tal_terrain_height(&ground, c.x, c.y) - c.z);
    }
    return tal_terrain_height(&ground, x.x, x.y) - x.z;
}

static void watch(const throw_scene *s, const tal_state *state, int32_t scene, throw_result *r) {
    for (int32_t b = 0; b < s->count; b++) {
        double corners;
        const double depth = depth_of(s, state, b, &corners);
        r->corner_deepest = fmax(r->corner_deepest, corners / s->body[b].size);
        if (depth > r->deepest) {
            r->deepest = depth;
            r->worst_scene = scene;
            r->worst_block = b;
        }
    }
}

static void count_left(const throw_scene *s, const tal_state *state, throw_result *r) {
    r->thrown += s->count;
    for (int32_t b = 0; b < s->count; b++) {
        const tal_vec3 x = tal_state_positions(state)[b];
        r->left += isnan(tal_terrain_height(&ground, x.x, x.y));
    }
}

static tal_law law_of(int32_t run) {
    static const tal_law_kind kind[3] = {TAL_LAW_ACD2_COULOMB, TAL_LAW_COULOMB, TAL_LAW_ACD2};
    return (tal_law){
        .kind = kind[run % 3], .friction = 0.6, .restitution = 0.3, .tangential_restitution = 0.5};
}

static void throw_scene_of(int32_t run, int32_t count, block_maker make, double dt,
                           throw_result *r) {
    static throw_scene scene;
    tal_model *model;
    tal_state *state;
    tal_report report;
    fill_scene(&scene, (uint32_t)run, count, make);
    create_model(&scene, law_of(run), dt, &model);
    check_ok(tal_state_create(&state, model, 1, &check_error));
    for (int n = 0; n < (int)lround(TIME / dt); n++) {
        check_ok(tal_step(model, state, &report, &check_error));
        r->penetration = fmax(r->penetration, report.penetration_m);
        watch(&scene, state, run, r);
    }
    count_left(&scene, state, r);
    tal_state_destroy(state);
    tal_model_destroy(model);
}

// `count` blocks in scenes of `together`, half of them with the coarse step of the demo.
static void throw_many(const char *what, int32_t count, int32_t together, block_maker make) {
    throw_result r = {.deepest = -INFINITY, .corner_deepest = -INFINITY};
    for (int32_t run = 0; run * together < count; run++) {
        throw_scene_of(run, together, make, run % 2 ? 0.02 : 0.005, &r);
    }
    print_message("%d %s: centroids at least %.3f m above (scene %d, block %d), corners at most "
                  "%.3f sizes below, reported penetration %.3f m, %d left the site\n",
                  r.thrown, what, -r.deepest, r.worst_scene, r.worst_block, r.corner_deepest,
                  r.penetration, r.left);
    assert_true(r.deepest < 0.0);
    assert_true(r.corner_deepest < 0.1);
    assert_true(10 * r.left < r.thrown);
}

static void random_blocks_stay_above_the_bed(void **unused) {
    (void)unused;
    throw_many("random blocks", random_block_count, SCENE_BLOCKS, solid_make_random);
}

static void long_thin_blocks_stay_above_the_bed(void **unused) {
    (void)unused;
    throw_many("beams of 20 x 0.2 x 0.2 m", 40, 10, make_beam);
}

static void needle_sharp_tetrahedra_stay_above_the_bed(void **unused) {
    (void)unused;
    throw_many("needles", 200, 50, make_needle);
}

static void blocks_ten_times_larger_than_a_triangle_stay_above_the_bed(void **unused) {
    (void)unused;
    throw_many("blocks of 80 m", 8, 1, make_giant);
}

static void blocks_ten_times_smaller_than_a_triangle_stay_above_the_bed(void **unused) {
    (void)unused;
    throw_many("blocks of 0.8 m", 200, 50, make_pebble);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_blocks_stay_above_the_bed),
        cmocka_unit_test(long_thin_blocks_stay_above_the_bed),
        cmocka_unit_test(needle_sharp_tetrahedra_stay_above_the_bed),
        cmocka_unit_test(blocks_ten_times_larger_than_a_triangle_stay_above_the_bed),
        cmocka_unit_test(blocks_ten_times_smaller_than_a_triangle_stay_above_the_bed),
    };
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        random_block_count *= 10;
    }
    const int on_the_demo = cmocka_run_group_tests(tests, make_demo_bed, drop_ground);
    const int on_spikes = cmocka_run_group_tests(tests, make_spiky_bed, drop_ground);
    return on_the_demo + on_spikes;
}

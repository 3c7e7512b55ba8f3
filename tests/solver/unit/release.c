// SPDX-License-Identifier: GPL-3.0-or-later
// Starts, stems, barriers and falls of single rocks, on made-up ground.
#include "core/base/settings.h"
#include "solver/program/release/fall.h"
#include "tests/support/check.h"

#include "core/base/math3.h"

static const double HALF = 250.0, G = 9.80665;

// A flat or tilted square of ground, and one ball or cube of 1 m3.
typedef struct {
    tal_settings *settings;
    tal_solve_scene scene;
    tal_ground *ground;
    tal_starts starts;
    tal_obstacles obstacles;
    tal_fall fall;
    tal_vec3 vertex[4], corner[8], inertia, position;
    int32_t class, body_shape;
    double mass, volume, radius;
    tal_quat turn;
    tal_shape_input shape;
    tal_law law;
} world;

static const int32_t TRIANGLES[6] = {0, 1, 2, 0, 2, 3}, CLASSES[2] = {0, 0};
static const int32_t LOOPS[6] = {4, 4, 4, 4, 4, 4};
static const int32_t CORNERS[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                    2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};

static void set(world *w, const char *section, const char *key, const char *value) {
    check_ok(tal_settings_set(w->settings, section, key, value, "site.ini:7", &check_error));
}

static void make_shape(world *w, bool is_ball) {
    w->volume = 1.0;
    w->mass = 2000.0;
    w->turn = (tal_quat){1, 0, 0, 0};
    w->radius = is_ball ? cbrt(0.75 / 3.141592653589793) : sqrt(0.75);
    const double i = is_ball ? 0.4 * w->mass * w->radius * w->radius : w->mass / 6.0;
    w->inertia = tal_vec3_make(i, i, i);
    for (int k = 0; k < 8; k++) {
        w->corner[k] = tal_vec3_make((k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.5 : -0.5,
                                     (k & 4) != 0 ? 0.5 : -0.5);
    }
    w->shape = is_ball ? (tal_shape_input){.kind = TAL_SHAPE_SPHERE, .radius = w->radius}
                       : (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                           .vertex_count = 8,
                                           .vertex = w->corner,
                                           .face_count = 6,
                                           .loop_size = LOOPS,
                                           .loop_vertex = CORNERS};
}

static void build(world *w, double slope, bool is_ball) {
    w->settings = calloc(1, sizeof *w->settings);
    tal_settings_init(w->settings);
    make_shape(w, is_ball);
    for (int k = 0; k < 4; k++) {
        const double x = k == 1 || k == 2 ? HALF : -HALF, y = k >= 2 ? HALF : -HALF;
        w->vertex[k] = tal_vec3_make(x, y, -slope * x);
    }
    w->law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = 0.5};
    w->scene.input = (tal_model_input){.shape_count = 1,
                                       .shape = &w->shape,
                                       .terrain_vertex_count = 4,
                                       .terrain_vertex_m = w->vertex,
                                       .terrain_triangle_count = 2,
                                       .terrain_triangle = TRIANGLES,
                                       .terrain_class = CLASSES,
                                       .body_count = 1,
                                       .body_shape = &w->body_shape,
                                       .body_class = &w->class,
                                       .mass_kg = &w->mass,
                                       .inertia_kg_m2 = &w->inertia,
                                       .position_m = &w->position,
                                       .orientation = &w->turn,
                                       .class_count = 1,
                                       .law = &w->law,
                                       .settings = tal_solver_settings_default()};
    w->scene.bounding_radius_m = &w->radius;
    w->scene.volume_m3 = &w->volume;
    for (int k = 0; k < 2; k++) {
        w->scene.low_m[k] = -HALF;
        w->scene.high_m[k] = HALF;
    }
    check_ok(tal_crs_create(&w->scene.crs, "local", "here", &check_error));
    check_ok(tal_ground_create(&w->ground, &w->scene.input, &check_error));
    set(w, "release", "rocks", "1");
    set(w, "release", "orientation", "given");
}

static void finish(world *w) {
    check_ok(tal_starts_create(&w->starts, w->settings, &w->scene, w->ground, &check_error));
    check_ok(tal_obstacles_create(&w->obstacles, w->settings, &w->scene, w->ground, &check_error));
    w->fall = (tal_fall){w->settings, &w->scene, w->ground, &w->starts, &w->obstacles, 1};
}

static void destroy(world *w) {
    tal_obstacles_destroy(&w->obstacles);
    tal_starts_destroy(&w->starts);
    tal_ground_destroy(w->ground);
    tal_crs_destroy(w->scene.crs);
    free(w->settings);
}

// --- groups of rocks ---

// Means of independent rocks in groups of g scatter by the deviation of one over the root of g: the sum of squares over the
// groups, in units of that, is chi-square. Its quantiles after Wilson and Hilferty; a thousandth lies beyond each.
static void check_scatter(const double *value, int count, int group, bool may_be_less) {
    const int groups = count / group;
    double mean = 0, variance = 0, between = 0;
    for (int k = 0; k < count; k++) {
        mean += value[k] / count;
    }
    for (int g = 0; g < groups; g++) {
        double sum = 0;
        for (int k = g * group; k < (g + 1) * group; k++) {
            sum += value[k] - mean;
            variance += (value[k] - mean) * (value[k] - mean) / (count - 1);
        }
        between += sum * sum / group;
    }
    const double freedom = groups - 1, share = 2 / (9 * freedom);
    const double deviations = (cbrt(between / variance / freedom) - 1 + share) / sqrt(share);
    if (deviations > 3.09 || (deviations < -3.09 && !may_be_less)) {
        fail_msg("groups of %d scatter %.2f times as much as chance has it", group,
                 sqrt(between / variance / freedom));
    }
}

// --- starts ---

static void starts_fill_a_polygon_evenly(void **state) {
    (void)state;
    enum { ROCKS = 4000 };
    world w = {0};
    tal_fallen_rock rock;
    int west = 0;
    double sum = 0;
    build(&w, 0.0, true);
    set(&w, "release", "from_m", "0 0 30 0 0 30"); // centroid at 10, 10
    set(&w, "release", "from_is", "polygon");
    finish(&w);
    check_ok(tal_fallen_rock_create(&rock, tal_starts_vertices_max(&w.starts), &check_error));
    for (int k = 0; k < ROCKS; k++) {
        check_ok(tal_starts_draw(&w.starts, k, &rock.start, &check_error));
        const tal_vec3 x = rock.start.position;
        assert_true(x.x >= 0 && x.y >= 0 && x.x + x.y <= 30);
        west += x.x < 10;
        sum += x.y;
    }
    // Five ninths of the triangle lie west of x = 10; deviations of share and mean, four times.
    check_near((double)west / ROCKS, 5.0 / 9.0, 4 * sqrt(20.0 / 81.0 / ROCKS));
    check_near(sum / ROCKS, 10.0, 4 * 30 / sqrt(18.0) / sqrt((double)ROCKS));
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

static void points_get_equal_numbers_and_lines_an_even_spread(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    build(&w, 0.0, true);
    set(&w, "release", "from_m", "0 0 30 0 0 30");
    finish(&w);
    check_ok(tal_fallen_rock_create(&rock, 8, &check_error));
    for (int round = 0; round < 3; round++) {
        tal_vec3 sum = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            check_ok(tal_starts_draw(&w.starts, 3 * round + k, &rock.start, &check_error));
            sum = tal_vec3_add(sum, rock.start.position);
            check_near(rock.start.position.z, w.radius, 1e-12);
        }
        check_near(sum.x, 30, 0); // each point once
        check_near(sum.y, 30, 0);
    }
    tal_starts_destroy(&w.starts);
    set(&w, "release", "from_is", "line");
    check_ok(tal_starts_create(&w.starts, w.settings, &w.scene, w.ground, &check_error));
    int first_leg = 0;
    for (int k = 0; k < 2000; k++) {
        check_ok(tal_starts_draw(&w.starts, k, &rock.start, &check_error));
        first_leg += rock.start.position.y == 0.0;
    }
    const double share = 1.0 / (1.0 + sqrt(2.0)); // of 30 m and 30 sqrt(2) m
    check_near(first_leg / 2000.0, share, 4 * sqrt(share * (1 - share) / 2000));
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

// Fewer rocks than cells come from all over the raster; as many as cells, one from each.
static void cells_are_taken_all_over_the_raster(void **state) {
    (void)state;
    enum { EDGE = 40, CELLS = EDGE * EDGE, FEW = 100 };
    world w = {0};
    tal_fallen_rock rock;
    int taken[CELLS] = {0};
    double north[CELLS];
    tal_vec3 sum = {0.0, 0.0, 0.0};
    FILE *file = fopen("cells.asc", "w");
    assert_non_null(file);
    fprintf(file,
            "ncols 40\nnrows 40\nxllcorner -20\nyllcorner -20\ncellsize 1\nNODATA_value -1\n");
    for (int k = 0; k < CELLS; k++) {
        fprintf(file, "1%c", k % EDGE == EDGE - 1 ? '\n' : ' ');
    }
    assert_int_equal(fclose(file), 0);
    build(&w, 0.0, true);
    set(&w, "release", "from", "cells.asc");
    finish(&w);
    check_ok(tal_fallen_rock_create(&rock, 8, &check_error));
    for (int k = 0; k < CELLS; k++) {
        check_ok(tal_starts_draw(&w.starts, k, &rock.start, &check_error));
        const tal_vec3 x = rock.start.position;
        sum = k < FEW ? tal_vec3_add(sum, x) : sum;
        north[k] = x.y;
        taken[(int)(x.y + 20) * EDGE + (int)(x.x + 20)]++;
    }
    // No cell comes twice before all came once, so groups differ less than by chance.
    check_scatter(north, CELLS, 8, true);
    check_scatter(north, CELLS, 40, true);
    for (int k = 0; k < CELLS; k++) {
        assert_int_equal(taken[k], 1);
    }
    check_near(sum.x / FEW, 0.0, 4 * EDGE / sqrt(12.0 * FEW));
    check_near(sum.y / FEW, 0.0, 4 * EDGE / sqrt(12.0 * FEW));
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

static void sizes_scale_mass_and_inertia(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    build(&w, 0.0, false);
    set(&w, "release", "from_m", "0 0");
    set(&w, "release", "size_m", "2");
    set(&w, "release", "height_m", "3");
    set(&w, "release", "speed_mps", "4");
    set(&w, "release", "direction_deg", "90");
    finish(&w);
    check_ok(tal_fallen_rock_create(&rock, 8, &check_error));
    check_ok(tal_starts_draw(&w.starts, 0, &rock.start, &check_error));
    check_near(rock.start.mass, 8 * 2000.0, 1e-9);
    check_near(rock.start.inertia.x, 8 * 2000.0 * 4 / 6, 1e-9);
    check_near(rock.start.size, 2, 1e-12);
    check_near(rock.start.position.z, 1 + 3, 1e-12);
    check_near(rock.start.velocity.x, 4, 1e-12);
    check_near(rock.start.velocity.y, 0, 1e-12);
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

static void a_rock_on_a_slope_starts_free_of_it_and_heads_down(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    build(&w, 1.0, false);
    set(&w, "release", "from_m", "-100 0");
    set(&w, "release", "speed_mps", "2");
    finish(&w);
    check_ok(tal_fallen_rock_create(&rock, 8, &check_error));
    check_ok(tal_starts_draw(&w.starts, 0, &rock.start, &check_error));
    // The corner uphill at -0.5 of a cube at 45 degrees: half its edge above the ground twice.
    check_near(rock.start.position.z, 100 + 1.0, 1e-9);
    check_near(rock.start.velocity.x, 2, 1e-9);
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

static void starts_off_the_ground_are_named_together(void **state) {
    (void)state;
    world w = {0};
    build(&w, 0.0, true);
    set(&w, "release", "from_m", "0 0 300 0 0 -999");
    check_fails(tal_starts_create(&w.starts, w.settings, &w.scene, w.ground, &check_error),
                TAL_BAD_INPUT, "site.ini:7: [release] point 2 at 300.00 0.00 lies outside");
    assert_non_null(strstr(check_error.text, "point 3 at 0.00 -999.00"));
    assert_null(strstr(check_error.text, "point 1"));
    destroy(&w);
}

// The ground is 2 HALF wide.
static void a_rock_as_large_as_the_ground_is_refused(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    char size[32];
    build(&w, 0.0, true);
    set(&w, "release", "from_m", "0 0");
    snprintf(size, sizeof size, "%g", 2.0 * HALF);
    set(&w, "release", "size_m", size);
    finish(&w);
    check_ok(tal_fallen_rock_create(&rock, tal_starts_vertices_max(&w.starts), &check_error));
    check_fails(tal_starts_draw(&w.starts, 0, &rock.start, &check_error), TAL_BAD_INPUT,
                "does not fit on a terrain of");
    tal_starts_destroy(&w.starts);
    tal_obstacles_destroy(&w.obstacles);
    snprintf(size, sizeof size, "%g", HALF);
    set(&w, "release", "size_m", size);
    finish(&w);
    check_ok(tal_starts_draw(&w.starts, 0, &rock.start, &check_error));
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

// --- stems ---

static bool never(const void *context, int32_t stem) {
    (void)context, (void)stem;
    return false;
}

// In a forest of N stems per m2 a disc of diameter d meets N (d + DBH) stems per metre.
static void stems_are_met_as_often_as_their_density_says(void **state) {
    (void)state;
    world w = {0};
    build(&w, 0.0, true);
    set(&w, "release", "from_m", "0 0");
    set(&w, "forest", "stems_per_ha", "400");
    set(&w, "forest", "diameter_cm", "40");
    finish(&w);
    const tal_stems *stems = &w.obstacles.stems;
    check_near(stems->count / (4 * HALF * HALF) * 1e4, 400,
               4 * sqrt(400 / (4 * HALF * HALF) * 1e4));
    const tal_random random = tal_random_stream(3, 0, "test/way");
    double way = 0;
    int hits = 0;
    for (uint64_t k = 0; k < 4000; k++) {
        const double x = 400 * (tal_random_uniform(random, 3 * k) - 0.5);
        const double y = 400 * (tal_random_uniform(random, 3 * k + 1) - 0.5);
        const double angle = 6.283185307179586 * tal_random_uniform(random, 3 * k + 2);
        const double a[2] = {x, y}, b[2] = {x + 40 * cos(angle), y + 40 * sin(angle)};
        double at;
        const bool hit = tal_stems_first_touch(stems, a, b, 0.5, never, NULL, &at) >= 0;
        hits += hit;
        way += 40 * at;
    }
    const double rate = 400e-4 * (1.0 + 0.4);
    check_near(hits / way, rate, 5 * rate / sqrt((double)hits));
    destroy(&w);
}

// Kilojoules of a public rule, for silver fir of 30, 40 and 60 cm: 100, 194, 496.
static void a_stem_takes_what_its_diameter_says(void **state) {
    (void)state;
    check_near(tal_stem_energy(30, 1) / 1000, 100, 0.5);
    check_near(tal_stem_energy(40, 1) / 1000, 194, 0.5);
    check_near(tal_stem_energy(60, 1) / 1000, 496, 0.5);
    check_near(tal_stem_energy(30, 2.2) / tal_stem_energy(30, 1), 2.2, 1e-12);
}

// --- falls ---

static void fall(world *w, tal_fallen_rock *rock) {
    finish(w);
    check_ok(tal_fallen_rock_create(rock, 8, &check_error));
    check_ok(tal_fall_run(&w->fall, 0, 1, rock, &check_error));
}

static const tal_fall_sample *last_of(const tal_fallen_rock *rock) {
    return &rock->sample[rock->summary.sample_count - 1];
}

// A ball thrown level from 20 m at 10 m/s meets a barrier 10 m on after one second.
static void throw_at_barrier(world *w, const char *height_m, const char *capacity_kj) {
    build(w, 0.0, true);
    set(w, "release", "from_m", "0 0");
    set(w, "release", "height_m", "20");
    set(w, "release", "speed_mps", "10");
    set(w, "release", "direction_deg", "90");
    set(w, "barrier.net", "line_m", "10 -5 10 5");
    set(w, "barrier.net", "height_m", height_m);
    set(w, "barrier.net", "capacity_kj", capacity_kj);
}

static void check_throw(const world *w, const tal_rock_meeting *m) {
    const double energy = 0.5 * w->mass * (100 + G * G);
    check_near((double)m->position[0], 10, 1e-5);
    check_near((double)m->height, 20 + w->radius - 0.5 * G, 0.06); // within a step of 10 mm of time
    check_near((double)m->energy / energy, 1, 0.02);
    check_near((double)m->time, 1, 0.011);
}

static void a_barrier_holds_what_it_can_take(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    throw_at_barrier(&w, "30", "500");
    fall(&w, &rock);
    assert_int_equal(rock.summary.end, TAL_ROCK_STOPPED);
    assert_int_equal(rock.summary.barrier, 0);
    assert_int_equal(rock.summary.meeting_count, 1);
    assert_int_equal(rock.meeting[0].outcome, TAL_MEETING_HELD);
    check_throw(&w, &rock.meeting[0]);
    check_near((double)last_of(&rock)->position[0], 10, 1e-5);
    assert_true(last_of(&rock)->velocity[0] == 0.0F);
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

static void a_rock_passes_above_a_low_barrier(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    throw_at_barrier(&w, "10", "500");
    fall(&w, &rock);
    assert_int_equal(rock.summary.meeting_count, 1);
    assert_int_equal(rock.meeting[0].outcome, TAL_MEETING_OVER);
    assert_true(rock.meeting[0].taken == 0.0F);
    check_throw(&w, &rock.meeting[0]);
    assert_int_not_equal(rock.summary.end, TAL_ROCK_STOPPED);
    assert_true(last_of(&rock)->position[0] > 20.0F);
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

static void a_rock_that_breaks_through_loses_the_capacity(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    throw_at_barrier(&w, "30", "100");
    fall(&w, &rock);
    assert_int_equal(rock.meeting[0].outcome, TAL_MEETING_BROKEN);
    check_near((double)rock.meeting[0].taken, 100e3, 1e-2);
    const double left = (double)rock.meeting[0].energy - 100e3;
    for (int32_t k = 0; k < rock.summary.sample_count; k++) {
        const tal_fall_sample *s = &rock.sample[k];
        if (s->time == rock.meeting[0].time && s->velocity[0] < 9.99F) {
            const double v = (double)s->velocity[0], u = (double)s->velocity[2];
            check_near(0.5 * w.mass * (v * v + u * u), left, 1e-3 * left);
            tal_fallen_rock_destroy(&rock);
            destroy(&w);
            return;
        }
    }
    fail_msg("the moment after the barrier is not kept");
}

// One stem in the way of a ball that flies at 10 m/s, `aside` of its middle.
static tal_rock_meeting fly_at_stem(double aside, double diameter_cm, double *vx, double *vy) {
    world w = {0};
    tal_fallen_rock rock;
    char path[512], line[64];
    snprintf(path, sizeof path, "%s/stems.txt", check_scratch());
    snprintf(line, sizeof line, "10.5 %g %g\n", aside, diameter_cm);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(line, stream);
    fclose(stream);
    build(&w, 0.0, true);
    set(&w, "release", "from_m", "0 0");
    set(&w, "release", "height_m", "30");
    set(&w, "release", "speed_mps", "10");
    set(&w, "release", "direction_deg", "90");
    set(&w, "forest", "stems", path);
    set(&w, "solve", "until_s", "1.5");
    fall(&w, &rock);
    assert_int_equal(rock.summary.stem_count, 1);
    const tal_rock_meeting m = rock.meeting[0];
    *vx = (double)last_of(&rock)->velocity[0];
    *vy = (double)last_of(&rock)->velocity[1];
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
    return m;
}

static void a_thin_stem_breaks_and_takes_its_energy(void **state) {
    (void)state;
    double vx, vy;
    const tal_rock_meeting m = fly_at_stem(0, 20, &vx, &vy);
    const double taken = 38.7 * pow(20, 2.31); // 39 of the 100 kJ
    assert_int_equal(m.outcome, TAL_MEETING_BROKEN);
    check_near((double)m.taken, taken, 1e-3 * taken);
    check_near(vx, sqrt(100 - 2 * taken / 2000), 1e-4);
    check_near(vy, 0, 1e-9);
    check_near((double)m.position[0], 10.5 - 0.5 - 0.1, 1e-3);
}

static void a_thick_stem_stands_and_turns_a_rock_aside(void **state) {
    (void)state;
    double vx, vy;
    fly_at_stem(0, 60, &vx, &vy);
    check_near(vx, 0, 1e-9);
    // Aside by half the reach: the normal is 30 degrees off, what goes along the stem stays.
    const tal_rock_meeting m = fly_at_stem(-0.4, 60, &vx, &vy);
    assert_int_equal(m.outcome, TAL_MEETING_HELD);
    check_near((double)m.taken, 0.5 * 2000 * 100 * 0.75, 2);
    check_near(vx, 10 * 0.25, 1e-3);
    check_near(vy, 10 * 0.5 * sqrt(0.75), 1e-3);
}

// In flight the moments kept give back the parabola; after it the rock comes to rest.
static void moments_that_are_kept_tell_the_whole_flight(void **state) {
    (void)state;
    world w = {0};
    tal_fallen_rock rock;
    build(&w, 0.0, false);
    set(&w, "release", "from_m", "0 0");
    set(&w, "release", "height_m", "10");
    fall(&w, &rock);
    assert_int_equal(rock.summary.end, TAL_ROCK_RESTS);
    const double landing = sqrt(2 * 10 / G);
    int in_flight = 0;
    for (int32_t k = 0; k < rock.summary.sample_count; k++) {
        const tal_fall_sample *s = &rock.sample[k];
        const double t = (double)s->time;
        if (t < landing - 0.02) {
            in_flight++;
            check_near((double)s->position[2], 10.5 - 0.5 * G * t * t, 1e-4);
        }
    }
    assert_in_range(in_flight, 10, 20); // every 0.1 s for 1.43 s
    check_near((double)last_of(&rock)->position[2], 0.5, 0.01);
    check_near(rock.summary.duration, landing, 0.2);
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

// Cubes that start anyhow, anywhere in a triangle.
static void build_triangle(world *w, const char *corners) {
    build(w, 0.0, false);
    set(w, "release", "from_m", corners);
    set(w, "release", "from_is", "polygon");
    set(w, "release", "orientation", "random");
}

// What is drawn for a rock says nothing about the next ones.
static void starts_in_a_row_are_independent(void **state) {
    (void)state;
    enum { ROCKS = 10000, COLUMNS = 7 };
    static double column[COLUMNS][ROCKS];
    world w = {0};
    tal_fallen_rock rock;
    build_triangle(&w, "0 0 30 0 0 30");
    set(&w, "release", "size_m", "lognormal 1 0.3");
    set(&w, "release", "height_m", "exponential 1");
    set(&w, "release", "speed_mps", "uniform 0 2");
    set(&w, "release", "direction_deg", "uniform 0 360");
    set(&w, "release", "spin_radps", "normal 5 1");
    finish(&w);
    check_ok(tal_fallen_rock_create(&rock, 8, &check_error));
    for (int k = 0; k < ROCKS; k++) {
        check_ok(tal_starts_draw(&w.starts, k, &rock.start, &check_error));
        const tal_rock_start *s = &rock.start;
        const double drawn[COLUMNS] = {s->position.x, s->position.y, s->position.z,   s->size,
                                       s->velocity.x, s->spin.z,     s->orientation.y};
        for (int c = 0; c < COLUMNS; c++) {
            column[c][k] = drawn[c];
        }
    }
    for (int c = 0; c < COLUMNS; c++) {
        check_scatter(column[c], ROCKS, 2, false);
        check_scatter(column[c], ROCKS, 25, false);
        check_scatter(column[c], ROCKS, 400, false);
    }
    tal_fallen_rock_destroy(&rock);
    destroy(&w);
}

// So does where they come to rest: n rocks tell it with an error that falls as one over the root of n.
static void stops_of_rocks_in_a_row_are_independent(void **state) {
    (void)state;
    enum { ROCKS = 3000 };
    static double x[ROCKS], y[ROCKS], is_far[ROCKS];
    world w = {0};
    tal_fallen_rock rock;
    build_triangle(&w, "0 0 3 0 0 3");
    set(&w, "release", "speed_mps", "uniform 2 6");
    set(&w, "release", "direction_deg", "90");
    set(&w, "solve", "dt_s", "0.02");
    set(&w, "solve", "until_s", "4");
    finish(&w);
    for (int k = 0; k < ROCKS; k++) {
        check_ok(tal_fallen_rock_create(&rock, 8, &check_error));
        check_ok(tal_fall_run(&w.fall, k, 1, &rock, &check_error));
        x[k] = (double)last_of(&rock)->position[0];
        y[k] = (double)last_of(&rock)->position[1];
        is_far[k] = x[k] > 3.0;
        tal_fallen_rock_destroy(&rock);
    }
    for (int group = 5; group <= 125; group *= 5) {
        check_scatter(x, ROCKS, group, false);
        check_scatter(y, ROCKS, group, false);
        check_scatter(is_far, ROCKS, group, false);
    }
    destroy(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_fill_a_polygon_evenly),
        cmocka_unit_test(points_get_equal_numbers_and_lines_an_even_spread),
        cmocka_unit_test(cells_are_taken_all_over_the_raster),
        cmocka_unit_test(starts_in_a_row_are_independent),
        cmocka_unit_test(stops_of_rocks_in_a_row_are_independent),
        cmocka_unit_test(sizes_scale_mass_and_inertia),
        cmocka_unit_test(a_rock_on_a_slope_starts_free_of_it_and_heads_down),
        cmocka_unit_test(starts_off_the_ground_are_named_together),
        cmocka_unit_test(a_rock_as_large_as_the_ground_is_refused),
        cmocka_unit_test(stems_are_met_as_often_as_their_density_says),
        cmocka_unit_test(a_stem_takes_what_its_diameter_says),
        cmocka_unit_test(a_barrier_holds_what_it_can_take),
        cmocka_unit_test(a_rock_passes_above_a_low_barrier),
        cmocka_unit_test(a_rock_that_breaks_through_loses_the_capacity),
        cmocka_unit_test(a_thin_stem_breaks_and_takes_its_energy),
        cmocka_unit_test(a_thick_stem_stands_and_turns_a_rock_aside),
        cmocka_unit_test(moments_that_are_kept_tell_the_whole_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Deposit and passage maps of one box whose way is known, and of a sphere.
#include "core/base/memory.h"
#include "postproc/measure/deposit.h"
#include "postproc/measure/passage.h"
#include "postproc/measure/sphere.h"
#include "postproc/measure/trust.h"
#include "tests/support/check.h"

static const double PI = 3.14159265358979323846;

enum { FRAMES = 11, COLUMNS = 40, ROWS = 10 };
static const tal_grid GRID = {0.0, 10.0, 1.0, COLUMNS, ROWS};

// A cube of two metres, 20,000 kg, that glides east at 3 m/s for a second and 10 m/s thereafter.
typedef struct {
    int32_t vertex_start[2], face_start[2], corner_start[7], corner[24], left[1];
    double vertex[24], volume[1], mass[1], inertia[3], time[FRAMES], penetration[4];
    float position[3 * FRAMES], orientation[4 * FRAMES], velocity[3 * FRAMES], spin[3 * FRAMES];
    float bed[COLUMNS * ROWS];
    tal_blocks rocks;
    tal_run_record motion;
} scene;

static void scene_reset(scene *s) {
    static const int32_t LOOP[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                     2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    memset(s, 0, sizeof *s);
    s->vertex_start[1] = 8;
    s->face_start[1] = 6;
    memcpy(s->corner, LOOP, sizeof LOOP);
    for (int f = 0; f <= 6; f++) {
        s->corner_start[f] = 4 * f;
    }
    for (int v = 0; v < 8; v++) {
        for (int i = 0; i < 3; i++) {
            s->vertex[3 * v + i] = v >> i & 1 ? 1.0 : -1.0;
        }
    }
    s->volume[0] = 8.0;
    s->mass[0] = 20000.0;
    for (int i = 0; i < 3; i++) {
        s->inertia[i] = 20000.0 / 12.0 * 8.0;
    }
    for (int f = 0; f < FRAMES; f++) {
        s->time[f] = 0.4 * f;
        s->position[3 * f] = (float)(f < 5 ? 3.0 + 1.2 * f : 7.8 + 4.0 * (f - 4));
        s->position[3 * f + 1] = 5.0f;
        s->position[3 * f + 2] = f == 7 ? 4.0f : 1.0f; // one jump of three metres
        s->orientation[4 * f] = 1.0f;
        s->velocity[3 * f] = f < 5 ? 3.0f : f < FRAMES - 1 ? 10.0f : 0.0f;
        s->spin[3 * f + 1] = f == 3 ? 2.0f : 0.0f;
    }
    s->rocks = (tal_blocks){.count = 1,
                            .vertex_start = s->vertex_start,
                            .face_start = s->face_start,
                            .corner_start = s->corner_start,
                            .corner = s->corner,
                            .vertex = s->vertex,
                            .volume = s->volume,
                            .mass = s->mass,
                            .inertia = s->inertia,
                            .vertex_count_max = 8,
                            .smallest_size = 2.0};
    s->motion = (tal_run_record){.frame_count = FRAMES,
                                 .block_count = 1,
                                 .time = s->time,
                                 .position = s->position,
                                 .orientation = s->orientation,
                                 .velocity = s->velocity,
                                 .spin = s->spin,
                                 .left = s->left,
                                 .step_count = 4,
                                 .penetration = s->penetration,
                                 .ended_because = "still"};
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        s->bed[i] = 500.0f;
    }
}

static void box_at_rest_lies_where_it_stopped(void **state) {
    (void)state;
    static scene s;
    tal_deposit d;
    scene_reset(&s);
    // It stops at x = 31.8: from 30.8 to 32.8, and covers rows 4 and 5; heights count from 500.
    check_ok(tal_deposit_create(&d, &s.rocks, &s.motion, &GRID, s.bed, 500.0, 1, &check_error));
    check_near(d.solid_volume, 8.0, 1e-9);
    check_near((double)d.solid.value[4 * COLUMNS + 30], 0.2 * 2.0, 1e-5);
    check_near((double)d.solid.value[4 * COLUMNS + 31], 2.0, 1e-5);
    check_near((double)d.solid.value[5 * COLUMNS + 32], 0.8 * 2.0, 1e-5);
    check_near((double)d.thickness.value[4 * COLUMNS + 31], 2.0, 1e-5);
    check_near((double)d.thickness.value[4 * COLUMNS + 32], 2.0, 1e-5); // the centre is covered
    check_near((double)d.thickness.value[4 * COLUMNS + 30], 0.0, 0.0);  // it is not
    check_near((double)d.surface.value[4 * COLUMNS + 31], 502.0, 1e-4);
    check_near((double)d.count.value[5 * COLUMNS + 31], 1.0, 0.0); // row 5 begins at y = 5
    assert_int_equal(d.resting_count, 1);
    tal_deposit_destroy(&d);
    // Ten looks per side see the fifth of the cell that is covered.
    check_ok(tal_deposit_create(&d, &s.rocks, &s.motion, &GRID, s.bed, 500.0, 10, &check_error));
    check_near((double)d.thickness.value[4 * COLUMNS + 30], 0.4, 1e-5);
    tal_deposit_destroy(&d);
}

static void block_over_the_rim_leaves_no_deposit(void **state) {
    (void)state;
    static scene s;
    tal_deposit d;
    scene_reset(&s);
    s.left[0] = 1;
    check_ok(tal_deposit_create(&d, &s.rocks, &s.motion, &GRID, s.bed, 500.0, 3, &check_error));
    check_near(d.solid_volume, 0.0, 0.0);
    check_near(d.lost_volume, 8.0, 0.0);
    assert_int_equal(d.resting_count, 0);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        check_near((double)d.thickness.value[i], 0.0, 0.0);
    }
    tal_deposit_destroy(&d);
}

static void passage_maps_hold_speed_energy_height_and_time(void **state) {
    (void)state;
    static scene s;
    tal_passage p;
    scene_reset(&s);
    check_ok(tal_passage_create(&p, &s.rocks, &s.motion, &GRID, s.bed, 500.0, &check_error));
    // No gaps between frames four metres apart: every cell from x = 2 to 32 is passed once.
    for (int column = 2; column < 32; column++) {
        check_near((double)p.count.value[4 * COLUMNS + column], 1.0, 0.0);
        check_near((double)p.count.value[5 * COLUMNS + column], 1.0, 0.0);
    }
    check_near((double)p.count.value[4 * COLUMNS + 34], 0.0, 0.0);
    check_near((double)p.count.value[2 * COLUMNS + 10], 0.0, 0.0);
    assert_true(isnan(p.velocity.value[4 * COLUMNS + 34]));
    check_near((double)p.velocity.value[4 * COLUMNS + 20], 10.0, 1e-5);
    check_near((double)p.velocity.value[4 * COLUMNS + 2], 3.0, 1e-5);
    check_near((double)p.energy_translation.value[4 * COLUMNS + 20], 0.5 * 20.0 * 100.0, 1e-2);
    // At frame 3 (x = 6.6) it turns at 2 rad/s: half of 13,333 kg m2 times 4.
    check_near((double)p.energy_rotation.value[4 * COLUMNS + 6], 26.6667, 1e-3);
    check_near((double)p.energy.value[4 * COLUMNS + 6], 26.6667 + 0.5 * 20.0 * 9.0, 1e-2);
    // The front reaches the centre of column 20 (20.5) when the centroid is at 19.5: 11.7 m after
    // frame 4, at 10 m/s, found to half a cell.
    check_near((double)p.arrival.value[4 * COLUMNS + 20], 1.6 + 1.17, 0.06);
    check_near((double)p.arrival.value[4 * COLUMNS + 3], 0.0, 0.0);
    check_near((double)p.jump.value[5 * COLUMNS + 19], 3.0, 1e-5); // frame 7: x = 19.8
    check_near((double)p.jump.value[5 * COLUMNS + 5], 0.0, 1e-5);
    tal_passage_destroy(&p);
}

static void rotation_energy_is_taken_in_body_axes(void **state) {
    (void)state;
    static scene s;
    double translation, rotation;
    scene_reset(&s);
    // A third of a turn about the diagonal takes body x to y, y to z, z to x: a spin about the
    // world's x axis is one about the body's z axis.
    const float third[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    memcpy(s.orientation, third, sizeof third);
    s.inertia[0] = 1.0;
    s.inertia[1] = 2.0;
    s.inertia[2] = 3.0;
    s.spin[0] = 2.0f;
    tal_blocks_energy(&s.rocks, &s.motion, 0, 0, &translation, &rotation);
    check_near(rotation, 0.5 * 3.0 * 4.0, 1e-6);
    check_near(translation, 0.5 * 20000.0 * 9.0, 1e-6);
}

static void sphere_becomes_a_ball_of_the_same_volume(void **state) {
    (void)state;
    static scene s;
    scene_reset(&s);
    tal_blocks rocks = {.count = 1};
    rocks.vertex_start = tal_memory_create(2, sizeof(int32_t)); // what replaces them destroys them
    rocks.face_start = tal_memory_create(2, sizeof(int32_t));
    rocks.corner_start = tal_memory_create(1, sizeof(int32_t));
    const double radius[1] = {1.5};
    tal_vec3 vertex[300];
    check_ok(tal_blocks_replace_spheres(&rocks, radius, &check_error));
    const double origin[3] = {0, 0, 0}, upright[4] = {1, 0, 0, 0};
    assert_in_range(rocks.vertex_count_max, 50, 290);
    const tal_surface ball = tal_blocks_pose(&rocks, 0, origin, upright, vertex);
    check_near(tal_surface_volume(&ball), 4.0 / 3.0 * PI * 3.375, 1e-9);
    check_near(tal_block_top(&ball, 0.0, 0.0), 1.5, 0.03);
    check_near(tal_block_top(&ball, 0.9, 0.0), 1.2, 0.03);
    for (int f = 0; f < ball.face_count; f++) { // convex: no vertex beyond any face
        const int32_t *loop = &ball.corner[ball.corner_start[f]];
        const tal_vec3 a = vertex[loop[0]];
        const tal_vec3 n = tal_vec3_cross(tal_vec3_subtract(vertex[loop[1]], a),
                                          tal_vec3_subtract(vertex[loop[2]], a));
        for (int k = 0; k < ball.vertex_count; k++) {
            assert_true(tal_vec3_dot(n, tal_vec3_subtract(vertex[k], a)) < 1e-9);
        }
    }
    tal_blocks_destroy(&rocks);
}

static const tal_travel FAR = {.median = 90.0, .low = 50.0, .high = 200.0, .moved_share = 1.0};
static const tal_sources NO_SOURCES = {0};

static void trust_falls_with_what_the_solver_reports(void **state) {
    (void)state;
    static scene s;
    tal_trust trust;
    scene_reset(&s);
    tal_trust_judge(&trust, &s.rocks, &s.motion, &FAR, &NO_SOURCES);
    assert_int_equal(trust.level, TAL_TRUST_GOOD);
    s.motion.unconverged_steps = 1; // one of four
    tal_trust_judge(&trust, &s.rocks, &s.motion, &FAR, &NO_SOURCES);
    assert_int_equal(trust.check[3].level, TAL_TRUST_BAD);
    assert_non_null(strstr(trust.check[3].text, "1 of 4 steps"));
    scene_reset(&s);
    s.motion.finished_steps = 1; // solved, but not by sweeps
    tal_trust_judge(&trust, &s.rocks, &s.motion, &FAR, &NO_SOURCES);
    assert_int_equal(trust.check[3].level, TAL_TRUST_DOUBTFUL);
    assert_non_null(strstr(trust.check[3].text, "finisher"));
    scene_reset(&s);
    s.penetration[2] = 0.05; // 2.5 % of two metres
    tal_trust_judge(&trust, &s.rocks, &s.motion, &FAR, &NO_SOURCES);
    assert_int_equal(trust.level, TAL_TRUST_DOUBTFUL);
    s.penetration[2] = NAN; // fmax drops it: a NaN elsewhere must not pass as good
    s.motion.energy_drift = NAN;
    tal_trust_judge(&trust, &s.rocks, &s.motion, &FAR, &NO_SOURCES);
    assert_int_equal(trust.level, TAL_TRUST_BAD);
    scene_reset(&s);
    s.left[0] = 1;
    s.motion.blocks_lost = 1;
    tal_trust_judge(&trust, &s.rocks, &s.motion, &FAR, &NO_SOURCES);
    assert_int_equal(trust.level, TAL_TRUST_BAD);
    assert_non_null(strstr(trust.check[2].text, "1 of 1 blocks"));
    scene_reset(&s);
    strcpy(s.motion.ended_because, "interrupted");
    tal_trust_judge(&trust, &s.rocks, &s.motion, &FAR, &NO_SOURCES);
    assert_int_equal(trust.level, TAL_TRUST_BAD);
}

static void rock_that_did_not_move_is_told_with_the_friction_that_would_let_it(void **state) {
    (void)state;
    static scene s;
    tal_trust trust;
    const tal_travel none = {.median = 0.29, .low = 0.01, .high = 2.0, .moved_share = 0.0};
    tal_sources sources = {.count = 2, .source = {{.base_tangent = 0.2}, {.base_tangent = 0.25}}};
    scene_reset(&s);
    s.motion.ground_friction[0] = s.motion.ground_friction[1] = 0.6;
    s.motion.onset_moves_at = s.motion.onset_holds_at = NAN;
    tal_trust_judge(&trust, &s.rocks, &s.motion, &none, &sources);
    assert_int_equal(trust.level, TAL_TRUST_BAD);
    // atan 0.6 is 31 degrees, atan 0.25 is 14.
    assert_non_null(strstr(trust.check[0].text, "The rock did not move"));
    assert_non_null(strstr(trust.check[0].text, "0.29 m,"));
    assert_non_null(strstr(trust.check[0].text, "is 0.6, an angle of 31"));
    assert_non_null(strstr(trust.check[0].text, "slopes at 14"));
    assert_null(strstr(trust.check[0].text, "would let it go")); // nothing was tried
    s.motion.onset_moves_at = 0.14;
    s.motion.onset_holds_at = 0.17;
    tal_trust_judge(&trust, &s.rocks, &s.motion, &none, &sources);
    assert_non_null(
        strstr(trust.check[0].text, "A friction of 0.14 would let it go, 0.17 would not"));
    s.motion.onset_is_share = true;
    tal_trust_judge(&trust, &s.rocks, &s.motion, &none, &sources);
    assert_non_null(strstr(trust.check[0].text, "0.14 times what is given would let it go"));
    s.motion.onset_moves_at = NAN;
    tal_trust_judge(&trust, &s.rocks, &s.motion, &none, &sources);
    assert_non_null(strstr(trust.check[0].text, "0.17 times what is given was tried and holds it"));
    // Not a word about friction where it is not known.
    s.motion.ground_friction[1] = s.motion.onset_holds_at = NAN;
    tal_trust_judge(&trust, &s.rocks, &s.motion, &none, &sources);
    assert_null(strstr(trust.check[0].text, "friction"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_at_rest_lies_where_it_stopped),
        cmocka_unit_test(block_over_the_rim_leaves_no_deposit),
        cmocka_unit_test(passage_maps_hold_speed_energy_height_and_time),
        cmocka_unit_test(rotation_energy_is_taken_in_body_axes),
        cmocka_unit_test(sphere_becomes_a_ball_of_the_same_volume),
        cmocka_unit_test(trust_falls_with_what_the_solver_reports),
        cmocka_unit_test(rock_that_did_not_move_is_told_with_the_friction_that_would_let_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

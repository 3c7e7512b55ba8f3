// SPDX-License-Identifier: GPL-3.0-or-later
// Ensembles of blocks over rough ground that brakes: their mean stop does not depend on the time step beyond
// what chance explains, and each part of the law moves it the way it should.
#include "core/base/memory.h"
#include "core/base/random.h"
#include "solver/detect/roughness.h"
#include "tests/solver/scenes/world.h"

enum { ROCK, GROUND, CLASSES, ROCKS = 200 };

typedef struct {
    double mean, error; // of the mean
    double across;      // deviation
} stops;

static tal_law law_of_slope(void) {
    return (tal_law){.kind = TAL_LAW_GROUND,
                     .friction = 0.5,
                     .restitution = 0.2,
                     .rolling_friction = 0.1,
                     .friction_max = 1.5,
                     .scar_growth_per_m = 0.1,
                     .scar_decay_per_s = 20.0,
                     .drag_per_s = 0.1,
                     .plastic_energy_j_m2 = 5e4};
}

// 20 m down at 40 degrees, then level.
static tal_rough_terrain slope(double roughness) {
    const double foot = 20.0, x[3] = {-5.0, foot, 80.0};
    tal_rough_terrain t = {.vertex_count = 6, .triangle_count = 4};
    t.vertex = tal_memory_create(6, sizeof *t.vertex);
    t.triangle = tal_memory_create(12, sizeof *t.triangle);
    t.surface_class = tal_memory_create(4, sizeof *t.surface_class);
    assert_true(t.vertex != NULL && t.triangle != NULL && t.surface_class != NULL);
    for (int k = 0; k < 6; k++) {
        t.vertex[k] = tal_vec3_make(x[k / 2], k % 2 == 0 ? -30.0 : 30.0,
                                    fmax(0.0, foot - x[k / 2]) * tan(0.7));
    }
    const int32_t corner[12] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5};
    memcpy(t.triangle, corner, sizeof corner);
    for (int k = 0; k < 4; k++) {
        t.surface_class[k] = GROUND;
    }
    const tal_roughness of_class[CLASSES] = {{0.0, 0.0}, {roughness, 1.0}};
    check_ok(tal_terrain_roughen(&t, of_class, CLASSES, 3, &check_error));
    return t;
}

static stops measure(const tal_state *state) {
    double sum = 0.0, squares = 0.0, sides = 0.0;
    for (int k = 0; k < ROCKS; k++) {
        const tal_vec3 at = tal_state_positions(state)[k];
        sum += at.x;
        squares += at.x * at.x;
        sides += at.y * at.y;
    }
    const double mean = sum / ROCKS, variance = squares / ROCKS - mean * mean;
    return (stops){mean, sqrt(variance / (ROCKS - 1)), sqrt(sides / ROCKS)};
}

static stops run(tal_law law, double roughness, double dt) {
    const tal_law table[CLASSES * CLASSES] = {{.kind = TAL_LAW_PASS}, law, law, law};
    tal_rough_terrain ground = slope(roughness);
    world w = {0};
    test_scene_init(&w.scene);
    w.scene.settings.dt_s = dt;
    w.scene.class_count = CLASSES;
    w.scene.law_table = table;
    for (int k = 0; k < ROCKS; k++) {
        const tal_random random = tal_random_stream(11, (uint32_t)k, "tests/grounds");
        const tal_quat turn = tal_quat_normalize(
            (tal_quat){tal_random_normal(random, 0), tal_random_normal(random, 1),
                       tal_random_normal(random, 2), tal_random_normal(random, 3)});
        test_scene_add_box(&w.scene, 1.0, 0.9, 0.8, tal_vec3_make(0.0, 0.0, 20.0 * tan(0.7) + 2.0),
                           turn, 2700.0);
    }
    w.scene.vertex_count = ground.vertex_count;
    w.scene.triangle_count = ground.triangle_count;
    w.scene.vertex = ground.vertex;
    w.scene.triangle = ground.triangle;
    w.scene.triangle_class = ground.surface_class;
    world_start(&w);
    world_run(&w, 12.0);
    const stops at = measure(w.state);
    w.scene.vertex = NULL; // the ground's
    w.scene.triangle = w.scene.triangle_class = NULL;
    world_end(&w);
    tal_rough_terrain_destroy(&ground);
    return at;
}

static void steps_do_not_move_the_mean_and_each_part_of_the_law_does(void **unused) {
    (void)unused;
    tal_law plain = law_of_slope();
    plain.rolling_friction = plain.drag_per_s = plain.scar_growth_per_m = 0.0;
    const stops all = run(law_of_slope(), 0.06, 0.01), fine = run(law_of_slope(), 0.06, 0.005),
                none = run(plain, 0.06, 0.01), smooth = run(plain, 0.0, 0.01);
    printf("stops at 10 ms: %.2f +- %.2f m, at 5 ms: %.2f +- %.2f m\n", all.mean, all.error,
           fine.mean, fine.error);
    check_near(all.mean, fine.mean, 3.0 * hypot(all.error, fine.error));
    assert_true(all.mean < none.mean - 3.0 * hypot(all.error, none.error)); // brakes
    assert_true(none.across > 1.5 * smooth.across);                         // scatters
}

// Every law of grounds and avalanches: the mean stop of one ensemble at 10 ms and at 5 ms.
static void no_law_has_a_mean_that_hangs_on_the_step(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        tal_law law;
    } laws[] = {
        {"rolling", {.kind = TAL_LAW_ROLLING, .restitution = 0.2, .rolling_friction = 0.15}},
        {"scar",
         {.kind = TAL_LAW_SCAR,
          .friction_max = 1.5,
          .scar_growth_per_m = 0.2,
          .scar_decay_per_s = 20.0,
          .drag_per_s = 0.2}},
        {"plastic", {.kind = TAL_LAW_PLASTIC, .restitution = 0.4, .plastic_energy_j_m2 = 2e4}},
        {"speed-weakening",
         {.kind = TAL_LAW_SPEED_WEAKENING, .friction_fast = 0.3, .weakening_speed_mps = 4.0}},
        {"turbulence",
         {.kind = TAL_LAW_SPEED_WEAKENING,
          .friction_fast = 0.3,
          .weakening_speed_mps = 4.0,
          .turbulence_mps2 = 50.0}},
        {"slip-weakening",
         {.kind = TAL_LAW_SLIP_WEAKENING, .friction_worn = 0.3, .weakening_slip_m = 20.0}},
    };
    stops before = {0};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        tal_law law = laws[k].law;
        law.friction = 0.5;
        const stops coarse = run(law, 0.06, 0.01), fine = run(law, 0.06, 0.005);
        printf("%s: stops at 10 ms: %.2f +- %.2f m, at 5 ms: %.2f +- %.2f m\n", laws[k].name,
               coarse.mean, coarse.error, fine.mean, fine.error);
        check_near(coarse.mean, fine.mean, 3.0 * hypot(coarse.error, fine.error));
        if (law.turbulence_mps2 > 0.0) { // the row before, and a drag: it stops earlier
            assert_true(coarse.mean < before.mean - 3.0 * hypot(coarse.error, before.error));
        }
        before = coarse;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_law_has_a_mean_that_hangs_on_the_step),
        cmocka_unit_test(steps_do_not_move_the_mean_and_each_part_of_the_law_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

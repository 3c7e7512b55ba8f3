// SPDX-License-Identifier: GPL-3.0-or-later
// A heap of boxes and balls with islands large and small, stepped by one, two and three threads and with
// narrow vectors: the same bits, and what the thread sanitizer watches (label threads).
#include "core/base/random.h"
#include "solver/step/state.h"
#include "tests/solver/scenes/world.h"

enum { ACROSS = 9, LAYERS = 8, STEPS = 5 }; // 648 bodies: one island above 512 pairs

static const tal_quat UPRIGHT = {1, 0, 0, 0};

static void make_heap(world *w) {
    const tal_random random = tal_random_stream(3, 0, "tests/threads");
    world_init(w, 0.01, law_mixed(0.5, 0.3, 0.6));
    w->scene.settings.tolerance = 1e-4;
    w->scene.settings.iteration_max = 60;
    w->scene.settings.rest_steps = 3;
    test_scene_set_plane(&w->scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 60.0);
    for (uint64_t n = 0; n < ACROSS * ACROSS * LAYERS; n++) {
        const double x = (double)(n % ACROSS), y = (double)(n / ACROSS % ACROSS);
        const double z = (double)(n / (ACROSS * ACROSS));
        const double off = 0.2 * tal_random_uniform(random, 2 * n);
        const tal_vec3 at = {1.01 * x + off, 1.01 * y, 0.5 + z * 1.002};
        const int32_t b = n % 7 == 6
                              ? test_scene_add_ball(&w->scene, 0.4, at, 2000.0)
                              : test_scene_add_box(&w->scene, 0.8, 1, 1, at, UPRIGHT, 2000.0);
        w->scene.velocity[b] = tal_vec3_make(2.0 * tal_random_uniform(random, 2 * n + 1), 0, -1.0);
    }
    for (int k = 0; k < 12; k++) { // islands of their own
        const int32_t b = test_scene_add_box(
            &w->scene, 1, 1, 1, tal_vec3_make(20.0 + 3.0 * k, 0, 0.5), UPRIGHT, 2000.0);
        w->scene.velocity[b] = tal_vec3_make(0.3 * k, 0, 0);
    }
}

static uint64_t hash_after(int threads, const tal_batch_kernel *kernel) {
    world w;
    make_heap(&w);
    check_ok(test_scene_create_model(&w.scene, &w.model, &check_error));
    check_ok(tal_state_create(&w.state, w.model, threads, &check_error));
    w.state->work.contacts.work.batches.kernel = kernel;
    for (int n = 0; n < STEPS; n++) {
        world_step(&w);
    }
    assert_true(w.state->work.contacts.work.batches.batch_capacity > 100); // they were at work
    assert_true(w.report.island_count > 3);
    const uint64_t hash = tal_state_hash(w.state);
    world_end(&w);
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **unused) {
    (void)unused;
    const uint64_t one = hash_after(1, tal_batch_kernel_best());
    assert_true(hash_after(2, tal_batch_kernel_best()) == one);
    assert_true(hash_after(3, tal_batch_kernel_best()) == one);
}

static void any_width_of_vectors_gives_the_same_bits(void **unused) {
    (void)unused;
    assert_true(hash_after(1, &tal_batch_kernel_plain) == hash_after(1, tal_batch_kernel_best()));
}

// What batches leave is solved in double precision, too: the motion that follows from their percussions, measured pair
// by pair, is within the tolerance.
static void what_batches_leave_is_solved(void **unused) {
    (void)unused;
    world w;
    int large = 0;
    make_heap(&w);
    w.scene.settings.tolerance = 1e-3;
    w.scene.settings.iteration_max = 2000;
    check_ok(test_scene_create_model(&w.scene, &w.model, &check_error));
    check_ok(tal_state_create(&w.state, w.model, 1, &check_error));
    for (int n = 0; n < STEPS; n++) {
        world_step(&w);
        const tal_percussion_problem *problem = &w.state->work.problem;
        assert_true(w.report.unconverged_count == 0 && w.report.islands_resolved == 0);
        for (int32_t k = 0; k < problem->island_count; k++) {
            const tal_solver_work *work = &w.state->work.contacts.work;
            const double twice = 2.0 * w.scene.settings.tolerance; // its rounding, and some more
            assert_true(tal_island_is_solved(problem, work, k, twice));
            large += problem->island[k].pair_count > 512;
        }
    }
    assert_true(large > 0);
    world_end(&w);
}

// Columns, weakly swept: their islands go through the finisher.
static uint64_t hash_of_finished(int threads) {
    world w;
    int64_t finished = 0;
    world_init(&w, 0.02, law_mixed(0.55, 0.1, 0.0));
    w.scene.settings.tolerance = 1e-5;
    w.scene.settings.iteration_max = 10;
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 60.0);
    for (int n = 0; n < 60; n++) {
        test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(3.0 * (n % 6), 0, n / 6 + 0.502),
                           UPRIGHT, n < 54 ? 2000.0 : 2e5);
    }
    check_ok(test_scene_create_model(&w.scene, &w.model, &check_error));
    check_ok(tal_state_create(&w.state, w.model, threads, &check_error));
    for (int n = 0; n < 20; n++) {
        world_step(&w);
        finished += w.report.islands_finished;
    }
    assert_true(finished >= 6); // every column
    const uint64_t hash = tal_state_hash(w.state);
    world_end(&w);
    return hash;
}

static void the_finisher_gives_the_same_bits_too(void **unused) {
    (void)unused;
    const uint64_t one = hash_of_finished(1);
    assert_true(hash_of_finished(2) == one);
    assert_true(hash_of_finished(3) == one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(any_width_of_vectors_gives_the_same_bits),
        cmocka_unit_test(what_batches_leave_is_solved),
        cmocka_unit_test(the_finisher_gives_the_same_bits_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints: going on gives the same bits; damaged, foreign and short files are refused.
#include "tests/support/check.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "solver/motion/rest.h"
#include "solver/step/state.h"
#include "tests/solver/scenes/scene.h"

typedef struct {
    test_scene scene;
    tal_model *model;
    tal_state *state;
    char path[512];
} fixture;

static void make(fixture *f, double mu, tal_scheme scheme) {
    test_scene_init(&f->scene);
    f->scene.law.friction = mu;
    f->scene.settings.scheme = scheme;
    test_scene_set_plane(&f->scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    for (int n = 0; n < 6; n++) {
        const tal_quat q = tal_quat_normalize((tal_quat){1.0, 0.1 * n, 0.2, -0.1});
        test_scene_add_box(&f->scene, 0.5, 0.6, 0.7, tal_vec3_make(0.1 * n, 0.05 * n, 0.6 + n), q,
                           2700.0);
    }
    check_ok(test_scene_create_model(&f->scene, &f->model, &check_error));
    check_ok(tal_state_create(&f->state, f->model, 1, &check_error));
    snprintf(f->path, sizeof f->path, "%s/run.checkpoint", check_scratch());
}

static void end(fixture *f) {
    tal_state_destroy(f->state);
    tal_model_destroy(f->model);
    test_scene_destroy(&f->scene);
}

// Returns how many islands the finisher solved.
static int64_t steps(fixture *f, int count) {
    int64_t finished = 0;
    for (int n = 0; n < count; n++) {
        tal_report report;
        check_ok(tal_step(f->model, f->state, &report, &check_error));
        finished += report.islands_finished;
    }
    return finished;
}

static void renew_state(fixture *f) {
    tal_state_destroy(f->state);
    check_ok(tal_state_create(&f->state, f->model, 2, &check_error));
}

static void going_on_from_a_checkpoint_gives_the_same_bits(void **unused) {
    (void)unused;
    for (int scheme = 0; scheme < 2; scheme++) {
        fixture f = {0};
        make(&f, 0.6, scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU);
        steps(&f, 150);
        check_ok(tal_checkpoint_write(f.model, f.state, f.path, &check_error));
        steps(&f, 150);
        const uint64_t straight = tal_state_hash(f.state);
        renew_state(&f);
        check_ok(tal_checkpoint_read(f.model, f.state, f.path, &check_error));
        assert_true(fabs(tal_state_time(f.state) - 0.75) < 1e-12);
        steps(&f, 150);
        assert_true(tal_state_hash(f.state) == straight);
        end(&f);
    }
}

// What follows from a state and is not in the file is that of the run, too: -0 is not 0 in a result.
static void blocks_that_rest_come_back_with_the_same_bits(void **unused) {
    (void)unused;
    fixture f = {0};
    tal_vec3 spin[6];
    make(&f, 0.6, TAL_SCHEME_MOREAU);
    steps(&f, 2000);
    assert_int_equal(f.state->body_count, 6);
    for (int b = 0; b < 6; b++) {
        assert_true(tal_is_at_rest(f.state, b));
    }
    memcpy(spin, tal_state_spins(f.state), sizeof spin);
    check_ok(tal_checkpoint_write(f.model, f.state, f.path, &check_error));
    renew_state(&f);
    check_ok(tal_checkpoint_read(f.model, f.state, f.path, &check_error));
    assert_memory_equal(tal_state_spins(f.state), spin, sizeof spin);
    end(&f);
}

// The blocks fall on each other while the sweeps are kept from solving anything.
static void going_on_with_the_finisher_gives_the_same_bits(void **unused) {
    (void)unused;
    fixture f = {0};
    make(&f, 0.6, TAL_SCHEME_MOREAU);
    tal_model_destroy(f.model);
    f.scene.settings.tolerance = 1e-8;
    f.scene.settings.iteration_max = 3;
    check_ok(test_scene_create_model(&f.scene, &f.model, &check_error));
    renew_state(&f);
    assert_true(steps(&f, 150) > 0);
    check_ok(tal_checkpoint_write(f.model, f.state, f.path, &check_error));
    assert_true(steps(&f, 50) > 0);
    const uint64_t straight = tal_state_hash(f.state);
    renew_state(&f);
    check_ok(tal_checkpoint_read(f.model, f.state, f.path, &check_error));
    steps(&f, 50);
    assert_true(tal_state_hash(f.state) == straight);
    end(&f);
}

// A file that is whole can still say what cannot be: 1e12 N s on 567 kg.
static void impossible_percussions_are_refused(void **unused) {
    (void)unused;
    fixture f = {0};
    make(&f, 0.6, TAL_SCHEME_MOREAU);
    steps(&f, 150);
    assert_true(f.state->memory.point_count > 0);
    f.state->memory.point[0].normal = 1e12;
    check_ok(tal_checkpoint_write(f.model, f.state, f.path, &check_error));
    check_fails(tal_checkpoint_read(f.model, f.state, f.path, &check_error), TAL_BAD_INPUT,
                "remembered percussions");
    end(&f);
}

// Nor is a block still for fewer than no steps, or hung for a time that is no number.
static void impossible_rest_is_refused(void **unused) {
    (void)unused;
    static const tal_rest wrong[] = {
        {.still_steps = -1}, {.depth = NAN},   {.depth = 1e9},
        {.depth = -1e-3},    {.partner = 6},   {.partner = -2},
        {.hung_s = NAN},     {.hung_s = -1.0}, {.hung_s = INFINITY},
    };
    fixture f = {0};
    make(&f, 0.6, TAL_SCHEME_MOREAU);
    steps(&f, 10);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        f.state->rest[3] = wrong[k];
        f.state->rest[3].group = TAL_AWAKE;
        check_ok(tal_checkpoint_write(f.model, f.state, f.path, &check_error));
        check_fails(tal_checkpoint_read(f.model, f.state, f.path, &check_error), TAL_BAD_INPUT,
                    "how block 3 rests");
    }
    end(&f);
}

// However long it has been still: the count ends where it says enough.
static void a_count_of_still_steps_does_not_run_over(void **unused) {
    (void)unused;
    fixture f = {0};
    make(&f, 0.6, TAL_SCHEME_MOREAU);
    while (!tal_is_at_rest(f.state, 0)) {
        for (int b = 0; b < 6; b++) {
            if (f.state->rest[b].still_steps > 0) {
                f.state->rest[b].still_steps = INT32_MAX;
            }
        }
        steps(&f, 1);
        assert_true(tal_state_time(f.state) < 60.0);
        for (int b = 0; b < 6; b++) {
            assert_true(f.state->rest[b].still_steps >= 0);
        }
    }
    end(&f);
}

static void rewrite(const char *path, size_t flip_at, size_t cut) {
    char *bytes;
    size_t length;
    check_ok(tal_file_read(path, &bytes, &length, &check_error));
    if (flip_at < length) {
        bytes[flip_at] = (char)(bytes[flip_at] ^ 1);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, cut < length ? length - cut : 0, file);
    fclose(file);
    tal_memory_destroy(bytes);
}

static void damaged_checkpoints_are_refused_and_say_why(void **unused) {
    (void)unused;
    static const struct {
        size_t flip_at, cut;
        const char *words;
    } damage[] = {{0, 0, "not a checkpoint"}, {8, 0, "version"},   {200, 0, "damaged"},
                  {SIZE_MAX, 5, "cut short"}, {500, 0, "damaged"}, {SIZE_MAX, 1000000, "not a"}};
    for (int k = 0; k < 6; k++) {
        fixture f = {0};
        make(&f, 0.6, TAL_SCHEME_MOREAU);
        steps(&f, 150);
        check_ok(tal_checkpoint_write(f.model, f.state, f.path, &check_error));
        rewrite(f.path, damage[k].flip_at, damage[k].cut);
        check_fails(tal_checkpoint_read(f.model, f.state, f.path, &check_error), TAL_BAD_INPUT,
                    damage[k].words);
        end(&f);
    }
}

static void checkpoint_of_another_model_is_refused(void **unused) {
    (void)unused;
    fixture f = {0}, other = {0};
    make(&f, 0.6, TAL_SCHEME_MOREAU);
    make(&other, 0.61, TAL_SCHEME_MOREAU);
    check_ok(tal_checkpoint_write(f.model, f.state, f.path, &check_error));
    check_fails(tal_checkpoint_read(other.model, other.state, f.path, &check_error), TAL_BAD_INPUT,
                "another run");
    end(&f);
    end(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_on_from_a_checkpoint_gives_the_same_bits),
        cmocka_unit_test(blocks_that_rest_come_back_with_the_same_bits),
        cmocka_unit_test(going_on_with_the_finisher_gives_the_same_bits),
        cmocka_unit_test(impossible_percussions_are_refused),
        cmocka_unit_test(impossible_rest_is_refused),
        cmocka_unit_test(a_count_of_still_steps_does_not_run_over),
        cmocka_unit_test(damaged_checkpoints_are_refused_and_say_why),
        cmocka_unit_test(checkpoint_of_another_model_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

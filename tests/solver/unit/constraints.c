// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints among contacts: the same bits for any number of threads and after a checkpoint, momentum
// kept by what acts between bodies, and what is refused.
#include "tests/solver/scenes/world.h"

enum { COUNT = 40 };

// Blocks above a floor, hung in a chain by links, every fourth one by its corner; the last is driven.
typedef struct {
    world w;
    tal_constraint constraint[COUNT + 1];
    double time[3], value[3];
    tal_scheme scheme;
} hung;

static void make(hung *h, int threads) {
    *h = (hung){.time = {0.0, 0.1, 0.2}, .value = {0.0, 0.5, -0.5}, .scheme = h->scheme};
    world_init(&h->w, 2e-3, law_mixed(0.5, 0.3, 0.5));
    h->w.scene.settings.tolerance = 1e-6;
    h->w.scene.settings.scheme = h->scheme;
    test_scene_set_plane(&h->w.scene, (tal_vec3){0}, tal_vec3_make(0.0, 0.0, 1.0), 60.0);
    for (int n = 0; n < COUNT; n++) {
        const tal_quat q = tal_quat_normalize((tal_quat){1.0, 0.02 * n, 0.1, -0.03 * n});
        test_scene_add_box(&h->w.scene, 0.5, 0.6, 0.7, tal_vec3_make(0.9 * n, 0.0, 0.55 + 0.01 * n),
                           q, 2700.0);
        h->constraint[n] = (tal_constraint){.hold = n % 4 == 0 ? TAL_HOLD_POINT : TAL_HOLD_LINK,
                                            .body_i = n,
                                            .body_j = n % 4 == 0 ? -1 : n - 1,
                                            .point_i_m = {0.1, 0.2, 0.3}};
    }
    h->constraint[COUNT] = (tal_constraint){.hold = TAL_HOLD_DIRECTION,
                                            .body_i = COUNT - 1,
                                            .body_j = -1,
                                            .direction = {0.0, 1.0, 0.0},
                                            .drive = TAL_DRIVE_VELOCITY,
                                            .count = 3,
                                            .time_s = h->time,
                                            .value = h->value};
    h->w.scene.constraint = h->constraint;
    h->w.scene.constraint_count = COUNT + 1;
    check_ok(test_scene_create_model(&h->w.scene, &h->w.model, &check_error));
    check_ok(tal_state_create(&h->w.state, h->w.model, threads, &check_error));
}

static void steps_give_the_same_bits_for_any_number_of_threads(void **unused) {
    (void)unused;
    static hung h;
    uint64_t hash[3];
    const int threads[3] = {1, 2, 5};
    for (int k = 0; k < 3; k++) {
        make(&h, threads[k]);
        world_run(&h.w, 0.2);
        assert_true(h.w.report.contact_count > 0);
        assert_int_equal(h.w.report.unconverged_count, 0);
        hash[k] = tal_state_hash(h.w.state);
        world_end(&h.w);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

static void going_on_from_a_checkpoint_gives_the_same_bits(void **unused) {
    (void)unused;
    static hung h;
    for (int scheme = 0; scheme < 2; scheme++) {
        h.scheme = scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
        char path[512];
        snprintf(path, sizeof path, "%s/run.checkpoint", check_scratch());
        make(&h, 1);
        world_run(&h.w, 0.1);
        check_ok(tal_checkpoint_write(h.w.model, h.w.state, path, &check_error));
        world_run(&h.w, 0.1);
        const uint64_t straight = tal_state_hash(h.w.state);
        tal_state_destroy(h.w.state);
        check_ok(tal_state_create(&h.w.state, h.w.model, 2, &check_error));
        check_ok(tal_checkpoint_read(h.w.model, h.w.state, path, &check_error));
        world_run(&h.w, 0.1);
        assert_true(tal_state_hash(h.w.state) == straight);
        h.constraint[1].least_m = 0.1; // another model
        h.constraint[1].most_m = 5.0;
        tal_model *other;
        check_ok(test_scene_create_model(&h.w.scene, &other, &check_error));
        check_fails(tal_checkpoint_read(other, h.w.state, path, &check_error), TAL_BAD_INPUT,
                    "another run");
        tal_model_destroy(other);
        world_end(&h.w);
    }
}

// Three bodies in space, linked and joined: neither momentum changes.
static void what_acts_between_bodies_keeps_both_momenta(void **unused) {
    (void)unused;
    world w;
    world_init(&w, 1e-3, law_coulomb(0.5, 0.0));
    w.scene.settings.gravity_mps2 = (tal_vec3){0};
    w.scene.settings.tolerance = 1e-13;
    const tal_quat upright = {1.0, 0.0, 0.0, 0.0};
    for (int n = 0; n < 3; n++) {
        test_scene_add_box(&w.scene, 0.4, 0.5, 0.6, tal_vec3_make(1.5 * n, 0.2 * n, 0.0), upright,
                           1000.0 + 500.0 * n);
        w.scene.velocity[n] = tal_vec3_make(0.3, 0.5 - 0.5 * n, 0.2 * n);
        w.scene.spin[n] = tal_vec3_make(0.5, 1.0 - n, 2.0);
    }
    const tal_constraint hold[2] = {
        {.hold = TAL_HOLD_LINK, .body_i = 0, .body_j = 1, .point_i_m = {0.2, 0.0, 0.1}},
        {.hold = TAL_HOLD_POINT,
         .body_i = 2,
         .body_j = 1,
         .point_i_m = {-0.75, -0.1, 0.0},
         .point_j_m = {0.75, 0.1, 0.0}}};
    w.scene.constraint = hold;
    w.scene.constraint_count = 2;
    world_start(&w);
    tal_vec3 first[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int n = 0; n <= 3000; n++) {
        tal_vec3 sum[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int b = 0; b < 3; b++) {
            const double m = w.scene.mass[b];
            const tal_quat q = tal_state_orientations(w.state)[b];
            const tal_vec3 v = tal_state_velocities(w.state)[b], i = w.scene.inertia[b];
            const tal_vec3 s =
                tal_quat_rotate((tal_quat){q.w, -q.x, -q.y, -q.z}, tal_state_spins(w.state)[b]);
            sum[0] = tal_vec3_add_scaled(sum[0], m, v);
            sum[1] =
                tal_vec3_add_scaled(sum[1], m, tal_vec3_cross(tal_state_positions(w.state)[b], v));
            sum[1] = tal_vec3_add(
                sum[1], tal_quat_rotate(q, tal_vec3_make(i.x * s.x, i.y * s.y, i.z * s.z)));
        }
        for (int k = 0; k < 2; k++) {
            // The velocities given do not fit the joint, whose points are apart when it first acts.
            first[k] = n == 1 ? sum[k] : first[k];
            const double off = tal_vec3_length(tal_vec3_subtract(sum[k], first[k]));
            if (n > 1 && !(off < 1e-8 * tal_vec3_length(first[k]))) {
                fail_msg("step %d: momentum %d is off by %g", n, k, off);
            }
        }
        world_step(&w);
    }
    world_end(&w);
}

// A body with a constraint leaves: the rest goes on.
static void constraints_of_a_removed_body_let_go(void **unused) {
    (void)unused;
    static hung h;
    make(&h, 1);
    world_run(&h.w, 0.02);
    tal_state_remove_body(h.w.state, 1);
    world_run(&h.w, 0.02);
    check_near(tal_vec3_length(tal_state_reaction_n(h.w.state, 1)), 0.0, 0.0);
    assert_true(tal_vec3_length(tal_state_reaction_n(h.w.state, 0)) > 0.0);
    world_end(&h.w);
}

static void history_holds_what_was_asked_for(void **unused) {
    (void)unused;
    static hung h;
    make(&h, 1);
    const tal_channel channel[5] = {{TAL_CHANNEL_DISPLACEMENT, COUNT - 1, 1, {0.0, 0.0, 0.0}},
                                    {TAL_CHANNEL_VELOCITY, 3, 2, {0.1, 0.0, 0.0}},
                                    {TAL_CHANNEL_KINETIC, 2, 0, {0.0, 0.0, 0.0}},
                                    {TAL_CHANNEL_POTENTIAL, 2, 0, {0.0, 0.0, 0.0}},
                                    {TAL_CHANNEL_REACTION, COUNT, 1, {0.0, 0.0, 0.0}}};
    tal_history *history;
    check_ok(tal_history_create(&history, h.w.model, channel, 5, &check_error));
    for (int n = 0; n < 50; n++) {
        world_step(&h.w);
        check_ok(tal_history_record(history, h.w.model, h.w.state, &check_error));
    }
    int64_t rows;
    const double *value = tal_history_rows(history, &rows);
    assert_int_equal(rows, 50);
    check_near(value[49 * 6], 0.1, 1e-12);
    check_near(value[49 * 6 + 1], 0.025, 1e-4); // 0.5 m/s reached after 0.1 s
    check_near(value[49 * 6 + 5], tal_state_reaction_n(h.w.state, COUNT).y, 0.0);
    tal_history_destroy(history);
    const tal_channel wrong = {TAL_CHANNEL_REACTION, COUNT + 1, 0, {0.0, 0.0, 0.0}};
    check_fails(tal_history_create(&history, h.w.model, &wrong, 1, &check_error), TAL_BAD_INPUT,
                "41 constraints");
    world_end(&h.w);
}

static void refuse(hung *h, int32_t n, tal_constraint wrong, const char *words) {
    const tal_constraint right = h->constraint[n];
    tal_model *model;
    h->constraint[n] = wrong;
    check_fails(test_scene_create_model(&h->w.scene, &model, &check_error), TAL_BAD_INPUT, words);
    h->constraint[n] = right;
}

static void wrong_constraints_are_refused_with_their_reason(void **unused) {
    (void)unused;
    static hung h;
    make(&h, 1);
    const tal_constraint hold = {.hold = TAL_HOLD_POINT, .body_i = 0, .body_j = -1};
    tal_constraint k = hold;
    k.body_i = COUNT;
    refuse(&h, 3, k, "joins blocks 40 and -1");
    k = hold;
    k.body_j = 1;
    refuse(&h, 3, k, "apart at the start");
    k = hold;
    k.point_i_m.x = NAN;
    refuse(&h, 3, k, "must be finite");
    k = hold;
    k.hold = TAL_HOLD_DIRECTION;
    refuse(&h, 3, k, "has no length");
    k.direction.x = 1.0;
    k.drive = TAL_DRIVE_DISPLACEMENT;
    refuse(&h, 3, k, "no entries");
    const double time[2] = {0.0, 1.0}, back[2] = {1.0, 0.0};
    k.count = 2;
    k.time_s = time;
    k.value = back;
    refuse(&h, 3, k, "beginning with 0");
    k.time_s = back;
    refuse(&h, 3, k, "not before that of");
    k = hold;
    k.hold = TAL_HOLD_LINK;
    k.body_j = 1;
    k.least_m = 2.0;
    k.most_m = 3.0;
    refuse(&h, 3, k, "not 2 m to 3 m");
    k.least_m = 4.0;
    refuse(&h, 3, k, "may be 4 m to 3 m");
    h.w.scene.fixed[0] = 1;
    refuse(&h, 3, hold, "nothing that it joins");
    h.w.scene.fixed[0] = 0;
    const int32_t pair[2] = {0, COUNT};
    tal_model *model;
    h.w.scene.excluded = pair;
    h.w.scene.excluded_count = 1;
    check_fails(test_scene_create_model(&h.w.scene, &model, &check_error), TAL_BAD_INPUT,
                "without contact");
    world_end(&h.w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_give_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(going_on_from_a_checkpoint_gives_the_same_bits),
        cmocka_unit_test(what_acts_between_bodies_keeps_both_momenta),
        cmocka_unit_test(constraints_of_a_removed_body_let_go),
        cmocka_unit_test(history_holds_what_was_asked_for),
        cmocka_unit_test(wrong_constraints_are_refused_with_their_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

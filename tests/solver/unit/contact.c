// SPDX-License-Identifier: GPL-3.0-or-later
// The contact problem of a step as it is set up: how far blows are followed, what gravity does to a gap, whose
// size a law sees, and what is left of an island that is made inelastic.
#include "solver/percussion/contact.h"

#include "solver/motion/integrate.h"
#include "solver/percussion/roll.h"
#include "solver/step/look_ahead.h"
#include "tests/solver/scenes/world.h"

#include <stdlib.h>
#include <string.h>

static const double DT = 0.01, G = 10.0;

static const tal_pair *pair_of(const world *w, int32_t i, int32_t j) {
    const tal_percussion_problem *problem = &w->state->work.problem;
    const int32_t other = j < 0 ? problem->body_count : j;
    for (int32_t p = 0; p < problem->pair_count; p++) {
        const tal_pair *pair = &problem->pair[p];
        if ((pair->body_i == i && pair->body_j == other) ||
            (pair->body_i == other && pair->body_j == i)) {
            return pair;
        }
    }
    fail_msg("%d and %d do not touch", i, j);
    return NULL;
}

// The problem of the first step, before its solution.
static void set_up(world *w) {
    tal_advance_positions(w->model, w->state, 0.5 * DT);
    tal_load_motion(w->model, w->state);
    tal_forget_reaches(w->model, w->state);
    check_ok(tal_find_contacts(w->model, w->state, DT, &check_error));
    check_ok(tal_list_contacts(w->model, w->state, &check_error));
    check_ok(tal_prepare_contacts(w->model, w->state, DT, &w->report, &check_error));
}

static tal_contact_data data_of(const world *w, int32_t i, int32_t j) {
    const tal_pair *pair = pair_of(w, i, j);
    const tal_judge judge =
        tal_judge_of(w->model, w->state, pair->body_i, pair->body_j, pair->normal, DT);
    return tal_contact_data_of(w->model, w->state, pair, &judge, pair->first_contact);
}

// One ball above the other, touching at mid-step; `first` says which has the lower number. Returns that number.
static int32_t add_balls(world *w, double x, bool upper_first, double upper_speed,
                         double lower_speed) {
    const double r = 0.5, z = 20.0;
    const double speed[2] = {upper_first ? upper_speed : lower_speed,
                             upper_first ? lower_speed : upper_speed};
    int32_t b = 0;
    for (int k = 0; k < 2; k++) {
        const double side = (k == 0) == upper_first ? r : -r;
        b = test_scene_add_ball(&w->scene, r, tal_vec3_make(x, 0, z + side - 0.5 * DT * speed[k]),
                                1000.0);
        w->scene.velocity[b].z = speed[k];
    }
    return b - 1;
}

// A body falls towards what is held, or away from it; two that are both free fall alike. A slow one beside a
// fast one counts as carried (docs/theory/solver.md, "Gaps").
static void gravity_closes_or_opens_a_gap_by_what_falls(void **unused) {
    (void)unused;
    static const struct {
        double upper, lower; // speeds, upwards
        bool upper_held, lower_held;
        double share; // of g dt, opening
    } cases[] = {{0, 0, false, true, -1},     {0, 0, true, false, 1},  {0, 0, false, false, 0},
                 {-1, 0, false, false, -1},   {0, 1, false, false, 1}, {-1, 1, false, false, 0},
                 {-1, 0, false, true, -1},    {0, 1, true, false, 1},  {-0.19, 0, false, false, 0},
                 {-0.21, 0, false, false, -1}};
    enum { CASES = sizeof cases / sizeof cases[0] };
    int32_t first[CASES][2];
    world w;
    world_init(&w, DT, law_coulomb(0.5, 0.0));
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -G);
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    for (int n = 0; n < CASES; n++) {
        for (int order = 0; order < 2; order++) {
            const int32_t b = add_balls(&w, 3.0 * n + 40.0 * order - 35.0, order == 0,
                                        cases[n].upper, cases[n].lower);
            w.scene.fixed[order == 0 ? b : b + 1] = cases[n].upper_held;
            w.scene.fixed[order == 0 ? b + 1 : b] = cases[n].lower_held;
            first[n][order] = b;
        }
    }
    const int32_t on_ground = test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(0, 20, 0.5), 1000.0);
    world_start(&w);
    set_up(&w);
    for (int n = 0; n < CASES; n++) {
        for (int order = 0; order < 2; order++) {
            const int32_t b = first[n][order];
            check_near(data_of(&w, b, b + 1).pull, cases[n].share * G * DT, 1e-12);
        }
    }
    check_near(data_of(&w, on_ground, -1).pull, -G * DT, 1e-12);
    world_end(&w);
}

// The smaller of the two, and the longer trail; rolling friction is a share of that radius.
static void a_law_sees_the_smaller_body_and_the_longer_trail(void **unused) {
    (void)unused;
    const double c = 0.3;
    world w;
    world_init(&w, DT,
               (tal_law){.kind = TAL_LAW_GROUND,
                         .friction = 0.3,
                         .rolling_friction = c,
                         .friction_max = 0.5,
                         .scar_growth_per_m = 1.0});
    w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -G);
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    test_scene_add_ball(&w.scene, 0.2, tal_vec3_make(0, 0, 1.2), 1000.0);
    test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(0, 0, 0.5), 1000.0);
    test_scene_add_ball(&w.scene, 0.1, tal_vec3_make(0, 0, 1.5), 1000.0);
    world_start(&w);
    for (int b = 0; b < 3; b++) {
        w.state->trail[b].scar = 0.1 * (b + 1);
        w.state->trail[b].slid = 0.5 - 0.1 * b;
    }
    set_up(&w);
    static const struct {
        int32_t i, j;
        double radius, scar, slid;
    } cases[] = {{0, 1, 0.2, 0.2, 0.5}, {0, 2, 0.1, 0.3, 0.5}, {1, -1, 0.5, 0.2, 0.4}};
    for (int n = 0; n < 3; n++) {
        const tal_contact_data data = data_of(&w, cases[n].i, cases[n].j);
        check_near(data.radius, cases[n].radius, 1e-12);
        check_near(data.scar, cases[n].scar, 1e-12);
        check_near(data.slid, cases[n].slid, 1e-12);
        check_near(pair_of(&w, cases[n].i, cases[n].j)->roll_length, c * cases[n].radius, 1e-12);
    }
    world_end(&w);
}

// Both bodies of a pair are ahead of the clock by what the one that is less so is; what cannot be moved is where
// the other one is. The deepest gap is reported with its two bodies.
static void a_pair_is_ahead_by_what_both_are(void **unused) {
    (void)unused;
    const double r = 0.5, lead[5] = {0.003, 0.001, 0.002, 0.004, 0.0005}, sunk = 1e-4;
    world w;
    world_init(&w, DT, law_coulomb(0.5, 0.0));
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    for (int b = 0; b < 5; b++) { // two beside each other, held beside free, free beside held
        test_scene_add_ball(&w.scene, r, tal_vec3_make(b, 0, b == 4 ? r - 2.0 * sunk : 9.0),
                            1000.0);
    }
    w.scene.position[3].x -= sunk;
    w.scene.fixed[2] = 1;
    world_start(&w);
    tal_load_motion(w.model, w.state);
    tal_forget_reaches(w.model, w.state);
    check_ok(tal_find_contacts(w.model, w.state, DT, &check_error));
    check_ok(tal_list_contacts(w.model, w.state, &check_error));
    memcpy(w.state->lead, lead, sizeof lead);
    check_ok(tal_prepare_contacts(w.model, w.state, DT, &w.report, &check_error));
    check_near(data_of(&w, 0, 1).ahead, 0.001, 0.0);
    check_near(data_of(&w, 1, 2).ahead, 0.001, 0.0);
    check_near(data_of(&w, 2, 3).ahead, 0.004, 0.0);
    check_near(data_of(&w, 4, -1).ahead, 0.0005, 0.0);
    check_near(w.report.penetration_m, 2.0 * sunk, 1e-12);
    assert_int_equal(w.report.penetration_body_i, 4);
    assert_int_equal(w.report.penetration_body_j, TAL_BODY_TERRAIN);
    w.state->position[4].z = 5.0; // now the two balls are the deepest
    check_ok(tal_find_contacts(w.model, w.state, DT, &check_error));
    check_ok(tal_list_contacts(w.model, w.state, &check_error));
    check_ok(tal_prepare_contacts(w.model, w.state, DT, &w.report, &check_error));
    check_near(w.report.penetration_m, sunk, 1e-12);
    assert_int_equal(w.report.penetration_body_i + w.report.penetration_body_j, 2 + 3);
    assert_int_equal(abs(w.report.penetration_body_i - w.report.penetration_body_j), 1);
    world_end(&w);
}

// What was found before is forgotten, moments included: nothing of a rebound is left to begin from.
static void a_softened_island_begins_from_nothing(void **unused) {
    (void)unused;
    world w;
    world_init(&w, DT,
               (tal_law){.kind = TAL_LAW_ROLLING,
                         .friction = 0.4,
                         .restitution = 0.8,
                         .tangential_restitution = 0.5,
                         .rolling_friction = 0.3});
    w.scene.settings.gravity_mps2 = (tal_vec3){0};
    test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
    for (int b = 0; b < 2; b++) {
        test_scene_add_ball(&w.scene, 0.5, tal_vec3_make(3.0 * b, 0, 0.5 + 0.5 * DT), 1000.0);
        w.scene.velocity[b] = tal_vec3_make(0.3, 0.2, -1.0);
        w.scene.spin[b] = tal_vec3_make(4.0, 3.0, 0);
    }
    world_start(&w);
    world_step(&w);
    for (int32_t b = 0; b < 2; b++) {
        const tal_pair *pair = pair_of(&w, b, -1);
        const tal_roll *roll = &w.state->work.problem.roll[pair - w.state->work.problem.pair];
        const tal_contact *c = &w.state->work.contacts.contact[pair->first_contact];
        const tal_roll before = *roll;
        assert_true(before.moment[0] != 0.0 && before.moment[1] != 0.0);
        assert_true(c->percussion[0] > 0.0 && c->more->softness < INFINITY && c->more->slack > 0.0);
        w.state->work.contacts.work.batches.are_filled = true;
        tal_soften_island(w.model, w.state, pair->island, DT);
        assert_false(w.state->work.contacts.work.batches.are_filled);
        assert_true(roll->moment[0] == 0.0 && roll->moment[1] == 0.0);
        assert_true(memcmp(roll->w, before.w, sizeof before.w) == 0);
        for (int f = 0; f < 3; f++) {
            assert_true(c->percussion[f] == 0.0);
        }
        assert_true(c->more->softness == INFINITY && c->more->slack == 0.0 && c->friction == 0.4);
    }
    world_end(&w);
}

// The area that the points span times the cohesion, shared by them, however weak; a spring is shared likewise.
static void a_pair_shares_its_bond_and_its_spring(void **unused) {
    (void)unused;
    const double cohesion = 0.5, a = 0.4, b = 0.7;
    world w;
    for (int n = 0; n < 2; n++) {
        world_init(&w, DT,
                   (tal_law){.kind = n == 0 ? TAL_LAW_COULOMB : TAL_LAW_PENALTY,
                             .friction = 0.5,
                             .cohesion_pa = cohesion,
                             .stiffness_n_m = 1e6,
                             .damping_n_s_m = 300.0});
        w.scene.settings.gravity_mps2 = tal_vec3_make(0, 0, -G);
        test_scene_set_plane(&w.scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 50.0);
        test_scene_add_box(&w.scene, a, b, 0.3, tal_vec3_make(0, 0, 0.15), (tal_quat){1, 0, 0, 0},
                           1000.0);
        world_start(&w);
        set_up(&w);
        const tal_pair *pair = pair_of(&w, 0, -1);
        assert_int_equal(pair->contact_count, 4);
        check_near(data_of(&w, 0, -1).stiffness, 1e6 / 4.0, 0.0);
        check_near(data_of(&w, 0, -1).damping, 300.0 / 4.0, 0.0);
        for (int k = 0; k < 4; k++) {
            const tal_contact *c = &w.state->work.problem.contact[pair->first_contact + k];
            check_near(c->more->adhesion, DT * cohesion * a * b / 4.0, 1e-12);
        }
        world_end(&w);
    }
}

// Five boxes in a row; the last is fast, and three times as heavy. What its blow may change, directly and through
// one more, reaches farther by three quarters of the way of the blow.
static void a_blow_is_followed_through_two_bodies(void **unused) {
    (void)unused;
    enum { BOXES = 5 };
    const double blow = 20.0 * DT;
    world w;
    world_init(&w, DT, law_coulomb(0.5, 0.0));
    w.scene.settings.gravity_mps2 = (tal_vec3){0};
    for (int b = 0; b < BOXES; b++) {
        test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(b, 0, 0), (tal_quat){1, 0, 0, 0},
                           b == BOXES - 1 ? 3000.0 : 1000.0);
    }
    const int32_t wall = test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(BOXES, 0, 0),
                                            (tal_quat){1, 0, 0, 0}, 1000.0);
    w.scene.fixed[wall] = 1;
    w.scene.velocity[BOXES - 1].x = -20.0;
    world_start(&w);
    tal_load_motion(w.model, w.state);
    tal_set_reaches(w.model, w.state, DT);
    double own[BOXES + 1], wide[BOXES + 1];
    const double *reach = w.state->work.reach;
    memcpy(own, reach, sizeof own);
    check_near(own[4] - own[0], blow, 1e-12);
    assert_true(own[0] == own[3]);
    tal_forget_reaches(w.model, w.state);
    check_ok(tal_find_contacts(w.model, w.state, DT, &check_error));
    memcpy(wide, reach, sizeof wide);
    for (int b = 2; b < BOXES; b++) {
        check_near(wide[b] - own[b], 0.75 * blow, 1e-12);
    }
    assert_true(wide[1] == own[1] && wide[0] == own[0] && wide[wall] == own[wall]);
    // Asked again, nothing is new; what was passed on stays.
    check_ok(tal_find_contacts(w.model, w.state, DT, &check_error));
    assert_true(memcmp(wide, reach, sizeof wide) == 0);
    for (int b = 0; b < BOXES; b++) {
        assert_int_equal(w.state->work.is_reach_new[b], 0);
    }
    // Another speed is new, and replaces what was.
    w.state->velocity[0].x = 30.0;
    w.state->velocity[4].x = 0.0;
    tal_load_motion(w.model, w.state);
    check_ok(tal_find_contacts(w.model, w.state, DT, &check_error));
    for (int b = 0; b < 3; b++) {
        check_near(reach[b] - own[1] - (b == 0 ? 30.0 * DT : 0.0), 15.0 * DT, 1e-12);
    }
    world_end(&w);
}

// Two boxes, a hand apart: found if one comes after the other, not if both fly the same way; and found again
// if the first is about to strike a wall.
static void what_flies_together_is_not_listed(void **unused) {
    (void)unused;
    const struct {
        double speed[2];
        bool has_wall;
        int32_t manifold_count;
    } flights[] = {{{0.0, 20.0}, false, 1},
                   {{20.0, 20.0}, false, 0},
                   {{20.0, 19.0}, false, 0},
                   {{20.0, 20.0}, true, 2}};
    for (size_t f = 0; f < sizeof flights / sizeof flights[0]; f++) {
        world w;
        world_init(&w, DT, law_coulomb(0.5, 0.0));
        w.scene.settings.gravity_mps2 = (tal_vec3){0};
        for (int b = 0; b < 2; b++) {
            test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(-1.1 * b, 0, 0),
                               (tal_quat){1, 0, 0, 0}, 1000.0);
            w.scene.velocity[b].x = flights[f].speed[b];
        }
        if (flights[f].has_wall) {
            const int32_t wall = test_scene_add_box(&w.scene, 1, 1, 1, tal_vec3_make(1.1, 0, 0),
                                                    (tal_quat){1, 0, 0, 0}, 1000.0);
            w.scene.fixed[wall] = 1;
        }
        world_start(&w);
        tal_load_motion(w.model, w.state);
        tal_forget_reaches(w.model, w.state);
        check_ok(tal_find_contacts(w.model, w.state, DT, &check_error));
        assert_int_equal(w.state->work.found.manifold_count, flights[f].manifold_count);
        world_end(&w);
    }
}

// (50): of the depth d of a box beyond the slop half is left after a step, and the deepest of many boxes is told
// wherever it is listed. Boxes of a metre have a slop of 0.1 mm.
static void half_of_the_deepest_penetration_is_taken_back_in_a_step(void **unused) {
    (void)unused;
    enum { BOXES = 700 };
    const double deep = 5e-3, slop = 1e-4;
    for (int32_t at = 0; at < BOXES; at += BOXES - 1) {
        world w;
        test_scene_init(&w.scene);
        test_scene_set_plane(&w.scene, tal_vec3_make(0, 0, 0), tal_vec3_make(0, 0, 1), 1000);
        for (int32_t b = 0; b < BOXES; b++) {
            const double depth = b == at ? deep : 1e-3;
            test_scene_add_box(&w.scene, 1, 1, 1,
                               tal_vec3_make(2.0 * (b % 30), 2.0 * (b / 30), 0.5 - depth),
                               (tal_quat){1, 0, 0, 0}, 1000.0);
        }
        world_start(&w);
        world_step(&w);
        check_near(w.report.penetration_m, deep, 1e-9);
        assert_int_equal(w.report.penetration_body_i, at);
        world_step(&w);
        const double back = 0.5 * (deep - slop); // sweeps end within a tenth of it
        check_near(w.report.penetration_m, deep - back, 0.1 * back);
        assert_int_equal(w.report.penetration_body_i, at);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_closes_or_opens_a_gap_by_what_falls),
        cmocka_unit_test(a_law_sees_the_smaller_body_and_the_longer_trail),
        cmocka_unit_test(a_pair_is_ahead_by_what_both_are),
        cmocka_unit_test(a_softened_island_begins_from_nothing),
        cmocka_unit_test(a_pair_shares_its_bond_and_its_spring),
        cmocka_unit_test(a_blow_is_followed_through_two_bodies),
        cmocka_unit_test(what_flies_together_is_not_listed),
        cmocka_unit_test(half_of_the_deepest_penetration_is_taken_back_in_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Random piles of boxes and balls: energy and dissipation at every step under every law, the sweeps
// against the interior point inside a running scene, the same bits for any number of threads.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "solver/step/state.h"
#include "tests/reference/acd2_problem.h"
#include "tests/solver/scenes/scene.h"

static tal_law law_of(tal_law_kind kind) {
    return (tal_law){.kind = kind,
                     .friction = 0.5,
                     .restitution = 0.4,
                     .tangential_restitution = 0.3,
                     .stiffness_n_m = 1e7,
                     .damping_n_s_m = 1e4};
}

static tal_quat random_pose(tal_random random, uint64_t draw) {
    double a[3], b[3];
    tal_random_direction(random, draw, a);
    tal_random_direction(random, draw + 8, b);
    return tal_quat_normalize((tal_quat){a[0] + 1.2, a[1], b[0], b[1]});
}

// `count` bodies in a loose lattice above a plane, thrown together; every fourth is a ball.
static void make_pile(test_scene *scene, int count, uint32_t run, tal_law law) {
    const tal_random random = tal_random_stream(77, run, "tests/piles");
    test_scene_init(scene);
    scene->law = law;
    test_scene_set_plane(scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
    for (int n = 0; n < count; n++) {
        const uint64_t draw = 64 * (uint64_t)n;
        const tal_vec3 at = {1.3 * (n % 3), 1.3 * (n / 3 % 3), 0.9 + 1.3 * (n / 9)};
        int32_t b;
        if (n % 4 == 3) {
            b = test_scene_add_ball(scene, 0.3 + 0.1 * tal_random_uniform(random, draw), at,
                                    2700.0);
        } else {
            b = test_scene_add_box(scene, 0.5 + 0.2 * tal_random_uniform(random, draw),
                                   0.5 + 0.2 * tal_random_uniform(random, draw + 1),
                                   0.5 + 0.2 * tal_random_uniform(random, draw + 2), at,
                                   random_pose(random, draw + 3), 2700.0);
        }
        const double inwards = -1.0 - tal_random_uniform(random, draw + 30);
        scene->velocity[b] = tal_vec3_make(inwards * (at.x - 1.3), inwards * (at.y - 1.3), -2.0);
        scene->spin[b] = tal_vec3_make(2.0 * tal_random_uniform(random, draw + 31), 1.0, -1.0);
    }
}

typedef struct {
    double defect, duhem, rise, penetration;
    int32_t resolved, unconverged;
} extremes;

static extremes run_pile(tal_law_kind kind, tal_scheme scheme, uint32_t run, int steps) {
    test_scene scene;
    tal_model *model;
    tal_state *state;
    extremes worst = {.duhem = -INFINITY, .rise = -INFINITY};
    make_pile(&scene, 18, run, law_of(kind));
    scene.settings.scheme = scheme;
    scene.settings.tolerance = 1e-7;
    scene.settings.iteration_max = 2000;
    check_ok(test_scene_create_model(&scene, &model, &check_error));
    check_ok(tal_state_create(&state, model, 1, &check_error));
    for (int n = 0; n < steps; n++) {
        tal_report r;
        check_ok(tal_step(model, state, &r, &check_error));
        const double energy = r.kinetic_translation_j + r.kinetic_rotation_j + fabs(r.potential_j) +
                              fabs(r.dissipated_normal_j) + fabs(r.dissipated_tangential_j);
        const double work = -(r.dissipated_normal_j + r.dissipated_tangential_j);
        worst.defect = fmax(worst.defect, fabs(r.energy_defect_j) / energy);
        // R.x > 0 may come from the residual of the solution alone
        const double slack = fmax(r.residual, scene.settings.tolerance) * energy;
        worst.duhem = fmax(worst.duhem, r.clausius_duhem_worst_j / slack);
        worst.rise = fmax(worst.rise, (work - r.energy_rise_bound_j) / slack);
        worst.penetration = fmax(worst.penetration, r.penetration_m);
        worst.resolved += r.islands_resolved;
        worst.unconverged += r.unconverged_count > 0;
    }
    tal_state_destroy(state);
    tal_model_destroy(model);
    test_scene_destroy(&scene);
    return worst;
}

static void energy_book_closes_and_no_law_creates_energy(void **unused) {
    (void)unused;
    static const tal_law_kind kind[] = {TAL_LAW_ACD2, TAL_LAW_COULOMB, TAL_LAW_ACD2_COULOMB};
    for (int k = 0; k < 3; k++) {
        for (int scheme = 0; scheme < 2; scheme++) {
            for (uint32_t run = 0; run < 2; run++) {
                const extremes worst =
                    run_pile(kind[k], scheme ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU, run, 200);
                print_message("law %d scheme %d run %u: defect %.1e, R.x %.1e and rise beyond the "
                              "bound %.1e of what the residual allows, penetration %.2f mm, %d "
                              "islands again, %d steps "
                              "unconverged\n",
                              (int)kind[k], scheme, run, worst.defect, worst.duhem, worst.rise,
                              1e3 * worst.penetration, worst.resolved, worst.unconverged);
                assert_true(worst.defect < 1e-12);
                assert_true(worst.duhem < 1.0);
                assert_true(worst.rise < 1.0);
            }
        }
    }
}

static void penalty_and_published_laws_close_the_book_too(void **unused) {
    (void)unused;
    assert_true(run_pile(TAL_LAW_PENALTY, TAL_SCHEME_MOREAU, 1, 200).defect < 1e-12);
    assert_true(run_pile(TAL_LAW_ACD2_PUBLISHED, TAL_SCHEME_MOREAU, 1, 200).defect < 1e-12);
}

// Newton's restitution with friction can create energy where the inertia is small; the guard must
// notice and take the restitution away.
static void guard_stops_restitution_that_creates_energy(void **unused) {
    (void)unused;
    int32_t resolved = 0;
    for (uint32_t run = 0; run < 100; run++) {
        const tal_random random = tal_random_stream(5, run, "tests/guard");
        test_scene scene;
        tal_model *model;
        tal_state *state;
        test_scene_init(&scene);
        scene.law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = 0.5, .restitution = 0.9};
        test_scene_set_plane(&scene, (tal_vec3){0}, tal_vec3_make(0, 0, 1), 100.0);
        test_scene_add_box(&scene, 0.5, 0.7, 0.9, tal_vec3_make(0, 0, 0.8), random_pose(random, 0),
                           2700.0);
        scene.inertia[0] = tal_vec3_scale(scene.inertia[0], 0.02);
        scene.velocity[0] = tal_vec3_make(6.0 * tal_random_uniform(random, 30) - 3.0, 2.0, -3.0);
        scene.settings.tolerance = 1e-9;
        scene.settings.iteration_max = 5000;
        check_ok(test_scene_create_model(&scene, &model, &check_error));
        check_ok(tal_state_create(&state, model, 1, &check_error));
        for (int n = 0; n < 60; n++) {
            tal_report r;
            check_ok(tal_step(model, state, &r, &check_error));
            const double work = -(r.dissipated_normal_j + r.dissipated_tangential_j);
            resolved += r.islands_resolved;
            if (r.unconverged_count == 0) {
                assert_true(work <= r.energy_rise_bound_j + 1e-3);
            }
        }
        tal_state_destroy(state);
        tal_model_destroy(model);
        test_scene_destroy(&scene);
    }
    print_message("%d islands solved again\n", resolved);
    assert_true(resolved > 0);
}

// Largest difference of u+ in the state and the interior point's, relative to the largest speed.
static double compare_with_reference(const tal_model *model, tal_state *state) {
    static tal_rigid_motion free_motion[64], before[65];
    static double x[6 * 64];
    tal_acd2_problem acd2;
    tal_reference_result reference;
    tal_percussion_problem problem = state->work.problem;
    const tal_vec3 kick = tal_vec3_scale(model->settings.gravity_mps2, model->settings.dt_s);
    for (int32_t b = 0; b < model->body_count; b++) {
        before[b] = free_motion[b] = state->work.motion_before[b];
        free_motion[b].v = tal_vec3_add(before[b].v, kick);
    }
    problem.motion = free_motion;
    check_ok(tal_acd2_problem_create(&acd2, &problem, before, &check_error));
    check_ok(tal_interior_point_solve(&acd2, 1e-11, 500, x, &reference, &check_error));
    double worst = 0.0, fastest = 1.0;
    for (int32_t b = 0; b < model->body_count; b++) {
        const tal_vec3 mean = {x[6 * b], x[6 * b + 1], x[6 * b + 2]};
        const tal_vec3 after = tal_vec3_subtract(tal_vec3_scale(mean, 2.0), before[b].v);
        worst = fmax(worst, tal_vec3_length(tal_vec3_subtract(after, state->work.motion[b].v)));
        fastest = fmax(fastest, tal_vec3_length(after));
    }
    tal_acd2_problem_destroy(&acd2);
    return worst / fastest;
}

static void sweeps_in_a_running_pile_agree_with_the_interior_point(void **unused) {
    (void)unused;
    test_scene scene;
    tal_model *model;
    tal_state *state;
    double worst = 0.0;
    int compared = 0;
    make_pile(&scene, 18, 5, law_of(TAL_LAW_ACD2));
    scene.settings.tolerance = 1e-9;
    scene.settings.iteration_max = 20000;
    scene.settings.substep_max = 1;
    check_ok(test_scene_create_model(&scene, &model, &check_error));
    check_ok(tal_state_create(&state, model, 1, &check_error));
    for (int n = 0; n < 200; n++) {
        tal_report report;
        check_ok(tal_step(model, state, &report, &check_error));
        if (n % 10 == 0 && report.contact_count > 0) {
            worst = fmax(worst, compare_with_reference(model, state));
            compared++;
        }
    }
    print_message("%d steps compared, largest difference %.2e of the speed\n", compared, worst);
    assert_true(compared > 10);
    assert_true(worst < 1e-5);
    tal_state_destroy(state);
    tal_model_destroy(model);
    test_scene_destroy(&scene);
}

static uint64_t hash_after(const test_scene *scene, int threads, int steps) {
    tal_model *model;
    tal_state *state;
    check_ok(test_scene_create_model(scene, &model, &check_error));
    check_ok(tal_state_create(&state, model, threads, &check_error));
    for (int n = 0; n < steps; n++) {
        tal_report report;
        check_ok(tal_step(model, state, &report, &check_error));
    }
    const uint64_t hash = tal_state_hash(state);
    tal_state_destroy(state);
    tal_model_destroy(model);
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **unused) {
    (void)unused;
    static const tal_law_kind kind[] = {TAL_LAW_COULOMB, TAL_LAW_ACD2_COULOMB};
    for (int k = 0; k < 2; k++) {
        test_scene scene;
        make_pile(&scene, 36, 9, law_of(kind[k]));
        const uint64_t alone = hash_after(&scene, 1, 100);
        for (int threads = 2; threads <= 8; threads *= 2) {
            assert_true(hash_after(&scene, threads, 100) == alone);
        }
        test_scene_destroy(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_book_closes_and_no_law_creates_energy),
        cmocka_unit_test(penalty_and_published_laws_close_the_book_too),
        cmocka_unit_test(guard_stops_restitution_that_creates_energy),
        cmocka_unit_test(sweeps_in_a_running_pile_agree_with_the_interior_point),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Largest tensile stresses of bodies that deform, and steps that are cut where these are struck.
#include "tests/solver/scenes/soft_box.h"

#include "solver/step/state.h"

// A box of stone; the caller changes the rest before it starts.
static void prepare(soft_box *r, const double size[3], const int cells[3],
                    tal_kinematics kinematics, tal_vec3 place, tal_quat turned) {
    soft_box_init(r, size, cells, kinematics, place, turned, 2000.0);
    r->scene.law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = 0.5};
    r->scene.settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -10.0};
    r->scene.settings.tolerance = 1e-8;
    r->scene.settings.watch_tension = true;
}

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};

// A column that hangs at its top carries its weight there: rho g (L - z). Damped beyond swinging, so the
// largest stress is the last. A bell of radius 0.8178 x 0.55 m gives the element below the top one, 0.25 m
// away, the weight (1 - (0.25/0.4498)^2)^2 = 0.4777.
static void a_hanging_column_pulls_at_its_top(void **unused) {
    (void)unused;
    const double size[2][3] = {{0.5, 0.5, 2.0}, {0.5, 2.0, 0.5}}; // the second with its y axis up
    const int cells[2][3] = {{1, 1, 8}, {1, 8, 1}};
    const tal_quat turned[2] = {UPRIGHT, {sqrt(0.5), sqrt(0.5), 0.0, 0.0}};
    const double length[2] = {0.1, 0.55}, below = 0.4777;
    const double expected[2] = {2000.0 * 10.0 * 1.875,
                                2000.0 * 10.0 * (1.875 + below * 1.625) / (1.0 + below)};
    const tal_vec3 across_joint[2] = {{0.6, 0.0, 0.8}, {0.0, 0.8, 0.6}}; // world axes
    for (int k = 0; k < 2; k++) {
        soft_box r;
        int32_t held[4];
        tal_report report;
        tal_weak_plane joint[2];
        prepare(&r, size[k], cells[k], TAL_KINEMATICS_COROTATIONAL, (tal_vec3){0}, turned[k]);
        for (int n = 0; n < 4; n++) {
            held[n] = k == 0 ? box_mesh_node(cells[k], n % 2, n / 2, 8)
                             : box_mesh_node(cells[k], n % 2, 8, n / 2);
            joint[n % 2] = (tal_weak_plane){
                0, tal_quat_rotate(tal_quat_conjugate(turned[k]), across_joint[n % 2]), 1e6};
        }
        r.solid.young_pa = 1e7;
        r.solid.held_count = 4;
        r.solid.held_node = held;
        r.solid.damping_stiffness_s = 0.05; // 1.4 times critical
        r.scene.settings.dt_s = 1e-3;       // transit of the width: 7 ms
        r.scene.settings.tension_length_m = length[k];
        r.scene.weak_plane_count = 2;
        r.scene.weak_plane = joint;
        soft_box_start(&r);
        while (tal_state_time(r.state) < 1.5) {
            check_ok(tal_step(r.model, r.state, &report, &check_error));
        }
        const tal_tension t = tal_state_tension(r.model, r.state, 0);
        for (int n = 0; n < 2; n++) { // across a plane: n . sigma n
            const double share = across_joint[n].z * across_joint[n].z;
            const tal_tension across = tal_state_tension_across(r.model, r.state, 0, n);
            check_near(across.tension_pa, share * expected[k], 2e-3 * expected[k]);
            check_near(across.place_m.z, 0.875, 1e-2);
            check_near(fabs(across.direction.z), across_joint[n].z, 1e-9);
        }
        check_near(t.tension_pa, expected[k], 2e-3 * expected[k]); // it grows by 4e-3 in length
        check_near(fabs(t.direction.z), 1.0, 1e-9);
        check_near(t.place_m.z, 0.875, 1e-2);
        check_near(t.missed_dt_s, 0.0, 0.0);
        assert_true(t.time_s > 0.1);
        soft_box_end(&r);
    }
}

typedef struct {
    double rebound, tension, missed, defect, raw;
    int most_pieces, least_pieces;
} fall;

// A cube that falls flat on its side, or turned onto a corner.
static fall drop(double dt, double blow_dt, int cells_each, double length, bool on_corner) {
    const double size[3] = {1.0, 1.0, 1.0};
    const int cells[3] = {cells_each, cells_each, cells_each};
    const tal_quat corner = tal_quat_normalize((tal_quat){0.88, 0.36, 0.3, 0.0});
    fall f = {.least_pieces = 1000};
    soft_box r;
    tal_report report;
    prepare(&r, size, cells, TAL_KINEMATICS_FLOATING_FRAME,
            (tal_vec3){0.0, 0.0, on_corner ? 0.9 : 0.55}, on_corner ? corner : UPRIGHT);
    test_scene_set_plane(&r.scene, (tal_vec3){0}, (tal_vec3){0.0, 0.0, 1.0}, 10.0);
    r.solid.young_pa = 2e8;
    r.solid.poisson = 0.2;
    r.solid.damping_stiffness_s = 2e-4; // a tenth of critical: the first swing is the largest
    r.scene.velocity[0] = (tal_vec3){0.0, 0.0, -3.0};
    r.scene.settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -1.0};
    r.scene.settings.dt_s = dt;
    r.scene.settings.blow_dt_s = blow_dt;
    r.scene.settings.tension_length_m = length;
    soft_box_start(&r);
    const double energy = 0.5 * r.scene.mass[0] * 9.0;
    while (tal_state_time(r.state) < 0.06) {
        check_ok(tal_step(r.model, r.state, &report, &check_error));
        f.defect = fmax(f.defect, fabs(report.energy_defect_j) / energy);
        f.most_pieces = report.substeps > f.most_pieces ? report.substeps : f.most_pieces;
        f.least_pieces = report.substeps < f.least_pieces ? report.substeps : f.least_pieces;
        f.raw = fmax(f.raw, tal_state_largest_tension(r.model, r.state, 0).tension_pa);
    }
    const tal_tension t = tal_state_tension(r.model, r.state, 0);
    f.rebound = tal_state_velocities(r.state)[0].z / 3.0;
    f.tension = t.tension_pa;
    f.missed = t.missed_dt_s;
    soft_box_end(&r);
    return f;
}

// Transit 2.9 ms: 0.7 ms resolve a blow, 5 ms do not.
static void a_step_with_a_blow_is_cut(void **unused) {
    (void)unused;
    const fall fine = drop(2e-4, 0.0, 2, 0.0, false), cut = drop(5e-3, 2e-4, 2, 0.0, false),
               coarse = drop(5e-3, 0.0, 2, 0.0, false);
    printf("rebound fine %.4f, cut %.4f, coarse %.4f; tension %.4g %.4g %.4g Pa\n", fine.rebound,
           cut.rebound, coarse.rebound, fine.tension, cut.tension, coarse.tension);
    assert_int_equal(fine.most_pieces, 1);
    assert_int_equal(cut.most_pieces, 25);
    assert_int_equal(cut.least_pieces, 1); // in flight
    check_near(cut.rebound, fine.rebound, 0.01);
    check_near(cut.tension, fine.tension, 0.03 * fine.tension);
    assert_true(fabs(coarse.rebound - fine.rebound) > 0.03); // what cutting is for
    assert_true(cut.defect < 1e-4 && fine.defect < 1e-4);    // of a floating frame
    check_near(fine.missed, 0.0, 0.0);
    check_near(cut.missed, 0.0, 0.0);
    check_near(coarse.missed, 5e-3, 1e-12); // the run knows what it does not know
    check_near(coarse.tension, 0.0, 0.0);
}

// A blow on a corner, where single elements show a stress that grows as they get smaller.
static void the_mean_tension_depends_little_on_mesh_and_step(void **unused) {
    (void)unused;
    const fall coarse = drop(6e-4, 0.0, 5, 0.6, true), fine = drop(6e-4, 0.0, 7, 0.6, true),
               short_step = drop(3e-4, 0.0, 5, 0.6, true);
    printf(
        "corner: mean %.4g, finer mesh %.4g, step / 2 %.4g; single element %.4g, %.4g, %.4g Pa\n",
        coarse.tension, fine.tension, short_step.tension, coarse.raw, fine.raw, short_step.raw);
    check_near(fine.tension, coarse.tension, 0.25 * coarse.tension);
    check_near(short_step.tension, coarse.tension, 0.1 * coarse.tension);
    assert_true(fabs(fine.raw / coarse.raw - 1.0) >
                2.0 * fabs(fine.tension / coarse.tension - 1.0));
}

// A body that moves by three inner radii within a step is cut into four pieces, by more into none.
static void a_fast_body_is_cut_as_far_as_there_are_factors(void **unused) {
    (void)unused;
    const double size[3] = {1.0, 1.0, 1.0};
    const int cells[3] = {1, 1, 1};
    const double speed[2] = {150.0, 250.0};
    for (int k = 0; k < 2; k++) {
        soft_box r;
        tal_report report;
        prepare(&r, size, cells, TAL_KINEMATICS_TOTAL_LAGRANGIAN, (tal_vec3){0}, UPRIGHT);
        r.solid.young_pa = 1e9;
        r.scene.velocity[0] = (tal_vec3){speed[k], 0.0, 0.0};
        r.scene.settings.dt_s = 0.01;
        soft_box_start(&r);
        if (k == 0) {
            check_ok(tal_step(r.model, r.state, &report, &check_error));
            assert_int_equal(report.substeps, 4);
            check_near(tal_state_positions(r.state)[0].x, 1.5, 1e-12);
            check_near(tal_state_positions(r.state)[0].z, -0.5 * 10.0 * 1e-4, 1e-12);
            assert_true(fabs(report.energy_defect_j) < 1e-9 * report.kinetic_translation_j);
        } else {
            check_fails(tal_step(r.model, r.state, &report, &check_error), TAL_BAD_SETTING,
                        "take dt = 0.008 s");
        }
        soft_box_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_column_pulls_at_its_top),
        cmocka_unit_test(a_step_with_a_blow_is_cut),
        cmocka_unit_test(the_mean_tension_depends_little_on_mesh_and_step),
        cmocka_unit_test(a_fast_body_is_cut_as_far_as_there_are_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

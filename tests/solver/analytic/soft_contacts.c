// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that deform in contact, against closed forms and independently computed digits.
#include "tests/solver/scenes/soft_box.h"

#include "solver/step/state.h"

static const tal_quat UPRIGHT = {1.0, 0.0, 0.0, 0.0};

typedef struct {
    double size[3];
    int cells[3];
    double density, young, poisson, speed, h;
    bool lumped;
    tal_kinematics kinematics;
    tal_elastic_scheme scheme; // implicit: with positions that follow the velocity after
} block;

// A block whose lower face is on a plane at z = 0, coming down; no gravity, no friction.
static void drop(soft_box *r, block of) {
    soft_box_init(r, of.size, of.cells, of.kinematics, tal_vec3_make(0.0, 0.0, 0.5 * of.size[2]),
                  UPRIGHT, of.density);
    test_scene_set_plane(&r->scene, (tal_vec3){0}, tal_vec3_make(0.0, 0.0, 1.0), 10.0 * of.size[2]);
    r->scene.velocity[0] = tal_vec3_make(0.0, 0.0, -of.speed);
    r->scene.settings.dt_s = of.h;
    r->scene.settings.gravity_mps2 = (tal_vec3){0};
    r->scene.settings.tolerance = 1e-10;
    r->scene.settings.iteration_max = 10000;
    r->scene.settings.correction = 0.0;
    r->scene.settings.elastic_scheme = of.scheme;
    r->scene.settings.scheme =
        of.scheme == TAL_ELASTIC_IMPLICIT ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
    r->scene.law = (tal_law){.kind = TAL_LAW_COULOMB};
    r->solid.young_pa = of.young;
    r->solid.poisson = of.poisson;
    r->solid.lumped_mass = of.lumped;
    soft_box_start(r);
}

typedef struct {
    double rebound, energy; // relative to the fall
    double contact_s;       // until the last percussion
    double defect;          // largest of a step, relative
    double dissipated_normal, dissipated_material;
} fall;

static fall watch(soft_box *r, double speed, double duration) {
    tal_report report;
    fall f = {0};
    const double start = 0.5 * r->scene.mass[0] * speed * speed;
    while (tal_state_time(r->state) < duration) {
        check_ok(tal_step(r->model, r->state, &report, &check_error));
        f.defect = fmax(f.defect, fabs(report.energy_defect_j) / start);
        f.dissipated_normal += report.dissipated_normal_j / start;
        f.dissipated_material += report.dissipated_material_j / start;
        if (report.active_count > 0) {
            f.contact_s = report.time_s;
        }
    }
    f.rebound = tal_state_velocities(r->state)[0].z / speed;
    f.energy = (report.kinetic_translation_j + report.kinetic_rotation_j +
                report.kinetic_deformation_j + report.strain_j) /
               start;
    return f;
}

// Rod on a wall: what the first blow takes is that of the mass that stops at once,
// E/E0 = 1 - m_eff/m, m_eff = 1/(M^-1)_11 of the end.
static void a_rod_loses_what_its_end_weighs(void **unused) {
    (void)unused;
    const int n[] = {1, 2, 4, 8};
    const double consistent[] = {0.7500, 0.8571, 0.9278, 1.0 - 0.2887 / 8};
    const double rebound[] = {0.749, 0.825, 0.891, 0.931};
    const double c = sqrt(1e9 / 2500.0);
    const tal_kinematics of[] = {TAL_KINEMATICS_FLOATING_FRAME, TAL_KINEMATICS_SMALL};
    for (int k = 0; k < 8; k++) {
        const int cells = n[k % 4];
        const double h = 0.05 / cells / c;
        soft_box r;
        drop(&r,
             (block){
                 {0.1, 0.1, 1.0}, {1, 1, cells}, 2500.0, 1e9, 0.0, 0.01, h, false, of[k / 4], 0});
        const fall f = watch(&r, 0.01, 2.5 / c);
        check_near(f.energy, consistent[k % 4], 4e-3); // of the limit h = 0
        check_near(f.rebound, rebound[k % 4], 1.5e-3);
        assert_true(f.defect < 1e-9);
        soft_box_end(&r);
    }
}

// Two masses and a spring: a cube of one element with its masses lumped. The lower mass stops at once and
// lifts off after pi sqrt(m2/k); the upper one takes m2/(m1 + m2) of the speed along.
static void two_masses_part_with_half_the_speed(void **unused) {
    (void)unused;
    const tal_kinematics of[] = {TAL_KINEMATICS_FLOATING_FRAME, TAL_KINEMATICS_SMALL,
                                 TAL_KINEMATICS_COROTATIONAL};
    for (int k = 0; k < 3; k++) {
        soft_box r;
        drop(&r, (block){{1, 1, 1}, {1, 1, 1}, 2.0, 1e4, 0.0, 0.01, 1e-4, true, of[k], 0});
        const fall f = watch(&r, 0.01, 0.1);
        check_near(f.rebound, 0.4999909, 1e-7);
        check_near(f.energy, 0.4999875, 1e-7);
        check_near(f.contact_s, 3.14159265e-2, 2e-4);
        check_near(f.dissipated_material, 0.0, 1e-12);
        assert_true(f.defect < 1e-12);
        soft_box_end(&r);
    }
}

static void two_masses_lose_more_with_the_implicit_scheme(void **unused) {
    (void)unused;
    soft_box r;
    drop(&r, (block){{1, 1, 1},
                     {1, 1, 1},
                     2.0,
                     1e4,
                     0.0,
                     0.01,
                     1e-4,
                     true,
                     TAL_KINEMATICS_FLOATING_FRAME,
                     TAL_ELASTIC_IMPLICIT});
    const fall f = watch(&r, 0.01, 0.1);
    check_near(f.rebound, 0.4960878, 1e-7);
    assert_true(f.dissipated_material > 0.0);
    assert_true(f.defect < 1e-12);
    soft_box_end(&r);
}

// Percussion m v/4, rebound 3 v/4, contact pi sqrt(m/(3 E a)).
static void a_pseudo_rigid_cube_rebounds_with_three_quarters(void **unused) {
    (void)unused;
    const double contact = 2.867869e-3;
    soft_box r;
    drop(&r, (block){{1, 1, 1},
                     {1, 1, 1},
                     2500.0,
                     1e9,
                     0.0,
                     0.01,
                     contact / 100.0,
                     false,
                     TAL_KINEMATICS_PSEUDO_RIGID,
                     0});
    const fall f = watch(&r, 0.01, 2.0 * contact);
    check_near(f.rebound, 0.749818, 2e-6);
    check_near(f.energy, 0.749815, 2e-6);
    check_near(f.contact_s, contact, 0.02 * contact);
    assert_true(f.defect < 1e-9);
    soft_box_end(&r);
}

// Solfec: a cube that bounces, pseudo-rigid and of finite elements. One element has the uniform strain of
// the pseudo-rigid cube when it falls flat (the consistent masses of a rod of one element give 0.749, its
// Euler tensor 0.75); finer meshes keep more of the speed, up to what waves let go.
static void a_bouncing_cube_is_pseudo_rigid_with_one_element(void **unused) {
    (void)unused;
    const tal_kinematics of[] = {TAL_KINEMATICS_PSEUDO_RIGID, TAL_KINEMATICS_TOTAL_LAGRANGIAN,
                                 TAL_KINEMATICS_TOTAL_LAGRANGIAN, TAL_KINEMATICS_TOTAL_LAGRANGIAN};
    const int cells[] = {1, 1, 2, 4};
    const double contact = 2.867869e-3; // of the pseudo-rigid cube
    fall f[4];
    for (int k = 0; k < 4; k++) {
        soft_box r;
        drop(&r, (block){{1, 1, 1},
                         {cells[k], cells[k], cells[k]},
                         2500.0,
                         1e9,
                         0.0,
                         0.01,
                         contact / 100.0,
                         false,
                         of[k],
                         0});
        f[k] = watch(&r, 0.01, 2.0 * contact);
        soft_box_end(&r);
    }
    printf("bouncing cube: rebound %.4f (pseudo-rigid) %.4f %.4f %.4f (1, 2, 4 elements a side)\n",
           f[0].rebound, f[1].rebound, f[2].rebound, f[3].rebound);
    check_near(f[1].rebound, f[0].rebound, 2e-3);
    check_near(f[1].contact_s, f[0].contact_s, 0.03 * contact);
    check_near(f[2].rebound, 0.825, 2e-3); // the rod of two and of four elements
    check_near(f[3].rebound, 0.891, 2e-3);
}

// Down a slope steeper than its friction a stiff block slides as a rigid one: what its own weight strains
// it by is all that is left, and falls as 1/E.
static double off_the_rigid_slide(double young) {
    const double size[3] = {1.0, 0.8, 0.6}, angle = 0.6, mu = 0.4, g = 9.81, end_s = 0.25;
    const int cells[3] = {2, 2, 2};
    const tal_vec3 normal = {sin(angle), 0.0, cos(angle)};
    const tal_quat tilt = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
    soft_box r;
    tal_report report;
    soft_box_init(&r, size, cells, TAL_KINEMATICS_FLOATING_FRAME,
                  tal_vec3_scale(normal, 0.5 * size[2]), tilt, 2600.0);
    test_scene_set_plane(&r.scene, (tal_vec3){0}, normal, 20.0);
    r.solid.young_pa = young;
    r.solid.poisson = 0.2;
    r.solid.damping_stiffness_s = 2.0 * sqrt(2600.0 / young); // two transits: it does not ring
    r.scene.law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = mu};
    r.scene.settings.dt_s = 5e-4;
    r.scene.settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -g};
    r.scene.settings.tolerance = 1e-8;
    soft_box_start(&r);
    while (tal_state_time(r.state) < end_s - 1e-9) {
        check_ok(tal_step(r.model, r.state, &report, &check_error));
        assert_int_equal(report.unconverged_count, 0);
    }
    const double way = 0.5 * g * (sin(angle) - mu * cos(angle)) * end_s * end_s;
    const tal_vec3 down = {cos(angle), 0.0, -sin(angle)};
    const tal_vec3 moved =
        tal_vec3_subtract(tal_state_positions(r.state)[0], tal_vec3_scale(normal, 0.5 * size[2]));
    const double off = tal_vec3_length(tal_vec3_add_scaled(moved, -way, down)) / way;
    soft_box_end(&r);
    return off;
}

static void a_stiffer_block_slides_more_like_a_rigid_one(void **unused) {
    (void)unused;
    const double soft = off_the_rigid_slide(1e7), stiff = off_the_rigid_slide(1e8),
                 stiffer = off_the_rigid_slide(1e9);
    printf("off the rigid slide: %.2e %.2e %.2e\n", soft, stiff, stiffer);
    assert_true(soft < 0.05 && stiff < 0.3 * soft && stiffer < 0.3 * stiff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_loses_what_its_end_weighs),
        cmocka_unit_test(a_stiffer_block_slides_more_like_a_rigid_one),
        cmocka_unit_test(two_masses_part_with_half_the_speed),
        cmocka_unit_test(two_masses_lose_more_with_the_implicit_scheme),
        cmocka_unit_test(a_pseudo_rigid_cube_rebounds_with_three_quarters),
        cmocka_unit_test(a_bouncing_cube_is_pseudo_rigid_with_one_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

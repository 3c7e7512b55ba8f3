// SPDX-License-Identifier: GPL-3.0-or-later
// A cuboid of one hexahedron falls on a cube of one hexahedron whose lower nodes are held (Maier and
// Glocker): both integrators, without and with friction, against independently computed digits.
#include "tests/solver/scenes/box_mesh.h"
#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

enum { CUBE, CUBOID };

typedef struct {
    double rebound, energy, contact_s, gain; // of the speed, of the energy; largest gain of a step
    double area[2]; // mean change of the faces of cuboid and cube while they touch
} blow;

static double lower_area(const tal_model *model, const tal_state *state, int32_t body,
                         int32_t first) {
    tal_vec3 x[4];
    for (int32_t n = 0; n < 4; n++) { // nodes (0,0), (1,0), (0,1), (1,1)
        x[n] = tal_state_node_position(model, state, body, first + n);
    }
    const tal_vec3 a = tal_vec3_subtract(x[3], x[0]), b = tal_vec3_subtract(x[2], x[1]);
    return 0.5 * tal_vec3_length(tal_vec3_cross(a, b));
}

static blow strike(bool is_implicit, double friction, double speed) {
    const double size[2][3] = {{0.02, 0.02, 0.02}, {0.01, 0.01, 0.005}};
    const double young[2] = {210e9, 210e6};
    const int cells[3] = {1, 1, 1};
    const int32_t held[4] = {0, 1, 2, 3}, of_body[2] = {CUBE, CUBOID};
    const tal_quat upright = {1.0, 0.0, 0.0, 0.0};
    test_scene scene;
    box_mesh mesh[2];
    tal_solid_input solid[2];
    tal_model *model;
    tal_state *state;
    tal_report report;
    test_scene_init(&scene);
    for (int b = 0; b < 2; b++) {
        const double z = b == CUBE ? 0.01 : 0.0225;
        test_scene_add_box(&scene, size[b][0], size[b][1], size[b][2], tal_vec3_make(0.0, 0.0, z),
                           upright, 7850.0);
        mesh[b] = box_mesh_make(size[b], cells, false);
        solid[b] = box_mesh_solid(&mesh[b], TAL_KINEMATICS_SMALL);
        solid[b].density_kg_m3 = 7850.0;
        solid[b].young_pa = young[b];
        solid[b].poisson = 0.3;
        solid[b].nodes_only = true;
    }
    solid[CUBE].held_count = 4;
    solid[CUBE].held_node = held;
    scene.velocity[CUBOID].z = -speed;
    scene.solid_count = 2;
    scene.solid = solid;
    scene.body_solid = of_body;
    scene.law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = friction};
    scene.settings = tal_solver_settings_default();
    scene.settings.dt_s = 1e-6;
    scene.settings.gravity_mps2 = (tal_vec3){0};
    scene.settings.tolerance = 1e-11;
    scene.settings.iteration_max = 10000;
    scene.settings.correction = 0.0;
    scene.settings.elastic_scheme = is_implicit ? TAL_ELASTIC_IMPLICIT : TAL_ELASTIC_THETA;
    scene.settings.scheme = is_implicit ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
    check_ok(test_scene_create_model(&scene, &model, &check_error));
    check_ok(tal_state_create(&state, model, 1, &check_error));
    const double start = 0.5 * scene.mass[CUBOID] * speed * speed;
    double energy = start;
    int touched = 0;
    blow b = {0};
    for (int n = 0; n < 120; n++) {
        check_ok(tal_step(model, state, &report, &check_error));
        const double now = report.kinetic_translation_j + report.kinetic_rotation_j +
                           report.kinetic_deformation_j + report.strain_j;
        b.gain = fmax(b.gain, (now - energy) / start);
        energy = now;
        b.contact_s = report.active_count > 0 ? report.time_s : b.contact_s;
        const double face[2] = {lower_area(model, state, CUBOID, 0) / 1e-4 - 1.0,
                                lower_area(model, state, CUBE, 4) / 4e-4 - 1.0};
        for (int k = 0; report.active_count > 0 && k < 2; k++) {
            b.area[k] += face[k];
        }
        touched += report.active_count > 0;
    }
    b.area[0] /= touched;
    b.area[1] /= touched;
    b.rebound = tal_state_velocities(state)[CUBOID].z / speed;
    b.energy = energy / start;
    tal_state_destroy(state);
    tal_model_destroy(model);
    test_scene_destroy(&scene);
    box_mesh_destroy(&mesh[0]);
    box_mesh_destroy(&mesh[1]);
    return b;
}

static void the_energy_consistent_scheme_gives_the_reference_blow(void **unused) {
    (void)unused;
    const blow smooth = strike(false, 0.0, 1.0), rough = strike(false, 1.0, 1.0);
    check_near(smooth.rebound, 0.47302, 6e-6);
    check_near(smooth.energy, 0.75981, 6e-6);
    check_near(smooth.contact_s, 48e-6, 1e-9);
    check_near(rough.rebound, 0.57628, 6e-6);
    check_near(rough.energy, 0.75964, 6e-6);
    check_near(rough.contact_s, 49e-6, 1e-9);
    assert_true(smooth.gain < 1e-9 && rough.gain < 1e-9); // what the tolerance of 1e-11 leaves
    check_near(smooth.area[0], 2.185e-3, 2e-5);
    check_near(smooth.area[1], 1.284e-6, 2e-8);
    check_near(rough.area[0], 1.8e-6, 3e-7);   // friction holds the face of the cuboid
    check_near(rough.area[1], 1.556e-6, 2e-8); // and widens that of the cube
}

static void the_implicit_scheme_loses_rebound(void **unused) {
    (void)unused;
    const blow smooth = strike(true, 0.0, 1.0), rough = strike(true, 1.0, 1.0);
    check_near(smooth.rebound, 0.44784, 6e-6);
    check_near(smooth.contact_s, 47e-6, 1e-9);
    check_near(rough.rebound, 0.54575, 6e-6);
    check_near(rough.contact_s, 49e-6, 1e-9);
}

static void ratios_do_not_depend_on_the_speed(void **unused) {
    (void)unused;
    const blow slow = strike(false, 1.0, 0.01), fast = strike(false, 1.0, 1.0);
    check_near(slow.rebound, fast.rebound, 1e-8);
    check_near(slow.energy, fast.energy, 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_consistent_scheme_gives_the_reference_blow),
        cmocka_unit_test(the_implicit_scheme_loses_rebound),
        cmocka_unit_test(ratios_do_not_depend_on_the_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

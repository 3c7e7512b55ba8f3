// SPDX-License-Identifier: GPL-3.0-or-later
// Scenes with rigid bodies and bodies that deform: same bits for any number of threads and after a stop,
// an energy book that closes, and input that is refused with a sentence.
#include "tests/solver/scenes/box_mesh.h"
#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

#include "solver/step/state.h"

#include <unistd.h>

enum { BODIES = 5 };

typedef struct {
    test_scene scene;
    box_mesh mesh;
    tal_solid_input solid[3];
    int32_t of_body[BODIES];
    tal_model *model;
} mixed;

static const double EDGE[3] = {0.8, 0.6, 0.5};

// A slope with blocks of four kinds one above the other, turned, that fall on each other.
static void describe(mixed *m) {
    const int cells[3] = {2, 2, 2};
    const tal_quat upright = {1.0, 0.0, 0.0, 0.0},
                   turned = tal_quat_normalize((tal_quat){1.0, 0.1, 0.2, -0.1});
    test_scene_init(&m->scene);
    test_scene_set_plane(&m->scene, (tal_vec3){0}, tal_vec3_normalize(tal_vec3_make(0.2, 0.0, 1.0)),
                         50.0);
    for (int b = 0; b < BODIES; b++) {
        test_scene_add_box(&m->scene, EDGE[0], EDGE[1], EDGE[2],
                           tal_vec3_make(0.05 * b, 0.03 * b, 0.6 + 0.9 * b),
                           b % 2 == 0 ? turned : upright, 2600.0);
        m->scene.velocity[b] = tal_vec3_make(0.3, 0.1 * b, -2.0);
    }
    m->mesh = box_mesh_make(EDGE, cells, false);
    for (int s = 0; s < 3; s++) {
        const tal_kinematics of[3] = {TAL_KINEMATICS_FLOATING_FRAME,
                                      TAL_KINEMATICS_TOTAL_LAGRANGIAN, TAL_KINEMATICS_PSEUDO_RIGID};
        m->solid[s] = box_mesh_solid(&m->mesh, of[s]);
        m->solid[s].density_kg_m3 = 2600.0;
        m->solid[s].young_pa = 2e9;
        m->solid[s].poisson = 0.25;
        m->solid[s].damping_stiffness_s = 1e-5;
    }
    const int32_t of_body[BODIES] = {0, -1, 1, 2, 0};
    memcpy(m->of_body, of_body, sizeof of_body);
    m->scene.solid_count = 3;
    m->scene.solid = m->solid;
    m->scene.body_solid = m->of_body;
    m->scene.law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = 0.5, .restitution = 0.2};
    m->scene.settings = tal_solver_settings_default();
    m->scene.settings.dt_s = 2e-4;
    m->scene.settings.tolerance = 1e-6;
}

static void begin(mixed *m) {
    describe(m);
    check_ok(test_scene_create_model(&m->scene, &m->model, &check_error));
}

static void end(mixed *m) {
    tal_model_destroy(m->model);
    test_scene_destroy(&m->scene);
    box_mesh_destroy(&m->mesh);
}

static void step(mixed *m, tal_state *state, int count) {
    tal_report report;
    for (int n = 0; n < count; n++) {
        check_ok(tal_step(m->model, state, &report, &check_error));
    }
}

// A run in one go, one with three threads, and one that goes on from a checkpoint of the second.
static void check_same_bits(mixed *m, int steps, int stop) {
    tal_state *whole, *shared, *resumed;
    int strained = 0;
    char path[300];
    snprintf(path, sizeof path, "%s/checkpoint", check_scratch());
    check_ok(tal_state_create(&whole, m->model, 1, &check_error));
    check_ok(tal_state_create(&shared, m->model, 3, &check_error));
    check_ok(tal_state_create(&resumed, m->model, 2, &check_error));
    step(m, whole, steps);
    step(m, shared, stop);
    check_ok(tal_checkpoint_write(m->model, shared, path, &check_error));
    step(m, shared, steps - stop);
    check_ok(tal_checkpoint_read(m->model, resumed, path, &check_error));
    step(m, resumed, steps - stop);
    assert_true(tal_state_hash(whole) == tal_state_hash(shared));
    assert_true(tal_state_hash(whole) == tal_state_hash(resumed));
    for (int b = 0; b < BODIES; b++) {
        const tal_tension t = tal_state_tension(m->model, whole, b);
        const tal_tension again = tal_state_tension(m->model, resumed, b);
        assert_true(t.tension_pa == again.tension_pa && t.time_s == again.time_s);
        strained += t.tension_pa > 1e4 ? 1 : 0; // the lowest two of those that deform
    }
    assert_int_equal(strained, m->scene.settings.watch_tension ? 2 : 0);
    const uint64_t before = tal_state_hash(whole);
    whole->soft_field[7] = nextafter(whole->soft_field[7], 1.0);
    assert_true(tal_state_hash(whole) != before);
    tal_state_destroy(whole);
    tal_state_destroy(shared);
    tal_state_destroy(resumed);
}

static void threads_and_stops_change_no_bit(void **unused) {
    (void)unused;
    mixed m;
    begin(&m);
    check_same_bits(&m, 1500, 900);
    end(&m);
}

// Long steps that are cut where something is struck, and stresses that are kept meanwhile.
static void cut_steps_and_stresses_change_no_bit_either(void **unused) {
    (void)unused;
    mixed m;
    describe(&m);
    m.scene.settings.dt_s = 2e-3;
    m.scene.settings.blow_dt_s = 1e-4;
    m.scene.settings.watch_tension = true;
    check_ok(test_scene_create_model(&m.scene, &m.model, &check_error));
    check_same_bits(&m, 150, 67);
    end(&m);
}

// Largest defect of a step, relative to the kinetic energy, of four blocks of one solid and a rigid one.
static double largest_defect(int32_t solid) {
    mixed m;
    tal_state *state;
    tal_report report;
    double worst = 0.0, material = 0.0, contacts = 0.0, kinetic = 0.0;
    int touched = 0;
    describe(&m);
    for (int b = 0; b < BODIES; b++) {
        m.of_body[b] = b == 1 ? -1 : solid;
    }
    check_ok(test_scene_create_model(&m.scene, &m.model, &check_error));
    check_ok(tal_state_create(&state, m.model, 1, &check_error));
    for (int n = 0; n < 1500; n++) {
        check_ok(tal_step(m.model, state, &report, &check_error));
        kinetic = fmax(kinetic, report.kinetic_translation_j);
        worst = fmax(worst, fabs(report.energy_defect_j));
        material += report.dissipated_material_j;
        contacts += report.dissipated_normal_j + report.dissipated_tangential_j;
        touched += report.active_count > 0;
        assert_true(report.penetration_m < 0.01 * EDGE[2]);
    }
    assert_true(touched > 100 && contacts > 0.05 * kinetic && material > 0.05 * kinetic);
    tal_state_destroy(state);
    end(&m);
    return worst / kinetic;
}

// Total Lagrangian and pseudo-rigid: to rounding. A frame and its field exchange energy through an
// inertia that follows the strain (1e-3 here), and a blow changes the spin within the step.
static void the_energy_book_closes(void **unused) {
    (void)unused;
    assert_true(largest_defect(1) < 1e-10);
    assert_true(largest_defect(2) < 1e-10);
    assert_true(largest_defect(0) < 1e-5);
}

static void refuse(void (*spoil)(mixed *), tal_status status, const char *words) {
    mixed m;
    describe(&m);
    spoil(&m);
    check_fails(test_scene_create_model(&m.scene, &m.model, &check_error), status, words);
    assert_null(m.model);
    m.model = NULL;
    end(&m);
}

static void invert_element(mixed *m) {
    const int32_t kept = m->mesh.corner[1];
    m->mesh.corner[1] = m->mesh.corner[3];
    m->mesh.corner[3] = kept;
}
static void take_poisson_half(mixed *m) {
    m->solid[0].poisson = 0.5;
}
static void take_negative_modulus(mixed *m) {
    m->solid[1].young_pa = -1.0;
}
static void take_other_density(mixed *m) {
    m->solid[0].density_kg_m3 = 2500.0;
}
static void shift_mesh(mixed *m) {
    for (int32_t n = 0; n < m->mesh.node_count; n++) {
        m->mesh.node[n].x += 0.1;
    }
}
static void turn_mesh(mixed *m) {
    for (int32_t n = 0; n < m->mesh.node_count; n++) {
        const tal_vec3 x = m->mesh.node[n];
        m->mesh.node[n] = (tal_vec3){x.y, x.z, x.x};
    }
}
static void leave_node_alone(mixed *m) {
    static tal_vec3 node[28];
    memcpy(node, m->mesh.node, 27 * sizeof *node);
    for (int s = 0; s < 2; s++) {
        m->solid[s].node_m = node;
        m->solid[s].node_count = 28;
    }
}
static void make_two_pieces(mixed *m) {
    static tal_vec3 node[16];
    static int32_t corner[16];
    for (int k = 0; k < 8; k++) { // the first and the last cell, with nodes of their own
        node[k] = m->mesh.node[m->mesh.corner[k]];
        node[8 + k] = m->mesh.node[m->mesh.corner[8 * 7 + k]];
        corner[k] = k;
        corner[8 + k] = 8 + k;
    }
    m->solid[0].node_m = node;
    m->solid[0].node_count = 16;
    m->solid[0].hexahedron = corner;
    m->solid[0].hexahedron_count = 2;
}
static void name_strange_node(mixed *m) {
    m->mesh.corner[5] = 99;
}
static void name_strange_solid(mixed *m) {
    m->of_body[2] = 7;
}
static void fix_soft_body(mixed *m) {
    m->scene.fixed[0] = 1;
}

static void hold_node_in_frame(mixed *m) {
    static const int32_t first = 0;
    m->solid[0].held_count = 1;
    m->solid[0].held_node = &first;
}

static void wrong_solids_are_named(void **unused) {
    (void)unused;
    refuse(invert_element, TAL_BAD_INPUT, "solid 0: hexahedron 0 is inverted");
    refuse(take_poisson_half, TAL_BAD_INPUT, "solid 0: poisson = 0.5 must be");
    refuse(take_negative_modulus, TAL_BAD_INPUT, "solid 1: young_pa = -1 must be above 0");
    refuse(take_other_density, TAL_BAD_INPUT, "does not fill the surface");
    refuse(shift_mesh, TAL_BAD_INPUT, "0.1 m from the centroid");
    refuse(turn_mesh, TAL_BAD_INPUT, "the mesh does not match its surface");
    refuse(leave_node_alone, TAL_BAD_INPUT, "node 27");
    refuse(make_two_pieces, TAL_BAD_INPUT, "2 pieces that share no node");
    refuse(name_strange_node, TAL_BAD_INPUT, "hexahedron 0 has node 99");
    refuse(name_strange_solid, TAL_BAD_INPUT, "body 2 is made of solid 7");
    refuse(fix_soft_body, TAL_BAD_INPUT, "body 0 deforms");
    refuse(hold_node_in_frame, TAL_BAD_INPUT, "nodes can be held with");
}

// A block pulled along its third axis by 1e-4, and turned.
static void a_pulled_block_has_the_stress_of_the_closed_form(void **unused) {
    (void)unused;
    const tal_kinematics of[] = {TAL_KINEMATICS_FLOATING_FRAME, TAL_KINEMATICS_TOTAL_LAGRANGIAN,
                                 TAL_KINEMATICS_COROTATIONAL};
    const double strain = 1e-4;
    for (int k = 0; k < 3; k++) {
        mixed m;
        tal_state *state;
        describe(&m);
        m.solid[0].kinematics = of[k];
        check_ok(test_scene_create_model(&m.scene, &m.model, &check_error));
        check_ok(tal_state_create(&state, m.model, 1, &check_error));
        const tal_mat3 q = tal_quat_matrix(tal_state_orientations(state)[0]);
        for (int32_t n = 0; n < m.mesh.node_count; n++) {
            const tal_vec3 x = m.mesh.node[n];
            const tal_vec3 d = {-0.25 * strain * x.x, -0.25 * strain * x.y, strain * x.z};
            const tal_vec3 place =
                tal_vec3_add(tal_state_positions(state)[0], tal_mat3_apply(&q, tal_vec3_add(x, d)));
            const tal_vec3 value = of[k] == TAL_KINEMATICS_FLOATING_FRAME ? d : place;
            memcpy(&state->soft_field[3 * n], &value, sizeof value);
        }
        assert_int_equal(tal_model_element_count(m.model, 0), 8);
        assert_int_equal(tal_model_element_count(m.model, 1), 0);
        assert_true(isinf(tal_state_largest_tension(m.model, state, 1).tension_pa));
        for (int32_t e = 0; e < 8; e++) {
            const tal_stress s = tal_state_element_stress(m.model, state, 0, e);
            check_near(s.tension_pa, 2e9 * strain, 1e-3 * 2e9 * strain); // second order: 1e-4
            check_near(s.von_mises_pa, 2e9 * strain, 1e-3 * 2e9 * strain);
            const tal_vec3 axis = {q.m[0][2], q.m[1][2], q.m[2][2]};
            check_near(fabs(tal_vec3_dot(s.direction, axis)), 1.0, 1e-9);
            check_near(s.tensor_pa.m[0][1], 2e9 * strain * axis.x * axis.y, 1e2);
        }
        check_near(tal_model_transit_s(m.model, 0), 0.5 / sqrt(1.2 * 2e9 / 2600.0), 1e-12);
        tal_state_destroy(state);
        end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_solids_are_named),
        cmocka_unit_test(a_pulled_block_has_the_stress_of_the_closed_form),
        cmocka_unit_test(the_energy_book_closes),
        cmocka_unit_test(threads_and_stops_change_no_bit),
        cmocka_unit_test(cut_steps_and_stresses_change_no_bit_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

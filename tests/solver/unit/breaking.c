// SPDX-License-Identifier: GPL-3.0-or-later
// A block that breaks: what its two pieces have together is what it had.
#include "solver/program/breaking.h"
#include "solver/step/state.h"
#include "tests/solver/scenes/box_mesh.h"
#include "tests/solver/scenes/scene.h"
#include "tests/support/check.h"

#include <stdlib.h>

static const double EDGE[3] = {2.0, 1.5, 1.0};
static const double STRENGTH = 1e5;

typedef struct {
    test_scene scene;
    box_mesh mesh;
    tal_solid_input solid;
    tal_weak_plane joint[2];
    int32_t of_body[1];
    double radius[1], volume[1];
    tal_settings *settings;
    tal_solve_scene solve;
    tal_breaking breaking;
    tal_model *model;
    tal_state *state;
    tal_break list[4];
    int32_t count;
} rig;

static void make_settings(rig *r) {
    r->settings = calloc(1, sizeof *r->settings);
    assert_non_null(r->settings);
    tal_settings_init(r->settings);
    check_ok(
        tal_settings_set(r->settings, "body.rock", "kind", "finite-element", "test", &check_error));
    r->settings->body[0].young_pa = 1e9;
    r->settings->body[0].poisson = 0.2;
    r->settings->body[0].element_m = 0.9;
    r->settings->break_.cut = true;
    r->settings->break_.tensile_strength_pa = STRENGTH;
    r->settings->break_.smallest_m = 0.5;
    r->settings->break_.energy_j_m2 = 10.0;
    r->settings->break_.pieces_max = 8;
    for (int k = 0; k < 2; k++) {
        check_ok(tal_settings_set(r->settings, k == 0 ? "joint.1" : "joint.2", "dip_deg", "30",
                                  "test", &check_error));
    }
}

static void make_scene(rig *r, tal_kinematics kinematics) {
    const int cells[3] = {4, 3, 2};
    test_scene *s = &r->scene;
    test_scene_init(s);
    test_scene_add_box(s, EDGE[0], EDGE[1], EDGE[2], tal_vec3_make(3.0, -2.0, 5.0),
                       tal_quat_normalize((tal_quat){1.0, 0.3, -0.2, 0.5}), 2600.0);
    s->velocity[0] = tal_vec3_make(4.0, -3.0, 2.0);
    s->spin[0] = tal_vec3_make(1.0, -2.0, 3.0);
    r->mesh = box_mesh_make(EDGE, cells, false);
    r->solid = box_mesh_solid(&r->mesh, kinematics);
    r->solid.density_kg_m3 = 2600.0;
    r->solid.young_pa = 1e9;
    r->solid.poisson = 0.2;
    s->solid_count = 1;
    s->solid = &r->solid;
    s->body_solid = r->of_body;
    s->weak_plane_count = 2;
    s->weak_plane = r->joint;
    s->law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = 0.5};
    s->settings = tal_solver_settings_default();
    s->settings.dt_s = 1e-4;
    s->settings.watch_tension = true;
    check_ok(test_scene_create_model(s, &r->model, &check_error));
}

static void begin(rig *r, tal_kinematics kinematics) {
    *r = (rig){.radius = {2.0}, .volume = {3.0}};
    r->joint[0] = (tal_weak_plane){0, {0.6, 0.0, 0.8}, 0.25 * STRENGTH};
    r->joint[1] = (tal_weak_plane){0, {0.0, -0.8, 0.6}, 0.5 * STRENGTH};
    make_settings(r);
    make_scene(r, kinematics);
    const test_scene *s = &r->scene;
    check_ok(tal_arena_create(&r->solve.arena, 1 << 16, &check_error));
    r->solve.soft_count = 1;
    r->solve.bounding_radius_m = r->radius;
    r->solve.volume_m3 = r->volume;
    snprintf(r->solve.class_name[0], sizeof r->solve.class_name[0], "rock");
    r->solve.input = test_scene_input(s);
    check_ok(tal_breaking_begin(&r->breaking, &r->solve, r->settings, &check_error));
    check_ok(tal_state_create(&r->state, r->model, 1, &check_error));
}

static void end(rig *r) {
    tal_state_destroy(r->state);
    tal_model_destroy(r->model);
    tal_arena_destroy(&r->solve.arena);
    test_scene_destroy(&r->scene);
    box_mesh_destroy(&r->mesh);
    free(r->settings);
}

// Rings: rates that are no rigid motion, for a while. Then the tension that breaks it, at a place of its
// axes and across a direction of them.
static void shake(rig *r, tal_vec3 place, tal_vec3 direction, double tension) {
    tal_report report;
    tal_soft_body *soft = &r->state->soft[0];
    for (int32_t n = 0; n < soft->solid->node_count; n++) {
        const tal_vec3 x = soft->solid->node[n];
        soft->rate[3 * n] += 0.3 * x.y * x.z + 0.1 * x.x;
        soft->rate[3 * n + 1] -= 0.2 * x.x * x.z;
        soft->rate[3 * n + 2] += 0.4 * x.x * x.y;
    }
    if (soft->has_frame) {
        tal_solid_project(soft->solid, soft->rate);
    }
    for (int n = 0; n < 7; n++) {
        check_ok(tal_step(r->model, r->state, &report, &check_error));
    }
    memset(r->state->weak_tension, 0, 2 * sizeof *r->state->weak_tension); // joints hold
    const tal_quat q = r->state->orientation[0];
    r->state->soft_tension[0] =
        (tal_tension){.tension_pa = tension,
                      .time_s = r->state->time,
                      .place_m = tal_vec3_add(r->state->position[0], tal_quat_rotate(q, place)),
                      .direction = tal_quat_rotate(q, direction)};
}

typedef struct {
    double mass, energy;
    tal_vec3 momentum, angular; // the latter about the origin
} sums;

static sums sum_bodies(const rig *r) {
    sums s = {0};
    for (int32_t b = 0; b < r->model->body_count; b++) {
        if (!tal_state_has_body(r->state, b)) {
            continue;
        }
        const tal_vec3 p = tal_vec3_scale(r->state->velocity[b], r->model->mass[b]);
        const tal_body_energy e = tal_state_body_energy(r->model, r->state, b);
        s.mass += r->model->mass[b];
        s.energy += e.kinetic_translation_j + e.kinetic_rotation_j + e.potential_j +
                    e.kinetic_deformation_j + e.strain_j;
        s.momentum = tal_vec3_add(s.momentum, p);
        s.angular = tal_vec3_add(s.angular, tal_vec3_add(tal_vec3_cross(r->state->position[b], p),
                                                         tal_state_angular_momentum(r->state, b)));
    }
    return s;
}

// From positions and velocities of the nodes alone.
static sums sum_nodes(const rig *r) {
    const tal_soft_body *soft = &r->state->soft[0];
    const tal_solid *solid = soft->solid;
    sums s = {0};
    for (int32_t a = 0; a < solid->node_count; a++) {
        const tal_vec3 x = tal_state_node_position(r->model, r->state, 0, a);
        for (int64_t p = solid->stiffness.start[a]; p < solid->stiffness.start[a + 1]; p++) {
            const tal_vec3 v =
                tal_state_node_velocity(r->model, r->state, 0, solid->stiffness.column[p]);
            s.mass += solid->mass[p];
            s.momentum = tal_vec3_add_scaled(s.momentum, solid->mass[p], v);
            s.angular = tal_vec3_add_scaled(s.angular, solid->mass[p], tal_vec3_cross(x, v));
        }
    }
    return s;
}

static void put_pieces(rig *r) {
    tal_model *model;
    tal_state *state;
    check_ok(tal_breaking_add(&r->breaking, &r->solve, &r->list[0], &check_error));
    check_ok(tal_model_create(&model, &r->solve.input, &check_error));
    check_ok(tal_state_continue(&state, model, r->state, 1, &check_error));
    tal_state_destroy(r->state);
    tal_model_destroy(r->model);
    r->model = model;
    r->state = state;
    tal_state_remove_body(state, r->list[0].body);
}

static void find(rig *r) {
    check_ok(tal_breaking_find(&r->breaking, &r->solve, r->model, r->state, r->list, 4, &r->count,
                               &check_error));
}

static void check_same(tal_vec3 a, tal_vec3 b, double share) {
    assert_true(tal_vec3_length(tal_vec3_subtract(a, b)) <= share * tal_vec3_length(a));
}

static void pieces_have_what_the_block_had(void **unused) {
    (void)unused;
    const tal_kinematics of[] = {TAL_KINEMATICS_FLOATING_FRAME, TAL_KINEMATICS_TOTAL_LAGRANGIAN};
    for (int k = 0; k < 2; k++) {
        rig r;
        begin(&r, of[k]);
        const tal_vec3 across = tal_vec3_normalize(tal_vec3_make(1.0, 0.4, -0.3));
        shake(&r, tal_vec3_make(0.2, -0.1, 0.15), across, 2.0 * STRENGTH);
        const sums before = sum_bodies(&r), nodes = sum_nodes(&r);
        find(&r);
        assert_int_equal(r.count, 1);
        const double released = tal_break_released_j(&r.list[0]);
        put_pieces(&r);
        const sums after = sum_bodies(&r);
        assert_true(after.mass == before.mass); // to the last bit
        check_same(nodes.momentum, after.momentum, 1e-12);
        check_same(nodes.angular, after.angular, 1e-12);
        check_near(nodes.mass, after.mass, 1e-9);
        check_near(before.energy - after.energy, released, 1e-9 * fabs(before.energy));
        assert_true(released > r.list[0].surface_j);
        check_near(r.list[0].surface_j, 10.0 * r.list[0].area_m2, 1e-9);
        end(&r);
    }
}

// The place is kept, the volumes add up, the crack is as large as the section of a box, and nothing overlaps.
static void the_crack_is_where_the_tension_was(void **unused) {
    (void)unused;
    rig r;
    tal_report report;
    begin(&r, TAL_KINEMATICS_FLOATING_FRAME);
    shake(&r, tal_vec3_make(0.35, 0.0, 0.1), tal_vec3_make(1.0, 0.0, 0.0), 1.01 * STRENGTH);
    find(&r);
    assert_int_equal(r.count, 1);
    check_near(r.list[0].area_m2, EDGE[1] * EDGE[2], 1e-9);
    check_near(r.list[0].offset, 0.35, 1e-3); // of the deformed place: strains are that small
    put_pieces(&r);
    assert_int_equal(r.model->body_count, 3);
    const double first = r.list[0].offset + 0.5 * EDGE[0];
    check_near(r.solve.volume_m3[1], first * EDGE[1] * EDGE[2], 1e-9);
    check_near(r.solve.volume_m3[1] + r.solve.volume_m3[2], 3.0, 1e-12);
    check_near(tal_vec3_length(tal_vec3_subtract(r.state->position[1], r.state->position[2])),
               0.5 * EDGE[0], 1e-9);
    check_ok(tal_step(r.model, r.state, &report, &check_error));
    assert_true(report.penetration_m < 1e-9);
    assert_true(report.contact_count > 0); // they touch along the crack
    assert_true(tal_model_element_count(r.model, 1) > 0 && tal_model_element_count(r.model, 2) > 0);
    end(&r);
}

// Tension at a place across one of the joints, none elsewhere.
static void pull_joint(rig *r, int32_t joint, tal_vec3 place, double tension) {
    const tal_quat q = r->state->orientation[0];
    memset(r->state->weak_tension, 0, 2 * sizeof *r->state->weak_tension);
    r->state->weak_tension[joint] =
        (tal_tension){.tension_pa = tension,
                      .time_s = r->state->time,
                      .place_m = tal_vec3_add(r->state->position[0], tal_quat_rotate(q, place)),
                      .direction = tal_quat_rotate(q, r->joint[joint].normal)};
}

// The rock is above its strength by 1.5, one joint by 1.8 at a quarter of that strength, the other by 1.2.
static void it_breaks_where_the_tension_is_largest_over_the_strength(void **unused) {
    (void)unused;
    rig r;
    const tal_vec3 place = {0.1, -0.1, 0.05};
    begin(&r, TAL_KINEMATICS_FLOATING_FRAME);
    shake(&r, (tal_vec3){0}, tal_vec3_make(1.0, 0.0, 0.0), 1.5 * STRENGTH);
    pull_joint(&r, 1, place, 1.2 * r.joint[1].strength_pa);
    find(&r);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.list[0].joint, 0);
    check_near(fabs(r.list[0].normal.x), 1.0, 1e-12);
    pull_joint(&r, 0, place, 1.8 * r.joint[0].strength_pa);
    find(&r);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.list[0].joint, 1);
    check_near(r.list[0].tension_pa, 0.45 * STRENGTH, 1e-6 * STRENGTH);
    check_near(fabs(tal_vec3_dot(r.list[0].normal, r.joint[0].normal)), 1.0, 1e-12);
    check_near(fabs(r.list[0].offset), fabs(tal_vec3_dot(place, r.joint[0].normal)), 1e-12);
    r.state->soft_tension[0].tension_pa = 0.0;
    pull_joint(&r, 0, place, 0.99 * r.joint[0].strength_pa);
    find(&r);
    assert_int_equal(r.count, 0);
    end(&r);
}

// Pieces have what the block had, and their joints are where they were.
static void joints_turn_with_the_pieces(void **unused) {
    (void)unused;
    rig r;
    begin(&r, TAL_KINEMATICS_FLOATING_FRAME);
    shake(&r, (tal_vec3){0}, tal_vec3_make(1.0, 0.0, 0.0), 0.0);
    pull_joint(&r, 0, tal_vec3_make(0.2, -0.1, 0.15), 3.0 * r.joint[0].strength_pa);
    const sums before = sum_bodies(&r), nodes = sum_nodes(&r);
    const tal_quat whole = r.state->orientation[0];
    find(&r);
    assert_int_equal(r.count, 1);
    put_pieces(&r);
    const sums after = sum_bodies(&r);
    assert_true(after.mass == before.mass);
    check_same(nodes.momentum, after.momentum, 1e-12);
    check_same(nodes.angular, after.angular, 1e-12);
    check_near(before.energy - after.energy, tal_break_released_j(&r.list[0]),
               1e-9 * fabs(before.energy));
    check_near(r.list[0].surface_j, 10.0 * r.list[0].area_m2, 1e-9);
    assert_int_equal(r.breaking.along_joints, 1);
    for (int32_t b = 1; b <= 2; b++) {
        const tal_weak_plane *plane = NULL;
        assert_int_equal(tal_model_weak_planes(r.model, b, &plane), 2);
        for (int k = 0; k < 2; k++) {
            const tal_vec3 was = tal_quat_rotate(whole, r.joint[k].normal);
            const tal_vec3 is = tal_quat_rotate(r.state->orientation[b], plane[k].normal);
            check_same(was, is, 1e-12);
            check_near(plane[k].strength_pa, r.joint[k].strength_pa, 0.0);
        }
    }
    end(&r);
}

static void expect_wrong_planes(rig *r, const tal_weak_plane *plane, int32_t count,
                                const char *said) {
    tal_model *model = NULL;
    r->scene.weak_plane_count = count;
    r->scene.weak_plane = plane;
    tal_error_reset(&check_error);
    assert_int_equal(test_scene_create_model(&r->scene, &model, &check_error), TAL_BAD_INPUT);
    assert_non_null(strstr(check_error.text, said));
    assert_null(model);
}

static void planes_of_weakness_that_cannot_be_are_named(void **unused) {
    (void)unused;
    rig r;
    begin(&r, TAL_KINEMATICS_FLOATING_FRAME);
    const tal_weak_plane slanted = {0, {0.6, 0.0, 0.9}, 1e6}, strong = {0, {0.6, 0.0, 0.8}, -1.0},
                         nowhere = {1, {0.6, 0.0, 0.8}, 1e6};
    expect_wrong_planes(&r, &slanted, 1, "a normal of length 1.08");
    expect_wrong_planes(&r, &strong, 1, "a strength of -1 Pa");
    expect_wrong_planes(&r, &nowhere, 1, "is of body 1");
    end(&r);
}

// Near the end of the block: a tenth of it breaks off.
static void no_sliver_breaks_off(void **unused) {
    (void)unused;
    rig r;
    begin(&r, TAL_KINEMATICS_FLOATING_FRAME);
    shake(&r, tal_vec3_make(0.0, 0.0, 0.49), tal_vec3_make(0.0, 0.0, 1.0), 2.0 * STRENGTH);
    find(&r);
    assert_int_equal(r.count, 1);
    check_near(fabs(r.list[0].offset), 0.4, 1e-6);
    end(&r);
}

static void what_is_small_weak_in_energy_or_below_the_strength_does_not_break(void **unused) {
    (void)unused;
    rig r;
    const tal_vec3 across = {1.0, 0.0, 0.0};
    begin(&r, TAL_KINEMATICS_FLOATING_FRAME);
    shake(&r, (tal_vec3){0}, across, 0.99 * STRENGTH);
    find(&r);
    assert_int_equal(r.count, 0);
    shake(&r, (tal_vec3){0}, across, 1.01 * STRENGTH);
    r.settings->break_.smallest_m = 1.45; // cbrt(3) = 1.442
    find(&r);
    assert_int_equal(r.count, 0);
    r.settings->break_.smallest_m = 1.44;
    find(&r);
    assert_int_equal(r.count, 1);
    r.settings->break_.energy_j_m2 = 1.01 * tal_break_released_j(&r.list[0]) / r.list[0].area_m2;
    find(&r);
    assert_int_equal(r.count, 0);
    r.settings->break_.energy_j_m2 = 0.0;
    r.state->soft_tension[0].time_s -= 2.0 * r.scene.settings.dt_s; // of an earlier step
    find(&r);
    assert_int_equal(r.count, 0);
    end(&r);
}

// Arrays of the input that may be left out, and that pieces need an entry of: one that moves is not fixed,
// and pieces of a block that was given no velocity have the one that they broke with.
static void arrays_that_were_not_given_do_for_pieces(void **unused) {
    (void)unused;
    for (int fixed = 0; fixed < 2; fixed++) {
        rig r;
        tal_report report;
        begin(&r, TAL_KINEMATICS_FLOATING_FRAME);
        r.solve.input.body_fixed = fixed ? r.scene.fixed : NULL;
        r.solve.input.velocity_mps = r.solve.input.spin_radps = NULL;
        check_ok(tal_breaking_begin(&r.breaking, &r.solve, r.settings, &check_error));
        shake(&r, (tal_vec3){0}, tal_vec3_make(1.0, 0.0, 0.0), 2.0 * STRENGTH);
        find(&r);
        assert_int_equal(r.count, 1);
        const double energy = sum_bodies(&r).energy - tal_break_released_j(&r.list[0]);
        put_pieces(&r);
        check_near(sum_bodies(&r).energy, energy, 1e-9 * fabs(energy));
        const tal_vec3 start = r.state->position[2];
        check_ok(tal_step(r.model, r.state, &report, &check_error));
        assert_true(!r.model->is_fixed[1] && !r.model->is_fixed[2]);
        assert_true(tal_vec3_length(tal_vec3_subtract(r.state->position[2], start)) > 1e-4);
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_have_what_the_block_had),
        cmocka_unit_test(the_crack_is_where_the_tension_was),
        cmocka_unit_test(no_sliver_breaks_off),
        cmocka_unit_test(it_breaks_where_the_tension_is_largest_over_the_strength),
        cmocka_unit_test(joints_turn_with_the_pieces),
        cmocka_unit_test(planes_of_weakness_that_cannot_be_are_named),
        cmocka_unit_test(arrays_that_were_not_given_do_for_pieces),
        cmocka_unit_test(what_is_small_weak_in_energy_or_below_the_strength_does_not_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

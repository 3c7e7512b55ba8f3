// SPDX-License-Identifier: GPL-3.0-or-later
// The shaken blocks.
#include "tests/solver/scenes/three_blocks.h"

#include <math.h>

static const double SIZE[2][3] = {{1.0, 1.0, 2.0}, {0.8, 1.0, 2.0}};
static const int CELLS[3] = {4, 4, 8};
enum { FLOOR, LEFT, RIGHT, UPPER };

static void shake(three_blocks *s) {
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < THREE_BLOCKS_SERIES; k++) { // still before 0.1 s and after 1.3 s
        s->time[k] = 0.1 + 1.2 * k / (THREE_BLOCKS_SERIES - 1);
        const double v = 0.9 * sin(5.0 / 3.0 * pi * (s->time[k] - 0.1));
        s->velocity[k] = (tal_vec3){k == 0 || k == THREE_BLOCKS_SERIES - 1 ? 0.0 : v, 0.0, 0.0};
    }
    s->floor = (tal_motion_series){.body = FLOOR,
                                   .count = THREE_BLOCKS_SERIES,
                                   .time_s = s->time,
                                   .velocity_mps = s->velocity};
}

static void add_blocks(three_blocks *s) {
    const tal_quat upright = {1.0, 0.0, 0.0, 0.0};
    test_scene_add_box(&s->scene, 6.0, 6.0, 1.0, (tal_vec3){0.0, 0.0, -0.5}, upright, 2500.0);
    for (int side = 0; side < 2; side++) {
        test_scene_add_box(&s->scene, SIZE[0][0], SIZE[0][1], SIZE[0][2],
                           (tal_vec3){0.0, side == 0 ? -2.0 / 3.0 : 2.0 / 3.0, 1.0}, upright,
                           2500.0);
    }
    test_scene_add_box(&s->scene, SIZE[1][0], SIZE[1][1], SIZE[1][2], (tal_vec3){0.0, 0.0, 3.0},
                       upright, 2500.0);
    s->scene.body_class[FLOOR] = 1;
}

static void make_solids(three_blocks *s, tal_kinematics kinematics) {
    for (int k = 0; k < 2; k++) {
        s->mesh[k] = box_mesh_make(SIZE[k], CELLS, false);
        s->solid[k] = box_mesh_solid(&s->mesh[k], kinematics);
        s->solid[k].density_kg_m3 = 2500.0;
        s->solid[k].young_pa = 35e9;
        s->solid[k].poisson = 0.2;
        s->solid[k].damping_stiffness_s = 1e-4;
        s->solid[k].nodes_only = true;
    }
    const int32_t of_body[4] = {-1, 0, 0, 1};
    for (int b = 0; b < 4; b++) {
        s->of_body[b] = of_body[b];
    }
}

tal_status three_blocks_begin(three_blocks *s, tal_kinematics kinematics, bool is_rigid,
                              double dt_s, double tolerance, int threads, tal_error *err) {
    test_scene_init(&s->scene);
    add_blocks(s);
    shake(s);
    make_solids(s, kinematics);
    for (int k = 0; k < 4; k++) {
        s->law[k] = (tal_law){.kind = TAL_LAW_COULOMB, .friction = k == 0 ? 0.3 : 0.5};
    }
    s->scene.class_count = 2;
    s->scene.law_table = s->law;
    s->scene.prescribed_count = 1;
    s->scene.prescribed = &s->floor;
    s->scene.solid_count = is_rigid ? 0 : 2;
    s->scene.solid = s->solid;
    s->scene.body_solid = s->of_body;
    s->scene.settings = tal_solver_settings_default();
    s->scene.settings.dt_s = dt_s;
    s->scene.settings.gravity_mps2 = (tal_vec3){0.0, 0.0, -9.81};
    s->scene.settings.scheme = TAL_SCHEME_ACD2;
    s->scene.settings.tolerance = tolerance;
    s->scene.settings.iteration_max = 2000;
    s->scene.settings.correction = 0.0;
    TAL_TRY(test_scene_create_model(&s->scene, &s->model, err));
    return tal_state_create(&s->state, s->model, threads, err);
}

void three_blocks_end(three_blocks *s) {
    tal_state_destroy(s->state);
    tal_model_destroy(s->model);
    test_scene_destroy(&s->scene);
    box_mesh_destroy(&s->mesh[0]);
    box_mesh_destroy(&s->mesh[1]);
}

static double x_of_node(const three_blocks *s, int i, int j) {
    const int32_t node = box_mesh_node(CELLS, i, j, CELLS[2]);
    const tal_vec3 start = s->mesh[1].node[node];
    if (tal_model_node_count(s->model, UPPER) > 0) {
        return tal_state_node_position(s->model, s->state, UPPER, node).x - start.x;
    }
    const tal_vec3 arm = tal_quat_rotate(tal_state_orientations(s->state)[UPPER], start);
    return tal_state_positions(s->state)[UPPER].x + arm.x - start.x;
}

double three_blocks_top(const three_blocks *s) {
    double sum = 0.0;
    for (int j = 0; j <= CELLS[1]; j++) {
        for (int i = 0; i <= CELLS[0]; i++) {
            sum += x_of_node(s, i, j) / 25.0;
        }
    }
    return sum;
}

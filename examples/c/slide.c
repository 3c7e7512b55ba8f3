// SPDX-License-Identifier: GPL-3.0-or-later
// The solver as a library: a block of granite slides down an incline of 30 degrees. Build it with
//   cc slide.c $(pkg-config --cflags --libs talus-solver) -o slide
#include "solver/include/talus_solver.h"

#include <math.h>
#include <stdio.h>

int main(void) {
    // A block of 2 m x 1 m x 1 m: corners about its centroid, faces counter-clockwise from outside.
    const tal_vec3 corner[8] = {{-1, -0.5, -0.5}, {1, -0.5, -0.5}, {-1, 0.5, -0.5}, {1, 0.5, -0.5},
                                {-1, -0.5, 0.5},  {1, -0.5, 0.5},  {-1, 0.5, 0.5},  {1, 0.5, 0.5}};
    const int32_t face_size[6] = {4, 4, 4, 4, 4, 4};
    const int32_t face[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                              2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    const tal_shape_input shape = {.kind = TAL_SHAPE_POLYHEDRON,
                                   .vertex_count = 8,
                                   .vertex = corner,
                                   .face_count = 6,
                                   .loop_size = face_size,
                                   .loop_vertex = face};

    // The ground: two triangles that fall towards +x; both are of surface class 0.
    const double angle = acos(-1.0) / 6.0, s = sin(angle), c = cos(angle);
    const tal_vec3 ground[4] = {{-100 * c, -50, 100 * s},
                                {100 * c, -50, -100 * s},
                                {100 * c, 50, -100 * s},
                                {-100 * c, 50, 100 * s}};
    const int32_t triangle[6] = {0, 1, 2, 0, 2, 3}, ground_class[2] = {0, 0};

    // One body on it, at rest: its pose turns body axes to world axes.
    const int32_t body_shape[1] = {0}, body_class[1] = {0};
    const double mass = 2.0 * 2650.0;
    const tal_vec3 inertia = {mass * 2.0 / 12.0, mass * 5.0 / 12.0, mass * 5.0 / 12.0};
    const tal_vec3 place = {0.5 * s, 0, 0.5 * c};
    const tal_quat pose = {cos(0.5 * angle), 0, sin(0.5 * angle), 0};

    // Dry friction between surfaces of class 0, no rebound.
    const tal_law law = {.kind = TAL_LAW_COULOMB, .friction = 0.4};
    tal_model_input scene = {.shape_count = 1, .shape = &shape};
    scene.terrain_vertex_count = 4, scene.terrain_vertex_m = ground;
    scene.terrain_triangle_count = 2, scene.terrain_triangle = triangle;
    scene.terrain_class = ground_class;
    scene.body_count = 1, scene.body_shape = body_shape, scene.body_class = body_class;
    scene.mass_kg = &mass, scene.inertia_kg_m2 = &inertia;
    scene.position_m = &place, scene.orientation = &pose;
    scene.class_count = 1, scene.law = &law;
    scene.settings = tal_solver_settings_default();
    scene.settings.gravity_mps2 = (tal_vec3){0, 0, -9.81};
    scene.settings.dt_s = 0.01;

    // Every call returns a status and says in `err` what was wrong. A model never changes; many states may
    // share it. Each destroy takes NULL.
    tal_model *model = NULL;
    tal_state *state = NULL;
    tal_report report = {0};
    tal_error err = {0};
    tal_status status = tal_model_create(&model, &scene, &err);
    if (status == TAL_OK) {
        status = tal_state_create(&state, model, 1, &err);
    }
    for (int step = 1; step <= 200 && status == TAL_OK; step++) {
        status = tal_step(model, state, &report, &err);
        if (status == TAL_OK && step % 50 == 0) {
            const tal_vec3 at = tal_state_positions(state)[0];
            printf("%.2f s: slid %.4f m, %d contacts, lost %.1f J in this step\n", report.time_s,
                   (at.x - place.x) / c, (int)report.contact_count, report.dissipated_tangential_j);
        }
    }
    if (status != TAL_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    tal_state_destroy(state);
    tal_model_destroy(model);
    return status == TAL_OK ? 0 : 1;
}

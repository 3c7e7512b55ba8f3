// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of columns.py in C: columns of boxes on a plane, one of them pulled by a link. Prints the hash.
#include "solver/include/talus_solver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const int32_t LOOP_SIZE[6] = {4, 4, 4, 4, 4, 4};
static const int32_t LOOP_VERTEX[24] = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1,
                                        2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};

typedef struct {
    tal_vec3 *corner, *inertia, *position;
    tal_shape_input *shape;
    int32_t *body_shape, *body_class;
    double *mass;
    tal_quat *orientation;
} boxes;

static void *array(size_t count, size_t size) {
    void *made = calloc(count, size);
    if (made == NULL) {
        exit(1);
    }
    return made;
}

static void make(boxes *b, int32_t count, int32_t height) {
    const size_t n = (size_t)count;
    *b = (boxes){.corner = array(8 * n, sizeof *b->corner),
                 .inertia = array(n, sizeof *b->inertia),
                 .position = array(n, sizeof *b->position),
                 .shape = array(n, sizeof *b->shape),
                 .body_shape = array(n, sizeof *b->body_shape),
                 .body_class = array(n, sizeof *b->body_class),
                 .mass = array(n, sizeof *b->mass),
                 .orientation = array(n, sizeof *b->orientation)};
    for (int32_t k = 0; k < count; k++) {
        const double size[3] = {1.0, 0.9, 0.5 + 0.01 * (k % 7)};
        const int32_t column = k / height;
        for (int c = 0; c < 8; c++) {
            b->corner[8 * k + c] =
                (tal_vec3){(c & 4 ? 0.5 : -0.5) * size[0], (c & 2 ? 0.5 : -0.5) * size[1],
                           (c & 1 ? 0.5 : -0.5) * size[2]};
        }
        b->shape[k] = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                        .vertex_count = 8,
                                        .vertex = &b->corner[8 * k],
                                        .face_count = 6,
                                        .loop_size = LOOP_SIZE,
                                        .loop_vertex = LOOP_VERTEX};
        const double m = 2500.0 * size[0] * size[1] * size[2];
        b->mass[k] = m;
        b->inertia[k] = (tal_vec3){m / 12.0 * (size[1] * size[1] + size[2] * size[2]),
                                   m / 12.0 * (size[0] * size[0] + size[2] * size[2]),
                                   m / 12.0 * (size[0] * size[0] + size[1] * size[1])};
        b->position[k] = (tal_vec3){1.5 * (column % 40) + 0.01 * (k % 3), 1.5 * (column / 40),
                                    0.3 + 0.6 * (k % height)};
        b->orientation[k].w = 1.0;
        b->body_shape[k] = k;
    }
}

static int fail(const tal_error *err) {
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

int main(int argc, char **argv) {
    static tal_error err;
    const int32_t count = argc > 1 ? atoi(argv[1]) : 100, height = 5;
    const int steps = argc > 2 ? atoi(argv[2]) : 100, threads = argc > 3 ? atoi(argv[3]) : 1;
    const tal_vec3 ground[4] = {{-9, -9, 0}, {99, -9, 0}, {99, 99, 0}, {-9, 99, 0}};
    const int32_t triangle[6] = {0, 1, 2, 0, 2, 3}, classes[2] = {1, 1};
    const tal_law dry = {.kind = TAL_LAW_COULOMB,
                         .friction = 0.5,
                         .restitution = 0.1,
                         .stiffness_n_m = 1e8,
                         .damping_n_s_m = 1e5};
    const tal_law law[4] = {dry, dry, dry, dry};
    const tal_constraint link = {
        .hold = TAL_HOLD_LINK, .body_i = 4, .body_j = -1, .point_j_m = {0.0, 0.0, 10.0}};
    boxes b;
    make(&b, count, height);
    tal_model_input input = {.shape_count = count,
                             .shape = b.shape,
                             .terrain_vertex_count = 4,
                             .terrain_vertex_m = ground,
                             .terrain_triangle_count = 2,
                             .terrain_triangle = triangle,
                             .terrain_class = classes,
                             .body_count = count,
                             .body_shape = b.body_shape,
                             .body_class = b.body_class,
                             .mass_kg = b.mass,
                             .inertia_kg_m2 = b.inertia,
                             .position_m = b.position,
                             .orientation = b.orientation,
                             .constraint_count = 1,
                             .constraint = &link,
                             .class_count = 2,
                             .law = law,
                             .settings = tal_solver_settings_default()};
    input.settings.dt_s = 0.005;
    tal_model *model;
    tal_state *state;
    tal_report report;
    if (tal_model_create(&model, &input, &err) != TAL_OK ||
        tal_state_create(&state, model, threads, &err) != TAL_OK) {
        return fail(&err);
    }
    for (int n = 0; n < steps; n++) {
        if (tal_step(model, state, &report, &err) != TAL_OK) {
            return fail(&err);
        }
    }
    printf("%" PRIu64 "\n", tal_state_hash(state));
    tal_state_destroy(state);
    tal_model_destroy(model);
    void *const arrays[] = {b.corner,     b.inertia,    b.position, b.shape,
                            b.body_shape, b.body_class, b.mass,     b.orientation};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        free(arrays[k]);
    }
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Displacements and stresses of a frame.
#include "solver/program/fields.h"

#include "core/base/math3.h"

#include <math.h>
#include <string.h>

static size_t node_count(const tal_solve_scene *scene) {
    return (size_t)scene->elements.node_start[scene->input.body_count];
}

size_t tal_fields_count(const tal_solve_scene *scene) {
    return scene->soft_count > 0 && scene->elements.corner != NULL
               ? 3 * node_count(scene) +
                     TAL_STRESS_NUMBERS *
                         (size_t)scene->elements.element_start[scene->input.body_count]
               : 0;
}

static void gather_nodes(const tal_solve_scene *scene, const tal_model *model,
                         const tal_state *state, int32_t block, double *field) {
    const tal_scene_elements *e = &scene->elements;
    const tal_vec3 centre = tal_state_positions(state)[block];
    const tal_quat turn = tal_state_orientations(state)[block];
    for (int32_t n = e->node_start[block]; n < e->node_start[block + 1]; n++) {
        const tal_vec3 rigid = tal_vec3_add(centre, tal_quat_rotate(turn, e->node[n]));
        const tal_vec3 off = tal_vec3_subtract(
            tal_state_node_position(model, state, block, n - e->node_start[block]), rigid);
        field[3 * n] = off.x, field[3 * n + 1] = off.y, field[3 * n + 2] = off.z;
    }
}

// From the largest, the trace and von Mises of a tensor the other two follow.
static void put_stress(const tal_stress *s, double number[TAL_STRESS_NUMBERS]) {
    const double rest =
        s->tensor_pa.m[0][0] + s->tensor_pa.m[1][1] + s->tensor_pa.m[2][2] - s->tension_pa;
    const double a = s->tension_pa, mean = 0.5 * rest;
    // 2 vM^2 = (a - b)^2 + (b - c)^2 + (c - a)^2 with b = mean + d, c = mean - d
    const double square = (s->von_mises_pa * s->von_mises_pa - (a - mean) * (a - mean)) / 3.0;
    const double d = sqrt(fmax(square, 0.0));
    number[0] = a, number[1] = mean + d, number[2] = mean - d, number[3] = s->von_mises_pa;
}

// The library has the hexahedra of a block before its tetrahedra, blocks.nc as they come.
static void gather_stresses(const tal_solve_scene *scene, const tal_model *model,
                            const tal_state *state, int32_t block, double *field) {
    const tal_scene_elements *e = &scene->elements;
    int32_t hexahedra = 0, next[2] = {0, 0};
    for (int32_t k = e->element_start[block]; k < e->element_start[block + 1]; k++) {
        hexahedra += e->corner[8 * k + 4] >= 0 ? 1 : 0;
    }
    next[1] = hexahedra;
    for (int32_t k = e->element_start[block]; k < e->element_start[block + 1]; k++) {
        const int kind = e->corner[8 * k + 4] >= 0 ? 0 : 1;
        const tal_stress stress = tal_state_element_stress(model, state, block, next[kind]++);
        put_stress(&stress, &field[TAL_STRESS_NUMBERS * k]);
    }
}

void tal_fields_gather(const tal_solve_scene *scene, const tal_model *model, const tal_state *state,
                       double *field) {
    const size_t count = tal_fields_count(scene);
    if (count == 0) {
        return;
    }
    memset(field, 0, count * sizeof *field);
    for (int32_t b = 0; b < scene->input.body_count; b++) {
        const tal_scene_elements *e = &scene->elements;
        if (tal_model_node_count(model, b) == e->node_start[b + 1] - e->node_start[b] &&
            tal_state_has_body(state, b) && e->node_start[b + 1] > e->node_start[b]) {
            gather_nodes(scene, model, state, b, field);
            gather_stresses(scene, model, state, b, field + 3 * node_count(scene));
        }
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Stresses of elements, and the largest of a body.
#include "solver/deformable/eigen3.h"
#include "solver/deformable/kinematics.h"
#include "solver/deformable/tension.h"

#include <math.h>

// Mean over the element of the gradient of a field of three components per node.
static tal_mat3 mean_gradient(const tal_solid *s, int32_t e, const double *field) {
    tal_mat3 sum = {0};
    double volume = 0.0;
    for (int32_t p = s->point_start[e]; p < s->point_start[e + 1]; p++) {
        const tal_solid_point *point = &s->point[p];
        volume += point->volume;
        for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
            const double *at = &field[3 * s->element_node[n]];
            const double *slope = point->gradient[n - s->node_start[e]];
            for (int k = 0; k < 9; k++) {
                sum.m[k / 3][k % 3] += point->volume * at[k / 3] * slope[k % 3];
            }
        }
    }
    for (int k = 0; k < 9; k++) {
        sum.m[k / 3][k % 3] /= volume;
    }
    return sum;
}

static tal_mat3 symmetric_part(const tal_mat3 *a) {
    tal_mat3 s;
    for (int k = 0; k < 9; k++) {
        s.m[k / 3][k % 3] = 0.5 * (a->m[k / 3][k % 3] + a->m[k % 3][k / 3]);
    }
    return s;
}

// a b a'
static tal_mat3 turned(const tal_mat3 *a, const tal_mat3 *b) {
    const tal_mat3 ab = tal_mat3_multiply(a, b);
    tal_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = ab.m[i][0] * a->m[j][0] + ab.m[i][1] * a->m[j][1] + ab.m[i][2] * a->m[j][2];
        }
    }
    return c;
}

static double determinant(const tal_mat3 *a) {
    const tal_vec3 x = {a->m[0][0], a->m[1][0], a->m[2][0]},
                   y = {a->m[0][1], a->m[1][1], a->m[2][1]},
                   z = {a->m[0][2], a->m[1][2], a->m[2][2]};
    return tal_vec3_dot(x, tal_vec3_cross(y, z));
}

// Cauchy stress, world axes. Positions of the nodes: F S F'/det F; a field in a frame, and positions whose
// kinematics is linear: (3) of the strain (2) in the axes of the body.
tal_mat3 tal_soft_element_stress(const tal_state *state, const tal_soft_body *soft, int32_t e) {
    const tal_solid *s = soft->solid;
    const tal_mat3 gradient = mean_gradient(s, e, soft->field);
    const bool is_small = s->kinematics == TAL_KINEMATICS_SMALL;
    const tal_mat3 q = is_small ? soft->rotation : tal_quat_matrix(state->orientation[soft->body]);
    if (soft->has_frame) {
        const tal_mat3 strain = symmetric_part(&gradient);
        const tal_mat3 stress = tal_elasticity_stress(s->law, &strain);
        return turned(&q, &stress);
    }
    if (is_small || s->kinematics == TAL_KINEMATICS_COROTATIONAL) {
        tal_mat3 back; // Q'F - 1
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                back.m[i][j] = q.m[0][i] * gradient.m[0][j] + q.m[1][i] * gradient.m[1][j] +
                               q.m[2][i] * gradient.m[2][j] - (i == j ? 1.0 : 0.0);
            }
        }
        const tal_mat3 strain = symmetric_part(&back);
        const tal_mat3 stress = tal_elasticity_stress(s->law, &strain);
        return turned(&q, &stress);
    }
    const tal_mat3 strain = tal_green_strain(&gradient);
    const tal_mat3 stress = tal_elasticity_stress(s->law, &strain);
    tal_mat3 cauchy = turned(&gradient, &stress);
    for (int k = 0; k < 9; k++) {
        cauchy.m[k / 3][k % 3] /= determinant(&gradient);
    }
    return cauchy;
}

tal_vec3 tal_soft_element_place(const tal_state *state, const tal_soft_body *soft, int32_t e) {
    const tal_solid *s = soft->solid;
    const int32_t count = s->node_start[e + 1] - s->node_start[e];
    tal_vec3 sum = {0};
    for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
        sum = tal_vec3_add_scaled(sum, 1.0 / count,
                                  tal_soft_node_place(state, soft, s->element_node[n]));
    }
    return sum;
}

int32_t tal_model_element_at(const tal_model *model, int32_t body, tal_vec3 point_m) {
    int32_t nearest = -1;
    double least = INFINITY;
    for (int32_t e = 0; e < tal_model_element_count(model, body); e++) {
        const tal_solid *s = &model->solid[model->solid_of_body[body]];
        const int32_t count = s->node_start[e + 1] - s->node_start[e];
        tal_vec3 away = tal_vec3_scale(point_m, -1.0);
        for (int32_t n = s->node_start[e]; n < s->node_start[e + 1]; n++) {
            away = tal_vec3_add_scaled(away, 1.0 / count, s->node[s->element_node[n]]);
        }
        if (tal_vec3_dot(away, away) < least) {
            least = tal_vec3_dot(away, away);
            nearest = e;
        }
    }
    return nearest;
}

int32_t tal_model_element_count(const tal_model *model, int32_t body) {
    return tal_is_soft(model, body) ? model->solid[model->solid_of_body[body]].element_count : 0;
}

tal_stress tal_stress_of_tensor(const tal_mat3 *tensor) {
    tal_stress made = {.tensor_pa = *tensor};
    const tal_eigen3 eigen = tal_eigen3_find(tensor);
    int first = 0;
    for (int k = 1; k < 3; k++) {
        first = eigen.value[k] > eigen.value[first] ? k : first;
    }
    const double a = eigen.value[0] - eigen.value[1], b = eigen.value[1] - eigen.value[2],
                 c = eigen.value[2] - eigen.value[0];
    made.tension_pa = eigen.value[first];
    made.direction =
        (tal_vec3){eigen.axis.m[0][first], eigen.axis.m[1][first], eigen.axis.m[2][first]};
    made.von_mises_pa = sqrt(0.5 * (a * a + b * b + c * c));
    return made;
}

tal_stress tal_state_element_stress(const tal_model *model, const tal_state *state, int32_t body,
                                    int32_t element) {
    const tal_soft_body *soft = tal_soft_of(model, state, body);
    TAL_ASSERT(soft != NULL && element >= 0 && element < soft->solid->element_count);
    const tal_mat3 tensor = tal_soft_element_stress(state, soft, element);
    tal_stress made = tal_stress_of_tensor(&tensor);
    made.place_m = tal_soft_element_place(state, soft, element);
    return made;
}

tal_stress tal_state_largest_tension(const tal_model *model, const tal_state *state, int32_t body) {
    tal_stress most = {.tension_pa = -INFINITY};
    for (int32_t e = 0; e < tal_model_element_count(model, body); e++) {
        const tal_stress stress = tal_state_element_stress(model, state, body, e);
        most = stress.tension_pa > most.tension_pa ? stress : most;
    }
    return most;
}

double tal_model_transit_s(const tal_model *model, int32_t body) {
    if (!tal_is_soft(model, body)) {
        return 0.0;
    }
    const tal_solid *s = &model->solid[model->solid_of_body[body]];
    const double width = model->shapes.smallest_width[model->shape_of_body[body]];
    return width / tal_elasticity_speed(s->law, s->density);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Creating and destroying models.
#include "solver/step/model.h"

#include "core/base/memory.h"
#include "solver/constraint/joint.h"
#include "solver/detect/shape_check.h"
#include "solver/law/law.h"
#include "solver/motion/prescribed.h"
#include "solver/motion/trail.h"
#include "solver/step/hash.h"

#include <math.h>
#include <string.h>

tal_solver_settings tal_solver_settings_default(void) {
    return (tal_solver_settings){.dt_s = 0.01,
                                 .gravity_mps2 = {0.0, 0.0, -9.80665},
                                 .scheme = TAL_SCHEME_MOREAU,
                                 .tolerance = 1e-3,
                                 .iteration_max = 1000,
                                 .impact_speed_mps = 0.0,
                                 .correction = 0.5,
                                 .slop = 1e-4,
                                 .overlap_max = 0.01,
                                 .substep_max = 16,
                                 .rest_steps = 40};
}

static tal_status copy_array(void *target, const void *source, int32_t count, size_t size,
                             const char *what, tal_error *err) {
    void *memory = tal_memory_create((size_t)count, size);
    if (memory == NULL) {
        return tal_memory_failed(err, what, (size_t)count, size);
    }
    if (source != NULL && count > 0) {
        memcpy(memory, source, (size_t)count * size);
    }
    memcpy(target, &memory, sizeof memory);
    return TAL_OK;
}

#define COPY(model, field, source, count, err)                                                     \
    TAL_TRY(copy_array(&(model)->field, (source), (count), sizeof *(model)->field, #field, (err)))

static tal_status copy_bodies(tal_model *model, const tal_model_input *input, tal_error *err) {
    const int32_t count = input->body_count;
    model->body_count = count;
    COPY(model, shape_of_body, input->body_shape, count, err);
    COPY(model, class_of_body, input->body_class, count, err);
    COPY(model, is_fixed, input->body_fixed, count, err);
    COPY(model, mass, input->mass_kg, count, err);
    COPY(model, inertia, input->inertia_kg_m2, count, err);
    COPY(model, start_position, input->position_m, count, err);
    COPY(model, start_orientation, input->orientation, count, err);
    COPY(model, start_velocity, input->velocity_mps, count, err);
    COPY(model, start_spin, input->spin_radps, count, err);
    COPY(model, inner_radius, NULL, count, err);
    for (int32_t b = 0; b < count; b++) {
        model->start_orientation[b] = tal_quat_normalize(model->start_orientation[b]);
    }
    model->class_count = input->class_count;
    const int32_t laws = input->class_count * input->class_count;
    COPY(model, law, NULL, laws + 1, err);
    memcpy(model->law, input->law, (size_t)laws * sizeof *model->law);
    model->law[laws] = (tal_law){.kind = TAL_LAW_JOINT};
    COPY(model, passes, NULL, laws, err);
    for (int32_t k = 0; k < laws; k++) {
        model->passes[k] = tal_law_passes(&model->law[k]);
    }
    model->needs_trails = tal_model_needs_trails(model);
    model->settings = input->settings;
    return TAL_OK;
}

static double inner_radius_of(const tal_shapes *shapes, int32_t shape) {
    if (shapes->kind[shape] == TAL_SHAPE_SPHERE) {
        return shapes->sphere_radius[shape];
    }
    double radius = INFINITY;
    for (int32_t f = shapes->face_start[shape]; f < shapes->face_start[shape + 1]; f++) {
        radius = fmin(radius, shapes->face_offset[f]);
    }
    return radius;
}

// A block with a corner a million kilometres away has no width that numbers could tell.
static tal_status measure_shapes(tal_model *model, tal_error *err) {
    model->smallest_width = INFINITY;
    for (int32_t b = 0; b < model->body_count; b++) {
        const int32_t shape = model->shape_of_body[b];
        const double width = model->shapes.smallest_width[shape];
        const double size = model->shapes.bounding_radius[shape];
        if (!(width > TAL_SHAPE_TOLERANCE * size && isfinite(width))) {
            return TAL_FAIL(
                err, TAL_BAD_INPUT,
                "shape %d: it has no thickness, though it reaches %.3g m from its centre", shape,
                size);
        }
        model->inner_radius[b] = inner_radius_of(&model->shapes, shape);
        model->smallest_width = fmin(model->smallest_width, width);
    }
    return TAL_OK;
}

static uint64_t fingerprint_of(const tal_model *model) {
    const size_t count = (size_t)model->body_count;
    const size_t laws = (size_t)model->class_count * (size_t)model->class_count;
    uint64_t hash = TAL_HASH_START;
    hash = tal_hash_bytes(hash, model->shape_of_body, count * sizeof *model->shape_of_body);
    hash = tal_hash_bytes(hash, model->class_of_body, count * sizeof *model->class_of_body);
    hash = tal_hash_bytes(hash, model->is_fixed, count * sizeof *model->is_fixed);
    hash = tal_hash_bytes(hash, model->mass, count * sizeof *model->mass);
    hash = tal_hash_bytes(hash, model->inertia, count * sizeof *model->inertia);
    for (size_t k = 0; k < laws; k++) { // field by field: the padding of a struct is not data
        const tal_law *law = &model->law[k];
#define NUMBER(field, low, high) law->field,
        const double number[] = {(double)law->kind, law->dissipation_in_kg ? 1.0 : 0.0,
                                 TAL_LAW_NUMBERS(NUMBER)};
#undef NUMBER
        hash = tal_hash_bytes(hash, number, sizeof number);
    }
    const tal_solver_settings *s = &model->settings;
    const double number[] = {
        s->dt_s,           s->gravity_mps2.x, s->gravity_mps2.y,        s->gravity_mps2.z,
        (double)s->scheme, s->tolerance,      (double)s->iteration_max, s->impact_speed_mps,
        s->correction,     s->slop,           (double)s->substep_max,   (double)s->rest_steps};
    hash = tal_hash_bytes(hash, number, sizeof number);
    hash = tal_prescribed_hash(hash, model);
    hash = tal_joints_hash(hash, model);
    hash = tal_model_hash_solids(hash, model);
    if (model->ground != NULL) {
        hash = tal_hash_bytes(hash, &model->ground->fingerprint, sizeof model->ground->fingerprint);
    }
    const tal_shapes *shapes = &model->shapes;
    return tal_hash_bytes(hash, shapes->vertex,
                          (size_t)shapes->vertex_start[shapes->shape_count] * sizeof(tal_vec3));
}

static tal_status fill(tal_model *model, const tal_model_input *input, tal_error *err) {
    TAL_TRY(tal_shapes_create(&model->shapes, input->shape, input->shape_count, err));
    model->ground = input->ground;
    if (input->ground == NULL && input->terrain_triangle_count > 0) {
        TAL_TRY(tal_ground_create(&model->own_ground, input, err));
        model->ground = model->own_ground;
    }
    TAL_TRY(copy_bodies(model, input, err));
    TAL_TRY(tal_prescribed_create(model, input, err));
    TAL_TRY(tal_joints_create(model, input, err));
    TAL_TRY(tal_model_create_solids(model, input, err));
    TAL_TRY(measure_shapes(model, err));
    model->fingerprint = fingerprint_of(model);
    return input->is_under_way ? TAL_OK : tal_model_check_start(model, err);
}

tal_status tal_model_create(tal_model **model, const tal_model_input *input, tal_error *err) {
    *model = NULL;
    TAL_TRY(tal_model_check_input(input, err));
    tal_model *made;
    TAL_CREATE(made, 1, "a model", err);
    const tal_status status = fill(made, input, err);
    if (status != TAL_OK) {
        tal_model_destroy(made);
        return status;
    }
    *model = made;
    return TAL_OK;
}

const tal_ground *tal_model_ground(const tal_model *model) {
    return model->ground;
}

void tal_model_destroy(tal_model *model) {
    if (model == NULL) {
        return;
    }
    tal_shapes_destroy(&model->shapes);
    tal_ground_destroy(model->own_ground);
    tal_prescribed_destroy(model);
    tal_joints_destroy(model);
    tal_model_destroy_solids(model);
    void *const array[] = {model->shape_of_body,
                           model->class_of_body,
                           model->is_fixed,
                           model->mass,
                           model->inertia,
                           model->start_position,
                           model->start_orientation,
                           model->start_velocity,
                           model->start_spin,
                           model->inner_radius,
                           model->law,
                           model->passes};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        tal_memory_destroy(array[k]);
    }
    tal_memory_destroy(model);
}

tal_status tal_model_set_law(tal_model *model, int32_t class_i, int32_t class_j, const tal_law *law,
                             tal_error *err) {
    const int32_t count = model->class_count;
    if (class_i < 0 || class_i >= count || class_j < 0 || class_j >= count) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "law of surface classes %d and %d: classes are numbered 0 to %d", class_i,
                        class_j, count - 1);
    }
    TAL_TRY(tal_model_check_law(class_i, class_j, law, err));
    tal_law *old = &model->law[class_i * count + class_j];
    if (tal_law_passes(old) != tal_law_passes(law)) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "law of surface classes %d and %d: changing it from %s to %s between steps "
                        "would leave bodies inside each other: begin a new scene",
                        class_i, class_j, tal_law_name(old->kind), tal_law_name(law->kind));
    }
    *old = model->law[class_j * count + class_i] = *law;
    model->needs_trails = tal_model_needs_trails(model);
    model->fingerprint = fingerprint_of(model);
    return TAL_OK;
}

int32_t tal_model_body_count(const tal_model *model) {
    return model->body_count;
}

int32_t tal_model_constraint_count(const tal_model *model) {
    return model->constraint_count;
}

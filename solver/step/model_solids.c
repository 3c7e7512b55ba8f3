// SPDX-License-Identifier: GPL-3.0-or-later
// The bodies of a model that deform.
#include "solver/step/model.h"

#include "core/base/memory.h"
#include "solver/deformable/pieces.h"
#include "solver/deformable/tension.h"
#include "solver/step/hash.h"

#include <math.h>
#include <stdio.h>

typedef char solid_name[32];

static void name_solid(int32_t s, solid_name name) {
    snprintf(name, sizeof(solid_name), "solid %d", s);
}

static bool is_alike(const tal_model *model, int32_t a, int32_t b) {
    const double close = 1e-9;
    const tal_vec3 i = model->inertia[a], off = tal_vec3_subtract(i, model->inertia[b]);
    return fabs(model->mass[a] - model->mass[b]) <= close * model->mass[a] &&
           tal_vec3_length(off) <= close * tal_vec3_length(i);
}

static void check_body(const tal_model *model, const tal_model_input *input, int32_t b,
                       const int32_t *first_body, tal_error *err) {
    const int32_t s = input->body_solid[b];
    if (s < -1 || s >= input->solid_count) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "body %d is made of solid %d; solids are numbered 0 to %d", b, s,
                      input->solid_count - 1);
        return;
    }
    if (s >= 0 && (model->is_immovable[b] != 0 || model->is_loaded[b] != 0)) {
        tal_error_add(
            err, TAL_BAD_INPUT,
            "body %d deforms, so it can neither be fixed, nor follow a series, nor carry a "
            "point force: make it rigid, or hold nodes of its solid",
            b);
    }
    if (s >= 0 && model->shapes.kind[model->shape_of_body[b]] == TAL_SHAPE_SPHERE &&
        input->solid[s].kinematics != TAL_KINEMATICS_PSEUDO_RIGID) {
        tal_error_add(
            err, TAL_BAD_INPUT,
            "body %d is a sphere: a mesh has flat faces; give the polyhedron of its surface", b);
    }
    if (s >= 0 && first_body[s] >= 0 && !is_alike(model, first_body[s], b)) {
        tal_error_add(err, TAL_BAD_INPUT,
                      "bodies %d and %d are made of solid %d but differ in mass or inertia: give "
                      "each its own solid",
                      first_body[s], b, s);
    }
}

static void check_constraints(const tal_model_input *input, tal_error *err) {
    for (int32_t n = 0; n < input->constraint_count; n++) {
        const int32_t body[2] = {input->constraint[n].body_i, input->constraint[n].body_j};
        for (int side = 0; side < 2; side++) {
            if (body[side] >= 0 && input->body_solid[body[side]] >= 0) {
                tal_error_add(err, TAL_BAD_INPUT,
                              "constraint %d holds body %d, which deforms: constraints are between "
                              "rigid bodies; hold nodes of its solid instead",
                              n, body[side]);
            }
        }
    }
}

static void check_weak_planes(const tal_model_input *input, tal_error *err) {
    int32_t last = 0;
    for (int32_t n = 0; n < input->weak_plane_count; n++) {
        const tal_weak_plane *plane = &input->weak_plane[n];
        const double length = tal_vec3_length(plane->normal);
        if (plane->body < last || plane->body >= input->body_count) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "plane of weakness %d is of body %d; planes come in the order of bodies, "
                          "which are numbered 0 to %d",
                          n, plane->body, input->body_count - 1);
            return;
        }
        last = plane->body;
        if (input->body_solid[plane->body] < 0) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "plane of weakness %d is of body %d, which is rigid and has no stresses",
                          n, plane->body);
        }
        if (!(fabs(length - 1.0) < 1e-9) || !(plane->strength_pa > 0.0)) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "plane of weakness %d of body %d has a normal of length %g and a "
                          "strength of %g Pa; the first must be 1, the second positive",
                          n, plane->body, length, plane->strength_pa);
        }
    }
}

static tal_status check_all(tal_model *model, const tal_model_input *input, int32_t *first_body,
                            tal_error *err) {
    tal_error_reset(err);
    for (int32_t b = 0; b < model->body_count; b++) {
        check_body(model, input, b, first_body, err);
        const int32_t s = input->body_solid[b];
        if (s >= 0 && s < input->solid_count && first_body[s] < 0) {
            first_body[s] = b;
        }
    }
    check_constraints(input, err);
    check_weak_planes(input, err);
    if (input->settings.elastic_scheme == TAL_ELASTIC_IMPLICIT &&
        input->settings.scheme == TAL_SCHEME_MOREAU) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "the implicit elastic scheme goes with scheme = acd2, where positions follow "
                      "the new velocity; use that, or the theta scheme");
    }
    for (int32_t s = 0; s < input->solid_count; s++) {
        solid_name name;
        name_solid(s, name);
        if (tal_solid_check_input(&input->solid[s], name, err) == TAL_NO_MEMORY) {
            return TAL_NO_MEMORY;
        }
    }
    return err->message_count == 0 ? TAL_OK : err->status;
}

static tal_status number_bodies(tal_model *model, const tal_model_input *input, tal_error *err) {
    TAL_CREATE(model->solid_of_body, (size_t)model->body_count, "solids of bodies", err);
    TAL_CREATE(model->soft_of_body, (size_t)model->body_count, "solids of bodies", err);
    TAL_CREATE(model->soft_body, (size_t)model->body_count, "solids of bodies", err);
    for (int32_t b = 0; b < model->body_count; b++) {
        model->solid_of_body[b] = input->body_solid[b];
        model->soft_of_body[b] = -1;
        if (input->body_solid[b] >= 0) {
            model->soft_of_body[b] = model->soft_count;
            model->soft_body[model->soft_count++] = b;
        }
    }
    return TAL_OK;
}

static tal_status copy_weak_planes(tal_model *model, const tal_model_input *input, tal_error *err) {
    const int32_t count = model->weak_plane_count = input->weak_plane_count;
    TAL_CREATE(model->weak_plane, (size_t)count + 1, "planes of weakness", err);
    TAL_CREATE(model->weak_start, (size_t)model->soft_count + 1, "planes of weakness", err);
    for (int32_t n = 0; n < count; n++) {
        model->weak_plane[n] = input->weak_plane[n];
    }
    for (int32_t soft = 0, n = 0; soft < model->soft_count; soft++) {
        for (; n < count && model->weak_plane[n].body == model->soft_body[soft]; n++) {
        }
        model->weak_start[soft + 1] = n;
    }
    return TAL_OK;
}

int32_t tal_model_weak_planes(const tal_model *model, int32_t body, const tal_weak_plane **first) {
    if (!tal_is_soft(model, body)) {
        return 0;
    }
    const int32_t *start = &model->weak_start[model->soft_of_body[body]];
    *first = &model->weak_plane[start[0]];
    return start[1] - start[0];
}

// What rings within a step in which a wave crosses the body is not seen, and with theta = 1/2 it is not lost
// either: it would shake a body that lies still out of its friction. In a floating frame such steps take
// theta = 1; with positions of nodes that would strain all that turns.
static tal_elastic_step step_of(const tal_solver_settings *settings, const tal_solid_input *solid,
                                double width, int pieces) {
    const double h = settings->dt_s / pieces;
    const tal_elasticity law = tal_elasticity_make(solid->young_pa, solid->poisson);
    const bool is_long = solid->kinematics == TAL_KINEMATICS_FLOATING_FRAME &&
                         h * tal_elasticity_speed(law, solid->density_kg_m3) > width;
    return tal_elastic_step_of(h, settings->scheme == TAL_SCHEME_MOREAU && !is_long,
                               settings->elastic_scheme);
}

// With its factors for steps that are cut (deformable/pieces.h), and the parts over which stresses are
// averaged.
static tal_status make_solid(const tal_model *model, const tal_model_input *input, int32_t s,
                             int32_t body, tal_error *err) {
    const tal_solver_settings *settings = &input->settings;
    tal_solid *solid = &model->solid[s];
    int pieces[TAL_SOLID_LEVELS_MAX];
    solid_name name;
    name_solid(s, name);
    const double width = model->shapes.smallest_width[model->shape_of_body[body]];
    TAL_TRY(tal_solid_create(solid, &input->solid[s], name, model->mass[body], model->inertia[body],
                             step_of(settings, &input->solid[s], width, 1), err));
    const int count = tal_soft_list_pieces(settings, pieces);
    for (int k = 1; k < count; k++) {
        TAL_TRY(tal_solid_add_level(solid, name,
                                    step_of(settings, &input->solid[s], width, pieces[k]), err));
    }
    return settings->watch_tension
               ? tal_solid_make_patches(solid, tal_tension_length(settings, width), err)
               : TAL_OK;
}

// A solid that no body is made of is checked, but not made.
static tal_status make_solids(tal_model *model, const tal_model_input *input,
                              const int32_t *first_body, tal_error *err) {
    TAL_CREATE(model->solid, (size_t)input->solid_count, "solids", err);
    model->solid_count = input->solid_count;
    for (int32_t s = 0; s < input->solid_count; s++) {
        if (first_body[s] >= 0) {
            TAL_TRY(make_solid(model, input, s, first_body[s], err));
        }
    }
    TAL_TRY(number_bodies(model, input, err));
    return copy_weak_planes(model, input, err);
}

tal_status tal_model_create_solids(tal_model *model, const tal_model_input *input, tal_error *err) {
    tal_error local;
    int32_t *first_body;
    if (input->solid_count == 0) {
        return TAL_OK;
    }
    TAL_CREATE(first_body, (size_t)input->solid_count, "solids of bodies", err);
    for (int32_t s = 0; s < input->solid_count; s++) {
        first_body[s] = -1;
    }
    tal_status status = check_all(model, input, first_body, err != NULL ? err : &local);
    status = status == TAL_OK ? make_solids(model, input, first_body, err) : status;
    tal_memory_destroy(first_body);
    return status;
}

void tal_model_destroy_solids(tal_model *model) {
    for (int32_t s = 0; s < model->solid_count; s++) {
        tal_solid_destroy(&model->solid[s]);
    }
    tal_memory_destroy(model->solid);
    tal_memory_destroy(model->solid_of_body);
    tal_memory_destroy(model->soft_of_body);
    tal_memory_destroy(model->soft_body);
    tal_memory_destroy(model->weak_plane);
    tal_memory_destroy(model->weak_start);
}

uint64_t tal_model_hash_solids(uint64_t hash, const tal_model *model) {
    for (int32_t s = 0; s < model->solid_count; s++) {
        const tal_solid *solid = &model->solid[s];
        const double number[] = {(double)solid->kinematics,
                                 solid->nodes_only ? 1.0 : 0.0,
                                 solid->law.lambda,
                                 solid->law.mu,
                                 solid->density,
                                 solid->alpha,
                                 solid->beta,
                                 solid->level[0].step.p1};
        hash = tal_hash_bytes(hash, number, sizeof number);
        hash = tal_hash_bytes(hash, solid->node, (size_t)solid->node_count * sizeof *solid->node);
        hash =
            tal_hash_bytes(hash, solid->mass,
                           solid->node_count > 0
                               ? (size_t)solid->stiffness.start[solid->node_count] * sizeof(double)
                               : 0);
    }
    if (model->solid_count > 0) {
        const double number[] = {model->settings.blow_dt_s,
                                 model->settings.watch_tension ? 1.0 : 0.0,
                                 model->settings.tension_length_m};
        hash = tal_hash_bytes(hash, number, sizeof number);
    }
    for (int32_t n = 0; n < model->weak_plane_count; n++) {
        const tal_weak_plane *plane = &model->weak_plane[n];
        const double number[] = {(double)plane->body, plane->normal.x, plane->normal.y,
                                 plane->normal.z, plane->strength_pa};
        hash = tal_hash_bytes(hash, number, sizeof number);
    }
    return model->solid_count > 0
               ? tal_hash_bytes(hash, model->solid_of_body,
                                (size_t)model->body_count * sizeof *model->solid_of_body)
               : hash;
}

int32_t tal_model_node_count(const tal_model *model, int32_t body) {
    return tal_is_soft(model, body) ? model->solid[model->solid_of_body[body]].node_count : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that deform.
#include "solver/program/scene_bodies.h"

#include "core/geometry/angle.h"
#include "core/geometry/dip.h"

#include <math.h>
#include <string.h>

enum { CORNERS = 8 };

static bool starts_are_good(const int32_t *start, size_t count, size_t end) {
    bool good = start[0] == 0 && (size_t)start[count] == end;
    for (size_t b = 0; good && b < count; b++) {
        good = start[b] <= start[b + 1];
    }
    return good;
}

tal_status tal_scene_read_elements(tal_solve_scene *scene, tal_netcdf *file, tal_error *err) {
    tal_scene_elements *e = &scene->elements;
    const size_t blocks = (size_t)scene->input.body_count;
    size_t nodes = 0, elements = 0;
    if (!tal_netcdf_has(file, "element_node")) {
        return TAL_OK;
    }
    TAL_TRY(tal_netcdf_get_length(file, "mesh_node", &nodes, err));
    TAL_TRY(tal_netcdf_get_length(file, "element", &elements, err));
    TAL_TAKE(&scene->arena, e->node_start, blocks + 1, "the elements", err);
    TAL_TAKE(&scene->arena, e->element_start, blocks + 1, "the elements", err);
    TAL_TAKE(&scene->arena, e->node, nodes, "the elements", err);
    TAL_TAKE(&scene->arena, e->corner, CORNERS * elements, "the elements", err);
    TAL_TRY(tal_netcdf_get_ints(file, "mesh_node_start", e->node_start, blocks + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "element_start", e->element_start, blocks + 1, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "mesh_node", &e->node->x, 3 * nodes, err));
    TAL_TRY(tal_netcdf_get_ints(file, "element_node", e->corner, CORNERS * elements, err));
    return starts_are_good(e->node_start, blocks, nodes) &&
                   starts_are_good(e->element_start, blocks, elements)
               ? TAL_OK
               : TAL_FAIL(err, TAL_BAD_INPUT,
                          "%s: mesh_node_start or element_start does not rise from 0 to the end",
                          file->path);
}

static const tal_body_settings *body_of(const tal_solve_scene *scene, const tal_settings *settings,
                                        int32_t block) {
    for (int k = 0; k < settings->body_count; k++) {
        const tal_body_settings *body = &settings->body[k];
        if (strcmp(body->label, scene->class_name[scene->input.body_class[block]]) == 0) {
            return body->kind != TAL_BODY_RIGID ? body : NULL;
        }
    }
    return NULL;
}

static tal_kinematics kinematics_of(const tal_body_settings *body) {
    static const tal_kinematics of_choice[] = {
        [TAL_CHOICE_KINEMATICS_FLOATING_FRAME] = TAL_KINEMATICS_FLOATING_FRAME,
        [TAL_CHOICE_KINEMATICS_TOTAL_LAGRANGIAN] = TAL_KINEMATICS_TOTAL_LAGRANGIAN,
        [TAL_CHOICE_KINEMATICS_COROTATIONAL] = TAL_KINEMATICS_COROTATIONAL,
        [TAL_CHOICE_KINEMATICS_SMALL] = TAL_KINEMATICS_SMALL};
    return body->kind == TAL_BODY_PSEUDO_RIGID ? TAL_KINEMATICS_PSEUDO_RIGID
                                               : of_choice[body->kinematics];
}

// Elements of a block, sorted by their number of corners as the library wants them.
static tal_status take_elements(tal_solve_scene *scene, int32_t block, tal_solid_input *solid,
                                tal_error *err) {
    const tal_scene_elements *e = &scene->elements;
    const int32_t first = e->element_start[block], end = e->element_start[block + 1];
    int32_t *hexahedron = NULL, *tetrahedron = NULL;
    TAL_TAKE(&scene->arena, hexahedron, 8 * (size_t)(end - first), "the elements", err);
    TAL_TAKE(&scene->arena, tetrahedron, 4 * (size_t)(end - first), "the elements", err);
    for (int32_t k = first; k < end; k++) {
        const int32_t *corner = &e->corner[CORNERS * k];
        if (corner[4] < 0) {
            memcpy(&tetrahedron[4 * solid->tetrahedron_count++], corner, 4 * sizeof *corner);
        } else {
            memcpy(&hexahedron[8 * solid->hexahedron_count++], corner, 8 * sizeof *corner);
        }
    }
    solid->node_count = e->node_start[block + 1] - e->node_start[block];
    solid->node_m = &e->node[e->node_start[block]];
    solid->hexahedron = hexahedron;
    solid->tetrahedron = tetrahedron;
    return TAL_OK;
}

static tal_solid_input material_of(const tal_solve_scene *scene, int32_t block,
                                   const tal_body_settings *body) {
    return (tal_solid_input){.kinematics = kinematics_of(body),
                             .density_kg_m3 = scene->input.mass_kg[block] / scene->volume_m3[block],
                             .young_pa = body->young_pa,
                             .poisson = body->poisson,
                             .damping_mass_per_s = body->damping_mass_per_s,
                             .damping_stiffness_s = body->damping_stiffness_s};
}

static tal_status take_filling(tal_solve_scene *scene, const tal_filling *made,
                               tal_solid_input *solid, tal_error *err) {
    tal_vec3 *node = NULL;
    int32_t *corner = NULL;
    TAL_TAKE(&scene->arena, node, (size_t)made->node_count, "the elements", err);
    TAL_TAKE(&scene->arena, corner, 4 * (size_t)made->tetrahedron_count, "the elements", err);
    memcpy(node, made->node_m, (size_t)made->node_count * sizeof *node);
    memcpy(corner, made->tetrahedron, 4 * (size_t)made->tetrahedron_count * sizeof *corner);
    solid->node_count = made->node_count;
    solid->node_m = node;
    solid->tetrahedron_count = made->tetrahedron_count;
    solid->tetrahedron = corner;
    return TAL_OK;
}

tal_status tal_scene_describe_piece(tal_solve_scene *scene, const tal_settings *settings,
                                    int32_t piece, const tal_shape_input *shape,
                                    tal_solid_input *solid, tal_error *err) {
    const tal_body_settings *body = body_of(scene, settings, piece);
    TAL_ASSERT(body != NULL);
    *solid = material_of(scene, piece, body);
    if (body->kind == TAL_BODY_PSEUDO_RIGID) {
        return TAL_OK;
    }
    tal_filling made;
    TAL_TRY(tal_filling_create(&made, shape, body->element_m, err));
    const tal_status status = take_filling(scene, &made, solid, err);
    tal_filling_destroy(&made);
    return status;
}

static tal_status describe(tal_solve_scene *scene, const tal_settings *settings, int32_t block,
                           const tal_body_settings *body, tal_solid_input *solid, tal_error *err) {
    *solid = material_of(scene, block, body);
    if (body->kind == TAL_BODY_PSEUDO_RIGID) {
        return TAL_OK;
    }
    const tal_scene_elements *e = &scene->elements;
    if (e->element_start == NULL || e->element_start[block + 1] == e->element_start[block]) {
        return TAL_FAIL(
            err, TAL_BAD_INPUT,
            "%s: [body.%s] kind = finite-element: block %d of blocks.nc has no elements: "
            "run talus-mesh again",
            tal_settings_where_in(settings, body, sizeof *body), body->label, block);
    }
    return take_elements(scene, block, solid, err);
}

// The same to rounding: bricks of one lattice are cut at different places.
static bool is_near(double a, double b, double scale) {
    return fabs(a - b) <= 1e-10 * scale;
}

static bool are_same(const int32_t *a, const int32_t *b, int32_t count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool are_alike(const tal_solve_scene *scene, const tal_solid_input *s, int32_t block,
                      const tal_solid_input *t, int32_t other) {
    const tal_model_input *in = &scene->input;
    const tal_vec3 i = in->inertia_kg_m2[block], j = in->inertia_kg_m2[other];
    const double size = scene->bounding_radius_m[block];
    bool alike = s->kinematics == t->kinematics && s->node_count == t->node_count &&
                 s->hexahedron_count == t->hexahedron_count &&
                 s->tetrahedron_count == t->tetrahedron_count && s->young_pa == t->young_pa &&
                 s->poisson == t->poisson && s->damping_mass_per_s == t->damping_mass_per_s &&
                 s->damping_stiffness_s == t->damping_stiffness_s &&
                 is_near(in->mass_kg[block], in->mass_kg[other], in->mass_kg[block]) &&
                 is_near(i.x, j.x, i.z) && is_near(i.y, j.y, i.z) && is_near(i.z, j.z, i.z);
    for (int32_t n = 0; alike && n < s->node_count; n++) {
        alike = tal_vec3_length(tal_vec3_subtract(s->node_m[n], t->node_m[n])) <= 1e-10 * size;
    }
    return alike && are_same(s->hexahedron, t->hexahedron, 8 * s->hexahedron_count) &&
           are_same(s->tetrahedron, t->tetrahedron, 4 * s->tetrahedron_count);
}

tal_status tal_scene_make_bodies(tal_solve_scene *scene, const tal_settings *settings,
                                 tal_error *err) {
    const int32_t count = scene->input.body_count;
    tal_solid_input *solid = NULL;
    int32_t *of_body = NULL, *first = NULL, made = 0;
    if (settings->body_count == 0) {
        return TAL_OK;
    }
    if (scene->volume_m3 == NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "blocks.nc has no volumes, which bodies that deform need");
    }
    TAL_TAKE(&scene->arena, solid, (size_t)count, "bodies that deform", err);
    TAL_TAKE(&scene->arena, of_body, (size_t)count, "bodies that deform", err);
    TAL_TAKE(&scene->arena, first, (size_t)count, "bodies that deform", err);
    for (int32_t b = 0; b < count; b++) {
        const tal_body_settings *body = body_of(scene, settings, b);
        of_body[b] = -1;
        if (body == NULL) {
            continue;
        }
        TAL_TRY(describe(scene, settings, b, body, &solid[made], err));
        for (int32_t s = 0; s < made && of_body[b] < 0; s++) {
            of_body[b] = are_alike(scene, &solid[s], first[s], &solid[made], b) ? s : -1;
        }
        if (of_body[b] < 0) {
            first[made] = b;
            of_body[b] = made++;
        }
        scene->soft_count++;
    }
    if (scene->soft_count > 0) {
        scene->input.solid_count = made;
        scene->input.solid = solid;
        scene->input.body_solid = of_body;
    }
    return TAL_OK;
}

static bool is_weak(const tal_solve_scene *scene, const tal_joint_settings *joint, int32_t block) {
    const char *class = scene->class_name[scene->input.body_class[block]];
    return !isnan(joint->tensile_strength_pa) && scene->input.body_solid[block] >= 0 &&
           (joint->block_class[0] == '\0' || strcmp(joint->block_class, class) == 0);
}

tal_status tal_scene_make_joints(tal_solve_scene *scene, const tal_settings *settings,
                                 tal_error *err) {
    tal_model_input *in = &scene->input;
    tal_weak_plane *plane = NULL;
    int32_t made = 0;
    if (scene->soft_count == 0 || settings->joint_count == 0) {
        return TAL_OK;
    }
    TAL_TAKE(&scene->arena, plane, (size_t)in->body_count * (size_t)settings->joint_count, "joints",
             err);
    for (int32_t b = 0; b < in->body_count; b++) {
        for (int k = 0; k < settings->joint_count; k++) {
            const tal_joint_settings *joint = &settings->joint[k];
            if (is_weak(scene, joint, b)) {
                const tal_vec3 normal = tal_dip_normal(tal_radians(joint->dip_deg),
                                                       tal_radians(joint->dip_direction_deg));
                plane[made++] = (tal_weak_plane){
                    b, tal_quat_rotate(tal_quat_conjugate(in->orientation[b]), normal),
                    joint->tensile_strength_pa};
            }
        }
    }
    in->weak_plane_count = made;
    in->weak_plane = plane;
    return TAL_OK;
}

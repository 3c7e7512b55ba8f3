// SPDX-License-Identifier: GPL-3.0-or-later
// Roughness below the resolution of the terrain.
#include "solver/program/scene_ground.h"

#include "core/base/memory.h"
#include "solver/detect/roughness.h"

#include <math.h>
#include <string.h>

static tal_status copy_terrain(const tal_solve_scene *scene, tal_rough_terrain *to,
                               tal_error *err) {
    const size_t vertices = (size_t)scene->input.terrain_vertex_count;
    const size_t triangles = (size_t)scene->input.terrain_triangle_count;
    *to = (tal_rough_terrain){.vertex_count = scene->input.terrain_vertex_count,
                              .triangle_count = scene->input.terrain_triangle_count};
    TAL_CREATE(to->vertex, vertices, "rough ground", err);
    TAL_CREATE(to->triangle, 3 * triangles, "rough ground", err);
    TAL_CREATE(to->surface_class, triangles, "rough ground", err);
    memcpy(to->vertex, scene->input.terrain_vertex_m, vertices * sizeof *to->vertex);
    memcpy(to->triangle, scene->input.terrain_triangle, 3 * triangles * sizeof *to->triangle);
    memcpy(to->surface_class, scene->input.terrain_class, triangles * sizeof *to->surface_class);
    return TAL_OK;
}

// Into the arena, which owns all arrays of a scene.
static tal_status take_terrain(tal_solve_scene *scene, const tal_rough_terrain *from,
                               tal_error *err) {
    const size_t vertices = (size_t)from->vertex_count, triangles = (size_t)from->triangle_count;
    tal_vec3 *vertex = NULL;
    int32_t *triangle = NULL, *surface_class = NULL;
    TAL_TAKE(&scene->arena, vertex, vertices, "rough ground", err);
    TAL_TAKE(&scene->arena, triangle, 3 * triangles, "rough ground", err);
    TAL_TAKE(&scene->arena, surface_class, triangles, "rough ground", err);
    memcpy(vertex, from->vertex, vertices * sizeof *vertex);
    memcpy(triangle, from->triangle, 3 * triangles * sizeof *triangle);
    memcpy(surface_class, from->surface_class, triangles * sizeof *surface_class);
    scene->input.terrain_vertex_count = from->vertex_count;
    scene->input.terrain_vertex_m = vertex;
    scene->input.terrain_triangle_count = from->triangle_count;
    scene->input.terrain_triangle = triangle;
    scene->input.terrain_class = surface_class;
    return TAL_OK;
}

static int32_t class_of(const tal_solve_scene *scene, const char *name) {
    for (int32_t k = 0; k < scene->input.class_count; k++) {
        if (strcmp(scene->class_name[k], name) == 0) {
            return k;
        }
    }
    return -1;
}

static tal_status read_roughness(const tal_solve_scene *scene, const tal_settings *settings,
                                 tal_roughness rough[TAL_CLASSES_MAX], double *highest,
                                 tal_error *err) {
    for (int k = 0; k < settings->ground_count; k++) {
        const tal_ground_settings *ground = &settings->ground[k];
        const int32_t number = class_of(scene, ground->label);
        if (number < 0) {
            return TAL_FAIL(err, TAL_BAD_SETTING,
                            "%s: [ground.%s]: the terrain has no surface class of that name "
                            "(ground_class of [mesh] gives names)",
                            tal_settings_where_in(settings, ground, sizeof *ground), ground->label);
        }
        rough[number] = (tal_roughness){ground->roughness_m, ground->roughness_length_m};
        *highest = fmax(*highest, ground->roughness_m);
    }
    return TAL_OK;
}

tal_status tal_scene_roughen(tal_solve_scene *scene, const tal_settings *settings, tal_error *err) {
    tal_roughness rough[TAL_CLASSES_MAX] = {{0}};
    double highest = 0.0;
    TAL_TRY(read_roughness(scene, settings, rough, &highest, err));
    if (highest == 0.0) {
        return TAL_OK;
    }
    tal_rough_terrain terrain = {0};
    tal_status status = copy_terrain(scene, &terrain, err);
    if (status == TAL_OK) {
        status = tal_terrain_roughen(&terrain, rough, scene->input.class_count,
                                     (uint64_t)settings->random.seed, err);
    }
    if (status == TAL_OK) {
        status = take_terrain(scene, &terrain, err);
    }
    tal_rough_terrain_destroy(&terrain);
    scene->input.settings.ground_overlap_max_m += highest; // blocks were cut at the smooth bed
    return status;
}

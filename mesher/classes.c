// SPDX-License-Identifier: GPL-3.0-or-later
// Surface classes from polygon layers.
#include "mesher/classes.h"

#include "core/file.h"
#include "core/geo/geopackage.h"
#include "core/memory.h"
#include "core/text.h"

#include <string.h>

int tal_class_names_find(tal_class_names *names, const char *name) {
    for (int k = 0; k < names->count; k++) {
        if (strcmp(names->name[k], name) == 0) {
            return k;
        }
    }
    if (names->count == TAL_CLASSES_MAX ||
        !tal_text_copy(names->name[names->count], TAL_CLASS_NAME_SIZE, name)) {
        return -1;
    }
    return names->count++;
}

// Polygons carry their own coordinate system; without one they are taken in that of the study.
static tal_status bring_to_study(tal_polygons *polygons, const tal_crs *crs, const char *path,
                                 tal_error *err) {
    tal_crs *own = NULL;
    tal_crs_transform *transform = NULL;
    tal_status status = TAL_OK;
    if (polygons->crs_definition == NULL || tal_crs_get_info(crs)->is_local) {
        return TAL_OK;
    }
    const int32_t rings = polygons->polygon_start[polygons->polygon_count];
    TAL_TRY_OR_DONE(tal_crs_create(&own, polygons->crs_definition, path, err));
    TAL_TRY_OR_DONE(tal_crs_transform_create(&transform, own, crs, path, err));
    TAL_TRY_OR_DONE(tal_crs_transform_apply(transform, polygons->x, polygons->y, NULL,
                                            (size_t)polygons->ring_start[rings], err));
done:
    tal_crs_transform_destroy(transform);
    tal_crs_destroy(own);
    return status;
}

static tal_status name_polygons(const tal_polygons *polygons, int32_t *class_of,
                                tal_class_names *names, const char *path, tal_error *err) {
    for (int32_t p = 0; p < polygons->polygon_count; p++) {
        const char *name = polygons->text != NULL ? polygons->text[p] : "";
        if (name == NULL || name[0] == '\0') {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: polygon %d has no surface class; give each a text field named "
                            "class, such as talus or rock",
                            path, p + 1);
        }
        class_of[p] = tal_class_names_find(names, name);
        if (class_of[p] < 0) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s: surface class '%.80s' is longer than %d characters, or there are "
                            "more than %d classes",
                            path, name, TAL_CLASS_NAME_SIZE - 1, TAL_CLASSES_MAX);
        }
    }
    return TAL_OK;
}

static void assign_faces(int32_t *face_class, const tal_terrain_mesh *mesh, const double origin[3],
                         const tal_polygons *polygons, const int32_t *class_of) {
#pragma omp parallel for schedule(static)
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double x = origin[0], y = origin[1];
        for (int k = 0; k < 3; k++) {
            x += mesh->x[mesh->face_node[3 * (size_t)f + (size_t)k]] / 3;
            y += mesh->y[mesh->face_node[3 * (size_t)f + (size_t)k]] / 3;
        }
        const int32_t polygon = tal_polygons_find(polygons, x, y);
        if (polygon >= 0) {
            face_class[f] = class_of[polygon];
        }
    }
}

static tal_status assign_file(int32_t *face_class, const tal_terrain_mesh *mesh,
                              const double origin[3], const char *path, const tal_crs *crs,
                              tal_class_names *names, tal_error *err) {
    tal_polygons polygons = {0};
    int32_t *class_of = NULL;
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_polygons_read(&polygons, path, NULL, "class", err));
    TAL_CREATE_OR_DONE(class_of, (size_t)polygons.polygon_count + 1, "classes of polygons", err);
    TAL_TRY_OR_DONE(bring_to_study(&polygons, crs, path, err));
    TAL_TRY_OR_DONE(name_polygons(&polygons, class_of, names, path, err));
    assign_faces(face_class, mesh, origin, &polygons, class_of);
done:
    tal_memory_destroy(class_of);
    tal_polygons_destroy(&polygons);
    return status;
}

tal_status tal_classes_assign(int32_t *face_class, const tal_terrain_mesh *mesh,
                              const double origin[3], const tal_settings *settings,
                              const tal_crs *crs, tal_class_names *names, tal_error *err) {
    for (int32_t f = 0; f < mesh->face_count; f++) {
        face_class[f] = 0;
    }
    char path[TAL_PATH_SIZE];
    const char *cursor = settings->mesh.ground_classes;
    while (tal_settings_next_file(settings, &cursor, path)) {
        TAL_TRY(assign_file(face_class, mesh, origin, path, crs, names, err));
    }
    return TAL_OK;
}

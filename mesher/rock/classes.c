// SPDX-License-Identifier: GPL-3.0-or-later
// Surface classes from polygon layers and rasters.
#include "mesher/rock/classes.h"

#include "core/app/site_check.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/geopackage.h"
#include "core/geo/raster_file.h"

#include <math.h>
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

static void face_centre(const tal_terrain_mesh *mesh, int32_t f, const double origin[3], double *x,
                        double *y) {
    *x = origin[0];
    *y = origin[1];
    for (int k = 0; k < 3; k++) {
        *x += mesh->x[mesh->face_node[3 * (size_t)f + (size_t)k]] / 3;
        *y += mesh->y[mesh->face_node[3 * (size_t)f + (size_t)k]] / 3;
    }
}

static void assign_faces(int32_t *face_class, const tal_terrain_mesh *mesh, const double origin[3],
                         const tal_polygons *polygons, const int32_t *class_of) {
#pragma omp parallel for schedule(static)
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double x, y;
        face_centre(mesh, f, origin, &x, &y);
        const int32_t polygon = tal_polygons_find(polygons, x, y);
        if (polygon >= 0) {
            face_class[f] = class_of[polygon];
        }
    }
}

static tal_status assign_polygons(int32_t *face_class, const tal_terrain_mesh *mesh,
                                  const double origin[3], const char *path, const tal_crs *crs,
                                  tal_class_names *names, tal_error *err) {
    tal_polygons polygons = {0};
    int32_t *class_of = NULL;
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_polygons_read(&polygons, path, NULL, "class", err));
    TAL_CREATE_OR_DONE(class_of, (size_t)polygons.polygon_count + 1, "classes of polygons", err);
    TAL_TRY_OR_DONE(tal_polygons_to_crs(&polygons, crs, path, err));
    TAL_TRY_OR_DONE(name_polygons(&polygons, class_of, names, path, err));
    assign_faces(face_class, mesh, origin, &polygons, class_of);
done:
    tal_memory_destroy(class_of);
    tal_polygons_destroy(&polygons);
    return status;
}

// ---- Rasters ---------------------------------------------------------------------------

// The names of the values 1, 2, 3 ... as numbers of classes.
static tal_status number_values(const char *text, int32_t *class_of, int *count,
                                tal_class_names *names, tal_error *err) {
    *count = 0;
    while (*(text += strspn(text, " \t\n,")) != '\0') {
        char name[TAL_CLASS_NAME_SIZE] = "";
        const size_t length = strcspn(text, " \t\n,");
        if (length < sizeof name) {
            memcpy(name, text, length);
        }
        const int number = name[0] != '\0' ? tal_class_names_find(names, name) : -1;
        if (number < 0 || *count == TAL_CLASSES_MAX) {
            return TAL_FAIL(err, TAL_BAD_SETTING,
                            "[mesh] ground_class_names: '%.*s' is longer than %d characters, or "
                            "there are more than %d classes",
                            (int)(length < 80 ? length : 80), text, TAL_CLASS_NAME_SIZE - 1,
                            TAL_CLASSES_MAX);
        }
        class_of[(*count)++] = number;
        text += length;
    }
    return TAL_OK;
}

// Centres of the faces in the coordinates of the raster.
static tal_status centres_for(double *x, double *y, const tal_terrain_mesh *mesh,
                              const double origin[3], const char *definition, const char *path,
                              const tal_crs *crs, tal_error *err) {
    tal_crs *own;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        face_centre(mesh, f, origin, &x[f], &y[f]);
    }
    if (definition == NULL || tal_crs_get_info(crs)->is_local) {
        return TAL_OK;
    }
    TAL_TRY(tal_crs_create(&own, definition, path, err));
    const tal_status status =
        tal_crs_convert_flat(crs, own, path, x, y, (size_t)mesh->face_count, err);
    tal_crs_destroy(own);
    return status;
}

static tal_status read_values(int32_t *face_class, int32_t face_count, const tal_raster *raster,
                              const double *x, const double *y, const int32_t *class_of,
                              int class_count, const char *path, tal_error *err) {
    for (int32_t f = 0; f < face_count; f++) {
        const int64_t at = tal_grid_index(&raster->grid, x[f], y[f]);
        const double value = at >= 0 ? (double)raster->value[at] : NAN;
        if (isnan(value) || value == 0) {
            continue;
        }
        if (value < 0 || value > class_count || value != floor(value)) {
            return TAL_FAIL(err, TAL_BAD_INPUT,
                            "%s holds the value %g at %.1f %.1f, but [mesh] ground_class_names "
                            "names the values 1 to %d; name more of them, or make them whole "
                            "numbers (0 is ground_class)",
                            path, value, x[f], y[f], class_count);
        }
        face_class[f] = class_of[(int)value - 1];
    }
    return TAL_OK;
}

static tal_status assign_raster(int32_t *face_class, const tal_terrain_mesh *mesh,
                                const double origin[3], const char *path, const char *value_names,
                                const tal_crs *crs, tal_class_names *names, tal_error *err) {
    tal_raster raster = {0};
    tal_raster_info info = {0};
    int32_t class_of[TAL_CLASSES_MAX];
    int class_count;
    double *x = NULL, *y = NULL;
    tal_status status = TAL_OK;
    const size_t faces = (size_t)mesh->face_count;
    TAL_TRY_OR_DONE(number_values(value_names, class_of, &class_count, names, err));
    TAL_TRY_OR_DONE(tal_raster_info_read(&info, path, err));
    TAL_TRY_OR_DONE(tal_raster_read(&raster, path, err));
    TAL_CREATE_OR_DONE(x, faces, "centres of triangles", err);
    TAL_CREATE_OR_DONE(y, faces, "centres of triangles", err);
    TAL_TRY_OR_DONE(centres_for(x, y, mesh, origin, info.crs_definition, path, crs, err));
    TAL_TRY_OR_DONE(
        read_values(face_class, mesh->face_count, &raster, x, y, class_of, class_count, path, err));
done:
    tal_memory_destroy(x);
    tal_memory_destroy(y);
    tal_raster_info_destroy(&info);
    tal_raster_destroy(&raster);
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
        TAL_TRY(tal_is_class_raster(path)
                    ? assign_raster(face_class, mesh, origin, path,
                                    settings->mesh.ground_class_names, crs, names, err)
                    : assign_polygons(face_class, mesh, origin, path, crs, names, err));
    }
    return TAL_OK;
}

tal_status tal_classes_assign_source(int32_t *face_class, const tal_terrain_mesh *mesh,
                                     const double origin[3], const tal_raster *source,
                                     const char *name, tal_class_names *names, tal_error *err) {
    const int number = tal_class_names_find(names, name);
    if (number < 0) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "[mesh] source_class = %.80s is longer than %d letters, or there are more "
                        "than %d classes",
                        name, TAL_CLASS_NAME_SIZE - 1, TAL_CLASSES_MAX);
    }
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double x, y;
        face_centre(mesh, f, origin, &x, &y);
        const int64_t at = tal_grid_index(&source->grid, x, y);
        if (at >= 0 && source->value[at] > 0.0f) {
            face_class[f] = number;
        }
    }
    return TAL_OK;
}

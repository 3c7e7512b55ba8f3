// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of the user's own.
#include "mesher/import/import.h"

#include "core/app/number.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geometry/mass_properties.h"
#include "mesher/import/gmsh_file.h"
#include "mesher/import/mesh_file.h"
#include "mesher/rock/hull.h"
#include "mesher/write/block_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    tal_block_set *set;
    tal_class_names *names;
    const tal_import_options *options;
    tal_import_report *report;
    int32_t *class_of;
    int32_t class_capacity;
    tal_volume_mesh *volume; // per block, as long as `class_of`; about the centroid until the end
    double next_east;        // where the next solid without a place goes
    bool has_solid;
} importing;

void tal_import_report_destroy(tal_import_report *report) {
    if (report != NULL) {
        tal_memory_destroy(report->solid);
        *report = (tal_import_report){0};
    }
}

// ---- Blocks of the set -----------------------------------------------------------------

static tal_status add_class(importing *work, const char *name, const char *where, tal_error *err) {
    const int32_t block = work->set->block_count - 1;
    if (block >= work->class_capacity) {
        const size_t target = 2 * (size_t)block + 64;
        TAL_GROW(work->class_of, (size_t)work->class_capacity, target, "classes of blocks", err);
        TAL_GROW(work->volume, (size_t)work->class_capacity, target, "elements of blocks", err);
        memset(work->volume + work->class_capacity, 0,
               (target - (size_t)work->class_capacity) * sizeof *work->volume);
        work->class_capacity = (int32_t)target;
    }
    const int number =
        tal_class_names_find(work->names, name[0] != '\0' ? name : work->options->block_class);
    if (number < 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: more than %d surface classes", where,
                        TAL_CLASSES_MAX);
    }
    work->class_of[block] = number;
    return TAL_OK;
}

static tal_status add_surface(importing *work, const tal_surface *surface, const char *what,
                              tal_error *err) {
    const char *fault = tal_surface_fault(surface, 1e-9);
    if (fault != NULL) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s cannot be made a block: %s", what, fault);
    }
    return tal_block_set_add(work->set, surface, tal_surface_mass(surface).volume, err);
}

// ---- Rocks -----------------------------------------------------------------------------

static tal_status add_report(importing *work, const tal_import_solid *solid, tal_error *err) {
    tal_import_report *report = work->report;
    if (report->solid == NULL) {
        TAL_CREATE(report->solid, TAL_IMPORT_SOLIDS_MAX, "a list of rocks", err);
    }
    if (report->solid_count < TAL_IMPORT_SOLIDS_MAX) {
        report->solid[report->solid_count++] = *solid;
    }
    return TAL_OK;
}

// What the user should know about a solid: convex blocks hold more than a hollow surface.
static void tell(const tal_import_solid *solid) {
    char own[TAL_NUMBER_SIZE], hull[TAL_NUMBER_SIZE];
    (void)tal_number_format(own, solid->file_volume);
    (void)tal_number_format(hull, solid->hull_volume);
    if (solid->open_edges > 0) {
        tal_log_warn("%s is not closed (%lld edges without a partner): its convex hull of %s m3 "
                     "is used instead; its own volume is undefined",
                     solid->name, (long long)solid->open_edges, hull);
    } else if (solid->crossings > 0) {
        tal_log_warn("%s crosses itself (%lld pairs of triangles pass through each other): its "
                     "convex hull of %s m3 is used instead; its own volume is undefined",
                     solid->name, (long long)solid->crossings, hull);
    } else if (!isnan(solid->file_volume) && solid->hull_volume > 2 * solid->file_volume) {
        tal_log_warn("%s encloses %s m3 but its convex hull %s m3: the surface is very hollow",
                     solid->name, own, hull);
    } else if (!isnan(solid->file_volume)) {
        tal_log_info("%s: %s m3; its convex hull differs by %+.1f %%", solid->name, own,
                     100 * (solid->hull_volume / solid->file_volume - 1));
    }
    if (solid->block_volume < 0.999 * solid->hull_volume) {
        tal_log_info("%s: simplified to %d corners, %.2f %% less volume", solid->name,
                     solid->block_vertices, 100 * (1 - solid->block_volume / solid->hull_volume));
    }
}

// Points of a part, in metres about the local origin.
static tal_status take_points(const tal_mesh_file *mesh, int32_t part, double unit, tal_vec3 shift,
                              tal_vec3 **points, int64_t *count, tal_error *err) {
    uint8_t *used;
    TAL_CREATE(used, (size_t)mesh->vertex_count, "points of a rock", err);
    *points = tal_memory_create((size_t)mesh->vertex_count, sizeof **points);
    if (*points == NULL) {
        tal_memory_destroy(used);
        return tal_memory_failed(err, "points of a rock", (size_t)mesh->vertex_count,
                                 sizeof **points);
    }
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3 && mesh->part[t] == part; k++) {
            used[mesh->triangle[3 * t + k]] = 1;
        }
    }
    *count = 0;
    for (int64_t v = 0; v < mesh->vertex_count; v++) {
        if (used[v] != 0 || mesh->triangle_count == 0) {
            (*points)[(*count)++] = tal_vec3_subtract(tal_vec3_scale(mesh->vertex[v], unit), shift);
        }
    }
    tal_memory_destroy(used);
    return TAL_OK;
}

static tal_status hull_part(const importing *work, const tal_mesh_file *mesh, int32_t part,
                            tal_vec3 shift, const char *what, tal_hull *simple,
                            tal_import_solid *solid, tal_error *err) {
    tal_vec3 *points = NULL;
    tal_hull hull = {0};
    int64_t count = 0;
    tal_status status = TAL_OK;
    const double unit = work->options->unit_m;
    TAL_TRY_OR_DONE(take_points(mesh, part, unit, shift, &points, &count, err));
    TAL_TRY_OR_DONE(tal_hull_create(&hull, points, count, what, err));
    TAL_TRY_OR_DONE(tal_hull_simplify(simple, &hull, work->options->vertices_max, what, err));
    TAL_TRY_OR_DONE(
        tal_mesh_file_measure(mesh, part, &solid->file_volume, &solid->open_edges, err));
    TAL_TRY_OR_DONE(tal_mesh_file_crossings(mesh, part, &solid->crossings, err));
    const tal_surface whole = tal_hull_surface(&hull), small = tal_hull_surface(simple);
    solid->file_volume = solid->open_edges == 0 && solid->crossings <= 0 && mesh->triangle_count > 0
                             ? fabs(solid->file_volume) * unit * unit * unit
                             : NAN;
    solid->hull_volume = tal_surface_mass(&whole).volume;
    solid->block_volume = tal_surface_mass(&small).volume;
    solid->block_vertices = simple->vertex_count;
    solid->vertex_count = count;
    solid->face_count = mesh->face_count;
done:
    tal_memory_destroy(points);
    tal_hull_destroy(&hull);
    return status;
}

// Moves a solid to its place in the row, its centroid at the wanted position.
static void place_solid(importing *work, tal_hull *hull) {
    const tal_import_options *options = work->options;
    const tal_surface surface = tal_hull_surface(hull);
    const tal_vec3 centroid = tal_surface_mass(&surface).centroid;
    double reach = 0;
    for (int32_t v = 0; v < hull->vertex_count; v++) {
        reach = fmax(reach, tal_vec3_length(tal_vec3_subtract(hull->vertex[v], centroid)));
    }
    const tal_vec3 place = {options->position.x + (work->has_solid ? work->next_east + reach : 0),
                            options->position.y, options->position.z};
    work->next_east = (work->has_solid ? work->next_east + reach : 0) + 1.1 * reach;
    work->has_solid = true;
    const tal_vec3 origin = {options->origin[0], options->origin[1], options->origin[2]};
    const tal_vec3 move = tal_vec3_subtract(tal_vec3_subtract(place, origin), centroid);
    for (int32_t v = 0; v < hull->vertex_count; v++) {
        hull->vertex[v] = tal_vec3_add(hull->vertex[v], move);
    }
}

static tal_status import_part(importing *work, const tal_mesh_file *mesh, int32_t part,
                              const char *what, tal_error *err) {
    const tal_import_options *options = work->options;
    tal_hull hull = {0};
    tal_import_solid solid = {0};
    const tal_vec3 zero = {0, 0, 0};
    const tal_vec3 origin = {options->origin[0], options->origin[1], options->origin[2]};
    (void)tal_text_copy(solid.name, sizeof solid.name, tal_path_name(what));
    tal_status status = hull_part(work, mesh, part, options->has_position ? zero : origin, what,
                                  &hull, &solid, err);
    if (status == TAL_OK) {
        if (options->has_position) {
            place_solid(work, &hull);
        }
        const tal_surface surface = tal_hull_surface(&hull);
        status = add_surface(work, &surface, what, err);
    }
    if (status == TAL_OK) {
        status = add_class(work, "", what, err);
    }
    if (status == TAL_OK) {
        tell(&solid);
        status = add_report(work, &solid, err);
    }
    tal_hull_destroy(&hull);
    return status;
}

static bool part_has_faces(const tal_mesh_file *mesh, int32_t part) {
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        if (mesh->part[t] == part) {
            return true;
        }
    }
    return mesh->triangle_count == 0 && part == 0;
}

static tal_status import_solids(importing *work, const char *path, tal_error *err) {
    tal_mesh_file mesh;
    TAL_TRY(tal_mesh_file_read(&mesh, path, err));
    tal_status status = TAL_OK;
    for (int32_t part = 0; part < mesh.part_count && status == TAL_OK; part++) {
        if (!part_has_faces(&mesh, part)) {
            continue;
        }
        char what[TAL_PATH_SIZE + 32];
        (void)snprintf(what, sizeof what, mesh.part_count > 1 ? "%s (part %d)" : "%s", path,
                       part + 1);
        status = import_part(work, &mesh, part, what, err);
    }
    tal_mesh_file_destroy(&mesh);
    return status;
}

// ---- Meshes of elements ----------------------------------------------------------------

// A block is convex: elements that leave part of their hull empty have another surface than it.
static tal_status compare_with_hull(const tal_volume_mesh *mesh, const tal_surface *hull,
                                    const char *path, tal_error *err) {
    const double own = tal_volume_mesh_volume(mesh), wanted = tal_surface_mass(hull).volume;
    return fabs(own - wanted) <= 1e-6 * wanted
               ? TAL_OK
               : TAL_FAIL(
                     err, TAL_BAD_INPUT,
                     "%s: its elements fill %.6g m3, but its convex hull %.6g m3: the mesh does "
                     "not match the surface of a block, which is convex; divide it, or close "
                     "its holes",
                     path, own, wanted);
}

static void move_nodes(tal_volume_mesh *mesh, double unit, tal_vec3 shift) {
    for (int32_t n = 0; n < mesh->node_count; n++) {
        mesh->node[n] = tal_vec3_subtract(tal_vec3_scale(mesh->node[n], unit), shift);
    }
}

// The hull of the mesh as a block; its nodes about the centroid of that.
static tal_status add_mesh(importing *work, tal_volume_mesh *mesh, const char *path,
                           tal_error *err) {
    const tal_import_options *options = work->options;
    const tal_vec3 origin = {options->origin[0], options->origin[1], options->origin[2]};
    tal_hull hull = {0};
    tal_status status = TAL_OK;
    move_nodes(mesh, options->unit_m, options->has_position ? tal_vec3_make(0, 0, 0) : origin);
    TAL_TRY_OR_DONE(tal_hull_create(&hull, mesh->node, mesh->node_count, path, err));
    tal_surface surface = tal_hull_surface(&hull);
    TAL_TRY_OR_DONE(compare_with_hull(mesh, &surface, path, err));
    move_nodes(mesh, 1, tal_surface_mass(&surface).centroid);
    if (options->has_position) {
        place_solid(work, &hull);
        surface = tal_hull_surface(&hull);
    }
    TAL_TRY_OR_DONE(add_surface(work, &surface, path, err));
    TAL_TRY_OR_DONE(add_class(work, "", path, err));
    tal_log_info("%s: %d elements, %d nodes, %.4g m3", path, mesh->element_count, mesh->node_count,
                 tal_volume_mesh_volume(mesh));
    work->volume[work->set->block_count - 1] = *mesh;
    *mesh = (tal_volume_mesh){0};
done:
    tal_hull_destroy(&hull);
    return status;
}

static tal_status import_mesh(importing *work, const char *path, tal_error *err) {
    tal_volume_mesh mesh;
    TAL_TRY(tal_gmsh_file_read(&mesh, path, err));
    const tal_status status = add_mesh(work, &mesh, path, err);
    tal_memory_destroy(mesh.node);
    tal_memory_destroy(mesh.element);
    return status;
}

// From axes of the study to those of the blocks.
static void turn_meshes(const importing *work) {
    for (int32_t b = 0; b < work->set->block_count; b++) {
        tal_volume_mesh *mesh = &work->volume[b];
        for (int32_t n = 0; n < mesh->node_count; n++) {
            mesh->node[n] =
                tal_quaternion_rotate_back(work->set->block[b].orientation, mesh->node[n]);
        }
    }
}

// ---- Tables ----------------------------------------------------------------------------

static tal_status add_box(importing *work, const tal_block_row *row, tal_vec3 centre,
                          const char *where, tal_error *err) {
    tal_polyhedron box;
    const tal_vec3 half = tal_vec3_scale(row->edge, 0.5);
    tal_polyhedron_box(&box, tal_vec3_scale(half, -1), half);
    for (int32_t v = 0; v < box.vertex_count; v++) {
        box.vertex[v] = tal_vec3_add(tal_quaternion_rotate(row->quaternion, box.vertex[v]), centre);
    }
    const tal_surface surface = tal_polyhedron_surface(&box);
    return add_surface(work, &surface, where, err);
}

// The solid of a file, turned and with its centroid at the place of the row.
static tal_status add_shape(importing *work, const tal_block_row *row, tal_vec3 centre,
                            const char *table, tal_error *err) {
    char folder[TAL_PATH_SIZE], path[TAL_PATH_SIZE];
    tal_mesh_file mesh = {0};
    tal_hull hull = {0};
    tal_import_solid solid = {0};
    tal_status status = TAL_OK;
    tal_path_folder(folder, table);
    if (!tal_path_join(path, folder, row->shape) || !tal_mesh_file_is_known(path)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%lld: shape '%s' must be an OBJ, STL or PLY file",
                        table, (long long)row->line, row->shape);
    }
    TAL_TRY_OR_DONE(tal_mesh_file_read(&mesh, path, err));
    TAL_TRY_OR_DONE(hull_part(work, &mesh, 0, tal_vec3_make(0, 0, 0), path, &hull, &solid, err));
    const tal_surface at_home = tal_hull_surface(&hull);
    const tal_vec3 centroid = tal_surface_mass(&at_home).centroid;
    for (int32_t v = 0; v < hull.vertex_count; v++) {
        const tal_vec3 arm = tal_vec3_subtract(hull.vertex[v], centroid);
        hull.vertex[v] = tal_vec3_add(tal_quaternion_rotate(row->quaternion, arm), centre);
    }
    const tal_surface surface = tal_hull_surface(&hull);
    TAL_TRY_OR_DONE(add_surface(work, &surface, path, err));
done:
    tal_mesh_file_destroy(&mesh);
    tal_hull_destroy(&hull);
    return status;
}

static tal_status import_row(importing *work, const tal_block_row *row, const char *path,
                             tal_error *err) {
    char where[TAL_PATH_SIZE + 32];
    const double *origin = work->options->origin;
    const tal_vec3 centre = {row->position.x - origin[0], row->position.y - origin[1],
                             row->position.z - origin[2]};
    (void)snprintf(where, sizeof where, "%s:%lld", path, (long long)row->line);
    if (row->radius > 0) {
        TAL_TRY(tal_block_set_add_sphere(work->set, centre, row->radius, err));
    } else if (row->shape[0] != '\0') {
        TAL_TRY(add_shape(work, row, centre, path, err));
    } else {
        TAL_TRY(add_box(work, row, centre, where, err));
    }
    tal_block *block = &work->set->block[work->set->block_count - 1];
    block->velocity = row->velocity;
    block->angular_velocity = row->angular_velocity;
    block->density = row->density;
    return add_class(work, row->surface_class, where, err);
}

static tal_status import_table(importing *work, const char *path, tal_error *err) {
    tal_block_table table;
    TAL_TRY(tal_block_table_read(&table, path, err));
    tal_status status = TAL_OK;
    for (int64_t r = 0; r < table.row_count && status == TAL_OK; r++) {
        status = import_row(work, &table.row[r], path, err);
    }
    work->report->row_count += table.row_count;
    tal_block_table_destroy(&table);
    return status;
}

// ---- All files -------------------------------------------------------------------------

tal_status tal_import(tal_block_set *set, int32_t **block_class, tal_volume_mesh **volume,
                      tal_class_names *names, const tal_import_options *options,
                      tal_import_report *report, tal_error *err) {
    importing work = {.set = set, .names = names, .options = options, .report = report};
    char path[TAL_PATH_SIZE];
    const char *cursor = options->settings->mesh.import;
    tal_status status = TAL_OK;
    while (status == TAL_OK && tal_settings_next_file(options->settings, &cursor, path)) {
        status = tal_gmsh_file_is_known(path)   ? import_mesh(&work, path, err)
                 : tal_mesh_file_is_known(path) ? import_solids(&work, path, err)
                                                : import_table(&work, path, err);
    }
    if (status == TAL_OK && set->block_count == 0) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "the files of [mesh] import contain no rock");
    }
    if (status == TAL_OK) {
        tal_block_set_finish(set, options->density_kg_m3, 1);
        turn_meshes(&work);
        *block_class = work.class_of;
        *volume = work.volume;
    } else {
        tal_memory_destroy(work.class_of);
        tal_volume_meshes_destroy(work.volume, work.class_capacity);
    }
    return status;
}

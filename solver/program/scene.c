// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of talus-solve from its files.
#include "solver/program/scene.h"

#include "solver/program/scene_bodies.h"
#include "solver/program/scene_ground.h"

#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Ragged arrays of blocks.nc.
typedef struct {
    size_t block_count, vertex_count, face_count, corner_count;
    int32_t *vertex_start, *face_start, *corner_start, *corner_vertex;
    tal_vec3 *vertex;
    double *sphere_radius;
} ragged;

static tal_status read_origin(tal_solve_scene *scene, tal_netcdf *file, tal_error *err) {
    static const char *const names[3] = {"origin_east_m", "origin_north_m", "origin_height_m"};
    for (int i = 0; i < 3; i++) {
        TAL_TRY(tal_netcdf_get_real(file, NULL, names[i], &scene->origin_m[i], err));
    }
    return TAL_OK;
}

static tal_status read_crs(tal_solve_scene *scene, tal_netcdf *file, tal_error *err) {
    if (!tal_netcdf_has(file, "crs")) {
        return tal_crs_create(&scene->crs, "local", file->path, err);
    }
    char *wkt = NULL;
    TAL_TRY(tal_netcdf_get_text(file, "crs", "crs_wkt", &wkt, err));
    const tal_status status = tal_crs_create(&scene->crs, wkt, file->path, err);
    tal_memory_destroy(wkt);
    return status;
}

// Number of a surface class by name, added on first sight.
static tal_status find_class(tal_solve_scene *scene, const char *name, int32_t *number,
                             tal_error *err) {
    for (int32_t i = 0; i < scene->input.class_count; i++) {
        if (strcmp(scene->class_name[i], name) == 0) {
            *number = i;
            return TAL_OK;
        }
    }
    if (scene->input.class_count == TAL_CLASSES_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "more than %d surface classes", TAL_CLASSES_MAX);
    }
    *number = scene->input.class_count++;
    tal_text_copy(scene->class_name[*number], TAL_LABEL_SIZE, name);
    return TAL_OK;
}

// Class indices of a file as numbers of the scene.
static tal_status read_classes(tal_solve_scene *scene, tal_netcdf *file, const char *variable,
                               int32_t *classes, size_t count, tal_error *err) {
    size_t class_count = 0;
    TAL_TRY(tal_netcdf_get_length(file, "class", &class_count, err));
    int32_t number[TAL_CLASSES_MAX];
    if (class_count > TAL_CLASSES_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: more than %d surface classes", file->path,
                        TAL_CLASSES_MAX);
    }
    char names[TAL_CLASSES_MAX * 64];
    TAL_TRY(tal_netcdf_get_chars(file, "class_name", names, class_count * 64, err));
    for (size_t i = 0; i < class_count; i++) {
        char name[TAL_LABEL_SIZE];
        snprintf(name, sizeof name, "%.63s", names + 64 * i);
        TAL_TRY(find_class(scene, name, &number[i], err));
    }
    TAL_TRY(tal_netcdf_get_ints(file, variable, classes, count, err));
    for (size_t i = 0; i < count; i++) {
        if (classes[i] < 0 || (size_t)classes[i] >= class_count) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s[%zu] = %d is not one of the %zu classes",
                            file->path, variable, i, classes[i], class_count);
        }
        classes[i] = number[classes[i]];
    }
    return TAL_OK;
}

static void measure_terrain(tal_solve_scene *scene) {
    for (int k = 0; k < 3; k++) {
        scene->low_m[k] = INFINITY;
        scene->high_m[k] = -INFINITY;
    }
    for (int32_t i = 0; i < scene->input.terrain_vertex_count; i++) {
        const tal_vec3 v = scene->input.terrain_vertex_m[i];
        const double value[3] = {v.x, v.y, v.z};
        for (int k = 0; k < 3; k++) {
            scene->low_m[k] = fmin(scene->low_m[k], value[k]);
            scene->high_m[k] = fmax(scene->high_m[k], value[k]);
        }
    }
}

static tal_status read_terrain(tal_solve_scene *scene, tal_netcdf *file, tal_error *err) {
    size_t node_count = 0, face_count = 0;
    TAL_TRY(read_origin(scene, file, err));
    TAL_TRY(read_crs(scene, file, err));
    TAL_TRY(tal_netcdf_get_real(file, NULL, "mesh_error_m", &scene->mesh_error_m, err));
    TAL_TRY(tal_netcdf_get_length(file, "node", &node_count, err));
    TAL_TRY(tal_netcdf_get_length(file, "face", &face_count, err));
    double *x = NULL, *y = NULL, *z = NULL;
    tal_vec3 *vertex = NULL;
    int32_t *triangle = NULL, *classes = NULL;
    TAL_TAKE(&scene->arena, x, node_count, "the terrain", err);
    TAL_TAKE(&scene->arena, y, node_count, "the terrain", err);
    TAL_TAKE(&scene->arena, z, node_count, "the terrain", err);
    TAL_TAKE(&scene->arena, vertex, node_count, "the terrain", err);
    TAL_TAKE(&scene->arena, triangle, 3 * face_count, "the terrain", err);
    TAL_TAKE(&scene->arena, classes, face_count, "the terrain", err);
    TAL_TRY(tal_netcdf_get_doubles(file, "node_x", x, node_count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "node_y", y, node_count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "node_z", z, node_count, err));
    TAL_TRY(tal_netcdf_get_ints(file, "face_node", triangle, 3 * face_count, err));
    TAL_TRY(read_classes(scene, file, "face_class", classes, face_count, err));
    for (size_t i = 0; i < node_count; i++) {
        vertex[i] = tal_vec3_make(x[i] - scene->origin_m[0], y[i] - scene->origin_m[1],
                                  z[i] - scene->origin_m[2]);
    }
    scene->input.terrain_vertex_count = (int32_t)node_count;
    scene->input.terrain_vertex_m = vertex;
    scene->input.terrain_triangle_count = (int32_t)face_count;
    scene->input.terrain_triangle = triangle;
    scene->input.terrain_class = classes;
    measure_terrain(scene);
    return TAL_OK;
}

static tal_status read_vectors(tal_solve_scene *scene, tal_netcdf *file, const char *variable,
                               size_t count, tal_vec3 **vectors, tal_error *err) {
    TAL_TAKE(&scene->arena, *vectors, count, variable, err);
    return tal_netcdf_get_doubles(file, variable, &(*vectors)->x, 3 * count, err);
}

static tal_status read_ragged(tal_solve_scene *scene, tal_netcdf *file, ragged *r, tal_error *err) {
    TAL_TRY(tal_netcdf_get_length(file, "block", &r->block_count, err));
    TAL_TRY(tal_netcdf_get_length(file, "vertex", &r->vertex_count, err));
    TAL_TRY(tal_netcdf_get_length(file, "face", &r->face_count, err));
    TAL_TRY(tal_netcdf_get_length(file, "corner", &r->corner_count, err));
    TAL_TAKE(&scene->shapes, r->vertex_start, r->block_count + 1, "the blocks", err);
    TAL_TAKE(&scene->shapes, r->face_start, r->block_count + 1, "the blocks", err);
    TAL_TAKE(&scene->shapes, r->corner_start, r->face_count + 1, "the blocks", err);
    TAL_TAKE(&scene->shapes, r->corner_vertex, r->corner_count, "the blocks", err);
    TAL_TAKE(&scene->shapes, r->sphere_radius, r->block_count, "the blocks", err);
    TAL_TRY(tal_netcdf_get_ints(file, "vertex_start", r->vertex_start, r->block_count + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "face_start", r->face_start, r->block_count + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "corner_start", r->corner_start, r->face_count + 1, err));
    TAL_TRY(tal_netcdf_get_ints(file, "corner_vertex", r->corner_vertex, r->corner_count, err));
    TAL_TAKE(&scene->shapes, r->vertex, r->vertex_count, "the blocks", err);
    TAL_TRY(tal_netcdf_get_doubles(file, "vertex", &r->vertex->x, 3 * r->vertex_count, err));
    if (tal_netcdf_has(file, "sphere_radius")) {
        TAL_TRY(
            tal_netcdf_get_doubles(file, "sphere_radius", r->sphere_radius, r->block_count, err));
    }
    return TAL_OK;
}

// Start indices must rise from 0 to the end: everything that follows indexes by them.
static tal_status check_starts(const tal_netcdf *file, const char *name, const int32_t *start,
                               size_t count, size_t end, tal_error *err) {
    bool good = start[0] == 0 && (size_t)start[count] == end;
    for (size_t i = 0; good && i < count; i++) {
        good = start[i] <= start[i + 1];
    }
    return good ? TAL_OK
                : TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s does not increase from 0 to %zu", file->path,
                           name, end);
}

static tal_status build_shapes(tal_solve_scene *scene, const tal_netcdf *file, const ragged *r,
                               tal_error *err) {
    TAL_TRY(
        check_starts(file, "vertex_start", r->vertex_start, r->block_count, r->vertex_count, err));
    TAL_TRY(check_starts(file, "face_start", r->face_start, r->block_count, r->face_count, err));
    TAL_TRY(
        check_starts(file, "corner_start", r->corner_start, r->face_count, r->corner_count, err));
    tal_shape_input *shapes = NULL;
    int32_t *loop_size = NULL, *body_shape = NULL;
    TAL_TAKE(&scene->shapes, shapes, r->block_count, "the shapes", err);
    TAL_TAKE(&scene->shapes, loop_size, r->face_count, "the shapes", err);
    TAL_TAKE(&scene->arena, body_shape, r->block_count, "the shapes", err);
    TAL_TAKE(&scene->arena, scene->bounding_radius_m, r->block_count, "the shapes", err);
    for (size_t f = 0; f < r->face_count; f++) {
        loop_size[f] = r->corner_start[f + 1] - r->corner_start[f];
    }
    for (size_t b = 0; b < r->block_count; b++) {
        const int32_t first_vertex = r->vertex_start[b], first_face = r->face_start[b];
        const bool is_sphere = r->sphere_radius[b] > 0.0;
        shapes[b] = (tal_shape_input){
            .kind = is_sphere ? TAL_SHAPE_SPHERE : TAL_SHAPE_POLYHEDRON,
            .radius = r->sphere_radius[b],
            .vertex_count = r->vertex_start[b + 1] - first_vertex,
            .vertex = r->vertex + first_vertex,
            .face_count = r->face_start[b + 1] - first_face,
            .loop_size = loop_size + first_face,
            .loop_vertex = r->corner_vertex + r->corner_start[first_face],
        };
        body_shape[b] = (int32_t)b;
        scene->bounding_radius_m[b] = r->sphere_radius[b];
        for (int32_t i = 0; i < shapes[b].vertex_count; i++) {
            scene->bounding_radius_m[b] =
                fmax(scene->bounding_radius_m[b], tal_vec3_length(shapes[b].vertex[i]));
        }
    }
    scene->input.shape_count = (int32_t)r->block_count;
    scene->input.shape = shapes;
    scene->input.body_count = (int32_t)r->block_count;
    scene->input.body_shape = body_shape;
    return TAL_OK;
}

static tal_status read_blocks(tal_solve_scene *scene, tal_netcdf *file, tal_error *err) {
    ragged r = {0};
    TAL_TRY(read_ragged(scene, file, &r, err));
    TAL_TRY(build_shapes(scene, file, &r, err));
    tal_vec3 *position = NULL, *velocity = NULL, *spin = NULL, *inertia = NULL;
    tal_quat *orientation = NULL;
    double *mass = NULL;
    int32_t *classes = NULL;
    TAL_TRY(read_vectors(scene, file, "position", r.block_count, &position, err));
    TAL_TRY(read_vectors(scene, file, "velocity", r.block_count, &velocity, err));
    TAL_TRY(read_vectors(scene, file, "angular_velocity", r.block_count, &spin, err));
    TAL_TRY(read_vectors(scene, file, "inertia", r.block_count, &inertia, err));
    TAL_TAKE(&scene->arena, orientation, r.block_count, "the blocks", err);
    TAL_TAKE(&scene->arena, mass, r.block_count, "the blocks", err);
    TAL_TAKE(&scene->arena, classes, r.block_count, "the blocks", err);
    TAL_TRY(tal_netcdf_get_doubles(file, "orientation", &orientation->w, 4 * r.block_count, err));
    TAL_TRY(tal_netcdf_get_doubles(file, "mass", mass, r.block_count, err));
    TAL_TRY(read_classes(scene, file, "block_class", classes, r.block_count, err));
    if (tal_netcdf_has(file, "volume")) {
        TAL_TAKE(&scene->arena, scene->volume_m3, r.block_count, "the blocks", err);
        TAL_TRY(tal_netcdf_get_doubles(file, "volume", scene->volume_m3, r.block_count, err));
    }
    TAL_TRY(tal_scene_read_elements(scene, file, err));
    const tal_vec3 origin = {scene->origin_m[0], scene->origin_m[1], scene->origin_m[2]};
    for (size_t b = 0; b < r.block_count; b++) {
        position[b] = tal_vec3_subtract(position[b], origin);
    }
    scene->input.position_m = position;
    scene->input.velocity_mps = velocity;
    scene->input.spin_radps = spin;
    scene->input.inertia_kg_m2 = inertia;
    scene->input.orientation = orientation;
    scene->input.mass_kg = mass;
    scene->input.body_class = classes;
    return TAL_OK;
}

// --- laws ---

static tal_law_kind law_kind(int choice) {
#define KIND(X, kind, number, id, word) TAL_LAW_##kind,
    static const tal_law_kind kinds[] = {TAL_LAW_LIST(KIND, )}; // in the order of the choices
#undef KIND
    return kinds[choice];
}

static double number_or_zero(double value) {
    return isnan(value) ? 0.0 : value;
}

// In kg or as ratios, never both (core/app/site_check.h).
static tal_law law_of_contact(const tal_contact_settings *contact) {
    return (tal_law){.kind = law_kind(contact->law),
                     .friction = contact->friction,
                     .restitution = number_or_zero(contact->restitution),
                     .tangential_restitution = number_or_zero(contact->tangential_restitution),
                     .dissipation_in_kg = !isnan(contact->kn_kg),
                     .kn_kg = number_or_zero(contact->kn_kg),
                     .kt_kg = number_or_zero(contact->kt_kg),
                     .cohesion_pa = contact->cohesion_pa,
                     .stiffness_n_m = contact->stiffness_n_m,
                     .damping_n_s_m = contact->damping_n_s_m,
#define NUMBER(field) .field = contact->field,
                     TAL_GROUND_NUMBERS(NUMBER)
#undef NUMBER
    };
}

static void override(double *target, double value) {
    *target = isnan(value) ? *target : value;
}

// [pair.A.B] over what [contact] says.
static tal_status apply_pair(tal_solve_scene *scene, tal_law *laws, const tal_settings *settings,
                             const tal_pair_settings *pair, tal_error *err) {
    const char *dot = strchr(pair->label, '.');
    int32_t a = -1, b = -1;
    for (int32_t i = 0; dot != NULL && i < scene->input.class_count; i++) {
        const size_t length = strlen(scene->class_name[i]);
        a = (size_t)(dot - pair->label) == length &&
                    strncmp(pair->label, scene->class_name[i], length) == 0
                ? i
                : a;
        b = strcmp(dot + 1, scene->class_name[i]) == 0 ? i : b;
    }
    if (a < 0 || b < 0) {
        tal_text known = {0};
        for (int32_t i = 0; i < scene->input.class_count; i++) {
            tal_text_append(&known, "%s%s", i > 0 ? ", " : "", scene->class_name[i]);
        }
        tal_error_set(
            err, TAL_BAD_SETTING,
            "%s: [pair.%s] does not name two surface classes of this scene, which has: %s",
            tal_settings_where_in(settings, pair, sizeof *pair), pair->label,
            tal_text_string(&known));
        tal_text_destroy(&known);
        return TAL_BAD_SETTING;
    }
    tal_law law = laws[a * scene->input.class_count + b];
    if (pair->law != TAL_CHOICE_PAIR_LAW_CONTACT) {
        law.kind = law_kind(pair->law - 1);
    }
    if (!isnan(pair->kn_kg) || !isnan(pair->kt_kg)) {
        law.dissipation_in_kg = true;
    } else if (!isnan(pair->restitution) || !isnan(pair->tangential_restitution)) {
        law.dissipation_in_kg = false;
    }
    override(&law.friction, pair->friction);
    override(&law.restitution, pair->restitution);
    override(&law.tangential_restitution, pair->tangential_restitution);
    override(&law.kn_kg, pair->kn_kg);
    override(&law.kt_kg, pair->kt_kg);
    override(&law.cohesion_pa, pair->cohesion_pa);
#define OVERRIDE(field) override(&law.field, pair->field);
    TAL_GROUND_NUMBERS(OVERRIDE)
#undef OVERRIDE
    laws[a * scene->input.class_count + b] = law;
    laws[b * scene->input.class_count + a] = law;
    return TAL_OK;
}

// For whoever asks why the rock stays where it is.
static void find_ground_friction(tal_solve_scene *scene) {
    bool is_block[TAL_CLASSES_MAX] = {false}, is_ground[TAL_CLASSES_MAX] = {false};
    const int32_t count = scene->input.class_count;
    for (int32_t b = 0; b < scene->input.body_count; b++) {
        is_block[scene->input.body_class[b]] = true;
    }
    for (int32_t t = 0; t < scene->input.terrain_triangle_count; t++) {
        is_ground[scene->input.terrain_class[t]] = true;
    }
    scene->ground_friction[0] = INFINITY;
    for (int32_t i = 0; i < count * count; i++) {
        if (is_block[i / count] && is_ground[i % count]) {
            const double friction = scene->input.law[i].friction;
            scene->ground_friction[0] = fmin(scene->ground_friction[0], friction);
            scene->ground_friction[1] = fmax(scene->ground_friction[1], friction);
        }
    }
}

static tal_status build_laws(tal_solve_scene *scene, const tal_settings *settings, tal_error *err) {
    const size_t count = (size_t)scene->input.class_count;
    tal_law *laws = NULL;
    TAL_TAKE(&scene->arena, laws, count * count, "the laws", err);
    for (size_t i = 0; i < count * count; i++) {
        laws[i] = law_of_contact(&settings->contact);
    }
    for (int i = 0; i < settings->pair_count; i++) {
        TAL_TRY(apply_pair(scene, laws, settings, &settings->pair[i], err));
    }
    scene->input.law = laws;
    find_ground_friction(scene);
    return TAL_OK;
}

static void apply_solve_settings(tal_solve_scene *scene, const tal_solve_settings *solve) {
    tal_solver_settings s = tal_solver_settings_default();
    s.dt_s = solve->dt_s;
    s.gravity_mps2 = tal_vec3_make(0.0, 0.0, -solve->gravity_mps2);
    s.scheme = solve->scheme == TAL_CHOICE_SCHEME_ACD2 ? TAL_SCHEME_ACD2 : TAL_SCHEME_MOREAU;
    s.tolerance = solve->tolerance;
    s.iteration_max = (int)solve->iterations_max;
    s.ground_overlap_max_m =
        scene->mesh_error_m; // blocks were cut at the bed, not at its triangles
    s.blow_dt_s = number_or_zero(solve->blow_dt_s);
    s.watch_tension = scene->soft_count > 0;
    scene->input.settings = s;
}

static tal_status read_file(tal_solve_scene *scene, const char *folder, const char *name,
                            tal_status read(tal_solve_scene *, tal_netcdf *, tal_error *),
                            tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, folder, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s: path too long", name);
    }
    static tal_netcdf file; // large, and used by one thread only
    TAL_TRY(tal_netcdf_open(&file, path, err));
    const tal_status status = read(scene, &file, err);
    tal_netcdf_close(&file);
    return status;
}

tal_status tal_scene_read(tal_solve_scene *scene, const char *folder, const tal_settings *settings,
                          tal_error *err) {
    *scene = (tal_solve_scene){0};
    TAL_TRY(tal_arena_create(&scene->arena, 1 << 20, err));
    TAL_TRY(tal_arena_create(&scene->shapes, 1 << 20, err));
    TAL_TRY(read_file(scene, folder, "terrain.nc", read_terrain, err));
    TAL_TRY(read_file(scene, folder, "blocks.nc", read_blocks, err));
    TAL_TRY(tal_scene_make_bodies(scene, settings, err));
    TAL_TRY(tal_scene_make_joints(scene, settings, err));
    TAL_TRY(build_laws(scene, settings, err));
    apply_solve_settings(scene, &settings->solve);
    scene->input.settings.tension_length_m = number_or_zero(settings->break_.length_m);
    return tal_scene_roughen(scene, settings, err);
}

// Where the fault is that a message of the library speaks of.
static const char *file_of(const char *line) {
    static const struct {
        const char *start, *file;
    } known[] = {{"block", "blocks.nc"},    {"solid", "blocks.nc"},
                 {"shape", "blocks.nc"},    {"the scene has no blocks", "blocks.nc"},
                 {"terrain", "terrain.nc"}, {"vertex", "terrain.nc"},
                 {"triangle", "terrain.nc"}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strncmp(line, known[k].start, strlen(known[k].start)) == 0) {
            return known[k].file;
        }
    }
    return NULL;
}

// The library knows no files: each of its messages gets the name of the one it is about.
static tal_status name_files(const char *folder, tal_error *err) {
    tal_error *plain = NULL;
    TAL_CREATE(plain, 1, "an error", err);
    *plain = *err;
    tal_error_reset(err);
    for (const char *line = plain->text; *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        const char *file = file_of(line);
        if (file != NULL) {
            tal_error_add(err, plain->status, "%s/%s: %.*s", folder, file, length, line);
        } else {
            tal_error_add(err, plain->status, "%.*s", length, line);
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    err->left_out += plain->left_out;
    err->message_count = plain->message_count;
    tal_memory_destroy(plain);
    return err->status;
}

tal_status tal_scene_create_model(const tal_solve_scene *scene, const char *folder,
                                  tal_model **model, tal_error *err) {
    const tal_status status = tal_model_create(model, &scene->input, err);
    return status == TAL_BAD_INPUT || status == TAL_BAD_SETTING ? name_files(folder, err) : status;
}

void tal_scene_drop_shapes(tal_solve_scene *scene) {
    scene->input.shape = NULL;
    tal_arena_destroy(&scene->shapes);
}

void tal_scene_destroy(tal_solve_scene *scene) {
    tal_crs_destroy(scene->crs);
    tal_scene_drop_shapes(scene);
    tal_arena_destroy(&scene->arena);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Scenes for tests and benchmarks. Test code: it stops at the first failed allocation.
#include "tests/solver/scenes/scene.h"
#include "tests/solver/scenes/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Corners of a box by sign bits (x: 1, y: 2, z: 4), faces counter-clockwise from outside.
static const int32_t BOX_LOOP[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                     2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const int32_t BOX_LOOP_SIZE[6] = {4, 4, 4, 4, 4, 4};

void test_scene_init(test_scene *scene) {
    *scene = (test_scene){.mu = 0.6, .settings = test_settings()};
    scene->law = (tal_law){.kind = TAL_LAW_COULOMB, .friction = 0.6};
}

void test_scene_destroy(test_scene *scene) {
    void *const array[] = {
        scene->edge,        scene->top,        scene->shape,    scene->corner,
        scene->body_shape,  scene->body_class, scene->fixed,    scene->mass,
        scene->inertia,     scene->position,   scene->velocity, scene->spin,
        scene->orientation, scene->vertex,     scene->triangle, scene->triangle_class};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        free(array[k]);
    }
    *scene = (test_scene){0};
}

static void *grown(void *memory, int32_t count, size_t size) {
    void *larger = realloc(memory, (size_t)(count > 0 ? count : 1) * size);
    if (larger == NULL) {
        abort();
    }
    return larger;
}

#define GROW(array, count) ((array) = grown((array), (count), sizeof *(array)))

static void reserve(test_scene *s, int32_t count) {
    if (count <= s->body_capacity) {
        return;
    }
    s->body_capacity = 2 * count;
    GROW(s->edge, s->body_capacity);
    GROW(s->top, s->body_capacity);
    GROW(s->shape, s->body_capacity);
    GROW(s->corner, s->body_capacity);
    GROW(s->body_shape, s->body_capacity);
    GROW(s->body_class, s->body_capacity);
    GROW(s->fixed, s->body_capacity);
    GROW(s->mass, s->body_capacity);
    GROW(s->inertia, s->body_capacity);
    GROW(s->position, s->body_capacity);
    GROW(s->velocity, s->body_capacity);
    GROW(s->spin, s->body_capacity);
    GROW(s->orientation, s->body_capacity);
}

static int32_t add_body(test_scene *s, tal_vec3 position, tal_quat orientation) {
    const int32_t b = s->body_count++;
    reserve(s, s->body_count);
    s->body_shape[b] = b;
    s->body_class[b] = 0;
    s->fixed[b] = 0;
    s->position[b] = position;
    s->orientation[b] = orientation;
    s->velocity[b] = s->spin[b] = (tal_vec3){0};
    return b;
}

int32_t test_scene_add_box(test_scene *s, double a, double b, double c, tal_vec3 position,
                           tal_quat orientation, double density) {
    const int32_t n = add_body(s, position, orientation);
    const double m = density * a * b * c;
    s->edge[n][0] = a;
    s->edge[n][1] = b;
    s->edge[n][2] = c;
    s->top[n] = a;
    s->mass[n] = m;
    s->inertia[n] = (tal_vec3){m * (b * b + c * c) / 12.0, m * (a * a + c * c) / 12.0,
                               m * (a * a + b * b) / 12.0};
    return n;
}

// Of a trapezoid: the height of the centroid above the lower side.
static double height_of_centroid(double a, double top, double c) {
    return c * (a + 2.0 * top) / (3.0 * (a + top));
}

int32_t test_scene_add_wedge(test_scene *s, double a, double top, double b, double c,
                             tal_vec3 middle, tal_quat orientation, double density) {
    const double area = 0.5 * c * (a + top), low = height_of_centroid(a, top, c);
    const double xx = c * (a + top) * (a * a + top * top) / 48.0 / area; // means over the area
    const double zz = c * c * c * (a + 3.0 * top) / 12.0 / area - low * low, yy = b * b / 12.0;
    const tal_vec3 up = tal_quat_rotate(orientation, tal_vec3_make(0.0, 0.0, low - 0.5 * c));
    const int32_t n =
        test_scene_add_box(s, a, b, c, tal_vec3_add(middle, up), orientation, density);
    const double m = density * area * b;
    s->top[n] = top;
    s->mass[n] = m;
    s->inertia[n] = (tal_vec3){m * (yy + zz), m * (xx + zz), m * (xx + yy)};
    return n;
}

int32_t test_scene_add_ball(test_scene *s, double radius, tal_vec3 position, double density) {
    const int32_t n = add_body(s, position, (tal_quat){1.0, 0.0, 0.0, 0.0});
    const double m = density * 4.0 / 3.0 * acos(-1.0) * radius * radius * radius;
    s->edge[n][0] = radius;
    s->edge[n][1] = s->edge[n][2] = 0.0;
    s->mass[n] = m;
    s->inertia[n] =
        (tal_vec3){0.4 * m * radius * radius, 0.4 * m * radius * radius, 0.4 * m * radius * radius};
    return n;
}

void test_scene_set_plane(test_scene *s, tal_vec3 origin, tal_vec3 normal, double half_size) {
    static const int32_t triangle[6] = {0, 1, 2, 0, 2, 3};
    tal_vec3 t1, t2;
    tal_vec3_tangents(normal, &t1, &t2);
    s->vertex_count = 4;
    s->triangle_count = 2;
    GROW(s->vertex, 4);
    GROW(s->triangle, 6);
    GROW(s->triangle_class, 2);
    for (int k = 0; k < 4; k++) {
        const double along = k == 0 || k == 3 ? -half_size : half_size;
        const double across = k < 2 ? -half_size : half_size;
        s->vertex[k] = tal_vec3_add_scaled(tal_vec3_add_scaled(origin, along, t1), across, t2);
    }
    memcpy(s->triangle, triangle, sizeof triangle);
    s->triangle_class[0] = s->triangle_class[1] = 0;
}

static void add_grid_cell(test_scene *s, int32_t nx, int32_t i, int32_t j) {
    const int32_t v = j * nx + i;
    const int32_t corner[6] = {v, v + 1, v + nx + 1, v, v + nx + 1, v + nx};
    memcpy(&s->triangle[3 * s->triangle_count], corner, sizeof corner);
    s->triangle_class[s->triangle_count++] = 0;
    s->triangle_class[s->triangle_count++] = 0;
}

static void reserve_grid(test_scene *s, int nx, int ny) {
    GROW(s->vertex, nx * ny);
    GROW(s->triangle, 6 * nx * ny);
    GROW(s->triangle_class, 2 * nx * ny);
    s->vertex_count = nx * ny;
    s->triangle_count = 0;
    for (int j = 0; j + 1 < ny; j++) {
        for (int i = 0; i + 1 < nx; i++) {
            add_grid_cell(s, nx, i, j);
        }
    }
}

void test_scene_set_grid(test_scene *s, int nx, int ny, double (*height)(double x, double y)) {
    reserve_grid(s, nx, ny);
    for (int v = 0; v < nx * ny; v++) {
        const double x = v % nx, y = v / nx;
        s->vertex[v] = (tal_vec3){x, y, height(x, y)};
    }
}

static tal_status read_grid(test_scene *s, const char *path, tal_error *err) {
    FILE *file = fopen(path, "r");
    int nx, ny;
    double x0, y0, dx;
    if (file == NULL || fscanf(file, "%d %d %lf %lf %lf", &nx, &ny, &x0, &y0, &dx) != 5) {
        if (file != NULL) {
            fclose(file);
        }
        return TAL_FAIL(err, TAL_IO, "%s: not a readable grid", path);
    }
    bool complete = true;
    reserve_grid(s, nx, ny);
    for (int v = 0; v < nx * ny; v++) {
        s->vertex[v] = (tal_vec3){x0 + dx * (v % nx), y0 + dx * (v / nx), 0.0};
        complete = complete && fscanf(file, "%lf", &s->vertex[v].z) == 1;
    }
    fclose(file);
    return complete ? TAL_OK : TAL_FAIL(err, TAL_BAD_INPUT, "%s: heights are missing", path);
}

static tal_status read_blocks(test_scene *s, FILE *file, int count, const char *path,
                              tal_error *err) {
    for (int n = 0; n < count; n++) {
        double v[17];
        for (int k = 0; k < 17; k++) {
            if (fscanf(file, "%lf", &v[k]) != 1) {
                return TAL_FAIL(err, TAL_BAD_INPUT, "%s: block %d is incomplete", path, n);
            }
        }
        const tal_quat q = tal_quat_normalize((tal_quat){v[6], v[7], v[8], v[9]});
        const int32_t b =
            test_scene_add_box(s, v[0], v[1], v[2], (tal_vec3){v[3], v[4], v[5]}, q, v[16]);
        s->velocity[b] = (tal_vec3){v[10], v[11], v[12]};
        s->spin[b] = (tal_vec3){v[13], v[14], v[15]};
    }
    return TAL_OK;
}

static tal_status read_header(test_scene *s, FILE *file, const char *directory, const char *path,
                              int *block_count, tal_error *err) {
    char key[64], word[256], grid[1024];
    while (fscanf(file, "%63s", key) == 1) {
        double x = 0.0;
        tal_vec3 g;
        if (strcmp(key, "blocks") == 0) {
            return fscanf(file, "%d", block_count) == 1
                       ? TAL_OK
                       : TAL_FAIL(err, TAL_BAD_INPUT, "%s: how many blocks?", path);
        }
        if (strcmp(key, "gravity") == 0 && fscanf(file, "%lf %lf %lf", &g.x, &g.y, &g.z) == 3) {
            s->settings.gravity_mps2 = g;
        } else if (strcmp(key, "terrain") == 0 && fscanf(file, "%255s", word) == 1) {
            if (strcmp(word, "plane") == 0 && fscanf(file, "%lf", &x) == 1) {
                test_scene_set_plane(s, (tal_vec3){0.0, 0.0, x}, (tal_vec3){0.0, 0.0, 1.0}, 500.0);
            } else if (fscanf(file, "%255s", word) == 1) {
                snprintf(grid, sizeof grid, "%s/%s", directory, word);
                TAL_TRY(read_grid(s, grid, err));
            }
        } else if (fscanf(file, "%255s", word) == 1) {
            x = strtod(word, NULL);
            s->mu = strcmp(key, "mu") == 0 ? x : s->mu;
            s->restitution = strcmp(key, "restitution") == 0 ? x : s->restitution;
            s->end_time = strcmp(key, "tend") == 0 ? x : s->end_time;
            s->settings.dt_s = strcmp(key, "dt") == 0 ? x : s->settings.dt_s;
        }
    }
    return TAL_FAIL(err, TAL_BAD_INPUT, "%s: no blocks", path);
}

tal_status test_scene_read(test_scene *s, const char *directory, const char *name, tal_error *err) {
    char path[1024];
    int count = 0;
    test_scene_init(s);
    snprintf(path, sizeof path, "%s/%s.scene", directory, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return TAL_FAIL(err, TAL_NOT_FOUND, "%s cannot be opened", path);
    }
    tal_status status = read_header(s, file, directory, path, &count, err);
    if (status == TAL_OK) {
        status = read_blocks(s, file, count, path, err);
    }
    fclose(file);
    s->law.friction = s->mu;
    s->law.restitution = s->restitution;
    return status;
}

static void describe_shape(const test_scene *s, int32_t b) {
    const double *e = s->edge[b];
    if (e[1] == 0.0) {
        s->shape[b] = (tal_shape_input){.kind = TAL_SHAPE_SPHERE, .radius = e[0]};
        return;
    }
    const double low = s->top[b] == e[0] ? 0.5 * e[2] : height_of_centroid(e[0], s->top[b], e[2]);
    for (int k = 0; k < 8; k++) {
        const double x = k & 4 ? s->top[b] : e[0], z = k & 4 ? e[2] - low : -low;
        s->corner[b][k] = (tal_vec3){(k & 1 ? 0.5 : -0.5) * x, (k & 2 ? 0.5 : -0.5) * e[1], z};
    }
    s->shape[b] = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                    .vertex_count = 8,
                                    .vertex = s->corner[b],
                                    .face_count = 6,
                                    .loop_size = BOX_LOOP_SIZE,
                                    .loop_vertex = BOX_LOOP};
}

tal_model_input test_scene_input(const test_scene *s) {
    for (int32_t b = 0; b < s->body_count; b++) {
        describe_shape(s, b);
    }
    return (tal_model_input){.shape_count = s->body_count,
                             .shape = s->shape,
                             .terrain_vertex_count = s->vertex_count,
                             .terrain_vertex_m = s->vertex,
                             .terrain_triangle_count = s->triangle_count,
                             .terrain_triangle = s->triangle,
                             .terrain_class = s->triangle_class,
                             .body_count = s->body_count,
                             .body_shape = s->body_shape,
                             .body_class = s->body_class,
                             .body_fixed = s->fixed,
                             .mass_kg = s->mass,
                             .inertia_kg_m2 = s->inertia,
                             .position_m = s->position,
                             .orientation = s->orientation,
                             .velocity_mps = s->velocity,
                             .spin_radps = s->spin,
                             .solid_count = s->solid_count,
                             .solid = s->solid,
                             .body_solid = s->body_solid,
                             .weak_plane_count = s->weak_plane_count,
                             .weak_plane = s->weak_plane,
                             .prescribed_count = s->prescribed_count,
                             .prescribed = s->prescribed,
                             .force_count = s->force_count,
                             .force = s->force,
                             .constraint_count = s->constraint_count,
                             .constraint = s->constraint,
                             .excluded_count = s->excluded_count,
                             .excluded = s->excluded,
                             .gravity_count = s->gravity_count,
                             .gravity_time_s = s->gravity_time,
                             .gravity_mps2 = s->gravity,
                             .class_count = s->class_count > 0 ? s->class_count : 1,
                             .law = s->class_count > 0 ? s->law_table : &s->law,
                             .settings = s->settings};
}

tal_status test_scene_create_model(const test_scene *s, tal_model **model, tal_error *err) {
    const tal_model_input input = test_scene_input(s);
    return tal_model_create(model, &input, err);
}

const char *test_scene_bench_directory(void) {
    static char path[1024];
    const char *data = getenv("TALUS_TEST_DATA");
    if (data == NULL) {
        printf("skipped: TALUS_TEST_DATA is not set, the benchmark scenes are not there\n");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/bench", data);
    return path;
}

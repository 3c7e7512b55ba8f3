// SPDX-License-Identifier: GPL-3.0-or-later
// Scenes for tests and benchmarks: boxes and balls over a plane or a grid, put together by calls or
// read from the text format of the benchmark scenes.
#ifndef TALUS_TESTS_SOLVER_SCENES_SCENE_H
#define TALUS_TESTS_SOLVER_SCENES_SCENE_H

#include "core/base/math3.h"
#include "core/base/status.h"
#include "solver/include/talus_solver.h"

typedef struct {
    int32_t body_count, body_capacity;
    double (*edge)[3]; // a ball has its radius and two zeros
    double *top;       // length of the first edge on the upper side: a box has the same there
    tal_shape_input *shape;
    tal_vec3 (*corner)[8];
    int32_t *body_shape, *body_class;
    uint8_t *fixed;
    double *mass;
    tal_vec3 *inertia, *position, *velocity, *spin;
    tal_quat *orientation;
    int32_t vertex_count, triangle_count;
    tal_vec3 *vertex;
    int32_t *triangle, *triangle_class;
    double mu, restitution, end_time;
    tal_law law;
    int32_t class_count; // 0: one class, `law`; else `law_table`, not owned, as are the next two
    const tal_law *law_table;
    int32_t solid_count; // as all the next not owned
    const tal_solid_input *solid;
    const int32_t *body_solid;
    int32_t weak_plane_count;
    const tal_weak_plane *weak_plane;
    int32_t prescribed_count, force_count;
    const tal_motion_series *prescribed;
    const tal_point_force *force;
    int32_t constraint_count, excluded_count, gravity_count;
    const tal_constraint *constraint;
    const int32_t *excluded;
    const double *gravity_time;
    const tal_vec3 *gravity;
    tal_solver_settings settings;
} test_scene;

void test_scene_init(test_scene *scene);
void test_scene_destroy(test_scene *scene);

// Return the number of the body.
int32_t test_scene_add_box(test_scene *scene, double a, double b, double c, tal_vec3 position,
                           tal_quat orientation, double density);
// A voussoir: a box whose first edge is `a` on the lower side and `top` on the upper one. `middle` is half-way between
// the two sides, where the centroid is not.
int32_t test_scene_add_wedge(test_scene *scene, double a, double top, double b, double c,
                             tal_vec3 middle, tal_quat orientation, double density);
int32_t test_scene_add_ball(test_scene *scene, double radius, tal_vec3 position, double density);

// Ground: a square of two triangles through `origin` with the given unit normal.
void test_scene_set_plane(test_scene *scene, tal_vec3 origin, tal_vec3 normal, double half_size);

// Ground: heights over the whole metres 0 .. nx - 1, 0 .. ny - 1.
void test_scene_set_grid(test_scene *scene, int nx, int ny, double (*height)(double x, double y));

// `directory` is where the grid file of the scene lies.
tal_status test_scene_read(test_scene *scene, const char *directory, const char *name,
                           tal_error *err);

// Points into the scene.
tal_model_input test_scene_input(const test_scene *scene);
tal_status test_scene_create_model(const test_scene *scene, tal_model **model, tal_error *err);

// $TALUS_TEST_DATA/bench, or NULL (after a printed line) when the data are not there.
const char *test_scene_bench_directory(void);

#endif

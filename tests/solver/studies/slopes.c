// SPDX-License-Identifier: GPL-3.0-or-later
// Single blocks on a plane slope and over a break of slope.
#include "tests/solver/studies/slopes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RADIANS = 0.017453292519943295, HALF_WIDTH = 200.0, BEHIND = 20.0;

slope_study slope_study_plane(tal_law law, double dt, int starts) {
    return (slope_study){.law = law,
                         .dt = dt,
                         .slope_deg = 35.0,
                         .length = 100.0,
                         .edge = {1.0, 0.9, 0.8},
                         .speed = 10.0,
                         .starts = starts,
                         .seed = 1};
}

slope_study slope_study_break(tal_law law, double dt, int starts) {
    return (slope_study){.law = law,
                         .dt = dt,
                         .slope_deg = 45.0,
                         .length = 40.0,
                         .flat = 400.0,
                         .edge = {1.0, 0.9, 0.8},
                         .speed = 5.0,
                         .starts = starts,
                         .seed = 2};
}

slope_study slope_study_short_break(tal_law law, double dt, int starts) {
    slope_study study = slope_study_break(law, dt, starts);
    study.length = 10.0;
    study.speed = 0.0;
    return study;
}

// Strips across x: the slope from behind the start down to x = 0, then level ground, if any.
static void set_ground(test_scene *scene, const slope_study *study) {
    const double rise = tan(study->slope_deg * RADIANS);
    const double back = -(study->length + BEHIND) * cos(study->slope_deg * RADIANS);
    const double front = study->flat > 0.0 ? study->flat : 50.0;
    const double x[3] = {back, 0.0, front};
    const double z[3] = {-back * rise, 0.0, study->flat > 0.0 ? 0.0 : -front * rise};
    static const int32_t triangle[12] = {0, 2, 3, 0, 3, 1, 2, 4, 5, 2, 5, 3};
    scene->vertex_count = 6;
    scene->triangle_count = 4;
    scene->vertex = calloc(6, sizeof *scene->vertex);
    scene->triangle = calloc(12, sizeof *scene->triangle);
    scene->triangle_class = calloc(4, sizeof *scene->triangle_class);
    if (scene->vertex == NULL || scene->triangle == NULL || scene->triangle_class == NULL) {
        abort();
    }
    for (int k = 0; k < 6; k++) {
        scene->vertex[k] = (tal_vec3){x[k / 2], k % 2 == 0 ? -HALF_WIDTH : HALF_WIDTH, z[k / 2]};
    }
    memcpy(scene->triangle, triangle, sizeof triangle);
}

// Any orientation, rolling downhill, 5 to 50 cm over the ground.
static void add_block(test_scene *scene, const slope_study *study, int start) {
    const double c = cos(study->slope_deg * RADIANS), s = sin(study->slope_deg * RADIANS);
    const tal_random random = tal_random_stream(study->seed, (uint32_t)start, "study/starts");
    const tal_quat q = study_orientation(random, 0);
    const double *e = study->edge;
    test_scene_add_box(scene, e[0], e[1], e[2], (tal_vec3){0}, q, 2700.0);
    const tal_mat3 r = tal_quat_matrix(q);
    double below = 0.0; // along the normal (s, 0, c)
    for (int k = 0; k < 3; k++) {
        below += 0.5 * e[k] * fabs(s * r.m[0][k] + c * r.m[2][k]);
    }
    const double height = below + 0.05 + 0.45 * tal_random_uniform(random, 10);
    const double v = study->speed * (0.5 + 0.5 * tal_random_uniform(random, 11));
    const double roll = v / below; // about y, as a wheel would
    scene->position[0] =
        (tal_vec3){-study->length * c + height * s, 0.0, study->length * s + height * c};
    scene->velocity[0] = (tal_vec3){v * c, 0.0, -v * s};
    scene->spin[0] = (tal_vec3){tal_random_normal(random, 12), roll + tal_random_normal(random, 13),
                                tal_random_normal(random, 14)};
}

tal_status slope_study_run(const slope_study *study, slope_result *result, tal_error *err) {
    double *value = calloc((size_t)study->starts, sizeof *value);
    int counted = 0;
    tal_status status = value != NULL ? TAL_OK : TAL_FAIL(err, TAL_NO_MEMORY, "no memory");
    *result = (slope_result){0};
    for (int k = 0; status == TAL_OK && k < study->starts; k++) {
        test_scene scene;
        study_end end = {0};
        test_scene_init(&scene);
        scene.law = study->law;
        scene.settings.dt_s = study->dt;
        set_ground(&scene, study);
        add_block(&scene, study, k);
        const bool to_the_end = study->flat == 0.0;
        const study_limits limits = {
            .time_max = 120.0, .x_max = to_the_end ? 0.0 : study->flat, .z_min = -1e3};
        status = study_run(&scene, limits, &end, err);
        const bool arrived = end.place.x >= 0.0 && end.place.x < limits.x_max;
        const bool counts = to_the_end ? end.place.x >= 0.0 : end.stopped && arrived;
        result->rise = fmax(result->rise, end.rise);
        result->missing += !counts;
        if (counts) {
            value[counted++] = to_the_end ? end.time : end.place.x;
        }
        test_scene_destroy(&scene);
    }
    if (status == TAL_OK && counted > 1) {
        *(study->flat == 0.0 ? &result->arrival : &result->stop) = study_measure(value, counted);
    }
    free(value);
    return status;
}

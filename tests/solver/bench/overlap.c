// SPDX-License-Identifier: GPL-3.0-or-later
// solver_bench_overlap SCENE POSES-FILE: deepest overlap of two boxes (separating axes, independent of any
// engine) and largest drift from the start, in mm.
#include "tests/solver/scenes/bench_scenes.h"

#include <math.h>
#include <stdio.h>

// Half the extent of box b along an axis.
static double extent(const test_scene *s, tal_vec3 axis[][3], int32_t b, tal_vec3 along) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += 0.5 * s->edge[b][k] * fabs(tal_vec3_dot(axis[b][k], along));
    }
    return sum;
}

static double depth_along(const test_scene *s, tal_vec3 axis[][3], int32_t i, int32_t j,
                          tal_vec3 along) {
    const tal_vec3 apart = tal_vec3_subtract(s->position[j], s->position[i]);
    return extent(s, axis, i, along) + extent(s, axis, j, along) - fabs(tal_vec3_dot(along, apart));
}

static double depth(const test_scene *s, tal_vec3 axis[][3], int32_t i, int32_t j) {
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        least = fmin(least, depth_along(s, axis, i, j, axis[i][k]));
        least = fmin(least, depth_along(s, axis, i, j, axis[j][k]));
        for (int l = 0; l < 3; l++) {
            const tal_vec3 cross = tal_vec3_cross(axis[i][k], axis[j][l]);
            const double length = tal_vec3_length(cross);
            if (length > 1e-5) {
                const tal_vec3 unit = tal_vec3_scale(cross, 1.0 / length);
                least = fmin(least, depth_along(s, axis, i, j, unit));
            }
        }
    }
    return least;
}

static double deepest_overlap(const test_scene *s, tal_vec3 axis[][3], double diameter) {
    double deepest = 0.0;
    for (int32_t i = 0; i < s->body_count; i++) {
        for (int32_t j = i + 1; j < s->body_count; j++) {
            const tal_vec3 apart = tal_vec3_subtract(s->position[j], s->position[i]);
            if (tal_vec3_dot(apart, apart) < diameter * diameter) {
                deepest = fmax(deepest, depth(s, axis, i, j));
            }
        }
    }
    return deepest;
}

static bool read_poses(test_scene *s, const char *path, double *drift) {
    FILE *file = fopen(path, "r");
    bool complete = file != NULL;
    for (int32_t b = 0; complete && b < s->body_count; b++) {
        tal_vec3 p;
        tal_quat q;
        complete = fscanf(file, "%lf %lf %lf %lf %lf %lf %lf", &p.x, &p.y, &p.z, &q.w, &q.x, &q.y,
                          &q.z) == 7;
        *drift = fmax(*drift, tal_vec3_length(tal_vec3_subtract(p, s->position[b])));
        s->position[b] = p;
        s->orientation[b] = tal_quat_normalize(q);
    }
    if (file != NULL) {
        fclose(file);
    }
    return complete;
}

int main(int argc, char **argv) {
    static tal_error err;
    static tal_vec3 axis[200000][3];
    test_scene s;
    double drift = 0.0, diameter = 0.0;
    if (argc != 3 || test_scene_make(&s, argv[1], &err) != TAL_OK || s.body_count > 200000 ||
        !read_poses(&s, argv[2], &drift)) {
        fprintf(stderr, "solver_bench_overlap SCENE POSES-FILE %s\n", err.text);
        return 2;
    }
    for (int32_t b = 0; b < s.body_count; b++) {
        for (int k = 0; k < 3; k++) {
            const tal_vec3 unit = {k == 0, k == 1, k == 2};
            axis[b][k] = tal_quat_rotate(s.orientation[b], unit);
        }
        diameter = fmax(diameter, sqrt(s.edge[b][0] * s.edge[b][0] + s.edge[b][1] * s.edge[b][1] +
                                       s.edge[b][2] * s.edge[b][2]));
    }
    printf("%.4g %.4g\n", 1e3 * deepest_overlap(&s, axis, diameter), 1e3 * drift);
    test_scene_destroy(&s);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// solver_bench_observe SCENE MOTION-FILE: what a user reads off a motion that peer.c wrote, whoever computed it.
// Prints at the end: front and centroid (m, along x), 5th, 50th and 95th percentile of travel (m, in plan),
// height of the heap (m, highest centre above the ground), deepest overlap of two boxes (mm, by separating axes)
// at the end and in any frame, largest drift from the start (mm); then the kinetic energy of translation (J) of
// every frame.
#include "tests/solver/scenes/bench_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES_MAX = 1000 };

typedef struct {
    double front, centroid, travel[3], height, overlap, deepest, drift, kinetic[FRAMES_MAX];
    int frame_count;
} observation;

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

static void turn_axes(const test_scene *s, tal_vec3 axis[][3]) {
    for (int32_t b = 0; b < s->body_count; b++) {
        for (int k = 0; k < 3; k++) {
            const tal_vec3 unit = {k == 0, k == 1, k == 2};
            axis[b][k] = tal_quat_rotate(s->orientation[b], unit);
        }
    }
}

// The longest diagonal of a box.
static double diameter_of(const test_scene *s) {
    double diameter = 0.0;
    for (int32_t b = 0; b < s->body_count; b++) {
        const double *e = s->edge[b];
        diameter = fmax(diameter, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
    }
    return diameter;
}

static bool read_frame(test_scene *s, FILE *file, double *kinetic) {
    *kinetic = 0.0;
    for (int32_t b = 0; b < s->body_count; b++) {
        double state[10];
        if (fread(state, sizeof state, 1, file) != 1) {
            return false;
        }
        s->position[b] = (tal_vec3){state[0], state[1], state[2]};
        s->orientation[b] = tal_quat_normalize((tal_quat){state[3], state[4], state[5], state[6]});
        *kinetic +=
            0.5 * s->mass[b] * (state[7] * state[7] + state[8] * state[8] + state[9] * state[9]);
    }
    return true;
}

// The grid of a scene lies on whole metres; the two triangles of a cell are one plane each in our scenes.
static double ground_below(const test_scene *s, tal_vec3 at) {
    if (s->vertex_count <= 4) {
        return 0.0;
    }
    const int nx = (int)lround(s->vertex[s->vertex_count - 1].x) + 1, ny = s->vertex_count / nx;
    const int i = (int)fmin(fmax(at.x, 0.0), nx - 2.0), j = (int)fmin(fmax(at.y, 0.0), ny - 2.0);
    const tal_vec3 *corner = &s->vertex[j * nx + i];
    const double x = at.x - i, y = at.y - j;
    return (1.0 - y) * ((1.0 - x) * corner[0].z + x * corner[1].z) +
           y * ((1.0 - x) * corner[nx].z + x * corner[nx + 1].z);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void observe_end(const test_scene *s, const test_scene *start, observation *o) {
    static const double SHARE[3] = {0.05, 0.5, 0.95};
    double *travel = malloc((size_t)s->body_count * sizeof *travel);
    o->front = -INFINITY;
    for (int32_t b = 0; b < s->body_count; b++) {
        const tal_vec3 p = s->position[b], way = tal_vec3_subtract(p, start->position[b]);
        travel[b] = hypot(way.x, way.y);
        o->front = fmax(o->front, p.x);
        o->centroid += p.x / s->body_count;
        o->height = fmax(o->height, p.z - ground_below(s, p));
        o->drift = fmax(o->drift, tal_vec3_length(way));
    }
    qsort(travel, (size_t)s->body_count, sizeof *travel, compare);
    for (int k = 0; k < 3; k++) {
        o->travel[k] = travel[(int32_t)(SHARE[k] * (s->body_count - 1))];
    }
    free(travel);
}

static bool observe(test_scene *s, const test_scene *start, FILE *file, observation *o) {
    tal_vec3(*axis)[3] = malloc((size_t)s->body_count * sizeof *axis);
    const double diameter = diameter_of(s);
    while (o->frame_count < FRAMES_MAX && read_frame(s, file, &o->kinetic[o->frame_count])) {
        o->frame_count++;
        turn_axes(s, axis);
        o->overlap = deepest_overlap(s, axis, diameter);
        o->deepest = fmax(o->deepest, o->overlap);
    }
    free(axis);
    observe_end(s, start, o);
    return o->frame_count > 0;
}

int main(int argc, char **argv) {
    static tal_error err;
    test_scene s = {0}, start = {0};
    observation o = {0};
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (file == NULL || test_scene_make(&s, argv[1], &err) != TAL_OK ||
        test_scene_make(&start, argv[1], &err) != TAL_OK || !observe(&s, &start, file, &o)) {
        fprintf(stderr, "solver_bench_observe SCENE MOTION-FILE %s\n", err.text);
        return 2;
    }
    printf("%.6g %.6g %.6g %.6g %.6g %.6g %.4g %.4g %.4g", o.front, o.centroid, o.travel[0],
           o.travel[1], o.travel[2], o.height, 1e3 * o.overlap, 1e3 * o.deepest, 1e3 * o.drift);
    for (int k = 0; k < o.frame_count; k++) {
        printf(" %.6g", o.kinetic[k]);
    }
    printf("\n");
    fclose(file);
    test_scene_destroy(&s);
    test_scene_destroy(&start);
    return 0;
}

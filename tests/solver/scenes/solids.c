// SPDX-License-Identifier: GPL-3.0-or-later
// Solids for tests.
#include "tests/solver/scenes/solids.h"

#include <math.h>
#include <string.h>

static const int32_t BOX_LOOP[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                     2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const int32_t OCTAHEDRON_LOOP[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                            2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const int32_t TETRAHEDRON_LOOP[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const int32_t FOURS[6] = {4, 4, 4, 4, 4, 4}, THREES[8] = {3, 3, 3, 3, 3, 3, 3, 3};

static void set_polyhedron(solid *s, int32_t corners, int32_t faces, const int32_t *size,
                           const int32_t *loop) {
    s->shape = (tal_shape_input){.kind = TAL_SHAPE_POLYHEDRON,
                                 .vertex_count = corners,
                                 .vertex = s->corner,
                                 .face_count = faces,
                                 .loop_size = size,
                                 .loop_vertex = loop};
    s->size = 0.0;
    for (int32_t k = 0; k < corners; k++) {
        s->size = fmax(s->size, tal_vec3_length(s->corner[k]));
    }
}

void solid_make_box(solid *s, double x, double y, double z) {
    for (int k = 0; k < 8; k++) {
        s->corner[k] = tal_vec3_make(k & 1 ? 0.5 * x : -0.5 * x, k & 2 ? 0.5 * y : -0.5 * y,
                                     k & 4 ? 0.5 * z : -0.5 * z);
    }
    s->volume = x * y * z;
    s->mean_square = tal_vec3_make(x * x / 12.0, y * y / 12.0, z * z / 12.0);
    set_polyhedron(s, 8, 6, FOURS, BOX_LOOP);
}

void solid_make_octahedron(solid *s, double x, double y, double z) {
    const tal_vec3 corner[6] = {{x, 0, 0},  {-x, 0, 0}, {0, y, 0},
                                {0, -y, 0}, {0, 0, z},  {0, 0, -z}};
    memcpy(s->corner, corner, sizeof corner);
    s->volume = 4.0 / 3.0 * x * y * z;
    s->mean_square = tal_vec3_make(x * x / 10.0, y * y / 10.0, z * z / 10.0);
    set_polyhedron(s, 6, 8, THREES, OCTAHEDRON_LOOP);
}

// A tetrahedron has mean squares of a twentieth of the sum over its corners.
void solid_make_tetrahedron(solid *s, double radius, double height) {
    for (int k = 0; k < 3; k++) {
        const double angle = 2.0 * acos(-1.0) / 3.0 * k;
        s->corner[k] = tal_vec3_make(radius * cos(angle), radius * sin(angle), -0.25 * height);
    }
    s->corner[3] = tal_vec3_make(0.0, 0.0, 0.75 * height);
    s->volume = sqrt(3.0) / 4.0 * radius * radius * height;
    const double across = 1.5 * radius * radius / 20.0;
    s->mean_square = tal_vec3_make(across, across, 0.75 * height * height / 20.0);
    set_polyhedron(s, 4, 4, THREES, TETRAHEDRON_LOOP);
}

void solid_make_ball(solid *s, double radius) {
    s->shape = (tal_shape_input){.kind = TAL_SHAPE_SPHERE, .radius = radius};
    s->size = radius;
    s->volume = 4.0 / 3.0 * acos(-1.0) * radius * radius * radius;
    const double square = radius * radius / 5.0;
    s->mean_square = tal_vec3_make(square, square, square);
}

void solid_make_random(solid *s, const double u[4]) {
    const double x = 0.3 * pow(10.0, u[1]), y = 0.3 * pow(10.0, u[2]), z = 0.3 * pow(10.0, u[3]);
    if (u[0] < 0.4) {
        solid_make_box(s, x, y, z);
    } else if (u[0] < 0.7) {
        solid_make_octahedron(s, 0.5 * x, 0.5 * y, 0.5 * z);
    } else if (u[0] < 0.9) {
        solid_make_tetrahedron(s, 0.5 * x, z);
    } else {
        solid_make_ball(s, 0.5 * x);
    }
}

tal_vec3 solid_inertia(const solid *s, double mass) {
    const tal_vec3 q = s->mean_square;
    return tal_vec3_scale(tal_vec3_make(q.y + q.z, q.x + q.z, q.x + q.y), mass);
}

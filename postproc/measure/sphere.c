// SPDX-License-Identifier: GPL-3.0-or-later
// Geodesic balls: the octahedron with every face divided, pushed out to the sphere, and scaled so
// that the volume is that of the sphere (its outline is then within 1 % of the radius).
#include "postproc/measure/sphere.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"

#include <math.h>

enum { DIVISIONS = 8, BALL_VERTICES_MAX = 8 * (DIVISIONS + 1) * (DIVISIONS + 2) / 2 };
enum { BALL_FACES = 8 * DIVISIONS * DIVISIONS };

typedef struct {
    int32_t vertex_count;
    tal_vec3 vertex[BALL_VERTICES_MAX];
    int32_t face_count;
    int32_t corner[3 * BALL_FACES];
} ball;

// Lattice points (i, j, k), |i| + |j| + |k| = DIVISIONS: equal ones are the same vertex.
static int32_t find_vertex(ball *b, int i, int j, int k) {
    const double length = sqrt((double)(i * i + j * j + k * k));
    const tal_vec3 point = tal_vec3_make(i / length, j / length, k / length);
    for (int32_t v = 0; v < b->vertex_count; v++) {
        const tal_vec3 at = b->vertex[v];
        if (fabs(at.x - point.x) + fabs(at.y - point.y) + fabs(at.z - point.z) < 1e-12) {
            return v;
        }
    }
    b->vertex[b->vertex_count] = point;
    return b->vertex_count++;
}

static void add_face(ball *b, const int sign[3], const int corner[3][2]) {
    const bool flip = sign[0] * sign[1] * sign[2] < 0;
    for (int c = 0; c < 3; c++) {
        const int from = flip ? 2 - c : c;
        const int i = corner[from][0], j = corner[from][1], k = DIVISIONS - i - j;
        b->corner[3 * b->face_count + c] = find_vertex(b, sign[0] * i, sign[1] * j, sign[2] * k);
    }
    b->face_count++;
}

static void make_ball(ball *b) {
    b->vertex_count = 0;
    b->face_count = 0;
    for (int octant = 0; octant < 8; octant++) {
        const int sign[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};
        for (int i = 0; i < DIVISIONS; i++) {
            for (int j = 0; i + j < DIVISIONS; j++) {
                add_face(b, sign, (const int[3][2]){{i + 1, j}, {i, j + 1}, {i, j}});
                if (i + j + 1 < DIVISIONS) {
                    add_face(b, sign, (const int[3][2]){{i + 1, j}, {i + 1, j + 1}, {i, j + 1}});
                }
            }
        }
    }
}

static double unit_volume(const ball *b) {
    int32_t start[BALL_FACES + 1];
    for (int32_t f = 0; f <= b->face_count; f++) {
        start[f] = 3 * f;
    }
    const tal_surface surface = {b->vertex, b->vertex_count, start, b->face_count, b->corner};
    return tal_surface_volume(&surface);
}

static bool is_sphere(const tal_blocks *blocks, const double *radius, int32_t block) {
    return radius[block] > 0.0 && blocks->face_start[block + 1] == blocks->face_start[block];
}

// Copies shapes into `to`, balls where there are spheres.
static void copy_shapes(tal_blocks *to, const tal_blocks *from, const double *radius, const ball *b,
                        double scale) {
    int32_t vertex = 0, face = 0, corner = 0;
    for (int32_t block = 0; block < from->count; block++) {
        to->vertex_start[block] = vertex;
        to->face_start[block] = face;
        if (is_sphere(from, radius, block)) {
            for (int32_t v = 0; v < b->vertex_count; v++) {
                to->vertex[3 * (vertex + v)] = scale * radius[block] * b->vertex[v].x;
                to->vertex[3 * (vertex + v) + 1] = scale * radius[block] * b->vertex[v].y;
                to->vertex[3 * (vertex + v) + 2] = scale * radius[block] * b->vertex[v].z;
            }
            for (int32_t f = 0; f < b->face_count; f++) {
                to->corner_start[face++] = corner + 3 * f;
            }
            for (int32_t c = 0; c < 3 * b->face_count; c++) {
                to->corner[corner++] = b->corner[c];
            }
            vertex += b->vertex_count;
            continue;
        }
        for (int32_t v = from->vertex_start[block]; v < from->vertex_start[block + 1]; v++) {
            for (int i = 0; i < 3; i++) {
                to->vertex[3 * vertex + i] = from->vertex[3 * v + i];
            }
            vertex++;
        }
        for (int32_t f = from->face_start[block]; f < from->face_start[block + 1]; f++) {
            to->corner_start[face++] = corner;
            for (int32_t c = from->corner_start[f]; c < from->corner_start[f + 1]; c++) {
                to->corner[corner++] = from->corner[c];
            }
        }
    }
    to->vertex_start[from->count] = vertex;
    to->face_start[from->count] = face;
    to->corner_start[face] = corner;
}

static tal_status make_room(tal_blocks *to, const tal_blocks *from, int32_t spheres, const ball *b,
                            tal_error *err) {
    const int32_t faces = from->face_start[from->count];
    const size_t more = (size_t)spheres;
    TAL_CREATE(to->vertex_start, (size_t)from->count + 1, "the spheres", err);
    TAL_CREATE(to->face_start, (size_t)from->count + 1, "the spheres", err);
    TAL_CREATE(to->corner_start, (size_t)faces + more * (size_t)b->face_count + 1, "the spheres",
               err);
    TAL_CREATE(to->corner, (size_t)from->corner_start[faces] + 3 * more * (size_t)b->face_count + 1,
               "the spheres", err);
    TAL_CREATE(to->vertex,
               3 * ((size_t)from->vertex_start[from->count] + more * (size_t)b->vertex_count) + 1,
               "the spheres", err);
    return TAL_OK;
}

tal_status tal_blocks_replace_spheres(tal_blocks *blocks, const double *radius, tal_error *err) {
    int32_t spheres = 0;
    for (int32_t block = 0; block < blocks->count; block++) {
        spheres += is_sphere(blocks, radius, block) ? 1 : 0;
    }
    if (spheres == 0) {
        return TAL_OK;
    }
    ball *b;
    TAL_CREATE(b, 1, "the shape of a sphere", err);
    make_ball(b);
    tal_blocks fresh = {0};
    tal_status status = make_room(&fresh, blocks, spheres, b, err);
    if (status == TAL_OK) {
        copy_shapes(&fresh, blocks, radius, b, cbrt(4.0 / 3.0 * TAL_PI / unit_volume(b)));
        tal_memory_destroy(blocks->vertex_start);
        tal_memory_destroy(blocks->face_start);
        tal_memory_destroy(blocks->corner_start);
        tal_memory_destroy(blocks->corner);
        tal_memory_destroy(blocks->vertex);
        blocks->vertex_start = fresh.vertex_start;
        blocks->face_start = fresh.face_start;
        blocks->corner_start = fresh.corner_start;
        blocks->corner = fresh.corner;
        blocks->vertex = fresh.vertex;
        if (blocks->vertex_count_max < b->vertex_count) {
            blocks->vertex_count_max = b->vertex_count;
        }
    } else {
        tal_blocks_destroy(&fresh);
    }
    tal_memory_destroy(b);
    return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles in buckets; depth of a convex block below them.
#include "mesher/terrain/near_ground.h"

#include "core/base/memory.h"

#include <math.h>

typedef struct {
    int32_t c0, c1, r0, r1;
} bucket_range;

static int32_t clamp(double value, int32_t count) {
    return value <= 0 ? 0 : (value >= count - 1 ? count - 1 : (int32_t)value);
}

static bucket_range range_of(const tal_near_ground *ground, double x0, double x1, double y0,
                             double y1) {
    return (bucket_range){clamp((x0 - ground->west) / ground->edge, ground->columns),
                          clamp((x1 - ground->west) / ground->edge, ground->columns),
                          clamp((y0 - ground->south) / ground->edge, ground->rows),
                          clamp((y1 - ground->south) / ground->edge, ground->rows)};
}

static bucket_range range_of_triangle(const tal_near_ground *ground, int32_t t) {
    const tal_vec3 *c = ground->corner + 3 * (size_t)t;
    return range_of(ground, fmin(c[0].x, fmin(c[1].x, c[2].x)), fmax(c[0].x, fmax(c[1].x, c[2].x)),
                    fmin(c[0].y, fmin(c[1].y, c[2].y)), fmax(c[0].y, fmax(c[1].y, c[2].y)));
}

static tal_status take_triangles(tal_near_ground *ground, const tal_terrain_mesh *mesh,
                                 tal_vec3 low, tal_vec3 high, tal_error *err) {
    TAL_CREATE(ground->corner, 3 * (size_t)mesh->face_count, "triangles below the source", err);
    for (int32_t f = 0; f < mesh->face_count - mesh->wall_face_count; f++) {
        tal_vec3 *c = ground->corner + 3 * (size_t)ground->triangle_count;
        for (int k = 0; k < 3; k++) {
            const int32_t v = mesh->face_node[3 * (size_t)f + (size_t)k];
            c[k] = tal_vec3_make(mesh->x[v], mesh->y[v], mesh->z[v]);
        }
        const bool is_near = fmin(c[0].x, fmin(c[1].x, c[2].x)) <= high.x &&
                             fmax(c[0].x, fmax(c[1].x, c[2].x)) >= low.x &&
                             fmin(c[0].y, fmin(c[1].y, c[2].y)) <= high.y &&
                             fmax(c[0].y, fmax(c[1].y, c[2].y)) >= low.y;
        ground->triangle_count += is_near ? 1 : 0;
    }
    return TAL_OK;
}

static tal_status fill_buckets(tal_near_ground *ground, tal_error *err) {
    const size_t buckets = (size_t)ground->columns * (size_t)ground->rows;
    TAL_CREATE(ground->start, buckets + 2, "buckets of triangles", err);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t t = 0; t < ground->triangle_count; t++) {
            const bucket_range b = range_of_triangle(ground, t);
            for (int32_t r = b.r0; r <= b.r1; r++) {
                for (int32_t c = b.c0; c <= b.c1; c++) {
                    const size_t at = (size_t)r * (size_t)ground->columns + (size_t)c;
                    if (pass == 0) {
                        ground->start[at + 2]++;
                    } else {
                        ground->list[ground->start[at + 1]++] = t;
                    }
                }
            }
        }
        for (size_t k = 0; pass == 0 && k <= buckets; k++) {
            ground->start[k + 1] += ground->start[k];
        }
        if (pass == 0) {
            const size_t entries = (size_t)ground->start[buckets + 1];
            TAL_CREATE(ground->list, entries + 1, "buckets of triangles", err);
        }
    }
    TAL_ASSERT(ground->start[0] == 0 && ground->start[buckets] == ground->start[buckets + 1]);
    return TAL_OK;
}

tal_status tal_near_ground_create(tal_near_ground *ground, const tal_terrain_mesh *mesh,
                                  tal_vec3 low, tal_vec3 high, tal_error *err) {
    *ground = (tal_near_ground){.west = low.x, .south = low.y};
    tal_status status = take_triangles(ground, mesh, low, high, err);
    if (status == TAL_OK) {
        const double wide = fmax(high.x - low.x, 1e-6), tall = fmax(high.y - low.y, 1e-6);
        ground->edge = sqrt(wide * tall * 2 / (ground->triangle_count + 1));
        ground->columns = (int32_t)fmin(4000, ceil(wide / ground->edge)) + 1;
        ground->rows = (int32_t)fmin(4000, ceil(tall / ground->edge)) + 1;
        status = fill_buckets(ground, err);
    }
    if (status != TAL_OK) {
        tal_near_ground_destroy(ground);
    }
    return status;
}

void tal_near_ground_destroy(tal_near_ground *ground) {
    if (ground != NULL) {
        tal_memory_destroy(ground->corner);
        tal_memory_destroy(ground->start);
        tal_memory_destroy(ground->list);
        *ground = (tal_near_ground){0};
    }
}

// ---- Depth -----------------------------------------------------------------------------

// Height of the triangle's plane minus that of the point.
static double depth_below(tal_vec3 a, double slope_x, double slope_y, tal_vec3 p) {
    return a.z + slope_x * (p.x - a.x) + slope_y * (p.y - a.y) - p.z;
}

// The part of the block above the triangle's outline, seen from below: its deepest vertex is the
// deepest point, since depth is linear there.
static void look_below_triangle(const tal_vec3 *c, const tal_polyhedron *block,
                                tal_deep_point *deepest) {
    const tal_vec3 u = tal_vec3_subtract(c[1], c[0]), w = tal_vec3_subtract(c[2], c[0]);
    const double area = u.x * w.y - w.x * u.y;
    const double slope_x = (u.z * w.y - w.z * u.y) / area;
    const double slope_y = (w.z * u.x - u.z * w.x) / area;
    double most = -INFINITY;
    for (int32_t v = 0; v < block->vertex_count; v++) {
        most = tal_greater(most, depth_below(c[0], slope_x, slope_y, block->vertex[v]));
    }
    if (most <= deepest->depth) {
        return; // even beyond the triangle nothing is deeper
    }
    tal_polyhedron part;
    tal_polyhedron_copy(&part, block);
    for (int k = 0; k < 3; k++) {
        const tal_vec3 a = c[k], b = c[(k + 1) % 3];
        const tal_halfspace side = tal_halfspace_through(a, tal_vec3_make(b.y - a.y, a.x - b.x, 0));
        if (tal_polyhedron_cut(&part, side) == TAL_CUT_EMPTY) {
            return;
        }
    }
    for (int32_t v = 0; v < part.vertex_count; v++) {
        const tal_vec3 p = part.vertex[v];
        const double depth = depth_below(c[0], slope_x, slope_y, p);
        if (depth > deepest->depth) {
            *deepest = (tal_deep_point){depth, p.x, p.y, p.z + depth};
        }
    }
}

void tal_near_ground_find_deepest(const tal_near_ground *ground, const tal_polyhedron *block,
                                  tal_deep_point *deepest) {
    tal_vec3 low, high;
    if (ground->start == NULL || block->vertex_count == 0) {
        return;
    }
    tal_polyhedron_bounds(block, &low, &high);
    const bucket_range b = range_of(ground, low.x, high.x, low.y, high.y);
    for (int32_t r = b.r0; r <= b.r1; r++) {
        for (int32_t c = b.c0; c <= b.c1; c++) {
            const size_t at = (size_t)r * (size_t)ground->columns + (size_t)c;
            for (int32_t k = ground->start[at]; k < ground->start[at + 1]; k++) {
                const tal_vec3 *corner = ground->corner + 3 * (size_t)ground->list[k];
                // A triangle is in several buckets: it is looked at in the first of them.
                const bucket_range own = range_of_triangle(ground, ground->list[k]);
                const bool is_first =
                    r == (own.r0 > b.r0 ? own.r0 : b.r0) && c == (own.c0 > b.c0 ? own.c0 : b.c0);
                const double top = tal_greater(corner[0].z, tal_greater(corner[1].z, corner[2].z));
                if (is_first && top - low.z > deepest->depth) {
                    look_below_triangle(corner, block, deepest);
                }
            }
        }
    }
}

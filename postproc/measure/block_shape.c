// SPDX-License-Identifier: GPL-3.0-or-later
// A block over a grid: exact column volumes, upper surface, footprint.
#include "postproc/measure/block_shape.h"

#include <math.h>
#include <stdlib.h>

// A triangle cut by four half-planes has at most seven corners.
enum { CLIP_CORNERS_MAX = 8 };

typedef struct {
    int count;
    double point[CLIP_CORNERS_MAX][3];
} polygon;

// Area of the polygon seen from above (positive: it faces up) times its mean height above `base`.
// The fan of triangles makes it exact for a plane polygon.
static double volume_below(const polygon *p, double base) {
    double volume = 0.0;
    for (int i = 1; i + 1 < p->count; i++) {
        const double *a = p->point[0], *b = p->point[i], *c = p->point[i + 1];
        const double area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
        volume += area * ((a[2] - base) + (b[2] - base) + (c[2] - base)) / 3.0;
    }
    return volume;
}

// Keeps the part with sign * (point[axis] - limit) <= 0 (Sutherland and Hodgman 1974).
static void clip(const polygon *in, int axis, double limit, double sign, polygon *out) {
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        const double *a = in->point[i];
        const double *b = in->point[(i + 1) % in->count];
        const double da = sign * (a[axis] - limit);
        const double db = sign * (b[axis] - limit);
        if (da <= 0.0) {
            for (int k = 0; k < 3; k++) {
                out->point[out->count][k] = a[k];
            }
            out->count++;
        }
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) {
            // From the inner to the outer point, so that both neighbours find the same crossing.
            const double *p = da < db ? a : b;
            const double *q = da < db ? b : a;
            const double t = (limit - p[axis]) / (q[axis] - p[axis]);
            for (int k = 0; k < 3; k++) {
                out->point[out->count][k] = p[k] + t * (q[k] - p[k]);
            }
            out->point[out->count][axis] = limit;
            out->count++;
        }
    }
}

static void range_of(const polygon *p, int axis, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < p->count; i++) {
        *low = fmin(*low, p->point[i][axis]);
        *high = fmax(*high, p->point[i][axis]);
    }
}

// Cells of [low, high] measured from `start` in steps of `cell`, cut to 0 .. count - 1.
static void cell_range(double low, double high, double start, double cell, int32_t count,
                       int32_t *first, int32_t *last) {
    const double a = floor((low - start) / cell);
    const double b = floor((high - start) / cell);
    *first = a < 0.0 ? 0 : a > (double)count ? count : (int32_t)a;
    *last = b < 0.0 ? -1 : b >= (double)count ? count - 1 : (int32_t)b;
}

static double add_strip(const polygon *strip, const tal_grid *grid, int32_t row, double base,
                        double *volume) {
    double low, high, inside = 0.0;
    int32_t first, last;
    range_of(strip, 0, &low, &high);
    cell_range(low, high, grid->west, grid->cell, grid->columns, &first, &last);
    for (int32_t column = first; column <= last; column++) {
        const double west = grid->west + (double)column * grid->cell;
        const double east = grid->west + (double)(column + 1) * grid->cell;
        polygon right_of_west, piece;
        clip(strip, 0, west, -1.0, &right_of_west);
        clip(&right_of_west, 0, east, 1.0, &piece);
        const double part = volume_below(&piece, base);
        volume[(size_t)row * (size_t)grid->columns + (size_t)column] += part;
        inside += part;
    }
    return inside;
}

static double add_triangle(const polygon *triangle, const tal_grid *grid, double base,
                           double *volume) {
    double low, high, inside = 0.0;
    int32_t first, last;
    range_of(triangle, 1, &low, &high);
    // Rows count from the north.
    cell_range(-high, -low, -grid->north, grid->cell, grid->rows, &first, &last);
    for (int32_t row = first; row <= last; row++) {
        const double north = grid->north - (double)row * grid->cell;
        const double south = grid->north - (double)(row + 1) * grid->cell;
        polygon below_north, strip;
        clip(triangle, 1, north, 1.0, &below_north);
        clip(&below_north, 1, south, -1.0, &strip);
        if (strip.count >= 3) {
            inside += add_strip(&strip, grid, row, base, volume);
        }
    }
    return inside;
}

static void corner_point(const tal_surface *block, int32_t corner, double point[3]) {
    const tal_vec3 vertex = block->vertex[block->corner[corner]];
    point[0] = vertex.x;
    point[1] = vertex.y;
    point[2] = vertex.z;
}

// Faces as fans: a closed surface of triangles even where a face is not quite plane.
static void fan_triangle(const tal_surface *block, int32_t face, int32_t i, polygon *triangle) {
    const int32_t start = block->corner_start[face];
    triangle->count = 3;
    corner_point(block, start, triangle->point[0]);
    corner_point(block, start + i, triangle->point[1]);
    corner_point(block, start + i + 1, triangle->point[2]);
}

double tal_block_add_columns(const tal_surface *block, const tal_grid *grid, double *volume) {
    if (block->vertex_count == 0) {
        return 0.0;
    }
    tal_vec3 low, high;
    tal_surface_bounds(block, &low, &high);
    double inside = 0.0, whole = 0.0;
    for (int32_t face = 0; face < block->face_count; face++) {
        for (int32_t i = 1; i + 1 < tal_surface_loop_size(block, face); i++) {
            polygon triangle;
            fan_triangle(block, face, i, &triangle);
            inside += add_triangle(&triangle, grid, low.z, volume);
            whole += volume_below(&triangle, block->vertex[0].z);
        }
    }
    return whole - inside;
}

// Normal of a face by Newell's sum (not of unit length), and one point of it.
static void face_plane(const tal_surface *block, int32_t face, double normal[3], double at[3]) {
    const int32_t start = block->corner_start[face];
    const int32_t count = tal_surface_loop_size(block, face);
    corner_point(block, start, at);
    normal[0] = normal[1] = normal[2] = 0.0;
    for (int32_t i = 1; i + 1 < count; i++) {
        double b[3], c[3];
        corner_point(block, start + i, b);
        corner_point(block, start + i + 1, c);
        for (int k = 0; k < 3; k++) {
            b[k] -= at[k];
            c[k] -= at[k];
        }
        normal[0] += b[1] * c[2] - b[2] * c[1];
        normal[1] += b[2] * c[0] - b[0] * c[2];
        normal[2] += b[0] * c[1] - b[1] * c[0];
    }
}

// A convex block is what lies below all planes that face up, above all that face down, and inside
// those that stand upright.
static bool vertical_range(const tal_surface *block, double x, double y, double *low,
                           double *high) {
    *low = -INFINITY;
    *high = INFINITY;
    for (int32_t face = 0; face < block->face_count; face++) {
        double n[3], at[3];
        face_plane(block, face, n, at);
        const double across = n[0] * (x - at[0]) + n[1] * (y - at[1]);
        const double size = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
        if (fabs(n[2]) <= 1e-12 * size) {
            if (across > 0.0) {
                return false;
            }
        } else if (n[2] > 0.0) {
            *high = fmin(*high, at[2] - across / n[2]);
        } else {
            *low = fmax(*low, at[2] - across / n[2]);
        }
    }
    return block->face_count > 0 && *low <= *high;
}

double tal_block_top(const tal_surface *block, double x, double y) {
    double low, high;
    return vertical_range(block, x, y, &low, &high) ? high : -INFINITY;
}

double tal_block_bottom(const tal_surface *block, double x, double y) {
    double low, high;
    return vertical_range(block, x, y, &low, &high) ? low : INFINITY;
}

static double turn(tal_vec3 o, tal_vec3 a, tal_vec3 b) {
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

static bool comes_before(tal_vec3 a, tal_vec3 b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// Andrew's monotone chain; blocks have few vertices, so insertion sort is the quick one.
int32_t tal_block_footprint(const tal_surface *block, double *xy, int32_t *order) {
    const int32_t n = block->vertex_count;
    const tal_vec3 *vertex = block->vertex;
    for (int32_t i = 0; i < n; i++) {
        int32_t at = i;
        while (at > 0 && comes_before(vertex[i], vertex[order[at - 1]])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    int32_t *hull = order + n;
    int32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        const int32_t begin = count;
        for (int32_t k = 0; k < n; k++) {
            const int32_t v = order[pass == 0 ? k : n - 1 - k];
            while (count >= begin + 2 &&
                   turn(vertex[hull[count - 2]], vertex[hull[count - 1]], vertex[v]) <= 0.0) {
                count--;
            }
            hull[count++] = v;
        }
        count--; // the last point begins the other chain
    }
    for (int32_t i = 0; i < count; i++) {
        xy[2 * i] = vertex[hull[i]].x;
        xy[2 * i + 1] = vertex[hull[i]].y;
    }
    return count;
}

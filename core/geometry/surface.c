// SPDX-License-Identifier: GPL-3.0-or-later
// Volume and extent of closed surfaces.
#include "core/geometry/surface.h"

// Signed tetrahedra over fans of the faces, from a vertex of the surface: that keeps the digits of
// small blocks far from zero.
double tal_surface_volume(const tal_surface *surface) {
    if (surface->vertex_count == 0) {
        return 0;
    }
    double six = 0;
    const tal_vec3 origin = surface->vertex[0];
    for (int32_t f = 0; f < surface->face_count; f++) {
        const int32_t *loop = surface->corner + surface->corner_start[f];
        const int32_t size = tal_surface_loop_size(surface, f);
        const tal_vec3 a = tal_vec3_subtract(surface->vertex[loop[0]], origin);
        for (int32_t k = 1; k + 1 < size; k++) {
            six += tal_tetrahedron_six(a, tal_vec3_subtract(surface->vertex[loop[k]], origin),
                                       tal_vec3_subtract(surface->vertex[loop[k + 1]], origin));
        }
    }
    return six / 6;
}

// Plain comparisons: fmin and fmax are calls, and vertices are never NaN.
static double lesser(double a, double b) {
    return a < b ? a : b;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

void tal_surface_bounds(const tal_surface *surface, tal_vec3 *low, tal_vec3 *high) {
    *low = tal_vec3_make(INFINITY, INFINITY, INFINITY);
    *high = tal_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        const tal_vec3 p = surface->vertex[v];
        *low = tal_vec3_make(lesser(low->x, p.x), lesser(low->y, p.y), lesser(low->z, p.z));
        *high = tal_vec3_make(greater(high->x, p.x), greater(high->y, p.y), greater(high->z, p.z));
    }
}

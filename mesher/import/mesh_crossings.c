// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a surface from a file passes through itself: an edge of one triangle that meets another.
#include "mesher/import/mesh_file.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double low[3], high[3];
    const int32_t *corner;
} boxed_triangle;

static int compare_boxes(const void *left, const void *right) {
    const boxed_triangle *a = left, *b = right;
    if (a->low[0] != b->low[0]) {
        return a->low[0] < b->low[0] ? -1 : 1;
    }
    return a->corner < b->corner ? -1 : (a->corner > b->corner ? 1 : 0);
}

static void put_into_box(boxed_triangle *box, const tal_vec3 *vertex) {
    for (int k = 0; k < 3; k++) {
        const tal_vec3 p = vertex[box->corner[k]];
        const double at[3] = {p.x, p.y, p.z};
        for (int axis = 0; axis < 3; axis++) {
            box->low[axis] = k == 0 ? at[axis] : tal_lesser(box->low[axis], at[axis]);
            box->high[axis] = k == 0 ? at[axis] : tal_greater(box->high[axis], at[axis]);
        }
    }
}

static double side(tal_vec3 a, tal_vec3 b, tal_vec3 c, tal_vec3 d) {
    return tal_vec3_dot(tal_vec3_cross(tal_vec3_subtract(b, a), tal_vec3_subtract(c, a)),
                        tal_vec3_subtract(d, a));
}

// Touching counts: triangles without a common corner have no business there. Edges in the plane of
// the triangle do not.
static bool edge_pierces(tal_vec3 p, tal_vec3 q, const tal_vec3 t[3]) {
    const double from = side(t[0], t[1], t[2], p), to = side(t[0], t[1], t[2], q);
    if ((from > 0 && to > 0) || (from < 0 && to < 0) || (from == 0 && to == 0)) {
        return false;
    }
    const double u = side(p, q, t[0], t[1]), v = side(p, q, t[1], t[2]), w = side(p, q, t[2], t[0]);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

static bool is_corner(const int32_t *corner, int32_t v) {
    return corner[0] == v || corner[1] == v || corner[2] == v;
}

static bool edges_pierce(const tal_vec3 *vertex, const int32_t *edges, const int32_t *corner) {
    const tal_vec3 t[3] = {vertex[corner[0]], vertex[corner[1]], vertex[corner[2]]};
    for (int k = 0; k < 3; k++) {
        const int32_t p = edges[k], q = edges[(k + 1) % 3];
        if (!is_corner(corner, p) && !is_corner(corner, q) &&
            edge_pierces(vertex[p], vertex[q], t)) {
            return true;
        }
    }
    return false;
}

static bool boxes_meet(const boxed_triangle *a, const boxed_triangle *b) {
    return a->low[1] <= b->high[1] && b->low[1] <= a->high[1] && a->low[2] <= b->high[2] &&
           b->low[2] <= a->high[2];
}

tal_status tal_mesh_file_crossings(const tal_mesh_file *mesh, int32_t part, int64_t *crossings,
                                   tal_error *err) {
    enum { TRIANGLES_MAX = 400000 }; // beyond, looking would take minutes
    boxed_triangle *box;
    size_t count = 0;
    *crossings = -1;
    if (mesh->triangle_count > TRIANGLES_MAX) {
        return TAL_OK;
    }
    TAL_CREATE(box, (size_t)mesh->triangle_count + 1, "triangles of a file", err);
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        if (mesh->part[t] == part) {
            box[count].corner = mesh->triangle + 3 * t;
            put_into_box(&box[count++], mesh->vertex);
        }
    }
    qsort(box, count, sizeof *box, compare_boxes);
    int64_t found = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : found)
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && box[j].low[0] <= box[i].high[0]; j++) {
            found += boxes_meet(&box[i], &box[j]) &&
                             (edges_pierce(mesh->vertex, box[i].corner, box[j].corner) ||
                              edges_pierce(mesh->vertex, box[j].corner, box[i].corner))
                         ? 1
                         : 0;
        }
    }
    *crossings = found;
    tal_memory_destroy(box);
    return TAL_OK;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting small convex polyhedra by planes.
#include "core/geometry/polyhedron.h"

#include <string.h>

void tal_polyhedron_box(tal_polyhedron *polyhedron, tal_vec3 low, tal_vec3 high) {
    static const int32_t loops[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                      2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    TAL_ASSERT(low.x <= high.x && low.y <= high.y && low.z <= high.z);
    polyhedron->vertex_count = 8;
    polyhedron->face_count = 6;
    for (int v = 0; v < 8; v++) {
        polyhedron->vertex[v] =
            tal_vec3_make(v & 1 ? high.x : low.x, v & 2 ? high.y : low.y, v & 4 ? high.z : low.z);
    }
    for (int f = 0; f <= 6; f++) {
        polyhedron->corner_start[f] = 4 * f;
    }
    memcpy(polyhedron->corner, loops, sizeof loops);
}

void tal_polyhedron_copy(tal_polyhedron *target, const tal_polyhedron *source) {
    target->vertex_count = source->vertex_count;
    target->face_count = source->face_count;
    if (source->vertex_count == 0) {
        target->corner_start[0] = 0;
        return;
    }
    const size_t corners = (size_t)source->corner_start[source->face_count];
    memcpy(target->vertex, source->vertex, (size_t)source->vertex_count * sizeof(tal_vec3));
    memcpy(target->corner_start, source->corner_start,
           ((size_t)source->face_count + 1) * sizeof(int32_t));
    memcpy(target->corner, source->corner, corners * sizeof(int32_t));
}

tal_surface tal_polyhedron_surface(const tal_polyhedron *polyhedron) {
    return (tal_surface){polyhedron->vertex, polyhedron->vertex_count, polyhedron->corner_start,
                         polyhedron->face_count, polyhedron->corner};
}

void tal_polyhedron_bounds(const tal_polyhedron *polyhedron, tal_vec3 *low, tal_vec3 *high) {
    const tal_surface surface = tal_polyhedron_surface(polyhedron);
    tal_surface_bounds(&surface, low, high);
}

double tal_polyhedron_volume(const tal_polyhedron *polyhedron) {
    const tal_surface surface = tal_polyhedron_surface(polyhedron);
    return tal_surface_volume(&surface);
}

// Newell's normal (twice the area vector), insensitive to corners that lie on a line.
static tal_vec3 loop_area(const tal_vec3 *vertex, const int32_t *loop, int32_t size,
                          tal_vec3 *middle) {
    tal_vec3 area = {0, 0, 0}, sum = {0, 0, 0};
    const tal_vec3 origin = vertex[loop[0]];
    for (int32_t k = 0; k < size; k++) {
        const tal_vec3 a = tal_vec3_subtract(vertex[loop[k]], origin);
        const tal_vec3 b = tal_vec3_subtract(vertex[loop[k + 1 < size ? k + 1 : 0]], origin);
        area = tal_vec3_add(area, tal_vec3_cross(a, b));
        sum = tal_vec3_add(sum, a);
    }
    *middle = tal_vec3_add(origin, tal_vec3_scale(sum, 1.0 / size));
    return area;
}

void tal_polyhedron_planes(const tal_polyhedron *polyhedron, tal_halfspace *planes) {
    for (int32_t f = 0; f < polyhedron->face_count; f++) {
        const int32_t start = polyhedron->corner_start[f];
        tal_vec3 middle;
        const tal_vec3 area = loop_area(polyhedron->vertex, polyhedron->corner + start,
                                        polyhedron->corner_start[f + 1] - start, &middle);
        planes[f] = tal_halfspace_through(middle, area);
    }
}

bool tal_halfspaces_column(const tal_halfspace *planes, int32_t count, double x, double y,
                           double *low, double *high) {
    *low = -INFINITY;
    *high = INFINITY;
    for (int32_t f = 0; f < count; f++) {
        const tal_vec3 n = planes[f].normal;
        const double rest = planes[f].offset - n.x * x - n.y * y;
        if (n.z > 1e-12) {
            *high = tal_lesser(*high, rest / n.z);
        } else if (n.z < -1e-12) {
            *low = tal_greater(*low, rest / n.z);
        } else if (rest < 0) {
            return false;
        }
    }
    return *low < *high;
}

// ---- Cutting ---------------------------------------------------------------------------

typedef struct {
    int32_t from, to; // the edge, from < to
    int32_t vertex;   // where the plane crosses it
} crossing;

typedef struct {
    const tal_polyhedron *old;
    tal_polyhedron *fresh;
    double distance[TAL_POLYHEDRON_VERTICES];
    int8_t side[TAL_POLYHEDRON_VERTICES];
    int32_t kept_as[TAL_POLYHEDRON_VERTICES];  // new number of an old vertex, -1 while unused
    bool on_plane[TAL_POLYHEDRON_VERTICES];    // per new vertex
    int32_t cap_next[TAL_POLYHEDRON_VERTICES]; // per new vertex: next along the cap, -1
    crossing crossings[TAL_POLYHEDRON_CORNERS / 2];
    int32_t crossing_count;
    int32_t cap_size;
    bool overflow;
} cut_work;

static double cut_tolerance(const tal_polyhedron *polyhedron) {
    tal_vec3 low, high;
    tal_polyhedron_bounds(polyhedron, &low, &high);
    const tal_vec3 extent = tal_vec3_subtract(high, low);
    const double size = tal_greater(extent.x, tal_greater(extent.y, extent.z));
    const double far = tal_greater(
        tal_greater(tal_greater(fabs(low.x), fabs(high.x)), tal_greater(fabs(low.y), fabs(high.y))),
        tal_greater(fabs(low.z), fabs(high.z)));
    return 1e-11 * size + 4e-13 * far;
}

static int32_t add_vertex(cut_work *work, tal_vec3 p, bool on_plane) {
    tal_polyhedron *fresh = work->fresh;
    if (fresh->vertex_count >= TAL_POLYHEDRON_VERTICES) {
        work->overflow = true;
        return 0;
    }
    const int32_t number = fresh->vertex_count++;
    fresh->vertex[number] = p;
    work->on_plane[number] = on_plane;
    work->cap_next[number] = -1;
    return number;
}

static int32_t keep_vertex(cut_work *work, int32_t v) {
    if (work->kept_as[v] < 0) {
        work->kept_as[v] = add_vertex(work, work->old->vertex[v], work->side[v] == 0);
    }
    return work->kept_as[v];
}

static int32_t cross_edge(cut_work *work, int32_t a, int32_t b) {
    const int32_t from = a < b ? a : b, to = a < b ? b : a;
    for (int32_t k = 0; k < work->crossing_count; k++) {
        if (work->crossings[k].from == from && work->crossings[k].to == to) {
            return work->crossings[k].vertex;
        }
    }
    // Of opposite sides, and no more of them than edges.
    TAL_ASSERT(work->side[from] * work->side[to] < 0);
    TAL_ASSERT(work->crossing_count < TAL_POLYHEDRON_CORNERS / 2);
    const double t = work->distance[from] / (work->distance[from] - work->distance[to]);
    const tal_vec3 p = work->old->vertex[from], q = work->old->vertex[to];
    const int32_t number =
        add_vertex(work, tal_vec3_add(p, tal_vec3_scale(tal_vec3_subtract(q, p), t)), true);
    work->crossings[work->crossing_count++] = (crossing){from, to, number};
    return number;
}

// Appends a loop; loops of fewer than three corners or wholly in the plane are dropped, the cap
// takes their place.
static void finish_loop(cut_work *work, const int32_t *loop, int32_t size) {
    tal_polyhedron *fresh = work->fresh;
    bool has_inner = false;
    for (int32_t k = 0; k < size; k++) {
        has_inner = has_inner || !work->on_plane[loop[k]];
    }
    if (size < 3 || !has_inner) {
        return;
    }
    const int32_t start = fresh->corner_start[fresh->face_count];
    if (fresh->face_count + 2 > TAL_POLYHEDRON_FACES || start + size > TAL_POLYHEDRON_CORNERS) {
        work->overflow = true;
        return;
    }
    for (int32_t k = 0; k < size; k++) {
        const int32_t a = loop[k], b = loop[k + 1 < size ? k + 1 : 0];
        fresh->corner[start + k] = a;
        if (work->on_plane[a] && work->on_plane[b]) {
            work->cap_next[b] = a;
            work->cap_size++;
        }
    }
    fresh->corner_start[++fresh->face_count] = start + size;
}

static void cut_faces(cut_work *work) {
    const tal_polyhedron *old = work->old;
    for (int32_t f = 0; f < old->face_count && !work->overflow; f++) {
        const int32_t start = old->corner_start[f];
        const int32_t size = old->corner_start[f + 1] - start;
        int32_t loop[TAL_POLYHEDRON_CORNERS];
        int32_t count = 0;
        for (int32_t k = 0; k < size; k++) {
            const int32_t a = old->corner[start + k];
            const int32_t b = old->corner[start + (k + 1 < size ? k + 1 : 0)];
            if (work->side[a] <= 0) {
                loop[count++] = keep_vertex(work, a);
            }
            if (work->side[a] * work->side[b] < 0) {
                loop[count++] = cross_edge(work, a, b);
            }
        }
        finish_loop(work, loop, count);
    }
}

// The cap must be one loop through every edge that lies in the plane.
static bool close_cap(cut_work *work) {
    tal_polyhedron *fresh = work->fresh;
    const int32_t start = fresh->corner_start[fresh->face_count];
    int32_t first = 0;
    while (first < fresh->vertex_count && work->cap_next[first] < 0) {
        first++;
    }
    if (work->cap_size < 3 || first == fresh->vertex_count ||
        start + work->cap_size > TAL_POLYHEDRON_CORNERS) {
        return false;
    }
    int32_t at = first;
    for (int32_t k = 0; k < work->cap_size; k++) {
        if (at < 0 || (k > 0 && at == first)) {
            return false;
        }
        fresh->corner[start + k] = at;
        at = work->cap_next[at];
    }
    fresh->corner_start[++fresh->face_count] = start + work->cap_size;
    return at == first;
}

// With E = corners / 2; also catches vertices that no face uses.
static bool is_euler_two(const tal_polyhedron *polyhedron) {
    const int32_t corners = polyhedron->corner_start[polyhedron->face_count];
    return corners % 2 == 0 && polyhedron->vertex_count - corners / 2 + polyhedron->face_count == 2;
}

static tal_cut try_cut(cut_work *work, double tolerance) {
    bool any_out = false, any_in = false;
    for (int32_t v = 0; v < work->old->vertex_count; v++) {
        const double d = work->distance[v];
        work->side[v] = (int8_t)(d > tolerance ? 1 : (d < -tolerance ? -1 : 0));
        any_out = any_out || work->side[v] > 0;
        any_in = any_in || work->side[v] < 0;
        work->kept_as[v] = -1;
    }
    if (!any_out) {
        return TAL_CUT_MISSED;
    }
    if (!any_in) {
        return TAL_CUT_EMPTY;
    }
    work->crossing_count = 0;
    work->cap_size = 0;
    work->overflow = false;
    work->fresh->vertex_count = 0;
    work->fresh->face_count = 0;
    work->fresh->corner_start[0] = 0;
    cut_faces(work);
    return !work->overflow && close_cap(work) && is_euler_two(work->fresh) ? TAL_CUT_DONE
                                                                           : TAL_CUT_FAILED;
}

tal_cut tal_polyhedron_cut(tal_polyhedron *polyhedron, tal_halfspace plane) {
    if (polyhedron->vertex_count == 0) {
        return TAL_CUT_EMPTY;
    }
    TAL_ASSERT(polyhedron->vertex_count <= TAL_POLYHEDRON_VERTICES &&
               polyhedron->face_count <= TAL_POLYHEDRON_FACES);
    cut_work work;
    tal_polyhedron fresh;
    work.old = polyhedron;
    work.fresh = &fresh;
    for (int32_t v = 0; v < polyhedron->vertex_count; v++) {
        work.distance[v] = tal_halfspace_distance(plane, polyhedron->vertex[v]);
    }
    // A plane that grazes several vertices can contradict itself by rounding; counting more of
    // them as lying on it settles the matter.
    const double tolerance = cut_tolerance(polyhedron);
    tal_cut result = TAL_CUT_FAILED;
    for (double factor = 1; factor < 2000 && result == TAL_CUT_FAILED; factor *= 10) {
        result = try_cut(&work, factor * tolerance);
        if (result == TAL_CUT_FAILED && work.overflow) {
            break;
        }
    }
    if (result == TAL_CUT_DONE) {
        tal_polyhedron_copy(polyhedron, &fresh);
    } else if (result == TAL_CUT_EMPTY) {
        polyhedron->vertex_count = polyhedron->face_count = 0;
        polyhedron->corner_start[0] = 0;
    }
    return result;
}

bool tal_polyhedron_split(const tal_polyhedron *polyhedron, tal_halfspace plane,
                          tal_polyhedron *inside, tal_polyhedron *outside) {
    tal_polyhedron_copy(inside, polyhedron);
    tal_polyhedron_copy(outside, polyhedron);
    const tal_cut in = tal_polyhedron_cut(inside, plane);
    const tal_cut out = tal_polyhedron_cut(outside, tal_halfspace_flip(plane));
    // A plane that only touches leaves one side whole and must leave the other empty.
    if (in == TAL_CUT_MISSED) {
        outside->vertex_count = outside->face_count = 0;
    } else if (out == TAL_CUT_MISSED) {
        inside->vertex_count = inside->face_count = 0;
    }
    return in != TAL_CUT_FAILED && out != TAL_CUT_FAILED;
}

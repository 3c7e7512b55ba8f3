// SPDX-License-Identifier: GPL-3.0-or-later
// Vertices taken off a convex polyhedron one at a time. The hole around a vertex is bounded by the
// ring of its neighbours, and the hull of the rest fills it with faces between neighbours alone: any
// other vertex lies in a tetrahedron of the cone below, or beyond the fill (docs/theory/mesher.md (7)).
#include "mesher/import/simplify.h"

#include <string.h>

const tal_simplify_options tal_simplify_blocks = {0.0101, 2e-4, 32, 0.1};

enum { RING_MAX = 32 };

// Neighbours of a vertex, counter-clockwise seen from outside, and the triangles over the hole.
typedef struct {
    int32_t size;
    int32_t vertex[RING_MAX];
    int32_t triangle_count;
    int32_t triangle[RING_MAX][3]; // vertices of the polyhedron
    double volume;                 // between the vertex and the triangles
} hole;

// The corner of face f where vertex v is, -1 when it is not there.
static int32_t corner_at(const tal_polyhedron *p, int32_t f, int32_t v) {
    for (int32_t c = p->corner_start[f]; c < p->corner_start[f + 1]; c++) {
        if (p->corner[c] == v) {
            return c;
        }
    }
    return -1;
}

static int32_t corner_after(const tal_polyhedron *p, int32_t f, int32_t c) {
    return c + 1 < p->corner_start[f + 1] ? c + 1 : p->corner_start[f];
}

static int32_t corner_before(const tal_polyhedron *p, int32_t f, int32_t c) {
    return c > p->corner_start[f] ? c - 1 : p->corner_start[f + 1] - 1;
}

// In a face that holds v, the neighbour after v comes first going round v, the one before v next.
static bool find_ring(const tal_polyhedron *p, int32_t v, hole *ring) {
    int32_t from[RING_MAX], to[RING_MAX], count = 0;
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t c = corner_at(p, f, v);
        if (c < 0) {
            continue;
        }
        if (count == RING_MAX) {
            return false;
        }
        from[count] = p->corner[corner_after(p, f, c)];
        to[count++] = p->corner[corner_before(p, f, c)];
    }
    ring->size = count;
    int32_t at = count > 0 ? from[0] : -1;
    for (int32_t k = 0; k < count; k++) {
        ring->vertex[k] = at;
        int32_t next = -1;
        for (int32_t j = 0; j < count; j++) {
            next = from[j] == at ? to[j] : next;
        }
        at = next;
    }
    return count >= 3 && at == ring->vertex[0];
}

static tal_vec3 ring_point(const tal_polyhedron *p, const hole *ring, int32_t k) {
    return p->vertex[ring->vertex[k]];
}

// Six times the signed volume of the tetrahedron over a triangle of the ring.
static double six_volumes(tal_vec3 a, tal_vec3 b, tal_vec3 c, tal_vec3 d) {
    return tal_vec3_dot(tal_vec3_cross(tal_vec3_subtract(b, a), tal_vec3_subtract(c, a)),
                        tal_vec3_subtract(d, a));
}

// Triangulates the stretch of the ring from i to j so that no vertex of it lies outside a triangle:
// of all third corners the one whose plane is outermost.
static bool fill_stretch(const tal_polyhedron *p, hole *ring, int32_t i, int32_t j, tal_vec3 apex) {
    if (j - i < 2) {
        return true;
    }
    const tal_vec3 a = ring_point(p, ring, i), b = ring_point(p, ring, j);
    int32_t best = i + 1;
    for (int32_t k = i + 2; k < j; k++) {
        // The triangle (a, k, b) looks outwards; a point with a positive volume is beyond it.
        if (six_volumes(a, ring_point(p, ring, best), b, ring_point(p, ring, k)) > 0) {
            best = k;
        }
    }
    if (ring->triangle_count == RING_MAX) {
        return false;
    }
    int32_t *t = ring->triangle[ring->triangle_count++];
    t[0] = ring->vertex[i];
    t[1] = ring->vertex[best];
    t[2] = ring->vertex[j];
    ring->volume += six_volumes(a, ring_point(p, ring, best), b, apex) / 6;
    return fill_stretch(p, ring, i, best, apex) && fill_stretch(p, ring, best, j, apex);
}

static bool find_hole(const tal_polyhedron *p, int32_t v, hole *ring) {
    ring->triangle_count = 0;
    ring->volume = 0;
    return p->vertex_count > 4 && find_ring(p, v, ring) &&
           fill_stretch(p, ring, 0, ring->size - 1, p->vertex[v]);
}

// ---- Removal ---------------------------------------------------------------------------

static bool add_face(tal_polyhedron *p, const int32_t *loop, int32_t size) {
    const int32_t start = p->corner_start[p->face_count];
    if (p->face_count >= TAL_POLYHEDRON_FACES || start + size > TAL_POLYHEDRON_CORNERS) {
        return false;
    }
    memcpy(p->corner + start, loop, (size_t)size * sizeof *loop);
    p->corner_start[++p->face_count] = start + size;
    return true;
}

// Convexity of the new faces against every vertex, with room for rounding.
static bool is_convex_there(const tal_polyhedron *p, int32_t first_face, double size) {
    for (int32_t f = first_face; f < p->face_count; f++) {
        const int32_t *loop = p->corner + p->corner_start[f];
        const tal_vec3 a = p->vertex[loop[0]];
        const tal_vec3 area = tal_vec3_cross(tal_vec3_subtract(p->vertex[loop[1]], a),
                                             tal_vec3_subtract(p->vertex[loop[2]], a));
        if (!(tal_vec3_length(area) > 1e-9 * size * size)) {
            return false; // the normal of a needle is noise
        }
        const tal_halfspace plane = tal_halfspace_through(a, area);
        for (int32_t v = 0; v < p->vertex_count; v++) {
            if (tal_halfspace_distance(plane, p->vertex[v]) > 1e-10 * size) {
                return false;
            }
        }
    }
    return true;
}

static bool remove_with(tal_polyhedron *p, int32_t v, const hole *ring) {
    tal_polyhedron fresh;
    const double size = cbrt(tal_polyhedron_volume(p));
    fresh.vertex_count = fresh.face_count = 0;
    fresh.corner_start[0] = 0;
    for (int32_t k = 0; k < p->vertex_count; k++) {
        if (k != v) {
            fresh.vertex[fresh.vertex_count++] = p->vertex[k];
        }
    }
    int32_t loop[TAL_POLYHEDRON_CORNERS];
    for (int32_t f = 0; f < p->face_count; f++) {
        int32_t count = 0;
        for (int32_t c = p->corner_start[f]; c < p->corner_start[f + 1]; c++) {
            const int32_t k = p->corner[c];
            if (k != v) {
                loop[count++] = k > v ? k - 1 : k;
            }
        }
        if (count >= 3 && !add_face(&fresh, loop, count)) {
            return false;
        }
    }
    const int32_t first_new = fresh.face_count;
    for (int32_t t = 0; t < ring->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            loop[k] = ring->triangle[t][k] > v ? ring->triangle[t][k] - 1 : ring->triangle[t][k];
        }
        if (!add_face(&fresh, loop, 3)) {
            return false;
        }
    }
    const int32_t corners = fresh.corner_start[fresh.face_count];
    if (fresh.vertex_count - corners / 2 + fresh.face_count != 2 || corners % 2 != 0 ||
        !is_convex_there(&fresh, first_new, size)) {
        return false;
    }
    tal_polyhedron_copy(p, &fresh);
    return true;
}

bool tal_polyhedron_remove_vertex(tal_polyhedron *polyhedron, int32_t vertex) {
    hole ring;
    return find_hole(polyhedron, vertex, &ring) && remove_with(polyhedron, vertex, &ring);
}

// ---- Simplification --------------------------------------------------------------------

typedef struct {
    tal_polyhedron shape;
    double loss[TAL_POLYHEDRON_VERTICES];  // volume each vertex holds; infinite: cannot go
    bool refused[TAL_POLYHEDRON_VERTICES]; // until the shape changes
} simplifying;

static void measure_losses(simplifying *work) {
    for (int32_t v = 0; v < work->shape.vertex_count; v++) {
        hole ring;
        work->refused[v] = false;
        work->loss[v] = find_hole(&work->shape, v, &ring) ? ring.volume : INFINITY;
    }
}

// Of the ends of edges that are too short, the one that holds least; -1 when there is none.
static int32_t find_short_end(const simplifying *work, double edge_least, bool *is_short) {
    const tal_polyhedron *p = &work->shape;
    int32_t best = -1;
    *is_short = false;
    for (int32_t f = 0; f < p->face_count; f++) {
        for (int32_t c = p->corner_start[f]; c < p->corner_start[f + 1]; c++) {
            const int32_t a = p->corner[c], b = p->corner[corner_after(p, f, c)];
            const tal_vec3 edge = tal_vec3_subtract(p->vertex[a], p->vertex[b]);
            if (a > b || tal_vec3_length(edge) >= edge_least) {
                continue;
            }
            *is_short = true;
            for (int k = 0; k < 2; k++) {
                const int32_t v = k == 0 ? a : b;
                if (!work->refused[v] && isfinite(work->loss[v]) &&
                    (best < 0 || work->loss[v] < work->loss[best])) {
                    best = v;
                }
            }
        }
    }
    return best;
}

static int32_t find_least(const simplifying *work, double loss_most) {
    int32_t best = -1;
    for (int32_t v = 0; v < work->shape.vertex_count; v++) {
        if (!work->refused[v] && work->loss[v] < loss_most &&
            (best < 0 || work->loss[v] < work->loss[best])) {
            best = v;
        }
    }
    return best;
}

bool tal_polyhedron_simplify(tal_polyhedron *polyhedron, const tal_simplify_options *options) {
    simplifying work;
    const double volume = tal_polyhedron_volume(polyhedron);
    const double edge_least = options->edge_least * cbrt(volume);
    tal_polyhedron_copy(&work.shape, polyhedron);
    measure_losses(&work);
    for (;;) {
        bool is_short;
        const bool is_many = work.shape.vertex_count > options->vertices_most;
        int32_t v = find_short_end(&work, edge_least, &is_short);
        if (v < 0) {
            v = find_least(&work, is_many ? INFINITY : options->corner_least * volume);
        }
        if (v < 0) {
            if (is_short || is_many ||
                tal_polyhedron_volume(&work.shape) < (1 - options->loss_most) * volume) {
                return false;
            }
            tal_polyhedron_copy(polyhedron, &work.shape);
            return true;
        }
        if (tal_polyhedron_remove_vertex(&work.shape, v)) {
            measure_losses(&work);
        } else {
            work.refused[v] = true;
        }
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
// qhull behind functions that return a status.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "mesher/rock/hull.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "core/geometry/mass_properties.h"
#include "core/geometry/polyhedron.h"

#include <libqhull_r/qhull_ra.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One run of qhull and what it complained about.
typedef struct {
    qhT qh;
    coordT *points; // dimension numbers each; ours
    int dimension;
    int count;
    FILE *complaints;
    char *text;
    size_t text_length;
} hull_run;

static tal_status begin_run(hull_run *run, int dimension, int64_t count, const char *what,
                            tal_error *err) {
    memset(run, 0, sizeof *run);
    if (count < dimension + 1) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s has %lld different points; %d are needed", what,
                        (long long)count, dimension + 1);
    }
    if (count > INT32_MAX / 8) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%s has more than %d points", what, INT32_MAX / 8);
    }
    run->dimension = dimension;
    run->count = (int)count;
    TAL_CREATE(run->points, (size_t)count * (size_t)dimension, "points of a hull", err);
    run->complaints = open_memstream(&run->text, &run->text_length);
    if (run->complaints == NULL) {
        tal_memory_destroy(run->points);
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for a hull");
    }
    qh_zero(&run->qh, run->complaints);
    return TAL_OK;
}

static void end_run(hull_run *run) {
    int long_count = 0, total = 0;
    run->qh.NOerrexit = True; // nothing below may jump
    qh_freeqhull(&run->qh, !qh_ALL);
    qh_memfreeshort(&run->qh, &long_count, &total);
    if (run->complaints != NULL) {
        (void)fclose(run->complaints);
    }
    free(run->text);
    tal_memory_destroy(run->points);
}

static tal_status solve_run(hull_run *run, const char *options, const char *what, tal_error *err) {
    char command[128];
    (void)snprintf(command, sizeof command, "qhull %s", options);
    const int code = qh_new_qhull(&run->qh, run->dimension, run->count, run->points, False, command,
                                  NULL, run->complaints);
    if (code == 0) {
        return TAL_OK;
    }
    (void)fflush(run->complaints);
    if (code == qh_ERRsingular) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is flat: all its points lie in one %s, so it encloses no volume", what,
                        run->dimension == 3 ? "plane" : "line");
    }
    if (code == qh_ERRmem) {
        return TAL_FAIL(err, TAL_NO_MEMORY, "%s: no memory for its hull", what);
    }
    return TAL_FAIL(err, TAL_BAD_INPUT, "%s: no hull could be made: %.200s", what,
                    run->text != NULL ? run->text : "qhull failed");
}

// ---- Convex hull -----------------------------------------------------------------------

static int32_t count_corners(qhT *qh, int32_t *face_count) {
    facetT *facet;
    int64_t corners = 0, faces = 0;
    FORALLfacets {
        corners += qh_setsize(qh, facet->vertices);
        faces++;
    }
    *face_count = (int32_t)faces;
    return (int32_t)corners;
}

// Loops of the facets as numbers of input points. False when qhull gave up.
static bool read_loops(hull_run *run, int32_t *corner_start, int32_t *corner) {
    qhT *qh = &run->qh;
    qh->NOerrexit = False;
    if (setjmp(qh->errexit) != 0) {
        qh->NOerrexit = True;
        return false;
    }
    facetT *facet;
    int32_t face = 0, at = 0;
    FORALLfacets {
        vertexT *vertex, **vertexp;
        setT *loop = qh_facet3vertex(qh, facet);
        FOREACHvertex_(loop) {
            corner[at++] = qh_pointid(qh, vertex->point);
        }
        qh_settempfree(qh, &loop);
        corner_start[++face] = at;
    }
    qh->NOerrexit = True;
    return true;
}

// Renumbers points to those in use and copies them.
static tal_status take_vertices(tal_hull *hull, const tal_vec3 *points, int64_t count,
                                tal_error *err) {
    int32_t *number;
    const int32_t corners = hull->corner_start[hull->face_count];
    TAL_CREATE(number, (size_t)count, "vertices of a hull", err);
    for (int32_t c = 0; c < corners; c++) {
        number[hull->corner[c]] = 1;
    }
    for (int64_t p = 0; p < count; p++) {
        number[p] = number[p] != 0 ? hull->vertex_count++ : -1;
    }
    hull->vertex = tal_memory_create((size_t)hull->vertex_count, sizeof *hull->vertex);
    if (hull->vertex == NULL) {
        tal_memory_destroy(number);
        return tal_memory_failed(err, "vertices of a hull", (size_t)hull->vertex_count,
                                 sizeof *hull->vertex);
    }
    for (int64_t p = 0; p < count; p++) {
        if (number[p] >= 0) {
            hull->vertex[number[p]] = points[p];
        }
    }
    for (int32_t c = 0; c < corners; c++) {
        hull->corner[c] = number[hull->corner[c]];
    }
    tal_memory_destroy(number);
    return TAL_OK;
}

static tal_status take_faces(tal_hull *hull, hull_run *run, const tal_vec3 *points,
                             const char *what, tal_error *err) {
    const int32_t corners = count_corners(&run->qh, &hull->face_count);
    TAL_CREATE(hull->corner_start, (size_t)hull->face_count + 1, "faces of a hull", err);
    TAL_CREATE(hull->corner, (size_t)corners, "corners of a hull", err);
    if (!read_loops(run, hull->corner_start, hull->corner)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: no hull could be made: qhull gave up", what);
    }
    TAL_TRY(take_vertices(hull, points, run->count, err));
    const tal_surface surface = tal_hull_surface(hull);
    if (tal_surface_mass(&surface).volume < 0) { // qhull's clock runs the other way
        for (int32_t f = 0; f < hull->face_count; f++) {
            int32_t i = hull->corner_start[f], j = hull->corner_start[f + 1] - 1;
            for (; i < j; i++, j--) {
                const int32_t kept = hull->corner[i];
                hull->corner[i] = hull->corner[j];
                hull->corner[j] = kept;
            }
        }
    }
    return TAL_OK;
}

static tal_status make_hull(tal_hull *hull, const tal_vec3 *points, int64_t count,
                            const char *options, const char *what, tal_error *err) {
    hull_run run;
    *hull = (tal_hull){0};
    TAL_TRY(begin_run(&run, 3, count, what, err));
    // About the first point: coordinates of a study have too many digits before the comma.
    for (int64_t p = 0; p < count; p++) {
        const tal_vec3 d = tal_vec3_subtract(points[p], points[0]);
        memcpy(run.points + 3 * p, &d, 3 * sizeof(double));
    }
    tal_status status = solve_run(&run, options, what, err);
    if (status == TAL_OK) {
        status = take_faces(hull, &run, points, what, err);
    }
    end_run(&run);
    if (status != TAL_OK) {
        tal_hull_destroy(hull);
    }
    return status;
}

tal_status tal_hull_create(tal_hull *hull, const tal_vec3 *points, int64_t count, const char *what,
                           tal_error *err) {
    for (int64_t p = 0; p < count; p++) {
        if (!isfinite(points[p].x + points[p].y + points[p].z)) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: point %lld is not a number", what,
                            (long long)p + 1);
        }
    }
    double extent = 0;
    for (int64_t p = 1; p < count; p++) {
        extent = fmax(extent, tal_vec3_length(tal_vec3_subtract(points[p], points[0])));
    }
    if (count > 3 && !(extent > 0)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s is flat: all its points lie at one place", what);
    }
    // Flat faces stay whole where that is clean, else they become triangles.
    TAL_TRY(make_hull(hull, points, count, "C-0", what, err));
    const tal_surface surface = tal_hull_surface(hull);
    if (tal_surface_fault(&surface, 5e-10) != NULL) {
        tal_hull_destroy(hull);
        TAL_TRY(make_hull(hull, points, count, "Qt", what, err));
    }
    return TAL_OK;
}

void tal_hull_destroy(tal_hull *hull) {
    if (hull != NULL) {
        tal_memory_destroy(hull->vertex);
        tal_memory_destroy(hull->corner_start);
        tal_memory_destroy(hull->corner);
        *hull = (tal_hull){0};
    }
}

tal_surface tal_hull_surface(const tal_hull *hull) {
    return (tal_surface){hull->vertex, hull->vertex_count, hull->corner_start, hull->face_count,
                         hull->corner};
}

// ---- Simplification --------------------------------------------------------------------

// Marks the vertex farthest out in each direction of a spiral over the sphere.
static int32_t mark_farthest(const tal_hull *hull, int directions, uint8_t *mark) {
    const double golden = TAL_PI * (3 - sqrt(5));
    int32_t marked = 0;
    for (int k = 0; k < directions; k++) {
        const double z = 1 - (2 * k + 1.0) / directions, r = sqrt(1 - z * z);
        const tal_vec3 direction = {r * cos(golden * k), r * sin(golden * k), z};
        int32_t best = 0;
        for (int32_t v = 1; v < hull->vertex_count; v++) {
            if (tal_vec3_dot(direction, hull->vertex[v]) >
                tal_vec3_dot(direction, hull->vertex[best])) {
                best = v;
            }
        }
        marked += mark[best] == 0 ? 1 : 0;
        mark[best] = 1;
    }
    return marked;
}

tal_status tal_hull_simplify(tal_hull *simple, const tal_hull *hull, int vertices_max,
                             const char *what, tal_error *err) {
    if (hull->vertex_count <= vertices_max) {
        return tal_hull_create(simple, hull->vertex, hull->vertex_count, what, err);
    }
    uint8_t *mark = tal_memory_create((size_t)hull->vertex_count, 1);
    tal_vec3 *kept = tal_memory_create((size_t)hull->vertex_count, sizeof *kept);
    tal_status status = TAL_OK;
    if (mark == NULL || kept == NULL) {
        status = TAL_FAIL(err, TAL_NO_MEMORY, "%s: no memory to simplify it", what);
    } else {
        (void)mark_farthest(hull, vertices_max, mark);
        int64_t count = 0;
        for (int32_t v = 0; v < hull->vertex_count; v++) {
            if (mark[v] != 0) {
                kept[count++] = hull->vertex[v];
            }
        }
        status = tal_hull_create(simple, kept, count, what, err);
    }
    tal_memory_destroy(mark);
    tal_memory_destroy(kept);
    return status;
}

// ---- Delaunay --------------------------------------------------------------------------

static tal_status take_triangles(hull_run *run, int32_t **triangles, int32_t *triangle_count,
                                 tal_error *err) {
    qhT *qh = &run->qh;
    facetT *facet;
    size_t count = 0;
    FORALLfacets {
        count += facet->upperdelaunay ? 0 : 1;
    }
    TAL_CREATE(*triangles, 3 * count + 1, "triangles", err);
    *triangle_count = 0;
    FORALLfacets {
        if (facet->upperdelaunay) {
            continue;
        }
        vertexT *vertex, **vertexp;
        int k = 0;
        FOREACHvertex_(facet->vertices) {
            (*triangles)[3 * *triangle_count + k++] = qh_pointid(qh, vertex->point);
        }
        (*triangle_count)++;
    }
    return TAL_OK;
}

tal_status tal_hull_delaunay(const tal_vec3 *points, int64_t count, int32_t **triangles,
                             int32_t *triangle_count, tal_error *err) {
    hull_run run;
    TAL_TRY(begin_run(&run, 2, count, "the triangulation", err));
    for (int64_t p = 0; p < count; p++) {
        run.points[2 * p] = points[p].x - points[0].x;
        run.points[2 * p + 1] = points[p].y - points[0].y;
    }
    tal_status status = solve_run(&run, "d Qt Qbb", "the triangulation", err);
    if (status == TAL_OK) {
        status = take_triangles(&run, triangles, triangle_count, err);
    }
    end_run(&run);
    return status;
}

// ---- Halfspaces ------------------------------------------------------------------------

// Each facet of the hull of the dual points is a vertex of the intersection.
static tal_status take_dual_vertices(hull_run *run, tal_vec3 inside, tal_hull *hull,
                                     tal_error *err) {
    qhT *qh = &run->qh;
    facetT *facet;
    tal_vec3 *vertices;
    size_t count = 0;
    FORALLfacets {
        count++;
    }
    TAL_CREATE(vertices, count, "vertices of an intersection", err);
    count = 0;
    bool is_bounded = true;
    FORALLfacets {
        const tal_vec3 n = {facet->normal[0], facet->normal[1], facet->normal[2]};
        is_bounded = is_bounded && facet->offset < 0;
        vertices[count++] = tal_vec3_subtract(inside, tal_vec3_scale(n, 1 / facet->offset));
    }
    if (!is_bounded) {
        tal_memory_destroy(vertices);
        return TAL_FAIL(err, TAL_BAD_INPUT, "the planes do not enclose a volume");
    }
    const tal_status status =
        tal_hull_create(hull, vertices, (int64_t)count, "the intersection of planes", err);
    tal_memory_destroy(vertices);
    return status;
}

tal_status tal_hull_of_halfspaces(tal_hull *hull, const tal_halfspace *planes, int64_t count,
                                  tal_vec3 inside, tal_error *err) {
    hull_run run;
    static const char *const what = "the intersection of planes";
    TAL_TRY(begin_run(&run, 3, count, what, err));
    tal_status status = TAL_OK;
    for (int64_t p = 0; p < count && status == TAL_OK; p++) {
        const double room = -tal_halfspace_distance(planes[p], inside);
        if (!(room > 0)) {
            status = TAL_FAIL(err, TAL_BAD_INPUT, "the point is not inside plane %lld",
                              (long long)p + 1);
        }
        const tal_vec3 dual = tal_vec3_scale(planes[p].normal, 1 / room);
        memcpy(run.points + 3 * p, &dual, 3 * sizeof(double));
    }
    if (status == TAL_OK) {
        status = solve_run(&run, "Qt", what, err);
    }
    if (status == TAL_OK) {
        status = take_dual_vertices(&run, inside, hull, err);
    }
    end_run(&run);
    return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Judges what talus-mesh left in a folder by slow geometry of its own, from the files alone:
// mesher_judge FOLDER [FILL_LEAST [DENSITY_KG_M3 [EDGE_LEAST [VERTICES_MOST]]]].
#include "core/app/json.h"
#include "core/base/math3.h"
#include "core/base/memory.h"
#include "core/geo/netcdf_file.h"
#include "core/geo/raster_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLAINTS_SHOWN = 20 };
static int complaint_count;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...) {
    if (complaint_count++ < COMPLAINTS_SHOWN) {
        va_list values;
        va_start(values, format);
        (void)vprintf(format, values);
        va_end(values);
        (void)putchar('\n');
    }
}

// Test programs may end: there is nothing to clean up.
static void must(tal_status status, const tal_error *err) {
    if (status != TAL_OK) {
        (void)fprintf(stderr, "mesher_judge: %s\n", err->text);
        exit(2);
    }
}

static void *array(size_t count, size_t size) {
    void *made = tal_memory_create(count + 1, size);
    if (made == NULL) {
        (void)fprintf(stderr, "mesher_judge: no memory\n");
        exit(2);
    }
    return made;
}

// ---- Files -----------------------------------------------------------------------------

typedef struct {
    int vertex_count, face_count, edge_count;
    tal_vec3 *vertex; // coordinates of the study, minus the origin
    const int32_t *corner_start, *corner;
    tal_vec3 *normal;
    double *offset;
    int (*edge)[2];
    tal_vec3 low, high;
    double volume, file_volume, mass, size, shortest_edge;
} block;

typedef struct {
    size_t block_count, node_count, triangle_count;
    block *blocks;
    double *x, *y, *z;
    int32_t *triangle;
    double origin[3], mesh_error;
    tal_raster bed, before, source;
    double ingest_volume;
} study;

static void path_of(char *path, const char *folder, const char *name) {
    if (!tal_path_join(path, folder, name)) {
        (void)fprintf(stderr, "mesher_judge: the path is too long\n");
        exit(2);
    }
}

static double *doubles(tal_netcdf *file, const char *name, size_t count) {
    tal_error err;
    double *values = array(count, sizeof *values);
    must(tal_netcdf_get_doubles(file, name, values, count, &err), &err);
    return values;
}

static int32_t *ints(tal_netcdf *file, const char *name, size_t count) {
    tal_error err;
    int32_t *values = array(count, sizeof *values);
    must(tal_netcdf_get_ints(file, name, values, count, &err), &err);
    return values;
}

static size_t length_of(tal_netcdf *file, const char *name) {
    size_t length = 0;
    tal_error err;
    must(tal_netcdf_get_length(file, name, &length, &err), &err);
    return length;
}

static void read_origin(tal_netcdf *file, double origin[3]) {
    static const char *const names[3] = {"origin_east_m", "origin_north_m", "origin_height_m"};
    tal_error err;
    for (int k = 0; k < 3; k++) {
        must(tal_netcdf_get_real(file, NULL, names[k], &origin[k], &err), &err);
    }
}

static void read_terrain(study *s, const char *folder) {
    char path[TAL_PATH_SIZE];
    tal_netcdf file;
    tal_error err;
    path_of(path, folder, "terrain.nc");
    must(tal_netcdf_open(&file, path, &err), &err);
    read_origin(&file, s->origin);
    must(tal_netcdf_get_real(&file, NULL, "mesh_error_m", &s->mesh_error, &err), &err);
    s->node_count = length_of(&file, "node");
    s->triangle_count = length_of(&file, "face");
    s->x = doubles(&file, "node_x", s->node_count);
    s->y = doubles(&file, "node_y", s->node_count);
    s->z = doubles(&file, "node_z", s->node_count);
    s->triangle = ints(&file, "face_node", 3 * s->triangle_count);
    for (size_t k = 0; k < s->node_count; k++) {
        s->x[k] -= s->origin[0];
        s->y[k] -= s->origin[1];
        s->z[k] -= s->origin[2];
    }
    tal_netcdf_close(&file);
}

static tal_vec3 to_world(const double *v, const double *q, const double *p, const double *origin) {
    const tal_vec3 turned =
        tal_quat_rotate((tal_quat){q[0], q[1], q[2], q[3]}, tal_vec3_make(v[0], v[1], v[2]));
    return tal_vec3_make(turned.x + (p[0] - origin[0]), turned.y + (p[1] - origin[1]),
                         turned.z + (p[2] - origin[2]));
}

static void read_blocks(study *s, const char *folder) {
    char path[TAL_PATH_SIZE];
    tal_netcdf file;
    tal_error err;
    path_of(path, folder, "blocks.nc");
    must(tal_netcdf_open(&file, path, &err), &err);
    const size_t n = s->block_count = length_of(&file, "block");
    const int32_t *vertex_start = ints(&file, "vertex_start", n + 1);
    const int32_t *face_start = ints(&file, "face_start", n + 1);
    const int32_t *corner_start = ints(&file, "corner_start", (size_t)face_start[n] + 1);
    const int32_t *corner =
        ints(&file, "corner_vertex", (size_t)corner_start[(size_t)face_start[n]]);
    const double *vertex = doubles(&file, "vertex", 3 * (size_t)vertex_start[n]);
    const double *position = doubles(&file, "position", 3 * n);
    const double *turn = doubles(&file, "orientation", 4 * n);
    const double *volume = doubles(&file, "volume", n), *mass = doubles(&file, "mass", n);
    s->blocks = array(n, sizeof *s->blocks);
    for (size_t b = 0; b < n; b++) {
        block *one = &s->blocks[b];
        one->vertex_count = vertex_start[b + 1] - vertex_start[b];
        one->face_count = face_start[b + 1] - face_start[b];
        one->corner_start = corner_start + face_start[b];
        one->corner = corner;
        one->file_volume = volume[b];
        one->mass = mass[b];
        one->vertex = array((size_t)one->vertex_count, sizeof *one->vertex);
        for (int v = 0; v < one->vertex_count; v++) {
            one->vertex[v] = to_world(vertex + 3 * ((size_t)vertex_start[b] + (size_t)v),
                                      turn + 4 * b, position + 3 * b, s->origin);
        }
    }
    tal_netcdf_close(&file);
}

static void read_study(study *s, const char *folder) {
    char path[TAL_PATH_SIZE];
    tal_error err;
    cJSON *ingest = NULL;
    tal_gdal_init();
    path_of(path, folder, "bed.tif");
    must(tal_raster_read(&s->bed, path, &err), &err);
    path_of(path, folder, "before.tif");
    must(tal_raster_read(&s->before, path, &err), &err);
    path_of(path, folder, "source.tif");
    must(tal_raster_read(&s->source, path, &err), &err);
    path_of(path, folder, "ingest.json");
    must(tal_json_read(path, &ingest, &err), &err);
    must(tal_json_number(ingest, "source.volume_m3", path, &s->ingest_volume, &err), &err);
    cJSON_Delete(ingest);
    read_terrain(s, folder);
    read_blocks(s, folder);
}

// ---- Shapes ----------------------------------------------------------------------------

static tal_vec3 minus(tal_vec3 a, tal_vec3 b) {
    return tal_vec3_subtract(a, b);
}

static void measure_face(block *b, int f, tal_vec3 middle) {
    const int32_t start = b->corner_start[f], end = b->corner_start[f + 1];
    tal_vec3 area = {0, 0, 0};
    const tal_vec3 first = b->vertex[b->corner[start]];
    for (int32_t c = start + 1; c + 1 < end; c++) {
        const tal_vec3 u = minus(b->vertex[b->corner[c]], first);
        const tal_vec3 w = minus(b->vertex[b->corner[c + 1]], first);
        area = tal_vec3_add(area, tal_vec3_cross(u, w));
    }
    b->volume += tal_vec3_dot(area, minus(first, middle)) / 6;
    b->normal[f] = tal_vec3_normalize(area);
    b->offset[f] = tal_vec3_dot(b->normal[f], first);
}

// Every edge is used once in each direction: closed and oriented.
static void take_edges(block *b, size_t number) {
    const int n = b->vertex_count;
    int *seen = array((size_t)n * (size_t)n, sizeof *seen);
    bool *used = array((size_t)n, sizeof *used);
    b->edge = array((size_t)(b->corner_start[b->face_count] - b->corner_start[0]), sizeof *b->edge);
    for (int f = 0; f < b->face_count; f++) {
        const int32_t start = b->corner_start[f], end = b->corner_start[f + 1];
        if (end - start < 3) {
            complain("block %zu: face %d has %d corners", number, f, end - start);
        }
        for (int32_t c = start; c < end; c++) {
            const int p = b->corner[c], q = b->corner[c + 1 < end ? c + 1 : start];
            if (p < 0 || q < 0 || p >= n || q >= n) {
                complain("block %zu: corner outside its vertices", number);
                exit(1);
            }
            used[p] = true;
            seen[p * n + q]++;
            if (p < q) {
                b->edge[b->edge_count][0] = p;
                b->edge[b->edge_count++][1] = q;
            }
        }
    }
    for (int p = 0; p < n; p++) {
        for (int q = 0; q < n; q++) {
            if (seen[p * n + q] > 1 || seen[p * n + q] != seen[q * n + p]) {
                complain("block %zu is not closed at edge %d %d", number, p, q);
            }
        }
        if (!used[p]) {
            complain("block %zu: vertex %d belongs to no face", number, p);
        }
    }
    tal_memory_destroy(seen);
    tal_memory_destroy(used);
}

static void judge_shape(block *b, size_t number) {
    tal_vec3 middle = {0, 0, 0};
    b->low = tal_vec3_make(INFINITY, INFINITY, INFINITY);
    b->high = tal_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int v = 0; v < b->vertex_count; v++) {
        const tal_vec3 p = b->vertex[v];
        middle = tal_vec3_add_scaled(middle, 1.0 / b->vertex_count, p);
        b->low = tal_vec3_make(fmin(b->low.x, p.x), fmin(b->low.y, p.y), fmin(b->low.z, p.z));
        b->high = tal_vec3_make(fmax(b->high.x, p.x), fmax(b->high.y, p.y), fmax(b->high.z, p.z));
    }
    b->normal = array((size_t)b->face_count, sizeof *b->normal);
    b->offset = array((size_t)b->face_count, sizeof *b->offset);
    take_edges(b, number);
    for (int f = 0; f < b->face_count; f++) {
        measure_face(b, f, middle);
    }
    b->size = cbrt(b->volume);
    if (!(b->volume > 0) || fabs(b->volume - b->file_volume) > 1e-9 * b->volume) {
        complain("block %zu: volume %g, the file says %g", number, b->volume, b->file_volume);
    }
    if (b->vertex_count - b->edge_count + b->face_count != 2) {
        complain("block %zu: Euler %d", number, b->vertex_count - b->edge_count + b->face_count);
    }
    // Convex, flat faces, normals outward: no vertex is beyond any face, corners lie in theirs.
    for (int f = 0; f < b->face_count; f++) {
        for (int v = 0; v < b->vertex_count; v++) {
            const double out = tal_vec3_dot(b->normal[f], b->vertex[v]) - b->offset[f];
            if (out > 1e-7 * b->size) {
                complain("block %zu: vertex %d is %g m beyond face %d", number, v, out, f);
            }
        }
    }
    b->shortest_edge = INFINITY;
    for (int e = 0; e < b->edge_count; e++) {
        const double length =
            tal_vec3_length(minus(b->vertex[b->edge[e][0]], b->vertex[b->edge[e][1]]));
        b->shortest_edge = fmin(b->shortest_edge, length);
    }
}

// ---- Overlap ---------------------------------------------------------------------------

static double overlap_along(const block *a, const block *b, tal_vec3 axis) {
    double high_a = -INFINITY, low_a = INFINITY, high_b = -INFINITY, low_b = INFINITY;
    for (int v = 0; v < a->vertex_count; v++) {
        const double d = tal_vec3_dot(axis, a->vertex[v]);
        high_a = fmax(high_a, d);
        low_a = fmin(low_a, d);
    }
    for (int v = 0; v < b->vertex_count; v++) {
        const double d = tal_vec3_dot(axis, b->vertex[v]);
        high_b = fmax(high_b, d);
        low_b = fmin(low_b, d);
    }
    return fmin(high_a - low_b, high_b - low_a);
}

// Separating axes: the least overlap over face normals and crossed edges; `enough` ends the search.
static double overlap(const block *a, const block *b, double enough) {
    double least = INFINITY;
    for (int f = 0; f < a->face_count && least > enough; f++) {
        least = fmin(least, overlap_along(a, b, a->normal[f]));
    }
    for (int f = 0; f < b->face_count && least > enough; f++) {
        least = fmin(least, overlap_along(a, b, b->normal[f]));
    }
    for (int i = 0; i < a->edge_count && least > enough; i++) {
        const tal_vec3 u =
            tal_vec3_normalize(minus(a->vertex[a->edge[i][1]], a->vertex[a->edge[i][0]]));
        for (int j = 0; j < b->edge_count && least > enough; j++) {
            const tal_vec3 w =
                tal_vec3_normalize(minus(b->vertex[b->edge[j][1]], b->vertex[b->edge[j][0]]));
            const tal_vec3 axis = tal_vec3_cross(u, w);
            if (tal_vec3_length(axis) > 1e-6) {
                least = fmin(least, overlap_along(a, b, tal_vec3_normalize(axis)));
            }
        }
    }
    return least;
}

static bool boxes_meet(const block *a, const block *b) {
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y &&
           b->low.y < a->high.y && a->low.z < b->high.z && b->low.z < a->high.z;
}

static double judge_overlaps(const study *s) {
    double worst = -INFINITY;
    for (size_t i = 0; i < s->block_count; i++) {
        for (size_t j = i + 1; j < s->block_count; j++) {
            const block *a = &s->blocks[i], *b = &s->blocks[j];
            if (!boxes_meet(a, b)) {
                continue;
            }
            const double size = fmin(a->size, b->size);
            const double share = overlap(a, b, 1e-7 * size) / size;
            worst = fmax(worst, share);
            if (share > 1e-6) {
                complain("blocks %zu and %zu overlap by %g of their size", i, j, share);
            }
        }
    }
    return worst;
}

// ---- Ground ----------------------------------------------------------------------------

// Lowest point of the block on a vertical line; false when the line misses it.
static bool lowest_at(const block *b, double x, double y, double *z) {
    double low = -INFINITY, high = INFINITY;
    for (int f = 0; f < b->face_count; f++) {
        const tal_vec3 n = b->normal[f];
        const double rest = b->offset[f] - n.x * x - n.y * y;
        if (fabs(n.z) < 1e-12) {
            if (rest < 0) {
                return false;
            }
        } else if (n.z > 0) {
            high = fmin(high, rest / n.z);
        } else {
            low = fmax(low, rest / n.z);
        }
    }
    *z = low;
    return low <= high;
}

// Below the bed, at centres of cells and at the block's own vertices.
static double depth_below_bed(const study *s, const block *b) {
    const tal_grid *g = &s->bed.grid;
    double deepest = -INFINITY, z;
    for (int v = 0; v < b->vertex_count; v++) {
        const tal_vec3 p = b->vertex[v];
        const double bed =
            tal_raster_sample(&s->bed, p.x + s->origin[0], p.y + s->origin[1]) - s->origin[2];
        deepest = isnan(bed) ? deepest : fmax(deepest, bed - p.z);
    }
    for (int32_t row = 0; row < g->rows; row++) {
        const double y = g->north - (row + 0.5) * g->cell - s->origin[1];
        if (y < b->low.y || y > b->high.y) {
            continue;
        }
        for (int32_t column = 0; column < g->columns; column++) {
            const double x = g->west + (column + 0.5) * g->cell - s->origin[0];
            const double bed =
                (double)s->bed.value[(size_t)row * (size_t)g->columns + (size_t)column] -
                s->origin[2];
            if (x >= b->low.x && x <= b->high.x && !isnan(bed) && lowest_at(b, x, y, &z)) {
                deepest = fmax(deepest, bed - z);
            }
        }
    }
    return deepest;
}

typedef struct {
    double x[3], y[3], z[3], area;
} triangle;

static triangle triangle_of(const study *s, size_t t) {
    triangle made;
    for (int k = 0; k < 3; k++) {
        const size_t node = (size_t)s->triangle[3 * t + (size_t)k];
        made.x[k] = s->x[node];
        made.y[k] = s->y[node];
        made.z[k] = s->z[node];
    }
    made.area = (made.x[1] - made.x[0]) * (made.y[2] - made.y[0]) -
                (made.x[2] - made.x[0]) * (made.y[1] - made.y[0]);
    return made;
}

// Height of the triangle at a point; false outside its outline.
static bool height_at(const triangle *t, double x, double y, double *z) {
    const double u =
        ((x - t->x[0]) * (t->y[2] - t->y[0]) - (t->x[2] - t->x[0]) * (y - t->y[0])) / t->area;
    const double v =
        ((t->x[1] - t->x[0]) * (y - t->y[0]) - (x - t->x[0]) * (t->y[1] - t->y[0])) / t->area;
    *z = t->z[0] + u * (t->z[1] - t->z[0]) + v * (t->z[2] - t->z[0]);
    return u >= -1e-9 && v >= -1e-9 && u + v <= 1 + 1e-9;
}

// Depth is linear over a triangle, so it is greatest at a vertex of the block, where one of its edges
// crosses the outline, or above a corner.
static double depth_below_triangle(const block *b, const triangle *t) {
    double deepest = -INFINITY, ground, z;
    for (int v = 0; v < b->vertex_count; v++) {
        if (height_at(t, b->vertex[v].x, b->vertex[v].y, &ground)) {
            deepest = fmax(deepest, ground - b->vertex[v].z);
        }
    }
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        if (lowest_at(b, t->x[k], t->y[k], &z)) {
            deepest = fmax(deepest, t->z[k] - z);
        }
        const double nx = t->y[next] - t->y[k], ny = t->x[k] - t->x[next];
        for (int e = 0; e < b->edge_count; e++) {
            const tal_vec3 p = b->vertex[b->edge[e][0]], q = b->vertex[b->edge[e][1]];
            const double dp = nx * (p.x - t->x[k]) + ny * (p.y - t->y[k]);
            const double dq = nx * (q.x - t->x[k]) + ny * (q.y - t->y[k]);
            if ((dp < 0) == (dq < 0)) {
                continue;
            }
            const tal_vec3 at = tal_vec3_add_scaled(p, dp / (dp - dq), minus(q, p));
            if (height_at(t, at.x, at.y, &ground)) {
                deepest = fmax(deepest, ground - at.z);
            }
        }
    }
    return deepest;
}

static double depth_below_triangles(const study *s, const block *b) {
    double deepest = -INFINITY;
    for (size_t k = 0; k < s->triangle_count; k++) {
        const triangle t = triangle_of(s, k);
        if (fmin(t.x[0], fmin(t.x[1], t.x[2])) <= b->high.x &&
            fmax(t.x[0], fmax(t.x[1], t.x[2])) >= b->low.x &&
            fmin(t.y[0], fmin(t.y[1], t.y[2])) <= b->high.y &&
            fmax(t.y[0], fmax(t.y[1], t.y[2])) >= b->low.y) {
            deepest = fmax(deepest, depth_below_triangle(b, &t));
        }
    }
    return deepest;
}

// ---- Terrain ---------------------------------------------------------------------------

static int compare_pairs(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : (a > b ? 1 : 0);
}

// Triangles face up, each edge is used once in a direction, no two nodes share a place, and the
// triangles cover each cell with data exactly: no crack, no fold.
static void judge_terrain(const study *s) {
    const tal_grid *g = &s->bed.grid;
    const size_t cells = tal_grid_cell_count(g);
    int64_t *edge = array(3 * s->triangle_count, sizeof *edge);
    bool *seen = array(cells, sizeof *seen);
    double worst = 0;
    for (size_t k = 0; k < s->triangle_count; k++) {
        const triangle t = triangle_of(s, k);
        if (!(t.area > 0)) {
            complain("triangle %zu does not face up", k);
            continue;
        }
        for (size_t e = 0; e < 3; e++) {
            edge[3 * k + e] = (int64_t)s->triangle[3 * k + e] * (int64_t)s->node_count +
                              s->triangle[3 * k + (e + 1) % 3];
        }
        for (int32_t row = 0; row < g->rows; row++) {
            const double y = g->north - (row + 0.5) * g->cell - s->origin[1];
            if (y < fmin(t.y[0], fmin(t.y[1], t.y[2])) || y > fmax(t.y[0], fmax(t.y[1], t.y[2]))) {
                continue;
            }
            for (int32_t column = 0; column < g->columns; column++) {
                const double x = g->west + (column + 0.5) * g->cell - s->origin[0];
                const size_t at = (size_t)row * (size_t)g->columns + (size_t)column;
                double z;
                if (!isnan(s->bed.value[at]) && height_at(&t, x, y, &z)) {
                    worst = fmax(worst, fabs(z + s->origin[2] - (double)s->bed.value[at]));
                    seen[at] = true;
                }
            }
        }
    }
    size_t missed = 0;
    for (size_t k = 0; k < cells; k++) {
        missed += !seen[k] && !isnan(s->bed.value[k]) ? 1 : 0;
    }
    qsort(edge, 3 * s->triangle_count, sizeof *edge, compare_pairs);
    for (size_t k = 1; k < 3 * s->triangle_count; k++) {
        if (edge[k] == edge[k - 1]) {
            complain("two triangles lie on one side of an edge");
        }
    }
    if (worst > s->mesh_error * (1 + 1e-6) || missed > 0) {
        complain("terrain: %g m off at the worst cell, %zu cells missed", worst, missed);
    }
    const double full = 2.0 * (g->columns - 1) * (g->rows - 1);
    (void)printf("terrain: %zu triangles (%.1f %% of the full grid), at most %.4f m off\n",
                 s->triangle_count, 100 * (double)s->triangle_count / full, worst);
    tal_memory_destroy(edge);
    tal_memory_destroy(seen);
}

// ---- All -------------------------------------------------------------------------------

static double body_volume(const study *s) {
    double volume = 0;
    for (size_t k = 0; k < tal_grid_cell_count(&s->bed.grid); k++) {
        const double thickness = (double)s->before.value[k] - (double)s->bed.value[k];
        volume += s->source.value[k] > 0 && thickness > 0 ? thickness : 0;
    }
    return volume * s->bed.grid.cell * s->bed.grid.cell;
}

static int compare_ints(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

typedef struct {
    double fill, density, edge;
    int vertices;
} bar;

static void judge_blocks(const study *s, const bar *wanted) {
    double volume = 0, mass = 0, below_bed = -INFINITY, below_mesh = -INFINITY, edge = INFINITY;
    const double body = body_volume(s);
    int *vertices = array(s->block_count, sizeof *vertices);
    size_t short_count = 0;
    double smallest = INFINITY;
    for (size_t b = 0; b < s->block_count; b++) {
        block *one = &s->blocks[b];
        judge_shape(one, b);
        volume += one->volume;
        mass += one->mass;
        vertices[b] = one->vertex_count;
        smallest = fmin(smallest, one->volume);
        below_bed = fmax(below_bed, depth_below_bed(s, one));
        below_mesh = fmax(below_mesh, depth_below_triangles(s, one));
        edge = fmin(edge, one->shortest_edge / one->size);
        short_count += one->shortest_edge < wanted->edge * one->size ? 1 : 0;
    }
    const double overlap_worst = judge_overlaps(s);
    qsort(vertices, s->block_count, sizeof *vertices, compare_ints);
    const double mean = volume / (double)s->block_count;
    (void)printf("blocks: %zu fill %.2f %%, mass %.3g off, body %.3g off ingest, overlap %.2g, "
                 "%.3f m below the bed, %.2g m below the triangles\n"
                 "shapes: %d vertices (median), %d (most), shortest edge %.4f of the size (%zu "
                 "blocks below the bar), smallest block %.4f of the mean volume\n",
                 s->block_count, 100 * volume / body, mass / (wanted->density * body) - 1,
                 body / s->ingest_volume - 1, overlap_worst, below_bed, below_mesh,
                 vertices[s->block_count / 2], vertices[s->block_count - 1], edge, short_count,
                 smallest / mean);
    if (volume < wanted->fill * body || volume > 1.01 * body) {
        complain("the blocks hold %g m3 of %g m3", volume, body);
    }
    if (fabs(mass - wanted->density * body) > 1e-9 * mass) {
        complain("mass %.17g instead of %.17g", mass, wanted->density * body);
    }
    if (fabs(body - s->ingest_volume) > 0.005 * s->ingest_volume) {
        complain("body of %g m3, ingest says %g m3", body, s->ingest_volume);
    }
    if (below_bed > s->mesh_error) {
        complain("a block reaches %g m below the bed", below_bed);
    }
    if (below_mesh > 1e-6) {
        complain("a block reaches %g m below the triangles", below_mesh);
    }
    if (edge < wanted->edge || vertices[s->block_count - 1] > wanted->vertices) {
        complain("blocks are not clean");
    }
    tal_memory_destroy(vertices);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        (void)fprintf(stderr, "mesher_judge FOLDER [FILL_LEAST [DENSITY_KG_M3 [EDGE_LEAST "
                              "[VERTICES_MOST]]]]\n");
        return 2;
    }
    const bar wanted = {argc > 2 ? atof(argv[2]) : 0.97, argc > 3 ? atof(argv[3]) : 2600,
                        argc > 4 ? atof(argv[4]) : 0.01, argc > 5 ? atoi(argv[5]) : 32};
    study s = {0};
    read_study(&s, argv[1]);
    if (s.block_count == 0) {
        (void)printf("no blocks\n");
        return 1;
    }
    judge_terrain(&s);
    judge_blocks(&s, &wanted);
    return complaint_count == 0 ? 0 : 1;
}

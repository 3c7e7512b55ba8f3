// SPDX-License-Identifier: GPL-3.0-or-later
// The ground mesh: checked, its neighbours linked, its edges classified, its triangles gridded.
#include "solver/detect/terrain.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Directed edge `corner` of a triangle.
typedef struct {
    int32_t low, high; // its vertices in rising order
    int32_t triangle, corner;
} mesh_side;

static int32_t next_corner(int32_t corner) {
    return corner < 2 ? corner + 1 : 0;
}

static tal_vec3 corner_point(const tal_terrain *t, int32_t triangle, int32_t corner) {
    return t->vertex[t->triangle[3 * triangle + corner]];
}

static bool check_vertices(const tal_vec3 *vertices, int32_t vertex_count, tal_error *err) {
    bool good = true;
    for (int32_t v = 0; v < vertex_count; v++) {
        const tal_vec3 p = vertices[v];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "terrain: vertex %d is (%g, %g, %g); coordinates must be finite", v, p.x,
                          p.y, p.z);
            good = false;
        }
    }
    return good;
}

static bool check_indices(const int32_t *triangles, int32_t triangle_count, int32_t vertex_count,
                          tal_error *err) {
    bool good = true;
    for (int32_t k = 0; k < 3 * triangle_count; k++) {
        if (triangles[k] < 0 || triangles[k] >= vertex_count) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "terrain: triangle %d names vertex %d; vertices are numbered 0 to %d",
                          k / 3, triangles[k], vertex_count - 1);
            good = false;
        }
    }
    return good;
}

// Unit normals; a triangle thinner than 1e-9 of its longest side has none.
static bool find_normals(tal_terrain *t, tal_error *err) {
    bool good = true;
    for (int32_t k = 0; k < t->triangle_count; k++) {
        const tal_vec3 a = corner_point(t, k, 0);
        const tal_vec3 ab = tal_vec3_subtract(corner_point(t, k, 1), a);
        const tal_vec3 ac = tal_vec3_subtract(corner_point(t, k, 2), a);
        const tal_vec3 bc = tal_vec3_subtract(ac, ab);
        const tal_vec3 area = tal_vec3_cross(ab, ac);
        const double longest =
            fmax(fmax(tal_vec3_dot(ab, ab), tal_vec3_dot(ac, ac)), tal_vec3_dot(bc, bc));
        const double length = tal_vec3_length(area);
        if (!(length > 1e-9 * longest)) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "terrain: triangle %d at (%g, %g, %g) is degenerate: its corners lie on "
                          "one line",
                          k, a.x, a.y, a.z);
            good = false;
            continue;
        }
        t->normal[k] = tal_vec3_scale(area, 1.0 / length);
    }
    return good;
}

static int compare_sides(const void *left, const void *right) {
    const mesh_side *l = left, *r = right;
    const int32_t keys[4][2] = {
        {l->low, r->low}, {l->high, r->high}, {l->triangle, r->triangle}, {l->corner, r->corner}};
    for (int k = 0; k < 4; k++) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

static int32_t side_from(const tal_terrain *t, const mesh_side *side) {
    return t->triangle[3 * side->triangle + side->corner];
}

// Links the triangles on both sides of each edge; `sides` is scratch, 3 per triangle.
static bool link_neighbours(tal_terrain *t, mesh_side *sides, tal_error *err) {
    const int32_t side_count = 3 * t->triangle_count;
    bool good = true;
    for (int32_t k = 0; k < side_count; k++) {
        const int32_t a = t->triangle[k], b = t->triangle[k - k % 3 + next_corner(k % 3)];
        sides[k] = (mesh_side){a < b ? a : b, a < b ? b : a, k / 3, k % 3};
        t->neighbour[k] = -1;
    }
    qsort(sides, (size_t)side_count, sizeof *sides, compare_sides);
    for (int32_t first = 0, next; first < side_count; first = next) {
        const mesh_side *s = &sides[first];
        for (next = first + 1;
             next < side_count && sides[next].low == s->low && sides[next].high == s->high;) {
            next++;
        }
        if (next - first > 2) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "terrain: %d triangles share the edge %d-%d (first: %d); at most 2 may",
                          next - first, s->low, s->high, s->triangle);
            good = false;
        } else if (next - first == 2 && side_from(t, s) == side_from(t, s + 1)) {
            tal_error_add(err, TAL_BAD_INPUT,
                          "terrain: triangles %d and %d face opposite ways at the edge %d-%d; "
                          "reverse one of them",
                          s->triangle, s[1].triangle, s->low, s->high);
            good = false;
        } else if (next - first == 2) {
            t->neighbour[3 * s->triangle + s->corner] = s[1].triangle;
            t->neighbour[3 * s[1].triangle + s[1].corner] = s->triangle;
        }
    }
    return good;
}

static int32_t find_root(int32_t *parent, int32_t k) {
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

// Coplanar to rounding: identities of contacts may then forget on which triangle they are.
static bool is_flat(double sine, double cosine) {
    return cosine > 0.0 && fabs(sine) < 1e-7;
}

static void classify_edges(tal_terrain *t) {
    for (int32_t k = 0; k < t->triangle_count; k++) {
        t->patch[k] = k;
    }
    for (int32_t k = 0; k < 3 * t->triangle_count; k++) {
        const int32_t own = k / 3, other = t->neighbour[k];
        if (other < 0) {
            t->edge_convex[k] = 1;
            continue;
        }
        const tal_vec3 along = tal_vec3_normalize(tal_vec3_subtract(
            corner_point(t, own, next_corner(k % 3)), corner_point(t, own, k % 3)));
        const double sine = tal_vec3_dot(tal_vec3_cross(t->normal[own], t->normal[other]), along);
        const double cosine = tal_vec3_dot(t->normal[own], t->normal[other]);
        t->edge_convex[k] = sine > TAL_TERRAIN_FLAT_SINE ? 1 : 0;
        if (is_flat(sine, cosine)) {
            const int32_t a = find_root(t->patch, own), b = find_root(t->patch, other);
            t->patch[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int32_t k = 0; k < t->triangle_count; k++) {
        t->patch[k] = find_root(t->patch, k);
    }
}

static double corner_angle(const tal_terrain *t, int32_t triangle, int32_t corner) {
    const tal_vec3 p = corner_point(t, triangle, corner);
    const int32_t q = next_corner(corner), r = next_corner(q);
    const tal_vec3 a = tal_vec3_subtract(corner_point(t, triangle, q), p);
    const tal_vec3 b = tal_vec3_subtract(corner_point(t, triangle, r), p);
    return atan2(tal_vec3_length(tal_vec3_cross(a, b)), tal_vec3_dot(a, b));
}

static void list_triangles_around_vertices(tal_terrain *t) {
    int32_t *start = t->vertex_triangle_start;
    for (int32_t k = 0; k < 3 * t->triangle_count; k++) {
        start[t->triangle[k] + 1]++;
    }
    for (int32_t v = 0; v < t->vertex_count; v++) {
        start[v + 1] += start[v];
    }
    for (int32_t k = 0; k < 3 * t->triangle_count; k++) {
        t->vertex_triangle[start[t->triangle[k]]++] = k / 3;
    }
    for (int32_t v = t->vertex_count; v > 0; v--) {
        start[v] = start[v - 1];
    }
    start[0] = 0;
}

static void sum_vertex_normals(tal_terrain *t) {
    for (int32_t k = 0; k < 3 * t->triangle_count; k++) {
        const int32_t v = t->triangle[k];
        t->vertex_normal[v] = tal_vec3_add_scaled(t->vertex_normal[v],
                                                  corner_angle(t, k / 3, k % 3), t->normal[k / 3]);
    }
    for (int32_t v = 0; v < t->vertex_count; v++) {
        t->vertex_normal[v] = tal_vec3_normalize(t->vertex_normal[v]);
    }
}

// What is known of the ridges that leave one vertex.
typedef struct {
    int32_t count;
    tal_vec3 direction[2];
} ridges_at_vertex;

static void note_ridge(const tal_terrain *t, int32_t from, int32_t to, ridges_at_vertex *ridges) {
    if (ridges->count < 2) {
        ridges->direction[ridges->count] =
            tal_vec3_normalize(tal_vec3_subtract(t->vertex[to], t->vertex[from]));
    }
    ridges->count++;
}

// A vertex where a single straight ridge passes adds nothing to that ridge.
static bool may_be_peak(const tal_terrain *t, int32_t vertex) {
    ridges_at_vertex ridges = {0};
    for (int32_t k = t->vertex_triangle_start[vertex]; k < t->vertex_triangle_start[vertex + 1];
         k++) {
        const int32_t first = 3 * t->vertex_triangle[k];
        for (int32_t c = 0; c < 3; c++) {
            const int32_t a = t->triangle[first + c], b = t->triangle[first + next_corner(c)];
            if (t->edge_convex[first + c] == 0) {
                continue;
            }
            // An inner edge is walked from both ends, once each; the rim only once.
            if (a == vertex) {
                note_ridge(t, vertex, b, &ridges);
            } else if (b == vertex && t->neighbour[first + c] < 0) {
                note_ridge(t, vertex, a, &ridges);
            }
        }
    }
    const bool straight =
        ridges.count == 2 && tal_vec3_dot(ridges.direction[0], ridges.direction[1]) < 0.0 &&
        tal_vec3_length(tal_vec3_cross(ridges.direction[0], ridges.direction[1])) <
            TAL_TERRAIN_FLAT_SINE;
    return ridges.count >= 2 && !straight;
}

static void classify_vertices(tal_terrain *t) {
    sum_vertex_normals(t);
    for (int32_t v = 0; v < t->vertex_count; v++) {
        t->vertex_convex[v] = may_be_peak(t, v) ? 1 : 0;
    }
}

static void find_bounds(tal_terrain *t) {
    t->low = (tal_vec3){INFINITY, INFINITY, INFINITY};
    t->high = (tal_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (int32_t k = 0; k < 3 * t->triangle_count; k++) {
        const tal_vec3 p = t->vertex[t->triangle[k]];
        t->low = (tal_vec3){fmin(t->low.x, p.x), fmin(t->low.y, p.y), fmin(t->low.z, p.z)};
        t->high = (tal_vec3){fmax(t->high.x, p.x), fmax(t->high.y, p.y), fmax(t->high.z, p.z)};
    }
}

static int32_t cell_of(double position, double origin, double cell, int32_t count) {
    const double k = floor((position - origin) / cell);
    return k < 0.0 ? 0 : k >= (double)count ? count - 1 : (int32_t)k;
}

bool tal_terrain_cells_find(const tal_terrain *t, double x_low, double x_high, double y_low,
                            double y_high, tal_terrain_cells *cells) {
    // Written so that NaN misses too.
    if (!(x_high >= t->low.x && x_low <= t->high.x && y_high >= t->low.y && y_low <= t->high.y)) {
        return false;
    }
    cells->column_low = cell_of(x_low, t->grid_x0, t->grid_cell, t->grid_columns);
    cells->column_high = cell_of(x_high, t->grid_x0, t->grid_cell, t->grid_columns);
    cells->row_low = cell_of(y_low, t->grid_y0, t->grid_cell, t->grid_rows);
    cells->row_high = cell_of(y_high, t->grid_y0, t->grid_cell, t->grid_rows);
    return true;
}

static tal_terrain_cells triangle_cells(const tal_terrain *t, int32_t triangle) {
    const tal_vec3 a = corner_point(t, triangle, 0), b = corner_point(t, triangle, 1);
    const tal_vec3 c = corner_point(t, triangle, 2);
    tal_terrain_cells cells = {0};
    tal_terrain_cells_find(t, fmin(a.x, fmin(b.x, c.x)), fmax(a.x, fmax(b.x, c.x)),
                           fmin(a.y, fmin(b.y, c.y)), fmax(a.y, fmax(b.y, c.y)), &cells);
    return cells;
}

static int64_t count_grid_entries(const tal_terrain *t) {
    int64_t entries = 0;
    for (int32_t k = 0; k < t->triangle_count; k++) {
        const tal_terrain_cells c = triangle_cells(t, k);
        entries += (int64_t)(c.column_high - c.column_low + 1) * (c.row_high - c.row_low + 1);
    }
    return entries;
}

// About two triangles per cell, coarser where long triangles would fill too many cells.
static int64_t choose_grid(tal_terrain *t) {
    const double width = t->high.x - t->low.x, depth = t->high.y - t->low.y;
    const double longest = fmax(fmax(width, depth), 1e-300);
    t->grid_x0 = t->low.x;
    t->grid_y0 = t->low.y;
    t->grid_cell = fmax(sqrt(width * depth * 2.0 / t->triangle_count), longest * 1e-4);
    for (;;) {
        t->grid_columns = (int32_t)fmin(floor(width / t->grid_cell) + 1.0, 1e5);
        t->grid_rows = (int32_t)fmin(floor(depth / t->grid_cell) + 1.0, 1e5);
        const int64_t cells = (int64_t)t->grid_columns * t->grid_rows;
        const int64_t most = 16 * (int64_t)t->triangle_count + 1024;
        if (cells <= most) {
            const int64_t entries = count_grid_entries(t);
            if (entries <= most || cells == 1) {
                return entries;
            }
        }
        t->grid_cell *= 2.0;
    }
}

static void fill_grid(tal_terrain *t) {
    const int32_t cell_count = t->grid_columns * t->grid_rows;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < t->triangle_count; k++) {
            const tal_terrain_cells c = triangle_cells(t, k);
            t->first_column[k] = c.column_low;
            t->first_row[k] = c.row_low;
            for (int32_t row = c.row_low; row <= c.row_high; row++) {
                for (int32_t column = c.column_low; column <= c.column_high; column++) {
                    const int32_t cell = row * t->grid_columns + column;
                    if (pass == 0) {
                        t->grid_start[cell + 1]++;
                    } else {
                        t->grid_triangle[t->grid_start[cell]++] = k;
                    }
                }
            }
        }
        for (int32_t cell = 0; pass == 0 && cell < cell_count; cell++) {
            t->grid_start[cell + 1] += t->grid_start[cell];
        }
    }
    for (int32_t cell = cell_count; cell > 0; cell--) {
        t->grid_start[cell] = t->grid_start[cell - 1];
    }
    t->grid_start[0] = 0;
}

static void find_cell_heights(tal_terrain *t) {
    for (int32_t cell = 0; cell < t->grid_columns * t->grid_rows; cell++) {
        t->grid_low[cell] = INFINITY;
        t->grid_high[cell] = -INFINITY;
        for (int32_t k = t->grid_start[cell]; k < t->grid_start[cell + 1]; k++) {
            for (int32_t corner = 0; corner < 3; corner++) {
                const double z = corner_point(t, t->grid_triangle[k], corner).z;
                t->grid_low[cell] = fmin(t->grid_low[cell], z);
                t->grid_high[cell] = fmax(t->grid_high[cell], z);
            }
        }
    }
}

static tal_status build_grid(tal_terrain *t, tal_error *err) {
    find_bounds(t);
    const int64_t entries = choose_grid(t);
    const size_t cells = (size_t)t->grid_columns * (size_t)t->grid_rows;
    TAL_CREATE(t->grid_start, cells + 1, "the terrain grid", err);
    TAL_CREATE(t->grid_triangle, (size_t)entries, "the terrain grid", err);
    TAL_CREATE(t->grid_low, cells, "the terrain grid", err);
    TAL_CREATE(t->grid_high, cells, "the terrain grid", err);
    fill_grid(t);
    find_cell_heights(t);
    return TAL_OK;
}

static tal_status create_arrays(tal_terrain *t, tal_error *err) {
    const size_t vertices = (size_t)t->vertex_count, triangles = (size_t)t->triangle_count;
    TAL_CREATE(t->vertex, vertices, "terrain vertices", err);
    TAL_CREATE(t->triangle, 3 * triangles, "terrain triangles", err);
    TAL_CREATE(t->neighbour, 3 * triangles, "terrain neighbours", err);
    TAL_CREATE(t->normal, triangles, "terrain normals", err);
    TAL_CREATE(t->edge_convex, 3 * triangles, "terrain edges", err);
    TAL_CREATE(t->surface_class, triangles, "terrain surface classes", err);
    TAL_CREATE(t->patch, triangles, "terrain patches", err);
    TAL_CREATE(t->vertex_triangle_start, vertices + 1, "terrain fans", err);
    TAL_CREATE(t->vertex_triangle, 3 * triangles, "terrain fans", err);
    TAL_CREATE(t->vertex_normal, vertices, "terrain vertex normals", err);
    TAL_CREATE(t->vertex_convex, vertices, "terrain vertices", err);
    TAL_CREATE(t->first_column, triangles, "terrain cells", err);
    TAL_CREATE(t->first_row, triangles, "terrain cells", err);
    return TAL_OK;
}

static tal_status build_terrain(tal_terrain *t, const tal_vec3 *vertices, const int32_t *triangles,
                                const int32_t *surface_class, mesh_side **sides, tal_error *err) {
    TAL_TRY(create_arrays(t, err));
    TAL_CREATE(*sides, 3 * (size_t)t->triangle_count, "terrain edges", err);
    memcpy(t->vertex, vertices, (size_t)t->vertex_count * sizeof *vertices);
    memcpy(t->triangle, triangles, 3 * (size_t)t->triangle_count * sizeof *triangles);
    if (surface_class != NULL) {
        memcpy(t->surface_class, surface_class, (size_t)t->triangle_count * sizeof *surface_class);
    }
    const bool normals_good = find_normals(t, err);
    const bool links_good = link_neighbours(t, *sides, err);
    if (!normals_good || !links_good) {
        return TAL_BAD_INPUT;
    }
    classify_edges(t);
    list_triangles_around_vertices(t);
    classify_vertices(t);
    return build_grid(t, err);
}

tal_status tal_terrain_create(tal_terrain *terrain, const tal_vec3 *vertices, int32_t vertex_count,
                              const int32_t *triangles, int32_t triangle_count,
                              const int32_t *surface_class, tal_error *err) {
    *terrain = (tal_terrain){.vertex_count = vertex_count, .triangle_count = triangle_count};
    tal_error_reset(err);
    if (vertex_count < 3 || triangle_count < 1 || triangle_count > INT32_MAX / 3 - 1) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "terrain: %d vertices and %d triangles; at least 3 and 1 are needed, at "
                        "most %d triangles",
                        vertex_count, triangle_count, INT32_MAX / 3 - 1);
    }
    const bool vertices_good = check_vertices(vertices, vertex_count, err);
    if (!check_indices(triangles, triangle_count, vertex_count, err) || !vertices_good) {
        return TAL_BAD_INPUT;
    }
    mesh_side *sides = NULL;
    const tal_status status =
        build_terrain(terrain, vertices, triangles, surface_class, &sides, err);
    tal_memory_destroy(sides);
    if (status != TAL_OK) {
        tal_terrain_destroy(terrain);
    }
    return status;
}

void tal_terrain_destroy(tal_terrain *terrain) {
    if (terrain == NULL) {
        return;
    }
    void *const arrays[] = {terrain->vertex,          terrain->triangle,
                            terrain->neighbour,       terrain->normal,
                            terrain->edge_convex,     terrain->surface_class,
                            terrain->grid_start,      terrain->grid_triangle,
                            terrain->patch,           terrain->vertex_triangle_start,
                            terrain->vertex_triangle, terrain->vertex_normal,
                            terrain->vertex_convex,   terrain->grid_low,
                            terrain->grid_high,       terrain->first_column,
                            terrain->first_row};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        tal_memory_destroy(arrays[k]);
    }
    *terrain = (tal_terrain){0};
}

// Height of one triangle's plane at (x, y) if the point lies above or below it, else NaN.
static double triangle_height(const tal_terrain *t, int32_t triangle, double x, double y) {
    const tal_vec3 a = corner_point(t, triangle, 0), b = corner_point(t, triangle, 1);
    const tal_vec3 c = corner_point(t, triangle, 2);
    const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    const double extent =
        fmax(fmax(fabs(b.x - a.x), fabs(c.x - a.x)), fmax(fabs(b.y - a.y), fabs(c.y - a.y)));
    if (fabs(area) <= 1e-12 * extent * extent) {
        return NAN; // vertical
    }
    const double sign = area < 0.0 ? -1.0 : 1.0, slack = -1e-12 * fabs(area);
    const double wb = sign * ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x));
    const double wc = sign * ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x));
    if (wb < slack || wc < slack || fabs(area) - wb - wc < slack) {
        return NAN;
    }
    return a.z + (wb * (b.z - a.z) + wc * (c.z - a.z)) / fabs(area);
}

double tal_terrain_height(const tal_terrain *terrain, double x, double y) {
    tal_terrain_cells cells;
    double highest = NAN;
    if (!tal_terrain_cells_find(terrain, x, x, y, y, &cells)) {
        return highest;
    }
    const int32_t cell = cells.row_low * terrain->grid_columns + cells.column_low;
    for (int32_t k = terrain->grid_start[cell]; k < terrain->grid_start[cell + 1]; k++) {
        const double z = triangle_height(terrain, terrain->grid_triangle[k], x, y);
        highest = isnan(highest) || z > highest ? (isnan(z) ? highest : z) : highest;
    }
    return highest;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the terrain mesh: refinement or full resolution, numbering, margin, measured error.
#include "mesher/terrain/terrain_mesh.h"

#include "core/base/memory.h"
#include "mesher/terrain/terrain_refine.h"

#include <math.h>
#include <stdlib.h>

// Triangles by cells (row by row from the south), before nodes get their numbers.
typedef struct {
    const tal_raster *bed;
    int32_t columns, rows;
    int64_t count;
    int32_t *cell; // three per triangle
} cell_triangles;

static float height_at(const tal_raster *bed, int32_t x, int32_t y) {
    return bed->value[(size_t)(bed->grid.rows - 1 - y) * (size_t)bed->grid.columns + (size_t)x];
}

static float height_of_cell(const cell_triangles *list, int32_t cell) {
    return height_at(list->bed, cell % list->columns, cell / list->columns);
}

static void add_triangle(cell_triangles *list, int32_t a, int32_t b, int32_t c) {
    const int32_t corner[3] = {a, b, c};
    int first = 0;
    for (int k = 0; k < 3; k++) {
        if (isnan(height_of_cell(list, corner[k]))) {
            return;
        }
        first = corner[k] < corner[first] ? k : first;
    }
    for (int k = 0; k < 3; k++) {
        list->cell[3 * list->count + k] = corner[(first + k) % 3];
    }
    list->count++;
}

// ---- Full resolution -------------------------------------------------------------------

// The diagonal joins the pair of opposite cells that is nearer in height, so that steps in the
// ground stay straight; next to a cell without data it joins the other pair.
static void add_square(cell_triangles *list, int32_t x, int32_t y) {
    const int32_t sw = y * list->columns + x, se = sw + 1, nw = sw + list->columns, ne = nw + 1;
    const double rising = fabs((double)height_of_cell(list, sw) - (double)height_of_cell(list, ne));
    const double falling =
        fabs((double)height_of_cell(list, nw) - (double)height_of_cell(list, se));
    if (isnan(falling) || rising <= falling) {
        add_triangle(list, sw, se, ne);
        add_triangle(list, sw, ne, nw);
    } else {
        add_triangle(list, sw, se, nw);
        add_triangle(list, se, ne, nw);
    }
}

static tal_status list_all_cells(cell_triangles *list, tal_error *err) {
    const size_t squares = (size_t)(list->columns - 1) * (size_t)(list->rows - 1);
    TAL_CREATE(list->cell, 6 * squares, "triangles of the full grid", err);
    for (int32_t y = 0; y + 1 < list->rows; y++) {
        for (int32_t x = 0; x + 1 < list->columns; x++) {
            add_square(list, x, y);
        }
    }
    return TAL_OK;
}

// ---- Refined ---------------------------------------------------------------------------

static tal_status list_delaunay(cell_triangles *list, const tal_delaunay *mesh, tal_error *err) {
    TAL_CREATE(list->cell, 3 * (size_t)mesh->triangle_count, "triangles", err);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        int32_t cell[3];
        for (int k = 0; k < 3; k++) {
            const int32_t v = mesh->triangle[t].vertex[k];
            cell[k] = mesh->vertex_y[v] * list->columns + mesh->vertex_x[v];
        }
        add_triangle(list, cell[0], cell[1], cell[2]);
    }
    return TAL_OK;
}

static tal_status list_refined(cell_triangles *list, double error_m, tal_error *err) {
    tal_delaunay mesh = {0};
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_delaunay_create(&mesh, list->columns, list->rows, err));
    TAL_TRY_OR_DONE(tal_terrain_refine(&mesh, list->bed, error_m, err));
    TAL_TRY_OR_DONE(list_delaunay(list, &mesh, err));
done:
    tal_delaunay_destroy(&mesh);
    return status;
}

// ---- Nodes -----------------------------------------------------------------------------

typedef struct {
    double origin[3];
    const tal_grid *grid;
    double margin_m;
    int32_t *node_of_cell;
} numbering;

static void set_node(tal_terrain_mesh *mesh, const numbering *names, int32_t node, int32_t x,
                     int32_t y, double z) {
    double east = 0, north = 0;
    tal_grid_centre(names->grid, x, names->grid->rows - 1 - y, &east, &north);
    mesh->x[node] = east - names->origin[0];
    mesh->y[node] = north - names->origin[1];
    mesh->z[node] = z - names->origin[2];
}

static int32_t number_cells(const cell_triangles *list, int32_t *node_of_cell) {
    const size_t cells = (size_t)list->columns * (size_t)list->rows;
    for (int64_t k = 0; k < 3 * list->count; k++) {
        node_of_cell[list->cell[k]] = 1;
    }
    int32_t count = 0;
    for (size_t c = 0; c < cells; c++) {
        node_of_cell[c] = node_of_cell[c] != 0 ? count++ : -1;
    }
    return count;
}

static int compare_faces(const void *left, const void *right) {
    const int32_t *a = left, *b = right;
    if (a[0] != b[0]) {
        return a[0] < b[0] ? -1 : 1;
    }
    return a[1] < b[1] ? -1 : (a[1] > b[1] ? 1 : 0);
}

static tal_status take_nodes(tal_terrain_mesh *mesh, const cell_triangles *list,
                             const numbering *names, tal_error *err) {
    // Beyond the rim at most one copy of each rim node per side, and four corners.
    const size_t rim =
        names->margin_m > 0 ? 2 * ((size_t)list->columns + (size_t)list->rows) + 4 : 0;
    const size_t nodes = (size_t)mesh->node_count + rim;
    TAL_CREATE(mesh->x, nodes, "nodes", err);
    TAL_CREATE(mesh->y, nodes, "nodes", err);
    TAL_CREATE(mesh->z, nodes, "nodes", err);
    for (int32_t y = 0; y < list->rows; y++) {
        for (int32_t x = 0; x < list->columns; x++) {
            const int32_t node = names->node_of_cell[(size_t)y * (size_t)list->columns + (size_t)x];
            if (node >= 0) {
                set_node(mesh, names, node, x, y, height_at(list->bed, x, y));
            }
        }
    }
    TAL_CREATE(mesh->face_node, 3 * ((size_t)list->count + 2 * rim), "faces", err);
    mesh->face_count = (int32_t)list->count;
    for (int64_t k = 0; k < 3 * list->count; k++) {
        mesh->face_node[k] = names->node_of_cell[list->cell[k]];
    }
    return TAL_OK;
}

// ---- Margin ----------------------------------------------------------------------------

typedef struct {
    tal_terrain_mesh *mesh;
    const numbering *names;
    int32_t columns, rows;
} rim_work;

static int32_t copy_outwards(rim_work *rim, int32_t node, int dx, int dy) {
    tal_terrain_mesh *mesh = rim->mesh;
    const int32_t copy = mesh->node_count++;
    mesh->x[copy] = mesh->x[node] + dx * rim->names->margin_m;
    mesh->y[copy] = mesh->y[node] + dy * rim->names->margin_m;
    mesh->z[copy] = mesh->z[node];
    return copy;
}

static void add_face(tal_terrain_mesh *mesh, int32_t a, int32_t b, int32_t c) {
    int32_t *face = mesh->face_node + 3 * (size_t)mesh->face_count++;
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

static int32_t rim_node(const rim_work *rim, int side, int32_t step) {
    const int32_t last_x = rim->columns - 1, last_y = rim->rows - 1;
    const int32_t x[4] = {step, last_x, last_x - step, 0};
    const int32_t y[4] = {0, step, last_y, last_y - step};
    return rim->names->node_of_cell[(size_t)y[side] * (size_t)rim->columns + (size_t)x[side]];
}

// Between two rim nodes there is ground only when the cells between them have data.
static bool rim_has_gap(const rim_work *rim, const tal_raster *bed, int side, int32_t from,
                        int32_t to) {
    const int32_t last_x = rim->columns - 1, last_y = rim->rows - 1;
    for (int32_t step = from; step <= to; step++) {
        const int32_t x[4] = {step, last_x, last_x - step, 0};
        const int32_t y[4] = {0, step, last_y, last_y - step};
        if (isnan(height_at(bed, x[side], y[side]))) {
            return true;
        }
    }
    return false;
}

// Level strips beyond each side (south, east, north, west) and squares at the corners.
static void add_margin(rim_work *rim, const tal_raster *bed) {
    static const int dx[4] = {0, 1, 0, -1}, dy[4] = {-1, 0, 1, 0};
    int32_t first_copy[4], last_copy[4];
    for (int side = 0; side < 4; side++) {
        const int32_t length = side % 2 == 0 ? rim->columns : rim->rows;
        int32_t before = -1, before_copy = -1, before_step = 0;
        first_copy[side] = last_copy[side] = -1;
        for (int32_t step = 0; step < length; step++) {
            const int32_t node = rim_node(rim, side, step);
            if (node < 0) {
                continue;
            }
            const int32_t copy = copy_outwards(rim, node, dx[side], dy[side]);
            if (before >= 0 && !rim_has_gap(rim, bed, side, before_step, step)) {
                add_face(rim->mesh, before, before_copy, copy);
                add_face(rim->mesh, before, copy, node);
            }
            first_copy[side] = step == 0 ? copy : first_copy[side];
            last_copy[side] = step == length - 1 ? copy : -1;
            before = node;
            before_copy = copy;
            before_step = step;
        }
    }
    for (int side = 0; side < 4; side++) {
        const int next = (side + 1) % 4;
        if (last_copy[side] >= 0 && first_copy[next] >= 0) {
            const int32_t corner = rim_node(rim, next, 0);
            const int32_t outer =
                copy_outwards(rim, corner, dx[side] + dx[next], dy[side] + dy[next]);
            add_face(rim->mesh, corner, last_copy[side], outer);
            add_face(rim->mesh, corner, outer, first_copy[next]);
        }
    }
}

// A strip that meets a gap leaves copies that no face uses.
static tal_status drop_unused_nodes(tal_terrain_mesh *mesh, tal_error *err) {
    int32_t *number;
    TAL_CREATE(number, (size_t)mesh->node_count, "node numbers", err);
    for (size_t k = 0; k < 3 * (size_t)mesh->face_count; k++) {
        number[mesh->face_node[k]] = 1;
    }
    int32_t count = 0;
    for (int32_t v = 0; v < mesh->node_count; v++) {
        if (number[v] != 0) {
            mesh->x[count] = mesh->x[v];
            mesh->y[count] = mesh->y[v];
            mesh->z[count] = mesh->z[v];
            number[v] = count++;
        }
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->face_count; k++) {
        mesh->face_node[k] = number[mesh->face_node[k]];
    }
    mesh->node_count = count;
    tal_memory_destroy(number);
    return TAL_OK;
}

// ---- Heights of the mesh at cells ------------------------------------------------------

typedef struct {
    float *height;
    const tal_lattice *lattice;
    double base, slope_x, slope_y;
} height_scan;

static void write_span(void *context, int32_t y, int32_t first, int32_t last) {
    const height_scan *scan = context;
    const tal_lattice *lattice = scan->lattice;
    if (y < 0 || y >= lattice->rows) {
        return;
    }
    float *row = scan->height + (size_t)y * (size_t)lattice->columns;
    first = first > 0 ? first : 0;
    last = last < lattice->columns ? last : lattice->columns - 1;
    for (int32_t x = first; x <= last; x++) {
        row[x] = (float)(scan->base + scan->slope_x * x + scan->slope_y * y);
    }
}

void tal_terrain_mesh_heights(const tal_terrain_mesh *mesh, const tal_lattice *lattice,
                              float *height) {
    const size_t count = (size_t)lattice->columns * (size_t)lattice->rows;
    for (size_t c = 0; c < count; c++) {
        height[c] = NAN;
    }
    for (int32_t f = 0; f < mesh->face_count; f++) {
        int32_t corner[3][2];
        double z[3];
        bool is_margin = false;
        for (int k = 0; k < 3; k++) {
            const int32_t v = mesh->face_node[3 * (size_t)f + (size_t)k];
            corner[k][0] = (int32_t)lround((mesh->x[v] - lattice->west) / lattice->spacing);
            corner[k][1] = (int32_t)lround((mesh->y[v] - lattice->south) / lattice->spacing);
            z[k] = mesh->z[v];
            is_margin = is_margin || v >= mesh->grid_node_count;
        }
        if (is_margin) {
            continue;
        }
        const double ux = corner[1][0] - corner[0][0], uy = corner[1][1] - corner[0][1];
        const double wx = corner[2][0] - corner[0][0], wy = corner[2][1] - corner[0][1];
        const double area = ux * wy - wx * uy;
        height_scan scan = {.height = height, .lattice = lattice};
        scan.slope_x = ((z[1] - z[0]) * wy - (z[2] - z[0]) * uy) / area;
        scan.slope_y = ((z[2] - z[0]) * ux - (z[1] - z[0]) * wx) / area;
        scan.base = z[0] - scan.slope_x * corner[0][0] - scan.slope_y * corner[0][1];
        tal_triangle_scan(corner[0], corner[1], corner[2], write_span, &scan);
    }
}

static tal_status measure_error(tal_terrain_mesh *mesh, const tal_raster *bed,
                                const double origin[3], tal_error *err) {
    const tal_grid *grid = &bed->grid;
    tal_lattice lattice = {0, 0, grid->cell, grid->columns, grid->rows};
    tal_grid_centre(grid, 0, grid->rows - 1, &lattice.west, &lattice.south);
    lattice.west -= origin[0];
    lattice.south -= origin[1];
    float *height;
    TAL_CREATE(height, tal_grid_cell_count(grid), "heights of the mesh", err);
    tal_terrain_mesh_heights(mesh, &lattice, height);
    mesh->error_m = 0;
    mesh->lone_cells = 0;
    for (int32_t y = 0; y < grid->rows; y++) {
        for (int32_t x = 0; x < grid->columns; x++) {
            const float mine = height[(size_t)y * (size_t)grid->columns + (size_t)x];
            const float ground = height_at(bed, x, y);
            const double error = fabs((double)mine + origin[2] - (double)ground);
            mesh->error_m = error > mesh->error_m ? error : mesh->error_m;
            mesh->lone_cells += isnan(mine) && !isnan(ground) ? 1 : 0;
        }
    }
    tal_memory_destroy(height);
    return TAL_OK;
}

// ---- All together ----------------------------------------------------------------------

// Faces name nodes that are there, three different ones each.
static bool has_good_faces(const tal_terrain_mesh *mesh) {
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const int32_t *v = mesh->face_node + 3 * (size_t)f;
        for (int k = 0; k < 3; k++) {
            if (v[k] < 0 || v[k] >= mesh->node_count || v[k] == v[(k + 1) % 3]) {
                return false;
            }
        }
    }
    return mesh->wall_face_count <= mesh->face_count;
}

static tal_status build(tal_terrain_mesh *mesh, cell_triangles *list, numbering *names,
                        const tal_terrain_options *options, tal_error *err) {
    TAL_TRY(options->full_resolution ? list_all_cells(list, err)
                                     : list_refined(list, options->error_m, err));
    if (list->count == 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "the bed has no three neighbouring cells with data: nothing to mesh");
    }
    mesh->node_count = number_cells(list, names->node_of_cell);
    mesh->grid_node_count = mesh->node_count;
    TAL_TRY(take_nodes(mesh, list, names, err));
    qsort(mesh->face_node, (size_t)mesh->face_count, 3 * sizeof(int32_t), compare_faces);
    TAL_TRY(measure_error(mesh, list->bed, names->origin, err));
    if (names->margin_m > 0) {
        const size_t faces = 3 * ((size_t)mesh->face_count);
        const size_t rim = 4 * ((size_t)list->columns + (size_t)list->rows) + 8;
        TAL_GROW(mesh->face_node, faces, faces + 3 * rim, "faces of the margin", err);
        rim_work rim_state = {mesh, names, list->columns, list->rows};
        add_margin(&rim_state, list->bed);
        TAL_TRY(drop_unused_nodes(mesh, err));
    }
    TAL_ASSERT(has_good_faces(mesh));
    return TAL_OK;
}

tal_status tal_terrain_mesh_create(tal_terrain_mesh *mesh, const tal_raster *bed,
                                   const tal_terrain_options *options, const double origin[3],
                                   tal_error *err) {
    tal_status status = TAL_OK;
    *mesh = (tal_terrain_mesh){0};
    const tal_grid *grid = &bed->grid;
    cell_triangles list = {.bed = bed, .columns = grid->columns, .rows = grid->rows};
    numbering names = {
        .origin = {origin[0], origin[1], origin[2]}, .grid = grid, .margin_m = options->margin_m};
    if (grid->columns < 2 || grid->rows < 2 || tal_grid_cell_count(grid) > INT32_MAX / 6) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "a grid of %d x %d cells cannot be meshed: it needs at least 2 x 2 and at "
                        "most %d cells",
                        grid->columns, grid->rows, INT32_MAX / 6);
    }
    TAL_CREATE_OR_DONE(names.node_of_cell, tal_grid_cell_count(grid), "node numbers", err);
    TAL_TRY_OR_DONE(build(mesh, &list, &names, options, err));
done:
    tal_memory_destroy(list.cell);
    tal_memory_destroy(names.node_of_cell);
    if (status != TAL_OK) {
        tal_terrain_mesh_destroy(mesh);
    }
    return status;
}

void tal_terrain_mesh_destroy(tal_terrain_mesh *mesh) {
    if (mesh != NULL) {
        tal_memory_destroy(mesh->x);
        tal_memory_destroy(mesh->y);
        tal_memory_destroy(mesh->z);
        tal_memory_destroy(mesh->face_node);
        *mesh = (tal_terrain_mesh){0};
    }
}

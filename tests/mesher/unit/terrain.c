// SPDX-License-Identifier: GPL-3.0-or-later
// The terrain mesh, looked at by a checker that shares no code with it.
#include "tests/support/check.h"

#include "core/base/memory.h"
#include "core/base/random.h"
#include "mesher/rock/hull.h"
#include "mesher/terrain/delaunay.h"
#include "mesher/terrain/terrain_mesh.h"
#include "tests/mesher/unit/scene.h"

static const double origin[3] = {700300, 1600200, 450};

static tal_terrain_mesh make(const tal_raster *bed, double error, bool full, double margin) {
    tal_terrain_mesh mesh;
    const tal_terrain_options options = {error, full, margin};
    check_ok(tal_terrain_mesh_create(&mesh, bed, &options, origin, &check_error));
    return mesh;
}

static tal_raster make_bed(int32_t columns, int32_t rows, double (*height)(double, double)) {
    tal_raster bed;
    const tal_grid grid = {700000, 1600000 + rows, 1, columns, rows};
    check_ok(tal_raster_create(&bed, &grid, &check_error));
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0; column < columns; column++) {
            bed.value[(size_t)row * (size_t)columns + (size_t)column] =
                (float)height(column, rows - 1 - row);
        }
    }
    return bed;
}

// ---- The checker -----------------------------------------------------------------------

static void corners_of(const tal_terrain_mesh *mesh, int32_t f, double p[3][3]) {
    for (int k = 0; k < 3; k++) {
        const int32_t v = mesh->face_node[3 * f + k];
        assert_in_range(v, 0, mesh->node_count - 1);
        p[k][0] = mesh->x[v] + origin[0];
        p[k][1] = mesh->y[v] + origin[1];
        p[k][2] = mesh->z[v] + origin[2];
    }
}

// Largest vertical distance at cells, by barycentric interpolation in every triangle; `missed` are
// cells with data in no triangle.
static double worst_error(const tal_terrain_mesh *mesh, const tal_raster *bed, int *missed) {
    const tal_grid *grid = &bed->grid;
    const size_t cells = tal_grid_cell_count(grid);
    uint8_t *seen = tal_memory_create(cells, 1);
    double worst = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double p[3][3];
        corners_of(mesh, f, p);
        const double area =
            (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        for (int32_t row = 0; row < grid->rows; row++) {
            double y, x0;
            tal_grid_centre(grid, 0, row, &x0, &y);
            const double low = fmin(p[0][1], fmin(p[1][1], p[2][1]));
            const double high = fmax(p[0][1], fmax(p[1][1], p[2][1]));
            if (y < low - 1e-6 || y > high + 1e-6) {
                continue;
            }
            const double left = fmin(p[0][0], fmin(p[1][0], p[2][0]));
            const double right = fmax(p[0][0], fmax(p[1][0], p[2][0]));
            const int32_t first = (int32_t)fmax(0, floor((left - x0) / grid->cell));
            const int32_t last = (int32_t)fmin(grid->columns - 1, ceil((right - x0) / grid->cell));
            for (int32_t column = first; column <= last; column++) {
                const double x = x0 + column * grid->cell;
                double w[3];
                for (int k = 0; k < 3; k++) {
                    const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
                    w[k] = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area;
                }
                if (fmin(w[0], fmin(w[1], w[2])) < -1e-7) {
                    continue;
                }
                const size_t at = (size_t)row * (size_t)grid->columns + (size_t)column;
                const double z = w[0] * p[0][2] + w[1] * p[1][2] + w[2] * p[2][2];
                seen[at] = 1;
                worst = fmax(worst, fabs(z - (double)bed->value[at]));
            }
        }
    }
    *missed = 0;
    for (size_t c = 0; c < cells; c++) {
        *missed += seen[c] == 0 && !isnan(bed->value[c]);
    }
    tal_memory_destroy(seen);
    return worst;
}

static int compare_pairs(const void *left, const void *right) {
    return memcmp(left, right, 2 * sizeof(int32_t));
}

static int compare_places(const void *left, const void *right) {
    const double *a = left, *b = right;
    if (a[0] != b[0]) {
        return a[0] < b[0] ? -1 : 1;
    }
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

// All triangles face up, every edge is used at most once in each direction, no two nodes coincide,
// every node is used. Returns the number of rim edges.
static int check_topology(const tal_terrain_mesh *mesh) {
    const size_t edges = 3 * (size_t)mesh->face_count;
    int32_t(*edge)[2] = tal_memory_create(edges, sizeof *edge);
    uint8_t *used = tal_memory_create((size_t)mesh->node_count, 1);
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double p[3][3];
        corners_of(mesh, f, p);
        const double area =
            (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        assert_true(area > 0);
        for (int k = 0; k < 3; k++) {
            edge[3 * f + k][0] = mesh->face_node[3 * f + k];
            edge[3 * f + k][1] = mesh->face_node[3 * f + (k + 1) % 3];
            used[mesh->face_node[3 * f + k]] = 1;
        }
    }
    qsort(edge, edges, sizeof *edge, compare_pairs);
    int rim = 0;
    for (size_t k = 0; k < edges; k++) {
        assert_false(k > 0 && compare_pairs(edge[k - 1], edge[k]) == 0);
        const int32_t back[2] = {edge[k][1], edge[k][0]};
        rim += bsearch(back, edge, edges, sizeof *edge, compare_pairs) == NULL;
    }
    double(*place)[2] = tal_memory_create((size_t)mesh->node_count, sizeof *place);
    for (int32_t v = 0; v < mesh->node_count; v++) {
        assert_true(used[v] == 1);
        place[v][0] = mesh->x[v];
        place[v][1] = mesh->y[v];
    }
    qsort(place, (size_t)mesh->node_count, sizeof *place, compare_places);
    for (int32_t v = 1; v < mesh->node_count; v++) {
        assert_true(compare_places(place[v - 1], place[v]) != 0);
    }
    tal_memory_destroy(place);
    tal_memory_destroy(edge);
    tal_memory_destroy(used);
    return rim;
}

// No crack and no overlap: the areas of the triangles are that of the rectangle.
static double ground_area(const tal_terrain_mesh *mesh) {
    double sum = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double p[3][3];
        corners_of(mesh, f, p);
        sum += 0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                      (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]));
    }
    return sum;
}

// ---- Tests -----------------------------------------------------------------------------

static void refined_site_keeps_the_error_with_few_triangles(void **state) {
    (void)state;
    test_site site;
    int missed = 0;
    test_site_make(&site, 320, 260, 1, 0.5);
    const double errors[] = {1, 0.25, 0.1};
    int32_t before = 0;
    for (int k = 0; k < 3; k++) {
        tal_terrain_mesh mesh = make(&site.bed, errors[k], false, 0);
        const double worst = worst_error(&mesh, &site.bed, &missed);
        assert_int_equal(missed, 0);
        assert_true(worst <= errors[k]);
        check_near(mesh.error_m, worst, 1e-4);
        check_topology(&mesh);
        check_near(ground_area(&mesh), 319.0 * 259, 1e-6);
        assert_true(mesh.face_count > before);
        before = mesh.face_count;
        if (k == 1) {
            assert_true(mesh.face_count <= 2 * 319 * 259 / 4);
        }
        tal_terrain_mesh_destroy(&mesh);
    }
    test_site_destroy(&site);
}

static double plane(double x, double y) {
    return 100 + 0.25 * x - 0.5 * y;
}

static void plane_needs_two_triangles(void **state) {
    (void)state;
    tal_raster bed = make_bed(50, 30, plane);
    tal_terrain_mesh mesh = make(&bed, 0.01, false, 0);
    assert_int_equal(mesh.face_count, 2);
    assert_int_equal(mesh.node_count, 4);
    tal_terrain_mesh_destroy(&mesh);
    tal_raster_destroy(&bed);
}

static double cliff(double x, double y) {
    return x + 0.31 * y < 20 ? 0 : 60;
}

static void vertical_step_is_kept(void **state) {
    (void)state;
    int missed = 0;
    tal_raster bed = make_bed(60, 40, cliff);
    tal_terrain_mesh mesh = make(&bed, 0.25, false, 0);
    assert_true(worst_error(&mesh, &bed, &missed) <= 0.25);
    assert_int_equal(missed, 0);
    check_topology(&mesh);
    tal_terrain_mesh_destroy(&mesh);
    tal_raster_destroy(&bed);
}

static void full_resolution_uses_every_cell(void **state) {
    (void)state;
    int missed = 0;
    tal_raster bed = make_bed(23, 17, cliff);
    tal_terrain_mesh mesh = make(&bed, 5, true, 0);
    assert_int_equal(mesh.node_count, 23 * 17);
    assert_int_equal(mesh.face_count, 2 * 22 * 16);
    check_near(worst_error(&mesh, &bed, &missed), 0, 1e-9);
    assert_int_equal(check_topology(&mesh), 2 * (22 + 16));
    tal_terrain_mesh_destroy(&mesh);
    tal_raster_destroy(&bed);
}

static double hilly(double x, double y) {
    return 5 * sin(x / 7) * cos(y / 9) + 0.02 * x * y;
}

// Holes, an island, a slanted edge: triangles stay where data is and every cell with data that has
// a full square of neighbours is covered.
static void edges_of_the_data_are_respected(void **state) {
    (void)state;
    for (int full = 0; full < 2; full++) {
        tal_raster bed = make_bed(70, 50, hilly);
        for (int32_t row = 0; row < 50; row++) {
            for (int32_t column = 0; column < 70; column++) {
                const bool hole = hypot(column - 30, row - 20) < 8;
                const bool corner = column + row < 18;
                if ((hole && hypot(column - 30, row - 20) > 3) || corner || column == 69) {
                    bed.value[row * 70 + column] = NAN;
                }
            }
        }
        int missed = 0;
        tal_terrain_mesh mesh = make(&bed, 0.2, full == 1, 0);
        assert_true(worst_error(&mesh, &bed, &missed) <= 0.2);
        assert_int_equal(missed, mesh.lone_cells);
        assert_true(missed <= 4);
        check_topology(&mesh);
        // No triangle over a hole: its area is that of the squares with data, but for corners.
        double squares = 0;
        for (int32_t row = 0; row < 49; row++) {
            for (int32_t column = 0; column < 69; column++) {
                int data = 0;
                for (int k = 0; k < 4; k++) {
                    data += !isnan(bed.value[(row + k / 2) * 70 + column + k % 2]);
                }
                squares += data == 4 ? 1 : 0;
                if (data == 3) {
                    squares += 0.25; // half of them, on average
                }
            }
        }
        check_near(ground_area(&mesh), squares, 15);
        tal_terrain_mesh_destroy(&mesh);
        tal_raster_destroy(&bed);
    }
}

static void margin_adds_level_ground_on_every_side(void **state) {
    (void)state;
    int missed = 0;
    tal_raster bed = make_bed(40, 30, hilly);
    tal_terrain_mesh mesh = make(&bed, 0.2, false, 100);
    check_topology(&mesh);
    assert_true(worst_error(&mesh, &bed, &missed) <= 0.2);
    check_near(ground_area(&mesh), (39.0 + 200) * (29 + 200), 1e-6);
    double west = INFINITY, east = -INFINITY, low = INFINITY, high = -INFINITY;
    for (int32_t v = 0; v < mesh.node_count; v++) {
        west = fmin(west, mesh.x[v] + origin[0]);
        east = fmax(east, mesh.x[v] + origin[0]);
        low = fmin(low, mesh.z[v] + origin[2]);
        high = fmax(high, mesh.z[v] + origin[2]);
    }
    check_near(west, 700000.5 - 100, 1e-9);
    check_near(east, 700039.5 + 100, 1e-9);
    assert_true(low >= -10 && high <= 40);
    tal_terrain_mesh_destroy(&mesh);
    // A rim that lacks data has no margin there.
    for (int32_t column = 10; column < 20; column++) {
        bed.value[column] = NAN;
    }
    mesh = make(&bed, 0.2, false, 100);
    check_topology(&mesh);
    assert_true(ground_area(&mesh) < (39.0 + 200) * (29 + 200) - 900);
    tal_terrain_mesh_destroy(&mesh);
    tal_raster_destroy(&bed);
}

// Every edge that one face alone has lies on top of the wall.
static void wall_closes_the_rim(void **state) {
    (void)state;
    tal_raster bed = make_bed(40, 30, hilly);
    for (int holes = 0; holes < 2; holes++) {
        tal_terrain_mesh mesh = make(&bed, 0.2, false, holes == 0 ? 0 : 7);
        const int32_t ground_faces = mesh.face_count;
        double highest = -INFINITY;
        for (int32_t v = 0; v < mesh.node_count; v++) {
            highest = fmax(highest, mesh.z[v]);
        }
        check_ok(tal_terrain_mesh_add_wall(&mesh, 0.25, 50, &check_error));
        check_topology(&mesh);
        assert_int_equal(mesh.face_count - mesh.wall_face_count, ground_faces);
        if (holes == 0) {
            check_near(ground_area(&mesh), (39 + 0.5) * (29 + 0.5), 1e-9);
        }
        for (int32_t f = 0; f < 3 * mesh.face_count; f++) {
            const int32_t a = mesh.face_node[f], b = mesh.face_node[f % 3 == 2 ? f - 2 : f + 1];
            int uses = 0;
            for (int32_t g = 0; g < 3 * mesh.face_count; g++) {
                uses += mesh.face_node[g] == b && mesh.face_node[g % 3 == 2 ? g - 2 : g + 1] == a
                            ? 1
                            : 0;
            }
            if (uses == 0) {
                check_near(mesh.z[a], highest + 50, 1e-9);
                check_near(mesh.z[b], highest + 50, 1e-9);
            }
        }
        tal_terrain_mesh_destroy(&mesh);
        // Next with a hole in the data and a margin.
        for (int32_t k = 0; k < 25; k++) {
            bed.value[(10 + k / 5) * 40 + 15 + k % 5] = NAN;
        }
    }
    tal_raster_destroy(&bed);
}

static double no_data(double x, double y) {
    (void)x;
    (void)y;
    return NAN;
}

static void tiny_and_empty_grids_get_an_answer(void **state) {
    (void)state;
    tal_terrain_mesh mesh;
    const tal_terrain_options options = {0.25, false, 0};
    tal_raster bed = make_bed(2, 2, plane);
    mesh = make(&bed, 0.25, false, 0);
    assert_int_equal(mesh.face_count, 2);
    tal_terrain_mesh_destroy(&mesh);
    tal_raster_destroy(&bed);
    bed = make_bed(1, 5, plane);
    check_fails(tal_terrain_mesh_create(&mesh, &bed, &options, origin, &check_error), TAL_BAD_INPUT,
                "at least 2 x 2");
    tal_raster_destroy(&bed);
    bed = make_bed(6, 5, no_data);
    check_fails(tal_terrain_mesh_create(&mesh, &bed, &options, origin, &check_error), TAL_BAD_INPUT,
                "nothing to mesh");
    tal_raster_destroy(&bed);
}

// The exact flips give the triangulation qhull gives, where it is unique: compare the circles.
static void insertion_gives_a_delaunay_triangulation(void **state) {
    (void)state;
    enum { SIDE = 200, POINTS = 300 };
    tal_delaunay mesh;
    uint8_t taken[SIDE][SIDE] = {{0}};
    check_ok(tal_delaunay_create(&mesh, SIDE, SIDE, &check_error));
    taken[0][0] = taken[0][SIDE - 1] = taken[SIDE - 1][0] = taken[SIDE - 1][SIDE - 1] = 1;
    const tal_random random = tal_random_stream(1, 0, "test/cells");
    for (uint64_t k = 0; k < POINTS; k++) {
        const int32_t x = (int32_t)tal_random_below(random, 2 * k, SIDE);
        const int32_t y = (int32_t)tal_random_below(random, 2 * k + 1, SIDE);
        if (taken[x][y] == 0) {
            check_ok(
                tal_delaunay_insert(&mesh, x, y, tal_delaunay_find(&mesh, x, y), &check_error));
            taken[x][y] = 1;
        }
    }
    for (int32_t t = 0; t < mesh.triangle_count; t++) {
        const int32_t *v = mesh.triangle[t].vertex;
        int32_t c[3][2];
        for (int k = 0; k < 3; k++) {
            c[k][0] = mesh.vertex_x[v[k]];
            c[k][1] = mesh.vertex_y[v[k]];
        }
        for (int32_t p = 0; p < mesh.vertex_count; p++) {
            const int32_t d[2] = {mesh.vertex_x[p], mesh.vertex_y[p]};
            assert_true(tal_delaunay_in_circle(c[0], c[1], c[2], d) <= 0);
        }
    }
    tal_vec3 points[POINTS + 4];
    int32_t *triangles = NULL, count = 0;
    for (int32_t p = 0; p < mesh.vertex_count; p++) {
        points[p] = tal_vec3_make(mesh.vertex_x[p], mesh.vertex_y[p], 0);
    }
    check_ok(tal_hull_delaunay(points, mesh.vertex_count, &triangles, &count, &check_error));
    assert_int_equal(count, mesh.triangle_count);
    tal_memory_destroy(triangles);
    tal_delaunay_destroy(&mesh);
}

// Four corners of a square lie on one circle; the determinant overflows 64 bits on large grids.
static void circle_test_is_exact(void **state) {
    (void)state;
    const int32_t n = TAL_DELAUNAY_SIDE_MAX - 1;
    const int32_t a[2] = {0, 0}, b[2] = {n, 0}, c[2] = {n, n}, d[2] = {0, n};
    const int32_t in[2] = {1, n - 1}, out[2] = {-1, n};
    assert_int_equal(tal_delaunay_in_circle(a, b, c, d), 0);
    assert_int_equal(tal_delaunay_in_circle(a, b, c, in), 1);
    assert_int_equal(tal_delaunay_in_circle(a, b, c, out), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refined_site_keeps_the_error_with_few_triangles),
        cmocka_unit_test(plane_needs_two_triangles),
        cmocka_unit_test(vertical_step_is_kept),
        cmocka_unit_test(full_resolution_uses_every_cell),
        cmocka_unit_test(edges_of_the_data_are_respected),
        cmocka_unit_test(margin_adds_level_ground_on_every_side),
        cmocka_unit_test(wall_closes_the_rim),
        cmocka_unit_test(tiny_and_empty_grids_get_an_answer),
        cmocka_unit_test(insertion_gives_a_delaunay_triangulation),
        cmocka_unit_test(circle_test_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Column volumes against closed forms and quadrature, the upper surface against an independent ray
// caster, footprints against their area.
#include "postproc/measure/block_shape.h"
#include "core/base/random.h"
#include "core/geometry/angle.h"
#include "tests/support/check.h"

static const int32_t BOX_START[7] = {0, 4, 8, 12, 16, 20, 24};
static const int32_t BOX_CORNER[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
static const int32_t TETRA_START[5] = {0, 3, 6, 9, 12};
static const int32_t TETRA_CORNER[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

typedef struct {
    tal_vec3 vertex[8];
    tal_surface block;
} solid;

static void make_box(solid *s, const double edge[3], const double centre[3],
                     const double quaternion[4]) {
    const tal_quat turn =
        tal_quat_normalize((tal_quat){quaternion[0], quaternion[1], quaternion[2], quaternion[3]});
    for (int v = 0; v < 8; v++) {
        const tal_vec3 turned = tal_quat_rotate(
            turn, tal_vec3_make((v & 1 ? 0.5 : -0.5) * edge[0], (v & 2 ? 0.5 : -0.5) * edge[1],
                                (v & 4 ? 0.5 : -0.5) * edge[2]));
        s->vertex[v] = tal_vec3_add(tal_vec3_make(centre[0], centre[1], centre[2]), turned);
    }
    s->block = (tal_surface){s->vertex, 8, BOX_START, 6, BOX_CORNER};
}

static void random_box(solid *s, uint64_t draw) {
    const tal_random random = tal_random_stream(5, 0, "tests/post-polyhedron");
    double edge[3], centre[3], q[4];
    for (uint64_t i = 0; i < 3; i++) {
        edge[i] = 0.3 + 4.0 * tal_random_uniform(random, 16 * draw + i);
        centre[i] = -3.0 + 6.0 * tal_random_uniform(random, 16 * draw + 4 + i);
    }
    for (uint64_t i = 0; i < 4; i++) {
        q[i] = tal_random_normal(random, 16 * draw + 8 + i);
    }
    make_box(s, edge, centre, q);
}

static const double UPRIGHT[4] = {1.0, 0.0, 0.0, 0.0};
static const tal_grid GRID = {-10.0, 10.0, 0.7, 29, 29};

static double sum_columns(const tal_surface *block, const tal_grid *grid, double *outside) {
    double *column = calloc((size_t)(grid->columns * grid->rows), sizeof *column);
    *outside = tal_block_add_columns(block, grid, column);
    double sum = 0.0;
    for (int i = 0; i < grid->columns * grid->rows; i++) {
        sum += column[i];
    }
    free(column);
    return sum;
}

static void upright_box_fills_cells_by_their_overlap(void **state) {
    (void)state;
    // 2 x 1 x 3 about (0.5, 0.25): x from -0.5 to 1.5, y from -0.25 to 0.75; cells of one metre.
    solid s;
    double column[16] = {0};
    const tal_grid grid = {-2.0, 2.0, 1.0, 4, 4};
    make_box(&s, (const double[3]){2, 1, 3}, (const double[3]){0.5, 0.25, 7}, UPRIGHT);
    check_near(tal_block_add_columns(&s.block, &grid, column), 0.0, 1e-14);
    const double x[4] = {0.0, 0.5, 1.0, 0.5}, y[4] = {0.0, 0.75, 0.25, 0.0}; // rows from the north
    for (int row = 0; row < 4; row++) {
        for (int c = 0; c < 4; c++) {
            check_near(column[4 * row + c], 3.0 * x[c] * y[row], 1e-13);
        }
    }
}

static void turned_box_keeps_its_volume_and_its_roof(void **state) {
    (void)state;
    // A unit cube turned by 45 degrees about y: over the cell from x = 0 to 0.1 its height falls
    // from sqrt 2 by 2 per metre, so the column holds 0.1 sqrt 2 - 0.01, one metre wide.
    solid s;
    double outside, column[10] = {0};
    const double q[4] = {cos(TAL_PI / 8.0), 0.0, sin(TAL_PI / 8.0), 0.0};
    make_box(&s, (const double[3]){1, 1, 1}, (const double[3]){0, 0.5, 0}, q);
    const tal_grid tall = {-1.0, 1.0, 0.1, 20, 10};
    check_near(sum_columns(&s.block, &tall, &outside), 1.0, 1e-12);
    check_near(outside, 0.0, 1e-12);
    const tal_grid wide = {0.0, 1.0, 0.1, 1, 10};
    (void)tal_block_add_columns(&s.block, &wide, column);
    double sum = 0.0;
    for (int i = 0; i < 10; i++) {
        sum += column[i];
    }
    check_near(sum, 0.1 * sqrt(2.0) - 0.01, 1e-12);
}

static void tetrahedron_has_columns_of_the_closed_form(void **state) {
    (void)state;
    // Corners at the origin and on the axes at one: height 1 - x - y. Over [0, h]^2 the volume is
    // h^2 - h^3 while 2 h <= 1.
    const tal_vec3 vertex[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tal_surface block = {vertex, 4, TETRA_START, 4, TETRA_CORNER};
    const tal_grid grid = {0.0, 1.0, 0.25, 4, 4};
    double column[16] = {0}, sum = 0.0;
    check_near(tal_surface_volume(&block), 1.0 / 6.0, 1e-15);
    check_near(tal_block_add_columns(&block, &grid, column), 0.0, 1e-15);
    check_near(column[12], 0.0625 - 0.015625, 1e-15);       // south-west cell
    check_near(column[0], 0.25 * 0.25 * 0.25 / 6.0, 1e-15); // the tip at x = 0, y = 1
    for (int i = 0; i < 16; i++) {
        sum += column[i];
    }
    check_near(sum, 1.0 / 6.0, 1e-15);
}

static void columns_of_random_boxes_sum_to_their_volume(void **state) {
    (void)state;
    double worst = 0.0;
    for (uint64_t draw = 0; draw < 500; draw++) {
        solid s;
        double outside;
        random_box(&s, draw);
        const double volume = tal_surface_volume(&s.block);
        const double sum = sum_columns(&s.block, &GRID, &outside);
        worst = fmax(worst, fabs(sum - volume) / volume);
    }
    print_message("largest relative difference of 500 boxes: %.2g\n", worst);
    assert_true(worst < 1e-12);
}

static void what_hangs_over_the_rim_is_reported(void **state) {
    (void)state;
    solid s;
    double outside;
    const tal_grid grid = {0.0, 5.0, 1.0, 5, 5};
    make_box(&s, (const double[3]){2, 2, 2}, (const double[3]){0.5, 2.5, 0}, UPRIGHT);
    check_near(sum_columns(&s.block, &grid, &outside), 6.0, 1e-13);
    check_near(outside, 2.0, 1e-13);
}

static void columns_agree_with_the_integral_of_the_height(void **state) {
    (void)state;
    // Midpoint rule with 80 x 80 looks per cell: an independent, slow way to the same numbers.
    for (uint64_t draw = 0; draw < 6; draw++) {
        solid s;
        double column[81] = {0};
        random_box(&s, 900 + draw);
        const tal_grid grid = {-9.0, 9.0, 2.0, 9, 9};
        (void)tal_block_add_columns(&s.block, &grid, column);
        for (int cell = 0; cell < 81; cell++) {
            double sum = 0.0;
            for (int k = 0; k < 6400; k++) {
                const double x = grid.west + 2.0 * (cell % 9 + (k % 80 + 0.5) / 80.0);
                const double y = grid.north - 2.0 * (cell / 9 + (k / 80 + 0.5) / 80.0);
                const double top = tal_block_top(&s.block, x, y);
                sum += top > -INFINITY ? top - tal_block_bottom(&s.block, x, y) : 0.0;
            }
            check_near(column[cell], sum * 4.0 / 6400.0, 0.02);
        }
    }
}

// Moeller and Trumbore 1997: a ray straight down against one triangle.
static double hit_triangle(const double *a, const double *b, const double *c, double x, double y) {
    const double e1[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double e2[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double d[3] = {0.0, 0.0, -1.0}, from[3] = {x - a[0], y - a[1], 1000.0 - a[2]};
    const double p[3] = {d[1] * e2[2] - d[2] * e2[1], d[2] * e2[0] - d[0] * e2[2],
                         d[0] * e2[1] - d[1] * e2[0]};
    const double det = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2];
    if (fabs(det) < 1e-14) {
        return -INFINITY;
    }
    const double u = (from[0] * p[0] + from[1] * p[1] + from[2] * p[2]) / det;
    const double q[3] = {from[1] * e1[2] - from[2] * e1[1], from[2] * e1[0] - from[0] * e1[2],
                         from[0] * e1[1] - from[1] * e1[0]};
    const double v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    const double t = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det;
    return u < 0.0 || v < 0.0 || u + v > 1.0 ? -INFINITY : 1000.0 - t;
}

static void upper_surface_agrees_with_a_ray_caster(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(6, 0, "tests/post-rays");
    int hits = 0;
    for (uint64_t draw = 0; draw < 4000; draw++) {
        solid s;
        random_box(&s, draw % 50);
        const double x = -4.0 + 8.0 * tal_random_uniform(random, 2 * draw);
        const double y = -4.0 + 8.0 * tal_random_uniform(random, 2 * draw + 1);
        double expected = -INFINITY;
        for (int f = 0; f < 6; f++) {
            for (int i = 1; i < 3; i++) {
                const int32_t *corner = &BOX_CORNER[4 * f];
                expected =
                    fmax(expected, hit_triangle(&s.vertex[corner[0]].x, &s.vertex[corner[i]].x,
                                                &s.vertex[corner[i + 1]].x, x, y));
            }
        }
        const double top = tal_block_top(&s.block, x, y);
        if (expected == -INFINITY) {
            assert_true(top == -INFINITY);
        } else {
            check_near(top, expected, 1e-9);
            hits++;
        }
    }
    assert_true(hits > 200);
}

static void footprint_is_the_convex_shadow(void **state) {
    (void)state;
    // The shadow of a body under all its columns has the area of the cells its columns would cover
    // in the limit; here: the area of the footprint is the integral of "hit or not".
    for (uint64_t draw = 0; draw < 30; draw++) {
        solid s;
        double xy[16], area = 0.0;
        int32_t order[26];
        int inside = 0;
        random_box(&s, draw);
        const int32_t count = tal_block_footprint(&s.block, xy, order);
        assert_in_range(count, 4, 8);
        for (int32_t i = 0; i < count; i++) {
            const double *a = &xy[2 * i], *b = &xy[2 * ((i + 1) % count)];
            area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
        }
        for (int k = 0; k < 400 * 400; k++) {
            const double x = -8.0 + 16.0 * (k % 400 + 0.5) / 400.0;
            const double y = -8.0 + 16.0 * (k / 400 + 0.5) / 400.0;
            inside += tal_block_top(&s.block, x, y) > -INFINITY ? 1 : 0;
        }
        check_near(area, inside * 16.0 * 16.0 / 160000.0, 0.15);
        assert_true(area > 0.0);
    }
}

static void footprint_of_an_upright_box_is_its_base(void **state) {
    (void)state;
    solid s;
    double xy[16];
    int32_t order[26];
    make_box(&s, (const double[3]){2, 3, 4}, (const double[3]){10, 20, 30}, UPRIGHT);
    assert_int_equal(tal_block_footprint(&s.block, xy, order), 4);
    const double expected[8] = {9, 18.5, 11, 18.5, 11, 21.5, 9, 21.5};
    for (int i = 0; i < 8; i++) {
        check_near(xy[i], expected[i], 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright_box_fills_cells_by_their_overlap),
        cmocka_unit_test(turned_box_keeps_its_volume_and_its_roof),
        cmocka_unit_test(tetrahedron_has_columns_of_the_closed_form),
        cmocka_unit_test(columns_of_random_boxes_sum_to_their_volume),
        cmocka_unit_test(what_hangs_over_the_rim_is_reported),
        cmocka_unit_test(columns_agree_with_the_integral_of_the_height),
        cmocka_unit_test(upper_surface_agrees_with_a_ray_caster),
        cmocka_unit_test(footprint_is_the_convex_shadow),
        cmocka_unit_test(footprint_of_an_upright_box_is_its_base)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts and outlines: areas, holes, corners that touch.
#include "core/geometry/outline.h"
#include "core/base/random.h"
#include "tests/support/check.h"

#include <ogr_api.h>

enum { COLUMNS = 9, ROWS = 7 };
static const tal_cell_frame LATTICE = {100.0, 50.0, 2.0};

static void trace(tal_outline *outline, const uint8_t *mask) {
    tal_components parts;
    check_ok(tal_components_find(&parts, mask, COLUMNS, ROWS, false, &check_error));
    check_ok(tal_outline_trace(outline, &parts, LATTICE, &check_error));
    assert_int_equal(outline->polygon_count, parts.count);
    tal_components_destroy(&parts);
}

static void draw(uint8_t mask[COLUMNS * ROWS], const char *rows[ROWS]) {
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            mask[row * COLUMNS + column] = rows[row][column] == '#' ? 1 : 0;
        }
    }
}

static double ring_area(const tal_outline *o, int32_t ring) {
    double area = 0.0;
    const int32_t begin = o->ring_start[ring], end = o->ring_start[ring + 1];
    for (int32_t v = begin; v < end; v++) {
        const int32_t next = v + 1 < end ? v + 1 : begin;
        area += 0.5 * (o->x[v] * o->y[next] - o->x[next] * o->y[v]);
    }
    return area;
}

static void outline_of_a_block_with_a_hole(void **state) {
    (void)state;
    uint8_t mask[COLUMNS * ROWS];
    tal_outline o;
    draw(mask, (const char *[]){".........", ".#####...", ".#...#...", ".#.#.#...", ".#...#...",
                                ".#####...", "........."});
    trace(&o, mask);
    assert_int_equal(o.polygon_count, 2);
    assert_int_equal(o.ring_count, 3);
    const int32_t outer = o.polygon_start[0];
    check_near(ring_area(&o, outer), 25.0 * 4.0, 1e-12);       // counter-clockwise
    check_near(ring_area(&o, outer + 1), -9.0 * 4.0, 1e-12);   // the hole, clockwise
    check_near(ring_area(&o, o.polygon_start[1]), 4.0, 1e-12); // the island in it
    assert_int_equal(o.ring_start[1] - o.ring_start[0], 4);    // corners only
    tal_outline_destroy(&o);
}

static void parts_that_touch_at_a_corner_are_two_polygons(void **state) {
    (void)state;
    uint8_t mask[COLUMNS * ROWS];
    tal_outline o;
    int64_t cells;
    draw(mask, (const char *[]){"##.......", "##.......", "..##.....", "..##.....", ".........",
                                ".........", "........#"});
    trace(&o, mask);
    assert_int_equal(o.polygon_count, 3);
    assert_int_equal(o.ring_count, 3);
    tal_outline_destroy(&o);
    // For the toe they are one part: debris does not end at a corner.
    check_ok(tal_mask_keep_largest(mask, COLUMNS, ROWS, &cells, &check_error));
    assert_int_equal(cells, 8);
    assert_int_equal(mask[COLUMNS * ROWS - 1], 0);
}

static void a_part_that_touches_itself_at_a_corner_has_a_hole(void **state) {
    (void)state;
    uint8_t mask[COLUMNS * ROWS];
    tal_outline o;
    draw(mask, (const char *[]){".........", ".###.....", ".#.#.....", ".##......", ".........",
                                ".........", "........."});
    trace(&o, mask);
    assert_int_equal(o.polygon_count, 1);
    assert_int_equal(o.ring_count, 2);
    check_near(ring_area(&o, 0), 8.0 * 4.0, 1e-12);
    check_near(ring_area(&o, 1), -4.0, 1e-12);
    tal_outline_destroy(&o);
}

// GEOS has the last word on what a valid polygon is.
static bool is_valid(const tal_outline *o) {
    OGRGeometryH all = OGR_G_CreateGeometry(wkbMultiPolygon);
    for (int32_t p = 0; p < o->polygon_count; p++) {
        OGRGeometryH polygon = OGR_G_CreateGeometry(wkbPolygon);
        for (int32_t r = o->polygon_start[p]; r < o->polygon_start[p + 1]; r++) {
            OGRGeometryH ring = OGR_G_CreateGeometry(wkbLinearRing);
            for (int32_t v = o->ring_start[r]; v < o->ring_start[r + 1]; v++) {
                OGR_G_AddPoint_2D(ring, o->x[v], o->y[v]);
            }
            OGR_G_CloseRings(ring);
            OGR_G_AddGeometryDirectly(polygon, ring);
        }
        OGR_G_AddGeometryDirectly(all, polygon);
    }
    const bool valid = OGR_G_IsValid(all) != 0;
    OGR_G_DestroyGeometry(all);
    return valid;
}

static void random_masks_have_valid_outlines_of_their_area(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(3, 0, "tests/post-region");
    for (uint64_t trial = 0; trial < 200; trial++) {
        uint8_t mask[COLUMNS * ROWS];
        int cells = 0;
        double area = 0.0;
        tal_outline o;
        for (uint64_t i = 0; i < COLUMNS * ROWS; i++) {
            mask[i] = tal_random_uniform(random, 64 * trial + i) < 0.55 ? 1 : 0;
            cells += mask[i];
        }
        trace(&o, mask);
        for (int32_t p = 0; p < o.polygon_count; p++) {
            assert_true(ring_area(&o, o.polygon_start[p]) > 0.0);
            for (int32_t r = o.polygon_start[p] + 1; r < o.polygon_start[p + 1]; r++) {
                assert_true(ring_area(&o, r) < 0.0);
            }
        }
        for (int32_t r = 0; r < o.ring_count; r++) {
            area += ring_area(&o, r);
        }
        check_near(area, cells * 4.0, 1e-9);
        assert_true(is_valid(&o));
        tal_outline_destroy(&o);
    }
}

// What a polygon encloses is its part, cell by cell: even-odd rule at the centres.
static bool encloses(const tal_outline *o, int32_t polygon, double x, double y) {
    bool inside = false;
    for (int32_t r = o->polygon_start[polygon]; r < o->polygon_start[polygon + 1]; r++) {
        const int32_t begin = o->ring_start[r], end = o->ring_start[r + 1];
        for (int32_t v = begin; v < end; v++) {
            const int32_t next = v + 1 < end ? v + 1 : begin;
            const bool crosses = (o->y[v] > y) != (o->y[next] > y);
            inside ^= crosses && o->x[v] > x; // sides run along the axes
        }
    }
    return inside;
}

static void polygons_enclose_the_cells_of_their_part_and_no_other(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(8, 0, "tests/outline");
    for (uint64_t trial = 0; trial < 50; trial++) {
        uint8_t mask[COLUMNS * ROWS];
        tal_components parts;
        tal_outline o;
        for (uint64_t i = 0; i < COLUMNS * ROWS; i++) {
            mask[i] = tal_random_uniform(random, 64 * trial + i) < 0.3 + 0.01 * (double)trial;
        }
        check_ok(tal_components_find(&parts, mask, COLUMNS, ROWS, false, &check_error));
        check_ok(tal_outline_trace(&o, &parts, LATTICE, &check_error));
        for (int32_t cell = 0; cell < COLUMNS * ROWS; cell++) {
            const double x = 100.0 + 2.0 * (cell % COLUMNS + 0.5);
            const double y = 50.0 - 2.0 * (cell / COLUMNS + 0.5);
            for (int32_t p = 0; p < o.polygon_count; p++) {
                assert_int_equal(encloses(&o, p, x, y), parts.label[cell] == p + 1);
            }
        }
        tal_outline_destroy(&o);
        tal_components_destroy(&parts);
    }
}

static void an_empty_mask_has_no_outline(void **state) {
    (void)state;
    uint8_t mask[COLUMNS * ROWS] = {0};
    tal_outline o;
    int64_t cells = 7;
    trace(&o, mask);
    assert_int_equal(o.polygon_count, 0);
    assert_int_equal(o.ring_count, 0);
    tal_outline_destroy(&o);
    check_ok(tal_mask_keep_largest(mask, COLUMNS, ROWS, &cells, &check_error));
    assert_int_equal(cells, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outline_of_a_block_with_a_hole),
        cmocka_unit_test(parts_that_touch_at_a_corner_are_two_polygons),
        cmocka_unit_test(a_part_that_touches_itself_at_a_corner_has_a_hole),
        cmocka_unit_test(random_masks_have_valid_outlines_of_their_area),
        cmocka_unit_test(polygons_enclose_the_cells_of_their_part_and_no_other),
        cmocka_unit_test(an_empty_mask_has_no_outline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

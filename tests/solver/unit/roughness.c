// SPDX-License-Identifier: GPL-3.0-or-later
// Rough ground: conforming cuts, heights by place, smooth neighbours left alone.
#include "solver/detect/roughness.h"

#include "core/base/math3.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

enum { ROUGH, SMOOTH };
static const tal_roughness CLASS[] = {{0.2, 0.7}, {0.0, 0.0}};

// A strip of squares of 4 m: rough ones on the left, smooth ones on the right. `turned` numbers the
// corners and the triangles from the other end.
static tal_rough_terrain strip(bool turned) {
    enum { COLUMNS = 6, ROWS = 3 };
    tal_rough_terrain t = {.vertex_count = (COLUMNS + 1) * (ROWS + 1)};
    t.vertex = tal_memory_create((size_t)t.vertex_count, sizeof *t.vertex);
    t.triangle = tal_memory_create(6 * COLUMNS * ROWS, sizeof *t.triangle);
    t.surface_class = tal_memory_create(2 * COLUMNS * ROWS, sizeof *t.surface_class);
    for (int32_t k = 0; k < t.vertex_count; k++) {
        const int32_t v = turned ? t.vertex_count - 1 - k : k;
        t.vertex[v] = (tal_vec3){4.0 * (k % (COLUMNS + 1)), 4.0 * (k / (COLUMNS + 1)), 0.0};
    }
    for (int32_t k = 0; k < COLUMNS * ROWS; k++) {
        const int32_t square = turned ? COLUMNS * ROWS - 1 - k : k;
        const int32_t i = square % COLUMNS, j = square / COLUMNS;
        const int32_t a = j * (COLUMNS + 1) + i, d = a + COLUMNS + 1;
        const int32_t corner[6] = {a, a + 1, d, a + 1, d + 1, d};
        for (int c = 0; c < 6; c++) {
            t.triangle[3 * t.triangle_count + c] =
                turned ? t.vertex_count - 1 - corner[c] : corner[c];
        }
        t.surface_class[t.triangle_count] = t.surface_class[t.triangle_count + 1] =
            i < COLUMNS / 2 ? ROUGH : SMOOTH;
        t.triangle_count += 2;
    }
    return t;
}

static double plan_area(const tal_rough_terrain *t) {
    double twice = 0.0;
    for (int32_t n = 0; n < t->triangle_count; n++) {
        const tal_vec3 a = t->vertex[t->triangle[3 * n]], b = t->vertex[t->triangle[3 * n + 1]],
                       c = t->vertex[t->triangle[3 * n + 2]];
        const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        assert_true(area > 0.0); // none is turned over
        twice += area;
    }
    return 0.5 * twice;
}

// Every edge is met once from either side, or once alone at the rim: there are no gaps.
static void check_conforming(const tal_rough_terrain *t, double rim) {
    double alone = 0.0;
    for (int32_t n = 0; n < 3 * t->triangle_count; n++) {
        const int32_t a = t->triangle[n], b = t->triangle[n % 3 == 2 ? n - 2 : n + 1];
        int opposite = 0, same = 0;
        for (int32_t m = 0; m < 3 * t->triangle_count; m++) {
            const int32_t c = t->triangle[m], d = t->triangle[m % 3 == 2 ? m - 2 : m + 1];
            opposite += c == b && d == a;
            same += c == a && d == b;
        }
        assert_true(same == 1 && opposite <= 1);
        alone += opposite == 0
                     ? hypot(t->vertex[a].x - t->vertex[b].x, t->vertex[a].y - t->vertex[b].y)
                     : 0.0;
    }
    check_near(alone, rim, 1e-9);
}

static void cuts_conform_and_keep_the_area(void **unused) {
    (void)unused;
    tal_rough_terrain t = strip(false);
    check_ok(tal_terrain_roughen(&t, CLASS, 2, 5, &check_error));
    check_near(plan_area(&t), 24.0 * 12.0, 1e-9);
    check_conforming(&t, 2.0 * (24.0 + 12.0));
    for (int32_t n = 0; n < 3 * t.triangle_count; n++) {
        const tal_vec3 a = t.vertex[t.triangle[n]],
                       b = t.vertex[t.triangle[n % 3 == 2 ? n - 2 : n + 1]];
        assert_true(t.surface_class[n / 3] == SMOOTH || hypot(a.x - b.x, a.y - b.y) <= 0.7 + 1e-9);
    }
    tal_rough_terrain_destroy(&t);
}

static void heights_stay_in_their_range_and_smooth_ground_stays_flat(void **unused) {
    (void)unused;
    tal_rough_terrain t = strip(false);
    check_ok(tal_terrain_roughen(&t, CLASS, 2, 5, &check_error));
    double sum = 0.0, squares = 0.0;
    int count = 0;
    for (int32_t v = 0; v < t.vertex_count; v++) {
        if (t.vertex[v].x >= 12.0) {
            assert_true(t.vertex[v].z == 0.0);
        } else {
            assert_true(fabs(t.vertex[v].z) <= 0.2);
            sum += t.vertex[v].z;
            squares += t.vertex[v].z * t.vertex[v].z;
            count++;
        }
    }
    const double deviation = 0.2 / sqrt(3.0); // of a uniform distribution
    assert_true(count > 300);
    check_near(sum / count, 0.0, 4.0 * deviation / sqrt(count));
    check_near(sqrt(squares / count), deviation, 0.1 * deviation);
    tal_rough_terrain_destroy(&t);
}

static double height_at(const tal_rough_terrain *t, tal_vec3 at) {
    for (int32_t v = 0; v < t->vertex_count; v++) {
        if (fabs(t->vertex[v].x - at.x) < 1e-9 && fabs(t->vertex[v].y - at.y) < 1e-9) {
            return t->vertex[v].z;
        }
    }
    return NAN;
}

static void a_place_is_drawn_once_whatever_its_number(void **unused) {
    (void)unused;
    tal_rough_terrain t = strip(false), turned = strip(true), other = strip(false);
    check_ok(tal_terrain_roughen(&t, CLASS, 2, 5, &check_error));
    check_ok(tal_terrain_roughen(&turned, CLASS, 2, 5, &check_error));
    check_ok(tal_terrain_roughen(&other, CLASS, 2, 6, &check_error));
    assert_true(t.vertex_count == turned.vertex_count);
    int same = 0;
    for (int32_t v = 0; v < t.vertex_count; v++) {
        assert_true(height_at(&turned, t.vertex[v]) == t.vertex[v].z);
        same += t.vertex[v].x < 12.0 && height_at(&other, t.vertex[v]) == t.vertex[v].z;
    }
    assert_true(same == 0); // another seed is another ground
    tal_rough_terrain_destroy(&t);
    tal_rough_terrain_destroy(&turned);
    tal_rough_terrain_destroy(&other);
}

static void far_too_short_bumps_are_refused(void **unused) {
    (void)unused;
    tal_rough_terrain t = strip(false);
    const tal_roughness fine[] = {{0.2, 1e-4}, {0.0, 0.0}};
    check_fails(tal_terrain_roughen(&t, fine, 2, 5, &check_error), TAL_TOO_LARGE,
                "roughness_length_m");
    tal_rough_terrain_destroy(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_conform_and_keep_the_area),
        cmocka_unit_test(heights_stay_in_their_range_and_smooth_ground_stays_flat),
        cmocka_unit_test(a_place_is_drawn_once_whatever_its_number),
        cmocka_unit_test(far_too_short_bumps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

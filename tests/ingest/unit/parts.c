// SPDX-License-Identifier: GPL-3.0-or-later
// Volumes of the parts of a source: the same numbers as each part alone on the whole grid, and
// together those of the whole; in the cliff frame, what the columns hold.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "ingest/volume/parts.h"

enum { COLUMNS = 120, ROWS = 90, CELLS = COLUMNS * ROWS };
static const tal_grid field = {
    .west = -60.0, .north = 45.0, .cell = 1.0, .columns = COLUMNS, .rows = ROWS};

typedef struct {
    int32_t left, top, width, height;
    float depth;
} pit;

static bool is_in(const pit *p, int32_t column, int32_t row) {
    return column >= p->left && column < p->left + p->width && row >= p->top &&
           row < p->top + p->height;
}

// Level ground with pits, scanned with eight points per cell; `noise` is that of each epoch.
static void dig(tal_comparison *a, const pit *pits, int count, double noise) {
    const tal_random random = tal_random_stream(11, 0, "test/parts");
    *a = (tal_comparison){.frame = tal_rigid_identity(), .grid = field};
    check_ok(tal_dem_create(&a->before, &field, &check_error));
    check_ok(tal_dem_create(&a->after, &field, &check_error));
    check_ok(tal_change_create(&a->change, &field, &check_error));
    for (int32_t i = 0; i < CELLS; i++) {
        const uint64_t draw = (uint64_t)i;
        float depth = 0.0F;
        for (int k = 0; k < count; k++) {
            if (is_in(&pits[k], i % COLUMNS, i / COLUMNS)) {
                depth = pits[k].depth;
            }
        }
        a->before.z[i] = (float)(noise * tal_random_normal(random, 2 * draw));
        a->after.z[i] = (float)(noise * tal_random_normal(random, 2 * draw + 1)) - depth;
        // Beams are unevenly dense over some cells, so that the surroundings of a cell matter.
        a->before.count[i] = 8.0F;
        a->after.count[i] =
            (float)(8 + (i % COLUMNS / 4 + i / COLUMNS / 3) % 3 * (noise > 0.0 ? 3 : 0));
        a->before.kind[i] = a->after.kind[i] = TAL_CELL_POINTS;
        a->change.dz[i] = a->after.z[i] - a->before.z[i];
        a->change.random[i] = 0.03F;
        a->change.spread[i] = 0.05F;
        a->change.source[i] = depth > 0.0F;
    }
}

static tal_components find_parts(const tal_comparison *a) {
    tal_components parts;
    check_ok(tal_components_find(&parts, a->change.source, COLUMNS, ROWS, false, &check_error));
    return parts;
}

static tal_volume_estimate find_volume(const tal_comparison *a, const uint8_t *mask) {
    tal_volume_estimate volume;
    check_ok(tal_volume_find(&a->change, &a->before, &a->after, &a->variogram,
                             a->registration.deviation, mask, -1.0, &volume, &check_error));
    return volume;
}

static void assert_same(const tal_volume_estimate *a, const tal_volume_estimate *b) {
    assert_true(a->volume_m3 == b->volume_m3 && a->low_m3 == b->low_m3 && a->high_m3 == b->high_m3);
    assert_true(a->random_m3 == b->random_m3 && a->correlated_m3 == b->correlated_m3);
    assert_true(a->systematic_m3 == b->systematic_m3 && a->hidden_m3 == b->hidden_m3);
    assert_true(a->area_m2 == b->area_m2 && a->gap_m2 == b->gap_m2);
    assert_true(a->mean_thickness_m == b->mean_thickness_m);
    assert_true(a->max_thickness_m == b->max_thickness_m);
}

// One pit at the rim of the grid, one with a gap, one with an unseen strip behind its edge.
static void each_part_is_measured_as_if_it_were_alone(void **state) {
    (void)state;
    static const pit pits[] = {{0, 0, 12, 9, 3.0F}, {40, 20, 30, 25, 4.0F}, {95, 60, 14, 16, 2.0F}};
    tal_comparison a;
    dig(&a, pits, 3, 0.02);
    a.variogram = (tal_variogram){.nugget = 0.4, .sill = {0.6, 0.0}, .range_m = {12.0, 0.0}};
    a.registration.deviation[0] = 0.03;
    a.registration.deviation[2] = 0.01;
    for (int32_t row = 60; row < 76; row++) {
        a.after.count[row * COLUMNS + 95] = 0.0F;
    }
    const int32_t gap = 30 * COLUMNS + 50;
    a.change.dz[gap] = a.after.z[gap] = NAN;
    a.change.source[gap] = 0;
    tal_components parts = find_parts(&a);
    assert_int_equal(parts.count, 3);
    tal_volume_estimate volumes[4];
    check_ok(tal_parts_measure(&a, parts.label, 3, -1.0, volumes, &check_error));
    for (int32_t number = 1; number <= 3; number++) {
        static uint8_t alone[CELLS];
        for (int32_t i = 0; i < CELLS; i++) {
            alone[i] = parts.label[i] == number;
        }
        const tal_volume_estimate wanted = find_volume(&a, alone);
        assert_same(&volumes[number], &wanted);
        assert_int_equal(volumes[number].part_count, 1);
    }
    assert_true(volumes[2].gap_m2 == 1.0 && volumes[3].hidden_m3 > 0.0);
    tal_components_destroy(&parts);
    tal_comparison_destroy(&a);
}

// Pits three cells apart, their rings of two overlap: the ring cells between them go to the nearer
// one. 20 by 20 and 10 by 10 cells and their rounded rings, closed form without noise.
static void parts_that_nearly_touch_share_out_what_lies_between(void **state) {
    (void)state;
    static const pit pits[] = {{20, 20, 20, 20, 2.0F}, {43, 20, 10, 10, 1.0F}};
    tal_comparison a;
    dig(&a, pits, 2, 0.0);
    a.registration.deviation[2] = 0.05;
    tal_components parts = find_parts(&a);
    tal_volume_estimate volumes[3];
    check_ok(tal_parts_measure(&a, parts.label, 2, -1.0, volumes, &check_error));
    const tal_volume_estimate whole = find_volume(&a, a.change.source);
    check_near(volumes[1].volume_m3, 800.0, 1e-9);
    check_near(volumes[2].volume_m3, 100.0, 1e-9);
    check_near(volumes[1].systematic_m3, 0.05 * 400.0, 1e-9);
    check_near(volumes[2].systematic_m3, 0.05 * 100.0, 1e-9);
    check_near(volumes[1].volume_m3 + volumes[2].volume_m3, whole.volume_m3, 1e-9);
    // Random errors of cells that are counted once add in squares to those of the whole.
    check_near(hypot(volumes[1].random_m3, volumes[2].random_m3), whole.random_m3, 1e-9);
    for (int k = 1; k <= 2; k++) {
        const double half = 1.96 * hypot(hypot(volumes[k].random_m3, volumes[k].systematic_m3),
                                         volumes[k].hidden_m3);
        check_near(volumes[k].high_m3 - volumes[k].volume_m3, half, 1e-9);
        check_near(volumes[k].volume_m3 - volumes[k].low_m3, half, 1e-9);
    }
    tal_components_destroy(&parts);
    tal_comparison_destroy(&a);
}

// A face whose frame is the map's own: its pits lie below the parts of the map, whose columns were
// fitted to a volume 1 % larger. Of a scrap that the face has no cell for nothing is sure.
static void parts_of_a_cliff_hold_their_columns(void **state) {
    (void)state;
    static const pit pits[] = {{20, 20, 20, 20, 2.0F}, {60, 50, 10, 10, 1.0F}};
    static float columns[CELLS];
    static uint8_t mask[CELLS];
    tal_comparison a;
    dig(&a, pits, 2, 0.0);
    a.registration.deviation[2] = 0.05;
    for (int32_t i = 0; i < CELLS; i++) { // fitted to a slightly larger volume
        columns[i] = a.change.source[i] != 0 ? -1.01F * a.change.dz[i] : 0.0F;
    }
    columns[80 * COLUMNS + 5] = 0.25F;
    for (int32_t i = 0; i < CELLS; i++) {
        mask[i] = columns[i] > 0.0F;
    }
    tal_components parts;
    check_ok(tal_components_find(&parts, mask, COLUMNS, ROWS, false, &check_error));
    assert_int_equal(parts.count, 3);
    tal_volume_estimate face[4], volumes[4];
    tal_components own = find_parts(&a);
    check_ok(tal_parts_measure(&a, own.label, 2, -1.0, face, &check_error));
    check_ok(tal_parts_measure_cliff(&a, &field, &parts, columns, -1.0, volumes, &check_error));
    check_near(volumes[1].volume_m3, 808.0, 1e-3);
    check_near(volumes[2].volume_m3, 101.0, 1e-3);
    check_near(volumes[1].mean_thickness_m, 2.02, 1e-5);
    check_near(volumes[2].max_thickness_m, 1.01, 1e-6);
    for (int k = 1; k <= 2; k++) {
        check_near(volumes[k].high_m3 - volumes[k].low_m3, face[k].high_m3 - face[k].low_m3, 1e-9);
    }
    check_near(volumes[3].volume_m3, 0.25, 1e-9);
    check_near(volumes[3].low_m3, 0.0, 1e-9);
    check_near(volumes[3].high_m3, 0.5, 1e-9);
    tal_components_destroy(&own);
    tal_components_destroy(&parts);
    tal_comparison_destroy(&a);
}

// Errors alike everywhere add up: n cells of scale 0.05 and sill 0.64 make 0.04 n. Where two cells
// alone hang together over a metre, the sum of all pairs is exact.
static void correlated_errors_of_few_cells_are_summed_in_full(void **state) {
    (void)state;
    static uint8_t mask[CELLS];
    static float scale[CELLS];
    double found;
    tal_variogram v = {.sill = {0.64, 0.0}, .range_m = {1e12, 0.0}};
    for (int32_t i = 0; i < CELLS; i++) {
        scale[i] = 0.05F;
        mask[i] = i < 500;
    }
    check_ok(tal_variogram_sum_deviation(&v, &field, mask, scale, &found, &check_error));
    check_near(found, 0.04 * 500.0, 1e-6);
    memset(mask, 0, sizeof mask);
    mask[7] = mask[8] = mask[5 * COLUMNS + 50] = 1;
    v.range_m[0] = 2.0; // neighbours: 1 - 1.5 / 2 + 0.5 / 8
    check_ok(tal_variogram_sum_deviation(&v, &field, mask, scale, &found, &check_error));
    check_near(found, 0.04 * sqrt(3.0 + 2.0 * (1.0 - 0.75 + 0.0625)), 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_measured_as_if_it_were_alone),
        cmocka_unit_test(parts_that_nearly_touch_share_out_what_lies_between),
        cmocka_unit_test(parts_of_a_cliff_hold_their_columns),
        cmocka_unit_test(correlated_errors_of_few_cells_are_summed_in_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

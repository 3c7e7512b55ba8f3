// SPDX-License-Identifier: GPL-3.0-or-later
// The pure parts of ingest against closed forms and slow references: statistics, planes, parts and
// outlines, the variogram, co-registration, levels of detection.
#include "tests/support/check.h"

#include "core/base/random.h"
#include "core/geometry/components.h"
#include "ingest/compare/change.h"
#include "ingest/compare/coregister.h"
#include "ingest/compare/variogram.h"
#include "ingest/volume/hidden.h"
#include "ingest/volume/volume.h"

// ---- Statistics --------------------------------------------------------------------------------

static void order_statistics_agree_with_sorting(void **state) {
    (void)state;
    const tal_random random = tal_random_stream(7, 0, "test/select");
    for (size_t count = 1; count <= 60; count++) {
        double values[60], sorted[60], work[60];
        for (size_t i = 0; i < count; i++) { // many ties
            values[i] = floor(10.0 * tal_random_uniform(random, 100 * count + i));
        }
        memcpy(sorted, values, sizeof values);
        tal_sort(sorted, count);
        for (size_t rank = 0; rank < count; rank++) {
            memcpy(work, values, sizeof values);
            assert_true(tal_select(work, count, rank) == sorted[rank]);
        }
        memcpy(work, values, sizeof values);
        assert_true(tal_median(work, count) == 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]));
    }
}

static void nmad_of_normal_numbers_is_their_deviation(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    static double values[COUNT];
    const tal_random random = tal_random_stream(8, 0, "test/normal");
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = 3.0 + 2.0 * tal_random_normal(random, i) + (i % 10 == 0 ? 500.0 : 0.0);
    }
    const tal_statistics found = tal_statistics_find(values, COUNT);
    check_near(found.median, 3.0 + 2.0 * 0.1397,
               0.05); // a tenth of outliers moves the median so far
    check_near(found.nmad, 2.0, 0.35);
    assert_true(found.rmse > 100.0);
}

// ---- Planes ------------------------------------------------------------------------------------

static void plane_through_points_on_a_plane_is_exact(void **state) {
    (void)state;
    tal_sums left = {0}, right = {0}, both = {0};
    for (int i = 0; i < 20; i++) { // two halves with centres 3 m apart
        const double x = 0.1 * i - 1.0, y = 0.37 * (i % 7) - 1.0;
        tal_sums_add_point(&left, x, y, 5.0 + 2.0 * x - 3.0 * y);
        tal_sums_add_point(&right, x, y, 5.0 + 2.0 * (x + 3.0) - 3.0 * y);
    }
    tal_sums_add(&both, &left, 0.0, 0.0);
    tal_sums_add(&both, &right, 3.0, 0.0);
    const tal_cell_plane plane = tal_sums_plane(&both);
    check_near(plane.height, 5.0, 1e-12);
    check_near(plane.slope_x, 2.0, 1e-12);
    check_near(plane.slope_y, -3.0, 1e-12);
    check_near(plane.deviation, 0.0, 1e-6);
    check_near(tal_sums_deviation(&left, 2.0, -3.0), 0.0, 1e-6);
}

// ---- Variogram ---------------------------------------------------------------------------------

enum { FIELD = 160 };
static const tal_grid field_grid = {
    .west = 0.0, .north = FIELD, .cell = 1.0, .columns = FIELD, .rows = FIELD};

static void uncorrelated_noise_is_all_nugget(void **state) {
    (void)state;
    static float value[FIELD * FIELD];
    static uint8_t mask[FIELD * FIELD];
    tal_variogram v;
    double deviation;
    const tal_random random = tal_random_stream(3, 0, "test/nugget");
    for (size_t i = 0; i < FIELD * FIELD; i++) {
        value[i] = (float)tal_random_normal(random, i);
        mask[i] = 1;
    }
    check_ok(tal_variogram_find(&v, &field_grid, value, mask, &check_error));
    check_near(tal_variogram_gamma(&v, 50.0), 1.0, 0.05);
    check_near(v.sill[0] + v.sill[1], 0.0, 0.08);
    for (size_t i = 0; i < FIELD * FIELD; i++) {
        value[i] = 1.0F;
    }
    check_ok(tal_variogram_sum_deviation(&v, &field_grid, mask, value, &deviation, &check_error));
    assert_true(deviation < 0.3 * FIELD * FIELD);
}

// A moving average over a disc of radius r has correlation zero beyond 2 r.
static void range_of_a_moving_average_is_found(void **state) {
    (void)state;
    enum { RADIUS = 6 };
    static float noise[(FIELD + 2 * RADIUS) * (FIELD + 2 * RADIUS)], value[FIELD * FIELD];
    static uint8_t mask[FIELD * FIELD];
    const tal_random random = tal_random_stream(4, 0, "test/range");
    const int width = FIELD + 2 * RADIUS;
    tal_variogram v;
    for (int i = 0; i < width * width; i++) {
        noise[i] = (float)tal_random_normal(random, (uint64_t)i);
    }
    for (int row = 0; row < FIELD; row++) {
        for (int column = 0; column < FIELD; column++) {
            double sum = 0.0;
            int count = 0;
            for (int dr = -RADIUS; dr <= RADIUS; dr++) {
                for (int dc = -RADIUS; dc <= RADIUS; dc++) {
                    if (dr * dr + dc * dc <= RADIUS * RADIUS) {
                        sum += noise[(row + dr + RADIUS) * width + column + dc + RADIUS];
                        count++;
                    }
                }
            }
            value[row * FIELD + column] = (float)(sum / sqrt(count));
            mask[row * FIELD + column] = 1;
        }
    }
    check_ok(tal_variogram_find(&v, &field_grid, value, mask, &check_error));
    check_near(tal_variogram_gamma(&v, 40.0), 1.0, 0.25);
    check_near(tal_variogram_covariance(&v, 0.0), 1.0, 0.25);
    assert_true(tal_variogram_gamma(&v, 1.0) < 0.35);
    assert_true(tal_variogram_gamma(&v, 14.0) > 0.75 * tal_variogram_gamma(&v, 40.0));
}

// ---- Co-registration ---------------------------------------------------------------------------

enum { SIDE = 200 };
static const tal_grid hill_grid = {
    .west = -100.0, .north = 100.0, .cell = 1.0, .columns = SIDE, .rows = SIDE};

static double hill(double x, double y) {
    return 0.25 * x - 0.1 * y + 9.0 * sin(x / 23.0) * cos(y / 31.0) +
           3.0 * sin((x + 2.0 * y) / 17.0);
}

// The later ground is hill moved by the inverse of `motion`, so that `motion` moves it back: each
// cell is found by a few fixed-point steps.
static void make_hills(tal_dem *before, tal_dem *after, const tal_rigid *motion, double noise,
                       double fallen) {
    const tal_random random = tal_random_stream(5, 0, "test/hill");
    check_ok(tal_dem_create(before, &hill_grid, &check_error));
    check_ok(tal_dem_create(after, &hill_grid, &check_error));
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        double x, y;
        tal_grid_centre(&hill_grid, (int32_t)(i % SIDE), (int32_t)(i / SIDE), &x, &y);
        double z = hill(x, y);
        for (int k = 0; k < 30; k++) { // z such that the moved point lies on the hill
            double px = x, py = y, pz = z;
            tal_rigid_apply(motion, &px, &py, &pz);
            z += hill(px, py) - pz;
        }
        const bool moved = hypot(x - 20.0, y - 10.0) < 25.0;
        before->z[i] = (float)(hill(x, y) + noise * tal_random_normal(random, 2 * i));
        after->z[i] =
            (float)(z + noise * tal_random_normal(random, 2 * i + 1) - (moved ? fallen : 0.0));
        before->kind[i] = after->kind[i] = TAL_CELL_POINTS;
        before->error[i] = after->error[i] = (float)fmax(noise, 1e-4);
    }
}

static void rigid_motion_is_recovered_although_a_part_fell(void **state) {
    (void)state;
    const double angles[3] = {4e-4, -6e-4, 3e-4}, shift[3] = {0.42, -0.31, 0.18};
    const double centre[3] = {0.0, 0.0, 0.0};
    const tal_rigid motion = tal_rigid_make(angles, centre, shift);
    const tal_coregister_options options = {.with_rotation = true, .slope_max_deg = 60.0};
    tal_coregister_result found;
    tal_dem before, after;
    make_hills(&before, &after, &motion, 0.03, 8.0);
    check_ok(tal_coregister(&before, &after, NULL, &options, &found, &check_error));
    assert_true(found.converged);
    for (int corner = 0; corner < 4; corner++) {
        double a[3] = {corner % 2 ? 90.0 : -90.0, corner / 2 ? 90.0 : -90.0, 5.0};
        double b[3] = {a[0], a[1], a[2]};
        tal_rigid_apply(&motion, &a[0], &a[1], &a[2]);
        tal_rigid_apply(&found.motion, &b[0], &b[1], &b[2]);
        check_near(b[0], a[0], 0.02);
        check_near(b[1], a[1], 0.02);
        check_near(b[2], a[2], 0.005);
    }
    tal_dem_destroy(&before);
    tal_dem_destroy(&after);
}

static void shift_alone_is_recovered_and_nothing_turns(void **state) {
    (void)state;
    const double none[3] = {0.0, 0.0, 0.0}, shift[3] = {-3.0, 2.0, -4.0};
    const tal_rigid motion = tal_rigid_make(none, none, shift);
    const tal_coregister_options options = {.with_rotation = false, .slope_max_deg = 60.0};
    tal_coregister_result found;
    tal_dem before, after;
    make_hills(&before, &after, &motion, 0.1, 20.0);
    check_ok(tal_coregister(&before, &after, NULL, &options, &found, &check_error));
    for (int axis = 0; axis < 3; axis++) {
        check_near(found.motion.shift[axis], shift[axis], 0.03);
    }
    assert_true(found.motion.rotation[0] == 1.0 && found.motion.rotation[4] == 1.0);
    tal_dem_destroy(&before);
    tal_dem_destroy(&after);
}

static void rigid_motions_compose_and_invert(void **state) {
    (void)state;
    const double angles[3] = {0.3, -0.2, 0.9}, centre[3] = {10.0, 20.0, 30.0},
                 shift[3] = {1.0, 2.0, 3.0};
    const tal_rigid motion = tal_rigid_make(angles, centre, shift);
    const tal_rigid back = tal_rigid_inverse(&motion);
    const tal_rigid both = tal_rigid_after(&back, &motion);
    const double other[3] = {-5.0, 6.0, 7.0};
    const tal_rigid about = tal_rigid_about(&motion, other);
    double found[3], matrix[16], x = 3.0, y = -4.0, z = 5.0, u = x, v = y, w = z;
    tal_rigid_angles(&motion, found);
    tal_rigid_matrix(&motion, matrix);
    for (int i = 0; i < 3; i++) {
        check_near(found[i], angles[i], 1e-14);
    }
    const double moved[3] = {matrix[0] * x + matrix[1] * y + matrix[2] * z + matrix[3],
                             matrix[4] * x + matrix[5] * y + matrix[6] * z + matrix[7],
                             matrix[8] * x + matrix[9] * y + matrix[10] * z + matrix[11]};
    tal_rigid_apply(&about, &u, &v, &w);
    check_near(u, moved[0], 1e-12);
    check_near(v, moved[1], 1e-12);
    check_near(w, moved[2], 1e-12);
    tal_rigid_apply(&both, &x, &y, &z);
    check_near(x, 3.0, 1e-12);
    check_near(y, -4.0, 1e-12);
    check_near(z, 5.0, 1e-12);
}

// ---- Change ------------------------------------------------------------------------------------

static void fallen_disc_is_outlined_and_measured(void **state) {
    (void)state;
    const tal_rigid still = tal_rigid_identity();
    const double exact = 3.14159265358979 * 25.0 * 25.0 * 8.0, shift[3] = {0.0, 0.0, 0.0};
    tal_dem before, after;
    tal_change change;
    tal_variogram v;
    tal_volume_estimate source, deposit;
    make_hills(&before, &after, &still, 0.05, 8.0);
    check_ok(tal_change_create(&change, &hill_grid, &check_error));
    check_ok(tal_change_find_stable(&change, &before, &after, NULL, 20.0, &check_error));
    check_near(change.stable_statistics.nmad, 0.05 * sqrt(2.0), 0.003);
    check_ok(tal_change_find_lod(&change, &before, &after, &check_error));
    check_near(change.lod[0], 1.96 * 0.05 * sqrt(2.0), 0.05);
    check_ok(tal_change_delineate(&change, 20.0, 20.0, &check_error));
    check_ok(tal_volume_variogram(&change, &v, &check_error));
    check_ok(tal_volume_find(&change, &before, &after, &v, shift, change.source, -1.0, &source,
                             &check_error));
    check_ok(tal_volume_find(&change, &before, &after, &v, shift, change.deposit, 1.0, &deposit,
                             &check_error));
    assert_int_equal(source.part_count, 1);
    assert_int_equal(deposit.part_count, 0);
    check_near(source.volume_m3, exact, 0.01 * exact);
    // The rim is 157 m long: one cell in eight along it may be taken for change by its noise.
    check_near(source.area_m2, exact / 8.0, 0.02 * exact / 8.0);
    // Independent cells: 0.05 sqrt(2) m times the root of their number.
    check_near(source.random_m3, 0.05 * sqrt(2.0 * exact / 8.0), 0.5);
    tal_change_destroy(&change);
    tal_dem_destroy(&before);
    tal_dem_destroy(&after);
}

// A pit of 40 by 40 m, 2 m deep, scanned with eight points per cell.
typedef struct {
    tal_dem before, after;
    tal_change change;
} pit;

static void pit_create(pit *p) {
    const size_t cells = tal_grid_cell_count(&hill_grid);
    check_ok(tal_dem_create(&p->before, &hill_grid, &check_error));
    check_ok(tal_dem_create(&p->after, &hill_grid, &check_error));
    check_ok(tal_change_create(&p->change, &hill_grid, &check_error));
    for (size_t i = 0; i < cells; i++) {
        const size_t row = i / SIDE, column = i % SIDE;
        const bool inside = row >= 60 && row < 100 && column >= 60 && column < 100;
        p->before.z[i] = 0.0F;
        p->after.z[i] = p->change.dz[i] = inside ? -2.0F : 0.0F;
        p->before.count[i] = p->after.count[i] = 8.0F;
        p->before.kind[i] = p->after.kind[i] = TAL_CELL_POINTS;
        p->change.spread[i] = 0.01F;
        p->change.source[i] = inside;
    }
}

static void pit_destroy(pit *p) {
    tal_dem_destroy(&p->before);
    tal_dem_destroy(&p->after);
    tal_change_destroy(&p->change);
}

static tal_hidden pit_find_hidden(const pit *p) {
    tal_hidden hidden;
    uint8_t *region = calloc(tal_grid_cell_count(&hill_grid), 1);
    assert_non_null(region);
    memcpy(region, p->change.source, tal_grid_cell_count(&hill_grid));
    check_ok(tal_mask_grow(region, SIDE, SIDE, 2, &check_error));
    check_ok(tal_hidden_find(&p->change, &p->before, &p->after, region, p->change.source, 2.0,
                             &hidden, &check_error));
    free(region);
    return hidden;
}

static void edge_in_full_view_hides_nothing(void **state) {
    (void)state;
    pit p;
    pit_create(&p);
    const tal_hidden hidden = pit_find_hidden(&p);
    assert_true(hidden.shadow_m3 == 0.0);
    assert_true(hidden.gap_m3 == 0.0);
    pit_destroy(&p);
}

// The scanner looks over the western rim: the first metre of the floor, 40 m2, has no points and
// shows the height of the rim. Three windows across see a third of their cells missing, and two of
// them the whole step: 40 (2 + 2) / 3 m3.
static void floor_behind_the_rim_widens_the_interval(void **state) {
    (void)state;
    pit p;
    pit_create(&p);
    for (size_t row = 60; row < 100; row++) {
        p.after.count[row * SIDE + 60] = 0.0F;
        p.after.z[row * SIDE + 60] = 0.0F;
    }
    const double wanted = 40.0 * 4.0 / 3.0 / sqrt(6.0);
    check_near(pit_find_hidden(&p).shadow_m3, wanted, 0.06 * wanted);
    pit_destroy(&p);
}

// Unseen cells inside may have lost anything up to the mean: 25 m2 times 2 m over sqrt(3).
static void gap_inside_the_outline_widens_the_interval(void **state) {
    (void)state;
    pit p;
    pit_create(&p);
    for (size_t row = 70; row < 75; row++) {
        for (size_t column = 70; column < 75; column++) {
            p.change.dz[row * SIDE + column] = p.after.z[row * SIDE + column] = NAN;
            p.change.source[row * SIDE + column] = 0;
        }
    }
    const tal_hidden hidden = pit_find_hidden(&p);
    check_near(hidden.gap_m2, 25.0, 0.0);
    check_near(hidden.gap_m3, 50.0 / sqrt(3.0), 1e-9);
    pit_destroy(&p);
}

static void volumes_are_told_to_the_digits_their_interval_allows(void **state) {
    (void)state;
    char text[128];
    tal_volume_text(
        &(tal_volume_estimate){.volume_m3 = 798869.0, .low_m3 = 796575.4, .high_m3 = 801162.6},
        text, sizeof text);
    assert_string_equal(text, "798900 m3 (95 %: 796600 to 801200)");
    tal_volume_text(
        &(tal_volume_estimate){.volume_m3 = 14.1838, .low_m3 = 13.35, .high_m3 = 15.0176}, text,
        sizeof text);
    assert_string_equal(text, "14.18 m3 (95 %: 13.35 to 15.02)");
    tal_volume_text(&(tal_volume_estimate){.volume_m3 = 0.0}, text, sizeof text);
    assert_string_equal(text, "0 m3 (95 %: 0 to 0)");
}

static void holes_are_bridged_up_to_their_size_only(void **state) {
    (void)state;
    const tal_rigid still = tal_rigid_identity();
    tal_dem before, after;
    make_hills(&before, &after, &still, 0.0, 0.0);
    for (int r = 0; r < 12; r++) {
        for (int c = 0; c < 12; c++) {
            if (r < 4 && c < 4) {
                before.z[(50 + r) * SIDE + 50 + c] = NAN; // 16 m2
            }
            before.z[(120 + r) * SIDE + 120 + c] = NAN; // 144 m2
        }
    }
    check_ok(tal_dem_fill_holes(&before, 25.0, &check_error));
    assert_int_equal(before.cells_filled, 16);
    check_near(before.z[52 * SIDE + 52], after.z[52 * SIDE + 52], 0.1);
    assert_int_equal(before.kind[52 * SIDE + 52], TAL_CELL_FILLED);
    assert_true(isnan(before.z[125 * SIDE + 125]));
    tal_dem_destroy(&before);
    tal_dem_destroy(&after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_statistics_agree_with_sorting),
        cmocka_unit_test(nmad_of_normal_numbers_is_their_deviation),
        cmocka_unit_test(plane_through_points_on_a_plane_is_exact),
        cmocka_unit_test(uncorrelated_noise_is_all_nugget),
        cmocka_unit_test(range_of_a_moving_average_is_found),
        cmocka_unit_test(rigid_motion_is_recovered_although_a_part_fell),
        cmocka_unit_test(shift_alone_is_recovered_and_nothing_turns),
        cmocka_unit_test(rigid_motions_compose_and_invert),
        cmocka_unit_test(fallen_disc_is_outlined_and_measured),
        cmocka_unit_test(edge_in_full_view_hides_nothing),
        cmocka_unit_test(floor_behind_the_rim_widens_the_interval),
        cmocka_unit_test(gap_inside_the_outline_widens_the_interval),
        cmocka_unit_test(volumes_are_told_to_the_digits_their_interval_allows),
        cmocka_unit_test(holes_are_bridged_up_to_their_size_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

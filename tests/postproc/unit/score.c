// SPDX-License-Identifier: GPL-3.0-or-later
// Scores of small cases worked out by hand, their symmetries, and the earth mover's distance
// against brute force.
#include "postproc/measure/score.h"
#include "core/base/random.h"
#include "tests/support/check.h"

enum { COLUMNS = 12, ROWS = 6, CELLS = COLUMNS * ROWS };

// A strip of cells two metres wide that runs east; the line lies along y = 0 from the crown at x =
// 0.
typedef struct {
    float simulated[CELLS], surveyed[CELLS], lod[CELLS], ground[CELLS];
    uint8_t valid[CELLS];
    double x[2], y[2], s[2];
    tal_flow_line line;
    tal_score_input comparison;
} bench;

static void bench_reset(bench *b) {
    memset(b, 0, sizeof *b);
    for (int i = 0; i < CELLS; i++) {
        b->valid[i] = 1;
        b->lod[i] = 0.5f;
        b->ground[i] = 100.0f - 2.0f * (float)(i % COLUMNS);
    }
    b->x[1] = 24.0;
    b->s[1] = 24.0;
    b->line = (tal_flow_line){2, b->x, b->y, b->s};
    b->comparison = (tal_score_input){.grid = {0.0, 6.0, 2.0, COLUMNS, ROWS},
                                      .valid = b->valid,
                                      .lod = b->lod,
                                      .simulated = b->simulated,
                                      .solid = b->simulated,
                                      .surveyed = b->surveyed,
                                      .ground = b->ground,
                                      .line = &b->line,
                                      .crown_height = 120.0,
                                      .source_volume = 1000.0,
                                      .survey_factor = 1.0};
}

// Columns [from, to) of rows 2 and 3.
static void lay(float *thickness, int from, int to, float value) {
    for (int row = 2; row < 4; row++) {
        for (int column = from; column < to; column++) {
            thickness[row * COLUMNS + column] = value;
        }
    }
}

static double score(bench *b, tal_score_key key) {
    tal_scores scores;
    check_ok(tal_scores_compute(&scores, &b->comparison, &check_error));
    return scores.value[key];
}

static void equal_deposits_score_perfectly(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.simulated, 4, 8, 2.0f);
    lay(b.surveyed, 4, 8, 2.0f);
    // What the maps decide must be there; a row that something else decides is none of this test's.
    const tal_score_key decided[] = {TAL_SCORE_iou,
                                     TAL_SCORE_precision,
                                     TAL_SCORE_recall,
                                     TAL_SCORE_emd_m,
                                     TAL_SCORE_volume_ratio,
                                     TAL_SCORE_centroid_distance_m,
                                     TAL_SCORE_runout_error_m,
                                     TAL_SCORE_thickness_bias_m,
                                     TAL_SCORE_thickness_rmse_m};
    for (size_t i = 0; i < sizeof decided / sizeof *decided; i++) {
        assert_true(isfinite(score(&b, decided[i])));
    }
    for (int i = 0; i < TAL_SCORE_COUNT; i++) {
        const double value = score(&b, (tal_score_key)i);
        if (tal_score_notes[i].best[0] != '\0' && !isnan(value)) {
            check_near(value, atof(tal_score_notes[i].best), 1e-12);
        }
    }
    check_near(score(&b, TAL_SCORE_volume_surveyed_m3), 8 * 4 * 2.0, 1e-12);
    check_near(score(&b, TAL_SCORE_area_simulated_m2), 32.0, 1e-12);
    // The toe is the centre of column 7 at x = 15; the ground there is 86, the crown 120.
    check_near(score(&b, TAL_SCORE_runout_surveyed_m), 15.0, 1e-12);
    check_near(score(&b, TAL_SCORE_fahrboeschung_surveyed), 34.0 / 15.0, 1e-6);
}

static void one_cell_is_enough_to_score(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    b.simulated[2 * COLUMNS + 5] = b.surveyed[2 * COLUMNS + 5] = 0.6f;
    check_near(score(&b, TAL_SCORE_iou), 1.0, 0.0);
    check_near(score(&b, TAL_SCORE_recall), 1.0, 0.0);
    check_near(score(&b, TAL_SCORE_area_surveyed_m2), 4.0, 0.0);
}

// With several sources the runout is that of the blocks of the first; what is too thin to be seen of them
// is no deposit.
static void runout_is_that_of_the_measured_source(void **state) {
    (void)state;
    bench b;
    float measured[CELLS] = {0};
    bench_reset(&b);
    lay(b.simulated, 1, 9, 2.0f);
    lay(measured, 1, 4, 0.6f);
    lay(measured, 4, 9, 0.4f);
    b.comparison.measured = measured;
    check_near(score(&b, TAL_SCORE_runout_simulated_m), 7.0, 1e-12); // the centre of column 3
    b.comparison.measured = NULL;
    check_near(score(&b, TAL_SCORE_runout_simulated_m), 17.0, 1e-12);
}

static void disjoint_deposits_have_no_overlap(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.simulated, 1, 3, 2.0f);
    lay(b.surveyed, 6, 8, 2.0f);
    check_near(score(&b, TAL_SCORE_iou), 0.0, 0.0);
    check_near(score(&b, TAL_SCORE_precision), 0.0, 0.0);
    check_near(score(&b, TAL_SCORE_recall), 0.0, 0.0);
    check_near(score(&b, TAL_SCORE_centroid_distance_m), 10.0, 1e-12);
    check_near(score(&b, TAL_SCORE_emd_m), 10.0, 1e-12);
    check_near(score(&b, TAL_SCORE_runout_error_m), -10.0, 1e-12);
    check_near(score(&b, TAL_SCORE_thickness_bias_m), 0.0, 1e-12);
    check_near(score(&b, TAL_SCORE_thickness_rmse_m), 2.0, 1e-12);
}

static void half_overlap_scores_a_third(void **state) {
    (void)state;
    // Four columns each, two in common: 4 of 12 cells, precision and recall a half.
    bench b;
    bench_reset(&b);
    lay(b.simulated, 2, 6, 1.0f);
    lay(b.surveyed, 4, 8, 3.0f);
    check_near(score(&b, TAL_SCORE_iou), 1.0 / 3.0, 1e-12);
    check_near(score(&b, TAL_SCORE_precision), 0.5, 1e-12);
    check_near(score(&b, TAL_SCORE_recall), 0.5, 1e-12);
    check_near(score(&b, TAL_SCORE_volume_ratio), 1.0 / 3.0, 1e-12);
    // Thickness differences: +1 on 4 cells, -2 on 4, -3 on 4.
    check_near(score(&b, TAL_SCORE_thickness_bias_m), (4.0 - 8.0 - 12.0) / 12.0, 1e-12);
    check_near(score(&b, TAL_SCORE_thickness_rmse_m), sqrt((4.0 + 16.0 + 36.0) / 12.0), 1e-12);
    check_near(score(&b, TAL_SCORE_centroid_distance_m), 4.0, 1e-12);
    check_near(score(&b, TAL_SCORE_emd_m), 4.0, 1e-12); // shares, not volumes, are moved
}

static void a_shift_by_one_cell_is_measured_as_such(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.simulated, 5, 9, 2.0f);
    lay(b.surveyed, 4, 8, 2.0f);
    check_near(score(&b, TAL_SCORE_iou), 3.0 / 5.0, 1e-12);
    check_near(score(&b, TAL_SCORE_runout_error_m), 2.0, 1e-12);
    check_near(score(&b, TAL_SCORE_emd_m), 2.0, 1e-12);
    check_near(score(&b, TAL_SCORE_centroid_distance_m), 2.0, 1e-12);
}

static void swapping_the_deposits_swaps_precision_and_recall(void **state) {
    (void)state;
    bench b, swapped;
    bench_reset(&b);
    lay(b.simulated, 2, 9, 1.0f);
    lay(b.surveyed, 4, 8, 1.5f);
    bench_reset(&swapped);
    lay(swapped.simulated, 4, 8, 1.5f);
    lay(swapped.surveyed, 2, 9, 1.0f);
    const tal_score_key same[] = {TAL_SCORE_iou, TAL_SCORE_centroid_distance_m, TAL_SCORE_emd_m,
                                  TAL_SCORE_thickness_rmse_m};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_near(score(&b, same[i]), score(&swapped, same[i]), 1e-12);
    }
    check_near(score(&b, TAL_SCORE_precision), score(&swapped, TAL_SCORE_recall), 1e-12);
    check_near(score(&b, TAL_SCORE_thickness_bias_m), -score(&swapped, TAL_SCORE_thickness_bias_m),
               1e-12);
    check_near(score(&b, TAL_SCORE_runout_error_m), -score(&swapped, TAL_SCORE_runout_error_m),
               1e-12);
}

static void rock_smeared_over_the_map_scores_badly(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.surveyed, 4, 8, 2.0f);
    // Thinner than the level of detection everywhere: nothing that a survey would see.
    for (int i = 0; i < CELLS; i++) {
        b.simulated[i] = 0.3f;
    }
    check_near(score(&b, TAL_SCORE_iou), 0.0, 0.0);
    check_near(score(&b, TAL_SCORE_recall), 0.0, 0.0);
    assert_true(isnan(score(&b, TAL_SCORE_precision)));
    check_near(score(&b, TAL_SCORE_thickness_bias_m), 0.3 - 2.0, 1e-6);
    assert_true(score(&b, TAL_SCORE_emd_m) > 3.5);
    // Just thicker than it: covers all of the deposit and all of the map.
    for (int i = 0; i < CELLS; i++) {
        b.simulated[i] = 0.6f;
    }
    check_near(score(&b, TAL_SCORE_iou), 8.0 / 72.0, 1e-12);
    check_near(score(&b, TAL_SCORE_recall), 1.0, 0.0);
    check_near(score(&b, TAL_SCORE_precision), 8.0 / 72.0, 1e-12);
}

static void cells_of_one_epoch_only_do_not_count(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.simulated, 2, 8, 2.0f);
    lay(b.surveyed, 4, 8, 2.0f);
    for (int row = 0; row < ROWS; row++) {
        b.valid[row * COLUMNS + 2] = b.valid[row * COLUMNS + 3] = 0;
    }
    check_near(score(&b, TAL_SCORE_iou), 1.0, 1e-12);
    b.simulated[0] = NAN;
    check_near(score(&b, TAL_SCORE_iou), 1.0, 1e-12);
}

static void runout_belongs_to_the_largest_part(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.simulated, 2, 6, 2.0f);
    b.simulated[5 * COLUMNS + 11] = 2.0f; // one block that rolled on
    lay(b.surveyed, 2, 6, 2.0f);
    check_near(score(&b, TAL_SCORE_runout_error_m), 0.0, 1e-12);
    check_near(score(&b, TAL_SCORE_iou), 8.0 / 9.0, 1e-12);
}

static void without_a_survey_nothing_is_compared(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.simulated, 2, 6, 2.0f);
    b.comparison.surveyed = NULL;
    assert_true(isnan(score(&b, TAL_SCORE_iou)));
    assert_true(isnan(score(&b, TAL_SCORE_emd_m)));
    check_near(score(&b, TAL_SCORE_volume_simulated_m3), 64.0, 1e-12);
    check_near(score(&b, TAL_SCORE_runout_simulated_m), 11.0, 1e-12);
}

static void nothing_at_all_gives_no_numbers(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    assert_true(isnan(score(&b, TAL_SCORE_iou)));
    assert_true(isnan(score(&b, TAL_SCORE_runout_error_m)));
    check_near(score(&b, TAL_SCORE_volume_simulated_m3), 0.0, 0.0);
}

static void the_survey_error_changes_the_surveyed_volume(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    lay(b.simulated, 4, 8, 2.0f);
    lay(b.surveyed, 4, 8, 2.0f);
    b.comparison.survey_factor = 0.8;
    check_near(score(&b, TAL_SCORE_volume_ratio), 1.25, 1e-12);
    check_near(score(&b, TAL_SCORE_thickness_bias_m), 0.4, 1e-6);
}

// Loads across the map, a line that runs down it askew: places count in both directions, and along the line.
static void places_count_in_both_directions(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    b.x[1] = 18.0; // from (0, 0) in the direction (3, 4)
    b.y[1] = 24.0;
    b.s[1] = 30.0;
    b.simulated[0] = 2.0f;               // centre (1, 5)
    b.surveyed[4 * COLUMNS + 10] = 3.0f; // centre (21, -3)
    check_near(score(&b, TAL_SCORE_centroid_distance_m), hypot(20.0, 8.0), 1e-12);
    check_near(score(&b, TAL_SCORE_runout_simulated_m), 0.6 * 1.0 + 0.8 * 5.0, 1e-12);
    check_near(score(&b, TAL_SCORE_runout_surveyed_m), 0.6 * 21.0 - 0.8 * 3.0, 1e-12);
    check_near(score(&b, TAL_SCORE_emd_m), 0.6 * 20.0 - 0.8 * 8.0, 1e-12);
    check_near(score(&b, TAL_SCORE_fahrboeschung_simulated), 20.0 / 4.6, 1e-6);
}

// A deposit behind the crown has a negative runout, and no H/L.
static void a_deposit_behind_the_crown_is_found(void **state) {
    (void)state;
    bench b;
    bench_reset(&b);
    b.x[0] = 20.0; // the line begins far down and leads on
    b.x[1] = 44.0;
    lay(b.simulated, 2, 4, 2.0f);
    check_near(score(&b, TAL_SCORE_runout_simulated_m), 7.0 - 20.0, 1e-12);
    assert_true(isnan(score(&b, TAL_SCORE_fahrboeschung_simulated)));
    b.x[0] = 6.5; // just before it
    check_near(score(&b, TAL_SCORE_runout_simulated_m), 0.5, 1e-12);
    check_near(score(&b, TAL_SCORE_fahrboeschung_simulated), (120.0 - 94.0) / 0.5, 1e-6);
}

// Rock without pores is counted by itself, wherever it is comparable, and holes in it are none.
static void solid_rock_is_its_own_layer(void **state) {
    (void)state;
    bench b;
    float solid[CELLS] = {0};
    bench_reset(&b);
    lay(b.simulated, 4, 8, 2.0f);
    lay(b.surveyed, 4, 8, 2.0f);
    lay(solid, 4, 10, 0.25f); // thinner than the survey sees, and farther
    solid[0] = NAN;
    b.comparison.solid = solid;
    check_near(score(&b, TAL_SCORE_volume_solid_m3), 12 * 4 * 0.25, 1e-12);
    check_near(score(&b, TAL_SCORE_volume_simulated_m3), 8 * 4 * 2.0, 1e-12);
    check_near(score(&b, TAL_SCORE_emd_m), 2.0, 1e-12); // mean place 12 against 14
}

static void shares_do_not_depend_on_the_size_of_the_loads(void **state) {
    (void)state;
    const double s[2] = {0.0, 3.0}, a[2] = {0.02, 0.0}, b[2] = {0.0, 0.01};
    double distance;
    check_ok(tal_emd_line(s, a, b, 2, &distance, &check_error));
    check_near(distance, 3.0, 1e-12);
    check_ok(tal_emd_line(s, a, (double[2]){0}, 2, &distance, &check_error));
    assert_true(isnan(distance));
}

// Smallest mean distance over all ways to pair n equal loads: a solver that cannot be wrong.
static double brute_force(const double *a, double *b, int n, int fixed) {
    if (fixed == n) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += fabs(a[i] - b[i]);
        }
        return sum / n;
    }
    double best = INFINITY;
    for (int i = fixed; i < n; i++) {
        double swap = b[fixed];
        b[fixed] = b[i];
        b[i] = swap;
        best = fmin(best, brute_force(a, b, n, fixed + 1));
        swap = b[fixed];
        b[fixed] = b[i];
        b[i] = swap;
    }
    return best;
}

static void earth_movers_distance_is_the_cheapest_pairing(void **state) {
    (void)state;
    enum { N = 7 };
    const tal_random random = tal_random_stream(11, 0, "tests/post-emd");
    for (uint64_t trial = 0; trial < 40; trial++) {
        double a[N], b[N], s[2 * N], load_a[2 * N] = {0}, load_b[2 * N] = {0}, distance, back;
        for (uint64_t i = 0; i < N; i++) {
            // Whole numbers, so that places coincide now and then.
            s[i] = a[i] = floor(20.0 * tal_random_uniform(random, 32 * trial + i));
            s[N + i] = b[i] = floor(20.0 * tal_random_uniform(random, 32 * trial + 16 + i));
            load_a[i] = 3.0;
            load_b[N + i] = 0.5; // totals need not agree
        }
        check_ok(tal_emd_line(s, load_a, load_b, 2 * N, &distance, &check_error));
        check_near(distance, brute_force(a, b, N, 0), 1e-12);
        check_ok(tal_emd_line(s, load_b, load_a, 2 * N, &back, &check_error));
        check_near(back, distance, 1e-12);
    }
}

// Unequal loads: each is so many grains of one size, and grains can be paired.
static void earth_movers_distance_weighs_unequal_loads(void **state) {
    (void)state;
    enum { GRAINS = 8, PLACES = 6 };
    const tal_random random = tal_random_stream(12, 0, "tests/post-emd");
    for (uint64_t trial = 0; trial < 10; trial++) {
        double a[GRAINS], b[GRAINS], s[PLACES], load_a[PLACES] = {0}, load_b[PLACES] = {0};
        double distance;
        for (uint64_t i = 0; i < PLACES; i++) {
            s[i] = 30.0 * tal_random_uniform(random, 64 * trial + i);
        }
        for (uint64_t i = 0; i < GRAINS; i++) {
            const int x = (int)(PLACES * tal_random_uniform(random, 64 * trial + 16 + i));
            const int y = (int)(PLACES * tal_random_uniform(random, 64 * trial + 32 + i));
            a[i] = s[x];
            b[i] = s[y];
            load_a[x] += 2.5;
            load_b[y] += 0.4;
        }
        check_ok(tal_emd_line(s, load_a, load_b, PLACES, &distance, &check_error));
        check_near(distance, brute_force(a, b, GRAINS, 0), 1e-12);
    }
}

static void lines_of_mobility_pass_through_known_points(void **state) {
    (void)state;
    // 10^0.62419 and 10^0.21 at one cubic metre; six decades on, times 10^(-6 b).
    check_near(tal_mobility_scheidegger(1.0), 4.2091051, 1e-5);
    check_near(tal_mobility_scheidegger(1e6), pow(10.0, 0.62419 - 0.93996), 1e-12);
    check_near(tal_mobility_corominas(1e6), pow(10.0, 0.210 - 0.654), 1e-12);
    check_near(tal_mobility_corominas(0.1), pow(10.0, 0.319), 1e-12);
    check_near(tal_mobility_scheidegger(0.1), pow(10.0, 0.78085), 1e-12);
    assert_true(isnan(tal_mobility_corominas(0.0)));
    assert_true(isnan(tal_mobility_scheidegger(0.0)));
}

static void quantiles_are_linear_between_order_statistics(void **state) {
    (void)state;
    double values[] = {4.0, NAN, 1.0, 3.0, 2.0};
    check_near(tal_quantile(values, 5, 0.5), 2.5, 1e-15);
    check_near(tal_quantile(values, 4, 0.0), 1.0, 0.0);
    check_near(tal_quantile(values, 4, 0.95), 3.85, 1e-12);
    check_near(tal_quantile(values, 4, 1.0), 4.0, 0.0);
    check_near(tal_quantile((double[]){7.0}, 1, 0.5), 7.0, 0.0);
    check_near(tal_quantile((double[]){1.0, 5.0}, 2, 0.25), 2.0, 1e-15);
    assert_true(isnan(tal_quantile(values, 0, 0.5)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_deposits_score_perfectly),
        cmocka_unit_test(one_cell_is_enough_to_score),
        cmocka_unit_test(runout_is_that_of_the_measured_source),
        cmocka_unit_test(disjoint_deposits_have_no_overlap),
        cmocka_unit_test(half_overlap_scores_a_third),
        cmocka_unit_test(a_shift_by_one_cell_is_measured_as_such),
        cmocka_unit_test(swapping_the_deposits_swaps_precision_and_recall),
        cmocka_unit_test(rock_smeared_over_the_map_scores_badly),
        cmocka_unit_test(cells_of_one_epoch_only_do_not_count),
        cmocka_unit_test(runout_belongs_to_the_largest_part),
        cmocka_unit_test(without_a_survey_nothing_is_compared),
        cmocka_unit_test(nothing_at_all_gives_no_numbers),
        cmocka_unit_test(the_survey_error_changes_the_surveyed_volume),
        cmocka_unit_test(places_count_in_both_directions),
        cmocka_unit_test(a_deposit_behind_the_crown_is_found),
        cmocka_unit_test(solid_rock_is_its_own_layer),
        cmocka_unit_test(shares_do_not_depend_on_the_size_of_the_loads),
        cmocka_unit_test(earth_movers_distance_is_the_cheapest_pairing),
        cmocka_unit_test(earth_movers_distance_weighs_unequal_loads),
        cmocka_unit_test(lines_of_mobility_pass_through_known_points),
        cmocka_unit_test(quantiles_are_linear_between_order_statistics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Overlapping boxes: all of them, once, in order.
#include "tests/solver/unit/geometry_fixture.h"

#include "core/base/fault.h"
#include "solver/detect/broad_phase.h"

enum { BOXES = 1500 };

// Sizes spread over the given ratio, positions over a cube.
static void scatter(tal_body_box *boxes, uint64_t seed, double ratio, double room) {
    const tal_random random = tal_random_stream(seed, 0, "boxes");
    for (uint64_t k = 0; k < BOXES; k++) {
        const double size = pow(ratio, tal_random_uniform(random, 8 * k));
        double low[3], high[3];
        for (uint64_t d = 0; d < 3; d++) {
            low[d] = room * (tal_random_uniform(random, 8 * k + 1 + d) - 0.5);
            high[d] = low[d] + size * (0.2 + 0.8 * tal_random_uniform(random, 8 * k + 4 + d));
        }
        boxes[k] = (tal_body_box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    }
}

static bool overlap(const tal_body_box *a, const tal_body_box *b) {
    return fmax(a->low.x, b->low.x) <= fmin(a->high.x, b->high.x) &&
           fmax(a->low.y, b->low.y) <= fmin(a->high.y, b->high.y) &&
           fmax(a->low.z, b->low.z) <= fmin(a->high.z, b->high.z);
}

static void compare_with_all_pairs(const tal_body_box *boxes, int threads) {
    tal_broad_phase *broad_phase;
    tal_candidates pairs;
    tal_error err;
    assert_int_equal(tal_broad_phase_create(&broad_phase, BOXES, &err), TAL_OK);
    assert_int_equal(tal_broad_phase_find(broad_phase, boxes, threads, &pairs, &err), TAL_OK);
    int32_t k = 0;
    for (int32_t i = 0; i < BOXES; i++) {
        assert_int_equal(pairs.start[i], k);
        for (int32_t j = i + 1; j < BOXES; j++) {
            if (overlap(&boxes[i], &boxes[j])) {
                assert_true(k < pairs.pair_count);
                assert_int_equal(pairs.partner[k], j);
                k++;
            }
        }
    }
    assert_int_equal(k, pairs.pair_count);
    assert_true(k > 100);
    tal_broad_phase_destroy(broad_phase);
}

static void finds_what_testing_all_pairs_finds(void **state) {
    (void)state;
    static tal_body_box boxes[BOXES];
    const double ratios[] = {1.0, 2.5, 1000.0};
    const double rooms[] = {8.0, 20.0, 1500.0};
    for (uint64_t k = 0; k < 3; k++) {
        scatter(boxes, k, ratios[k], rooms[k]);
        compare_with_all_pairs(boxes, 1);
        compare_with_all_pairs(boxes, 3);
    }
}

static void finds_pairs_in_a_dense_lattice_of_equal_boxes(void **state) {
    (void)state;
    static tal_body_box boxes[BOXES];
    for (int32_t k = 0; k < BOXES; k++) {
        // Faces touch exactly: ties in every comparison, centres on cell borders.
        const tal_vec3 low = {k % 10, k / 10 % 10, k / 100};
        boxes[k] = (tal_body_box){low, {low.x + 1.0, low.y + 1.0, low.z + 1.0}};
    }
    compare_with_all_pairs(boxes, 1);
}

static void boxes_that_are_not_finite_are_left_out(void **state) {
    (void)state;
    static tal_body_box boxes[BOXES];
    scatter(boxes, 4, 2.0, 15.0);
    boxes[7].low.x = NAN;
    boxes[8].high.z = INFINITY;
    boxes[9] = (tal_body_box){{1e300, 0, 0}, {1e300, 1, 1}};
    tal_broad_phase *broad_phase;
    tal_candidates pairs;
    tal_error err;
    assert_int_equal(tal_broad_phase_create(&broad_phase, BOXES, &err), TAL_OK);
    assert_int_equal(tal_broad_phase_find(broad_phase, boxes, 1, &pairs, &err), TAL_OK);
    for (int32_t k = 0; k < pairs.pair_count; k++) {
        assert_false(pairs.partner[k] >= 7 && pairs.partner[k] <= 9);
    }
    assert_int_equal(pairs.start[7], pairs.start[10]);
    assert_true(pairs.pair_count > 100);
    tal_broad_phase_destroy(broad_phase);
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    static tal_body_box boxes[BOXES];
    scatter(boxes, 1, 2.0, 10.0);
    tal_error err;
    for (long nth = 1;; nth++) {
        tal_broad_phase *broad_phase;
        tal_candidates pairs;
        tal_fault_arm(TAL_FAULT_ALLOCATION, nth, false);
        tal_status status = tal_broad_phase_create(&broad_phase, BOXES, &err);
        if (status == TAL_OK) {
            status = tal_broad_phase_find(broad_phase, boxes, 1, &pairs, &err);
        }
        const long struck = tal_fault_count();
        tal_fault_disarm();
        tal_broad_phase_destroy(broad_phase);
        assert_int_equal(status, struck > 0 ? TAL_NO_MEMORY : TAL_OK);
        if (struck == 0) {
            return;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_testing_all_pairs_finds),
        cmocka_unit_test(finds_pairs_in_a_dense_lattice_of_equal_boxes),
        cmocka_unit_test(boxes_that_are_not_finite_are_left_out),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

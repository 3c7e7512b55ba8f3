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

static bool was_added(const tal_candidates *pairs, int32_t at) {
    for (int32_t n = 0; n < pairs->added_count; n++) {
        if (pairs->added[n] == (uint64_t)at) {
            return true;
        }
    }
    return false;
}

// The pairs of `before` in their order, and among them, in place, those that are marked as added; all that
// overlap are there.
static void assert_added(const tal_candidates *pairs, const tal_body_box *boxes,
                         const int32_t *start, const int32_t *partner) {
    int32_t overlapping = 0, k = 0;
    for (int32_t i = 0; i < BOXES; i++) {
        int32_t old = start[i];
        assert_int_equal(pairs->start[i], k);
        for (; k < pairs->start[i + 1]; k++) {
            assert_true(k == pairs->start[i] || pairs->partner[k] > pairs->partner[k - 1]);
            const bool is_old = old < start[i + 1] && partner[old] == pairs->partner[k];
            assert_true(is_old != was_added(pairs, k));
            old += is_old ? 1 : 0;
            overlapping += overlap(&boxes[i], &boxes[pairs->partner[k]]) ? 1 : 0;
        }
        assert_int_equal(old, start[i + 1]);
        for (int32_t j = i + 1; j < BOXES; j++) {
            overlapping -= overlap(&boxes[i], &boxes[j]) ? 1 : 0;
        }
    }
    assert_int_equal(k, pairs->pair_count);
    assert_int_equal(overlapping, 0);
}

// Every `stride`-th box goes to where it is in `to`; returns how many do.
static int32_t move_some(tal_body_box *boxes, const tal_body_box *to, int32_t first, int32_t stride,
                         int32_t *moved) {
    int32_t count = 0;
    for (int32_t k = first; k < BOXES; k += stride) {
        boxes[k] = to[k];
        moved[count++] = k;
    }
    return count;
}

static void pairs_of_boxes_that_move_are_added_in_their_places(void **state) {
    (void)state;
    enum { PAIRS_MAX = 100000 };
    static tal_body_box boxes[BOXES], to[BOXES];
    static int32_t moved[BOXES], start[BOXES + 1], partner[PAIRS_MAX];
    tal_broad_phase *broad_phase;
    tal_candidates pairs;
    tal_error err;
    scatter(boxes, 5, 2.0, 15.0);
    scatter(to, 6, 2.0, 15.0);
    assert_int_equal(tal_broad_phase_create(&broad_phase, BOXES, &err), TAL_OK);
    assert_int_equal(tal_broad_phase_find(broad_phase, boxes, 3, &pairs, &err), TAL_OK);
    for (int32_t first = 0; first < 4; first++) {
        assert_true(pairs.pair_count < PAIRS_MAX);
        memcpy(start, pairs.start, sizeof start);
        memcpy(partner, pairs.partner, (size_t)pairs.pair_count * sizeof *partner);
        const int32_t count = move_some(boxes, to, first, 200 - 65 * first, moved);
        assert_int_equal(tal_broad_phase_add(broad_phase, boxes, moved, count, &pairs, &err),
                         TAL_OK);
        assert_true(pairs.added_count > 10);
        assert_added(&pairs, boxes, start, partner);
    }
    tal_broad_phase_destroy(broad_phase);
}

static void boxes_that_become_infinite_add_nothing(void **state) {
    (void)state;
    static tal_body_box boxes[BOXES];
    tal_broad_phase *broad_phase;
    tal_candidates pairs;
    tal_error err;
    scatter(boxes, 4, 2.0, 15.0);
    assert_int_equal(tal_broad_phase_create(&broad_phase, BOXES, &err), TAL_OK);
    assert_int_equal(tal_broad_phase_find(broad_phase, boxes, 1, &pairs, &err), TAL_OK);
    boxes[7].high = (tal_vec3){INFINITY, INFINITY, INFINITY};
    boxes[8] = (tal_body_box){{-99.0, -99.0, NAN}, {99.0, 99.0, 99.0}};
    assert_int_equal(tal_broad_phase_add(broad_phase, boxes, (int32_t[]){7, 8}, 2, &pairs, &err),
                     TAL_OK);
    assert_int_equal(pairs.added_count, 0);
    boxes[20].high = (tal_vec3){99.0, 99.0, 99.0}; // meets them, too
    assert_int_equal(tal_broad_phase_add(broad_phase, boxes, (int32_t[]){20}, 1, &pairs, &err),
                     TAL_OK);
    assert_true(pairs.added_count > 0);
    for (int32_t k = 0; k < pairs.added_count; k++) {
        const int32_t partner = pairs.partner[pairs.added[k]];
        assert_true((int32_t)pairs.added[k] >= pairs.start[9] ||
                    (int32_t)pairs.added[k] < pairs.start[7]);
        assert_true(partner != 7 && partner != 8);
    }
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
        if (status == TAL_OK) { // needs more room: some that hold all others
            static tal_body_box larger[BOXES];
            static const int32_t moved[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
            memcpy(larger, boxes, sizeof larger);
            for (int k = 0; k < 16; k++) {
                larger[k] = (tal_body_box){{-99.0, -99.0, -99.0}, {99.0, 99.0, 99.0}};
            }
            status = tal_broad_phase_add(broad_phase, larger, moved, 16, &pairs, &err);
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
        cmocka_unit_test(pairs_of_boxes_that_move_are_added_in_their_places),
        cmocka_unit_test(boxes_that_become_infinite_add_nothing),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

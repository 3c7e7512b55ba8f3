// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts of masks against a slow flood, and morphology on masks drawn by hand.
#include "core/geometry/components.h"
#include "core/base/random.h"
#include "tests/support/check.h"

enum { SIDE = 24 };

// Labels spread from neighbour to neighbour until nothing changes: the least cell of the part.
static void flood_slowly(const uint8_t *mask, bool corners, int32_t *least) {
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        least[i] = mask[i] ? i : -1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < SIDE * SIDE; i++) {
            for (int32_t k = 0; k < 9; k++) {
                const int32_t dc = k % 3 - 1, dr = k / 3 - 1;
                const int32_t c = i % SIDE + dc, r = i / SIDE + dr, other = r * SIDE + c;
                if (c < 0 || r < 0 || c >= SIDE || r >= SIDE || (dc * dr != 0 && !corners) ||
                    least[i] < 0 || least[other] < 0 || least[other] >= least[i]) {
                    continue;
                }
                least[i] = least[other];
                changed = true;
            }
        }
    }
}

static void check_parts(const tal_components *parts, const uint8_t *mask, bool corners) {
    int32_t least[SIDE * SIDE], count = 0;
    flood_slowly(mask, corners, least);
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        if (least[i] != i) {
            assert_int_equal(parts->label[i], least[i] < 0 ? 0 : parts->label[least[i]]);
            continue;
        }
        assert_int_equal(parts->label[i], ++count); // in the order of their first cells
        int64_t size = 0;
        int at_rim = 0;
        for (int32_t k = 0; k < SIDE * SIDE; k++) {
            const int32_t c = k % SIDE, r = k / SIDE;
            size += least[k] == i;
            at_rim |= least[k] == i && (c == 0 || r == 0 || c == SIDE - 1 || r == SIDE - 1);
        }
        assert_int_equal(parts->size[count], size);
        assert_int_equal(parts->at_rim[count], at_rim);
    }
    assert_int_equal(parts->count, count);
}

static void parts_of_random_masks_match_a_slow_flood(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        uint8_t mask[SIDE * SIDE];
        const tal_random random = tal_random_stream(round, 0, "test/mask");
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            mask[i] = tal_random_uniform(random, i) < 0.3 + 0.01 * (double)round;
        }
        for (int corners = 0; corners < 2; corners++) {
            tal_components parts;
            check_ok(tal_components_find(&parts, mask, SIDE, SIDE, corners == 1, &check_error));
            check_parts(&parts, mask, corners == 1);
            tal_components_destroy(&parts);
        }
    }
}

static void small_parts_and_holes_are_dropped_and_filled(void **state) {
    (void)state;
    uint8_t mask[25] = {1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    check_ok(tal_mask_fill_holes(mask, 5, 5, 1, &check_error));
    assert_int_equal(mask[6], 1);
    check_ok(tal_mask_drop_small(mask, 5, 5, 3, &check_error));
    assert_int_equal(mask[9], 0);
    assert_int_equal(mask[20], 0);
    assert_int_equal(mask[0], 1);
}

static void the_largest_part_is_kept_and_the_first_among_equals(void **state) {
    (void)state;
    int64_t cells;
    uint8_t mask[12] = {1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1};
    check_ok(tal_mask_keep_largest(mask, 4, 3, &cells, &check_error));
    const uint8_t expected[12] = {1, 1};
    assert_int_equal(cells, 2);
    assert_memory_equal(mask, expected, 12);
}

static void a_mask_grows_roundly_and_shrinks_back(void **state) {
    (void)state;
    uint8_t mask[49] = {0};
    mask[24] = 1;
    check_ok(tal_mask_grow(mask, 7, 7, 2, &check_error));
    int count = 0;
    for (int i = 0; i < 49; i++) {
        count += mask[i];
    }
    assert_int_equal(count, 21); // a cross of 5, then its 8 neighbours: 5 x 5 without corners
    check_ok(tal_mask_grow(mask, 7, 7, -2, &check_error));
    for (int i = 0; i < 49; i++) {
        assert_int_equal(mask[i], i == 24);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_random_masks_match_a_slow_flood),
        cmocka_unit_test(small_parts_and_holes_are_dropped_and_filled),
        cmocka_unit_test(the_largest_part_is_kept_and_the_first_among_equals),
        cmocka_unit_test(a_mask_grows_roundly_and_shrinks_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

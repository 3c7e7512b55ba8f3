// SPDX-License-Identifier: GPL-3.0-or-later
// Heap memory and the arena.
#include "core/base/memory.h"
#include "core/base/arena.h"
#include "core/base/fault.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static bool all_zero(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void new_memory_is_zero_and_aligned(void **state) {
    (void)state;
    unsigned char *bytes = tal_memory_create(1000, 3);
    assert_non_null(bytes);
    assert_true(all_zero(bytes, 3000));
    assert_int_equal((uintptr_t)bytes % 64, 0);
    tal_memory_destroy(bytes);
    tal_memory_destroy(NULL);
    void *nothing = tal_memory_create(0, 8); // no items are no failure
    assert_non_null(nothing);
    tal_memory_destroy(nothing);
}

// Pages of this process in memory.
static long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return resident;
}

static void room_that_nobody_writes_to_takes_no_pages(void **state) {
    (void)state;
    const size_t room = (size_t)1 << 28; // 65536 pages
    const long before = resident_pages();
    unsigned char *bytes = tal_memory_create(room, 1);
    assert_non_null(bytes);
    bytes[room / 2] = 1;
    assert_true(resident_pages() - before < 4096);
    tal_memory_destroy(bytes);
}

static void what_is_forgotten_takes_no_pages_and_what_is_beside_it_stays(void **state) {
    (void)state;
    const size_t room = (size_t)1 << 26; // 16384 pages
    unsigned char *bytes = tal_memory_create(room, 1);
    assert_non_null(bytes);
    memset(bytes, 7, room);
    const long before = resident_pages();
    const size_t first = 5003, end = room - 4001; // in the middle of pages
    tal_memory_forget(bytes, first, end - first, 1);
    assert_true(before - resident_pages() > 16000);
    for (size_t k = 0; k < first; k++) {
        assert_int_equal(bytes[k], 7);
    }
    for (size_t k = end; k < room; k++) {
        assert_int_equal(bytes[k], 7);
    }
    memset(bytes, 8, room); // the room is still there
    assert_int_equal(bytes[room / 2], 8);
    tal_memory_destroy(bytes);
    void *small = tal_memory_create(10, 1);
    tal_memory_forget(small, 0, 10, 1); // no whole page
    tal_memory_forget(NULL, 0, 0, 8);
    tal_memory_destroy(small);
}

// Most pages that the process ever had.
static long resident_most(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss / (sysconf(_SC_PAGESIZE) / 1024);
}

static void what_grows_is_never_there_twice(void **state) {
    (void)state;
    const size_t count = ((size_t)1 << 28) + 3,
                 more = 2 * count; // 65536 pages: more than any test before
    unsigned char *bytes = tal_memory_create(count, 1);
    assert_non_null(bytes);
    memset(bytes, 7, count);
    const long before = resident_most();
    unsigned char *grown = tal_memory_grow(bytes, count, more, 1);
    assert_non_null(grown);
    assert_true(resident_most() - before < 32768); // sanitizers need some for themselves
    for (size_t k = 0; k < more; k += 997) {
        assert_int_equal(grown[k], k < count ? 7 : 0);
    }
    assert_int_equal(grown[count - 1], 7);
    assert_int_equal(grown[count], 0);
    tal_memory_destroy(grown);
}

static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    size_t product = 0;
    assert_false(tal_size_multiply(SIZE_MAX / 2, 3, &product));
    assert_null(tal_memory_create(SIZE_MAX / 2, 3));
    assert_null(tal_memory_create(SIZE_MAX, 1));
}

static void growing_keeps_the_old_and_clears_the_new(void **state) {
    (void)state;
    int *numbers = tal_memory_create(4, sizeof *numbers);
    for (int i = 0; i < 4; i++) {
        numbers[i] = i + 1;
    }
    numbers = tal_memory_grow(numbers, 4, 100, sizeof *numbers);
    assert_non_null(numbers);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(numbers[i], i < 4 ? i + 1 : 0);
    }
    tal_memory_destroy(numbers);
}

static void shrinking_keeps_the_first_items(void **state) {
    (void)state;
    int *numbers = tal_memory_create(1000000, sizeof *numbers);
    numbers[3] = 7;
    numbers = tal_memory_grow(numbers, 1000000, 4, sizeof *numbers);
    assert_non_null(numbers);
    assert_int_equal(numbers[3], 7);
    tal_memory_destroy(numbers);
}

static void a_lasting_fault_strikes_until_disarmed(void **state) {
    (void)state;
    tal_fault_arm(TAL_FAULT_ALLOCATION, 2, true);
    void *memory = tal_memory_create(1, 1);
    assert_non_null(memory);
    assert_null(tal_memory_create(1, 1));
    assert_null(tal_memory_create(1, 1));
    assert_int_equal(tal_fault_count(), 2);
    tal_fault_disarm();
    tal_memory_destroy(memory);
    tal_fault_arm(TAL_FAULT_ALLOCATION, 1, false);
    assert_null(tal_memory_create(1, 1));
    memory = tal_memory_create(1, 1);
    assert_non_null(memory);
    tal_memory_destroy(memory);
    tal_fault_disarm();
}

static void a_chunk_is_used_to_its_end(void **state) {
    (void)state;
    tal_arena arena;
    check_ok(tal_arena_create(&arena, 4096, &check_error));
    const tal_arena_mark start = tal_arena_get_mark(&arena);
    assert_non_null(tal_arena_take(&arena, 4096, 1));
    assert_ptr_equal(tal_arena_get_mark(&arena).chunk, start.chunk);
    assert_non_null(tal_arena_take(&arena, 1, 1));
    assert_ptr_not_equal(tal_arena_get_mark(&arena).chunk, start.chunk);
    tal_arena_restore(&arena, start);
    assert_non_null(tal_arena_take(&arena, 1, 1));
    assert_int_equal(arena.peak_bytes, 4096 + 64); // the most at once, not the last
    tal_arena_destroy(&arena);
    check_ok(tal_arena_create(&arena, 100000, &check_error));
    const tal_arena_mark large = tal_arena_get_mark(&arena);
    assert_non_null(tal_arena_take(&arena, 99968, 1)); // all that was reserved at once
    assert_ptr_equal(tal_arena_get_mark(&arena).chunk, large.chunk);
    tal_arena_destroy(&arena);
}

static void failed_growth_leaves_the_old_block(void **state) {
    (void)state;
    int *numbers = tal_memory_create(4, sizeof *numbers);
    numbers[3] = 7;
    tal_fault_arm(TAL_FAULT_ALLOCATION, 1, false);
    assert_null(tal_memory_grow(numbers, 4, 100, sizeof *numbers));
    tal_fault_disarm();
    assert_int_equal(numbers[3], 7);
    tal_memory_destroy(numbers);
}

static void restoring_a_mark_gives_the_memory_back_cleared(void **state) {
    (void)state;
    tal_arena arena;
    check_ok(tal_arena_create(&arena, 1000, &check_error));
    double *kept = tal_arena_take(&arena, 10, sizeof *kept);
    kept[9] = 4.0;
    const tal_arena_mark mark = tal_arena_get_mark(&arena);
    unsigned char *first = tal_arena_take(&arena, 100, 1);
    memset(first, 0xff, 100);
    tal_arena_restore(&arena, mark);
    unsigned char *again = tal_arena_take(&arena, 100, 1);
    assert_ptr_equal(first, again);
    assert_true(all_zero(again, 100));
    assert_true(kept[9] == 4.0);
    tal_arena_destroy(&arena);
    tal_arena_destroy(&arena);
    tal_arena_destroy(NULL);
}

static void an_arena_grows_by_chunks_and_restores_across_them(void **state) {
    (void)state;
    tal_arena arena;
    check_ok(tal_arena_create(&arena, 4096, &check_error));
    const tal_arena_mark start = tal_arena_get_mark(&arena);
    for (int i = 0; i < 100; i++) {
        unsigned char *bytes = tal_arena_take(&arena, 1000, 1);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 64, 0);
        memset(bytes, i, 1000);
    }
    assert_non_null(tal_arena_take(&arena, 1000000, 1)); // larger than a chunk
    assert_true(arena.peak_bytes >= 1100000);
    tal_arena_restore(&arena, start);
    assert_int_equal(arena.used_bytes, 0);
    assert_null(tal_arena_take(&arena, SIZE_MAX / 2, 3));
    tal_arena_destroy(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_memory_is_zero_and_aligned),
        cmocka_unit_test(room_that_nobody_writes_to_takes_no_pages),
        cmocka_unit_test(what_is_forgotten_takes_no_pages_and_what_is_beside_it_stays),
        cmocka_unit_test(what_grows_is_never_there_twice),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(growing_keeps_the_old_and_clears_the_new),
        cmocka_unit_test(shrinking_keeps_the_first_items),
        cmocka_unit_test(a_lasting_fault_strikes_until_disarmed),
        cmocka_unit_test(a_chunk_is_used_to_its_end),
        cmocka_unit_test(failed_growth_leaves_the_old_block),
        cmocka_unit_test(restoring_a_mark_gives_the_memory_back_cleared),
        cmocka_unit_test(an_arena_grows_by_chunks_and_restores_across_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

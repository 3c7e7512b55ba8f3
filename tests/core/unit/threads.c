// SPDX-License-Identifier: GPL-3.0-or-later
// Loops shared by threads: every item once, whoever asks, also within one another and after a fork.
#define _GNU_SOURCE
#include "core/base/threads.h"
#include "tests/support/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 10007 };
static atomic_int visits[ITEMS];

static void visit(void *context, int64_t first, int64_t end) {
    (void)context;
    for (int64_t i = first; i < end; i++) {
        atomic_fetch_add(&visits[i], 1);
    }
}

static void every_item_is_visited_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        for (int round = 0; round < 300; round++) {
            memset(visits, 0, sizeof visits);
            tal_threads_loop(threads, ITEMS, 10, visit, NULL);
            for (int i = 0; i < ITEMS; i++) {
                assert_int_equal(atomic_load(&visits[i]), 1);
            }
        }
    }
    tal_threads_loop(3, 0, 1, visit, NULL);
}

// What was written before a loop is seen in it, and what it wrote after it: many small loops in a row.
static void sum_neighbours(void *context, int64_t first, int64_t end) {
    int64_t *values = context;
    for (int64_t i = first; i < end; i++) {
        values[i + 64] = values[i] + 1;
    }
}

static void loops_follow_one_another(void **state) {
    (void)state;
    static int64_t values[64 * 2000];
    memset(values, 0, sizeof values);
    for (int loop = 0; loop < 1999; loop++) {
        tal_threads_loop(4, 64, 4, sum_neighbours, values + (ptrdiff_t)64 * loop);
    }
    for (int i = 0; i < 64; i++) {
        assert_int_equal(values[64 * 1999 + i], 1999);
    }
}

static void count_inner(void *context, int64_t first, int64_t end) {
    atomic_fetch_add((atomic_int *)context, (int)(end - first));
}

static void outer(void *context, int64_t first, int64_t end) {
    for (int64_t i = first; i < end; i++) {
        tal_threads_loop(4, 10, 1, count_inner, context);
    }
}

static void a_loop_within_a_loop_is_done(void **state) {
    (void)state;
    atomic_int count = 0;
    tal_threads_loop(4, 100, 1, outer, &count);
    assert_int_equal(atomic_load(&count), 1000);
}

static void *ask(void *context) {
    for (int i = 0; i < 500; i++) {
        tal_threads_loop(3, 100, 1, count_inner, context);
    }
    return NULL;
}

static void two_who_ask_at_once_both_get_theirs(void **state) {
    (void)state;
    pthread_t thread;
    atomic_int mine = 0, theirs = 0;
    assert_int_equal(pthread_create(&thread, NULL, ask, &theirs), 0);
    (void)ask(&mine);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&mine), 50000);
    assert_int_equal(atomic_load(&theirs), 50000);
}

static void the_child_of_a_fork_has_threads_of_its_own(void **state) {
    (void)state;
    atomic_int count = 0;
    tal_threads_loop(3, 100, 1, count_inner, &count);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        (void)ask(&count);
        _exit(atomic_load(&count) == 50100 ? 0 : 1);
    }
    int outcome = 0;
    waitpid(child, &outcome, 0);
    assert_int_equal(outcome, 0);
}

// What a sum is put together from: the same slices for any number of threads, side by side, none of them empty unless
// there is nothing at all, none much smaller than asked for.
static void slices_cover_a_loop_and_know_nothing_of_threads(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 99, 100, 101, 199, 6400, 123457, INT64_C(1) << 40};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const int slices = tal_slice_count(counts[c], 100);
        assert_in_range(slices, 1, TAL_SLICES_MAX);
        assert_int_equal(tal_slice_begin(counts[c], slices, 0), 0);
        assert_int_equal(tal_slice_begin(counts[c], slices, slices), counts[c]);
        for (int n = 0; slices > 1 && n < slices; n++) {
            assert_true(tal_slice_begin(counts[c], slices, n + 1) -
                            tal_slice_begin(counts[c], slices, n) >=
                        100);
        }
    }
    assert_int_equal(tal_slice_count(INT64_C(1) << 40, 100), TAL_SLICES_MAX);
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Threads that have nothing to do cost nothing, whatever OMP_WAIT_POLICY and the like say.
static void waiting_threads_sleep(void **state) {
    (void)state;
    atomic_int count = 0;
    tal_threads_loop(5, 1000, 1, count_inner, &count);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // until they sleep
    const double before = cpu_seconds();
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    assert_true(cpu_seconds() - before < 0.02);
}

static pthread_t asker;
static atomic_bool is_joined;

static void linger(void *context, int64_t first, int64_t end) {
    (void)context, (void)first, (void)end;
    const bool is_mine = pthread_equal(pthread_self(), asker) != 0;
    atomic_store(&is_joined, atomic_load(&is_joined) || !is_mine);
    for (int k = 0; k < 100 && !atomic_load(&is_joined); k++) { // until the other one has come
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    nanosleep(&(struct timespec){.tv_nsec = is_mine ? 0 : 500000000}, NULL);
}

// Nor does the one who asked, while another still works: beside other programs that may take long.
static void who_waits_for_others_sleeps(void **state) {
    (void)state;
    asker = pthread_self();
    double cost = 0;
    for (int k = 0; k < 50 && !atomic_load(&is_joined); k++) {
        const double before = cpu_seconds();
        tal_threads_loop(2, 2, 1, linger, NULL);
        cost = cpu_seconds() - before;
    }
    assert_true(atomic_load(&is_joined));
    assert_true(cost < 0.1); // 0.5 if it did not
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_for_others_sleeps), // first: nobody has come too late yet
        cmocka_unit_test(every_item_is_visited_once),
        cmocka_unit_test(loops_follow_one_another),
        cmocka_unit_test(a_loop_within_a_loop_is_done),
        cmocka_unit_test(two_who_ask_at_once_both_get_theirs),
        cmocka_unit_test(the_child_of_a_fork_has_threads_of_its_own),
        cmocka_unit_test(slices_cover_a_loop_and_know_nothing_of_threads),
        cmocka_unit_test(waiting_threads_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

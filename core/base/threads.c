// SPDX-License-Identifier: GPL-3.0-or-later
// One loop at a time. Every thread has a share of it that is the same from loop to loop, so that what it
// works on stays in its caches; pieces of a share are claimed by a counter, and who is done with its own
// helps with the others'. Threads join while the loop is open, and the caller leaves once it is closed and
// nobody is inside. Who waits spins first and then sleeps on a futex.
#define _GNU_SOURCE
#include "core/base/threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    WORKERS_MAX = 1023,
    // Longer than what one thread does alone within a step of ten thousand bodies.
    SPIN_NS_MAX = 5000000,
    // Who did not get to look at the clock for so long was put off the processor: others want it, and spinning
    // takes it from them. From then on it sleeps early, and later again with every loop that it was in time for:
    // beside eight busy loops on two cores, two threads cost 1.1 times the time of one instead of 1.3.
    PUT_OFF_NS = 100000,
    SPIN_NS_MIN = 50000,
    SPIN_NS_GAIN = 2000,
    LOOKS_PER_CLOCK = 64,
    PIECES_PER_THREAD = 4, // an uneven loop is evened out
    LOOPS_AWAITED = 16,    // a sleeper needs longer to wake than many a loop takes
    MISSES_MAX = 10,       // at most every 1024th loop tries to wake those who come too late
};

// What is left of a share.
typedef struct {
    _Alignas(64) _Atomic int64_t next;
    int64_t end;
} share;

static struct {
    // The loop under way.
    tal_loop_work *work;
    void *context;
    int64_t piece;
    int share_count;
    share share[WORKERS_MAX + 1];
    _Alignas(64) atomic_int inside; // workers; the caller sleeps on it
    atomic_bool open;
    atomic_bool was_joined;
    // Announcements: changes with every loop; idle workers sleep on it.
    _Alignas(64) atomic_uint loops;
    atomic_int sleepers;
    // Touched by the caller alone.
    atomic_flag busy;
    int worker_count;
    int misses, loops_to_skip, awaited;
    bool fork_is_watched;
} pool = {.busy = ATOMIC_FLAG_INIT};

static _Thread_local bool is_in_a_loop;

static void futex_wait(void *word, unsigned value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(void *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void pause_a_moment(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void do_share(share *s) {
    for (;;) {
        const int64_t first =
            atomic_load(&s->next) < s->end ? atomic_fetch_add(&s->next, pool.piece) : s->end;
        if (first >= s->end) {
            return;
        }
        const int64_t end = first + pool.piece;
        pool.work(pool.context, first, end < s->end ? end : s->end);
    }
}

static void do_shares(int own) {
    for (int i = 0; i < pool.share_count; i++) {
        do_share(&pool.share[(own + i) % pool.share_count]);
    }
}

// Inside is counted before open is read, and the caller closes before it reads inside: a worker that
// finds the loop open is waited for.
static void join_loop(int number) {
    atomic_fetch_add(&pool.inside, 1);
    if (atomic_load(&pool.open) && number < pool.share_count) {
        atomic_store_explicit(&pool.was_joined, true, memory_order_relaxed);
        do_shares(number);
    }
    if (atomic_fetch_sub(&pool.inside, 1) == 1 && !atomic_load(&pool.open)) {
        futex_wake(&pool.inside, 1);
    }
}

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Somebody who waits by looking again and again, and when it is time to sleep instead.
typedef struct {
    int looks;
    int64_t begin, last;
} watcher;

static _Thread_local int64_t spin_ns = SPIN_NS_MAX;

static bool goes_on_looking(watcher *w) {
    pause_a_moment();
    if (w->looks++ % LOOKS_PER_CLOCK != 0) {
        return true;
    }
    const int64_t now = nanoseconds();
    w->begin = w->begin == 0 ? now : w->begin;
    const bool was_put_off = w->last != 0 && now - w->last > PUT_OFF_NS;
    w->last = now;
    spin_ns = was_put_off ? SPIN_NS_MIN : spin_ns;
    return now - w->begin < spin_ns;
}

// Until another loop is announced than the one seen last.
static unsigned wait_for_loop(unsigned seen) {
    watcher w = {0};
    do {
        const unsigned now = atomic_load(&pool.loops);
        if (now != seen) {
            spin_ns += spin_ns < SPIN_NS_MAX ? SPIN_NS_GAIN : 0;
            return now;
        }
    } while (goes_on_looking(&w));
    atomic_fetch_add(&pool.sleepers, 1);
    while (atomic_load(&pool.loops) == seen) {
        futex_wait(&pool.loops, seen);
    }
    atomic_fetch_sub(&pool.sleepers, 1);
    return atomic_load(&pool.loops);
}

static void *worker(void *context) {
    const int number = (int)(intptr_t)context;
    is_in_a_loop = true; // whatever it calls is done alone
    for (unsigned seen = 0;;) {
        seen = wait_for_loop(seen);
        join_loop(number);
    }
    return NULL;
}

// The child of a fork has none of the workers.
static void forget_workers(void) {
    pool.worker_count = 0;
    pool.misses = pool.loops_to_skip = pool.awaited = 0;
    atomic_store(&pool.inside, 0);
    atomic_store(&pool.open, false);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.loops, 0);
    atomic_flag_clear(&pool.busy);
    is_in_a_loop = false;
}

static void start_workers(int wanted) {
    wanted = wanted < WORKERS_MAX ? wanted : WORKERS_MAX;
    if (!pool.fork_is_watched) {
        pool.fork_is_watched = pthread_atfork(NULL, NULL, forget_workers) == 0;
    }
    pthread_attr_t detached;
    if (pool.worker_count >= wanted || pthread_attr_init(&detached) != 0) {
        return;
    }
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    while (pool.worker_count < wanted &&
           pthread_create(&thread, &detached, worker, (void *)(intptr_t)(pool.worker_count + 1)) ==
               0) {
        pool.worker_count++;
    }
    pthread_attr_destroy(&detached);
}

// Waking costs more than a small loop does, and helps nobody where the machine is busy and they come too
// late: the more often that was so, the more rarely it is tried.
static bool wake_sleepers(void) {
    if (atomic_load(&pool.sleepers) == 0) {
        return false;
    }
    if (pool.loops_to_skip > 0) {
        pool.loops_to_skip--;
        return false;
    }
    if (pool.awaited > 0) { // woken already
        return false;
    }
    futex_wake(&pool.loops, INT_MAX); // they have numbers: any of them may be meant
    return true;
}

static void learn(bool woke) {
    if (atomic_load(&pool.was_joined)) {
        pool.misses = pool.loops_to_skip = pool.awaited = 0;
    } else if (woke) {
        pool.awaited = LOOPS_AWAITED;
    } else if (pool.awaited > 0 && --pool.awaited == 0) {
        pool.misses += pool.misses < MISSES_MAX ? 1 : 0;
        pool.loops_to_skip = 1 << pool.misses;
    }
}

static void wait_for_others(void) {
    watcher w = {0};
    while (atomic_load(&pool.inside) != 0 && goes_on_looking(&w)) {
    }
    for (int now = 0; (now = atomic_load(&pool.inside)) != 0;) {
        futex_wait(&pool.inside, (unsigned)now);
    }
}

static void share_out(int thread_count, int64_t count, int64_t grain) {
    const int64_t fitting = count / grain;
    const int shares = fitting < thread_count ? (int)fitting : thread_count;
    const int64_t even = count / ((int64_t)shares * PIECES_PER_THREAD);
    pool.share_count = shares < WORKERS_MAX + 1 ? shares : WORKERS_MAX + 1;
    pool.piece = even > grain ? even : grain;
    for (int s = 0; s < pool.share_count; s++) {
        atomic_store_explicit(&pool.share[s].next, count * s / pool.share_count,
                              memory_order_relaxed);
        pool.share[s].end = count * (s + 1) / pool.share_count;
    }
}

void tal_threads_loop(int thread_count, int64_t count, int64_t grain, tal_loop_work *work,
                      void *context) {
    if (count <= 0) {
        return;
    }
    if (thread_count < 2 || count < 2 * grain || is_in_a_loop ||
        atomic_flag_test_and_set(&pool.busy)) {
        work(context, 0, count);
        return;
    }
    start_workers(thread_count - 1);
    pool.work = work;
    pool.context = context;
    share_out(thread_count, count, grain);
    atomic_store(&pool.was_joined, false);
    atomic_store(&pool.open, true);
    atomic_fetch_add(&pool.loops, 1);
    const bool woke = wake_sleepers();
    is_in_a_loop = true;
    do_shares(0);
    is_in_a_loop = false;
    atomic_store(&pool.open, false);
    wait_for_others();
    learn(woke);
    atomic_flag_clear(&pool.busy);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Loops shared by threads that are there for as long as the program is. A thread that waits looks for
// work for some microseconds and then sleeps: beside other work on the machine it costs nothing. Whoever
// asks for a loop works on it too and never waits for a thread that has not begun.
#ifndef TALUS_CORE_BASE_THREADS_H
#define TALUS_CORE_BASE_THREADS_H

#include <stdint.h>

// Items `first` to `end - 1` of a loop.
typedef void tal_loop_work(void *context, int64_t first, int64_t end);

// Calls `work` for pieces of 0 .. count - 1, each item once, with at most `thread_count` threads; a piece
// has about `grain` items or more. Which thread does what is not said: items must not depend on one another.
// A loop within a loop, and one asked for while another program thread has its own under way, is done by
// the caller alone. Safe after a fork.
void tal_threads_loop(int thread_count, int64_t count, int64_t grain, tal_loop_work *work,
                      void *context);

// Sums and extremes whose bits do not depend on who adds: a loop is cut into slices whose number and borders follow
// from its length and `grain` alone, threads share the slices (a loop over them with a grain of 1), and what they
// found is put together in order.
enum { TAL_SLICES_MAX = 64 };

static inline int tal_slice_count(int64_t count, int64_t grain) {
    const int64_t fitting = count / grain;
    return fitting < 1 ? 1 : fitting < TAL_SLICES_MAX ? (int)fitting : TAL_SLICES_MAX;
}

static inline int64_t tal_slice_begin(int64_t count, int slice_count, int64_t slice) {
    return count * slice / slice_count;
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C and SIGTERM.
#define _POSIX_C_SOURCE 200809L
#include "core/base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

// Read by every thread and written by a handler: C17 7.14.1.1 allows lock-free atomics there.
static atomic_int pending; // number of the first signal; 0: none
static atomic_bool may_exit;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler writes this");

// May be called in a handler.
static void exit_at_once(int number) {
    static const char text[] = "stopped on request\n";
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? EXIT_FAILURE : 128 + number);
}

// The first signal of either kind gives both their default action back: the next one ends the
// program.
static void note_signal(int number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigemptyset(&usual.sa_mask);
    sigaction(SIGINT, &usual, NULL);
    sigaction(SIGTERM, &usual, NULL);
    atomic_store(&pending, number);
    if (atomic_load(&may_exit)) {
        exit_at_once(number);
    }
}

void tal_interrupt_install(void) {
    // SA_RESTART: a write under way is finished, not failed with "interrupted system call".
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void tal_interrupt_allow_exit(bool is_allowed) {
    atomic_store(&may_exit, is_allowed);
    if (is_allowed && tal_interrupt_pending()) {
        exit_at_once(tal_interrupt_signal());
    }
}

int tal_interrupt_signal(void) {
    return atomic_load_explicit(&pending, memory_order_relaxed);
}

bool tal_interrupt_pending(void) {
    return tal_interrupt_signal() != 0;
}

tal_status tal_interrupt_check(tal_error *err) {
    return tal_interrupt_pending() ? TAL_FAIL(err, TAL_INTERRUPTED, "stopped on request") : TAL_OK;
}

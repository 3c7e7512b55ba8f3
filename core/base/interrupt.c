// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C, SIGTERM and SIGHUP.
#define _POSIX_C_SOURCE 200809L
#include "core/base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

// Read by every thread and written by a handler: C17 7.14.1.1 allows lock-free atomics there.
static atomic_int pending; // number of the first signal; 0: none
static atomic_bool may_exit;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler writes this");

// May be called in a handler.
static void exit_at_once(int number) {
    static const char text[] = "stopped on request\n";
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; // a terminal that was closed takes no words
    _exit(128 + number);
}

// The first signal of any kind gives SIGINT and SIGTERM their default action back: the next of these ends the
// program. SIGHUP does not: the kernel and the shell both send it when a terminal closes, and that is not
// impatience.
static void note_signal(int number) {
    if (number == SIGHUP && tal_interrupt_pending()) {
        return;
    }
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
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) { // else: nohup
        sigaction(SIGHUP, &action, NULL);
    }
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

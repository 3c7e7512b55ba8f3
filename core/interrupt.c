// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C and SIGTERM.
#define _POSIX_C_SOURCE 200809L
#include "core/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t pending;

static void note_signal(int number) {
    (void)number;
    pending = 1;
}

void tal_interrupt_install(void) {
    // SA_RESETHAND: the second signal meets the default action and ends the program at once.
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool tal_interrupt_pending(void) {
    return pending != 0;
}

tal_status tal_interrupt_check(tal_error *err) {
    return pending == 0 ? TAL_OK : TAL_FAIL(err, TAL_INTERRUPTED, "stopped as asked");
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C, SIGTERM and SIGHUP (the terminal was closed): the first asks for a clean end, a second Ctrl-C or SIGTERM
// stops at once. Under nohup, SIGHUP stays ignored.
#ifndef TALUS_CORE_BASE_INTERRUPT_H
#define TALUS_CORE_BASE_INTERRUPT_H

#include "core/base/status.h"

void tal_interrupt_install(void);
// While it is allowed, the first signal already ends the program, with 128 and its number as exit status: for
// long work that has no place to stop and leaves nothing to tidy up.
void tal_interrupt_allow_exit(bool is_allowed);
bool tal_interrupt_pending(void);
// The signal that is pending, SIGINT, SIGTERM or SIGHUP; 0: none.
int tal_interrupt_signal(void);
// TAL_INTERRUPTED with a sentence when one is pending; for loops of long work.
tal_status tal_interrupt_check(tal_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C and SIGTERM: the first asks for a clean end, the second stops at once.
#ifndef TALUS_CORE_BASE_INTERRUPT_H
#define TALUS_CORE_BASE_INTERRUPT_H

#include "core/base/status.h"

void tal_interrupt_install(void);
bool tal_interrupt_pending(void);
// The signal that is pending, SIGINT or SIGTERM; 0: none.
int tal_interrupt_signal(void);
// TAL_INTERRUPTED with a sentence when one is pending; for loops of long work.
tal_status tal_interrupt_check(tal_error *err);

#endif

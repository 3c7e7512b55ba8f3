// SPDX-License-Identifier: GPL-3.0-or-later
// Faults on demand: makes the n-th allocation, write, sync or rename fail, so that tests can walk
// through every failure path. Armed from a test, or for a whole program by the environment:
// TALUS_FAULT=allocation:12 (one fault) or TALUS_FAULT=write:3+ (this one and all after it).
#ifndef TALUS_CORE_BASE_FAULT_H
#define TALUS_CORE_BASE_FAULT_H

#include <stdbool.h>

typedef enum {
    TAL_FAULT_ALLOCATION,
    TAL_FAULT_WRITE,
    TAL_FAULT_SYNC,
    TAL_FAULT_RENAME,
    TAL_FAULT_KIND_COUNT
} tal_fault_kind;

// The n-th (from 1) occurrence from now on fails; `lasting` makes all later ones fail too.
void tal_fault_arm(tal_fault_kind kind, long nth, bool lasting);
void tal_fault_disarm(void);

// Reads TALUS_FAULT; false if it is set and not understood.
bool tal_fault_arm_from_environment(void);

// Called at the place that may fail: true means "fail now".
bool tal_fault_strikes(tal_fault_kind kind);

// How many faults have struck since arming.
long tal_fault_count(void);

#endif

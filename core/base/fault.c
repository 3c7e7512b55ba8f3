// SPDX-License-Identifier: GPL-3.0-or-later
// Faults on demand.
#include "core/base/fault.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long countdown[TAL_FAULT_KIND_COUNT]; // 0: not armed
static atomic_bool stays[TAL_FAULT_KIND_COUNT];
static atomic_long struck;

void tal_fault_arm(tal_fault_kind kind, long nth, bool lasting) {
    atomic_store(&struck, 0);
    atomic_store(&stays[kind], lasting);
    atomic_store(&countdown[kind], nth);
}

void tal_fault_disarm(void) {
    for (int kind = 0; kind < TAL_FAULT_KIND_COUNT; kind++) {
        atomic_store(&countdown[kind], 0);
    }
}

bool tal_fault_arm_from_environment(void) {
    static const char *const names[TAL_FAULT_KIND_COUNT] = {"allocation", "write", "sync",
                                                            "rename"};
    const char *wish = getenv("TALUS_FAULT");
    if (wish == NULL) {
        return true;
    }
    const char *colon = strchr(wish, ':');
    for (int kind = 0; colon != NULL && kind < TAL_FAULT_KIND_COUNT; kind++) {
        const size_t length = strlen(names[kind]);
        if ((size_t)(colon - wish) != length || strncmp(wish, names[kind], length) != 0) {
            continue;
        }
        char *end = NULL;
        const long nth = strtol(colon + 1, &end, 10);
        const bool lasting = *end == '+';
        if (nth < 1 || end[lasting ? 1 : 0] != '\0') {
            return false;
        }
        tal_fault_arm((tal_fault_kind)kind, nth, lasting);
        return true;
    }
    return false;
}

bool tal_fault_strikes(tal_fault_kind kind) {
    // The common case costs one relaxed load.
    if (atomic_load_explicit(&countdown[kind], memory_order_relaxed) == 0) {
        return false;
    }
    const long left = atomic_fetch_sub(&countdown[kind], 1);
    if (left > 1) {
        return false;
    }
    atomic_store(&countdown[kind], atomic_load(&stays[kind]) ? 1 : 0);
    atomic_fetch_add(&struck, 1);
    return true;
}

long tal_fault_count(void) {
    return atomic_load(&struck);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzing of readers that want a path: the bytes of the fuzzer as a file.
#ifndef TALUS_TESTS_SUPPORT_HOSTILE_H
#define TALUS_TESTS_SUPPORT_HOSTILE_H

#include "tests/support/mutate.h"

// Written anew for each input, as `name` in a folder of our own.
static inline const char *hostile_file(const char *name, const uint8_t *data, size_t size) {
    static mutant m;
    if (m.folder[0] == '\0') {
        mutant_begin(&m, name);
    }
    if (!tal_path_join(m.path, m.folder, name)) {
        abort();
    }
    m.bytes = (char *)(uintptr_t)data;
    m.length = size;
    mutant_write(&m);
    return m.path;
}

#endif

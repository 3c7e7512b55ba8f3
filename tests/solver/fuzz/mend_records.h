// SPDX-License-Identifier: GPL-3.0-or-later
// Checksums of a mutated file of records, as the writer computes them: what else is wrong gets past them.
#ifndef TALUS_TESTS_SOLVER_FUZZ_MEND_RECORDS_H
#define TALUS_TESTS_SOLVER_FUZZ_MEND_RECORDS_H

#include "tests/support/mutate.h"

// Those of every record that is whole.
static inline void mend_records(mutant *m) {
    enum { HEAD_BYTES = 16 };
    for (size_t at = 0; at + HEAD_BYTES <= m->length;) {
        uint32_t kind, length;
        memcpy(&kind, m->bytes + at, 4);
        memcpy(&length, m->bytes + at + 4, 4);
        if (length > m->length - at - HEAD_BYTES) {
            return;
        }
        uint64_t sum = 14695981039346656037ULL ^ kind;
        for (size_t i = 0; i < length; i++) {
            sum = (sum ^ (unsigned char)m->bytes[at + HEAD_BYTES + i]) * 1099511628211ULL;
        }
        memcpy(m->bytes + at + 8, &sum, sizeof sum);
        at += HEAD_BYTES + length;
    }
}

#endif

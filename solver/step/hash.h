// SPDX-License-Identifier: GPL-3.0-or-later
// A 64-bit hash of bytes (FNV-1a on 8-byte words, Fowler, Noll, Vo), for fingerprints and checksums.
#ifndef TALUS_SOLVER_STEP_HASH_H
#define TALUS_SOLVER_STEP_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TAL_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t tal_hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ (hash >> 29); // carries the high bits of a word down again
}

static inline uint64_t tal_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        hash = tal_hash_word(hash, word);
    }
    for (; count > 0; count--, next++) {
        hash = tal_hash_word(hash, *next);
    }
    return hash;
}

#endif

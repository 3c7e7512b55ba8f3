// SPDX-License-Identifier: GPL-3.0-or-later
// Heap memory with checked sizes; every allocation of talus passes here, so that a test can make
// any one of them fail (core/base/fault.h).
#ifndef TALUS_CORE_BASE_MEMORY_H
#define TALUS_CORE_BASE_MEMORY_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// At the start of a program: what is large and destroyed goes back to the system.
void tal_memory_begin(void);

// Zeroed memory for `count` items of `size` bytes, 64-byte aligned; NULL when it cannot be had.
void *tal_memory_create(size_t count, size_t size);

// Grows to `count` items; the items from `old_count` on are zero. NULL leaves `memory` untouched.
void *tal_memory_grow(void *memory, size_t old_count, size_t count, size_t size);

// Takes NULL.
void tal_memory_destroy(void *memory);

// What items `first` to `first + count` - 1 hold is no longer needed, and is anything from now on; the room stays.
// Whole pages of it go back to the system, and come again when they are written to. A page that does takes about a
// microsecond: not for what is small, or used again soon.
void tal_memory_forget(void *memory, size_t first, size_t count, size_t size);

// Below this a step keeps its pages: 16,384 of them. Debug builds forget all, so that tests see who still reads it.
static inline bool tal_is_worth_forgetting(size_t count, size_t size) {
#ifdef TALUS_DEBUG
    return count * size > 0;
#else
    return count * size >= ((size_t)1 << 26);
#endif
}

// count * size, false on overflow.
bool tal_size_multiply(size_t count, size_t size, size_t *product);

// The failure of an allocation as an error: `what` says what the memory was for.
tal_status tal_memory_failed(tal_error *err, const char *what, size_t count, size_t size);

// `pointer = tal_memory_create(...)`, or return with an error that names what it was for.
#define TAL_CREATE(pointer, count, what, err)                                                      \
    do {                                                                                           \
        (pointer) = tal_memory_create((count), sizeof *(pointer));                                 \
        if ((pointer) == NULL) {                                                                   \
            return tal_memory_failed((err), (what), (count), sizeof *(pointer));                   \
        }                                                                                          \
    } while (0)

// Grows to `count` items, or returns with an error that names what it was for; `pointer` stays good.
#define TAL_GROW(pointer, old_count, count, what, err)                                             \
    do {                                                                                           \
        void *grown_ = tal_memory_grow((pointer), (old_count), (count), sizeof *(pointer));        \
        if (grown_ == NULL) {                                                                      \
            return tal_memory_failed((err), (what), (count), sizeof *(pointer));                   \
        }                                                                                          \
        (pointer) = grown_;                                                                        \
    } while (0)

#define TAL_CREATE_OR_DONE(pointer, count, what, err)                                              \
    do {                                                                                           \
        (pointer) = tal_memory_create((count), sizeof *(pointer));                                 \
        if ((pointer) == NULL) {                                                                   \
            status = tal_memory_failed((err), (what), (count), sizeof *(pointer));                 \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif

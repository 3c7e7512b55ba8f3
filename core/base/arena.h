// SPDX-License-Identifier: GPL-3.0-or-later
// A bump allocator with mark and restore: one per state, sized at set-up, nothing allocated in a
// step.
#ifndef TALUS_CORE_BASE_ARENA_H
#define TALUS_CORE_BASE_ARENA_H

#include "core/base/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tal_arena_chunk tal_arena_chunk;

typedef struct {
    tal_arena_chunk *newest;
    size_t chunk_bytes; // size of a new chunk
    size_t peak_bytes;  // most that was in use at once
    size_t used_bytes;
} tal_arena;

typedef struct {
    tal_arena_chunk *chunk;
    size_t chunk_used;
    size_t used_bytes;
} tal_arena_mark;

// `first_bytes` are reserved at once; more chunks follow when they are used up.
tal_status tal_arena_create(tal_arena *arena, size_t first_bytes, tal_error *err);
void tal_arena_destroy(tal_arena *arena);

// Zeroed, 64-byte aligned; NULL when memory is exhausted or the size overflows.
void *tal_arena_take(tal_arena *arena, size_t count, size_t size);

tal_arena_mark tal_arena_get_mark(const tal_arena *arena);
void tal_arena_restore(tal_arena *arena, tal_arena_mark mark);

#define TAL_TAKE(arena, pointer, count, what, err)                                                 \
    do {                                                                                           \
        (pointer) = tal_arena_take((arena), (count), sizeof *(pointer));                           \
        if ((pointer) == NULL) {                                                                   \
            return TAL_FAIL((err), TAL_NO_MEMORY, "no memory for %s", (what));                     \
        }                                                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A bump allocator with mark and restore.
#include "core/base/arena.h"

#include "core/base/memory.h"

#include <string.h>

enum { ALIGNMENT = 64 };

struct tal_arena_chunk {
    tal_arena_chunk *older;
    unsigned char *bytes;
    size_t size;
    size_t used;
};

static tal_arena_chunk *chunk_create(size_t bytes, tal_arena_chunk *older) {
    tal_arena_chunk *chunk = tal_memory_create(1, sizeof *chunk);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->bytes = tal_memory_create(bytes, 1);
    if (chunk->bytes == NULL) {
        tal_memory_destroy(chunk);
        return NULL;
    }
    chunk->size = bytes;
    chunk->older = older;
    return chunk;
}

static void chunk_destroy(tal_arena_chunk *chunk) {
    tal_memory_destroy(chunk->bytes);
    tal_memory_destroy(chunk);
}

tal_status tal_arena_create(tal_arena *arena, size_t first_bytes, tal_error *err) {
    *arena = (tal_arena){.chunk_bytes = first_bytes > 4096 ? first_bytes : 4096};
    arena->newest = chunk_create(arena->chunk_bytes, NULL);
    return arena->newest != NULL ? TAL_OK
                                 : tal_memory_failed(err, "an arena", arena->chunk_bytes, 1);
}

void tal_arena_destroy(tal_arena *arena) {
    if (arena == NULL) {
        return;
    }
    while (arena->newest != NULL) {
        tal_arena_chunk *chunk = arena->newest;
        arena->newest = chunk->older;
        chunk_destroy(chunk);
    }
    *arena = (tal_arena){0};
}

void *tal_arena_take(tal_arena *arena, size_t count, size_t size) {
    size_t bytes = 0;
    if (!tal_size_multiply(count, size, &bytes) || bytes > PTRDIFF_MAX - ALIGNMENT) {
        return NULL;
    }
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    tal_arena_chunk *chunk = arena->newest;
    if (chunk == NULL || chunk->size - chunk->used < rounded) {
        const size_t wanted = rounded > arena->chunk_bytes ? rounded : arena->chunk_bytes;
        chunk = chunk_create(wanted, arena->newest);
        if (chunk == NULL) {
            return NULL;
        }
        arena->newest = chunk;
    }
    void *memory = chunk->bytes + chunk->used;
    memset(memory, 0, rounded); // may have been used before a restore
    chunk->used += rounded;
    arena->used_bytes += rounded;
    if (arena->used_bytes > arena->peak_bytes) {
        arena->peak_bytes = arena->used_bytes;
    }
    return memory;
}

tal_arena_mark tal_arena_get_mark(const tal_arena *arena) {
    return (tal_arena_mark){.chunk = arena->newest,
                            .chunk_used = arena->newest != NULL ? arena->newest->used : 0,
                            .used_bytes = arena->used_bytes};
}

void tal_arena_restore(tal_arena *arena, tal_arena_mark mark) {
    while (arena->newest != mark.chunk) {
        tal_arena_chunk *chunk = arena->newest;
        TAL_ASSERT(chunk != NULL); // the mark belongs to this arena and is not older than it
        arena->newest = chunk->older;
        chunk_destroy(chunk);
    }
    if (mark.chunk != NULL) {
        mark.chunk->used = mark.chunk_used;
    }
    arena->used_bytes = mark.used_bytes;
}
